/* SPDX-License-Identifier: MIT */
#ifndef RO_CLI_COMMON_RESIZE_H
#define RO_CLI_COMMON_RESIZE_H

#include "cli/common/cli.h"
#include "roundoff_io.h"

#include <stdbool.h>

/* Reads the size to resize to, in pixels or in mm, cm and in of `dpi`; false: the text is none.
 * NULL leaves `read` as it is. */
bool resize_parse(const char *text, double dpi, ro_read_options *read);

/* Reads a part of a picture, WxH+X+Y; the same. */
bool crop_parse(const char *text, ro_read_options *read);

/* Prints a usage error and returns its exit status if the text is no size; else 0. */
int resize_check(const struct command *command, const char *text, double dpi);

#endif
