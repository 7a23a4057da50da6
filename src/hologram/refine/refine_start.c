/* SPDX-License-Identifier: MIT */
/* The start: error diffusion, its noise kept out of what each hogel sends to the region. */
#include "hologram/refine/refine.h"

#include "context/context.h"
#include "hologram/field/field.h"
#include "hologram/quantize/cuda/diffuse_cuda.h"

#include <stdlib.h>

enum { TAPS = 24, SKEW = 3 };

/* Along one direction: the frequencies from a place to the region, moved by `copies` widths. */
static void reach(const struct refiner *f, int axis, double place, int copies, double *low,
                  double *high)
{
    const struct propagation *p = &f->light;
    const double size = axis ? f->height : f->width, pitch = p->pitch[axis];
    const double z = f->o->distance, scale = pitch / p->wavelength * (z < 0 ? -1 : 1);
    const double a = (f->region[axis] - place + copies * size) * pitch;
    const double b = a + f->region[axis + 2] * pitch;
    const double u = scale * a / sqrt(a * a + z * z), v = scale * b / sqrt(b * b + z * z);
    const double middle = axis ? p->window.eta : p->window.xi;
    const double half = (axis ? p->window.height : p->window.width) / 2;
    *low = fmax(fmin(u, v), middle - half);
    *high = fmin(fmax(u, v), middle + half);
}

/* The frequencies by which light about x, y reaches the region. */
static struct region reaching(const struct refiner *f, double x, double y)
{
    struct region region = {0};
    const int most = f->light.wraps ? 1 : 0;
    for (int j = -most; j <= most; j++)
        for (int i = -most; i <= most; i++) {
            double low[2], high[2];
            reach(f, 0, x, i, &low[0], &high[0]);
            reach(f, 1, y, j, &low[1], &high[1]);
            region_add(&region, low[0], high[0], low[1], high[1]);
        }
    return region;
}

static void weigh(const struct refiner *f, const struct hologram_levels *levels, struct hogel *h)
{
    struct region region = reaching(f, h->x + h->width / 2.0, h->y + h->height / 2.0);
    if (levels->real)
        region_add_mirrors(&region);
    h->taps = (struct hologram_taps){.p = 1};
    if (region.count > 0)
        weights_least_squares(&region, TAPS, SKEW, levels->count == 2 ? 0.03 : 0.01, &h->taps);
    for (int k = 0; k < h->taps.count && levels->real; k++)
        h->taps.im[k] = 0;
}

struct weighing {
    const struct refiner *f;
    const struct hologram_job *job;
    atomic_uint ticket;
};

static void weigh_all(void *data, int thread)
{
    struct weighing *w = data;
    (void)thread;
    for (uint32_t i; (i = atomic_fetch_add(&w->ticket, 1)) < w->job->count;)
        weigh(w->f, w->job->levels, &w->job->hogels[i]);
}

static void weigh_hogels(struct refiner *f, const struct hologram_job *job)
{
    struct thread_pool *pool = f->context->pool;
    struct weighing weighing = {.f = f, .job = job};
    pool_run(pool, pool_threads(pool), weigh_all, &weighing);
}

static double scale_of(double gain, double rms)
{
    return (rms > 0 ? gain / rms : 1) * HOLOGRAM_ONE;
}

static ro_status diffuse_here(struct refiner *f, struct hologram_job *job, double gain)
{
    double rms;
    ro_status status = field_rms(f->context, f->field, job->levels->real, &rms);
    if (status != RO_OK)
        return status;
    job->scale = (float)scale_of(gain, rms);
    weigh_hogels(f, job);
    const struct band_kernel *kernel = hologram_band_kernel(f->context);
    int threads;
    return kernel ? hologram_run_bands(job, kernel, &threads) : hologram_run_reference(job);
}

/* From the device's memory to the device's memory. */
static ro_status diffuse_there(struct refiner *f, struct hologram_job *job, double gain)
{
    double rms = 0;
    ro_field field = {f->width, f->height, 8 * (ptrdiff_t)f->width, NULL};
    refine_on_cuda->places(f->device, &field.data, &job->out);
    job->field = &field;
    ro_status status = hologram_on_cuda->load(job, job->levels->real);
    weigh_hogels(f, job);
    if (status == RO_OK)
        status = hologram_on_cuda->prepare(job);
    if (status == RO_OK)
        status = hologram_on_cuda->rms(job, &rms);
    job->scale = (float)scale_of(gain, rms);
    if (status == RO_OK)
        status = hologram_on_cuda->run(job);
    if (status == RO_OK)
        status = hologram_on_cuda->store(job);
    if (status != RO_OK)
        hologram_on_cuda->wait(job);
    return status;
}

static ro_status diffuse(struct refiner *f, const struct hologram_levels *levels, double gain)
{
    const uint32_t across = (f->width + REFINE_HOGEL - 1) / REFINE_HOGEL;
    const uint32_t down = (f->height + REFINE_HOGEL - 1) / REFINE_HOGEL;
    struct hologram_job job = {.context = f->context,
                               .field = f->field,
                               .out = f->numbers,
                               .out_stride = (ptrdiff_t)f->width,
                               .levels = levels,
                               .count = across * down};
    job.hogels = calloc(job.count, sizeof *job.hogels);
    if (!job.hogels)
        return ro_context_fail(f->context, RO_E_MEMORY, "no memory for %u hogels", job.count);
    for (uint32_t i = 0; i < job.count; i++) {
        struct hogel *h = &job.hogels[i];
        h->x = i % across * REFINE_HOGEL;
        h->y = i / across * REFINE_HOGEL;
        h->width = f->width - h->x < REFINE_HOGEL ? f->width - h->x : REFINE_HOGEL;
        h->height = f->height - h->y < REFINE_HOGEL ? f->height - h->y : REFINE_HOGEL;
    }
    ro_status status = f->device ? diffuse_there(f, &job, gain) : diffuse_here(f, &job, gain);
    free(job.hogels);
    return status;
}

/* Phases are taken from 256, which keep the field's own smooth; other levels as they are. */
ro_status refine_start(struct refiner *f, double gain)
{
    float table[2 * RO_HOLOGRAM_LEVELS];
    int count;
    if (f->levels.kind != LEVELS_RING) {
        ro_status status = diffuse(f, &f->levels, gain);
        return status == RO_OK ? refine_light(f, f->table, f->levels.count) : status;
    }
    struct hologram_levels *phases = malloc(sizeof *phases);
    if (!phases)
        return ro_context_fail(f->context, RO_E_MEMORY, "no memory for the levels");
    ro_status status = hologram_levels_named(f->context, "phase:256", table, &count);
    if (status == RO_OK)
        status = hologram_levels_open(f->context, table, count, phases);
    if (status == RO_OK)
        status = diffuse(f, phases, gain);
    if (status == RO_OK)
        status = refine_light(f, table, count);
    free(phases);
    return status;
}
