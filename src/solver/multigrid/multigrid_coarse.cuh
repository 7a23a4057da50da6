/* SPDX-License-Identifier: MIT */
/*
 * The two coarsest grids of a V-cycle, down and up again, by one block in its shared memory: nobody
 * waits for other blocks, and no plane leaves the multiprocessor. The operations are those of
 * multigrid_tiles.cuh, on the whole plane instead of a tile.
 */
#ifndef RO_SOLVER_MULTIGRID_MULTIGRID_COARSE_CUH
#define RO_SOLVER_MULTIGRID_MULTIGRID_COARSE_CUH

#include "solver/multigrid/multigrid_tiles.cuh"

enum {
    JOINED = 2 * RO_GRID_DIRECT, /* the most nodes a side of the finer grid */
    JOINED_ACROSS = JOINED / PATCH,
    JOINED_PITCH = 86, /* three rows on, the bank is that of the patch after the last */
    JOINED_PLANE = JOINED * JOINED_PITCH,
    CELLS_PITCH = 36, /* of the coarser grid: four numbers at once, eight rows without a conflict */
    CELLS_PLANE = RO_GRID_DIRECT * CELLS_PITCH,
    JOINED_FLOATS = 2 * JOINED_PLANE + 2 * CELLS_PLANE, /* of shared memory, while it works */
    KEPT_FLOATS = 5 * CELLS_PLANE,                      /* and all the time */
};

/* What planes of the coarser grid are multiplied by: cosines of y, and of x row for column, and
 * what lies between there and back. */
struct coarse_kept {
    float *forward_y, *back_y, *forward_x, *back_x, *inverse;
};

static __device__ __forceinline__ coarse_kept kept_at(float *memory)
{
    return {memory, memory + CELLS_PLANE, memory + 2 * CELLS_PLANE, memory + 3 * CELLS_PLANE,
            memory + 4 * CELLS_PLANE};
}

/* Whether both grids are small enough. */
static inline bool coarse_joins(const solver_grid &grid, const solver_grid &last)
{
    enum { LEAST = 6 }; /* mirror images are of nodes that there are */
    return grid.width <= JOINED && grid.height <= JOINED && grid.width >= LEAST &&
           grid.height >= LEAST && last.width <= RO_GRID_DIRECT && last.height <= RO_GRID_DIRECT;
}

template <int THREADS>
static __device__ __forceinline__ void
coarse_keep(const solver_grid &last, const direct_system &direct, const coarse_kept &kept)
{
    const int nx = last.width, ny = last.height;
    for (int i = threadIdx.x; i < ny * ny; i += THREADS) {
        kept.forward_y[i / ny * CELLS_PITCH + i % ny] = direct.forward_y[i];
        kept.back_y[i / ny * CELLS_PITCH + i % ny] = direct.back_y[i];
    }
    for (int i = threadIdx.x; i < nx * nx; i += THREADS) {
        kept.forward_x[i % nx * CELLS_PITCH + i / nx] = direct.forward_x[i];
        kept.back_x[i % nx * CELLS_PITCH + i / nx] = direct.back_x[i];
    }
    __syncthreads();
}

template <int THREADS>
static __device__ __forceinline__ void coarse_filter(const solver_grid &last, const float *inverse,
                                                     const coarse_kept &kept)
{
    const int nx = last.width;
    for (int i = threadIdx.x; i < nx * last.height; i += THREADS)
        kept.inverse[i / nx * CELLS_PITCH + i % nx] = inverse[i];
    __syncthreads();
}

/* out (rows x width) = a (rows x terms) times b (terms x width), in shared memory, `b` row for
 * column, and so is `out` if it is TURNED. A thread does three rows of three columns, four terms
 * at a time, one after the other. */
