/* SPDX-License-Identifier: MIT */
/*
 * Screens of dots that grow: dots in straight rows, so many to an inch and at any angle (AM), and
 * dots that lie at random but evenly (green noise).
 *
 * Rows of dots at an angle do not repeat in whole pixels. A supercell of many dots does, nearly:
 * its sides are whole numbers of pixels, and the dots in it are moved by so little that the rows
 * keep their number and their angle.
 *
 *       . B                  A and B, in whole pixels, are p and q steps along the rows of dots u
 *     . o   .  o             and v, and r and s of them. The tile is kept as a brick: `height` rows
 *   .  o   o  .  o           of `width` cells, each further brick below moved by `shift`.
 *  0 . . o . . .
 *        ' A
 */
#ifndef RO_SCREEN_DOTS_H
#define RO_SCREEN_DOTS_H

#include "roundoff/screen.h"
#include "screen/screen.h"

enum {
    DOTS_MAX_SIDE = 4096,     /* pixels a side of a supercell */
    DOTS_MAX_CELLS = 1 << 24, /* pixels of one */
    DOTS_GREYS = 1 << 14,     /* small supercells are repeated until they have as many pixels */
    DOTS_GREEN = 4,           /* pixels of the smallest dot of green noise, by default */
};

/* Directions along the rows of dots, and what they become. */
struct dots_lattice {
    int64_t side[2][2];  /* A and B: x, y */
    int64_t steps[2][2]; /* of A and of B, along u and along v */
    uint32_t width, height, shift;
    uint32_t dots; /* in the supercell */
    ro_dots reached;
};

/* The smallest supercell whose rows are as asked for, or else the best there is. `rectangle`: one
 * without a shift, which a file can hold; it has to be larger, and may be less exact. */
ro_status dots_find(ro_context *context, const ro_screen_options *options, bool rectangle,
                    struct dots_lattice *lattice);

/* The brick of lattices (x, y) of whole numbers: rows of `width`, `height` of them, and how far to
 * the right the next brick begins. */
struct dots_brick {
    int64_t width, height, along;
};
struct dots_brick dots_brick_of(const int64_t side[2][2]);

/* ---- How a dot grows ---- */

/* By the place in a dot, x and y from -1/2 to 1/2 of the way to the next: how late it is black. The
 * light half of tones is that of holes, which are black by their own place, from the corner. */
struct dots_place {
    bool hole;
    double value; /* grows from the centre of the dot or of the hole */
};
typedef struct dots_place dots_shape_fn(double x, double y);

/* By name; NULL: "round", or "euclidean" for a smallest dot of more than a pixel, which only shapes
 * with whole holes can have. A context's message says which there are. */
dots_shape_fn *dots_shape_find(ro_context *context, const char *name, uint32_t dot);

/* A pixel that is to be ranked: its dot, or its hole, which count from the number of dots on; its
 * value there, not negative; its place in the screen. */
struct screen_key dots_key(uint32_t dot, double value, uint32_t pixel);

/* Ranks pixels so that dots and holes grow in turn, a pixel at a time, in the `order` of each; and
 * each of them begins with `least` pixels. The keys are used up. */
ro_status dots_rank(ro_context *context, struct screen_key *keys, uint32_t count, uint32_t dots,
                    const uint32_t *order, uint32_t least, uint32_t *ranks);

#endif
