/* SPDX-License-Identifier: MIT */
/*
 * Trained diffusion of whole images, and of pieces of them (trained_run.h). Threads take bands of
 * rows of the planes; with the changes of all pixels known, rows are rounded: one thread carries
 * the running sum from row to row, several first take what each row leaves.
 */
#include "denoise/trained/trained_run.h"

#include "core/checked.h"
#include "core/options.h"
#include "denoise/trained/cuda/trained_cuda.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROWS = 64 /* of a band */, BLOCK = 16 /* rows rounded at a time */ };

static const char *samples_of(const struct denoiser *work, uint32_t y)
{
    return (const char *)work->in.data + (ptrdiff_t)(y - work->top) * work->in.stride;
}

static int32_t *change_of(const struct trained_run *run, int plane, uint32_t y)
{
    return run->change + ((size_t)plane * run->rows + (y - run->first)) * run->work->in.width;
}

static ro_status no_memory(const struct denoiser *work)
{
    return ro_context_fail(work->context, RO_E_MEMORY, "no memory to denoise %u x %u pixels",
                           work->in.width, work->in.height);
}

/* ---- Changes -------------------------------------------------------------------------------- */

static bool run_band(struct trained_run *run, int plane, uint32_t first, uint32_t end)
{
    const struct denoiser *work = run->work;
    const size_t bytes = work->in.width * sizeof(int32_t);
    int32_t *columns = malloc(bytes);
    struct trained_band *band =
        trained_band_open(&run->picture.plan[plane], run->picture.kernel, work->in.width,
                          work->in.height, first, end - first);
    if (!band || !columns) {
        trained_band_close(band);
        free(columns);
        return false;
    }
    for (uint32_t y = trained_band_from(band); y < trained_band_to(band); y++) {
        if (ro_context_cancelled(work->context))
            break;
        trained_see(&run->picture, plane, samples_of(work, y), trained_band_room(band));
        if (run->picture.tones.uneven)
            trained_levels(&run->picture, y, columns, trained_band_levels(band));
        trained_band_push(band);
        for (const int32_t *line; (line = trained_band_pull(band)); first++)
            memcpy(change_of(run, plane, first), line, bytes);
    }
    trained_band_close(band);
    free(columns);
    return true;
}

static void take_bands(void *data, int thread)
{
    struct trained_run *run = data;
    const uint64_t rows = run->rows, all = run->bands * (uint64_t)run->picture.planes;
    (void)thread;
    for (uint64_t ticket; (ticket = atomic_fetch_add(&run->ticket, 1)) < all;) {
        const uint64_t band = ticket % run->bands;
        if (!run_band(run, (int)(ticket / run->bands),
                      run->first + (uint32_t)(rows * band / run->bands),
                      run->first + (uint32_t)(rows * (band + 1) / run->bands)))
            atomic_store(&run->failed, true);
    }
}

/* By the definition, or on a device, which is told in `job`: plane by plane. */
static ro_status run_planes(struct trained_run *run, struct trained_job *job)
{
    const struct denoiser *work = run->work;
    const uint32_t width = work->in.width, height = work->in.height;
    int16_t *seen = malloc((size_t)width * height * sizeof *seen);
    uint8_t *bytes = malloc(width), *levels = malloc((size_t)width * height);
    int32_t *columns = malloc(width * sizeof *columns);
    bool right = seen && bytes && levels && columns;
    for (uint32_t y = 0; y < height && right && run->picture.tones.uneven; y++)
        trained_levels(&run->picture, y, columns, levels + (size_t)y * width);
    ro_status status = RO_OK;
    for (int p = 0; p < run->picture.planes && right && status == RO_OK; p++) {
        for (uint32_t y = 0; y < height; y++) {
            int16_t *row = seen + (size_t)y * width;
            const bool narrow = run->picture.plan[p].bytes;
            trained_see(&run->picture, p, samples_of(work, y), narrow ? (void *)bytes : row);
            for (uint32_t x = 0; x < width && narrow; x++)
                row[x] = bytes[x];
        }
        if (job) {
            job->plan = &run->picture.plan[p];
            job->seen = seen;
            job->levels = levels;
            job->change = change_of(run, p, 0);
            status = trained_on_cuda->run(job);
        } else {
            right = trained_ref(&run->picture.plan[p], width, height, seen, levels,
                                change_of(run, p, 0));
        }
    }
    free(seen);
    free(bytes);
    free(levels);
    free(columns);
    return right ? status : no_memory(work);
}

