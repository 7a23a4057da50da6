/* SPDX-License-Identifier: MIT */
/* The palettes and the colours that have names. */
#ifndef RO_HALFTONE_PALETTE_LIST_H
#define RO_HALFTONE_PALETTE_LIST_H

#include "roundoff/halftone.h"

enum { PALETTE_MOST_BUILT_IN = 16, PALETTE_BUILT_IN = 18, PALETTE_NAMES = 148 };

struct palette_built_in {
    ro_palette_info info;
    const char *alias; /* or NULL */
    int count;
    uint32_t colours[PALETTE_MOST_BUILT_IN];
};
extern const struct palette_built_in palette_built_in[PALETTE_BUILT_IN];

/* The names of CSS, level 4. */
struct palette_name {
    const char *name;
    uint32_t colour;
};
extern const struct palette_name palette_name[PALETTE_NAMES];

#endif
