/* SPDX-License-Identifier: MIT */
/* Packed pixels and nothing else: what a panel's memory holds. Rows begin at whole bytes. */
#include "io/panel/bit_packing.h"

#include <stdlib.h>

struct packed {
    struct row_encoder encoder; /* first, so that an encoder can be cast back */
    struct byte_sink *sink;
    struct packing packing;
    uint8_t *line;
};

static ro_status write_rows(struct row_encoder *encoder, const uint8_t *rows, ptrdiff_t stride,
                            uint32_t count)
{
    struct packed *self = (struct packed *)encoder;
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride) {
        packing_row(&self->packing, self->line, rows);
        status = sink_write(self->sink, self->line, packing_bytes(&self->packing));
    }
    return status;
}

static void close_writer(struct row_encoder *encoder)
{
    free(((struct packed *)encoder)->line);
    free(encoder);
}

ro_status packed_encode(struct byte_sink *sink, const ro_file_info *info,
                        const ro_write_options *options, struct row_encoder **encoder)
{
    struct packed *self = calloc(1, sizeof *self);
    if (!self)
        return file_no_memory(sink->file, sizeof *self);
    self->encoder =
        (struct row_encoder){.rows = write_rows, .finish = encoder_finished, .close = close_writer};
    self->sink = sink;
    *encoder = &self->encoder;
    ro_status status = packing_open(&self->packing, sink->file, info, options);
    if (status == RO_OK && !(self->line = malloc(packing_bytes(&self->packing))))
        status = file_no_memory(sink->file, packing_bytes(&self->packing));
    return status;
}

ro_status bits_encode(struct byte_sink *sink, const ro_file_info *info,
                      const ro_write_options *options, struct row_encoder **encoder)
{
    ro_write_options one = *options;
    if (!one.pixel_bits)
        one.pixel_bits = 1;
    return packed_encode(sink, info, &one, encoder);
}
