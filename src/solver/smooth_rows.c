/* SPDX-License-Identifier: MIT */
/* The smoothing of lines for any machine, and the choice among its variants. */
#include "solver/smooth_rows.h"

#include "simd/variants.h"

RO_VARIANTS_DECLARE(const struct smooth_kernels, smooth_kernels);
static const struct smooth_kernels smooth_kernels_scalar = {.cpu = RO_CPU_SCALAR, SMOOTH_KERNELS};

const struct smooth_kernels *smooth_kernels_for(ro_cpu cpu)
{
    static const struct smooth_kernels *const kernels[RO_CPUS] = {
        [RO_CPU_SCALAR] = &smooth_kernels_scalar, RO_VARIANTS_OF(smooth_kernels)};
    return kernels[cpu];
}
