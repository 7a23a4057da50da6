/* SPDX-License-Identifier: MIT */
/*
 * A tile's share of a V-cycle, done by 256 threads in shared memory; see multigrid.cuh. The kernels
 * of multigrid.cu give a tile to each block; registration, which does many cycles in one kernel,
 * has two such groups in a block, which do one tile after the other.
 */
#ifndef RO_SOLVER_MULTIGRID_MULTIGRID_TILES_CUH
#define RO_SOLVER_MULTIGRID_MULTIGRID_TILES_CUH

#include "solver/multigrid/multigrid_patch.cuh"

enum {
    TILE_SIDE = 48, /* patches of a warp's two rows lie in different banks */
    TILE_THREADS = TILE_SIDE / PATCH * (TILE_SIDE / PATCH),
    TILE_FLOATS =
        2 * TILE_SIDE * TILE_SIDE,         /* of shared memory: a step goes from one to the other */
    FINE = TILE_SIDE - 2 * RO_GRID_SWEEPS, /* nodes of a tile's side on the way up */
    AROUND = FINE / 2 + RO_GRID_SWEEPS + 2, /* coarse nodes of a side that they look at */
};

/* On the way down: nodes round a tile that steps use up, and the coarse nodes of its side. They
 * take the residual of 2 (n - 1) + 4 nodes. */
template <bool WARM> struct down_sizes {
    enum { RIM = WARM ? 4 : 3, COARSE = (TILE_SIDE - 2 * RIM - 4) / 2 + 1 };
};

/* A group of threads that does tiles: one of a block's, which all do their steps at the same time.
 * One that is idle, for tiles are over, does another's and stores nothing. */
struct tile_group {
    int thread;
    bool idle;
    float *shared;
};

/* The thread's patch of a tile that begins with node (x0, y0): which nodes it is of, mirrored. What
 * a patch at the tile's rim looks at beyond is not there; its own nodes will do, for nothing comes
 * of them. */
static __device__ __forceinline__ patch tile_patch(const tile_group &group, int x0, int y0,
                                                   int width, int height, int (&x)[PATCH],
                                                   int (&y)[PATCH])
{
    const int across = TILE_SIDE / PATCH;
    const int thread = anew(group.thread), column = thread % across, line = thread / across;
    patch p = {};
    p.at = line * PATCH * TILE_SIDE + column * PATCH;
    p.left = column > 0 ? -1 : 0;
    p.right = column + 1 < across ? PATCH : PATCH - 1;
    p.up = line > 0 ? -TILE_SIDE : 0;
    p.down = line + 1 < across ? PATCH * TILE_SIDE : (PATCH - 1) * TILE_SIDE;
#pragma unroll
    for (int i = 0; i < PATCH; i++) {
        x[i] = grid_reflect(x0 + column * PATCH + i, width);
        y[i] = grid_reflect(y0 + line * PATCH + i, height);
    }
    return p;
}

/* Where all of the group's threads are through with the tile. */
template <bool WARM>
static __device__ __forceinline__ void down_tile(const solver_grid &grid, const solver_grid &coarse,
                                                 const stencil &k, const grid_planes &planes,
                                                 int tile_x, int tile_y, const tile_group &group)
{
    enum { COARSE = down_sizes<WARM>::COARSE, RIM = down_sizes<WARM>::RIM };
    float *from = group.shared, *to = from + TILE_SIDE * TILE_SIDE;
    /* the grids may lie in shared memory too: what is written there could be theirs */
    const int width = grid.width, height = grid.height;
    const size_t stride = (size_t)grid.stride;
    const int cx = tile_x * COARSE, cy = tile_y * COARSE;
    const int x0 = grid_first(grid.x, cx) - RIM, y0 = grid_first(grid.y, cy) - RIM;
    int x[PATCH], y[PATCH];
    patch p = tile_patch(group, x0, y0, width, height, x, y);
#pragma unroll
    for (int i = 0; i < PATCH * PATCH; i++) {
        const int r = i / PATCH, c = i % PATCH;
        const size_t at = (size_t)y[r] * stride + RO_GRID_MARGIN + x[c];
        p.b[r][c] = planes.b[at];
        p.x[r][c] = WARM ? planes.guess[at] : k.s * p.b[r][c];
    }
    patch_put<TILE_SIDE>(p.x, p, from);
    __syncthreads();
#pragma unroll
    for (int step = 1; step < RIM; step++) {
        patch_relax<TILE_SIDE>(k, from, &p);
        patch_put<TILE_SIDE>(p.x, p, to);
        __syncthreads();
        float *const swap = from;
        from = to;
        to = swap;
    }
    float rest[PATCH][PATCH];
    patch_residual<TILE_SIDE>(k, from, p, rest);
    patch_put<TILE_SIDE>(rest, p, to);
    /* a fine node belongs to the tile of the coarse node at or before it */
    const int last_x = cx + COARSE < coarse.width ? cx + COARSE : coarse.width;
    const int last_y = cy + COARSE < coarse.height ? cy + COARSE : coarse.height;
    const int gx = x0 + p.at % TILE_SIDE, gy = y0 + p.at / TILE_SIDE;
    bool own_x[PATCH], own_y[PATCH];
#pragma unroll
    for (int i = 0; i < PATCH; i++) {
        const int ox = grid_low(grid.x, x[i]), oy = grid_low(grid.y, y[i]);
        own_x[i] = !group.idle && x[i] == gx + i && ox >= cx && ox < last_x;
        own_y[i] = y[i] == gy + i && oy >= cy && oy < last_y;
    }
#pragma unroll
    for (int i = 0; i < PATCH * PATCH; i++) {
        const int r = i / PATCH, c = i % PATCH;
        if (own_x[c] && own_y[r])
            planes.out[(size_t)y[r] * stride + RO_GRID_MARGIN + x[c]] = p.x[r][c];
    }
    __syncthreads();
    for (int i = group.thread; i < COARSE * COARSE && !group.idle; i += TILE_THREADS) {
        const int ci = cx + i % COARSE, cj = cy + i / COARSE;
        if (ci >= coarse.width || cj >= coarse.height)
            continue;
        const int first_x = grid_first(grid.x, ci) - x0, first_y = grid_first(grid.y, cj) - y0;
        const int row[4] = {first_y * TILE_SIDE, (first_y + 1) * TILE_SIDE,
                            (first_y + 2) * TILE_SIDE, (first_y + 3) * TILE_SIDE};
        const int column[4] = {first_x, first_x + 1, first_x + 2, first_x + 3};
        planes.coarse[(size_t)cj * coarse.stride + RO_GRID_MARGIN + ci] =
            restricted(grid, ci, cj, to, row, column);
    }
    __syncthreads();
}

