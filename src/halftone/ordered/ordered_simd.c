/* SPDX-License-Identifier: MIT */
/*
 * Ordered dithering in blocks of 64 pixels.
 *
 * Packed bits: a saturating subtraction of the samples from the cells' smallest whites is zero
 * where a pixel is white. The bytes of every eight pixels are turned round before their signs are
 * gathered, so that the first pixel becomes the most significant bit. A block costs two loads, the
 * subtraction, the shuffle and the test: less than copying it.
 *
 * Random numbers to packed bits, where white is that of 8 or 16 bits: they are compared with the
 * samples. Every eight pixels lie in lanes the other way round, so that their mask is a byte of the
 * output.
 *
 * Other levels and random numbers: the table of look-ups is gathered by sample, and its ranks
 * compared with those of the screen or of the hash.
 */
#include "core/random.h"
#include "halftone/ordered/ordered.h"
#include "simd/simd.h"

#include <string.h>

enum { AHEAD = 512 }; /* bytes of a large table */

#define REVERSE_BYTES 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8
#define REVERSE_WORDS 14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1

#if defined(RO_SIMD_AVX512)

enum { LANES = 16 };
typedef __m512i lanes;

RO_INLINE __m512i reverse_bytes(__m512i v)
{
    const __m128i order = _mm_setr_epi8(REVERSE_BYTES);
    return _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(order));
}

RO_INLINE __m512i reverse_words(__m512i v)
{
    const __m128i order = _mm_setr_epi8(REVERSE_WORDS);
    return _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(order));
}

/* The bits of 64 pixels in the order of the output's bytes. */
RO_INLINE uint64_t bits_of_8(const unsigned char *in, const unsigned char *whites)
{
    __m512i v = _mm512_subs_epu8(_mm512_loadu_si512(whites), _mm512_loadu_si512(in));
    v = reverse_bytes(v);
    return _mm512_testn_epi8_mask(v, v);
}

RO_INLINE uint64_t half_of_16(const unsigned char *in, const unsigned char *whites)
{
    __m512i v = _mm512_subs_epu16(_mm512_loadu_si512(whites), _mm512_loadu_si512(in));
    v = reverse_words(v);
    return _mm512_testn_epi16_mask(v, v);
}

RO_INLINE uint64_t bits_of_16(const unsigned char *in, const unsigned char *whites)
{
    return half_of_16(in, whites) | half_of_16(in + 64, whites + 64) << 32;
}

RO_INLINE uint64_t bits_of_levels(const unsigned char *levels)
{
    __m512i v = reverse_bytes(_mm512_loadu_si512(levels));
    return _mm512_test_epi8_mask(v, v);
}

