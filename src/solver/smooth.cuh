/* SPDX-License-Identifier: MIT */
/*
 * Smoothing along lines on a device, for .cu files; see smooth.h. A block brings sixteen lines to
 * shared memory, where one warp solves them: two lanes have a line, one from each end to the middle
 * and back. What is i nodes from the ends of all lines lies side by side, so that a step of the
 * warp is one row. Nodes and coefficients of the next steps are loaded while a chain goes on. Lines
 * that are too long for this are solved where they are.
 */
#ifndef RO_SOLVER_SMOOTH_CUH
#define RO_SOLVER_SMOOTH_CUH

#include "cuda/copy_async.cuh"
#include "solver/smooth.h"

enum {
    LINES = 16,                 /* of a warp */
    LINE_PITCH = 2 * LINES + 1, /* floats of a row; odd, for rows of a plane come as columns */
    AHEAD = 8,                  /* steps whose nodes and coefficients are loaded together */
};

/* The coefficients of rows and columns. */
struct line_filter {
    line_chain along, across;
};

/* Planes, given by their first nodes, and what a block has in shared memory: lines, then tables. */
struct line_planes {
    int width, height;
    ptrdiff_t stride;
    bool rows, columns; /* are brought there, with their table */
    int tables, floats; /* where tables begin; of all */
};

/* Behind the middle of lines up to AHEAD rows are looked at, and nothing comes of them. */
static inline long long line_floats(int count)
{
    return (long long)(count / 2 + 1 + AHEAD) * LINE_PITCH;
}

static inline __host__ __device__ int row_table(const line_planes &planes)
{
    return planes.rows ? (int)chain_floats(planes.width) : 0;
}

/* For so many bytes of shared memory. */
static inline line_planes plan_lines(int width, int height, ptrdiff_t stride, size_t shared)
{
    const long long most = (long long)(shared / sizeof(float));
    line_planes planes = {width, height, stride, true, true, 0, 0};
    for (;;) {
        const long long rows = planes.rows ? line_floats(width) : 0;
        const long long columns = planes.columns ? line_floats(height) : 0;
        const long long tables = (rows ? (long long)chain_floats(width) : 0) +
                                 (columns ? (long long)chain_floats(height) : 0);
        const long long lines = ((rows > columns ? rows : columns) + 3) / 4 * 4;
        if (lines + tables <= most) {
            planes.tables = (int)lines;
            planes.floats = (int)(lines + tables);
            return planes;
        }
        (rows > columns ? planes.rows : planes.columns) = false;
    }
}

/* A filter's tables to where they are looked for; all threads meet after it. */
template <int TEAM>
static __device__ __forceinline__ void keep_tables(const line_planes &planes,
                                                   const line_filter &filter, float *shared)
{
    float *const tables = shared + planes.tables;
    const int rows = row_table(planes), all = planes.floats - planes.tables;
    for (int i = threadIdx.x; i < all; i += TEAM)
        tables[i] = i < rows ? filter.along.r[i] : filter.across.r[i - rows];
    __syncthreads();
}

/* ---- A chain ------------------------------------------------------------------------------------
 */

/* A lane's half of a line, from its end on: in shared memory; */
struct kept_half {
    float *end, *middle;
    __device__ __forceinline__ float &operator[](int i) const { return end[i * LINE_PITCH]; }
};

/* or where it is: what is behind the last node is the last, and only some lanes have a line. */
struct plain_half {
    float *end, *middle;
    ptrdiff_t step;
    int last;
    __device__ __forceinline__ float &operator[](int i) const
    {
        return end[(i < last ? i : last) * step];
    }
};

/* Steps of a chain: their nodes and coefficients. Tables begin at multiples of AHEAD floats. */
struct line_steps {
    float x[AHEAD], r[AHEAD], q[AHEAD];
};

static __device__ __forceinline__ void load_table(const float *table, float (&to)[AHEAD])
{
#pragma unroll
    for (int k = 0; k < AHEAD; k += 4) {
        const float4 four = *(const float4 *)(table + k);
        to[k] = four.x;
        to[k + 1] = four.y;
        to[k + 2] = four.z;
        to[k + 3] = four.w;
    }
}

/* On the way there a group's nodes are those from its first + 1 on, on the way back from its first
 * on. */
