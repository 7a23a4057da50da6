/* SPDX-License-Identifier: MIT */
/*
 * Text, lines and codes on a page, found in 8-bit grey and pulled towards black and white, so that
 * a halftone leaves them sharp. A window is text if its values lie at two ends, what is dark (or
 * light) in it is thin, and there is enough of it; it is a photograph if its values fill the
 * middle. Text wins where there is much of it and nearly no photograph around. Where nothing is
 * found, samples stay. Integers only; docs/numerics.md has the rule.
 */
#ifndef RO_IO_FILTERS_PAGE_RULE_H
#define RO_IO_FILTERS_PAGE_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PAGE_CELL = 4,   /* pixels across and down a cell */
    PAGE_REACH = 15, /* cells above and below that a pixel's result depends on */
};

/* Rows of a picture, whole cells of them from the top, or to the end of the picture. */
struct page_window {
    const uint8_t *rows;
    uint32_t width, height;
};

/* The definition: rows `first` to `end` - 1 of a window into `to`, one after another. Right if the
 * window has PAGE_REACH cells more on either side, or the picture ends there. False: no memory. */
bool page_rule(const struct page_window *window, uint32_t first, uint32_t end, uint8_t *to);

#endif
