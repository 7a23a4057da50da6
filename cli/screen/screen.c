/* SPDX-License-Identifier: MIT */
/* roundoff screen: makes a threshold array for ordered dithering and search; show.c draws the
 * moiré of several. */
#include "cli/screen/screen.h"
#include "cli/certificate/certificate.h"
#include "cli/common/pictures.h"
#include "cli/task/task.h"
#include "roundoff_io.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct screen_values defaults = {.lpi = -1};

/* What came out. */
struct made {
    uint32_t width, height;
    ro_dots dots; /* of dots in rows */
};

static const struct option options[] = {
    {"size", "N", "cells per side (default: 64, 8 for dots, 512 for uniform)", OPTION_WHOLE,
     .offset = offsetof(struct screen_values, size), .min = 1, .max = 1 << 20},
    {"lpi", "L", "am, show: lines of dots per inch", OPTION_NUMBER,
     .offset = offsetof(struct screen_values, lpi), .also = "show", .min = 0, .max = 1000000},
    {"dpi", "D", "am, show: resolution of the pictures it is for, or 600x300", OPTION_TEXT,
     .offset = offsetof(struct screen_values, dpi), .also = "show"},
    {"angle", "A", "angle of dots in degrees (default 0); clustered dots 0 or 45", OPTION_TEXT,
     .offset = offsetof(struct screen_values, angle)},
    {"shape", "S", "of dots: round (default), line, diamond; see the man page", OPTION_TEXT,
     .offset = offsetof(struct screen_values, shape), .also = "show"},
    {"spot", "FILE", "am: a dot of your own, as a picture; dark prints first", OPTION_TEXT,
     .offset = offsetof(struct screen_values, spot), .also = "show"},
    {"dot", "N", "pixels of the smallest dot (default: am 1, green-noise 4)", OPTION_WHOLE,
     .offset = offsetof(struct screen_values, dot), .also = "show", .min = 1, .max = 1000000},
    {"inks", "LIST", "show: inks, 1 to 8 colours (default: those of CMYK)", OPTION_TEXT,
     .offset = offsetof(struct screen_values, inks), .topic = "show"},
    {"ink", "I", "show: an ink's screen: cyan:lpi=133,angle=15,shape=S", OPTION_LIST,
     .offset = offsetof(struct screen_values, ink), .topic = "show"},
    {"angles", "A", "show: auto (little moiré), or degrees, \"15,75,0,45\"", OPTION_TEXT,
     .offset = offsetof(struct screen_values, angles), .topic = "show"},
    {"type", "T", "type of OUT: pgm, png, tiff, npy, mem (default: its name)", OPTION_TEXT,
     .offset = offsetof(struct screen_values, type)},
    {"list", NULL, "list the kinds and stop", OPTION_FLAG,
     .offset = offsetof(struct screen_values, list)},
    {0},
};

