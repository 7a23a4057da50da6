/* SPDX-License-Identifier: MIT */
/* Lanes of 32 bits for palettes, and what a band works in. */
#ifndef RO_HALFTONE_PALETTE_DITHER_LANES_H
#define RO_HALFTONE_PALETTE_DITHER_LANES_H

#include "halftone/palette/palette.h"
#include "simd/simd.h"
#include "simd/transpose.h"

typedef __attribute__((vector_size(RO_VECTOR_BYTES))) int32_t ints;
typedef __attribute__((vector_size(RO_VECTOR_BYTES))) uint32_t whole_lanes;
typedef __attribute__((vector_size(RO_VECTOR_BYTES))) float floats;
typedef __attribute__((vector_size(RO_VECTOR_BYTES))) double doubles;
typedef __attribute__((vector_size(RO_VECTOR_BYTES))) int64_t counts;

enum {
    LANES = RO_VECTOR_BYTES / 4,
    HISTORY = 48,   /* steps an error is kept: dx + skew * dy at most */
    PREFETCH = 512, /* bytes ahead */
};

#if defined(RO_SIMD_AVX512)
typedef __m256i half;
typedef __m128i sum128;
RO_INLINE ints minimum(ints a, ints b) { return (ints)_mm512_min_epi32((whole)a, (whole)b); }
RO_INLINE ints maximum(ints a, ints b) { return (ints)_mm512_max_epi32((whole)a, (whole)b); }
RO_INLINE ints gather(const void *base, ints index, const int scale)
{
    return scale == 1   ? (ints)_mm512_i32gather_epi32((whole)index, base, 1)
           : scale == 2 ? (ints)_mm512_i32gather_epi32((whole)index, base, 2)
                        : (ints)_mm512_i32gather_epi32((whole)index, base, 4);
}
RO_INLINE ints pick(ints table, ints index)
{
    return (ints)_mm512_permutexvar_epi32((whole)index, (whole)table);
}
RO_INLINE ints chosen(ints yes, ints a, ints b) { return (yes & a) | (~yes & b); }
RO_INLINE ints where_more(ints left, ints right, ints a, ints b)
{
    return (ints)_mm512_mask_mov_epi32((whole)b, _mm512_cmpgt_epi32_mask((whole)left, (whole)right),
                                       (whole)a);
}
RO_INLINE ints multiply_pairs(ints a, ints b)
{
    return (ints)_mm512_madd_epi16((whole)a, (whole)b);
}
RO_INLINE ints add_halves(ints a, ints b) { return (ints)_mm512_adds_epi16((whole)a, (whole)b); }
RO_INLINE ints less_halves(ints a, ints b) { return (ints)_mm512_sub_epi16((whole)a, (whole)b); }
/* Lower halves of one and upper halves of the other. */
RO_INLINE ints pair_halves(ints low, ints high)
{
    return (ints)_mm512_mask_mov_epi16((whole)low, 0xaaaaaaaa, (whole)high);
}
RO_INLINE ints cut_halves(ints a, ints least, ints most)
{
    return (ints)_mm512_min_epi16(_mm512_max_epi16((whole)a, (whole)least), (whole)most);
}
RO_INLINE doubles widen(ints v, const int h)
{
    return (doubles)_mm512_cvtepi32_pd(h ? _mm512_extracti64x4_epi64((whole)v, 1)
                                         : _mm512_castsi512_si256((whole)v));
}
RO_INLINE half cut_doubles(doubles v) { return _mm512_cvttpd_epi32((__m512d)v); }
RO_INLINE doubles doubles_of(half v) { return (doubles)_mm512_cvtepi32_pd(v); }
RO_INLINE ints join(half low, half high)
{
    return (ints)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
RO_INLINE doubles multiply_add(doubles a, doubles b, doubles c)
{
    return (doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
RO_INLINE doubles larger(doubles a, doubles b)
{
    return (doubles)_mm512_max_pd((__m512d)a, (__m512d)b);
}
RO_INLINE doubles smaller(doubles a, doubles b)
{
    return (doubles)_mm512_min_pd((__m512d)a, (__m512d)b);
}
RO_INLINE unsigned high_doubles(counts v) { return _mm512_movepi64_mask((whole)v); }
RO_INLINE unsigned high_lanes(ints v) { return _mm512_movepi32_mask((whole)v); }
RO_INLINE ints pixels_of(const unsigned char *from)
{
    const whole apart = _mm512_setr_epi32(0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
    const whole bytes =
        _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)from)),
                           _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)from + 2)), 1);
    const whole each =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
    return (ints)_mm512_shuffle_epi8(_mm512_permutexvar_epi32(apart, bytes), each);
}
RO_INLINE ints low_pairs(ints a, ints b) { return (ints)_mm512_unpacklo_epi32((whole)a, (whole)b); }
RO_INLINE ints high_pairs(ints a, ints b)
{
    return (ints)_mm512_unpackhi_epi32((whole)a, (whole)b);
}
RO_INLINE ints low_fours(ints a, ints b) { return (ints)_mm512_unpacklo_epi64((whole)a, (whole)b); }
RO_INLINE ints high_fours(ints a, ints b)
{
    return (ints)_mm512_unpackhi_epi64((whole)a, (whole)b);
}
RO_INLINE ints join_sums(const __m128i sum[4])
{
    const whole low = _mm512_castsi256_si512(_mm256_set_m128i(sum[1], sum[0]));
    return (ints)_mm512_inserti64x4(low, _mm256_set_m128i(sum[3], sum[2]), 1);
}
RO_INLINE unsigned below_lanes(ints a, int32_t b)
{
    return _mm512_cmplt_epi32_mask((whole)a, _mm512_set1_epi32(b));
}
RO_INLINE ints rotate(ints e) { return (ints)_mm512_alignr_epi32((whole)e, (whole)e, LANES - 1); }
RO_INLINE ints insert_first(ints e, const int32_t *first)
{
    return (ints)_mm512_mask_loadu_epi32((whole)e, 1, first);
}
RO_INLINE void store_first(int32_t *to, ints e)
{
    _mm_storeu_si32(to, _mm512_castsi512_si128((whole)e));
}
RO_INLINE ints multiply_high(ints a, uint32_t b, int shift)
{
    whole factor = _mm512_set1_epi64(b);
    whole even = _mm512_srli_epi64(_mm512_mul_epu32((whole)a, factor), (unsigned)shift);
    whole odd = _mm512_mul_epu32(_mm512_srli_epi64((whole)a, 32), factor);
    odd = _mm512_slli_epi64(_mm512_srli_epi64(odd, (unsigned)shift), 32);
    return (ints)_mm512_or_si512(even, odd);
}
#elif defined(RO_SIMD_V128)
typedef __attribute__((vector_size(8))) int32_t half;
typedef v_all sum128;
RO_INLINE ints minimum(ints a, ints b) { return (ints)v_min_epi32((whole)a, (whole)b); }
RO_INLINE ints maximum(ints a, ints b) { return (ints)v_max_epi32((whole)a, (whole)b); }
RO_INLINE ints gather(const void *base, ints index, const int scale)
{
    return (ints)v_gather32(base, (whole)index, scale);
}
RO_INLINE ints pick(ints table, ints index)
{
    const ints places = (index & 3) * 0x04040404 + 0x03020100;
    return (ints)v_shuffle_epi8((whole)table, (whole)places);
}
RO_INLINE ints chosen(ints yes, ints a, ints b) { return (yes & a) | (~yes & b); }
RO_INLINE ints where_more(ints left, ints right, ints a, ints b)
{
    return chosen(left > right, a, b);
}
RO_INLINE ints multiply_pairs(ints a, ints b) { return (ints)v_madd_epi16((whole)a, (whole)b); }
RO_INLINE ints add_halves(ints a, ints b) { return (ints)v_adds_epi16((whole)a, (whole)b); }
RO_INLINE ints less_halves(ints a, ints b) { return (ints)v_sub_epi16((whole)a, (whole)b); }
RO_INLINE ints pair_halves(ints low, ints high)
{
    return (low & 0xffff) | (high & (int32_t)0xffff0000);
}
RO_INLINE ints cut_halves(ints a, ints least, ints most)
{
    return (ints)v_min_epi16(v_max_epi16((whole)a, (whole)least), (whole)most);
}
RO_INLINE doubles widen(ints v, const int h)
{
    return h ? (doubles){v[2], v[3]} : (doubles){v[0], v[1]};
}
RO_INLINE half cut_doubles(doubles v) { return (half){(int32_t)v[0], (int32_t)v[1]}; }
RO_INLINE doubles doubles_of(half v) { return (doubles){v[0], v[1]}; }
RO_INLINE ints join(half low, half high) { return (ints){low[0], low[1], high[0], high[1]}; }
/* Rounds twice, which is enough: results near a whole number are computed again with integers. */
RO_INLINE doubles multiply_add(doubles a, doubles b, doubles c) { return a * b + c; }
RO_INLINE doubles larger(doubles a, doubles b) { return (doubles)v_max_pd((v_f64)a, (v_f64)b); }
RO_INLINE doubles smaller(doubles a, doubles b) { return (doubles)v_min_pd((v_f64)a, (v_f64)b); }
RO_INLINE unsigned high_doubles(counts v) { return v_mask64((whole)v); }
RO_INLINE unsigned high_lanes(ints v) { return v_mask32((whole)v); }
RO_INLINE ints pixels_of(const unsigned char *from)
{
    const v_u8 each = {0, 1, 2, 255, 3, 4, 5, 255, 6, 7, 8, 255, 9, 10, 11, 255};
    whole bytes = {0};
    memcpy(&bytes, from, 12);
    return (ints)v_shuffle_epi8(bytes, (whole)each);
}
RO_INLINE ints low_pairs(ints a, ints b) { return (ints)v_unpacklo_epi32((whole)a, (whole)b); }
RO_INLINE ints high_pairs(ints a, ints b) { return (ints)v_unpackhi_epi32((whole)a, (whole)b); }
RO_INLINE ints low_fours(ints a, ints b) { return (ints)v_unpacklo_epi64((whole)a, (whole)b); }
RO_INLINE ints high_fours(ints a, ints b) { return (ints)v_unpackhi_epi64((whole)a, (whole)b); }
RO_INLINE ints join_sums(const sum128 sum[1]) { return (ints)sum[0]; }
RO_INLINE unsigned below_lanes(ints a, int32_t b) { return high_lanes(a < b); }
RO_INLINE ints rotate(ints e) { return __builtin_shufflevector(e, e, 3, 0, 1, 2); }
RO_INLINE ints insert_first(ints e, const int32_t *first)
{
    e[0] = *first;
    return e;
}
RO_INLINE void store_first(int32_t *to, ints e) { *to = e[0]; }
RO_INLINE ints multiply_high(ints a, uint32_t b, int shift)
{
    return (ints)((whole_lanes)v_mulhi_epu32((whole)a, v_set1_epi32((int)b)) >> (shift - 32));
}
#else
typedef __m128i half;
typedef __m128i sum128;
RO_INLINE ints minimum(ints a, ints b) { return (ints)_mm256_min_epi32((whole)a, (whole)b); }
RO_INLINE ints maximum(ints a, ints b) { return (ints)_mm256_max_epi32((whole)a, (whole)b); }
RO_INLINE ints gather(const void *base, ints index, const int scale)
{
    return scale == 1   ? (ints)_mm256_i32gather_epi32(base, (whole)index, 1)
           : scale == 2 ? (ints)_mm256_i32gather_epi32(base, (whole)index, 2)
                        : (ints)_mm256_i32gather_epi32(base, (whole)index, 4);
}
RO_INLINE ints pick(ints table, ints index)
{
    return (ints)_mm256_permutevar8x32_epi32((whole)table, (whole)index);
}
RO_INLINE ints chosen(ints yes, ints a, ints b)
{
    return (ints)_mm256_blendv_epi8((whole)b, (whole)a, (whole)yes);
}
RO_INLINE ints where_more(ints left, ints right, ints a, ints b)
{
    return chosen(left > right, a, b);
}
RO_INLINE ints multiply_pairs(ints a, ints b)
{
    return (ints)_mm256_madd_epi16((whole)a, (whole)b);
}
RO_INLINE ints add_halves(ints a, ints b) { return (ints)_mm256_adds_epi16((whole)a, (whole)b); }
RO_INLINE ints less_halves(ints a, ints b) { return (ints)_mm256_sub_epi16((whole)a, (whole)b); }
RO_INLINE ints pair_halves(ints low, ints high)
{
    return (ints)_mm256_blend_epi16((whole)low, (whole)high, 0xaa);
}
RO_INLINE ints cut_halves(ints a, ints least, ints most)
{
    return (ints)_mm256_min_epi16(_mm256_max_epi16((whole)a, (whole)least), (whole)most);
}
RO_INLINE doubles widen(ints v, const int h)
{
    return (doubles)_mm256_cvtepi32_pd(h ? _mm256_extracti128_si256((whole)v, 1)
                                         : _mm256_castsi256_si128((whole)v));
}
RO_INLINE half cut_doubles(doubles v) { return _mm256_cvttpd_epi32((__m256d)v); }
RO_INLINE doubles doubles_of(half v) { return (doubles)_mm256_cvtepi32_pd(v); }
RO_INLINE ints join(half low, half high) { return (ints)_mm256_set_m128i(high, low); }
RO_INLINE doubles multiply_add(doubles a, doubles b, doubles c)
{
    return (doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
RO_INLINE doubles larger(doubles a, doubles b)
{
    return (doubles)_mm256_max_pd((__m256d)a, (__m256d)b);
}
RO_INLINE doubles smaller(doubles a, doubles b)
{
    return (doubles)_mm256_min_pd((__m256d)a, (__m256d)b);
}
RO_INLINE unsigned high_doubles(counts v) { return (unsigned)_mm256_movemask_pd((__m256d)v); }
RO_INLINE unsigned high_lanes(ints v) { return (unsigned)_mm256_movemask_ps((__m256)v); }
RO_INLINE ints pixels_of(const unsigned char *from)
{
    const whole apart = _mm256_setr_epi32(0, 1, 2, 2, 3, 4, 5, 5);
    const whole bytes = _mm256_set_m128i(_mm_loadl_epi64((const __m128i *)from + 1),
                                         _mm_loadu_si128((const __m128i *)from));
    const whole each = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
    return (ints)_mm256_shuffle_epi8(_mm256_permutevar8x32_epi32(bytes, apart), each);
}
RO_INLINE ints low_pairs(ints a, ints b) { return (ints)_mm256_unpacklo_epi32((whole)a, (whole)b); }
RO_INLINE ints high_pairs(ints a, ints b)
{
    return (ints)_mm256_unpackhi_epi32((whole)a, (whole)b);
}
RO_INLINE ints low_fours(ints a, ints b) { return (ints)_mm256_unpacklo_epi64((whole)a, (whole)b); }
RO_INLINE ints high_fours(ints a, ints b)
{
    return (ints)_mm256_unpackhi_epi64((whole)a, (whole)b);
}
RO_INLINE ints join_sums(const __m128i sum[2]) { return (ints)_mm256_set_m128i(sum[1], sum[0]); }
RO_INLINE unsigned below_lanes(ints a, int32_t b) { return high_lanes(a < b); }
RO_INLINE ints rotate(ints e)
{
    const ints from = {7, 0, 1, 2, 3, 4, 5, 6};
    return (ints)_mm256_permutevar8x32_epi32((whole)e, (whole)from);
}
RO_INLINE ints insert_first(ints e, const int32_t *first)
{
    whole one = _mm256_castsi128_si256(_mm_loadu_si32(first));
    return (ints)_mm256_blend_epi32((whole)e, one, 1);
}
RO_INLINE void store_first(int32_t *to, ints e)
{
    _mm_storeu_si32(to, _mm256_castsi256_si128((whole)e));
}
RO_INLINE ints multiply_high(ints a, uint32_t b, int shift)
{
    whole factor = _mm256_set1_epi64x(b);
    whole even = _mm256_srli_epi64(_mm256_mul_epu32((whole)a, factor), shift);
    whole odd = _mm256_mul_epu32(_mm256_srli_epi64((whole)a, 32), factor);
    odd = _mm256_slli_epi64(_mm256_srli_epi64(odd, shift), 32);
    return (ints)_mm256_or_si256(even, odd);
}
#endif

/* Transposes a square of as many rows as lanes. */
RO_INLINE void turn(ints row[LANES]) { transpose32((whole *)row); }

/* The choice among a few colours, as of struct palette_choice, the same in all lanes. */
enum { FEW = 16 };
struct few {
    ints red_green[FEW], blue[FEW], square[FEW], number[FEW];
    ints shift, shift_pair, least_pair, most_pair, least_blue, most_blue;
};

struct scratch {
    ints tone[3][PALETTE_CHUNK];
    int32_t light[LANES][3][PALETTE_CHUNK]; /* of the rows, before they become lanes; aligned */
    ints level[PALETTE_CHUNK];
    ints history[3][DIFFUSION_MAX_DY + 1][HISTORY + PALETTE_CHUNK]; /* [dy]: moved dy lanes down */
    ints last[3], carry[3]; /* the error and the remainder on the left */
    struct few few;
    int64_t loaded; /* steps whose light is in `tone` */
    struct palette_light known;
    struct palette_moves moves;
};

#endif