/* ---- Rounding ------------------------------------------------------------------------------- */

static void changes_at(const struct trained_run *run, uint32_t y, const int32_t *change[3])
{
    for (int p = 0; p < 3; p++)
        change[p] = run->change ? change_of(run, p < run->picture.planes ? p : 0, y) : NULL;
}

static uint64_t *carry_of(const struct trained_run *run, uint32_t y)
{
    return run->carry + (size_t)(y - run->first) * 3;
}

static void rest_of_row(struct trained_run *run, uint32_t y)
{
    const int32_t *change[3];
    changes_at(run, y, change);
    for (int c = 0; c < run->work->channels; c++)
        carry_of(run, y + 1)[c] = trained_rest(&run->picture, samples_of(run->work, y), change, c);
}

static void write_row(struct trained_run *run, uint32_t y)
{
    const struct denoiser *work = run->work;
    const int32_t *change[3];
    uint64_t carry[3];
    changes_at(run, y, change);
    memcpy(carry, carry_of(run, y), sizeof carry);
    const uint32_t row = y - run->first;
    trained_write(&run->picture, samples_of(work, y), change,
                  (char *)work->out.data + (ptrdiff_t)row * work->out.stride, carry,
                  &run->figures[2 * (size_t)row], &run->figures[2 * (size_t)row + 1]);
    if (run->in_order)
        memcpy(carry_of(run, y + 1), carry, sizeof carry);
}

static void take_rows(void *data, int thread)
{
    struct trained_run *run = data;
    (void)thread;
    for (uint64_t block; (block = atomic_fetch_add(&run->ticket, 1)) * BLOCK < run->rows;)
        for (uint64_t y = block * BLOCK; y < (block + 1) * BLOCK && y < run->rows; y++)
            run->row(run, run->first + (uint32_t)y);
}

static void all_rows(struct trained_run *run, void (*row)(struct trained_run *, uint32_t))
{
    struct thread_pool *pool = run->work->context->pool;
    run->row = row;
    atomic_store(&run->ticket, 0);
    pool_run(pool, run->in_order ? 1 : pool_threads(pool), take_rows, run);
}

void trained_run_rests(struct trained_run *run)
{
    run->in_order = false;
    if (run->picture.carried)
        all_rows(run, rest_of_row);
}

void trained_run_write(struct trained_run *run, const uint64_t start[3])
{
    for (uint32_t y = 0; y < 2 * run->rows; y++)
        run->figures[y] = step_figures_none;
    for (size_t i = 0; i < 3; i++)
        run->carry[i] = start[i];
    for (size_t i = 3; i < 3 * (run->rows + (size_t)1) && !run->in_order; i++)
        run->carry[i] = (run->carry[i] + run->carry[i - 3]) % run->picture.total;
    all_rows(run, write_row);
    for (uint32_t y = 0; y < run->rows; y++) {
        figures_add(&run->work->before, &run->figures[2 * (size_t)y]);
        figures_add(&run->work->after, &run->figures[2 * (size_t)y + 1]);
    }
}

static void write_all(struct trained_run *run)
{
    uint64_t start[3];
    for (size_t i = 0; i < 3; i++)
        start[i] = trained_start(&run->picture);
    if (!run->in_order)
        trained_run_rests(run);
    trained_run_write(run, start);
}

/* ---- The whole ------------------------------------------------------------------------------ */

