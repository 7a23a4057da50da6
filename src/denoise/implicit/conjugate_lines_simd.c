/* SPDX-License-Identifier: MIT */
/* The rows of conjugate gradients once more, for wider vectors; see conjugate_lines.h. */
#include "simd/simd.h"

#include "denoise/implicit/conjugate_lines_body.h"

extern const struct conjugate_kernel RO_SIMD_NAME(conjugate_kernel);
const struct conjugate_kernel RO_SIMD_NAME(conjugate_kernel) = RO_CONJUGATE_KERNEL(RO_SIMD_CPU);
