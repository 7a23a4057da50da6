/* SPDX-License-Identifier: MIT */
/* roundoff hologram show: from a target to the file of a modulator. */
#include "cli/hologram/hologram.h"
#include "cli/task/task.h"
#include "roundoff/command.h"
#include "roundoff_io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double usual_wavelength = 532e-9;

struct show {
    const ro_slm *slm; /* NULL: --size, --pitch and --levels say it */
    ro_hologram_options options;
    ro_refinement refinement;
    ro_spots spots;
    ro_modulator device;
    ro_refinement_report refined[COLOURS];
    double waves[COLOURS];
    int channels;
    ro_spots_report spotted;
    uint32_t width, height;
};

static bool has_lens(const struct hologram_values *values) { return values->spots.focal > 0; }

static int read_show(const struct command *command, const struct hologram_values *values,
                     struct show *s)
{
    const double away = values->distance;
    if (values->target)
        return usage_error(command, "--target does not apply to hologram show: it is TARGET");
    if (values->drive == DRIVE_PACKED)
        return usage_error(command, "--drive packed needs --frames");
    if (values->frames.count || values->phase)
        return usage_error(command, "--%s does not apply to hologram show",
                           values->phase ? "phase" : "frames");
    if ((away != 0) == has_lens(values))
        return usage_error(command, "hologram show needs --distance, such as --distance 150mm, or "
                                    "--lens, such as --lens 200mm");
    if (!values->modulator && (!values->size || values->optics.pitch == 0))
        return usage_error(command, "hologram show needs --modulator, such as --modulator pluto-2, "
                                    "or --size and --pitch");
    if (has_lens(values) && values->scene.count)
        return usage_error(command, "--scene needs --distance");
    s->options = values->quantize;
    s->options.weights = NULL;
    s->refinement = values->refinement;
    s->refinement.refine = values->refine ? values->refine : RO_DEFAULT;
    s->refinement.distance = away;
    s->spots = values->spots;
    s->spots.seed = values->common.seed;
    if (values->refine && has_lens(values))
        s->spots.iterations = values->refine;
    s->waves[0] = usual_wavelength;
    const int wrong = hologram_waves(command, values, s->waves, &s->channels);
    if (wrong)
        return wrong;
    if (s->channels > 1 && has_lens(values))
        return usage_error(command, "three wavelengths need a picture at --distance");
    struct hologram_values rest = *values;
    rest.wavelength = NULL;
    return hologram_optics(command, &rest, &s->options.optics);
}

/* Size, pitch, levels: as given, else those of the device. */
static ro_status find_device(ro_context *context, const struct hologram_values *values,
                             struct show *s)
{
    ro_optics *o = &s->options.optics;
    ro_status status = values->modulator ? ro_slm_find(context, values->modulator, &s->slm) : RO_OK;
    if (status != RO_OK)
        return status;
    s->width = values->size ? values->pixels.width : s->slm->width;
    s->height = values->size ? values->pixels.height : s->slm->height;
    if (o->pitch == 0)
        o->pitch = s->slm->pitch;
    status = values->quantize.levels || !s->slm ? hologram_device(context, values, &s->device)
                                                : ro_slm_modulator(context, s->slm, &s->device);
    if (values->quantize.levels)
        s->slm = NULL; /* the file holds what these levels are sent */
    if (hologram_is_list(s->options.levels) || (s->slm && !s->slm->levels)) {
        s->options.levels = NULL;
        s->options.table = s->device.table;
        s->options.table_count = s->device.count;
    } else if (s->slm) {
        s->options.levels = s->slm->levels;
    }
    return status;
}

static ro_status show_spots(ro_context *context, const char *target, struct show *s,
                            ro_image *numbers)
{
    ro_scene_point *points = NULL;
    size_t count = 0;
    int phases;
    ro_status status = ro_points_load(context, target, &points, &count, &phases);
    ro_spot *spots = count ? malloc(count * sizeof *spots) : NULL;
    if (status == RO_OK && !spots)
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for the spots of %s", target);
    for (size_t i = 0; i < count && spots; i++)
        spots[i] = (ro_spot){points[i].x, -points[i].y, points[i].depth,
                             points[i].amplitude * points[i].amplitude};
    s->spots.spots = spots;
    s->spots.count = count;
    s->spotted.size = sizeof s->spotted;
    if (status == RO_OK)
        status = ro_hologram_spots(context, &s->spots, numbers, &s->options, &s->spotted);
    free(spots);
    ro_free(points);
    return status;
}

/* --scene F@D: a picture D behind the modulator. */
static ro_status load_planes(ro_context *context, const struct hologram_values *values,
                             struct show *s, int channel, ro_refinement_plane *planes)
{
    ro_status status = RO_OK;
    for (int i = 0; i < values->scene.count && status == RO_OK; i++) {
        const char *text = values->scene.text[i], *at = strrchr(text, '@');
        double depth = 0;
        int count;
        if (!at || !hologram_numbers(at + 1, "", true, &depth, 1, &count) || depth == 0)
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "scene %s: needs a depth, such as picture.png@80mm", text);
        char *name = strndup(text, (size_t)(at - text));
        if (!name)
            return ro_context_fail(context, RO_E_MEMORY, "no memory for a file name");
        planes[i].distance = -depth;
        status = hologram_place(context, values, name, s->channels > 1 ? channel : -1, s->width,
                                s->height, &s->options.optics, &planes[i].target, NULL);
        free(name);
    }
    return status;
}

