/* SPDX-License-Identifier: MIT */
/*
 * Rows of the semi-implicit schemes as loops for the compiler to turn into vectors; compiled for
 * any machine (lines.c) and once per instruction set (lines_simd.c). Everything is in double
 * precision. Of integers all products and sums are whole numbers below 2^53, so they are exact:
 * with numbers of 16 bits and tau <= 32, N = r + tau sum w x_b of a Jacobi sweep is below 2^53, its
 * denominator D below 2^37, and both are counted in 2^-30. N times the inverse of D is the quotient
 * or one less, and the remainder tells.
 */
#ifndef RO_DENOISE_IMPLICIT_LINES_H
#define RO_DENOISE_IMPLICIT_LINES_H

#include "core/cpu.h"
#include "denoise/diffusion.h"

enum {
    RO_LINE_MARGIN = 8,   /* values beside a line that may be read */
    RO_LINE_TABLE = 2048, /* places that a squared norm can have */
    RO_LINE_SCRATCH = 6,  /* lines that line_kernel.elements needs */
};

/* Weights of the edges that start at a line's pixels, and of all edges of a pixel; of Jacobi in
 * integers the inverse of its denominator, a little too small. */
struct line_weights {
    double *e, *s, *se, *sw, *sum, *inverse;
};

/* Weights of the elements below a line: SE, SW, E and S. */
struct line_elements {
    double *se, *sw, *e, *s;
};

struct line_sweep {
    int64_t width;
    const struct line_weights *here, *above;
    const double *r, *x, *x_above, *x_below;
    double *next;
    double time;
    bool nearest;
};

struct line_kernel {
    ro_cpu cpu;
    /* `count` elements between two lines of `joint` images. */
    void (*elements)(const struct step_weights *diffusion, const int32_t *table,
                     const double *const *top, const double *const *bottom, int64_t count,
                     const struct line_elements *out, double *scratch);
    /* From elements above and below a line to its edges, and then to the sums round its pixels. */
    void (*edges)(int64_t width, const double *e_above, const struct line_elements *below,
                  const struct line_weights *here);
    void (*sums)(int64_t width, const struct line_weights *above, const struct line_weights *here);
    void (*inverses)(int64_t width, double time, const struct line_weights *here);
    void (*jacobi_integers)(const struct line_sweep *sweep);
    void (*jacobi_real)(const struct line_sweep *sweep);
    void (*flow_integers)(const struct line_sweep *sweep);
    void (*apply_real)(const struct line_sweep *sweep);        /* (1 + time L) x */
    void (*hash)(uint32_t row, uint32_t width, uint32_t *out); /* mix_bits(row ^ x) */
};

/* Both tables for every place, one after the other: what `elements` takes. */
void line_tables(const struct step_weights *diffusion, int32_t tables[2 * RO_LINE_TABLE]);

/* That of the context's instruction set. */
const struct line_kernel *line_kernel_of(ro_cpu cpu);

#endif
