/* SPDX-License-Identifier: MIT */
/*
 * Direct binary search, device code. A block of the picture, one cell of 32 x 32 pixels or 2 x 2 of
 * them, is a warp's: its 32 lanes are a row of a cell. The warp keeps the block's part of c_pe in
 * shared memory, with 2w + 1 pixels more on each side, for that is as far as an accepted change
 * reaches. All lanes try their pixels at once; the first lane that gains is accepted, the warp adds
 * its update, and the lanes after it are tried again: raster order. Blocks of a group touch nothing
 * in common, so any number of warps may work at once; a barrier of the whole grid parts the groups.
 *
 * The large blocks of wide eyes have four warps each: all try the same pixels, and share the work
 * of an update. They meet where a warp alone would only wait for its own lanes.
 *
 * A window is 4w + 2 pixels wide and a row of the tile as much more as a block is, so that element
 * i of an update lies i + side floor(i / (4w + 2)) after its first: 32 lanes always meet 32 banks.
 */
#ifndef RO_HALFTONE_SEARCH_SEARCH_KERNELS_CUH
#define RO_HALFTONE_SEARCH_SEARCH_KERNELS_CUH

#include "core/random.h"
#include "halftone/search/search.h"

#include <stdint.h>

enum {
    CELL = 32,   /* pixels a side, and in a word of bits */
    BORDER = 32, /* round c_pe, more than 2w + 1 */
};

/* Cells a side of a block: blocks of a group must not meet. */
__host__ __device__ constexpr int dbs_cells(int w) { return w > 7 ? 2 : 1; }

/* Warps of a block. */
__host__ __device__ constexpr int dbs_team(int w) { return w > 7 ? 4 : 1; }

struct dbs_counters {
    unsigned barrier;    /* arrivals */
    unsigned changes[4]; /* of the last rounds, in turn */
    unsigned rounds;
    unsigned long long all_changes;
    unsigned long long gain; /* as two's complement */
    unsigned long long start_error, error;
};

/* All that a kernel needs, by value. */
struct dbs_device {
    int width, height; /* padded */
    int across, down;  /* cells, in whole blocks */
    int pad, image_width, image_height;
    int w, rounds;
    int seen; /* the picture is blurred too */
    uint32_t white, screen_size, ranks_pitch;
    uint64_t seed;
    int32_t toggle_cost, straight_cost, diagonal_cost;
    size_t pitch; /* of c_pe */
    int32_t *pe;
    uint32_t *b, *open; /* bit rows of across + 2 words, the lowest bit leftmost, a row above */
    uint32_t *stale;    /* of each cell, with a ring of cells round them: rows to be tried */
    const int32_t *target;
    const uint32_t *chance, *limit, *ranks, *column, *row;
    const int32_t *eye;     /* (2w + 1)^2 */
    const int32_t *updates; /* five of (4w + 2)^2: what an origin that turns black adds */
    struct dbs_counters *counters;
};

__device__ __forceinline__ size_t bit_word(const struct dbs_device &d, int cell, int y)
{
    return (size_t)(y + 1) * (size_t)(d.across + 2) + (size_t)(cell + 1);
}

__device__ __forceinline__ size_t stale_word(const struct dbs_device &d, int x, int y)
{
    return (size_t)(y + 1) * (size_t)(d.across + 2) + (size_t)(x + 1);
}

/* ---- the start ------------------------------------------------------------------------------ */

/* Where a search starts: packed bits of the padded picture, or of the picture itself, or none. */
struct dbs_first {
    const unsigned char *bits;
    size_t pitch;
    int padded;
};

/* The padded picture, for a method that makes the first halftone of it. */
template <typename sample>
__global__ void pad_kernel(struct dbs_device d, const unsigned char *in, size_t in_pitch,
                           unsigned char *out, size_t out_pitch)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y;
    if (x < d.width)
        ((sample *)(out + (size_t)y * out_pitch))[x] =
            ((const sample *)(in + d.row[y] * in_pitch))[d.column[x]];
}

