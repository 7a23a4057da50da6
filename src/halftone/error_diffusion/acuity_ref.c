/* SPDX-License-Identifier: MIT */
/* Acuity as it is defined: one pixel after another, the error's shares handed on at once. */
#include "halftone/error_diffusion/acuity.h"

#include <string.h>

static size_t line_length(const struct diffusion_plan *plan)
{
    return (size_t)plan->width + 2 * DIFFUSION_PAD;
}

static size_t state_bytes(const struct diffusion_plan *plan, ro_cpu cpu, int threads)
{
    (void)cpu, (void)threads;
    return 3 * line_length(plan) * sizeof(int32_t);
}

static int granularity(const struct diffusion_plan *plan, ro_cpu cpu)
{
    (void)plan, (void)cpu;
    return 1;
}

static void run(struct diffusion_run *run, const struct halftone_block *block)
{
    const struct diffusion_plan *plan = run->plan;
    const struct acuity_table *table = plan->acuity->table;
    const size_t length = line_length(plan);
    for (uint32_t r = 0; r < block->rows; r++) {
        const unsigned char *in = block->in + (ptrdiff_t)r * block->in_stride;
        unsigned char *out = block->out + (ptrdiff_t)r * block->out_stride;
        const uint32_t y = block->first_row + r;
        int32_t *flow[3]; /* into this row, the row below, the row after that */
        for (uint32_t dy = 0; dy < 3; dy++)
            flow[dy] = (int32_t *)run->state + (y + dy) % 3 * length + DIFFUSION_PAD;
        memset(flow[2] - DIFFUSION_PAD, 0, length * sizeof(int32_t));
        memset(out, 0, diffusion_row_bytes(plan));
        for (int64_t x = 0; x < plan->width; x++) {
            const struct acuity_tone tone =
                acuity_tone_of(plan, diffusion_tone(plan, in, (uint32_t)x));
            const int32_t v = tone.above + flow[0][x];
            const int up = v > tone.threshold;
            const int32_t e = acuity_kept(&tone, v - (up ? tone.step : 0));
            int32_t rest = e;
            for (int i = 0; i < ACUITY_TAPS; i++) {
                const struct diffusion_tap tap = acuity_taps.taps[i];
                const int32_t share = acuity_share(table->weights[tone.class][i], e);
                if (i == ACUITY_DOWN)
                    continue;
                flow[tap.dy][x + tap.dx] += share;
                rest -= share;
            }
            flow[1][x] += rest;
            diffusion_put(plan, out, (uint32_t)x, tone.level + up);
        }
        run->steps += plan->width;
    }
}

const struct diffusion_schedule acuity_reference = {
    .name = "reference",
    .summary = "the definition",
    .sequential = true,
    .state_bytes = state_bytes,
    .granularity = granularity,
    .run = run,
};
