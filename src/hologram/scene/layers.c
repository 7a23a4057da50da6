/* SPDX-License-Identifier: MIT */
#include "hologram/scene/layers.h"

#include "context/context.h"
#include "hologram/field/field.h"
#include "hologram/scene/upsample.h"
#include "hologram/scene/viewer.h"

#include <stdlib.h>
#include <string.h>

/* ---- From plane to plane --------------------------------------------------------------------- */

struct emission {
    const struct layers *layers;
    const struct propagation *p;
    struct light_grid grid;
    int plane;
    float *data;
    light_row_fn *write;
    atomic_uint_fast32_t ticket;
    atomic_int status;
};

static void emit(void *data, int thread)
{
    struct emission *e = data;
    for (uint_fast32_t row; (row = atomic_fetch_add(&e->ticket, 1)) < e->grid.height;) {
        if (atomic_load(&e->status) != RO_OK)
            return;
        e->layers->emit(e->layers->scene, e->plane, &e->grid, (uint32_t)row,
                        e->data + 2 * (size_t)row * e->grid.width, e->write);
        if (thread == 0) {
            ro_status status = ro_context_progress(e->p->context, e->p->phase, e->p->done);
            if (status != RO_OK)
                atomic_store(&e->status, (int)status);
        }
    }
}

/* From the backmost plane to `end`, a depth; `share` is its part of the progress. */
static ro_status run_planes(struct propagation *p, const struct layers *layers, float *data,
                            double end, double share)
{
    struct thread_pool *pool = p->context->pool;
    struct emission e = {.layers = layers,
                         .p = p,
                         .grid = {p->width, p->height, {p->pitch[0], p->pitch[1]}},
                         .data = data,
                         .write = light_row_of(p->context)};
    memset(data, 0, (size_t)p->width * p->height * 2 * sizeof *data);
    p->phase = "make";
    p->share = share / layers->count;
    for (int plane = 0; plane < layers->count; plane++) {
        p->done = share * plane / layers->count;
        e.plane = plane;
        atomic_store(&e.ticket, 0);
        pool_run(pool, pool_threads(pool), emit, &e);
        ro_status status = (ro_status)atomic_load(&e.status);
        const double next =
            plane + 1 < layers->count ? layers->depth(layers->scene, plane + 1) : end;
        if (status == RO_OK)
            status = propagation_run(p, data, layers->depth(layers->scene, plane) - next);
        if (status != RO_OK)
            return status;
    }
    return RO_OK;
}

/* The same on a device. */
static ro_status run_there(struct propagation *p, const struct layers *layers,
                           struct scene_cuda *device, double end, double share)
{
    const struct light_grid grid = {p->width, p->height, {p->pitch[0], p->pitch[1]}};
    ro_status status = RO_OK;
    for (int plane = 0; plane < layers->count && status == RO_OK; plane++) {
        const double depth = layers->depth(layers->scene, plane);
        const double next =
            plane + 1 < layers->count ? layers->depth(layers->scene, plane + 1) : end;
        const struct propagate_filter filter = propagate_filter_of(p, depth - next);
        status = ro_context_progress(p->context, "make", share * plane / layers->count);
        if (status == RO_OK)
            status = layers->emit_there(layers->scene, plane, &grid, device);
        if (status == RO_OK)
            status = scene_on_cuda->propagate(device, p->device, &filter);
    }
    return status;
}

/* Rows from pinned memory to where they belong, by all threads. */
struct spread {
    const ro_field *field;
    const float *from;
    uint32_t first, rows;
    atomic_uint_fast32_t ticket;
};

static void spread_rows(void *data, int thread)
{
    struct spread *s = data;
    const size_t row = 2 * (size_t)s->field->width;
    (void)thread;
    for (uint_fast32_t y; (y = atomic_fetch_add(&s->ticket, 1)) < s->rows;)
        memcpy(field_row(s->field, s->first + (uint32_t)y), s->from + y * row, row * sizeof(float));
}

/* To the caller's memory: at once where the device can, else while the next rows come. */
static ro_status fetch(ro_context *context, struct scene_cuda *device, const ro_field *field)
{
    enum { PIECE = 64 << 20 };
    const uint32_t most = (uint32_t)(PIECE / ((size_t)field->width * 8) + 1);
    const uint32_t height = field->height;
    if (scene_on_cuda->reaches(field->data))
        return scene_on_cuda->store(device, field);
    ro_status status = scene_on_cuda->send(device, 0, 0, most < height ? most : height);
    for (uint32_t y = 0, turn = 0; y < height && status == RO_OK; y += most, turn ^= 1) {
        const uint32_t rows = height - y < most ? height - y : most, left = height - y - rows;
        struct spread s = {.field = field, .first = y, .rows = rows};
        if (left)
            status =
                scene_on_cuda->send(device, (int)turn ^ 1, y + rows, left < most ? left : most);
        const ro_status came = scene_on_cuda->wait(device, (int)turn, &s.from);
        status = status == RO_OK ? came : status;
        if (status == RO_OK)
            pool_run(context->pool, pool_threads(context->pool), spread_rows, &s);
    }
    return status;
}

/* All planes on a device, into a field. */
static ro_status make_there(struct propagation *p, const struct layers *layers, double end,
                            double share, const ro_field *field)
{
    struct scene_cuda *device;
    ro_status status = scene_on_cuda->open(p->context, p->width, p->height, &device);
    if (status == RO_OK)
        status = run_there(p, layers, device, end, share);
    if (status == RO_OK)
        status = fetch(p->context, device, field);
    scene_on_cuda->close(device);
    return status;
}

