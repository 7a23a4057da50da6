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

/* What came out. */
struct made {
    uint32_t width, height;
    ro_dots dots; /* of dots in rows */
};

#define MEMBER(member) RO_MEMBER(struct screen_values, member)

static const ro_option rows[] = {
    {MEMBER(spot), ROW_SPOT, .topic = "dots show"},
    {MEMBER(inks), ROW_INKS, .topic = "show", .derived = "those of CMYK"},
    {MEMBER(ink), ROW_INK, .topic = "show"},
    {MEMBER(angles), ROW_ANGLES, .topic = "show"},
    {MEMBER(type), ROW_TYPE,
     .more = "It can be `pgm`, `png`, `tiff`, `npy` or `mem`: ranks in hexadecimal digits, row by "
             "row, as $readmemh of Verilog reads them, of arrays of up to 65536 cells."},
    {MEMBER(list), ROW_LIST},
    {0},
};

static const struct screen_values defaults = {.screen = RO_SCREEN_OPTIONS};

static const ro_option_table own = {
    .name = "screen", .rows = rows, .unset = &defaults, .size = sizeof defaults};

static const char *const examples[] = {
    "roundoff screen make am dots.png --lpi 60 --angle 15 --dpi 1200",
    "roundoff screen show moire.svg --lpi 133 --dpi 2400 --angles auto",
    NULL,
};

static const ro_option *kind_row(void) { return ro_option_find(ro_options_of("screen"), "kind"); }

static int list_kinds(bool json)
{
    int listed = 0;
    if (json)
        putchar('[');
    for (const ro_word *kind = kind_row()->words; kind->name; kind++) {
        if (kind->alias)
            continue;
        if (!json) {
            printf("%-18s %s\n", kind->name, kind->help);
            continue;
        }
        json_put(stdout, "%c{name %s, summary %s}", listed++, kind->name, kind->help);
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
    const char *out = task->out;
    ro_context *context = task->context;
    struct made *made = task->data;
    ro_image image = {0}, spot = {0};
    ro_write_options write = {RO_WRITE_DEFAULTS, .type = values->type};
    ro_screen_options wanted = values->screen;
    const bool in_rows = strcmp(wanted.kind, "am") == 0;
    wanted.ranks = is_mem(values, out);
    wanted.spot = values->spot ? &spot : NULL;
    ro_file_info info = {
        .format = RO_GREYF, .width = wanted.cell, .height = wanted.cell, .pages = 1};
    ro_status status = RO_OK;
    if (values->spot)
        status = ro_image_load(context, values->spot, NULL, &spot, NULL, NULL);
    if (status == RO_OK && in_rows) {
        made->dots.size = sizeof made->dots;
        status = ro_dots_find(context, &wanted, 1, &made->dots);
        info.width = made->dots.width;
        info.height = made->dots.height;
    }
    bool floats = false;
    if (status == RO_OK && !wanted.ranks && (uint64_t)info.width * info.height > UINT16_MAX + 1)
        status = pictures_hold(context, out, &info, &write, &floats);
    wanted.format = floats ? RO_GREYF : RO_GREY16;
    info.format = RO_GREY16;
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
    json_put(file, "{command %s, kind %s, output %s, size %u, width %u, height %u", "screen",
             task->files->path[0], task->out, made->width, made->width, made->height);
    if (made->dots.greys)
        json_put(file, ", lpi %.6f, angle %.6f, greys %u, dots %u", made->dots.lpi,
                 made->dots.angle, made->dots.greys, made->dots.dots);
    json_put(file, ", seconds %.6f}\n", task->seconds);
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
    if (shows)
        return screen_show(command, &values, &names);
    if (!make_given || names.count != 2)
        return usage_error(command, "screen needs make, KIND and OUT, or show and OUT");
    if (values.inks || values.ink.count || values.angles)
        return usage_error(command, "--inks, --ink and --angles apply to screen show");
    char message[RO_OPTION_MESSAGE];
    if (ro_option_set(ro_options_of("screen"), kind_row(), &values.screen, names.path[0],
                      message) != RO_OK)
        return usage_error(command, "%s", message);
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
    .own = &own,
    .families = {{"screen", offsetof(struct screen_values, screen)}},
    .common = COMMON_QUIET | COMMON_JSON | COMMON_CERTIFICATE,
    .examples = examples,
    .run = run,
    .verb = "make",
    .files = 1,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .certify = certificate_of_output,
    .reference = certificate_no_arguments,
};
