/* SPDX-License-Identifier: MIT */
/* A row's sum, in a form that compilers turn into vectors. */
#ifndef RO_HOLOGRAM_FIELD_ROW_SUM_LANES_H
#define RO_HOLOGRAM_FIELD_ROW_SUM_LANES_H

#include "hologram/field/row_sum.h"
#include "simd/variants.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct row_sum row_sum_fn(const float *row, size_t width, bool real);
RO_VARIANTS_DECLARE(row_sum_fn, row_sum);

/* To the nearest whole number, ties to even, of up to 22 bits: as adding 1.5 * 2^23 rounds. */
static inline int32_t nearest(float v)
{
    union {
        float value;
        int32_t bits;
    } sum = {v + 12582912.0f};
    return sum.bits - 0x4b400000;
}

static inline struct row_sum sum_of_row(const float *row, size_t width, bool real)
{
    const int32_t *bits = (const int32_t *)row, mask = real ? 0 : -1;
    int32_t most = 0;
    for (size_t i = 0; i < 2 * width; i++) { /* floats without a sign are ordered as numbers */
        int32_t size = bits[i] & 0x7fffffff;
        most = size > most ? size : most;
    }
    struct row_sum sum = {.most = (uint32_t)most};
    float largest;
    memcpy(&largest, &most, 4);
    if (!isfinite(largest) || largest < 1e-30f)
        return sum;
    frexpf(largest, &sum.exponent);
    sum.exponent = 15 - sum.exponent;
    const float scale = ldexpf(1, sum.exponent);
    for (size_t x = 0; x < width; x++) {
        int32_t re = nearest(row[2 * x] * scale), im = nearest(row[2 * x + 1] * scale) & mask;
        sum.squares += (uint32_t)(re * re) + (uint32_t)(im * im);
    }
    return sum;
}

#endif
