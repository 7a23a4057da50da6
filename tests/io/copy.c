/* SPDX-License-Identifier: MIT */
/*
 * Copies an image file row by row, for tests against other programs:
 *
 *     io_copy IN OUT [in-type=T] [out-type=T] [page=N] [size=WxH] [dpi=X] [rows=N] [info]
 *
 * rows= is how many are read at a time; info prints what the reader found and writes nothing.
 */
#include "roundoff_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed(ro_context *context, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, ro_context_message(context));
    ro_context_close(context);
    return 1;
}

int main(int count, char **words)
{
    ro_context *context;
    ro_read_options read = RO_READ_OPTIONS;
    ro_write_options write = RO_WRITE_OPTIONS;
    ro_reader *reader;
    ro_writer *writer;
    uint32_t rows = 7;
    int info_only = 0;
    if (count < 3 || ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1},
                                     &context) != RO_OK)
        return 2;
    for (int i = 3; i < count; i++) {
        unsigned width, height;
        if (strncmp(words[i], "in-type=", 8) == 0)
            read.type = words[i] + 8;
        else if (strncmp(words[i], "out-type=", 9) == 0)
            write.type = words[i] + 9;
        else if (strncmp(words[i], "page=", 5) == 0)
            read.page = (unsigned)atoi(words[i] + 5);
        else if (strncmp(words[i], "dpi=", 4) == 0)
            write.dpi_x = write.dpi_y = atof(words[i] + 4);
        else if (strncmp(words[i], "rows=", 5) == 0)
            rows = (uint32_t)atoi(words[i] + 5);
        else if (sscanf(words[i], "size=%ux%u", &width, &height) == 2)
            read.resize_width = width, read.resize_height = height;
        else
            info_only = 1;
    }
    if (ro_reader_open(context, words[1], &read, &reader) != RO_OK)
        return failed(context, "reading");
    ro_file_info info = *ro_reader_info(reader);
    if (info_only) {
        printf("%s, %s, %u x %u, maxval %u, %.2f x %.2f dpi, pages %u\n", info.type,
               ro_format_name(info.format), info.width, info.height, info.maxval, info.dpi_x,
               info.dpi_y, info.pages);
        ro_reader_close(reader);
        ro_context_close(context);
        return 0;
    }
    size_t stride = ro_format_row_bytes(info.format, info.width);
    void *buffer = malloc(stride * rows);
    ro_status status = ro_writer_open(context, words[2], &info, &write, &writer);
    for (uint32_t y = 0, got; y < info.height && status == RO_OK; y += got) {
        status = ro_reader_rows(reader, buffer, (ptrdiff_t)stride, rows, &got);
        if (status == RO_OK)
            status = ro_writer_rows(writer, buffer, (ptrdiff_t)stride, got);
    }
    if (status == RO_OK)
        status = ro_writer_commit(writer);
    ro_writer_close(writer);
    ro_reader_close(reader);
    free(buffer);
    if (status != RO_OK)
        return failed(context, "copying");
    ro_context_close(context);
    return 0;
}
