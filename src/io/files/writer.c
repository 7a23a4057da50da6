/* SPDX-License-Identifier: MIT */
/* Writing a file: its type from its name, its rows as the type takes them, then the commit. */
#include "io/files/writer.h"

#include "core/misuse.h"
#include "core/options.h"
#include "io/files/names.h"
#include "io/formats/types.h"
#include "io/panel/bit_packing.h"
#include "roundoff_io_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    CONVERTED_BYTES = 1 << 18,
    MOST_COLOURS = 256, /* as many as a byte numbers, and as a ro_palette holds */
};

static const struct file_extension *extension_of(const char *path)
{
    if (sink_is_standard(path))
        return file_extension_of("pnm");
    const size_t stem = ro_path_stem(path);
    const size_t end = path_file(path) - (path_is_packed(path) ? 3 : 0);
    char ending[16];
    if (stem + 1 >= end || end - stem >= sizeof ending)
        return NULL;
    snprintf(ending, sizeof ending, "%.*s", (int)(end - stem), path + stem);
    return file_extension_of(ending);
}

const struct file_extension *writer_extension(const char *path, const char *asked)
{
    if (asked)
        return file_extension_of(asked);
    return extension_of(path);
}

bool header_fits(const ro_file_info *info, const struct file_extension *extension)
{
    return strcmp(info->type, extension->type->name) == 0;
}

int ro_writer_holds_resolution(const char *path, const char *type)
{
    const struct file_extension *extension = writer_extension(path, type);
    return extension && (extension->holds & RO_HOLDS_RESOLUTION);
}

int ro_writer_reads_back(const char *path, const char *type)
{
    const struct file_extension *extension = writer_extension(path, type);
    return !extension || extension->type->decode || extension->type->left_out;
}

static ro_status find_extension(struct open_file *file, const char *path, const char *asked,
                                const struct file_extension **extension)
{
    *extension = writer_extension(path, asked);
    if (*extension)
        return RO_OK;
    char types[RO_TYPES_TEXT];
    if (asked)
        return file_fail(file, RO_E_ARGUMENT, "'%s' is not a known type; use %s", asked,
                         types_written(types, sizeof types, ""));
    return file_fail(file, RO_E_ARGUMENT,
                     "the type cannot be told from the name; it should end in %s",
                     types_written(types, sizeof types, "."));
}

/* Whether the options are those of the type. */
static ro_status options_fit(struct open_file *file, const struct file_extension *extension,
                             const ro_file_info *layout, const ro_write_options *options)
{
    if (options->compression && !(extension->holds & RO_TAKES_COMPRESSION))
        return file_fail(file, RO_E_ARGUMENT, "a .%s file has no choice of compression; .tif has",
                         extension->name);
    if (options->compression == RO_COMPRESSION_G4 && layout->format != RO_BITS)
        return file_fail(file, RO_E_ARGUMENT,
                         "compression g4 holds two levels of grey and nothing else");
    if (extension->holds & RO_TAKES_PACKING) {
        struct packing packing;
        ro_write_options form = *options;
        if (strcmp(extension->name, "bits") == 0 && !form.pixel_bits)
            form.pixel_bits = 1;
        return packing_open(&packing, file, layout, &form);
    }
    if (options->low_bits_first || options->ones_are_black || options->pixel_bits ||
        options->numbers)
        return file_fail(file, RO_E_ARGUMENT,
                         "the order, number and meaning of bits can be chosen for types bits, "
                         "packed and c, not for a .%s file",
                         extension->name);
    return RO_OK;
}

