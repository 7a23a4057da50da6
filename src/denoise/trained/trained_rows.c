/* SPDX-License-Identifier: MIT */
/* The stages of trained_rows.h. */
#include "denoise/trained/trained_rows.h"

#include "core/checked.h"
#include "core/huge_pages.h"
#include "simd/variants.h"

#include <stdlib.h>
#include <string.h>

enum {
    MARGIN = TRAINED_BLOCK,
    MIDDLE = TRAINED_SIDE / 2,
    PAIRS = 13,
    FOURS = 7,
    TABLE_BYTES = (TRAINED_LEVELS + 1) * sizeof(int32_t),
};

/* Rows of which the latest `rows` are kept, a power of two. */
struct ring {
    char *data;
    size_t pitch;
    uint32_t rows;
};

struct stage {
    const struct trained_step *step;
    int distance, reach;    /* rows of taps up and down */
    int64_t first_filtered; /* the first row whose taps are all there */
    int64_t first_given;
    struct ring v, change, sum;
    int32_t *forward, *back, bias[TRAINED_SIDE];
    uint8_t *flux;
    int32_t *spreads; /* of all levels of uneven noise */
};

struct trained_band {
    struct trained_plan plan;
    const struct trained_kernel *kernel;
    uint32_t width, height;
    int64_t from, to, first, end; /* rows taken and given; the ends are not among them */
    int64_t taken, given, ready;
    enum trained_layout layout;
    int entries, groups, flux_lines;
    size_t bytes;
    struct ring seen, out;
    char *lines[3];
    uint32_t *quads[TRAINED_LINES];
    /* Uneven noise: its levels, the slopes of all of them, and those of a row. */
    struct ring levels;
    int32_t *all_slopes, *slopes, *spreads;
    struct stage stage[TRAINED_MOST_STEPS];
    char *memory;
};

static void *row_of(const struct ring *ring, int64_t y)
{
    return ring->data + (size_t)(y & (ring->rows - 1)) * ring->pitch;
}

/* ---- Opening -------------------------------------------------------------------------------- */

/* Memory is laid out twice: to count it, and in place. */
static char *take(struct trained_band *band, size_t bytes)
{
    char *place = band->memory ? band->memory + band->bytes : NULL;
    band->bytes += (bytes + 63) & ~(size_t)63;
    return place;
}

/* Lines of `bytes` per pixel begin behind a margin. */
static char *take_lines(struct trained_band *band, size_t bytes, uint32_t lines, size_t *pitch)
{
    const size_t all = (bytes * (band->width + 3 * (size_t)MARGIN) + 63) & ~(size_t)63;
    char *place = take(band, all * lines);
    *pitch = all;
    return place ? place + bytes * MARGIN : NULL;
}

static void take_ring(struct trained_band *band, struct ring *ring, size_t bytes, int least)
{
    ring->rows = 1;
    while (ring->rows < (uint32_t)least)
        ring->rows *= 2;
    ring->data = take_lines(band, bytes, ring->rows, &ring->pitch);
}

static void lay_out(struct trained_band *band)
{
    const struct trained_network *network = band->plan.network;
    const size_t sample = band->plan.bytes ? 1 : 2, filters = (size_t)network->filters;
    const int reach = trained_reach(network);
    size_t pitch;
    band->bytes = 0;
    take_ring(band, &band->seen, sample, reach + 1);
    take_ring(band, &band->out, sizeof(int32_t), reach + 1);
    for (int i = 0; i < 3; i++)
        band->lines[i] = take_lines(band, sizeof(uint32_t), 1, &pitch);
    for (int i = 0; i < band->flux_lines; i++)
        band->quads[i] = (uint32_t *)(void *)take_lines(band, sizeof(uint32_t), 1, &pitch);
    if (band->plan.uneven) {
        take_ring(band, &band->levels, 1, reach + 1);
        band->all_slopes = (int32_t *)(void *)take(band, TABLE_BYTES);
        band->slopes = (int32_t *)(void *)take_lines(band, sizeof(int32_t), 1, &pitch);
        band->spreads = (int32_t *)(void *)take_lines(band, sizeof(int32_t), 1, &pitch);
    }
    for (int t = 0; t < network->steps; t++) {
        struct stage *stage = &band->stage[t];
        const int rows = 2 * stage->reach + 1;
        take_ring(band, &stage->v, sample, rows);
        take_ring(band, &stage->change, sizeof(int32_t), rows);
        take_ring(band, &stage->sum, sizeof(int32_t), rows);
        stage->forward =
            (int32_t *)(void *)take(band, sizeof(int32_t) * filters * (size_t)band->entries);
        stage->back =
            (int32_t *)(void *)take(band, filters * TRAINED_TAPS * (band->plan.uneven ? 2 : 1));
        stage->flux = (uint8_t *)take(band, filters * TRAINED_FLUXES);
        if (band->plan.uneven)
            stage->spreads = (int32_t *)(void *)take(band, TABLE_BYTES);
    }
}

