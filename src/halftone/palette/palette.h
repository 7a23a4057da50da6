/* SPDX-License-Identifier: MIT */
/*
 * Error diffusion to the colours of a palette: three channels in linear light, one choice.
 *
 * A pixel's light is first moved to the nearest point of the palette's hull, in which errors stay
 * bounded; it is then diffused to the nearest colour. Green counts more in both, as for the eye.
 *
 * Without dithering the choice is in OKLab, by a table over cells of the three values. These are as
 * wide as the eye wants them: u = v + 2^14 is cut into eight parts an octave, which makes 49 cells
 * from black to white, near 1/40 of sRGB's scale each.
 *
 *     v     0 ...                               W
 *     u     2^14 ........ 2^15 ........ 2^16 .. 2^20
 *     cell  0 1 2 ... 7   8 9 ... 15    16 ...  48
 */
#ifndef RO_HALFTONE_PALETTE_PALETTE_H
#define RO_HALFTONE_PALETTE_PALETTE_H

#include "halftone/error_diffusion/diffusion.h"
#include "simd/variants.h"

enum {
    PALETTE_WHITE = 16 * TONE_WHITE, /* W */
    PALETTE_MOST = 256,
    PALETTE_OFFSET = 1 << 14,
    PALETTE_CELLS = 49, /* a channel */
    PALETTE_SHIFT = 6,  /* red + green << 6 + blue << 12 is a cell's number */
    PALETTE_ENTRIES = 1 << 3 * PALETTE_SHIFT,
    PALETTE_GUARD = 4 * PALETTE_WHITE, /* how far beyond 0 and W a value may lie; then it is cut */
    PALETTE_FINE = 8,                  /* bits of a value that the choice does not look at */
    PALETTE_GREEN = 2,                 /* how often green counts in distances to the hull */
};

/* ---- light in the hull ----------------------------------------------------------------------- */

struct palette_hull {
    int count;
    uint16_t colour[PALETTE_MOST][3]; /* light, 0 to TONE_WHITE */
};

/* The colours between which a point lies. */
struct palette_corners {
    uint8_t count, corner[4];
};

/* The point of the hull nearest to a colour, in light from 0 to W, each channel rounded to the
 * nearest integer, a tie upwards; true where that is the colour itself, which lies in the hull.
 * Starts from `guess` and leaves the corners there. */
bool palette_project(const struct palette_hull *hull, const uint16_t colour[3],
                     struct palette_corners *guess, int32_t to[3]);

/* The planes that bound a hull of a few colours: light whose height above each is not negative lies
 * inside for certain. A hull without inside, or of many planes, has none here. */
enum { PALETTE_FACES = 32, PALETTE_FACED = 24 };
struct palette_faces {
    int count;
    float plane[PALETTE_FACES][4]; /* of red, green, blue and 1 in the height */
};
void palette_faces_make(const struct palette_hull *hull, struct palette_faces *faces);

/* What a thread knows of projections (hull_project.c); begins as zeros. */
enum {
    PALETTE_GRID_BITS = 5,
    PALETTE_GRID = 1 << PALETTE_GRID_BITS, /* cells of samples along a channel */
    PALETTE_CORNERS = PALETTE_GRID + 1,
    PALETTE_REGIONS = 1000,
    PALETTE_TRIES = 4,
    PALETTE_INSIDE = 1, /* of a cell: in the hull as a whole */
    PALETTE_MIXED = PALETTE_REGIONS,
    PALETTE_GRID_CELLS = 1 << 3 * PALETTE_GRID_BITS,
};
struct palette_light {
    uint16_t cell[PALETTE_GRID_CELLS];                 /* a region, inside, mixed; 0: new */
    uint16_t tries[PALETTE_GRID_CELLS][PALETTE_TRIES]; /* in mixed ones */
    uint16_t corner[PALETTE_CORNERS * PALETTE_CORNERS * PALETTE_CORNERS]; /* regions */
    uint8_t in_hull[PALETTE_CORNERS * PALETTE_CORNERS * PALETTE_CORNERS];
    double colour[3][PALETTE_MOST]; /* of the hull, green doubled, the first repeated to fours */
    int fours, regions, last;       /* the last: of a corner */
    struct palette_region {
        struct palette_corners set;
        int level;          /* colours in its point, line or plane */
        double from[4][4];  /* of red, green, blue and 1: their part in the three channels, in W */
        double share[4][4]; /* and in the shares of the corners, less what doubles may be off */
    } region[PALETTE_REGIONS];
    struct palette_corners guess;
};

