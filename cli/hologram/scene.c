/* SPDX-License-Identifier: MIT */
/* roundoff hologram make --scene: the field of pictures at depths. */
#include "cli/hologram/hologram.h"
#include "cli/task/task.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <stdlib.h>
#include <string.h>

struct pictures {
    ro_scene_picture picture[RO_MOST_TEXTS];
    char *path[RO_MOST_TEXTS]; /* without the depth */
    const char *phases;        /* a file of them */
    int count, channels;
    double wavelength[COLOURS];
    double depths[2]; /* of black and white in the depth map */
    ro_picture_scene scene;
    ro_optics optics; /* as they were taken */
};

/* "name.png@80mm" */
static int read_picture(const struct command *command, const char *text, bool mapped,
                        struct pictures *p)
{
    const char *at = strrchr(text, '@');
    ro_scene_picture *picture = &p->picture[p->count];
    int bad = 0;
    if (!at == !mapped)
        return usage_error(command,
                           mapped ? "--scene %s: give no depth, it comes from the depth map"
                                  : "--scene %s: needs a depth, such as picture.png@80mm, or "
                                    "--depth-map",
                           text);
    if (at)
        bad = hologram_length(command, "scene", at + 1, &picture->depth);
    p->path[p->count++] = strndup(text, at ? (size_t)(at - text) : strlen(text));
    return bad;
}

static int read_scene(const struct command *command, const struct hologram_values *values,
                      struct pictures *p)
{
    struct hologram_values rest = *values;
    int bad = 0;
    if (values->target)
        return usage_error(command, "--target does not apply to --scene");
    if (!values->size)
        return usage_error(command, "hologram make needs --size, such as --size 1920x1080");
    p->wavelength[0] = 635e-9;
    bad = hologram_waves(command, values, p->wavelength, &p->channels);
    if (bad)
        return bad;
    rest.wavelength = NULL;
    bad = hologram_optics(command, &rest, &p->scene.optics);
    if (!bad)
        bad = hologram_depths(command, values, p->depths);
    if (!bad && values->depth && !values->depth_map)
        bad = usage_error(command, "--depth needs --depth-map");
    if (!bad && values->depth_map && values->scene.count > 1)
        bad = usage_error(command, "--depth-map takes exactly one --scene picture");
    for (int i = 0; i < values->scene.count && !bad; i++)
        bad = read_picture(command, values->scene.text[i], values->depth_map != NULL, p);
    p->scene.pictures = p->picture;
    p->scene.count = p->count;
    p->scene.phase = values->phase;
    if (!bad && values->phase && strchr(values->phase, '.')) {
        p->phases = values->phase;
        p->scene.phase = "given";
        if (values->scene.count > 1)
            bad = usage_error(command, "--phase F takes exactly one --scene picture");
    }
    if (!bad && values->place == RO_PLACE_FILL && (values->depth_map || p->phases))
        bad = usage_error(command, "--place fill does not apply to --%s",
                          values->depth_map ? "depth-map" : "phase F");
    p->scene.seed = values->common.seed;
    p->scene.view_specific = values->made.view_specific;
    if (p->scene.optics.pitch == 0)
        p->scene.optics.pitch = 8e-6;
    return bad;
}

ro_status hologram_load_map(ro_context *context, const char *path, double low, double high,
                            bool scaled, ro_image *numbers)
{
    ro_image image = {0};
    ro_status status = ro_image_load(context, path, NULL, &image, NULL, NULL);
    const bool real = image.format == RO_GREYF;
    if (status == RO_OK && !real && image.format != RO_GREY8 && image.format != RO_GREY16)
        status = ro_context_fail(context, RO_E_UNSUPPORTED, "%s: must be grey, not %s", path,
                                 ro_format_name(image.format));
    if (status == RO_OK && !real && high == 0)
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "%s: give the depths of black and white with --depth", path);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREYF, image.width, image.height, 0, numbers);
    for (uint32_t y = 0; status == RO_OK && y < image.height; y++) {
        const void *from = (const char *)image.data + (ptrdiff_t)y * image.stride;
        float *to = (float *)((char *)numbers->data + (ptrdiff_t)y * numbers->stride);
        for (uint32_t x = 0; x < image.width; x++) {
            const double v = real ? ((const float *)from)[x]
                             : image.format == RO_GREY8
                                 ? (double)((const uint8_t *)from)[x] / image.maxval
                                 : (double)((const uint16_t *)from)[x] / image.maxval;
            to[x] = (float)(!real || scaled ? low + (high - low) * v : v);
        }
    }
    ro_image_free(&image);
    return status;
}

char *hologram_channel(const char *path, int channels, int channel)
{
    const int stem = (int)ro_path_stem(path);
    const size_t size = strlen(path) + 3;
    char *name = malloc(size);
    if (name && channels > 1)
        snprintf(name, size, "%.*s-%c%s", stem, path, "rgb"[channel], path + stem);
    else if (name)
        memcpy(name, path, strlen(path) + 1);
    return name;
}

int hologram_waves(const struct command *command, const struct hologram_values *values,
                   double waves[COLOURS], int *count)
{
    *count = 1;
    if (!values->wavelength)
        return 0;
    if (!hologram_numbers(values->wavelength, ",", true, waves, COLOURS, count) || *count == 2)
        return usage_error(command,
                           "--wavelength %s: must be one length, or three for red, green and blue",
                           values->wavelength);
    for (int i = 0; i < *count; i++)
        if (!(waves[i] >= 1e-9 && waves[i] <= 1e-3))
            return usage_error(command, "--wavelength %s: must be from 1nm to 1mm",
                               values->wavelength);
    return 0;
}

