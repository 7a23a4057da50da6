/* SPDX-License-Identifier: MIT */
/*
 * An error handed on in shares: weight / sum of it, rounded to the nearest whole number, halves up:
 * floor((2 w e + s) / (2 s)), by a multiplication. Errors stay below 2^24 (sixteen times the white
 * of 16 bits) and sums are small, so n = 2 w e + s + 2 s 2^24 is positive and below 2^31, and the
 * high part of n times 2^36 / (2 s), rounded up, is the quotient.
 */
#ifndef RO_HALFTONE_ERROR_SHARES_H
#define RO_HALFTONE_ERROR_SHARES_H

#include <stdint.h>

enum { SHARE_BITS = 36, SHARE_OFFSET = 1 << 24 };

/* For share_of; sums from 1 to 16. */
static inline uint64_t share_magic(int sum)
{
    uint64_t divisor = 2 * (uint64_t)sum;
    return (((uint64_t)1 << SHARE_BITS) + divisor - 1) / divisor;
}

static inline int32_t share_of(int32_t e, int weight, int sum, uint64_t magic)
{
    int64_t n = 2 * (int64_t)weight * e + sum + 2 * (int64_t)sum * SHARE_OFFSET;
    return (int32_t)((uint64_t)n * magic >> SHARE_BITS) - SHARE_OFFSET;
}

#endif
