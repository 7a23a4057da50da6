/* SPDX-License-Identifier: MIT */
/*
 * Frames that take account of each other. What the others show too little of is what a frame is to
 * show: with I the wanted intensity and S the sum of those of the other n - 1 frames,
 *
 *     t = sqrt(max(n I - S, 0))
 *
 * is its target, and a pass of the search (refine_search.c) changes its pixels so that its light
 * has that amplitude. Frame after frame, in sweeps.
 */
#include "hologram/refine/frames_joint.h"

#include "context/context.h"
#include "hologram/refine/refine.h"

#include <stdlib.h>
#include <string.h>

static void squares(const struct joint_frames *j, const float *r, float *sum, double sign)
{
    for (size_t i = 0; i < (size_t)j->width * j->height; i++) {
        const double re = r[2 * i], im = r[2 * i + 1];
        sum[i] = (float)(sum[i] + sign * (re * re + im * im));
    }
}

static void fetch(const struct joint_frames *j, struct refiner *f, const ro_image *out)
{
    for (uint32_t y = 0; y < j->height; y++)
        memcpy(f->numbers + (size_t)y * j->width,
               (const uint8_t *)out->data + (ptrdiff_t)y * out->stride, j->width);
}

static ro_status arrive(struct refiner *f)
{
    ro_status status = refine_light(f, f->table, f->levels.count);
    return status == RO_OK ? refine_arrive(f, f->q) : status;
}

static ro_status search_frame(const struct joint_frames *j, struct refiner *f, const ro_image *out,
                              float *sum)
{
    fetch(j, f, out);
    ro_status status = arrive(f);
    if (status != RO_OK)
        return status;
    squares(j, f->r, sum, -1);
    for (size_t i = 0; i < (size_t)j->width * j->height; i++)
        f->target[i] = (float)sqrt(fmax(j->count * j->unit * (double)j->wanted[i] - sum[i], 0));
    f->passes = 1;
    status = refine_search(f);
    for (uint32_t y = 0; y < j->height && status == RO_OK; y++)
        memcpy((uint8_t *)out->data + (ptrdiff_t)y * out->stride, f->numbers + (size_t)y * j->width,
               j->width);
    if (status == RO_OK)
        status = refine_arrive(f, f->q);
    if (status == RO_OK)
        squares(j, f->r, sum, 1);
    return status;
}

static ro_status open_refiner(struct refiner *f, const struct joint_frames *j)
{
    const size_t n = (size_t)j->width * j->height;
    f->context = j->context;
    f->o = &j->refinement;
    f->levels = *j->levels;
    memcpy(f->table, j->table, sizeof f->table);
    f->light = *j->light; /* which goes on with what this makes room for */
    f->width = j->width;
    f->height = j->height;
    f->region[2] = j->width;
    f->region[3] = j->height;
    f->incident = (double)n;
    f->q = dft_alloc(j->context, j->width, j->height);
    f->r = dft_alloc(j->context, j->width, j->height);
    f->target = malloc(n * sizeof *f->target);
    f->numbers = malloc(n);
    f->best = malloc(n);
    f->sums = malloc(j->height * sizeof *f->sums);
    return f->q && f->r && f->target && f->numbers && f->best && f->sums
               ? RO_OK
               : ro_context_fail(j->context, RO_E_MEMORY, "no memory to search frames");
}

ro_status frames_search(const struct joint_frames *j, const ro_image *out)
{
    struct refiner *f = calloc(1, sizeof *f);
    float *sum = calloc((size_t)j->width * j->height, sizeof *sum);
    ro_status status = RO_E_MEMORY;
    if (!f || !sum)
        ro_context_fail(j->context, status, "no memory to search frames");
    else
        status = open_refiner(f, j);
    for (int k = 0; k < j->count && status == RO_OK; k++) {
        fetch(j, f, &out[k]);
        status = arrive(f);
        squares(j, f->r, sum, 1);
    }
    for (int i = 0; i < j->sweeps * j->count && status == RO_OK; i++) {
        f->done = (double)i / (j->sweeps * j->count);
        status = search_frame(j, f, &out[i % j->count], sum);
    }
    if (f) {
        *j->light = f->light;
        free(f->q);
        free(f->r);
        free(f->target);
        free(f->numbers);
        free(f->best);
        free(f->sums);
    }
    free(f);
    free(sum);
    return status;
}