/* A warp makes a word of 32 pixels. */
template <typename sample>
__global__ void start_kernel(struct dbs_device d, const unsigned char *in, size_t in_pitch,
                             struct dbs_first first)
{
    const int x = (int)blockIdx.x * CELL + (int)threadIdx.x;
    const int y = (int)blockIdx.y * (int)blockDim.y + (int)threadIdx.y;
    if (y >= d.height)
        return;
    bool white = false, open = false;
    if (x < d.width) {
        const sample *row = (const sample *)(in + d.row[y] * in_pitch);
        const uint32_t value = row[d.column[x]];
        const uint32_t bx = first.padded ? (uint32_t)x : d.column[x];
        const uint32_t by = first.padded ? (uint32_t)y : d.row[y];
        if (first.bits)
            white = first.bits[by * first.pitch + bx / 8] >> (7 - bx % 8) & 1;
        else
            white = (pixel_hash(d.seed, (uint32_t)x, (uint32_t)y) & 0xffffff) < d.chance[value];
        open = true;
        if (d.screen_size) {
            const uint32_t m = d.screen_size;
            const size_t cell = (size_t)((uint32_t)y % m) * d.ranks_pitch + (uint32_t)x % m;
            open = d.ranks[cell] >= d.limit[value];
            if (!open)
                white = 2 * value < d.white; /* the minority of shadows */
        }
    }
    const uint32_t whites = __ballot_sync(0xffffffff, white),
                   opens = __ballot_sync(0xffffffff, open);
    if (threadIdx.x == 0) {
        d.b[bit_word(d, (int)blockIdx.x, y)] = whites;
        d.open[bit_word(d, (int)blockIdx.x, y)] = opens;
        if (y % CELL == 0)
            d.stale[stale_word(d, (int)blockIdx.x, y / CELL)] = 0xffffffff;
    }
}

/* ---- e and c_pe ----------------------------------------------------------------------------- */

__device__ __forceinline__ int bit_at(const struct dbs_device &d, int x, int y)
{
    if (y < 0 || y >= d.height)
        return 0;
    return (int)(d.b[bit_word(d, x >> 5, y)] >> (x & 31) & 1); /* a word of zeros on either side */
}

/* What the eye's sum at (x, y) is made from: b, or A - 16 S b where the picture is blurred too. */
template <typename sample>
__device__ __forceinline__ int32_t from_at(const struct dbs_device &d, const unsigned char *in,
                                           size_t in_pitch, int x, int y)
{
    const int b = bit_at(d, x, y);
    if (!d.seen || x < 0 || y < 0 || x >= d.width || y >= d.height)
        return b;
    return d.target[((const sample *)(in + d.row[y] * in_pitch))[d.column[x]]] - 16 * DBS_SCALE * b;
}

/* Sums of the eye over RUN rows below one another, at (x, y) and on: what is loaded serves all of
 * them. */
enum { RUN = 4 };
__device__ __forceinline__ void weigh(const int32_t *eye, int eye_side, const int32_t *from,
                                      int pitch, int32_t (&sums)[RUN])
{
    for (int j = 0; j < RUN; j++)
        sums[j] = 0;
    for (int dx = 0; dx < eye_side; dx++) {
        int32_t weights[RUN] = {0}; /* of the rows dy, dy - 1, ... of the eye */
        for (int dy = 0; dy < eye_side + RUN - 1; dy++) {
#pragma unroll
            for (int j = RUN - 1; j > 0; j--)
                weights[j] = weights[j - 1];
            weights[0] = dy < eye_side ? eye[dy * eye_side + dx] : 0;
            const int32_t value = from[dy * pitch + dx];
#pragma unroll
            for (int j = 0; j < RUN; j++)
                sums[j] += weights[j] * value;
        }
    }
}

/* A block of threads for a block of pixels: what e is made from round it, then e round it, then
 * c_pe. With `measure` only the error of the picture itself is added up. */
