/* SPDX-License-Identifier: MIT */
/*
 * Balanced thresholds. On a flat tone the errors that a kernel carries have a mean, which follows
 * the picture and is seen as a false sharpness. A threshold by tone for which that mean is zero
 * takes it away; weights and the chain stay as they are.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_BALANCED_THRESHOLD_H
#define RO_HALFTONE_ERROR_DIFFUSION_BALANCED_THRESHOLD_H

#include "halftone/error_diffusion/kernels.h"

#include <stdint.h>

enum {
    BALANCE_PLACES = 256, /* of a step between two levels; the table has one half of them */
    BALANCE_UNIT = 1024,  /* parts of a step in which the table counts */
    BALANCE_LEVEL = 410,  /* nothing is to light up in black, nor to go out in white */
};

/* By kernel, raster or serpentine, and place: how far the choice of a level sees a value moved. The
 * other half of a step is the same with the other sign. */
extern const int16_t balance_table[DIFFUSION_KERNELS][2][BALANCE_PLACES / 2 + 1];

/* The same for `place` of `step` tones between two levels, in tones, rounded down; place > 0. */
int32_t balance_between(const int16_t *table, int32_t place, int32_t step);

#endif
