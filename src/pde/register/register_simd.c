/* SPDX-License-Identifier: MIT */
/* The kernels of registration once more, for wider vectors; see register_rows.h. */
#include "pde/register/register_rows.h"
#include "simd/simd.h"

const struct ro_flow_kernels RO_SIMD_NAME(ro_flow_kernels) = {
#if defined(RO_SIMD_AVX512)
    .cpu = RO_CPU_AVX512,
#else
    .cpu = RO_CPU_AVX2,
#endif
    FLOW_KERNELS,
};