RO_INLINE lanes load_8(const unsigned char *in)
{
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)in));
}
RO_INLINE lanes load_16(const unsigned char *in)
{
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)in));
}
RO_INLINE lanes load_8_turned(const unsigned char *in)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)in);
    return _mm512_cvtepu8_epi32(_mm_shuffle_epi8(bytes, _mm_setr_epi8(REVERSE_BYTES)));
}
RO_INLINE lanes load_16_turned(const unsigned char *in)
{
    const __m256i order = _mm256_setr_epi8(REVERSE_WORDS, REVERSE_WORDS);
    return _mm512_cvtepu16_epi32(
        _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)in), order));
}
RO_INLINE lanes load_ranks(const uint32_t *ranks) { return _mm512_loadu_si512(ranks); }
RO_INLINE lanes gather(const uint32_t *table, lanes at)
{
    return _mm512_i32gather_epi32(at, table, 4);
}
RO_INLINE lanes all(uint32_t value) { return _mm512_set1_epi32((int)value); }
RO_INLINE lanes counting(uint32_t from)
{
    return _mm512_add_epi32(
        all(from), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}
RO_INLINE lanes counting_turned(uint32_t from)
{
    return _mm512_add_epi32(
        all(from), _mm512_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
}
RO_INLINE lanes shift_right(lanes v, unsigned count) { return _mm512_srli_epi32(v, count); }
RO_INLINE lanes shift_left(lanes v, unsigned count) { return _mm512_slli_epi32(v, count); }
RO_INLINE lanes subtract(lanes a, lanes b) { return _mm512_sub_epi32(a, b); }
RO_INLINE lanes multiply(lanes a, lanes b) { return _mm512_mullo_epi32(a, b); }

/* Where a < b; both are below 2^31. */
RO_INLINE uint32_t less(lanes a, lanes b) { return _mm512_cmplt_epi32_mask(a, b); }

/* One more where a < b. */
RO_INLINE lanes add_if_less(lanes v, lanes a, lanes b)
{
    return _mm512_mask_add_epi32(v, _mm512_cmplt_epi32_mask(a, b), v, all(1));
}
RO_INLINE void store_bytes(unsigned char *to, lanes v)
{
    _mm_storeu_si128((__m128i *)to, _mm512_cvtepi32_epi8(v));
}
RO_INLINE void store_words(unsigned char *to, lanes v)
{
    _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi32_epi16(v));
}

#elif defined(RO_SIMD_V128)

enum { LANES = 4 };
typedef v_all lanes;

RO_INLINE v_all white_bytes(const unsigned char *in, const unsigned char *whites)
{
    return v_cmpeq_epi8(v_subs_epu8(v_load(whites), v_load(in)), (v_all){0});
}
RO_INLINE uint64_t bits_of_8(const unsigned char *in, const unsigned char *whites)
{
    return v_turned_mask_of_64(white_bytes(in, whites), white_bytes(in + 16, whites + 16),
                               white_bytes(in + 32, whites + 32),
                               white_bytes(in + 48, whites + 48));
}
RO_INLINE v_all white_words(const unsigned char *in, const unsigned char *whites)
{
    return v_cmpeq_epi16(v_subs_epu16(v_load(whites), v_load(in)), (v_all){0});
}
RO_INLINE v_all sixteen_words(const unsigned char *in, const unsigned char *whites)
{
    return v_packs_epi16(white_words(in, whites), white_words(in + 16, whites + 16));
}
RO_INLINE uint64_t bits_of_16(const unsigned char *in, const unsigned char *whites)
{
    return v_turned_mask_of_64(sixteen_words(in, whites), sixteen_words(in + 32, whites + 32),
                               sixteen_words(in + 64, whites + 64),
                               sixteen_words(in + 96, whites + 96));
}
RO_INLINE uint64_t bits_of_levels(const unsigned char *levels)
{
    const v_all zero = {0};
    return v_turned_mask_of_64(
        v_cmpgt_epi8(v_load(levels), zero), v_cmpgt_epi8(v_load(levels + 16), zero),
        v_cmpgt_epi8(v_load(levels + 32), zero), v_cmpgt_epi8(v_load(levels + 48), zero));
}
RO_INLINE lanes load_8(const unsigned char *in) { return v_load_8_to_32(in); }
RO_INLINE lanes load_16(const unsigned char *in) { return v_load_16_to_32(in); }
/* The four pixels in reverse, since the first pixel of a byte is its highest bit. */
RO_INLINE lanes turned(lanes v)
{
    return (lanes)__builtin_shufflevector((v_i32)v, (v_i32)v, 3, 2, 1, 0);
}
RO_INLINE lanes load_ranks(const uint32_t *ranks) { return v_load(ranks); }
RO_INLINE lanes gather(const uint32_t *table, lanes at) { return v_gather32(table, at, 4); }
RO_INLINE lanes all(uint32_t value) { return v_set1_epi32((int)value); }
RO_INLINE lanes counting(uint32_t from)
{
    return v_add_epi32(all(from), (lanes)(v_i32){0, 1, 2, 3});
}
RO_INLINE lanes shift_right(lanes v, unsigned count) { return v_srli_epi32(v, (int)count); }
RO_INLINE lanes shift_left(lanes v, unsigned count) { return v_slli_epi32(v, (int)count); }
RO_INLINE lanes subtract(lanes a, lanes b) { return v_sub_epi32(a, b); }
RO_INLINE uint32_t less(lanes a, lanes b) { return v_mask32(v_cmpgt_epi32(b, a)); }
RO_INLINE lanes multiply(lanes a, lanes b) { return v_mullo_epi32(a, b); }
RO_INLINE lanes add_if_less(lanes v, lanes a, lanes b)
{
    return v_sub_epi32(v, v_cmpgt_epi32(b, a));
}
RO_INLINE void store_bytes(unsigned char *to, lanes v)
{
    const lanes words = v_packs_epi32(v, v), bytes = v_packus_epi16(words, words);
    memcpy(to, &bytes, 4);
}
RO_INLINE void store_words(unsigned char *to, lanes v)
{
    const lanes words = v_packus_epi32(v, v);
    memcpy(to, &words, 8);
}
RO_INLINE lanes load_8_turned(const unsigned char *in) { return turned(v_load_8_to_32(in)); }
RO_INLINE lanes load_16_turned(const unsigned char *in) { return turned(v_load_16_to_32(in)); }
RO_INLINE lanes counting_turned(uint32_t from)
{
    return v_add_epi32(all(from), (lanes)(v_i32){3, 2, 1, 0});
}

#else

enum { LANES = 8 };
typedef __m256i lanes;

RO_INLINE __m256i load(const void *from) { return _mm256_loadu_si256(from); }

RO_INLINE uint32_t gather_signs(__m256i bytes)
{
    const __m256i order = _mm256_setr_epi8(REVERSE_BYTES, REVERSE_BYTES);
    return (uint32_t)_mm256_movemask_epi8(_mm256_shuffle_epi8(bytes, order));
}

RO_INLINE uint32_t half_of_8(const unsigned char *in, const unsigned char *whites)
{
    __m256i v = _mm256_subs_epu8(load(whites), load(in));
    return gather_signs(_mm256_cmpeq_epi8(v, _mm256_setzero_si256()));
}

RO_INLINE uint64_t bits_of_8(const unsigned char *in, const unsigned char *whites)
{
    return half_of_8(in, whites) | (uint64_t)half_of_8(in + 32, whites + 32) << 32;
}

RO_INLINE __m256i white_words(const unsigned char *in, const unsigned char *whites)
{
    __m256i v = _mm256_subs_epu16(load(whites), load(in));
    return _mm256_cmpeq_epi16(v, _mm256_setzero_si256());
}

RO_INLINE uint32_t half_of_16(const unsigned char *in, const unsigned char *whites)
{
    __m256i pair = _mm256_packs_epi16(white_words(in, whites), white_words(in + 32, whites + 32));
    return gather_signs(_mm256_permute4x64_epi64(pair, 0xd8)); /* the pack was within halves */
}

RO_INLINE uint64_t bits_of_16(const unsigned char *in, const unsigned char *whites)
{
    return half_of_16(in, whites) | (uint64_t)half_of_16(in + 64, whites + 64) << 32;
}

RO_INLINE uint64_t bits_of_levels(const unsigned char *levels)
{
    const __m256i zero = _mm256_setzero_si256();
    return gather_signs(_mm256_cmpgt_epi8(load(levels), zero)) |
           (uint64_t)gather_signs(_mm256_cmpgt_epi8(load(levels + 32), zero)) << 32;
}

RO_INLINE lanes load_8(const unsigned char *in)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)in));
}
RO_INLINE lanes load_16(const unsigned char *in)
{
    return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)in));
}
RO_INLINE lanes load_8_turned(const unsigned char *in)
{
    __m128i bytes = _mm_loadl_epi64((const __m128i *)in);
    return _mm256_cvtepu8_epi32(_mm_shuffle_epi8(bytes, _mm_setr_epi8(REVERSE_BYTES)));
}
RO_INLINE lanes load_16_turned(const unsigned char *in)
{
    __m128i words = _mm_loadu_si128((const __m128i *)in);
    return _mm256_cvtepu16_epi32(_mm_shuffle_epi8(words, _mm_setr_epi8(REVERSE_WORDS)));
}
RO_INLINE lanes load_ranks(const uint32_t *ranks) { return load(ranks); }
RO_INLINE lanes gather(const uint32_t *table, lanes at)
{
    return _mm256_i32gather_epi32((const int *)table, at, 4);
}
RO_INLINE lanes all(uint32_t value) { return _mm256_set1_epi32((int)value); }
RO_INLINE lanes counting(uint32_t from)
{
    return _mm256_add_epi32(all(from), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
RO_INLINE lanes counting_turned(uint32_t from)
{
    return _mm256_add_epi32(all(from), _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}
RO_INLINE lanes shift_right(lanes v, unsigned count) { return _mm256_srli_epi32(v, (int)count); }
RO_INLINE lanes shift_left(lanes v, unsigned count) { return _mm256_slli_epi32(v, (int)count); }
RO_INLINE lanes subtract(lanes a, lanes b) { return _mm256_sub_epi32(a, b); }
RO_INLINE uint32_t less(lanes a, lanes b)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a)));
}
RO_INLINE lanes multiply(lanes a, lanes b) { return _mm256_mullo_epi32(a, b); }
RO_INLINE lanes add_if_less(lanes v, lanes a, lanes b)
{
    return _mm256_sub_epi32(v, _mm256_cmpgt_epi32(b, a));
}
RO_INLINE void store_bytes(unsigned char *to, lanes v)
{
    const __m256i firsts =
        _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12,
                         -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    __m256i quads = _mm256_shuffle_epi8(v, firsts);
    __m128i both =
        _mm_unpacklo_epi32(_mm256_castsi256_si128(quads), _mm256_extracti128_si256(quads, 1));
    _mm_storel_epi64((__m128i *)to, both);
}
RO_INLINE void store_words(unsigned char *to, lanes v)
{
    __m256i halves = _mm256_permute4x64_epi64(_mm256_packus_epi32(v, v), 0x08);
    _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(halves));
}