template <typename sample>
__global__ void convolve_kernel(struct dbs_device d, const unsigned char *in, size_t in_pitch,
                                int measure)
{
    extern __shared__ int32_t memory[];
    const int w = d.w, wide = CELL + 2 * w, wider = CELL + 4 * w, eye_side = 2 * w + 1;
    /* Rows that a run of sums may touch beyond the last are room, no more. */
    int32_t *error = memory, *eye = error + wide * (wide + RUN);
    int32_t *from = eye + eye_side * eye_side;
    const int x0 = (int)blockIdx.x * CELL, y0 = (int)blockIdx.y * CELL;
    const int thread = (int)threadIdx.x, threads = (int)blockDim.x;
    for (int i = thread; i < eye_side * eye_side; i += threads)
        eye[i] = d.eye[i];
    for (int i = thread; i < wider * wider; i += threads)
        from[i] = from_at<sample>(d, in, in_pitch, x0 - 2 * w + i % wider, y0 - 2 * w + i / wider);
    for (int i = thread; i < wider * RUN; i += threads)
        from[wider * wider + i] = 0;
    __syncthreads();
    unsigned long long squares = 0;
    for (int i = thread; i < wide * ((wide + RUN - 1) / RUN); i += threads) {
        const int ex = i % wide, x = x0 - w + ex, first = i / wide * RUN;
        int32_t sums[RUN];
        weigh(eye, eye_side, from + first * wider + ex, wider, sums);
#pragma unroll
        for (int j = 0; j < RUN; j++) {
            const int ey = first + j, y = y0 - w + ey;
            int32_t e = 0;
            if (ey < wide && x >= 0 && y >= 0 && x < d.width && y < d.height) {
                if (d.seen) {
                    e = (sums[j] + DBS_SCALE / 2) >> DBS_SCALE_BITS;
                } else {
                    const sample *row = (const sample *)(in + d.row[y] * in_pitch);
                    e = d.target[row[d.column[x]]] - 16 * sums[j];
                }
                bool counts = ex >= w && ey >= w && ex < w + CELL && ey < w + CELL;
                if (measure)
                    counts = counts && x >= d.pad && y >= d.pad && x < d.pad + d.image_width &&
                             y < d.pad + d.image_height;
                if (counts)
                    squares += (unsigned long long)((long long)e * e);
            }
            error[ey * wide + ex] = e;
        }
    }
    for (int step = 16; step; step /= 2)
        squares += __shfl_down_sync(0xffffffff, squares, (unsigned)step);
    if (thread % 32 == 0)
        atomicAdd(measure ? &d.counters->error : &d.counters->start_error, squares);
    if (measure)
        return;
    __syncthreads();
    for (int i = thread; i < CELL * (CELL / RUN); i += threads) {
        const int cx = i % CELL, cy = i / CELL * RUN;
        int32_t sums[RUN];
        weigh(eye, eye_side, error + cy * wide + cx, wide, sums);
#pragma unroll
        for (int j = 0; j < RUN; j++)
            d.pe[(size_t)(y0 + cy + j + BORDER) * d.pitch + (size_t)(x0 + cx + BORDER)] = sums[j];
    }
}

/* ---- the search ----------------------------------------------------------------------------- */

/* Toggle, then the neighbours in raster order. An update is seen from its origin, the first of two
 * swapped pixels; tables 0 to 4 are toggle, east, south-west, south, south-east. */
struct dbs_device_move {
    int8_t dx, dy;       /* of the other pixel */
    int8_t ox, oy;       /* of the window's first pixel beyond (-2w, -2w) */
    int8_t table, flips; /* the origin is the other pixel */
};
__constant__ const struct dbs_device_move dbs_moves[9] = {
    {0, 0, 0, 0, 0, 0},   {-1, -1, -1, -1, 4, 1}, {0, -1, 0, -1, 3, 1},
    {1, -1, 0, -1, 2, 1}, {-1, 0, -1, 0, 1, 1},   {1, 0, 0, 0, 1, 0},
    {-1, 1, -1, 0, 2, 0}, {0, 1, 0, 0, 3, 0},     {1, 1, 0, 0, 4, 0},
};

/* What a warp has in shared memory. Row r of `b` is row r - 1 of the block; for each of its cells,
 * bit 0 is the pixel left of the cell: rows of 34 bits. `stale` has a ring of cells round the
 * block. */
