/* SPDX-License-Identifier: MIT */
/*
 * Error diffusion: the plan that every schedule runs, and the table of schedules.
 *
 * A plan is derived from a kernel and an image's width, depth and levels; it touches no pixel. A
 * schedule runs it over blocks of rows, top to bottom, and keeps in its state what one block leaves
 * to the next, so that whole images and streams take the same path.
 */
#ifndef RO_HALFTONE_ERROR_DIFFUSION_DIFFUSION_H
#define RO_HALFTONE_ERROR_DIFFUSION_DIFFUSION_H

#include "core/random.h"
#include "halftone/error_diffusion/balanced_threshold.h"
#include "halftone/error_diffusion/kernels.h"
#include "halftone/error_diffusion/many_levels.h"
#include "halftone/halftone.h"
#include "thread/wavefront.h"

enum {
    DIFFUSION_TABLED_LEVELS = 256,    /* of more levels the tones are computed */
    DIFFUSION_TABLE_WHITE = 16 * 255, /* up to this white the choice of a level is tabled */
    DIFFUSION_PAD = 8, /* columns on either side of a line of errors; more than any |dx| */
    DIFFUSION_UNDER_WAY = 8,
    DIFFUSION_WIDE_STEP = 4112, /* wave_lanes.h: the largest step of Floyd-Steinberg's 17 bits */
};

/* What the user may ask for; `maxval` up to 65535. */
struct diffusion_request {
    const struct diffusion_kernel *kernel;
    int kernel_id; /* in diffusion_kernels, or DIFFUSION_KERNELS for a kernel of the user's own */
    uint32_t width;
    uint32_t maxval;
    int sample_bytes; /* 1 or 2 */
    int levels;
    bool bits_out;    /* packed bits (2 levels), else the level's number, */
    int number_bytes; /* in a byte or two; 0: a byte */
    int strength;     /* per cent of the error that is passed on; 0: 100 */
    int noise;        /* per cent of a level's step that the choice is shaken by */
    int threshold;    /* per cent of white, for 2 levels; 0: 50 */
    const int16_t
        *balance; /* the threshold follows the tone (balanced_threshold.h); NULL: it does not */
    uint64_t seed;
    bool serpentine; /* odd rows run right to left */
};

struct tonal_plan;
struct acuity_plan;

struct diffusion_plan {
    const struct tonal_plan *tonal; /* these two are NULL: a fixed kernel */
    const struct acuity_plan *acuity;
    struct diffusion_kernel kernel; /* its common factor taken out */
    int kernel_id;
    uint32_t width;
    int sample_bytes;
    int levels;
    bool bits_out;
    int number_bytes;
    int32_t white;                           /* W = 16 * maxval */
    int32_t level[DIFFUSION_TABLED_LEVELS];  /* tone of each output level, */
    int32_t middle[DIFFUSION_TABLED_LEVELS]; /* v > middle[k] is nearer to level k+1 than to k */
    int32_t below[DIFFUSION_TABLED_LEVELS];  /* middle[k-1]: v <= below[k] is nearer to k-1 */
    float levels_per_tone;                   /* for a guess at the level, */
    int guess_off;                           /* which is off by this at most */
    int32_t widest;                          /* step between two levels */
    int32_t bound;                           /* |e| never exceeds it */
    int strength;                            /* per cent of e that is passed on */
    int32_t shift, noise;                    /* the choice sees v + shift + [-noise, noise] */
    const int16_t *balance;                  /* and balance_of a tone, where this is not NULL; */
    int32_t balanced[DIFFUSION_TABLE_WHITE / 16 + 1]; /* by sample, for white up to the table's */
    uint64_t seed;
    bool serpentine;
    struct diffusion_kernel turned; /* serpentine: the kernel as a row sees it that gathers */
    int reach_left, reach_right, rows_down; /* of the taps */
    int weight_sum;
    bool weights_positive;

