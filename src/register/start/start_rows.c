/* SPDX-License-Identifier: MIT */
/* The rows of the search for points for any machine, and the choice among them. */
#include "register/start/start_rows.h"

#include "simd/variants.h"

RO_VARIANTS_DECLARE(const struct start_kernels, start_kernels);
static const struct start_kernels start_kernels_scalar = {.cpu = RO_CPU_SCALAR, START_KERNELS};

const struct start_kernels *start_kernels_for(ro_cpu cpu)
{
    static const struct start_kernels *const kernels[RO_CPUS] = {
        [RO_CPU_SCALAR] = &start_kernels_scalar, RO_VARIANTS_OF(start_kernels)};
    return kernels[cpu];
}
