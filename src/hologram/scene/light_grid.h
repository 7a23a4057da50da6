/* SPDX-License-Identifier: MIT */
/* The pixels that light starts at, on the CPU and on a device. */
#ifndef RO_HOLOGRAM_SCENE_LIGHT_GRID_H
#define RO_HOLOGRAM_SCENE_LIGHT_GRID_H

#include <stdint.h>

#ifndef LIGHT_INLINE
#define LIGHT_INLINE static inline
#endif

/* Pixels about the axis. */
struct light_grid {
    uint32_t width, height;
    double pitch[2];
};

LIGHT_INLINE double light_grid_x(const struct light_grid *g, uint32_t column)
{
    return (column + 0.5 - g->width / 2.0) * g->pitch[0];
}

LIGHT_INLINE double light_grid_y(const struct light_grid *g, uint32_t row)
{
    return ((double)row + 0.5 - g->height / 2.0) * g->pitch[1];
}

#endif
