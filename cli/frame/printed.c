/* SPDX-License-Identifier: MIT */
#include "cli/frame/printed.h"

#include "roundoff_io.h"

#include <stdlib.h>

static ro_status no_memory(ro_context *context)
{
    return ro_context_fail(context, RO_E_MEMORY, "not enough memory for a text");
}

ro_status printed_open(ro_context *context, struct printed *printed)
{
    *printed = (struct printed){0};
    printed->file = open_memstream(&printed->text, &printed->size);
    return printed->file ? RO_OK : no_memory(context);
}

bool printed_flush(struct printed *printed)
{
    return fflush(printed->file) == 0 && !ferror(printed->file) && printed->text;
}

char *printed_end(struct printed *printed)
{
    bool whole = printed_flush(printed);
    whole &= fclose(printed->file) == 0;
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
