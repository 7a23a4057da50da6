/* SPDX-License-Identifier: MIT */
/* Where a viewer may be: pixels of a pitch bend light by sin a = lambda / (2 pitch) at most, and
 * every hogel must reach the whole viewing area. */
#ifndef RO_HOLOGRAM_SCENE_VIEWER_H
#define RO_HOLOGRAM_SCENE_VIEWER_H

#include "roundoff/hologram.h"

#include <stdbool.h>

/* Pixels a side of a hogel, for a hologram whose longer side is this. */
uint32_t viewer_hogel(uint32_t longer);

/* How far away a viewing area of this width must be from a hologram of this side, with nine tenths
 * of the angle. */
double viewer_distance(double side, double area, const ro_optics *optics);

/* Fills in a viewer and viewing area that are 0. */
void viewer_fit(uint32_t width, uint32_t height, ro_optics *optics);

/* Refuses a viewing area that the outermost hogels do not reach, with numbers that would do. */
ro_status viewer_check(ro_context *context, uint32_t width, uint32_t height,
                       const ro_optics *optics);

/* Whether a pixel of the viewer's plane, which is as large as the field, lies in the viewing area;
 * and all light outside of it taken away. */
bool viewer_sees(uint32_t width, uint32_t height, const ro_optics *optics);
void viewer_crop(float *data, uint32_t width, uint32_t height, const ro_optics *optics);

#endif
