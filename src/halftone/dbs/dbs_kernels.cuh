/* SPDX-License-Identifier: MIT */
/*
 * Direct binary search, device code. A block of the picture, 32 x 32 pixels, is a warp's: its 32
 * lanes are a row. The warp keeps the block's part of c_pe in shared memory, with 2w + 1 pixels more
 * on each side, for that is as far as an accepted change reaches. All lanes try their pixels at once;
 * the first lane that gains is accepted, the warp adds its update, and the lanes after it are tried
 * again: raster order. Blocks of a group touch nothing in common, so any number of warps may work at
 * once; a barrier of the whole grid parts the groups.
 *
 * A window is 4w + 2 pixels wide and a row of the tile 32 more, so that element i of an update lies
 * i + 32 floor(i / (4w + 2)) after its first: 32 lanes always meet 32 banks.
 */
#ifndef RO_HALFTONE_DBS_DBS_KERNELS_CUH
#define RO_HALFTONE_DBS_DBS_KERNELS_CUH

#include "core/random.h"
#include "halftone/dbs/dbs.h"

#include <stdint.h>

enum {
    SIDE = 32,   /* of a block */
    BORDER = 16, /* round c_pe, more than 2w + 1 */
};

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
    int across, down;  /* blocks */
    int pad, image_width, image_height;
    int w, rounds;
    int seen; /* the picture is blurred too */
    uint32_t white, screen_size, ranks_pitch;
    uint64_t seed;
    int32_t toggle_cost, straight_cost, diagonal_cost;
    size_t pitch; /* of c_pe */
    int32_t *pe;
    uint32_t *b, *open; /* bit rows of across + 2 words, the lowest bit leftmost, a row above */
    uint32_t *stale;    /* of each block, with a ring of blocks round them: rows to be tried */
    const int32_t *target;
    const uint32_t *chance, *limit, *ranks, *column, *row;
    const int32_t *eye;     /* (2w + 1)^2 */
    const int32_t *updates; /* five of (4w + 2)^2: what an origin that turns black adds */
    struct dbs_counters *counters;
};

__device__ __forceinline__ size_t bit_word(const struct dbs_device &d, int block, int y)
{
    return (size_t)(y + 1) * (size_t)(d.across + 2) + (size_t)(block + 1);
}

__device__ __forceinline__ size_t stale_word(const struct dbs_device &d, int x, int y)
{
    return (size_t)(y + 1) * (size_t)(d.across + 2) + (size_t)(x + 1);
}

/* ---- the start --------------------------------------------------------------------------------- */

/* A warp makes a word of 32 pixels. `first` is the start as packed bits, or NULL. */
template <typename sample>
__global__ void start_kernel(struct dbs_device d, const unsigned char *in, size_t in_pitch,
                             const unsigned char *first, size_t first_pitch)
{
    const int x = (int)blockIdx.x * SIDE + (int)threadIdx.x;
    const int y = (int)blockIdx.y * (int)blockDim.y + (int)threadIdx.y;
    if (y >= d.height)
        return;
    bool white = false, open = false;
    if (x < d.width) {
        const sample *row = (const sample *)(in + d.row[y] * in_pitch);
        const uint32_t value = row[d.column[x]];
        if (first)
            white = first[(size_t)y * first_pitch + (size_t)x / 8] >> (7 - x % 8) & 1;
        else
            white = (ro_hash(d.seed, (uint32_t)x, (uint32_t)y) & 0xffffff) < d.chance[value];
        open = true;
        if (d.screen_size) {
            const uint32_t m = d.screen_size;
            const size_t cell = (size_t)((uint32_t)y % m) * d.ranks_pitch + (uint32_t)x % m;
            open = d.ranks[cell] >= d.limit[value];
            if (!open)
                white = 2 * value < d.white; /* the minority of shadows */
        }
    }
    const uint32_t whites = __ballot_sync(0xffffffff, white), opens = __ballot_sync(0xffffffff, open);
    if (threadIdx.x == 0) {
        d.b[bit_word(d, (int)blockIdx.x, y)] = whites;
        d.open[bit_word(d, (int)blockIdx.x, y)] = opens;
        if (y % SIDE == 0)
            d.stale[stale_word(d, (int)blockIdx.x, y / SIDE)] = 0xffffffff;
    }
}

