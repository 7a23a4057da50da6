/* SPDX-License-Identifier: MIT */
/*
 * The writer of JSON. A form looks like the object without its quotes:
 *
 *     json_put(file, "{width %u, name %s, useless %hhd, list [", 640, "a \"b\"", 1);
 *
 * prints {"width": 640, "name": "a \"b\"", "useless": true, "list": [
 *
 * A word with a blank behind it is the name of a member. %s prints a string in quotes, with what
 * must be escaped; %hhd prints true or false; %c prints a comma and a blank, but nothing for 0, the
 * first of a list; %d, %i, %u, %f, %g and %e print as in printf, with flags, precision and the
 * sizes ll, l and z. Everything else is printed as it is.
 */
#ifndef RO_IO_JSON_JSON_WRITE_H
#define RO_IO_JSON_JSON_WRITE_H

#include "roundoff.h"

#include <stdio.h>

void json_put(FILE *file, const char *form, ...) RO_PRINTF(2, 3);

/* A string in quotes; bytes that are no UTF-8 become U+FFFD. */
void json_string(FILE *file, const char *text);

#endif
