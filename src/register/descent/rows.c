/* SPDX-License-Identifier: MIT */
/* The kernels of registration for any machine, and the choice among them. */
#include "register/descent/rows.h"

#include "simd/variants.h"

RO_VARIANTS_DECLARE(const struct descent_kernels, descent_kernels);
static const struct descent_kernels descent_kernels_scalar = {.cpu = RO_CPU_SCALAR, FLOW_KERNELS};

const struct descent_kernels *flow_kernels_for(ro_cpu cpu)
{
    static const struct descent_kernels *const kernels[RO_CPUS] = {
        [RO_CPU_SCALAR] = &descent_kernels_scalar, RO_VARIANTS_OF(descent_kernels)};
    return kernels[cpu];
}

struct rounder rounder_make(const struct ro_small_float *format)
{
    const int bias = (1 << (format->exponent - 1)) - 1;
    if (format->mantissa == 23)
        return (struct rounder){0};
    return (struct rounder){
        .drop = 23 - format->mantissa,
        .limit = (float)ro_small_float_max(format),
        .least = ldexpf(1, 1 - bias),
        .spacing = ldexpf(1.5f, 1 - bias - format->mantissa + 23),
    };
}

float rounder_round(const struct rounder *round, float x)
{
    return round_number(round, round->drop != 0, x);
}
