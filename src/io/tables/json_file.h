/* SPDX-License-Identifier: MIT */
/* A small JSON file, read as a whole. */
#ifndef RO_IO_TABLES_JSON_FILE_H
#define RO_IO_TABLES_JSON_FILE_H

#include "io/json/json.h"

/* *text is the caller's to free, after a failure too. */
ro_status json_load(ro_context *context, const char *path, struct json_parser *json, char **text);

#endif
