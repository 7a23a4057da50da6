/* SPDX-License-Identifier: MIT */
/* Multigrid on a CUDA device, as C sees it. */
#ifndef RO_SOLVER_MULTIGRID_MULTIGRID_CUDA_H
#define RO_SOLVER_MULTIGRID_MULTIGRID_CUDA_H

#include "solver/multigrid/multigrid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The device's calls; NULL until a device was found. */
struct multigrid_cuda_calls {
    /* `cycles` V-cycles for b, from x if `warm`; both images are in host memory. */
    ro_status (*solve)(ro_context *context, const struct multigrid *grids,
                       const struct stencil *stencils, const float *inverse, const ro_image *b,
                       const ro_image *x, uint32_t cycles, bool warm, uint64_t *launches);
};
extern const struct multigrid_cuda_calls *multigrid_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
