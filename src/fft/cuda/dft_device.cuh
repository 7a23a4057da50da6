/* SPDX-License-Identifier: MIT */
/*
 * The transforms of dft.h on a device, bit for bit: a block does a few of them ("lanes") in shared
 * memory. Number i of a lane lies in row i / n2, column i % n2 of a matrix of n1 x n2:
 *
 *     first part    a short transform down each column
 *     second part   one along each row
 *
 * Short transforms run in place, by passes of one step or two: a thread takes the numbers of a
 * pass, up to DFT_POINTS, into registers and puts the results where they were. So results come in
 * the order of reversed digits, number i at `place[i]` of the table. What a step multiplies by
 * depends on p alone, which is the number's place within its part of the transform.
 */
#ifndef RO_FFT_CUDA_DFT_DEVICE_CUH
#define RO_FFT_CUDA_DFT_DEVICE_CUH

#include "cuda/cuda.cuh"
#include "fft/dft_plan.h"

typedef float real;
#define DFT_INLINE static __device__ __forceinline__
#define DFT_LOOP _Pragma("unroll")
#include "fft/dft_butterfly.h"

enum {
    DFT_POINTS = 16,
    DFT_FEW = 28,  /* numbers that a thread may have to hold at once */
    DFT_MANY = 38, /* for the longest, and with a chirp */
    DFT_FEW_THREADS = 256,
    DFT_MANY_THREADS = 768,
    DFT_WARPS = 24, /* on a multiprocessor: as many as registers allow */
};

/* Bounds of kernels that hold so many. */
#define DFT_BOUNDS(HOLD)                                                                           \
    __launch_bounds__((HOLD) == DFT_FEW ? DFT_FEW_THREADS : DFT_MANY_THREADS,                      \
                      (HOLD) == DFT_FEW ? 32 * DFT_WARPS / DFT_FEW_THREADS : 1)

/* One step, or two of them. */
struct dft_device_pass {
    int radix[2];       /* the second one 1: there is none */
    int distance;       /* from a number to the next: what m is after the last step */
    int count;          /* of units, in a short transform */
    int turns[2], root; /* places in the table */
    unsigned over;      /* divides by the distance */
};

struct dft_device_short {
    int n, passes;
    struct dft_device_pass pass[DFT_STEPS];
};

struct dft_device {
    int n, length;         /* numbers; of the transforms that run: more with a chirp */
    int n1, n2;            /* of the length */
    int pitch, skew, lane; /* places from row to row, one more every 2^skew; from lane to lane */
    unsigned over1, over2; /* divide by n1 and n2 */
    struct dft_device_short first, second;
    const float2 *table;
    const int *place;           /* of the results */
    int between, chirp, filter; /* places in the table; a chirp below 0: none */
};

/* Brings a plan's tables to the device, and gives them back. */
ro_status dft_device_open(struct device_state *cuda, const struct dft *plan,
                          struct dft_device *device);
void dft_device_close(struct device_state *cuda, struct dft_device *device);

/* How blocks share the work: lanes (a power of two) and threads of a block. */
struct dft_block {
    int lanes, threads;
    bool many; /* a thread holds more than a few, or there is a chirp */
    size_t bytes;
};
/* As many lanes as make a block of a good size; up to `wanted` if there is room. A length that does
 * not fit the device's shared memory is refused. Of columns, lanes beside each other in memory
 * begin in different banks, and threads hold all numbers between two transforms. */
ro_status dft_device_fit(struct device_state *cuda, struct dft_device *device, int wanted,
                         bool columns, struct dft_block *block);

/* What divides by d, for products below 2^32; 0: by 1. */
static __host__ __device__ __forceinline__ unsigned dft_over(int d)
{
    return d > 1 ? 0xffffffffu / (unsigned)d + 1 : 0;
}

static __device__ __forceinline__ int dft_divide(int x, unsigned over)
{
    return over ? (int)__umulhi((unsigned)x, over) : x;
}

/* Where number i is before a transform. */
static __device__ __forceinline__ int dft_place(const dft_device &d, int i)
{
    const int row = dft_divide(i, d.over2);
    return row * d.pitch + (row >> d.skew) + (i - row * d.n2);
}

/* The lanes of a block. */
struct dft_lanes {
    float2 *x;
    int count, all, shift; /* all: a power of two, 2^shift */
};

/* ---- Passes --------------------------------------------------------------------------------- */

template <int RADIX> static __device__ __forceinline__ void dft_radix(real *re, real *im)
{
    if (RADIX == 2)
        dft_2(re, im);
    else if (RADIX == 3)
        dft_3(re, im);
    else if (RADIX == 4)
        dft_4(re, im);
    else if (RADIX == 5)
        dft_5(re, im);
}

