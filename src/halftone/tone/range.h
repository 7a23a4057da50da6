/* SPDX-License-Identifier: MIT */
/* Which samples of a picture are black and white: what lies outside them is cut off. */
#ifndef RO_HALFTONE_TONE_RANGE_H
#define RO_HALFTONE_TONE_RANGE_H

#include "roundoff/halftone.h"

#include <stdbool.h>

struct tone_range {
    bool cuts;         /* else samples stay as they are, and the rest is of no use */
    uint32_t black;    /* of integers: a sample loses this, */
    uint32_t white;    /* and is this at most, after that; 65535 for floats */
    double low, width; /* of floats: (x - low) / width is the tone */
};

/* From what the options say; `white` is also filled in where nothing is cut off, with 0 for formats
 * that are not halftoned. */
ro_status tone_range_of(ro_context *context, const ro_image *in, const ro_halftone_options *options,
                        struct tone_range *range);

#endif
