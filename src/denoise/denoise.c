/* SPDX-License-Identifier: MIT */
/* The explicit scheme of whole images: the reference, passes of one step and passes of many
 * (stencil.h). */
#include "denoise/denoise.h"

#include "core/checked.h"
#include "core/huge_pages.h"
#include "core/image.h"
#include "denoise/diffusion_rows.h"

#include <stdlib.h>
#include <string.h>

enum {
    PIPE_BYTES = 1 << 20, /* what the lines of a pipe may take of a core's cache */
    USUAL_DEPTH = 8,
};

struct explicit_steps {
    struct denoiser *work;
    struct step_rows rows;
    struct stencil stencil;
    struct stencil_rows field[2];
    int now;              /* the field with the latest step */
    void *line;           /* of values */
    uint32_t depth, rest; /* steps of a pass, and of the last one; 0: that is like the others */
    struct stencil_stream pass[2]; /* for both */
};

static ro_status no_memory(const struct denoiser *work)
{
    return ro_context_fail(work->context, RO_E_MEMORY, "no memory to denoise %u x %u pixels",
                           work->in.width, work->in.height);
}

static ro_status open_run(struct explicit_steps *run)
{
    struct denoiser *work = run->work;
    ro_context *context = work->context;
    ro_cpu asked = context->options.cpu, best = asked ? asked : context->cpu;
    if (work->schedule == RO_SCHEDULE_REFERENCE)
        best = RO_CPU_SCALAR;
    ro_status status = rows_open(&run->rows, &work->diffusion, work->scale.white, best);
    if (status != RO_OK)
        return no_memory(work);
    run->stencil = rows_stencil(&run->rows);
    if (asked && run->rows.kernel->cpu != asked && work->schedule != RO_SCHEDULE_REFERENCE)
        return denoiser_no_code(work, asked);
    run->line = malloc(work->in.width * sizeof(int32_t));
    return run->line ? RO_OK : no_memory(work);
}

static ro_status alloc_fields(struct explicit_steps *run)
{
    const struct denoiser *work = run->work;
    size_t bytes;
    if (!size_multiply(run->rows.row_bytes, work->in.height, &bytes) || bytes > PTRDIFF_MAX)
        return no_memory(work);
    for (int i = 0; i < 2; i++) {
        if (run->field[i].data)
            continue;
        void *data = pages_alloc(bytes);
        if (!data)
            return no_memory(work);
        run->field[i] = (struct stencil_rows){data, run->rows.row_bytes};
        if (work->number->floating) /* weights of 0 meet what is behind a line: no NaN there */
            memset(data, 0, bytes);
    }
    return RO_OK;
}

void explicit_close(struct explicit_steps *run)
{
    if (!run)
        return;
    for (int i = 0; i < 2; i++) {
        stream_close(&run->pass[i]);
        free(run->field[i].data);
    }
    free(run->line);
    rows_close(&run->rows);
    free(run);
}

/* ---- Pixels to fields and back ------------------------------------------------------------- */

static char *line_of(const struct explicit_steps *run, const struct stencil_rows *field, uint32_t y,
                     int channel)
{
    return field->data + (size_t)y * field->pitch + (size_t)channel * run->rows.line_bytes;
}

static void keep_row(const void *data, uint32_t y, int channel, const void *values)
{
    const struct explicit_steps *run = data;
    run->rows.kernel->pack(&run->rows, values, line_of(run, &run->field[0], y, channel));
}

