/* SPDX-License-Identifier: MIT */
/* roundoff testcard: draws the built-in test picture into a file. */
#include "cli/testcard/testcard.h"

#include "cli/certificate/certificate.h"
#include "cli/common/shared_rows.h"
#include "cli/task/task.h"

#define MEMBER(member) RO_MEMBER(struct testcard_values, member)

static const ro_option rows[] = {
    {MEMBER(size), ROW_SIZE, .derived = "1024x1024"},
    {MEMBER(bits), ROW_BITS, .derived = "8"},
    {MEMBER(colour), NULL, "draw in colour, not in grey"},
    {MEMBER(type), ROW_TYPE, .more = "It can be `pgm`, `ppm`, `png`, `tiff` or `npy`."},
    {0},
};

enum { MOST_SIDE = 1 << 30 };

static const struct testcard_values defaults;

static const ro_option_table own = {
    .name = "testcard", .rows = rows, .unset = &defaults, .size = sizeof defaults};

static const char *const examples[] = {
    "roundoff testcard card.png --size 2048x2048 --colour",
    "roundoff testcard - --bits 16 | roundoff halftone - card.pbm",
    NULL,
};

bool testcard_check(const struct command *command, const struct testcard_values *values)
{
    struct size size;
    return !values->size || size_read(command, values->size, MOST_SIDE, &size);
}

ro_image testcard_shape(const struct testcard_values *values)
{
    static const ro_format formats[2][2] = {{RO_GREY8, RO_GREY16}, {RO_RGB8, RO_RGB16}};
    const bool deep = values->bits == 16;
    struct size size = {1024, 1024};
    if (values->size)
        size_parse(values->size, MOST_SIDE, &size);
    return (ro_image){.format = formats[values->colour][deep],
                      .width = size.width,
                      .height = size.height,
                      .maxval = deep ? 65535 : 255};
}

/* Drawn whole: what it will need is asked of the writer before the work. */
static ro_status draw(struct task *task)
{
    const struct testcard_values *values = task->values;
    ro_context *context = task->context;
    const ro_image shape = testcard_shape(values);
    ro_write_options write = {RO_WRITE_DEFAULTS, .type = values->type};
    ro_file_info info = {.format = shape.format,
                         .width = shape.width,
                         .height = shape.height,
                         .maxval = shape.maxval,
                         .pages = 1};
    ro_image image = {0};
    ro_status status = ro_writer_accepts(context, task->out, &info, &write);
    if (status != RO_OK)
        goto done;
    status = ro_image_alloc(context, shape.format, shape.width, shape.height, shape.maxval, &image);
    if (status != RO_OK)
        goto done;
    status = ro_testcard(context, &image);
    if (status != RO_OK)
        goto done;
    status = ro_image_save(context, task->out, &image, &write);
done:
    ro_image_free(&image);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    const struct testcard_values *values = task->values;
    const ro_image shape = testcard_shape(values);
    json_put(file,
             "{command %s, output %s, width %u, height %u, bits %d, colour %hhd, seconds %.6f}\n",
             "testcard", task->out, shape.width, shape.height, values->bits ? values->bits : 8,
             values->colour, task->seconds);
}

static void print_line(const struct task *task)
{
    const struct testcard_values *values = task->values;
    const ro_image shape = testcard_shape(values);
    fprintf(stderr, "testcard: %u x %u, %d bit %s, %.1f ms\n", shape.width, shape.height,
            values->bits ? values->bits : 8, values->colour ? "colour" : "grey",
            1e3 * task->seconds);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct testcard_values values = defaults;
    struct operands files;
    int ended;
    if (!options_take(command, argc, argv, &values, &files, &ended))
        return ended;
    if (files.count != 1)
        return usage_error(command, "testcard needs OUT and nothing else");
    if (!testcard_check(command, &values))
        return EXIT_BAD_USAGE;
    return task_run(&(struct task){
        .command = command,
        .values = &values,
        .files = &files,
        .out = files.path[0],
        .work = draw,
        .json = print_json,
        .say = print_line,
    });
}

const struct command command_testcard = {
    .name = "testcard",
    .operands = "OUT",
    .summary = "draws a picture that shows what halftoning does well and badly",
    .own = &own,
    .common = COMMON_QUIET | COMMON_JSON | COMMON_CERTIFICATE,
    .examples = examples,
    .run = run,
    .files = 1,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .certify = certificate_of_output,
    .reference = certificate_no_arguments,
};
