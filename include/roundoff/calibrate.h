/* SPDX-License-Identifier: MIT */
/*
 * Calibration of a printer: a step wedge to print, and the tone curve that its scan gives. Part of
 * roundoff.h.
 */
#ifndef ROUNDOFF_CALIBRATE_H
#define ROUNDOFF_CALIBRATE_H

#include "roundoff/halftone.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RO_WEDGE_STEPS = 65 }; /* tones 0, 1/64, ... 1 */

/* The size in pixels of a wedge whose patches have `patch` pixels a side, a multiple of 8 from 16
 * to 4096; 0 for another number. */
static inline uint32_t ro_wedge_width(uint32_t patch)
{
    return patch >= 16 && patch <= 4096 && patch % 8 == 0 ? patch / 8 * 137 : 0;
}
static inline uint32_t ro_wedge_height(uint32_t patch)
{
    return patch >= 16 && patch <= 4096 && patch % 8 == 0 ? patch / 8 * 90 : 0;
}

/* Draws the wedge into an RO_GREY8 view of that size, as tones to be halftoned: patches in a fixed
 * order that looks random, paper between them, and a mark at each corner. */
RO_API
ro_status ro_wedge_draw(ro_context *context, uint32_t patch, ro_image *image);

/* What was found in a scan. Tones: 0 is the solid black of the print, 1 its paper. */
typedef struct ro_wedge_report {
    size_t size;                    /* of the structure; set it before the call */
    double tone[RO_WEDGE_STEPS];    /* that were asked for */
    double printed[RO_WEDGE_STEPS]; /* as measured, before they are made to grow */
    double corner[4][2];            /* centres of the marks, in pixels: top left, top right, bottom
                                       left, bottom right */
    double angle;                   /* degrees, clockwise */
    double black;                   /* of solid black, over the paper */
    double light;                   /* the darkest over the lightest place of paper */
    double error;                   /* rms of printed minus tone: what the curve takes away */
    int turns;                      /* quarter turns by which the sheet lay, clockwise */
} ro_wedge_report;

/* How a scan is read. */
typedef struct ro_wedge_options {
    size_t size;           /* RO_WEDGE_OPTIONS sets it */
    int linear;            /* 1: samples of the scan are linear in light; 0: they are sRGB */
    int ink_given;         /* 1: the wedge is a plate, printed in an ink of this colour, */
    uint8_t ink_colour[3]; /* as sRGB, and looked at through the filter where it is darkest: red,
                              green or blue; 0: by its luma */
} ro_wedge_options;
#define RO_WEDGE_DEFAULTS RO_DEFAULTS_OF(ro_wedge_options, RO_NONE_UNSET)
#define RO_WEDGE_OPTIONS RO_OPTIONS_OF(ro_wedge_options, RO_NONE_UNSET)
RO_API
void ro_wedge_options_init(ro_wedge_options *options, size_t size);

/* Finds the patches of a scan (grey or colour, rotated by any multiple of 90 degrees and up to 15
 * more, unevenly lit) and fits a tone curve: points for ro_tone.curve, at most RO_WEDGE_STEPS of
 * them. Without an ink the curve is for pictures in sRGB: the light of the print, from its black to
 * its paper, is that of the picture. With an ink it is for a plate: the share of light that the ink
 * takes is the plate's share of ink. `options` may be NULL. RO_E_FORMAT if there is no wedge to be
 * found. */
RO_API
ro_status ro_wedge_read(ro_context *context, const ro_image *scan, const ro_wedge_options *options,
                        ro_tone_point points[RO_WEDGE_STEPS], int *count, ro_wedge_report *report);

#ifdef __cplusplus
}
#endif

#endif
