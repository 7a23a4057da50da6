/* SPDX-License-Identifier: MIT */
#include "cli/denoise/files.h"

#include "cli/common/pictures.h"
#include "cli/common/stacks.h"
#include "roundoff_io_command.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64 }; /* read and written at a time */

int64_t denoise_white(const char *text)
{
    char *end;
    if (ro_name_equal(text, "maxval"))
        return INT64_MAX;
    const long long number = strtoll(text, &end, 10);
    return end > text && !*end && number > -(1LL << 40) && number < 1LL << 40 ? number : INT64_MIN;
}

static bool is_real(ro_format format) { return format == RO_GREYF || format == RO_RGBF; }

/* ---- What OUT holds ------------------------------------------------------------------------- */

/* As IN, but greys appear where there was black and white. */
static ro_file_info as_in(const ro_file_info *in)
{
    ro_file_info out = *in;
    if ((out.format == RO_GREY8 || out.format == RO_RGB8) && out.maxval == 1)
        out.maxval = 255;
    return out;
}

ro_file_info denoise_output(const struct denoise_files *files, const ro_file_info *in,
                            ro_sample raw)
{
    const bool colour = ro_format_is_colour(in->format);
    ro_file_info out = as_in(in);
    if (files->form == AS_IN)
        return out;
    out.sample = files->form == WORKING ? raw : RO_SAMPLE_PLAIN;
    out.zero = 0;
    switch (files->form) {
    case BITS_8:
        out.format = colour ? RO_RGB8 : RO_GREY8;
        out.maxval = 255;
        break;
    case BITS_16:
        out.format = colour ? RO_RGB16 : RO_GREY16;
        out.maxval = 65535;
        break;
    default:
        out.format = colour ? RO_RGBF : RO_GREYF;
        out.maxval = 1;
        break;
    }
    return out;
}

static uint32_t largest_of(const ro_image *image)
{
    const size_t samples = (size_t)image->width * (ro_format_is_colour(image->format) ? 3 : 1);
    uint32_t largest = 0;
    for (uint32_t y = 0; y < image->height; y++) {
        const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
        for (size_t i = 0; i < samples; i++) {
            const uint32_t v = ro_format_sample_bytes(image->format) == 1
                                   ? ((const uint8_t *)row)[i]
                                   : ((const uint16_t *)(const void *)row)[i];
            largest = v > largest ? v : largest;
        }
    }
    return largest;
}

/* ---- Pages ---------------------------------------------------------------------------------- */

/* --white counts as IN does; the library counts samples. */
static ro_status find_white(const struct denoise_files *files, const ro_file_info *info,
                            uint32_t *white)
{
    *white = 0;
    if (!files->white)
        return RO_OK;
    const int64_t asked = denoise_white(files->white);
    if (stack_is_wide(info) && asked > 0)
        return RO_OK;
    if (is_real(info->format))
        return ro_context_fail(files->context, RO_E_ARGUMENT,
                               stack_is_wide(info)
                                   ? "--white %s: must be positive, as %s has its samples"
                                   : "--white %s: %s holds floats; their white is 1",
                               files->white, files->in);
    if (asked == INT64_MAX) {
        *white = RO_WHITE_MAXVAL;
        return RO_OK;
    }
    if (asked - info->zero < 1 || asked - info->zero > 65535)
        return ro_context_fail(files->context, RO_E_ARGUMENT,
                               "--white %s: must be from %lld to %lld, as %s has its samples",
                               files->white, (long long)info->zero + 1,
                               (long long)info->zero + 65535, files->in);
    *white = (uint32_t)(asked - info->zero);
    return RO_OK;
}

/* As the file counts. */
static ro_status check_largest(const struct denoise_files *files, const ro_file_info *info,
                               uint32_t white, const ro_image *in)
{
    const uint32_t largest = largest_of(in);
    if (!white || white == RO_WHITE_MAXVAL || largest <= white)
        return RO_OK;
    return ro_context_fail(files->context, RO_E_ARGUMENT,
                           "white is %s but the input goes up to %lld", files->white,
                           (long long)info->zero + largest);
}

/* Where OUT has other levels than IN the library takes the maxval for white: so it is made the one
 * asked for, or of numbers that stay in the units of IN, the one that the library would choose. */