#endif

/* mix_bits, in lanes. */
RO_INLINE lanes mix(lanes x)
{
    x = multiply(x ^ shift_right(x, 16), all(0x7feb352du));
    x = multiply(x ^ shift_right(x, 15), all(0x846ca68bu));
    return x ^ shift_right(x, 16);
}

/* What the blocks of a row have in common. */
struct row {
    const struct ordered_plan *plan;
    const unsigned char *whites; /* or */
    const uint32_t *ranks;       /* of the row, by the rule */
    uint32_t hash;               /* of the seed and the row */
    uint32_t phase;              /* of the next block in the tables, */
    uint32_t period;             /* which repeat: a copy, that what is written cannot change */
};

RO_INLINE void next_block(struct row *row)
{
    const uint32_t phase = row->phase + ORDERED_BLOCK;
    row->phase = phase >= row->period ? phase - row->period : phase;
}

/*
 * Two levels by random numbers, white being M = 2^b - 1. White iff M * (2r + 1) < 2^21 * a; divided
 * by 2^b, with v = 2r + 1, v - v/2^b < 2^(21-b) * a. As v is odd, v/2^b is not whole, and that is
 * v - floor(v/2^b) <= 2^(21-b) * a, or with e = v - 1: e - floor(e/2^b) < 2^(21-b) * a.
 */
