/* SPDX-License-Identifier: MIT */
/* The reader behind the public handle. */
#ifndef RO_IO_FILES_READER_H
#define RO_IO_FILES_READER_H

#include "io/filters/samples.h"

struct ro_reader {
    struct open_file file;
    struct byte_source source;
    struct row_stage *stage;   /* the last of the chain */
    struct row_stage *decoder; /* the first of it */
    ro_file_info info;         /* of the first page, as that stage gives it */
    char *description;         /* of the info, which outlives the stage */
    void *header;
    uint8_t *ahead;      /* row 0, where it was read ahead; else NULL */
    uint32_t row;        /* the next one */
    unsigned page, last; /* this page, and the last one asked for */
    const struct file_type *type;
    char *member;            /* of an archive, as the path has it; NULL: none was named */
    ro_read_options options; /* as given; their texts may be gone */
    struct sample_span span; /* of the file's numbers, if they are whole and no plain samples */
    ro_status status;        /* of the first failure; it stays */
    bool strict;             /* what is dropped is a failure */
    bool has_alpha;          /* some page so far, whatever becomes of it */
    uint64_t floats, above;  /* samples that were read, of float formats; of them above 1, */
    float largest;           /* and the largest */
};

/* Notes something that the caller of a reader drops; in words. */
ro_status reader_drop(ro_reader *reader, unsigned what, const char *words);

/* A file that is in memory already; it must outlive the reader. */
struct reader_bytes {
    const void *data;
    size_t size;
};

/* Opens a picture: `bytes`, or the file at `path` if they are NULL. If `video` is not NULL, a video
 * is opened too: then it is set, and the reader is only a source at its first byte. */
ro_status reader_open(ro_context *context, const char *path, const struct reader_bytes *bytes,
                      const ro_read_options *options, bool *video, ro_reader **reader);
ro_status reader_open_memory(ro_context *context, const void *bytes, size_t size,
                             const ro_read_options *options, ro_reader **reader);

/* ---- pages.c --------------------------------------------------------------------------------- */

/* Which pages are read, from the decoder of the first; those that are left out are noted. */
ro_status reader_choose_pages(ro_reader *reader);

/* What the numbers of a raw decoder span over all pages chosen, with the decoder as it was. Nothing
 * where it cannot be known: of floats, and of a pipe. */
ro_status reader_measure(ro_reader *reader);

/* Opens the decoder at a page of a file of which something was read before. */
ro_status reader_reopen(ro_reader *reader, unsigned page);

/* The whole image, into memory that ro_image_free gives back. */
ro_status reader_image(ro_reader *reader, ro_image *image);

#endif
