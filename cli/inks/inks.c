/* SPDX-License-Identifier: MIT */
#include "cli/inks/inks.h"
#include "roundoff/library.h"

#include <stdlib.h>
#include <string.h>

static const char *const cmyk_names[4][2] = {
    {"cyan", "c"}, {"magenta", "m"}, {"yellow", "y"}, {"black", "k"}};
static const uint8_t cmyk_colours[4][3] = {
    {0, 174, 239}, {236, 0, 140}, {255, 242, 0}, {35, 31, 32}};
static const double cmyk_angles[4] = {15, 75, 0, 45};

/* Of inks of your own, in their order: far from each other as long as there are few. */
static const double own_angles[RO_INKS_MOST] = {45, 75, 15, 0, 60, 30, 22.5, 67.5};

/* ---- Colours -------------------------------------------------------------------------------- */

/* "#e30613" is an ink of the name e30613; "red" is called red. */
static ro_status add_ink(ro_context *context, const char *text, size_t length,
                         struct ink_list *list)
{
    char colours[160]; /* a palette has several */
    ro_palette palette;
    const int number = list->count;
    if (number == RO_INKS_MOST)
        return ro_context_fail(context, RO_E_ARGUMENT, "inks: there are more than %d",
                               RO_INKS_MOST);
    if (length == 0 || length > 64)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "inks: must be colours such as \"#e30613,#009fe3,black\"");
    snprintf(colours, sizeof colours, "%.*s black white", (int)length, text);
    ro_status status = ro_palette_parse(context, colours, &palette);
    if (status != RO_OK)
        return status;
    const bool digits = *text == '#';
    snprintf(list->names[number], sizeof list->names[number], "%.*s", (int)length - digits,
             text + digits);
    list->inks[number] = (ro_ink){.name = list->names[number], .degrees = own_angles[number]};
    memcpy(list->inks[number].colour, palette.colours[0], 3);
    list->count++;
    return RO_OK;
}

static ro_status read_colours(ro_context *context, const char *text, struct ink_list *list)
{
    ro_status status = RO_OK;
    for (const char *at = text; status == RO_OK;) {
        at += strspn(at, " ");
        const size_t length = strcspn(at, ", ");
        status = add_ink(context, at, length, list);
        at += length;
        at += strspn(at, " ");
        if (*at == '\0')
            break;
        at += *at == ',';
    }
    return status;
}

/* ---- Screens and curves --------------------------------------------------------------------- */

/* By its name, of CMYK also by a letter; with or without the # of a colour. */
static int find_ink(const struct ink_list *list, const char *name, size_t length)
{
    const bool digits = length > 0 && *name == '#';
    for (int i = 0; i < list->count; i++) {
        const char *const own = list->inks[i].name;
        const char *const other = list->cmyk ? cmyk_names[i][1] : own;
        if ((strlen(own) == length - digits && strncmp(own, name + digits, length - digits) == 0) ||
            (strlen(other) == length && strncmp(other, name, length) == 0))
            return i;
    }
    return -1;
}

static ro_status read_curve(ro_context *context, const char *path, struct ink_list *list,
                            int number)
{
    ro_ink *ink = &list->inks[number];
    ro_tone_point *points = malloc(RO_CURVE_POINTS * sizeof *points);
    if (!points)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a curve");
    free((void *)(uintptr_t)ink->curve);
    ink->curve = points;
    list->curves[number] = path;
    return ro_curve_load(context, path, points, &ink->curve_points);
}

/* One "key=value" of an ink. */
static ro_status set_ink(ro_context *context, struct ink_list *list, int number, char *key)
{
    ro_ink *ink = &list->inks[number];
    char *value = strchr(key, '='), *end = NULL;
    if (!value || value[1] == '\0')
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "ink %s: '%s' must look like lpi=133, angle=15, shape=round or "
                               "curve=FILE",
                               ink->name, key);
    *value++ = '\0';
    if (strcmp(key, "lpi") == 0) {
        ink->lpi = strtod(value, &end);
        if (*end || !(ink->lpi > 0 && ink->lpi <= 1e6))
            return ro_context_fail(context, RO_E_ARGUMENT, "ink %s: lpi=%s: must be above 0",
                                   ink->name, value);
    } else if (strcmp(key, "angle") == 0) {
        if (!read_degrees(value, &ink->degrees))
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "ink %s: angle=%s: must be degrees, -360 to 360", ink->name,
                                   value);
        list->angles = true;
    } else if (strcmp(key, "shape") == 0) {
        ink->shape = value;
        list->shapes = true;
    } else if (strcmp(key, "curve") == 0 && list->no_curves) {
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "ink %s: curve= does not apply: moiré is that of dots of any tone",
                               ink->name);
    } else if (strcmp(key, "curve") == 0) {
        return read_curve(context, value, list, number);
    } else {
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "ink %s: there is no '%s'; use lpi, angle, shape or curve",
                               ink->name, key);
    }
    return RO_OK;
}

