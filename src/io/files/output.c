/* SPDX-License-Identifier: MIT */
#include "io/files/output.h"

#include "core/image.h"
#include "core/misuse.h"
#include "io/bytes/commit.h"
#include "roundoff_io_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

static int inks_of(const ro_halftone_options *options)
{
    return options->channels == RO_CHANNELS_CMYK   ? 4
           : options->channels == RO_CHANNELS_INKS ? options->ink_count
                                                   : 0;
}

ro_status ro_plate_path(const char *out, const ro_halftone_options *options, int ink, char *path,
                        size_t size)
{
    if (ABSENT(out, options, path))
        return RO_E_ARGUMENT;
    static const char *const cmyk[4] = {"c", "m", "y", "k"};
    const int stem = (int)ro_path_stem(out);
    if (ink < 0 || ink >= inks_of(options) || ink >= RO_INKS_MOST)
        return RO_E_ARGUMENT;
    const char *name = options->channels == RO_CHANNELS_CMYK ? cmyk[ink] : options->inks[ink].name;
    const int length = name ? snprintf(path, size, "%.*s-%s%s", stem, out, name, out + stem) : -1;
    return length > 0 && (size_t)length < size ? RO_OK : RO_E_ARGUMENT;
}

/* Names of inks become names of files. */
static ro_status check_names(ro_context *context, const ro_halftone_options *options)
{
    for (int i = 0; i < options->ink_count && options->channels == RO_CHANNELS_INKS; i++) {
        const char *name = options->inks[i].name;
        if (!name || !*name || strlen(name) > 64 ||
            name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")])
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "ink %d has no name of letters, digits and - for its file",
                                   i + 1);
        for (int k = 0; k < i; k++)
            if (strcmp(name, options->inks[k].name) == 0)
                return ro_context_fail(context, RO_E_ARGUMENT,
                                       "two inks are called %s, and so would be their files", name);
    }
    return RO_OK;
}

static bool is_file(const char *path, const char *other)
{
    struct stat a, b;
    return other && stat(path, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Opens a writer for each ink, or only asks; a plate holds bits: black where ink goes. */
static ro_status each_ink(struct file_output *output, ro_context *context, const char *path,
                          const ro_file_info *info, const ro_write_options *options,
                          const ro_halftone_options *plates, const char *in)
{
    ro_file_info plane = *info;
    plane.format = RO_BITS;
    plane.maxval = 1;
    plane.inks = plane.ink_count = 0;
    plane.ink_list = NULL;
    ro_status status = check_names(context, plates);
    if (status == RO_OK && strcmp(path, "-") == 0)
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "inks have a file each and cannot all go to standard output");
    for (int ink = 0; ink < inks_of(plates) && status == RO_OK; ink++) {
        char name[PATH_BYTES];
        status = ro_plate_path(path, plates, ink, name, sizeof name);
        if (status != RO_OK)
            return ro_context_fail(context, status, "%s: the name is too long", path);
        if (is_file(name, in))
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "the plate %s would take the place of the input", name);
        status = output ? writer_open(context, name, &plane, options, &output->writers[ink])
                        : ro_writer_accepts(context, name, &plane, options);
    }
    return status;
}

ro_status output_accepts(ro_context *context, const char *path, const ro_file_info *info,
                         const ro_write_options *options, const ro_halftone_options *plates,
                         const char *in)
{
    if (plates)
        return each_ink(NULL, context, path, info, options, plates, in);
    return ro_writer_accepts(context, path, info, options);
}

/* Takes every pixel several times, with a row of memory for it. */
static ro_status enlarge(struct file_output *output, ro_context *context, uint32_t times,
                         ro_file_info *info)
{
    if ((uint64_t)info->width * times > RO_MAX_SIDE || (uint64_t)info->height * times > RO_MAX_SIDE)
        return ro_context_fail(context, RO_E_SIZE,
                               "%u x %u pixels, each %u times, are too many; a side has at most %d",
                               info->width, info->height, times, RO_MAX_SIDE);
    output->width = info->width;
    output->format = info->format;
    output->enlarge = times;
    info->width *= times;
    info->height *= times;
    info->dpi_x *= times; /* the size on paper stays */
    info->dpi_y *= times;
    output->enlarged = calloc(1, ro_format_row_bytes(info->format, info->width));
    return output->enlarged
               ? RO_OK
               : ro_context_fail(context, RO_E_MEMORY, "not enough memory for rows of %u pixels",
                                 info->width);
}

ro_status file_output_open(struct file_output *output, ro_context *context, const char *path,
                           const ro_file_info *given, const ro_write_options *options,
                           const ro_halftone_options *plates)
{
    ro_file_info own = *given;
    const ro_file_info *info = &own;
    if (options->enlarge > 1) {
        if (plates || output->alpha)
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "plates and alpha that is kept cannot be enlarged");
        const ro_status status = enlarge(output, context, options->enlarge, &own);
        if (status != RO_OK)
            return status;
    }
    output->count = plates ? inks_of(plates) : 1;
    output->plate_bytes = 0;
    if (!plates)
        return writer_open(context, path, info, options, &output->writers[0]);
    output->plate_bytes = ro_format_row_bytes(RO_BITS, info->width);
    output->width = info->width;
    return each_ink(output, context, path, info, options, plates, NULL);
}