/* The same of 8-bit samples, for vector code (hull_offsets.c): a region's map is a sum of three
 * looked-up numbers. The moves of all colours of a cell are a block. Begins as zeros. */
enum {
    PALETTE_BLOCK_BITS = 8 - PALETTE_GRID_BITS,
    PALETTE_BLOCK = 1 << 3 * PALETTE_BLOCK_BITS,
    PALETTE_BLOCKS = 5120,
    PALETTE_MOVES = 256,
    PALETTE_STAYS = 1,          /* the move that is none */
    PALETTE_MOVE_ROW = 256 + 4, /* not all rows in the same lines of a cache */
    PALETTE_MOVE_BITS = 12,
    PALETTE_MOVE_UNSURE = 4, /* below it, those bits of a sum say that it may be rounded wrong */
};
typedef uint32_t palette_sums __attribute__((vector_size(16)));
struct palette_moves {
    palette_sums move[PALETTE_MOVES][3][PALETTE_MOVE_ROW]; /* a sample's part in the channels */
    int moves, blocks;
    uint16_t move_of[PALETTE_REGIONS];
    uint16_t block_of[PALETTE_GRID_CELLS];        /* of cells */
    uint16_t block_all_of[PALETTE_MOVES];         /* of one move */
    uint8_t block[PALETTE_BLOCKS][PALETTE_BLOCK]; /* 0: not known, as all of the first */
};

/* ---- the nearest colour ---------------------------------------------------------------------- */

/* Colours as 16-bit halves for products with x, which is u = v / 2^PALETTE_FINE + shift but for
 * what lies beyond the palette's channels: the nearest colour is the one of the largest
 * x * colour - square (choice.c). */
struct palette_choice {
    int count, green;                 /* how often green's square counts */
    int32_t shift, least[3], most[3]; /* of a channel of the colours; or of 16 bits, where what lies
                                         beyond counts as it is */
    int32_t red_green[PALETTE_MOST], blue[PALETTE_MOST], square[PALETTE_MOST];
};
enum {
    PALETTE_BEYOND = 8,       /* how often what lies beyond the palette counts */
    PALETTE_GREEN_CHOSEN = 3, /* and the square of green, where colours do not crowd */
};

struct palette_plan;
/* The smallest distance between two colours that differ, in the channel where it is largest; 0 to
 * W / 256. */
int32_t palette_smallest_step(const struct palette_plan *plan);

/* From the plan's colours. */
void palette_choice_make(const struct palette_plan *plan, struct palette_choice *choice);

/* x of a channel's value. */
static inline int32_t palette_stretch(const struct palette_choice *choice, int channel, int32_t v)
{
    const int32_t u = (v >> PALETTE_FINE) + choice->shift;
    const int32_t least = choice->least[channel], most = choice->most[channel];
    const int32_t inside = u < least ? least : u > most ? most : u;
    const int32_t x = inside + PALETTE_BEYOND * (u - inside);
    return x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x;
}

/* The definition: the number of the colour nearest to a value. */
int palette_nearest(const struct palette_choice *choice, const int32_t v[3]);

static inline int32_t palette_score(const struct palette_choice *choice, int k, const int32_t x[3])
{
    const int32_t pair = choice->red_green[k];
    return x[0] * (int16_t)pair + x[1] * (pair >> 16) + x[2] * choice->blue[k] - choice->square[k];
}

struct palette_plan {
    struct diffusion_kernel kernel; /* its common factor taken out */
    uint32_t width;
    int sample_bytes;
    const uint16_t *linear; /* of every sample: its linear light, tone and curve included */
    int count;
    int32_t colour[3][PALETTE_MOST]; /* linear light of each colour, 0 to W */
    const struct palette_hull *hull;
    struct palette_faces faces; /* of it */
    struct palette_choice choice;
    uint32_t white; /* the largest sample */
    int grid_shift; /* from samples to cells of them */
    bool monotone;  /* `linear` rises or falls throughout */
    int strength;   /* per cent of an error that is passed on; 0: all */
    int32_t noise;  /* the choice sees values that are off by up to this */
    uint64_t seed;
    bool serpentine; /* odd rows run right to left */
    int rows_down, skew;
    uint32_t place[3][256]; /* 8-bit samples: place in a block, cell */
    double light[256];      /* and their linear light */
};