    /* For the wave: row i runs `skew` columns behind row i-1, lanes are rows. */
    int skew;
    int lane_bits; /* the narrowest lane that holds every sum: 16, 32, or 0 for none */
    bool fold;     /* two levels, no negative weight, no options: rounding is a remainder */
    int32_t bias;  /* added to errors in lanes, so that they are never negative */
    struct diffusion_steps steps; /* for level numbers, no negative weight, no options */

    /* For v from 0 to white + 1, beyond which nothing changes: the level's number in the top eight
     * bits, its tone below. Filled for more than two levels and white up to the table's. */
    uint32_t choice[DIFFUSION_TABLE_WHITE + 2];
};

/* A row for the gather form: `line[dy]` is the first column of the errors of the row dy above,
 * line[0] of its own, each with DIFFUSION_PAD zeros on either side. Columns count along the scan:
 * of a row that runs right to left, the first is the rightmost, in the lines too. */
struct diffusion_row {
    const unsigned char *in;
    unsigned char *out; /* zeros at first */
    int32_t *line[DIFFUSION_MAX_DY + 1];
    int64_t carry;
    int32_t under_way[DIFFUSION_UNDER_WAY]; /* of acuity, between two pieces */
    uint32_t y;                             /* in the image */
    bool mirrored;
};

/* Rounds columns first to last-1 of a row; a row is run from column 0 on, in pieces. */
void diffusion_gather(const struct diffusion_plan *plan, struct diffusion_row *row, int64_t first,
                      int64_t last);

struct diffusion_run {
    const struct diffusion_plan *plan;
    struct thread_pool *pool;
    ro_cpu cpu;
    int threads;          /* bands under way: those of a thread, times the threads */
    int abreast;          /* bands of a thread, side by side; 0 or 1: one */
    void *state;          /* of diffusion_schedule.state_bytes, zeroed at first */
    bool used;            /* rows have left something there */
    bool filled, cleared; /* the wave's: its lines, before the first image, and before this one */
    uint64_t steps;       /* counted by the schedule as it runs */
    uint32_t first_row, end_row;      /* of the rows that are run */
    struct wavefront_link *link;      /* to those above and below; NULL: to none */
    const struct wave_source *source; /* the wave's: makes pixels where they are used (wave.h);
                                         NULL: they are in memory */
    struct halftone_pass
        *pass; /* the wave's: rows are fetched by the threads; NULL: they are not */
};

/* A line of the numbers that rows hand on, where a schedule keeps it: column x is at
 * column[x] - bias, of a row that ran right to left at column[width - 1 - x]. */
struct diffusion_line {
    void *column;
    int bytes; /* 2 or 4 */
    int32_t bias;
    bool reversed;
};
void diffusion_line_put(const struct diffusion_line *line, uint32_t width, uint32_t x,
                        uint32_t count, const int32_t *values);
void diffusion_line_get(const struct diffusion_line *line, uint32_t width, uint32_t x,
                        uint32_t count, int32_t *values);

struct diffusion_schedule {
    const char *name;
    const char *summary;
    bool sequential; /* one thread, no SIMD */
    size_t (*state_bytes)(const struct diffusion_plan *plan, ro_cpu cpu, int threads);
    /* Rows to a block: all blocks but the last of an image have a multiple of this many. */
    int (*granularity)(const struct diffusion_plan *plan, ro_cpu cpu);
    void (*run)(struct diffusion_run *run, const struct halftone_block *block);
    /* Before the first block of a run; NULL: it wants its state zeroed again. */
    void (*begin)(struct diffusion_run *run);
    /* Line number `line` of what flows into row y, the first of the run or the one below it; NULL:
     * it keeps other numbers. */
    struct diffusion_line (*carried)(const struct diffusion_run *run, uint32_t y, int line);
};

extern const struct diffusion_schedule diffusion_reference; /* the definition, for tests */
extern const struct diffusion_schedule diffusion_ed;
extern const struct diffusion_schedule diffusion_ec;
extern const struct diffusion_schedule diffusion_wave;

