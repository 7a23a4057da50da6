/* SPDX-License-Identifier: MIT */
/* What a registration looks like: pictures, and the record of its descent as text. */
#ifndef RO_CLI_REGISTER_PICTURES_H
#define RO_CLI_REGISTER_PICTURES_H

#include "roundoff.h"

#include <stdio.h>

/* The images of a registration, all of the same size. */
struct pictures {
    const ro_image *fixed, *moving, *warped, *field;
};

/* Each draws into a picture of RO_GRAY8 of the images' size. */
void draw_grid(const struct pictures *of, const ro_image *out); /* lines bent by the field */
void draw_before(const struct pictures *of,
                 const ro_image *out); /* squared differences, times 10 */
void draw_after(const struct pictures *of, const ro_image *out);

/* Six tiles: moving, fixed, before; grid, warped, after. */
enum { FIGURE_GAP = 8 };
void draw_figure(const struct pictures *of, const ro_image *out);
static inline uint32_t figure_width(uint32_t width) { return 3 * width + 4 * FIGURE_GAP; }
static inline uint32_t figure_height(uint32_t height) { return 2 * height + 3 * FIGURE_GAP; }

void write_energies_csv(FILE *file, const ro_register_step *steps, uint32_t count);
void write_energies_svg(FILE *file, const ro_register_step *steps, uint32_t count);

#endif
