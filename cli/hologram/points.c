/* SPDX-License-Identifier: MIT */
/* roundoff hologram make --scene of a cloud of points. */
#include "cli/hologram/hologram.h"
#include "cli/task/task.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <stdlib.h>
#include <string.h>

struct cloud {
    ro_point_scene scene;
    ro_scene_point *points;
    ro_optics optics; /* as they were taken */
    double depths[2]; /* of the nearest and the farthest; 0: as they are */
};

bool hologram_is_cloud(const char *name)
{
    static const char *const endings[] = {".ply", ".xyz", ".csv", ".txt"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

static int read_cloud(const struct command *command, const struct hologram_values *values,
                      struct cloud *c)
{
    if (values->target || values->depth_map)
        return usage_error(command, "--target and --depth-map do not apply to points");
    if (values->scene.count > 1)
        return usage_error(command, "points must be the only --scene");
    if (!values->size)
        return usage_error(command, "hologram make needs --size, such as --size 1920x1080");
    c->scene =
        (ro_point_scene){RO_POINT_SCENE_DEFAULTS, .phase = values->phase,
                         .seed = values->common.seed, .view_specific = values->made.view_specific};
    int bad = hologram_optics(command, values, &c->scene.optics);
    if (!bad)
        bad = hologram_depths(command, values, c->depths);
    if (c->scene.optics.wavelength == 0)
        c->scene.optics.wavelength = 635e-9;
    if (c->scene.optics.pitch == 0)
        c->scene.optics.pitch = 8e-6;
    return bad;
}

/* Files have y upwards, holograms their rows downwards. */
static ro_status load(ro_context *context, const struct hologram_values *values, struct cloud *c)
{
    const ro_optics *o = &c->scene.optics;
    int phases = 0;
    ro_status status =
        ro_points_load(context, values->scene.text[0], &c->points, &c->scene.count, &phases);
    for (size_t i = 0; status == RO_OK && i < c->scene.count; i++)
        c->points[i].y = -c->points[i].y;
    if (status == RO_OK && values->depth)
        status = ro_points_fit(context, c->points, c->scene.count, values->pixels.width * o->pitch,
                               values->pixels.height * (o->pitch_y != 0 ? o->pitch_y : o->pitch),
                               c->depths[0], c->depths[1]);
    if (status == RO_OK && !phases && values->phase && ro_name_equal(values->phase, "given"))
        status = ro_context_fail(context, RO_E_ARGUMENT, "%s has no phases", values->scene.text[0]);
    if (phases && !values->phase)
        c->scene.phase = "given";
    c->scene.points = c->points;
    return status;
}

static ro_status work(struct task *task)
{
    const struct hologram_values *values = task->values;
    struct cloud *c = task->data;
    ro_context *context = task->context;
    ro_field_writer *writer = NULL;
    ro_field field = {.width = values->pixels.width, .height = values->pixels.height};
    ro_status status = ro_bytes_accepts(context, task->out);
    if (status == RO_OK)
        status = load(context, values, c);
    if (status == RO_OK && !values->made.view_specific)
        status = ro_field_alloc(context, field.width, field.height, &field);
    if (status == RO_OK)
        status = ro_field_writer_open(context, task->out, values->pixels.width,
                                      values->pixels.height, &writer);
    c->scene.rows = hologram_take_row;
    c->scene.rows_to = writer;
    if (status == RO_OK)
        status = ro_hologram_points(context, &c->scene, &field, &c->optics);
    status = ro_field_writer_close(writer, &c->optics, status);
    ro_field_free(&field);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    const struct cloud *c = task->data;
    hologram_made_json(task, file, "points", c->scene.count, &c->optics);
}

static void print_line(const struct task *task)
{
    const struct cloud *c = task->data;
    hologram_made_line(task, "points", c->scene.count, &c->optics);
}

int hologram_points(const struct command *command, const struct hologram_values *values,
                    const struct operands *files)
{
    const char *path = files->path[0], *dot = strrchr(path, '.');
    struct cloud c = {0};
    int result = read_cloud(command, values, &c);
    if (!result && (!dot || strcmp(dot, ".npy") != 0))
        result = usage_error(command, "%s: a field must be written as .npy", path);
    if (!result)
        result = task_run(&(struct task){
            .command = command,
            .values = values,
            .files = files,
            .out = path,
            .data = &c,
            .work = work,
            .json = print_json,
            .say = print_line,
        });
    ro_free(c.points);
    return result;
}
