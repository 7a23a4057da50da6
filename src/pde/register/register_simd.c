/* SPDX-License-Identifier: MIT */
/* The kernels of registration once more, for wider vectors; see register_rows.h. */
#include "pde/register/register_rows.h"
#include "simd/simd.h"

const struct ro_flow_kernels RO_SIMD_NAME(ro_flow_kernels) = {
    .cpu = RO_SIMD_CPU,
    FLOW_KERNELS,
};