/* What an engine of this family keeps in a halftoner. */
struct diffusion_state {
    struct diffusion_plan plan;
    const struct diffusion_schedule *schedule; /* on the CPU, or */
    bool any_schedule;                         /* none was asked for */
    struct diffusion_run run;
    void *memory;                /* holds run.state, on a cache line of its own */
    size_t state_bytes;          /* of it */
    struct diffusion_cuda *cuda; /* on a device; then `run` is for what is left of a piece */
    int32_t *lines;              /* there: what goes to the device and comes from it */
};

/* The plan asked for, but for its kernel. */
struct diffusion_request diffusion_request_of(const struct halftoner *work);

/* With the plan made: chooses among the schedules (ended by NULL, the default first) and makes the
 * first block ready to run. The engine's other calls follow. */
ro_status diffusion_begin(struct halftoner *work,
                          const struct diffusion_schedule *const *schedules);
ro_status diffusion_restart(struct halftoner *work);
/* The same on a device; `table` and its entries are acuity's (acuity_cuda.c), else NULL. */
ro_status diffusion_begin_cuda(struct halftoner *work, const uint32_t (*table)[4], size_t entries);
ro_status diffusion_run_resident(struct halftoner *work, const ro_image *in, const ro_image *out,
                                 uint32_t images, void *stream);
ro_status diffusion_run_block(struct halftoner *work, const struct halftone_block *block);
bool diffusion_passes(const struct halftoner *work); /* the wave, one band after another */
void diffusion_carry_in(struct halftoner *work, uint32_t x, uint32_t count, const int32_t *values);
void diffusion_carry_out(const struct halftoner *work, uint32_t x, uint32_t count, int32_t *values);
void diffusion_end(struct halftoner *work);

/*
 * The wave runs pixel (column j, lane i) at step j + skew * i. The error that goes by a tap is used
 * dx + skew * dy steps after it was made; moving it one lane down takes the time of some steps, so
 * the skew is the smallest that leaves that many.
 */
enum { DIFFUSION_SETTLE = 3 };

static inline __attribute__((always_inline)) int
diffusion_skew(const struct diffusion_kernel *kernel)
{
    int skew = 1;
    for (int i = 0; i < kernel->count; i++) {
        int dx = kernel->taps[i].dx, dy = kernel->taps[i].dy;
        int needed = dy ? (DIFFUSION_SETTLE - dx + dy - 1) / dy : 0;
        skew = needed > skew ? needed : skew;
    }
    return skew;
}

/* A power of two that weights and divisor share may be taken out without changing a bit, as long as
 * half of the divisor, where the carry starts, has it too: every sum is then a multiple of it. */
static inline __attribute__((always_inline)) int
diffusion_common_factor(const struct diffusion_kernel *kernel)
{
    int all = kernel->divisor / 2;
    for (int i = 0; i < kernel->count; i++)
        all |= kernel->taps[i].weight;
    int factor = all & -all;
    return kernel->divisor % 2 == 0 && kernel->divisor / 2 % factor == 0 ? factor : 1;
}

/* Whether dividing is shifting. */
static inline __attribute__((always_inline)) bool
diffusion_shifts(const struct diffusion_kernel *kernel)
{
    int divisor = kernel->divisor / diffusion_common_factor(kernel);
    return (divisor & (divisor - 1)) == 0;
}

/* Whether every sum of a kernel, 8-bit samples and two levels fits 16 bits. */
static inline __attribute__((always_inline)) bool
diffusion_fits_16(const struct diffusion_kernel *kernel)
{
    int divisor = kernel->divisor / diffusion_common_factor(kernel);
    return diffusion_shifts(kernel) && divisor * 16 * 255 <= UINT16_MAX;
}

/* Checks a kernel from outside and takes it over, its zero weights left out. */
ro_status diffusion_kernel_take(ro_context *context, const ro_kernel *from,
                                struct diffusion_kernel *kernel);

void diffusion_plan_make(struct diffusion_plan *plan, const struct diffusion_request *request);

