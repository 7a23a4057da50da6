/* SPDX-License-Identifier: MIT */
/* Error diffusion's engine: which schedule runs, its memory, what rows hand on, and the way to a
 * device. The plan it runs is made in diffusion_plan.c. */
#include "halftone/error_diffusion/diffusion.h"

#include "core/names.h"
#include "halftone/error_diffusion/cuda/diffusion_cuda.h"
#include "halftone/row_callbacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ed keeps undivided sums in 32 bits. */
static bool fits_ed(const struct diffusion_plan *plan)
{
    return plan->kernel.divisor * ((int64_t)plan->bound + 1) <= INT32_MAX;
}

/* A serpentine scan lets no row begin before the one above has ended. */
static bool can_run(const struct diffusion_plan *plan, const struct diffusion_schedule *schedule)
{
    if (schedule == &diffusion_ed && !fits_ed(plan))
        return false;
    return schedule->sequential || !plan->serpentine;
}

static ro_status find_schedule(struct halftoner *work, struct diffusion_state *state,
                               const struct diffusion_schedule *const *schedules)
{
    const char *name = work->options.schedule;
    bool any = state->any_schedule = !halftone_is_set(&work->options, "schedule");
    char listed[64] = "";
    for (int i = 0; schedules[i] && !state->schedule; i++) {
        size_t length = strlen(listed);
        snprintf(listed + length, sizeof listed - length, i ? ", %s" : "%s", schedules[i]->name);
        if (any ? can_run(&state->plan, schedules[i]) : strcmp(name, schedules[i]->name) == 0)
            state->schedule = schedules[i];
    }
    if (!state->schedule)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "there is no schedule '%s' for %s on the CPU; there is %s", name,
                               work->method->info.name, listed);
    if (can_run(&state->plan, state->schedule))
        return RO_OK;
    if (state->schedule->sequential)
        return ro_context_fail(work->context, RO_E_UNSUPPORTED,
                               "the sums of this kernel, depth and options do not fit schedule %s",
                               state->schedule->name);
    return ro_context_fail(
        work->context, RO_E_UNSUPPORTED,
        "schedule %s cannot run serpentine rows, which wait for one another from end to end",
        state->schedule->name);
}

/* Whether the schedule can run as the context wants it. */
static ro_status check_context(struct halftoner *work, struct diffusion_state *state)
{
    ro_context *context = work->context;
    const ro_context_options *asked = &context->options;
    state->run.cpu = context->cpu;
    state->run.abreast = work->options.abreast > 1 ? work->options.abreast : 1;
    state->run.threads = context->threads * state->run.abreast;
    if (state->schedule->sequential) {
        if (asked->threads > 1)
            return ro_context_fail(context, RO_E_UNSUPPORTED,
                                   "schedule %s is sequential and cannot use %d threads",
                                   state->schedule->name, asked->threads);
        if (asked->cpu > RO_CPU_SCALAR)
            return ro_context_fail(context, RO_E_UNSUPPORTED,
                                   "schedule %s is sequential and cannot use %s",
                                   state->schedule->name, ro_cpu_name(asked->cpu));
        state->run.cpu = RO_CPU_SCALAR;
        state->run.threads = state->run.abreast = 1;
    } else if (!diffusion_wave_vectorised(&state->plan, state->run.cpu)) {
        if (asked->cpu > RO_CPU_SCALAR)
            return ro_context_fail(context, RO_E_UNSUPPORTED,
                                   "the sums of this kernel and depth do not fit the lanes of %s",
                                   ro_cpu_name(asked->cpu));
        state->run.cpu = RO_CPU_SCALAR;
    }
    return RO_OK;
}

static bool balanced(const struct halftoner *work)
{
    return work->options.threshold == RO_THRESHOLD_BALANCED;
}

struct diffusion_request diffusion_request_of(const struct halftoner *work)
{
    return (struct diffusion_request){
        .width = work->in.width,
        .maxval = work->grey.white,
        .sample_bytes = work->grey.sample_bytes,
        .levels = work->options.levels,
        .bits_out = work->out == RO_BITS,
        .number_bytes = work->out == RO_GREY16 || work->out == RO_RGB16 ? 2 : 1,
        .strength = work->options.strength,
        .noise = work->options.noise,
        .threshold = balanced(work) ? 0 : work->options.threshold,
        .seed = work->seed,
        .serpentine = work->options.serpentine != 0,
    };
}

/* The numbers that rows hand on: errors of the rows above, or what flows from them (numerics.md).
 */
static void plan_carried(struct halftoner *work, const struct diffusion_plan *plan)
{
    work->carried = plan->rows_down;
    if (plan->tonal || plan->acuity) {
        work->carried_least = -4 * plan->white; /* sums of shares: much less comes together */
        work->carried_most = 4 * plan->white;
    } else if (plan->fold) {
        work->carried_least = 1 - plan->white / 2;
        work->carried_most = plan->white / 2;
    } else {
        work->carried_least = -plan->bound;
        work->carried_most = plan->bound;
    }
}

