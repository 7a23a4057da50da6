/* SPDX-License-Identifier: MIT */
/* Small text files with lists: tone curves, a modulator's levels, taps. */
#include "core/misuse.h"
#include "core/names.h"
#include "io/tables/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20 };

struct lines {
    struct ro_file file;
    char *text;       /* all lines */
    const char *line; /* the last one that was given, ended by 0 */
    char *next;
    int number; /* of that line, from 1 */
};

static ro_status lines_open(struct lines *lines, ro_context *context, const char *path)
{
    *lines = (struct lines){0};
    file_init(&lines->file, context, path, "standard input");
    ro_status status = text_load(&lines->file, path, MOST_BYTES, &lines->text);
    lines->next = lines->text;
    return status;
}

static void lines_close(struct lines *lines) { free(lines->text); }

/* The next line that is neither empty nor a comment, without blanks before it; NULL: there is none.
 */
static const char *lines_next(struct lines *lines)
{
    while (*lines->next) {
        char *line = lines->next, *end = line + strcspn(line, "\n");
        lines->next = *end ? end + 1 : end;
        *end = '\0';
        lines->number++;
        lines->line = line + strspn(line, " \t\r");
        if (*lines->line && *lines->line != '#')
            return lines->line;
    }
    return NULL;
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
    struct lines lines;
    const char *line = NULL;
    bool percent = false;
    *count = 0;
    ro_status status = lines_open(&lines, context, path);
    while (status == RO_OK && (line = lines_next(&lines))) {
        double pair[2];
        if (!read_pair(line, pair)) {
            if (*count == 0 && isalpha((unsigned char)*line))
                continue; /* a heading */
            status =
                file_fail(&lines.file, RO_E_FORMAT,
                          "line %d is not a pair of numbers \"tone in, tone out\"", lines.number);
        } else if (*count == RO_CURVE_POINTS) {
            status =
                file_fail(&lines.file, RO_E_FORMAT, "has more than %d points", RO_CURVE_POINTS);
        } else {
            points[(*count)++] = (ro_tone_point){pair[0], pair[1]};
            percent |= pair[0] > 1;
        }
    }
    if (status == RO_OK && *count < 2)
        status =
            file_fail(&lines.file, RO_E_FORMAT, "a curve needs at least 2 points, not %d", *count);
    for (int i = 0; i < *count && percent; i++)
        points[i] = (ro_tone_point){points[i].in / 100, points[i].out / 100};
    for (int i = 0; i < *count && status == RO_OK; i++)
        if (!(points[i].out <= 1))
            status = file_fail(&lines.file, RO_E_FORMAT,
                               "point %d is above white: tones go from 0 to 1, or from 0 to 100 "
                               "per cent in both columns",
                               i + 1);
    lines_close(&lines);
    return status;
}

/* ---- Holograms ---------------------------------------------------------------------------- */

/* Up to `most` numbers with commas, semicolons or blanks between them; how many, or 0. */
static int read_numbers(const char *text, double *numbers, int most)
{
    int count = 0;
    while (*text) {
        char *end;
        if (count == most)
            return 0;
        if (!isdigit((unsigned char)*text) && *text != '.' && *text != '-' && *text != '+')
            return 0;
        numbers[count++] = strtod(text, &end);
        if (end == text)
            return 0;
        text = end + strspn(end, " \t,;\r\n");
    }
    return count;
}

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
    static const char *const names[COLUMNS] = {"level",     "drive", "phase",    "degrees",
                                               "amplitude", "real",  "imaginary"};
    struct columns found = {0};
    char name[16];
    int used;
    while (sscanf(line, "%15[A-Za-z]%n", name, &used) == 1) {
        int column = 0;
        while (column < COLUMNS && !ro_name_equal(name, names[column]))
            column++;
        if (column == COLUMNS || found.has[column])
            return false;
        found.has[column] = true;
        found.of[found.count++] = (enum column)column;
        line += used;
        line += strspn(line, " \t,;\r\n");
    }
    const bool *has = found.has;
    const bool polar = has[PHASE] != has[DEGREES] && !has[REAL] && !has[IMAGINARY] &&
                       (has[AMPLITUDE] || has[DRIVE] || has[LEVEL]);
    const bool plain =
        has[REAL] && has[IMAGINARY] && !has[PHASE] && !has[DEGREES] && !has[AMPLITUDE];
    if (*line || !(polar || plain))
        return false;
    *columns = found;
    return true;
}