template <int W> struct warp_memory {
    static constexpr int CELLS = dbs_cells(W), SIDE = CELLS * CELL, REACH = 2 * W + 1;
    static constexpr int PITCH = SIDE + 2 * REACH, WINDOW = 4 * W + 2, ROWS = SIDE + 2;
    int32_t pe[PITCH * PITCH];
    uint64_t b[CELLS][ROWS], open[CELLS][ROWS];
    uint32_t stale[CELLS + 2][CELLS + 2];
};

/* Who works on a block: a warp of its team, and a lane of that. */
struct member {
    int team, warp, lane;
};

/* All lanes of a team's warps meet. Barrier 0 is that of all threads. */
template <int W> __device__ __forceinline__ void meet_team(const struct member &who)
{
    if (dbs_team(W) == 1)
        __syncwarp();
    else
        asm volatile("bar.sync %0, %1;" ::"r"(who.team + 1), "n"(32 * dbs_team(W)) : "memory");
}

__device__ __forceinline__ uint64_t load_bits(const uint32_t *bits, const struct dbs_device &d,
                                              int cell, int y)
{
    const uint32_t *word = bits + bit_word(d, cell, y);
    return (uint64_t)(__ldcg(word - 1) >> 31) | (uint64_t)__ldcg(word) << 1 |
           (uint64_t)(__ldcg(word + 1) & 1) << 33;
}

/* The rows of the block that must be tried, and whether there are any. */
template <int W>
__device__ __forceinline__ bool load_stale(struct warp_memory<W> &tile, const struct dbs_device &d,
                                           int bx, int by, int lane)
{
    constexpr int CELLS = warp_memory<W>::CELLS, RING = CELLS + 2;
    const int u = lane % RING, v = lane / RING;
    const bool own = u > 0 && u <= CELLS && v > 0 && v <= CELLS;
    const uint32_t rows =
        own ? __ldcg(d.stale + stale_word(d, bx * CELLS + u - 1, by * CELLS + v - 1)) : 0;
    if (lane < RING * RING)
        tile.stale[v][u] = rows;
    return __any_sync(0xffffffff, rows != 0);
}

template <int W>
__device__ __forceinline__ void load_tile(struct warp_memory<W> &tile, const struct dbs_device &d,
                                          int bx, int by, const struct member &who)
{
    typedef struct warp_memory<W> memory;
    const int lane = who.lane;
    const int32_t *from =
        d.pe + (size_t)(by * memory::SIDE - memory::REACH + BORDER + who.warp) * d.pitch +
        (size_t)(bx * memory::SIDE - memory::REACH + BORDER);
#pragma unroll 10
    for (int r = who.warp; r < memory::PITCH; r += dbs_team(W), from += dbs_team(W) * d.pitch)
#pragma unroll
        for (int c = lane; c < memory::PITCH; c += 32)
            tile.pe[r * memory::PITCH + c] = __ldcg(from + c);
    for (int i = 0; i < memory::CELLS && who.warp == 0; i++)
        for (int r = lane; r < memory::ROWS; r += 32) {
            const int cell = bx * memory::CELLS + i, y = by * memory::SIDE + r - 1;
            tile.b[i][r] = load_bits(d.b, d, cell, y);
            tile.open[i][r] = load_bits(d.open, d, cell, y);
        }
}

