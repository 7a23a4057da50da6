/* SPDX-License-Identifier: MIT */
/* Pictures whose channels or inks are halftoned each on its own and put together again. */
#ifndef RO_HALFTONE_PLANES_H
#define RO_HALFTONE_PLANES_H

#include "halftone/halftone.h"

enum { PLANES_MOST = 4 };

struct planes {
    int count;
    enum grey_plane plane[PLANES_MOST];
    ro_format format; /* in which each is halftoned: a byte a pixel, or two */
    ro_format out;    /* what they make together */
    /* Puts a row together from rows that lie `apart` bytes apart. */
    void (*combine)(unsigned char *to, const unsigned char *planes, size_t apart, uint32_t width);
};

/* The planes that the options ask for, or why they cannot be made. */
ro_status planes_find(ro_context *context, const ro_halftone_options *options, ro_format out,
                      const struct planes **planes);

/* Plates that lie on each other must not share a screen or random numbers, or their dots would meet
 * too often. Which of them a plane is, from 1 on; 0: a picture of its own. And the plate's seed. */
int planes_plate(enum grey_plane plane);
uint64_t planes_seed(uint64_t seed, int plate);

#endif
