/* SPDX-License-Identifier: MIT */
/* The kernels of registration for any machine, and the choice among them. */
#include "register/descent/rows.h"

#include "simd/variants.h"

RO_VARIANTS_DECLARE(const struct ro_flow_kernels, ro_flow_kernels);
static const struct ro_flow_kernels ro_flow_kernels_scalar = {.cpu = RO_CPU_SCALAR, FLOW_KERNELS};

const struct ro_flow_kernels *flow_kernels_for(ro_cpu cpu)
{
    static const struct ro_flow_kernels *const kernels[RO_CPUS] = {
        [RO_CPU_SCALAR] = &ro_flow_kernels_scalar, RO_VARIANTS_OF(ro_flow_kernels)};
    return kernels[cpu];
}

struct ro_rounder rounder_make(const struct ro_small_float *format)
{
    const int bias = (1 << (format->exponent - 1)) - 1;
    if (format->mantissa == 23)
        return (struct ro_rounder){0};
    return (struct ro_rounder){
        .drop = 23 - format->mantissa,
        .limit = (float)ro_small_float_max(format),
        .least = ldexpf(1, 1 - bias),
        .spacing = ldexpf(1.5f, 1 - bias - format->mantissa + 23),
    };
}

float rounder_round(const struct ro_rounder *round, float x)
{
    return round_number(round, round->drop != 0, x);
}
