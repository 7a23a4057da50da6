/* SPDX-License-Identifier: MIT */
/*
 * MEM, the memory file of Verilog's $readmemh: a comment with the size, then the samples as
 * hexadecimal numbers, a row of the picture a line.
 */
#include "io/filters/stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mem {
    struct row_encoder encoder; /* first, so that an encoder can be cast back */
    struct byte_sink *sink;
    uint32_t width;
    bool wide;  /* samples of 16 bits */
    int digits; /* of the largest one */
    char *line;
};

static ro_status write_rows(struct row_encoder *encoder, const uint8_t *rows, ptrdiff_t stride,
                            uint32_t count)
{
    static const char digits[] = "0123456789abcdef";
    struct mem *mem = (struct mem *)encoder;
    for (uint32_t y = 0; y < count; y++, rows += stride) {
        char *to = mem->line;
        for (uint32_t x = 0; x < mem->width; x++) {
            unsigned sample = mem->wide ? ((const uint16_t *)(const void *)rows)[x] : rows[x];
            for (int i = mem->digits - 1; i >= 0; i--)
                *to++ = digits[sample >> (4 * i) & 15];
            *to++ = x + 1 < mem->width ? ' ' : '\n';
        }
        ro_status status = sink_write(mem->sink, mem->line, (size_t)(to - mem->line));
        if (status != RO_OK)
            return status;
    }
    return RO_OK;
}

static void close_writer(struct row_encoder *encoder)
{
    free(((struct mem *)encoder)->line);
    free(encoder);
}

ro_status mem_encode(struct byte_sink *sink, const ro_file_info *info,
                     const ro_write_options *options, struct row_encoder **encoder)
{
    (void)options;
    char head[96];
    struct mem *mem = calloc(1, sizeof *mem);
    if (!mem)
        return file_no_memory(sink->file, sizeof *mem);
    *mem = (struct mem){.encoder = {write_rows, encoder_finished, close_writer},
                        .sink = sink,
                        .width = info->width,
                        .wide = info->format == RO_GREY16,
                        .digits = 1};
    *encoder = &mem->encoder;
    while (mem->digits < 4 && info->maxval >> (4 * mem->digits))
        mem->digits++;
    const size_t bytes = (size_t)info->width * (size_t)(mem->digits + 1);
    mem->line = malloc(bytes);
    if (!mem->line)
        return file_no_memory(sink->file, bytes);
    snprintf(head, sizeof head, "// %" PRIu32 " x %" PRIu32 " samples from 0 to %" PRIx32 "\n",
             info->width, info->height, info->maxval);
    return sink_write(sink, head, strlen(head));
}
