/* SPDX-License-Identifier: MIT */
/*
 * Ordered dithering to level numbers in lanes of 16 bits, without look-ups: the level below comes
 * from a product (error_diffusion/many_levels.h), the tone's part of the step above it is compared
 * with the smallest part that goes up in the cell. Tones and levels have more than 16 bits; their
 * differences have not. Where a step is a number of samples (257 from 16 bits to 8), the cell's
 * share is added to the sample first, and the level is a quotient.
 */
#include "halftone/error_diffusion/wave/wave_ops.h"
#include "halftone/ordered/ordered.h"

#define LANE_BITS 16
#define SIZED(name) RO_SIMD_JOIN(name, LANE_BITS)
#define lane uint16_t
#define vector lanes16
#include "halftone/error_diffusion/wave/many_levels_lanes.h"

enum { LANES = RO_VECTOR_BYTES / 2 };

typedef __attribute__((vector_size(RO_VECTOR_BYTES), aligned(1))) uint16_t loose16;

RO_INLINE lanes16 load(const void *from) { return (lanes16) * (const loose16 *)from; }

#if defined(RO_SIMD_AVX512)

RO_INLINE lanes16 add_up_to_end(lanes16 a, lanes16 b)
{
    return (lanes16)_mm512_adds_epu16((whole)a, (whole)b);
}
RO_INLINE lanes16 load_bytes(const unsigned char *from)
{
    return (lanes16)_mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)from));
}
RO_INLINE void store_bytes(unsigned char *to, lanes16 a, lanes16 b)
{
    _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi16_epi8((whole)a));
    _mm256_storeu_si256((__m256i *)(to + LANES), _mm512_cvtepi16_epi8((whole)b));
}

#elif defined(RO_SIMD_V128)

RO_INLINE lanes16 add_up_to_end(lanes16 a, lanes16 b)
{
    return (lanes16)v_adds_epu16((whole)a, (whole)b);
}
RO_INLINE lanes16 load_bytes(const unsigned char *from) { return (lanes16)v_load_8_to_16(from); }
RO_INLINE void store_bytes(unsigned char *to, lanes16 a, lanes16 b)
{
    v_store(to, v_packus_epi16((whole)a, (whole)b));
}

#else

RO_INLINE lanes16 add_up_to_end(lanes16 a, lanes16 b)
{
    return (lanes16)_mm256_adds_epu16((whole)a, (whole)b);
}
RO_INLINE lanes16 load_bytes(const unsigned char *from)
{
    return (lanes16)_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)from));
}
RO_INLINE void store_bytes(unsigned char *to, lanes16 a, lanes16 b)
{
    whole packed = _mm256_packus_epi16((whole)a, (whole)b); /* within halves */
    _mm256_storeu_si256((whole *)to, _mm256_permute4x64_epi64(packed, 0xd8));
}

#endif

/* What the blocks of a row have in common; the last three are known when it is compiled. */
struct row {
    struct diffusion_steps steps; /* copies: what is written cannot change them */
    struct steps_line quotient;
    const uint16_t *parts, *more;
    int sample_bytes;
    bool deep, sums;
    size_t first; /* phase, in the tables */
};

RO_INLINE lanes16 numbers(const struct row *row, const unsigned char *in, size_t i, size_t phase)
{
    const struct diffusion_steps *steps = &row->steps;
    lanes16 sample = row->sample_bytes == 1 ? load_bytes(in + i) : load(in + 2 * i);
    lanes16 least = load(row->parts + phase + i);
    if (row->sums)
        return line_16(&row->quotient, add_up_to_end(sample, least));
    lanes16 k = level_below_16(steps, sample), level = level_of_16(steps, k);
    lanes16 part = (sample << 4) - level;
    if (steps->uneven)
        least += load(row->more + phase + i) &
                 (level_of_16(steps, k + 1) - level - (uint16_t)steps->gap);
    return k - (lanes16)(part >= least);
}

RO_INLINE void round_block(const struct row *row, const unsigned char *in, size_t phase,
                           unsigned char *out)
{
    RO_UNROLL
    for (size_t i = 0; i < ORDERED_BLOCK; i += 2 * LANES) {
        lanes16 a = numbers(row, in, i, phase), b = numbers(row, in, i + LANES, phase);
        if (row->deep) {
            *(loose16 *)(void *)(out + 2 * i) = a;
            *(loose16 *)(void *)(out + 2 * (i + LANES)) = b;
        } else {
            store_bytes(out + i, a, b);
        }
    }
}

/* The last block is worked on in a copy. */
RO_INLINE void round_row(struct row row, const struct ordered_plan *plan, int sample_bytes,
                         bool deep, bool sums, const unsigned char *in, const unsigned char *next,
                         unsigned char *out)
{
    const size_t width = plan->width, period = plan->period;
    const size_t from = (size_t)sample_bytes, to = deep ? 2 : 1;
    size_t x = 0, phase = row.first;
    row.sample_bytes = sample_bytes;
    row.deep = deep;
    row.sums = sums;
    for (; width - x >= ORDERED_BLOCK; x += ORDERED_BLOCK) {
        for (size_t i = 0; next && i < from; i++)
            __builtin_prefetch(next + x * from + 64 * i, 0, 2);
        round_block(&row, in + x * from, phase, out + x * to);
        phase += ORDERED_BLOCK;
        if (phase >= period)
            phase -= period;
    }
    if (x == width)
        return;
    unsigned char last[ORDERED_BLOCK * 2] = {0}, levels[ORDERED_BLOCK * 2];
    memcpy(last, in + x * from, (width - x) * from);
    round_block(&row, last, phase, levels);
    memcpy(out + x * to, levels, (width - x) * to);
}

RO_INLINE void any_row(struct row row, const struct ordered_plan *plan, bool sums,
                       const unsigned char *in, const unsigned char *next, unsigned char *out)
{
    if (plan->sample_bytes == 2 && plan->deep)
        round_row(row, plan, 2, true, sums, in, next, out);
    else if (plan->sample_bytes == 2)
        round_row(row, plan, 2, false, sums, in, next, out);
    else if (plan->deep)
        round_row(row, plan, 1, true, sums, in, next, out);
    else
        round_row(row, plan, 1, false, sums, in, next, out);
}

void RO_SIMD_NAME(ordered_parts_row)(const struct ordered_plan *plan, const unsigned char *in,
                                     const unsigned char *next, unsigned char *out, uint32_t y)
{
    const size_t at = y % plan->screen.height * plan->pitch;
    struct row row = {.steps = plan->steps,
                      .quotient = plan->quotient,
                      .parts = plan->parts + at,
                      .first = ordered_first_cell(plan, y)};
    next = plan->apart > 1 ? next : NULL; /* tables displace what is read ahead of itself */
    if (plan->sums) {
        any_row(row, plan, true, in, next, out);
    } else {
        row.more = plan->more + at;
        any_row(row, plan, false, in, next, out);
    }
}
