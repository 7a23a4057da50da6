/* SPDX-License-Identifier: MIT */
/* How alike a map leaves the copies of two images, and better maps from good ones. */
#ifndef RO_REGISTER_ALIGN_REFINE_H
#define RO_REGISTER_ALIGN_REFINE_H

#include "register/align/align.h"

struct thread_team;

/* Of the images as they are, and with one of them turned to its negative. */
enum match_sign { RO_LIKE, RO_UNLIKE };

/* Copies of both images and the rows that work on them. */
struct ro_view {
    const struct pyramid_copy *copy;
    const struct align_kernels *kernels;
};

/* A map that is refined, and how alike it leaves the copies. */
struct map_climb {
    struct affine_map map;
    enum match_sign sign;
    double value;
    bool settled; /* no further step helps */
};

enum { RO_CLIMBS = 2, RO_MOST_MAPS = 6 };

/* Correlation of the tones, -1 to 1; less for a small overlap, -1 where it proves nothing. */
double map_likeness(const struct ro_view *view, const struct affine_map *map, enum match_sign sign);

/* The same of as many as RO_MOST_MAPS with all threads; false: no memory. */
bool likenesses(struct thread_team *team, const struct ro_view *view, const struct affine_map *maps,
                int count, enum match_sign sign, double *values);

/* Refines as many as RO_CLIMBS maps side by side by Gauss-Newton steps with all threads; false: no
 * memory. */
bool refine_maps(struct thread_team *team, const struct ro_view *view, struct map_climb *climbs,
                 int count, int steps);

#endif
