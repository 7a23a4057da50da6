/* SPDX-License-Identifier: MIT */
/* What a registration looks like. */
#ifndef RO_CLI_REGISTER_PICTURES_H
#define RO_CLI_REGISTER_PICTURES_H

#include "roundoff.h"

/* The images of a registration, all of the same size. */
struct pictures {
    const ro_image *fixed, *moving, *warped, *field;
};

/* Draws six tiles of RO_GREY8: the moving and the fixed image and the squares of their differences,
 * times 10; the grid that the field bends, the warped image and what differs then. */
enum { FIGURE_GAP = 8 };
void draw_figure(const struct pictures *of, const ro_image *out);
static inline uint32_t figure_width(uint32_t width) { return 3 * width + 4 * FIGURE_GAP; }
static inline uint32_t figure_height(uint32_t height) { return 2 * height + 3 * FIGURE_GAP; }

#endif
