/* SPDX-License-Identifier: MIT */
/*
 * A band on the device: a warp is a band of 32 rows, a lane is a row, p columns behind the lane
 * above.
 *
 *     ring, a step after another:   [ 8 rows of the band above | 32 rows of this band ]
 *
 * An error is a word of two 16-bit parts. A tap (dx, dy) is the word dx + p * dy steps back and dy
 * to the left, one load from shared memory without conflicts; two dot products of 16 by 8 bits add
 * it to the real and the imaginary sum. Where the taps lie is not known at compile time: their
 * places and weights are kept in registers.
 *
 * From error to error there is a chain of 150 cycles: taps, nearest level, error. So only taps of
 * the step before (the LATE first ones) are added within it; the others and the pixel of step t + 1
 * are added while step t waits.
 */
#ifndef RO_HOLOGRAM_QUANTIZE_CUDA_DIFFUSE_BAND_CUH
#define RO_HOLOGRAM_QUANTIZE_CUDA_DIFFUSE_BAND_CUH

#include "hologram/quantize/cuda/diffuse_levels.cuh"
#include "hologram/quantize/cuda/diffuse_line.cuh"
#include "hologram/quantize/cuda/diffuse_pixels.cuh"

/* Taps in two chains each, so that they need not wait for one another. */
struct sums {
    int re, im, re2, im2;
    unsigned field; /* the pixel, a pair of 16 bits */
};

template <int TAPS> struct lane_taps {
    int place[TAPS], weight[TAPS];
};

template <int FIRST, int AFTER, int TAPS>
static __device__ __forceinline__ void add_taps(const unsigned char *steps,
                                                const lane_taps<TAPS> &taps, sums &s)
{
#pragma unroll
    for (int k = FIRST; k < AFTER; k++) {
        const int e = *(const int *)(steps + taps.place[k]);
        if (k % 2) {
            s.re2 = __dp2a_lo(e, taps.weight[k], s.re2);
            s.im2 = __dp2a_hi(e, taps.weight[k], s.im2);
        } else {
            s.re = __dp2a_lo(e, taps.weight[k], s.re);
            s.im = __dp2a_hi(e, taps.weight[k], s.im);
        }
    }
}

/* What a lane has of its row. */
struct row_of_lane {
    const char *pixels; /* the buffer in shared memory */
    unsigned char *out;
    float scale, scale_im;
    unsigned one, half;     /* 2^shift, and what is added before shifting */
    int shift, most, least; /* of sums */
    unsigned columns;       /* none of a row that does not exist */
    unsigned against_field; /* all bits: errors are the field less the level */
    unsigned clips;
    unsigned numbers[6]; /* of the last 16 steps, and of this block's */
};

static __device__ __forceinline__ void add_pixel(const row_of_lane &row, int column, sums &s)
{
    const float2 v = *(const float2 *)(row.pixels + (column & (BLOCK * BLOCKS - 1)) * 8);
    const float x = fminf(fmaxf(v.x * row.scale, -HOLOGRAM_LIMIT), HOLOGRAM_LIMIT);
    const float y = fminf(fmaxf(v.y * row.scale_im, -HOLOGRAM_LIMIT), HOLOGRAM_LIMIT);
    /* Adding 1.5 * 2^23 rounds to the nearest whole number; `half` takes its bits off again. */
    const unsigned re = __float_as_uint(x + 12582912.0f), im = __float_as_uint(y + 12582912.0f);
    s.re += re * row.one + row.half;
    s.im += im * row.one + row.half;
    s.field = pair_of((int)re, (int)im);
}

/* The step's error and its level, from its sums. */
template <int KIND>
static __device__ __forceinline__ unsigned round_step(const hologram_launch &p, unsigned table,
                                                      row_of_lane &row, const sums &now, bool valid,
                                                      unsigned &numbers)
{
    /* Cut off before they are shifted, which is the same and may be done while adding. */
    const int x = max(min(now.re + now.re2, row.most), row.least) >> row.shift;
    const int y = max(min(now.im + now.im2, row.most), row.least) >> row.shift;
    const unsigned pair = pair_of(x, y);
    const choice c = nearest<KIND>(p, table, x, y, pair);
    /* Far beyond the limit of errors nothing changes, and 16 bits hold the differences. */
    const unsigned from = (now.field & row.against_field) | (pair & ~row.against_field);
    const unsigned u = __vmins2(__vmaxs2(from, 0xa001a001u), 0x5fff5fffu);
    const unsigned low = __vadd2(u, c.low), high = __vadd2(u, c.high);
    const unsigned low_cut = __vmaxs2(__vmins2(low, 0x3fff3fffu), 0xc001c001u);
    const unsigned high_cut = __vmaxs2(__vmins2(high, 0x3fff3fffu), 0xc001c001u);
    const unsigned cut = c.up ? high_cut : low_cut;
    row.clips += valid && cut != (c.up ? high : low);
    numbers = __byte_perm(numbers, (unsigned)c.numbers, c.up ? 0x5321 : 0x4321);
    return valid ? cut : 0;
}

