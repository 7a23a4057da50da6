/* SPDX-License-Identifier: MIT */
/*
 * Error diffusion to a palette as it is defined: per channel the error gathered and the remainder
 * carried as for grey, one choice by the three values, and the error against the value. With a hull
 * the value is what light and errors give, and the cut is only a guard. With an overshoot the
 * choice is by the cell of the values, and the value is cut to what light can be: outside the hull
 * an error that is not cut would grow without bound.
 */
#include "halftone/palette/palette_region.h"

static int32_t cut(int64_t v, int32_t least, int32_t most)
{
    return v < least ? least : v > most ? most : (int32_t)v;
}

void palette_columns(const struct palette_plan *plan, struct palette_row *row, int64_t first,
                     int64_t last)
{
    const struct diffusion_kernel *kernel = &plan->kernel;
    const int divisor = kernel->divisor;
    if (first == 0)
        for (int c = 0; c < 3; c++)
            row->carry[c] = divisor / 2;
    for (int64_t x = first; x < last; x++) {
        int32_t v[3], light[4];
        uint32_t sample[3];
        int cell = 0;
        for (int c = 0; c < 3; c++) {
            size_t at = 3 * (size_t)x + (size_t)c;
            sample[c] = plan->sample_bytes == 1 ? row->in[at] : ((const uint16_t *)row->in)[at];
        }
        palette_light_of(plan, row->known, sample, light);
        for (int c = 0; c < 3; c++) {
            int64_t t = row->carry[c];
            for (int i = 0; i < kernel->count; i++) {
                struct diffusion_tap tap = kernel->taps[i];
                t += (int64_t)tap.weight * row->line[c][tap.dy][x - tap.dx];
            }
            int64_t carried = floor_divide(t, divisor);
            row->carry[c] = (int32_t)(t - divisor * carried);
            v[c] = cut(light[c] + carried, -plan->overshoot, PALETTE_WHITE + plan->overshoot);
            cell |= palette_cell(cut(v[c], 0, PALETTE_WHITE)) << (c * PALETTE_SHIFT);
        }
        const int k = plan->hull ? palette_nearest(&plan->choice, v) : plan->nearest[cell];
        for (int c = 0; c < 3; c++)
            row->line[c][0][x] = v[c] - plan->colour[c][k];
        row->out[x] = (unsigned char)k;
    }
}
