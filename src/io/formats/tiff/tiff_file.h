/* SPDX-License-Identifier: MIT */
/* libtiff on a source or a sink, with its messages kept instead of printed. */
#ifndef RO_IO_FORMATS_TIFF_TIFF_FILE_H
#define RO_IO_FORMATS_TIFF_TIFF_FILE_H

#include "io/bytes/sink.h"
#include "io/bytes/source.h"

#include <tiffio.h>

struct tiff_file {
    TIFF *tiff;
    struct tiff_file *next; /* open files, where libtiff is too old to know them apart */
    struct open_file *file;
    struct byte_source *source; /* or */
    struct byte_sink *sink;
    uint64_t end;     /* of what was written */
    ro_status status; /* what reading or writing bytes failed with */
    bool no_memory;   /* of libtiff, which then leaves tags out */
    bool no_palette;  /* the page had one that cannot be read: libtiff makes grey of its numbers */
    char text[200];   /* the first complaint of libtiff; "": none */
};

/* Opens for reading where there is a source, else for writing, as BigTIFF if `big`. */
ro_status tiff_open(struct tiff_file *tiff, bool big);
void tiff_close(struct tiff_file *tiff);

/* After libtiff said no: what bytes failed with, or "not a proper TIFF file" and why. */
ro_status tiff_failed(struct tiff_file *tiff);

/* Goes to the page whose directory is at `offset`. */
ro_status tiff_go(struct tiff_file *tiff, uint64_t offset);

/* RO_OK when nothing was complained about so far: a decoder may go on after damage. */
ro_status tiff_check(struct tiff_file *tiff);

/* The scheme for a choice that is sure to fit: bits, or samples of 8 bits and more. Fails where
 * libtiff was built without it. */
ro_status tiff_compression(struct open_file *file, ro_compression choice, bool bits,
                           uint16_t *scheme);
/* Whether differences of neighbours may be packed instead of samples. */
bool tiff_predicts(uint16_t scheme);

#endif
