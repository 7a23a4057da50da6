/* SPDX-License-Identifier: MIT */
/* Small text files with lists: tone curves, a modulator's levels, taps. */
#include "core/misuse.h"
#include "io/tables/columns.h"
#include "io/tables/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20 };

struct list {
    struct ro_file file;
    char *text; /* all lines */
    struct lines lines;
};

static ro_status list_open(struct list *list, ro_context *context, const char *path)
{
    *list = (struct list){0};
    file_init(&list->file, context, path, "standard input");
    ro_status status = text_load(&list->file, path, MOST_BYTES, &list->text);
    if (status == RO_OK)
        list->lines = lines_of(list->text, false);
    return status;
}

/* ---- Curves ------------------------------------------------------------------------------- */

/* "0.5, 0.4", "50% 40%", "50;40" with nothing behind. */
static bool read_pair(const char *text, double pair[2])
{
    static const char separators[] = " \t,;";
    for (int i = 0; i < 2; i++) {
        char *end;
        if (!isdigit((unsigned char)*text) && *text != '.' && *text != '-' && *text != '+')
            return false;
        pair[i] = strtod(text, &end);
        if (end == text)
            return false;
        end += *end == '%';
        text = end + strspn(end, i == 0 ? separators : " \t\r\n");
        if (i == 0 && text == end)
            return false;
    }
    return *text == '\0';
}

ro_status ro_curve_load(ro_context *context, const char *path,
                        ro_tone_point points[RO_CURVE_POINTS], int *count)
{
    if (MISSING(context, path, points, count))
        return RO_E_ARGUMENT;
    struct list list;
    const char *line = NULL;
    bool percent = false;
    *count = 0;
    ro_status status = list_open(&list, context, path);
    while (status == RO_OK && (line = lines_next_row(&list.lines))) {
        double pair[2];
        if (!read_pair(line, pair)) {
            if (*count == 0 && isalpha((unsigned char)*line))
                continue; /* a heading */
            status = file_fail(&list.file, RO_E_FORMAT,
                               "line %d is not a pair of numbers \"tone in, tone out\"",
                               list.lines.number);
        } else if (*count == RO_CURVE_POINTS) {
            status = file_fail(&list.file, RO_E_FORMAT, "has more than %d points", RO_CURVE_POINTS);
        } else {
            points[(*count)++] = (ro_tone_point){pair[0], pair[1]};
            percent |= pair[0] > 1;
        }
    }
    if (status == RO_OK && *count < 2)
        status =
            file_fail(&list.file, RO_E_FORMAT, "a curve needs at least 2 points, not %d", *count);
    for (int i = 0; i < *count && percent; i++)
        points[i] = (ro_tone_point){points[i].in / 100, points[i].out / 100};
    for (int i = 0; i < *count && status == RO_OK; i++)
        if (!(points[i].out <= 1))
            status = file_fail(&list.file, RO_E_FORMAT,
                               "point %d is above white: tones go from 0 to 1, or from 0 to 100 "
                               "per cent in both columns",
                               i + 1);
    free(list.text);
    return status;
}

/* ---- Holograms ---------------------------------------------------------------------------- */

/* The columns of a list of levels. */
enum column { LEVEL, DRIVE, PHASE, DEGREES, AMPLITUDE, REAL, IMAGINARY, COLUMNS };

struct columns {
    int count;
    enum column of[COLUMNS];
    bool has[COLUMNS];
};

/* Whether a line heads a list of levels: names of columns, no two alike, that tell a level.
 * Anything else may be a level that was mistyped. */
static bool read_heading(const char *line, struct columns *columns)
{
    static const struct column_name names[] = {
        {"level", LEVEL},         {"drive", DRIVE}, {"phase", PHASE},         {"degrees", DEGREES},
        {"amplitude", AMPLITUDE}, {"real", REAL},   {"imaginary", IMAGINARY},
    };
    struct columns found = {0};
    int of[COLUMNS];
    if (!isalpha((unsigned char)*line))
        return false;
    found.count = columns_read(line, names, sizeof names / sizeof *names, of, COLUMNS);
    for (int i = 0; i < found.count; i++) {
        if (of[i] < 0 || found.has[of[i]])
            return false;
        found.has[of[i]] = true;
        found.of[i] = (enum column)of[i];
    }
    const bool *has = found.has;
    const bool polar = has[PHASE] != has[DEGREES] && !has[REAL] && !has[IMAGINARY] &&
                       (has[AMPLITUDE] || has[DRIVE] || has[LEVEL]);
    const bool plain =
        has[REAL] && has[IMAGINARY] && !has[PHASE] && !has[DEGREES] && !has[AMPLITUDE];
    if (!(polar || plain))
        return false;
    *columns = found;
    return true;
}

