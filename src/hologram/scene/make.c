/* SPDX-License-Identifier: MIT */
/* Holograms of the paper's scene: where a plane has something, that replaces the light from behind
 * (silhouettes). */
#include "context/context.h"
#include "core/misuse.h"
#include "hologram/field/field.h"
#include "hologram/scene/layers.h"
#include "hologram/scene/scene_light.h"
#include "hologram/scene/scene_spans.h"
#include "hologram/scene/viewer.h"
#include "options/table.h"

#include <string.h>

static double depth_of(const void *scene, int plane)
{
    return ((const struct scene *)scene)->depth[plane];
}

static void emit_span(const struct scene *scene, int plane, const struct light_grid *grid,
                      uint32_t row, const uint32_t span[2], float *light, light_row_fn *write)
{
    const double y = light_grid_y(grid, row);
    struct light_row some;
    for (uint32_t from = span[0]; from < span[1]; from += LIGHT_ROW) {
        const uint32_t n = span[1] - from < LIGHT_ROW ? span[1] - from : LIGHT_ROW;
        for (uint32_t i = 0; i < n; i++) {
            const double x = light_grid_x(grid, from + i);
            const double amplitude = scene_light(scene, plane, x, y);
            some.amplitude[i] = amplitude >= 0 ? (float)amplitude : NAN;
            some.turns[i] = scene_turns(scene, plane, from + i, row, x, y);
        }
        write(&some, (int)n, light + 2 * (size_t)from);
    }
}

static void emit(const void *data, int plane, const struct light_grid *grid, uint32_t row,
                 float *light, light_row_fn *write)
{
    const struct scene *scene = data;
    double spans[2][2];
    const int count = scene_spans(scene, plane, light_grid_y(grid, row), spans);
    uint32_t done = 0;
    for (int i = 0; i < count; i++) {
        const double middle = grid->width / 2.0, pitch = grid->pitch[0];
        const double low = fmax(floor(spans[i][0] / pitch + middle) - 1, done);
        const double high = fmin(ceil(spans[i][1] / pitch + middle) + 1, grid->width);
        if (low >= high)
            continue;
        emit_span(scene, plane, grid, row, (const uint32_t[]){(uint32_t)low, (uint32_t)high}, light,
                  write);
        done = (uint32_t)high;
    }
}

static ro_status emit_there(const void *scene, int plane, const struct light_grid *grid,
                            struct scene_cuda *device)
{
    return scene_on_cuda->emit_scene(device, scene, plane, grid);
}

static void place_of(const void *data, int place, double *depth, double reach[2])
{
    const struct scene *scene = data;
    *depth = scene->depth[place];
    scene_reach(scene, place, reach);
}

ro_status ro_hologram_make(ro_context *context, const ro_hologram_scene *options, ro_field *field,
                           ro_optics *optics)
{
    if (MISSING(context, field))
        return RO_E_ARGUMENT;
    DEVICE_TURN(context);
    ro_hologram_scene o;
    ro_status status = options_read(context, &scene_table, options, &o);
    if (status != RO_OK)
        return status;
    o.optics.wavelength = o.optics.wavelength != 0 ? o.optics.wavelength : 635e-9;
    o.optics.pitch = o.optics.pitch != 0 ? o.optics.pitch : 750e-9;
    o.optics.pitch_y = 0;
    struct scene scene;
    status = field_check_out(context, field, o.view_specific && o.rows);
    if (status == RO_OK)
        status = field_check_physics(context, &o.optics);
    if (status != RO_OK)
        return status;
    uint32_t longer = field->width > field->height ? field->width : field->height;
    status = scene_open(context, &o, longer * o.optics.pitch, &scene);
    const ro_optics seen = scene.options.optics;
    if (status == RO_OK)
        status = viewer_check(context, field->width, field->height, &seen);
    if (status != RO_OK)
        return status;
    const struct layers layers = {.scene = &scene,
                                  .count = scene.planes,
                                  .depth = depth_of,
                                  .emit = emit,
                                  .emit_there = emit_there,
                                  .places = scene.planes,
                                  .place = place_of};
    status = layers_make(context, &layers, &seen, 2 * o.optics.pitch, o.view_specific,
                         &(struct layers_out){field, o.rows, o.rows_to});
    if (status == RO_OK && optics) {
        *optics = seen;
        optics->depth = scene.board_depth;
        optics->hogel = viewer_hogel(longer);
        if (scene.target == 0) /* the middle die */
            optics->depth = scene.dice[1].z;
    }
    return status;
}
