/* SPDX-License-Identifier: MIT */
/*
 * Pixels in and out of the wave, for one width of lanes (RO_SIMD_JOIN makes the names); included by
 * wave_lanes.h. Rows become lanes by turning squares of them, and lanes rows again; bits of two
 * levels are gathered from the lanes' masks.
 */

/* A vector of a row from byte `at` on where it lies within the row, and zeros elsewhere. Small
 * pictures are all edges: two stores and a load are quicker than copies of so many bytes. */
RO_INLINE whole SIZED(load_with_edges_)(const unsigned char *row, int64_t at, int64_t row_bytes)
{
    enum { SIZE = RO_VECTOR_BYTES };
    if (at <= -SIZE || at >= row_bytes)
        return (whole){0};
    if (at >= 0 && at + SIZE <= row_bytes)
        return (whole) * (const loose_bytes *)(row + at);
    unsigned char buffer[3 * SIZE];
    *(loose_bytes *)(buffer + SIZE) = (bytes){0};
    if (row_bytes >= SIZE) {
        const int64_t from = at < 0 ? 0 : row_bytes - SIZE;
        *(loose_bytes *)(buffer + SIZE + (from - at)) = *(const loose_bytes *)(row + from);
    } else {
        const int64_t from = at < 0 ? 0 : at, to = at + SIZE < row_bytes ? at + SIZE : row_bytes;
        memcpy(buffer + SIZE + (from - at), row + from, (size_t)(to - from));
    }
    return (whole) * (const loose_bytes *)(buffer + SIZE);
}

#ifdef WAVE_NUMBERS

#include "halftone/error_diffusion/wave/many_levels_lanes.h"

#if !NARROW_NUMBERS
/* From samples to the level below and what a tone has above it; an uneven step that is the longer
 * one is the highest bit. */
RO_INLINE void SIZED(split_)(const struct diffusion_steps *steps, struct SIZED(scratch_) * s, int q,
                             vector sample)
{
    vector k = SIZED(level_below_)(steps, sample);
    vector level = SIZED(level_of_)(steps, k), rest = (sample << 4) - level;
    if (steps->uneven)
        rest |= (SIZED(level_of_)(steps, k + 1) - level - (lane)steps->gap) << (LANE_BITS - 1);
    s->level[q] = k;
    s->tone[q] = rest;
}

#endif
#endif

#if !NARROW_NUMBERS
/* Loads the pixels of the steps of a chunk that are run: a square of lanes at a time, each lane of
 * it holding the samples of neighbouring columns, which are then taken apart; tones are samples
 * times 16. */
RO_INLINE void SIZED(load_samples_)(const struct diffusion_plan *plan, const struct wave_band *band,
                                    struct SIZED(scratch_) * s, int skew, int64_t k0, bool edge,
                                    int sample_bytes)
{
    const int samples = LANE_BYTES / sample_bytes, columns = LANES * samples;
    const int count = edge ? wave_count(band, k0) : WAVE_CHUNK;
    const int64_t row_bytes = (int64_t)plan->width * sample_bytes;
    for (int part = 0; part < count; part += columns) {
        whole square[LANES];
        for (int i = 0; i < LANES; i++) {
            int64_t first = k0 + part - (int64_t)skew * i;
            const unsigned char *row = band->in + (i < band->readable ? i : 0) * band->in_stride;
            const unsigned char *from = row + first * sample_bytes;
            if (edge) {
                square[i] = SIZED(load_with_edges_)(row, first * sample_bytes, row_bytes);
                continue;
            }
            /* more rows than the hardware follows by itself */
            __builtin_prefetch(from + SIZED(PREFETCH_));
            square[i] = (whole) * (const loose_bytes *)from;
        }
        SIZED(transpose)(square);
        for (int g = 0; g < LANES; g++) {
            vector packed = (vector)square[g];
            for (int r = 0; r < samples; r++) {
                vector sample = packed >> (8 * sample_bytes * r);
                if (r < samples - 1)
                    sample &= (lane)((1u << (8 * sample_bytes)) - 1);
                const int q = part + g * samples + r;
#ifdef WAVE_NUMBERS
                SIZED(split_)(&plan->steps, s, q, sample);
#else
                s->tone[q] = sample << 4;
#endif
            }
        }
    }
}

/* Loads a chunk at an end of the rows. It is not inlined because it is large, seldom needed and
 * does not depend on the kernel. */
static __attribute__((noinline)) void SIZED(load_edge_)(const struct diffusion_plan *plan,
                                                        const struct wave_band *band,
                                                        struct SIZED(scratch_) * s, int skew,
                                                        int64_t k0)
{
    if (plan->sample_bytes == 1)
        SIZED(load_samples_)(plan, band, s, skew, k0, true, 1);
    else
        SIZED(load_samples_)(plan, band, s, skew, k0, true, 2);
}

