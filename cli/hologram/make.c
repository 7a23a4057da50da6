/* SPDX-License-Identifier: MIT */
/* roundoff hologram make: the scene and the optics from their options, and the field they give. */
#include "cli/hologram/hologram.h"
#include "cli/task/task.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <stdlib.h>
#include <string.h>

static int not_lengths(const struct command *command, const char *name, const char *text,
                       const char *what)
{
    return usage_error(command, "--%s %s: must be %s", name, text, what);
}

int hologram_length(const struct command *command, const char *name, const char *text,
                    double *value)
{
    int count;
    if (!text || (hologram_numbers(text, "", true, value, 1, &count) && *value > 0))
        return 0;
    return not_lengths(command, name, text, "a length above zero, such as 635nm or 0.75um");
}

int hologram_depths(const struct command *command, const struct hologram_values *values,
                    double depths[2])
{
    int count;
    if (!values->depth)
        return 0;
    if (!hologram_numbers(values->depth, ",", true, depths, 2, &count) || count != 2 ||
        !(depths[0] > 0 && depths[1] > 0))
        return not_lengths(
            command, "depth", values->depth,
            "two lengths above zero, the nearest and the farthest, such as 8cm,12cm");
    return 0;
}

int hologram_optics(const struct command *command, const struct hologram_values *values,
                    ro_optics *optics)
{
    const double *viewer = values->optics.viewer;
    *optics = values->optics;
    if ((viewer[0] != 0 || viewer[1] != 0 || viewer[2] != 0) && !(viewer[2] < 0))
        return usage_error(command,
                           "--viewer %g,%g,%g: z must be negative, in front of the hologram",
                           viewer[0], viewer[1], viewer[2]);
    optics->hogel = values->quantize.hogel;
    return hologram_length(command, "wavelength", values->wavelength, &optics->wavelength);
}

static int read_scene(const struct command *command, const struct hologram_values *values,
                      ro_hologram_scene *scene)
{
    *scene = values->made;
    scene->target = values->target;
    scene->phase = values->phase;
    scene->seed = values->common.seed;
    return hologram_optics(command, values, &scene->optics);
}

struct made {
    ro_hologram_scene scene;
    ro_optics optics;
    ro_field field;
};

ro_status hologram_take_row(void *writer, uint32_t y, const float *row)
{
    (void)y;
    return ro_field_writer_row(writer, row);
}

/* Nothing but the file holds the whole field. */
static ro_status make_rows(struct task *task, struct made *made)
{
    ro_field_writer *writer = NULL;
    ro_status status = ro_field_writer_open(task->context, task->out, made->field.width,
                                            made->field.height, &writer);
    made->scene.rows = hologram_take_row;
    made->scene.rows_to = writer;
    if (status == RO_OK)
        status = ro_hologram_make(task->context, &made->scene, &made->field, &made->optics);
    return ro_field_writer_close(writer, &made->optics, status);
}

static ro_status work(struct task *task)
{
    struct made *made = task->data;
    ro_context *context = task->context;
    ro_field *field = &made->field;
    ro_status status = ro_bytes_accepts(context, task->out); /* before the long work */
    if (status == RO_OK && made->scene.view_specific)
        return make_rows(task, made);
    if (status == RO_OK && field->width <= SIZE_MAX / 8 / field->height)
        field->data = malloc((size_t)field->width * field->height * 8);
    if (status == RO_OK && !field->data)
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for a field of %u x %u pixels",
                                 field->width, field->height);
    if (status == RO_OK)
        status = ro_hologram_make(context, &made->scene, field, &made->optics);
    if (status == RO_OK)
        status = ro_hologram_save(context, task->out, field, &made->optics);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    const struct made *made = task->data;
    json_put(file,
             "{command %s, output %s, width %u, height %u, depth %.9g, hogel %u, seconds %.6f}\n",
             "hologram make", task->out, made->field.width, made->field.height, made->optics.depth,
             made->optics.hogel, task->seconds);
}

static void print_line(const struct task *task)
{
    const struct hologram_values *values = task->values;
    const struct made *made = task->data;
    const ro_field *field = &made->field;
    tell("hologram: %s, %u x %u, %.3g mm wide, in focus at %.4g mm, %.2f s",
         values->target ? values->target : "dice", field->width, field->height,
         field->width * made->optics.pitch * 1e3, made->optics.depth * 1e3, task->seconds);
}

int hologram_make(const struct command *command, const struct hologram_values *values,
                  const struct operands *files)
{
    const char *const *path = files->path;
    struct made made = {0};
    for (int i = 0; i < values->scene.count; i++)
        if (hologram_is_cloud(values->scene.text[i]))
            return hologram_points(command, values, files);
    if (values->scene.count)
        return hologram_scene(command, values, files);
    if (values->depth_map || values->depth)
        return usage_error(command, "--%s needs --scene",
                           values->depth_map ? "depth-map" : "depth");
    int result = read_scene(command, values, &made.scene);
    if (result)
        return result;
    if (!values->size)
        return usage_error(command, "hologram make needs --size, such as --size 2048x2048");
    const char *dot = strrchr(path[0], '.');
    if (!dot || strcmp(dot, ".npy") != 0)
        return usage_error(command, "%s: a field must be written as .npy", path[0]);
    /* Without gaps between rows, so that it is computed in place. */
    made.field = (ro_field){values->pixels.width, values->pixels.height,
                            8 * (ptrdiff_t)values->pixels.width, NULL};
    result = task_run(&(struct task){
        .command = command,
        .values = values,
        .files = files,
        .out = path[0],
        .data = &made,
        .work = work,
        .json = print_json,
        .say = print_line,
    });
    free(made.field.data);
    return result;
}
