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

/* Quotients of numbers below 2^16, by a product: a division is as much work as all else that is done
 * for a node. */
struct row_divider {
    unsigned magic;
    int by;
};

static __device__ __forceinline__ row_divider divider_of(int by)
{
    return {by > 1 ? 0xffffffffu / (unsigned)by + 1 : 0, by};
}

static __device__ __forceinline__ int row_of(const row_divider &rows, int i)
{
    return rows.by > 1 ? (int)__umulhi((unsigned)i, rows.magic) : i;
}

/* As grid_reflect, for places within the first mirror image. */
static __device__ __forceinline__ int mirrored(int i, int n)
{
    i = i < 0 ? -i : i;
    return i < n ? i : 2 * (n - 1) - i;
}

/* Places in shared memory, in floats: planes, then what is multiplied by. Rows of matrices that are
 * read four numbers at a time begin at a multiple of four. */
struct coarse_places {
    int nodes, cells; /* of the two grids */
    int pitch;        /* of columns of the coarser one */
    int right, turned, solved; /* planes of the coarser one */
    int forward_y, back_y, forward_x, back_x, inverse;
    int all;
};

static __host__ __device__ inline coarse_places places_of(const ro_grid &grid, const ro_grid &last)
{
    const int nx = last.width, ny = last.height;
    coarse_places to = {};
    to.nodes = grid.width * grid.height;
    to.cells = nx * ny;
    to.pitch = (ny + 3) / 4 * 4;
    to.turned = (3 * to.nodes + 3) / 4 * 4;
    to.right = to.turned + nx * to.pitch;
    to.solved = to.right + to.cells;
    const int planes = to.solved + to.cells, tile = TILE_FLOATS; /* tiles come and go there */
    to.forward_y = ((planes > tile ? planes : tile) + 3) / 4 * 4;
    to.back_y = to.forward_y + ny * to.pitch;
    to.forward_x = to.back_y + ny * to.pitch;
    to.back_x = to.forward_x + nx * nx;
    to.inverse = to.back_x + nx * nx;
    to.all = to.inverse + to.cells;
    return to;
}

/* Cosines and eigenvalues to their places. Matrices of y are symmetric: their rows may be read as
 * columns. */
template <int THREADS>
static __device__ __forceinline__ void coarse_keep(const ro_grid &grid, const ro_grid &last,
                                                   const ro_direct &direct, float *shared)
{
    const coarse_places at = places_of(grid, last);
    const int nx = last.width, ny = last.height;
    for (int i = threadIdx.x; i < ny * ny; i += THREADS) {
        const int to = i / ny * at.pitch + i % ny;
        shared[at.forward_y + to] = direct.forward_y[i];
        shared[at.back_y + to] = direct.back_y[i];
    }
    for (int i = threadIdx.x; i < nx * nx; i += THREADS) {
        shared[at.forward_x + i] = direct.forward_x[i];
        shared[at.back_x + i] = direct.back_x[i];
    }
    __syncthreads();
}

template <int THREADS>
static __device__ __forceinline__ void coarse_filter(const ro_grid &grid, const ro_grid &last,
                                                     const float *inverse, float *shared)
{
    const coarse_places at = places_of(grid, last);
    for (int i = threadIdx.x; i < at.cells; i += THREADS)
        shared[at.inverse + i] = inverse[i];
    __syncthreads();
}

/* out (rows x width) = a (rows x terms) times b (terms x width), in shared memory; `a` lies column
 * by column, with `pitch`, and so does `out` if it is TURNED. A thread does two rows of two
 * columns: four rows would load less, but leave too few warps to hide the loads. */
template <int THREADS, bool TURNED>
static __device__ __forceinline__ void multiply_turned(int rows, int terms, int width,
                                                       const float *a, int pitch, const float *b,
                                                       const float *by, float *out)
{
    const int across = (width + 1) / 2, pieces = across * ((rows + 1) / 2);
    const row_divider divider = divider_of(across);
    for (int i = threadIdx.x; i < pieces; i += THREADS) {
        const int line = row_of(divider, i), y = 2 * line;
        const int x = i - line * across; /* columns x and x + across */
        const int other = x + across < width ? x + across : x;
        float sum[2][2] = {};
        const float *left = b + x, *right = b + other, *two = a + y;
#pragma unroll 8
        for (int k = 0; k < terms; k++) {
            const float2 of = *(const float2 *)two;
            const float l = *left, r = *right;
            sum[0][0] = __fmaf_rn(of.x, l, sum[0][0]);
            sum[0][1] = __fmaf_rn(of.x, r, sum[0][1]);
            sum[1][0] = __fmaf_rn(of.y, l, sum[1][0]);
            sum[1][1] = __fmaf_rn(of.y, r, sum[1][1]);
            two += pitch;
            left += width;
            right += width;
        }
        if (TURNED) {
            *(float2 *)(out + x * pitch + y) = make_float2(sum[0][0], sum[1][0]);
            *(float2 *)(out + other * pitch + y) = make_float2(sum[0][1], sum[1][1]);
        } else {
#pragma unroll
            for (int r = 0; r < 2; r++)
                if (y + r < rows) {
                    const int one = (y + r) * width + x, next = (y + r) * width + other;
                    out[one] = by ? sum[r][0] * by[one] : sum[r][0];
                    out[next] = by ? sum[r][1] * by[next] : sum[r][1];
                }
        }
    }
    __syncthreads();
}