static ro_status check(struct open_file *file, const char *path, const ro_file_info *info,
                       const ro_write_options *options, const struct file_extension **extension,
                       ro_file_info *layout)
{
    uint32_t most = white_of(info->format, 0);
    if (ro_format_row_bytes(info->format, 1) == 0)
        return file_fail(file, RO_E_ARGUMENT, "the image to be written has no format");
    if (info->maxval > most)
        return file_fail(file, RO_E_ARGUMENT, "maxval %u does not fit %s", info->maxval,
                         ro_format_name(info->format));
    if (info->palette && info->format != RO_INDEX8)
        return file_fail(file, RO_E_ARGUMENT, "a palette needs colour numbers, not %s",
                         ro_format_name(info->format));
    if (info->palette && (info->palette->count < 1 || info->palette->count > MOST_COLOURS))
        return file_fail(file, RO_E_ARGUMENT, "a palette of %d colours: must be from 1 to %d",
                         info->palette->count, MOST_COLOURS);
    ro_status status = find_extension(file, path, options->type, extension);
    if (status == RO_OK)
        status = extension_layout(file, *extension, info, layout);
    if (status == RO_OK && info->with_alpha)
        status = extension_alpha(file, *extension, layout);
    if (status != RO_OK)
        return status;
    status = options_fit(file, *extension, layout, options);
    if (status != RO_OK)
        return status;
    if (layout->header && !header_fits(layout, *extension))
        layout->header = NULL;
    if (options->dpi_x > 0 || options->dpi_y > 0) {
        layout->dpi_x = options->dpi_x;
        layout->dpi_y = options->dpi_y;
    }
    if (!(layout->dpi_x > 0)) /* one of the two stands for both */
        layout->dpi_x = layout->dpi_y;
    if (!(layout->dpi_y > 0))
        layout->dpi_y = layout->dpi_x;
    return RO_OK;
}

ro_status ro_writer_accepts(ro_context *context, const char *path, const ro_file_info *info,
                            const ro_write_options *options)
{
    if (MISSING(context, path, info))
        return RO_E_ARGUMENT;
    ro_write_options full = RO_WRITE_OPTIONS;
    if (file_named(context, path) != RO_OK ||
        take_options(context, options, &full, "RO_WRITE_OPTIONS") != RO_OK)
        return RO_E_ARGUMENT;
    struct open_file file;
    const struct file_extension *extension = NULL;
    ro_file_info layout;
    file_init(&file, context, path, "standard output");
    ro_status status = check(&file, path, info, &full, &extension, &layout);
    if (status != RO_OK)
        return status;
    char *only = strndup(path, path_file(path));
    status = only ? sink_check(&file, only) : file_no_memory(&file, strlen(path));
    free(only);
    return status == RO_OK ? archive_check(&file, path, extension) : status;
}

/* Puts alpha behind the colours of a row, or a number that is transparent in the place of others.
 */
static void join_alpha(ro_writer *writer, const uint8_t *row, const uint8_t *alpha)
{
    const ro_file_info *layout = &writer->layout;
    uint8_t *to = writer->joined;
    if (layout->palette) {
        for (uint32_t x = 0; x < layout->width; x++) {
            to[x] = alpha[x] < 128 ? (uint8_t)layout->palette->count : row[x];
            writer->cut_alpha |= alpha[x] != 0 && alpha[x] != 255;
        }
        return;
    }
    const size_t pixel = ro_format_row_bytes(layout->format, 1);
    const size_t sample = pixel / (size_t)channels_of(layout->format);
    for (uint32_t x = 0; x < layout->width; x++, row += pixel, to += pixel + sample) {
        memcpy(to, row, pixel);
        memset(to + pixel, alpha[x], sample); /* of 16 bits: 257 times as much */
    }
}

