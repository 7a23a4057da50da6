/* SPDX-License-Identifier: MIT */
/*
 * What kernels of many passes share: as many blocks ("teams") as work at once share out each pass,
 * and meet after it. Smoothing by a V-cycle, passes over pixels, sums.
 */
#ifndef RO_REGISTER_CUDA_TEAM_CUH
#define RO_REGISTER_CUDA_TEAM_CUH

#include "solver/multigrid/multigrid_coarse.cuh"

#include <cooperative_groups.h>

/* All blocks meet. A cluster that is the whole grid does so within itself, in less time. */
static __device__ __forceinline__ void meet()
{
#if __CUDA_ARCH__ >= 900
    const auto cluster = cooperative_groups::this_cluster();
    if (cluster.num_blocks() == gridDim.x) {
        cluster.sync();
        return;
    }
#endif
    cooperative_groups::this_grid().sync();
}

/* The grids: a kernel's argument, which nothing that it writes can change. */
struct team_grids {
    solver_grid level[RO_GRID_LEVELS];
    direct_system direct;
    float *b[2][RO_GRID_LEVELS], *down[2][RO_GRID_LEVELS], *up[2][RO_GRID_LEVELS];
    int last;
};

/* A filter of a scale; the inverse is on the device. */
struct team_filter {
    stencil stencils[RO_GRID_LEVELS];
    const float *inverse;
};

/* What a kernel of many passes does with its shared memory: tiles first, or planes of the coarsest
 * grids, then the matrices of the coarsest one. */
struct team_shared {
    int tile_floats;
    bool keeps; /* the matrices, where grids are not joined */
    bool joins; /* the two coarsest grids are one block's */
};

/* Calls do_tile(plane, tile_x, tile_y, group) for the tiles of the thread's group of the block. Few
 * tiles are shared out among blocks first. */
template <int TEAM, typename F>
static __device__ __forceinline__ void each_tile(const solver_grid &grid, int side, float *shared,
                                                 F do_tile)
{
    const int across = (grid.width + side - 1) / side;
    const int tiles = across * ((grid.height + side - 1) / side);
    const int thread = anew(threadIdx.x), number = thread / TILE_THREADS;
    for (int i = blockIdx.x; i < 2 * tiles; i += gridDim.x * (TEAM / TILE_THREADS)) {
        const int own = i + number * (int)gridDim.x;
        const bool idle = own >= 2 * tiles;
        const int all = idle ? i : own, p = all >= tiles;
        const int tile = all - p * tiles, tile_y = tile / across;
        const tile_group group = {thread % TILE_THREADS, idle, shared + number * TILE_FLOATS};
        do_tile(p, tile - tile_y * across, tile_y, group);
    }
}

/* Sums over a warp of many values at once: at each step a lane gives half of them away and adds to
 * the other half. The lane is left with one sum, number lane / (32 / COUNT). */
template <int COUNT>
static __device__ __forceinline__ long long add_warp(long long (&values)[COUNT])
{
    const int lane = threadIdx.x % 32;
    int step = 16;
#pragma unroll
    for (int n = COUNT / 2; n > 0; n /= 2, step /= 2) {
        const bool upper = lane & step;
#pragma unroll
        for (int i = 0; i < n; i++) {
            const long long kept = upper ? values[i + n] : values[i];
            const long long given = upper ? values[i] : values[i + n];
            values[i] = kept + __shfl_xor_sync(0xffffffffu, given, step);
        }
    }
    for (; step > 0; step /= 2)
        values[0] += __shfl_xor_sync(0xffffffffu, values[0], step);
    return values[0];
}

/* Sums over the block's threads, each into its total. Few pixels leave most warps nothing to add.
 */
