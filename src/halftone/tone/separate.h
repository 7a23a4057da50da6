/* SPDX-License-Identifier: MIT */
/* Four inks from red, green and blue of 8 bits, all at once: rows as grey_row makes them one by
 * one. */
#ifndef RO_HALFTONE_TONE_SEPARATE_H
#define RO_HALFTONE_TONE_SEPARATE_H

#include "simd/variants.h"

#include <stdint.h>

/* `left`: of each largest channel, what black leaves of the paper. `paper`: rows of cyan, magenta,
 * yellow and black, white being 255. */
typedef void separate_row_fn(const uint8_t left[256], const uint8_t *rgb, uint32_t width,
                             uint8_t *const paper[4]);
RO_VARIANTS_DECLARE(separate_row_fn, separate_row);

#endif
