/* SPDX-License-Identifier: MIT */
/* roundoff screen show: how much moiré the screens of inks make with each other and with the
 * pixels, and a drawing of it. */
#include "cli/inks/inks.h"
#include "cli/screen/screen.h"
#include "cli/task/task.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

struct shown {
    struct ink_list inks;
    ro_moire moire;
};

static ro_status show(struct task *task)
{
    const struct screen_values *values = task->values;
    ro_context *context = task->context;
    struct shown *shown = task->data;
    ro_image spot = {0};
    ro_screen_options screen = values->screen;
    screen.spot = values->spot ? &spot : NULL;
    ro_status status = ro_moire_accepts(context, task->out);
    if (status == RO_OK)
        status = inks_read(context, values->inks, &values->ink, false, &shown->inks);
    if (status == RO_OK && values->spot)
        status = ro_image_load(context, values->spot, NULL, &spot, NULL, NULL);
    if (status == RO_OK && values->angles)
        status = inks_turn(context, values->angles, &screen, &shown->inks);
    shown->moire.size = sizeof shown->moire;
    if (status == RO_OK)
        status =
            ro_moire_find(context, &screen, shown->inks.inks, shown->inks.count, 1, &shown->moire);
    if (status == RO_OK)
        status =
            ro_moire_save(context, task->out, &shown->moire, shown->inks.inks, shown->inks.count);
    ro_image_free(&spot);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    const struct shown *shown = task->data;
    json_put(file, "{command %s, output %s", "screen show", task->out);
    for (int i = 0; i < shown->inks.count; i++) {
        const ro_dots *dots = &shown->moire.dots[i];
        fputs(i ? ", {\"ink\": " : ", \"inks\": [{\"ink\": ", file);
        json_put(file, "%s, lpi %.6f, angle %.6f, greys %u}", shown->inks.inks[i].name, dots->lpi,
                 dots->angle, dots->greys);
    }
    fputs("], ", file);
    inks_json_moire(file, &shown->moire, shown->inks.count);
    json_put(file, ", seconds %.6f}\n", task->seconds);
}

static void print_lines(const struct task *task)
{
    const struct shown *shown = task->data;
    for (int i = 0; i < shown->inks.count; i++) {
        const ro_dots *dots = &shown->moire.dots[i];
        tell("screen: %s: %.3f lpi at %.3f degrees, %u greys", shown->inks.inks[i].name, dots->lpi,
             dots->angle, dots->greys);
    }
    inks_say_moire("screen", &shown->moire);
}

int screen_show(const struct command *command, const struct screen_values *values,
                const struct operands *files)
{
    if (files->count != 1)
        return usage_error(command, "screen show needs OUT, a name that ends in .svg");
    if (values->screen.cell || values->screen.angle != 0 || values->screen.seed || values->type)
        return usage_error(command, "--cell, --angle, --type and --seed apply to screen make");
    if (values->common.certificate)
        return usage_error(command, "--certificate: a drawing is not read back");
    if (values->spot && same_file(values->spot, files->path[0]))
        return usage_error(command, "--spot and OUT are the same file, %s", values->spot);
    struct shown shown = {0};
    const int result = task_run(&(struct task){
        .command = command,
        .values = values,
        .files = files,
        .out = files->path[0],
        .data = &shown,
        .work = show,
        .json = print_json,
        .say = print_lines,
    });
    inks_free(&shown.inks);
    return result;
}
