/* SPDX-License-Identifier: MIT */
/* The palettes of roundoff halftone: by name, from a file, or made for IN. */
#include "cli/commands/halftone/halftone.h"

#include <stdio.h>
#include <stdlib.h>

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
        json_string(stdout, info->name);
        fputs(", \"summary\": ", stdout);
        json_string(stdout, info->summary);
        fputs(", \"source\": ", stdout);
        json_string(stdout, info->source);
        putchar('}');
    }
    if (json)
        puts("\n]");
    return finish_stdout();
}

/* "auto:16"; 0: it is not that. */
static int adapted_count(const char *text)
{
    int count = 0, used = 0;
    if (strcmp(text, "auto") == 0)
        return 16;
    return sscanf(text, "auto:%4d%n", &count, &used) == 1 && !text[used] ? count : 0;
}

static ro_status adapt(ro_context *context, int count, const char *in,
                       struct halftone_request *request)
{
    ro_image picture;
    if (!in)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "--palette auto is for one picture: --out-dir has many");
    if (strcmp(in, "-") == 0)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "--palette auto reads IN twice, which standard input cannot be");
    if (request->options.range || request->options.white > 0)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "--palette auto takes all of the range, not a part of it");
    ro_status status = ro_image_load(context, in, &request->read, &picture, NULL, NULL);
    if (status == RO_OK)
        status =
            ro_palette_adapt(context, &picture, &request->options.tone, count, &request->palette);
    ro_image_free(&picture);
    return status;
}

static ro_status read_palette(ro_context *context, const char *text, ro_palette *palette)
{
    return names_a_file(text) ? ro_palette_load(context, text, palette)
                              : ro_palette_parse(context, text, palette);
}

/* The colours of a panel as they look; a picture is fitted to them. */
static bool is_panel(const char *text)
{
    static const char panel[] = "-panel";
    const size_t length = strlen(text);
    return !names_a_file(text) && length >= sizeof panel &&
           strcmp(text + length - (sizeof panel - 1), panel) == 0;
}

ro_status halftone_colours(ro_context *context, const struct halftone_values *values,
                           const char *in, struct halftone_request *request)
{
    enum { AUTO, NONE, FULL };
    ro_halftone_options *options = &request->options;
    ro_status status = RO_OK;
    if (values->palette) {
        const int count = adapted_count(values->palette);
        status = count ? adapt(context, count, in, request)
                       : read_palette(context, values->palette, &request->palette);
        options->palette = &request->palette;
        options->fit = values->fit == FULL ||
                       (values->fit == AUTO && values->overshoot < 0 && is_panel(values->palette));
    } else if (values->fit == FULL) {
        options->fit = 1; /* which is refused */
    }
    if (values->recolour && status == RO_OK) {
        status = read_palette(context, values->recolour, &request->recolour);
        options->recolour = &request->recolour;
    }
    return status;
}

const char *halftone_read_twice(const struct halftone_values *values, const char *in,
                                const char *out)
{
    const char *const given[] = {values->palette, values->recolour, values->screen, values->spot,
                                 values->curve,   values->start,    values->kernel,
                                 values->profile_out};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (!given[i] || !names_a_file(given[i]))
            continue;
        if (same_file(given[i], strcmp(given[i], "-") == 0 ? in : out))
            return given[i];
    }
    return NULL;
}
