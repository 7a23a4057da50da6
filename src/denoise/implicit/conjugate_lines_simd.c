/* SPDX-License-Identifier: MIT */
/* The rows of conjugate gradients once more, for wider vectors; see conjugate_lines.h. */
#include "simd/simd.h"

#include "denoise/implicit/conjugate_lines_body.h"

extern const struct ro_conjugate_kernel RO_SIMD_NAME(ro_conjugate_kernel);
const struct ro_conjugate_kernel
    RO_SIMD_NAME(ro_conjugate_kernel) = RO_CONJUGATE_KERNEL(RO_SIMD_CPU);