static void limit_fringes(struct propagation *p, double fringe)
{
    if (fringe > 0)
        p->window = (ro_window){0, 0, p->pitch[0] / fringe, p->pitch[1] / fringe};
}

ro_status layers_whole(ro_context *context, const struct layers *layers, const ro_optics *optics,
                       double fringe, ro_field *field)
{
    struct propagation p;
    double pitch[2];
    field_pitch(optics, pitch);
    ro_status status =
        propagation_open(&p, context, field->width, field->height, optics->wavelength, pitch);
    if (status != RO_OK)
        return status;
    limit_fringes(&p, fringe);
    if (p.device && layers->emit_there) {
        status = make_there(&p, layers, 0, 1, field);
        propagation_close(&p);
        return status;
    }
    /* Without gaps the caller's memory serves: at the largest size a copy would be too much. */
    const bool plain = field->stride == (ptrdiff_t)field->width * 8;
    float *data = plain ? field->data : dft_alloc(context, field->width, field->height);
    status = data ? run_planes(&p, layers, data, 0, 1) : RO_E_MEMORY;
    if (status == RO_OK && !plain)
        field_put(field, data);
    if (!plain)
        free(data);
    propagation_close(&p);
    return status;
}

/* ---- What is seen ---------------------------------------------------------------------------- */

enum { MARGIN = 16 }; /* coarse pixels round all, where enlarging wraps */

/* The next number of 2, 3 and 5 that is even, for transforms. */
static uint32_t good_length(double least)
{
    for (uint32_t n = 2 * (uint32_t)ceil(least / 2);; n += 2) {
        uint32_t left = n;
        for (uint32_t prime = 2; prime <= 5; prime += 1 + (prime > 2))
            while (left % prime == 0)
                left /= prime;
        if (left == 1)
            return n;
    }
}

/* Coarse pixels: as many of the hologram's as still carry the steepest light from the scene to the
 * viewing area, with a twentieth to spare. */
static struct light_grid coarse_grid(const struct layers *layers, const ro_optics *o,
                                     const uint32_t pixels[2], uint32_t factor[2])
{
    struct light_grid grid = {0};
    double sine[2] = {0}, half[2], pitch[2];
    uint32_t size[2] = {0};
    field_pitch(o, pitch);
    for (int i = 0; i < 2; i++)
        half[i] = fmax(pixels[i] * pitch[i] / 2, fabs(o->viewer[i]) + o->viewing_area[i] / 2);
    for (int k = 0; k < layers->places; k++) {
        double depth = 0, reach[2] = {0};
        layers->place(layers->scene, k, &depth, reach);
        for (int i = 0; i < 2; i++) {
            const double across = reach[i] + fabs(o->viewer[i]) + o->viewing_area[i] / 2;
            const double away = depth - o->viewer[2];
            sine[i] = fmax(sine[i], across / sqrt(across * across + away * away));
            half[i] = fmax(half[i], reach[i]);
        }
    }
    for (int i = 0; i < 2; i++) {
        const double most = floor(0.95 * o->wavelength / (2 * sine[i]) / pitch[i]);
        factor[i] = (uint32_t)fmax(1, fmin(most, pixels[i] / 16.0));
        grid.pitch[i] = factor[i] * pitch[i];
        size[i] = good_length(ceil(2 * half[i] / grid.pitch[i]) + 2 * MARGIN);
    }
    grid.width = size[0];
    grid.height = size[1];
    return grid;
}

struct light_grid layers_grid(const struct layers *layers, const ro_optics *optics, uint32_t width,
                              uint32_t height, bool seen)
{
    uint32_t factor[2];
    struct light_grid plain = {.width = width, .height = height};
    field_pitch(optics, plain.pitch);
    return seen ? coarse_grid(layers, optics, (const uint32_t[]){width, height}, factor) : plain;
}

ro_status layers_seen(ro_context *context, const struct layers *layers, const ro_optics *optics,
                      double fringe, const struct layers_out *out)
{
    uint32_t factor[2];
    const uint32_t pixels[2] = {out->field->width, out->field->height};
    const struct light_grid grid = coarse_grid(layers, optics, pixels, factor);
    struct propagation p;
    ro_optics coarse = *optics;
    coarse.pitch = grid.pitch[0];
    coarse.pitch_y = grid.pitch[1];
    ro_status status =
        propagation_open(&p, context, grid.width, grid.height, optics->wavelength, grid.pitch);
    if (status != RO_OK)
        return status;
    limit_fringes(&p, fringe);
    float *data = dft_alloc(context, grid.width, grid.height);
    const ro_field planes = {grid.width, grid.height, 8 * (ptrdiff_t)grid.width, data};
    status = !data ? RO_E_MEMORY
             : p.device && layers->emit_there
                 ? make_there(&p, layers, optics->viewer[2], 0.5, &planes)
                 : run_planes(&p, layers, data, optics->viewer[2], 0.5);
    if (status == RO_OK) {
        viewer_crop(data, grid.width, grid.height, &coarse);
        p.done = 0.5;
        p.share = 0.1;
        status = propagation_run(&p, data, optics->viewer[2]);
    }
    propagation_close(&p); /* its memory is needed now */
    if (status == RO_OK)
        status = enlarge_field(context, data, &grid, factor, out);
    free(data);
    return status;
}

ro_status layers_make(ro_context *context, const struct layers *layers, const ro_optics *optics,
                      double fringe, bool seen, const struct layers_out *out)
{
    if (seen)
        return layers_seen(context, layers, optics, fringe, out);
    ro_status status = layers_whole(context, layers, optics, fringe, out->field);
    for (uint32_t y = 0; status == RO_OK && out->rows && y < out->field->height; y++)
        status = out->rows(out->to, y, field_row(out->field, y));
    return status;
}