/* The block's numbers leave: those of 16 columns at once, when the last of them is among the block.
 * Where that is in a block, but for 8, is the same for all blocks. */
static __device__ __forceinline__ void store_wide(row_of_lane &row, int column)
{
    const int place = (15 - column) & (BLOCK - 1), last = column + place;
    const bool later = place >= 4;
    const unsigned turn = 0x4321 + 0x1111 * (place & 3);
    unsigned part[5];
#pragma unroll
    for (int i = 0; i < 5; i++)
        part[i] = later ? row.numbers[i + 1] : row.numbers[i];
    const uint4 all =
        make_uint4(__byte_perm(part[0], part[1], turn), __byte_perm(part[1], part[2], turn),
                   __byte_perm(part[2], part[3], turn), __byte_perm(part[3], part[4], turn));
    if ((last & 15) == 15 && (unsigned)last < row.columns)
        *(uint4 *)(row.out + last - 15) = all;
#pragma unroll
    for (int i = 0; i < 4; i++)
        row.numbers[i] = row.numbers[i + 2];
}

static __device__ __forceinline__ void store_bytes(const row_of_lane &row, int column)
{
#pragma unroll
    for (int s = 0; s < BLOCK; s++)
        if ((unsigned)(column + s) < row.columns)
            row.out[column + s] = (unsigned char)(row.numbers[4 + s / 4] >> 8 * (s % 4));
}

/* What a block is given: of this lane, unless it is the same for all. */
struct block {
    const unsigned char *steps; /* in the ring: where places count from, */
    unsigned char *slots;       /* the first step's words, */
    int words, own;             /* in them those of the line and the error */
    uint2 above;                /* the line's words */
    uint2 *below;               /* where this band's go */
    unsigned tag;
    int column;
    bool last;
};

/* BLOCK steps. `now` are the sums of the first step but for its latest taps; they become those of
 * the step after the last. INSIDE: all pixels exist, here and in the block that is staged; then
 * there is no branch, and what is not in the chain fills its gaps. */
template <int LATE, int TAPS, int KIND, bool INSIDE>
static __device__ __forceinline__ void run_block(const hologram_launch &p, unsigned table,
                                                 const block &b, const lane_taps<TAPS> &taps,
                                                 pixel_stream &stream, row_of_lane &row, sums &now)
{
    *(uint2 *)(b.slots + b.words) = make_uint2(untagged(b.above.x), untagged(b.above.y));
    stage<INSIDE>(stream);
    __syncwarp();
#pragma unroll
    for (int s = 0; s < BLOCK; s++) {
        add_taps<0, LATE>(b.steps + s * (PITCH * 4), taps, now);
        sums next = {};
        if (s + 1 == BLOCK) { /* the pixels of the next block, copied since the one before this */
            copy_async_wait<1>();
            __syncwarp();
        }
        add_pixel(row, b.column + s + 1, next);
        add_taps<LATE, TAPS>(b.steps + (s + 1) * (PITCH * 4), taps, next);
        const bool valid = INSIDE || (unsigned)(b.column + s) < row.columns;
        *(unsigned *)(b.slots + b.own + s * (PITCH * 4)) =
            round_step<KIND>(p, table, row, now, valid, row.numbers[4 + s / 4]);
        now = next;
        __syncwarp();
    }
    if (!b.last) {
        const uint2 words = *(const uint2 *)(b.slots + b.words + LANES * 4);
        leave(b.below, make_uint2(tagged(words.x, b.tag), tagged(words.y, b.tag)));
    }
    if (INSIDE || p.wide)
        store_wide(row, b.column);
    else
        store_bytes(row, b.column);
}