/* ---- e and c_pe -------------------------------------------------------------------------------- */

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

/* A block of threads for a block of pixels: what e is made from round it, then e round it, then
 * c_pe. With `measure` only the error of the picture itself is added up. */
template <typename sample>
__global__ void convolve_kernel(struct dbs_device d, const unsigned char *in, size_t in_pitch,
                                int measure)
{
    extern __shared__ int32_t memory[];
    const int w = d.w, wide = SIDE + 2 * w, wider = SIDE + 4 * w, eye_side = 2 * w + 1;
    int32_t *error = memory, *eye = error + wide * wide, *from = eye + eye_side * eye_side;
    const int x0 = (int)blockIdx.x * SIDE, y0 = (int)blockIdx.y * SIDE;
    const int thread = (int)threadIdx.x, threads = (int)blockDim.x;
    for (int i = thread; i < eye_side * eye_side; i += threads)
        eye[i] = d.eye[i];
    for (int i = thread; i < wider * wider; i += threads)
        from[i] = from_at<sample>(d, in, in_pitch, x0 - 2 * w + i % wider, y0 - 2 * w + i / wider);
    __syncthreads();
    unsigned long long squares = 0;
    for (int i = thread; i < wide * wide; i += threads) {
        const int ex = i % wide, ey = i / wide, x = x0 - w + ex, y = y0 - w + ey;
        int32_t e = 0;
        if (x >= 0 && y >= 0 && x < d.width && y < d.height) {
            int32_t sum = 0;
            for (int dy = 0; dy < eye_side; dy++)
                for (int dx = 0; dx < eye_side; dx++)
                    sum += eye[dy * eye_side + dx] * from[(ey + dy) * wider + ex + dx];
            if (d.seen) {
                e = (sum + DBS_SCALE / 2) >> DBS_SCALE_BITS;
            } else {
                const sample *row = (const sample *)(in + d.row[y] * in_pitch);
                e = d.target[row[d.column[x]]] - 16 * sum;
            }
            bool counts = ex >= w && ey >= w && ex < w + SIDE && ey < w + SIDE;
            if (measure)
                counts = counts && x >= d.pad && y >= d.pad && x < d.pad + d.image_width &&
                         y < d.pad + d.image_height;
            if (counts)
                squares += (unsigned long long)((long long)e * e);
        }
        error[i] = e;
    }
    for (int step = 16; step; step /= 2)
        squares += __shfl_down_sync(0xffffffff, squares, (unsigned)step);
    if (thread % 32 == 0)
        atomicAdd(measure ? &d.counters->error : &d.counters->start_error, squares);
    if (measure)
        return;
    __syncthreads();
    for (int i = thread; i < SIDE * SIDE; i += threads) {
        const int cx = i % SIDE, cy = i / SIDE;
        int32_t pe = 0;
        for (int dy = 0; dy < eye_side; dy++)
            for (int dx = 0; dx < eye_side; dx++)
                pe += eye[dy * eye_side + dx] * error[(cy + dy) * wide + cx + dx];
        d.pe[(size_t)(y0 + cy + BORDER) * d.pitch + (size_t)(x0 + cx + BORDER)] = pe;
    }
}

/* ---- the search -------------------------------------------------------------------------------- */

/* Toggle, then the neighbours in raster order. An update is seen from its origin, the first of two
 * swapped pixels; tables 0 to 4 are toggle, east, south-west, south, south-east. */
struct dbs_device_move {
    int8_t dx, dy;       /* of the other pixel */
    int8_t ox, oy;       /* of the window's first pixel beyond (-2w, -2w) */
    int8_t table, flips; /* the origin is the other pixel */
};
__constant__ const struct dbs_device_move dbs_moves[9] = {
    {0, 0, 0, 0, 0, 0},  {-1, -1, -1, -1, 4, 1}, {0, -1, 0, -1, 3, 1},
    {1, -1, 0, -1, 2, 1}, {-1, 0, -1, 0, 1, 1},  {1, 0, 0, 0, 1, 0},
    {-1, 1, -1, 0, 2, 0}, {0, 1, 0, 0, 3, 0},    {1, 1, 0, 0, 4, 0},
};

