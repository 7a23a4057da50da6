/* SPDX-License-Identifier: MIT */
/*
 * The few operations of the wave that differ between instruction sets, for lanes of 16 and of 32
 * bits.
 *
 *   lanes_down(e, above)  every lane to the next, the line above into lane 0
 *   lane_mask(a != b)     a bit per lane, in the bytes named by MASK_BYTE
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_WAVE_WAVE_OPS_H
#define RO_HALFTONE_ERROR_DIFFUSION_WAVE_WAVE_OPS_H

#include "simd/simd.h"
#include "simd/transpose.h"

#include <stdint.h>
#include <string.h>

typedef __attribute__((vector_size(RO_VECTOR_BYTES))) uint8_t bytes;
typedef __attribute__((vector_size(RO_VECTOR_BYTES))) uint16_t lanes16;
typedef __attribute__((vector_size(RO_VECTOR_BYTES))) uint32_t lanes32;
typedef __attribute__((vector_size(RO_VECTOR_BYTES))) int16_t ints16;
typedef __attribute__((vector_size(RO_VECTOR_BYTES))) int32_t ints32;
typedef __attribute__((vector_size(RO_VECTOR_BYTES))) float floats;
typedef __attribute__((vector_size(RO_VECTOR_BYTES))) double doubles;
typedef __attribute__((vector_size(RO_VECTOR_BYTES), aligned(1))) uint8_t loose_bytes;

#if defined(RO_SIMD_AVX512)

RO_INLINE lanes16 minimum16(lanes16 a, lanes16 b)
{
    return (lanes16)_mm512_min_epu16((whole)a, (whole)b);
}
RO_INLINE lanes32 minimum32(lanes32 a, lanes32 b)
{
    return (lanes32)_mm512_min_epu32((whole)a, (whole)b);
}

/* The high halves of products, and (a + b + 1) / 2 without overflow. */
RO_INLINE lanes16 high_product16(lanes16 a, lanes16 b)
{
    return (lanes16)_mm512_mulhi_epu16((whole)a, (whole)b);
}
RO_INLINE lanes16 average16(lanes16 a, lanes16 b)
{
    return (lanes16)_mm512_avg_epu16((whole)a, (whole)b);
}

/* Lanes where a >= b, or a < b, and sums and differences there. */
typedef __mmask32 where16;
RO_INLINE where16 at_least16(lanes16 a, lanes16 b)
{
    return _mm512_cmpge_epu16_mask((whole)a, (whole)b);
}
RO_INLINE where16 below16(lanes16 a, lanes16 b)
{
    return _mm512_cmplt_epu16_mask((whole)a, (whole)b);
}
RO_INLINE lanes16 plus_where16(lanes16 a, where16 w, lanes16 b)
{
    return (lanes16)_mm512_mask_add_epi16((whole)a, w, (whole)a, (whole)b);
}
RO_INLINE lanes16 minus_where16(lanes16 a, where16 w, lanes16 b)
{
    return (lanes16)_mm512_mask_sub_epi16((whole)a, w, (whole)a, (whole)b);
}
RO_INLINE lanes16 saturated_sum16(lanes16 a, lanes16 b)
{
    return (lanes16)_mm512_adds_epu16((whole)a, (whole)b);
}
/* Bytes to lanes, the first ones of a vector, and back. */
RO_INLINE lanes16 widened(whole a)
{
    return (lanes16)_mm512_cvtepu8_epi16(_mm512_castsi512_si256(a));
}
RO_INLINE lanes16 load_widened(const unsigned char *from)
{
    return (lanes16)_mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)from));
}
RO_INLINE bytes narrowed(lanes16 a, lanes16 b)
{
    const whole order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    return (bytes)_mm512_permutexvar_epi64(order, _mm512_packus_epi16((whole)a, (whole)b));
}

/* Lane 31 comes round to lane 0, where the caller finds it. */
RO_INLINE lanes16 rotate16(lanes16 e)
{
    const lanes16 from = {31, 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                          15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30};
    return (lanes16)_mm512_permutexvar_epi16((whole)from, (whole)e);
}
RO_INLINE lanes32 rotate32(lanes32 e)
{
    return (lanes32)_mm512_alignr_epi32((whole)e, (whole)e, 15);
}
RO_INLINE lanes16 insert16(lanes16 e, const uint16_t *above)
{
    return (lanes16)_mm512_mask_loadu_epi16((whole)e, 1, above);
}
RO_INLINE lanes32 insert32(lanes32 e, const uint32_t *above)
{
    return (lanes32)_mm512_mask_loadu_epi32((whole)e, 1, above);
}
/* Stores lane 0. The 16-bit form writes four bytes, for it is cheaper: the entry after it is
 * written by the next step, and nobody reads it before. */
