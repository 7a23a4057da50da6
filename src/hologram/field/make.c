/* SPDX-License-Identifier: MIT */
/*
 * Holograms of scenes: the light starts at the backmost plane and goes from plane to plane; where a
 * plane has something, that replaces the light from behind (silhouettes).
 */
#include "context/context.h"
#include "core/options.h"
#include "core/random.h"
#include "hologram/field/field.h"
#include "hologram/field/propagate.h"
#include "hologram/field/scene.h"
#include "hologram/field/viewer.h"

#include <stdlib.h>
#include <string.h>

struct emission {
    const struct scene *scene;
    int plane;
    uint32_t width, height, first, end; /* rows */
    float *data;
    atomic_uint_fast32_t ticket;
};

static void light_of(const struct scene *scene, int plane, double amplitude, uint32_t column,
                     uint32_t row, double x, double y, float *light)
{
    const ro_hologram_scene *o = &scene->options;
    double turns = ro_hash(o->seed, column, row) * 0x1p-32;
    if (scene->smooth) { /* towards the viewer, each plane with an offset of its own */
        double dx = x - o->viewer[0], dy = y - o->viewer[1];
        double distance = scene->depth[plane] - o->viewer[2];
        turns = ro_hash(o->seed, (uint32_t)plane, 0) * 0x1p-32 -
                (dx * dx + dy * dy) / (2 * distance * o->wavelength);
    }
    phasor(turns, &light[0], &light[1]);
    light[0] *= (float)amplitude;
    light[1] *= (float)amplitude;
}

static void emit(void *data, int thread)
{
    struct emission *e = data;
    const double pitch = e->scene->options.pitch;
    double low[2], high[2];
    (void)thread;
    scene_extent(e->scene, e->plane, low, high);
    for (uint_fast32_t row; (row = atomic_fetch_add(&e->ticket, 1)) < e->height;) {
        double y = ((double)row + 0.5 - e->height / 2.0) * pitch;
        if (y < low[1] || y > high[1])
            continue;
        for (uint32_t column = 0; column < e->width; column++) {
            double x = (column + 0.5 - e->width / 2.0) * pitch;
            if (x < low[0] || x > high[0])
                continue;
            double amplitude = scene_amplitude(e->scene, e->plane, x, y);
            if (amplitude >= 0)
                light_of(e->scene, e->plane, amplitude, column, (uint32_t)row, x, y,
                         e->data + 2 * ((size_t)row * e->width + column));
        }
    }
}

static ro_status run_planes(ro_context *context, const struct scene *scene, struct propagation *p,
                            float *data)
{
    struct emission e = {.scene = scene, .width = p->width, .height = p->height, .data = data};
    memset(data, 0, (size_t)p->width * p->height * 2 * sizeof *data);
    for (int plane = 0; plane < scene->planes; plane++) {
        e.plane = plane;
        atomic_store(&e.ticket, 0);
        ro_pool_run(context->pool, ro_pool_threads(context->pool), emit, &e);
        double next = plane + 1 < scene->planes ? scene->depth[plane + 1] : 0;
        p->done = (double)plane / scene->planes;
        ro_status status = propagation_run(p, data, scene->depth[plane] - next);
        if (status != RO_OK)
            return status;
    }
    return RO_OK;
}

ro_status ro_hologram_make(ro_context *context, const ro_hologram_scene *options, ro_field *field,
                           ro_optics *optics)
{
    ro_hologram_scene o = RO_HOLOGRAM_SCENE;
    ro_status status = ro_options_take(context, options, &o, "RO_HOLOGRAM_SCENE");
    if (status != RO_OK)
        return status;
    o.wavelength = o.wavelength != 0 ? o.wavelength : 635e-9;
    o.pitch = o.pitch != 0 ? o.pitch : 750e-9;
    struct scene scene;
    struct propagation p;
    status = field_check(context, field, "the hologram");
    if (status == RO_OK)
        status = field_check_physics(context,
                                     &(ro_optics){.wavelength = o.wavelength, .pitch = o.pitch});
    if (status != RO_OK)
        return status;
    uint32_t longer = field->width > field->height ? field->width : field->height;
    status = scene_open(context, &o, longer * o.pitch, &scene);
    ro_optics seen = {.wavelength = o.wavelength, .pitch = o.pitch};
    memcpy(seen.viewer, scene.options.viewer, sizeof seen.viewer);
    memcpy(seen.viewing_area, scene.options.viewing_area, sizeof seen.viewing_area);
    if (status == RO_OK)
        status = viewer_check(context, field->width, field->height, &seen);
    if (status == RO_OK)
        status = propagation_open(&p, context, field->width, field->height, o.wavelength,
                                  (const double[]){o.pitch, o.pitch});
    if (status != RO_OK)
        return status;
    p.window = (ro_window){0, 0, o.pitch / scene.options.fringe, o.pitch / scene.options.fringe};
    p.share = 1.0 / scene.planes;
    p.phase = "make";
    /* Without gaps the caller's memory serves: at the largest size a copy would be too much. */
    bool plain = field->stride == (ptrdiff_t)field->width * 8;
    float *data = plain ? field->data : dft_alloc(context, field->width, field->height);
    status = data ? run_planes(context, &scene, &p, data) : RO_E_MEMORY;
    if (status == RO_OK && !plain)
        field_put(field, data);
    if (!plain)
        free(data);
    propagation_close(&p);
    if (status == RO_OK && optics) {
        *optics = seen;
        optics->depth = scene.options.board.depth;
        optics->hogel = viewer_hogel(longer);
        if (scene.target == 0) /* the middle die */
            optics->depth = scene.options.die[1].depth;
    }
    return status;
}