template <int LATE, int TAPS, int KIND>
static __device__ __forceinline__ void run_band(const hologram_launch &p, const device_band &band,
                                                unsigned table, unsigned char *ring,
                                                unsigned char *pixels, int lane)
{
    /* Where there are many taps, gaps are small; code for all pixels is enough. */
    constexpr bool ALL = TAPS <= 27 && KIND != LEVELS_PLAIN;
    device_hogel &hogel = p.hogels[band.hogel];
    const int width = (int)hogel.width, skew = hogel.p, keep = hogel.keep;
    const uint32_t first_row = band.number * LANES;
    const bool row_exists = first_row + lane < hogel.height;
    const int total = (width + skew * (LANES - 1) + BLOCK - 1) / BLOCK * BLOCK;

    lane_taps<TAPS> taps;
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
        const bool used = k < hogel.taps;
        taps.place[k] = ((keep - (used ? hogel.step[k] : 2)) * PITCH + ROWS_ABOVE + lane -
                         (used ? hogel.up[k] : 0)) *
                        4;
        taps.weight[k] = used ? (int)hogel.weight[k] : 0;
    }
    pixel_stream stream = open_stream(p, hogel, first_row, pixels, lane);
    stage<false>(stream);
    stage<false>(stream);
    stage<false>(stream);
    row_of_lane row = {};
    row.pixels = (const char *)pixels + lane * p.row_pitch;
    row.out =
        p.out + (size_t)(hogel.y + first_row + (row_exists ? lane : 0)) * p.out_pitch + hogel.x;
    row.scale = p.scale;
    row.scale_im = p.real ? 0 : p.scale;
    row.shift = hogel.shift;
    row.most = (HOLOGRAM_SUM << row.shift) + (1 << row.shift) - 1;
    row.least = -(HOLOGRAM_SUM << row.shift);
    row.one = 1u << row.shift;
    row.half = row.one / 2 - (0x4b400000u << row.shift);
    row.columns = row_exists ? (unsigned)width : 0;
    row.against_field = hogel.against_field;

    /* The line, at this lane's words, and in the ring those that it takes in and leaves. */
    uint2 *line = p.lines + hogel.line + lane;
    const int in = lane / LINE_STEP * (PITCH * 4) + lane % LINE_STEP * 8;
    const int ahead = skew * LANES;
    const bool above = band.number > 0;
    const unsigned tag = tag_of(band.number), tag_above = tag_of(band.number + 2);
    wait_for_start(&hogel.started, band.number);
    for (int t = -keep / BLOCK * BLOCK - BLOCK; t < 0; t += BLOCK) {
        uint2 words = make_uint2(0, 0);
        if (above) {
            const uint2 *from = line + (t + ahead) * LINE_STEP;
            words = wait_for(from, look_at(from), tag_above);
        }
        const int slot = keep + t + lane / LINE_STEP;
        if (slot >= 0)
            *(uint2 *)(ring + (keep + t) * (PITCH * 4) + in) =
                make_uint2(untagged(words.x), untagged(words.y));
    }
    __syncwarp();
    if (!band.last)
        release(&hogel.started, band.number + 1);
    for (int i = lane; i < keep * LANES; i += LANES)
        *(unsigned *)(ring + i / LANES * (PITCH * 4) + (ROWS_ABOVE + lane) * 4) = 0;
    __syncwarp();

    copy_async_wait<1>();
    __syncwarp();
    sums now = {};
    add_pixel(row, -skew * lane, now);
    add_taps<LATE, TAPS>(ring, taps, now);
    uint2 coming = make_uint2(0, 0);
    if (above)
        coming = look_at(line + ahead * LINE_STEP);
    block b;
    b.words = in;
    b.own = (ROWS_ABOVE + lane) * 4;
    b.tag = tag;
    b.last = band.last;
    const int ring_steps = (int)p.ring;
    int begin = 0; /* of the ring's steps */
    for (int t = 0; t < total; t += BLOCK) {
        b.above = make_uint2(0, 0);
        if (above && t + ahead < total) {
            b.above = wait_for(line + (t + ahead) * LINE_STEP, coming, tag_above);
            coming = look_at(line + (t + ahead + BLOCK) * LINE_STEP);
        }
        b.steps = ring + (t - begin) * (PITCH * 4);
        b.slots = ring + (keep + t - begin) * (PITCH * 4);
        b.below = line + t * LINE_STEP;
        b.column = t - skew * lane;
        const bool all = ALL && inside(stream) && t >= skew * (LANES - 1) && t + BLOCK <= width;
        if (all && p.wide)
            run_block<LATE, TAPS, KIND, ALL>(p, table, b, taps, stream, row, now);
        else
            run_block<LATE, TAPS, KIND, false>(p, table, b, taps, stream, row, now);
        if (t + BLOCK - begin == ring_steps) {
            /* The last steps move to the front. Where they overlap what they came from, a lane
             * writes what it has itself read before: the ring is a multiple of 32 words. */
            begin += ring_steps;
            __syncwarp();
            for (int i = lane; i < keep * (PITCH / 4); i += LANES)
                ((uint4 *)ring)[i] = ((const uint4 *)ring)[i + ring_steps * (PITCH / 4)];
            __syncwarp();
        }
    }
    copy_async_wait<0>();
    __threadfence_system(); /* when all hogels beside have come so far, the host fetches the rows */
    __syncwarp();
    if (lane == 0 && atomicAdd(p.left + band.slot, 1u) + 1 == band.beside) {
        __threadfence_system();
        *(volatile unsigned *)(p.done + band.slot) = 1;
    }
    for (int d = LANES / 2; d; d /= 2)
        row.clips += __shfl_down_sync(0xffffffff, row.clips, d);
    if (lane == 0 && row.clips)
        atomicAdd(&hogel.clips, (unsigned long long)row.clips);
}

#endif
