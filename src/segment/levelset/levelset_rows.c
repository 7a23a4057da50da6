/* SPDX-License-Identifier: MIT */
/* Row kernels of level sets without vector instructions of their own, and the choice of one. */
#include "segment/levelset/levelset_rows.h"

const struct ro_level_kernel ro_level_plain = {RO_CPU_SCALAR, ro_level_is_any, ro_level_row_plain};

static const struct ro_level_kernels scalar_kernels = {{
    {RO_CPU_SCALAR, ro_level_is_whole, ro_level_row_of_norm},
    {RO_CPU_SCALAR, ro_level_is_real, ro_level_row_of_norm_real},
    {RO_CPU_SCALAR, ro_level_is_any, ro_level_row_plain},
}};

const struct ro_level_kernel *ro_level_kernel_find(const struct ro_level *level, ro_cpu best)
{
    static const struct ro_level_kernels *const kernels[RO_CPUS] = {
        [RO_CPU_SCALAR] = &scalar_kernels, RO_VARIANTS_OF(ro_level_kernels)};
    const struct ro_level_kernel *kernel = kernels[best ? best : ro_cpu_best()]->list;
    while (!kernel->supports(level))
        kernel++;
    return kernel;
}