void diffusion_line_put(const struct diffusion_line *line, uint32_t width, uint32_t x,
                        uint32_t count, const int32_t *values)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = line->reversed ? width - 1 - (x + i) : x + i;
        if (line->bytes == 2)
            ((uint16_t *)line->column)[at] = (uint16_t)(values[i] + line->bias);
        else
            ((int32_t *)line->column)[at] = values[i] + line->bias;
    }
}

void diffusion_line_get(const struct diffusion_line *line, uint32_t width, uint32_t x,
                        uint32_t count, int32_t *values)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = line->reversed ? width - 1 - (x + i) : x + i;
        values[i] = (line->bytes == 2 ? line->bias ? ((const uint16_t *)line->column)[at]
                                                   : ((const int16_t *)line->column)[at]
                                      : ((const int32_t *)line->column)[at]) -
                    line->bias;
    }
}

/* Memory of the schedule that was chosen. */
static ro_status alloc_state(struct halftoner *work, struct diffusion_state *state)
{
    struct diffusion_run *run = &state->run;
    run->plan = &state->plan;
    run->pool = work->context->pool;
    state->state_bytes = state->schedule->state_bytes(run->plan, run->cpu, run->threads);
    /* calloc touches no page: a header that claims a huge width costs nothing before rows come. */
    state->memory = calloc(1, state->state_bytes + 63);
    if (!state->memory)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for rows of %u pixels",
                               work->in.width);
    run->state = (void *)(((uintptr_t)state->memory + 63) & ~(uintptr_t)63);
    work->bytes = sizeof *state + state->state_bytes;
    plan_carried(work, run->plan);
    return RO_OK;
}

ro_status diffusion_begin(struct halftoner *work, const struct diffusion_schedule *const *schedules)
{
    struct diffusion_state *state = work->state;
    ro_status status = find_schedule(work, state, schedules);
    if (status == RO_OK)
        status = check_context(work, state);
    if (status == RO_OK)
        status = alloc_state(work, state);
    if (status != RO_OK)
        return status;
    const struct diffusion_run *run = &state->run;
    work->granularity = (uint32_t)state->schedule->granularity(run->plan, run->cpu);
    work->report.schedule = state->schedule->name;
    work->report.cpu = run->cpu;
    work->report.threads = run->threads / run->abreast;
    return RO_OK;
}

/* Of the two sequential schedules only one keeps the errors that pieces of a picture hand on; they
 * have the same state. */
static ro_status choose_for_run(struct halftoner *work, struct diffusion_state *state)
{
    const bool piece = work->link != NULL;
    if (state->any_schedule && state->schedule == (piece ? &diffusion_ed : &diffusion_ec))
        state->schedule = piece ? &diffusion_ec : &diffusion_ed;
    work->report.schedule = state->schedule->name;
    if (piece && !state->schedule->carried)
        return ro_context_fail(work->context, RO_E_UNSUPPORTED,
                               "schedule %s keeps sums and not errors: it cannot run a piece of a "
                               "picture",
                               state->schedule->name);
    return RO_OK;
}

ro_status diffusion_restart(struct halftoner *work)
{
    struct diffusion_state *state = work->state;
    struct diffusion_run *run = &state->run;
    ro_status status = RO_OK;
    if (state->cuda)
        diffusion_on_cuda->begin(state->cuda, work->link != NULL);
    else
        status = choose_for_run(work, state);
    if (status != RO_OK || (state->cuda && !work->link))
        return status;
    run->steps = 0;
    run->first_row = work->first_row;
    run->end_row = work->end_row;
    run->link = work->link;
    if (state->schedule->begin)
        state->schedule->begin(run);
    else if (run->used)
        memset(run->state, 0, state->state_bytes);
    run->used = true;
    return RO_OK;
}

/* Lines that flow into row y, in and out of a schedule's state. */
static void put_lines(struct halftoner *work, uint32_t y, uint32_t x, uint32_t count,
                      const int32_t *values)
{
    struct diffusion_state *state = work->state;
    for (int i = 0; i < work->carried; i++) {
        struct diffusion_line line = state->schedule->carried(&state->run, y, i);
        diffusion_line_put(&line, work->in.width, x, count, values + (size_t)i * count);
    }
}

static void get_lines(const struct halftoner *work, uint32_t y, uint32_t x, uint32_t count,
                      int32_t *values)
{
    const struct diffusion_state *state = work->state;
    for (int i = 0; i < work->carried; i++) {
        struct diffusion_line line = state->schedule->carried(&state->run, y, i);
        diffusion_line_get(&line, work->in.width, x, count, values + (size_t)i * count);
    }
}

