/* SPDX-License-Identifier: MIT */
/* Pieces of a field, for processes that round one together. All that a hogel must know of the
 * others is the energy of the whole field, from which the gain follows. */
#include "context/context.h"
#include "core/misuse.h"
#include "core/options.h"
#include "hologram/field/field.h"
#include "hologram/quantize/hogels.h"
#include "hologram/quantize/quantize.h"
#include "roundoff/pieces.h"

#include <math.h>

static ro_status take(ro_context *context, const ro_hologram_options *given,
                      ro_hologram_options *options, bool *hogels)
{
    ro_status status = hologram_read(context, given, options);
    if (status == RO_OK)
        status = hologram_cut(context, options, hogels);
    if (status == RO_OK && options->gain == RO_GAIN_AUTO)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "a gain is found from the whole field, not from pieces: give one");
    return status;
}

static uint32_t rows_of(const ro_hologram_options *options, bool hogels, uint32_t height)
{
    const uint32_t side = hogels ? hogels_side(options) : 1;
    return side < height ? side : height;
}

ro_status ro_hologram_rows(ro_context *context, const ro_hologram_options *given,
                           const ro_field *field, uint32_t *rows)
{
    if (MISSING(context, field, rows))
        return RO_E_ARGUMENT;
    ro_hologram_options options;
    bool hogels = false;
    const ro_status status = take(context, given, &options, &hogels);
    if (status == RO_OK)
        *rows = rows_of(&options, hogels, field->height);
    return status;
}

ro_status ro_hologram_energy(ro_context *context, const ro_field *rows,
                             const ro_hologram_options *given, double *energies)
{
    if (MISSING(context, rows, energies))
        return RO_E_ARGUMENT;
    ro_hologram_options options;
    struct hologram_levels levels;
    float table[2 * RO_HOLOGRAM_LEVELS];
    bool hogels = false, amplitude = false;
    ro_status status = field_check(context, rows, "the field");
    if (status == RO_OK)
        status = take(context, given, &options, &hogels);
    if (status == RO_OK)
        status = hologram_levels_of(context, &options, table, &levels, &amplitude);
    return status == RO_OK ? field_energies(context, rows, levels.real, energies) : status;
}

static ro_status quantize_piece(ro_context *context, const ro_field *in, ro_image *out,
                                const ro_hologram_options *given, const ro_hologram_piece *piece,
                                ro_hologram_report *report)
{
    if (MISSING(context, in, out, piece))
        return RO_E_ARGUMENT;
    DEVICE_TURN(context);
    ro_hologram_options options;
    bool hogels = false;
    ro_status status = field_check(context, in, "the field");
    if (status == RO_OK)
        status = take(context, given, &options, &hogels);
    if (status == RO_OK && piece->height < in->height)
        status =
            ro_context_fail(context, RO_E_SIZE, "%u rows are more than the whole field has, %u",
                            in->height, piece->height);
    if (status != RO_OK)
        return status;
    const uint32_t rows = rows_of(&options, hogels, piece->height);
    const uint64_t end = (uint64_t)piece->y + in->height;
    if (end > piece->height || piece->y % rows || (end % rows && end < piece->height))
        return ro_context_fail(context, RO_E_SIZE,
                               "rows %u to %llu of %u cannot be rounded by themselves: hogels have "
                               "%u rows",
                               piece->y, (unsigned long long)end, piece->height, rows);
    if (!(piece->energy >= 0) || !isfinite(piece->energy))
        return ro_context_fail(context, RO_E_ARGUMENT, "the energy of a field cannot be %g",
                               piece->energy);
    return hologram_quantize_at(context, in, out, &options, piece, report);
}

ro_status ro_hologram_quantize_piece(ro_context *context, const ro_field *in, ro_image *out,
                                     const ro_hologram_options *given,
                                     const ro_hologram_piece *piece, ro_hologram_report *report)
{
    ro_hologram_report full = {.size = sizeof full};
    ro_status status = report_check(context, report);
    if (status != RO_OK)
        return status;
    status = quantize_piece(context, in, out, given, piece, report ? &full : NULL);
    report_give(report, &full);
    return status;
}