/* Light of a palette's colours, 0 to W. */
void palette_light(const ro_palette *palette, int32_t colour[3][PALETTE_MOST]);

/* Light of every sample, 0 to TONE_WHITE, and one entry more; the caller frees it. NULL: no memory.
 */
uint16_t *palette_linear(const struct tone *tone);

/* The cell of a value from 0 to W. */
static inline int palette_cell(int32_t v)
{
    int32_t u = v + PALETTE_OFFSET;
    int octave = 31 - __builtin_clz((unsigned)u);
    return 8 * (octave - 14) + (u >> (octave - 3)) - 8;
}

/* Fills the table of nearest colours in OKLab, PALETTE_ENTRIES of which PALETTE_CELLS cubed count.
 */
void palette_fill_nearest(const int32_t colour[3][PALETTE_MOST], int count, uint8_t *nearest);

/* Sets grid_shift and monotone. */
void palette_plan_grid(struct palette_plan *plan);

static inline uint32_t palette_grid_cell(const struct palette_plan *plan, const uint32_t sample[3])
{
    return sample[0] >> plan->grid_shift | sample[1] >> plan->grid_shift << PALETTE_GRID_BITS |
           sample[2] >> plan->grid_shift << 2 * PALETTE_GRID_BITS;
}

/* A row: lines as in struct diffusion_row, one set a channel. */
struct palette_row {
    const unsigned char *in;
    unsigned char *out;
    int32_t *line[3][DIFFUSION_MAX_DY + 1];
    int32_t carry[3];
    struct palette_light *known;
    uint32_t y; /* in the image */
};

/* The definition: rounds columns first to last-1 of a row, which is run from column 0 on; of a row
 * that runs right to left the rightmost is column 0. */
void palette_columns(const struct palette_plan *plan, struct palette_row *row, int64_t first,
                     int64_t last);

/* A plan without its kernel, and what it points to: how light is found and a colour chosen,
 * whatever the order of pixels. */
struct palette_rule {
    struct palette_plan plan;
    struct palette_hull hull;
    uint16_t *linear;
};
ro_status palette_rule_open(struct halftoner *work, struct palette_rule *rule);
void palette_rule_close(struct palette_rule *rule); /* also after a failed open */

static inline void palette_sample_of(int bytes, const unsigned char *row, size_t x,
                                     uint32_t sample[3])
{
    for (size_t c = 0; c < 3; c++)
        sample[c] = bytes == 1 ? row[3 * x + c] : ((const uint16_t *)(const void *)row)[3 * x + c];
}

static inline void palette_sample(const struct palette_plan *plan, const unsigned char *row,
                                  size_t x, uint32_t sample[3])
{
    palette_sample_of(plan->sample_bytes, row, x, sample);
}

/* ---- rows as lanes, bands over threads ------------------------------------------------------- */

enum { PALETTE_CHUNK = 64, PALETTE_LINE_PAD = 1024 };

struct palette_band {
    const unsigned char *in;
    ptrdiff_t in_stride;
    unsigned char *out;
    ptrdiff_t out_stride;
    int rows;
    const int32_t *above[3][DIFFUSION_MAX_DY]; /* column 0 of the errors of rows -1, -2, -3 */
    int32_t *below[3][DIFFUSION_MAX_DY];       /* of this band's last lanes */
    int32_t *left[3][DIFFUSION_MAX_DY];        /* of its last rows, where these are fewer and lines
                                                * are wanted; or NULL */
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
    struct thread_pool *pool;
    int threads, abreast; /* as of struct diffusion_run */
    void *state;          /* palette_state_bytes, zeroed at first, aligned to 64 */
    uint64_t steps;
    uint32_t first_row, end_row; /* of the rows that are run */
    struct wavefront_link *link; /* to those above and below; NULL: to none */
};
size_t palette_state_bytes(const struct palette_plan *plan, const struct palette_code *code,
                           int threads);
void palette_begin(struct palette_run *run); /* before the first block of a run */
/* Column 0 of a line of a channel's errors that flow into row y, the run's first or the one below
 * it. */
int32_t *palette_carried(const struct palette_run *run, uint32_t y, int channel, int line);
void palette_run_block(struct palette_run *run, const struct halftone_block *block);

/* A picture fitted to what a palette can show, as the option `fit` does it, into 16-bit RGB of the
 * same size. */
ro_status palette_fit(ro_context *context, const ro_image *in, const ro_palette *palette,
                      ro_image *out);

extern const struct halftone_engine palette_engine;

#endif
