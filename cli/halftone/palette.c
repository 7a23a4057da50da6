/* SPDX-License-Identifier: MIT */
/* The palettes of roundoff halftone: by name, from a file, or made for IN. */
#include "cli/halftone/halftone.h"
#include "roundoff/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int halftone_list_palettes(bool json)
{
    const ro_palette_info *info;
    if (json)
        puts("[");
    for (int i = 0; (info = ro_palette_at(i)); i++) {
        if (!json) {
            printf("%-15s %s\n%-15s %s\n", info->name, info->summary, "", info->source);
            continue;
        }
        printf("%s  {\"name\": ", i ? ",\n" : "");
        json_put(stdout, "%s, summary %s, source %s}", info->name, info->summary, info->source);
    }
    if (json)
        puts("\n]");
    return finish_stdout();
}

/* "auto:16"; -1: it is not that. */
static int adapted_count(const char *text)
{
    int count = 0, used = 0;
    if (strcmp(text, "auto") == 0)
        return 16;
    return sscanf(text, "auto:%9d%n", &count, &used) == 1 && !text[used] ? count : -1;
}

/* The palette is made when the picture is read; that of many pictures is kept by nobody. */
static ro_status adapt_later(ro_context *context, int count, bool many,
                             struct halftone_request *request)
{
    if (count < 2 || count > 256)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "palette auto:%d: a palette has 2 to 256 colours", count);
    request->read.colours = count;
    request->read.made = many ? NULL : &request->palette;
    return RO_OK;
}

ro_status halftone_adapt(ro_context *context, const ro_image *in, struct halftone_request *request)
{
    if (request->read.colours == 0)
        return RO_OK;
    request->options.palette = &request->palette;
    return ro_palette_adapt(context, in, &request->options.tone, request->read.colours,
                            &request->palette);
}

/* The palette of a panel's driver, which a file for the panel has in the place of the colours as
 * they look; NULL: it has the palette's own. */
static const char *driver_of(const struct halftone_given *values, const char *out)
{
    static const struct {
        const char *panel, *driver;
    } drivers[] = {{"7-colour-panel", "7-colour"}, {"acep-panel", "7-colour"},
                   {"uc8159-panel", "7-colour"},   {"impression-panel", "7-colour"},
                   {"spectra6-panel", "spectra6"}, {"e6-panel", "spectra6"}};
    const char *type = values->write.type, *dot = out ? strrchr(out, '.') : NULL;
    if (!values->palette || values->recolour ||
        !ro_name_equal(type  ? type
                       : dot ? dot + 1
                             : "",
                       "bmp"))
        return NULL;
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (ro_name_equal(values->palette, drivers[i].panel))
            return drivers[i].driver;
    return NULL;
}

ro_status halftone_take_driver(ro_context *context, const struct halftone_given *values,
                               const char *out, struct halftone_request *request)
{
    const char *driver = driver_of(values, out);
    if (!driver)
        return RO_OK;
    request->write.shown = &request->recolour;
    return ro_palette_parse(context, driver, &request->recolour);
}

ro_status halftone_colours(ro_context *context, const struct halftone_given *values, const char *in,
                           struct halftone_request *request)
{
    ro_halftone_options *options = &request->options;
    ro_status status = RO_OK;
    if (values->palette) {
        const int count = adapted_count(values->palette);
        if (count >= 0)
            status = adapt_later(context, count, !in, request);
        else
            status = palette_read(context, values->palette, &request->palette);
        options->palette = count >= 0 ? NULL : &request->palette;
    }
    if (values->recolour && status == RO_OK) {
        char why[256];
        status = palette_read(context, values->recolour, &request->recolour);
        snprintf(why, sizeof why, "%s", ro_context_message(context));
        if (status != RO_OK && !names_a_file(values->recolour))
            status = ro_context_fail(context, status, "recolour %s: %s", values->recolour, why);
        if (values->palette)
            request->write.shown = &request->recolour;
        else
            options->recolour = &request->recolour;
    }
    return status;
}

const char *halftone_read_twice(const struct halftone_given *values, const char *in,
                                const char *out)
{
    const char *const given[] = {values->palette, values->recolour,   values->screen,
                                 values->spot,    values->curve,      values->options.start,
                                 values->kernel,  values->profile_out};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (!given[i] || !names_a_file(given[i]))
            continue;
        if (same_file(given[i], strcmp(given[i], "-") == 0 ? in : out))
            return given[i];
    }
    return NULL;
}
