/* SPDX-License-Identifier: MIT */
/*
 * Search among colours: a halftone of a palette, or of levels of grey, is improved pixel by pixel
 * until no change of one pixel, and no exchange of two neighbours, lowers the error that an eye
 * sees:
 *
 *     E = sum over channels c, pixels m and n of  r_c(m) F(m - n) r_c(n),     r = target - colour
 *
 * The channels of a palette are luma and half of the two differences of colour, in linear light;
 * levels have one. F is the eye V correlated with itself (seek_plan.c). What lies outside the
 * picture has no error. A search keeps e_c = F * r_c, with which a change of E is a short sum. From
 * colour j to k at m, with d = P_k - P_j:
 *
 *     change    sum over c of  d F(0) d - 2 d e(m)
 *     exchange  sum over c of  2 d (F(0) - F(m - n)) d - 2 d (e(m) - e(n)),   n having colour k
 *
 * F, P and e are whole numbers, so all of this is exact. F * target is rounded to them once, which
 * makes E a function of whole numbers, too.
 *
 * Clipping: a lone dot costs the eye so much that a pixel would rather have no dots near a colour
 * of the palette. Where a target lies so near to one colour that a dot of no other could pay, the
 * pixel is held: it takes part in exchanges only.
 *
 * The state lies in panels 16 pixels wide, as in halftone/search/search.h; a line is a row of one:
 *
 *     e      16 whole numbers of luma, 16 of red, 16 of blue        colour   16 numbers of colours
 *     held   16 bits                                                stale    whether to try it
 */
#ifndef RO_HALFTONE_PALETTE_SEARCH_SEEK_H
#define RO_HALFTONE_PALETTE_SEARCH_SEEK_H

#include "halftone/halftone.h"
#include "halftone/palette/palette.h"
#include "simd/variants.h"

enum {
    SEEK_EYE = 4,              /* how far V reaches, */
    SEEK_REACH = 2 * SEEK_EYE, /* and F */
    SEEK_SIDE = 2 * SEEK_REACH + 1,
    SEEK_EYE_SUM = 292,
    SEEK_CHANNELS = 3,
    SEEK_WHITE_BITS = 12,
    SEEK_WHITE = 1 << SEEK_WHITE_BITS, /* of P */
    SEEK_FINE_BITS = 2,                /* targets are in quarters of that */
    SEEK_LANES = 16,
    SEEK_BLOCK = 32,
    SEEK_MARGIN = 16, /* rows above and below the picture; beside it lies a panel */
    SEEK_STRIP = 256, /* rows begun at a time */
    SEEK_RING = 16,   /* rows kept on the way to e */
    SEEK_NEIGHBOURS = 8,
    SEEK_FAST_ROUNDS = 2,
};

struct seek_step {
    int dx, dy;
};
extern const struct seek_step seek_neighbours[SEEK_NEIGHBOURS]; /* in raster order */
extern const int32_t seek_eye[2 * SEEK_EYE + 1][2 * SEEK_EYE + 1];

/* What a change adds to e round its origin, but for the step of colour: F, or for an exchange the
 * difference of two, seen from the first of its pixels in raster order. Rows -8 to 9; columns -32
 * to 31, so that a line can begin anywhere in the window. */
enum {
    SEEK_TOGGLE,
    SEEK_EAST,
    SEEK_SOUTH_WEST,
    SEEK_SOUTH,
    SEEK_SOUTH_EAST,
    SEEK_UPDATES,
    SEEK_UPDATE_ROWS = SEEK_SIDE + 1,
    SEEK_UPDATE_MIDDLE = 2 * SEEK_LANES,
    SEEK_UPDATE_COLUMNS = 2 * SEEK_UPDATE_MIDDLE,
};

/* What a search looks up. */
struct seek_tables {
    int channels, count;
    int32_t colour[SEEK_CHANNELS][PALETTE_MOST]; /* P */
    int32_t bell[SEEK_SIDE][SEEK_SIDE];          /* F */
    int32_t apart[2];                            /* F(0) - F of a straight neighbour, a diagonal */
    float shown[SEEK_CHANNELS][PALETTE_MOST];    /* P, for vector code as all that follows */
    int16_t update[SEEK_UPDATES][SEEK_UPDATE_ROWS][SEEK_UPDATE_COLUMNS];
};

