/* SPDX-License-Identifier: MIT */
/*
 * Direct binary search, inside: a plan, the state of a search, and the kernels that advance it.
 *
 * The search runs on the padded picture. Its state is c_pe, one 32-bit integer a pixel, and two bit
 * planes: b, and `open` (1 where a pixel may change). c_pe is stored in panels 16 pixels wide,
 *
 *     panel 0        panel 1        panel 2
 *     row 0: 64 B    row 0: 64 B    ...            a line: 16 pixels, one cache line, one vector
 *     row 1: 64 B    row 1: 64 B
 *     ...            ...
 *
 * so that the window an accepted change updates is two or three runs of neighbouring lines, and two
 * blocks of a group never share a line. Round all of it lies a margin of pixels that are not open:
 * "outside the padding" needs no test of its own.
 *
 * Changes of the error are kept divided by 32, which is exact and fits 32 bits: |e| is at most
 * 16 S = 2^16 for either aim, so |c_pe| is at most about 2^28, and c_pp(0) at most 2^24.
 */
#ifndef RO_HALFTONE_SEARCH_SEARCH_H
#define RO_HALFTONE_SEARCH_SEARCH_H

#include "roundoff/halftone.h"
#include "simd/variants.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DBS_MAX_RADIUS = 11,
    DBS_SCALE = 4096, /* S, the sum of the eye's weights */
    DBS_SCALE_BITS = 12,
    DBS_LANES = 16,                   /* pixels of a line */
    DBS_PART = 64,                    /* bytes of a cache line */
    DBS_MARGIN = 2 * DBS_LANES,       /* on each side of the padded picture */
    DBS_STRIP = 64,                   /* rows started and convolved at a time */
    DBS_EYE = 2 * DBS_MAX_RADIUS + 1, /* row pitch of the eye's table */
    DBS_PP = 4 * DBS_MAX_RADIUS + 1,  /* row pitch of c_pp's table */
};