/* A step: COUNT transforms of RADIX numbers. ACROSS: their numbers are COUNT apart, and p grows by
 * `apart` from one to the next; else their numbers are neighbours, and all have the same p. */
template <int RADIX, int COUNT, bool ACROSS>
static __device__ __forceinline__ void dft_step(float2 *v, const float2 *turns, int p0, int apart)
{
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
        real re[RADIX], im[RADIX];
#pragma unroll
        for (int j = 0; j < RADIX; j++) {
            re[j] = v[ACROSS ? c + COUNT * j : RADIX * c + j].x;
            im[j] = v[ACROSS ? c + COUNT * j : RADIX * c + j].y;
        }
        dft_radix<RADIX>(re, im);
        const int p = ACROSS ? p0 + apart * c : p0;
        if ((ACROSS && c) || p) {
#pragma unroll
            for (int k = 1; k < RADIX; k++) {
                const float2 by = __ldg(&turns[(p - 1) * (RADIX - 1) + k - 1]);
                dft_turn(&re[k], &im[k], by.x, by.y);
            }
        }
#pragma unroll
        for (int k = 0; k < RADIX; k++)
            v[ACROSS ? c + COUNT * k : RADIX * c + k] = make_float2(re[k], im[k]);
    }
}

/* Where the short transforms of a part are, and what comes after its last pass. */
struct dft_part {
    int wide;              /* of them side by side */
    unsigned over;         /* divides by it */
    int beside, apart;     /* places from one to the next; from a number to the next */
    int skew_beside, skew; /* one more every 2^ of them */
    const float2 *after;   /* times these, a row of `wide` for every number; or NULL */
};

/* A unit: one short transform of one lane, and which of its numbers. */
struct dft_unit {
    int lane, which, first, p;
};

template <bool LANES_FIRST>
static __device__ __forceinline__ dft_unit dft_unit_of(const dft_part &part,
                                                       const dft_device_pass &pass,
                                                       const dft_lanes &lanes, int points, int u)
{
    dft_unit unit;
    int rest;
    if (LANES_FIRST) {
        unit.lane = u & (lanes.all - 1);
        u >>= lanes.shift;
        rest = dft_divide(u, part.over);
        unit.which = u - rest * part.wide;
    } else {
        rest = dft_divide(u, part.over);
        unit.which = u - rest * part.wide;
        unit.lane = rest & (lanes.all - 1);
        rest >>= lanes.shift;
    }
    const int group = dft_divide(rest, pass.over);
    unit.p = rest - group * pass.distance;
    unit.first = group * points * pass.distance + unit.p;
    return unit;
}

/* Numbers come from in(lane, number), or, with an In that is INSIDE, from where they are. */
template <int FIRST, int SECOND, class In>
static __device__ __forceinline__ void dft_pass(const dft_device &d, const dft_part &part,
                                                const dft_device_pass &pass, const dft_lanes &lanes,
                                                const In &in)
{
    constexpr int POINTS = FIRST * SECOND;
    const int units = (pass.count * part.wide) << lanes.shift, m = pass.distance;
    for (int u = threadIdx.x; u < units; u += blockDim.x) {
        const dft_unit unit = dft_unit_of<In::LANES_FIRST>(part, pass, lanes, POINTS, u);
        if (unit.lane >= lanes.count)
            continue;
        float2 *x = lanes.x + unit.lane * d.lane + unit.which * part.beside +
                    (unit.which >> part.skew_beside);
        float2 v[POINTS];
#pragma unroll
        for (int e = 0; e < POINTS; e++) {
            const int i = unit.first + m * e;
            v[e] = In::INSIDE ? x[i * part.apart + (i >> part.skew)]
                              : in(unit.lane, i * part.wide + unit.which);
        }
        dft_step<FIRST, SECOND, true>(v, d.table + pass.turns[0], unit.p, m);
        if (SECOND > 1)
            dft_step<SECOND, FIRST, false>(v, d.table + pass.turns[1], unit.p, 0);
        if (part.after && unit.which) {
#pragma unroll
            for (int e = 0; e < POINTS; e++)
                if (e || unit.first) {
                    const float2 by =
                        __ldg(&part.after[(unit.first + m * e) * part.wide + unit.which]);
                    dft_turn(&v[e].x, &v[e].y, by.x, by.y);
                }
        }
#pragma unroll
        for (int e = 0; e < POINTS; e++) {
            const int i = unit.first + m * e;
            x[i * part.apart + (i >> part.skew)] = v[e];
        }
    }
}

