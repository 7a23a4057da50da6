/* SPDX-License-Identifier: MIT */
/*
 * Vectors of 64 bytes of `real`, for any instruction set that the compiler is given. Build with
 * -DREAL=double for sharp comparisons with finite differences.
 */
#ifndef RO_DENOISE_TRAIN_VECTORS_H
#define RO_DENOISE_TRAIN_VECTORS_H

#ifdef REAL
typedef REAL real;
#else
typedef float real;
#endif

enum { LANES = 64 / sizeof(real) };

typedef real vec __attribute__((vector_size(64), may_alias));
typedef real unaligned_vec __attribute__((vector_size(64), may_alias, aligned(sizeof(real))));
typedef __typeof__((vec){0} < (vec){0}) mask_vec;

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")

INLINE vec load(const real *p) { return (vec) * (const unaligned_vec *)p; }

INLINE void store(real *p, vec v) { *(unaligned_vec *)p = v; }

INLINE vec splat(real x) { return x - (vec){0}; }

#if defined __AVX512F__ && !defined REAL
#include <immintrin.h>

INLINE vec minimum(vec a, vec b) { return (vec)_mm512_min_ps((__m512)a, (__m512)b); }

/* Returns sum + (a < b ? term : 0). */
INLINE vec add_where_below(vec sum, vec a, vec b, vec term)
{
    return (vec)_mm512_mask_add_ps((__m512)sum,
                                   _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ),
                                   (__m512)sum, (__m512)term);
}
#else
INLINE vec minimum(vec a, vec b)
{
    mask_vec below = a < b;
    return (vec)(((mask_vec)a & below) | ((mask_vec)b & ~below));
}

INLINE vec add_where_below(vec sum, vec a, vec b, vec term)
{
    return sum + (vec)((mask_vec)term & (a < b));
}
#endif

INLINE mask_vec sign_of(vec v) { return (mask_vec)v & (mask_vec)splat(-0.0); }

INLINE vec flip(vec v, mask_vec sign) { return (vec)((mask_vec)v ^ sign); }

/* Rounds to the nearest integer, ties to even; |v| is below 2^22. */
INLINE vec nearest_vec(vec v)
{
    const vec large = splat(sizeof(real) == 4 ? 0x1.8p23 : 0x1.8p52);
    return v + large - large;
}

INLINE double lane_sum(vec v)
{
    double sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += v[i];
    return sum;
}

#endif
