/* SPDX-License-Identifier: MIT */
/*
 * Diffusion on the device: T steps of a strip of columns in the registers of one warp.
 *
 * A warp walks down the rows of its strip, K columns a lane, as the pipe of stream.h does: a row of
 * step 0 comes in from memory, each of T stages completes the row above it, a row of step T goes
 * out. Neighbours beside a lane's columns come by shuffles. Nothing waits for anything: strips and
 * bands of rows overlap by T pixels on each side, which are computed twice.
 *
 * Integers are held as denormalized floats: the number n is the float with the bits n, which is
 * n 2^-149. Sums are exact as long as they stay below 2^24. A product with a weight below one,
 * rounded toward zero, drops what is below 2^-149: it is the flux, odd by itself, in one
 * instruction. Such numbers cost no more than others on these machines.
 */
#ifndef RO_PDE_DIFFUSION_KERNELS_CUH
#define RO_PDE_DIFFUSION_KERNELS_CUH

#include "pde/diffusion_numbers.cuh"

enum { WARPS = 4 }; /* of a block, each with a strip of its own */

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

/* ---- Samples in memory -------------------------------------------------------------------------
 */

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

/* ---- A stage
 * ------------------------------------------------------------------------------------- */

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

/* Where a warp is: masks are all ones where an element exists. */
template <int K> struct place {
    uint32_t columns[K];
    bool first; /* the lane has column 0 */
};

/* One row through one stage. `bottom` comes in as row y and goes out as row y - 1 of the next step;
 * elements are between rows y - 1 and y. INNER: all of them exist. */
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
        const uint32_t mask = INNER ? ~0u : place.columns[k] & row;
        w[k] = numbers.template element<MODEL, C>(table, p, q, mask);
    }
    float left_s = 0;
    if (MODEL != LINEAR || !INNER)
        left_s = __shfl_up_sync(~0u, w[K - 1].s, 1);
    if (Numbers::REAL && place.first)
        left_s = 0;

    float edge_e[K], edge_s[K];
#pragma unroll
    for (int k = 0; k < K; k++) {
        if (MODEL == LINEAR && INNER) {
            edge_e[k] = edge_s[k] = steps.weights.two_sides;
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

/* ---- A strip
 * ------------------------------------------------------------------------------------- */

template <class Sample, int C, int K> struct rows {
    group<Sample, K> data[C];
};

template <class Sample, int C, int K>
__device__ inline void fetch(const struct steps &steps, const void *from, int plane, int column,
                             int y, struct rows<Sample, C, K> &row)
{
    const int line = min(max(y, 0), steps.height - 1);
    const Sample *at = (const Sample *)from + plane * steps.plane + line * steps.pitch + column;
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

template <class Numbers, class Sample, int MODEL, int C, int T, int K, bool GUIDED, bool INNER>
__device__ inline void walk(const struct steps &steps, const float *table, int plane, int x,
                            bool writes, int first, int end)
{
    struct stage<C, K> stages[T];
    struct place<K> place;
    place.first = x == 0;
#pragma unroll
    for (int k = 0; k < K; k++)
        place.columns[k] = x + k >= 0 && x + k < steps.width - 1 ? ~0u : 0;
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
    const int column = min(max(x, 0), (int)steps.pitch - K);
    struct rows<Sample, C, K> next, next_guide;
    int y = max(first - T, 0);
    fetch<Sample, C, K>(steps, steps.in, plane, column, y, next);
    if (GUIDED)
        fetch<Sample, C, K>(steps, steps.guide, plane, column, y, next_guide);
#pragma unroll 2
    for (; y < end + T; y++) {
        float row[C][K + 1], guide[C][K + 1];
        unpack<Sample, C, K>(next, row);
        fetch<Sample, C, K>(steps, steps.in, plane, column, y + 1, next);
        if (GUIDED) {
            unpack<Sample, C, K>(next_guide, guide);
            fetch<Sample, C, K>(steps, steps.guide, plane, column, y + 1, next_guide);
        }
#pragma unroll
        for (int t = 0; t < T; t++) {
            pass<Numbers, MODEL, C, K, GUIDED, INNER>(steps, table, place, stages[t], y - t,
                                                      t < steps.active, row, guide);
            if (t + 1 < T)
                for (int c = 0; c < C; c++)
                    add_right<K>(row[c]);
        }
        if (writes && y - T >= first) {
            Sample *to = (Sample *)steps.out + plane * steps.plane + (y - T) * steps.pitch + x;
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

/* Columns at either end of a strip that are computed but not written. */
__host__ __device__ constexpr int margin_of(int T, int K) { return (T + K - 1) / K * K; }

template <class Numbers, class Sample, int MODEL, int C, int T, int K, bool GUIDED>
__global__ void __launch_bounds__(32 * WARPS)
    step_kernel(const __grid_constant__ struct steps steps)
{
    extern __shared__ float table[];
    if (MODEL != LINEAR) {
        for (int i = threadIdx.x; i < steps.weights.entries; i += 32 * WARPS)
            table[i] = steps.weights.table[i];
        __syncthreads();
    }
    const int number = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    const int strip = number % steps.strips, band = number / steps.strips;
    if (band >= steps.bands)
        return;
    const int margin = margin_of(T, K), useful = 32 * K - 2 * margin;
    const int left = strip * useful - margin, x = left + lane * K;
    const int first = band * steps.rows, end = min(first + steps.rows, steps.height);
    const int plane = blockIdx.y * C;
    const bool writes = lane >= margin / K && lane < 32 - margin / K && x < steps.width;
    const bool inner = left >= 0 && left + 32 * K < steps.width && first >= T &&
                       end + T < steps.height && steps.active == T;
    if (MODEL == LINEAR && !Numbers::REAL && inner)
        walk<Numbers, Sample, MODEL, C, T, K, GUIDED, MODEL == LINEAR && !Numbers::REAL>(
            steps, table, plane, x, writes, first, end);
    else
        walk<Numbers, Sample, MODEL, C, T, K, GUIDED, false>(steps, table, plane, x, writes, first,
                                                             end);
}

#endif
