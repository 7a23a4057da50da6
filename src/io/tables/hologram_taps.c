/* SPDX-License-Identifier: MIT */
/* Taps of an error diffusion of light, a line each: dx, dy, real, imaginary. */
#include "core/misuse.h"
#include "io/tables/columns.h"
#include "roundoff_io_command.h"

#include <ctype.h>
#include <math.h>

enum { MOST_BYTES = 1 << 20 };

ro_status ro_taps_load(ro_context *context, const char *path, ro_hologram_taps *taps)
{
    if (MISSING(context, path, taps))
        return RO_E_ARGUMENT;
    struct text_table table;
    const char *line = NULL;
    *taps = (ro_hologram_taps){0};
    ro_status status = table_open(&table, context, path, MOST_BYTES, false);
    while (status == RO_OK && (line = lines_next_row(&table.lines))) {
        double n[4] = {0};
        if (taps->count == 0 && isalpha((unsigned char)*line))
            continue; /* a heading */
        int read = numbers_read(line, n, 4);
        if (read < 3 || n[0] != rint(n[0]) || n[1] != rint(n[1]) || fabs(n[0]) > 99 ||
            fabs(n[1]) > 99) {
            status =
                file_fail(&table.file, RO_E_FORMAT,
                          "line %d is not a tap \"dx, dy, real, imaginary\"", table.lines.number);
        } else if (taps->count == RO_HOLOGRAM_TAPS) {
            status = file_fail(&table.file, RO_E_FORMAT, "has more than %d taps", RO_HOLOGRAM_TAPS);
        } else {
            int i = taps->count++;
            taps->dx[i] = (int)n[0];
            taps->dy[i] = (int)n[1];
            taps->re[i] = n[2];
            taps->im[i] = n[3];
        }
    }
    if (status == RO_OK && taps->count == 0)
        status = file_fail(&table.file, RO_E_FORMAT, "has no taps");
    table_close(&table);
    return status;
}
