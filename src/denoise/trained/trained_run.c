/* SPDX-License-Identifier: MIT */
/*
 * Trained diffusion of whole images. Threads take bands of rows of the planes; with the changes of
 * all pixels known, rows are rounded: one thread carries the running sum from row to row, several
 * first take what each row leaves.
 */
#include "core/checked.h"
#include "core/options.h"
#include "denoise/trained/cuda/trained_cuda.h"
#include "denoise/trained/trained_picture.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROWS = 64 /* of a band */, BLOCK = 16 /* rows rounded at a time */ };

struct run {
    struct trained_picture picture;
    struct denoiser *work;
    int32_t *change;              /* of all planes */
    uint64_t *carry;              /* of every channel before a row */
    struct step_figures *figures; /* before and after, of every row */
    uint32_t bands;
    atomic_uint_fast32_t ticket;
    atomic_bool failed;
    bool in_order;
    void (*row)(struct run *run, uint32_t y);
};

static const char *samples_of(const struct denoiser *work, uint32_t y)
{
    return (const char *)work->in.data + (ptrdiff_t)y * work->in.stride;
}

static int32_t *change_of(const struct run *run, int plane, uint32_t y)
{
    const size_t width = run->work->in.width, height = run->work->in.height;
    return run->change + ((size_t)plane * height + y) * width;
}

static ro_status no_memory(const struct denoiser *work)
{
    return ro_context_fail(work->context, RO_E_MEMORY, "no memory to denoise %u x %u pixels",
                           work->in.width, work->in.height);
}

/* ---- Changes -------------------------------------------------------------------------------- */

static bool run_band(struct run *run, int plane, uint32_t first, uint32_t end)
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
    struct run *run = data;
    const uint64_t height = run->work->in.height, all = run->bands * (uint64_t)run->picture.planes;
    (void)thread;
    for (uint64_t ticket; (ticket = atomic_fetch_add(&run->ticket, 1)) < all;) {
        const uint64_t band = ticket % run->bands;
        if (!run_band(run, (int)(ticket / run->bands), (uint32_t)(height * band / run->bands),
                      (uint32_t)(height * (band + 1) / run->bands)))
            atomic_store(&run->failed, true);
    }
}

/* By the definition, or on a device, which is told in `job`: plane by plane. */
static ro_status run_planes(struct run *run, struct trained_job *job)
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

static void changes_at(const struct run *run, uint32_t y, const int32_t *change[3])
{
    for (int p = 0; p < 3; p++)
        change[p] = run->change ? change_of(run, p < run->picture.planes ? p : 0, y) : NULL;
}

static uint64_t *carry_of(const struct run *run, uint32_t y) { return run->carry + (size_t)y * 3; }

static void rest_of_row(struct run *run, uint32_t y)
{
    const int32_t *change[3];
    changes_at(run, y, change);
    for (int c = 0; c < run->work->channels; c++)
        carry_of(run, y + 1)[c] = trained_rest(&run->picture, samples_of(run->work, y), change, c);
}

static void write_row(struct run *run, uint32_t y)
{
    const struct denoiser *work = run->work;
    const int32_t *change[3];
    uint64_t carry[3];
    changes_at(run, y, change);
    memcpy(carry, carry_of(run, y), sizeof carry);
    trained_write(&run->picture, samples_of(work, y), change,
                  (char *)work->out.data + (ptrdiff_t)y * work->out.stride, carry,
                  &run->figures[2 * (size_t)y], &run->figures[2 * (size_t)y + 1]);
    if (run->in_order)
        memcpy(carry_of(run, y + 1), carry, sizeof carry);
}

static void take_rows(void *data, int thread)
{
    struct run *run = data;
    const uint64_t height = run->work->in.height;
    (void)thread;
    for (uint64_t block; (block = atomic_fetch_add(&run->ticket, 1)) * BLOCK < height;)
        for (uint64_t y = block * BLOCK; y < (block + 1) * BLOCK && y < height; y++)
            run->row(run, (uint32_t)y);
}

static void all_rows(struct run *run, void (*row)(struct run *, uint32_t))
{
    struct thread_pool *pool = run->work->context->pool;
    run->row = row;
    atomic_store(&run->ticket, 0);
    pool_run(pool, run->in_order ? 1 : pool_threads(pool), take_rows, run);
}

static void write_all(struct run *run)
{
    const uint32_t height = run->work->in.height;
    for (uint32_t y = 0; y < 2 * height; y++)
        run->figures[y] = step_figures_none;
    if (!run->in_order && run->picture.carried)
        all_rows(run, rest_of_row);
    for (size_t i = 0; i < 3; i++)
        run->carry[i] = trained_start(&run->picture);
    for (size_t i = 3; i < 3 * (height + (size_t)1) && !run->in_order; i++)
        run->carry[i] = (run->carry[i] + run->carry[i - 3]) % run->picture.total;
    all_rows(run, write_row);
    for (uint32_t y = 0; y < height; y++) {
        figures_add(&run->work->before, &run->figures[2 * (size_t)y]);
        figures_add(&run->work->after, &run->figures[2 * (size_t)y + 1]);
    }
}

/* ---- The whole ------------------------------------------------------------------------------ */

static bool allocate(struct run *run)
{
    const size_t width = run->work->in.width, height = run->work->in.height;
    size_t bytes;
    run->carry = calloc(3 * (height + 1), sizeof *run->carry);
    run->figures = malloc(2 * height * sizeof *run->figures);
    if (!run->picture.idle &&
        size_multiply(width * height, 4 * (size_t)run->picture.planes, &bytes))
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

/* By all threads of the CPU. */
static ro_status run_bands(struct run *run)
{
    struct thread_pool *pool = run->work->context->pool;
    const uint32_t most = run->work->in.height / LEAST_ROWS, threads = (uint32_t)pool_threads(pool);
    run->bands = threads < most ? threads : most ? most : 1;
    pool_run(pool, (int)threads, take_bands, run);
    return atomic_load(&run->failed) ? no_memory(run->work) : RO_OK;
}

static ro_status denoise(struct denoiser *work, struct trained_job *job)
{
    const bool reference = work->schedule == RO_SCHEDULE_REFERENCE;
    const int threads = pool_threads(work->context->pool);
    struct run run = {.work = work, .in_order = threads == 1};
    ro_status status = trained_picture_make(&run.picture, work);
    if (status == RO_OK && !allocate(&run))
        status = no_memory(work);
    if (status == RO_OK && !run.picture.idle)
        status = job || reference ? run_planes(&run, job) : run_bands(&run);
    if (status == RO_OK && ro_context_cancelled(work->context))
        status = ro_context_fail(work->context, RO_E_CANCELLED, "cancelled");
    if (status == RO_OK) {
        write_all(&run);
        trained_report(work,
                       job         ? "fused"
                       : reference ? "reference"
                                   : "rows",
                       job         ? RO_CPU_AUTO
                       : reference ? RO_CPU_SCALAR
                                   : run.picture.kernel->cpu,
                       job || reference ? 1 : threads);
        tell(work);
        status = ro_context_progress(work->context, "denoise", 1);
    }
    free(run.change);
    free(run.carry);
    free(run.figures);
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
