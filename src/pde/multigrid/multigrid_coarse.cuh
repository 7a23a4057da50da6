/* SPDX-License-Identifier: MIT */
/*
 * The two coarsest grids of a V-cycle, down and up again, by one block in its shared memory: nobody
 * waits for other blocks, and no plane leaves the multiprocessor. The operations are those of
 * multigrid_tiles.cuh, on the whole plane instead of a tile.
 */
#ifndef RO_PDE_MULTIGRID_MULTIGRID_COARSE_CUH
#define RO_PDE_MULTIGRID_MULTIGRID_COARSE_CUH

#include "pde/multigrid/multigrid_tiles.cuh"

enum { STRIP = 5 }; /* nodes of a column that a thread takes at once */

/* Floats of shared memory: three planes of either grid. */
static inline size_t coarse_floats(const ro_grid &grid, const ro_grid &last)
{
    return 3 * ((size_t)grid.width * (size_t)grid.height + (size_t)last.width * (size_t)last.height);
}

/* b - A x for all of a plane without margins; RELAXED: a Jacobi step. A thread goes down a strip
 * and keeps the three columns it looks at. */
template <int THREADS, bool RELAXED>
static __device__ __forceinline__ void whole_plane(const ro_stencil &k, int width, int height,
                                                   const float *x, const float *b, float *out)
{
    const int strips = width * ((height + STRIP - 1) / STRIP);
    for (int i = threadIdx.x; i < strips; i += THREADS) {
        const int column = i % width, first = i / width * STRIP;
        const int left = column > 0 ? -1 : 1, right = column + 1 < width ? 1 : -1;
        const float *at = x + first * width + column;
        const float *before = first > 0 ? at - width : at + width;
        float above[3] = {before[left], before[0], before[right]};
        float here[3] = {at[left], at[0], at[right]};
#pragma unroll
        for (int r = 0; r < STRIP; r++) {
            const int y = first + r;
            if (y >= height)
                break;
            const float *next = y + 1 < height ? at + width : at - width;
            const float below[3] = {next[left], next[0], next[right]};
            const int to = y * width + column;
            const float rest = residual_of(k, above, here, below, b[to]);
            out[to] = RELAXED ? __fmaf_rn(k.s, rest, here[1]) : rest;
#pragma unroll
            for (int c = 0; c < 3; c++) {
                above[c] = here[c];
                here[c] = below[c];
            }
            at += width;
        }
    }
    __syncthreads();
}

/* The coarser right-hand side from a residual. */
template <int THREADS>
static __device__ __forceinline__ void restrict_plane(const ro_grid &grid, const ro_grid &coarse,
                                                      const float *fine, float *out)
{
    const int width = grid.width, height = grid.height, nx = coarse.width;
    for (int i = threadIdx.x; i < nx * coarse.height; i += THREADS) {
        const int ci = i % nx, cj = i / nx;
        const int x = grid_first(grid.x, ci), y = grid_first(grid.y, cj);
        float line[4];
        int row[4];
        for (int r = 0; r < 4; r++)
            row[r] = grid_reflect(y + r, height) * width;
        const float w3 = grid_weight(grid.y, 3, cj);
        for (int c = 0; c < 4; c++) {
            const float *from = fine + grid_reflect(x + c, width);
            const float sum =
                __fmaf_rn(grid_weight(grid.y, 2, cj), from[row[2]],
                          __fmaf_rn(grid_weight(grid.y, 1, cj), from[row[1]],
                                    grid_weight(grid.y, 0, cj) * from[row[0]]));
            line[c] = w3 == 0 ? sum : __fmaf_rn(w3, from[row[3]], sum);
        }
        float value = __fmaf_rn(
            grid_weight(grid.x, 2, ci), line[2],
            __fmaf_rn(grid_weight(grid.x, 1, ci), line[1], grid_weight(grid.x, 0, ci) * line[0]));
        if (!grid.x.halved)
            value = __fmaf_rn(grid_weight(grid.x, 3, ci), line[3], value);
        out[i] = value;
    }
    __syncthreads();
}

