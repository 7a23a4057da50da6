/* SPDX-License-Identifier: MIT */
/* Which numbers of a file are black and white, and the smallest and the largest of a picture. */
#include "core/misuse.h"
#include "io/files/reader.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdlib.h>

ro_status ro_reader_range(ro_reader *reader, double *black, double *white)
{
    if (ABSENT(reader, black, white))
        return RO_E_ARGUMENT;
    const ro_file_info *info = &reader->info;
    const struct sample_span *span = &reader->span;
    *black = *white = 0;
    if (!sample_is_whole(info->sample) || (info->format != RO_GREYF && info->format != RO_RGBF))
        return RO_OK;
    if (!span->known)
        return file_fail(&reader->file, RO_E_UNSUPPORTED,
                         "%s numbers through a pipe, which cannot be searched for the least, "
                         "black, and the largest, white: give both by range",
                         sample_name(info->sample));
    const float low = (float)span->low, high = (float)span->high;
    *black = (double)low;
    *white = (double)(high > low ? high : nextafterf(low, INFINITY));
    return RO_OK;
}

static double sample_at(ro_format format, const void *row, size_t i)
{
    switch (ro_format_sample_bytes(format)) {
    case 1:
        return ((const uint8_t *)row)[i];
    case 2:
        return ((const uint16_t *)row)[i];
    default:
        return ((const float *)row)[i];
    }
}

ro_status ro_picture_range(ro_context *context, const char *path, const ro_read_options *read,
                           double *least, double *most)
{
    if (MISSING(context, path, least, most))
        return RO_E_ARGUMENT;
    ro_reader *reader;
    *least = INFINITY;
    *most = -INFINITY;
    ro_status status = ro_reader_open(context, path, read, &reader);
    if (status != RO_OK)
        return status;
    const ro_file_info *info = ro_reader_info(reader);
    const size_t bytes = ro_format_row_bytes(info->format, info->width);
    const size_t samples = bytes / (size_t)ro_format_sample_bytes(info->format);
    void *row = malloc(bytes);
    if (!row)
        status = file_no_memory(&reader->file, bytes);
    const uint64_t rows = (uint64_t)info->height * info->stack;
    for (uint64_t y = 0; y < rows && status == RO_OK; y++) {
        uint32_t got;
        if (y > 0 && y % info->height == 0)
            status = ro_reader_next(reader);
        if (status == RO_OK)
            status = ro_reader_rows(reader, row, (ptrdiff_t)bytes, 1, &got);
        for (size_t i = 0; i < samples && status == RO_OK; i++) {
            const double sample = sample_at(info->format, row, i) + (double)info->zero;
            *least = sample < *least ? sample : *least; /* a NaN is neither */
            *most = sample > *most ? sample : *most;
        }
    }
    free(row);
    ro_reader_close(reader);
    return status;
}