template <bool TURNED>
static __device__ __forceinline__ void multiply_cells(int rows, int terms, int width,
                                                      const float *a, const float *b,
                                                      const float *by, float *out)
{
    const int across = (width + PATCH - 1) / PATCH, down = (rows + PATCH - 1) / PATCH;
    const int i = anew(threadIdx.x);
    if (i < across * down) {
        const int x = i % across * PATCH, y = i / across * PATCH;
        const float *const left = a + y * CELLS_PITCH, *const right = b + x * CELLS_PITCH;
        float sum[PATCH][PATCH] = {};
        float4 l[PATCH], r[PATCH]; /* loaded while those before are added */
        auto load = [&](int k) {
#pragma unroll
            for (int j = 0; j < PATCH; j++) {
                l[j] = *(const float4 *)(left + j * CELLS_PITCH + k);
                r[j] = *(const float4 *)(right + j * CELLS_PITCH + k);
            }
        };
        auto add = [&](float4 const(&one)[PATCH], float4 const(&two)[PATCH], int count) {
#pragma unroll
            for (int j = 0; j < PATCH * PATCH; j++) {
                const float4 &u = one[j / PATCH], &v = two[j % PATCH];
                float &to = sum[j / PATCH][j % PATCH];
                to = __fmaf_rn(u.x, v.x, to);
                to = count > 1 ? __fmaf_rn(u.y, v.y, to) : to;
                to = count > 2 ? __fmaf_rn(u.z, v.z, to) : to;
                to = count > 3 ? __fmaf_rn(u.w, v.w, to) : to;
            }
        };
        load(0);
        int k = 4;
        for (; k <= terms; k += 4) {
            float4 one[PATCH], two[PATCH];
#pragma unroll
            for (int j = 0; j < PATCH; j++) {
                one[j] = l[j];
                two[j] = r[j];
            }
            if (k < terms)
                load(k);
            add(one, two, 4);
        }
        if (k - 4 < terms)
            add(l, r, terms - (k - 4));
#pragma unroll
        for (int j = 0; j < PATCH * PATCH; j++) {
            const int row = y + j / PATCH, column = x + j % PATCH;
            if (row >= rows || column >= width)
                continue;
            const float value = by ? sum[j / PATCH][j % PATCH] * by[row * CELLS_PITCH + column]
                                   : sum[j / PATCH][j % PATCH];
            out[TURNED ? column * CELLS_PITCH + row : row * CELLS_PITCH + column] = value;
        }
    }
    __syncthreads();
}

/* The thread's patch of the whole plane: what lies beyond its borders are mirror images. */
static __device__ __forceinline__ patch joined_patch(int x0, int y0, int width, int height,
                                                     int (&x)[PATCH], int (&y)[PATCH])
{
    patch p = {};
    p.at = y0 * JOINED_PITCH + x0;
    p.left = mirrored(x0 - 1, width) - x0;
    p.right = mirrored(x0 + PATCH, width) - x0;
    p.up = (mirrored(y0 - 1, height) - y0) * JOINED_PITCH;
    p.down = (mirrored(y0 + PATCH, height) - y0) * JOINED_PITCH;
#pragma unroll
    for (int i = 0; i < PATCH; i++) {
        x[i] = mirrored(x0 + i, width);
        y[i] = mirrored(y0 + i, height);
    }
    return p;
}

/* The coarser right-hand side from a residual, row for column. */
template <int THREADS>
static __device__ __forceinline__ void
restrict_plane(const solver_grid &grid, const solver_grid &coarse, const float *fine, float *out)
{
    const int nx = coarse.width, cells = nx * coarse.height;
    for (int i = anew(threadIdx.x); i < cells; i += THREADS) {
        const int cj = i / nx, ci = i - cj * nx;
        const int first_x = grid_first(grid.x, ci), first_y = grid_first(grid.y, cj);
        int row[4], column[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            row[k] = mirrored(first_y + k, grid.height) * JOINED_PITCH;
            column[k] = mirrored(first_x + k, grid.width);
        }
        out[ci * CELLS_PITCH + cj] = restricted(grid, ci, cj, fine, row, column);
    }
    __syncthreads();
}

/* The same where both axes are halved: a thread does three neighbours. */
static __device__ __forceinline__ void restrict_halved(int width, int height, int nx, int ny,
                                                       const float *fine, float *out)
{
    enum { ACROSS = RO_GRID_DIRECT / PATCH, COLUMNS = 2 * PATCH + 1 };
    const int thread = anew(threadIdx.x);
    const int ci = thread % ACROSS * PATCH, cj = thread / ACROSS;
    if (ci < nx && cj < ny) {
        const float *const row = fine + 2 * cj * JOINED_PITCH;
        const float *const above = cj > 0 ? row - JOINED_PITCH : row + JOINED_PITCH;
        const float *const below = cj + 1 < ny ? row + JOINED_PITCH : row - JOINED_PITCH;
        float line[COLUMNS];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            const int x = mirrored(2 * ci - 1 + c, width);
            line[c] = __fmaf_rn(0.25f, below[x], __fmaf_rn(0.5f, row[x], 0.25f * above[x]));
        }
#pragma unroll
        for (int i = 0; i < PATCH; i++)
            if (ci + i < nx)
                out[(ci + i) * CELLS_PITCH + cj] = __fmaf_rn(
                    0.25f, line[2 * i + 2], __fmaf_rn(0.5f, line[2 * i + 1], 0.25f * line[2 * i]));
    }
    __syncthreads();
}

/* Down from `grid`, the solution on the last one, and up; `cycles` times, the result being weighed
 * before the next. Gives the bits of the largest |x| that the thread stored, or `high`. */
