/* SPDX-License-Identifier: MIT */
/* The reader behind the public handle. */
#ifndef RO_IO_PICTURES_READER_H
#define RO_IO_PICTURES_READER_H

#include "io/stages/stage.h"

struct ro_reader {
    struct ro_file file;
    struct ro_source source;
    struct ro_stage *stage; /* the last of the chain */
    uint8_t *ahead;         /* row 0, where it was read ahead; else NULL */
    uint32_t row;           /* the next one */
    ro_status status;       /* of the first failure; it stays */
    bool strict;            /* what is dropped is a failure */
};

/* Notes something that the caller of a reader drops; in words. */
ro_status ro_reader_drop(ro_reader *reader, unsigned what, const char *words);

/* A file that is in memory already; the bytes must outlive the reader. */
ro_status ro_reader_open_memory(ro_context *context, const void *bytes, size_t size,
                                const ro_read_options *options, ro_reader **reader);

/* A file that is open already, the reader's from now on, whatever comes of it; `path` is its name. */
ro_status ro_reader_open_source(ro_context *context, const char *path, struct ro_source *source,
                                const ro_read_options *options, ro_reader **reader);

/* The whole image, into memory that ro_image_free gives back. */
ro_status ro_reader_image(ro_reader *reader, ro_image *image);

#endif
