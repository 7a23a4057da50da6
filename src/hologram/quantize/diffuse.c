/* SPDX-License-Identifier: MIT */
/*
 * Threads over hogels and bands. Hogels are taken in groups of as many as there are threads; within
 * a group a ticket is a band of a hogel, the first bands first. A band waits for the one above it,
 * which another thread may still be at: each band's gate tells how far it is.
 */
#include "hologram/quantize/diffuse.h"

#include "context/context.h"

#include <stdlib.h>
#include <string.h>

struct lane { /* what a hogel of the group needs */
    struct hogel *hogel;
    uint32_t *carry;
    struct ro_gate *gates; /* a band each */
    int bands;
};

struct group {
    struct hologram_job *job;
    const struct band_kernel *kernel;
    struct band_scratch *scratch; /* a thread each */
    struct ro_gate_room room;
    struct lane *lanes;
    int count, most; /* hogels, bands of the tallest */
    atomic_int ticket;
    atomic_uint_fast64_t bands_done;
    uint64_t bands_all;
    uint64_t *clips; /* a thread and a lane each */
    atomic_int status;
};

static int bands_of(const struct hogel *hogel)
{
    return (int)((hogel->height + BAND_ROWS - 1) / BAND_ROWS);
}

static void run_band(struct group *group, struct lane *lane, int number,
                     struct band_scratch *scratch, uint64_t *clips)
{
    const struct hologram_job *job = group->job;
    const struct hogel *hogel = lane->hogel;
    const uint32_t y = hogel->y + (uint32_t)number * BAND_ROWS;
    const uint32_t left = hogel->height - (uint32_t)number * BAND_ROWS;
    struct band band = {
        .taps = &hogel->taps,
        .levels = job->levels,
        .field =
            (const float *)((const char *)job->field->data + (ptrdiff_t)y * job->field->stride) +
            2 * (size_t)hogel->x,
        .field_stride = job->field->stride,
        .out = job->out + (ptrdiff_t)y * job->out_stride + hogel->x,
        .out_stride = job->out_stride,
        .width = (int)hogel->width,
        .rows = left < BAND_ROWS ? (int)left : BAND_ROWS,
        .scale = job->scale,
        .carry = lane->carry,
    };
    const int total = band_steps(band.width, hogel->taps.p);
    group->kernel->begin(&band, scratch);
    for (int t = 0; t < total; t += BAND_CHUNK) {
        int needed = t + BAND_CHUNK + hogel->taps.p * BAND_ROWS;
        if (number > 0)
            ro_gate_wait(&group->room, &lane->gates[number - 1],
                         (uint64_t)(needed < total ? needed : total));
        group->kernel->steps(&band, scratch, t);
        int end = t + BAND_CHUNK < total ? t + BAND_CHUNK : total;
        ro_gate_raise(&group->room, &lane->gates[number], (uint64_t)end);
    }
    *clips += band.clips;
}

static void work(void *data, int thread)
{
    struct group *group = data;
    for (;;) {
        int ticket = atomic_fetch_add(&group->ticket, 1);
        int number = ticket / group->count, which = ticket % group->count;
        if (number >= group->most)
            return;
        struct lane *lane = &group->lanes[which];
        if (number >= lane->bands)
            continue;
        if (atomic_load(&group->status) == RO_OK)
            run_band(group, lane, number, &group->scratch[thread],
                     &group->clips[thread * group->count + which]);
        else /* nobody may wait for a band that was left out */
            ro_gate_raise(&group->room, &lane->gates[number], UINT64_MAX / 2);
        uint64_t done = atomic_fetch_add(&group->bands_done, 1) + 1;
        if (thread == 0) {
            ro_status status = ro_context_progress(
                group->job->context, "quantize",
                group->job->done + group->job->share * (double)done / (double)group->bands_all);
            if (status != RO_OK)
                atomic_store(&group->status, (int)status);
        }
    }
}

static ro_status run_group(struct group *group, struct hogel *hogels, int threads)
{
    struct hologram_job *job = group->job;
    ro_status status = RO_OK;
    group->most = 0;
    for (int i = 0; i < group->count; i++) {
        struct lane *lane = &group->lanes[i];
        lane->hogel = &hogels[i];
        lane->bands = bands_of(&hogels[i]);
        group->most = lane->bands > group->most ? lane->bands : group->most;
        size_t steps =
            (size_t)hogels[i].width + (size_t)(2 * BAND_ROWS * RO_HOLOGRAM_SKEW + BAND_CHUNK);
        lane->carry = calloc(steps, BAND_CARRY * sizeof *lane->carry);
        lane->gates = aligned_alloc(64, (size_t)lane->bands * sizeof *lane->gates);
        if (!lane->carry || !lane->gates) {
            status = ro_context_fail(job->context, RO_E_MEMORY, "no memory for a hogel's bands");
            goto done;
        }
        memset(lane->gates, 0, (size_t)lane->bands * sizeof *lane->gates);
    }
    memset(group->clips, 0, (size_t)threads * (size_t)group->count * sizeof *group->clips);
    atomic_store(&group->ticket, 0);
    ro_pool_run(job->context->pool, threads, work, group);
    status = (ro_status)atomic_load(&group->status);
    for (int i = 0; i < group->count; i++) {
        hogels[i].clips = 0;
        for (int t = 0; t < threads; t++)
            hogels[i].clips += group->clips[t * group->count + i];
    }
done:
    for (int i = 0; i < group->count; i++) {
        free(group->lanes[i].carry);
        free(group->lanes[i].gates);
        group->lanes[i] = (struct lane){0};
    }
    return status;
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
    *threads = ro_pool_threads(job->context->pool);
    *threads = *threads < all ? *threads : all;
    ro_status status = RO_OK;
    const int most = *threads < (int)job->count ? *threads : (int)job->count;
    group.scratch = aligned_alloc(64, (size_t)*threads * sizeof *group.scratch);
    group.lanes = calloc((size_t)most, sizeof *group.lanes);
    group.clips = calloc((size_t)*threads * (size_t)most, sizeof *group.clips);
    ro_gate_room_open(&group.room);
    if (!group.scratch || !group.lanes || !group.clips) {
        status = ro_context_fail(job->context, RO_E_MEMORY, "no memory for %d threads", *threads);
        goto done;
    }
    for (uint32_t i = 0; i < job->count && status == RO_OK; i += (uint32_t)group.count) {
        uint32_t left = job->count - i;
        group.count = left < (uint32_t)most ? (int)left : most;
        status = run_group(&group, job->hogels + i, *threads);
    }
done:
    ro_gate_room_close(&group.room);
    free(group.scratch);
    free(group.lanes);
    free(group.clips);
    return status;
}
