/* SPDX-License-Identifier: MIT */
/* How alike a map leaves the copies of two images, and better maps from good ones. */
#ifndef RO_REGISTER_ALIGN_REFINE_H
#define RO_REGISTER_ALIGN_REFINE_H

#include "register/align/align.h"

struct ro_team;

/* Of the images as they are, and with one of them turned to its negative. */
enum ro_sign { RO_LIKE, RO_UNLIKE };

/* Copies of both images and the rows that work on them. */
struct ro_view {
    const struct ro_copy *copy;
    const struct ro_align_kernels *kernels;
};

/* A map that is refined, and how alike it leaves the copies. */
struct ro_climb {
    struct ro_map map;
    enum ro_sign sign;
    double value;
    bool settled; /* no further step helps */
};

enum { RO_CLIMBS = 2, RO_MOST_MAPS = 6 };

/* Correlation of the tones, -1 to 1; less for a small overlap, -1 where it proves nothing. */
double map_likeness(const struct ro_view *view, const struct ro_map *map, enum ro_sign sign);

/* The same of as many as RO_MOST_MAPS with all threads; false: no memory. */
bool likenesses(struct ro_team *team, const struct ro_view *view, const struct ro_map *maps,
                int count, enum ro_sign sign, double *values);

/* Refines as many as RO_CLIMBS maps side by side by Gauss-Newton steps with all threads; false: no
 * memory. */
bool refine_maps(struct ro_team *team, const struct ro_view *view, struct ro_climb *climbs,
                 int count, int steps);

#endif