RO_INLINE void store_first16(uint16_t *to, lanes16 e)
{
    _mm_storeu_si32(to, _mm512_castsi512_si128((whole)e));
}
RO_INLINE void store_first32(uint32_t *to, lanes32 e)
{
    _mm_storeu_si32(to, _mm512_castsi512_si128((whole)e));
}

/* Every lane to the next; the last one's goes to the line below, the first one comes from above. */
RO_INLINE lanes16 lanes_down16(lanes16 e, uint16_t *below, const uint16_t *above)
{
    e = rotate16(e);
    store_first16(below, e);
    return insert16(e, above);
}

enum { MASK_BYTE_16 = 1, MASK_BYTE_32 = 1 };
RO_INLINE uint32_t mask_at_least16(lanes16 a, lanes16 b)
{
    return _mm512_cmpge_epu16_mask((whole)a, (whole)b);
}
RO_INLINE uint32_t mask_at_least32(lanes32 a, lanes32 b)
{
    return _mm512_cmpge_epu32_mask((whole)a, (whole)b);
}
/* Bit `bit` of 64 bytes, the last byte's first. */
RO_INLINE uint64_t gather_bit(const unsigned char *from, int bit)
{
    whole shifted = _mm512_sll_epi16(_mm512_loadu_si512(from), _mm_cvtsi32_si128(7 - bit));
    return _mm512_movepi8_mask(shifted);
}
RO_INLINE ints32 look_up(const int32_t *table, ints32 index)
{
    return (ints32)_mm512_i32gather_epi32((whole)index, table, 4);
}
/* Products of numbers below 2^15: one operation, and half the wait of a full product. */
RO_INLINE lanes32 times_small(lanes32 a, lanes32 b)
{
    return (lanes32)_mm512_madd_epi16((whole)a, (whole)b);
}
/* The high halves of 64-bit products, shifted. */
RO_INLINE lanes32 high_product(lanes32 a, lanes32 b, int shift)
{
    whole even = _mm512_mul_epu32((whole)a, (whole)b);
    whole odd = _mm512_mul_epu32(_mm512_srli_epi64((whole)a, 32), (whole)b);
    lanes32 high = (lanes32)_mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
    return high >> shift;
}

