/* SPDX-License-Identifier: MIT */
/*
 * Rows of a lens hologram's light, as many pixels as lanes at once; the same bits from every
 * compiler's vectors, because lanes only add and multiply, in the order written.
 */
#ifndef RO_HOLOGRAM_LENS_SPOT_ROWS_H
#define RO_HOLOGRAM_LENS_SPOT_ROWS_H

#include "simd/variants.h"

#include <stddef.h>

enum { SPOT_LANES = 16 };

/* Factors of columns: for each of `count`, `width` real and then `width` imaginary parts; the width
 * is a multiple of SPOT_LANES. */
struct spot_columns {
    size_t count, width;
    const float *factors;
};

struct spot_rows {
    /* light = sum over columns of weight * conj(factor); weights are pairs. */
    void (*gather)(const struct spot_columns *c, const float *weights, float *re, float *im);
    /* sums = sum over the row of light * factor, a pair for each column. */
    void (*project)(const struct spot_columns *c, const float *re, const float *im, float *sums);
};

extern const struct spot_rows spot_rows_plain;
RO_VARIANTS_DECLARE(const struct spot_rows, spot_rows);

#endif
