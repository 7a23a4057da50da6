/* SPDX-License-Identifier: MIT */
/* The pixels of a class in a row of tiles, as vectors. */
#ifndef RO_HALFTONE_TRAVERSAL_DOT_LANES_H
#define RO_HALFTONE_TRAVERSAL_DOT_LANES_H

#include "halftone/traversal/dot_diffusion.h"
#include "simd/variants.h"

/*
 * Column c of all tiles of a row lies in one line: pixel 8 i + c is its place i, and its neighbours
 * are places i - 1, i or i + 1 of other lines.
 *
 * A share is the nearest whole number to w e / s, halves up. Where it is no half, w e / s is
 * 1 / (2 s) away from one at least, so that adding 1 / (4 s) and rounding to the nearest gives it,
 * by floats where |e| stays below 2^16: w e / s is then right to within 2^-7, and s is 12 at most.
 * With a white of 16 * 255 no error exceeds 5.1 times that (tests/halftone/traversal adds up shares
 * for every size of the last tiles).
 */
struct dots_line {
    int32_t *value;               /* of place 0 */
    int32_t *to[DOTS_NEIGHBOURS]; /* where its targets' values are */
    float share[DOTS_NEIGHBOURS]; /* w / s */
    float quarter;                /* 1 / (4 s) */
    int count;
    int32_t white;
    uint8_t *bits; /* of the row, a byte a tile */
    uint8_t bit;   /* of the class there */
};

struct dots_lanes {
    /* Rounds places first to last-1. */
    void (*round)(const struct dots_line *line, size_t first, size_t last);
    /* Tones of `tiles` whole tiles of 8-bit samples into eight lines. */
    void (*load)(const uint8_t *samples, size_t tiles, int32_t *const lines[DOTS_SIDE]);
};

RO_VARIANTS_DECLARE(const struct dots_lanes, dots_lanes);

#endif