/* For lanes of doubles: two vectors, `h` says which. */
RO_INLINE __m256i side_bits(lanes32 a, int h)
{
    return h ? _mm512_extracti64x4_epi64((whole)a, 1) : _mm512_castsi512_si256((whole)a);
}
RO_INLINE doubles side_of(lanes32 a, int h) { return (doubles)_mm512_cvtepi32_pd(side_bits(a, h)); }
RO_INLINE doubles look_up_double(const double *table, lanes32 index, int h)
{
    return (doubles)_mm512_i32gather_pd(side_bits(index, h), table, 8);
}
RO_INLINE doubles fused(doubles a, doubles b, doubles c)
{
    return (doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
/* Less `step` where v lies above the threshold; a bit per lane says where. */
RO_INLINE uint32_t take_where_above(doubles *e, doubles v, doubles threshold, doubles step)
{
    __mmask8 above = _mm512_cmp_pd_mask((__m512d)v, (__m512d)threshold, _CMP_GT_OQ);
    *e = (doubles)_mm512_mask_sub_pd((__m512d)v, above, (__m512d)v, (__m512d)step);
    return above;
}
RO_INLINE doubles keep_inside(doubles e, lanes32 inside, int h)
{
    return (doubles)_mm512_and_epi64((whole)e, _mm512_cvtepi32_epi64(side_bits(inside, h)));
}
RO_INLINE lanes32 whole_numbers(doubles low, doubles high)
{
    whole a = _mm512_castsi256_si512(_mm512_cvttpd_epi32((__m512d)low));
    return (lanes32)_mm512_inserti64x4(a, _mm512_cvttpd_epi32((__m512d)high), 1);
}
RO_INLINE void lanes_down(doubles *v)
{
    whole low = (whole)v[0], high = (whole)v[1];
    v[0] = (doubles)_mm512_alignr_epi64(low, high, 7);
    v[1] = (doubles)_mm512_alignr_epi64(high, low, 7);
}

#elif defined(RO_SIMD_V128)

RO_INLINE lanes16 minimum16(lanes16 a, lanes16 b)
{
    return (lanes16)v_min_epu16((whole)a, (whole)b);
}
RO_INLINE lanes32 minimum32(lanes32 a, lanes32 b)
{
    return (lanes32)v_min_epu32((whole)a, (whole)b);
}
RO_INLINE lanes16 high_product16(lanes16 a, lanes16 b)
{
    return (lanes16)v_mulhi_epu16((whole)a, (whole)b);
}
RO_INLINE lanes16 average16(lanes16 a, lanes16 b)
{
    return (lanes16)v_avg_epu16((whole)a, (whole)b);
}
typedef lanes16 where16;
RO_INLINE where16 at_least16(lanes16 a, lanes16 b)
{
    return (lanes16)((lanes16)v_max_epu16((whole)a, (whole)b) == a);
}
RO_INLINE where16 below16(lanes16 a, lanes16 b) { return ~at_least16(a, b); }
RO_INLINE lanes16 plus_where16(lanes16 a, where16 w, lanes16 b) { return a + (b & w); }
RO_INLINE lanes16 minus_where16(lanes16 a, where16 w, lanes16 b) { return a - (b & w); }
RO_INLINE lanes16 saturated_sum16(lanes16 a, lanes16 b)
{
    return (lanes16)v_adds_epu16((whole)a, (whole)b);
}
RO_INLINE lanes16 widened(whole a) { return (lanes16)v_unpacklo_epi8(a, (whole){0}); }
RO_INLINE lanes16 load_widened(const unsigned char *from) { return (lanes16)v_load_8_to_16(from); }
RO_INLINE bytes narrowed(lanes16 a, lanes16 b) { return (bytes)v_packus_epi16((whole)a, (whole)b); }
RO_INLINE lanes16 rotate16(lanes16 e)
{
    return __builtin_shufflevector(e, e, 7, 0, 1, 2, 3, 4, 5, 6);
}
RO_INLINE lanes16 insert16(lanes16 e, const uint16_t *above)
{
    e[0] = *above;
    return e;
}
RO_INLINE void store_first16(uint16_t *to, lanes16 e) { *to = e[0]; }
RO_INLINE lanes32 rotate32(lanes32 e) { return __builtin_shufflevector(e, e, 3, 0, 1, 2); }
RO_INLINE lanes32 insert32(lanes32 e, const uint32_t *above)
{
    e[0] = *above;
    return e;
}
RO_INLINE void store_first32(uint32_t *to, lanes32 e) { *to = e[0]; }

/* Reads the seven entries before `above` too. */
RO_INLINE lanes16 lanes_down16(lanes16 e, uint16_t *below, const uint16_t *above)
{
    const lanes16 line = (lanes16)v_load(above - 7);
    *below = e[7];
    return __builtin_shufflevector(line, e, 7, 8, 9, 10, 11, 12, 13, 14);
}

enum { MASK_BYTE_16 = 1, MASK_BYTE_32 = 1 };
RO_INLINE uint32_t mask_at_least16(lanes16 a, lanes16 b)
{
    return v_mask16((whole)at_least16(a, b));
}
RO_INLINE uint32_t mask_at_least32(lanes32 a, lanes32 b)
{
    return v_mask32((whole)((lanes32)v_max_epu32((whole)a, (whole)b) == a));
}
RO_INLINE uint64_t gather_bit(const unsigned char *from, int bit)
{
    const int left = 7 - bit;
    return v_mask_of_64(v_slli_epi16(v_load(from), left), v_slli_epi16(v_load(from + 16), left),
                        v_slli_epi16(v_load(from + 32), left),
                        v_slli_epi16(v_load(from + 48), left));
}
RO_INLINE ints32 look_up(const int32_t *table, ints32 index)
{
    return (ints32)v_gather32(table, (whole)index, 4);
}
RO_INLINE lanes32 times_small(lanes32 a, lanes32 b)
{
    return (lanes32)v_times_small((whole)a, (whole)b);
}
RO_INLINE lanes32 high_product(lanes32 a, lanes32 b, int shift)
{
    return (lanes32)v_mulhi_epu32((whole)a, (whole)b) >> shift;
}

RO_INLINE doubles side_of(lanes32 a, int h)
{
    const ints32 all = (ints32)a;
    return h ? (doubles){all[2], all[3]} : (doubles){all[0], all[1]};
}
RO_INLINE doubles look_up_double(const double *table, lanes32 index, int h)
{
    return h ? (doubles){table[index[2]], table[index[3]]}
             : (doubles){table[index[0]], table[index[1]]};
}
/* Rounds twice where the wider sets round once. The sums are the same: tonal_above keeps a product
 * at least 2^-44 of itself away from a half, and its own rounding moves it by at most 2^-53. */
RO_INLINE doubles fused(doubles a, doubles b, doubles c) { return a * b + c; }
RO_INLINE uint32_t take_where_above(doubles *e, doubles v, doubles threshold, doubles step)
{
    const whole above = (whole)(v > threshold);
    *e = v - (doubles)(above & (whole)step);
    return v_mask64(above);
}
RO_INLINE doubles keep_inside(doubles e, lanes32 inside, int h)
{
    return (doubles)((whole)e & (h ? v_unpackhi_epi32((whole)inside, (whole)inside)
                                   : v_unpacklo_epi32((whole)inside, (whole)inside)));
}
RO_INLINE lanes32 whole_numbers(doubles low, doubles high)
{
    return (lanes32)(ints32){(int32_t)low[0], (int32_t)low[1], (int32_t)high[0], (int32_t)high[1]};
}
RO_INLINE void lanes_down(doubles *v)
{
    const doubles low = v[0], high = v[1];
    v[0] = __builtin_shufflevector(high, low, 1, 2);
    v[1] = __builtin_shufflevector(low, high, 1, 2);
}

#else /* RO_SIMD_AVX2 */

RO_INLINE lanes16 minimum16(lanes16 a, lanes16 b)
{
    return (lanes16)_mm256_min_epu16((whole)a, (whole)b);
}
RO_INLINE lanes32 minimum32(lanes32 a, lanes32 b)
{
    return (lanes32)_mm256_min_epu32((whole)a, (whole)b);
}
RO_INLINE lanes16 high_product16(lanes16 a, lanes16 b)
{
    return (lanes16)_mm256_mulhi_epu16((whole)a, (whole)b);
}
RO_INLINE lanes16 average16(lanes16 a, lanes16 b)
{
    return (lanes16)_mm256_avg_epu16((whole)a, (whole)b);
}
typedef lanes16 where16;
RO_INLINE where16 at_least16(lanes16 a, lanes16 b)
{
    return (lanes16)_mm256_cmpeq_epi16(_mm256_max_epu16((whole)a, (whole)b), (whole)a);
}
RO_INLINE where16 below16(lanes16 a, lanes16 b) { return ~at_least16(a, b); }
RO_INLINE lanes16 plus_where16(lanes16 a, where16 w, lanes16 b) { return a + (b & w); }
RO_INLINE lanes16 minus_where16(lanes16 a, where16 w, lanes16 b) { return a - (b & w); }
RO_INLINE lanes16 saturated_sum16(lanes16 a, lanes16 b)
{
    return (lanes16)_mm256_adds_epu16((whole)a, (whole)b);
}
RO_INLINE lanes16 widened(whole a)
{
    return (lanes16)_mm256_cvtepu8_epi16(_mm256_castsi256_si128(a));
}
RO_INLINE lanes16 load_widened(const unsigned char *from)
{
    return (lanes16)_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)from));
}
RO_INLINE bytes narrowed(lanes16 a, lanes16 b)
{
    return (bytes)_mm256_permute4x64_epi64(_mm256_packus_epi16((whole)a, (whole)b), 0xd8);
}
RO_INLINE lanes16 rotate16(lanes16 e)
{
    whole swapped = _mm256_permute4x64_epi64((whole)e, 0x4e);
    return (lanes16)_mm256_alignr_epi8((whole)e, swapped, 14);
}
RO_INLINE lanes32 rotate32(lanes32 e)
{
    const lanes32 from = {7, 0, 1, 2, 3, 4, 5, 6};
    return (lanes32)_mm256_permutevar8x32_epi32((whole)e, (whole)from);
}
RO_INLINE lanes16 insert16(lanes16 e, const uint16_t *above)
{
    whole first = _mm256_castsi128_si256(_mm_loadu_si16(above));
    const whole other = _mm256_setr_epi32(0xffff0000, -1, -1, -1, -1, -1, -1, -1);
    return (lanes16)_mm256_or_si256(_mm256_and_si256((whole)e, other), first);
}
RO_INLINE lanes32 insert32(lanes32 e, const uint32_t *above)
{
    whole first = _mm256_castsi128_si256(_mm_loadu_si32(above));
    return (lanes32)_mm256_blend_epi32((whole)e, first, 1);
}
RO_INLINE void store_first16(uint16_t *to, lanes16 e)
{
    _mm_storeu_si32(to, _mm256_castsi256_si128((whole)e));
}
RO_INLINE void store_first32(uint32_t *to, lanes32 e)
{
    _mm_storeu_si32(to, _mm256_castsi256_si128((whole)e));
}

