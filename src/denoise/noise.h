/* SPDX-License-Identifier: MIT */
/* Samples as whole numbers, for estimates of the noise. */
#ifndef RO_DENOISE_NOISE_H
#define RO_DENOISE_NOISE_H

#include "roundoff/core.h"

/* Returns the largest finite magnitude in a float image, at least 1; returns 1 for integers. */
float noise_range(const ro_image *image);
/* Writes the samples of row y; floats count in 65535 steps of `range`, NaN as 0. */
void noise_load(const ro_image *image, float range, uint32_t y, int32_t *line);

#endif