/* The place of tap a: its entry, and which part of that it is. */
static void entry_of(enum trained_layout layout, int a, int *entry, int *part)
{
    const int row = a / TRAINED_SIDE, column = a % TRAINED_SIDE;
    const int side = layout == TRAINED_QUADS8 ? 4 : 2;
    *part = (row < 4 ? row : column) % side;
    if (row == 4)
        *entry = TRAINED_SIDE * (4 / side) + column / side;
    else
        *entry = TRAINED_SIDE * (row / side) + column;
}

/* Taps in the places where the kernel has them. Pairs of bytes are there twice, for 32 bits. */
static void put_weights(const struct trained_band *band, struct stage *stage)
{
    const struct trained_step *step = stage->step;
    memset(stage->forward, 0,
           sizeof(int32_t) * (size_t)band->plan.network->filters * (size_t)band->entries);
    for (int i = 0; i < band->plan.network->filters; i++) {
        const int group = i / 4, filter = i % 4;
        for (int a = 0; a < TRAINED_TAPS; a++) {
            int entry, part;
            entry_of(band->layout, a, &entry, &part);
            int32_t *place = stage->forward + (group * band->entries + entry) * 4 + filter;
            const int8_t tap = step->forward[i][a];
            if (band->layout == TRAINED_PAIRS16) {
                ((int16_t *)(void *)place)[part] = tap;
            } else {
                ((int8_t *)place)[part] = tap;
                if (band->layout == TRAINED_PAIRS8)
                    ((int8_t *)place)[part + 2] = tap;
            }
            if (band->plan.uneven)
                ((int16_t *)(void *)(stage->back + i / 2 * TRAINED_TAPS + a))[i % 2] =
                    step->back[i][a];
            else
                ((int8_t *)(stage->back + group * TRAINED_TAPS + a))[filter] = step->back[i][a];
            stage->bias[a / TRAINED_SIDE] -= 128 * step->back[i][a];
        }
        for (int n = 0; n < TRAINED_FLUXES; n++)
            stage->flux[i * TRAINED_FLUXES + n] = (uint8_t)(step->flux[i][n] + 128);
    }
}