static ro_status add_level(struct list *list, const char *line, const struct columns *columns,
                           bool headed, ro_modulator *m)
{
    static const double degree = 3.14159265358979323846 / 180;
    double number[COLUMNS], of[COLUMNS] = {[AMPLITUDE] = 1};
    if (numbers_read(line, number, COLUMNS) != columns->count)
        return file_fail(&list->file, RO_E_FORMAT, "line %d is not a level of %d numbers%s",
                         list->lines.number, columns->count,
                         headed ? ""
                                : ", nor a heading such as \"phase, amplitude\", \"degrees, "
                                  "amplitude\", \"level, drive, phase\" or \"real, imaginary\"");
    if (m->count == RO_HOLOGRAM_LEVELS)
        return file_fail(&list->file, RO_E_FORMAT, "has more than %d levels", RO_HOLOGRAM_LEVELS);
    for (int i = 0; i < columns->count; i++)
        of[columns->of[i]] = number[i];
    if (columns->has[LEVEL] && of[LEVEL] != m->count)
        return file_fail(&list->file, RO_E_FORMAT, "line %d is level %g, but %d comes next",
                         list->lines.number, of[LEVEL], m->count);
    if (columns->has[DRIVE] &&
        !(of[DRIVE] >= 0 && of[DRIVE] <= 255 && of[DRIVE] == rint(of[DRIVE])))
        return file_fail(&list->file, RO_E_FORMAT,
                         "line %d has a drive of %g: must be a whole number from 0 to 255",
                         list->lines.number, of[DRIVE]);
    for (int i = 0; i < m->count && columns->has[DRIVE]; i++)
        if (m->drive[i] == of[DRIVE])
            return file_fail(&list->file, RO_E_FORMAT, "line %d repeats the drive %g of level %d",
                             list->lines.number, of[DRIVE], i);
    const double turn = of[PHASE] + degree * of[DEGREES];
    const bool polar = columns->has[PHASE] || columns->has[DEGREES];
    m->table[2 * m->count] = (float)(polar ? of[AMPLITUDE] * cos(turn) : of[REAL]);
    m->table[2 * m->count + 1] = (float)(polar ? of[AMPLITUDE] * sin(turn) : of[IMAGINARY]);
    m->drive[m->count] = (uint8_t)(columns->has[DRIVE] ? of[DRIVE] : m->count);
    m->count++;
    return RO_OK;
}

ro_status ro_modulator_load(ro_context *context, const char *path, ro_modulator *modulator)
{
    if (MISSING(context, path, modulator))
        return RO_E_ARGUMENT;
    struct list list;
    struct columns columns = {.count = 2, .of = {REAL, IMAGINARY}};
    const char *line = NULL;
    bool first = true;
    *modulator = (ro_modulator){0};
    ro_status status = list_open(&list, context, path);
    while (status == RO_OK && (line = lines_next_row(&list.lines))) {
        if (!first || !read_heading(line, &columns))
            status = add_level(&list, line, &columns, !first, modulator);
        first = false;
    }
    if (status == RO_OK && modulator->count < 2)
        status = file_fail(&list.file, RO_E_FORMAT, "a modulator needs at least 2 levels, not %d",
                           modulator->count);
    modulator->driven = columns.has[DRIVE];
    free(list.text);
    return status;
}

ro_status ro_taps_load(ro_context *context, const char *path, ro_hologram_taps *taps)
{
    if (MISSING(context, path, taps))
        return RO_E_ARGUMENT;
    struct list list;
    const char *line = NULL;
    *taps = (ro_hologram_taps){0};
    ro_status status = list_open(&list, context, path);
    while (status == RO_OK && (line = lines_next_row(&list.lines))) {
        double n[4] = {0};
        if (taps->count == 0 && isalpha((unsigned char)*line))
            continue; /* a heading */
        int read = numbers_read(line, n, 4);
        if (read < 3 || n[0] != rint(n[0]) || n[1] != rint(n[1]) || fabs(n[0]) > 99 ||
            fabs(n[1]) > 99) {
            status =
                file_fail(&list.file, RO_E_FORMAT,
                          "line %d is not a tap \"dx, dy, real, imaginary\"", list.lines.number);
        } else if (taps->count == RO_HOLOGRAM_TAPS) {
            status = file_fail(&list.file, RO_E_FORMAT, "has more than %d taps", RO_HOLOGRAM_TAPS);
        } else {
            int i = taps->count++;
            taps->dx[i] = (int)n[0];
            taps->dy[i] = (int)n[1];
            taps->re[i] = n[2];
            taps->im[i] = n[3];
        }
    }
    if (status == RO_OK && taps->count == 0)
        status = file_fail(&list.file, RO_E_FORMAT, "has no taps");
    free(list.text);
    return status;
}
