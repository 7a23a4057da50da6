/* SPDX-License-Identifier: MIT */
/* Tone curves: lines "tone in, tone out", from 0 to 1 or in per cent. */
#include "core/misuse.h"
#include "io/tables/columns.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20 };

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
    struct text_table table;
    const char *line = NULL;
    bool percent = false;
    *count = 0;
    ro_status status = table_open(&table, context, path, MOST_BYTES, false);
    while (status == RO_OK && (line = lines_next_row(&table.lines))) {
        double pair[2];
        if (!read_pair(line, pair)) {
            if (*count == 0 && isalpha((unsigned char)*line))
                continue; /* a heading */
            status = file_fail(&table.file, RO_E_FORMAT,
                               "line %d is not a pair of numbers \"tone in, tone out\"",
                               table.lines.number);
        } else if (*count == RO_CURVE_POINTS) {
            status =
                file_fail(&table.file, RO_E_FORMAT, "has more than %d points", RO_CURVE_POINTS);
        } else {
            points[(*count)++] = (ro_tone_point){pair[0], pair[1]};
            percent |= pair[0] > 1;
        }
    }
    if (status == RO_OK && *count < 2)
        status =
            file_fail(&table.file, RO_E_FORMAT, "a curve needs at least 2 points, not %d", *count);
    for (int i = 0; i < *count && percent; i++)
        points[i] = (ro_tone_point){points[i].in / 100, points[i].out / 100};
    for (int i = 0; i < *count && status == RO_OK; i++)
        if (!(points[i].out <= 1))
            status = file_fail(&table.file, RO_E_FORMAT,
                               "point %d is above white: tones go from 0 to 1, or from 0 to 100 "
                               "per cent in both columns",
                               i + 1);
    table_close(&table);
    return status;
}