static void make_white(const struct denoise_files *files, uint32_t white, ro_image *in)
{
    if (white && white != RO_WHITE_MAXVAL) {
        in->maxval = white;
    } else if (!white && files->denoise.kappa == 0 && files->form != BITS_8 &&
               files->form != BITS_16 && in->format != RO_GREY8 && in->format != RO_RGB8) {
        const uint32_t largest = largest_of(in);
        uint32_t most = 255;
        while (most < largest)
            most = 2 * most + 1;
        in->maxval = most < in->maxval ? most : in->maxval;
    }
}

/* Floats become bits from 0 to 1 only: others would be cut off. The file counts in units. */
static ro_status check_floats(const struct denoise_files *files, const ro_image *in, double unit)
{
    const size_t samples = (size_t)in->width * (in->format == RO_RGBF ? 3 : 1);
    float least = *(const float *)in->data, most = least;
    for (uint32_t y = 0; y < in->height; y++) {
        const float *row = (const void *)((const char *)in->data + (ptrdiff_t)y * in->stride);
        for (size_t x = 0; x < samples; x++) {
            least = row[x] < least ? row[x] : least;
            most = row[x] > most ? row[x] : most;
        }
    }
    if (least >= -0.001f && most <= 1.001f)
        return RO_OK;
    return ro_context_fail(
        files->context, RO_E_ARGUMENT,
        "--bits: %s goes from %g to %g, and bits are made of 0 to %g; --float keeps its numbers",
        files->in, unit * (double)least, unit * (double)most, unit);
}

/* Of integers that came as floats: OUT holds whole numbers, whose sum is told against IN's. */
static void report_wide(ro_image *out, double unit, double sum, ro_denoise_report *report)
{
    const double scaled = stack_scale(out, unit, 0);
    double whole = 0;
    const size_t samples = (size_t)out->width * (ro_format_is_colour(out->format) ? 3 : 1);
    for (uint32_t y = 0; y < out->height; y++) {
        const float *row = (const void *)((const char *)out->data + (ptrdiff_t)y * out->stride);
        for (size_t i = 0; i < samples; i++)
            whole += rint((double)row[i]);
    }
    report->drift = whole - scaled;
    report->difference = whole - sum;
}

ro_status denoise_page(struct denoise_files *files, const ro_file_info *info, ro_image *in,
                       ro_image *out, ro_denoise_report *report)
{
    ro_denoise_options denoise = files->denoise;
    const bool real = is_real(info->format);
    uint32_t white;
    ro_status status = find_white(files, info, &white);
    double unit = 1, sum = 0;
    if (status == RO_OK && stack_is_wide(info)) {
        const int64_t asked = files->white ? denoise_white(files->white) : INT64_MAX;
        unit = asked < INT64_MAX ? (double)asked : stack_unit(in);
        sum = stack_scale(in, 1, 0);
        stack_scale(in, 1 / unit, 0);
    }
    in->maxval = info->maxval;
    if (status == RO_OK && !real)
        status = check_largest(files, info, white, in);
    if (status == RO_OK && real && (files->form == BITS_8 || files->form == BITS_16))
        status = check_floats(files, in, unit);
    if (files->form == AS_IN) {
        denoise.white = white;
        if (white > in->maxval && white != RO_WHITE_MAXVAL && info->sample != RO_SAMPLE_PLAIN)
            in->maxval = out->maxval = white; /* of numbers it need not be among the samples */
    } else if (!real) {
        make_white(files, white, in);
    }
    if (status == RO_OK)
        status = ro_denoise(files->context, in, out, &denoise, report);
    if (status != RO_OK)
        return status;
    if (files->form == WORKING && report->white != 1)
        stack_scale(out, report->white, 0);
    else if (files->form == FLOATS && !real)
        stack_scale(out, in->maxval, (double)info->zero);
    else if (files->form == FLOATS)
        stack_scale(out, unit, 0);
    else if (files->form == AS_IN && stack_is_wide(info))
        report_wide(out, unit, sum, report);
    if (stack_is_wide(info) && unit <= UINT32_MAX)
        report->sample_white = (uint32_t)unit;
    return RO_OK;
}