/* A word beside the block may be written by the next block of the group too, each its own bit. */
template <int W>
__device__ __forceinline__ void store_tile(const struct warp_memory<W> &tile,
                                           const struct dbs_device &d, int bx, int by,
                                           const struct member &who)
{
    typedef struct warp_memory<W> memory;
    const int lane = who.lane;
    int32_t *to = d.pe + (size_t)(by * memory::SIDE - memory::REACH + BORDER + who.warp) * d.pitch +
                  (size_t)(bx * memory::SIDE - memory::REACH + BORDER);
    for (int r = who.warp; r < memory::PITCH; r += dbs_team(W), to += dbs_team(W) * d.pitch)
#pragma unroll
        for (int c = lane; c < memory::PITCH; c += 32)
            __stcg(to + c, tile.pe[r * memory::PITCH + c]);
    for (int i = 0; i < memory::CELLS && who.warp == 0; i++)
        for (int r = lane; r < memory::ROWS; r += 32) {
            uint32_t *word = d.b + bit_word(d, bx * memory::CELLS + i, by * memory::SIDE + r - 1);
            const uint64_t bits = tile.b[i][r];
            __stcg(word, (uint32_t)(bits >> 1));
            if (i == 0 && (__ldcg(word - 1) >> 31) != (uint32_t)(bits & 1))
                atomicXor(word - 1, 0x80000000u);
            if (i == memory::CELLS - 1 && (__ldcg(word + 1) & 1) != (uint32_t)(bits >> 33 & 1))
                atomicXor(word + 1, 1u);
        }
}

/* Rows of a cell that lie within `reach` of row y, which is counted from the cell's first. */
__device__ __forceinline__ uint32_t rows_near(int y, int reach)
{
    const int first = max(y - reach, 0), last = min(y + reach, CELL - 1);
    return first > last ? 0 : 0xffffffffu >> (31 - last) & 0xffffffffu << first;
}

/* Marks the rows that a change of pixel (x, y) of cell (u, v) concerns, in the cells round it. */
template <int W>
__device__ __forceinline__ void mark_stale(struct warp_memory<W> &tile, int u, int v, int x, int y,
                                           int lane)
{
    const int reach = 2 * W + 2, side = lane % 3 - 1, level = lane / 3 - 1;
    if (lane >= 9 || (side < 0 && x - reach >= 0) || (side > 0 && x + reach < CELL))
        return;
    tile.stale[v + level][u + side] |= rows_near(y - level * CELL, reach);
}