/* Nothing but the file holds the whole field, unless all light is carried to it. */
static ro_status make_file(ro_context *context, struct pictures *p, const char *name,
                           ro_field *field, ro_optics *optics)
{
    ro_field_writer *writer = NULL;
    ro_status status = ro_field_writer_open(context, name, field->width, field->height, &writer);
    p->scene.rows = hologram_take_row;
    p->scene.rows_to = writer;
    if (status == RO_OK)
        status = ro_hologram_pictures(context, &p->scene, field, optics);
    return ro_field_writer_close(writer, optics, status);
}

/* Its samples go with those of depths and phases, whose number stays. */
static ro_status load_picture(ro_context *context, const struct hologram_values *values,
                              struct pictures *p, int i, int channel, const ro_field *field)
{
    ro_scene_picture *picture = &p->picture[i];
    if (!picture->depths.data && !picture->phases.data)
        return hologram_place(context, values, p->path[i], channel, field->width, field->height,
                              &p->scene.optics, &picture->amplitude, &picture->width);
    ro_image small = {0};
    ro_status status = hologram_place(context, values, p->path[i], channel, field->width,
                                      field->height, &p->scene.optics, &small, &picture->width);
    ro_image_free(&small);
    return status == RO_OK
               ? ro_amplitudes_load(context, p->path[i], channel, 0, 0, &picture->amplitude)
               : status;
}

static ro_status make_field(ro_context *context, const struct hologram_values *values,
                            struct pictures *p, const char *path, int channel, ro_field *field,
                            ro_optics *optics)
{
    ro_status status = RO_OK;
    for (int i = 0; i < p->count && status == RO_OK; i++)
        status = load_picture(context, values, p, i, p->channels > 1 ? channel : -1, field);
    p->scene.optics.wavelength = p->wavelength[channel];
    char *name = hologram_channel(path, p->channels, channel);
    if (status == RO_OK && !name)
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for a file name");
    if (status == RO_OK)
        status = make_file(context, p, name, field, optics);
    free(name);
    for (int i = 0; i < p->count; i++)
        ro_image_free(&p->picture[i].amplitude);
    return status;
}

static ro_status work(struct task *task)
{
    const struct hologram_values *values = task->values;
    struct pictures *p = task->data;
    ro_field field = {.width = values->pixels.width, .height = values->pixels.height};
    ro_status status = ro_bytes_accepts(task->context, task->out);
    if (status == RO_OK && values->depth_map)
        status = hologram_load_map(task->context, values->depth_map, p->depths[0], p->depths[1],
                                   values->depth, &p->picture[0].depths);
    if (status == RO_OK && p->phases)
        status = hologram_load_map(task->context, p->phases, 0, 6.283185307179586, false,
                                   &p->picture[0].phases);
    if (status == RO_OK && !p->scene.view_specific)
        status = ro_field_alloc(task->context, values->pixels.width, values->pixels.height, &field);
    for (int c = 0; c < p->channels && status == RO_OK; c++)
        status = make_field(task->context, values, p, task->out, c, &field, &p->optics);
    ro_field_free(&field);
    return status;
}

void hologram_made_json(const struct task *task, FILE *file, const char *counted, size_t count,
                        const ro_optics *o)
{
    const struct hologram_values *values = task->values;
    json_put(file,
             "{command %s, output %s, width %u, height %u, %s: %zu, depth %.9g, hogel %u, viewer "
             "[%.9g, %.9g, %.9g], seconds %.6f}\n",
             "hologram make", task->out, values->pixels.width, values->pixels.height, counted,
             count, o->depth, o->hogel, o->viewer[0], o->viewer[1], o->viewer[2], task->seconds);
}

void hologram_made_line(const struct task *task, const char *counted, size_t count,
                        const ro_optics *o)
{
    const struct hologram_values *values = task->values;
    tell("hologram: %zu %s, %u x %u, in focus at %.4g mm, seen from %.4g mm through %.3g x "
         "%.3g mm, %.2f s",
         count, counted, values->pixels.width, values->pixels.height, o->depth * 1e3,
         -o->viewer[2] * 1e3, o->viewing_area[0] * 1e3, o->viewing_area[1] * 1e3, task->seconds);
}

static void print_json(const struct task *task, FILE *file)
{
    const struct pictures *p = task->data;
    hologram_made_json(task, file, "fields", (size_t)p->channels, &p->optics);
}

static void print_line(const struct task *task)
{
    const struct pictures *p = task->data;
    hologram_made_line(task, p->count == 1 ? "picture" : "pictures", (size_t)p->count, &p->optics);
}

int hologram_scene(const struct command *command, const struct hologram_values *values,
                   const struct operands *files)
{
    const char *path = files->path[0], *dot = strrchr(path, '.');
    struct pictures *p = calloc(1, sizeof *p);
    if (p)
        p->scene = (ro_picture_scene)RO_PICTURE_SCENE;
    int result = p ? read_scene(command, values, p) : EXIT_FAILURE;
    if (!result && (!dot || strcmp(dot, ".npy") != 0))
        result = usage_error(command, "%s: a field must be written as .npy", path);
    if (!result)
        result = task_run(&(struct task){
            .command = command,
            .values = values,
            .files = files,
            .out = path,
            .data = p,
            .work = work,
            .json = print_json,
            .say = print_line,
        });
    for (int i = 0; p && i < p->count; i++)
        free(p->path[i]);
    if (p)
        ro_image_free(&p->picture[0].depths);
    if (p)
        ro_image_free(&p->picture[0].phases);
    free(p);
    return result;
}
