/* SPDX-License-Identifier: MIT */
#include "hologram/quantize/hogels.h"
#include "roundoff/pieces.h"

#include "context/context.h"
#include "hologram/field/field.h"

#include <stdlib.h>

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* The window that the options give, or the one in which the optics show the hogel. */
static ro_window window_of(const ro_field *field, const ro_hologram_options *o,
                           const ro_hologram_piece *piece, const ro_hogel_report *r)
{
    const uint32_t first = piece ? piece->y : 0, height = piece ? piece->height : field->height;
    if (o->window.width > 0 || o->optics.wavelength == 0)
        return o->window;
    double x = r->x + r->width / 2.0 - field->width / 2.0, pitch[2];
    double y = (double)first + r->y + r->height / 2.0 - height / 2.0;
    field_pitch(&o->optics, pitch);
    return window_of_hogel(&o->optics, x * pitch[0], y * pitch[1]);
}

uint32_t hogels_side(const ro_hologram_options *options)
{
    const uint32_t side = options->hogel          ? options->hogel
                          : options->optics.hogel ? options->optics.hogel
                                                  : 2048;
    return side < 8 ? 8 : side;
}

ro_status hogels_lay_out(ro_context *context, const ro_field *field,
                         const ro_hologram_options *options, const ro_hologram_piece *piece,
                         bool whole, ro_hogel_report **reports, uint32_t *count)
{
    const uint32_t side = hogels_side(options);
    const uint32_t wide = whole ? field->width : smaller(side, field->width);
    const uint32_t high = whole ? field->height : smaller(side, field->height);
    const uint64_t across = (field->width + wide - 1) / wide;
    const uint64_t down = (field->height + high - 1) / high;
    if (across * down > 1 << 20)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "hogels of %u pixels: %llu of them are too many", side,
                               (unsigned long long)(across * down));
    *count = (uint32_t)(across * down);
    *reports = calloc(*count, sizeof **reports);
    if (!*reports)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for %u hogels", *count);
    for (uint32_t i = 0; i < *count; i++) {
        ro_hogel_report *r = &(*reports)[i];
        r->x = i % (uint32_t)across * wide;
        r->y = i / (uint32_t)across * high;
        r->width = smaller(field->width - r->x, wide);
        r->height = smaller(field->height - r->y, high);
        r->window = window_of(field, options, piece, r);
    }
    return RO_OK;
}