static const char *const examples[] = {
    "roundoff screen make am dots.png --lpi 60 --angle 15 --dpi 1200",
    "roundoff screen show moire.svg --lpi 133 --dpi 2400 --angles auto",
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
static bool is_mem(const struct screen_values *values, const char *out)
{
    const char *dot = strrchr(out, '.');
    const char *type = values->type ? values->type : dot ? dot + 1 : "";
    return strcasecmp(type + (*type == '.'), "mem") == 0;
}

/* As numbers of 16 bits where they tell the ranks apart or the file holds nothing better, else as
 * floats. */
static ro_status make(struct task *task)
{
    const struct screen_values *values = task->values;
    const char *kind = task->files->path[0], *out = task->out;
    ro_context *context = task->context;
    struct made *made = task->data;
    const bool in_rows = values->lpi > 0 || ro_name_equal(kind, "am");
    ro_image image = {0}, spot = {0};
    double dpi[2];
    (void)read_dpi(values->dpi, dpi);
    ro_write_options write = {RO_WRITE_DEFAULTS, .type = values->type};
    ro_screen_options wanted = {
        RO_SCREEN_DEFAULTS,
        .kind = kind,
        .cell = (uint32_t)values->size,
        .seed = values->common.seed,
        .degrees = values->angle ? strtod(values->angle, NULL) : 0,
        .shape = values->shape,
        .format = RO_GRAY16,
        .ranks = is_mem(values, out),
        .lpi = values->lpi > 0 ? values->lpi : 0,
        .dpi = dpi[0],
        .dpi_y = dpi[1],
        .spot = values->spot ? &spot : NULL,
        .dot = (uint32_t)values->dot,
    };
    ro_file_info info = {
        .format = RO_GRAYF, .width = wanted.cell, .height = wanted.cell, .pages = 1};
    ro_status status = RO_OK;
    if (values->spot)
        status = ro_image_load(context, values->spot, NULL, &spot, NULL, NULL);
    if (status == RO_OK && in_rows) {
        status = ro_dots_find(context, &wanted, 1, &made->dots);
        info.width = made->dots.width;
        info.height = made->dots.height;
    }
    bool floats = false;
    if (status == RO_OK && !wanted.ranks && (uint64_t)info.width * info.height > UINT16_MAX + 1)
        status = pictures_hold(context, out, &info, &write, &floats);
    if (floats)
        wanted.format = RO_GRAYF;
    info.format = RO_GRAY16;
    info.maxval = UINT16_MAX;
    info.width = info.width ? info.width : 1;
    info.height = info.height ? info.height : 1;
    if (status == RO_OK)
        status = ro_writer_accepts(context, out, &info, &write);
    if (status == RO_OK)
        status = ro_screen_make(context, &wanted, &image);
    if (status == RO_OK)
        status = ro_image_save(context, out, &image, &write);
    made->width = image.width;
    made->height = image.height;
    ro_image_free(&image);
    ro_image_free(&spot);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    const struct made *made = task->data;
    fputs("{\"command\": \"screen\", \"kind\": ", file);
    json_string(file, task->files->path[0]);
    fputs(", \"output\": ", file);
    json_string(file, task->out);
    fprintf(file, ", \"size\": %u, \"width\": %u, \"height\": %u", made->width, made->width,
            made->height);
    if (made->dots.greys)
        fprintf(file, ", \"lpi\": %.6f, \"angle\": %.6f, \"greys\": %u, \"dots\": %u",
                made->dots.lpi, made->dots.angle, made->dots.greys, made->dots.dots);
    fprintf(file, ", \"seconds\": %.6f}\n", task->seconds);
}

static void print_line(const struct task *task)
{
    const struct made *made = task->data;
    char dots[96] = "";
    if (made->dots.greys)
        snprintf(dots, sizeof dots, "%.3f lpi at %.3f degrees, %u greys, ", made->dots.lpi,
                 made->dots.angle, made->dots.greys);
    tell("screen: %s, %u x %u, %s%.1f ms", task->files->path[0], made->width, made->height, dots,
         1e3 * task->seconds);
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct screen_values values = defaults;
    struct operands names;
    const bool make_given = argc > 0 && strcmp(argv[0], "make") == 0;
    const bool shows = argc > 0 && strcmp(argv[0], "show") == 0;
    int ended;
    if (shows && asks_for_help(argc, argv)) {
        options_help(command, "show", stdout);
        return finish_stdout();
    }
    if (!options_take(command, argc - (make_given || shows), argv + (make_given || shows), &values,
                      &names, &ended))
        return ended;
    if (values.list && (names.count || make_given || shows))
        return usage_error(command, "--list takes no other argument");
    if (values.list)
        return list_kinds(values.common.json);
    if (values.lpi == 0)
        return usage_error(command, "--lpi 0: must be above 0");
    double dpi[2];
    if (!read_dpi(values.dpi, dpi))
        return usage_error(command,
                           "--dpi %s: must be a number from 1 to 1000000, or two such as "
                           "600x300",
                           values.dpi);
    if (shows)
        return screen_show(command, &values, &names);
    if (!make_given || names.count != 2)
        return usage_error(command, "screen needs make, KIND and OUT, or show and OUT");
    if (values.inks || values.ink.count || values.angles)
        return usage_error(command, "--inks, --ink and --angles apply to screen show");
    double degrees;
    if (values.angle && !read_degrees(values.angle, &degrees))
        return usage_error(command, "--angle %s: must be degrees, -360 to 360", values.angle);
    if (values.spot && same_file(values.spot, names.path[1]))
        return usage_error(command, "--spot and OUT are the same file, %s", values.spot);
    struct made made = {0};
    return task_run(&(struct task){
        .command = command,
        .values = &values,
        .files = &names,
        .out = names.path[1],
        .data = &made,
        .work = make,
        .json = print_json,
        .say = print_line,
    });
}

const struct command command_screen = {
    .name = "screen",
    .operands = "make KIND OUT | show OUT",
    .summary = "makes a threshold array for ordered dithering; shows moiré",
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
