/* SPDX-License-Identifier: MIT */
/*
 * Two drawings of the same texture, one displaced by a known field, for tests and measurements of
 * registration. The texture is a formula, so that both are drawn, and none is a copy that was
 * resampled.
 */
#ifndef RO_TESTS_PHANTOMS_MOVED_PAIR_H
#define RO_TESTS_PHANTOMS_MOVED_PAIR_H

#include "roundoff/core.h"

enum motion {
    RO_MOTION_NONE,
    RO_MOTION_SINES,    /* a sum of two sines in each direction */
    RO_MOTION_SMOOTH,   /* random, of about six waves over the picture */
    RO_MOTION_ELASTIC,  /* the same, changing 2.3 times as fast */
    RO_MOTION_FINE,     /* the same, 10 times */
    RO_MOTION_ROTATION, /* by `size` degrees about the middle */
    RO_MOTION_SHIFT,    /* by `size` pixels to the right and 0.4 of it down */
};

struct moved_pair {
    uint32_t width, height;
    enum motion motion;
    double size;  /* the longest displacement in pixels, or an angle */
    double noise; /* standard deviation in 1/255 of white */
    double cell;  /* pixels from blob to blob; 0: 30 */
    uint64_t seed;
};

/* The displacement at a pixel of the fixed image. */
RO_API
void pair_field(const struct moved_pair *pair, double x, double y, double u[2]);

/* Fills checked views of RO_GREY8 or RO_GREYF: fixed(x) = texture(x + u(x)), moving(x) =
 * texture(x).
 */
RO_API
void draw_pair(const struct moved_pair *pair, const ro_image *fixed, const ro_image *moving);

#endif
