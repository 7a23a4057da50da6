/* SPDX-License-Identifier: MIT */
/*
 * The search of a tile (refine_search.c) by a block, a thread for each pixel. All pixels look at
 * once what they would do; the first one, in raster order, that finds something does it, all
 * take what it changes of D, and those behind it look again. A pixel that finds nothing would have
 * left all as it is, so this is the order of one after another. Of D only the tile counts: it is
 * computed anew before the next colour.
 */
#ifndef RO_HOLOGRAM_REFINE_CUDA_REFINE_SEARCH_CUH
#define RO_HOLOGRAM_REFINE_CUDA_REFINE_SEARCH_CUH

#include "cuda/cuda.cuh"
#include "hologram/refine/cuda/refine_cuda.h"

enum { TILE_PIXELS = REFINE_TILE * REFINE_TILE, TILE_WARPS = TILE_PIXELS / 32 };

struct search_launch {
    int width, height, across; /* across: tiles of the colour in a row */
    int first_x, first_y;      /* tile of the colour */
    int levels, others;
    bool pairs;
    const float2 *r, *table;
    const float2 *kernel[2];
    const uint8_t *other;
    uint8_t *numbers;
    unsigned *changes;
};

struct search_tile {
    float2 d[TILE_PIXELS], table[RO_HOLOGRAM_LEVELS];
    float2 kx[REFINE_TILE][REFINE_SIDE], ky[REFINE_TILE][REFINE_SIDE];
    uint8_t numbers[TILE_PIXELS], other[RO_HOLOGRAM_LEVELS * REFINE_OTHERS];
    int found[TILE_WARPS]; /* first pixel of each warp that does something */
    int which, level, second;
};

struct search_move {
    int which, level, second;
};

static __device__ __forceinline__ float search_cost(const search_tile &t, int x, int y, int level)
{
    const int at = y * REFINE_TILE + x;
    const float2 now = t.table[t.numbers[at]], d = t.d[at];
    const float re = t.table[level].x - now.x, im = t.table[level].y - now.y;
    const float price = t.kx[x][REFINE_RADIUS].x * t.ky[y][REFINE_RADIUS].x;
    return 2 * (re * d.x + im * d.y) + price * (re * re + im * im);
}

static __device__ void search_pair(const search_tile &t, int others, int x, int y, int dx, int dy,
                                   int which, float *best, search_move *move)
{
    const int u = x + dx, v = y + dy;
    const int a = t.numbers[y * REFINE_TILE + x], b = t.numbers[v * REFINE_TILE + u];
    const float2 kx = t.kx[x][REFINE_RADIUS + dx], ky = t.ky[y][REFINE_RADIUS + dy];
    const float kr = kx.x * ky.x - kx.y * ky.y, ki = kx.x * ky.y + kx.y * ky.x;
    float there[REFINE_OTHERS];
#pragma unroll
    for (int j = 0; j < REFINE_OTHERS; j++)
        there[j] = j < others ? search_cost(t, u, v, t.other[b * REFINE_OTHERS + j]) : 0;
    for (int i = 0; i < others; i++) {
        const int to = t.other[a * REFINE_OTHERS + i];
        const float re = t.table[to].x - t.table[a].x, im = t.table[to].y - t.table[a].y;
        const float cr = re * kr - im * ki, ci = re * ki + im * kr;
        const float here = search_cost(t, x, y, to);
#pragma unroll
        for (int j = 0; j < REFINE_OTHERS; j++) {
            const int other = t.other[b * REFINE_OTHERS + (j < others ? j : 0)];
            const float both =
                (t.table[other].x - t.table[b].x) * cr + (t.table[other].y - t.table[b].y) * ci;
            const float change = here + there[j] + 2 * both;
            if (j < others && change < *best) {
                *best = change;
                *move = {which, to, other};
            }
        }
    }
}

static __device__ search_move search_look(const search_launch &p, const search_tile &t, int x,
                                          int y, int wide, int high)
{
    const int dx[REFINE_NEIGHBOURS] = {1, 0, 1, -1}, dy[REFINE_NEIGHBOURS] = {0, 1, 1, 1};
    search_move move = {-1, -1, -1};
    float best = REFINE_LEAST;
    for (int k = 0; k < p.levels; k++) {
        const float gain = search_cost(t, x, y, k);
        if (gain < best) {
            best = gain;
            move.level = k;
        }
    }
#pragma unroll
    for (int i = 0; i < REFINE_NEIGHBOURS; i++)
        if (p.pairs && x + dx[i] >= 0 && x + dx[i] < wide && y + dy[i] < high)
            search_pair(t, p.others, x, y, dx[i], dy[i], i, &best, &move);
    return move;
}

