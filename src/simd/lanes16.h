/* SPDX-License-Identifier: MIT */
/*
 * The operations on vectors of 16-bit lanes that differ between instruction sets; V(name) is the
 * intrinsic of that name where they do not. A `sign` says which lanes are negative: a mask, or with
 * AVX2 the operand of vpsignw.
 */
#ifndef RO_SIMD_LANES16_H
#define RO_SIMD_LANES16_H

#include "simd/simd.h"

#include <stdint.h>

enum { LANES = RO_VECTOR_BYTES / 2 };

#if defined(RO_SIMD_AVX512)

typedef __m512i vec;
typedef __m512 fvec;
typedef __mmask32 sign;

#define V(name) _mm512_##name
#define BITS_OF(v) _mm512_castps_si512(v)
RO_INLINE vec zero(void) { return _mm512_setzero_si512(); }
RO_INLINE vec load(const char *from) { return _mm512_load_si512(from); }
RO_INLINE void store(char *to, vec v) { _mm512_store_si512(to, v); }
RO_INLINE vec and_(vec a, vec b) { return _mm512_and_si512(a, b); }
RO_INLINE vec or_(vec a, vec b) { return _mm512_or_si512(a, b); }
RO_INLINE sign sign_narrow(vec d) { return _mm512_movepi16_mask(d); }
RO_INLINE sign sign_wide(vec deficit) { return _mm512_test_epi16_mask(deficit, deficit); }
RO_INLINE vec with_sign(vec size, sign s) { return _mm512_mask_sub_epi16(size, s, zero(), size); }
RO_INLINE sign sign_differs(sign a, sign b) { return _kxor_mask32(a, b); }
RO_INLINE sign sign_less(vec a, vec b) { return _mm512_cmplt_epu16_mask(a, b); }
RO_INLINE fvec reciprocal(fvec v) { return _mm512_rcp14_ps(v); }
RO_INLINE vec below(vec index, vec end, vec value)
{
    return _mm512_maskz_mov_epi16(_mm512_cmplt_epu16_mask(index, end), value);
}
RO_INLINE vec gather(const uint32_t *table, vec index)
{
    return _mm512_i32gather_epi32(index, table, 4);
}

#elif defined(RO_SIMD_V128)

typedef v_all vec;
typedef v_f32 fvec;
typedef v_all sign; /* -1 where negative */

#define V(name) v_##name
#define BITS_OF(v) ((vec)(v))
RO_INLINE vec zero(void) { return (vec){0}; }
RO_INLINE vec load(const char *from) { return *(const vec *)from; }
RO_INLINE void store(char *to, vec v) { *(vec *)to = v; }
RO_INLINE vec and_(vec a, vec b) { return a & b; }
RO_INLINE vec or_(vec a, vec b) { return a | b; }
RO_INLINE sign sign_narrow(vec d) { return v_srai_epi16(d, 15); }
RO_INLINE sign sign_wide(vec deficit) { return ~v_cmpeq_epi16(deficit, zero()); }
RO_INLINE vec with_sign(vec size, sign s) { return v_sub_epi16(size ^ s, s); }
RO_INLINE sign sign_differs(sign a, sign b) { return a ^ b; }
RO_INLINE sign sign_less(vec a, vec b) { return sign_wide(v_subs_epu16(b, a)); }
RO_INLINE vec below(vec index, vec end, vec value) { return v_cmpgt_epi16(end, index) & value; }
RO_INLINE vec gather(const uint32_t *table, vec index) { return v_gather32(table, index, 4); }

#else

typedef __m256i vec;
typedef __m256 fvec;
typedef __m256i sign;

#define V(name) _mm256_##name
#define BITS_OF(v) _mm256_castps_si256(v)
RO_INLINE vec zero(void) { return _mm256_setzero_si256(); }
RO_INLINE vec load(const char *from) { return _mm256_load_si256((const vec *)from); }
RO_INLINE void store(char *to, vec v) { _mm256_store_si256((vec *)to, v); }
RO_INLINE vec and_(vec a, vec b) { return _mm256_and_si256(a, b); }
RO_INLINE vec or_(vec a, vec b) { return _mm256_or_si256(a, b); }
RO_INLINE sign sign_narrow(vec d) { return d; }
RO_INLINE sign sign_wide(vec deficit)
{
    return or_(_mm256_xor_si256(_mm256_cmpeq_epi16(deficit, zero()), _mm256_set1_epi16(-1)),
               _mm256_set1_epi16(1));
}
RO_INLINE vec with_sign(vec size, sign s) { return _mm256_sign_epi16(size, s); }
RO_INLINE sign sign_differs(sign a, sign b)
{
    return or_(_mm256_srai_epi16(_mm256_xor_si256(a, b), 15), _mm256_set1_epi16(1));
}
RO_INLINE sign sign_less(vec a, vec b) { return sign_wide(_mm256_subs_epu16(b, a)); }
RO_INLINE fvec reciprocal(fvec v) { return _mm256_rcp_ps(v); }
RO_INLINE vec below(vec index, vec end, vec value)
{
    return and_(_mm256_cmpgt_epi16(end, index), value);
}
RO_INLINE vec gather(const uint32_t *table, vec index)
{
    return _mm256_i32gather_epi32((const int *)table, index, 4);
}

#endif

#endif
