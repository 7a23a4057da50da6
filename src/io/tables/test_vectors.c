/* SPDX-License-Identifier: MIT */
/* Columns of whole numbers as text, for the test bench of a circuit. */
#include "io/bytes/sink.h"

#include "core/misuse.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static ro_status write_text(struct byte_sink *sink, const char *text)
{
    return sink_write(sink, text, strlen(text));
}

static ro_status write_all(struct byte_sink *sink, const ro_vectors *vectors)
{
    char line[16 * RO_VECTOR_COLUMNS];
    ro_status status = write_text(sink, "# ");
    if (status == RO_OK)
        status = write_text(sink, vectors->title);
    if (status == RO_OK)
        status = write_text(sink, "\n#");
    for (int k = 0; k < vectors->columns && status == RO_OK; k++) {
        snprintf(line, sizeof line, " %.14s", vectors->names[k]);
        status = write_text(sink, line);
    }
    if (status == RO_OK)
        status = write_text(sink, "\n");
    for (size_t i = 0; i < vectors->rows && status == RO_OK; i++) {
        int length = 0;
        for (int k = 0; k < vectors->columns; k++)
            length += snprintf(line + length, sizeof line - (size_t)length, "%s%" PRId32,
                               k ? " " : "", vectors->numbers[k][i]);
        line[length++] = '\n';
        status = sink_write(sink, line, (size_t)length);
    }
    return status;
}

ro_status ro_vectors_save(ro_context *context, const char *path, const ro_vectors *vectors)
{
    if (MISSING(context, path, vectors))
        return RO_E_ARGUMENT;
    struct open_file file;
    struct byte_sink sink = {.fd = -1};
    file_init(&file, context, path, "standard output");
    if (vectors->columns < 1 || vectors->columns > RO_VECTOR_COLUMNS)
        return file_fail(&file, RO_E_ARGUMENT, "%d columns of numbers: must be from 1 to %d",
                         vectors->columns, RO_VECTOR_COLUMNS);
    ro_status status = sink_open(&sink, &file, path);
    if (status == RO_OK)
        status = write_all(&sink, vectors);
    if (status == RO_OK)
        status = sink_commit(&sink);
    sink_close(&sink);
    return status;
}
