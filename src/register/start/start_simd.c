/* SPDX-License-Identifier: MIT */
/* The rows of the search for points once more, for wider vectors; see start_rows.h. */
#include "simd/simd.h"

#include "register/start/start_rows.h"

const struct start_kernels RO_SIMD_NAME(start_kernels) = {
    .cpu = RO_SIMD_CPU,
    START_KERNELS,
};
