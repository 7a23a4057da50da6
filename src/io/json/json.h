/* SPDX-License-Identifier: MIT */
/*
 * The reader of JSON, for small texts: a kernel of error diffusion, the sidecar of a hologram, a
 * certificate. It is asked for what may come next; the first surprise is told with its line and
 * ends the reading. A room of its own, for libroundoff_io and the command read with it.
 */
#ifndef RO_IO_JSON_JSON_H
#define RO_IO_JSON_JSON_H

#include "roundoff.h"
#include "roundoff/library.h"

#include <stdbool.h>
#include <stddef.h>

struct json_parser {
    ro_context *context;
    const char *path; /* for messages */
    const char *text; /* the caller's */
    const char *at;   /* where the reader stands */
    bool failed;
};

static inline struct json_parser json_of(ro_context *context, const char *path, const char *text)
{
    return (struct json_parser){.context = context, .path = path, .text = text, .at = text};
}

void json_fail(struct json_parser *json, const char *what);
char json_next(struct json_parser *json); /* the next character that is no blank */
bool json_take(struct json_parser *json, char wanted);
void json_expect(struct json_parser *json, char wanted);
/* A string, its escapes undone; it never gets longer than it was in the text. */
void json_read_text(struct json_parser *json, char *text, size_t size);
double json_read_number(struct json_parser *json);
void json_skip(struct json_parser *json); /* any value */

#endif