static const void *fetch_row(const void *data, uint32_t y, int channel, void *values)
{
    const struct explicit_steps *run = data;
    run->rows.kernel->unpack(&run->rows, line_of(run, &run->field[run->now], y, channel), values);
    return values;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* Whether the last step changed nothing. */
static bool settled(const struct explicit_steps *run)
{
    const struct step_rows *rows = &run->rows;
    size_t vector = (size_t)rows->kernel->lanes * (size_t)rows->kernel->sample_bytes;
    for (uint32_t y = 0; y < run->work->in.height; y++)
        for (int c = 0; c < run->work->channels; c++) {
            size_t at = (size_t)y * rows->row_bytes + (size_t)c * rows->line_bytes + vector;
            if (memcmp(run->field[0].data + at, run->field[1].data + at, rows->vectors * vector))
                return false;
        }
    return true;
}

static uint32_t depth_of(const struct explicit_steps *run)
{
    const struct denoiser *work = run->work;
    if (work->options.until_converged || denoiser_is_watched(work) ||
        work->schedule == RO_SCHEDULE_PASSES)
        return 1;
    if (work->options.steps_at_once)
        return work->options.steps_at_once;
    size_t stages = (size_t)run->stencil.stages;
    size_t depth = PIPE_BYTES / (pipe_stage_bytes(&run->stencil) * stages);
    return depth < 1 ? 1 : depth > USUAL_DEPTH ? USUAL_DEPTH : (uint32_t)depth;
}

/* Row by row, so that sums of floats do not notice how fields lie in memory. */
static void trace_field(const struct explicit_steps *run)
{
    const struct denoiser *work = run->work;
    struct step_trace trace = {0};
    if (!denoiser_is_watched(work))
        return;
    for (uint32_t y = 0; y < work->in.height; y++)
        for (int c = 0; c < work->channels; c++)
            trace_add(&trace, work, y, c, fetch_row(run, y, c, run->line));
    trace_tell(&trace, work);
}

static ro_status run_passes(struct explicit_steps *run)
{
    struct denoiser *work = run->work;
    const uint32_t wanted = work->options.iterations;
    ro_status status = RO_OK;
    trace_field(run);
    while (work->report.steps < wanted && !work->report.converged && !stop_is_over(work->watch) &&
           status == RO_OK) {
        const bool rest = wanted - work->report.steps < run->depth;
        stream_pass(&run->pass[rest], &run->field[run->now], &run->field[1 - run->now]);
        run->now = 1 - run->now;
        work->report.converged = work->options.until_converged && settled(run);
        if (!work->report.converged) {
            work->report.steps += rest ? run->rest : run->depth;
            trace_field(run);
        }
        status = denoiser_progress(work);
    }
    return status;
}

/* The passes of all steps: as deep as they are to be, and one of what is left. */
static ro_status open_passes(struct explicit_steps *run)
{
    struct denoiser *work = run->work;
    const uint32_t wanted = work->options.iterations, depth = depth_of(run);
    run->depth = depth < wanted ? depth : wanted;
    run->rest = run->depth ? wanted % run->depth : 0;
    const uint32_t steps[2] = {run->depth, run->rest};
    for (int i = 0; i < 2; i++) {
        if (steps[i] == 0)
            continue;
        if (stencil_stream_open(&run->pass[i], work->context->pool, &run->stencil, (int)steps[i]) !=
            RO_OK)
            return no_memory(work);
        run->pass[i].stop = &work->context->cancelled;
    }
    return RO_OK;
}

/* The definition itself, on planes; for integers. */
static ro_status run_reference(struct denoiser *work)
{
    size_t size = (size_t)work->in.width * work->in.height, images = 4 + 4 * (size_t)work->channels;
    size_t bytes;
    ro_status status = RO_OK;
    int32_t *memory = NULL;
    if (size_multiply(size, images * sizeof *memory, &bytes))
        memory = malloc(bytes);
    if (!memory)
        return no_memory(work);
    size_t all = size * (size_t)work->channels;
    int32_t *now = memory, *next = memory + all, *scratch = memory + 2 * all;
    status = denoiser_load(work, now);
    if (status == RO_OK)
        denoiser_trace(work, now);
    while (work->report.steps < work->options.iterations && !work->report.converged &&
           status == RO_OK) {
        diffusion_iterate_ref(&work->diffusion, now, next, scratch);
        work->report.converged =
            work->options.until_converged && memcmp(now, next, all * sizeof *now) == 0;
        work->report.steps += !work->report.converged;
        int32_t *last = now;
        now = next;
        next = last;
        if (!work->report.converged)
            denoiser_trace(work, now);
        status = denoiser_progress(work);
    }
    if (status == RO_OK)
        status = denoiser_store(work, now);
    if (status == RO_OK)
        denoiser_report(work, "reference", RO_CPU_SCALAR, 1);
    free(memory);
    return status;
}

static bool by_reference(const struct denoiser *work)
{
    return work->schedule == RO_SCHEDULE_REFERENCE && !work->number->floating;
}

ro_status explicit_open(struct denoiser *work)
{
    if (by_reference(work))
        return RO_OK;
    struct explicit_steps *run = work->ready = calloc(1, sizeof *run);
    if (!run)
        return no_memory(work);
    run->work = work;
    ro_status status = open_run(run);
    if (status == RO_OK)
        status = open_passes(run);
    if (status == RO_OK)
        status = sweep_open(work);
    return status;
}

size_t explicit_bytes(const struct denoiser *work)
{
    const struct explicit_steps *run = work->ready;
    if (!run)
        return 0;
    size_t bytes = sizeof *run + work->sweep.bytes + 2 * run->rows.row_bytes * work->in.height;
    for (int i = 0; i < 2; i++)
        bytes += (size_t)run->pass[i].threads * pipe_stage_bytes(&run->stencil) *
                 (size_t)run->stencil.stages * (i ? run->rest : run->depth);
    return bytes;
}

const char *explicit_schedule(const struct denoiser *work)
{
    return work->schedule == RO_SCHEDULE_REFERENCE ? "reference"
           : depth_of(work->ready) == 1            ? "passes"
                                                   : "stream";
}

ro_status denoise_explicit(struct denoiser *work)
{
    if (by_reference(work))
        return run_reference(work);
    struct explicit_steps *run = work->ready;
    const struct row_store store = {run, fetch_row, keep_row};
    run->now = 0;
    ro_status status = run->field[1].data ? RO_OK : alloc_fields(run);
    if (status == RO_OK)
        status = denoiser_load_rows(work, &store);
    if (status == RO_OK)
        status = run_passes(run);
    if (status == RO_OK)
        status = denoiser_store_rows(work, &store);
    int threads = 1;
    for (int i = 0; i < 2; i++)
        threads = run->pass[i].threads > threads ? run->pass[i].threads : threads;
    if (status == RO_OK)
        denoiser_report(work, explicit_schedule(work), run->rows.kernel->cpu, threads);
    return status;
}
