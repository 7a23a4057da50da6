/* SPDX-License-Identifier: MIT */
/*
 * Luma by pairs of products: green's weight of 46871 does not fit into 16 bits with a sign, so
 * green is in both pairs,
 *
 *     13933 R + 46871 G + 4732 B  =  (13933 R + 23436 G) + (23435 G + 4732 B)
 *
 * A load has 16 bytes, the first 12 of which are four pixels, or with alpha all of them; a shuffle
 * makes the pairs.
 */
#include "halftone/tone/luma.h"
#include "simd/simd.h"

#include <string.h>

enum { GREEN_OF_RED = 23436, GREEN_OF_BLUE = 46871 - GREEN_OF_RED, HALF = 32768 };

#if RO_VECTOR_BYTES == 16

enum { BLOCK = 16 }; /* pixels */
typedef v_all bytes_of;

RO_INLINE bytes_of load(const uint8_t *pixels, int step)
{
    bytes_of bytes;
    (void)step;
    memcpy(&bytes, pixels, sizeof bytes);
    return bytes;
}

RO_INLINE v_all sums(bytes_of bytes, int step)
{
    const v_all red_green =
        step == 4 ? (v_all)(v_u8){0, 255, 1, 255, 4, 255, 5, 255, 8, 255, 9, 255, 12, 255, 13, 255}
                  : (v_all)(v_u8){0, 255, 1, 255, 3, 255, 4, 255, 6, 255, 7, 255, 9, 255, 10, 255};
    const v_all green_blue =
        step == 4 ? (v_all)(v_u8){1, 255, 2, 255, 5, 255, 6, 255, 9, 255, 10, 255, 13, 255, 14, 255}
                  : (v_all)(v_u8){1, 255, 2, 255, 4, 255, 5, 255, 7, 255, 8, 255, 10, 255, 11, 255};
    const v_all first = (v_all)(v_i16){13933, GREEN_OF_RED, 13933, GREEN_OF_RED,
                                       13933, GREEN_OF_RED, 13933, GREEN_OF_RED};
    const v_all second = (v_all)(v_i16){GREEN_OF_BLUE, 4732, GREEN_OF_BLUE, 4732,
                                        GREEN_OF_BLUE, 4732, GREEN_OF_BLUE, 4732};
    const v_u32 sum = (v_u32)v_madd_epi16(v_shuffle_epi8(bytes, red_green), first) +
                      (v_u32)v_madd_epi16(v_shuffle_epi8(bytes, green_blue), second);
    return (v_all)((sum + HALF) >> 16);
}

RO_INLINE void store(uint8_t *grey, v_all a, v_all b, v_all c, v_all d)
{
    const v_all all = v_packus_epi16(v_packus_epi32(a, b), v_packus_epi32(c, d));
    memcpy(grey, &all, sizeof all);
}

RO_INLINE bool opaque(bytes_of both)
{
    const v_all alpha = (v_all)(v_u32){0xff000000u, 0xff000000u, 0xff000000u, 0xff000000u};
    return !v_any(~both & alpha);
}

#else

enum { BLOCK = 32 }; /* pixels: the lower half of each vector has the first 16 */
typedef __m256i bytes_of;

RO_INLINE bytes_of load(const uint8_t *pixels, int step)
{
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)pixels)),
        _mm_loadu_si128((const __m128i *)(const void *)(pixels + 16 * step)), 1);
}

RO_INLINE __m256i sums(bytes_of bytes, int step)
{
    const __m256i red_green = _mm256_broadcastsi128_si256(
        step == 4 ? _mm_setr_epi8(0, -1, 1, -1, 4, -1, 5, -1, 8, -1, 9, -1, 12, -1, 13, -1)
                  : _mm_setr_epi8(0, -1, 1, -1, 3, -1, 4, -1, 6, -1, 7, -1, 9, -1, 10, -1));
    const __m256i green_blue = _mm256_broadcastsi128_si256(
        step == 4 ? _mm_setr_epi8(1, -1, 2, -1, 5, -1, 6, -1, 9, -1, 10, -1, 13, -1, 14, -1)
                  : _mm_setr_epi8(1, -1, 2, -1, 4, -1, 5, -1, 7, -1, 8, -1, 10, -1, 11, -1));
    const __m256i first = _mm256_set1_epi32(GREEN_OF_RED << 16 | 13933);
    const __m256i second = _mm256_set1_epi32(4732 << 16 | GREEN_OF_BLUE);
    const __m256i sum =
        _mm256_add_epi32(_mm256_madd_epi16(_mm256_shuffle_epi8(bytes, red_green), first),
                         _mm256_madd_epi16(_mm256_shuffle_epi8(bytes, green_blue), second));
    return _mm256_srli_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(HALF)), 16);
}

RO_INLINE void store(uint8_t *grey, __m256i a, __m256i b, __m256i c, __m256i d)
{
    _mm256_storeu_si256((__m256i *)(void *)grey,
                        _mm256_packus_epi16(_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d)));
}

RO_INLINE bool opaque(bytes_of all)
{
    return _mm256_testc_si256(all, _mm256_set1_epi32((int)0xff000000u));
}

#endif

enum { OVER = 4 }; /* bytes that the last load of a block without alpha reads behind it */

/* Returns whether all pixels are opaque, without alpha true. */
RO_INLINE bool block(const uint8_t *pixels, int step, uint8_t *grey)
{
    bytes_of part[4];
    for (int i = 0; i < 4; i++)
        part[i] = load(pixels + 4 * step * i, step);
    store(grey, sums(part[0], step), sums(part[1], step), sums(part[2], step), sums(part[3], step));
    return step == 3 || opaque(part[0] & part[1] & part[2] & part[3]);
}

RO_INLINE bool whole_row(const uint8_t *pixels, int step, uint32_t width, uint8_t *grey)
{
    const uint32_t beyond = step == 3 ? (OVER + 2) / 3 : 0;
    uint32_t x = 0;
    for (; width - x >= BLOCK + beyond; x += BLOCK)
        if (!block(pixels + (size_t)step * x, step, grey + x))
            return false;
    while (x < width) {
        const uint32_t count = width - x < BLOCK ? width - x : BLOCK;
        uint8_t last[4 * BLOCK], made[BLOCK];
        memset(last, 255, sizeof last);
        memcpy(last, pixels + (size_t)step * x, (size_t)step * count);
        if (!block(last, step, made))
            return false;
        memcpy(grey + x, made, count);
        x += count;
    }
    return true;
}

void RO_SIMD_NAME(luma_row)(const uint8_t *rgb, uint32_t width, uint8_t *grey)
{
    (void)whole_row(rgb, 3, width, grey);
}

bool RO_SIMD_NAME(luma_opaque_row)(const uint8_t *rgba, uint32_t width, uint8_t *grey)
{
    return whole_row(rgba, 4, width, grey);
}
