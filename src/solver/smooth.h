/* SPDX-License-Identifier: MIT */
/*
 * Smoothing by (1 - sigma^2/2 Dxx)^-1 (1 - sigma^2/2 Dyy)^-1, along rows and along columns, each
 * solved exactly: for a line of n nodes h apart, borders without a flow across them,
 *
 *     y[i] - a (y[i-1] - 2 y[i] + y[i+1]) = b[i],   a = sigma^2/2h^2.
 *
 * Lines are eliminated from both ends to the middle and solved from there to both ends, so that two
 * chains of half the length run side by side, and what is mirrored gives mirrored bits:
 *
 *     f[0] = b[0],  f[i] = fma(r[i-1], f[i-1], b[i])          i < n/2; from the other end alike
 *     odd n:   y[m] = p * fma(r[m-1], f[m-1] + f'[m-1], b[m])      m the middle, f' from the end
 *     even n:  y[m-1] = fma(p, f[m-1], q' * f'[m-1])               m = n/2, and alike for f'
 *     y[i] = fma(r[i], y[i+1], q[i] * f[i])
 *
 * Numbers are floats, the coefficients computed in double precision. All are positive, and rows of
 * the inverse sum to one: means are kept, and no sigma amplifies rounding.
 */
#ifndef RO_SOLVER_SMOOTH_H
#define RO_SOLVER_SMOOTH_H

#include "core/shared.h"
#include "roundoff/core.h"

#include <stdbool.h>
#include <stddef.h>

/* The coefficients of lines of one length. */
struct line_chain {
    int count;
    const float *r, *q;    /* of the first count/2 nodes */
    float middle, crossed; /* p and q' */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Floats of the coefficients, both tables a multiple of 8 for those who load several; and these, in
 * memory for so many. */
RO_SHARED size_t chain_floats(int count) { return 2 * (((size_t)count / 2 + 7) / 8 * 8); }
struct line_chain chain_make(int count, double a, float *memory);

/* Planes are given by their first node. Rows begin at multiples of 64 bytes, and up to 15 floats
 * behind them are theirs to be overwritten. */
struct smooth_plane {
    int width, height;
    ptrdiff_t stride;
};

enum { RO_SMOOTH_STRIP = 32 }; /* columns that are done together */

static inline size_t smooth_scratch(int width) { return 16 * ((size_t)width + 15); } /* floats */

struct smooth_kernels {
    ro_cpu cpu;
    int together; /* rows */
    /* Rows from `first` up to `last`, along x; in place or not. `scratch`: for `together` rows. */
    void (*rows)(const struct line_chain *chain, const struct smooth_plane *plane, int first,
                 int last, const float *from, float *to, float *scratch);
    /* Columns from `first`, a multiple of a strip, up to `last`, in place; up to 15 floats beyond
     * `last` are changed. `times` 2: twice, and in between weighed by a plane of the same shape,
     * unless that is NULL. */
    void (*columns)(const struct line_chain *chain, const struct smooth_plane *plane, int first,
                    int last, int times, const float *weight, float *to);
};
const struct smooth_kernels *smooth_kernels_for(ro_cpu cpu);

#ifdef __cplusplus
}
#endif

#endif