/* Levels of grey are spread evenly. */
void seek_tables_of_levels(struct seek_tables *tables, int levels);
void seek_tables_of_palette(struct seek_tables *tables, const struct palette_plan *plan);

struct seek_state {
    struct seek_tables tables;
    int width, height, panels;
    size_t pitch; /* lines of a panel, with the margin */
    bool swaps;   /* no pixel changes by itself */
    int32_t *pe;
    uint8_t *colour;
    uint16_t *held;
    uint8_t *stale;
};

/* The number of the line that holds pixels 16 panel .. 16 panel + 15 of row y. */
static inline size_t seek_line(const struct seek_state *state, int panel, int y)
{
    return (size_t)(panel + 1) * state->pitch + (size_t)(y + SEEK_MARGIN);
}

/* The place of a pixel among colours; its e is at seek_e of it. */
static inline size_t seek_at(const struct seek_state *state, int x, int y)
{
    return seek_line(state, x / SEEK_LANES, y) * SEEK_LANES + (size_t)(x % SEEK_LANES);
}
static inline size_t seek_e(const struct seek_state *state, size_t at, int channel)
{
    return (at / SEEK_LANES * (size_t)state->tables.channels + (size_t)channel) * SEEK_LANES +
           at % SEEK_LANES;
}

struct seek_tally {
    uint64_t changes;
    int64_t gain; /* of E */
};

/* Columns x0 to x1 - 1 of rows y0 to y1 - 1; x0 begins a line. */
struct seek_area {
    int x0, y0, x1, y1;
};

struct seek_kernels {
    const char *name;
    /* V * rows[SEEK_EYE]: columns `first` to last - 1. The rows may be read from -SEEK_LANES - 4 on
     * and up to the next whole line after `last` and four columns. */
    void (*blur)(const int32_t *const rows[2 * SEEK_EYE + 1], int32_t *to, int first, int last);
    /* Whether pixels of a row are held, as a number of 16 bits for each line. */
    void (*hold)(const struct seek_tables *tables, const int32_t *const target[SEEK_CHANNELS],
                 int width, uint16_t *held);
    /* Tries the pixels of stale lines, in raster order. */
    void (*search)(struct seek_state *state, const struct seek_area *area,
                   struct seek_tally *tally);
};
extern const struct seek_kernels seek_kernels_ref;
RO_VARIANTS_DECLARE(const struct seek_kernels, seek_kernels);

/* Tries one pixel, which must not be outside, and makes its best change; false: there is none. */
bool seek_pixel(struct seek_state *state, int x, int y, struct seek_tally *tally);
/* Finds the best change of a pixel: the new colour, and the neighbour it is exchanged with or -1.
 * Returns by how much E falls, as a number below 0, or 0: there is none. */
int64_t seek_best(const struct seek_state *state, int x, int y, int *colour, int *neighbour);
/* Marks lines for whose pixels a change at (x, y) or its neighbour counts. */
void seek_mark(struct seek_state *state, int x, int y);

/* Where targets and the first halftone come from. */
struct seek_source {
    const struct palette_plan *plan; /* NULL: grey */
    const int32_t *target;           /* of every sample of grey */
    int sample_bytes;
    const unsigned char *in;
    ptrdiff_t in_stride;
};

struct seek_run {
    ro_context *context;
    const struct seek_kernels *kernels;
    struct seek_state *state;
    struct seek_source source;
    unsigned char *scratch; /* of all threads */
    size_t scratch_bytes;   /* of each */
    int threads;
    uint64_t rounds, changes;
};

/* Sets the shape and adds up the bytes; with memory the arrays are set, too. */
size_t seek_lay_out(struct seek_state *state, unsigned char *memory);
size_t seek_scratch_bytes(const struct seek_state *state, bool colour);

/* Makes e and held; the colours are there. */
void seek_begin(struct seek_run *run);
/* Runs to the end, or `rounds` rounds if that is not 0. */
ro_status seek_rounds(struct seek_run *run, uint64_t rounds);

#endif