/* Tries the pixels of row y in one cell of a block once each, the cell being i-th of its row. */
template <int W>
__device__ void search_row(const struct dbs_device &d, struct warp_memory<W> &tile,
                           const int32_t *updates, int i, int y, const struct member &who,
                           unsigned &accepted, long long &gain)
{
    typedef struct warp_memory<W> memory;
    const int lane = who.lane;
    constexpr int PITCH = memory::PITCH, REACH = memory::REACH, WINDOW = memory::WINDOW;
    constexpr int SIZE = WINDOW * WINDOW;
    uint64_t b0 = tile.b[i][y], b1 = tile.b[i][y + 1], b2 = tile.b[i][y + 2];
    const uint64_t open0 = tile.open[i][y], open1 = tile.open[i][y + 1],
                   open2 = tile.open[i][y + 2];
    const int32_t *const centre = tile.pe + (y + REACH) * PITCH + i * CELL + lane + REACH;
    bool active = open1 >> (lane + 1) & 1;
    uint64_t flips[3] = {0, 0, 0};
    for (;;) {
        /* Neighbours as bits: 0 to 2 above, 3 and 5 beside, 6 to 8 below. */
        const uint32_t white = (uint32_t)(b1 >> (lane + 1)) & 1;
        const uint32_t bits = ((uint32_t)(b0 >> lane) & 7) | ((uint32_t)(b1 >> lane) & 7) << 3 |
                              ((uint32_t)(b2 >> lane) & 7) << 6;
        const uint32_t opens = ((uint32_t)(open0 >> lane) & 7) |
                               ((uint32_t)(open1 >> lane) & 7) << 3 |
                               ((uint32_t)(open2 >> lane) & 7) << 6;
        const uint32_t swaps = (bits ^ (white ? 0x1ff : 0)) & opens;
        const int32_t sign = white ? -1 : 1, own = sign * centre[0];
        int32_t best = d.toggle_cost - own;
        int which = 0;
#pragma unroll
        for (int k = 0; k < 9; k++) {
            if (k == 4)
                continue;
            const int dx = k % 3 - 1, dy = k / 3 - 1;
            const int32_t cost = dx && dy ? d.diagonal_cost : d.straight_cost;
            const int32_t change = cost - own + sign * centre[dy * PITCH + dx];
            if ((swaps >> k & 1) && change < best) {
                best = change;
                which = k < 4 ? k + 1 : k;
            }
        }
        const uint32_t gains = __ballot_sync(0xffffffff, active && best < 0);
        if (!gains)
            break;
        const int source = __ffs((int)gains) - 1;
        which = __shfl_sync(0xffffffff, which, source);
        if (lane == source && who.warp == 0)
            gain += best;
        accepted++;
        active = active && lane > source;

        const struct dbs_device_move move = dbs_moves[which];
        const int turns_white = !((b1 >> (source + 1)) & 1) ^ move.flips;
        const int32_t factor = turns_white ? -1 : 1;
        int32_t *const window = tile.pe + (y + 1 + move.oy) * PITCH + i * CELL + source + 1 +
                                move.ox; /* REACH - 2W is 1 */
        const int32_t *const table = updates + move.table * SIZE;
        meet_team<W>(who); /* all have read what is now changed */
#pragma unroll(W > 7 ? 17 : 64)
        for (int k = lane + 32 * who.warp; k < SIZE; k += 32 * dbs_team(W))
            window[k + memory::SIDE * (k / WINDOW)] += factor * table[k];
        if (who.warp == 0)
            mark_stale<W>(tile, 1 + i, 1 + y / CELL, source, y % CELL, lane);
        meet_team<W>(who);

        const uint64_t one = (uint64_t)1 << (source + 1);
        const uint64_t other = which ? (uint64_t)1 << (source + 1 + move.dx) : 0;
        const uint64_t above = move.dy < 0 ? other : 0, below = move.dy > 0 ? other : 0;
        const uint64_t here = one ^ (move.dy == 0 ? other : 0);
        b0 ^= above;
        b1 ^= here;
        b2 ^= below;
        flips[0] ^= above;
        flips[1] ^= here;
        flips[2] ^= below;
    }
    /* Pixels 31 and 32 of a row belong to two cells of the block, one of them to each as a
     * neighbour. */
    if (who.warp == 0 && lane < 3 && (flips[0] | flips[1] | flips[2])) {
        const uint64_t flip = lane == 0 ? flips[0] : lane == 1 ? flips[1] : flips[2];
        tile.b[i][y + lane] ^= flip;
        if (i > 0)
            tile.b[i - 1][y + lane] ^= (flip & 3) << 32;
        if (i + 1 < memory::CELLS)
            tile.b[i + 1][y + lane] ^= flip >> 32;
    }
    meet_team<W>(who);
}

/* Tries the pixels of a block once each. `updates` are the tables in shared memory. */
template <int W>
__device__ void search_block(const struct dbs_device &d, struct warp_memory<W> &tile,
                             const int32_t *updates, int bx, int by, const struct member &who,
                             unsigned &changes, long long &gain)
{
    typedef struct warp_memory<W> memory;
    const int lane = who.lane;
    constexpr int CELLS = memory::CELLS, RING = CELLS + 2;
    if (!load_stale(tile, d, bx, by, lane))
        return;
    load_tile(tile, d, bx, by, who);
    meet_team<W>(who);
    unsigned accepted = 0;
    for (int y = 0; y < memory::SIDE; y++)
        for (int i = 0; i < CELLS; i++) {
            uint32_t *const rows = &tile.stale[1 + y / CELL][1 + i];
            const uint32_t bit = 1u << y % CELL, mask = *rows;
            if (!(mask & bit))
                continue;
            meet_team<W>(who);
            if (lane == 0 && who.warp == 0)
                *rows = mask & ~bit;
            meet_team<W>(who);
            search_row<W>(d, tile, updates, i, y, who, accepted, gain);
        }
    if (accepted)
        store_tile(tile, d, bx, by, who);
    const int u = lane % RING, v = lane / RING;
    const int x = bx * CELLS + u - 1, y = by * CELLS + v - 1;
    if (who.warp == 0 && lane < RING * RING && x >= 0 && y >= 0 && x < d.across && y < d.down) {
        const bool own = u > 0 && u <= CELLS && v > 0 && v <= CELLS;
        const uint32_t rows = tile.stale[v][u];
        if (own)
            __stcg(d.stale + stale_word(d, x, y), rows);
        else if (rows)
            atomicOr(d.stale + stale_word(d, x, y), rows);
    }
    changes += who.warp == 0 ? accepted : 0;
    meet_team<W>(who);
}