static ro_status open_conversion(struct ro_writer *writer, const ro_file_info *info)
{
    conversion_init(&writer->conversion, info->format, white_of(info->format, info->maxval),
                    writer->layout.format, writer->layout.maxval);
    if (info->light && info->format == RO_INDEX8 && writer->layout.format == RO_GREY8)
        conversion_as_light(&writer->conversion);
    if (info->palette && writer->layout.format == RO_RGB8)
        writer->conversion.palette = info->palette;
    if (writer->layout.with_alpha &&
        !(writer->joined = malloc(4 * sizeof(uint16_t) * (size_t)info->width)))
        return file_no_memory(&writer->file, 4 * sizeof(uint16_t) * (size_t)info->width);
    if (!conversion_needed(&writer->conversion))
        return RO_OK;
    size_t row = ro_format_row_bytes(writer->layout.format, info->width);
    size_t rows = row < CONVERTED_BYTES ? CONVERTED_BYTES / row : 1;
    writer->converted_stride = row;
    writer->converted_rows = rows < info->height ? (uint32_t)rows : info->height;
    writer->converted = malloc(row * writer->converted_rows);
    return writer->converted ? RO_OK : file_no_memory(&writer->file, row * rows);
}

ro_status writer_open(ro_context *context, const char *path, const ro_file_info *info,
                      const ro_write_options *options, ro_writer **writer)
{
    const char *name = path ? path : "a picture in memory";
    const struct file_extension *extension = NULL;
    ro_write_options full = RO_WRITE_OPTIONS;
    *writer = NULL;
    ro_status status = take_options(context, options, &full, "RO_WRITE_OPTIONS");
    if (status != RO_OK)
        return status;
    ro_writer *made = calloc(1, sizeof *made);
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "not enough memory to write %s", name);
    made->sink.fd = -1;
    file_init(&made->file, context, name, "standard output");
    status = check(&made->file, name, info, &full, &extension, &made->layout);
    made->row_bytes = ro_format_row_bytes(info->format, info->width);
    if (status == RO_OK)
        status = stage_check_size(&made->file, info->width, info->height);
    if (status == RO_OK)
        status = open_conversion(made, info);
    if (status == RO_OK && path)
        status = archive_check(&made->file, path, extension);
    char *only = path ? strndup(path, path_file(path)) : NULL;
    if (status == RO_OK && path && !only)
        status = file_no_memory(&made->file, strlen(path));
    if (status == RO_OK)
        status = sink_open(&made->sink, &made->file, only);
    free(only);
    made->sink.member = path ? path_member(path) : NULL;
    if (status == RO_OK && path && path_is_packed(path))
        status = sink_pack(&made->sink);
    if (status == RO_OK)
        status = extension->type->encode(&made->sink, &made->layout, &full, &made->encoder);
    if (status != RO_OK) {
        ro_writer_close(made);
        return status;
    }
    *writer = made;
    return RO_OK;
}

ro_status ro_writer_open(ro_context *context, const char *path, const ro_file_info *info,
                         const ro_write_options *options, ro_writer **writer)
{
    if (writer)
        *writer = NULL;
    if (MISSING(context, path, info, writer))
        return RO_E_ARGUMENT;
    return writer_open(context, path, info, options, writer);
}

static ro_status convert_and_write(ro_writer *writer, const uint8_t *rows, ptrdiff_t stride,
                                   uint32_t count)
{
    ro_status status = RO_OK;
    for (uint32_t done = 0; done < count && status == RO_OK;) {
        uint32_t part = count - done;
        if (part > writer->converted_rows)
            part = writer->converted_rows;
        for (uint32_t y = 0; y < part; y++)
            conversion_row(&writer->conversion, writer->converted + y * writer->converted_stride,
                           rows + (ptrdiff_t)(done + y) * stride, writer->layout.width);
        status = writer->encoder->rows(writer->encoder, writer->converted,
                                       (ptrdiff_t)writer->converted_stride, part);
        done += part;
    }
    return status;
}

/* Of all pages. */
static uint64_t rows_of(const ro_writer *writer)
{
    return (uint64_t)writer->layout.height * (writer->layout.stack ? writer->layout.stack : 1);
}

/* Keeps the first failure, so that a file with a hole can never be committed. */
static ro_status settle(ro_writer *writer, ro_status status)
{
    if (status != RO_OK)
        writer->status = status;
    return status;
}

