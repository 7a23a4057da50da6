/* SPDX-License-Identifier: MIT */
/*
 * Diffusion on the device: T steps of a strip of columns in the registers of one warp.
 *
 * A warp walks down the rows of its strip, K columns a lane, as the pipe of stencil.h does: a row
 * of step 0 comes in from memory, each of T stages completes the row above it, a row of step T goes
 * out. Neighbours beside a lane's columns come by shuffles. Nothing waits for anything: strips and
 * bands of rows overlap by T pixels on each side, which are computed twice.
 *
 * Integers are held as denormalized floats: the number n is the float with the bits n, which is
 * n 2^-149. Sums are exact as long as they stay below 2^24. A product with a weight below one,
 * rounded toward zero, drops what is below 2^-149: it is the flux, odd by itself, in one
 * instruction. Such numbers cost no more than others on these machines.
 */
#ifndef RO_DENOISE_CUDA_DIFFUSION_KERNELS_CUH
#define RO_DENOISE_CUDA_DIFFUSION_KERNELS_CUH

#include "denoise/cuda/diffusion_numbers.cuh"

enum { WARPS = 4 }; /* of a block, each with a strip of its own */
#ifndef UNROLL
#define UNROLL 2
#endif

/* A launch. Pitches and sizes are in samples. */
struct steps {
    const void *in, *guide; /* the guide is only used where the gradient has an image of its own */
    void *out;
    size_t pitch, plane;
    int width, height;
    int strips, bands, rows; /* of a band */
    int active;              /* stages that do something; the others hand rows on */
    struct weights_of weights;
};

/* ---- Samples in memory --------------------------------------------------------------------- */

template <class Sample, int K> struct group {
    Sample value[K];
};
template <> struct alignas(8) group<uint16_t, 4> {
    uint16_t value[4];
};
template <> struct alignas(4) group<uint16_t, 2> {
    uint16_t value[2];
};
template <> struct alignas(16) group<uint16_t, 8> {
    uint16_t value[8];
};
template <> struct alignas(16) group<uint32_t, 4> {
    uint32_t value[4];
};
template <> struct alignas(8) group<uint32_t, 2> {
    uint32_t value[2];
};

/* ---- A stage ------------------------------------------------------------------------------- */

template <int C, int K> struct stage {
    float top[C][K + 1]; /* the last is the right neighbour's first */
    float guide_top[C][K + 1];
    float carry[C][K];
    float above[K]; /* weights of the E edges, from the elements above */
};

template <int K> __device__ inline void add_right(float (&row)[K + 1])
{
    row[K] = __shfl_down_sync(~0u, row[0], 1);
}

/* Where a lane is: masks are all ones where an element exists. The weights are those of the linear
 * model where there are elements above and below. */
template <int K> struct place {
    uint32_t columns[K];
    float diagonal[K], edge_e[K], edge_s[K];
    bool first; /* the lane has column 0 */
};

/* One row through one stage. `bottom` comes in as row y and goes out as row y - 1 of the next step;
 * elements are between rows y - 1 and y. INNER: rows of them exist above and below, and the model
 * is linear. */
