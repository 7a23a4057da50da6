/* SPDX-License-Identifier: MIT */
/* roundoff measure: figures of a result against its original, as a table, JSON or a page. */
#include "cli/certificate/certificate.h"
#include "cli/common/pictures.h"
#include "cli/common/print_measure.h"
#include "cli/common/session.h"
#include "cli/common/shared_rows.h"
#include "cli/common/stacks.h"
#include "cli/common/string_buffer.h"
#include "cli/input/palettes.h"
#include "cli/input/resize.h"
#include "cli/page/page.h"
#include "cli/task/task.h"
#include "roundoff/library.h"
#include "roundoff_io.h"

#include <stdlib.h>
#include <string.h>

struct values {
    struct common common;
    const char *page, *report, *palette, *resize;
    ro_measure_options measure;
};

#define MEMBER(member) RO_MEMBER(struct values, member)

static const ro_option rows[] = {
    {MEMBER(page), ROW_PAGE,
     .more = "They are pages of ORIGINAL; RESULT has the same pages, or as many."},
    {MEMBER(report), ROW_REPORT},
    {MEMBER(palette), ROW_SHOWN_PALETTE, .derived = "the panel whose colours RESULT has",
     .more = "The eye is adapted to its black and white. Without this option it is adapted to a "
             "panel if RESULT has only colours of one of the built-in palettes whose names end in "
             "-panel; the table says so."},
    {MEMBER(resize), ROW_RESIZE,
     .more = "ORIGINAL is resized as `halftone` did it to make RESULT."},
    {0},
};

static const struct values defaults = {.measure = RO_MEASURE_OPTIONS};

static const ro_option_table own = {
    .name = "measure", .rows = rows, .unset = &defaults, .size = sizeof defaults};

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
    struct eye eye;
    ro_palette palette; /* of the result, where the eye is adapted to it */
    /* Pages, from 1; 0: the only one. */
    unsigned count, first, result_first;
    struct printed pages; /* JSON of those of a stack; no file: there is one page */
};

static void release(struct job *job)
{
    ro_free(job->report.fields);
    job->report.fields = NULL;
    ro_image_free(&job->original);
    ro_image_free(&job->result);
}

/* Which pages of RESULT belong to those of ORIGINAL: the same, or as many. */
static ro_status find_pages(ro_context *context, const struct values *values,
                            const struct operands *files, struct job *job)
{
    ro_read_options read = pictures_read(files->path[0]);
    ro_file_info original = {0}, result = {0};
    job->count = 1;
    stack_pages(values->page, &read);
    job->first = read.page;
    if (!stack_can_look(files->path[0]) || !stack_can_look(files->path[1]))
        return RO_OK;
    ro_status status = stack_look(context, files->path[0], &read, &original);
    read = pictures_read(files->path[1]);
    read.pages = RO_PAGES_STACK;
    if (status == RO_OK)
        status = stack_look(context, files->path[1], &read, &result);
    if (status != RO_OK)
        return status;
    const unsigned count = stack_count(&original), there = stack_count(&result);
    job->count = count;
    if (count > 1 && !job->first)
        job->first = 1;
    if (there > 1 && there == original.pages)
        job->result_first = job->first ? job->first : 1;
    else if (count > 1 && there == count)
        job->result_first = 1;
    else if (count > 1)
        return ro_context_fail(context, RO_E_SIZE, "%u pages of %s, but %s has %u", count,
                               files->path[0], files->path[1], there);
    return RO_OK;
}

/* `resize`: as it says for the original, in light where halftone mixes light; NULL: it stays. */
static ro_status load(ro_context *context, const char *path, unsigned page,
                      const struct values *resize, bool light, ro_image *image, ro_file_info *info)
{
    ro_read_options read = pictures_read(path);
    read.page = page;
    read.carries = 1; /* nothing is written, so nothing is lost */
    read.profile = RO_PROFILE_APPLY;
    read.resize_light = light;
    if (resize)
        resize_parse(resize->resize, resize->measure.dpi, &read);
    return ro_image_load(context, path, &read, image, info, pictures_dropped(path));
}

/* Floats are measured from 0 to 1; what is far outside is in other units, and what is no number is
 * no picture. */
