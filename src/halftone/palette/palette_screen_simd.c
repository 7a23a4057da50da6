/* SPDX-License-Identifier: MIT */
/*
 * Palettes by a screen in blocks of 64 pixels: first the nodes of all, as numbers; then their
 * mixtures, eight at a time, which are loaded one by one (faster than to gather them) and compared
 * with the shares of the places. Eight pixels of which one has a mixture not made yet are left to
 * the definition; where one may have a colour of the palette, they are compared with all of them,
 * if samples have 8 bits, or left to the definition too. Vectors of 32 bytes are wide enough for
 * both instruction sets: loads are what takes the time.
 */
#include "core/random.h"
#include "halftone/palette/palette_screen.h"
#include "simd/simd.h"

#include <string.h>

enum { EIGHT = 8 };

/* What a block needs to know of its places. */
struct places {
    const uint16_t *shares;
    const uint8_t *lasts;
    uint16_t own_shares[MIX_BLOCK];
    uint8_t own_lasts[MIX_BLOCK];
};

static void find_places(const struct palette_screen_plan *plan, uint32_t x, uint32_t y,
                        uint32_t row, struct places *places)
{
    if (!plan->by_hash) {
        const size_t at = y % plan->screen.height * plan->pitch + x % plan->period;
        places->shares = plan->shares + at;
        places->lasts = plan->lasts + at;
        return;
    }
    /* The rank is the hash's first 20 bits, of which the share is the first ten. */
    for (uint32_t i = 0; i < MIX_BLOCK; i++) {
        const uint32_t hash = ro_hash_mix(row ^ (x + i));
        places->own_shares[i] = (uint16_t)(hash >> 22);
        places->own_lasts[i] = hash >> 12 & (MIX_STEP - 1);
    }
    places->shares = places->own_shares;
    places->lasts = places->own_lasts;
}

/* Four pixels of 8 bits, 12 bytes of 16 that are loaded, as parts of their nodes' numbers: of red
 * and green, and of blue. A position is the sample, and one more in the upper half. */
RO_INLINE __m256i parts_of_four(const unsigned char *in, const uint8_t *lasts)
{
    const __m256i spread =
        _mm256_setr_epi8(0, -1, 1, -1, 2, -1, -1, -1, 3, -1, 4, -1, 5, -1, -1, -1, 6, -1, 7, -1, 8,
                         -1, -1, -1, 9, -1, 10, -1, 11, -1, -1, -1);
    const __m256i repeat =
        _mm256_setr_epi8(0, -1, 0, -1, 0, -1, -1, -1, 1, -1, 1, -1, 1, -1, -1, -1, 2, -1, 2, -1, 2,
                         -1, -1, -1, 3, -1, 3, -1, 3, -1, -1, -1);
    const __m256i times =
        _mm256_set1_epi64x(1 | MIX_NODES << 16 | (int64_t)(MIX_NODES * MIX_NODES) << 32);
    int32_t last;
    memcpy(&last, lasts, sizeof last);
    __m256i v = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)in));
    v = _mm256_shuffle_epi8(v, spread);
    v = _mm256_add_epi16(v, _mm256_srli_epi16(v, 7));
    v = _mm256_add_epi16(v, _mm256_shuffle_epi8(_mm256_set1_epi32(last), repeat));
    return _mm256_madd_epi16(_mm256_srli_epi16(v, 3), times);
}

RO_INLINE void nodes_of_bytes(const unsigned char *in, const uint8_t *lasts,
                              uint32_t nodes[MIX_BLOCK])
{
    for (int i = 0; i < MIX_BLOCK; i += EIGHT) {
        const __m256i a = parts_of_four(in + 3 * i, lasts + i);
        const __m256i b = parts_of_four(in + 3 * i + 12, lasts + i + 4);
        const __m256i sum = _mm256_permute4x64_epi64(_mm256_hadd_epi32(a, b), 0xd8);
        _mm256_store_si256((__m256i *)(void *)(nodes + i), sum);
    }
}

static void nodes_of_any(const struct palette_screen_plan *plan, const unsigned char *in,
                         const uint8_t *lasts, uint32_t nodes[MIX_BLOCK])
{
    for (int i = 0; i < MIX_BLOCK; i++) {
        uint32_t node = 0;
        for (int c = 2; c >= 0; c--) {
            const uint32_t sample = plan->sample_bytes == 1
                                        ? in[3 * i + c]
                                        : ((const uint16_t *)(const void *)in)[3 * i + c];
            node = MIX_NODES * node + (plan->position[sample] + lasts[i]) / MIX_STEP;
        }
        nodes[i] = node;
    }
}

RO_INLINE __m256i four_entries(const uint64_t *entry, uint32_t a, uint32_t b, uint32_t c,
                               uint32_t d)
{
    const __m128i low = _mm_castps_si128(
        _mm_loadh_pi(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)(entry + a))),
                     (const __m64 *)(const void *)(entry + b)));
    const __m128i high = _mm_castps_si128(
        _mm_loadh_pi(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)(entry + c))),
                     (const __m64 *)(const void *)(entry + d)));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/* What a look at eight mixtures tells. */
enum finding { ALL_KNOWN, NEAR_COLOURS, NOT_KNOWN };

RO_INLINE __m256i bytes_of_lanes(__m256i v)
{
    const __m256i collect =
        _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12,
                         -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    return _mm256_shuffle_epi8(v, collect);
}