template <bool BACK, typename HALF>
static __device__ __forceinline__ void load_steps(const line_chain &chain, const HALF &line,
                                                  int group, line_steps *steps)
{
    const int first = group * AHEAD;
    load_table(chain.r + first, steps->r);
    if (BACK)
        load_table(chain.q + first, steps->q);
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
        steps->x[k] = line[first + k + !BACK];
}

/* The steps of a group, in the order of the chain; of the last one only some are there. */
template <bool BACK, bool WHOLE, typename HALF>
static __device__ __forceinline__ float do_steps(const line_steps &steps, const HALF &line,
                                                 int group, int there, bool stores, float f)
{
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
        const int k = BACK ? AHEAD - 1 - i : i;
        if (!WHOLE && k >= there)
            continue;
        f = __fmaf_rn(steps.r[k], f, BACK ? steps.q[k] * steps.x[k] : steps.x[k]);
        if (stores)
            line[group * AHEAD + k + !BACK] = f;
    }
    return f;
}

/* All lanes of a warp; those of the second half begin at the other end. */
template <typename HALF>
static __device__ __forceinline__ void solve_lines(const line_chain &chain, const HALF &line,
                                                   bool stores)
{
    const int half = chain.count / 2, groups = (half - 1) / AHEAD, rest = (half - 1) % AHEAD;
    if (half == 0)
        return;
    float f = line[0];
    line_steps now, next;
    load_steps<false>(chain, line, 0, &now);
#pragma unroll 2
    for (int i = 0; i < groups; i++) {
        load_steps<false>(chain, line, i + 1, &next);
        f = do_steps<false, true>(now, line, i, AHEAD, stores, f);
        now = next;
    }
    f = do_steps<false, false>(now, line, groups, rest, stores, f);
    const float across = __shfl_xor_sync(0xffffffffu, f, LINES);
    const float r = chain.r[half - 1], q = chain.q[half - 1];
    float y;
    if (chain.count % 2) {
        y = chain.middle * __fmaf_rn(r, f + across, *line.middle);
        __syncwarp(); /* both have read it */
        if (stores && threadIdx.x % 32 < LINES)
            *line.middle = y;
        y = __fmaf_rn(r, y, q * f);
    } else {
        y = __fmaf_rn(chain.middle, f, chain.crossed * across);
    }
    load_steps<true>(chain, line, groups, &now);
    if (stores)
        line[half - 1] = y;
    y = do_steps<true, false>(now, line, groups, rest, stores, y);
    if (groups > 0)
        load_steps<true>(chain, line, groups - 1, &now);
#pragma unroll 2
    for (int i = groups - 1; i >= 0; i--) {
        load_steps<true>(chain, line, i > 0 ? i - 1 : 0, &next);
        y = do_steps<true, true>(now, line, i, AHEAD, stores, y);
        now = next;
    }
}

/* ---- Lines of planes ----------------------------------------------------------------------------
 */

/* Where node i of line `line` lies in shared memory. */
static __device__ __forceinline__ int line_at(int count, int line, int i)
{
    const int from_end = count - 1 - i;
    return i <= from_end ? i * LINE_PITCH + line : from_end * LINE_PITCH + LINES + line;
}

/* Calls do_node(place in the plane, place in shared memory) for `lines` lines from `first` on. */
template <int TEAM, bool ALONG, typename F>
static __device__ __forceinline__ void each_node(const line_planes &planes, int first, int lines,
                                                 F do_node)
{
    if (ALONG) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        for (int line = warp; line < lines; line += TEAM / 32)
#pragma unroll 4
            for (int x = lane; x < planes.width; x += 32)
                do_node((size_t)(first + line) * planes.stride + x, line_at(planes.width, line, x));
    } else {
        const int column = threadIdx.x % LINES, row = threadIdx.x / LINES;
        if (column < lines)
#pragma unroll 4
            for (int y = row; y < planes.height; y += TEAM / LINES)
                do_node((size_t)y * planes.stride + first + column,
                        line_at(planes.height, column, y));
    }
}

/* Lines of one plane by one block. They are solved `times` times, and in between multiplied by
 * `weight`, unless that is NULL. Gives the bits of the largest |x| that the thread stored, or
 * `high`. */
