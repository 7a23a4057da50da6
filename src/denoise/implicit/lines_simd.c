/* SPDX-License-Identifier: MIT */
/* The lines once more, for wider vectors; see lines.h. */
#include "simd/simd.h"

#include "denoise/implicit/lines_body.h"

extern const struct ro_line_kernel RO_SIMD_NAME(ro_line_kernel);
const struct ro_line_kernel RO_SIMD_NAME(ro_line_kernel) = RO_LINE_KERNEL(RO_SIMD_CPU);
