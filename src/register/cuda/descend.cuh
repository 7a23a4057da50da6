/* SPDX-License-Identifier: MIT */
/*
 * All updates of a scale in one kernel: after each pass all teams go on by the same rules
 * (descent.h) from the same sums. The host neither launches nor waits in between.
 */
#ifndef RO_REGISTER_CUDA_DESCEND_CUH
#define RO_REGISTER_CUDA_DESCEND_CUH

#include "register/cuda/kernels.cuh"
#include "register/cuda/smooth.cuh"
#include "register/descent/descent.h"

enum { RING = 3 }; /* sums: being read, being added to, being cleared */

/* Sums of an update, and of a set of energies. */
struct descent_sums {
    unsigned long long energy, count, slope, square; /* two's complement */
    int g_peak, d_peak;                              /* bits of floats */
};

struct descent_memory {
    descent_sums sums[RING];
    unsigned long long energies[RING][LENGTHS];
    descent_state descent;
    descent_step steps[1]; /* as many as updates */
};

/* What the passes over pixels need. */
struct descent_pixels {
    descent_rows rows;
    arrays p;
};

template <typename SMOOTHER> struct descent_job {
    descent_pixels pixels;
    float *g[2], *d[2];      /* whole planes */
    const float *balance[2]; /* whole planes; NULL: directions are not weighed */
    SMOOTHER smoother;
    typename SMOOTHER::filter filter;
    int cycles;
    descent_rule rule;
    double tau;
    descent_memory *memory;
};

/* How far a block's updates have come. One thread of it goes by the rules, for they are long; the
 * others look at what it says. */
struct descent_turn {
    descent_state descent;
    descent_length length;
    descent_probe probe;
    lengths at_once;
    float g_scale, d_scale;
    bool asks;  /* for the energies of at_once */
    bool found; /* a length */
    bool ends;
};

/* The energies of four lengths; the first asks both ways, later ones go on in their direction. */
static __device__ __forceinline__ void choose_lengths(lengths *at_once, float tau, bool first)
{
    const bool falling = !first && tau < at_once->tau[0];
    for (int i = 0; i < LENGTHS; i++) {
        const float by = falling ? 1.0f / (float)(1 << i) : (float)(1 << i);
        at_once->tau[i] = tau * (first && i == LENGTHS - 1 ? 0.5f : by);
    }
}

/* u and the fixed image there, and d and g where they are known. */
static __device__ __forceinline__ pixel load_pixel(const descent_pixels &pixels, int x, int y,
                                                   bool has_d, bool has_g)
{
    const size_t at = (size_t)y * pixels.rows.stride + x;
    pixel here = {};
    here.ux = pixels.p.ux[at];
    here.uy = pixels.p.uy[at];
    here.fixed = pixels.p.fixed[at];
    if (has_d) {
        here.dx = pixels.p.dx[at];
        here.dy = pixels.p.dy[at];
    }
    if (has_g) {
        here.gx = pixels.p.gx[at];
        here.gy = pixels.p.gy[at];
    }
    return here;
}

template <int TEAM>
static __device__ __forceinline__ void take_gradient(const descent_pixels &pixels, float tau,
                                                     descent_sums *sums)
{
    long long values[2] = {0, 0};
    int high = 0;
    each_pixel_ahead<TEAM>(
        pixels.rows.width, pixels.rows.height,
        [&](int x, int y) { return load_pixel(pixels, x, y, tau != 0, false); },
        [&](int x, int y, const pixel &here) {
            gradient_at(pixels.rows, pixels.p, here, tau, x, y, &values[0], &values[1], &high);
        });
    unsigned long long *const totals[2] = {&sums->energy, &sums->count};
    add_team<TEAM>(values, totals);
    peak_team<TEAM>(high, &sums->g_peak);
}

template <int TEAM>
static __device__ __forceinline__ void take_energies(const descent_pixels &pixels,
                                                     const lengths &at_once, unsigned long long *to)
{
    long long energy[LENGTHS] = {0};
    each_pixel_ahead<TEAM>(
        pixels.rows.width, pixels.rows.height,
        [&](int x, int y) { return load_pixel(pixels, x, y, true, false); },
        [&](int x, int y, const pixel &here) {
            energies_at(pixels.rows, here, at_once, x, y, energy);
        });
    unsigned long long *const totals[LENGTHS] = {to, to + 1, to + 2, to + 3};
    add_team<TEAM>(energy, totals);
}

/* The products and the first energies. */
template <int TEAM>
static __device__ __forceinline__ void take_both(const descent_pixels &pixels,
                                                 const descent_turn &turn, descent_sums *sums,
                                                 unsigned long long *to)
{
    const lengths at_once = turn.at_once;
    const float g_scale = turn.g_scale, d_scale = turn.d_scale;
    long long energy[LENGTHS] = {0}, slope = 0, square = 0;
    each_pixel_ahead<TEAM>(
        pixels.rows.width, pixels.rows.height,
        [&](int x, int y) { return load_pixel(pixels, x, y, true, true); },
        [&](int x, int y, const pixel &here) {
            products_at(here, g_scale, d_scale, &slope, &square);
            energies_at(pixels.rows, here, at_once, x, y, energy);
        });
    const long long values[LENGTHS + 2] = {energy[0], energy[1], energy[2],
                                           energy[3], slope,     square};
    unsigned long long *const totals[LENGTHS + 2] = {to,     to + 1,       to + 2,
                                                     to + 3, &sums->slope, &sums->square};
    add_team<TEAM>(values, totals);
}