static ro_status check_floats(ro_context *context, const char *path, const ro_image *image,
                              const ro_file_info *info)
{
    if (image->format != RO_GREYF && image->format != RO_RGBF)
        return RO_OK;
    const size_t samples = image->format == RO_RGBF ? 3 : 1;
    for (uint32_t y = 0; y < image->height; y++) {
        const float *row = (const void *)((const char *)image->data + (ptrdiff_t)y * image->stride);
        for (size_t x = 0; x < samples * image->width; x++)
            if (!(row[x] >= -0.5f && row[x] <= 1.5f))
                return ro_context_fail(context, RO_E_ARGUMENT,
                                       stack_is_wide(info)
                                           ? "%s: %.9g at (%zu, %u): integers are measured where "
                                             "they span 16 bits at most"
                                           : "%s: %g at (%zu, %u): floats are measured from 0, "
                                             "black, to 1, white",
                                       path, (double)row[x], x / samples, y);
    }
    return RO_OK;
}

/* Numbers that are not plain samples count from the least of their file to the largest: two files
 * compare where these are the same. A halftone of such numbers has plain samples. */
static ro_status check_ranges(ro_context *context, const struct operands *files,
                              const ro_file_info *a, const ro_file_info *b)
{
    if (a->sample == RO_SAMPLE_PLAIN || b->sample == RO_SAMPLE_PLAIN ||
        (a->zero == b->zero && a->maxval == b->maxval))
        return RO_OK;
    return ro_context_fail(
        context, RO_E_ARGUMENT,
        "%s counts from %lld to %lld and %s from %lld to %lld: they are measured "
        "only in one range, such as that of 8 or 16 bits",
        files->path[0], (long long)a->zero, (long long)(a->zero + a->maxval), files->path[1],
        (long long)b->zero, (long long)(b->zero + b->maxval));
}

static ro_status check_sizes(ro_context *context, const struct operands *files,
                             const struct job *job)
{
    const ro_image *original = &job->original, *result = &job->result;
    if (original->width == result->width && original->height == result->height)
        return RO_OK;
    return ro_context_fail(context, RO_E_SIZE,
                           "%s is %u x %u but %s is %u x %u; if it was resized, add --resize as it "
                           "was made with, such as --resize %ux%u",
                           files->path[0], original->width, original->height, files->path[1],
                           result->width, result->height, result->width, result->height);
}

/* Adapts the eye to the palette that was given, or to the panel whose colours these are. */
static ro_status adapt(ro_context *context, const char *palette, struct job *job)
{
    job->eye.adapted = NULL;
    if (!job->in_colour)
        return palette ? ro_context_fail(context, RO_E_ARGUMENT,
                                         "palette %s: the result has no colours", palette)
                       : RO_OK;
    if (!palette) {
        job->eye.adapted = palette_of_panel(context, &job->result, &job->palette);
        return RO_OK;
    }
    const ro_status status = palette_read(context, palette, &job->palette);
    job->eye.adapted = status == RO_OK ? palette : NULL;
    return status;
}

/* Page `at` of those, from 0. */
static ro_status load_and_measure(ro_context *context, const struct values *values,
                                  const struct operands *files, unsigned at, struct job *job)
{
    ro_file_info info, first;
    ro_status status = load(context, files->path[1], job->result_first ? job->result_first + at : 0,
                            NULL, false, &job->result, &info);
    job->in_colour = status == RO_OK && ro_format_is_colour(job->result.format);
    if (status == RO_OK)
        status = load(context, files->path[0], job->first ? job->first + at : 0, values,
                      values->measure.linear || job->in_colour, &job->original, &first);
    if (status == RO_OK)
        status = check_sizes(context, files, job);
    if (status == RO_OK)
        status = check_floats(context, files->path[0], &job->original, &first);
    if (status == RO_OK)
        status = check_floats(context, files->path[1], &job->result, &info);
    if (status == RO_OK)
        status = check_ranges(context, files, &first, &info);
    if (status != RO_OK)
        return status;
    ro_measure_options measure = values->measure;
    measure.dpi = pictures_dpi(measure.dpi, &info, &first);
    status = adapt(context, values->palette, job);
    if (status != RO_OK)
        return status;
    measure.adapted = job->eye.adapted ? &job->palette : NULL;
    job->eye.dpi = measure.dpi;
    job->eye.distance = measure.distance > 0 ? measure.distance : 300;
    job->report.size = sizeof job->report;
    status = ro_measure(context, &job->original, &job->result, &measure, &job->report);
    job->eye.sigma = job->report.sigma;
    job->colour.size = sizeof job->colour;
    if (status == RO_OK && job->in_colour)
        status = ro_measure_colour(context, &job->original, &job->result, &measure, &job->colour);
    return status;
}

