/* SPDX-License-Identifier: MIT */
/*
 * Ordered dithering: every pixel is rounded on its own, up or down by the rank that a screen (or a
 * random number, or nothing) gives to its place.
 *
 * The definition is ordered_level. What runs is made from it: for every sample value the level
 * below and the number of ranks that go to the level above (a table of look-ups); for packed bits,
 * for every cell of a screen the smallest sample that is white there (a table to compare with); for
 * level numbers, for every cell the smallest part of a step that goes up there, the level below
 * being computed.
 */
#ifndef RO_HALFTONE_ORDERED_ORDERED_H
#define RO_HALFTONE_ORDERED_ORDERED_H

#include "halftone/error_diffusion/many_levels.h"
#include "halftone/halftone.h"
#include "screen/screen.h"
#include "simd/variants.h"

enum {
    ORDERED_BLOCK = 64, /* pixels at a time; tables are repeated to this much beyond their period */
    ORDERED_RANK_BITS = 24,
    ORDERED_RANDOM_BITS = 20, /* random numbers are ranks of 2^20 cells */
};

/* The methods, as the table of methods names them. */
enum ordered_variant {
    ORDERED_BAYER,
    ORDERED_BAYER_2,
    ORDERED_BAYER_4,
    ORDERED_BAYER_8,
    ORDERED_BAYER_16,
    ORDERED_CLUSTERED_DOT,
    ORDERED_BLUE_NOISE,
    ORDERED_SCREEN,
    ORDERED_RANDOM,
    ORDERED_THRESHOLD,
    ORDERED_OTSU,
    ORDERED_AM,
    ORDERED_GREEN_NOISE,
};

enum ordered_rule {
    ORDERED_BY_SCREEN,
    ORDERED_BY_HASH,
    ORDERED_BY_LIMIT, /* one limit between two levels, the same for all pixels */
};

struct ordered_plan {
    uint32_t width;
    uint32_t maxval;
    int sample_bytes;
    int levels;
    bool bits_out; /* packed bits (2 levels), else a byte per pixel: the level's number, */
    bool deep;     /* or 16 bits */
    enum ordered_rule rule;
    uint32_t cells;       /* K */
    struct screen screen; /* one cell where there is none; a plate's may repeat ranks */
    uint64_t seed;
    int percent;   /* for ORDERED_BY_LIMIT: the limit in a step; 0: of two levels, */
    int32_t limit; /* this tone */

    /* Derived: by ordered_plan_tables. */
    uint32_t *lookup;   /* of each sample: its level << 24 | ranks below this go one level up; */
    uint32_t *below;    /* deep: of each sample its level, and look-ups are of level 0 */
    uint32_t period;    /* of the tables below: a multiple of the screen's width, ORDERED_BLOCK or
                           more */
    size_t pitch;       /* entries from one row to the next, ORDERED_BLOCK more than the period */
    bool large;         /* tables do not stay in the first cache, */
    uint32_t apart;     /* but rows so far apart need nearly the same of them; 1: none do */
    void *whites;       /* for bits: of each cell the smallest white sample, sample_bytes wide */
    uint16_t *smallest; /* the same of each rank */
    uint16_t *parts;    /* for numbers: of each cell the smallest part of a step that goes up, */
    uint16_t *more;     /* of a longer step by this; or, NULL, */
    bool sums;          /* where a step is whole samples, what reaches the next level from there */
    struct steps_line quotient;   /* of sums by the step */
    struct diffusion_steps steps; /* of parts */
    uint32_t *ranks;              /* or else the ranks */
    size_t bytes;                 /* of all of them */
};

/* ---- The definition ---- */

/* Tone of an output level; W = 16 * maxval is that of the last. */
int32_t ordered_tone(const struct ordered_plan *plan, int k);

/* The highest level that is not above a tone. */
int ordered_below(const struct ordered_plan *plan, int32_t tone);

/* The limit within a step, for ORDERED_BY_LIMIT. */
int32_t ordered_limit(const struct ordered_plan *plan, int32_t gap);

int ordered_level(const struct ordered_plan *plan, uint32_t sample, uint32_t rank);
uint32_t ordered_rank(const struct ordered_plan *plan, uint32_t x, uint32_t y);

/* The cell of the screen's row where row y of the image begins. */
static inline uint32_t ordered_first_cell(const struct ordered_plan *plan, uint32_t y)
{
    const struct screen *screen = &plan->screen;
    return (uint32_t)((uint64_t)screen->shift * (y / screen->height) % screen->width);
}

/* Rounds row y of the image. */
void ordered_row_reference(const struct ordered_plan *plan, const unsigned char *in,
                           unsigned char *out, uint32_t y);

/* ---- Plans ---- */

/* What tables are made for. */
enum ordered_tables {
    ORDERED_FOR_SCALAR,  /* look-ups and ranks */
    ORDERED_FOR_DEVICE,  /* whites where they serve, and look-ups */
    ORDERED_FOR_VECTORS, /* whites or parts where they serve */
};

/* Allocates the tables and fills them; false: no memory. */
bool ordered_plan_tables(struct ordered_plan *plan, enum ordered_tables tables);

/* Fills them again after a limit has changed. */
void ordered_plan_fill(struct ordered_plan *plan);
void ordered_plan_free(struct ordered_plan *plan);

/* The screen that a method has or is given; one cell where there is none. */
ro_status ordered_find_screen(struct halftoner *work, struct screen *screen);

/* ---- Plates that lie on each other ---- */

uint32_t ordered_plate_dot(uint32_t size, int plate); /* cells a side of a clustered dot */

/* Turns the screen of all plates into that of one, which may be larger and repeat ranks. */
ro_status ordered_plate_screen(ro_context *context, bool blue_noise, int plate,
                               struct screen *screen);

/* ---- Schedules ---- */

/* The same; `next` are the samples of the row to come, or these again. */
typedef void ordered_row_fn(const struct ordered_plan *plan, const unsigned char *in,
                            const unsigned char *next, unsigned char *out, uint32_t y);
ordered_row_fn ordered_row_scalar;
RO_VARIANTS_DECLARE(ordered_row_fn, ordered_row);       /* where there are no parts, */
RO_VARIANTS_DECLARE(ordered_row_fn, ordered_parts_row); /* where there are */

/* Adds rows to a histogram. */
void ordered_count(const struct ordered_plan *plan, const unsigned char *in, ptrdiff_t stride,
                   uint32_t rows, uint64_t *histogram);

/* The sample at and below which is black: Otsu's, from the number of pixels of each value. */
uint32_t ordered_otsu(const uint64_t *histogram, uint32_t maxval);

static inline uint32_t ordered_sample(const struct ordered_plan *plan, const unsigned char *row,
                                      uint32_t x)
{
    return plan->sample_bytes == 1 ? row[x] : ((const uint16_t *)(const void *)row)[x];
}

#endif
