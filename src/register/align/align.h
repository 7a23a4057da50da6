/* SPDX-License-Identifier: MIT */
/*
 * Small copies of the images, and what an affine map makes of them: what the search for a start
 * (align.c) shares with its rows. A sum over a copy is one of four rows at a time, in
 * order; a row is summed in eight lanes, column x in lane x mod 8, which are joined in pairs. What
 * does not count adds zero. Vectors of up to eight and threads that share out fours of rows give
 * the same bits.
 */
#ifndef RO_REGISTER_ALIGN_ALIGN_H
#define RO_REGISTER_ALIGN_ALIGN_H

#include "fft/radix2.h"
#include "roundoff/core.h"

#include <stdbool.h>

/* A copy of both images, `shrink` pixels of the images to one of its own. */
struct pyramid_copy {
    int width, height;
    double shrink;
    float *image[2]; /* moving, fixed; RO_ALIGN_LANES more are there to be read */
    float *keep[2];  /* 1: counts, 0: does not; NULL: all does */
    double counted;  /* pixels of the fixed one that do */
};

/* x' = m0 x + m1 y + m2, y' = m3 x + m4 y + m5, in pixels of a copy about its middle. */
struct affine_map {
    double m[6];
};

/* Sums over the part where the images overlap, m and f being tones of the moving and the fixed
 * image, gx and gy the slopes of m; a product of slopes is summed by 1, x, y, xx, xy and yy, the
 * others by 1, x and y, from the middle of the copy. */
enum align_sum {
    RO_SUM_COUNT,
    RO_SUM_M,
    RO_SUM_F,
    RO_SUM_MM,
    RO_SUM_FF,
    RO_SUM_MF,
    RO_SUM_TONES,                         /* so many without slopes */
    RO_SUM_PRODUCTS = RO_SUM_TONES,       /* gx gx, gx gy, gy gy */
    RO_SUM_SLOPES = RO_SUM_PRODUCTS + 18, /* gx, gx m, gx f, then those of gy */
    RO_SUMS = RO_SUM_SLOPES + 18
};

enum {
    RO_ALIGN_SIDE = 256, /* the most pixels of a copy's row */
    RO_ALIGN_LANES = 8,
    RO_ALIGN_ROWS = 4 /* that are summed together */
};

struct align_kernels {
    ro_cpu cpu;
    /* Sums of rows from 4 `four` on; the first RO_SUM_TONES only, unless `slopes`. */
    void (*sum)(const struct pyramid_copy *copy, const struct affine_map *map, int four,
                bool slopes, double sums[RO_SUMS]);
    /* A row of the moving image through the map; what lies outside is as at the border. */
    void (*turn)(const struct pyramid_copy *copy, const struct affine_map *map, int y, float *out);
    /* A row of tones less the mean, by the deviation, of all within `reach`; the sums of tones and
     * of their squares are over all above and to the left. */
    void (*flatten)(int width, int height, int reach, int y, bool sizes, const double *sums,
                    const double *squares, float *row);
    /* The sum of a row. */
    double (*total)(int width, const float *row);
    /* The spectrum F of one picture times the conjugate of the other's, of which the phase is kept,
     * its size being the weight of its row and column. */
    void (*keep_phase)(int count, double weight, const double *weights, const double *fixed_re,
                       const double *fixed_im, double *re, double *im);
    /* radix2_double_run. */
    void (*transform)(const struct radix2_double *plan, double *re, double *im, size_t step,
                      size_t next, uint32_t lanes, double *scratch);
    /* Means of two by two pixels of two rows; `whole`: of a mask, 1 where all are. */
    void (*halve)(const float *a, const float *b, int before, bool whole, float *out);
};
const struct align_kernels *align_kernels_for(ro_cpu cpu);

#endif