template <int THREADS>
static __device__ __forceinline__ int coarse_plane(const solver_grid &grid, const solver_grid &last,
                                                   const stencil &filter, const grid_planes &planes,
                                                   const float *weight, int cycles, float *shared,
                                                   const coarse_kept &kept, int high)
{
    const stencil k = filter;
    const int width = grid.width, height = grid.height, nx = last.width, ny = last.height;
    const size_t stride = (size_t)grid.stride;
    const bool halved = grid.x.halved && grid.y.halved && THREADS >= JOINED_ACROSS * JOINED_ACROSS;
    const bool whole = width % PATCH != 1 && height % PATCH != 1; /* mirrored within a patch */
    float *const one = shared, *const two = one + JOINED_PLANE;
    float *const right = two + JOINED_PLANE, *const turned = right + CELLS_PLANE;
    int x[PATCH], y[PATCH];
    const int thread = anew(threadIdx.x);
    const int x0 = thread % JOINED_ACROSS * PATCH, y0 = thread / JOINED_ACROSS * PATCH;
    const bool works = x0 < width && y0 < height;
    patch p = {};
    if (works) {
        p = joined_patch(x0, y0, width, height, x, y);
#pragma unroll
        for (int i = 0; i < PATCH * PATCH; i++) {
            const int r = i / PATCH, c = i % PATCH;
            p.b[r][c] = planes.b[(size_t)y[r] * stride + RO_GRID_MARGIN + x[c]];
        }
    }
    auto relax = [&](const float *from, float *to) {
        if (works) {
            patch_relax<JOINED_PITCH>(k, from, &p);
            if (to)
                patch_put<JOINED_PITCH>(p.x, p, to);
        }
        if (to)
            __syncthreads();
    };
    for (int cycle = 1;; cycle++) {
        if (works) {
#pragma unroll
            for (int i = 0; i < PATCH * PATCH; i++)
                p.x[i / PATCH][i % PATCH] = k.s * p.b[i / PATCH][i % PATCH];
            patch_put<JOINED_PITCH>(p.x, p, two);
        }
        __syncthreads();
        relax(two, one);
        relax(one, two);
        if (works) {
            float rest[PATCH][PATCH];
            patch_residual<JOINED_PITCH>(k, two, p, rest);
            patch_put<JOINED_PITCH>(rest, p, one);
        }
        __syncthreads();
        if (halved)
            restrict_halved(width, height, nx, ny, one, right);
        else
            restrict_plane<THREADS>(grid, last, one, right);
        multiply_cells<false>(ny, ny, nx, kept.forward_y, right, NULL, turned);
        multiply_cells<true>(ny, nx, nx, turned, kept.forward_x, kept.inverse, right);
        multiply_cells<false>(ny, ny, nx, kept.back_y, right, NULL, turned);
        multiply_cells<false>(ny, nx, nx, turned, kept.back_x, NULL, right);
        if (works) {
            if (halved && whole) {
                patch_halved(x0, y0, right, CELLS_PITCH, 0, 0, nx, ny, &p);
#pragma unroll
                for (int i = 0; i < PATCH; i++) /* beyond the last: the mirror image */
                    p.x[i][PATCH - 1] = x0 + PATCH > width ? p.x[i][0] : p.x[i][PATCH - 1];
#pragma unroll
                for (int i = 0; i < PATCH; i++)
                    p.x[PATCH - 1][i] = y0 + PATCH > height ? p.x[0][i] : p.x[PATCH - 1][i];
            } else {
                patch_prolong(grid, last, x, y, right, CELLS_PITCH, 0, 0, &p);
            }
            patch_put<JOINED_PITCH>(p.x, p, two);
        }
        __syncthreads();
        relax(two, one);
        relax(one, two);
        relax(two, NULL);
        if (cycle == cycles)
            break;
        if (works)
#pragma unroll
            for (int i = 0; i < PATCH * PATCH; i++) {
                const int r = i / PATCH, c = i % PATCH;
                const size_t at = (size_t)y[r] * stride + RO_GRID_MARGIN + x[c];
                p.b[r][c] = weight ? p.x[r][c] * weight[at] : p.x[r][c];
            }
        __syncthreads();
    }
    if (works)
#pragma unroll
        for (int i = 0; i < PATCH * PATCH; i++) {
            const int r = i / PATCH, c = i % PATCH;
            if (x0 + c < width && y0 + r < height)
                grid_finish(planes, (size_t)y[r] * stride + RO_GRID_MARGIN + x[c], p.x[r][c],
                            &high);
        }
    __syncthreads();
    return high;
}

#endif
