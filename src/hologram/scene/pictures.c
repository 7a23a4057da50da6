/* SPDX-License-Identifier: MIT */
/*
 * Holograms of pictures with depths. Depths are cut into layers of equal thickness between the
 * nearest and the farthest; a pixel belongs to the layer that holds its depth. Light starts at the
 * backmost layer and goes from layer to layer; where a layer has something, that replaces the light
 * from behind.
 */
#include "context/context.h"
#include "core/image.h"
#include "core/names.h"
#include "core/options.h"
#include "core/random.h"
#include "hologram/field/field.h"
#include "hologram/scene/layers.h"
#include "hologram/scene/viewer.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LAYERS = 1024, USUAL_LAYERS = 16 };

struct layer {
    const ro_scene_picture *picture;
    double depth, near, far; /* of its middle, and what it holds */
    bool last;               /* the farthest depth belongs to it */
};

struct pictures {
    const ro_picture_scene *scene;
    bool constant, smooth, spherical, given;
    double side[2], viewer[3], wavelength;
    struct layer *layers;
    int count;
};

static float sample(const ro_image *image, uint32_t x, uint32_t y)
{
    return ((const float *)((const char *)image->data + (ptrdiff_t)y * image->stride))[x];
}

static double width_of(const ro_scene_picture *p, double side_x, double side_y)
{
    const double high = side_y * p->amplitude.width / p->amplitude.height;
    return p->width > 0 ? p->width : fmin(side_x, high);
}

/* The picture's pixel at x, y metres and whether the layer has it. */
static bool find(const struct layer *layer, double width, double x, double y, float *amplitude,
                 double *phase)
{
    const ro_scene_picture *p = layer->picture;
    const double pixel = width / p->amplitude.width;
    const double u = floor(x / pixel + p->amplitude.width / 2.0);
    const double v = floor(y / pixel + p->amplitude.height / 2.0);
    if (!(u >= 0 && u < p->amplitude.width && v >= 0 && v < p->amplitude.height))
        return false;
    *amplitude = sample(&p->amplitude, (uint32_t)u, (uint32_t)v);
    *phase = p->phases.data ? sample(&p->phases, (uint32_t)u, (uint32_t)v) : 0;
    if (!p->depths.data)
        return *amplitude > 0;
    const double depth = sample(&p->depths, (uint32_t)u, (uint32_t)v);
    return depth >= layer->near && (depth < layer->far || layer->last);
}

static double turns_at(const struct pictures *p, const struct layer *layer, uint32_t column,
                       uint32_t row, double x, double y)
{
    if (p->constant)
        return 0;
    if (!p->smooth && !p->spherical)
        return ro_hash(p->scene->seed, column, row) * 0x1p-32;
    const double dx = x - p->viewer[0], dy = y - p->viewer[1], away = layer->depth - p->viewer[2];
    if (p->spherical) /* with the way to the viewer, so that layers fit together */
        return -sqrt(dx * dx + dy * dy + away * away) / p->wavelength;
    return -(dx * dx + dy * dy) / (2 * away * p->wavelength);
}

static double depth_of(const void *data, int plane)
{
    return ((const struct pictures *)data)->layers[plane].depth;
}

static void emit(const void *data, int plane, const struct light_grid *grid, uint32_t row,
                 float *light)
{
    const struct pictures *p = data;
    const struct layer *layer = &p->layers[plane];
    const double width = width_of(layer->picture, p->side[0], p->side[1]);
    const double y = light_grid_y(grid, row);
    for (uint32_t column = 0; column < grid->width; column++, light += 2) {
        const double x = light_grid_x(grid, column);
        float amplitude;
        double phase = 0;
        if (!find(layer, width, x, y, &amplitude, &phase))
            continue;
        phasor(p->given ? phase / PHASOR_TAU : turns_at(p, layer, column, row, x, y), &light[0],
               &light[1]);
        light[0] *= amplitude;
        light[1] *= amplitude;
    }
}

