/* SPDX-License-Identifier: MIT */
#include "halftone/tone/range.h"

#include "halftone/tone/grey.h"
#include "roundoff/library.h"

#include <math.h>

static bool is_float(const ro_image *in) { return in->format == RO_GREYF || in->format == RO_RGBF; }

/* Video's numbers: 16 to 235 of 255, with as many bits more as there are. */
static ro_status limited(ro_context *context, const ro_image *in, uint32_t most,
                         struct tone_range *range)
{
    if (is_float(in) || most < 255 || (most & (most + 1)) != 0)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the limited range is one of integers of 8 to 16 bits");
    const uint32_t unit = (most + 1) / 256;
    range->black = 16 * unit;
    range->white = (235 - 16) * unit;
    range->cuts = true;
    return RO_OK;
}

ro_status tone_range_of(ro_context *context, const ro_image *in, const ro_halftone_options *options,
                        struct tone_range *range)
{
    const uint32_t most = grey_input_white(in);
    const double black = options->black, white = options->white;
    *range = (struct tone_range){.white = most, .width = 1};
    const bool given = black != 0 || white != 0;
    if (most == 0 || (!given && options->range != RO_RANGE_LIMITED))
        return RO_OK;
    if (!given)
        return limited(context, in, most, range);
    if (black >= white)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "black at %g and white at %g: black must be the lower", black,
                               white);
    range->cuts = true;
    if (is_float(in)) {
        range->low = black;
        range->width = white - black;
        return RO_OK;
    }
    if (black < 0 || white > most || black != floor(black) || white != floor(white))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "black at %g and white at %g: must be whole numbers from 0 to %u",
                               black, white, most);
    range->black = (uint32_t)black;
    range->white = (uint32_t)(white - black);
    range->cuts = range->black != 0 || range->white != most;
    return RO_OK;
}
