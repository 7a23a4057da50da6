/* SPDX-License-Identifier: MIT */
/* The lines for any machine, and the choice of a kernel. */
#include "denoise/implicit/lines_body.h"
#include "simd/variants.h"

RO_VARIANTS_DECLARE(const struct line_kernel, line_kernel);
static const struct line_kernel scalar = RO_LINE_KERNEL(RO_CPU_SCALAR);

const struct line_kernel *line_kernel_of(ro_cpu cpu)
{
    static const struct line_kernel *const kernels[RO_CPUS] = {[RO_CPU_SCALAR] = &scalar,
                                                               RO_VARIANTS_OF(line_kernel)};
    return kernels[cpu];
}

void line_tables(const struct step_weights *diffusion, int32_t tables[2 * RO_LINE_TABLE])
{
    for (int i = 0; i < RO_LINE_TABLE; i++) {
        tables[i] = i < RO_TABLE ? diffusion->table[i] : diffusion->beyond;
        tables[RO_LINE_TABLE + i] = i < RO_TABLE ? diffusion->even[i] : 0;
    }
}