/* ---- Layers ---------------------------------------------------------------------------------- */

static void add_layer(struct pictures *p, struct layer layer)
{
    int at = p->count++;
    for (; at > 0 && p->layers[at - 1].depth < layer.depth; at--)
        p->layers[at] = p->layers[at - 1];
    p->layers[at] = layer;
}

static ro_status add_picture(ro_context *context, struct pictures *p,
                             const ro_scene_picture *picture)
{
    const ro_image *depths = &picture->depths;
    if (!depths->data) {
        add_layer(p, (struct layer){picture, picture->depth, 0, 0, true});
        return RO_OK;
    }
    double near = INFINITY, far = -INFINITY;
    for (uint32_t y = 0; y < depths->height; y++)
        for (uint32_t x = 0; x < depths->width; x++) {
            const double d = sample(depths, x, y);
            if (!(d > 0 && d <= 100))
                return ro_context_fail(
                    context, RO_E_ARGUMENT,
                    "the depth at %u,%u is %g m: must be above 0 and at most 100", x, y, d);
            near = fmin(near, d);
            far = fmax(far, d);
        }
    const int n = far > near ? (p->scene->layers ? p->scene->layers : USUAL_LAYERS) : 1;
    for (int i = 0; i < n; i++) {
        const double a = near + (far - near) * i / n, b = near + (far - near) * (i + 1) / n;
        add_layer(p, (struct layer){picture, (a + b) / 2, a, b, i + 1 == n});
    }
    return RO_OK;
}

static ro_status check_picture(ro_context *context, const ro_scene_picture *p, double side_x,
                               double side_y)
{
    ro_status status = ro_image_check(context, &p->amplitude, "a picture of the scene");
    if (status == RO_OK && p->depths.data)
        status = ro_image_check(context, &p->depths, "the depths of a picture");
    if (status != RO_OK)
        return status;
    if (p->amplitude.format != RO_GRAYF || (p->depths.data && p->depths.format != RO_GRAYF) ||
        (p->depths.data &&
         (p->depths.width != p->amplitude.width || p->depths.height != p->amplitude.height)))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a picture of a scene and its depths must be %s of one size",
                               ro_format_name(RO_GRAYF));
    if (!p->depths.data && !(p->depth > 0 && p->depth <= 100))
        return ro_context_fail(
            context, RO_E_ARGUMENT,
            "a picture at a depth of %g m: must be above 0, behind the hologram, and at most 100",
            p->depth);
    const double width = width_of(p, side_x, side_y);
    const double height = width * p->amplitude.height / p->amplitude.width;
    if (!(width <= side_x * (1 + 1e-9) && height <= side_y * (1 + 1e-9)))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a picture of %.4g x %.4g mm does not fit a hologram of %.4g x %.4g "
                               "mm: at a width of %.4g mm it would",
                               1e3 * width, 1e3 * height, 1e3 * side_x, 1e3 * side_y,
                               1e3 *
                                   fmin(side_x, side_y * p->amplitude.width / p->amplitude.height));
    return RO_OK;
}

static ro_status check_phases(ro_context *context, const ro_scene_picture *p)
{
    const ro_image *phases = &p->phases;
    if (!phases->data)
        return ro_context_fail(context, RO_E_ARGUMENT, "a picture has no phases that were given");
    ro_status status = ro_image_check(context, phases, "the phases of a picture");
    if (status != RO_OK)
        return status;
    if (phases->format != RO_GRAYF || phases->width != p->amplitude.width ||
        phases->height != p->amplitude.height)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "phases are %s of %u x %u, the picture's size is %u x %u",
                               ro_format_name(phases->format), phases->width, phases->height,
                               p->amplitude.width, p->amplitude.height);
    for (uint32_t y = 0; y < phases->height; y++)
        for (uint32_t x = 0; x < phases->width; x++)
            if (!(fabs(sample(phases, x, y)) <= 1e6))
                return ro_context_fail(context, RO_E_ARGUMENT,
                                       "the phase at %u,%u is %g: must be at most 1e6 radians", x,
                                       y, sample(phases, x, y));
    return RO_OK;
}

