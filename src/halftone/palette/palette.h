/* SPDX-License-Identifier: MIT */
/*
 * Error diffusion to the colours of a palette: three channels in linear light, one choice.
 *
 * A pixel's light is first moved to the nearest point of the palette's hull, in which errors stay
 * bounded; it is then diffused to the colour nearest in light. The rule before, with an overshoot,
 * did not move it, cut values instead and chose in OKLab.
 *
 * The nearest colour is looked up in a table over cells of the three values. Cells are as wide as
 * the eye wants them: u = v + 2^14 is cut into eight parts an octave, which makes 49 cells from
 * black to white, near 1/40 of sRGB's scale each.
 *
 *     v     -W ... 0 ...                               W ... 2W
 *     u            2^14 ........ 2^15 ........ 2^16 .. 2^20
 *     cell  0 ...  8 9 10 .. 15  16 17 .. 23   24 ...  56 .. 63    with a hull
 *     cell         0 1 2 ... 7   8 9 ... 15    16 ...  48          with an overshoot
 */
#ifndef RO_HALFTONE_PALETTE_PALETTE_H
#define RO_HALFTONE_PALETTE_PALETTE_H

#include "halftone/diffusion/diffusion.h"
#include "simd/variants.h"

enum {
    PALETTE_WHITE = 16 * TONE_WHITE, /* W */
    PALETTE_MOST = 256,
    PALETTE_OFFSET = 1 << 14,
    PALETTE_CELLS = 49, /* a channel */
    PALETTE_SHIFT = 6,  /* red + green << 6 + blue << 12 is a cell's number */
    PALETTE_ENTRIES = 1 << 3 * PALETTE_SHIFT,
    PALETTE_BELOW = 8,                                /* cells below 0, for hulls */
    PALETTE_BELOW_BITS = 17,                          /* as wide as those just above W */
    PALETTE_HIGHEST = (1 << 21) - PALETTE_OFFSET - 1, /* of the last cell */
    PALETTE_GUARD = 3 * PALETTE_WHITE, /* values farther out than this are cut; none is known */
    PALETTE_GRID_BITS = 5,
    PALETTE_GRID = 1 << PALETTE_GRID_BITS, /* cells of samples along a channel */
    PALETTE_MEMO_BITS = 14,
};

/* ---- Light in the hull ---- */

struct palette_hull {
    int count;
    uint16_t colour[PALETTE_MOST][3]; /* light, 0 to TONE_WHITE */
};

/* The colours between which a point lies. */
struct palette_corners {
    uint8_t count, corner[4];
};

/* The point of the hull nearest to a colour, in light from 0 to W, each channel rounded to the
 * nearest integer, a tie upwards. Starts from `guess` and leaves the corners there. */
void palette_project(const struct palette_hull *hull, const uint16_t colour[3],
                     struct palette_corners *guess, int32_t to[3]);

/* What a thread remembers of projections; begins as zeros. */
struct palette_memo {
    struct palette_corners guess;
    struct palette_memory {
        uint64_t key;
        int32_t light[3];
    } known[1 << PALETTE_MEMO_BITS];
};

struct palette_plan {
    struct diffusion_kernel kernel; /* its common factor taken out */
    uint32_t width;
    int sample_bytes;
    const uint16_t *linear; /* of every sample: its linear light, tone and curve included */
    int count;
    int32_t colour[3][PALETTE_MOST]; /* linear light of each colour, 0 to W */
    const uint8_t *nearest;          /* the colour of each cell */
    const struct palette_hull *hull; /* NULL: the rule with an overshoot */
    const uint8_t *grid;             /* of each cell of samples: whether it lies in the hull */
    uint32_t white;                  /* the largest sample */
    int grid_shift;                  /* from samples to cells */
    int32_t overshoot;               /* how far beyond 0 and W a value still counts for its error */
    int rows_down, skew;
};

/* The cell of a value from 0 to W. */
static inline int palette_cell(int32_t v)
{
    int32_t u = v + PALETTE_OFFSET;
    int octave = 31 - __builtin_clz((unsigned)u);
    return 8 * (octave - 14) + (u >> (octave - 3)) - 8;
}

/* The cell of any value, with a hull. */
static inline int palette_wide_cell(int32_t v)
{
    if (v >= 0)
        return PALETTE_BELOW + palette_cell(v > PALETTE_HIGHEST ? PALETTE_HIGHEST : v);
    const int below = v >> PALETTE_BELOW_BITS;
    return PALETTE_BELOW + (below < -PALETTE_BELOW ? -PALETTE_BELOW : below);
}

/* Fills the table of nearest colours, PALETTE_ENTRIES: in OKLab over PALETTE_CELLS cubed, or in
 * light over all cells. */
void palette_fill_nearest(const int32_t colour[3][PALETTE_MOST], int count, uint8_t *nearest);
void palette_fill_nearest_light(const int32_t colour[3][PALETTE_MOST], int count, uint8_t *nearest);

/* Fills the grid of the plan's hull, PALETTE_GRID cubed. */
void palette_fill_grid(const struct palette_plan *plan, uint8_t *grid);

/* The light that a pixel is diffused with. */
void palette_light(const struct palette_plan *plan, struct palette_memo *memo,
                   const uint32_t sample[3], int32_t to[3]);

/* A row: lines as in struct diffusion_row, one set a channel. */
struct palette_row {
    const unsigned char *in;
    unsigned char *out;
    int32_t *line[3][DIFFUSION_MAX_DY + 1];
    int32_t carry[3];
    struct palette_memo *memo;
};

/* The definition: rounds columns first to last-1 of a row, which is run from column 0 on. */
void palette_columns(const struct palette_plan *plan, struct palette_row *row, int64_t first,
                     int64_t last);

/* ---- rows as lanes, bands over threads ------------------------------------------------------- */

enum { PALETTE_CHUNK = 64, PALETTE_LINE_PAD = 1024 };

struct palette_band {
    const unsigned char *in;
    ptrdiff_t in_stride;
    unsigned char *out;
    ptrdiff_t out_stride;
    int rows;
    const int32_t *above[3][DIFFUSION_MAX_DY]; /* column 0 of the errors of rows -1, -2, -3 */
    int32_t *below[3][DIFFUSION_MAX_DY];       /* of this band's last rows */
    void *scratch;                             /* aligned to 64 */
};

struct palette_code {
    int lanes;
    size_t scratch_bytes;
    void (*begin)(const struct palette_plan *plan, struct palette_band *band);
    void (*steps)(const struct palette_plan *plan, struct palette_band *band, int64_t first,
                  int64_t last);
};
RO_VARIANTS_DECLARE(const struct palette_code, palette_code);

/* Vector code for a plan, or NULL where there is none or its sums do not fit. */
const struct palette_code *palette_code_find(const struct palette_plan *plan, ro_cpu cpu);

struct palette_run {
    const struct palette_plan *plan;
    const struct palette_code *code;
    struct ro_pool *pool;
    int threads;
    void *state; /* palette_state_bytes, zeroed, aligned to 64 */
    uint64_t steps;
};
size_t palette_state_bytes(const struct palette_plan *plan, const struct palette_code *code,
                           int threads);
void palette_run_block(struct palette_run *run, const struct halftone_block *block);

extern const struct halftone_engine palette_engine;

#endif
