/* SPDX-License-Identifier: MIT */
#include "hologram/scene/light_rows.h"

#include "context/context.h"
#include "fft/phasor.h"

#include <math.h>

void light_row_plain(const struct light_row *row, int n, float *light)
{
    for (int i = 0; i < n; i++, light += 2) {
        if (isnan(row->amplitude[i]))
            continue;
        phasor(row->turns[i], &light[0], &light[1]);
        light[0] *= row->amplitude[i];
        light[1] *= row->amplitude[i];
    }
}

light_row_fn *light_row_of(const ro_context *context)
{
    static light_row_fn *const kernels[RO_CPUS] = {[RO_CPU_SCALAR] = light_row_plain,
                                                   RO_VARIANTS_OF(light_row)};
    return kernels[context->cpu];
}