/* Gives the bits of the largest |x| that the thread stored, or `high`. */
static __device__ __forceinline__ int up_tile(const solver_grid &grid, const solver_grid &coarse,
                                              const stencil &k, const grid_planes &planes,
                                              int tile_x, int tile_y, const tile_group &group,
                                              int high)
{
    float *const one = group.shared, *const two = one + TILE_SIDE * TILE_SIDE;
    const int width = grid.width, height = grid.height;
    const int wide = coarse.width, tall = coarse.height;
    const size_t stride = (size_t)grid.stride;
    const int x0 = tile_x * FINE - RO_GRID_SWEEPS, y0 = tile_y * FINE - RO_GRID_SWEEPS;
    const int cx = grid_low(grid.x, x0 > 0 ? x0 : 0), cy = grid_low(grid.y, y0 > 0 ? y0 : 0);
    for (int i = group.thread; i < AROUND * AROUND; i += TILE_THREADS) {
        const int ci = cx + i % AROUND, cj = cy + i / AROUND;
        if (ci < wide && cj < tall)
            two[i] = planes.correction[(size_t)cj * coarse.stride + RO_GRID_MARGIN + ci];
    }
    int x[PATCH], y[PATCH];
    patch p = tile_patch(group, x0, y0, width, height, x, y);
#pragma unroll
    for (int i = 0; i < PATCH; i++) { /* mirrored so far that nothing comes of them */
        x[i] = max(x[i], x0);
        y[i] = max(y[i], y0);
    }
#pragma unroll
    for (int i = 0; i < PATCH * PATCH; i++) {
        const int r = i / PATCH, c = i % PATCH;
        const size_t at = (size_t)y[r] * stride + RO_GRID_MARGIN + x[c];
        p.b[r][c] = planes.b[at];
        p.x[r][c] = planes.x[at];
    }
    __syncthreads();
    const bool plain = grid.x.halved && grid.y.halved && x0 >= 0 && y0 >= 0 &&
                       x0 + TILE_SIDE <= width && y0 + TILE_SIDE <= height;
    if (plain)
        patch_halved(x[0], y[0], two, AROUND, cx, cy, wide, tall, &p);
    else
        patch_prolong(grid, coarse, x, y, two, AROUND, cx, cy, &p);
    patch_put<TILE_SIDE>(p.x, p, one);
    __syncthreads();
    patch_relax<TILE_SIDE>(k, one, &p);
    patch_put<TILE_SIDE>(p.x, p, two);
    __syncthreads();
    patch_relax<TILE_SIDE>(k, two, &p);
    patch_put<TILE_SIDE>(p.x, p, one);
    __syncthreads();
    patch_relax<TILE_SIDE>(k, one, &p);
    const int tx = p.at % TILE_SIDE, ty = p.at / TILE_SIDE, low = RO_GRID_SWEEPS;
#pragma unroll
    for (int i = 0; i < PATCH * PATCH; i++) {
        const int r = i / PATCH, c = i % PATCH;
        const bool inner =
            tx + c >= low && tx + c < low + FINE && ty + r >= low && ty + r < low + FINE;
        if (inner && !group.idle && x0 + tx + c < width && y0 + ty + r < height)
            grid_finish(planes, (size_t)y[r] * stride + RO_GRID_MARGIN + x[c], p.x[r][c], &high);
    }
    __syncthreads();
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
static __device__ __forceinline__ int
direct_plane(const solver_grid &grid, const direct_system &direct, const float *inverse,
             const grid_planes &planes, float *shared, int high)
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
        grid_finish(planes, at, two[i], &high);
    }
    __syncthreads();
    return high;
}

#endif
