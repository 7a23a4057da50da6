/* SPDX-License-Identifier: MIT */
/* The writer behind the public handle. */
#ifndef RO_IO_FILES_WRITER_H
#define RO_IO_FILES_WRITER_H

#include "io/filters/convert.h"
#include "io/filters/stage.h"

struct ro_writer {
    struct open_file file;
    struct byte_sink sink;
    struct row_encoder *encoder;
    size_t row_bytes;    /* of the caller's rows */
    ro_file_info layout; /* what the encoder takes */
    struct row_conversion conversion;
    uint8_t *joined;    /* a row with its alpha; NULL: there is none */
    uint8_t *converted; /* some rows of the layout; NULL: the caller's rows are passed on */
    size_t converted_stride;
    uint32_t converted_rows;
    uint64_t row;     /* the next one, of all pages */
    ro_status status; /* of the first failure; it stays */
    bool complete, committed;
    bool cut_alpha; /* some pixel was neither opaque nor clear, and is one of them now */
};

struct file_extension;

/* The type asked for, else the one of the name's ending; standard output is PNM. NULL: none. */
const struct file_extension *writer_extension(const char *path, const char *asked);

/* Whether the header of an info is one of the type that is written. */
bool header_fits(const ro_file_info *info, const struct file_extension *extension);

/* As ro_writer_open. If `path` is NULL, it writes into memory: sink.buffer holds the file after the
 * commit. */
ro_status writer_open(ro_context *context, const char *path, const ro_file_info *info,
                      const ro_write_options *options, ro_writer **writer);

#endif