/* Reads seven entries before the one above. */
RO_INLINE lanes16 lanes_down16(lanes16 e, uint16_t *below, const uint16_t *above)
{
    const whole line = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(above - 7)));
    const whole before = _mm256_inserti128_si256(line, _mm256_castsi256_si128((whole)e), 1);
    *below = (uint16_t)_mm_extract_epi16(_mm256_extracti128_si256((whole)e, 1), 7);
    return (lanes16)_mm256_alignr_epi8((whole)e, before, 14);
}

enum { MASK_BYTE_16 = 2, MASK_BYTE_32 = 1 }; /* packing works within halves: every other byte */
RO_INLINE uint32_t mask_at_least16(lanes16 a, lanes16 b)
{
    whole yes = _mm256_cmpeq_epi16(_mm256_max_epu16((whole)a, (whole)b), (whole)a);
    return (uint32_t)_mm256_movemask_epi8(_mm256_packs_epi16(yes, _mm256_setzero_si256()));
}
RO_INLINE uint32_t mask_at_least32(lanes32 a, lanes32 b)
{
    whole yes = _mm256_cmpeq_epi32(_mm256_max_epu32((whole)a, (whole)b), (whole)a);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(yes));
}
RO_INLINE uint64_t gather_bit(const unsigned char *from, int bit)
{
    __m128i left = _mm_cvtsi32_si128(7 - bit);
    whole low = _mm256_sll_epi16(_mm256_loadu_si256((const whole *)from), left);
    whole high = _mm256_sll_epi16(_mm256_loadu_si256((const whole *)(from + 32)), left);
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}
RO_INLINE ints32 look_up(const int32_t *table, ints32 index)
{
    return (ints32)_mm256_i32gather_epi32(table, (whole)index, 4);
}
RO_INLINE lanes32 times_small(lanes32 a, lanes32 b)
{
    return (lanes32)_mm256_madd_epi16((whole)a, (whole)b);
}
RO_INLINE lanes32 high_product(lanes32 a, lanes32 b, int shift)
{
    whole even = _mm256_srli_epi64(_mm256_mul_epu32((whole)a, (whole)b), 32);
    whole odd = _mm256_mul_epu32(_mm256_srli_epi64((whole)a, 32), (whole)b);
    return (lanes32)_mm256_blend_epi32(even, odd, 0xaa) >> shift;
}