static ro_status open_pictures(ro_context *context, const ro_picture_scene *scene,
                               struct pictures *p)
{
    const char *phase = scene->phase ? scene->phase : "random";
    p->constant = ro_name_equal(phase, "constant");
    p->smooth = ro_name_equal(phase, "smooth") || ro_name_equal(phase, "quadratic");
    p->spherical = ro_name_equal(phase, "spherical");
    p->given = ro_name_equal(phase, "given");
    if (!p->constant && !p->smooth && !p->spherical && !p->given && !ro_name_equal(phase, "random"))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "unknown phase %s: must be random, constant, smooth, spherical or "
                               "given",
                               phase);
    if (scene->layers < 0 || scene->layers > MOST_LAYERS)
        return ro_context_fail(context, RO_E_ARGUMENT, "%d layers: must be from 1 to %d",
                               scene->layers, MOST_LAYERS);
    if (scene->count < 1 || scene->count > MOST_LAYERS)
        return ro_context_fail(context, RO_E_ARGUMENT, "%d pictures: must be from 1 to %d",
                               scene->count, MOST_LAYERS);
    p->layers = malloc((size_t)scene->count * MOST_LAYERS * sizeof *p->layers);
    if (!p->layers)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for the layers");
    ro_status status = RO_OK;
    for (int i = 0; i < scene->count && status == RO_OK; i++) {
        status = check_picture(context, &scene->pictures[i], p->side[0], p->side[1]);
        if (status == RO_OK && p->given)
            status = check_phases(context, &scene->pictures[i]);
        if (status == RO_OK)
            status = add_picture(context, p, &scene->pictures[i]);
    }
    return status;
}

static void place_of(const void *data, int place, double *depth, double reach[2])
{
    const struct pictures *p = data;
    const ro_scene_picture *picture = p->layers[place].picture;
    const double width = width_of(picture, p->side[0], p->side[1]);
    *depth = p->layers[place].depth;
    reach[0] = width / 2;
    reach[1] = width * picture->amplitude.height / picture->amplitude.width / 2;
}

ro_status ro_hologram_pictures(ro_context *context, const ro_picture_scene *options,
                               ro_field *field, ro_optics *optics)
{
    ro_picture_scene all = RO_PICTURE_SCENE;
    const ro_picture_scene *scene = &all;
    ro_status status = ro_options_take(context, options, &all, "RO_PICTURE_SCENE");
    struct pictures pictures = {.scene = scene, .wavelength = scene->optics.wavelength};
    ro_optics seen = scene->optics;
    if (status == RO_OK)
        status = field_check_out(context, field, all.view_specific && all.rows);
    if (status == RO_OK)
        status = field_check_physics(context, &scene->optics);
    if (status != RO_OK)
        return status;
    viewer_fit(field->width, field->height, &seen);
    status = viewer_check(context, field->width, field->height, &seen);
    double pitch[2];
    field_pitch(&seen, pitch);
    pictures.side[0] = field->width * pitch[0];
    pictures.side[1] = field->height * pitch[1];
    memcpy(pictures.viewer, seen.viewer, sizeof pictures.viewer);
    if (status == RO_OK)
        status = open_pictures(context, scene, &pictures);
    if (status == RO_OK) {
        const struct layers layers = {.scene = &pictures,
                                      .count = pictures.count,
                                      .depth = depth_of,
                                      .emit = emit,
                                      .places = pictures.count,
                                      .place = place_of};
        status = layers_make(context, &layers, &seen, 0, all.view_specific,
                             &(struct layers_out){field, all.rows, all.rows_to});
    }
    if (status == RO_OK && optics) {
        const struct layer *middle = &pictures.layers[pictures.count / 2];
        *optics = seen;
        optics->depth = middle->depth;
        optics->hogel = viewer_hogel(field->width > field->height ? field->width : field->height);
    }
    free(pictures.layers);
    return status;
}
