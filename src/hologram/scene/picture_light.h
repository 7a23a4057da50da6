/* SPDX-License-Identifier: MIT */
/* The light of a layer of a picture, on the CPU and on a device. */
#ifndef RO_HOLOGRAM_SCENE_PICTURE_LIGHT_H
#define RO_HOLOGRAM_SCENE_PICTURE_LIGHT_H

#include "core/random.h"
#include "fft/phasor.h"
#include "hologram/scene/light_grid.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { PICTURE_LAYERS = 1024 }; /* at most, of one */

enum picture_phase {
    PICTURE_RANDOM,
    PICTURE_CONSTANT,
    PICTURE_SMOOTH,
    PICTURE_SPHERICAL,
    PICTURE_GIVEN,
};

struct picture_layer {
    const void *amplitude, *depths, *phases; /* floats; no depths: it is flat */
    ptrdiff_t amplitude_stride, depths_stride, phases_stride;
    uint32_t width, height;
    double pixel;            /* metres */
    double depth, near, far; /* of its middle, and what it holds */
    bool last;               /* the farthest depth belongs to it */
    enum picture_phase phase;
    uint64_t seed;
    double viewer[3], wavelength;
};

/* What samples may be, and what they are. */
struct picture_range {
    float least, most;
    bool open; /* the least itself is not allowed */
    float low, high;
    uint64_t place; /* of the first that is not good, from the top; UINT64_MAX: none */
};

LIGHT_INLINE bool picture_sample_is_good(const struct picture_range *range, float v)
{
    return (range->open ? v > range->least : v >= range->least) && v <= range->most;
}

LIGHT_INLINE float picture_sample(const void *data, ptrdiff_t stride, uint32_t x, uint32_t y)
{
    return ((const float *)((const char *)data + (ptrdiff_t)y * stride))[x];
}

LIGHT_INLINE double picture_turns(const struct picture_layer *p, uint32_t column, uint32_t row,
                                  double x, double y)
{
    if (p->phase == PICTURE_CONSTANT)
        return 0;
    if (p->phase == PICTURE_RANDOM)
        return pixel_hash(p->seed, column, row) * 0x1p-32;
    const double dx = x - p->viewer[0], dy = y - p->viewer[1], away = p->depth - p->viewer[2];
    if (p->phase == PICTURE_SPHERICAL) /* with the way to the viewer, so that layers fit together */
        return -sqrt(dx * dx + dy * dy + away * away) / p->wavelength;
    return -(dx * dx + dy * dy) / (2 * away * p->wavelength);
}

/* The sample of a row or column of pixels, in a picture of n, or -1. */
LIGHT_INLINE int64_t picture_place(double x, double pixel, uint32_t n)
{
    const double place = x / pixel + n / 2.0;
    return place >= 0 && place < n ? (int64_t)place : -1;
}

/* Whether the layer has something at a sample, and how bright. */
LIGHT_INLINE bool picture_has(const struct picture_layer *p, uint32_t u, uint32_t v,
                              float *amplitude)
{
    *amplitude = picture_sample(p->amplitude, p->amplitude_stride, u, v);
    if (!p->depths)
        return *amplitude > 0;
    const double depth = picture_sample(p->depths, p->depths_stride, u, v);
    return depth >= p->near && (depth < p->far || p->last);
}

/* The phase that light starts with at a sample, in turns. */
LIGHT_INLINE double picture_turns_at(const struct picture_layer *p, const struct light_grid *grid,
                                     uint32_t column, uint32_t row, uint32_t u, uint32_t v)
{
    return p->phase == PICTURE_GIVEN
               ? picture_sample(p->phases, p->phases_stride, u, v) / PHASOR_TAU
               : picture_turns(p, column, row, light_grid_x(grid, column), light_grid_y(grid, row));
}

/* Replaces the light at a pixel of the plane, if the layer has something there. */
LIGHT_INLINE void picture_light(const struct picture_layer *p, const struct light_grid *grid,
                                uint32_t column, uint32_t row, float *light)
{
    const int64_t u = picture_place(light_grid_x(grid, column), p->pixel, p->width);
    const int64_t v = picture_place(light_grid_y(grid, row), p->pixel, p->height);
    float amplitude;
    if (u < 0 || v < 0 || !picture_has(p, (uint32_t)u, (uint32_t)v, &amplitude))
        return;
    phasor(picture_turns_at(p, grid, column, row, (uint32_t)u, (uint32_t)v), &light[0], &light[1]);
    light[0] *= amplitude;
    light[1] *= amplitude;
}

#endif
