/* SPDX-License-Identifier: MIT */
/* The kernels of multigrid for any machine, and the choice among them. */
#include "pde/multigrid/multigrid_rows.h"

#include "core/cpu.h"

const struct ro_grid_kernels ro_grid_kernels_scalar = {.cpu = RO_CPU_SCALAR, GRID_KERNELS};

const struct ro_grid_kernels *ro_grid_kernels_for(ro_cpu cpu)
{
#if RO_HAVE_X86_SIMD
    if (cpu >= RO_CPU_AVX512)
        return &ro_grid_kernels_avx512;
    if (cpu >= RO_CPU_AVX2)
        return &ro_grid_kernels_avx2;
#endif
    (void)cpu;
    return &ro_grid_kernels_scalar;
}