template <int TEAM, bool ALONG>
static __device__ __forceinline__ int
smooth_kept(const line_planes &planes, const line_chain &chain, int first, int lines,
            const float *from, float *to, int times, const float *weight, float *shared, int high)
{
    const unsigned base = (unsigned)__cvta_generic_to_shared(shared);
    line_chain kept = chain;
    kept.r = shared + planes.tables + (ALONG ? 0 : row_table(planes));
    kept.q = kept.r + chain_floats(chain.count) / 2;
    each_node<TEAM, ALONG>(planes, first, lines, [&](size_t plane, int at) {
        copy_async<sizeof(float)>(base + at * (unsigned)sizeof(float), from + plane, sizeof(float));
    });
    copy_async_commit();
    copy_async_wait<0>();
    __syncthreads();
    for (int i = 0; i < times; i++) {
        if (i > 0 && weight) {
            each_node<TEAM, ALONG>(planes, first, lines,
                                   [&](size_t plane, int at) { shared[at] *= weight[plane]; });
            __syncthreads();
        }
        if (threadIdx.x < 32) {
            float *const middle = shared + chain.count / 2 * LINE_PITCH + threadIdx.x % LINES;
            solve_lines(kept, kept_half{shared + threadIdx.x, middle}, true);
        }
        __syncthreads();
    }
    each_node<TEAM, ALONG>(planes, first, lines, [&](size_t plane, int at) {
        const float value = shared[at];
        to[plane] = value;
        high = max(high, __float_as_int(fabsf(value)));
    });
    __syncthreads(); /* before the next lines come */
    return high;
}

/* The same by one warp, where the lines are. */
template <bool ALONG>
static __device__ __noinline__ int
smooth_in_place(const line_planes &planes, const line_chain &chain, int first, int lines,
                const float *from, float *to, int times, const float *weight, int high)
{
    const int lane = threadIdx.x % 32, number = lane % LINES, half = chain.count / 2;
    const bool other = lane >= LINES, there = number < lines;
    const ptrdiff_t line_step = ALONG ? planes.stride : 1, step = ALONG ? 1 : planes.stride;
    const ptrdiff_t begin = (first + (there ? number : 0)) * line_step;
    const ptrdiff_t end = begin + (other ? (chain.count - 1) * step : 0);
    const plain_half line = {to + end, to + begin + half * step, other ? -step : step,
                             chain.count - 1};
    const int own = half + (chain.count % 2 && !other); /* nodes of the lane */
    for (int i = 0; i < times; i++) {
        const bool weighs = i > 0 && weight;
        for (int k = 0; k < own && there && (weighs || (i == 0 && from != to)); k++) {
            const ptrdiff_t at = end + k * line.step;
            to[at] = weighs ? to[at] * weight[at] : from[at];
        }
        __syncwarp();
        solve_lines(chain, line, there);
        __syncwarp();
    }
    for (int k = 0; k < own && there; k++)
        high = max(high, __float_as_int(fabsf(line[k])));
    return high;
}

/* All lines of both planes, shared out among blocks. */
template <int TEAM, bool ALONG>
static __device__ __forceinline__ int
smooth_lines(const line_planes &planes, const line_chain &chain, const float *const (&from)[2],
             float *const (&to)[2], int times, const float *const (&weight)[2], float *shared)
{
    const int count = ALONG ? planes.height : planes.width, tiles = (count + LINES - 1) / LINES;
    const bool kept = ALONG ? planes.rows : planes.columns;
    const int warps = kept ? 1 : TEAM / 32, warp = kept ? 0 : (int)threadIdx.x / 32;
    int high = 0;
    for (int i = warp * gridDim.x + blockIdx.x; i < 2 * tiles; i += warps * gridDim.x) {
        const int p = i >= tiles, first = (i - p * tiles) * LINES;
        const int lines = min((int)LINES, count - first);
        const float *const source = p ? from[1] : from[0], *const by = p ? weight[1] : weight[0];
        float *const target = p ? to[1] : to[0];
        high = kept ? smooth_kept<TEAM, ALONG>(planes, chain, first, lines, source, target, times,
                                               by, shared, high)
                    : smooth_in_place<ALONG>(planes, chain, first, lines, source, target, times, by,
                                             high);
    }
    return high;
}

#endif
