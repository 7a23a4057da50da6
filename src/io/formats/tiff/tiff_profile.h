/* SPDX-License-Identifier: MIT */
/* What the colours of a TIFF file mean. */
#ifndef RO_IO_FORMATS_TIFF_TIFF_PROFILE_H
#define RO_IO_FORMATS_TIFF_TIFF_PROFILE_H

#include "io/filters/profile.h"

/* Takes the file's ICC profile; of four inks, of 8 or 16 bits, only if it is one of inks. */
void tiff_profile(struct row_stage *stage, const uint8_t *bytes, size_t size, uint16_t photometric,
                  uint16_t bits);

/* Turns CIE L*a*b* of 8 or 16 bits, CIELAB or ICCLAB as TIFF has them, into what profiles of
 * version 4 have, in place; `step` samples a pixel. */
void tiff_lab(void *row, uint32_t width, uint16_t photometric, uint16_t bits, size_t step);

#endif