static void add_report(struct denoise_files *files, const ro_denoise_report *page, unsigned number)
{
    ro_denoise_report *all = files->report;
    if (number == 0) {
        *all = *page;
        files->kappa_least = files->kappa_most = page->kappa;
        return;
    }
    files->kappa_least = fmin(files->kappa_least, page->kappa);
    files->kappa_most = fmax(files->kappa_most, page->kappa);
    all->sum_before += page->sum_before;
    all->sum_after += page->sum_after;
    all->energy_before += page->energy_before;
    all->energy_after += page->energy_after;
    all->min_before = fmin(all->min_before, page->min_before);
    all->min_after = fmin(all->min_after, page->min_after);
    all->max_before = fmax(all->max_before, page->max_before);
    all->max_after = fmax(all->max_after, page->max_after);
    all->drift += page->drift;
    all->difference += page->difference;
    all->device_seconds += page->device_seconds;
    all->converged = all->converged && page->converged;
    all->steps = page->steps > all->steps ? page->steps : all->steps;
    all->sample_white =
        page->sample_white > all->sample_white ? page->sample_white : all->sample_white;
}

/* The writer of OUT, as soon as it is known what the method's numbers are. */
static ro_status open_writer(struct denoise_files *files, const ro_file_info *info,
                             ro_writer **writer)
{
    ro_file_info out =
        denoise_output(files, info, files->report->white != 1 ? RO_SAMPLE_INT32 : RO_SAMPLE_PLAIN);
    ro_info_carry(info, &out);
    return ro_writer_open(files->context, files->out, &out, NULL, writer);
}

