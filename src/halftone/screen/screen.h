/* SPDX-License-Identifier: MIT */
/*
 * Screens: small arrays of cells, ranked from 0 (the first to become white) to their number less
 * one, and repeated over the whole image.
 */
#ifndef RO_HALFTONE_SCREEN_SCREEN_H
#define RO_HALFTONE_SCREEN_SCREEN_H

#include "roundoff/halftone.h"

#include <stdbool.h>

enum {
    SCREEN_MAX_SIDE = 1024,
    SCREEN_MAX_CELLS = SCREEN_MAX_SIDE * SCREEN_MAX_SIDE,
    SCREEN_BUILT_IN_SIDE = 64,
    SCREEN_DOT_LEAST = 2, /* cells a side of clustered dots */
    SCREEN_DOT_SIDE = 8,  /* by default */
    SCREEN_DOT_MOST = 256,
};

/* Options that not every kind of screen knows. */
enum screen_option {
    SCREEN_OPTION_SEED = 1 << 0,
    SCREEN_OPTION_ANGLE = 1 << 1,
    SCREEN_OPTION_SHAPE = 1 << 2,
};

struct screen_kind {
    ro_screen_kind info;
    const char *aliases[2];
    unsigned options; /* screen_option flags that apply */
    uint32_t size;    /* by default, in cells a side */
    uint32_t least, most;
    /* Ranks size x size cells; the options are complete and in range. */
    ro_status (*make)(ro_context *context, const ro_screen_options *options, uint32_t *ranks);
};

ro_status screen_bayer(ro_context *context, const ro_screen_options *options, uint32_t *ranks);
ro_status screen_clustered(ro_context *context, const ro_screen_options *options, uint32_t *ranks);
ro_status screen_void(ro_context *context, const ro_screen_options *options, uint32_t *ranks);
ro_status screen_uniform(ro_context *context, const ro_screen_options *options, uint32_t *ranks);

/* What screen_void makes of 64 x 64 cells and seed 0. */
extern const uint16_t screen_built_in[SCREEN_BUILT_IN_SIDE * SCREEN_BUILT_IN_SIDE];

/* Cells of a screen, and the rank of each, row by row. */
struct screen {
    uint32_t width, height;
    uint32_t *ranks;
};
void screen_free(struct screen *screen);

/* Checks the options and ranks the cells; screen_free frees, also after a failure. */
ro_status screen_make(ro_context *context, const ro_screen_options *options, struct screen *screen);

/* Ranks the values of a grey image, ties in raster order. */
ro_status screen_rank(ro_context *context, const ro_image *image, struct screen *screen);

/* Ranks `count` cells by their values, ties in raster order. RO_E_MEMORY or RO_OK. */
ro_status screen_rank_values(ro_context *context, const uint32_t *values, uint32_t count,
                             uint32_t *ranks);

#endif
