/* SPDX-License-Identifier: MIT */
/* The float kernels for any machine: s23e8, and the smaller formats rounded after each operation.
 */
#include "denoise/float_rows.h"

bool float_is_exact(const struct step_weights *diffusion, int64_t white)
{
    (void)white;
    return diffusion->real && diffusion->real->mantissa == 23;
}

static bool is_float(const struct step_weights *diffusion, int64_t white)
{
    (void)white;
    return diffusion->real != NULL;
}

static void step(const struct step_rows *rows, const struct row_work *work)
{
    float_step(rows, work, FLOAT_EXACT);
}

static void smooth(const struct step_rows *rows, const struct row_work *work)
{
    float_smooth(rows, work, FLOAT_EXACT);
}

static void rounded_step(const struct step_rows *rows, const struct row_work *work)
{
    float_step(rows, work, FLOAT_DEFINED);
}

static void rounded_smooth(const struct step_rows *rows, const struct row_work *work)
{
    float_smooth(rows, work, FLOAT_DEFINED);
}

const struct row_kernel float_kernel_scalar = {
    .cpu = RO_CPU_SCALAR,
    .lanes = 1,
    .sample_bytes = sizeof(float),
    .supports = float_is_exact,
    .step = step,
    .smooth = smooth,
    .pack = plain_pack,
    .unpack = plain_unpack,
};

const struct row_kernel float_kernel_rounded = {
    .cpu = RO_CPU_SCALAR,
    .lanes = 1,
    .sample_bytes = sizeof(float),
    .supports = is_float,
    .step = rounded_step,
    .smooth = rounded_smooth,
    .pack = plain_pack,
    .unpack = plain_unpack,
};
