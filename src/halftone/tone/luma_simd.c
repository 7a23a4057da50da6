/* SPDX-License-Identifier: MIT */
/*
 * Luma by pairs of products: green's weight of 46871 does not fit into 16 bits with a sign, so
 * green is in both pairs,
 *
 *     13933 R + 46871 G + 4732 B  =  (13933 R + 23436 G) + (23435 G + 4732 B)
 *
 * A load has 16 bytes, the first 12 of which are four pixels; a shuffle makes the pairs.
 */
#include "halftone/tone/luma.h"
#include "simd/simd.h"

#include <string.h>

enum { GREEN_OF_RED = 23436, GREEN_OF_BLUE = 46871 - GREEN_OF_RED, HALF = 32768 };

#if RO_VECTOR_BYTES == 16

enum { BLOCK = 16 }; /* pixels */

RO_INLINE v_all four(const uint8_t *rgb)
{
    const v_all red_green =
        (v_all)(v_u8){0, 255, 1, 255, 3, 255, 4, 255, 6, 255, 7, 255, 9, 255, 10, 255};
    const v_all green_blue =
        (v_all)(v_u8){1, 255, 2, 255, 4, 255, 5, 255, 7, 255, 8, 255, 10, 255, 11, 255};
    const v_all first = (v_all)(v_i16){13933, GREEN_OF_RED, 13933, GREEN_OF_RED,
                                       13933, GREEN_OF_RED, 13933, GREEN_OF_RED};
    const v_all second = (v_all)(v_i16){GREEN_OF_BLUE, 4732, GREEN_OF_BLUE, 4732,
                                        GREEN_OF_BLUE, 4732, GREEN_OF_BLUE, 4732};
    v_all bytes;
    memcpy(&bytes, rgb, sizeof bytes);
    const v_u32 sum = (v_u32)v_madd_epi16(v_shuffle_epi8(bytes, red_green), first) +
                      (v_u32)v_madd_epi16(v_shuffle_epi8(bytes, green_blue), second);
    return (v_all)((sum + HALF) >> 16);
}

RO_INLINE void luma_block(const uint8_t *rgb, uint8_t *grey)
{
    const v_all low = v_packus_epi32(four(rgb), four(rgb + 12));
    const v_all high = v_packus_epi32(four(rgb + 24), four(rgb + 36));
    const v_all all = v_packus_epi16(low, high);
    memcpy(grey, &all, sizeof all);
}

#else

enum { BLOCK = 32 }; /* pixels: the lower half of each vector has the first 16 */

RO_INLINE __m256i eight(const uint8_t *rgb)
{
    const __m256i red_green = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, -1, 1, -1, 3, -1, 4, -1, 6, -1, 7, -1, 9, -1, 10, -1));
    const __m256i green_blue = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(1, -1, 2, -1, 4, -1, 5, -1, 7, -1, 8, -1, 10, -1, 11, -1));
    const __m256i first = _mm256_set1_epi32(GREEN_OF_RED << 16 | 13933);
    const __m256i second = _mm256_set1_epi32(4732 << 16 | GREEN_OF_BLUE);
    const __m256i bytes = _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)rgb)),
        _mm_loadu_si128((const __m128i *)(const void *)(rgb + 48)), 1);
    const __m256i sum =
        _mm256_add_epi32(_mm256_madd_epi16(_mm256_shuffle_epi8(bytes, red_green), first),
                         _mm256_madd_epi16(_mm256_shuffle_epi8(bytes, green_blue), second));
    return _mm256_srli_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(HALF)), 16);
}

RO_INLINE void luma_block(const uint8_t *rgb, uint8_t *grey)
{
    const __m256i low = _mm256_packus_epi32(eight(rgb), eight(rgb + 12));
    const __m256i high = _mm256_packus_epi32(eight(rgb + 24), eight(rgb + 36));
    _mm256_storeu_si256((__m256i *)(void *)grey, _mm256_packus_epi16(low, high));
}

#endif

enum { OVER = 4 }; /* bytes that the last load of a block reads behind it */

void RO_SIMD_NAME(luma_row)(const uint8_t *rgb, uint32_t width, uint8_t *grey)
{
    uint32_t x = 0;
    for (; width - x >= BLOCK + (OVER + 2) / 3; x += BLOCK)
        luma_block(rgb + 3 * (size_t)x, grey + x);
    while (x < width) {
        const uint32_t count = width - x < BLOCK ? width - x : BLOCK;
        uint8_t last[3 * BLOCK + OVER] = {0}, made[BLOCK];
        memcpy(last, rgb + 3 * (size_t)x, 3 * (size_t)count);
        luma_block(last, made);
        memcpy(grey + x, made, count);
        x += count;
    }
}
