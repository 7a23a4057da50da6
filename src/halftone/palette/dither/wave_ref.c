/* SPDX-License-Identifier: MIT */
/*
 * Error diffusion to a palette as it is defined: per channel the error gathered and the remainder
 * carried as for grey, one choice by the three values, and the error against the value. The value
 * is what light and errors give, and the cut is only a guard. Serpentine: odd rows run right to
 * left, and their errors go by mirrored taps.
 */
#include "halftone/palette/region.h"

static int32_t cut(int64_t v, int32_t least, int32_t most)
{
    return v < least ? least : v > most ? most : (int32_t)v;
}

void palette_columns(const struct palette_plan *plan, struct palette_row *row, int64_t first,
                     int64_t last)
{
    const struct diffusion_kernel *kernel = &plan->kernel;
    const int divisor = kernel->divisor;
    const bool mirrored = plan->serpentine && row->y % 2 == 1;
    const uint32_t row_hash = hash_of_row(plan->seed, row->y);
    if (first == 0)
        for (int c = 0; c < 3; c++)
            row->carry[c] = divisor / 2;
    for (int64_t column = first; column < last; column++) {
        const int64_t x = mirrored ? plan->width - 1 - column : column;
        int32_t v[3], seen[3], light[4], noise = 0;
        uint32_t sample[3];
        palette_sample(plan, row->in, (size_t)x, sample);
        palette_light_of(plan, row->known, sample, light);
        if (plan->noise)
            noise = (int32_t)(mix_bits(row_hash ^ (uint32_t)x) % (2 * (uint32_t)plan->noise + 1)) -
                    plan->noise;
        for (int c = 0; c < 3; c++) {
            int64_t t = row->carry[c];
            for (int i = 0; i < kernel->count; i++) {
                struct diffusion_tap tap = kernel->taps[i];
                const bool from_mirror = plan->serpentine && (row->y - (uint32_t)tap.dy) % 2 == 1;
                t += (int64_t)tap.weight *
                     row->line[c][tap.dy][from_mirror ? x + tap.dx : x - tap.dx];
            }
            int64_t carried = floor_divide(t, divisor);
            row->carry[c] = (int32_t)(t - divisor * carried);
            v[c] = cut(light[c] + carried, -PALETTE_GUARD, PALETTE_WHITE + PALETTE_GUARD);
            seen[c] = v[c] + noise;
        }
        const int k = palette_nearest(&plan->choice, seen);
        for (int c = 0; c < 3; c++) {
            const int32_t e = v[c] - plan->colour[c][k];
            row->line[c][0][x] = plan->strength ? (int32_t)((int64_t)plan->strength * e / 100) : e;
        }
        row->out[x] = (unsigned char)k;
    }
}
