/* SPDX-License-Identifier: MIT */
/* The smoothing of lines once more, for wider vectors; see smooth_rows.h. */
#include "simd/simd.h"
#include "solver/smooth_rows.h"

const struct smooth_kernels RO_SIMD_NAME(smooth_kernels) = {
    .cpu = RO_SIMD_CPU,
    SMOOTH_KERNELS,
};
