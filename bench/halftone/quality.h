/* SPDX-License-Identifier: MIT */
/* What `bench quality` finds, and its plot. */
#ifndef RO_BENCH_QUALITY_H
#define RO_BENCH_QUALITY_H

#include "roundoff.h"

enum { QUALITY_EYES = 7, QUALITY_GAUSSIANS = 4 };

struct quality_row {
    char name[64];
    ro_halftone_options options;
    double seen[QUALITY_EYES]; /* relative to Floyd-Steinberg, the geometric mean of all pictures */
    double wsnr, ssim;         /* dB; both means of the pictures */
    double anisotropy, worms;  /* dB: the mean of some greys, and at grey 64 */
};

extern const char *const quality_eyes[QUALITY_EYES]; /* their names */

/* Rows from the best down, as SVG: an eye a colour, the error seen on a logarithmic axis. */
ro_status quality_plot(ro_context *context, const struct quality_row *rows, int count,
                       const char *path);

#endif
