/* SPDX-License-Identifier: MIT */
/*
 * Holograms of pictures with depths. Depths are cut into layers of equal thickness between the
 * nearest and the farthest; a pixel belongs to the layer that holds its depth. Light starts at the
 * backmost layer and goes from layer to layer; where a layer has something, that replaces the light
 * from behind.
 */
#include "context/context.h"
#include "core/image.h"
#include "core/misuse.h"
#include "hologram/field/field.h"
#include "hologram/scene/layers.h"
#include "hologram/scene/picture_light.h"
#include "hologram/scene/viewer.h"
#include "options/table.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_LAYERS = 16 };

struct layer {
    const ro_scene_picture *picture;
    int number;              /* of the picture */
    double depth, near, far; /* of its middle, and what it holds */
    bool last;               /* the farthest depth belongs to it */
};

struct pictures {
    const ro_picture_scene *scene;
    enum picture_phase phase;
    struct scene_cuda_pictures *device; /* the pictures there; or NULL */
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

/* A layer as light sees it; on a device its pixels are elsewhere. */
static struct picture_layer layer_of(const struct pictures *p, const struct layer *layer)
{
    const ro_scene_picture *picture = layer->picture;
    return (struct picture_layer){
        .amplitude = picture->amplitude.data,
        .depths = picture->depths.data,
        .phases = picture->phases.data,
        .amplitude_stride = picture->amplitude.stride,
        .depths_stride = picture->depths.stride,
        .phases_stride = picture->phases.stride,
        .width = picture->amplitude.width,
        .height = picture->amplitude.height,
        .pixel = width_of(picture, p->side[0], p->side[1]) / picture->amplitude.width,
        .depth = layer->depth,
        .near = layer->near,
        .far = layer->far,
        .last = layer->last,
        .phase = p->phase,
        .seed = p->scene->seed,
        .viewer = {p->viewer[0], p->viewer[1], p->viewer[2]},
        .wavelength = p->wavelength,
    };
}

static double depth_of(const void *data, int plane)
{
    return ((const struct pictures *)data)->layers[plane].depth;
}

static void emit(const void *data, int plane, const struct light_grid *grid, uint32_t row,
                 float *light, light_row_fn *write)
{
    const struct pictures *p = data;
    const struct picture_layer layer = layer_of(p, &p->layers[plane]);
    const int64_t v = picture_place(light_grid_y(grid, row), layer.pixel, layer.height);
    struct light_row some;
    for (uint32_t from = 0; v >= 0 && from < grid->width; from += LIGHT_ROW) {
        const uint32_t n = grid->width - from < LIGHT_ROW ? grid->width - from : LIGHT_ROW;
        bool any = false;
        for (uint32_t i = 0; i < n; i++) {
            const double x = light_grid_x(grid, from + i);
            const int64_t u = picture_place(x, layer.pixel, layer.width);
            some.turns[i] = 0;
            if (u >= 0 && picture_has(&layer, (uint32_t)u, (uint32_t)v, &some.amplitude[i])) {
                some.turns[i] =
                    picture_turns_at(&layer, grid, from + i, row, (uint32_t)u, (uint32_t)v);
                any = true;
            } else {
                some.amplitude[i] = NAN;
            }
        }
        if (any)
            write(&some, (int)n, light + 2 * (size_t)from);
    }
}

static ro_status emit_there(const void *data, int plane, const struct light_grid *grid,
                            struct scene_cuda *device)
{
    const struct pictures *p = data;
    const struct picture_layer layer = layer_of(p, &p->layers[plane]);
    return scene_on_cuda->emit_picture(device, p->device, p->layers[plane].number, &layer, grid);
}

/* ---- Layers ---------------------------------------------------------------------------------- */

static void add_layer(struct pictures *p, struct layer layer)
{
    int at = p->count++;
    for (; at > 0 && p->layers[at - 1].depth < layer.depth; at--)
        p->layers[at] = p->layers[at - 1];
    p->layers[at] = layer;
}

static ro_status bad_sample(ro_context *context, const char *what, const ro_image *image,
                            uint64_t place, double value)
{
    return ro_context_fail(context, RO_E_ARGUMENT, "the %s at %llu,%llu is %g: must be %s", what,
                           (unsigned long long)(place % image->width),
                           (unsigned long long)(place / image->width), value,
                           what[0] == 'd'   ? "above 0 and at most 100 m"
                           : what[0] == 'p' ? "at most 1e6 radians"
                                            : "at most 1e6");
}

/* Samples that are out of range, or no numbers, are refused by their place. */
static ro_status check_samples(ro_context *context, const ro_image *image, const char *what,
                               struct picture_range *range)
{
    range->place = UINT64_MAX;
    range->low = INFINITY;
    range->high = -INFINITY;
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++) {
            const float v = sample(image, x, y);
            if (!picture_sample_is_good(range, v))
                return bad_sample(context, what, image, (uint64_t)y * image->width + x, v);
            range->low = fminf(range->low, v);
            range->high = fmaxf(range->high, v);
        }
    return RO_OK;
}

