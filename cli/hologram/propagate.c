/* SPDX-License-Identifier: MIT */
/* roundoff hologram propagate: a field after a distance. */
#include "cli/hologram/hologram.h"
#include "cli/task/task.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <string.h>

/* The optics as seen from where the field is now. */
static ro_optics moved(ro_optics o, double distance)
{
    if (o.depth != 0)
        o.depth += distance;
    o.viewer[2] += o.viewer[2] != 0 ? distance : 0;
    if (!(o.viewer[2] < 0)) { /* it lies behind the viewer */
        memset(o.viewer, 0, sizeof o.viewer);
        memset(o.viewing_area, 0, sizeof o.viewing_area);
    }
    return o;
}

struct propagated {
    ro_optics optics;
    ro_field field;
    double distance;
};

static ro_status work(struct task *task)
{
    struct propagated *p = task->data;
    ro_status status = ro_bytes_accepts(task->context, task->out);
    if (status == RO_OK)
        status = hologram_load_light(task->context, task->values, task->files->path[0], &p->field,
                                     &p->optics);
    if (status == RO_OK)
        status = ro_field_propagate(task->context, &p->field, &p->field, &p->optics, p->distance);
    const ro_optics there = moved(p->optics, p->distance);
    if (status == RO_OK)
        status = ro_hologram_save(task->context, task->out, &p->field, &there);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    const struct propagated *p = task->data;
    json_put(
        file,
        "{command %s, input %s, output %s, width %u, height %u, distance %.9g, seconds %.6f}\n",
        "hologram propagate", task->files->path[0], task->out, p->field.width, p->field.height,
        p->distance, task->seconds);
}

static void print_line(const struct task *task)
{
    const struct propagated *p = task->data;
    tell("hologram: %u x %u, propagated by %.6g mm, %.2f s", p->field.width, p->field.height,
         p->distance * 1e3, task->seconds);
}

int hologram_propagate(const struct command *command, const struct hologram_values *values,
                       const struct operands *files)
{
    struct propagated p = {0};
    int result = hologram_optics(command, values, &p.optics);
    p.distance = values->distance;
    if (!result && p.distance == 0)
        result =
            usage_error(command, "hologram propagate needs --distance, such as --distance 150mm");
    const char *dot = strrchr(files->path[1], '.');
    if (!result && (!dot || strcmp(dot, ".npy") != 0))
        result = usage_error(command, "%s: a field must be written as .npy", files->path[1]);
    if (!result)
        result = task_run(&(struct task){
            .command = command,
            .values = values,
            .files = files,
            .out = files->path[1],
            .data = &p,
            .work = work,
            .json = print_json,
            .say = print_line,
        });
    ro_field_free(&p.field);
    return result;
}
