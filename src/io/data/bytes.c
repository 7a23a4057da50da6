/* SPDX-License-Identifier: MIT */
/* Files as a whole: any bytes out, complete or not at all; bytes and texts in, up to a limit. */
#include "io/bytes/sink.h"
#include "io/bytes/source.h"
#include "io/data/text.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 4096 };

ro_status ro_bytes_accepts(ro_context *context, const char *path)
{
    if (ro_file_named(context, path) != RO_OK)
        return RO_E_ARGUMENT;
    struct ro_file file;
    ro_file_init(&file, context, path, "standard output");
    return ro_sink_check(&file, path);
}

ro_status ro_bytes_save(ro_context *context, const char *path, const void *bytes, size_t size)
{
    if (ro_file_named(context, path) != RO_OK)
        return RO_E_ARGUMENT;
    struct ro_file file;
    struct ro_sink sink = {.fd = -1};
    ro_file_init(&file, context, path, "standard output");
    ro_status status = ro_sink_open(&sink, &file, path);
    if (status == RO_OK)
        status = ro_sink_write(&sink, bytes, size);
    if (status == RO_OK)
        status = ro_sink_commit(&sink);
    ro_sink_close(&sink);
    return status;
}

/* Room for as much again as there is, whatever size the file claims; and a byte behind. */
static ro_status grow(struct ro_file *file, char **bytes, size_t *room, size_t most)
{
    size_t wanted = *room ? 2 * *room : FIRST_ROOM;
    wanted = wanted < most + 1 ? wanted : most + 1; /* one more tells that there is more */
    char *more = realloc(*bytes, wanted + 1);
    if (!more)
        return ro_file_no_memory(file, wanted);
    *bytes = more;
    *room = wanted;
    return RO_OK;
}

static ro_status read_all(struct ro_source *source, size_t most, char **bytes, size_t *size)
{
    size_t room = 0, got = 1;
    ro_status status = RO_OK;
    *bytes = NULL;
    *size = 0;
    while (status == RO_OK && got > 0 && *size <= most) {
        if (*size == room)
            status = grow(source->file, bytes, &room, most);
        if (status == RO_OK)
            status = ro_source_read(source, *bytes + *size, room - *size, &got);
        *size += status == RO_OK ? got : 0;
    }
    if (status == RO_OK && *size > most)
        status =
            ro_file_fail(source->file, RO_E_FORMAT, "is larger than the limit of %zu bytes", most);
    if (status == RO_OK) {
        (*bytes)[*size] = '\0';
        return RO_OK;
    }
    free(*bytes);
    *bytes = NULL;
    *size = 0;
    return status;
}

ro_status ro_bytes_load(ro_context *context, const char *path, size_t most, char **bytes,
                        size_t *size)
{
    if (ro_file_named(context, path) != RO_OK)
        return RO_E_ARGUMENT;
    struct ro_file file;
    struct ro_source source;
    *bytes = NULL;
    *size = 0;
    ro_file_init(&file, context, path, "standard input");
    ro_status status = ro_source_open(&source, &file, path);
    if (status == RO_OK)
        status = read_all(&source, most, bytes, size);
    ro_source_close(&source);
    return status;
}

ro_status ro_text_read(struct ro_source *source, size_t most, char **text)
{
    size_t size;
    ro_status status = read_all(source, most, text, &size);
    if (status == RO_OK && strlen(*text) != size) {
        free(*text);
        *text = NULL;
        status = ro_file_fail(source->file, RO_E_FORMAT, "is not text");
    }
    return status;
}

ro_status ro_text_load(struct ro_file *file, const char *path, size_t most, char **text)
{
    struct ro_source source;
    *text = NULL;
    ro_status status = ro_source_open(&source, file, path);
    if (status == RO_OK)
        status = ro_text_read(&source, most, text);
    ro_source_close(&source);
    return status;
}
