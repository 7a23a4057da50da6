/* SPDX-License-Identifier: MIT */
/* Text printed into memory, whole or not at all: printing does not tell that memory ran out. */
#ifndef RO_CLI_COMMON_STRING_BUFFER_H
#define RO_CLI_COMMON_STRING_BUFFER_H

#include "roundoff.h"

#include <stdbool.h>
#include <stdio.h>

struct printed {
    FILE *file; /* to print to */
    char *text; /* after a flush, or the end */
    size_t size, room;
    bool failed;
};

/* The structure stays where it is until the end. */
ro_status printed_open(ro_context *context, struct printed *printed);

/* Whether what was printed so far is there as `text`. */
bool printed_flush(struct printed *printed);

/* What was printed so far as a JSON list; null where memory ran out. */
void printed_list(struct printed *printed, FILE *file);

/* Ends the printing. The text is the caller's to free(); NULL: memory ran out. */
char *printed_end(struct printed *printed);

/* Ends the printing and writes the text into a file. */
ro_status printed_save(ro_context *context, struct printed *printed, const char *path);
void printed_close(struct printed *printed); /* throws it away; also after an end */

#endif
