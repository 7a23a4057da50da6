/* SPDX-License-Identifier: MIT */
/* How bright the paper's scene is where, on the CPU and on a device: sums, products and roots of
 * doubles in the order written here. */
#ifndef RO_HOLOGRAM_SCENE_SCENE_LIGHT_H
#define RO_HOLOGRAM_SCENE_SCENE_LIGHT_H

#include "core/random.h"
#include "fft/phasor.h"
#include "hologram/scene/light_grid.h"
#include "hologram/scene/scene.h"

#include <math.h>

enum { SCENE_DICE_TARGET, SCENE_DISC, SCENE_RING, SCENE_BARS };

/* ---- A die ---------------------------------------------------------------------------------- */

/* Pips of the faces 1 to 6 on a grid of three by three. */
LIGHT_INLINE bool on_pip(int face, double u, double v)
{
    const unsigned pips[] = {0020, 0104, 0124, 0505, 0525, 0555};
    for (int i = 0; i < 9; i++) {
        double du = u - 0.5 * (i % 3 - 1), dv = v - 0.5 * (i / 3 - 1);
        if (pips[face] >> (8 - i) & 1 && du * du + dv * dv < 0.17 * 0.17)
            return true;
    }
    return false;
}

/* Where the ray through (x, y) meets the die first, and how bright it is there. */
LIGHT_INLINE bool meet_die(const struct die *die, double x, double y, double *z, double *amplitude)
{
    double from[3], along[3], enter = -1e9, leave = 1e9;
    int face = 0;
    x -= die->x;
    y -= die->y;
    if (x * x + y * y > die->reach * die->reach)
        return false;
    for (int i = 0; i < 3; i++) {
        from[i] = die->turn[i][0] * x + die->turn[i][1] * y;
        along[i] = die->turn[i][2];
        if (fabs(along[i]) < 1e-9)
            along[i] = 1e-9;
        double a = (-die->half - from[i]) / along[i], b = (die->half - from[i]) / along[i];
        double first = fmin(a, b);
        if (first > enter) {
            enter = first;
            face = i;
        }
        leave = fmin(leave, fmax(a, b));
    }
    if (enter > leave)
        return false;
    double at[3];
    for (int i = 0; i < 3; i++)
        at[i] = (from[i] + enter * along[i]) / die->half;
    const double light[3] = {0.75, 0.95, 0.55}; /* by axis: three faces are seen */
    const int numbers[3][2] = {{0, 5}, {1, 4}, {2, 3}};
    *z = die->z + enter;
    *amplitude = light[face];
    if (on_pip(numbers[face][at[face] > 0], at[(face + 1) % 3], at[(face + 2) % 3]))
        *amplitude = 0.12;
    return true;
}

/* The nearest die at (x, y), or -1. */
LIGHT_INLINE int nearest_die(const struct scene *scene, double x, double y, double *z,
                             double *amplitude)
{
    int found = -1;
    for (int i = 0; i < SCENE_DICE; i++) {
        double at, bright;
        if (meet_die(&scene->dice[i], x, y, &at, &bright) && (found < 0 || at < *z)) {
            found = i;
            *z = at;
            *amplitude = bright;
        }
    }
    return found;
}

/* ---- Boards and targets --------------------------------------------------------------------- */

/* Three bars each way, in four sizes, side by side. */
LIGHT_INLINE bool on_bars(double u, double v)
{
    const double width[] = {0.1, 0.05, 0.025, 0.0125};
    double left = -0.95;
    for (int i = 0; i < 4; i++) {
        double w = width[i], x = u - left;
        if (x >= 0 && x < 5 * w && fabs(v + 0.5) < 2.5 * w && fmod(x, 2 * w) < w)
            return true;
        double y = v - 0.5 + 2.5 * w;
        if (x >= 0 && x < 5 * w && y >= 0 && y < 5 * w && fmod(y, 2 * w) < w)
            return true;
        left += 5 * w + 0.15;
    }
    return false;
}

LIGHT_INLINE double board(const struct scene *scene, double x, double y)
{
    double half = scene->board / 2, u = x / half, v = y / half, rr = u * u + v * v;
    if (fabs(u) > 1 || fabs(v) > 1)
        return -1;
    switch (scene->target) {
    case SCENE_DISC:
        return rr < 0.25 ? 1 : -1;
    case SCENE_RING:
        return rr < 0.25 && rr > 0.16 ? 1 : -1;
    case SCENE_BARS:
        return on_bars(u, v) ? 1 : -1;
    default:
        return ((int)floor(4 * (u + 1)) + (int)floor(4 * (v + 1))) % 2 ? 0.7 : 0.1;
    }
}

/* ---- Planes --------------------------------------------------------------------------------- */

LIGHT_INLINE double plane_depth(const struct scene *scene, const struct die *die, int layer)
{
    return die->near + (layer + 0.5) * (die->far - die->near) / scene->options.layers;
}

/* The amplitude at (x, y) metres if it is of that plane, else -1. */
LIGHT_INLINE double scene_light(const struct scene *scene, int plane, double x, double y)
{
    double z = 0, amplitude = 0;
    int die = scene->plane_die[plane];
    if (die < 0) /* also behind the dice: they hide it */
        return board(scene, x, y);
    if (nearest_die(scene, x, y, &z, &amplitude) != die)
        return -1;
    const struct die *d = &scene->dice[die];
    int layer = (int)((z - d->near) / (d->far - d->near) * scene->options.layers);
    layer = layer < 0 ? 0 : layer >= scene->options.layers ? scene->options.layers - 1 : layer;
    return plane_depth(scene, d, layer) == scene->depth[plane] ? amplitude : -1;
}

/* The phase that light starts with, in turns. */
LIGHT_INLINE double scene_turns(const struct scene *scene, int plane, uint32_t column, uint32_t row,
                                double x, double y)
{
    const ro_hologram_scene *o = &scene->options;
    if (!scene->smooth)
        return pixel_hash(o->seed, column, row) * 0x1p-32;
    /* towards the viewer, each plane with an offset of its own */
    double dx = x - o->optics.viewer[0], dy = y - o->optics.viewer[1];
    double distance = scene->depth[plane] - o->optics.viewer[2];
    return pixel_hash(o->seed, (uint32_t)plane, 0) * 0x1p-32 -
           (dx * dx + dy * dy) / (2 * distance * o->optics.wavelength);
}

/* The light at a pixel of a plane. */
LIGHT_INLINE void scene_light_of(const struct scene *scene, int plane, double amplitude,
                                 uint32_t column, uint32_t row, double x, double y, float *light)
{
    phasor(scene_turns(scene, plane, column, row, x, y), &light[0], &light[1]);
    light[0] *= (float)amplitude;
    light[1] *= (float)amplitude;
}

#endif
