/* SPDX-License-Identifier: MIT */
/*
 * Tone-dependent error diffusion as it is defined: one pixel after another, the error's shares
 * handed on at once. Serpentine: odd rows run right to left with mirrored shares.
 */
#include "halftone/error_diffusion/tone_dependent.h"

#include <string.h>

static size_t state_bytes(const struct diffusion_plan *plan, ro_cpu cpu, int threads)
{
    (void)cpu, (void)threads;
    return 2 * ((size_t)plan->width + 2) * sizeof(int32_t);
}

static int granularity(const struct diffusion_plan *plan, ro_cpu cpu)
{
    (void)plan, (void)cpu;
    return 1;
}

static void run(struct diffusion_run *run, const struct halftone_block *block)
{
    const struct diffusion_plan *plan = run->plan;
    const struct tonal_plan *tonal = plan->tonal;
    const int64_t width = plan->width;
    for (uint32_t r = 0; r < block->rows; r++) {
        const unsigned char *in = block->in + (ptrdiff_t)r * block->in_stride;
        unsigned char *out = block->out + (ptrdiff_t)r * block->out_stride;
        uint32_t y = block->first_row + r;
        int32_t *here = (int32_t *)run->state + (y % 2) * (width + 2) + 1;
        int32_t *below = (int32_t *)run->state + ((y + 1) % 2) * (width + 2) + 1;
        memset(below - 1, 0, (size_t)(width + 2) * sizeof *below);
        memset(out, 0, diffusion_row_bytes(plan));
        int ahead = plan->serpentine && y % 2 == 1 ? -1 : 1;
        for (int64_t n = 0; n < width; n++) {
            int64_t x = ahead > 0 ? n : width - 1 - n;
            const struct tonal_tone tone =
                tonal_tone_of(plan, diffusion_tone(plan, in, (uint32_t)x));
            const int32_t i = tone.index, v = tone.above + here[x];
            const int32_t rise =
                tonal_rise(tone.modulation, hash_of_row(plan->seed, y), (uint32_t)x);
            const int up = v - rise > tone.step / 2;
            int64_t e = v - (up ? tone.step : 0), sum = tonal->sum[i];
            int64_t right = floor_divide(2 * tonal->weights[i][0] * e + sum, 2 * sum);
            int64_t left = floor_divide(2 * tonal->weights[i][1] * e + sum, 2 * sum);
            here[x + ahead] += (int32_t)right;
            below[x - ahead] += (int32_t)left;
            below[x] += (int32_t)(e - right - left);
            diffusion_put(plan, out, (uint32_t)x, tone.level + up);
        }
        run->steps += plan->width;
    }
}

const struct diffusion_schedule tonal_reference = {
    .name = "reference",
    .summary = "the definition",
    .sequential = true,
    .state_bytes = state_bytes,
    .granularity = granularity,
    .run = run,
};
