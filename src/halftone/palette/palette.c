/* SPDX-License-Identifier: MIT */
/* Palettes: the plan that follows from a palette and a kernel, and the engine. */
#include "halftone/palette/palette.h"

#include "core/names.h"

#include <stdlib.h>
#include <string.h>

/* The taps of acuity: least squares of what Naesaenen's eye sees of the error, with weights that
 * sum to one. Errors stay small because light lies in the hull; the guard of values bounds the
 * sums. */
/* clang-format off */
static const struct diffusion_kernel palette_acuity_kernel = {12, 128, {
                                          {1, 0, 86}, {2, 0, -6},
    {-2, 1, 11}, {-1, 1, 41}, {0, 1, 51}, {1, 1, -7}, {2, 1, -18},
    {-2, 2, -8}, {-1, 2, -16}, {0, 2, -7}, {1, 2, -9}, {2, 2, 10}}};
/* clang-format on */

/* What the engine keeps in a halftoner. */
struct palette_state {
    struct palette_rule rule;
    struct palette_run run;
    void *memory; /* that run.state lies in */
};

static ro_status choose_code(struct halftoner *work, struct palette_state *state)
{
    ro_context *context = work->context;
    const ro_context_options *asked = &context->options;
    const char *schedule = work->options.schedule;
    if (halftone_is_set(&work->options, "schedule") && strcmp(schedule, "wave") != 0)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "a palette has no schedule '%s'; it runs as wave", schedule);
    const struct palette_plan *plan = &state->rule.plan;
    if (plan->serpentine && asked->threads > 1)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "serpentine rows wait for one another and cannot use %d threads",
                               asked->threads);
    state->run.abreast = work->options.abreast > 1 && !plan->serpentine ? work->options.abreast : 1;
    state->run.threads = plan->serpentine ? 1 : context->threads * state->run.abreast;
    state->run.code = palette_code_find(plan, context->cpu);
    if (!state->run.code && asked->cpu > RO_CPU_SCALAR)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               plan->serpentine || plan->noise || plan->strength
                                   ? "a palette with strength, noise or serpentine has no code for "
                                     "%s"
                                   : "the sums of this kernel do not fit the lanes of %s",
                               ro_cpu_name(asked->cpu));
    work->report.schedule = "wave";
    work->report.cpu = state->run.code ? context->cpu : RO_CPU_SCALAR;
    work->report.threads = state->run.threads / state->run.abreast;
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

void palette_light(const ro_palette *palette, int32_t colour[3][PALETTE_MOST])
{
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < palette->count; k++)
            colour[c][k] = 16 * tone_round(tone_from_srgb(palette->colours[k][c] / 255.0));
}

uint16_t *palette_linear(const struct tone *tone)
{
    const size_t samples = (size_t)tone->in_white + 2;
    uint16_t *linear = malloc(samples * sizeof *linear);
    for (size_t a = 0; linear && a < samples; a++)
        linear[a] = tone->curve ? tone->curve[tone->channel[a]] : tone->channel[a];
    return linear;
}

static void plan_options(struct palette_plan *plan, const struct halftoner *work)
{
    const ro_halftone_options *options = &work->options;
    plan->strength = options->strength == 100 ? 0 : options->strength;
    plan->noise = (int32_t)((int64_t)options->noise * palette_smallest_step(plan) *
                            (1 << PALETTE_FINE) / 200);
    plan->seed = work->seed;
    plan->serpentine = options->serpentine != 0;
}

/* The hull and the tables that follow from it; `linear` is filled. */
static void plan_hull(struct palette_rule *rule)
{
    struct palette_plan *plan = &rule->plan;
    rule->hull.count = plan->count;
    for (int k = 0; k < plan->count; k++)
        for (int c = 0; c < 3; c++)
            rule->hull.colour[k][c] = (uint16_t)(plan->colour[c][k] / 16);
    plan->hull = &rule->hull;
    palette_faces_make(plan->hull, &plan->faces);
    palette_plan_grid(plan);
    palette_choice_make(plan, &plan->choice);
}

ro_status palette_rule_open(struct halftoner *work, struct palette_rule *rule)
{
    const ro_halftone_options *options = &work->options;
    struct palette_plan *plan = &rule->plan;
    *rule = (struct palette_rule){.linear = palette_linear(&work->tone)};
    plan->linear = rule->linear;
    plan->width = work->in.width;
    plan->sample_bytes = work->grey.sample_bytes;
    plan->white = work->tone.in_white;
    plan->count = options->palette->count;
    palette_light(options->palette, plan->colour);
    plan_options(plan, work);
    if (!rule->linear)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for a palette's tables");
    plan_hull(rule);
    work->bytes += ((size_t)plan->white + 2) * sizeof *rule->linear;
    return RO_OK;
}

void palette_rule_close(struct palette_rule *rule) { free(rule->linear); }

static ro_status open_with(struct halftoner *work, const struct diffusion_kernel *kernel)
{
    ro_context *context = work->context;
    struct palette_state *state = calloc(1, sizeof *state);
    work->state = state;
    if (!state)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a plan");
    struct palette_plan *plan = &state->rule.plan;
    struct diffusion_kernel own;
    ro_status status = palette_rule_open(work, &state->rule);
    if (status == RO_OK && work->options.kernel)
        status = diffusion_kernel_take(context, work->options.kernel, &own);
    if (status != RO_OK)
        return status;
    plan_kernel(plan, work->options.kernel ? &own : kernel);
    status = choose_code(work, state);
    if (status != RO_OK)
        return status;
    size_t bytes = palette_state_bytes(plan, state->run.code, state->run.threads);
    /* Much of it is never touched, and pages that come as zeros cost nothing until then. */
    state->memory = calloc(1, bytes + 64);
    if (!state->memory)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for rows of %u pixels",
                               work->in.width);
    state->run.state = (char *)state->memory + (64 - (uintptr_t)state->memory % 64);
    work->bytes += sizeof *state + bytes;
    /* Right to left, no column is ready before the row's end. */
    work->carried = plan->serpentine ? -1 : 3 * plan->rows_down;
    work->carried_most = PALETTE_WHITE + PALETTE_GUARD;
    work->carried_least = -work->carried_most;
    state->run.plan = plan;
    state->run.pool = context->pool;
    return RO_OK;
}

static ro_status open_engine(struct halftoner *work)
{
    return open_with(work, &diffusion_kernels[work->method->variant]);
}

static ro_status open_acuity(struct halftoner *work)
{
    return open_with(work, &palette_acuity_kernel);
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
    const int lines = state->rule.plan.rows_down;
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
        free(state->memory);
        palette_rule_close(&state->rule);
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

const struct halftone_engine palette_acuity_engine = {
    .open = open_acuity,
    .begin = begin_engine,
    .carry_in = carry_in,
    .carry_out = carry_out,
    .run = run_engine,
    .close = close_engine,
};
