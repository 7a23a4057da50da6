/* SPDX-License-Identifier: MIT */
/* Seeds of a segmentation as a list: a disc a line, columns named by the first line or in the order
 * x, y, radius, label. An empty radius or label is one that was not given. A column of planes (z,
 * slice) must say the same of all seeds, because pages are segmented one by one. */
#include "core/misuse.h"
#include "io/tables/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 256 << 20, MOST_COLUMNS = 32 };
enum column { X, Y, RADIUS, LABEL, PLANE, COLUMNS, OTHER = COLUMNS };

struct heading {
    int count;
    enum column of[MOST_COLUMNS];
};

/* What parts the fields of a line: a semicolon, a comma or a tab if there is one, else blanks. */
static char separator_of(const char *line)
{
    return strchr(line, ';') ? ';' : strchr(line, ',') ? ',' : strchr(line, '\t') ? '\t' : ' ';
}

/* Cuts the next field off a line, without blanks and quotes round it; NULL: that was the last. */
static char *next_field(char **line, char separator)
{
    static const char round[] = " \t\r\"";
    char *field = *line;
    if (!field)
        return NULL;
    char *end = field + strcspn(field, (char[]){separator, '\0'});
    *line = *end ? end + 1 : NULL;
    if (separator == ' ' && *line && !*(*line += strspn(*line, round)))
        *line = NULL;
    *end = '\0';
    field += strspn(field, round);
    for (size_t length = strlen(field); length && strchr(round, field[length - 1]);)
        field[--length] = '\0';
    return field;
}

/* "label, x, y": names, of which x and y must be there. */
static bool read_heading(char *line, struct heading *heading)
{
    static const struct column_name names[] = {
        {"x", X},         {"y", Y},         {"r", RADIUS},      {"radius", RADIUS},
        {"label", LABEL}, {"z", PLANE},     {"slice", PLANE},   {"plane", PLANE},
        {"page", PLANE},  {"frame", PLANE}, {"position", PLANE}};
    const char separator = separator_of(line);
    bool has[COLUMNS + 1] = {false};
    heading->count = 0;
    for (const char *name; (name = next_field(&line, separator));) {
        const int known = column_named(name, names, sizeof names / sizeof *names);
        const enum column column = known < 0 ? OTHER : (enum column)known;
        if (heading->count == MOST_COLUMNS || (column != OTHER && has[column]))
            return false;
        has[column] = true;
        heading->of[heading->count++] = column;
    }
    return has[X] && has[Y];
}

/* A number and nothing else. */
static bool read_number(const char *field, double *value)
{
    char *end;
    *value = strtod(field, &end);
    return !*end && isfinite(*value) && end > field;
}

static bool read_seed(char *line, const struct heading *heading, bool headed, ro_seed *seed,
                      double *plane)
{
    const char separator = separator_of(line);
    double value[COLUMNS] = {[LABEL] = NAN};
    int count = 0;
    for (const char *field; (field = next_field(&line, separator)); count++) {
        if (count == heading->count)
            return false;
        const enum column column = heading->of[count];
        if (column != OTHER && *field && !read_number(field, &value[column]))
            return false;
        if (!*field && column < RADIUS)
            return false;
    }
    const double label = isnan(value[LABEL]) ? 0 : value[LABEL];
    if (count < (headed ? heading->count : 2) || !(value[RADIUS] >= 0) ||
        !(label >= 0 && label <= RO_REGION_LABELS && label == floor(label)) || value[LABEL] == 0)
        return false;
    *plane = value[PLANE];
    *seed = (ro_seed){(int)label, value[X], value[Y], value[RADIUS]};
    return true;
}

/* Names of columns do not begin as numbers do; the first may have none. */
static bool is_heading(const char *line)
{
    return !strchr("+-.0123456789", line[strspn(line, " \t\"")]);
}

ro_status ro_seeds_load(ro_context *context, const char *path, ro_seed **seeds, size_t *count)
{
    if (seeds)
        *seeds = NULL;
    if (MISSING(context, path, seeds, count))
        return RO_E_ARGUMENT;
    struct heading heading = {4, {X, Y, RADIUS, LABEL}};
    struct text_table table;
    size_t room = 0;
    bool headed = false;
    double plane, first = 0;
    *count = 0;
    ro_status status = table_open(&table, context, path, MOST_BYTES, true);
    for (char *line; status == RO_OK && (line = lines_next(&table.lines));) {
        line += strspn(line, " ");
        const char *begin = line + strspn(line, "\t\r");
        if (!*begin || *begin == '#')
            continue;
        if (!headed && *count == 0 && is_heading(begin)) {
            headed = true;
            if (!read_heading(line, &heading))
                status = file_fail(&table.file, RO_E_FORMAT, "line %d names no columns x and y",
                                   table.lines.number);
            continue;
        }
        if (*count == room) {
            room = room ? 2 * room : 256;
            ro_seed *more = realloc(*seeds, room * sizeof *more);
            if (!more) {
                status = file_fail(&table.file, RO_E_MEMORY, "no memory for its seeds");
                break;
            }
            *seeds = more;
        }
        if (!read_seed(line, &heading, headed, &(*seeds)[*count], &plane))
            status = file_fail(&table.file, RO_E_FORMAT,
                               "line %d is not a seed: x, y, and optionally radius and label, "
                               "which is from 1 to %d",
                               table.lines.number, RO_REGION_LABELS);
        else if ((*count)++ == 0)
            first = plane;
        else if (plane != first)
            status =
                file_fail(&table.file, RO_E_FORMAT,
                          "line %d is a seed in plane %g, the first one in plane %g: pages are "
                          "segmented one by one, each with a list of its own",
                          table.lines.number, plane, first);
    }
    table_close(&table);
    if (status == RO_OK && *count == 0)
        status = file_fail(&table.file, RO_E_FORMAT, "has no seeds");
    if (status != RO_OK) {
        free(*seeds);
        *seeds = NULL;
        *count = 0;
    }
    return status;
}
