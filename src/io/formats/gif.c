/* SPDX-License-Identifier: MIT */
/*
 * Animated GIF (GIF89a, CompuServe 1990): frames of 8-bit numbers, packed by the dictionary method
 * of Lempel, Ziv and Welch. Codes start with 9 bits and grow to 12; then the dictionary is cleared.
 */
#include "core/misuse.h"
#include "io/bytes/sink.h"
#include "roundoff_io_command.h"

#include <stdlib.h>
#include <string.h>

enum {
    CLEAR = 256,
    END = 257,
    FIRST = 258,
    MOST = 4096, /* codes */
    PLACES = 16384,
    MOST_SIDE = 65535,
};

struct ro_gif {
    struct open_file file;
    struct byte_sink sink;
    uint32_t width, height;
    /* the dictionary: a code and a byte behind it make another code */
    uint32_t key[PLACES];
    uint16_t code[PLACES];
    unsigned next, bits;
    /* what is packed: blocks of up to 255 bytes */
    uint64_t held;
    unsigned held_bits;
    uint8_t block[256];
    unsigned used;
    ro_status status;
    bool committed;
};

static void put(ro_gif *gif, const void *bytes, size_t size)
{
    if (gif->status == RO_OK)
        gif->status = sink_write(&gif->sink, bytes, size);
}

static void put_block(ro_gif *gif)
{
    gif->block[0] = (uint8_t)gif->used;
    if (gif->used)
        put(gif, gif->block, gif->used + 1);
    gif->used = 0;
}

static void put_code(ro_gif *gif, unsigned code)
{
    gif->held |= (uint64_t)code << gif->held_bits;
    gif->held_bits += gif->bits;
    for (; gif->held_bits >= 8; gif->held_bits -= 8, gif->held >>= 8) {
        gif->block[++gif->used] = (uint8_t)gif->held;
        if (gif->used == 255)
            put_block(gif);
    }
}

static void clear(ro_gif *gif)
{
    memset(gif->key, 0xff, sizeof gif->key);
    gif->next = FIRST;
    gif->bits = 9;
}

/* The code of `code` followed by `byte`, or a free place with *found 0. */
static uint32_t find(ro_gif *gif, unsigned code, uint8_t byte, unsigned *found)
{
    uint32_t key = (uint32_t)code << 8 | byte;
    uint32_t place = (key * 2654435761u) >> 18;
    *found = 0;
    while (gif->key[place] != UINT32_MAX) {
        if (gif->key[place] == key) {
            *found = gif->code[place];
            break;
        }
        place = (place + 1) % PLACES;
    }
    return place;
}

static void pack(ro_gif *gif, const uint8_t *numbers, ptrdiff_t stride)
{
    gif->held = gif->held_bits = gif->used = 0;
    clear(gif);
    put_code(gif, CLEAR);
    unsigned code = numbers[0];
    for (uint32_t y = 0; y < gif->height; y++)
        for (uint32_t x = y ? 0 : 1; x < gif->width; x++) {
            uint8_t byte = numbers[(ptrdiff_t)y * stride + x];
            unsigned found;
            uint32_t place = find(gif, code, byte, &found);
            if (found) {
                code = found;
                continue;
            }
            put_code(gif, code);
            if (gif->next == MOST) {
                put_code(gif, CLEAR);
                clear(gif);
            } else {
                gif->key[place] = (uint32_t)code << 8 | byte;
                gif->code[place] = (uint16_t)gif->next;
                if (gif->next++ == 1u << gif->bits)
                    gif->bits++;
            }
            code = byte;
        }
    put_code(gif, code);
    if (gif->next == 1u << gif->bits && gif->bits < 12) /* a reader has one code more by now */
        gif->bits++;
    put_code(gif, END);
    if (gif->held_bits) {
        gif->block[++gif->used] = (uint8_t)gif->held;
        if (gif->used == 255)
            put_block(gif);
    }
    put_block(gif);
}

static void put16(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

ro_status ro_gif_open(ro_context *context, const char *path, uint32_t width, uint32_t height,
                      const uint8_t *colours, ro_gif **made)
{
    if (made)
        *made = NULL;
    if (MISSING(context, path, colours, made))
        return RO_E_ARGUMENT;
    ro_gif *gif = calloc(1, sizeof *gif);
    if (!gif)
        return ro_context_fail(context, RO_E_MEMORY, "not enough memory to write %s", path);
    gif->sink.fd = -1;
    gif->width = width;
    gif->height = height;
    file_init(&gif->file, context, path, "standard output");
    if (width == 0 || height == 0 || width > MOST_SIDE || height > MOST_SIDE)
        gif->status =
            file_fail(&gif->file, RO_E_SIZE, "a GIF of %u x %u pixels; each side is 1 to %d", width,
                      height, MOST_SIDE);
    if (gif->status == RO_OK)
        gif->status = sink_open(&gif->sink, &gif->file, path);
    uint8_t head[13] = {'G', 'I', 'F', '8', '9', 'a', 0, 0, 0, 0, 0xf7, 0, 0};
    put16(head + 6, width);
    put16(head + 8, height);
    put(gif, head, sizeof head);
    put(gif, colours, 768);
    put(gif, "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", 19);
    if (gif->status != RO_OK) {
        ro_status status = gif->status;
        ro_gif_close(gif);
        return status;
    }
    *made = gif;
    return RO_OK;
}

ro_status ro_gif_frame(ro_gif *gif, const uint8_t *numbers, ptrdiff_t stride, unsigned centiseconds)
{
    if (ABSENT(gif))
        return RO_E_ARGUMENT;
    if (gif->committed)
        return file_fail(&gif->file, RO_E_STATE, "the file was committed before");
    if (!rows_fit(numbers, stride, gif->height, gif->width))
        return file_fail(&gif->file, RO_E_ARGUMENT, "a frame without pixels");
    uint8_t head[19] = {0x21, 0xf9, 4, 4, 0, 0, 0, 0, 0x2c};
    put16(head + 4, centiseconds);
    put16(head + 13, gif->width);
    put16(head + 15, gif->height);
    head[18] = 8; /* bits of a number, behind a byte without flags */
    put(gif, head, sizeof head);
    pack(gif, numbers, stride);
    put(gif, "", 1);
    return gif->status;
}

ro_status ro_gif_commit(ro_gif *gif)
{
    if (ABSENT(gif))
        return RO_E_ARGUMENT;
    if (gif->committed)
        return file_fail(&gif->file, RO_E_STATE, "the file was committed before");
    gif->committed = true;
    put(gif, ";", 1);
    if (gif->status == RO_OK)
        gif->status = sink_commit(&gif->sink);
    return gif->status;
}

void ro_gif_close(ro_gif *gif)
{
    if (!gif)
        return;
    sink_close(&gif->sink);
    free(gif);
}
