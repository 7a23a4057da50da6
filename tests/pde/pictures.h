/* SPDX-License-Identifier: MIT */
/* Small test images as integers of a number system: random, natural-like and adversarial ones. */
#ifndef RO_TESTS_PDE_PICTURES_H
#define RO_TESTS_PDE_PICTURES_H

#include <stdint.h>

enum picture {
    PICTURE_RANDOM,
    PICTURE_NATURAL,      /* smooth shading, edges, noise */
    PICTURE_CHECKERBOARD, /* lowest and highest number in turn */
    PICTURE_IMPULSE,
    PICTURE_STRIPES,
    PICTURE_STEP,  /* one edge, a unit of noise on it */
    PICTURE_SPIKE, /* eight neighbours at one extreme, the centre at the other, repeated */
    PICTURES
};

/* Values from low to high, both attained where the picture has contrast. */
void picture_draw(enum picture picture, uint64_t seed, int width, int height, int32_t low,
                  int32_t high, int32_t *pixels);

#endif
