/* SPDX-License-Identifier: MIT */
/* Pictures whose channels or inks are halftoned each on its own and put together again. */
#ifndef RO_HALFTONE_COLOUR_PLANES_H
#define RO_HALFTONE_COLOUR_PLANES_H

#include "halftone/halftone.h"

enum { PLANES_MOST = RO_INKS_MOST };

struct planes {
    int count;
    enum grey_plane plane[PLANES_MOST];
    ro_format format; /* in which each is halftoned: a byte a pixel, or two; or bits */
    ro_format out;    /* what they make together */
    /* Puts a row together from `count` rows that lie `apart` bytes apart. NULL: they stay apart. */
    void (*combine)(unsigned char *to, const unsigned char *planes, int count, size_t apart,
                    uint32_t width);
};

/* The planes that the options ask for, or why they cannot be made. */
ro_status planes_find(ro_context *context, const ro_halftone_options *options, ro_format out,
                      struct planes *planes);

/* The options of one of them: an ink's own screen and curve. */
ro_halftone_options planes_options(const ro_halftone_options *options, int plane);

/* Plates that lie on each other must not share a screen or random numbers, or their dots would meet
 * too often. Which of them a plane is, from 1 on; 0: a picture of its own. And the plate's seed. */
int planes_plate(enum grey_plane plane);
uint64_t planes_seed(uint64_t seed, int plate);

#endif
