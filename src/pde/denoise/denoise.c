/* SPDX-License-Identifier: MIT */
/* Denoising of whole images, and the explicit scheme's schedules: the reference, passes of one step
 * and passes of many (stencil.h). */
#include "pde/denoise/denoise.h"

#include "core/checked.h"
#include "core/image.h"
#include "pde/denoise/flow_rows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PIPE_BYTES = 1 << 20, /* what the lines of a pipe may take of a core's cache */
    USUAL_DEPTH = 8,
    HUGE_PAGE = 2 << 20,
};

struct run {
    struct ro_denoiser *work;
    struct ro_rows rows;
    struct ro_stencil stencil;
    struct ro_stencil_rows field[2];
    int now;    /* the field with the latest step */
    void *line; /* of values */
};

static ro_status no_memory(const struct ro_denoiser *work)
{
    return ro_context_fail(work->context, RO_E_MEMORY, "no memory to denoise %u x %u pixels",
                           work->in.width, work->in.height);
}

static ro_status open_run(struct run *run)
{
    struct ro_denoiser *work = run->work;
    ro_context *context = work->context;
    ro_cpu asked = context->options.cpu, best = asked ? asked : context->cpu;
    if (work->schedule == RO_SCHEDULE_REFERENCE)
        best = RO_CPU_SCALAR;
    ro_status status = ro_rows_open(&run->rows, &work->diffusion, work->scale.white, best);
    if (status != RO_OK)
        return no_memory(work);
    run->stencil = ro_rows_stencil(&run->rows);
    if (asked && run->rows.kernel->cpu != asked && work->schedule != RO_SCHEDULE_REFERENCE)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "there is no %s code for this filter in %s", ro_cpu_name(asked),
                               work->number->name);
    size_t bytes;
    if (!ro_size_multiply(run->rows.row_bytes, work->in.height, &bytes) || bytes > PTRDIFF_MAX)
        return no_memory(work);
    for (int i = 0; i < 2; i++) {
        void *data = NULL;
        if (posix_memalign(&data, bytes > HUGE_PAGE ? HUGE_PAGE : 64, bytes) != 0)
            return no_memory(work);
#ifdef MADV_HUGEPAGE
        if (bytes > HUGE_PAGE)
            madvise(data, bytes,
                    MADV_HUGEPAGE); /* for speed only: whether it works does not count */
#endif
        run->field[i] = (struct ro_stencil_rows){data, run->rows.row_bytes};
        if (work->number->floating) /* weights of 0 meet what is behind a line: no NaN there */
            memset(data, 0, bytes);
    }
    run->line = malloc(work->in.width * sizeof(int32_t));
    return run->line ? RO_OK : no_memory(work);
}

static void close_run(struct run *run)
{
    free(run->field[0].data);
    free(run->field[1].data);
    free(run->line);
    ro_rows_close(&run->rows);
}

/* ---- Pixels to fields and back ------------------------------------------------------------- */

static char *line_of(const struct run *run, const struct ro_stencil_rows *field, uint32_t y,
                     int channel)
{
    return field->data + (size_t)y * field->pitch + (size_t)channel * run->rows.line_bytes;
}

static void keep_row(const void *data, uint32_t y, int channel, const void *values)
{
    const struct run *run = data;
    run->rows.kernel->pack(&run->rows, values, line_of(run, &run->field[0], y, channel));
}