ro_status denoise_pages(struct denoise_files *files)
{
    ro_context *context = files->context;
    ro_reader *reader = NULL;
    ro_writer *writer = NULL;
    ro_image in = {0}, out = {0};
    ro_denoise_report page = {.size = sizeof page};
    uint32_t in_white = 0; /* of the first page */
    ro_read_options read = pictures_read(files->in);
    stack_pages(files->page, &read);
    read.carries = 1;
    ro_status status = ro_reader_open(context, files->in, &read, &reader);
    if (status != RO_OK)
        return status;
    const ro_file_info *info = ro_reader_info(reader);
    ro_file_info out_info = denoise_output(files, info, RO_SAMPLE_INT32);
    files->pages = stack_count(info);
    files->sample = info->sample;
    files->zero = info->zero;
    status = pictures_carry(context, files->in, info, files->out, &out_info);
    if (status == RO_OK)
        status = ro_writer_accepts(context, files->out, &out_info, NULL);
    if (status == RO_OK)
        status =
            ro_image_alloc(context, info->format, info->width, info->height, info->maxval, &in);
    if (status == RO_OK)
        status = ro_image_alloc(context, out_info.format, info->width, info->height,
                                out_info.maxval, &out);
    for (unsigned i = 0; i < files->pages && status == RO_OK; i++) {
        status = stack_read(reader, i, &in);
        if (status == RO_OK)
            status = stack_failed(context, denoise_page(files, info, &in, &out, &page), info, i,
                                  read.page);
        if (status == RO_OK)
            add_report(files, &page, i);
        in_white = i ? in_white : in.maxval;
        if (status == RO_OK && !writer)
            status = open_writer(files, info, &writer);
        if (status == RO_OK)
            status = stack_write(writer, &out);
        if (status == RO_OK && files->form == WORKING &&
            (page.white != files->report->white || in.maxval != in_white))
            status = ro_context_fail(context, RO_E_ARGUMENT,
                                     "page %u has another white; --white N sets it for all", i + 1);
    }
    ro_dropped *dropped = pictures_dropped(files->in);
    if (dropped)
        *dropped = *ro_reader_dropped(reader);
    if (status == RO_OK)
        status = ro_writer_commit(writer);
    ro_writer_close(writer);
    ro_reader_close(reader);
    ro_image_free(&in);
    ro_image_free(&out);
    return status;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static ro_image shape_of(const ro_file_info *info)
{
    return (ro_image){.format = info->format,
                      .width = info->width,
                      .height = info->height,
                      .maxval = info->maxval};
}

/* The rows of one page through a stream of their own. */
static ro_status stream_page(ro_reader *reader, ro_writer *writer, ro_stream *stream, char *rows,
                             const ro_file_info *out)
{
    const ro_file_info *in = ro_reader_info(reader);
    const ptrdiff_t in_stride = (ptrdiff_t)ro_format_row_bytes(in->format, in->width);
    const ptrdiff_t out_stride = (ptrdiff_t)ro_format_row_bytes(out->format, out->width);
    char *out_rows = rows + in_stride * ROWS;
    uint32_t got = 0, pushed = 0, written = 0;
    ro_status status = RO_OK;
    while (written < in->height && status == RO_OK) {
        if (pushed == got) {
            pushed = got = 0;
            status = ro_reader_rows(reader, rows, in_stride, ROWS, &got);
        }
        uint32_t taken = 0, given = 0;
        if (status == RO_OK && got > 0)
            status = ro_stream_push(stream, rows + (ptrdiff_t)pushed * in_stride, in_stride,
                                    got - pushed, &taken);
        pushed += taken;
        if (status == RO_OK)
            status = ro_stream_pull(stream, out_rows, out_stride, ROWS, &given);
        if (status == RO_OK && given > 0)
            status = ro_writer_rows(writer, out_rows, out_stride, given);
        written += given;
    }
    return status;
}

ro_status denoise_rows(struct denoise_files *files)
{
    ro_context *context = files->context;
    ro_reader *reader = NULL;
    ro_writer *writer = NULL;
    char *rows = NULL;
    ro_read_options read = pictures_read(files->in);
    stack_pages(files->page, &read);
    read.carries = 1;
    ro_status status = ro_reader_open(context, files->in, &read, &reader);
    if (status != RO_OK)
        return status;
    const ro_file_info *info = ro_reader_info(reader);
    if (stack_is_wide(info)) {
        ro_reader_close(reader);
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "%s holds integers wider than 16 bits, whose white the whole page "
                               "tells: leave out --schedule stream",
                               files->in);
    }
    ro_file_info out_info = denoise_output(files, info, RO_SAMPLE_PLAIN);
    ro_image in = shape_of(info), out = shape_of(&out_info);
    ro_denoise_options denoise = files->denoise;
    files->pages = stack_count(info);
    files->sample = info->sample;
    files->zero = info->zero;
    status = find_white(files, info, &denoise.white);
    if (denoise.white > in.maxval && denoise.white != RO_WHITE_MAXVAL &&
        info->sample != RO_SAMPLE_PLAIN)
        in.maxval = out.maxval = denoise.white;
    for (unsigned i = 0; i < files->pages && status == RO_OK; i++) {
        ro_denoise_report page = {.size = sizeof page};
        ro_plan *plan = NULL;
        ro_stream *stream = NULL;
        if (i > 0)
            status = ro_reader_next(reader);
        if (status == RO_OK)
            status = ro_denoise_plan(context, &in, &out, &denoise, &plan);
        if (status == RO_OK)
            status = ro_stream_open(plan, &page, &stream);
        if (status == RO_OK && !writer)
            status = pictures_carry(context, files->in, info, files->out, &out_info);
        if (status == RO_OK && !writer)
            status = ro_writer_open(context, files->out, &out_info, NULL, &writer);
        if (status == RO_OK && !rows &&
            !(rows = malloc(ROWS * (ro_format_row_bytes(in.format, in.width) +
                                    ro_format_row_bytes(out.format, out.width)))))
            status =
                ro_context_fail(context, RO_E_MEMORY, "no memory for rows of %u pixels", in.width);
        if (status == RO_OK)
            status = stack_failed(context, stream_page(reader, writer, stream, rows, &out_info),
                                  info, i, read.page);
        ro_stream_close(stream);
        ro_plan_free(plan);
        if (status == RO_OK)
            add_report(files, &page, i);
    }
    ro_dropped *dropped = pictures_dropped(files->in);
    if (dropped)
        *dropped = *ro_reader_dropped(reader);
    if (status == RO_OK)
        status = ro_writer_commit(writer);
    free(rows);
    ro_writer_close(writer);
    ro_reader_close(reader);
    return status;
}
