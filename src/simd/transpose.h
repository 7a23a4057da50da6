/* SPDX-License-Identifier: MIT */
/* Squares of lanes of 16 and of 32 bits, transposed in registers: as many vectors as a vector has
 * lanes. */
#ifndef RO_SIMD_TRANSPOSE_H
#define RO_SIMD_TRANSPOSE_H

#include "simd/simd.h"

#if defined(RO_SIMD_AVX512)

typedef __m512i whole;

#define UNPACK(part, size, a, b) _mm512_unpack##part##_epi##size(a, b)
/* Squares of four 128-bit parts, taken from vectors `apart` apart. */
RO_INLINE void transpose_parts(whole *v, int apart)
{
    for (int c = 0; c < apart; c++) {
        whole a = v[c], b = v[c + apart], d = v[c + 2 * apart], e = v[c + 3 * apart];
        whole ab = _mm512_shuffle_i64x2(a, b, 0x44), de = _mm512_shuffle_i64x2(d, e, 0x44);
        whole AB = _mm512_shuffle_i64x2(a, b, 0xee), DE = _mm512_shuffle_i64x2(d, e, 0xee);
        v[c] = _mm512_shuffle_i64x2(ab, de, 0x88);
        v[c + apart] = _mm512_shuffle_i64x2(ab, de, 0xdd);
        v[c + 2 * apart] = _mm512_shuffle_i64x2(AB, DE, 0x88);
        v[c + 3 * apart] = _mm512_shuffle_i64x2(AB, DE, 0xdd);
    }
}

#elif defined(RO_SIMD_V128)

typedef v_all whole;

#define UNPACK(part, size, a, b) v_unpack##part##_epi##size(a, b)
RO_INLINE void transpose_parts(whole *v, int apart) { (void)v, (void)apart; }

#else /* RO_SIMD_AVX2 */

typedef __m256i whole;

#define UNPACK(part, size, a, b) _mm256_unpack##part##_epi##size(a, b)
RO_INLINE void transpose_parts(whole *v, int apart)
{
    for (int c = 0; c < apart; c++) {
        whole a = v[c], b = v[c + apart];
        v[c] = _mm256_permute2x128_si256(a, b, 0x20);
        v[c + apart] = _mm256_permute2x128_si256(a, b, 0x31);
    }
}

#endif

/* Squares of eight lanes of 16 bits, one in each 128-bit part of eight vectors. */
RO_INLINE void turn_squares16(whole *a)
{
    whole s0 = UNPACK(lo, 16, a[0], a[1]), s1 = UNPACK(hi, 16, a[0], a[1]);
    whole s2 = UNPACK(lo, 16, a[2], a[3]), s3 = UNPACK(hi, 16, a[2], a[3]);
    whole s4 = UNPACK(lo, 16, a[4], a[5]), s5 = UNPACK(hi, 16, a[4], a[5]);
    whole s6 = UNPACK(lo, 16, a[6], a[7]), s7 = UNPACK(hi, 16, a[6], a[7]);
    whole u0 = UNPACK(lo, 32, s0, s2), u1 = UNPACK(hi, 32, s0, s2);
    whole u2 = UNPACK(lo, 32, s1, s3), u3 = UNPACK(hi, 32, s1, s3);
    whole u4 = UNPACK(lo, 32, s4, s6), u5 = UNPACK(hi, 32, s4, s6);
    whole u6 = UNPACK(lo, 32, s5, s7), u7 = UNPACK(hi, 32, s5, s7);
    a[0] = UNPACK(lo, 64, u0, u4), a[1] = UNPACK(hi, 64, u0, u4);
    a[2] = UNPACK(lo, 64, u1, u5), a[3] = UNPACK(hi, 64, u1, u5);
    a[4] = UNPACK(lo, 64, u2, u6), a[5] = UNPACK(hi, 64, u2, u6);
    a[6] = UNPACK(lo, 64, u3, u7), a[7] = UNPACK(hi, 64, u3, u7);
}

/* Transposes a square: first squares inside the 128-bit parts, then the parts. */
RO_INLINE void transpose16(whole *v)
{
    for (whole *a = v; a < v + RO_VECTOR_BYTES / 2; a += 8)
        turn_squares16(a);
    transpose_parts(v, 8);
}

RO_INLINE void transpose32(whole *v)
{
    for (whole *a = v; a < v + RO_VECTOR_BYTES / 4; a += 4) {
        whole s0 = UNPACK(lo, 32, a[0], a[1]), s1 = UNPACK(hi, 32, a[0], a[1]);
        whole s2 = UNPACK(lo, 32, a[2], a[3]), s3 = UNPACK(hi, 32, a[2], a[3]);
        a[0] = UNPACK(lo, 64, s0, s2), a[1] = UNPACK(hi, 64, s0, s2);
        a[2] = UNPACK(lo, 64, s1, s3), a[3] = UNPACK(hi, 64, s1, s3);
    }
    transpose_parts(v, 4);
}

#endif
