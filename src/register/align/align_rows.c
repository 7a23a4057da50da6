/* SPDX-License-Identifier: MIT */
/* The rows of the search for a start for any machine, and the choice among them. */
#include "register/align/align_rows.h"

#include "simd/variants.h"

RO_VARIANTS_DECLARE(const struct align_kernels, align_kernels);
static const struct align_kernels align_kernels_scalar = {.cpu = RO_CPU_SCALAR, ALIGN_KERNELS};

const struct align_kernels *align_kernels_for(ro_cpu cpu)
{
    static const struct align_kernels *const kernels[RO_CPUS] = {
        [RO_CPU_SCALAR] = &align_kernels_scalar, RO_VARIANTS_OF(align_kernels)};
    return kernels[cpu];
}
