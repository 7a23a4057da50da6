/* SPDX-License-Identifier: MIT */
#include "io/tables/json_file.h"

#include "io/tables/text.h"

enum { MOST_BYTES = 1 << 16 };

ro_status json_load(ro_context *context, const char *path, struct json_parser *json, char **text)
{
    struct open_file file;
    *text = NULL;
    file_init(&file, context, path, "standard input");
    ro_status status = text_load(&file, path, MOST_BYTES, text);
    *json = json_of(context, path, *text);
    return status;
}
