/* SPDX-License-Identifier: MIT */
/*
 * fmaf for loops that the compiler turns into vectors.
 *
 * SSE4.1 and WebAssembly have no instruction for a * b + c with one rounding, and calls of the C
 * library's fmaf keep a loop from becoming vectors. fma_f32 computes the same bits in doubles. The
 * product of two floats is exact there. The sum s is not; its error is computed as well (Knuth's
 * TwoSum), and s is moved to its odd neighbour on the side of the error, so that no s lies halfway
 * between two floats unless the exact sum does. The conversion to float then rounds correctly
 * (Boldo and Melquiond, Emulation of a FMA and correctly rounded sums, 2008).
 */
#ifndef RO_SIMD_FUSED_H
#define RO_SIMD_FUSED_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(RO_SIMD_V128) && !defined(__aarch64__)

static inline __attribute__((always_inline)) float fma_f32(float a, float b, float c)
{
    const double product = (double)a * b, s = product + c, part = s - product;
    const double error = (product - (s - part)) + (c - part);
    int64_t bits, error_bits;
    memcpy(&bits, &s, sizeof bits);
    memcpy(&error_bits, &error, sizeof error_bits);
    /* One up in magnitude if the error has the sign of s, else one down; only even numbers move. An
     * error that is not a number comes from an infinity, which stays. */
    const int64_t step = 1 - 2 * (int64_t)((uint64_t)(bits ^ error_bits) >> 63);
    bits += fabs(error) > 0 ? step & -(~bits & 1) : 0;
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return (float)odd;
}

#else

static inline __attribute__((always_inline)) float fma_f32(float a, float b, float c)
{
    return fmaf(a, b, c);
}

#endif

#endif