/* What a warp has in shared memory. Row r of `b` is row r - 1 of the block, its bit 0 the pixel left
 * of the block: 34 rows of 34 bits. */
template <int W> struct warp_memory {
    static constexpr int REACH = 2 * W + 1, PITCH = SIDE + 2 * REACH, WINDOW = 4 * W + 2;
    int32_t pe[PITCH * PITCH];
    uint64_t b[SIDE + 2], open[SIDE + 2];
};

__device__ __forceinline__ uint64_t load_bits(const uint32_t *bits, const struct dbs_device &d,
                                              int block, int y)
{
    const uint32_t *word = bits + bit_word(d, block, y);
    return (uint64_t)(__ldcg(word - 1) >> 31) | (uint64_t)__ldcg(word) << 1 |
           (uint64_t)(__ldcg(word + 1) & 1) << 33;
}

template <int W>
__device__ __forceinline__ void load_tile(struct warp_memory<W> &tile, const struct dbs_device &d,
                                          int bx, int by, int lane)
{
    const int pitch = warp_memory<W>::PITCH, reach = warp_memory<W>::REACH;
    const int32_t *from = d.pe + (size_t)(by * SIDE - reach + BORDER) * d.pitch +
                          (size_t)(bx * SIDE - reach + BORDER);
#pragma unroll 10
    for (int r = 0; r < pitch; r++, from += d.pitch) {
        tile.pe[r * pitch + lane] = __ldcg(from + lane);
        if (lane + 32 < pitch)
            tile.pe[r * pitch + lane + 32] = __ldcg(from + lane + 32);
    }
    for (int r = lane; r < SIDE + 2; r += 32) {
        tile.b[r] = load_bits(d.b, d, bx, by * SIDE + r - 1);
        tile.open[r] = load_bits(d.open, d, bx, by * SIDE + r - 1);
    }
}

/* A word beside the block may be written by the next block of the group too, each its own bit. */
template <int W>
__device__ __forceinline__ void store_tile(const struct warp_memory<W> &tile,
                                           const struct dbs_device &d, int bx, int by, int lane)
{
    const int pitch = warp_memory<W>::PITCH, reach = warp_memory<W>::REACH;
    int32_t *to = d.pe + (size_t)(by * SIDE - reach + BORDER) * d.pitch +
                  (size_t)(bx * SIDE - reach + BORDER);
    for (int r = 0; r < pitch; r++, to += d.pitch) {
        __stcg(to + lane, tile.pe[r * pitch + lane]);
        if (lane + 32 < pitch)
            __stcg(to + lane + 32, tile.pe[r * pitch + lane + 32]);
    }
    for (int r = lane; r < SIDE + 2; r += 32) {
        uint32_t *word = d.b + bit_word(d, bx, by * SIDE + r - 1);
        const uint64_t bits = tile.b[r];
        __stcg(word, (uint32_t)(bits >> 1));
        if ((__ldcg(word - 1) >> 31) != (uint32_t)(bits & 1))
            atomicXor(word - 1, 0x80000000u);
        if ((__ldcg(word + 1) & 1) != (uint32_t)(bits >> 33 & 1))
            atomicXor(word + 1, 1u);
    }
}

/* Rows of a block that lie within `reach` of row y, which is counted from the block's first. */
__device__ __forceinline__ uint32_t rows_near(int y, int reach)
{
    const int first = max(y - reach, 0), last = min(y + reach, SIDE - 1);
    return first > last ? 0 : 0xffffffffu >> (31 - last) & 0xffffffffu << first;
}