/* x += the coarse plane interpolated, as grid_prolong. */
template <int THREADS>
static __device__ __forceinline__ void prolong_plane(const ro_grid &grid, const ro_grid &coarse,
                                                     const float *from, float *x)
{
    const int width = grid.width, nx = coarse.width;
    for (int i = threadIdx.x; i < width * grid.height; i += THREADS) {
        const int fx = i % width, fy = i / width;
        const int low = grid_low(grid.y, fy), high = low + 1 < coarse.height ? low + 1 : low;
        const int at = grid_low(grid.x, fx), next = grid_reflect(at + 1, nx);
        const float part = grid_part(grid.y, fy);
        const float a = from[low * nx + at], b = from[high * nx + at];
        const float here = __fmaf_rn(part, b - a, a);
        const float c = from[low * nx + next], d = from[high * nx + next];
        const float there = __fmaf_rn(part, d - c, c);
        const bool common = grid.x.halved && fx % 2 == 0; /* taken as it is */
        x[i] += common ? here : __fmaf_rn(grid_part(grid.x, fx), there - here, here);
    }
    __syncthreads();
}

/* Down from `grid`, the solution on the last one, and up. `cosines` are in shared memory as in
 * ro_direct, one matrix after the other: forward and back of x, of y. Gives the bits of the largest
 * |x| that the thread stored, or `high`. */
template <int THREADS>
static __device__ __forceinline__ int coarse_plane(const ro_grid &grid, const ro_grid &last,
                                                   const ro_stencil &k, const float *cosines,
                                                   const float *inverse, const grid_planes &planes,
                                                   float *shared, int high)
{
    const int width = grid.width, height = grid.height, nodes = width * height;
    const int nx = last.width, ny = last.height;
    float *b = shared, *one = b + nodes, *two = one + nodes;
    float *right = two + nodes, *first = right + nx * ny, *second = first + nx * ny;
    const float *forward_x = cosines, *back_x = cosines + nx * nx;
    const float *forward_y = cosines + 2 * nx * nx, *back_y = forward_y + ny * ny;
    for (int i = threadIdx.x; i < nodes; i += THREADS) {
        b[i] = grid_load(planes.b, grid, i % width, i / width);
        one[i] = k.s * b[i];
    }
    __syncthreads();
    whole_plane<THREADS, true>(k, width, height, one, b, two);
    whole_plane<THREADS, true>(k, width, height, two, b, one);
    whole_plane<THREADS, false>(k, width, height, one, b, two);
    restrict_plane<THREADS>(grid, last, two, right);
    multiply<THREADS>(ny, ny, nx, forward_y, ny, right, nx, first, nx);
    multiply<THREADS>(ny, nx, nx, first, nx, forward_x, nx, second, nx);
    for (int i = threadIdx.x; i < nx * ny; i += THREADS)
        second[i] *= inverse[i];
    __syncthreads();
    multiply<THREADS>(ny, ny, nx, back_y, ny, second, nx, first, nx);
    multiply<THREADS>(ny, nx, nx, first, nx, back_x, nx, second, nx);
    prolong_plane<THREADS>(grid, last, second, one);
    whole_plane<THREADS, true>(k, width, height, one, b, two);
    whole_plane<THREADS, true>(k, width, height, two, b, one);
    whole_plane<THREADS, true>(k, width, height, one, b, two);
    for (int i = threadIdx.x; i < nodes; i += THREADS) {
        const size_t at = (size_t)(i / width) * grid.stride + RO_GRID_MARGIN + i % width;
        const float value = planes.weight ? two[i] * planes.weight[at] : two[i];
        planes.out[at] = value;
        high = max(high, __float_as_int(fabsf(value)));
    }
    __syncthreads();
    return high;
}

#endif
