/* SPDX-License-Identifier: MIT */
/* A page of a TIFF file that is being read: what its tags say, and where its rows are. */
#ifndef RO_IO_FORMATS_TIFF_TIFF_LAYOUT_H
#define RO_IO_FORMATS_TIFF_TIFF_LAYOUT_H

#include "io/filters/convert.h"
#include "io/filters/stage.h"
#include "io/formats/tiff/tiff_file.h"
#include "io/formats/tiff/tiff_pages.h"
#include "io/formats/tiff/tiff_ycbcr.h"

enum way { PLAIN, SCANLINE, BAND };

struct tiff {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct tiff_file file;
    uint16_t bits, samples, photometric, planar, compression;
    bool real;    /* floating point */
    int channels; /* that count, alpha not among them */
    enum way way;
    bool tiled;
    uint32_t chunk_width, chunk_height; /* a tile, or a strip of the whole width */
    struct colour_map palette;
    struct ycbcr ycbcr;
    size_t row_bytes;            /* of the file, channels together */
    uint8_t *line;               /* such a row */
    uint8_t *band;               /* chunk_height of them */
    uint8_t *chunk;              /* one tile or strip as libtiff gives it */
    uint8_t *indices;            /* a row of a small palette, a byte each */
    uint32_t band_at, band_rows; /* which rows the band holds */
    uint32_t row;
    struct tiff_pages pages;
    unsigned page;   /* from 0 */
    bool one_behind; /* pages lie one behind another, and only the first has a directory */
    char *description;
};

/* Samples of 9 to 15 bits, packed without gaps but for the end of a row. */
static inline bool is_odd(const struct tiff *self) { return self->bits > 8 && self->bits < 16; }

/* Reads the tags of a page: its format, layout and resolution; says which tags and
 * channels are no part of the picture. */
ro_status tiff_layout(struct tiff *self);
void tiff_description(struct tiff *self);

#endif
