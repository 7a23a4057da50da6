/* SPDX-License-Identifier: MIT */
/*
 * Small copies of the images, and what an affine map makes of them: what the search for a start
 * (register_align.c) shares with its rows. Sums run over pixels in their order, a pixel that does
 * not count adding zero, so that vectors change no bit.
 */
#ifndef RO_PDE_REGISTER_REGISTER_ALIGN_H
#define RO_PDE_REGISTER_REGISTER_ALIGN_H

#include "roundoff/core.h"

#include <stdbool.h>

/* A copy of both images, `shrink` pixels of the images to one of its own. */
struct ro_copy {
    int width, height;
    double shrink;
    float *image[2]; /* moving, fixed */
    float *keep[2];  /* 1: counts, 0: does not; NULL: all does */
    double counted;  /* pixels of the fixed one that do */
};

/* x' = m0 x + m1 y + m2, y' = m3 x + m4 y + m5, in pixels of a copy about its middle. */
struct ro_map {
    double m[6];
};

/* Sums over the part where the images overlap. */
struct ro_overlap {
    double count, m, f, mm, ff, mf;
};

/* What tones of the two images are brought to. */
struct ro_tones {
    double mean_m, dev_m, mean_f, dev_f;
};

/* A row of numbers of each pixel: tones of both images and whether they count; or slopes along x
 * and y, and the difference. */
struct ro_align_line {
    double *a, *b, *c;
};

enum { RO_ALIGN_SIDE = 256, RO_NORMAL = 8 }; /* the most pixels of a copy's row; see below */

struct ro_align_kernels {
    ro_cpu cpu;
    /* Adds a row. */
    void (*overlap)(const struct ro_copy *copy, const struct ro_map *map, int y,
                    struct ro_overlap *sum);
    /* The same in two steps, of which rows may do the first side by side. */
    void (*overlap_row)(const struct ro_copy *copy, const struct ro_map *map, int y,
                        const struct ro_align_line *line);
    void (*overlap_add)(int width, const struct ro_align_line *line, struct ro_overlap *sum);
    /* A row of a Gauss-Newton step: slopes and what is to be made up for. */
    void (*normal_row)(const struct ro_copy *copy, const struct ro_map *map, int y,
                       const struct ro_tones *tones, const struct ro_align_line *line);
    /* Adds it to row `i` of the normal equations: six of six, the right side and an unused one. */
    void (*normal_add)(const struct ro_copy *copy, int y, const struct ro_align_line *line, int i,
                       double sum[RO_NORMAL]);
    /* A row of the moving image through the map; what lies outside is as at the border. */
    void (*turn)(const struct ro_copy *copy, const struct ro_map *map, int y, float *out);
    /* A row of tones less the mean, by the deviation, of all within `reach`; the sums of tones and
     * of their squares are over all above and to the left. */
    void (*flatten)(int width, int height, int reach, int y, bool sizes, const double *sums,
                    const double *squares, float *row);
};
const struct ro_align_kernels *ro_align_kernels_for(ro_cpu cpu);

#endif