RO_INLINE void SIZED(load_chunk_)(const struct diffusion_plan *plan, const struct wave_band *band,
                                  struct SIZED(scratch_) * s, int skew, int64_t k0, bool edge)
{
    if (edge)
        SIZED(load_edge_)(plan, band, s, skew, k0);
    else if (plan->sample_bytes == 1)
        SIZED(load_samples_)(plan, band, s, skew, k0, false, 1);
    else
        SIZED(load_samples_)(plan, band, s, skew, k0, false, 2);
}

/* Steps that are not run choose nothing. */
RO_INLINE void SIZED(no_more_)(struct SIZED(scratch_) * s, int count)
{
    if (count < WAVE_CHUNK)
        memset(s->mask, 0, (size_t)(WAVE_CHUNK - count) * sizeof *s->mask);
}

/* The way back for level numbers: those of neighbouring columns packed into lanes, transposed. */
RO_INLINE void SIZED(store_numbers_)(const struct diffusion_plan *plan,
                                     const struct wave_band *band, struct SIZED(scratch_) * s,
                                     int skew, int64_t k0, bool edge, int number_bytes)
{
    const int numbers = LANE_BYTES / number_bytes, columns = LANES * numbers;
    for (int part = 0; part < WAVE_CHUNK; part += columns) {
        whole square[LANES];
        for (int g = 0; g < LANES; g++) {
            vector packed = s->level[part + g * numbers];
            for (int r = 1; r < numbers; r++)
                packed |= s->level[part + g * numbers + r] << (8 * number_bytes * r);
            square[g] = (whole)packed;
        }
        SIZED(transpose)(square);
        for (int i = 0; i < band->rows; i++) {
            int64_t first = k0 + part - (int64_t)skew * i;
            unsigned char *row = band->out + i * band->out_stride;
            if (!edge) {
                *(loose_bytes *)(row + first * number_bytes) = (bytes)square[i];
                continue;
            }
            int64_t from = first < 0 ? 0 : first;
            int64_t to = first + columns;
            to = to > plan->width ? plan->width : to;
            if (from < to)
                memcpy(row + from * number_bytes,
                       (unsigned char *)&square[i] + (from - first) * number_bytes,
                       (size_t)((to - from) * number_bytes));
        }
    }
}

static __attribute__((noinline)) void SIZED(store_levels_)(const struct diffusion_plan *plan,
                                                           const struct wave_band *band,
                                                           struct SIZED(scratch_) * s, int skew,
                                                           int64_t k0, bool edge)
{
    if (plan->number_bytes == 1)
        SIZED(store_numbers_)(plan, band, s, skew, k0, edge, 1);
    else
        SIZED(store_numbers_)(plan, band, s, skew, k0, edge, 2);
}

/* Two levels: from masks to numbers. */
RO_INLINE void SIZED(levels_of_masks_)(struct SIZED(scratch_) * s)
{
    for (int q = 0; q < WAVE_CHUNK; q++)
        for (int i = 0; i < LANES; i++)
            s->level[q][i] =
                s->mask[WAVE_CHUNK - 1 - q] >> (i / 8 * 8 * SIZED(MASK_BYTE_) + i % 8) & 1;
}

/*
 * Packed bits. A step leaves one bit per lane; plane p holds the bytes of lanes 8p .. 8p+7, newest
 * step first, for the last two chunks. Row i's 64 columns that have just become complete lie at 64
 * neighbouring bytes of its plane, so one bit of each, last byte first, is the row's word.
 */
static __attribute__((noinline, unused)) void SIZED(store_bits_)(const struct diffusion_plan *plan,
                                                                 const struct wave_band *band,
                                                                 struct SIZED(scratch_) * s,
                                                                 int skew, int64_t k0)
{
    const int64_t row_bytes = ((int64_t)plan->width + 7) / 8;
    for (int p = 0; p < (LANES + 7) / 8; p++) {
        memcpy(s->plane[p] + WAVE_CHUNK, s->plane[p], WAVE_CHUNK);
        for (int q = 0; q < WAVE_CHUNK; q++)
            s->plane[p][q] = (unsigned char)(s->mask[q] >> (8 * p * SIZED(MASK_BYTE_)));
    }
    for (int i = 0; i < band->rows; i++) {
        int64_t behind = k0 - (int64_t)skew * i;
        int64_t word = behind >> 6; /* floor, also of negative numbers */
        if (word < 0 || word * 8 >= row_bytes)
            continue;
        uint64_t bits = gather_bit(s->plane[i / 8] + (behind - word * 64), i % 8);
        bits = __builtin_bswap64(bits);
        unsigned char *to = band->out + i * band->out_stride + word * 8;
        if (word * 8 + 8 <= row_bytes)
            memcpy(to, &bits, 8);
        else
            memcpy(to, &bits, (size_t)(row_bytes - word * 8));
    }
}
#endif