template <int TEAM, int COUNT>
static __device__ __forceinline__ void add_team(const long long (&values)[COUNT],
                                                unsigned long long *const (&totals)[COUNT])
{
    constexpr int POWER = COUNT <= 1 ? 1 : COUNT <= 2 ? 2 : COUNT <= 4 ? 4 : 8;
    constexpr int EACH = 32 / POWER;
    __shared__ long long warps[POWER][TEAM / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    long long all[POWER] = {0}, any = 0, sum = 0;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        all[i] = values[i];
        any |= values[i];
    }
    if (__any_sync(0xffffffffu, any != 0))
        sum = add_warp(all);
    __syncthreads();
    if (lane % EACH == 0)
        warps[lane / EACH][warp] = sum;
    __syncthreads();
    if (warp < COUNT) {
        long long value = lane < TEAM / 32 ? warps[warp][lane] : 0;
        for (int step = 16; step > 0; step /= 2)
            value += __shfl_down_sync(0xffffffffu, value, step);
        for (int i = 0; i < COUNT; i++)
            if (lane == 0 && i == warp && value)
                atomicAdd(totals[i], (unsigned long long)value);
    }
}

/* The largest of the block's values into *peak: one atomic, for they wait for each other. */
template <int TEAM> static __device__ __forceinline__ void peak_team(int bits, int *peak)
{
    __shared__ int warps[TEAM / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int step = 16; step > 0; step /= 2)
        bits = max(bits, __shfl_xor_sync(0xffffffffu, bits, step));
    __syncthreads();
    if (lane == 0)
        warps[warp] = bits;
    __syncthreads();
    if (warp == 0)
        grid_peak(lane < TEAM / 32 ? warps[lane] : 0, peak);
}

/* Calls do_pixel(x, y, load(x, y)) for the pixels of the thread, 32 neighbours to a warp; the next
 * one's load comes before. Few pixels are shared out among blocks first, many among a block's
 * warps, for what neighbours look at is at hand. */