RO_INLINE __m128i side_bits(lanes32 a, int h)
{
    return h ? _mm256_extracti128_si256((whole)a, 1) : _mm256_castsi256_si128((whole)a);
}
RO_INLINE doubles side_of(lanes32 a, int h) { return (doubles)_mm256_cvtepi32_pd(side_bits(a, h)); }
RO_INLINE doubles look_up_double(const double *table, lanes32 index, int h)
{
    return (doubles)_mm256_i32gather_pd(table, side_bits(index, h), 8);
}
RO_INLINE doubles fused(doubles a, doubles b, doubles c)
{
    return (doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
RO_INLINE uint32_t take_where_above(doubles *e, doubles v, doubles threshold, doubles step)
{
    __m256d above = _mm256_cmp_pd((__m256d)v, (__m256d)threshold, _CMP_GT_OQ);
    *e = v - (doubles)_mm256_and_pd(above, (__m256d)step);
    return (uint32_t)_mm256_movemask_pd(above);
}
RO_INLINE doubles keep_inside(doubles e, lanes32 inside, int h)
{
    return (doubles)_mm256_and_si256((whole)e, _mm256_cvtepi32_epi64(side_bits(inside, h)));
}
RO_INLINE lanes32 whole_numbers(doubles low, doubles high)
{
    return (lanes32)_mm256_set_m128i(_mm256_cvttpd_epi32((__m256d)high),
                                     _mm256_cvttpd_epi32((__m256d)low));
}
RO_INLINE void lanes_down(doubles *v)
{
    __m256d low = _mm256_permute4x64_pd((__m256d)v[0], 0x93);
    __m256d high = _mm256_permute4x64_pd((__m256d)v[1], 0x93);
    v[0] = (doubles)_mm256_blend_pd(low, high, 1);
    v[1] = (doubles)_mm256_blend_pd(high, low, 1);
}

#endif

RO_INLINE lanes32 lanes_down32(lanes32 e, uint32_t *below, const uint32_t *above)
{
    e = rotate32(e);
    store_first32(below, e);
    return insert32(e, above);
}

#endif
