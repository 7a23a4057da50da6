/* SPDX-License-Identifier: MIT */
/* Outlines of the regions of a map as closed lines that never touch themselves or each other. */
#ifndef RO_SEGMENT_OUTLINE_TRACE_H
#define RO_SEGMENT_OUTLINE_TRACE_H

#include "roundoff.h"

#include <stdbool.h>

/* Sides of a pixel. */
enum { RO_SIDE_RIGHT, RO_SIDE_DOWN, RO_SIDE_LEFT, RO_SIDE_UP };
extern const int front_side_x[4], front_side_y[4];

struct outline_map {
    uint32_t width, height;
    const uint16_t *labels; /* width + 2 by height + 2; 0: no region, as in the rows and columns
                               around the image */
    uint16_t highest;       /* label */
    const void *data;
    /* Where the line crosses the way from the centre of a pixel of a region to the centre of its
     * neighbour in the image outside the region, from 0 to 1 (others are clamped). NAN: between the
     * points before and after. */
    double (*place)(const void *data, uint32_t x, uint32_t y, int side);
    /* Whether the pixels of a label that touch only at the corner between (x, y) and (x + 1, y + 1)
     * belong together. NULL: they never do. */
    bool (*joined)(const void *data, uint32_t x, uint32_t y);
};

struct outline_set {
    ro_polyline *lines;
    size_t count, line_room;
    double *points;
    size_t used, room; /* points */
};

/* Appends the outlines of a map in the order of their uppermost rows. Returns false if there is no
 * memory. */
bool outlines_add(struct outline_set *outlines, const struct outline_map *map);
void outlines_drop(struct outline_set *outlines);

/* Makes room for the labels of a map, all 0. Returns NULL if there is no memory. */
uint16_t *outline_labels(uint32_t width, uint32_t height);

/* The place of a pixel of the image in them. */
static inline size_t outline_at(uint32_t width, uint32_t x, uint32_t y)
{
    return ((size_t)y + 1) * ((size_t)width + 2) + x + 1;
}

#endif
