/* SPDX-License-Identifier: MIT */
/* The kernels of multigrid for any machine, and the choice among them. */
#include "solver/multigrid/multigrid_rows.h"

#include "simd/variants.h"

RO_VARIANTS_DECLARE(const struct grid_kernels, grid_kernels);
static const struct grid_kernels grid_kernels_scalar = {.cpu = RO_CPU_SCALAR, GRID_KERNELS};

const struct grid_kernels *grid_kernels_for(ro_cpu cpu)
{
    static const struct grid_kernels *const kernels[RO_CPUS] = {
        [RO_CPU_SCALAR] = &grid_kernels_scalar, RO_VARIANTS_OF(grid_kernels)};
    return kernels[cpu];
}