RO_INLINE uint64_t random_block(const struct row *row, const unsigned char *in, uint32_t x,
                                int sample_bytes)
{
    const unsigned depth = 8 * (unsigned)sample_bytes;
    const lanes block = all(row->hash ^ x); /* x is a multiple of the block */
    uint64_t bits = 0;
    RO_UNROLL
    for (uint32_t i = 0; i < ORDERED_BLOCK; i += LANES) {
        const uint32_t x0 = LANES < 8 ? i ^ 4 : i; /* bits 0 to 3 are pixels 7 to 4 */
        lanes hash = mix(block ^ counting_turned(x0));
        lanes even = shift_right(hash, 31 - ORDERED_RANDOM_BITS) & all(~1u);
        lanes limit = subtract(even, shift_right(even, depth));
        lanes sample = sample_bytes == 1 ? load_8_turned(in + x0) : load_16_turned(in + 2 * x0);
        bits |= (uint64_t)less(limit, shift_left(sample, ORDERED_RANDOM_BITS + 1 - depth)) << i;
    }
    return bits;
}

/* Where tables do not stay in the first cache, what is soon needed of them is asked for there, and
 * what will be of the image in the second. A prefetch may go beyond the end of a table. */
RO_INLINE void prefetch(const unsigned char *whites, const unsigned char *next, int sample_bytes)
{
    for (int i = 0; i < sample_bytes; i++) {
        __builtin_prefetch((const void *)((uintptr_t)whites + AHEAD + 64 * (uintptr_t)i), 0, 3);
        __builtin_prefetch(next + 64 * i, 0, 2);
    }
}

RO_INLINE uint64_t compare_block(const struct row *row, const unsigned char *in,
                                 const unsigned char *next, uint32_t x, int sample_bytes)
{
    if (!row->whites)
        return random_block(row, in, x, sample_bytes);
    const unsigned char *whites = row->whites + (size_t)row->phase * (size_t)sample_bytes;
    if (next)
        prefetch(whites, next + (size_t)x * (size_t)sample_bytes, sample_bytes);
    return sample_bytes == 1 ? bits_of_8(in, whites) : bits_of_16(in, whites);
}

RO_INLINE void look_up_block(const struct row *row, const unsigned char *in, uint32_t x,
                             int sample_bytes, bool random, unsigned char *levels)
{
    const lanes below = all((1u << ORDERED_RANK_BITS) - 1);
    RO_UNROLL
    for (uint32_t i = 0; i < ORDERED_BLOCK; i += LANES) {
        lanes sample = sample_bytes == 1 ? load_8(in + i) : load_16(in + 2 * i);
        lanes entry = gather(row->plan->lookup, sample);
        lanes rank =
            random ? shift_right(mix(counting(x + i) ^ all(row->hash)), 32 - ORDERED_RANDOM_BITS)
                   : load_ranks(row->ranks + row->phase + i);
        if (row->plan->below) {
            lanes level = gather(row->plan->below, sample);
            store_words(levels + 2 * i, add_if_less(level, rank, entry));
        } else {
            lanes level = shift_right(entry, ORDERED_RANK_BITS);
            store_bytes(levels + i, add_if_less(level, rank, entry & below));
        }
    }
}

