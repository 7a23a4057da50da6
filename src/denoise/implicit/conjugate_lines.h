/* SPDX-License-Identifier: MIT */
/*
 * Rows of conjugate gradients, in the order of operations of conjugate_ref.c; compiled for any
 * machine (conjugate_lines.c) and once per instruction set (conjugate_lines_simd.c). Rows begin at
 * multiples of 64 bytes, and vectors reach to the next multiple of RO_CONJUGATE_LANES beyond the
 * width: everything is zero there, and remains so.
 */
#ifndef RO_DENOISE_IMPLICIT_CONJUGATE_LINES_H
#define RO_DENOISE_IMPLICIT_CONJUGATE_LINES_H

#include "core/cpu.h"
#include "denoise/implicit/conjugate_steps.h"
#include "denoise/implicit/lines.h"

enum { RO_CONJUGATE_LANES = 16 }; /* columns at a time, and what is free beside a row */

/* Weights times tau of the edges that start at a row's pixels. */
struct conjugate_weights {
    float *e, *s, *se, *sw;
};

/* A row with its neighbours. */
struct conjugate_row {
    int64_t width;
    struct conjugate_weights here, above;
    const float *up, *at, *down;
};

struct conjugate_kernel {
    ro_cpu cpu;
    void (*weights)(int64_t width, double time, const struct line_weights *from,
                    const struct conjugate_weights *to);
    /* residual = direction = -tau L of the row; gives the sum of the row's squares */
    double (*start)(const struct conjugate_row *row, float *residual, float *direction);
    /* product = (1 + tau L) of the row, the direction; and the sums of a row */
    void (*multiply)(const struct conjugate_row *row, const float *residual, float *product,
                     struct conjugate_sums *sums);
    /* x += step direction, residual -= step product, direction = residual + factor direction */
    void (*advance)(const struct conjugate_steps *steps, int64_t width, const float *product,
                    float *x, float *residual, float *direction);
    /* r + (x + step direction), to the nearest number in a range or to a float */
    void (*store_integers)(float step, int64_t width, const int32_t *r, const float *x,
                           const float *direction, double min, double max, int32_t *out);
    void (*store_floats)(float step, int64_t width, const float *r, const float *x,
                         const float *direction, float *out);
};

/* That of the context's instruction set. */
const struct conjugate_kernel *conjugate_kernel_of(ro_cpu cpu);

#endif
