/* SPDX-License-Identifier: MIT */
/* The inks of a separation: which screens they need, and what is said of them. */
#include "cli/halftone/halftone.h"
#include "roundoff_io_command.h"

#include <string.h>

static ro_screen_options screen_of(const ro_halftone_options *options)
{
    return (ro_screen_options){RO_SCREEN_DEFAULTS,      .kind = "am",
                               .lpi = options->lpi,     .dpi = options->dpi,
                               .dpi_y = options->dpi_y, .shape = options->shape,
                               .spot = options->spot,   .dot = (uint32_t)options->dot};
}

ro_status halftone_read_inks(ro_context *context, const struct halftone_given *values,
                             struct halftone_request *request)
{
    ro_halftone_options *options = &request->options;
    struct ink_list *list = &request->inks;
    if (options->channels != RO_CHANNELS_INKS && options->channels != RO_CHANNELS_CMYK)
        return RO_OK;
    ro_status status = inks_read(context, values->inks, &values->ink, true, list);
    options->inks = list->inks;
    options->ink_count = list->count;
    int in_rows = 0;
    for (int i = 0; i < list->count && status == RO_OK; i++)
        in_rows += list->inks[i].lpi > 0 || options->lpi > 0;
    const bool screens = list->angles || list->shapes || values->angles;
    if (status == RO_OK && (screens || in_rows > 0) && in_rows < list->count)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "screens of inks need lines per inch: lpi for all, or lpi= for "
                               "each");
    const ro_screen_options screen = screen_of(options);
    if (status == RO_OK && values->angles)
        status = inks_turn(context, values->angles, &screen, list);
    if (status == RO_OK && in_rows == 0)
        for (int i = 0; i < list->count; i++)
            list->inks[i].degrees = 0;
    return status;
}

ro_status halftone_check_plates(ro_context *context, const struct halftone_given *values,
                                const struct halftone_request *request, const char *out)
{
    const char *const written[] = {request->write.split_inks ? NULL : out, values->proof,
                                   values->common.certificate};
    for (int i = 0; i < request->inks.count; i++)
        for (size_t k = 0; k < sizeof written / sizeof *written; k++)
            if (request->inks.curves[i] && written[k] &&
                same_file(request->inks.curves[i], written[k]))
                return ro_context_fail(context, RO_E_ARGUMENT,
                                       "%s is an ink's curve and would be overwritten", written[k]);
    if (!request->write.split_inks)
        return RO_OK;
    for (int i = 0; i < request->inks.count; i++) {
        char path[4096];
        if (ro_plate_path(out, &request->options, i, path, sizeof path) != RO_OK)
            continue; /* told when it is written */
        const char *taken = halftone_read_twice(values, "", path);
        for (int k = 0; k < request->inks.count && !taken; k++)
            if (request->inks.curves[k] && same_file(request->inks.curves[k], path))
                taken = request->inks.curves[k];
        if (taken)
            return ro_context_fail(
                context, RO_E_ARGUMENT,
                "%s is read for an option, and the plate of %s would overwrite it", taken,
                request->inks.inks[i].name);
    }
    return RO_OK;
}

/* ---- What came out -------------------------------------------------------------------------- */

/* The screen of an ink; false: it has none. */
static bool reached(ro_context *context, const ro_halftone_options *options, int ink, ro_dots *dots)
{
    ro_screen_options screen = screen_of(options);
    screen.lpi = options->inks[ink].lpi > 0 ? options->inks[ink].lpi : options->lpi;
    screen.angle = options->inks[ink].degrees;
    return screen.lpi > 0 && ro_dots_find(context, &screen, 0, dots) == RO_OK;
}

static bool moire_of(ro_context *context, const struct halftone_request *request, ro_moire *moire)
{
    const ro_screen_options screen = screen_of(&request->options);
    return request->inks.turned && ro_moire_find(context, &screen, request->inks.inks,
                                                 request->inks.count, 0, moire) == RO_OK;
}

void halftone_say_inks(ro_context *context, const struct halftone_request *request)
{
    static const char *const cmyk[] = {"cyan", "magenta", "yellow", "black"};
    ro_dots dots = {.size = sizeof dots};
    ro_moire moire = {.size = sizeof moire};
    for (int i = 0; i < RO_INKS_MOST; i++)
        if (request->empty_plates >> i & 1)
            tell("halftone: the plate of %s is empty: nothing prints with it",
                 i < request->inks.count ? request->inks.inks[i].name : cmyk[i & 3]);
    for (int i = 0; i < request->inks.count; i++)
        if (reached(context, &request->options, i, &dots))
            tell("halftone: %s: %.3f lpi at %.3f degrees, %u greys", request->inks.inks[i].name,
                 dots.lpi, dots.angle, dots.greys);
    if (moire_of(context, request, &moire))
        inks_say_moire("halftone", &moire);
}

void halftone_json_inks(FILE *file, ro_context *context, const struct halftone_request *request,
                        const char *out)
{
    const ro_halftone_options *options = &request->options;
    ro_dots dots = {.size = sizeof dots};
    ro_moire moire = {.size = sizeof moire};
    if (request->write.split_inks)
        json_put(file, ", empty_plates %u", request->empty_plates);
    for (int i = 0; i < options->ink_count; i++) {
        char path[4096];
        fputs(i ? ", {\"ink\": " : ", \"inks\": [{\"ink\": ", file);
        json_string(file, options->inks[i].name);
        if (request->write.split_inks &&
            ro_plate_path(out, options, i, path, sizeof path) == RO_OK) {
            json_put(file, ", output %s", path);
        }
        if (reached(context, options, i, &dots))
            json_put(file, ", lpi %.6f, angle %.6f, greys %u", dots.lpi, dots.angle, dots.greys);
        fputs(i + 1 == options->ink_count ? "}]" : "}", file);
    }
    if (moire_of(context, request, &moire)) {
        fputs(", ", file);
        inks_json_moire(file, &moire, request->inks.count);
    }
}