template <int TEAM, typename L, typename F>
static __device__ __forceinline__ void each_pixel_ahead(int width, int height, L load, F do_pixel)
{
    const int across = (width + 31) / 32, pieces = across * height;
    const int thread = anew(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const int all = gridDim.x * (TEAM / 32);
    int i = pieces < all ? warp * gridDim.x + blockIdx.x : blockIdx.x * (TEAM / 32) + warp;
    int y = i / across, x = (i - y * across) * 32 + lane;
    decltype(load(0, 0)) next = {};
    if (i < pieces && x < width)
        next = load(x, y);
    while (i < pieces) {
        const auto here = next;
        const int here_x = x, here_y = y;
        i += all;
        y = i / across;
        x = (i - y * across) * 32 + lane;
        if (i < pieces && x < width)
            next = load(x, y);
        if (here_x < width)
            do_pixel(here_x, here_y, here);
    }
}

/* The same for what loads by itself. */
template <int TEAM, typename F>
static __device__ __forceinline__ void each_pixel(int width, int height, F do_pixel)
{
    each_pixel_ahead<TEAM>(
        width, height, [](int, int) { return 0; }, [&](int x, int y, int) { do_pixel(x, y); });
}

/* One of two by number, without a look-up in memory. */
template <typename T> static __device__ __forceinline__ T either(T const (&of)[2], int p)
{
    return p ? of[1] : of[0];
}

/* Two planes each: what is smoothed, where to, and what the result is multiplied by, NULL: 1. */
struct team_planes {
    const float *from[2];
    float *to[2];
    const float *weight[2];
};

/* One V-cycle from grid `top`, or, where that is done by two blocks, all `cycles`, the result being
 * multiplied by balance[] between them. `ends`: others look at the result; else only the next cycle
 * does, maybe of the same blocks. */
template <int TEAM>
static __device__ __forceinline__ void
smooth_once(const team_filter &filter, const team_grids &g, const direct_system &direct,
            const team_shared &how, int top, const team_planes &planes,
            const float *const (&balance)[2], int cycles, int *peak, float *shared, bool ends)
{
    const int bottom = how.joins ? g.last - 1 : g.last;
    for (int l = top; l < bottom; l++) {
        const int side = down_sizes<false>::COARSE;
        each_tile<TEAM>(g.level[l + 1], side, shared, [&](int p, int x, int y, tile_group group) {
            grid_planes tile = {};
            tile.b = l == top ? either(planes.from, p) : g.b[p][l];
            tile.out = g.down[p][l];
            tile.coarse = g.b[p][l + 1];
            down_tile<false>(g.level[l], g.level[l + 1], filter.stencils[l], tile, x, y, group);
        });
        meet();
    }
    int high = 0;
    const bool alone = bottom == top;
    if (blockIdx.x < 2) { /* a plane each */
        const int p = blockIdx.x;
        grid_planes plane = {};
        plane.b = alone ? either(planes.from, p) : g.b[p][bottom];
        plane.out = alone ? either(planes.to, p) : g.up[p][bottom];
        plane.weight = alone ? either(planes.weight, p) : NULL;
        high = how.joins
                   ? coarse_plane<TEAM>(g.level[bottom], g.level[g.last], filter.stencils[bottom],
                                        plane, either(balance, p), cycles, shared,
                                        kept_at(shared + how.tile_floats), 0)
                   : direct_plane<TEAM>(g.level[bottom], direct, filter.inverse, plane, shared, 0);
    }
    for (int l = bottom - 1; l >= top; l--) {
        meet();
        high = 0;
        each_tile<TEAM>(g.level[l], FINE, shared, [&](int p, int x, int y, tile_group group) {
            grid_planes tile = {};
            tile.b = l == top ? either(planes.from, p) : g.b[p][l];
            tile.x = g.down[p][l];
            tile.correction = g.up[p][l + 1];
            tile.out = l == top ? either(planes.to, p) : g.up[p][l];
            tile.weight = l == top ? either(planes.weight, p) : NULL;
            high = up_tile(g.level[l], g.level[l + 1], filter.stencils[l], tile, x, y, group, high);
        });
    }
    if (peak)
        peak_team<TEAM>(high, peak);
    if (ends || !alone)
        meet();
}

/* Smooths from[] to to[] on grid `top`, `cycles` times; between them the result is multiplied by
 * balance[] where there is one. */
template <int TEAM>
static __device__ __forceinline__ void
smooth_all(const team_filter &filter, const team_grids &g, const direct_system &direct,
           team_shared how, int top, const float *const (&from)[2], float *const (&to)[2],
           const float *const (&balance)[2], int cycles, int *peak, float *shared)
{
    how.joins = how.joins && top < g.last;
    const int inside = how.joins && top == g.last - 1 ? cycles : 1; /* of two blocks' work */
    float *const between[2] = {g.up[0][top], g.up[1][top]};
    for (int cycle = inside; cycle <= cycles; cycle++) {
        const bool first = cycle == inside, last = cycle == cycles;
        team_planes planes = {};
#pragma unroll
        for (int p = 0; p < 2; p++) {
            planes.from[p] = first ? from[p] : between[p];
            planes.to[p] = last ? to[p] : between[p];
            planes.weight[p] = last ? NULL : balance[p];
        }
        smooth_once<TEAM>(filter, g, direct, how, top, planes, balance, inside, last ? peak : NULL,
                          shared, last);
    }
}

/* The first two blocks solve on the coarsest grid, and keep what they multiply by at hand: gives
 * where it is. */
template <int TEAM>
static __device__ __forceinline__ direct_system take_direct(const team_grids &grids,
                                                            const team_shared &how, float *shared)
{
    const solver_grid &last = grids.level[grids.last];
    if (blockIdx.x < 2 && how.joins)
        coarse_keep<TEAM>(last, grids.direct, kept_at(shared + how.tile_floats));
    if (blockIdx.x >= 2 || how.joins || !how.keeps)
        return grids.direct;
    const int nx = last.width, ny = last.height;
    float *const kept = shared + how.tile_floats;
    const float *const all[4] = {grids.direct.forward_x, grids.direct.back_x,
                                 grids.direct.forward_y, grids.direct.back_y};
    float *const to[4] = {kept, kept + nx * nx, kept + 2 * nx * nx, kept + 2 * nx * nx + ny * ny};
    for (int i = 0; i < 4; i++)
        for (int k = threadIdx.x; k < (i < 2 ? nx * nx : ny * ny); k += TEAM)
            to[i][k] = all[i][k];
    __syncthreads();
    return {to[0], to[2], to[1], to[3]};
}

/* A filter that the following smoothings are by. */
template <int TEAM>
static __device__ __forceinline__ void take_filter(const team_filter &filter,
                                                   const team_shared &how, const team_grids &grids,
                                                   float *shared)
{
    if (how.joins && blockIdx.x < 2)
        coarse_filter<TEAM>(grids.level[grids.last], filter.inverse,
                            kept_at(shared + how.tile_floats));
}

#endif
