/* SPDX-License-Identifier: MIT */
/*
 * Printing: screens of dots as printers know them. Part of roundoff.h.
 */
#ifndef ROUNDOFF_PRINT_H
#define ROUNDOFF_PRINT_H

#include "roundoff/halftone.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a screen of dots comes to. Rows of dots run both along the angle and across it; the figures
 * are means of the two. */
typedef struct ro_dots {
    double lpi, angle;         /* lines of dots per inch, degrees */
    double lpi_off, angle_off; /* the larger of the two differences from what was asked for */
    uint32_t greys;            /* pixels of the supercell, and so tones */
    uint32_t dots;             /* dots in it */
    uint32_t width, height;    /* of its tile, */
    uint32_t shift;            /* and by how much the next below is moved */
} ro_dots;

/* What `options` of the kind "am" would make, without making it. `tile`: 1: a plain rectangle, as
 * ro_screen_make gives it; 0: as the method "am" uses it. */
RO_API
ro_status ro_dots_find(ro_context *context, const ro_screen_options *options, int tile,
                       ro_dots *dots);

#ifdef __cplusplus
}
#endif

#endif
