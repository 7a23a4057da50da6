/* SPDX-License-Identifier: MIT */
/*
 * Registration of stacks, page by page:
 *
 *     FIXED MOVING OUT            pages of MOVING onto those of FIXED, or all onto its only one
 *     --series first IN OUT       pages of IN onto the first
 *     --series previous IN OUT    each onto the one before, as that was aligned
 *
 * so that in a series the first page stays as it is, and what is written of each other page is
 * itself warped once, however long the series is.
 */
#include "cli/common/pictures.h"
#include "cli/common/stacks.h"
#include "cli/common/string_buffer.h"
#include "cli/register/register.h"
#include "cli/task/task.h"
#include "roundoff/library.h"

#include <stdlib.h>
#include <string.h>

struct series {
    const char *fixed, *moving, *out; /* fixed NULL: a series */
    bool previous;
    ro_register_options with;
    ro_register_report report; /* of the last page */
    unsigned at;
    struct printed told; /* JSON of the pages */
};

struct images {
    ro_reader *fixed_reader, *moving_reader;
    ro_writer *writer;
    ro_image fixed, moving, warped, field;
    struct masks masks;
};

static ro_status open_stack(ro_context *context, const char *path, const char *page,
                            ro_reader **reader, ro_image *image)
{
    ro_read_options read = pictures_read(path);
    stack_pages(page, &read);
    read.carries = 1;
    ro_status status = ro_reader_open(context, path, &read, reader);
    if (status != RO_OK)
        return status;
    const ro_file_info *info = ro_reader_info(*reader);
    return ro_image_alloc(context, info->format, info->width, info->height, info->maxval, image);
}

static ro_status open_all(struct task *task, struct series *series, struct images *images)
{
    ro_context *context = task->context;
    const struct register_values *values = task->values;
    ro_status status =
        open_stack(context, series->moving, values->page, &images->moving_reader, &images->moving);
    if (status == RO_OK && series->fixed)
        status =
            open_stack(context, series->fixed, values->page, &images->fixed_reader, &images->fixed);
    if (status == RO_OK)
        status = masks_load(context, values, &images->masks, &series->with);
    if (status != RO_OK)
        return status;
    const ro_file_info *moving = ro_reader_info(images->moving_reader);
    const ro_file_info *fixed = series->fixed ? ro_reader_info(images->fixed_reader) : moving;
    const unsigned pages = stack_count(moving);
    if (series->fixed && stack_count(fixed) != pages && stack_count(fixed) != 1)
        return ro_context_fail(context, RO_E_SIZE, "%s has %u pages and %s %u", series->fixed,
                               stack_count(fixed), series->moving, pages);
    ro_file_info out = *moving;
    out.width = fixed->width;
    out.height = fixed->height;
    status = pictures_carry(context, series->moving, moving, series->out, &out);
    if (status == RO_OK && !series->fixed)
        status = ro_image_alloc(context, moving->format, moving->width, moving->height,
                                moving->maxval, &images->fixed);
    if (status == RO_OK)
        status = ro_image_alloc(context, moving->format, out.width, out.height, moving->maxval,
                                &images->warped);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREYF, 2 * out.width, out.height, 0, &images->field);
    if (status == RO_OK)
        status = ro_writer_open(context, series->out, &out, NULL, &images->writer);
    return status;
}

static void close_all(struct task *task, struct series *series, struct images *images)
{
    ro_dropped *dropped = pictures_dropped(series->moving);
    (void)task;
    if (dropped && images->moving_reader)
        *dropped = *ro_reader_dropped(images->moving_reader);
    ro_reader_close(images->fixed_reader);
    ro_reader_close(images->moving_reader);
    ro_writer_close(images->writer);
    ro_image_free(&images->fixed);
    ro_image_free(&images->moving);
    ro_image_free(&images->warped);
    ro_image_free(&images->field);
    masks_free(&images->masks);
}

static void copy_pixels(ro_image *to, const ro_image *from)
{
    const size_t row = ro_format_row_bytes(from->format, from->width);
    for (uint32_t y = 0; y < from->height; y++)
        memcpy((char *)to->data + (ptrdiff_t)y * to->stride,
               (const char *)from->data + (ptrdiff_t)y * from->stride, row);
}

