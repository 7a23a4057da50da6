/* SPDX-License-Identifier: MIT */
/*
 * A tile's share of a V-cycle, done by a block of threads in its shared memory; see multigrid.cuh.
 * The kernels of multigrid.cu give a tile to each block; registration, which does many cycles in
 * one kernel, gives each block many.
 */
#ifndef RO_PDE_MULTIGRID_MULTIGRID_TILES_CUH
#define RO_PDE_MULTIGRID_MULTIGRID_TILES_CUH

#include "pde/multigrid/multigrid.cuh"

enum {
    COARSE = 17, /* coarse nodes of a tile's side on the way down: sides are often 2^n + 1 */
    NEED = 2 * (COARSE - 1) + 4, /* fine nodes whose residual they take */
    DOWN = NEED + 2 * 4,         /* and those that a warm start looks at */
    FINE = 33,                   /* nodes of a tile's side on the way up */
    UP = FINE + 2 * RO_GRID_SWEEPS,
    TILE_FLOATS = 3 * DOWN * DOWN, /* of shared memory */
};

/* b - A x from three nodes of the row above, of this one and of the one below; the order of
 * operations is that of multigrid_rows.h. */
static __device__ __forceinline__ float residual_of(const ro_stencil &k, const float (&above)[3],
                                                    const float (&here)[3],
                                                    const float (&below)[3], float b)
{
    float v[3];
#pragma unroll
    for (int c = 0; c < 3; c++)
        v[c] = (above[c] - here[c]) + (below[c] - here[c]);
    const float h = (here[0] - here[1]) + (here[2] - here[1]);
    return __fmaf_rn(k.kc, v[0] + v[2], __fmaf_rn(k.ky, v[1], __fmaf_rn(k.kh, h, b - here[1])));
}

/* Calls do_node(at, x, y, value, residual) for all of a square tile but RIM nodes on each side. A
 * thread goes down a strip of a column, and keeps the three columns it looks at. */
template <int THREADS, int SIDE, int RIM, typename F>
static __device__ __forceinline__ void each_residual(ro_stencil k, const float *x,
                                                     const float *b, F do_node)
{
    constexpr int INNER = SIDE - 2 * RIM, ROWS = (INNER * INNER + THREADS - 1) / THREADS;
    constexpr int STRIPS = (INNER + ROWS - 1) / ROWS;
    for (int i = threadIdx.x; i < INNER * STRIPS; i += THREADS) {
        const int column = i % INNER + RIM, first = i / INNER * ROWS + RIM;
        const float *from = x + first * SIDE + column;
        float above[3] = {from[-SIDE - 1], from[-SIDE], from[-SIDE + 1]};
        float here[3] = {from[-1], from[0], from[1]};
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (INNER % ROWS != 0 && first + r >= SIDE - RIM)
                break;
            const int at = (first + r) * SIDE + column;
            const float below[3] = {x[at + SIDE - 1], x[at + SIDE], x[at + SIDE + 1]};
            do_node(at, column, first + r, here[1], residual_of(k, above, here, below, b[at]));
#pragma unroll
            for (int c = 0; c < 3; c++) {
                above[c] = here[c];
                here[c] = below[c];
            }
        }
    }
    __syncthreads();
}

/* out = relaxed x. */
template <int THREADS, int SIDE, int RIM>
static __device__ __forceinline__ void relax_tile(ro_stencil k, const float *x,
                                                  const float *b, float *out)
{
    each_residual<THREADS, SIDE, RIM>(k, x, b, [&](int at, int, int, float value, float residual) {
        out[at] = __fmaf_rn(k.s, residual, value);
    });
}

/* Calls do_node(at, x, y) for all of a square tile, a strip of a column for each thread. */
template <int THREADS, int SIDE, typename F>
static __device__ __forceinline__ void each_node(F do_node)
{
    constexpr int ROWS = (SIDE * SIDE + THREADS - 1) / THREADS;
    constexpr int STRIPS = (SIDE + ROWS - 1) / ROWS;
    for (int i = threadIdx.x; i < SIDE * STRIPS; i += THREADS) {
        const int column = i % SIDE, first = i / SIDE * ROWS;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (SIDE % ROWS == 0 || first + r < SIDE)
                do_node((first + r) * SIDE + column, column, first + r);
    }
    __syncthreads();
}