/* "cyan:lpi=133,angle=15". */
static ro_status read_ink(ro_context *context, const char *text, struct ink_list *list)
{
    const size_t length = strcspn(text, ":");
    const int ink = find_ink(list, text, length);
    if (ink < 0)
        return ro_context_fail(context, RO_E_ARGUMENT, "ink %s: there is no ink '%.*s'", text,
                               (int)length, text);
    if (list->texts_used == RO_INKS_MOST * 4)
        return ro_context_fail(context, RO_E_ARGUMENT, "ink is given too often");
    char *copy = strdup(text[length] ? text + length + 1 : ""), *rest = copy;
    if (!copy)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for an ink");
    list->texts[list->texts_used++] = copy;
    ro_status status = RO_OK;
    while (status == RO_OK && rest) {
        char *key = rest;
        rest = strchr(rest, ',');
        if (rest)
            *rest++ = '\0';
        status = set_ink(context, list, ink, key);
    }
    return status;
}

ro_status inks_read(ro_context *context, const char *colours, const ro_texts *each, bool curves,
                    struct ink_list *list)
{
    ro_status status = RO_OK;
    *list = (struct ink_list){.cmyk = !colours, .no_curves = !curves};
    for (int i = 0; i < 4 && !colours; i++) {
        list->inks[i] = (ro_ink){.name = cmyk_names[i][0], .degrees = cmyk_angles[i]};
        memcpy(list->inks[i].colour, cmyk_colours[i], 3);
        list->count++;
    }
    if (colours)
        status = read_colours(context, colours, list);
    for (int i = 0; i < each->count && status == RO_OK; i++)
        status = read_ink(context, each->text[i], list);
    return status;
}

void inks_free(struct ink_list *list)
{
    for (int i = 0; i < RO_INKS_MOST; i++)
        free((void *)(uintptr_t)list->inks[i].curve);
    for (int i = 0; i < list->texts_used; i++)
        free(list->texts[i]);
    *list = (struct ink_list){0};
}

/* ---- Angles --------------------------------------------------------------------------------- */

ro_status inks_turn(ro_context *context, const char *angles, const ro_screen_options *screen,
                    struct ink_list *list)
{
    if (list->angles)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "angles and angle= of --ink exclude each other");
    list->turned = true;
    if (ro_name_equal(angles, "auto"))
        return ro_angles_find(context, screen, list->inks, list->count, NULL);
    const char *at = angles;
    for (int i = 0; i < list->count; i++) {
        char text[32];
        const size_t length = strcspn(at, ",");
        snprintf(text, sizeof text, "%.*s", (int)(length < 31 ? length : 31), at);
        if (!read_degrees(text, &list->inks[i].degrees) ||
            (at[length] == '\0') != (i + 1 == list->count))
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "angles %s: must be auto, or degrees for each of %d inks, such "
                                   "as 15,75,0,45",
                                   angles, list->count);
        at += length + 1;
    }
    return RO_OK;
}

void inks_say_moire(const char *command, const ro_moire *moire)
{
    if (moire->count)
        tell("%s: the moiré that is seen best has %.3g mm (%.1f pixels) and %.2g %% contrast; "
             "plates "
             "that lie beside each other shift light by %.2g %%",
             command, moire->waves[0].period, moire->waves[0].pixels_long,
             100 * moire->waves[0].contrast, 100 * moire->shift);
    else
        tell("%s: no moiré", command);
}

void inks_json_moire(FILE *file, const ro_moire *moire, int count)
{
    json_put(file, "moire {seen %.6f, shift %.6f, waves [", moire->seen, moire->shift);
    for (int i = 0; i < moire->count; i++) {
        const ro_moire_wave *wave = &moire->waves[i];
        json_put(file,
                 "%c{mm %.4f, pixels %.3f, x %.5f, y %.5f, contrast %.6f, seen %.6f, of_pixels "
                 "[%d, %d], of_inks [",
                 i, wave->period, wave->pixels_long, wave->x, wave->y, wave->contrast, wave->seen,
                 wave->pixels[0], wave->pixels[1]);
        for (int k = 0; k < count; k++)
            fprintf(file, "%s[%d, %d]", k ? ", " : "", wave->times[k][0], wave->times[k][1]);
        fputs("]}", file);
    }
    fputs("]}", file);
}
