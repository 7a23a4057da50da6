/* SPDX-License-Identifier: MIT */
/* The float kernel once more, for wider vectors; see float_rows.h. */
#include "denoise/float_rows.h"
#include "simd/simd.h"

static void step(const struct step_rows *rows, const struct row_work *work)
{
    float_step(rows, work, FLOAT_EXACT);
}

static void smooth(const struct step_rows *rows, const struct row_work *work)
{
    float_smooth(rows, work, FLOAT_EXACT);
}

const struct row_kernel RO_SIMD_NAME(float_kernel) = {
    .cpu = RO_SIMD_CPU,
    .lanes = 1,
    .sample_bytes = sizeof(float),
    .supports = float_is_exact,
    .step = step,
    .smooth = smooth,
    .pack = plain_pack,
    .unpack = plain_unpack,
};