/* Whether the wave has vector code for a plan on this instruction set. */
bool diffusion_wave_vectorised(const struct diffusion_plan *plan, ro_cpu cpu);

static inline int32_t diffusion_level(const struct diffusion_plan *plan, int k)
{
    return plan->levels <= DIFFUSION_TABLED_LEVELS ? plan->level[k]
                                                   : halftone_level(plan->white, plan->levels, k);
}

/* v above it is nearer to level k+1 than to k. */
static inline int32_t diffusion_middle(const struct diffusion_plan *plan, int k)
{
    if (plan->levels <= DIFFUSION_TABLED_LEVELS)
        return plan->middle[k];
    return k + 1 == plan->levels ? INT32_MAX
                                 : (diffusion_level(plan, k) + diffusion_level(plan, k + 1)) / 2;
}

/* The level nearest to v, a tie going to the darker: a guess that is then put right. */
static inline int diffusion_nearest(const struct diffusion_plan *plan, int32_t v)
{
    int top = plan->levels - 1, guess = (int)((float)v * plan->levels_per_tone + 0.5f);
    int k = guess < 0 ? 0 : guess > top ? top : guess;
    while (k > 0 && v <= diffusion_middle(plan, k - 1))
        k--;
    while (v > diffusion_middle(plan, k))
        k++;
    return k;
}

static inline int64_t floor_divide(int64_t a, int64_t divisor)
{
    int64_t q = a / divisor;
    return q - (a % divisor < 0);
}

/* How far the choice of a level sees the values of a tone moved by a balanced threshold. */
static inline int32_t diffusion_balance(const struct diffusion_plan *plan, int32_t tone)
{
    int k = diffusion_nearest(plan, tone);
    k -= diffusion_level(plan, k) > tone;
    const int32_t level = diffusion_level(plan, k), place = tone - level;
    if (place > 0)
        return balance_between(plan->balance, place, diffusion_level(plan, k + 1) - level);
    return k == 0                  ? -(plan->widest * BALANCE_LEVEL / BALANCE_UNIT)
           : k == plan->levels - 1 ? plan->widest * BALANCE_LEVEL / BALANCE_UNIT
                                   : 0;
}

/* What the choice of a level sees of v: the threshold moved and the noise added. */
static inline int32_t diffusion_seen(const struct diffusion_plan *plan, int32_t v, int32_t tone,
                                     uint32_t x, uint32_t y)
{
    v += plan->shift;
    if (plan->balance)
        v += plan->white <= DIFFUSION_TABLE_WHITE ? plan->balanced[tone / 16]
                                                  : diffusion_balance(plan, tone);
    if (plan->noise)
        v +=
            (int32_t)(pixel_hash(plan->seed, x, y) % (2 * (uint32_t)plan->noise + 1)) - plan->noise;
    return v;
}

/* What is passed on of an error. */
static inline int32_t diffusion_kept(const struct diffusion_plan *plan, int32_t e)
{
    return plan->strength * e / 100;
}

static inline int32_t diffusion_tone(const struct diffusion_plan *plan, const unsigned char *row,
                                     uint32_t x)
{
    return 16 * (plan->sample_bytes == 1 ? row[x] : ((const uint16_t *)row)[x]);
}

/* Puts level k of column x into a row that starts out as zeros. */
static inline void diffusion_put(const struct diffusion_plan *plan, unsigned char *row, uint32_t x,
                                 int k)
{
    if (plan->bits_out)
        row[x / 8] |= (unsigned char)(k << (7 - x % 8));
    else if (plan->number_bytes == 2)
        ((uint16_t *)(void *)row)[x] = (uint16_t)k;
    else
        row[x] = (unsigned char)k;
}

static inline size_t diffusion_row_bytes(const struct diffusion_plan *plan)
{
    return plan->bits_out ? ro_format_row_bytes(RO_BITS, plan->width)
                          : (size_t)plan->width * (size_t)plan->number_bytes;
}

#endif