/* b - A x for all of a plane without margins; RELAXED: a Jacobi step. A thread goes down a strip
 * and keeps the three columns it looks at. */
template <int THREADS, bool RELAXED>
static __device__ __forceinline__ void whole_plane(ro_stencil k, int width, int height,
                                                   const float *x, const float *b, float *out)
{
    const int strips = width * ((height + STRIP - 1) / STRIP);
    const row_divider divider = divider_of(width);
    for (int i = threadIdx.x; i < strips; i += THREADS) {
        const int strip = row_of(divider, i), column = i - strip * width, first = strip * STRIP;
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
    const int cells = nx * coarse.height;
    const row_divider divider = divider_of(nx);
    for (int i = threadIdx.x; i < cells; i += THREADS) {
        const int cj = row_of(divider, i), ci = i - cj * nx;
        const int x = grid_first(grid.x, ci), y = grid_first(grid.y, cj);
        float line[4];
        int row[4];
        for (int r = 0; r < 4; r++)
            row[r] = mirrored(y + r, height) * width;
        const float w3 = grid_weight(grid.y, 3, cj);
        for (int c = 0; c < 4; c++) {
            const float *from = fine + mirrored(x + c, width);
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
    const int width = grid.width, nodes = width * grid.height, nx = coarse.width;
    const int ny = coarse.height;
    const row_divider divider = divider_of(width);
    for (int i = threadIdx.x; i < nodes; i += THREADS) {
        const int fy = row_of(divider, i), fx = i - fy * width;
        const int low = grid_low(grid.y, fy), high = low + 1 < ny ? low + 1 : low;
        const int at = grid_low(grid.x, fx), next = mirrored(at + 1, nx);
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

/* Down from `grid`, the solution on the last one, and up. What coarse_keep and coarse_filter put
 * into shared memory is there. Gives the bits of the largest |x| that the thread stored, or `high`. */
template <int THREADS>
static __device__ __forceinline__ int coarse_plane(const ro_grid &grid, const ro_grid &last,
                                                   ro_stencil k, const grid_planes &planes,
                                                   float *shared, int high)
{
    const coarse_places at = places_of(grid, last);
    const int width = grid.width, height = grid.height, nx = last.width, ny = last.height;
    const int stride = (int)grid.stride;
    const row_divider divider = divider_of(width);
    float *b = shared, *one = b + at.nodes, *two = one + at.nodes;
    float *right = shared + at.right, *turned = shared + at.turned, *solved = shared + at.solved;
    for (int i = threadIdx.x; i < at.nodes; i += THREADS) {
        const int row = row_of(divider, i);
        const float value = planes.b[row * (stride - width) + RO_GRID_MARGIN + i];
        b[i] = value;
        one[i] = k.s * value;
    }
    __syncthreads();
    whole_plane<THREADS, true>(k, width, height, one, b, two);
    whole_plane<THREADS, true>(k, width, height, two, b, one);
    whole_plane<THREADS, false>(k, width, height, one, b, two);
    restrict_plane<THREADS>(grid, last, two, right);
    multiply_turned<THREADS, true>(ny, ny, nx, shared + at.forward_y, at.pitch, right, NULL, turned);
    multiply_turned<THREADS, false>(ny, nx, nx, turned, at.pitch, shared + at.forward_x,
                                    shared + at.inverse, solved);
    multiply_turned<THREADS, true>(ny, ny, nx, shared + at.back_y, at.pitch, solved, NULL, turned);
    multiply_turned<THREADS, false>(ny, nx, nx, turned, at.pitch, shared + at.back_x, NULL, solved);
    prolong_plane<THREADS>(grid, last, solved, one);
    whole_plane<THREADS, true>(k, width, height, one, b, two);
    whole_plane<THREADS, true>(k, width, height, two, b, one);
    whole_plane<THREADS, true>(k, width, height, one, b, two);
    for (int i = threadIdx.x; i < at.nodes; i += THREADS) {
        const int to = row_of(divider, i) * (stride - width) + RO_GRID_MARGIN + i;
        const float value = planes.weight ? two[i] * planes.weight[to] : two[i];
        planes.out[to] = value;
        high = max(high, __float_as_int(fabsf(value)));
    }
    __syncthreads();
    return high;
}

#endif