void diffusion_carry_in(struct halftoner *work, uint32_t x, uint32_t count, const int32_t *values)
{
    put_lines(work, work->first_row, x, count, values);
}

void diffusion_carry_out(const struct halftoner *work, uint32_t x, uint32_t count, int32_t *values)
{
    get_lines(work, work->end_row, x, count, values);
}

void diffusion_end(struct halftoner *work)
{
    struct diffusion_state *state = work->state;
    if (state) {
        if (state->cuda)
            diffusion_on_cuda->close(state->cuda);
        free(state->memory);
        free(state->lines);
    }
    free(state);
    work->state = NULL;
}

/* ---- on a device ---------------------------------------------------------------------------- */

ro_status diffusion_begin_cuda(struct halftoner *work, const uint32_t (*table)[4], size_t entries)
{
    struct diffusion_state *state = work->state;
    const struct diffusion_plan *plan = &state->plan;
    const struct diffusion_steps steps =
        diffusion_steps_shape((uint32_t)plan->white / 16, plan->levels);
    struct diffusion_cuda_plan numbers = {
        .kernel_id = plan->kernel_id,
        .width = plan->width,
        .sample_bytes = plan->sample_bytes,
        .levels = plan->levels,
        .bits_out = plan->bits_out,
        .number_bytes = plan->number_bytes,
        .fold = plan->fold,
        .white = plan->white,
        .bias = plan->fold ? plan->bias : steps.bias,
        .limit = steps.limit,
        .least = steps.least,
        .levels_per_tone = plan->levels_per_tone,
        .guess_off = plan->guess_off,
        .level = plan->level,
        .middle = plan->middle,
        .below = plan->below,
        .table = table,
        .table_entries = entries,
    };
    ro_status status =
        diffusion_on_cuda->open(work->context, &numbers, work->options.schedule, &state->cuda);
    if (status != RO_OK)
        return status;
    work->granularity = DIFFUSION_CUDA_ROWS;
    work->report.schedule = diffusion_on_cuda->schedule(state->cuda);
    work->report.device = RO_DEVICE_CUDA;
    if (!diffusion_on_cuda->runs_pieces(state->cuda))
        return RO_OK;
    state->schedule = &diffusion_ec;
    state->run.cpu = RO_CPU_SCALAR;
    state->run.threads = state->run.abreast = 1;
    status = alloc_state(work, state);
    if (status == RO_OK)
        state->lines = calloc((size_t)work->carried * plan->width, sizeof *state->lines);
    if (status == RO_OK && !state->lines)
        status = ro_context_fail(work->context, RO_E_MEMORY, "no memory for rows of %u pixels",
                                 plan->width);
    return status;
}

static ro_status fetch_pass(void *pass, uint32_t first_row, uint32_t rows, void *memory)
{
    return halftone_pass_fetch_all(pass, first_row, rows, memory);
}

static ro_status take_pass(void *pass, uint32_t first_row, uint32_t rows, void *memory)
{
    return halftone_pass_take_all(pass, first_row, rows, memory);
}

static ro_status run_cuda(struct halftoner *work, const struct halftone_block *block)
{
    struct diffusion_state *state = work->state;
    struct diffusion_cuda_count count = {0};
    ro_status status = diffusion_on_cuda->run(state->cuda,
                                              &(struct diffusion_cuda_rows){
                                                  .in = block->in,
                                                  .in_stride = block->in_stride,
                                                  .out = block->out,
                                                  .out_stride = block->out_stride,
                                                  .first_row = block->first_row,
                                                  .rows = block->rows,
                                                  .height = work->in.height,
                                                  .fetch = work->pass ? fetch_pass : NULL,
                                                  .take = work->pass ? take_pass : NULL,
                                                  .ends = work->pass,
                                              },
                                              &count);
    work->report.steps += count.steps;
    work->report.launches += count.launches;
    return status;
}

/* A piece of a picture: errors come from the host before its first row and go there behind its
 * last. The device leaves those of whole bands; the few rows of one that is not whole are run here.
 */
static ro_status run_cuda_piece(struct halftoner *work, const struct halftone_block *block)
{
    struct diffusion_state *state = work->state;
    struct wavefront_link *link = work->link;
    const uint32_t width = work->in.width, end = block->first_row + block->rows;
    const bool first = block->first_row == work->first_row;
    const bool last = end == work->end_row && link->below;
    const uint32_t rest = last ? block->rows % DIFFUSION_CUDA_ROWS : 0, whole = block->rows - rest;
    ro_status status = RO_OK;
    struct halftone_block part = *block;
    if (first && link->above) {
        wavefront_link_wait(link, width);
        get_lines(work, work->first_row, 0, width, state->lines);
        status = diffusion_on_cuda->put_lines(state->cuda, state->lines);
    }
    part.rows = whole;
    if (status == RO_OK && whole)
        status = run_cuda(work, &part);
    if (status != RO_OK || !last)
        return status;
    if (whole || !first) {
        status = diffusion_on_cuda->take_lines(state->cuda, state->lines);
        put_lines(work, end - rest, 0, width, state->lines);
    }
    if (status == RO_OK && rest) {
        part.in += (ptrdiff_t)whole * block->in_stride;
        part.out += (ptrdiff_t)whole * block->out_stride;
        part.first_row += whole;
        part.rows = rest;
        state->schedule->run(&state->run, &part);
    }
    wavefront_link_tell(link, width);
    return status;
}

