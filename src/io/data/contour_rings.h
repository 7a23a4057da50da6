/* SPDX-License-Identifier: MIT */
/* Contours that end at the border of a picture, closed along it. */
#ifndef RO_IO_DATA_CONTOUR_RINGS_H
#define RO_IO_DATA_CONTOUR_RINGS_H

#include "roundoff.h"

#include <stdbool.h>

/* Of outlines it is negative, of holes positive. */
double ro_ring_area(const ro_polyline *ring);

/* Whether a way from the point to the right crosses the ring an odd number of times. */
bool ro_ring_holds(const ro_polyline *ring, const double *point);

struct ro_rings {
    ro_polyline *lines;
    size_t count;
    double *points; /* of those that were joined */
};

/* The lines of one label, all closed; those of fewer than three points are left out. False: no
 * memory. Give back with ro_rings_free. */
bool ro_rings_of(const ro_polyline *const *lines, size_t count, uint32_t width, uint32_t height,
                 struct ro_rings *rings);
void ro_rings_free(struct ro_rings *rings);

#endif
