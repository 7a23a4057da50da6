/* SPDX-License-Identifier: MIT */
/* Row kernels of level sets without vector instructions of their own, and the choice of one. */
#include "pde/levelset/levelset_rows.h"

#include "core/cpu.h"

const struct ro_level_kernel ro_level_plain_scalar = {RO_CPU_SCALAR, ro_level_is_any,
                                                      ro_level_row_plain};
const struct ro_level_kernel ro_level_whole_scalar = {RO_CPU_SCALAR, ro_level_is_whole,
                                                      ro_level_row_of_norm};
const struct ro_level_kernel ro_level_real_scalar = {RO_CPU_SCALAR, ro_level_is_real,
                                                     ro_level_row_of_norm_real};

static const struct ro_level_kernel *const kernels[] = {
#if RO_HAVE_X86_SIMD
    &ro_level_lanes_avx512, &ro_level_wide_avx512, &ro_level_whole_avx512, &ro_level_real_avx512,
    &ro_level_plain_avx512, &ro_level_lanes_avx2,  &ro_level_wide_avx2,    &ro_level_whole_avx2,
    &ro_level_real_avx2,    &ro_level_plain_avx2,
#endif
    &ro_level_whole_scalar, &ro_level_real_scalar, &ro_level_plain_scalar,
};

const struct ro_level_kernel *ro_level_kernel_find(const struct ro_level *level, ro_cpu best)
{
    if (best == RO_CPU_AUTO)
        best = ro_cpu_best();
    for (size_t i = 0;; i++)
        if (kernels[i]->cpu <= best && kernels[i]->supports(level))
            return kernels[i];
}
