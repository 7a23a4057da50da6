/* SPDX-License-Identifier: MIT */
/*
 * A multigrid solver for smoothing over any distance. Unstable: it may change with any version, and
 * is no part of roundoff.h.
 */
#ifndef ROUNDOFF_SOLVER_H
#define ROUNDOFF_SOLVER_H

#include "roundoff/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* V-cycles of three Jacobi steps on each grid on the way down, and three on the way up. */
typedef struct ro_multigrid_options {
    size_t size;     /* RO_MULTIGRID_OPTIONS sets it */
    double sigma;    /* in pixels, 0 to 1e6 */
    uint32_t cycles; /* V-cycles, each of which leaves about a twentieth of the error; 0: one */
    int warm;        /* begin with what `x` holds instead of zero */
} ro_multigrid_options;
#define RO_MULTIGRID_DEFAULTS RO_DEFAULTS_OF(ro_multigrid_options, RO_NONE_UNSET)
#define RO_MULTIGRID_OPTIONS RO_OPTIONS_OF(ro_multigrid_options, RO_NONE_UNSET)
RO_API
void ro_multigrid_options_init(ro_multigrid_options *options, size_t size);

/* Solves (1 - sigma^2/2 Laplace) x = b, with mirrored borders, for images of RO_GREYF of any size
 * whose longer side is at most 64 times the shorter one, plus 64; values may have any range. A
 * sigma of 0 copies. The same bits for any number of threads and instruction set, and on a CUDA
 * device. */
RO_API
ro_status ro_multigrid_solve(ro_context *context, const ro_image *b, ro_image *x,
                             const ro_multigrid_options *options);

#ifdef __cplusplus
}
#endif

#endif
