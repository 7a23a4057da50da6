/* SPDX-License-Identifier: MIT */
/* How alike a map leaves the copies of two images, and better maps from a good one. */
#ifndef RO_PDE_REGISTER_REGISTER_REFINE_H
#define RO_PDE_REGISTER_REGISTER_REFINE_H

#include "pde/register/align/register_align.h"

/* Of the images as they are, and with one of them turned to its negative. */
enum ro_sign { RO_LIKE, RO_UNLIKE };

/* Copies of both images and the rows that work on them. */
struct ro_view {
    const struct ro_copy *copy;
    const struct ro_align_kernels *kernels;
};

/* Correlation of the tones, -1 to 1; less for a small overlap, -1 where it proves nothing. */
double ro_likeness(const struct ro_view *view, const struct ro_map *map, enum ro_sign sign);

/* Refines a map by Gauss-Newton steps with all threads, and tells how alike it leaves the copies. */
ro_status ro_refine(ro_context *context, const struct ro_view *view, struct ro_map *map,
                    enum ro_sign sign, int steps, double *value);

#endif
