/* SPDX-License-Identifier: MIT */
/* Palettes that options name, and panels that a picture is for. */
#ifndef RO_CLI_COMMON_PALETTES_H
#define RO_CLI_COMMON_PALETTES_H

#include "roundoff_io.h"

#include <stdbool.h>

/* A file's name has a dot or a slash in it, which no colour and no method has; or is that of
 * standard input. */
bool names_a_file(const char *text);

/* A palette by its name, by its colours, or from a file. */
ro_status palette_read(ro_context *context, const char *text, ro_palette *palette);

/* The name of the panel that shows a picture, whose colours are all the panel's, and its palette;
 * NULL: there is no such panel. */
const char *palette_of_panel(ro_context *context, const ro_image *image, ro_palette *palette);

#endif
