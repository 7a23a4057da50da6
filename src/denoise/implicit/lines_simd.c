/* SPDX-License-Identifier: MIT */
/* The lines once more, for wider vectors; see lines.h. */
#include "simd/simd.h"

#include "denoise/implicit/lines_body.h"

extern const struct line_kernel RO_SIMD_NAME(line_kernel);
const struct line_kernel RO_SIMD_NAME(line_kernel) = RO_LINE_KERNEL(RO_SIMD_CPU);
