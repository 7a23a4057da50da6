/* SPDX-License-Identifier: MIT */
/*
 * The explicit scheme row by row. When row y + 1 is known, the elements between rows y and y + 1
 * are known too, and with what the elements above left behind row y of the next step is complete:
 *
 *     row y      a --- b ---     `weights`: of the E edges of row y, from the elements above
 *                | \ / |         `carry`:   what row y still gets over edges from above
 *     row y + 1  c --- d ---     out: row y of the next step; then both lines belong to row y + 1
 *
 * A row kernel does that for one row, in one instruction set. Its lines hold the pixels in lanes of
 * columns far apart: with n vectors a line, lane l of vector j is column l n + j. The neighbour on
 * the right is then the next vector in the same lane, and nothing is shifted inside a row; a vector
 * more at either end repeats the opposite end by one lane. Scalar kernels have one lane, which is
 * the plain order of columns.
 */
#ifndef RO_DENOISE_DIFFUSION_ROWS_H
#define RO_DENOISE_DIFFUSION_ROWS_H

#include "denoise/diffusion.h"
#include "simd/variants.h"
#include "solver/stencil.h"

#include <string.h>

struct step_rows;

/* One row of work. The last row has no row below it: `bottom` is then not used. */
struct row_work {
    const char *top, *bottom;             /* rows y and y + 1 */
    const char *guide_top, *guide_bottom; /* the same of the image whose gradient counts */
    char *out;
    char *weights, *carry;
    bool last;
};

struct row_kernel {
    ro_cpu cpu;
    int lanes;
    int sample_bytes;
    bool (*supports)(const struct step_weights *diffusion, int64_t white);
    void (*step)(const struct step_rows *rows, const struct row_work *work);
    void (*smooth)(const struct step_rows *rows, const struct row_work *work); /* a linear step */
    /* Between the values of one plane in order (int32_t or float) and a line. */
    void (*pack)(const struct step_rows *rows, const void *values, char *line);
    void (*unpack)(const struct step_rows *rows, const char *line, void *values);
};

struct step_rows {
    const struct step_weights *diffusion;
    const struct row_kernel *kernel;
    int64_t white;     /* the largest number */
    bool wide;         /* differences need the 16th bit */
    size_t vectors;    /* of a line, without the one at either end */
    size_t line_bytes; /* of one plane, a multiple of 64 */
    size_t row_bytes;  /* of all planes */
    char *elements;    /* a line of all ones where an element exists, */
    char *no_elements; /* and one of zeros: below the last row */
    uint32_t *table;   /* the diffusivity for every index, also behind its end, */
    uint32_t *even;    /* and the second table of a tensor */
};

/* Finds the kernel of an instruction set that can do this, at most `best`; with RO_CPU_AUTO the
 * fastest. RO_E_UNSUPPORTED when there is none, RO_E_MEMORY. */
ro_status rows_open(struct step_rows *rows, const struct step_weights *diffusion, int64_t white,
                    ro_cpu best);
void rows_close(struct step_rows *rows);

/* The rows as a stencil: some smoothings and a step. Between stages a row is two where there are
 * smoothings, the image and behind it what becomes the gradient's image. */
struct stencil rows_stencil(const struct step_rows *rows);

extern const struct row_kernel float_kernel_scalar, float_kernel_rounded;
RO_VARIANTS_DECLARE(const struct row_kernel, row_kernel);
RO_VARIANTS_DECLARE(const struct row_kernel, float_kernel);
RO_VARIANTS_DECLARE(const struct row_kernel, float_kernel_rounded);

/* Lines of one lane with 32-bit samples. */
void plain_pack(const struct step_rows *rows, const void *values, char *line);
void plain_unpack(const struct step_rows *rows, const char *line, void *values);
bool float_is_exact(const struct step_weights *diffusion, int64_t white); /* s23e8 */

/* The vectors at either end of a line repeat the opposite ones by one lane. */
static inline void wrap_line(const struct step_rows *rows, char *line, size_t vector, size_t lane)
{
    char *first = line + vector, *last = line + rows->vectors * vector;
    memmove(line + lane, last, vector - lane);
    memcpy(line, first, lane);
    memmove(last + vector, first + lane, vector - lane);
    memcpy(last + 2 * vector - lane, last + vector - lane, lane);
}

#endif
