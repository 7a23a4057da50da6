/* SPDX-License-Identifier: MIT */
/*
 * Small JSON files: a kernel of error diffusion, the sidecar of a hologram. The reader is asked for
 * what may come next; the first surprise is told with its line and ends the reading.
 */
#ifndef RO_IO_DATA_JSON_H
#define RO_IO_DATA_JSON_H

#include "roundoff_io.h"

#include <stdbool.h>

struct ro_json {
    ro_context *context;
    const char *path;
    char *text;
    const char *at; /* where the reader stands */
    bool failed;
};

/* Reads the file; closing is right after a failure too. */
ro_status ro_json_open(struct ro_json *json, ro_context *context, const char *path);
void ro_json_close(struct ro_json *json);

void ro_json_fail(struct ro_json *json, const char *what);
char ro_json_next(struct ro_json *json); /* the next character that is no blank */
bool ro_json_take(struct ro_json *json, char wanted);
void ro_json_expect(struct ro_json *json, char wanted);
void ro_json_text(struct ro_json *json, char *text, size_t size); /* short, without escapes */
double ro_json_number(struct ro_json *json);
void ro_json_skip(struct ro_json *json); /* any value */

#endif
