/* SPDX-License-Identifier: MIT */
/* The rows of conjugate gradients for any machine, and the choice of a kernel. */
#include "denoise/implicit/conjugate_lines_body.h"
#include "simd/variants.h"

RO_VARIANTS_DECLARE(const struct conjugate_kernel, conjugate_kernel);
static const struct conjugate_kernel scalar = RO_CONJUGATE_KERNEL(RO_CPU_SCALAR);

const struct conjugate_kernel *conjugate_kernel_of(ro_cpu cpu)
{
    static const struct conjugate_kernel *const kernels[RO_CPUS] = {
        [RO_CPU_SCALAR] = &scalar, RO_VARIANTS_OF(conjugate_kernel)};
    return kernels[cpu];
}
