/* SPDX-License-Identifier: MIT */
/* Palettes: the plan that follows from a palette and a kernel, and the engine. */
#include "halftone/palette/palette.h"

#include "core/names.h"

#include <stdlib.h>
#include <string.h>

/* What the engine keeps in a halftoner. */
struct palette_state {
    struct palette_plan plan;
    struct palette_run run;
    struct palette_hull hull;
    uint16_t *linear;
    uint8_t *nearest;
};

static ro_status choose_code(struct halftoner *work, struct palette_state *state)
{
    ro_context *context = work->context;
    const ro_context_options *asked = &context->options;
    const char *schedule = work->options.schedule;
    if (schedule && !ro_name_equal(schedule, "auto") && !ro_name_equal(schedule, "wave"))
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "a palette has no schedule '%s'; it runs as wave", schedule);
    state->run.threads = context->threads;
    state->run.code = palette_code_find(&state->plan, context->cpu);
    if (!state->run.code && asked->cpu > RO_CPU_SCALAR)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "the sums of this kernel do not fit the lanes of %s",
                               ro_cpu_name(asked->cpu));
    work->report.schedule = "wave";
    work->report.cpu = state->run.code ? context->cpu : RO_CPU_SCALAR;
    work->report.threads = state->run.threads;
    work->granularity = state->run.code ? (uint32_t)state->run.code->lanes : 1;
    return RO_OK;
}

static void plan_kernel(struct palette_plan *plan, const struct diffusion_kernel *kernel)
{
    int factor = diffusion_common_factor(kernel);
    plan->kernel = *kernel;
    plan->kernel.divisor /= factor;
    plan->skew = diffusion_skew(kernel);
    for (int i = 0; i < kernel->count; i++) {
        struct diffusion_tap *tap = &plan->kernel.taps[i];
        tap->weight = (int16_t)(tap->weight / factor);
        plan->rows_down = tap->dy > plan->rows_down ? tap->dy : plan->rows_down;
    }
}

static void plan_colours(struct palette_plan *plan, const ro_palette *palette)
{
    plan->count = palette->count;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < palette->count; k++)
            plan->colour[c][k] = 16 * tone_round(tone_from_srgb(palette->colours[k][c] / 255.0));
}

/* The tables of the rule that is asked for; `linear` is filled. */
static bool plan_rule(struct palette_state *state, const ro_halftone_options *options)
{
    struct palette_plan *plan = &state->plan;
    if (options->clamp) {
        state->nearest = calloc(1, PALETTE_ENTRIES + 3); /* vector code loads four at a time */
        if (state->nearest)
            palette_fill_nearest(plan->colour, plan->count, state->nearest);
        plan->nearest = state->nearest;
        return state->nearest;
    }
    state->hull.count = plan->count;
    for (int k = 0; k < plan->count; k++)
        for (int c = 0; c < 3; c++)
            state->hull.colour[k][c] = (uint16_t)(plan->colour[c][k] / 16);
    plan->hull = &state->hull;
    palette_plan_grid(plan);
    palette_choice_make(plan, &plan->choice);
    return true;
}

static ro_status open_engine(struct halftoner *work)
{
    ro_context *context = work->context;
    const struct tone *tone = &work->tone;
    struct palette_state *state = calloc(1, sizeof *state);
    work->state = state;
    if (!state)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a plan");
    struct palette_plan *plan = &state->plan;
    plan->width = work->in.width;
    plan->sample_bytes = work->grey.sample_bytes;
    plan->white = tone->in_white;
    plan->overshoot = work->options.clamp
                          ? (int32_t)((int64_t)PALETTE_WHITE * work->options.overshoot / 100)
                          : PALETTE_GUARD;
    struct diffusion_kernel own;
    ro_status status = RO_OK;
    if (work->options.kernel)
        status = diffusion_kernel_take(context, work->options.kernel, &own);
    if (status != RO_OK)
        return status;
    plan_kernel(plan, work->options.kernel ? &own : &diffusion_kernels[work->method->variant]);
    plan_colours(plan, work->options.palette);
    status = choose_code(work, state);
    if (status != RO_OK)
        return status;

    size_t samples = (size_t)tone->in_white + 2;
    size_t bytes = palette_state_bytes(plan, state->run.code, state->run.threads);
    state->linear = calloc(samples, sizeof *state->linear);
    if (posix_memalign(&state->run.state, 64, bytes) != 0)
        state->run.state = NULL;
    if (!state->linear || !state->run.state)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for rows of %u pixels",
                               work->in.width);
    memset(state->run.state, 0, bytes);
    work->bytes = sizeof *state + bytes + samples * sizeof *state->linear;
    work->carried = 3 * plan->rows_down;
    work->carried_most = PALETTE_WHITE + plan->overshoot;
    work->carried_least = -work->carried_most;
    for (size_t a = 0; a < samples; a++)
        state->linear[a] = tone->curve ? tone->curve[tone->channel[a]] : tone->channel[a];
    plan->linear = state->linear;
    if (!plan_rule(state, &work->options))
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a palette's tables");
    state->run.plan = plan;
    state->run.pool = context->pool;
    return RO_OK;
}

static ro_status begin_engine(struct halftoner *work)
{
    struct palette_run *run = &((struct palette_state *)work->state)->run;
    run->steps = 0;
    run->first_row = work->first_row;
    run->end_row = work->end_row;
    run->link = work->link;
    palette_begin(run);
    return RO_OK;
}

/* Lines of red, then of green, then of blue. */
static int32_t *carried_line(const struct halftoner *work, uint32_t y, int number)
{
    const struct palette_state *state = work->state;
    const int lines = state->plan.rows_down;
    return palette_carried(&state->run, y, number / lines, number % lines);
}

static void carry_in(struct halftoner *work, uint32_t x, uint32_t count, const int32_t *values)
{
    for (int i = 0; i < work->carried; i++)
        memcpy(carried_line(work, work->first_row, i) + x, values + (size_t)i * count,
               count * sizeof *values);
}

static void carry_out(const struct halftoner *work, uint32_t x, uint32_t count, int32_t *values)
{
    for (int i = 0; i < work->carried; i++)
        memcpy(values + (size_t)i * count, carried_line(work, work->end_row, i) + x,
               count * sizeof *values);
}

static ro_status run_engine(struct halftoner *work, const struct halftone_block *block)
{
    struct palette_state *state = work->state;
    palette_run_block(&state->run, block);
    work->report.steps = state->run.steps;
    return RO_OK;
}

static void close_engine(struct halftoner *work)
{
    struct palette_state *state = work->state;
    if (state) {
        free(state->run.state);
        free(state->linear);
        free(state->nearest);
    }
    free(state);
    work->state = NULL;
}

const struct halftone_engine palette_engine = {
    .open = open_engine,
    .begin = begin_engine,
    .carry_in = carry_in,
    .carry_out = carry_out,
    .run = run_engine,
    .close = close_engine,
};
