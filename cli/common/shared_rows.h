/* SPDX-License-Identifier: MIT */
/*
 * Rows of options that several commands have and that are about files, each written once; see
 * options/shared_rows.h.
 */
#ifndef RO_CLI_COMMON_SHARED_ROWS_H
#define RO_CLI_COMMON_SHARED_ROWS_H

#include "options/shared_rows.h"

#define ROW_PAGE "P", "pages of a stack: 3, 2-9 or all", .derived = "all of a stack"
#define PAGES_OF_OUT                                                                               \
    "All pages of a stack have one shape; each is done by itself, in the memory of one. OUT has "  \
    "as many pages, and the axes of the stack if these are all."
#define ROW_TYPE "T", "type of OUT, such as png or tiff", .derived = "by the name of OUT"
#define ROW_SIZE "WxH", "width and height in pixels, such as 640x480"
#define ROW_BITS                                                                                   \
    "N", "bits of OUT, tones from black to white",                                                 \
        .words = RO_WORDS({.name = "8", .value = 8}, {.name = "16", .value = 16})
#define ROW_LIST NULL, "list the names to choose from and stop"
#define ROW_CURVE "FILE", "tone curve: lines of tone in, tone out, from 0 to 1 or in per cent"
#define ROW_SPOT "FILE", "a picture of a dot instead of a shape; what is dark prints first"
#define ROW_REPORT "FILE", "page with plots and enlarged details (.html)", .writes = 1
#define ROW_FORCE NULL, "write the result even if it is of no use"
#define ROW_RESIZE "SIZE", "resize to WxH first, or Wx, xH, P%, fit:WxH, fill:WxH, up:N"
#define ROW_SHOWN_PALETTE "P", "the palette of results: a name, colours or a file"
#define ROW_VECTORS "FILE", "numbers before and after, for a circuit's test bench", .writes = 1

/* Inks; cli/inks reads them. */
#define ROW_INKS "LIST", "inks, 1 to 8 colours, such as \"#e30613,black\""
#define ROW_INK "I", "an ink's screen, such as cyan:lpi=133,angle=15,shape=line"
#define ROW_ANGLES "A", "angles of inks: auto for little moiré, or degrees such as 15,75,0,45"

#endif
