/* SPDX-License-Identifier: MIT */
/* Direct binary search: rows of the padded picture in, rows of the halftone out. */
#include "halftone/search/search.h"

#include <string.h>

void dbs_values(const struct dbs_state *state, int y, uint16_t *values)
{
    const struct dbs_plan *plan = &state->plan;
    const ro_image *in = state->in;
    const uint8_t *bytes = (const uint8_t *)in->data + (ptrdiff_t)state->row[y] * in->stride;
    const uint16_t *words = (const uint16_t *)(const void *)bytes;
    const int pad = plan->pad, inside = pad + plan->image_width;
    const int end = plan->panels * DBS_LANES;
    if (in->format == RO_GREY8)
        for (int x = 0; x < plan->image_width; x++)
            values[pad + x] = bytes[x];
    else
        memcpy(values + pad, words, (size_t)plan->image_width * sizeof *values);
    for (int x = 0; x < pad; x++)
        values[x] = values[pad + state->column[x]];
    for (int x = inside; x < plan->width; x++)
        values[x] = values[pad + state->column[x]];
    for (int x = plan->width; x < end; x++)
        values[x] = 0;
}

static uint8_t reversed(uint8_t byte)
{
    byte = (uint8_t)(byte >> 4 | byte << 4);
    byte = (uint8_t)((byte & 0xcc) >> 2 | (byte & 0x33) << 2);
    return (uint8_t)((byte & 0xaa) >> 1 | (byte & 0x55) << 1);
}

void dbs_pack(const struct dbs_state *state, int y0, int y1, const ro_image *out)
{
    const struct dbs_plan *plan = &state->plan;
    const int bytes = (plan->image_width + 7) / 8, spare = bytes * 8 - plan->image_width;
    const int shift = plan->pad & 7;
    for (int y = y0; y < y1; y++) {
        const uint8_t *b = dbs_bit_row(plan, state->b, y + plan->pad) + (plan->pad >> 3);
        uint8_t *to = (uint8_t *)out->data + y * out->stride;
        for (int i = 0; i < bytes; i++)
            to[i] = reversed((uint8_t)((b[i] | b[i + 1] << 8) >> shift));
        to[bytes - 1] &= (uint8_t)(0xff << spare);
    }
}
