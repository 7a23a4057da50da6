/* SPDX-License-Identifier: MIT */
/*
 * Threads over hogels and bands. Hogels are taken in groups of as many as there are threads, each a
 * chain of bands of a wavefront (wavefront.h) that hand on one line of errors.
 */
#include "hologram/quantize/diffuse.h"

#include "context/context.h"
#include "thread/wavefront.h"

#include <stdlib.h>
#include <string.h>

struct group {
    struct hologram_job *job;
    const struct band_kernel *kernel;
    struct hogel *hogels;
    struct band_chain *chains; /* a hogel each, */
    uint32_t **carry;          /* with its line of errors */
    int count;
    uint64_t *clips; /* a thread and a hogel each */
    atomic_uint_fast64_t bands_done;
    uint64_t bands_all;
    atomic_int status;
};

static int bands_of(const struct hogel *hogel)
{
    return (int)((hogel->height + BAND_ROWS - 1) / BAND_ROWS);
}

struct band_work {
    const struct band_kernel *kernel;
    struct band_scratch *scratch;
    struct band band;
};

static void band_steps_of(void *data, int64_t first, int64_t last)
{
    struct band_work *work = data;
    (void)last;
    if (first == 0)
        work->kernel->begin(&work->band, work->scratch);
    work->kernel->steps(&work->band, work->scratch, (int)first);
}

static uint64_t run_band(struct group *group, struct wavefront *front, int which, uint32_t number,
                         int thread)
{
    const struct hologram_job *job = group->job;
    const struct hogel *hogel = &group->hogels[which];
    const uint32_t y = hogel->y + number * BAND_ROWS, left = hogel->height - number * BAND_ROWS;
    struct band_work work = {
        .kernel = group->kernel,
        .scratch = wavefront_scratch(front, thread),
        .band =
            {
                .taps = &hogel->taps,
                .levels = job->levels,
                .field = (const float *)((const char *)job->field->data +
                                         (ptrdiff_t)y * job->field->stride) +
                         2 * (size_t)hogel->x,
                .field_stride = job->field->stride,
                .out = job->out + (ptrdiff_t)y * job->out_stride + hogel->x,
                .out_stride = job->out_stride,
                .width = (int)hogel->width,
                .rows = left < BAND_ROWS ? (int)left : BAND_ROWS,
                .scale = job->scale,
                .carry = group->carry[which],
            },
    };
    struct band_way way = {
        .end = group->chains[which].columns,
        .interval = BAND_CHUNK,
        .ahead = (int64_t)hogel->taps.p * BAND_ROWS,
    };
    wavefront_walk(front, which, number, thread, &way, band_steps_of, &work, sizeof work);
    return work.band.clips;
}

static void take_band(struct wavefront *front, void *data, int which, uint32_t number, int thread)
{
    struct group *group = data;
    if (atomic_load(&group->status) == RO_OK)
        group->clips[thread * group->count + which] +=
            run_band(group, front, which, number, thread);
    else
        wavefront_skip(front, which, number);
    uint64_t done = atomic_fetch_add(&group->bands_done, 1) + 1;
    if (thread == 0) {
        ro_status status = ro_context_progress(group->job->context, "quantize",
                                               group->job->done + group->job->share * (double)done /
                                                                      (double)group->bands_all);
        if (status != RO_OK)
            atomic_store(&group->status, (int)status);
    }
}

static ro_status run_group(struct group *group, struct wavefront *front,
                           const struct wavefront_shape *shape, int threads)
{
    struct hologram_job *job = group->job;
    ro_status status = RO_OK;
    for (int i = 0; i < group->count; i++) {
        const struct hogel *hogel = &group->hogels[i];
        group->chains[i] = (struct band_chain){
            .columns = band_steps((int)hogel->width, hogel->taps.p),
            .bands = (uint32_t)bands_of(hogel),
        };
        /* Columns are counted in steps, and the band below looks ahead. */
        size_t steps =
            (size_t)hogel->width + (size_t)(2 * BAND_ROWS * RO_HOLOGRAM_SKEW + BAND_CHUNK);
        group->carry[i] = calloc(steps, BAND_CARRY * sizeof **group->carry);
        if (!group->carry[i]) {
            status = ro_context_fail(job->context, RO_E_MEMORY, "no memory for a hogel's bands");
            goto done;
        }
    }
    memset(group->clips, 0, (size_t)threads * (size_t)group->count * sizeof *group->clips);
    memset(front, 0, shape->slots_at); /* with the gates of the last group */
    wavefront_run(front, shape, job->context->pool, threads, group->chains, group->count, take_band,
                  group);
    status = (ro_status)atomic_load(&group->status);
    for (int i = 0; i < group->count; i++) {
        group->hogels[i].clips = 0;
        for (int t = 0; t < threads; t++)
            group->hogels[i].clips += group->clips[t * group->count + i];
    }
done:
    for (int i = 0; i < group->count; i++) {
        free(group->carry[i]);
        group->carry[i] = NULL;
    }
    return status;
}

const struct band_kernel *hologram_band_kernel(const ro_context *context)
{
    static const struct band_kernel *const kernels[RO_CPUS] = {NULL, RO_VARIANTS_OF(band_kernel)};
    return kernels[context->cpu];
}

ro_status hologram_run_bands(struct hologram_job *job, const struct band_kernel *kernel,
                             int *threads)
{
    struct group group = {.job = job, .kernel = kernel};
    int all = 0;
    for (uint32_t i = 0; i < job->count; i++) {
        group.bands_all += (uint64_t)bands_of(&job->hogels[i]);
        all += all < RO_MAX_THREADS ? bands_of(&job->hogels[i]) : 0;
    }
    *threads = pool_threads(job->context->pool);
    *threads = *threads < all ? *threads : all;
    ro_status status = RO_OK;
    const int most = *threads < (int)job->count ? *threads : (int)job->count;
    const struct wavefront_shape shape =
        wavefront_shape(*threads, most, 1, 0, sizeof(struct band_scratch));
    struct wavefront *front = aligned_alloc(64, shape.total);
    group.chains = calloc((size_t)most, sizeof *group.chains);
    group.carry = calloc((size_t)most, sizeof *group.carry);
    group.clips = calloc((size_t)*threads * (size_t)most, sizeof *group.clips);
    if (!front || !group.chains || !group.carry || !group.clips) {
        status = ro_context_fail(job->context, RO_E_MEMORY, "no memory for %d threads", *threads);
        goto done;
    }
    for (uint32_t i = 0; i < job->count && status == RO_OK; i += (uint32_t)group.count) {
        uint32_t left = job->count - i;
        group.count = left < (uint32_t)most ? (int)left : most;
        group.hogels = job->hogels + i;
        status = run_group(&group, front, &shape, *threads);
    }
done:
    free(front);
    free(group.chains);
    free(group.carry);
    free(group.clips);
    return status;
}
