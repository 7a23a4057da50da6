/* SPDX-License-Identifier: MIT */
/*
 * Error diffusion as it is defined: one pixel after another, the error gathered from the neighbours
 * already rounded, the remainder of each division carried to the next pixel of the row. Serpentine:
 * odd rows run right to left, and their errors go by mirrored taps.
 */
#include "halftone/error_diffusion/diffusion.h"

#include <string.h>

/* Rows of errors: the current one and those above it, in a ring, with zeros beyond either edge. */
static size_t line_length(const struct diffusion_plan *plan)
{
    return (size_t)plan->width + 2 * DIFFUSION_PAD;
}

static size_t state_bytes(const struct diffusion_plan *plan, ro_cpu cpu, int threads)
{
    (void)cpu, (void)threads;
    return (DIFFUSION_MAX_DY + 1) * line_length(plan) * sizeof(int32_t);
}

static int granularity(const struct diffusion_plan *plan, ro_cpu cpu)
{
    (void)plan, (void)cpu;
    return 1;
}

static void run(struct diffusion_run *run, const struct halftone_block *block)
{
    const struct diffusion_plan *plan = run->plan;
    const int32_t divisor = plan->kernel.divisor;
    int32_t *errors = run->state; /* e of row y, column x: errors[(y % 4) * length + PAD + x] */
    const size_t length = line_length(plan);

    for (uint32_t r = 0; r < block->rows; r++) {
        const unsigned char *in = block->in + (ptrdiff_t)r * block->in_stride;
        unsigned char *out = block->out + (ptrdiff_t)r * block->out_stride;
        uint32_t y = block->first_row + r;
        int32_t *line[DIFFUSION_MAX_DY + 1];
        for (uint32_t dy = 0; dy <= DIFFUSION_MAX_DY; dy++)
            line[dy] = errors + (y - dy) % (DIFFUSION_MAX_DY + 1) * length + DIFFUSION_PAD;
        memset(line[0] - DIFFUSION_PAD, 0, length * sizeof(int32_t));
        memset(out, 0, diffusion_row_bytes(plan));

        bool mirrored = plan->serpentine && y % 2 == 1;
        int64_t c = divisor / 2;
        for (uint32_t i = 0; i < plan->width; i++) {
            int64_t x = mirrored ? plan->width - 1 - i : i;
            int64_t t = c;
            for (int k = 0; k < plan->kernel.count; k++) {
                struct diffusion_tap tap = plan->kernel.taps[k];
                bool from_mirror = plan->serpentine && (y - (uint32_t)tap.dy) % 2 == 1;
                t += (int64_t)tap.weight * line[tap.dy][from_mirror ? x + tap.dx : x - tap.dx];
            }
            int64_t carried = floor_divide(t, divisor);
            c = t - divisor * carried;
            int32_t tone = diffusion_tone(plan, in, (uint32_t)x), v = tone + (int32_t)carried;
            int32_t seen = diffusion_seen(plan, v, tone, (uint32_t)x, y);
            int k = 0;
            if (plan->levels > DIFFUSION_TABLED_LEVELS)
                k = diffusion_nearest(plan, seen);
            else
                while (k + 1 < plan->levels && seen > plan->middle[k])
                    k++;
            line[0][x] = diffusion_kept(plan, v - diffusion_level(plan, k));
            diffusion_put(plan, out, (uint32_t)x, k);
        }
        run->steps += plan->width;
    }
}

const struct diffusion_schedule diffusion_reference = {
    .name = "reference",
    .summary = "the definition",
    .sequential = true,
    .state_bytes = state_bytes,
    .granularity = granularity,
    .run = run,
};
