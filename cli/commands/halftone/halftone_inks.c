/* SPDX-License-Identifier: MIT */
/* Inks as the command line has them: colours by --inks, screens and curves by --ink. */
#include "cli/commands/halftone/halftone.h"

#include <stdlib.h>
#include <string.h>

static const char *const cmyk_names[4][2] = {
    {"cyan", "c"}, {"magenta", "m"}, {"yellow", "y"}, {"black", "k"}};
static const uint8_t cmyk_colours[4][3] = {{0, 174, 239}, {236, 0, 140}, {255, 242, 0}, {35, 31, 32}};
static const double cmyk_angles[4] = {15, 75, 0, 45};

/* Of inks of your own, in their order: far from each other as long as there are few. */
static const double own_angles[RO_INKS_MOST] = {45, 75, 15, 0, 60, 30, 22.5, 67.5};

/* ---- Colours -------------------------------------------------------------------------------- */

/* "#e30613" is an ink of the name e30613; "red" is called red. */
static ro_status add_ink(ro_context *context, const char *text, size_t length,
                         struct halftone_request *request)
{
    char colours[160]; /* a palette has several */
    ro_palette palette;
    const int number = request->options.ink_count;
    if (number == RO_INKS_MOST)
        return ro_context_fail(context, RO_E_ARGUMENT, "--inks: there are more than %d",
                               RO_INKS_MOST);
    if (length == 0 || length > 64)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "--inks: must be colours such as \"#e30613,#009fe3,black\"");
    snprintf(colours, sizeof colours, "%.*s black white", (int)length, text);
    ro_status status = ro_palette_parse(context, colours, &palette);
    if (status != RO_OK)
        return status;
    const bool digits = *text == '#';
    snprintf(request->ink_names[number], sizeof request->ink_names[number], "%.*s",
             (int)length - digits, text + digits);
    request->inks[number] = (ro_ink){.name = request->ink_names[number],
                                     .degrees = own_angles[number]};
    memcpy(request->inks[number].colour, palette.colours[0], 3);
    request->options.ink_count++;
    return RO_OK;
}

static ro_status read_colours(ro_context *context, const char *text,
                              struct halftone_request *request)
{
    ro_status status = RO_OK;
    for (const char *at = text; status == RO_OK;) {
        at += strspn(at, " ");
        const size_t length = strcspn(at, ", ");
        status = add_ink(context, at, length, request);
        at += length;
        at += strspn(at, " ");
        if (*at == '\0')
            break;
        at += *at == ',';
    }
    return status;
}

/* ---- Screens and curves --------------------------------------------------------------------- */

static ro_ink *find_ink(struct halftone_request *request, const char *name, size_t length)
{
    for (int i = 0; i < request->options.ink_count; i++) {
        ro_ink *ink = &request->inks[i];
        const char *const other = request->options.channels == RO_CHANNELS_CMYK ? cmyk_names[i][1]
                                                                                : ink->name;
        if ((strlen(ink->name) == length && strncmp(ink->name, name, length) == 0) ||
            (strlen(other) == length && strncmp(other, name, length) == 0))
            return ink;
    }
    return NULL;
}

/* One "key=value" of an ink. */
static ro_status set_ink(ro_context *context, struct halftone_request *request, ro_ink *ink,
                         char *key)
{
    char *value = strchr(key, '='), *end = NULL;
    if (!value || value[1] == '\0')
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "--ink %s: '%s' must look like lpi=133, angle=15, shape=round or "
                               "curve=FILE",
                               ink->name, key);
    *value++ = '\0';
    if (strcmp(key, "lpi") == 0) {
        ink->lpi = strtod(value, &end);
        if (*end || !(ink->lpi > 0 && ink->lpi <= 1e6))
            return ro_context_fail(context, RO_E_ARGUMENT, "--ink %s: lpi=%s: must be above 0",
                                   ink->name, value);
    } else if (strcmp(key, "angle") == 0) {
        if (!read_degrees(value, &ink->degrees))
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "--ink %s: angle=%s: must be degrees, -360 to 360", ink->name,
                                   value);
        request->ink_screens = true;
    } else if (strcmp(key, "shape") == 0) {
        ink->shape = value;
        request->ink_screens = true;
    } else if (strcmp(key, "curve") == 0) {
        ro_tone_point *points = malloc(RO_CURVE_POINTS * sizeof *points);
        if (!points)
            return ro_context_fail(context, RO_E_MEMORY, "no memory for a curve");
        free((void *)(uintptr_t)ink->curve);
        ink->curve = points;
        return ro_curve_load(context, value, points, &ink->curve_points);
    } else {
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "--ink %s: there is no '%s'; use lpi, angle, shape or curve",
                               ink->name, key);
    }
    return RO_OK;
}

