/* SPDX-License-Identifier: MIT */
/* Whole images: loading and saving on top of readers and writers. */
#include "core/misuse.h"
#include "io/files/reader.h"
#include "io/files/writer.h"

#include "core/image.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 64 }; /* rows between two looks at cancellation */

/* The image, with room for `behind` bytes after its last row. */
static ro_status read_image(ro_reader *reader, size_t behind, ro_image *image)
{
    const ro_file_info *info = ro_reader_info(reader);
    const size_t row = image_stride(ro_format_row_bytes(info->format, info->width));
    *image = (ro_image){0};
    const uint64_t rows = info->height + (uint64_t)behind / row + (behind % row != 0);
    if (rows > RO_MAX_SIDE || row > memory_limit(&reader->file) / rows)
        return file_no_memory(&reader->file, rows * row);
    ro_status status = ro_image_alloc(reader->file.context, info->format, info->width,
                                      (uint32_t)rows, info->maxval, image);
    image->height = info->height;
    for (uint32_t y = 0, got; y < info->height && status == RO_OK; y += got)
        status = ro_reader_rows(reader, (uint8_t *)image->data + (ptrdiff_t)y * image->stride,
                                image->stride, STEP, &got);
    if (status != RO_OK)
        ro_image_free(image);
    return status;
}

ro_status reader_image(ro_reader *reader, ro_image *image) { return read_image(reader, 0, image); }

/* The reader's info, whose header and description are copied behind the last row of the image. */
static void copy_info(const ro_reader *reader, const ro_image *image, ro_file_info *info)
{
    *info = *ro_reader_info(reader);
    uint8_t *behind = (uint8_t *)image->data + (ptrdiff_t)image->height * image->stride;
    if (info->header)
        info->header = memcpy(behind, info->header, info->header_size);
    if (info->header)
        behind += info->header_size;
    if (info->description)
        info->description = strcpy((char *)behind, info->description);
}

ro_status ro_image_load(ro_context *context, const char *path, const ro_read_options *options,
                        ro_image *image, ro_file_info *info, ro_dropped *dropped)
{
    if (MISSING(context, path, image))
        return RO_E_ARGUMENT;
    ro_reader *reader;
    size_t behind = 0;
    *image = (ro_image){0};
    if (info)
        *info = (ro_file_info){0};
    ro_status status = ro_reader_open(context, path, options, &reader);
    if (status != RO_OK)
        return status;
    const ro_file_info *read = ro_reader_info(reader);
    if (info && read->header)
        behind += read->header_size;
    if (info && read->description)
        behind += strlen(read->description) + 1;
    status = read_image(reader, behind, image);
    if (status == RO_OK && info)
        copy_info(reader, image, info);
    if (dropped)
        *dropped = *ro_reader_dropped(reader);
    ro_reader_close(reader);
    return status;
}

static ro_file_info info_of(const ro_image *image)
{
    return (ro_file_info){.format = image->format,
                          .width = image->width,
                          .height = image->height,
                          .maxval = image->maxval};
}

static ro_status write_rows(ro_writer *writer, const ro_image *image)
{
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < image->height && status == RO_OK; y += STEP)
        status = ro_writer_rows(writer, (const uint8_t *)image->data + (ptrdiff_t)y * image->stride,
                                image->stride, image->height - y < STEP ? image->height - y : STEP);
    return status;
}

/* Files are written from views that callers made. */
ro_status ro_image_save(ro_context *context, const char *path, const ro_image *image,
                        const ro_write_options *options)
{
    ro_status status = image_check(context, image, "written");
    if (status != RO_OK)
        return status;
    const ro_file_info info = info_of(image);
    ro_writer *writer;
    status = ro_writer_open(context, path, &info, options, &writer);
    if (status == RO_OK)
        status = write_rows(writer, image);
    if (status == RO_OK)
        status = ro_writer_commit(writer);
    ro_writer_close(writer);
    return status;
}

ro_status ro_image_encode(ro_context *context, const char *type, const ro_image *image,
                          void **bytes, size_t *size)
{
    if (bytes)
        *bytes = NULL;
    if (MISSING(context, bytes, size))
        return RO_E_ARGUMENT;
    *size = 0;
    ro_status status = image_check(context, image, "written");
    if (status != RO_OK)
        return status;
    const ro_file_info info = info_of(image);
    const ro_write_options options = {RO_WRITE_DEFAULTS, .type = type};
    ro_writer *writer;
    status = writer_open(context, NULL, &info, &options, &writer);
    if (status == RO_OK)
        status = write_rows(writer, image);
    if (status == RO_OK)
        status = ro_writer_commit(writer);
    if (status == RO_OK) {
        *bytes = writer->sink.buffer;
        *size = writer->sink.used;
        writer->sink.buffer = NULL;
    }
    ro_writer_close(writer);
    return status;
}