static const void *fetch_row(const void *data, uint32_t y, int channel, void *values)
{
    const struct run *run = data;
    run->rows.kernel->unpack(&run->rows, line_of(run, &run->field[run->now], y, channel), values);
    return values;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* Whether the last step changed nothing. */
static bool settled(const struct run *run)
{
    const struct ro_rows *rows = &run->rows;
    size_t vector = (size_t)rows->kernel->lanes * (size_t)rows->kernel->sample_bytes;
    for (uint32_t y = 0; y < run->work->in.height; y++)
        for (int c = 0; c < run->work->channels; c++) {
            size_t at = (size_t)y * rows->row_bytes + (size_t)c * rows->line_bytes + vector;
            if (memcmp(run->field[0].data + at, run->field[1].data + at, rows->vectors * vector))
                return false;
        }
    return true;
}

static uint32_t depth_of(const struct run *run)
{
    const struct ro_denoiser *work = run->work;
    if (work->options.until_converged || work->options.on_step ||
        work->schedule == RO_SCHEDULE_PASSES)
        return 1;
    if (work->options.depth)
        return work->options.depth;
    size_t stages = (size_t)run->stencil.stages;
    size_t depth = PIPE_BYTES / (ro_pipe_stage_bytes(&run->stencil) * stages);
    return depth < 1 ? 1 : depth > USUAL_DEPTH ? USUAL_DEPTH : (uint32_t)depth;
}

static double progress_of(const struct ro_denoiser *work)
{
    return (double)work->report.steps / work->options.iterations;
}

/* Row by row, so that sums of floats do not notice how fields lie in memory. */
static void trace_field(const struct run *run)
{
    const struct ro_denoiser *work = run->work;
    struct ro_trace trace = {0};
    if (!work->options.on_step)
        return;
    for (uint32_t y = 0; y < work->in.height; y++)
        for (int c = 0; c < work->channels; c++)
            ro_trace_add(&trace, work, fetch_row(run, y, c, run->line), work->in.width);
    ro_trace_tell(&trace, work);
}

static ro_status run_passes(struct run *run, int *threads)
{
    struct ro_denoiser *work = run->work;
    const uint32_t wanted = work->options.iterations;
    uint32_t depth = depth_of(run), open = 0;
    struct ro_stream stream = {0};
    ro_status status = RO_OK;
    trace_field(run);
    while (work->report.steps < wanted && !work->report.converged && status == RO_OK) {
        uint32_t left = wanted - work->report.steps, now = left < depth ? left : depth;
        if (now != open) {
            ro_stream_close(&stream);
            status = ro_stream_open(&stream, work->context->pool, &run->stencil, (int)now);
            if (status != RO_OK) {
                status = no_memory(work);
                break;
            }
            open = now;
            stream.stop = &work->context->cancelled;
            *threads = stream.threads > *threads ? stream.threads : *threads;
        }
        ro_stream_pass(&stream, &run->field[run->now], &run->field[1 - run->now]);
        run->now = 1 - run->now;
        work->report.converged = work->options.until_converged && settled(run);
        if (!work->report.converged) {
            work->report.steps += now;
            trace_field(run);
        }
        status = ro_context_progress(work->context, "denoise", progress_of(work));
    }
    ro_stream_close(&stream);
    return status;
}

/* The definition itself, on planes; for integers. */
static ro_status run_reference(struct ro_denoiser *work)
{
    size_t size = (size_t)work->in.width * work->in.height, images = 4 + 4 * (size_t)work->channels;
    size_t bytes;
    ro_status status = RO_OK;
    int32_t *memory = NULL;
    if (ro_size_multiply(size, images * sizeof *memory, &bytes))
        memory = malloc(bytes);
    if (!memory)
        return no_memory(work);
    size_t all = size * (size_t)work->channels;
    int32_t *now = memory, *next = memory + all, *scratch = memory + 2 * all;
    status = ro_denoiser_load(work, now);
    if (status == RO_OK)
        ro_denoiser_trace(work, now);
    while (work->report.steps < work->options.iterations && !work->report.converged &&
           status == RO_OK) {
        ro_diffusion_iterate_ref(&work->diffusion, now, next, scratch);
        work->report.converged =
            work->options.until_converged && memcmp(now, next, all * sizeof *now) == 0;
        work->report.steps += !work->report.converged;
        int32_t *last = now;
        now = next;
        next = last;
        if (!work->report.converged)
            ro_denoiser_trace(work, now);
        status = ro_context_progress(work->context, "denoise", progress_of(work));
    }
    if (status == RO_OK)
        status = ro_denoiser_store(work, now);
    if (status == RO_OK)
        ro_denoiser_report(work, "reference", RO_CPU_SCALAR, 1);
    free(memory);
    return status;
}

ro_status ro_denoise_explicit(struct ro_denoiser *work)
{
    if (work->schedule == RO_SCHEDULE_REFERENCE && !work->number->floating)
        return run_reference(work);
    struct run run = {.work = work};
    const struct ro_row_store store = {&run, fetch_row, keep_row};
    int threads = 1;
    ro_status status = open_run(&run);
    if (status == RO_OK)
        status = ro_denoiser_load_rows(work, &store);
    if (status == RO_OK)
        status = run_passes(&run, &threads);
    if (status == RO_OK)
        status = ro_denoiser_store_rows(work, &store);
    if (status == RO_OK)
        ro_denoiser_report(work,
                           work->schedule == RO_SCHEDULE_REFERENCE ? "reference"
                           : depth_of(&run) == 1                   ? "passes"
                                                                   : "stream",
                           run.rows.kernel->cpu, threads);
    close_run(&run);
    return status;
}

ro_status ro_denoise(ro_context *context, const ro_image *in, const ro_image *out,
                     const ro_denoise_options *options)
{
    struct ro_denoiser work;
    ro_status status = ro_image_check(context, in, "input");
    if (status == RO_OK)
        status = ro_image_check(context, out, "output");
    if (status == RO_OK && (in->width != out->width || in->height != out->height))
        status =
            ro_context_fail(context, RO_E_SIZE, "the input is %u x %u but the output is %u x %u",
                            in->width, in->height, out->width, out->height);
    if (status == RO_OK)
        status = ro_denoiser_make(&work, context, in, out, options);
    if (status != RO_OK)
        return status;
    const bool watched = work.options.on_step;
    if (watched && context->options.device == RO_DEVICE_CUDA)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "figures of every step are taken on the CPU, not on a device");
    if (context->options.device == RO_DEVICE_CUDA || (!watched && ro_denoise_prefers_cuda(&work)))
        return ro_denoise_explicit_cuda(&work);
    return work.scheme->run(&work);
}
