/* SPDX-License-Identifier: MIT */
/* roundoff measure: figures of a result against its original, as a table, JSON or a page. */
#include "cli/certificate/certificate.h"
#include "cli/commands/task.h"
#include "cli/frame/figures.h"
#include "cli/frame/pictures.h"
#include "cli/frame/work.h"
#include "cli/page/page.h"
#include "roundoff_io.h"

#include <string.h>

struct values {
    struct common common;
    double dpi, distance;
    int tile, border, page;
    bool linear;
    const char *report;
};

#define PLACE(member) .offset = offsetof(struct values, member)

static const struct values defaults = {.tile = -1};

static const char *const tiles[] = {"16", "32", "64", "128", "256", NULL};

static const struct option options[] = {
    {"dpi", "D", "resolution of the result (default: its own, or 300)", OPTION_NUMBER, PLACE(dpi),
     .min = 1, .max = 1000000},
    {"distance", "MM", "viewing distance in millimetres (default 300)", OPTION_NUMBER,
     PLACE(distance), .min = 1, .max = 1000000},
    {"linear", NULL, "compare in linear light (after halftone --linear)", OPTION_FLAG,
     PLACE(linear)},
    {"tile", "N", "side of the flat squares: 16, 32, 64 (default), 128, 256", OPTION_CHOICE,
     PLACE(tile), .choices = tiles},
    {"border", "N", "pixels that count as border (default 16)", OPTION_WHOLE, PLACE(border),
     .min = 1, .max = 1 << 20},
    {"page", "N", "page of ORIGINAL, a TIFF file (default 1)", OPTION_WHOLE, PLACE(page), .min = 1,
     .max = 1000000},
    {"report", "FILE", "write a page with plots and enlarged details (.html)", OPTION_TEXT,
     PLACE(report), .writes = true},
    {0},
};

static const char *const examples[] = {
    "roundoff measure photo.png photo.pbm --dpi 600 --distance 400",
    "roundoff measure photo.png photo.pbm --report photo.html",
    NULL,
};

struct job {
    ro_image original, result;
    ro_measure_report report;
    ro_colour_report colour;
    bool in_colour;
};

static ro_status load_and_measure(ro_context *context, const struct values *values,
                                  const struct operands *files, struct job *job)
{
    ro_file_info info;
    ro_read_options read = pictures_read(files->path[0]);
    read.page = (unsigned)values->page;
    ro_status status = ro_image_load(context, files->path[0], &read, &job->original, NULL,
                                     pictures_dropped(files->path[0]));
    if (status == RO_OK)
        status = pictures_load(context, files->path[1], &job->result, &info);
    if (status != RO_OK)
        return status;
    const ro_measure_options measure = {
        RO_MEASURE_DEFAULTS,
        .dpi = values->dpi > 0 ? values->dpi : info.dpi_x,
        .distance = values->distance,
        .linear = values->linear,
        .tile = values->tile >= 0 ? 16 << values->tile : 0,
        .border = values->border,
    };
    job->in_colour = ro_format_is_colour(job->result.format);
    status = ro_measure(context, &job->original, &job->result, &measure, &job->report);
    if (status == RO_OK && job->in_colour)
        status = ro_measure_colour(context, &job->original, &job->result, &measure, &job->colour);
    return status;
}

/* Both pictures and every figure to the last bit; fields by their means. */
static ro_status certify(struct certificate *to, const void *given, const struct operands *files)
{
    struct job job = {0};
    __int128 pixels[RO_MEASURE_LEVELS];
    ro_status status = load_and_measure(to->context, given, files, &job);
    if (status == RO_OK) {
        const ro_measure_report *report = &job.report;
        const struct {
            const char *name;
            double value;
        } figures[] = {
            {"rms", report->raw.rms},
            {"rms_gaussian", report->gaussian.rms},
            {"rms_contrast", report->contrast.rms},
            {"ssim", report->ssim},
            {"tone_in", report->tone_in},
            {"tone_out", report->tone_out},
            {"tone_rms", report->tone_rms},
            {"border_rms", report->border.rms},
            {"grain", report->grain},
            {"worms", report->worms},
            {"anisotropy", report->anisotropy},
            {"clumping", report->dots.clumping},
        };
        certificate_picture(to, "original", &job.original);
        certificate_picture(to, "result", &job.result);
        for (int i = 0; i < RO_MEASURE_LEVELS; i++)
            pixels[i] = (__int128)report->levels[i].pixels;
        certificate_integers(to, "level_pixels", pixels, RO_MEASURE_LEVELS);
        certificate_natural(to, "dots", report->dots.dots);
        certificate_natural(to, "dot_pixels", report->dots.pixels);
        for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
            certificate_real(to, figures[i].name, figures[i].value);
    }
    ro_free(job.report.fields);
    ro_image_free(&job.original);
    ro_image_free(&job.result);
    return status;
}

static ro_status work(struct task *task)
{
    const struct values *values = task->values;
    struct job *job = task->data;
    ro_status status = load_and_measure(task->context, values, task->files, job);
    if (status == RO_OK && values->report)
        status = page_measure(task->context, values->report, task->files->path, &job->original,
                              &job->result, &job->report);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    const struct job *job = task->data;
    fputs("{\"command\": \"measure\", \"original\": ", file);
    json_string(file, task->files->path[0]);
    fputs(", \"result\": ", file);
    json_string(file, task->files->path[1]);
    fputs(", ", file);
    figures_json(file, &job->report);
    if (job->in_colour)
        figures_colour_json(file, &job->colour);
    pictures_json(file);
    fprintf(file, ", \"seconds\": %.6f}\n", task->seconds);
}

static void print_table(const struct task *task)
{
    const struct job *job = task->data;
    const struct values *values = task->values;
    if (job->in_colour && !values->linear)
        figures_colour_table(stdout, &job->report, &job->colour);
    else
        figures_table(stdout, &job->report);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct values values = defaults;
    struct operands files;
    int ended;
    if (!options_take(command, argc, argv, &values, &files, &ended))
        return ended;
    if (files.count != 2)
        return usage_error(command, "measure needs ORIGINAL and RESULT");
    if (values.report && !can_write(values.report))
        return 1;
    struct job job = {0};
    int result = task_run(&(struct task){
        .command = command,
        .values = &values,
        .files = &files,
        .out = values.report,
        .data = &job,
        .work = work,
        .json = print_json,
        .say = print_table,
    });
    ro_free(job.report.fields);
    ro_image_free(&job.original);
    ro_image_free(&job.result);
    return result;
}

const struct command command_measure = {
    .name = "measure",
    .operands = "ORIGINAL RESULT",
    .summary = "says how good a result is: what an eye sees, tone, texture, dots",
    .options = options,
    .common = COMMON_THREADS | COMMON_QUIET | COMMON_JSON | COMMON_CERTIFICATE | COMMON_STRICT,
    .examples = examples,
    .run = run,
    .files = 2,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .certify = certify,
};
