/* SPDX-License-Identifier: MIT */
/* The parts of the landscape: sky, land, and what stands in front. */
#ifndef RO_TESTCARD_LAKE_H
#define RO_TESTCARD_LAKE_H

#include "testcard/draw.h"

/* The picture is 1 high; u runs from its middle to the right, v from the top down. A point at
 * height y and distance z is seen at v = HORIZON - (y - EYE) FOCUS / z. */
#define HORIZON 0.60
#define EYE 0.35
#define FOCUS 1.2

/* Where the sun stands, right of the picture, low. */
#define SUN_U 1.15
#define SUN_V 0.30

struct draw_light draw_sky(const struct draw_noise *noise, double u, double v);

/* The height of the land above the lake, negative under water; `pixel` is the finest detail that
 * matters there, in the units of x and z. Where the land cannot reach `least`, any height below it
 * may be given. */
double draw_land_height(const struct draw_noise *noise, double x, double z, double pixel,
                        double least);

/* How much of the sun a point sees, and its light towards the eye. */
double draw_land_sun(const struct draw_noise *noise, double x, double y, double z);
struct draw_light draw_land_light(const struct draw_noise *noise, double x, double y, double z,
                                  double pixel, double sun);
#define ANY_HEIGHT (-1e9)

/* What stands on the far shore and on the near bank: each is drawn over what is `seen` at a point.
 */
void draw_house(const struct draw_scene *scene, double u, double v, struct draw_light *seen);
void draw_trees(const struct draw_noise *noise, double u, double v, struct draw_light *seen);
void draw_bank(const struct draw_noise *noise, double u, double v, struct draw_light *seen);

/* At u, neither trees nor bank reach above this. */
double draw_near_top(double u);

#endif
