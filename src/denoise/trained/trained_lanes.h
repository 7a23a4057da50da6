/* SPDX-License-Identifier: MIT */
/* The operations on vectors that the kernels of trained_simd.c are made of. */
#ifndef RO_DENOISE_TRAINED_TRAINED_LANES_H
#define RO_DENOISE_TRAINED_TRAINED_LANES_H

#include "denoise/trained/trained_rows.h"
#include "simd/simd.h"

enum {
    PIXELS = RO_VECTOR_BYTES, /* done at once: four vectors of int32_t */
    LANES = RO_VECTOR_BYTES / 4,
    RESTING = 16, /* the transpose begins so many pixels before the line, for alignment */
};

typedef int32_t lanes32 __attribute__((vector_size(RO_VECTOR_BYTES), may_alias));

#if defined(RO_SIMD_AVX512)

typedef __m512i vec;
#define V(name) _mm512_##name
#define VECTORS 4 /* of int32_t that filters accumulate at once */
RO_INLINE vec load(const void *from) { return _mm512_loadu_si512(from); }
RO_INLINE void store(void *to, vec v) { _mm512_storeu_si512(to, v); }

/* Looks up bytes below 128 in a table of 128. Two bytes of the table are a lane of 16 bits. */
RO_INLINE vec look_up(const uint8_t *table, vec at)
{
    const vec low = load(table), high = load(table + 64), ones = V(set1_epi16)(0xff);
    const vec even = V(and_si512)(at, ones), odd = V(srli_epi16)(at, 8);
    const vec a = V(permutex2var_epi16)(low, V(srli_epi16)(even, 1), high);
    const vec b = V(permutex2var_epi16)(low, V(srli_epi16)(odd, 1), high);
    const vec one = V(set1_epi16)(1);
    const vec first = V(srlv_epi16)(a, V(slli_epi16)(V(and_si512)(even, one), 3));
    const vec second = V(srlv_epi16)(b, V(slli_epi16)(V(and_si512)(odd, one), 3));
    return V(or_si512)(V(and_si512)(first, ones), V(slli_epi16)(second, 8));
}
RO_INLINE vec size_of(vec q) { return V(min_epu8)(V(abs_epi8)(q), V(set1_epi8)(127)); }
RO_INLINE vec signed_as(vec q, vec y)
{
    return V(mask_sub_epi8)(y, V(movepi8_mask)(q), V(setzero_si512)(), y);
}
/* Puts back in order what packing pairs of bytes has moved: lanes of 16 bytes. */
RO_INLINE void in_order(vec *a, vec *b)
{
    const vec low = V(set_epi64)(11, 10, 3, 2, 9, 8, 1, 0);
    const vec high = V(set_epi64)(15, 14, 7, 6, 13, 12, 5, 4);
    const vec first = V(permutex2var_epi64)(*a, low, *b);
    *b = V(permutex2var_epi64)(*a, high, *b);
    *a = first;
}

#elif defined(RO_SIMD_AVX2)

typedef __m256i vec;
#define V(name) _mm256_##name
#define VECTORS 2
RO_INLINE vec load(const void *from) { return _mm256_loadu_si256((const __m256i_u *)from); }
RO_INLINE void store(void *to, vec v) { _mm256_storeu_si256((__m256i_u *)to, v); }