/* Radices beyond 5 are rare, and their arrays large. */
static __device__ __noinline__ void dft_pass_odd(const dft_device &d, const dft_part part,
                                                 const dft_device_pass pass, const dft_lanes lanes)
{
    const int radix = pass.radix[0], units = (pass.count * part.wide) << lanes.shift;
    const float2 *turns = d.table + pass.turns[0];
    for (int u = threadIdx.x; u < units; u += blockDim.x) {
        const dft_unit unit = dft_unit_of<false>(part, pass, lanes, radix, u);
        if (unit.lane >= lanes.count)
            continue;
        float2 *x = lanes.x + unit.lane * d.lane + unit.which * part.beside +
                    (unit.which >> part.skew_beside);
        real re[DFT_RADIX], im[DFT_RADIX];
        for (int e = 0; e < radix; e++) {
            const int i = unit.first + pass.distance * e;
            re[e] = x[i * part.apart + (i >> part.skew)].x;
            im[e] = x[i * part.apart + (i >> part.skew)].y;
        }
        dft_odd(radix, (const float *)(d.table + pass.root), re, im);
        for (int e = 0; e < radix; e++) {
            const int i = unit.first + pass.distance * e;
            if (unit.p && e) {
                const float2 by = turns[(unit.p - 1) * (radix - 1) + e - 1];
                dft_turn(&re[e], &im[e], by.x, by.y);
            }
            if (part.after && unit.which && i) {
                const float2 by = part.after[i * part.wide + unit.which];
                dft_turn(&re[e], &im[e], by.x, by.y);
            }
            x[i * part.apart + (i >> part.skew)] = make_float2(re[e], im[e]);
        }
    }
}

struct dft_inside {
    enum { INSIDE = 1, LANES_FIRST = 0 };
    __device__ float2 operator()(int, int) const { return make_float2(0, 0); }
};

/* All threads meet after it. */
template <class In>
static __device__ __forceinline__ void dft_run_pass(const dft_device &d, const dft_part &part,
                                                    const dft_device_pass &pass,
                                                    const dft_lanes &lanes, const In &in)
{
    switch (pass.radix[0] * 8 + pass.radix[1]) {
    case 4 * 8 + 4:
        dft_pass<4, 4>(d, part, pass, lanes, in);
        break;
    case 4 * 8 + 2:
        dft_pass<4, 2>(d, part, pass, lanes, in);
        break;
    case 4 * 8 + 3:
        dft_pass<4, 3>(d, part, pass, lanes, in);
        break;
    case 2 * 8 + 3:
        dft_pass<2, 3>(d, part, pass, lanes, in);
        break;
    case 2 * 8 + 5:
        dft_pass<2, 5>(d, part, pass, lanes, in);
        break;
    case 3 * 8 + 3:
        dft_pass<3, 3>(d, part, pass, lanes, in);
        break;
    case 3 * 8 + 5:
        dft_pass<3, 5>(d, part, pass, lanes, in);
        break;
    case 4 * 8 + 1:
        dft_pass<4, 1>(d, part, pass, lanes, in);
        break;
    case 2 * 8 + 1:
        dft_pass<2, 1>(d, part, pass, lanes, in);
        break;
    case 3 * 8 + 1:
        dft_pass<3, 1>(d, part, pass, lanes, in);
        break;
    case 5 * 8 + 1:
        dft_pass<5, 1>(d, part, pass, lanes, in);
        break;
    default:
        if (In::INSIDE)
            dft_pass_odd(d, part, pass, lanes);
    }
    __syncthreads();
}

/* Where numbers are many, so are registers, and a call is nothing. */
static __device__ __noinline__ void dft_call_pass(const dft_device &d, const dft_part part,
                                                  const dft_device_pass &pass,
                                                  const dft_lanes lanes)
{
    dft_run_pass(d, part, pass, lanes, dft_inside());
}

/* ---- Transforms ----------------------------------------------------------------------------- */

/* From number i of a lane to where it is before a transform. */
template <class In>
static __device__ __forceinline__ void dft_load(const dft_device &d, const dft_lanes &lanes,
                                                const In &in)
{
    const int all = d.length << lanes.shift;
    const unsigned over = dft_over(d.length);
    for (int t = threadIdx.x; t < all; t += blockDim.x) {
        const int lane = In::LANES_FIRST ? t & (lanes.all - 1) : dft_divide(t, over);
        const int i = In::LANES_FIRST ? t >> lanes.shift : t - lane * d.length;
        if (lane < lanes.count)
            lanes.x[lane * d.lane + dft_place(d, i)] = in(lane, i);
    }
    __syncthreads();
}