ro_status output_take_alpha(struct file_output *output, ro_context *context, const char *in,
                            const ro_reader *reader)
{
    ro_read_options options = reader->options;
    if (!reader->source.seekable)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "%s: its alpha cannot be kept: a pipe is read once",
                               reader->file.name);
    options.type = NULL;
    options.alpha = RO_ALPHA_ONLY;
    options.resize_light = 0;
    options.content = RO_CONTENT_PHOTO;
    options.strict = 0;
    ro_status status = ro_reader_open(context, in, &options, &output->alpha);
    if (status != RO_OK)
        return status;
    const ro_file_info *info = ro_reader_info(output->alpha);
    const ro_file_info *shape = ro_reader_info(reader);
    if (info->width != shape->width || info->height != shape->height)
        return ro_context_fail(context, RO_E_IO, "%s: has changed while it was read",
                               reader->file.name);
    output->alpha_row = malloc(ro_format_row_bytes(info->format, info->width));
    if (!output->alpha_row)
        return ro_context_fail(context, RO_E_MEMORY, "not enough memory for rows of %u pixels",
                               info->width);
    return RO_OK;
}

/* The alpha of the next row, of this page or of the next one, from 0 to 255, in place. */
static ro_status next_alpha(struct file_output *output)
{
    const ro_file_info *info = ro_reader_info(output->alpha);
    uint8_t *row = output->alpha_row;
    uint32_t got;
    ro_status status = ro_reader_rows(output->alpha, row, 0, 1, &got);
    if (status == RO_OK && got == 0)
        status = ro_reader_next(output->alpha);
    if (status == RO_OK && got == 0)
        status = ro_reader_rows(output->alpha, row, 0, 1, &got);
    if (status != RO_OK)
        return status;
    const uint64_t white = info->maxval;
    for (size_t x = 0; x < info->width; x++) {
        const uint64_t alpha =
            info->format == RO_GREY16 ? ((const uint16_t *)(const void *)row)[x] : row[x];
        row[x] = (uint8_t)((510 * alpha + white) / (2 * white));
    }
    return RO_OK;
}

static ro_status rows_with_alpha(struct file_output *output, const uint8_t *rows, ptrdiff_t stride,
                                 uint32_t count)
{
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride) {
        output->alpha_failed = true;
        status = next_alpha(output);
        output->alpha_failed = status != RO_OK;
        if (status == RO_OK)
            status = ro_writer_rows_alpha(output->writers[0], rows, 0, output->alpha_row, 0, 1);
    }
    return status;
}

/* Whether any pixel of rows of bits is black. */
static bool has_ink(const uint8_t *rows, ptrdiff_t stride, uint32_t width, uint32_t count)
{
    const uint8_t rest = (uint8_t)(0xff00 >> width % 8);
    for (uint32_t y = 0; y < count; y++, rows += stride) {
        for (uint32_t i = 0; i < width / 8; i++)
            if (rows[i] != 0xff)
                return true;
        if ((rows[width / 8 - (width % 8 == 0)] & rest) != rest)
            return true;
    }
    return false;
}

static void enlarge_row(const struct file_output *output, const uint8_t *row)
{
    const uint32_t times = output->enlarge;
    uint8_t *to = output->enlarged;
    if (output->format == RO_BITS) {
        memset(to, 0, ro_format_row_bytes(RO_BITS, output->width * times));
        for (size_t x = 0; x < (size_t)output->width * times; x++)
            to[x / 8] |= (uint8_t)((row[x / times / 8] >> (7 - x / times % 8) & 1) << (7 - x % 8));
        return;
    }
    const size_t pixel = ro_format_row_bytes(output->format, 1);
    for (size_t x = 0; x < output->width; x++, row += pixel)
        for (uint32_t i = 0; i < times; i++, to += pixel)
            memcpy(to, row, pixel);
}

static ro_status enlarged_rows(struct file_output *output, const uint8_t *rows, ptrdiff_t stride,
                               uint32_t count)
{
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride) {
        enlarge_row(output, rows);
        for (uint32_t i = 0; i < output->enlarge && status == RO_OK; i++)
            status = ro_writer_rows(output->writers[0], output->enlarged, 0, 1);
    }
    return status;
}

ro_status output_rows(struct file_output *output, const void *rows, ptrdiff_t stride,
                      uint32_t count)
{
    ro_status status = RO_OK;
    output->failed = 0;
    if (output->alpha)
        return rows_with_alpha(output, rows, stride, count);
    if (output->enlarged)
        return enlarged_rows(output, rows, stride, count);
    for (int i = 0; i < output->count && status == RO_OK; i++) {
        output->failed = i;
        const uint8_t *plate = (const uint8_t *)rows + (size_t)i * output->plate_bytes;
        if (output->plate_bytes && !(output->inked >> i & 1) &&
            has_ink(plate, stride, output->width, count))
            output->inked |= 1u << i;
        status = ro_writer_rows(output->writers[i], plate, stride, count);
    }
    return status;
}

ro_status file_output_commit(struct file_output *output)
{
    ro_context *context = output->writers[0]->file.context;
    bool own;
    ro_status status = commit_own_begin(context, &own); /* all, or none gets its name */
    for (int i = 0; i < output->count && status == RO_OK; i++)
        status = ro_writer_commit(output->writers[i]);
    return commit_own_end(context, own, status);
}

void file_output_close(struct file_output *output)
{
    for (int i = 0; i < output->count; i++)
        ro_writer_close(output->writers[i]);
    ro_reader_close(output->alpha);
    free(output->alpha_row);
    free(output->enlarged);
    *output = (struct file_output){0};
}

const struct open_file *output_file(const struct file_output *output)
{
    return output->alpha_failed ? &output->alpha->file : &output->writers[output->failed]->file;
}

void output_set_stop(struct file_output *output, const atomic_bool *stop)
{
    for (int i = 0; i < output->count; i++)
        output->writers[i]->file.stop = stop;
    if (output->alpha)
        output->alpha->file.stop = stop;
}
