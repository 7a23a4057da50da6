/* SPDX-License-Identifier: MIT */
/*
 * BMP, which the software of modulators takes: 8 bits a pixel with a palette of greys. Its rows go
 * from the bottom up, so each is written to its place.
 */
#include "io/stages/stage.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 14 + 40, PALETTE = 4 * 256 };

struct bmp {
    struct ro_encoder encoder; /* first, so that an encoder can be cast back */
    struct ro_sink *sink;
    uint32_t width, left; /* left: rows still to come */
    size_t row;           /* bytes, a multiple of four */
};

static void put32(uint8_t *to, uint64_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static ro_status write_rows(struct ro_encoder *encoder, const uint8_t *rows, ptrdiff_t stride,
                            uint32_t count)
{
    static const uint8_t blank[4];
    struct bmp *bmp = (struct bmp *)encoder;
    for (uint32_t y = 0; y < count; y++, rows += stride) {
        ro_status status =
            ro_sink_seek(bmp->sink, HEAD + PALETTE + (uint64_t)--bmp->left * bmp->row);
        if (status == RO_OK)
            status = ro_sink_write(bmp->sink, rows, bmp->width);
        if (status == RO_OK)
            status = ro_sink_write(bmp->sink, blank, bmp->row - bmp->width);
        if (status != RO_OK)
            return status;
    }
    return RO_OK;
}

static ro_status finish(struct ro_encoder *encoder)
{
    (void)encoder;
    return RO_OK;
}

static void close_writer(struct ro_encoder *encoder) { free(encoder); }

ro_status ro_bmp_encode(struct ro_sink *sink, const ro_file_info *info,
                        const ro_write_options *options, struct ro_encoder **encoder)
{
    (void)options;
    uint8_t head[HEAD + PALETTE] = {'B', 'M'};
    struct bmp *bmp = calloc(1, sizeof *bmp);
    if (!bmp)
        return ro_file_no_memory(sink->file, sizeof *bmp);
    *bmp = (struct bmp){{write_rows, finish, close_writer},
                        sink,
                        info->width,
                        info->height,
                        ((size_t)info->width + 3) / 4 * 4};
    *encoder = &bmp->encoder;
    uint64_t size = sizeof head + (uint64_t)bmp->row * info->height;
    if (size > UINT32_MAX)
        return ro_file_too_large(sink->file, info->width, info->height);
    put32(head + 2, size);
    put32(head + 10, sizeof head);
    put32(head + 14, 40);
    put32(head + 18, info->width);
    put32(head + 22, info->height);
    head[26] = 1; /* plane */
    head[28] = 8; /* bits */
    put32(head + 34, size - sizeof head);
    put32(head + 46, 256); /* colours */
    for (unsigned i = 0; i < 256; i++)
        put32(head + HEAD + 4 * i, i * 0x010101u);
    if (!sink->seekable)
        return ro_file_fail(sink->file, RO_E_UNSUPPORTED,
                            "BMP cannot be written to a pipe: its rows run from the bottom up");
    return ro_sink_write(sink, head, sizeof head);
}
