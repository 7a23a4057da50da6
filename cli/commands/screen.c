/* SPDX-License-Identifier: MIT */
/* roundoff screen: makes a threshold array for ordered dithering and search. */
#include "cli/certificate/certificate.h"
#include "cli/commands/task.h"
#include "roundoff_io.h"

#include <string.h>
#include <strings.h>

struct values {
    struct common common;
    int size, angle;
    const char *shape, *type;
    bool list;
};

static const struct values defaults;

static const char *const angles[] = {"0", "45", NULL};

static const struct option options[] = {
    {"size", "N", "cells per side (default: 64, 8 for dots, 512 for uniform)", OPTION_WHOLE,
     .offset = offsetof(struct values, size), .min = 1, .max = 1 << 20},
    {"angle", "A", "angle of clustered dots: 0 (default) or 45 degrees", OPTION_CHOICE,
     .offset = offsetof(struct values, angle), .choices = angles},
    {"shape", "S", "shape of clustered dots: round (default), line or diamond", OPTION_TEXT,
     .offset = offsetof(struct values, shape)},
    {"type", "T", "type of OUT: pgm, png, tiff, npy, mem (default: its name)", OPTION_TEXT,
     .offset = offsetof(struct values, type)},
    {"list", NULL, "list the kinds and stop", OPTION_FLAG, .offset = offsetof(struct values, list)},
    {0},
};

static const char *const examples[] = {
    "roundoff screen make void-and-cluster blue.png --size 128 --seed 7",
    "roundoff screen make clustered-dot dots.pgm --size 12 --angle 45",
    NULL,
};

static int list_kinds(bool json)
{
    const ro_screen_kind *kind;
    for (int i = 0; (kind = ro_screen_kind_at(i)); i++) {
        if (!json) {
            printf("%-18s %s\n", kind->name, kind->summary);
            continue;
        }
        printf("%s{\"name\": \"%s\", \"summary\": ", i ? ", " : "[", kind->name);
        json_string(stdout, kind->summary);
        putchar('}');
    }
    if (json)
        puts("]");
    return finish_stdout();
}

/* A memory file for a circuit holds the ranks themselves. */
static bool is_mem(const struct values *values, const char *out)
{
    const char *dot = strrchr(out, '.');
    const char *type = values->type ? values->type : dot ? dot + 1 : "";
    return strcasecmp(type + (*type == '.'), "mem") == 0;
}

/* As numbers of 16 bits where they tell the ranks apart or the file holds nothing better, else as
 * floats. */
static ro_status make(struct task *task)
{
    const struct values *values = task->values;
    const char *kind = task->files->path[0], *out = task->out;
    ro_context *context = task->context;
    uint32_t *size = task->data;
    ro_write_options write = {RO_WRITE_DEFAULTS, .type = values->type};
    ro_screen_options wanted = {
        RO_SCREEN_DEFAULTS,
        .kind = kind,
        .cell = (uint32_t)values->size,
        .seed = values->common.seed,
        .angle = values->angle ? 45 : 0,
        .shape = values->shape,
        .format = RO_GRAY16,
        .ranks = is_mem(values, out),
    };
    ro_file_info info = {
        .format = RO_GRAYF, .width = wanted.cell, .height = wanted.cell, .pages = 1};
    if (values->size > 256 && ro_writer_accepts(context, out, &info, &write) == RO_OK)
        wanted.format = RO_GRAYF;
    ro_image image = {0};
    info.format = RO_GRAY16;
    info.maxval = UINT16_MAX;
    info.width = info.height = wanted.cell ? wanted.cell : 1;
    ro_status status = ro_writer_accepts(context, out, &info, &write);
    if (status == RO_OK)
        status = ro_screen_make(context, &wanted, &image);
    if (status == RO_OK)
        status = ro_image_save(context, out, &image, &write);
    *size = image.width;
    ro_image_free(&image);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    const uint32_t *size = task->data;
    fputs("{\"command\": \"screen\", \"kind\": ", file);
    json_string(file, task->files->path[0]);
    fputs(", \"output\": ", file);
    json_string(file, task->out);
    fprintf(file, ", \"size\": %u, \"seconds\": %.6f}\n", *size, task->seconds);
}

static void print_line(const struct task *task)
{
    const uint32_t *size = task->data;
    tell("screen: %s, %u x %u, %.1f ms", task->files->path[0], *size, *size, 1e3 * task->seconds);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct values values = {0};
    struct operands names;
    bool make_given = argc > 0 && strcmp(argv[0], "make") == 0;
    int ended;
    if (!options_take(command, argc - make_given, argv + make_given, &values, &names, &ended))
        return ended;
    if (values.list && (names.count || make_given))
        return usage_error(command, "--list takes no other argument");
    if (values.list)
        return list_kinds(values.common.json);
    if (!make_given || names.count != 2)
        return usage_error(command, "screen needs make, KIND and OUT");
    uint32_t size = 0;
    return task_run(&(struct task){
        .command = command,
        .values = &values,
        .files = &names,
        .out = names.path[1],
        .data = &size,
        .work = make,
        .json = print_json,
        .say = print_line,
    });
}

const struct command command_screen = {
    .name = "screen",
    .operands = "make KIND OUT",
    .summary = "makes a threshold array for ordered dithering",
    .options = options,
    .common = COMMON_SEED | COMMON_QUIET | COMMON_JSON | COMMON_CERTIFICATE,
    .examples = examples,
    .run = run,
    .verb = "make",
    .files = 1,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .certify = certificate_of_output,
    .reference = certificate_no_arguments,
};
