/* SPDX-License-Identifier: MIT */
/* Seeds of a segmentation as a list: a disc a line, columns named by the first line or in the order
 * x, y, radius, label. */
#include "core/names.h"
#include "io/data/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 256 << 20, MOST_COLUMNS = 32 };
enum column { X, Y, RADIUS, LABEL, COLUMNS, OTHER = COLUMNS };

struct heading {
    int count;
    enum column of[MOST_COLUMNS];
};

static const char separators[] = " \t,;\r";

/* "label, x, y": names, of which x and y must be there. */
static bool read_heading(const char *line, struct heading *heading)
{
    static const struct {
        const char *name;
        enum column column;
    } names[] = {{"x", X}, {"y", Y}, {"r", RADIUS}, {"radius", RADIUS}, {"label", LABEL}};
    bool has[COLUMNS + 1] = {false};
    heading->count = 0;
    while (*line && heading->count < MOST_COLUMNS) {
        char name[32];
        const size_t length = strcspn(line, separators);
        snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), line);
        enum column column = OTHER;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (ro_name_equal(name, names[i].name))
                column = names[i].column;
        if (column != OTHER && has[column])
            return false;
        has[column] = true;
        heading->of[heading->count++] = column;
        line += length;
        line += strspn(line, separators);
    }
    return !*line && has[X] && has[Y];
}

static bool read_seed(const char *line, const struct heading *heading, bool headed, ro_seed *seed)
{
    double value[COLUMNS + 1] = {0};
    int count = 0;
    while (*line && count < heading->count) {
        char *end;
        const enum column column = heading->of[count++];
        value[column] = strtod(line, &end);
        if (column != OTHER && (end == line || !isfinite(value[column])))
            return false;
        end = (char *)line + strcspn(line, separators);
        line = end + strspn(end, separators);
    }
    const double label = value[LABEL];
    if (*line || count < (headed ? heading->count : 2) || !(value[RADIUS] >= 0) ||
        !(label >= 0 && label <= RO_REGION_LABELS && label == floor(label)))
        return false;
    *seed = (ro_seed){(int)label, value[X], value[Y], value[RADIUS]};
    return true;
}

ro_status ro_seeds_load(ro_context *context, const char *path, ro_seed **seeds, size_t *count)
{
    struct heading heading = {4, {X, Y, RADIUS, LABEL}};
    struct ro_file file;
    char *text = NULL;
    size_t room = 0;
    bool headed = false;
    *seeds = NULL;
    *count = 0;
    ro_file_init(&file, context, path, "standard input");
    ro_status status = ro_text_load(&file, path, MOST_BYTES, &text);
    int number = 0;
    for (char *line = text, *next; status == RO_OK && *line; line = next) {
        char *end = line + strcspn(line, "\n");
        next = *end ? end + 1 : end;
        *end = '\0';
        number++;
        line += strspn(line, " \t\r");
        if (!*line || *line == '#')
            continue;
        if (isalpha((unsigned char)*line) && !headed && *count == 0) {
            headed = true;
            if (!read_heading(line, &heading))
                status =
                    ro_file_fail(&file, RO_E_FORMAT, "line %d names no columns x and y", number);
            continue;
        }
        if (*count == room) {
            room = room ? 2 * room : 256;
            ro_seed *more = realloc(*seeds, room * sizeof *more);
            if (!more) {
                status = ro_file_fail(&file, RO_E_MEMORY, "no memory for its seeds");
                break;
            }
            *seeds = more;
        }
        if (!read_seed(line, &heading, headed, &(*seeds)[*count]))
            status = ro_file_fail(&file, RO_E_FORMAT,
                                  "line %d is not a seed: x, y, and optionally radius and label",
                                  number);
        else
            ++*count;
    }
    free(text);
    if (status == RO_OK && *count == 0)
        status = ro_file_fail(&file, RO_E_FORMAT, "has no seeds");
    if (status != RO_OK) {
        free(*seeds);
        *seeds = NULL;
        *count = 0;
    }
    return status;
}