static ro_status add_level(struct lines *lines, const struct columns *columns, bool headed,
                           ro_modulator *m)
{
    static const double degree = 3.14159265358979323846 / 180;
    double number[COLUMNS], of[COLUMNS] = {[AMPLITUDE] = 1};
    if (read_numbers(lines->line, number, COLUMNS) != columns->count)
        return file_fail(&lines->file, RO_E_FORMAT, "line %d is not a level of %d numbers%s",
                         lines->number, columns->count,
                         headed ? ""
                                : ", nor a heading such as \"phase, amplitude\", \"degrees, "
                                  "amplitude\", \"level, drive, phase\" or \"real, imaginary\"");
    if (m->count == RO_HOLOGRAM_LEVELS)
        return file_fail(&lines->file, RO_E_FORMAT, "has more than %d levels", RO_HOLOGRAM_LEVELS);
    for (int i = 0; i < columns->count; i++)
        of[columns->of[i]] = number[i];
    if (columns->has[LEVEL] && of[LEVEL] != m->count)
        return file_fail(&lines->file, RO_E_FORMAT, "line %d is level %g, but %d comes next",
                         lines->number, of[LEVEL], m->count);
    if (columns->has[DRIVE] &&
        !(of[DRIVE] >= 0 && of[DRIVE] <= 255 && of[DRIVE] == rint(of[DRIVE])))
        return file_fail(&lines->file, RO_E_FORMAT,
                         "line %d has a drive of %g: must be a whole number from 0 to 255",
                         lines->number, of[DRIVE]);
    for (int i = 0; i < m->count && columns->has[DRIVE]; i++)
        if (m->drive[i] == of[DRIVE])
            return file_fail(&lines->file, RO_E_FORMAT, "line %d repeats the drive %g of level %d",
                             lines->number, of[DRIVE], i);
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
    struct lines lines;
    struct columns columns = {.count = 2, .of = {REAL, IMAGINARY}};
    const char *line = NULL;
    bool first = true;
    *modulator = (ro_modulator){0};
    ro_status status = lines_open(&lines, context, path);
    while (status == RO_OK && (line = lines_next(&lines))) {
        if (!first || !read_heading(line, &columns))
            status = add_level(&lines, &columns, !first, modulator);
        first = false;
    }
    if (status == RO_OK && modulator->count < 2)
        status = file_fail(&lines.file, RO_E_FORMAT, "a modulator needs at least 2 levels, not %d",
                           modulator->count);
    modulator->driven = columns.has[DRIVE];
    lines_close(&lines);
    return status;
}

ro_status ro_taps_load(ro_context *context, const char *path, ro_hologram_taps *taps)
{
    if (MISSING(context, path, taps))
        return RO_E_ARGUMENT;
    struct lines lines;
    const char *line = NULL;
    *taps = (ro_hologram_taps){0};
    ro_status status = lines_open(&lines, context, path);
    while (status == RO_OK && (line = lines_next(&lines))) {
        double n[4] = {0};
        if (taps->count == 0 && isalpha((unsigned char)*line))
            continue; /* a heading */
        int read = read_numbers(line, n, 4);
        if (read < 3 || n[0] != rint(n[0]) || n[1] != rint(n[1]) || fabs(n[0]) > 99 ||
            fabs(n[1]) > 99) {
            status = file_fail(&lines.file, RO_E_FORMAT,
                               "line %d is not a tap \"dx, dy, real, imaginary\"", lines.number);
        } else if (taps->count == RO_HOLOGRAM_TAPS) {
            status = file_fail(&lines.file, RO_E_FORMAT, "has more than %d taps", RO_HOLOGRAM_TAPS);
        } else {
            int i = taps->count++;
            taps->dx[i] = (int)n[0];
            taps->dy[i] = (int)n[1];
            taps->re[i] = n[2];
            taps->im[i] = n[3];
        }
    }
    if (status == RO_OK && taps->count == 0)
        status = file_fail(&lines.file, RO_E_FORMAT, "has no taps");
    lines_close(&lines);
    return status;
}
