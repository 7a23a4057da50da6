/* SPDX-License-Identifier: MIT */
/* Checks of image views that every entry point makes. */
#ifndef RO_CORE_IMAGE_H
#define RO_CORE_IMAGE_H

#include "roundoff/core.h"
#include "roundoff/library.h"

enum { RO_MAX_SIDE = 1 << 30 }; /* widths and heights up to here never overflow 64-bit sums */

/* RO_OK when format, size, maxval and stride make sense; `role` names the image in the message. */
ro_status image_check(ro_context *context, const ro_image *image, const char *role);

/* The same for an image that may be RO_RGBA8. */
ro_status image_check_with_alpha(ro_context *context, const ro_image *image, const char *role);

/* The largest sample; of integers. */
uint32_t image_largest(const ro_image *image);
/* What white seems to be: 10, 12 or 14 bits often lie in samples of 16. Of those whose white is
 * 65535, the smallest 2^n - 1, 255 at least, that no sample exceeds; else the white. */
uint32_t image_white_in_use(const ro_image *image);
/* The same if the largest sample is known. */
uint32_t image_white_of(const ro_image *image, uint32_t largest);

/* The stride that ro_image_alloc gives rows of so many bytes. Padding of short rows would take more
 * than their samples: 640 MB for an image of 1 x 10^7. */
static inline size_t image_stride(size_t row) { return row < 256 ? row : (row + 63) & ~(size_t)63; }

#endif