/* Planes of one system: those of a grid, and of the coarser one. */
struct grid_planes {
    const float *b;
    const float *guess; /* of a warm start, else NULL */
    const float *correction;
    const float *x;
    float *out, *coarse;
    const float *weight; /* what `out` is multiplied by on the way up; NULL: 1 */
};

/* Where all of the block's threads are through with the tile. */
template <int THREADS, bool WARM>
static __device__ __forceinline__ void down_tile(const ro_grid &grid, const ro_grid &coarse,
                                                 ro_stencil k, const grid_planes &planes,
                                                 int tile_x, int tile_y, float *shared)
{
    float *b = shared, *one = b + DOWN * DOWN, *two = one + DOWN * DOWN;
    /* the grids may lie in shared memory too: what is written there could be theirs */
    const int width = grid.width, height = grid.height;
    const size_t stride = (size_t)grid.stride;
    const int cx = tile_x * COARSE, cy = tile_y * COARSE;
    const int x0 = grid_first(grid.x, cx) - 4, y0 = grid_first(grid.y, cy) - 4;
    each_node<THREADS, DOWN>([&](int at, int tx, int ty) {
        const int x = grid_reflect(x0 + tx, width), y = grid_reflect(y0 + ty, height);
        const size_t from = (size_t)y * stride + RO_GRID_MARGIN + x;
        const float value = planes.b[from];
        b[at] = value;
        one[at] = WARM ? planes.guess[from] : k.s * value;
    });
    float *x = one, *next = two;
    if (WARM) {
        relax_tile<THREADS, DOWN, 1>(k, x, b, next);
        float *swap = x;
        x = next;
        next = swap;
    }
    relax_tile<THREADS, DOWN, 2>(k, x, b, next);
    relax_tile<THREADS, DOWN, 3>(k, next, b, x);
    /* a fine node belongs to the tile of the coarse node at or before it */
    const int last_x = cx + COARSE < coarse.width ? cx + COARSE : coarse.width;
    const int last_y = cy + COARSE < coarse.height ? cy + COARSE : coarse.height;
    each_residual<THREADS, DOWN, 4>(
        k, x, b, [&](int at, int tx, int ty, float value, float residual) {
            const int gx = x0 + tx, gy = y0 + ty;
            next[at] = residual;
            if (gx < 0 || gy < 0 || gx >= width || gy >= height)
                return;
            const int ox = grid_low(grid.x, gx), oy = grid_low(grid.y, gy);
            if (ox >= cx && ox < last_x && oy >= cy && oy < last_y)
                planes.out[(size_t)gy * stride + RO_GRID_MARGIN + gx] = value;
        });
    for (int i = threadIdx.x; i < COARSE * COARSE; i += THREADS) {
        const int ci = cx + i % COARSE, cj = cy + i / COARSE;
        if (ci >= coarse.width || cj >= coarse.height)
            continue;
        const float *from =
            next + (grid_first(grid.y, cj) - y0) * DOWN + grid_first(grid.x, ci) - x0;
        const float w0 = grid_weight(grid.y, 0, cj), w1 = grid_weight(grid.y, 1, cj);
        const float w2 = grid_weight(grid.y, 2, cj), w3 = grid_weight(grid.y, 3, cj);
        float line[4];
        for (int c = 0; c < 4; c++) {
            float sum =
                __fmaf_rn(w2, from[2 * DOWN + c], __fmaf_rn(w1, from[DOWN + c], w0 * from[c]));
            line[c] = w3 == 0 ? sum : __fmaf_rn(w3, from[3 * DOWN + c], sum);
        }
        float value = __fmaf_rn(
            grid_weight(grid.x, 2, ci), line[2],
            __fmaf_rn(grid_weight(grid.x, 1, ci), line[1], grid_weight(grid.x, 0, ci) * line[0]));
        if (!grid.x.halved)
            value = __fmaf_rn(grid_weight(grid.x, 3, ci), line[3], value);
        planes.coarse[(size_t)cj * coarse.stride + RO_GRID_MARGIN + ci] = value;
    }
    __syncthreads();
}