/* What other blocks added before all met. */
template <typename T> static __device__ __forceinline__ T told(const T *at) { return __ldcg(at); }

/* One thread: the first lengths depend on the peak of the direction alone. */
static __device__ __noinline__ void begin_search(descent_turn *turn, const descent_sums *sums)
{
    descent_probe *probe = &turn->probe;
    probe->sums.peak = __int_as_float(told(&sums->g_peak));
    probe->peak = __int_as_float(told(&sums->d_peak));
    turn->g_scale = scale_to(probe->sums.peak, RO_GRADIENT_BITS);
    turn->d_scale = scale_to(probe->peak, RO_DIRECTION_BITS);
    turn->descent.pending = 0;
    choose_lengths(&turn->at_once, (float)descent_first(&turn->descent, probe->peak), true);
}

/* One thread: goes on with the energies of at_once. `first`: of an update. */
static __device__ __noinline__ void search(const descent_rule *rule, descent_turn *turn,
                                           const descent_sums *sums,
                                           const unsigned long long *energies, bool first,
                                           descent_step *step)
{
    descent_length *length = &turn->length;
    descent_probe *probe = &turn->probe;
    descent_answer answer;
    int64_t energy[LENGTHS]; /* asked for at once: each answer takes its time */
#pragma unroll
    for (int i = 0; i < LENGTHS; i++)
        energy[i] = (int64_t)told(&energies[i]);
    if (first) {
        probe->sums.energy = (int64_t)told(&sums->energy);
        probe->sums.count = (int64_t)told(&sums->count);
        probe->products.slope = (int64_t)told(&sums->slope);
        probe->products.square = (int64_t)told(&sums->square);
        *length = {};
        answer = descent_search(rule, &turn->descent, probe, length);
    } else {
        answer = length_told(length, energy[0]);
    }
    turn->asks = false;
    while (answer == RO_LENGTH_ASKS) {
        const float tau = (float)length->asked;
        bool found = false;
        int64_t there = 0;
#pragma unroll
        for (int i = LENGTHS - 1; i >= 0; i--)
            if (turn->at_once.tau[i] == tau) {
                found = true;
                there = energy[i];
            }
        if (!found) {
            choose_lengths(&turn->at_once, tau, false);
            turn->asks = true;
            return;
        }
        answer = length_told(length, there);
    }
    turn->descent.trials += length->trials;
    turn->found = answer == RO_LENGTH_FOUND;
    turn->ends = !turn->found || descent_made(rule, &turn->descent, probe, length, step);
}

/* Teams of TEAM threads, as many at once as make 1024 on a multiprocessor. */
template <int TEAM, typename SMOOTHER>
static __global__
__launch_bounds__(TEAM, 1) void descend_kernel(const __grid_constant__ descent_job<SMOOTHER> job)
{
    extern __shared__ __align__(16) float shared[];
    __shared__ descent_turn turn;
    const descent_pixels &pixels = job.pixels;
    const auto at_hand = job.smoother.template take<TEAM>(shared);
    job.smoother.template begin<TEAM>(job.filter, shared);
    descent_memory *memory = job.memory;
    const bool leads = threadIdx.x == 0, writes = blockIdx.x == 0 && leads;
    if (leads) {
        turn = {};
        turn.descent.tau = job.tau;
    }
    __syncthreads();
    unsigned sets = 0; /* of energies */
    for (uint32_t n = 0; n < job.rule.updates && !turn.ends; n++) {
        descent_sums *sums = &memory->sums[n % RING];
        if (writes)
            memory->sums[(n + 1) % RING] = {};
        take_gradient<TEAM>(pixels, (float)turn.descent.pending, sums);
        meet();
        const float *const from[2] = {job.g[0], job.g[1]};
        float *const to[2] = {job.d[0], job.d[1]};
        const float *const balance[2] = {job.balance[0], job.balance[1]};
        job.smoother.template run<TEAM>(job.filter, at_hand, from, to, balance, job.cycles,
                                        &sums->d_peak, shared);
        if (leads)
            begin_search(&turn, sums);
        if (writes)
            for (int i = 0; i < LENGTHS; i++)
                memory->energies[(sets + 1) % RING][i] = 0;
        __syncthreads();
        take_both<TEAM>(pixels, turn, sums, memory->energies[sets % RING]);
        for (bool first = true;; first = false) {
            meet();
            const unsigned long long *energies = memory->energies[sets++ % RING];
            if (leads) {
                descent_step step;
                search(&job.rule, &turn, sums, energies, first, &step);
                if (writes && !turn.asks && turn.found)
                    memory->steps[n] = step;
            }
            __syncthreads();
            if (!turn.asks)
                break;
            if (writes)
                for (int i = 0; i < LENGTHS; i++)
                    memory->energies[(sets + 1) % RING][i] = 0;
            const lengths at_once = turn.at_once;
            take_energies<TEAM>(pixels, at_once, memory->energies[sets % RING]);
        }
    }
    if (turn.descent.pending > 0)
        each_pixel<TEAM>(pixels.rows.width, pixels.rows.height, [&](int x, int y) {
            update_at(pixels.rows, pixels.p, (float)turn.descent.pending, x, y);
        });
    if (writes)
        memory->descent = turn.descent;
}

#endif
