/* SPDX-License-Identifier: MIT */
#include "io/pictures/output.h"

#include "io/bytes/commit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool splits(const ro_file_info *info, const ro_write_options *options)
{
    return info->inks && options && options->split_inks;
}

/* The path of an ink's file; NULL without memory. */
static char *path_of_ink(const char *path, int ink)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    int stem = dot ? (int)(dot - path) : (int)strlen(path);
    size_t size = strlen(path) + 3;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s-%c%s", stem, path, "cmyk"[ink], dot ? dot : "");
    return name;
}

/* An ink's file holds bits: black where ink goes. */
static ro_file_info info_of_ink(const ro_file_info *info)
{
    ro_file_info plane = *info;
    plane.format = RO_BITS;
    plane.maxval = 1;
    plane.inks = 0;
    return plane;
}

static ro_status each_ink(struct ro_output *output, ro_context *context, const char *path,
                          const ro_file_info *info, const ro_write_options *options)
{
    ro_file_info plane = info_of_ink(info);
    ro_status status = RO_OK;
    if (strcmp(path, "-") == 0)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "four inks are four files and cannot all go to standard output");
    for (int ink = 0; ink < RO_OUTPUT_MOST && status == RO_OK; ink++) {
        char *name = path_of_ink(path, ink);
        if (!name)
            return ro_context_fail(context, RO_E_MEMORY, "not enough memory for a file name");
        status = output ? ro_writer_open(context, name, &plane, options, &output->writers[ink])
                        : ro_writer_accepts(context, name, &plane, options);
        free(name);
    }
    return status;
}

ro_status ro_output_accepts(ro_context *context, const char *path, const ro_file_info *info,
                            const ro_write_options *options)
{
    if (splits(info, options))
        return each_ink(NULL, context, path, info, options);
    return ro_writer_accepts(context, path, info, options);
}

ro_status ro_output_open(struct ro_output *output, ro_context *context, const char *path,
                         const ro_file_info *info, const ro_write_options *options)
{
    output->count = splits(info, options) ? RO_OUTPUT_MOST : 1;
    output->width = info->width;
    if (output->count == 1)
        return ro_writer_open(context, path, info, options, &output->writers[0]);
    if (!(output->bits = malloc(ro_format_row_bytes(RO_BITS, info->width))))
        return ro_context_fail(context, RO_E_MEMORY, "not enough memory for rows of %u pixels",
                               info->width);
    return each_ink(output, context, path, info, options);
}

/* Bit `ink` of each number, white being no ink. */
static void paper_of_ink(uint8_t *bits, const uint8_t *numbers, uint32_t width, int ink)
{
    memset(bits, 0, ro_format_row_bytes(RO_BITS, width));
    for (uint32_t x = 0; x < width; x++)
        bits[x / 8] |= (uint8_t)((~numbers[x] >> (3 - ink) & 1) << (7 - x % 8));
}

ro_status ro_output_take_alpha(struct ro_output *output, ro_context *context, const char *in,
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

/* The alpha of the next row, from 0 to 255, in place. */
static ro_status next_alpha(struct ro_output *output)
{
    const ro_file_info *info = ro_reader_info(output->alpha);
    uint8_t *row = output->alpha_row;
    uint32_t got;
    ro_status status = ro_reader_rows(output->alpha, row, 0, 1, &got);
    if (status != RO_OK)
        return status;
    const uint64_t white = info->maxval;
    for (size_t x = 0; x < info->width; x++) {
        const uint64_t alpha =
            info->format == RO_GRAY16 ? ((const uint16_t *)(const void *)row)[x] : row[x];
        row[x] = (uint8_t)((510 * alpha + white) / (2 * white));
    }
    return RO_OK;
}

static ro_status rows_with_alpha(struct ro_output *output, const uint8_t *rows, ptrdiff_t stride,
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

ro_status ro_output_rows(struct ro_output *output, const void *rows, ptrdiff_t stride,
                         uint32_t count)
{
    ro_status status = RO_OK;
    output->failed = 0;
    if (output->alpha)
        return rows_with_alpha(output, rows, stride, count);
    if (output->count == 1)
        return ro_writer_rows(output->writers[0], rows, stride, count);
    for (uint32_t y = 0; y < count; y++)
        for (int ink = 0; ink < output->count; ink++) {
            const uint8_t *numbers = (const uint8_t *)rows + (ptrdiff_t)y * stride;
            paper_of_ink(output->bits, numbers, output->width, ink);
            output->failed = ink;
            status = ro_writer_rows(output->writers[ink], output->bits, 0, 1);
            if (status != RO_OK)
                return status;
        }
    return status;
}

ro_status ro_output_commit(struct ro_output *output)
{
    ro_context *context = output->writers[0]->file.context;
    bool own;
    ro_status status = ro_commit_own_begin(context, &own); /* all, or none gets its name */
    for (int i = 0; i < output->count && status == RO_OK; i++)
        status = ro_writer_commit(output->writers[i]);
    return ro_commit_own_end(context, own, status);
}

void ro_output_close(struct ro_output *output)
{
    for (int i = 0; i < output->count; i++)
        ro_writer_close(output->writers[i]);
    ro_reader_close(output->alpha);
    free(output->alpha_row);
    free(output->bits);
    *output = (struct ro_output){0};
}

const struct ro_file *ro_output_file(const struct ro_output *output)
{
    return output->alpha_failed ? &output->alpha->file : &output->writers[output->failed]->file;
}

void ro_output_set_stop(struct ro_output *output, const atomic_bool *stop)
{
    for (int i = 0; i < output->count; i++)
        output->writers[i]->file.stop = stop;
    if (output->alpha)
        output->alpha->file.stop = stop;
}