/* The colours of eight pixels. */
RO_INLINE enum finding eight_pixels(const uint64_t *entry, const uint32_t *n,
                                    const uint16_t *shares, unsigned char *out)
{
    const __m256 even = _mm256_castsi256_ps(four_entries(entry, n[0], n[1], n[4], n[5]));
    const __m256 odd = _mm256_castsi256_ps(four_entries(entry, n[2], n[3], n[6], n[7]));
    const __m256i colours = _mm256_castps_si256(_mm256_shuffle_ps(even, odd, 0x88));
    const __m256i ends = _mm256_castps_si256(_mm256_shuffle_ps(even, odd, 0xdd));
    const __m256i part = _mm256_set1_epi32(MIX_WHOLE - 1), known = _mm256_set1_epi32(1 << 30);
    const __m256i share =
        _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)shares));
    const __m256i first = _mm256_cmpgt_epi32(_mm256_and_si256(ends, part), share);
    const __m256i second =
        _mm256_cmpgt_epi32(_mm256_and_si256(_mm256_srli_epi32(ends, MIX_SHARE_BITS), part), share);
    const __m256i third = _mm256_cmpgt_epi32(
        _mm256_and_si256(_mm256_srli_epi32(ends, 2 * MIX_SHARE_BITS), part), share);
    const __m256i below = _mm256_add_epi32(_mm256_add_epi32(first, second), third);
    const __m256i shift = _mm256_slli_epi32(_mm256_add_epi32(below, _mm256_set1_epi32(3)), 3);
    const __m256i chosen = bytes_of_lanes(_mm256_srlv_epi32(colours, shift));
    _mm_storeu_si32(out, _mm256_castsi256_si128(chosen));
    _mm_storeu_si32(out + 4, _mm256_extracti128_si256(chosen, 1));
    /* Near a colour the sum with `known` is not negative, nor is it where nothing is known. */
    if (_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_add_epi32(ends, known))) == 255)
        return ALL_KNOWN;
    return _mm256_testc_si256(ends, known) ? NEAR_COLOURS : NOT_KNOWN;
}

/* Gives those of eight pixels of 8 bits that have a colour of the palette that colour. */
static void keep_colours(const struct palette_screen_plan *plan, const unsigned char *in,
                         unsigned char *out)
{
    const __m256i apart = _mm256_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1, 0,
                                           1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)in);
    const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(in + 12));
    const __m256i own =
        _mm256_shuffle_epi8(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1), apart);
    __m256i found = _mm256_setzero_si256(), colour = found;
    for (int i = plan->exact - 1; i >= 0; i--) { /* the first of two that are alike */
        const uint32_t *sample = plan->exacts[i].sample;
        const __m256i same = _mm256_cmpeq_epi32(
            own, _mm256_set1_epi32((int)(sample[0] | sample[1] << 8 | sample[2] << 16)));
        found = _mm256_or_si256(found, same);
        colour = _mm256_blendv_epi8(colour, _mm256_set1_epi32(plan->exacts[i].colour), same);
    }
    unsigned left = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(found));
    int32_t numbers[EIGHT];
    _mm256_storeu_si256((__m256i *)(void *)numbers, colour);
    for (; left; left &= left - 1)
        out[__builtin_ctz(left)] = (unsigned char)numbers[__builtin_ctz(left)];
}

void RO_SIMD_NAME(palette_screen_row)(const struct palette_screen_plan *plan,
                                      struct palette_screen_known *known, const unsigned char *in,
                                      unsigned char *out, uint32_t y)
{
    const size_t pixel = 3 * (size_t)plan->sample_bytes;
    const bool bytes = plan->sample_bytes == 1 && plan->white == UINT8_MAX;
    const uint32_t row = ro_hash_row(plan->seed, y);
    struct places places;
    _Alignas(64) uint32_t nodes[MIX_BLOCK];
    _Alignas(16) unsigned char rest_in[6 * MIX_BLOCK + 16] = {0}, rest_out[MIX_BLOCK];
    for (uint32_t x = 0; x < plan->width; x += MIX_BLOCK) {
        const uint32_t left = plan->width - x;
        const unsigned char *from = in + pixel * x;
        unsigned char *to = out + x;
        /* The last pixels are loaded with four bytes behind them. */
        if (left <= MIX_BLOCK + 1) {
            memcpy(rest_in, from, pixel * (left < MIX_BLOCK ? left : MIX_BLOCK));
            from = rest_in;
            to = left < MIX_BLOCK ? rest_out : to;
        }
        find_places(plan, x, y, row, &places);
        if (bytes)
            nodes_of_bytes(from, places.lasts, nodes);
        else
            nodes_of_any(plan, from, places.lasts, nodes);
        for (uint32_t i = 0; i < MIX_BLOCK; i += EIGHT) {
            const enum finding finding =
                eight_pixels(known->entry, nodes + i, places.shares + i, to + i);
            if (finding == NEAR_COLOURS && bytes)
                keep_colours(plan, from + 3 * i, to + i);
            if (finding == ALL_KNOWN || (finding == NEAR_COLOURS && bytes))
                continue;
            for (uint32_t k = i; k < i + EIGHT; k++) {
                uint32_t sample[3];
                for (uint32_t c = 0; c < 3; c++)
                    sample[c] = plan->sample_bytes == 1
                                    ? from[3 * k + c]
                                    : ((const uint16_t *)(const void *)from)[3 * k + c];
                to[k] = palette_screen_pixel(
                    plan, known, sample, (struct palette_place){places.shares[k], places.lasts[k]});
            }
        }
        if (to == rest_out)
            memcpy(out + x, rest_out, left);
    }
}