/* Rounds a row; the last block is worked on in a copy. The samples beyond the end are zeros, which
 * are black. `next` is known when it is compiled to be there or not. */
RO_INLINE void compare_row(struct row row, const unsigned char *in, const unsigned char *next,
                           unsigned char *out, int sample_bytes)
{
    const uint32_t width = row.plan->width;
    uint32_t x = 0;
    uint64_t bits;
    for (; width - x >= ORDERED_BLOCK; x += ORDERED_BLOCK) {
        bits = compare_block(&row, in + (size_t)x * (size_t)sample_bytes, next, x, sample_bytes);
        memcpy(out + x / 8, &bits, sizeof bits);
        next_block(&row);
    }
    if (x == width)
        return;
    unsigned char last[ORDERED_BLOCK * 2] = {0};
    memcpy(last, in + (size_t)x * (size_t)sample_bytes, (size_t)(width - x) * (size_t)sample_bytes);
    bits = compare_block(&row, last, NULL, x, sample_bytes);
    memcpy(out + x / 8, &bits, (width - x + 7) / 8);
}

/* One loop each for samples of a byte or two, with and without a row to come. */
RO_INLINE void compare_whites(struct row row, const unsigned char *next, const unsigned char *in,
                              unsigned char *out, int sample_bytes)
{
    if (sample_bytes == 2 && next)
        compare_row(row, in, next, out, 2);
    else if (sample_bytes == 2)
        compare_row(row, in, NULL, out, 2);
    else if (next)
        compare_row(row, in, next, out, 1);
    else
        compare_row(row, in, NULL, out, 1);
}

RO_INLINE void look_up_row(struct row row, const unsigned char *in, unsigned char *out,
                           int sample_bytes, bool random)
{
    const uint32_t width = row.plan->width;
    const bool bits_out = row.plan->bits_out;
    const size_t size = row.plan->deep ? 2 : 1;
    for (uint32_t x = 0; x < width; x += ORDERED_BLOCK) {
        const unsigned char *from = in + (size_t)x * (size_t)sample_bytes;
        const uint32_t count = width - x < ORDERED_BLOCK ? width - x : ORDERED_BLOCK;
        unsigned char last[ORDERED_BLOCK * 2] = {0}, levels[ORDERED_BLOCK * 2];
        if (count < ORDERED_BLOCK)
            from = memcpy(last, from, (size_t)count * (size_t)sample_bytes);
        look_up_block(&row, from, x, sample_bytes, random, levels);
        next_block(&row);
        if (bits_out) {
            uint64_t bits = bits_of_levels(levels);
            memcpy(out + x / 8, &bits, (count + 7) / 8);
        } else {
            memcpy(out + x * size, levels, count * size);
        }
    }
}

void RO_SIMD_NAME(ordered_row)(const struct ordered_plan *plan, const unsigned char *in,
                               const unsigned char *next, unsigned char *out, uint32_t y)
{
    const size_t at = y % plan->screen.height * plan->pitch;
    const bool random = plan->rule == ORDERED_BY_HASH, wide = plan->sample_bytes == 2;
    struct row row = {.plan = plan, .phase = ordered_first_cell(plan, y), .period = plan->period};
    if (plan->whites) {
        row.whites = (const unsigned char *)plan->whites + at * (size_t)plan->sample_bytes;
        compare_whites(row, plan->large ? next : NULL, in, out, plan->sample_bytes);
        return;
    }
    row.ranks = plan->ranks + at;
    row.hash = hash_of_row(plan->seed, y);
    const bool computed = random && plan->bits_out;
    if (computed && wide && plan->maxval == UINT16_MAX)
        compare_row(row, in, NULL, out, 2);
    else if (computed && !wide && plan->maxval == UINT8_MAX)
        compare_row(row, in, NULL, out, 1);
    else if (random && wide)
        look_up_row(row, in, out, 2, true);
    else if (random)
        look_up_row(row, in, out, 1, true);
    else if (wide)
        look_up_row(row, in, out, 2, false);
    else
        look_up_row(row, in, out, 1, false);
}