/* The same by a device, which has image `which` (0: amplitudes, 1: depths, 2: phases). */
static ro_status check_there(ro_context *context, struct pictures *p, int number, int which,
                             const ro_image *image, const char *what, struct picture_range *range)
{
    float value = 0;
    ro_status status = scene_on_cuda->range(p->device, number, which, range, &value);
    return status == RO_OK && range->place != UINT64_MAX
               ? bad_sample(context, what, image, range->place, value)
               : status;
}

static ro_status check_all(ro_context *context, struct pictures *p, int number,
                           struct picture_range *depths)
{
    const ro_scene_picture *picture = &p->scene->pictures[number];
    const struct {
        const ro_image *image;
        const char *what;
        float least, most;
        bool open;
    } kinds[] = {{&picture->amplitude, "amplitude", -1e6f, 1e6f, false},
                 {&picture->depths, "depth", 0, 100, true},
                 {&picture->phases, "phase", -1e6f, 1e6f, false}};
    ro_status status = RO_OK;
    for (int i = 0; i < 3 && status == RO_OK; i++) {
        struct picture_range range = {
            .least = kinds[i].least, .most = kinds[i].most, .open = kinds[i].open};
        if (!kinds[i].image->data || (i == 2 && p->phase != PICTURE_GIVEN))
            continue;
        status = p->device
                     ? check_there(context, p, number, i, kinds[i].image, kinds[i].what, &range)
                     : check_samples(context, kinds[i].image, kinds[i].what, &range);
        if (i == 1)
            *depths = range;
    }
    return status;
}

static void add_picture(struct pictures *p, int number, const struct picture_range *depths)
{
    const ro_scene_picture *picture = &p->scene->pictures[number];
    if (!picture->depths.data) {
        add_layer(p, (struct layer){picture, number, picture->depth, 0, 0, true});
        return;
    }
    const double near = depths->low, far = depths->high;
    const int n = far > near ? (p->scene->layers ? p->scene->layers : USUAL_LAYERS) : 1;
    for (int i = 0; i < n; i++) {
        const double a = near + (far - near) * i / n, b = near + (far - near) * (i + 1) / n;
        add_layer(p, (struct layer){picture, number, (a + b) / 2, a, b, i + 1 == n});
    }
}

static ro_status check_picture(ro_context *context, const ro_scene_picture *p, double side_x,
                               double side_y)
{
    ro_status status = image_check(context, &p->amplitude, "a picture of the scene");
    if (status == RO_OK && p->depths.data)
        status = image_check(context, &p->depths, "the depths of a picture");
    if (status != RO_OK)
        return status;
    if (p->amplitude.format != RO_GREYF || (p->depths.data && p->depths.format != RO_GREYF) ||
        (p->depths.data &&
         (p->depths.width != p->amplitude.width || p->depths.height != p->amplitude.height)))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a picture of a scene and its depths must be %s of one size",
                               ro_format_name(RO_GREYF));
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
    ro_status status = image_check(context, phases, "the phases of a picture");
    if (status != RO_OK)
        return status;
    if (phases->format != RO_GREYF || phases->width != p->amplitude.width ||
        phases->height != p->amplitude.height)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "phases are %s of %u x %u, the picture's size is %u x %u",
                               ro_format_name(phases->format), phases->width, phases->height,
                               p->amplitude.width, p->amplitude.height);
    return RO_OK;
}

/* A device gets the pixels first, and looks at them itself. */
static ro_status open_there(ro_context *context, struct pictures *p)
{
    if (context->options.device != RO_DEVICE_CUDA)
        return RO_OK;
    return scene_on_cuda->open_pictures(context, p->scene->pictures, p->scene->count,
                                        p->phase == PICTURE_GIVEN, &p->device);
}

static ro_status open_pictures(ro_context *context, const ro_picture_scene *scene,
                               struct pictures *p)
{
    p->phase = (enum picture_phase)options_word(&pictures_table, scene, phase);
    if (scene->count < 1 || scene->count > PICTURE_LAYERS)
        return ro_context_fail(context, RO_E_ARGUMENT, "%d pictures: must be from 1 to %d",
                               scene->count, PICTURE_LAYERS);
    p->layers = malloc((size_t)scene->count * PICTURE_LAYERS * sizeof *p->layers);
    if (!p->layers)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for the layers");
    ro_status status = RO_OK;
    for (int i = 0; i < scene->count && status == RO_OK; i++) {
        status = check_picture(context, &scene->pictures[i], p->side[0], p->side[1]);
        if (status == RO_OK && p->phase == PICTURE_GIVEN)
            status = check_phases(context, &scene->pictures[i]);
    }
    if (status == RO_OK)
        status = open_there(context, p);
    for (int i = 0; i < scene->count && status == RO_OK; i++) {
        struct picture_range depths = {0};
        status = check_all(context, p, i, &depths);
        if (status == RO_OK)
            add_picture(p, i, &depths);
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
    if (MISSING(context, options, field))
        return RO_E_ARGUMENT;
    DEVICE_TURN(context);
    ro_picture_scene all;
    const ro_picture_scene *scene = &all;
    ro_status status = options_read(context, &pictures_table, options, &all);
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
                                      .emit_there = emit_there,
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
    if (pictures.device)
        scene_on_cuda->close_pictures(pictures.device);
    free(pictures.layers);
    return status;
}
