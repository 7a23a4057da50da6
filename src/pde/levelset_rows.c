/* SPDX-License-Identifier: MIT */
/* Row kernels of level sets without vector instructions of their own, and the choice of one. */
#include "pde/levelset_rows.h"

#include "core/cpu.h"

static bool any(const struct ro_level *level)
{
    (void)level;
    return true;
}

static bool simple_whole(const struct ro_level *level)
{
    return !level->real && ro_level_is_simple(level);
}

static bool simple_real(const struct ro_level *level)
{
    return level->real && ro_level_is_simple(level);
}

static bool step_plain(const struct ro_level *level, const struct ro_level_row *row)
{
    return ro_level_row_plain(level, row);
}

static bool step_whole(const struct ro_level *level, const struct ro_level_row *row)
{
    return ro_level_row_of_norm(level, row);
}

static bool step_real(const struct ro_level *level, const struct ro_level_row *row)
{
    return ro_level_row_of_norm_real(level, row);
}

const struct ro_level_kernel ro_level_plain_scalar = {RO_CPU_SCALAR, any, step_plain};
const struct ro_level_kernel ro_level_whole_scalar = {RO_CPU_SCALAR, simple_whole, step_whole};
const struct ro_level_kernel ro_level_real_scalar = {RO_CPU_SCALAR, simple_real, step_real};

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