static ro_status check_state(ro_writer *writer)
{
    if (writer->status != RO_OK)
        return ro_context_fail(writer->file.context, writer->status, "%s", writer->file.message);
    if (writer->committed)
        return file_fail(&writer->file, RO_E_STATE, "the file was committed before");
    return file_check_stop(&writer->file);
}

/* Whether so many rows may come now, with or without alpha. */
static ro_status check_rows(ro_writer *writer, const void *rows, ptrdiff_t stride, uint32_t count,
                            bool alpha)
{
    ro_status status = check_state(writer);
    if (status != RO_OK)
        return status;
    if (alpha != (writer->layout.with_alpha != 0))
        return file_fail(&writer->file, RO_E_STATE, "rows come %s alpha, unlike the info",
                         alpha ? "with" : "without");
    if (count > rows_of(writer) - writer->row)
        return file_fail(&writer->file, RO_E_STATE, "more rows than its %ju are written",
                         (uintmax_t)rows_of(writer));
    if (!rows_fit(rows, stride, count, writer->row_bytes))
        return file_fail(&writer->file, RO_E_ARGUMENT, "rows to be written are missing or overlap");
    return RO_OK;
}

ro_status ro_writer_rows_alpha(ro_writer *writer, const void *rows, ptrdiff_t stride,
                               const uint8_t *alpha, ptrdiff_t alpha_stride, uint32_t count)
{
    if (ABSENT(writer, alpha))
        return RO_E_ARGUMENT;
    ro_status status = check_rows(writer, rows, stride, count, true);
    if (status != RO_OK)
        return status;
    for (uint32_t y = 0; y < count && status == RO_OK; y++, alpha += alpha_stride) {
        const uint8_t *row = (const uint8_t *)rows + (ptrdiff_t)y * stride;
        if (writer->converted)
            conversion_row(&writer->conversion, writer->converted, row, writer->layout.width);
        join_alpha(writer, writer->converted ? writer->converted : row, alpha);
        status = writer->encoder->rows(writer->encoder, writer->joined, 0, 1);
    }
    writer->row += count;
    return settle(writer, status);
}

ro_status ro_writer_rows(ro_writer *writer, const void *rows, ptrdiff_t stride, uint32_t count)
{
    if (ABSENT(writer))
        return RO_E_ARGUMENT;
    ro_status status = check_rows(writer, rows, stride, count, false);
    if (status != RO_OK)
        return status;
    if (writer->converted)
        status = convert_and_write(writer, rows, stride, count);
    else if (count > 0)
        status = writer->encoder->rows(writer->encoder, rows, stride, count);
    writer->row += count;
    return settle(writer, status);
}

/* What only rows need: files that wait for their names are many. */
static void release(ro_writer *writer)
{
    if (writer->encoder)
        writer->encoder->close(writer->encoder);
    free(writer->converted);
    free(writer->joined);
    writer->encoder = NULL;
    writer->converted = writer->joined = NULL;
}

ro_status ro_writer_complete(ro_writer *writer)
{
    if (ABSENT(writer))
        return RO_E_ARGUMENT;
    ro_status status = check_state(writer);
    if (status != RO_OK || writer->complete)
        return status;
    if (writer->row < rows_of(writer))
        return file_fail(&writer->file, RO_E_STATE, "only %ju of its %ju rows were written",
                         (uintmax_t)writer->row, (uintmax_t)rows_of(writer));
    status = writer->encoder->finish(writer->encoder);
    if (status == RO_OK)
        status = sink_complete(&writer->sink);
    writer->complete = status == RO_OK;
    release(writer);
    return settle(writer, status);
}

ro_status ro_writer_commit(ro_writer *writer)
{
    ro_status status = ro_writer_complete(writer);
    if (status != RO_OK)
        return status;
    status = sink_commit(&writer->sink);
    writer->committed = status == RO_OK;
    return settle(writer, status);
}

void ro_writer_close(ro_writer *writer)
{
    if (!writer)
        return;
    release(writer);
    sink_close(&writer->sink);
    free(writer);
}