#ifdef __cplusplus
extern "C" {
#endif

enum dbs_variant { DBS_PLAIN, DBS_CLIPPING_FREE }; /* of the engine's methods */
enum dbs_aim { DBS_SEEN, DBS_PICTURE };            /* whether the picture is blurred too */
enum dbs_order { DBS_GROUPS, DBS_RASTER };

/* Zero is the default everywhere. */
struct dbs_options {
    double sigma;    /* a Gaussian eye of so many pixels; 0: see search_eye.c */
    double dpi;      /* Naesaenen's eye: dots an inch, */
    double distance; /* seen from so many millimetres */
    int radius;      /* w, 1 to 11; 0: follows the eye */
    enum dbs_aim aim;
    enum dbs_order order;
    const char *start;     /* the method that makes the first halftone; NULL: see search_start.c */
    const ro_image *first; /* a halftone of the picture to start from instead */
    int rounds;            /* at most; 0: to the end */
    uint64_t seed;
    bool clipping_free;
    uint32_t shadow_numerator, shadow_denominator; /* D; denominator 0: follows sigma */
    const ro_image *screen;                        /* NULL: the built-in array */
};

/* What a search did. Errors are sums of e^2, in units of (1/(16 S))^2. */
struct dbs_result {
    uint64_t rounds, changes;
    uint64_t start_error;   /* of the padded picture, before the search */
    uint64_t running_error; /* the same after it, by adding up the changes */
    uint64_t error;         /* of the picture itself, at the end */
};

/* The eight neighbours in raster order. */
struct dbs_step {
    int dx, dy;
};
extern const struct dbs_step dbs_neighbours[8];

extern const char DBS_RANDOM[]; /* the start that is drawn by the hash */

struct dbs_plan {
    struct dbs_options options; /* with the defaults filled in */
    int w, pad, block;
    int image_width, image_height;
    int width, height;              /* padded */
    int panels;                     /* of the padded picture, without the margin */
    size_t pitch;                   /* lines of a panel, with the margin */
    size_t bit_pitch;               /* bytes of a bit row, with the margin */
    size_t row_pitch;               /* pixels of a row in the scratch, with the margin */
    size_t scratch_bytes;           /* of a thread */
    int32_t eye[DBS_EYE * DBS_EYE]; /* V(dx, dy) */
    int32_t pp[DBS_PP * DBS_PP];    /* c_pp(dx, dy) */
    double eye_cut;                 /* the part of the eye's energy that V leaves out */
    int32_t toggle_cost;            /* the part of a change that does not depend on c_pe */
    int32_t swap_cost[8];
    uint32_t white;       /* M */
    uint32_t values;      /* of a pixel: 256 or 65536 */
    uint32_t screen_size; /* m; 0: plain search */
    bool random;          /* the start */
};

struct dbs_state {
    struct dbs_plan plan;
    const ro_image *in;
    ro_image first; /* packed bits to start from, of the padded size; no data: random */
    int threads;
    void *arena; /* holds all that follows */
    size_t arena_bytes;
    int32_t *pe;            /* lines; see dbs_line */
    uint8_t *stale;         /* one byte a line: it must be tried */
    uint8_t *b, *open;      /* bit rows; see dbs_bit_row */
    uint32_t *column, *row; /* padded x and y to the picture's */
    int32_t *target;        /* of each value: A */
    uint32_t *chance;       /* of each value: white at the start if the hash's 24 bits are below */
    uint32_t *limit;        /* of each value: determined if the rank is below */
    uint32_t *ranks;        /* rows of m, and DBS_LANES more that repeat the first */
    int32_t *updates;       /* what an accepted change adds to c_pe; see dbs_update */
    struct dbs_move *moves; /* [DBS_MOVES][DBS_LANES] */
    uint8_t *parts;         /* of all threads, a cache line each; see search_groups.c */
    uint8_t *scratch;       /* of all threads */
};

/* The number of the line that holds pixels 16 panel .. 16 panel + 15 of row y. */
static inline size_t dbs_line(const struct dbs_plan *plan, int panel, int y)
{
    return (size_t)(panel + DBS_MARGIN / DBS_LANES) * plan->pitch + (size_t)(y + DBS_MARGIN);
}

/* Row y of the errors in a scratch that starts at row `first`. */
static inline int32_t *dbs_error_row(const struct dbs_plan *plan, void *scratch, int first, int y)
{
    return (int32_t *)scratch + (size_t)(y - first) * plan->row_pitch + DBS_MARGIN;
}

/* A bit row: pixel x is bit x & 7 of byte x >> 3, which may be as low as -4. */
static inline uint8_t *dbs_bit_row(const struct dbs_plan *plan, uint8_t *bits, int y)
{
    return bits + (size_t)(y + DBS_MARGIN) * plan->bit_pitch + DBS_MARGIN / 8;
}

static inline int32_t dbs_eye(const struct dbs_plan *plan, int dx, int dy)
{
    return plan->eye[(dy + DBS_MAX_RADIUS) * DBS_EYE + dx + DBS_MAX_RADIUS];
}

static inline int32_t dbs_pp(const struct dbs_plan *plan, int dx, int dy)
{
    return plan->pp[(dy + 2 * DBS_MAX_RADIUS) * DBS_PP + dx + 2 * DBS_MAX_RADIUS];
}

/* What an accepted change adds to c_pe round it, as tables. A swap is seen from the first of its
 * two pixels in raster order; `south-west` is the swap with the pixel below left. The second half
 * of the tables is for an origin that turns from black to white, the first for the opposite. A row
 * holds the values from column -2w on (-2w - 1 for south-west) and zeros, enough for a line that
 * starts up to 15 pixels earlier and for one that ends later. */
enum dbs_update { DBS_TOGGLE, DBS_EAST, DBS_SOUTH_WEST, DBS_SOUTH, DBS_SOUTH_EAST, DBS_UPDATES };

static inline int dbs_update_rows(int w) { return 4 * w + 2; }
static inline int dbs_update_pitch(int w) { return 4 * w + 2 + DBS_LANES - 1; }
static inline int dbs_update_size(int w) { return dbs_update_rows(w) * dbs_update_pitch(w); }

/* A toggle (0) or a swap with neighbour 1 to 8 of the pixel in a lane of a line. */
enum { DBS_MOVES = 9 };
struct dbs_move {
    int32_t table[2]; /* in `updates`: the value under the window's first line, by b of the pixel */
    int32_t beside;   /* the same value's distance to the one under the line itself, row y - 1 */
    int32_t lines;    /* that the window spans */
    ptrdiff_t window; /* from the line itself to the window's first line, in numbers of c_pe */
    uint16_t near[3]; /* lanes of the lines left, here and right that the window covers */
    int8_t dx;        /* of the other pixel */
    int8_t flip[3];   /* -1 for the row of the other pixel, if there is one */
};

static inline int32_t dbs_pp_or_zero(const struct dbs_plan *plan, int dx, int dy)
{
    const int reach = 2 * DBS_MAX_RADIUS;
    return dx < -reach || dx > reach || dy < -reach || dy > reach ? 0 : dbs_pp(plan, dx, dy);
}

/* A blurred tone V * A, or its difference to 16 S (V * b), divided by S and rounded once. */
static inline int32_t dbs_divide(int32_t sum) { return (sum + DBS_SCALE / 2) >> DBS_SCALE_BITS; }

/* The value of the picture under pixel (x, y) of the padded one. */
static inline uint32_t dbs_value(const struct dbs_state *state, int x, int y)
{
    const ro_image *in = state->in;
    const uint8_t *row = (const uint8_t *)in->data + (ptrdiff_t)state->row[y] * in->stride;
    return in->format == RO_GREY8 ? row[state->column[x]]
                                  : ((const uint16_t *)(const void *)row)[state->column[x]];
}

/* What a visit of a rectangle did; `gain` is the sum of the changes of the error, divided by 32. */
struct dbs_tally {
    uint64_t changes;
    int64_t gain;
};

/* A rectangle of the padded picture, x0 and x1 at the bounds of lines except at the right edge. */
struct dbs_area {
    int x0, y0, x1, y1;
};

/* A variant of the search. A thread's scratch holds the errors e of rows y0 - w to y1 + w (zero
 * beyond the padded picture), row y0 - w first. */
struct dbs_kernels {
    const char *name;
    void (*start)(struct dbs_state *state, int y0, int y1, void *scratch);     /* b and open */
    void (*project)(struct dbs_state *state, int y0, int y1, void *scratch);   /* e from b */
    void (*correlate)(struct dbs_state *state, int y0, int y1, void *scratch); /* c_pe from e */
    /* Tries the open pixels of an area once each, in raster order. */
    void (*search)(struct dbs_state *state, const struct dbs_area *area, struct dbs_tally *tally);
};
extern const struct dbs_kernels dbs_kernels_ref;
RO_VARIANTS_DECLARE(const struct dbs_kernels, dbs_kernels);
const struct dbs_kernels *dbs_kernels_for(ro_cpu cpu);

/* A row of the padded picture as values; `values` has room for whole lines. */
void dbs_values(const struct dbs_state *state, int y, uint16_t *values);

/* The height of strips, DBS_STRIP at most, of which all threads do the same number. */
int dbs_strip(int rows, int threads);

/* Rows y0 to y1 of the picture as packed bits. */
void dbs_pack(const struct dbs_state *state, int y0, int y1, const ro_image *out);

/* Checks the options for a picture of this shape (grey of 8 or 16 bits). */
ro_status dbs_plan_make(ro_context *context, const struct dbs_options *options, const ro_image *in,
                        struct dbs_plan *plan);

/* The eye: checks the options, fills in their defaults and makes V and c_pp. */
ro_status dbs_eye_make(ro_context *context, struct dbs_plan *plan);

/* Checks what a search is to start from, and names it. */
ro_status dbs_start_check(ro_context *context, const ro_image *in, struct dbs_options *options);
/* Whether a start that has been checked draws random numbers. */
bool dbs_start_draws(const struct dbs_options *options);

/* The first halftone of a search that does not start at random, of the padded picture. */
ro_status dbs_start_make(ro_context *context, struct dbs_state *state);

/* A halftone of one's own as packed bits. */
ro_status dbs_own_bits(ro_context *context, const ro_image *own, ro_image *bits);

/* The steps of a call, for tests and benchmarks that look inside. dbs_open takes all the memory,
 * dbs_begin makes the start and c_pe, dbs_search runs to the end, dbs_finish packs the picture's
 * bits and gives its error. */
ro_status dbs_open(ro_context *context, const struct dbs_options *options, const ro_image *in,
                   struct dbs_state **state);
ro_status dbs_open_tables(ro_context *context, const struct dbs_options *options,
                          const ro_image *in, struct dbs_state **state); /* for a device */
ro_status dbs_begin(ro_context *context, struct dbs_state *state, const struct dbs_kernels *kernels,
                    struct dbs_result *result);
ro_status dbs_search(ro_context *context, struct dbs_state *state,
                     const struct dbs_kernels *kernels, struct dbs_result *result);
void dbs_finish(ro_context *context, struct dbs_state *state, const struct dbs_kernels *kernels,
                const ro_image *out, struct dbs_result *result);
void dbs_close(struct dbs_state *state); /* NULL is allowed */

/* How many changes one more scan of the picture makes, by the definition, from a c_pe made afresh;
 * the state is of no use afterwards. */
uint64_t dbs_improving(ro_context *context, struct dbs_state *state,
                       const struct dbs_kernels *kernels);

/* Halftones `in` (RO_GREY8 or RO_GREY16) into `out` (RO_BITS of the same size). `improving`, if not
 * NULL, is what dbs_improving says at the end. */
ro_status dbs_halftone(ro_context *context, const struct dbs_options *options, const ro_image *in,
                       const ro_image *out, struct dbs_result *result);
ro_status dbs_halftone_checked(ro_context *context, const struct dbs_options *options,
                               const ro_image *in, const ro_image *out, struct dbs_result *result,
                               uint64_t *improving);

#ifdef __cplusplus
}
#endif

#endif
