/* SPDX-License-Identifier: MIT */
/*
 * The four nodes round each of many places: at[i], the next one, and both of the row below. Only
 * floats are moved here, so that there is nothing to round.
 *
 * Places of neighbouring nodes are neighbours mostly. Sixteen that fall onto two rows or fewer are
 * picked out of vectors, which may reach a margin further than their rows; others are loaded two
 * nodes at a time.
 */
#ifndef RO_REGISTER_DESCENT_CORNERS_H
#define RO_REGISTER_DESCENT_CORNERS_H

#include <stdint.h>
#if defined(RO_SIMD_V128)
#include "simd/simd.h"
#endif
#if defined(RO_SIMD_AVX512) || defined(RO_SIMD_AVX2)
#include <immintrin.h>
#include <string.h>

/* Two places' pairs of nodes. */
static inline __attribute__((always_inline)) __m128 pairs_of(const float *one, const float *two)
{
    double low, high;
    memcpy(&low, one, sizeof low);
    memcpy(&high, two, sizeof high);
    return _mm_castpd_ps(_mm_set_pd(high, low));
}

/* Four places' pairs. */
static inline __attribute__((always_inline)) __m256 four_of(const float *plane, const int32_t *at)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(pairs_of(plane + at[0], plane + at[1])),
                                pairs_of(plane + at[2], plane + at[3]), 1);
}
#endif

#if defined(RO_SIMD_AVX512)
enum { CORNERS = 16 };

static inline __attribute__((always_inline)) void
sixteen_pairs(const float *plane, const int32_t *at, float *left, float *right)
{
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    __m512 pairs[2];
    for (int k = 0; k < 2; k++)
        pairs[k] = _mm512_insertf32x8(_mm512_castps256_ps512(four_of(plane, at + 8 * k)),
                                      four_of(plane, at + 8 * k + 4), 1);
    _mm512_storeu_ps(left, _mm512_permutex2var_ps(pairs[0], even, pairs[1]));
    _mm512_storeu_ps(right, _mm512_permutex2var_ps(pairs[0], odd, pairs[1]));
}

/* Of 32 floats from `row` on, those that `index` says. */
static inline __attribute__((always_inline)) __m512 picked(const float *row, __m512i index)
{
    return _mm512_permutex2var_ps(_mm512_loadu_ps(row), index, _mm512_loadu_ps(row + 16));
}

static inline void some_corners(const float *plane, int32_t below, const int32_t *at, float *a,
                                float *b, float *c, float *d)
{
    enum { REACH = 31 };
    const __m512i all = _mm512_loadu_si512(at), one = _mm512_set1_epi32(1);
    const __m512i reach = _mm512_set1_epi32(REACH);
    const int32_t first = at[0] - 4;
    const __m512i near = _mm512_sub_epi32(all, _mm512_set1_epi32(first));
    const __mmask16 these = _mm512_cmplt_epu32_mask(near, reach);
    const int32_t second = at[15] - 16;
    const __m512i far = _mm512_sub_epi32(all, _mm512_set1_epi32(second));
    const __mmask16 those = _mm512_cmplt_epu32_mask(far, reach);
    if ((these | those) != 0xffff) {
        sixteen_pairs(plane, at, a, b);
        sixteen_pairs(plane + below, at, c, d);
        return;
    }
    const float *from = plane + first, *under = from + below;
    const __m512i next = _mm512_add_epi32(near, one);
    __m512 top_left = picked(from, near), top_right = picked(from, next);
    __m512 low_left = picked(under, near), low_right = picked(under, next);
    if (these != 0xffff) {
        const __m512i further = _mm512_add_epi32(far, one);
        from = plane + second;
        under = from + below;
        top_left = _mm512_mask_blend_ps(these, picked(from, far), top_left);
        top_right = _mm512_mask_blend_ps(these, picked(from, further), top_right);
        low_left = _mm512_mask_blend_ps(these, picked(under, far), low_left);
        low_right = _mm512_mask_blend_ps(these, picked(under, further), low_right);
    }
    _mm512_storeu_ps(a, top_left);
    _mm512_storeu_ps(b, top_right);
    _mm512_storeu_ps(c, low_left);
    _mm512_storeu_ps(d, low_right);
}

#elif defined(RO_SIMD_AVX2)
enum { CORNERS = 8 };

static inline __attribute__((always_inline)) void eight_pairs(const float *plane, const int32_t *at,
                                                              float *left, float *right)
{
    const __m256 one = four_of(plane, at), two = four_of(plane, at + 4);
    const __m256d lefts = _mm256_castps_pd(_mm256_shuffle_ps(one, two, 0x88));
    const __m256d rights = _mm256_castps_pd(_mm256_shuffle_ps(one, two, 0xdd));
    _mm256_storeu_ps(left, _mm256_castpd_ps(_mm256_permute4x64_pd(lefts, 0xd8)));
    _mm256_storeu_ps(right, _mm256_castpd_ps(_mm256_permute4x64_pd(rights, 0xd8)));
}

static inline void some_corners(const float *plane, int32_t below, const int32_t *at, float *a,
                                float *b, float *c, float *d)
{
    eight_pairs(plane, at, a, b);
    eight_pairs(plane + below, at, c, d);
}

#elif defined(RO_SIMD_V128)
enum { CORNERS = 4 };

static inline __attribute__((always_inline)) void four_pairs(const float *plane, const int32_t *at,
                                                             float *left, float *right)
{
    int64_t pair[4];
    for (int k = 0; k < 4; k++)
        memcpy(&pair[k], plane + at[k], sizeof pair[k]);
    const v_i32 one = (v_i32)(v_i64){pair[0], pair[1]}, two = (v_i32)(v_i64){pair[2], pair[3]};
    v_store(left, (v_all)__builtin_shufflevector(one, two, 0, 2, 4, 6));
    v_store(right, (v_all)__builtin_shufflevector(one, two, 1, 3, 5, 7));
}

static inline void some_corners(const float *plane, int32_t below, const int32_t *at, float *a,
                                float *b, float *c, float *d)
{
    four_pairs(plane, at, a, b);
    four_pairs(plane + below, at, c, d);
}
#endif

static inline void corners(const float *restrict plane, int32_t below, int count,
                           const int32_t *restrict at, float *restrict a, float *restrict b,
                           float *restrict c, float *restrict d)
{
    int i = 0;
#if defined(RO_SIMD_AVX512) || defined(RO_SIMD_AVX2) || defined(RO_SIMD_V128)
    for (; i + CORNERS <= count; i += CORNERS)
        some_corners(plane, below, at + i, a + i, b + i, c + i, d + i);
#endif
    for (; i < count; i++) {
        a[i] = plane[at[i]];
        b[i] = plane[at[i] + 1];
        c[i] = plane[at[i] + below];
        d[i] = plane[at[i] + below + 1];
    }
}

#endif