/* "cyan:lpi=133,angle=15". */
static ro_status read_ink(ro_context *context, const char *text, struct halftone_request *request)
{
    const size_t length = strcspn(text, ":");
    ro_ink *ink = find_ink(request, text, length);
    if (!ink)
        return ro_context_fail(context, RO_E_ARGUMENT, "--ink %s: there is no ink '%.*s'", text,
                               (int)length, text);
    if (request->ink_texts_used == RO_INKS_MOST * 4)
        return ro_context_fail(context, RO_E_ARGUMENT, "--ink is given too often");
    char *copy = strdup(text[length] ? text + length + 1 : ""), *rest = copy;
    if (!copy)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for an ink");
    request->ink_texts[request->ink_texts_used++] = copy; /* shapes lie in it */
    ro_status status = RO_OK;
    while (status == RO_OK && rest) {
        char *key = rest;
        rest = strchr(rest, ',');
        if (rest)
            *rest++ = '\0';
        status = set_ink(context, request, ink, key);
    }
    return status;
}

ro_status halftone_read_inks(ro_context *context, const struct halftone_values *values,
                             struct halftone_request *request)
{
    ro_halftone_options *options = &request->options;
    const bool cmyk = options->channels == RO_CHANNELS_CMYK;
    ro_status status = RO_OK;
    if (options->channels != RO_CHANNELS_INKS && !cmyk)
        return RO_OK;
    if (cmyk)
        for (int i = 0; i < 4; i++) {
            request->inks[i] = (ro_ink){.name = cmyk_names[i][0], .degrees = cmyk_angles[i]};
            memcpy(request->inks[i].colour, cmyk_colours[i], 3);
            options->ink_count = 4;
        }
    else
        status = read_colours(context, values->inks, request);
    options->inks = request->inks;
    for (int i = 0; i < values->ink.count && status == RO_OK; i++)
        status = read_ink(context, values->ink.text[i], request);
    int in_rows = 0;
    for (int i = 0; i < options->ink_count && status == RO_OK; i++)
        in_rows += request->inks[i].lpi > 0 || options->lpi > 0;
    if (status == RO_OK && in_rows > 0 && !options->method)
        options->method = "am";
    if (status == RO_OK && (request->ink_screens || in_rows > 0) && in_rows < options->ink_count)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "screens of inks need lines per inch: --lpi for all, or lpi= for "
                               "each");
    if (status == RO_OK && in_rows == 0)
        for (int i = 0; i < options->ink_count; i++)
            request->inks[i].degrees = 0;
    return status;
}

void halftone_release_inks(struct halftone_request *request)
{
    for (int i = 0; i < RO_INKS_MOST; i++)
        free((void *)(uintptr_t)request->inks[i].curve);
    for (int i = 0; i < request->ink_texts_used; i++)
        free(request->ink_texts[i]);
    memset(request->inks, 0, sizeof request->inks);
    request->ink_texts_used = 0;
}

/* ---- What came out -------------------------------------------------------------------------- */

/* The screen of an ink; false: it has none. */
static bool reached(ro_context *context, const ro_halftone_options *options, int ink, ro_dots *dots)
{
    const ro_screen_options screen = {
        RO_SCREEN_DEFAULTS,
        .lpi = options->inks[ink].lpi > 0 ? options->inks[ink].lpi : options->lpi,
        .degrees = options->inks[ink].degrees,
        .dpi = options->dpi,
        .dpi_y = options->dpi_y,
    };
    return screen.lpi > 0 && ro_dots_find(context, &screen, 0, dots) == RO_OK;
}

void halftone_say_inks(ro_context *context, const struct halftone_request *request)
{
    ro_dots dots;
    for (int i = 0; i < request->options.ink_count; i++)
        if (reached(context, &request->options, i, &dots))
            tell("halftone: %s: %.3f lpi at %.3f degrees, %u greys", request->options.inks[i].name,
                 dots.lpi, dots.angle, dots.greys);
}

void halftone_json_inks(FILE *file, ro_context *context, const struct halftone_request *request,
                        const char *out)
{
    const ro_halftone_options *options = &request->options;
    ro_dots dots;
    for (int i = 0; i < options->ink_count; i++) {
        char path[4096];
        fputs(i ? ", {\"ink\": " : ", \"inks\": [{\"ink\": ", file);
        json_string(file, options->inks[i].name);
        if (request->write.split_inks &&
            ro_plate_path(out, options, i, path, sizeof path) == RO_OK) {
            fputs(", \"output\": ", file);
            json_string(file, path);
        }
        if (reached(context, options, i, &dots))
            fprintf(file, ", \"lpi\": %.6f, \"angle\": %.6f, \"greys\": %u", dots.lpi, dots.angle,
                    dots.greys);
        fputs(i + 1 == options->ink_count ? "}]" : "}", file);
    }
}
