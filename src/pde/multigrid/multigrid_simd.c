/* SPDX-License-Identifier: MIT */
/* The kernels of multigrid once more, for wider vectors; see multigrid_rows.h. */
#include "pde/multigrid/multigrid_rows.h"
#include "simd/simd.h"

const struct ro_grid_kernels RO_SIMD_NAME(ro_grid_kernels) = {
#if defined(RO_SIMD_AVX512)
    .cpu = RO_CPU_AVX512,
#else
    .cpu = RO_CPU_AVX2,
#endif
    GRID_KERNELS,
};