static ro_status show_picture(ro_context *context, const struct hologram_values *values,
                              const char *target, struct show *s, int channel, ro_image *numbers)
{
    ro_refinement_report *told = &s->refined[channel];
    ro_status status =
        hologram_place(context, values, target, s->channels > 1 ? channel : -1, s->width, s->height,
                       &s->options.optics, &s->refinement.target, NULL);
    told->size = sizeof *told;
    ro_refinement_plane planes[RO_MOST_TEXTS] = {{{0}, 0}};
    if (status == RO_OK)
        status = load_planes(context, values, s, channel, planes);
    s->refinement.planes = planes;
    s->refinement.plane_count = values->scene.count;
    if (status == RO_OK)
        status = ro_hologram_refine(context, NULL, numbers, &s->options, &s->refinement, told);
    ro_image_free(&s->refinement.target);
    s->refinement.planes = NULL;
    for (int i = 0; i < values->scene.count; i++)
        ro_image_free(&planes[i].target);
    return status;
}

static ro_status save(ro_context *context, const struct hologram_values *values,
                      const struct show *s, const char *path, ro_image *numbers)
{
    ro_image frame = {0};
    if (!s->slm)
        return hologram_save_numbers(context, values, &s->device, path, numbers);
    ro_status status = ro_slm_frame(context, s->slm, numbers, &frame);
    if (status == RO_OK)
        status = ro_image_save(context, path, &frame,
                               &(ro_write_options){RO_WRITE_DEFAULTS, .type = values->type});
    ro_image_free(&frame);
    return status;
}

/* The file of one wavelength. */
static ro_status show_channel(ro_context *context, const struct hologram_values *values,
                              const struct operands *files, struct show *s, int channel)
{
    ro_image numbers = {0};
    ro_field source = {0};
    char *out = hologram_channel(files->path[1], s->channels, channel);
    ro_status status =
        out ? RO_OK : ro_context_fail(context, RO_E_MEMORY, "no memory for a file name");
    s->options.optics.wavelength = s->waves[channel];
    if (status == RO_OK)
        status = hologram_accepts(context, values, &s->device, out);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_INDEX8, s->width, s->height, 255, &numbers);
    if (status == RO_OK)
        status = hologram_source(context, values, &s->options.optics, s->width, s->height, &source);
    s->options.source = source.data ? &source : NULL;
    if (status == RO_OK)
        status = has_lens(values)
                     ? show_spots(context, files->path[0], s, &numbers)
                     : show_picture(context, values, files->path[0], s, channel, &numbers);
    if (status == RO_OK)
        status = save(context, values, s, out, &numbers);
    s->options.source = NULL;
    free(out);
    ro_field_free(&source);
    ro_image_free(&numbers);
    return status;
}

static ro_status work(struct task *task)
{
    struct show *s = task->data;
    ro_status status = find_device(task->context, task->values, s);
    for (int i = 0; i < s->channels && status == RO_OK; i++)
        status = show_channel(task->context, task->values, task->files, s, i);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    const struct show *s = task->data;
    json_put(file, "{command %s, input %s, output %s, modulator %s", "hologram show",
             task->files->path[0], task->out, s->slm ? s->slm->name : "");
    json_put(file, ", width %u, height %u, pitch %.9g, wavelength %.9g, levels %d", s->width,
             s->height, s->options.optics.pitch, s->options.optics.wavelength, s->device.count);
    if (has_lens(task->values))
        json_put(file, ", spots %llu, iterations %d, efficiency %.5g, uniformity %.5g",
                 (unsigned long long)s->spots.count, s->spotted.iterations, s->spotted.efficiency,
                 s->spotted.uniformity);
    else
        hologram_write_refined(file, &s->refined[s->channels - 1]);
    json_put(file, ", seconds %.6f}\n", task->seconds);
}

static void print_line(const struct task *task)
{
    const struct show *s = task->data;
    tell("hologram: %s%s%u x %u pixels of %.4g um, %d levels, %.4g nm%s",
         s->slm ? s->slm->title : "", s->slm ? ", " : "", s->width, s->height,
         1e6 * s->options.optics.pitch, s->device.count, 1e9 * s->waves[0],
         s->channels > 1 ? " and two more" : "");
    if (has_lens(task->values))
        tell("hologram: %zu spots, %d iterations: %.1f %% of the light, uniformity %.4f, %.2f s",
             s->spots.count, s->spotted.iterations, 100 * s->spotted.efficiency,
             s->spotted.uniformity, task->seconds);
    else
        for (int i = 0; i < s->channels; i++)
            hologram_say_refined(&s->refined[i], &task->ran, task->seconds);
}

int hologram_show(const struct command *command, const struct hologram_values *values,
                  const struct operands *files)
{
    struct show s = {0};
    const int wrong = read_show(command, values, &s);
    return wrong ? wrong
                 : task_run(&(struct task){
                       .command = command,
                       .values = values,
                       .files = files,
                       .out = files->path[1],
                       .data = &s,
                       .states_run = true,
                       .work = work,
                       .json = print_json,
                       .say = print_line,
                   });
}