/* What pixel x, y takes when pixel u, v goes from a level to another. */
static __device__ __forceinline__ void search_take(const search_tile &t, int x, int y, int u, int v,
                                                   int from, int to, float2 *d)
{
    const float re = t.table[to].x - t.table[from].x, im = t.table[to].y - t.table[from].y;
    const float2 kx = t.kx[u][REFINE_RADIUS + x - u], ky = t.ky[v][REFINE_RADIUS + y - v];
    const float cr = re * ky.x - im * ky.y, ci = re * ky.y + im * ky.x;
    d->x += cr * kx.x - ci * kx.y;
    d->y += cr * kx.y + ci * kx.x;
}

static __global__ void __launch_bounds__(TILE_PIXELS)
    search_tiles(const __grid_constant__ search_launch p)
{
    __shared__ search_tile t;
    const int me = threadIdx.x, x = me % REFINE_TILE, y = me / REFINE_TILE;
    const int x0 = (p.first_x + (int)blockIdx.x % p.across * REFINE_COLOURS) * REFINE_TILE;
    const int y0 = (p.first_y + (int)blockIdx.x / p.across * REFINE_COLOURS) * REFINE_TILE;
    const int wide = min((int)REFINE_TILE, p.width - x0),
              high = min((int)REFINE_TILE, p.height - y0);
    const bool inside = x < wide && y < high;
    const size_t at = (size_t)(y0 + y) * p.width + x0 + x;
    for (int i = me; i < p.levels; i += TILE_PIXELS)
        t.table[i] = p.table[i];
    for (int i = me; i < p.levels * REFINE_OTHERS; i += TILE_PIXELS)
        t.other[i] = p.other[i];
    for (int i = me; i < wide * REFINE_SIDE; i += TILE_PIXELS)
        (&t.kx[0][0])[i] = p.kernel[0][(size_t)x0 * REFINE_SIDE + i];
    for (int i = me; i < high * REFINE_SIDE; i += TILE_PIXELS)
        (&t.ky[0][0])[i] = p.kernel[1][(size_t)y0 * REFINE_SIDE + i];
    t.d[me] = inside ? p.r[at] : make_float2(0, 0);
    t.numbers[me] = inside ? p.numbers[at] : 0;
    __syncthreads();
    unsigned changes = 0;
    for (int from = 0;;) {
        search_move move = {-1, -1, -1};
        if (inside && me >= from)
            move = search_look(p, t, x, y, wide, high);
        const unsigned who = __ballot_sync(0xffffffffu, move.level >= 0);
        if (me % 32 == 0)
            t.found[me / 32] = who ? me + __ffs((int)who) - 1 : (int)TILE_PIXELS;
        __syncthreads();
        int first = TILE_PIXELS;
        for (int i = 0; i < TILE_WARPS; i++)
            first = min(first, t.found[i]);
        if (first == TILE_PIXELS)
            break;
        if (me == first) {
            t.which = move.which;
            t.level = move.level;
            t.second = move.second;
        }
        __syncthreads();
        const int u = first % REFINE_TILE, v = first / REFINE_TILE, which = t.which;
        const int beside = which == 0 || which == 2 ? 1 : which == 3 ? -1 : 0, under = which > 0;
        const int other = first + under * REFINE_TILE + beside;
        float2 d = t.d[me];
        search_take(t, x, y, u, v, t.numbers[first], t.level, &d);
        if (which >= 0)
            search_take(t, x, y, u + beside, v + under, t.numbers[other], t.second, &d);
        __syncthreads();
        t.d[me] = d;
        if (me == first) {
            t.numbers[first] = (uint8_t)t.level;
            if (which >= 0)
                t.numbers[other] = (uint8_t)t.second;
        }
        changes++;
        from = first + 1;
        __syncthreads();
    }
    if (inside)
        p.numbers[at] = t.numbers[me];
    if (me == 0 && changes)
        atomicAdd(p.changes, changes);
}

#endif