/* Gives the bits of the largest |x| that the thread stored, or `high`. */
template <int THREADS>
static __device__ __forceinline__ int up_tile(const ro_grid &grid, const ro_grid &coarse,
                                              ro_stencil k, const grid_planes &planes,
                                              int tile_x, int tile_y, float *shared, int high)
{
    float *b = shared, *one = b + UP * UP, *two = one + UP * UP;
    const int width = grid.width, height = grid.height;
    const size_t stride = (size_t)grid.stride;
    const int x0 = tile_x * FINE - RO_GRID_SWEEPS, y0 = tile_y * FINE - RO_GRID_SWEEPS;
    each_node<THREADS, UP>([&](int at, int tx, int ty) {
        const int x = grid_reflect(x0 + tx, width), y = grid_reflect(y0 + ty, height);
        const size_t from = (size_t)y * stride + RO_GRID_MARGIN + x;
        b[at] = planes.b[from];
        one[at] = planes.x[from] + grid_prolong(planes.correction, grid, coarse, x, y, true);
    });
    relax_tile<THREADS, UP, 1>(k, one, b, two);
    relax_tile<THREADS, UP, 2>(k, two, b, one);
    each_residual<THREADS, UP, 3>(
        k, one, b, [&](int, int tx, int ty, float value, float residual) {
            const int gx = x0 + tx, gy = y0 + ty;
            if (gx >= width || gy >= height)
                return;
            const size_t at = (size_t)gy * stride + RO_GRID_MARGIN + gx;
            value = __fmaf_rn(k.s, residual, value);
            value = planes.weight ? value * planes.weight[at] : value;
            planes.out[at] = value;
            high = max(high, __float_as_int(fabsf(value)));
        });
    return high;
}

/* out (rows x width) = a (rows x terms) times b (terms x width); a thread does four rows of two
 * columns, what it loads serves several sums. */
template <int THREADS>
static __device__ __forceinline__ void multiply(int rows, int terms, int width, const float *a,
                                                int a_stride, const float *b, int b_stride,
                                                float *out, int out_stride)
{
    constexpr int DOWN_BY = 4;
    const int across = (width + 1) / 2, pieces = across * ((rows + DOWN_BY - 1) / DOWN_BY);
    for (int i = threadIdx.x; i < pieces; i += THREADS) {
        const int x = i % across, y = i / across * DOWN_BY; /* columns x and x + across */
        const int other = x + across < width ? x + across : x;
        const float *row[DOWN_BY];
        float sum[DOWN_BY][2] = {};
        for (int r = 0; r < DOWN_BY; r++)
            row[r] = a + (y + r < rows ? y + r : rows - 1) * a_stride;
#pragma unroll 4
        for (int k = 0; k < terms; k++) {
            const float left = b[k * b_stride + x], right = b[k * b_stride + other];
#pragma unroll
            for (int r = 0; r < DOWN_BY; r++) {
                sum[r][0] = __fmaf_rn(row[r][k], left, sum[r][0]);
                sum[r][1] = __fmaf_rn(row[r][k], right, sum[r][1]);
            }
        }
#pragma unroll
        for (int r = 0; r < DOWN_BY; r++)
            if (y + r < rows) {
                out[(y + r) * out_stride + x] = sum[r][0];
                if (x + across < width)
                    out[(y + r) * out_stride + other] = sum[r][1];
            }
    }
    __syncthreads();
}

/* The coarsest grid; shared memory for two planes of it. */
template <int THREADS>
static __device__ __forceinline__ int direct_plane(const ro_grid &grid, const ro_direct &direct,
                                                   const float *inverse, const grid_planes &planes,
                                                   float *shared, int high)
{
    const int nx = grid.width, ny = grid.height, stride = (int)grid.stride;
    float *one = shared, *two = one + nx * ny;
    multiply<THREADS>(ny, ny, nx, direct.forward_y, ny, planes.b + RO_GRID_MARGIN, stride, one, nx);
    multiply<THREADS>(ny, nx, nx, one, nx, direct.forward_x, nx, two, nx);
    for (int i = threadIdx.x; i < nx * ny; i += THREADS)
        two[i] *= inverse[i];
    __syncthreads();
    multiply<THREADS>(ny, ny, nx, direct.back_y, ny, two, nx, one, nx);
    multiply<THREADS>(ny, nx, nx, one, nx, direct.back_x, nx, two, nx);
    for (int i = threadIdx.x; i < nx * ny; i += THREADS) {
        const size_t at = (size_t)(i / nx) * stride + RO_GRID_MARGIN + i % nx;
        const float value = planes.weight ? two[i] * planes.weight[at] : two[i];
        planes.out[at] = value;
        high = max(high, __float_as_int(fabsf(value)));
    }
    __syncthreads();
    return high;
}

#endif
