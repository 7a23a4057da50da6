/* SPDX-License-Identifier: MIT */
/* A stream of our own rather than open_memstream, which loses what it has no memory for and says
 * nothing of it. */
#define _GNU_SOURCE /* fopencookie */
#include "cli/common/string_buffer.h"

#include "roundoff/library.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <stdlib.h>
#include <string.h>

static ro_status no_memory(ro_context *context)
{
    return ro_context_fail(context, RO_E_MEMORY, "not enough memory for a text");
}

static ssize_t keep(void *cookie, const char *bytes, size_t size)
{
    struct printed *printed = cookie;
    if (printed->size + size >= printed->room && !printed->failed) {
        const size_t room = 2 * (printed->size + size) + 256;
        char *more = realloc(printed->text, room);
        printed->failed = !more;
        printed->text = more ? more : printed->text;
        printed->room = more ? room : printed->room;
    }
    if (printed->failed)
        return 0; /* an error of the stream */
    memcpy(printed->text + printed->size, bytes, size);
    printed->size += size;
    printed->text[printed->size] = '\0';
    return (ssize_t)size;
}

ro_status printed_open(ro_context *context, struct printed *printed)
{
    *printed = (struct printed){0};
    printed->file = fopencookie(printed, "w", (cookie_io_functions_t){.write = keep});
    return printed->file ? RO_OK : no_memory(context);
}

bool printed_flush(struct printed *printed)
{
    return fflush(printed->file) == 0 && !ferror(printed->file) && !printed->failed &&
           printed->text;
}

void printed_list(struct printed *printed, FILE *file)
{
    if (printed_flush(printed))
        fprintf(file, "[%s]", printed->text);
    else
        fputs("null", file);
}

char *printed_end(struct printed *printed)
{
    bool whole = printed_flush(printed);
    whole &= fclose(printed->file) == 0 && !printed->failed;
    printed->file = NULL;
    char *text = printed->text;
    printed->text = NULL;
    if (whole)
        return text;
    free(text);
    return NULL;
}

ro_status printed_save(ro_context *context, struct printed *printed, const char *path)
{
    char *text = printed_end(printed);
    const ro_status status =
        text ? ro_bytes_save(context, path, text, printed->size) : no_memory(context);
    free(text);
    return status;
}

void printed_close(struct printed *printed)
{
    if (printed->file)
        fclose(printed->file);
    free(printed->text);
    *printed = (struct printed){0};
}
