/* SPDX-License-Identifier: MIT */
/* Row kernels of level sets without vector instructions of their own, and the choice of one. */
#include "segment/levelset/levelset_rows.h"

const struct level_kernel level_plain = {RO_CPU_SCALAR, level_is_any, level_row_plain};

static const struct level_kernels scalar_kernels = {{
    {RO_CPU_SCALAR, level_is_whole, level_row_of_norm},
    {RO_CPU_SCALAR, level_is_real, level_row_of_norm_real},
    {RO_CPU_SCALAR, level_is_any, level_row_plain},
}};

const struct level_kernel *level_kernel_find(const struct front_level *level, ro_cpu best)
{
    static const struct level_kernels *const kernels[RO_CPUS] = {[RO_CPU_SCALAR] = &scalar_kernels,
                                                                 RO_VARIANTS_OF(level_kernels)};
    const struct level_kernel *kernel = kernels[best ? best : cpu_best()]->list;
    while (!kernel->supports(level))
        kernel++;
    return kernel;
}