static void put_figures(FILE *file, const struct job *job)
{
    figures_eye_json(file, &job->eye);
    figures_json(file, &job->report);
    if (job->in_colour)
        figures_colour_json(file, &job->colour);
}

static void put_table(const struct values *values, const struct job *job)
{
    if (job->in_colour && !values->measure.linear)
        figures_colour_table(stdout, &job->report, &job->colour, &job->eye);
    else
        figures_table(stdout, &job->report, &job->eye);
}

/* Both pictures and every figure to the last bit; fields by their means. */
static ro_status certify(struct certificate *to, const void *given, const struct operands *files)
{
    struct job job = {0};
    __int128 pixels[RO_MEASURE_LEVELS];
    ro_status status = find_pages(to->context, given, files, &job);
    if (status == RO_OK && job.count > 1)
        status = ro_context_fail(to->context, RO_E_UNSUPPORTED,
                                 "a certificate is of one page; --page N picks it");
    if (status == RO_OK)
        status = load_and_measure(to->context, given, files, 0, &job);
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
    release(&job);
    return status;
}

/* Pages of a stack are told of as they come. */
static ro_status work_pages(struct task *task)
{
    const struct values *values = task->values;
    struct job *job = task->data;
    if (values->report)
        return ro_context_fail(task->context, RO_E_UNSUPPORTED,
                               "--report is of one page; --page N picks it");
    ro_status status = printed_open(task->context, &job->pages);
    for (unsigned at = 0; at < job->count && status == RO_OK; at++) {
        release(job);
        status = load_and_measure(task->context, values, task->files, at, job);
        if (status != RO_OK)
            break;
        json_put(job->pages.file, "%c{page %u, ", at, job->first + at);
        put_figures(job->pages.file, job);
        fputc('}', job->pages.file);
        if (!values->common.json && !values->common.quiet) {
            printf("%spage %u\n", at ? "\n" : "", job->first + at);
            put_table(values, job);
        }
    }
    return status;
}

static ro_status work(struct task *task)
{
    const struct values *values = task->values;
    struct job *job = task->data;
    ro_status status = find_pages(task->context, values, task->files, job);
    if (status == RO_OK && job->count > 1)
        return work_pages(task);
    if (status == RO_OK)
        status = load_and_measure(task->context, values, task->files, 0, job);
    if (status == RO_OK && values->report)
        status = page_measure(task->context, values->report, task->files->path, &job->original,
                              &job->result, &job->report);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    struct job *job = task->data;
    json_put(file, "{command %s, original %s, result %s, ", "measure", task->files->path[0],
             task->files->path[1]);
    if (job->pages.file) {
        json_put(file, "pages ");
        printed_list(&job->pages, file);
    } else {
        put_figures(file, job);
    }
    pictures_json(file);
    json_put(file, ", seconds %.6f}\n", task->seconds);
}

static void print_table(const struct task *task)
{
    const struct job *job = task->data;
    if (!job->pages.file)
        put_table(task->values, job);
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
    if (resize_check(command, values.resize, values.measure.dpi) != 0)
        return EXIT_BAD_USAGE;
    if (values.report && !can_write(values.report))
        return 1;
    if (stack_check(command, values.page) != 0)
        return EXIT_BAD_USAGE;
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
    release(&job);
    printed_close(&job.pages);
    return result;
}

const struct command command_measure = {
    .name = "measure",
    .operands = "ORIGINAL RESULT",
    .summary = "says how good a result is: what an eye sees, tone, texture, dots",
    .own = &own,
    .families = {{"measure", offsetof(struct values, measure)}},
    .common = COMMON_THREADS | COMMON_QUIET | COMMON_JSON | COMMON_CERTIFICATE | COMMON_STRICT,
    .examples = examples,
    .run = run,
    .files = 2,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .certify = certify,
};