static void tell_page(const struct task *task, struct series *series)
{
    const struct register_values *values = task->values;
    const ro_register_report *r = &series->report;
    json_put(series->told.file,
             "%c{page %u, match %s, energy_before %.17g, energy_after %.17g, rms %.17g, largest "
             "%.17g, jacobian %.17g, confidence %.17g, useless %hhd}",
             printed_flush(&series->told), series->at + 1, r->match, r->energy_before,
             r->energy_after, r->rms, r->largest, r->jacobian, r->confidence, r->useless);
    if (!values->common.quiet && !values->common.json)
        tell("register: page %u: energy %.4g before, %.4g after; displacement %.3f px RMS, %.2f at "
             "most; least Jacobian %.3f%s",
             series->at + 1, r->energy_before, r->energy_after, r->rms, r->largest, r->jacobian,
             r->useless ? "; of no use" : "");
}

/* One page onto the fixed one. */
static ro_status align(struct task *task, struct series *series, struct images *images)
{
    const struct register_values *values = task->values;
    ro_context *context = task->context;
    series->report.size = sizeof series->report;
    ro_status status = ro_register(context, &images->fixed, &images->moving, &images->field,
                                   &series->with, &series->report);
    task->ran = *ro_context_report(context);
    task->refused = status == RO_OK && series->report.useless && !values->force;
    if (status == RO_OK && !task->refused)
        status =
            ro_warp(context, &images->moving, &images->field, &images->warped, values->sampling);
    if (status == RO_OK && !task->refused)
        status = stack_write(images->writer, &images->warped);
    if (status == RO_OK && series->previous)
        copy_pixels(&images->fixed, &images->warped);
    return status;
}

static ro_status run_pages(struct task *task, struct series *series, struct images *images)
{
    const ro_file_info *info = ro_reader_info(images->moving_reader);
    const unsigned pages = stack_count(info);
    const unsigned fixed_pages =
        series->fixed ? stack_count(ro_reader_info(images->fixed_reader)) : 0;
    ro_status status = RO_OK;
    for (series->at = 0; series->at < pages && status == RO_OK && !task->refused; series->at++) {
        const unsigned at = series->at;
        status = stack_read(images->moving_reader, at, &images->moving);
        if (status == RO_OK && at < fixed_pages)
            status = stack_read(images->fixed_reader, at, &images->fixed);
        if (status == RO_OK && !series->fixed && at == 0) {
            copy_pixels(&images->fixed, &images->moving);
            status = stack_write(images->writer, &images->moving);
            continue;
        }
        if (status == RO_OK)
            status = stack_failed(task->context, align(task, series, images), info, at, 1);
        if (status == RO_OK)
            tell_page(task, series);
    }
    return status;
}

static ro_status work(struct task *task)
{
    struct series *series = task->data;
    struct images images = {0};
    ro_status status = printed_open(task->context, &series->told);
    if (status == RO_OK)
        status = open_all(task, series, &images);
    if (status == RO_OK)
        status = run_pages(task, series, &images);
    if (status == RO_OK && !task->refused)
        status = ro_writer_commit(images.writer);
    close_all(task, series, &images);
    return status;
}

static void print_json(const struct task *task, FILE *file)
{
    struct series *series = task->data;
    json_put(file, "{command %s, ", "register");
    if (series->fixed) {
        json_put(file, "fixed %s, ", series->fixed);
    }
    json_put(file, "moving %s, output %s, pages ", series->moving, series->out);
    printed_list(&series->told, file);
    pictures_json(file);
    json_put(file, ", seconds %.6f}\n", task->seconds);
}

static void print_lines(const struct task *task)
{
    const struct series *series = task->data;
    tell("register: %s, %u page%s of %u x %u, %.2f s",
         task->ran.method ? task->ran.method : "series", series->at, series->at == 1 ? "" : "s",
         task->ran.width, task->ran.height, task->seconds);
}

static int refuse(const struct task *task)
{
    const struct series *series = task->data;
    return register_useless(task->values, &series->report, task->out);
}

int register_series(const struct command *command, const struct register_values *values,
                    const struct operands *files)
{
    static const char *const of_a_pair[] = {"field", "figure", "energy", "certificate", NULL};
    char beside[OPTION_NAME];
    if (first_set(command, values, of_a_pair, false, beside))
        return usage_error(command, "--%s is of one pair, not of a stack", beside);
    struct series series = {.fixed = files->count == 3 ? files->path[0] : NULL,
                            .moving = files->path[files->count - 2],
                            .out = files->path[files->count - 1],
                            .previous = values->series == SERIES_PREVIOUS,
                            .with = values->search};
    const int result = task_run(&(struct task){
        .command = command,
        .values = values,
        .files = files,
        .out = series.out,
        .data = &series,
        .work = work,
        .json = print_json,
        .say = print_lines,
        .refuse = refuse,
    });
    printed_close(&series.told);
    return result;
}
