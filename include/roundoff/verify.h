/* SPDX-License-Identifier: MIT */
/*
 * Hashes of pictures and bytes: XXH3 of 128 bits. They find changes; they do not resist someone who
 * wants to forge. Part of roundoff.h.
 */
#ifndef ROUNDOFF_VERIFY_H
#define ROUNDOFF_VERIFY_H

#include "roundoff/core.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RO_HASH_TEXT = 33 }; /* 32 hexadecimal digits and a zero */

/* RO_E_UNSUPPORTED in a build without xxHash. The hash of a picture is that of the line
 * "format width height maxval\n" and of its rows without padding, samples of more than a byte with
 * their low byte first; bits of the last byte of a packed row that are no pixels count as 0. */
RO_API
ro_status ro_image_hash(ro_context *context, const ro_image *image, char text[RO_HASH_TEXT]);

RO_API
ro_status ro_bytes_hash(ro_context *context, const void *bytes, size_t size,
                        char text[RO_HASH_TEXT]);

#ifdef __cplusplus
}
#endif

#endif
