/* SPDX-License-Identifier: MIT */
/* Maps of a plane onto another, from points of which pairs are known. */
#ifndef RO_REGISTER_START_MAPS_H
#define RO_REGISTER_START_MAPS_H

#include "register/start/features.h"

/* x' = (m0 x + m1 y + m2) / d, y' = (m3 x + m4 y + m5) / d, d = m6 x + m7 y + m8. */
struct plane_map {
    double m[9];
};

struct point {
    double x, y;
};

static inline struct point map_point(const struct plane_map *map, struct point at)
{
    const double *m = map->m, d = m[6] * at.x + m[7] * at.y + m[8];
    const double by = d < 1e-9 && d > -1e-9 ? 1e-9 : d;
    return (struct point){(m[0] * at.x + m[1] * at.y + m[2]) / by,
                          (m[3] * at.x + m[4] * at.y + m[5]) / by};
}

/* b after a. */
struct plane_map map_after(const struct plane_map *b, const struct plane_map *a);

/* The derivative at a point: x'_x, x'_y, y'_x, y'_y. */
void map_slopes(const struct plane_map *map, struct point at, double slopes[4]);

/* The inverse, up to a factor; false: there is none. */
bool map_invert(const struct plane_map *map, struct plane_map *inverse);

/* Least squares with weights, the sums in order of the pairs. A homography begins with `map` and
 * takes six steps. False: the pairs leave it open. */
bool fit_similarity(int count, const struct point *from, const struct point *to,
                    const double *weight, bool turns, bool scales, struct plane_map *map);
bool fit_affine(int count, const struct point *from, const struct point *to, const double *weight,
                struct plane_map *map);
bool fit_homography(int count, const struct point *from, const struct point *to,
                    const double *weight, struct plane_map *map);

/* Whether a picture of this size is neither folded, nor made smaller than 0.3 or larger than 3.4
 * times, nor squeezed to a fourth. */
bool map_plausible(const struct plane_map *map, int width, int height);

#endif
