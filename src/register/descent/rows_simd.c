/* SPDX-License-Identifier: MIT */
/* The kernels of registration once more, for wider vectors; see rows.h. */
#include "register/descent/rows.h"
#include "simd/simd.h"

const struct descent_kernels RO_SIMD_NAME(descent_kernels) = {
    .cpu = RO_SIMD_CPU,
    FLOW_KERNELS,
};