template <class Numbers, int MODEL, int C, int K, bool GUIDED, bool INNER>
__device__ inline void pass(const struct steps &steps, const float *table,
                            const struct place<K> &place, struct stage<C, K> &stage, int y,
                            bool active, float (&bottom)[C][K + 1], float (&guide)[C][K + 1])
{
    const Numbers numbers(steps.weights);
    const bool exists = y >= 1 && y < steps.height && active;
    const uint32_t row = exists ? ~0u : 0;
    if (Numbers::REAL && y >= steps.height) /* what the definition says of signed zeros */
        for (int c = 0; c < C; c++)
            for (int k = 0; k <= K; k++)
                bottom[c][k] = stage.top[c][k];

    struct weights w[K];
#pragma unroll
    for (int k = 0; k < K; k++) {
        float p[C], q[C];
#pragma unroll
        for (int c = 0; c < C; c++) {
            const float *top = GUIDED ? stage.guide_top[c] : stage.top[c];
            const float *low = GUIDED ? guide[c] : bottom[c];
            p[c] = numbers.subtract(low[k + 1], top[k]);
            q[c] = numbers.subtract(top[k + 1], low[k]);
        }
        if (INNER)
            w[k].se = w[k].sw = place.diagonal[k];
        else
            w[k] = numbers.template element<MODEL, C>(table, p, q, place.columns[k] & row);
    }
    float left_s = 0;
    if (!INNER)
        left_s = __shfl_up_sync(~0u, w[K - 1].s, 1);
    if (Numbers::REAL && place.first)
        left_s = 0;

    float edge_e[K], edge_s[K];
#pragma unroll
    for (int k = 0; k < K; k++) {
        if (INNER) {
            edge_e[k] = place.edge_e[k];
            edge_s[k] = place.edge_s[k];
        } else {
            edge_e[k] = numbers.add(stage.above[k], w[k].e);
            edge_s[k] = numbers.add(k ? w[k - 1].s : left_s, w[k].s);
            stage.above[k] = w[k].e;
        }
    }
#pragma unroll
    for (int c = 0; c < C; c++) {
        float p[K], qh[K], gain[K], loss[K];
#pragma unroll
        for (int k = 0; k < K; k++) {
            const float *top = stage.top[c], *low = bottom[c];
            p[k] = numbers.flux(w[k].se, numbers.subtract(low[k + 1], top[k]));
            float q = numbers.flux(w[k].sw, numbers.subtract(top[k + 1], low[k]));
            float h = numbers.flux(edge_e[k], numbers.subtract(top[k + 1], top[k]));
            float v = numbers.flux(edge_s[k], numbers.subtract(low[k], top[k]));
            gain[k] = numbers.add(numbers.add(p[k], v), h);
            loss[k] = numbers.subtract(q, v);
            qh[k] = numbers.add(q, h);
        }
        float left_p = __shfl_up_sync(~0u, p[K - 1], 1);
        float left_qh = __shfl_up_sync(~0u, qh[K - 1], 1);
        if (Numbers::REAL && place.first)
            left_p = left_qh = 0;
#pragma unroll
        for (int k = 0; k < K; k++) {
            float inward =
                numbers.subtract(numbers.add(gain[k], stage.carry[c][k]), k ? qh[k - 1] : left_qh);
            float out = numbers.add(stage.top[c][k], inward);
            stage.carry[c][k] = numbers.subtract(loss[k], k ? p[k - 1] : left_p);
            stage.top[c][k] = bottom[c][k];
            bottom[c][k] = out;
        }
        stage.top[c][K] = bottom[c][K];
        if (Numbers::REAL && y <= 0)
            for (int k = 0; k < K; k++)
                stage.carry[c][k] = 0;
        if (GUIDED)
            for (int k = 0; k <= K; k++)
                stage.guide_top[c][k] = guide[c][k];
    }
}

/* ---- A strip ------------------------------------------------------------------------------- */

template <class Sample, int C, int K> struct rows {
    group<Sample, K> data[C];
};

/* What a lane does of it. */
template <class Sample, int C, int K> struct strip {
    int plane;
    int x;                                      /* its first column, */
    int column;                                 /* and where that is read, inside the image */
    int first;                                  /* row that is written */
    bool writes;                                /* not so at either end of the strip */
    struct rows<Sample, C, K> next, next_guide; /* on their way from memory */
};

template <class Sample, int C, int K>
__device__ inline void fetch(const struct steps &steps, const void *from,
                             const struct strip<Sample, C, K> &strip, int y,
                             struct rows<Sample, C, K> &row)
{
    const int line = min(y, steps.height - 1);
    const Sample *at =
        (const Sample *)from + strip.plane * steps.plane + line * steps.pitch + strip.column;
#pragma unroll
    for (int c = 0; c < C; c++, at += steps.plane)
        row.data[c] = *(const group<Sample, K> *)at;
}

template <class Sample, int C, int K>
__device__ inline void unpack(const struct rows<Sample, C, K> &row, float (&values)[C][K + 1])
{
#pragma unroll
    for (int c = 0; c < C; c++) {
#pragma unroll
        for (int k = 0; k < K; k++)
            values[c][k] = __uint_as_float(row.data[c].value[k]);
        add_right<K>(values[c]);
    }
}

/* Rows from y to end through all stages. */
template <class Numbers, class Sample, int MODEL, int C, int T, int K, bool GUIDED, int U,
          bool INNER>
__device__ inline void run_rows(const struct steps &steps, const float *table,
                                const struct place<K> &place, struct stage<C, K> (&stages)[T],
                                struct strip<Sample, C, K> &strip, int &y, int end)
{
#pragma unroll U
    for (; y < end; y++) {
        float row[C][K + 1], guide[C][K + 1];
        unpack<Sample, C, K>(strip.next, row);
        fetch<Sample, C, K>(steps, steps.in, strip, y + 1, strip.next);
        if (GUIDED) {
            unpack<Sample, C, K>(strip.next_guide, guide);
            fetch<Sample, C, K>(steps, steps.guide, strip, y + 1, strip.next_guide);
        }
#pragma unroll
        for (int t = 0; t < T; t++) {
            pass<Numbers, MODEL, C, K, GUIDED, INNER>(steps, table, place, stages[t], y - t,
                                                      t < steps.active, row, guide);
            if (t + 1 < T)
                for (int c = 0; c < C; c++)
                    add_right<K>(row[c]);
        }
        if (strip.writes && y - T >= strip.first) {
            Sample *to =
                (Sample *)steps.out + strip.plane * steps.plane + (y - T) * steps.pitch + strip.x;
#pragma unroll
            for (int c = 0; c < C; c++, to += steps.plane) {
                group<Sample, K> out;
#pragma unroll
                for (int k = 0; k < K; k++)
                    out.value[k] = (Sample)__float_as_uint(row[c][k]);
                *(group<Sample, K> *)to = out;
            }
        }
    }
}

