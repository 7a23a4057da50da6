/* SPDX-License-Identifier: MIT */
/*
 * Screens: small arrays of cells, ranked from 0 (the first to become white) to their number less
 * one, and repeated over the whole image.
 */
#ifndef RO_SCREEN_SCREEN_H
#define RO_SCREEN_SCREEN_H

#include "roundoff/library.h"
#include "roundoff/screen.h"

#include <stdbool.h>

enum {
    SCREEN_MAX_SIDE = 1024,  /* of one that is searched for, */
    SCREEN_FILE_SIDE = 4096, /* or read */
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
    SCREEN_OPTION_CELL = 1 << 3,
    SCREEN_OPTION_LINES = 1 << 4, /* lpi, and the resolution that it is measured by */
    SCREEN_OPTION_DOT = 1 << 5,
};

/* Cells of a screen, and the rank of each, row by row. The rows below the last are the first ones
 * again, begun `shift` cells further on each time. */
struct screen {
    uint32_t width, height;
    uint32_t *ranks;
    uint32_t shift;
    ro_dots reached; /* of dots in rows: what came out; else zeros */
};
void screen_free(struct screen *screen);

/* Memory for the ranks of so many cells. */
ro_status screen_alloc(ro_context *context, uint32_t width, uint32_t height, struct screen *screen);

enum screen_kind_number {
    SCREEN_KIND_VOID,
    SCREEN_KIND_BAYER,
    SCREEN_KIND_CLUSTERED,
    SCREEN_KIND_UNIFORM,
    SCREEN_KIND_AM,
    SCREEN_KIND_GREEN,
    SCREEN_KINDS,
};

struct screen_kind {
    unsigned options; /* screen_option flags that apply */
    uint32_t size;    /* by default, in cells a side */
    uint32_t least, most;
    /* Ranks size x size cells; the options are complete and in range. NULL: dots in rows, whose
     * cells follow from the options. */
    ro_status (*make)(ro_context *context, const ro_screen_options *options, uint32_t *ranks);
};
extern const struct screen_kind screen_kinds[SCREEN_KINDS];

/* Reads and checks options, as of the kind `kind` unless that is NULL. */
ro_status screen_take(ro_context *context, const ro_screen_options *given, const char *kind,
                      ro_screen_options *taken);

ro_status screen_bayer(ro_context *context, const ro_screen_options *options, uint32_t *ranks);
ro_status screen_clustered(ro_context *context, const ro_screen_options *options, uint32_t *ranks);
ro_status screen_void(ro_context *context, const ro_screen_options *options, uint32_t *ranks);
ro_status screen_uniform(ro_context *context, const ro_screen_options *options, uint32_t *ranks);
ro_status screen_green(ro_context *context, const ro_screen_options *options, uint32_t *ranks);

/* Dots in rows; `rectangle`: a screen without a shift. */
ro_status screen_am(ro_context *context, const ro_screen_options *options, bool rectangle,
                    struct screen *screen);

/* What dots in rows came to, in words, "60.001 lpi at 15.000 degrees, 80098 greys"; `dpi` is what
 * was asked for, 0: it is assumed. "": the screen is another. */
void screen_say(const struct screen *screen, double dpi, char *text, size_t size);

/* What screen_void makes of 64 x 64 cells and seed 0. */
extern const uint16_t screen_built_in[SCREEN_BUILT_IN_SIDE * SCREEN_BUILT_IN_SIDE];

/* Checks the options and ranks the cells; screen_free frees, also after a failure. */
ro_status screen_make(ro_context *context, const ro_screen_options *options, bool rectangle,
                      struct screen *screen);

/* Ranks the values of a grey image, ties in raster order. */
ro_status screen_rank(ro_context *context, const ro_image *image, struct screen *screen);

/* The same with numbers that grow with the values instead of ranks. */
ro_status screen_values(ro_context *context, const ro_image *image, struct screen *screen);

/* Sorts pixels by their keys; false: no memory. */
struct screen_key {
    uint64_t key;
    uint32_t pixel;
};
bool screen_sort(struct screen_key *keys, size_t count);

/* Ranks `count` cells by their values, ties in raster order. RO_E_MEMORY or RO_OK. */
ro_status screen_rank_values(ro_context *context, const uint32_t *values, uint32_t count,
                             uint32_t *ranks);

#endif
