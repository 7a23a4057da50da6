/* SPDX-License-Identifier: MIT */
/*
 * Trained diffusion row by row, in memory that grows with the width. Each step of the network is a
 * stage that keeps a few rows of v, of D and of the sums of its filters:
 *
 *     row y of v and D arrives      --> filters of row y - r, r = 2 * distance, whose taps are here
 *     filters of row y - r          --> taps of the transpose go to rows y - 2r .. y of the sums
 *     row y - 2r of the sums is complete: D and v of that row go on to the next stage
 *
 * A band may begin and end anywhere in the picture: what its first and last rows lack is not
 * computed, so each stage gives 2r rows less at such an end and the last one gives the band's rows.
 */
#ifndef RO_DENOISE_TRAINED_TRAINED_ROWS_H
#define RO_DENOISE_TRAINED_TRAINED_ROWS_H

#include "denoise/trained/trained.h"
#include "roundoff/core.h"

enum {
    TRAINED_BLOCK =
        64, /* pixels that kernels work on at once; lines have as many more on each side */
    TRAINED_MOST_ENTRIES = 13,
    TRAINED_GROUPS = TRAINED_MOST_FILTERS / 4,
    TRAINED_LINES = 2 * TRAINED_GROUPS, /* of fluxes */
};

/* How v lies in memory for the forward filters: an entry holds taps that one instruction
 * multiplies. Each line has an entry per pixel. */
enum trained_layout {
    TRAINED_PAIRS16, /* two int16_t:  13 entries, five columns of rows 0 and 1, of rows 2 and 3, */
    TRAINED_PAIRS8,  /* two uint8_t:  and the last row in pairs */
    TRAINED_QUADS8,  /* four uint8_t: 7 entries, five columns of rows 0 to 3, the last row in fours
                      */
};

/* A row of filters and their transpose. */
struct trained_line {
    uint32_t width;
    int distance, groups, entries; /* groups of four filters */
    int narrow;
    int32_t slope;
    const void *entry[TRAINED_MOST_ENTRIES]; /* at the first column's first tap */
    const int32_t *forward;         /* of each group, entry and filter: taps as in an entry */
    const uint8_t *flux;            /* of each filter, 128 more than the table */
    const int32_t *back;            /* of each group and tap: one byte per filter */
    const int32_t *bias;            /* of each row of taps: what 128 more have added, less 0 */
    uint32_t *quads[TRAINED_LINES]; /* fluxes of four filters, 128 more than they are */
    /* Uneven noise: slope and spread of every pixel, else NULL. Then `quads` has fluxes of two
     * filters in int16_t, as they are, and `back` of each two filters and tap an int16_t each. */
    const int32_t *slopes, *spreads;
    int32_t *sum[TRAINED_SIDE];
};

/* A row of sums that becomes D and v of the next stage. */
struct trained_move {
    uint32_t width;
    int32_t move, gain;
    const struct trained_plan *plan;
    const int32_t *sum, *change; /* of this step, and before it */
    const void *seen;            /* v0, as v */
    int32_t *changed;
    void *now; /* v; NULL: the last step */
};

struct trained_kernel {
    ro_cpu cpu;
    const char *name;
    enum trained_layout layout; /* of bytes */
    /* Puts two or four rows side by side, one above the other; and pixels of the last row. */
    void (*gather)(enum trained_layout layout, uint32_t width, int distance,
                   const void *const rows[TRAINED_SIDE], void *const lines[3]);
    void (*words)(const struct trained_line *line);  /* PAIRS16 */
    void (*bytes)(const struct trained_line *line);  /* the layout of bytes */
    void (*uneven)(const struct trained_line *line); /* PAIRS16 */
    void (*move)(const struct trained_move *move);
};

/* The fastest kernels that this processor runs with an instruction set, and all of them in turn;
 * NULL: there are no more. */
const struct trained_kernel *trained_kernel_of(ro_cpu cpu);
const struct trained_kernel *trained_kernel_at(int number);

/* Rows first .. first + count - 1 of a plane. */
struct trained_band;
struct trained_band *trained_band_open(const struct trained_plan *plan,
                                       const struct trained_kernel *kernel, uint32_t width,
                                       uint32_t height, uint32_t first, uint32_t count);
void trained_band_close(struct trained_band *band); /* NULL is allowed */
size_t trained_band_bytes(const struct trained_band *band);

/* The rows of the plane that it takes, in order. */
uint32_t trained_band_from(const struct trained_band *band);
uint32_t trained_band_to(const struct trained_band *band);
/* Memory for v0 of the next row, uint8_t if the plan has bytes, else int16_t; then takes it. */
void *trained_band_room(struct trained_band *band);
/* Memory for its levels of noise, if that is uneven. */
uint8_t *trained_band_levels(struct trained_band *band);
void trained_band_push(struct trained_band *band);
/* The next row of D; it is valid until the next push. NULL: more rows have to be taken first. All
 * rows that there are must be pulled between two pushes. */
const int32_t *trained_band_pull(struct trained_band *band);

#endif