static bool allocate(struct trained_run *run)
{
    const size_t width = run->work->in.width, rows = run->rows;
    size_t bytes;
    run->carry = calloc(3 * (rows + 1), sizeof *run->carry);
    run->figures = malloc(2 * rows * sizeof *run->figures);
    if (!run->picture.idle && size_multiply(width * rows, 4 * (size_t)run->picture.planes, &bytes))
        run->change = malloc(bytes);
    return run->carry && run->figures && (run->picture.idle || run->change);
}

/* Tells a caller who listens what the image was and what it has become. */
static void tell(const struct denoiser *work)
{
    if (!work->options.on_step)
        return;
    const ro_denoise_report *r = &work->report;
    const ro_denoise_step steps[2] = {{.real_sum = r->sum_before,
                                       .real_min = r->min_before,
                                       .real_max = r->max_before,
                                       .real_energy = r->energy_before},
                                      {.step = r->steps,
                                       .real_sum = r->sum_after,
                                       .real_min = r->min_after,
                                       .real_max = r->max_after,
                                       .real_energy = r->energy_after}};
    for (int i = 0; i < 2; i++)
        work->options.on_step(work->options.on_step_data, &steps[i]);
}

ro_status trained_run_open(struct trained_run *run, struct denoiser *work, uint32_t first,
                           uint32_t rows)
{
    *run = (struct trained_run){.work = work,
                                .first = first,
                                .rows = rows,
                                .in_order = pool_threads(work->context->pool) == 1};
    const ro_status status = trained_picture_make(&run->picture, work);
    return status == RO_OK && !allocate(run) ? no_memory(work) : status;
}

void trained_run_close(struct trained_run *run)
{
    free(run->change);
    free(run->carry);
    free(run->figures);
}

ro_status trained_run_bands(struct trained_run *run)
{
    const struct denoiser *work = run->work;
    struct thread_pool *pool = work->context->pool;
    const uint32_t most = run->rows / LEAST_ROWS, threads = (uint32_t)pool_threads(pool);
    if (run->picture.idle)
        return RO_OK;
    run->bands = threads < most ? threads : most ? most : 1;
    pool_run(pool, (int)threads, take_bands, run);
    if (ro_context_cancelled(work->context))
        return ro_context_fail(work->context, RO_E_CANCELLED, "cancelled");
    return atomic_load(&run->failed) ? no_memory(work) : RO_OK;
}

static ro_status denoise(struct denoiser *work, struct trained_job *job)
{
    const bool reference = work->schedule == RO_SCHEDULE_REFERENCE, planes = job || reference;
    struct trained_run run;
    ro_status status = trained_run_open(&run, work, 0, work->in.height);
    if (status == RO_OK && planes && !run.picture.idle)
        status = run_planes(&run, job);
    else if (status == RO_OK)
        status = trained_run_bands(&run);
    if (status == RO_OK) {
        write_all(&run);
        trained_report(work,
                       job         ? "fused"
                       : reference ? "reference"
                                   : "rows",
                       job         ? RO_CPU_AUTO
                       : reference ? RO_CPU_SCALAR
                                   : run.picture.kernel->cpu,
                       planes ? 1 : pool_threads(work->context->pool));
        tell(work);
        status = ro_context_progress(work->context, "denoise", 1);
    }
    trained_run_close(&run);
    return status;
}

ro_status denoise_trained(struct denoiser *work) { return denoise(work, NULL); }

ro_status denoise_trained_cuda(struct denoiser *work)
{
    DEVICE_TURN_IF(work->context, true);
    struct trained_job job = {
        .context = work->context, .width = work->in.width, .height = work->in.height};
    if (work->options.schedule && work->schedule != RO_SCHEDULE_AUTO)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "schedule %s runs on the CPU only; CUDA has its own",
                               work->options.schedule);
    const ro_status status = denoise(work, &job);
    if (status == RO_OK) {
        ro_report *report = context_report(work->context);
        report->device = RO_DEVICE_CUDA;
        report->launches = job.launches;
        work->report.device_seconds = job.seconds;
        report_give(work->told, &work->report);
    }
    return status;
}