/* Slopes and spreads of all levels of noise. */
static void put_levels(const struct trained_band *band)
{
    for (int level = 1; level <= TRAINED_LEVELS; level++) {
        band->all_slopes[level] = trained_slope(&band->plan, level);
        for (int t = 0; t < band->plan.network->steps; t++)
            band->stage[t].spreads[level] = trained_spread(&band->plan, t, level);
    }
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

struct trained_band *trained_band_open(const struct trained_plan *plan,
                                       const struct trained_kernel *kernel, uint32_t width,
                                       uint32_t height, uint32_t first, uint32_t count)
{
    const struct trained_network *network = plan->network;
    const int reach = trained_reach(network);
    struct trained_band *band = calloc(1, sizeof *band);
    if (!band)
        return NULL;
    band->plan = *plan;
    band->kernel = kernel;
    band->width = width;
    band->height = height;
    band->first = first;
    band->end = (int64_t)first + count;
    band->from = band->first > reach ? band->first - reach : 0;
    band->to = least(band->end + reach, height);
    band->taken = band->from;
    band->given = band->ready = band->first;
    band->layout = plan->bytes ? kernel->layout : TRAINED_PAIRS16;
    band->entries = band->layout == TRAINED_QUADS8 ? FOURS : PAIRS;
    band->groups = network->filters / 4;
    band->flux_lines = plan->uneven ? 2 * band->groups : band->groups;
    int64_t arrives = band->from;
    for (int t = 0; t < network->steps; t++) {
        struct stage *stage = &band->stage[t];
        stage->step = &network->step[t];
        stage->distance = stage->step->distance;
        stage->reach = MIDDLE * stage->distance;
        stage->first_filtered = arrives ? arrives + stage->reach : 0;
        stage->first_given = arrives = arrives ? arrives + 2 * stage->reach : 0;
    }
    lay_out(band);
    band->memory = pages_alloc(band->bytes);
    if (!band->memory) {
        free(band);
        return NULL;
    }
    memset(band->memory, 0, band->bytes);
    lay_out(band);
    for (int i = 0; i < band->groups && !plan->uneven; i++) /* no flux beyond the picture */
        memset(band->quads[i] - MARGIN, 128, sizeof(uint32_t) * (width + 3 * (size_t)MARGIN));
    for (int t = 0; t < network->steps; t++)
        put_weights(band, &band->stage[t]);
    if (plan->uneven)
        put_levels(band);
    return band;
}

void trained_band_close(struct trained_band *band)
{
    if (band)
        free(band->memory);
    free(band);
}

size_t trained_band_bytes(const struct trained_band *band) { return sizeof *band + band->bytes; }

/* ---- A stage -------------------------------------------------------------------------------- */

static void arrive(struct trained_band *band, int t, int64_t y);

/* Repeats the pixels at the ends of a row of v, as far as taps go. */
static void repeat_ends(const struct trained_band *band, void *row, int columns)
{
    const int64_t width = band->width;
    if (band->plan.bytes) {
        uint8_t *v = row;
        memset(v - columns, v[0], (size_t)columns);
        memset(v + width, v[width - 1], (size_t)columns);
    } else {
        int16_t *v = row;
        for (int i = 1; i <= columns; i++) {
            v[-i] = v[0];
            v[width - 1 + i] = v[width - 1];
        }
    }
}

/* Adds what lies beyond the ends of a row of sums to its ends. */
static void fold_ends(int32_t *sum, int64_t width, int columns)
{
    for (int i = 1; i <= columns; i++) {
        sum[0] += sum[-i];
        sum[width - 1] += sum[width - 1 + i];
    }
}

/* Adds to a row of sums one that lies beyond the picture. */
static void fold_row(const struct trained_band *band, const struct stage *stage, int64_t to,
                     int64_t from)
{
    int32_t *sum = row_of(&stage->sum, to);
    const int32_t *beyond = row_of(&stage->sum, from);
    for (int64_t x = -stage->reach; x < (int64_t)band->width + stage->reach; x++)
        sum[x] += beyond[x];
}

/* Row y of the sums is complete; one above the picture is part of its first row. */
static void give(struct trained_band *band, int t, int64_t y)
{
    const struct stage *stage = &band->stage[t];
    const bool last = t + 1 == band->plan.network->steps;
    const struct stage *next = last ? NULL : stage + 1;
    if (y < 0)
        fold_row(band, stage, 0, y);
    if (y < stage->first_given)
        return;
    int32_t *sum = row_of(&stage->sum, y);
    fold_ends(sum, band->width, stage->reach);
    band->kernel->move(&(struct trained_move){
        .width = band->width,
        .move = band->plan.uneven ? 1 : band->plan.move[t],
        .gain = last ? 0 : next->step->gain,
        .plan = &band->plan,
        .sum = sum,
        .change = row_of(&stage->change, y),
        .seen = row_of(&band->seen, y),
        .changed = last ? row_of(&band->out, y) : row_of(&next->change, y),
        .now = last ? NULL : row_of(&next->v, y),
    });
    if (last) {
        band->ready = y + 1;
    } else {
        repeat_ends(band, row_of(&next->v, y), next->reach);
        arrive(band, t + 1, y);
    }
}

/* Where taps of each entry begin. */
static void find_entries(const struct trained_band *band, const struct stage *stage,
                         struct trained_line *line)
{
    const bool quads = band->layout == TRAINED_QUADS8;
    const int side = quads ? 4 : 2;
    const ptrdiff_t bytes = band->layout == TRAINED_PAIRS8 ? 2 : 4;
    for (int a = 0; a < TRAINED_TAPS; a++) {
        int entry, part;
        entry_of(band->layout, a, &entry, &part);
        const int row = a / TRAINED_SIDE;
        const char *from = band->lines[row == 4 ? 2 : row / side];
        if (part == 0)
            line->entry[entry] =
                from + (ptrdiff_t)(a % TRAINED_SIDE - MIDDLE) * stage->distance * bytes;
    }
}

/* Slopes and spreads of row y. */
static void find_levels(struct trained_band *band, const struct stage *stage, int64_t y,
                        struct trained_line *line)
{
    const uint8_t *levels = row_of(&band->levels, y);
    for (uint32_t x = 0; x < band->width; x++) {
        band->slopes[x] = band->all_slopes[levels[x]];
        band->spreads[x] = stage->spreads[levels[x]];
    }
    line->slopes = band->slopes;
    line->spreads = band->spreads;
}

/* The filters of row y, and their transpose. */
static void filter(struct trained_band *band, int t, int64_t y)
{
    struct stage *stage = &band->stage[t];
    const void *rows[TRAINED_SIDE];
    struct trained_line line = {
        .width = band->width,
        .distance = stage->distance,
        .groups = band->groups,
        .entries = band->entries,
        .narrow = band->plan.narrow,
        .slope = band->plan.slope,
        .forward = stage->forward,
        .flux = stage->flux,
        .back = stage->back,
        .bias = stage->bias,
    };
    const size_t bytes = sizeof(int32_t) * (band->width + 2 * (size_t)stage->reach);
    const int64_t fresh = y == stage->first_filtered ? -stage->reach : stage->reach;
    for (int64_t i = fresh; i <= stage->reach; i++) /* rows that nothing was added to yet */
        memset((int32_t *)row_of(&stage->sum, y + i) - stage->reach, 0, bytes);
    for (int i = 0; i < TRAINED_SIDE; i++) {
        const int64_t row = y + (i - MIDDLE) * stage->distance;
        rows[i] = row_of(&stage->v, row < 0 ? 0 : least(row, (int64_t)band->height - 1));
        line.sum[i] = row_of(&stage->sum, row);
    }
    memcpy(line.quads, band->quads, sizeof line.quads);
    void *const lines[3] = {band->lines[0], band->lines[1], band->lines[2]};
    band->kernel->gather(band->layout, band->width, stage->distance, rows, lines);
    find_entries(band, stage, &line);
    if (band->plan.uneven)
        find_levels(band, stage, y, &line);
    (band->plan.uneven  ? band->kernel->uneven
     : band->plan.bytes ? band->kernel->bytes
                        : band->kernel->words)(&line);
}

/* Row y of v and D has come to a stage. */
static void arrive(struct trained_band *band, int t, int64_t y)
{
    struct stage *stage = &band->stage[t];
    const int64_t bottom = (int64_t)band->height - 1, reach = stage->reach;
    for (int64_t row = y - reach; row <= (y == bottom ? bottom : y - reach); row++) {
        if (row < stage->first_filtered)
            continue;
        filter(band, t, row);
        if (row == bottom) {
            for (int64_t i = 1; i <= reach; i++)
                fold_row(band, stage, bottom, bottom + i);
            for (int64_t last = bottom - reach; last <= bottom; last++)
                give(band, t, last);
        } else {
            give(band, t, row - reach);
        }
    }
}

/* ---- Rows in and out ------------------------------------------------------------------------ */

uint32_t trained_band_from(const struct trained_band *band) { return (uint32_t)band->from; }

uint32_t trained_band_to(const struct trained_band *band) { return (uint32_t)band->to; }

void *trained_band_room(struct trained_band *band) { return row_of(&band->seen, band->taken); }

uint8_t *trained_band_levels(struct trained_band *band)
{
    return band->plan.uneven ? row_of(&band->levels, band->taken) : NULL;
}

void trained_band_push(struct trained_band *band)
{
    struct stage *stage = &band->stage[0];
    const int64_t y = band->taken++;
    char *row = row_of(&stage->v, y);
    memcpy(row, row_of(&band->seen, y), (band->plan.bytes ? 1 : 2) * (size_t)band->width);
    repeat_ends(band, row, stage->reach);
    arrive(band, 0, y);
}

const int32_t *trained_band_pull(struct trained_band *band)
{
    return band->given < band->ready && band->given < band->end ? row_of(&band->out, band->given++)
                                                                : NULL;
}