ro_status diffusion_run_block(struct halftoner *work, const struct halftone_block *block)
{
    struct diffusion_state *state = work->state;
    if (state->cuda)
        return work->link ? run_cuda_piece(work, block) : run_cuda(work, block);
    struct wavefront_link *link = state->schedule->sequential ? work->link : NULL;
    if (link && link->above && block->first_row == work->first_row)
        wavefront_link_wait(link, work->in.width);
    state->run.pass = work->pass;
    state->schedule->run(&state->run, block);
    if (link && link->below && block->first_row + block->rows == work->end_row)
        wavefront_link_tell(link, work->in.width);
    work->report.steps = state->run.steps;
    return RO_OK;
}

bool diffusion_passes(const struct halftoner *work)
{
    const struct diffusion_state *state = work->state;
    if (state->cuda)
        return strcmp(diffusion_on_cuda->schedule(state->cuda), "wave") == 0;
    return state->schedule == &diffusion_wave && state->run.abreast <= 1;
}

ro_status diffusion_run_resident(struct halftoner *work, const ro_image *in, const ro_image *out,
                                 uint32_t images, void *stream)
{
    struct diffusion_state *state = work->state;
    struct diffusion_cuda_count count = {0};
    ro_status status =
        diffusion_on_cuda->run_resident(state->cuda, in, out, images, stream, &count);
    work->report.steps = count.steps;
    work->report.launches = count.launches;
    return status;
}

/* ---- the engine of fixed kernels ------------------------------------------------------------ */

static ro_status check_cuda(ro_context *context, const struct diffusion_plan *plan)
{
    if (plan->kernel_id != DIFFUSION_KERNELS && plan->strength == 100 && plan->shift == 0 &&
        !plan->balance && plan->noise == 0 && !plan->serpentine)
        return RO_OK;
    return ro_context_fail(
        context, RO_E_UNSUPPORTED,
        "a device runs built-in kernels only, without strength, noise, threshold or serpentine");
}

static ro_status open_engine(struct halftoner *work)
{
    static const struct diffusion_schedule *const schedules[] = {&diffusion_wave, &diffusion_ed,
                                                                 &diffusion_ec, NULL};
    ro_context *context = work->context;
    if (work->options.seed && !work->options.noise)
        return ro_context_fail(context, RO_E_ARGUMENT, "a seed has no effect without noise");
    if (halftone_is_set(&work->options, "threshold") && !balanced(work) &&
        work->options.levels != 2)
        return ro_context_fail(context, RO_E_ARGUMENT, "threshold needs 2 levels, not %d",
                               work->options.levels);
    struct diffusion_state *state = calloc(1, sizeof *state);
    if (!state)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a plan");
    work->state = state;
    struct diffusion_request request = diffusion_request_of(work);
    struct diffusion_kernel own;
    request.kernel_id = work->method->variant;
    request.kernel = &own;
    ro_status status = RO_OK;
    if (work->options.kernel)
        status = diffusion_kernel_take(context, work->options.kernel, &own);
    else
        request.kernel = &diffusion_kernels[request.kernel_id];
    if (status == RO_OK && balanced(work) && work->options.kernel)
        status = ro_context_fail(context, RO_E_UNSUPPORTED,
                                 "balanced thresholds are known for built-in kernels only");
    if (status != RO_OK)
        return status;
    if (balanced(work))
        request.balance = balance_table[request.kernel_id][request.serpentine];
    diffusion_plan_make(&state->plan, &request);
    if (work->device == RO_DEVICE_CUDA) {
        status = check_cuda(context, &state->plan);
        return status == RO_OK ? diffusion_begin_cuda(work, NULL, 0) : status;
    }
    return diffusion_begin(work, schedules);
}

const struct halftone_engine diffusion_engine = {
    .coloured = &palette_engine,
    .open = open_engine,
    .begin = diffusion_restart,
    .run = diffusion_run_block,
    .passes = diffusion_passes,
    .carry_in = diffusion_carry_in,
    .carry_out = diffusion_carry_out,
    .close = diffusion_end,
    .run_resident = diffusion_run_resident,
};