RO_INLINE vec sixteen(const uint8_t *table, vec at)
{
    return V(shuffle_epi8)(V(broadcastsi128_si256)(_mm_loadu_si128((const __m128i_u *)table)), at);
}
RO_INLINE vec look_up(const uint8_t *table, vec at)
{
    const vec low = V(and_si256)(at, V(set1_epi8)(15));
    const vec bit4 = V(slli_epi16)(at, 3), bit5 = V(slli_epi16)(at, 2), bit6 = V(slli_epi16)(at, 1);
    vec part[4];
    RO_UNROLL
    for (int i = 0; i < 4; i++)
        part[i] =
            V(blendv_epi8)(sixteen(table + 32 * i, low), sixteen(table + 32 * i + 16, low), bit4);
    return V(blendv_epi8)(V(blendv_epi8)(part[0], part[1], bit5),
                          V(blendv_epi8)(part[2], part[3], bit5), bit6);
}
RO_INLINE vec size_of(vec q) { return V(min_epu8)(V(abs_epi8)(q), V(set1_epi8)(127)); }
RO_INLINE vec signed_as(vec q, vec y)
{
    const vec negative = V(cmpgt_epi8)(V(setzero_si256)(), q);
    return V(sub_epi8)(V(xor_si256)(y, negative), negative);
}
RO_INLINE void in_order(vec *a, vec *b)
{
    const vec first = V(permute2x128_si256)(*a, *b, 0x20);
    *b = V(permute2x128_si256)(*a, *b, 0x31);
    *a = first;
}

#else

typedef v_all vec;
#define V(name) v_##name
#define VECTORS 2
RO_INLINE vec load(const void *from) { return v_load(from); }
RO_INLINE void store(void *to, vec v) { v_store(to, v); }

RO_INLINE vec look_up(const uint8_t *table, vec at)
{
    const vec low = at & v_set1_epi8(15), part = v_srli_epi16(at, 4) & v_set1_epi8(7);
    vec y = {0};
    RO_UNROLL
    for (int i = 0; i < 8; i++)
        y |= v_shuffle_epi8(v_load(table + 16 * i), low) & v_cmpeq_epi8(part, v_set1_epi8(i));
    return y;
}
RO_INLINE vec size_of(vec q)
{
    const vec negative = v_cmpgt_epi8((vec){0}, q);
    return v_min_epu8(v_sub_epi8(q ^ negative, negative), v_set1_epi8(127));
}
RO_INLINE vec signed_as(vec q, vec y)
{
    const vec negative = v_cmpgt_epi8((vec){0}, q);
    return v_sub_epi8(y ^ negative, negative);
}
RO_INLINE void in_order(vec *a, vec *b) { (void)a, (void)b; }

#endif

RO_INLINE vec add32(vec a, vec b) { return V(add_epi32)(a, b); }
/* Sixteen bits of lanes of 32, in the order of packing. */
RO_INLINE vec as_words(const int32_t *from)
{
    return V(packs_epi32)(load(from), load(from + LANES));
}
RO_INLINE vec dot_words(vec sum, vec a, vec b) { return add32(sum, V(madd_epi16)(a, b)); }
/* Adds products of uint8_t and int8_t to lanes of 16 bits; no sum of two leaves them. */
RO_INLINE vec dot_pairs(vec sum, vec a, vec b) { return V(add_epi16)(sum, V(maddubs_epi16)(a, b)); }
RO_INLINE vec dot_bytes(vec sum, vec a, vec b)
{
    return add32(sum, V(madd_epi16)(V(maddubs_epi16)(a, b), V(set1_epi16)(1)));
}

/* The forward filters of bytes where there is no dot product of four: lanes of 16 bits hold z. */
RO_INLINE void filter_pairs(const struct trained_line *line, int64_t x, int group, vec q[4])
{
    const int32_t *taps = line->forward + group * line->entries * 4;
    const vec slope = V(set1_epi16)((int16_t)line->slope);
    vec z[4][2] = {0};
    RO_UNROLL
    for (int e = 0; e < 13; e++) {
        const char *from = (const char *)line->entry[e] + 2 * x;
        const vec a = load(from), b = load(from + RO_VECTOR_BYTES);
        RO_UNROLL
        for (int i = 0; i < 4; i++) {
            const vec tap = V(set1_epi32)(taps[4 * e + i]);
            z[i][0] = dot_pairs(z[i][0], a, tap);
            z[i][1] = dot_pairs(z[i][1], b, tap);
        }
    }
    RO_UNROLL
    for (int i = 0; i < 4; i++)
        q[i] = V(packs_epi16)(V(mulhrs_epi16)(z[i][0], slope), V(mulhrs_epi16)(z[i][1], slope));
}

#endif
