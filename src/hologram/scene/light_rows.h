/* SPDX-License-Identifier: MIT */
/* Light of many pixels of a row at once. */
#ifndef RO_HOLOGRAM_SCENE_LIGHT_ROWS_H
#define RO_HOLOGRAM_SCENE_LIGHT_ROWS_H

#include "roundoff/hologram.h"
#include "simd/variants.h"

enum { LIGHT_ROW = 512 }; /* the most at once */

/* n pixels of a row, in the order of the plane. */
struct light_row {
    float amplitude[LIGHT_ROW]; /* no number: nothing is there, and the light stays as it is */
    double turns[LIGHT_ROW];
};

typedef void light_row_fn(const struct light_row *row, int n, float *light);
extern light_row_fn light_row_plain;
RO_VARIANTS_DECLARE(light_row_fn, light_row);
light_row_fn *light_row_of(const ro_context *context);

#endif