template <int K>
__device__ inline void find_place(const struct steps &steps, int x, struct place<K> &place)
{
    const float side = steps.weights.side;
    place.first = x == 0;
#pragma unroll
    for (int k = 0; k < K; k++) {
        uint32_t mask = x + k >= 0 && x + k < steps.width - 1 ? ~0u : 0;
        const uint32_t left = x + k >= 1 && x + k < steps.width ? ~0u : 0;
        asm("" : "+r"(mask)); /* kept, not found anew for every row */
        place.columns[k] = mask;
        place.diagonal[k] = masked(steps.weights.diagonal, mask);
        place.edge_e[k] = masked(steps.weights.two_sides, mask);
        place.edge_s[k] = masked(side, mask) + masked(side, left);
    }
}

/* A band of rows of a strip. */
template <class Numbers, class Sample, int MODEL, int C, int T, int K, bool GUIDED, int U>
__device__ inline void walk(const struct steps &steps, const float *table,
                            struct strip<Sample, C, K> &strip, int end)
{
    struct stage<C, K> stages[T];
    struct place<K> place;
    find_place<K>(steps, strip.x, place);
#pragma unroll
    for (int t = 0; t < T; t++)
#pragma unroll
        for (int c = 0; c < C; c++)
#pragma unroll
            for (int k = 0; k <= K; k++) {
                stages[t].top[c][k] = stages[t].guide_top[c][k] = 0;
                if (k < K)
                    stages[t].carry[c][k] = stages[t].above[k] = 0;
            }
    int y = max(strip.first - T, 0);
    fetch<Sample, C, K>(steps, steps.in, strip, y, strip.next);
    if (GUIDED)
        fetch<Sample, C, K>(steps, steps.guide, strip, y, strip.next_guide);
    if (MODEL == LINEAR && !Numbers::REAL && steps.active == T) {
        /* Inside the image the rows of all stages have elements above and below. */
        run_rows<Numbers, Sample, MODEL, C, T, K, GUIDED, U, false>(
            steps, table, place, stages, strip, y,
            min(max(y, strip.first > T ? 0 : T + 1), end + T));
        run_rows<Numbers, Sample, MODEL, C, T, K, GUIDED, U, MODEL == LINEAR>(
            steps, table, place, stages, strip, y, min(end + T, steps.height));
#pragma unroll
        for (int t = 0; t < T; t++)
#pragma unroll
            for (int k = 0; k < K; k++)
                stages[t].above[k] = masked(steps.weights.side, place.columns[k]);
    }
    run_rows<Numbers, Sample, MODEL, C, T, K, GUIDED, U, false>(steps, table, place, stages, strip,
                                                                y, end + T);
}

/* T steps a launch, K columns a lane, a loop of U rows, and at least B blocks on a multiprocessor.
 */
template <int STEPS, int COLUMNS, int ROWS, int BLOCKS> struct shape {
    static constexpr int T = STEPS, K = COLUMNS, U = ROWS, B = BLOCKS;
};

/* Columns at either end of a strip that are computed but not written. */
__host__ __device__ constexpr int margin_of(int T, int K) { return (T + K - 1) / K * K; }

template <class Numbers, class Sample, int MODEL, int C, class Shape, bool GUIDED>
__global__ void __launch_bounds__(32 * WARPS, Shape::B)
    step_kernel(const __grid_constant__ struct steps steps)
{
    constexpr int T = Shape::T, K = Shape::K;
    extern __shared__ float table[];
    if (MODEL != LINEAR) {
        for (int i = threadIdx.x; i < steps.weights.entries; i += 32 * WARPS)
            table[i] = steps.weights.table[i];
        __syncthreads();
    }
    const int number = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    const int across = number % steps.strips, band = number / steps.strips;
    if (band >= steps.bands)
        return;
    const int margin = margin_of(T, K), useful = 32 * K - 2 * margin;
    struct strip<Sample, C, K> strip;
    strip.x = across * useful - margin + lane * K;
    strip.column = min(max(strip.x, 0), (int)steps.pitch - K);
    strip.first = band * steps.rows;
    strip.plane = blockIdx.y * C;
    strip.writes = lane >= margin / K && lane < 32 - margin / K && strip.x < steps.width;
    walk<Numbers, Sample, MODEL, C, T, K, GUIDED, Shape::U>(
        steps, table, strip, min(strip.first + steps.rows, steps.height));
}

#endif
