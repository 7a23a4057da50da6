/* SPDX-License-Identifier: MIT */
/* Files as a whole: any bytes out, complete or not at all; bytes and texts in, up to a limit. */
#include "core/misuse.h"
#include "io/bytes/sink.h"
#include "io/bytes/source.h"
#include "io/tables/text.h"
#include "roundoff_io_command.h"

#include <stdlib.h>
#include <string.h>

ro_status ro_bytes_accepts(ro_context *context, const char *path)
{
    if (file_named(context, path) != RO_OK)
        return RO_E_ARGUMENT;
    struct open_file file;
    file_init(&file, context, path, "standard output");
    return sink_check(&file, path);
}

ro_status ro_bytes_save(ro_context *context, const char *path, const void *bytes, size_t size)
{
    if (!context || (size > 0 && MISSING(context, bytes)))
        return RO_E_ARGUMENT;
    if (file_named(context, path) != RO_OK)
        return RO_E_ARGUMENT;
    struct open_file file;
    struct byte_sink sink = {.fd = -1};
    file_init(&file, context, path, "standard output");
    ro_status status = sink_open(&sink, &file, path);
    if (status == RO_OK)
        status = sink_write(&sink, bytes, size);
    if (status == RO_OK)
        status = sink_commit(&sink);
    sink_close(&sink);
    return status;
}

ro_status ro_bytes_load(ro_context *context, const char *path, size_t most, char **bytes,
                        size_t *size)
{
    if (bytes)
        *bytes = NULL;
    if (MISSING(context, path, bytes, size))
        return RO_E_ARGUMENT;
    struct open_file file;
    struct byte_source source;
    *size = 0;
    file_init(&file, context, path, "standard input");
    ro_status status = source_open(&source, &file, path);
    if (status == RO_OK)
        status = source_all(&source, most, bytes, size);
    source_close(&source);
    return status;
}

ro_status text_read(struct byte_source *source, size_t most, char **text)
{
    size_t size;
    ro_status status = source_all(source, most, text, &size);
    if (status == RO_OK && strlen(*text) != size) {
        free(*text);
        *text = NULL;
        status = file_fail(source->file, RO_E_FORMAT, "is not text");
    }
    return status;
}

ro_status text_load(struct open_file *file, const char *path, size_t most, char **text)
{
    struct byte_source source;
    *text = NULL;
    ro_status status = source_open(&source, file, path);
    if (status == RO_OK)
        status = text_read(&source, most, text);
    source_close(&source);
    return status;
}