/* Of all lanes; numbers come from `in`. All threads have met before, and meet at the end. */
template <int HOLD, class In>
static __device__ __forceinline__ void dft_run_plain(const dft_device &d, const dft_lanes &lanes,
                                                     const In &in)
{
    const bool two = d.n1 > 1;
    dft_part part = {d.n2, d.over2, 1, d.pitch, 31, d.skew, NULL};
    int next = 0;
    if (!In::INSIDE) { /* the first pass can read them itself, unless it is an odd one */
        const dft_device_pass &pass = d.first.pass[0];
        if (two && pass.radix[0] <= 5) {
            part.after = d.first.passes == 1 ? d.table + d.between : NULL;
            dft_run_pass(d, part, pass, lanes, in);
            next = 1;
        } else {
            dft_load(d, lanes, in);
        }
    }
    for (int second = two ? 0 : 1; second < 2; second++, next = 0) {
        const dft_device_short &plan = second ? d.second : d.first;
        if (second)
            part = {d.n1, d.over1, d.pitch, 1, d.skew, 31, NULL};
        for (; next < plan.passes; next++) {
            part.after = !second && next + 1 == plan.passes ? d.table + d.between : NULL;
            if (HOLD == DFT_FEW)
                dft_run_pass(d, part, plan.pass[next], lanes, dft_inside());
            else
                dft_call_pass(d, part, plan.pass[next], lanes);
        }
    }
}

/* Results back to where numbers are before a transform. */
template <int HOLD>
static __device__ __forceinline__ void dft_settle(const dft_device &d, const dft_lanes &lanes)
{
    const int all = lanes.count * d.length;
    const unsigned over = dft_over(d.length);
    float2 held[HOLD];
#pragma unroll
    for (int e = 0; e < HOLD; e++) {
        const int t = threadIdx.x + e * blockDim.x, lane = dft_divide(t, over);
        if (t < all)
            held[e] = lanes.x[lane * d.lane + __ldg(&d.place[t - lane * d.length])];
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < HOLD; e++) {
        const int t = threadIdx.x + e * blockDim.x, lane = dft_divide(t, over);
        if (t < all)
            lanes.x[lane * d.lane + dft_place(d, t - lane * d.length)] = held[e];
    }
    __syncthreads();
}

template <class In> struct dft_chirped {
    enum { INSIDE = 0, LANES_FIRST = In::LANES_FIRST };
    const dft_device &d;
    const In &in;
    float2 *x;
    __device__ float2 operator()(int lane, int i) const
    {
        if (i >= d.n)
            return make_float2(0, 0);
        float2 v = In::INSIDE ? x[lane * d.lane + dft_place(d, i)] : in(lane, i);
        const float2 by = d.table[d.chirp + i];
        dft_turn(&v.x, &v.y, by.x, by.y);
        return v;
    }
};

/* Bluestein: times the chirp, a convolution by two transforms; the chirp again when results are
 * read. */
template <class In>
static __device__ __forceinline__ void dft_run_chirp(const dft_device &d, const dft_lanes &lanes,
                                                     const In &in)
{
    const unsigned over = dft_over(d.length);
    dft_load(d, lanes, dft_chirped<In>{d, in, lanes.x});
    for (int back = 0; back < 2; back++) {
        dft_run_plain<DFT_MANY>(d, lanes, dft_inside());
        if (back)
            break;
        for (int t = threadIdx.x; t < lanes.count * d.length; t += blockDim.x) {
            const int lane = dft_divide(t, over), i = t - lane * d.length;
            float2 *at = &lanes.x[lane * d.lane + d.place[i]], v = *at;
            const float2 by = d.table[d.filter + i];
            dft_turn(&v.x, &v.y, by.x, by.y);
            *at = make_float2(v.y, v.x);
        }
        dft_settle<DFT_MANY>(d, lanes);
    }
}

/* With HOLD below DFT_MANY there is no chirp. */
template <int HOLD, class In>
static __device__ __forceinline__ void dft_run(const dft_device &d, const dft_lanes &lanes,
                                               const In &in)
{
    if (HOLD == DFT_MANY && d.chirp >= 0)
        dft_run_chirp(d, lanes, in);
    else
        dft_run_plain<HOLD>(d, lanes, in);
}

/* Result i of a lane. */
template <int HOLD>
static __device__ __forceinline__ float2 dft_result(const dft_device &d, const dft_lanes &lanes,
                                                    int lane, int i)
{
    float2 v = lanes.x[lane * d.lane + __ldg(&d.place[i])];
    if (HOLD == DFT_MANY && d.chirp >= 0) {
        const float2 by = d.table[d.chirp + i];
        v = make_float2(v.y, v.x);
        dft_turn(&v.x, &v.y, by.x, by.y);
    }
    return v;
}

#endif
