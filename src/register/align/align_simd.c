/* SPDX-License-Identifier: MIT */
/* The rows of the search for a start once more, for wider vectors; see align_rows.h. */
#include "simd/simd.h"

#include "register/align/align_rows.h"

const struct align_kernels RO_SIMD_NAME(align_kernels) = {
    .cpu = RO_SIMD_CPU,
    ALIGN_KERNELS,
};
