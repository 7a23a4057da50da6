/* SPDX-License-Identifier: MIT */
/*
 * BMP out, which panels and the software of modulators take: 1, 4 or 8 bits with a palette of the
 * colours or greys, as few as they need, or 24 bits. Rows go from the bottom up, each written to
 * its place; in a pipe from the top down, which the format knows too.
 */
#include "io/panel/bit_packing.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 14 + 40, MOST_COLOURS = 256 };

static const double metres_per_inch = 0.0254;

struct bmp {
    struct row_encoder encoder; /* first, so that an encoder can be cast back */
    struct byte_sink *sink;
    struct packing packing; /* of up to 8 bits */
    int bits;
    uint32_t width, left; /* left: rows still to come */
    size_t row;           /* bytes, a multiple of four */
    size_t pixels;        /* where they begin */
    uint8_t *line;
};

static void put32(uint8_t *to, uint64_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static void fill_line(struct bmp *bmp, const uint8_t *row)
{
    if (bmp->bits <= 8) {
        packing_row(&bmp->packing, bmp->line, row);
        return;
    }
    for (size_t x = 0; x < bmp->width; x++)
        for (size_t c = 0; c < 3; c++)
            bmp->line[3 * x + c] = row[3 * x + 2 - c];
}

static ro_status write_rows(struct row_encoder *encoder, const uint8_t *rows, ptrdiff_t stride,
                            uint32_t count)
{
    struct bmp *bmp = (struct bmp *)encoder;
    for (uint32_t y = 0; y < count; y++, rows += stride) {
        ro_status status = RO_OK;
        bmp->left--;
        if (bmp->sink->seekable)
            status = sink_seek(bmp->sink, bmp->pixels + (uint64_t)bmp->left * bmp->row);
        fill_line(bmp, rows);
        if (status == RO_OK)
            status = sink_write(bmp->sink, bmp->line, bmp->row);
        if (status != RO_OK)
            return status;
    }
    return RO_OK;
}

static void close_writer(struct row_encoder *encoder)
{
    free(((struct bmp *)encoder)->line);
    free(encoder);
}

/* Colours of the palette: those of the picture, or the greys of its numbers. */
static void fill_palette(uint8_t *to, const ro_file_info *info, uint32_t colours)
{
    for (uint32_t i = 0; i < colours; i++) {
        if (info->palette) {
            for (int c = 0; c < 3; c++)
                to[4 * i + (uint32_t)c] = info->palette->colours[i][2 - c];
        } else {
            const uint32_t grey = (2 * 255 * i + info->maxval) / (2 * info->maxval);
            put32(to + 4 * i, grey * 0x010101u);
        }
    }
}

static uint32_t per_metre(double dpi)
{
    return dpi > 0 && dpi < 1e7 ? (uint32_t)(dpi / metres_per_inch + 0.5) : 0;
}

static ro_status open_form(struct bmp *bmp, const ro_file_info *info, uint32_t *colours)
{
    static const ro_write_options plain = RO_WRITE_OPTIONS;
    ro_status status = RO_OK;
    bmp->bits = 24;
    *colours = 0;
    if (info->format != RO_RGB8) {
        status = packing_open(&bmp->packing, bmp->sink->file, info, &plain);
        if (bmp->packing.bits == 2)
            bmp->packing.bits = 4; /* hardly any program reads 2 */
        bmp->bits = bmp->packing.bits;
        *colours = info->palette ? (uint32_t)info->palette->count : info->maxval + 1;
    }
    bmp->row = (size_t)(((uint64_t)info->width * (unsigned)bmp->bits + 31) / 32 * 4);
    bmp->pixels = HEAD + 4 * (size_t)*colours;
    return status;
}

ro_status bmp_encode(struct byte_sink *sink, const ro_file_info *info,
                     const ro_write_options *options, struct row_encoder **encoder)
{
    uint8_t head[HEAD + 4 * MOST_COLOURS] = {'B', 'M'};
    uint32_t colours;
    struct bmp *bmp = calloc(1, sizeof *bmp);
    (void)options;
    if (!bmp)
        return file_no_memory(sink->file, sizeof *bmp);
    *bmp = (struct bmp){.encoder = {write_rows, encoder_finished, close_writer},
                        .sink = sink,
                        .width = info->width,
                        .left = info->height};
    *encoder = &bmp->encoder;
    ro_status status = open_form(bmp, info, &colours);
    if (status != RO_OK)
        return status;
    uint64_t size = bmp->pixels + (uint64_t)bmp->row * info->height;
    if (size > UINT32_MAX)
        return file_too_large(sink->file, info->width, info->height);
    if (!(bmp->line = calloc(1, bmp->row)))
        return file_no_memory(sink->file, bmp->row);
    put32(head + 2, size);
    put32(head + 10, bmp->pixels);
    put32(head + 14, 40);
    put32(head + 18, info->width);
    put32(head + 22, sink->seekable ? info->height : (uint32_t) - (int64_t)info->height);
    head[26] = 1; /* plane */
    head[28] = (uint8_t)bmp->bits;
    put32(head + 34, size - bmp->pixels);
    put32(head + 38, per_metre(info->dpi_x));
    put32(head + 42, per_metre(info->dpi_y));
    put32(head + 46, colours);
    fill_palette(head + HEAD, info, colours);
    return sink_write(sink, head, bmp->pixels);
}
