/* SPDX-License-Identifier: MIT */
/* The luma of red, green and blue of 8 bits: rows as grey_row makes them. */
#ifndef RO_HALFTONE_TONE_LUMA_H
#define RO_HALFTONE_TONE_LUMA_H

#include "simd/variants.h"

#include <stdbool.h>
#include <stdint.h>

typedef void luma_row_fn(const uint8_t *rgb, uint32_t width, uint8_t *grey);
RO_VARIANTS_DECLARE(luma_row_fn, luma_row);

/* The same with alpha behind each pixel. False: some pixel is not opaque. */
typedef bool luma_opaque_row_fn(const uint8_t *rgba, uint32_t width, uint8_t *grey);
RO_VARIANTS_DECLARE(luma_opaque_row_fn, luma_opaque_row);

#endif