/* Tries the pixels of a block once each. `updates` are the tables in shared memory. */
template <int W>
__device__ void search_block(const struct dbs_device &d, struct warp_memory<W> &tile,
                             const int32_t *updates, int bx, int by, int lane,
                             unsigned &changes, long long &gain)
{
    constexpr int PITCH = warp_memory<W>::PITCH, REACH = warp_memory<W>::REACH;
    constexpr int WINDOW = warp_memory<W>::WINDOW, SIZE = WINDOW * WINDOW;
    uint32_t *const stale = d.stale + stale_word(d, bx, by);
    uint32_t mask = __ldcg(stale);
    if (!mask)
        return;
    load_tile(tile, d, bx, by, lane);
    __syncwarp();
    /* Rows to be tried in the blocks round this one: left, here and right; above, here, below. */
    uint32_t near[3][3] = {};
    unsigned accepted = 0;
    for (int y = 0; y < SIDE; y++) {
        if (!(mask >> y & 1))
            continue;
        mask &= ~(1u << y);
        uint64_t b0 = tile.b[y], b1 = tile.b[y + 1], b2 = tile.b[y + 2];
        const uint64_t open0 = tile.open[y], open1 = tile.open[y + 1], open2 = tile.open[y + 2];
        const int32_t *const centre = tile.pe + (y + REACH) * PITCH + lane + REACH;
        bool active = open1 >> (lane + 1) & 1;
        bool touched = false;
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
            if (lane == source)
                gain += best;
            accepted++;
            touched = true;
            active = active && lane > source;

            const struct dbs_device_move move = dbs_moves[which];
            const int turns_white = !((b1 >> (source + 1)) & 1) ^ move.flips;
            const int32_t factor = turns_white ? -1 : 1;
            int32_t *const window =
                tile.pe + (y + 1 + move.oy) * PITCH + source + 1 + move.ox; /* REACH - 2W is 1 */
            const int32_t *const table = updates + move.table * SIZE;
            __syncwarp(); /* all have read what is now changed */
#pragma unroll
            for (int i = lane; i < SIZE; i += 32)
                window[i + 32 * (i / WINDOW)] += factor * table[i];
            __syncwarp();

            b1 ^= (uint64_t)1 << (source + 1);
            if (which) {
                const uint64_t other = (uint64_t)1 << (source + 1 + move.dx);
                b0 ^= move.dy < 0 ? other : 0;
                b1 ^= move.dy == 0 ? other : 0;
                b2 ^= move.dy > 0 ? other : 0;
            }
            const int reach = REACH + 1;
            const bool to_left = source - reach < 0, to_right = source + reach >= SIDE;
#pragma unroll
            for (int v = 0; v < 3; v++) {
                const uint32_t rows = rows_near(y + (1 - v) * SIDE, reach);
                near[v][0] |= to_left ? rows : 0;
                near[v][1] |= rows;
                near[v][2] |= to_right ? rows : 0;
            }
            mask |= rows_near(y, reach);
        }
        if (touched && lane == 0) {
            tile.b[y] = b0;
            tile.b[y + 1] = b1;
            tile.b[y + 2] = b2;
        }
        __syncwarp();
    }
    if (lane == 0)
        __stcg(stale, mask);
    if (!accepted)
        return;
    changes += accepted;
    store_tile(tile, d, bx, by, lane);
    if (lane < 9 && lane != 4) {
        uint32_t rows = 0;
#pragma unroll
        for (int v = 0; v < 9; v++)
            rows = lane == v ? near[v / 3][v % 3] : rows;
        const int nx = bx + lane % 3 - 1, ny = by + lane / 3 - 1;
        if (rows && nx >= 0 && ny >= 0 && nx < d.across && ny < d.down)
            atomicOr(d.stale + stale_word(d, nx, ny), rows);
    }
    __syncwarp();
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
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int warps = (int)blockDim.x / 32;
    int32_t *const updates = (int32_t *)(tiles + warps);
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
            const int columns = (d.across + 1 - group % 2) / 2, rows = (d.down + 1 - group / 2) / 2;
            /* Neighbours in the list go to different multiprocessors. */
            for (int i = warp * (int)gridDim.x + (int)blockIdx.x; i < columns * rows;
                 i += warps * (int)gridDim.x)
                search_block<W>(d, tiles[warp], updates, i % columns * 2 + group % 2,
                                i / columns * 2 + group / 2, lane, changes, gain);
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

/* ---- the result -------------------------------------------------------------------------------- */

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
