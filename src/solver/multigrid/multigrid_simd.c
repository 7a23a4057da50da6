/* SPDX-License-Identifier: MIT */
/* The kernels of multigrid once more, for wider vectors; see multigrid_rows.h. */
#include "simd/simd.h"
#include "solver/multigrid/multigrid_rows.h"

const struct grid_kernels RO_SIMD_NAME(grid_kernels) = {
    .cpu = RO_SIMD_CPU,
    GRID_KERNELS,
};