/* All blocks of threads meet; they are all on the device, for the launch is cooperative. */
__device__ __forceinline__ void meet(unsigned *arrivals, unsigned goal)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrivals, 1u);
#ifdef RO_CUDA_CHECKED
        for (int spins = 0; *(volatile unsigned *)arrivals < goal; spins++)
            if (spins > 1 << 26)
                __trap();
#else
        while (*(volatile unsigned *)arrivals < goal)
            ;
#endif
        __threadfence();
    }
    __syncthreads();
}

/* The whole search in one launch. */
template <int W> __global__ void search_kernel(struct dbs_device d)
{
    constexpr int SIZE = (4 * W + 2) * (4 * W + 2);
    extern __shared__ __align__(16) unsigned char shared[];
    struct warp_memory<W> *const tiles = (struct warp_memory<W> *)shared;
    constexpr int TEAM = dbs_team(W);
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const struct member who = {warp / TEAM, warp % TEAM, lane};
    const int teams = (int)blockDim.x / (32 * TEAM);
    int32_t *const updates = (int32_t *)(tiles + teams);
    struct dbs_counters *const counters = d.counters;
    for (int i = (int)threadIdx.x; i < 5 * SIZE; i += (int)blockDim.x)
        updates[i] = d.updates[i];
    __syncthreads();

    unsigned goal = 0;
    for (unsigned round = 0;; round++) {
        unsigned changes = 0;
        long long gain = 0;
        if (blockIdx.x == 0 && threadIdx.x == 0)
            counters->changes[(round + 2) % 4] = 0; /* nobody looks at it before the next round */
        for (int group = 0; group < 4; group++) {
            const int columns = (d.across / dbs_cells(W) + 1 - group % 2) / 2;
            const int rows = (d.down / dbs_cells(W) + 1 - group / 2) / 2;
            /* Neighbours in the list go to different multiprocessors. */
            for (int i = who.team * (int)gridDim.x + (int)blockIdx.x; i < columns * rows;
                 i += teams * (int)gridDim.x)
                search_block<W>(d, tiles[who.team], updates, i % columns * 2 + group % 2,
                                i / columns * 2 + group / 2, who, changes, gain);
            if (group == 3) {
                for (int step = 16; step; step /= 2)
                    gain += __shfl_down_sync(0xffffffff, gain, (unsigned)step);
                if (lane == 0 && changes) {
                    atomicAdd(&counters->changes[round % 4], changes);
                    atomicAdd(&counters->all_changes, (unsigned long long)changes);
                    atomicAdd(&counters->gain, (unsigned long long)gain);
                }
            }
            goal += gridDim.x;
            meet(&counters->barrier, goal);
        }
        const unsigned changed = *(volatile unsigned *)&counters->changes[round % 4];
        if (changed == 0 || round + 1 == (unsigned)d.rounds) {
            if (blockIdx.x == 0 && threadIdx.x == 0)
                counters->rounds = round + 1;
            return;
        }
    }
}

/* ---- the result ----------------------------------------------------------------------------- */

/* A thread for eight pixels: a byte of packed bits, or eight bytes. */
__global__ void pack_kernel(struct dbs_device d, unsigned char *out, size_t pitch, int bytes)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y;
    if (i * 8 >= d.image_width)
        return;
    const int x = d.pad + i * 8, count = min(8, d.image_width - i * 8);
    const uint32_t *word = d.b + bit_word(d, x >> 5, y + d.pad);
    const uint32_t bits = __funnelshift_r(word[0], word[1], (unsigned)x & 31);
    unsigned char *to = out + (size_t)y * pitch;
    if (!bytes)
        to[i] = (unsigned char)(__brev(bits) >> 24 & 0xff00u >> count);
    else
        for (int k = 0; k < count; k++)
            to[i * 8 + k] = (unsigned char)(bits >> k & 1);
}

#endif
