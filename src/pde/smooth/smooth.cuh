/* SPDX-License-Identifier: MIT */
/*
 * Smoothing along lines on a device, for .cu files; see smooth.h. A block brings some lines to
 * shared memory, where one warp solves them: two lanes have a line, one from each end to the middle
 * and back. Nodes and coefficients of the next steps are loaded while a chain goes on.
 */
#ifndef RO_PDE_SMOOTH_SMOOTH_CUH
#define RO_PDE_SMOOTH_SMOOTH_CUH

#include "cuda/copy_async.cuh"
#include "pde/smooth/smooth.h"

enum {
    LINES = 16, /* a warp's at most */
    AHEAD = 8,  /* steps whose nodes and coefficients are loaded together */
};

/* From line to line in shared memory: odd, so that they lie in different banks. */
static inline __host__ __device__ int line_pitch(int count) { return count | 1; }

/* A lane's half of a line, from its end on. */
template <bool SHARED> struct half_line {
    float *end;
    ptrdiff_t step;

    __device__ __forceinline__ float &operator[](int i) const
    {
        return end[SHARED ? i * (int)step : (ptrdiff_t)i * step];
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

/* On the way there a group's nodes are those from first + 1 on, on the way back from `first` on. The
 * last group may have fewer; what is loaded instead is of no use. */
template <bool BACK, bool SHARED>
static __device__ __forceinline__ void load_steps(const ro_chain &chain,
                                                  const half_line<SHARED> &line, int group,
                                                  int groups, line_steps *steps)
{
    const int first = group * AHEAD, last = chain.count / 2 - 1;
    load_table(chain.r + first, steps->r);
    if (BACK)
        load_table(chain.q + first, steps->q);
    if (group < groups) {
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            steps->x[k] = line[first + k + !BACK];
    } else {
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            steps->x[k] = line[min(first + k + !BACK, last)];
    }
}

/* The steps of a group, in the order of the chain; of the last one only some are there. */
template <bool BACK, bool WHOLE, bool SHARED>
static __device__ __forceinline__ float do_steps(const line_steps &steps,
                                                 const half_line<SHARED> &line, int group,
                                                 int there, bool stores, float f)
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

/* All lanes of a warp: `lines` lines, `line_step` floats apart, whose nodes are `node_step` apart. */
template <bool SHARED>
static __device__ __forceinline__ void solve_lines(const ro_chain &chain, float *from,
                                                   ptrdiff_t line_step, ptrdiff_t node_step,
                                                   int lines)
{
    const int count = chain.count, half = count / 2;
    if (count == 1)
        return;
    const int lane = threadIdx.x % 32, number = lane % LINES;
    const bool other = lane >= LINES, stores = number < lines;
    half_line<SHARED> line = {from + (stores ? number : 0) * line_step, node_step};
    if (other) {
        line.end += (count - 1) * node_step;
        line.step = -node_step;
    }
    const int groups = (half - 1) / AHEAD, rest = (half - 1) % AHEAD;
    float f = line[0];
    line_steps now, next;
    load_steps<false>(chain, line, 0, groups, &now);
#pragma unroll 2
    for (int i = 0; i < groups; i++) {
        load_steps<false>(chain, line, i + 1, groups, &next);
        f = do_steps<false, true>(now, line, i, AHEAD, stores, f);
        now = next;
    }
    f = do_steps<false, false>(now, line, groups, rest, stores, f);
    const float across = __shfl_xor_sync(0xffffffffu, f, LINES);
    const float r = chain.r[half - 1];
    float y;
    if (count % 2) {
        y = chain.middle * __fmaf_rn(r, f + across, line[half]);
        __syncwarp(); /* both have read it */
        if (stores && !other)
            line[half] = y;
        y = __fmaf_rn(r, y, chain.q[half - 1] * f);
    } else {
        y = __fmaf_rn(chain.middle, f, chain.crossed * across);
    }
    load_steps<true>(chain, line, groups, groups, &now);
    if (stores)
        line[half - 1] = y;
    if (groups > 0)
        load_steps<true>(chain, line, groups - 1, groups, &next);
    y = do_steps<true, false>(now, line, groups, rest, stores, y);
    now = next;
#pragma unroll 2
    for (int i = groups - 1; i >= 0; i--) {
        if (i > 0)
            load_steps<true>(chain, line, i - 1, groups, &next);
        y = do_steps<true, true>(now, line, i, AHEAD, stores, y);
        now = next;
    }
}

/* The coefficients of rows and columns. */
struct line_filter {
    ro_chain along, across;
};

/* Planes, given by their first nodes, and what a block has in shared memory: lines, then tables. */
struct line_planes {
    int width, height;
    ptrdiff_t stride;
    int rows, columns; /* that a block takes at once; 0: they stay where they are, with their table */
    int tables, floats; /* where tables begin; of all */
};

static inline __host__ __device__ int row_table(const line_planes &planes)
{
    return planes.rows ? (int)ro_chain_floats(planes.width) : 0;
}

/* Lines that are too long stay in place, for so many bytes of shared memory. */
static inline line_planes plan_lines(int width, int height, ptrdiff_t stride, size_t shared)
{
    const long long most = (long long)(shared / sizeof(float));
    line_planes planes = {width, height, stride, LINES, LINES, 0, 0};
    for (;;) {
        const long long rows = (long long)planes.rows * line_pitch(width);
        const long long columns = (long long)planes.columns * line_pitch(height);
        const long long tables = (rows ? (long long)ro_chain_floats(width) : 0) +
                                 (columns ? (long long)ro_chain_floats(height) : 0);
        const long long lines = ((rows > columns ? rows : columns) + 3) / 4 * 4;
        if (lines + tables <= most) {
            planes.tables = (int)lines;
            planes.floats = (int)(lines + tables);
            return planes;
        }
        (rows > columns ? planes.rows : planes.columns) /= 2;
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

/* Calls do_node(place in the plane, place in shared memory) for `lines` lines from `first` on. */
template <int TEAM, bool ALONG, typename F>
static __device__ __forceinline__ void each_node(const line_planes &planes, int first, int lines,
                                                 F do_node)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (ALONG) {
        const int pitch = line_pitch(planes.width);
        for (int line = warp; line < lines; line += TEAM / 32)
#pragma unroll 4
            for (int x = lane; x < planes.width; x += 32)
                do_node((size_t)(first + line) * planes.stride + x, line * pitch + x);
    } else {
        const int column = threadIdx.x % LINES, row = threadIdx.x / LINES;
        if (column < lines)
#pragma unroll 4
            for (int y = row; y < planes.height; y += TEAM / LINES)
                do_node((size_t)y * planes.stride + first + column, y * planes.columns + column);
    }
}

/* Lines of one plane by one block. `weight`, NULL or not: between two solutions, of which there are
 * `times`. Gives the bits of the largest |x| that the thread stored, or `high`. */
template <int TEAM, bool ALONG>
static __device__ __forceinline__ int smooth_tile(const line_planes &planes, const ro_chain &chain,
                                                  int first, int lines, const float *from,
                                                  float *to, int times, const float *weight,
                                                  float *shared, int high)
{
    const int line_step = ALONG ? line_pitch(planes.width) : 1;
    const int node_step = ALONG ? 1 : planes.columns;
    const unsigned base = (unsigned)__cvta_generic_to_shared(shared);
    ro_chain kept = chain;
    kept.r = shared + planes.tables + (ALONG ? 0 : row_table(planes));
    kept.q = kept.r + ro_chain_floats(chain.count) / 2;
    each_node<TEAM, ALONG>(planes, first, lines, [&](size_t plane, int at) {
        copy_async<sizeof(float)>(base + at * (unsigned)sizeof(float), from + plane,
                                  sizeof(float));
    });
    copy_async_commit();
    copy_async_wait<0>();
    __syncthreads();
    for (int i = 0; i < times; i++) {
        if (i > 0 && weight) {
            each_node<TEAM, ALONG>(planes, first, lines, [&](size_t plane, int at) {
                shared[at] *= weight[plane];
            });
            __syncthreads();
        }
        if (threadIdx.x < 32)
            solve_lines<true>(kept, shared, line_step, node_step, lines);
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

/* Lines that are too long: the same where they are, a warp's worth by each block. */
template <int TEAM, bool ALONG>
static __device__ __noinline__ int smooth_in_place(const line_planes &planes, const ro_chain &chain,
                                                   int first, int lines, const float *from,
                                                   float *to, int times, const float *weight,
                                                   int high)
{
    const ptrdiff_t line_step = ALONG ? planes.stride : 1, node_step = ALONG ? 1 : planes.stride;
    float *const begin = to + first * line_step;
    for (int i = 0; i < times; i++) {
        if (i > 0 ? weight != NULL : from != to) {
            each_node<TEAM, ALONG>(planes, first, lines, [&](size_t plane, int) {
                to[plane] = i > 0 ? to[plane] * weight[plane] : from[plane];
            });
            __syncthreads();
        }
        if (threadIdx.x < 32)
            solve_lines<false>(chain, begin, line_step, node_step, lines);
        __syncthreads();
    }
    each_node<TEAM, ALONG>(planes, first, lines, [&](size_t plane, int) {
        high = max(high, __float_as_int(fabsf(to[plane])));
    });
    return high;
}

/* All lines of both planes, shared out among blocks. */
template <int TEAM, bool ALONG>
static __device__ __forceinline__ int smooth_lines(const line_planes &planes, const ro_chain &chain,
                                                   const float *const (&from)[2],
                                                   float *const (&to)[2], int times,
                                                   const float *const (&weight)[2], float *shared)
{
    const int count = ALONG ? planes.height : planes.width;
    const int together = ALONG ? planes.rows : planes.columns, each = together ? together : LINES;
    const int tiles = (count + each - 1) / each;
    int high = 0;
    for (int i = blockIdx.x; i < 2 * tiles; i += gridDim.x) {
        const int p = i >= tiles, first = (i - p * tiles) * each;
        const int lines = min(each, count - first);
        const float *const source = p ? from[1] : from[0], *const by = p ? weight[1] : weight[0];
        float *const target = p ? to[1] : to[0];
        high = together ? smooth_tile<TEAM, ALONG>(planes, chain, first, lines, source, target,
                                                   times, by, shared, high)
                        : smooth_in_place<TEAM, ALONG>(planes, chain, first, lines, source, target,
                                                       times, by, high);
    }
    return high;
}

#endif
