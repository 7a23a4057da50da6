/* SPDX-License-Identifier: MIT */
/*
 * Dot diffusion (Knuth, 1987). A matrix of 8 x 8 classes tiles the image; pixels are rounded class
 * by class, and a pixel's error goes to those of its eight neighbours whose class is higher, two
 * parts to a neighbour beside it and one to a neighbour across a corner:
 *
 *     1 2 1
 *     2 * 2      only to higher classes inside the image, rounded to the nearest whole number,
 *     1 2 1      the last of them in raster order taking the rest
 *
 * A pixel without a higher neighbour (a baron) drops its error. Pixels of one class are eight apart
 * and touch no common neighbour, so a class runs on all threads at once; on vectors, see
 * dot_rows.c.
 */
#include "halftone/traversal/dot_diffusion.h"

#include "core/checked.h"
#include "core/image.h"
#include "halftone/error_shares.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
const uint8_t dots_classes[DOTS_MATRICES][DOTS_SIDE][DOTS_SIDE] = {
    [DOTS_KNUTH] = {
        {34, 48, 40, 32, 29, 15, 23, 31},
        {42, 58, 56, 53, 21,  5,  7, 10},
        {50, 62, 61, 45, 13,  1,  2, 18},
        {38, 46, 54, 37, 25, 17,  9, 26},
        {28, 14, 22, 30, 35, 49, 41, 33},
        {20,  4,  6, 11, 43, 59, 57, 52},
        {12,  0,  3, 19, 51, 63, 60, 44},
        {24, 16,  8, 27, 39, 47, 55, 36},
    },
    [DOTS_MESE_VAIDYANATHAN] = {
        {47, 31, 51, 24, 27, 45,  5, 21},
        {37, 63, 53, 11, 22,  4,  1, 33},
        {61,  0, 57, 16, 26, 29, 46,  8},
        {20, 14,  9, 62, 18, 41, 38,  6},
        {17, 13, 25, 15, 55, 48, 52, 58},
        { 3,  7,  2, 32, 30, 34, 56, 60},
        {28, 40, 36, 39, 49, 43, 35, 10},
        {54, 23, 50, 12, 42, 59, 44, 19},
    },
};
/* clang-format on */

struct dots_state {
    struct dots_class classes[DOTS_CLASSES];
    struct dots_rule rule;
    int32_t *values; /* tones and what has flowed to them, the channels of a pixel together */
    uint32_t width, height;
    /* The class under way. */
    const struct dots_class *now;
    const struct halftone_block *block;
    bool bits_out;
    atomic_uint ticket;
};

void dots_plan_classes(struct dots_class classes[DOTS_CLASSES], enum dots_id id)
{
    const uint8_t(*matrix)[DOTS_SIDE] = dots_classes[id];
    for (int y = 0; y < DOTS_SIDE; y++)
        for (int x = 0; x < DOTS_SIDE; x++) {
            struct dots_class *class = &classes[matrix[y][x]];
            *class = (struct dots_class){.x = (uint32_t)x, .y = (uint32_t)y};
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int there = matrix[(y + dy) & (DOTS_SIDE - 1)][(x + dx) & (DOTS_SIDE - 1)];
                    if (there <= matrix[y][x])
                        continue;
                    int weight = dx == 0 || dy == 0 ? 2 : 1;
                    class->targets[class->count++] = (struct dots_target){dx, dy, weight};
                    class->sum += weight;
                }
            class->magic = class->sum ? share_magic(class->sum) : 0;
        }
}

struct dots_class dots_cut(const struct dots_class *class, uint32_t x, uint32_t y, uint32_t width,
                           uint32_t height)
{
    struct dots_class cut = {.x = class->x, .y = class->y};
    for (int i = 0; i < class->count; i++) {
        const struct dots_target *target = &class->targets[i];
        const int64_t tx = (int64_t)x + target->dx, ty = (int64_t)y + target->dy;
        if (tx < 0 || ty < 0 || tx >= width || ty >= height)
            continue;
        cut.targets[cut.count++] = *target;
        cut.sum += target->weight;
    }
    cut.magic = cut.sum ? share_magic(cut.sum) : 0;
    return cut;
}

static void round_pixel(struct dots_state *state, uint32_t x, uint32_t y)
{
    const struct dots_class *plan = state->now;
    const int channels = state->rule.channels;
    int32_t *value = state->values + ((size_t)y * state->width + x) * (size_t)channels;
    int32_t e[DOTS_CHANNELS] = {0}, left[DOTS_CHANNELS];
    const int k = state->rule.round(state->rule.data, value, e);
    memcpy(left, e, sizeof left);
    unsigned char *out = state->block->out + (ptrdiff_t)y * state->block->out_stride;
    if (state->bits_out) /* the byte's other pixels belong to this tile, so to this thread */
        out[x / 8] |= (unsigned char)(k << (7 - x % 8));
    else
        out[x] = (unsigned char)k;

    bool inside = x > 0 && y > 0 && x + 1 < state->width && y + 1 < state->height;
    struct dots_class cut;
    if (!inside) {
        cut = dots_cut(plan, x, y, state->width, state->height);
        plan = &cut;
    }
    for (int i = 0; i < plan->count; i++) {
        const struct dots_target *target = &plan->targets[i];
        int32_t *to = value + (target->dy * (ptrdiff_t)state->width + target->dx) * channels;
        for (int c = 0; c < channels; c++) {
            int32_t share = i == plan->count - 1
                                ? left[c]
                                : share_of(e[c], target->weight, plan->sum, plan->magic);
            to[c] += share;
            left[c] -= share;
        }
    }
}

/* Threads take rows of tiles. */
static void run_class(void *data, int thread)
{
    (void)thread;
    struct dots_state *state = data;
    for (;;) {
        uint64_t y = (uint64_t)atomic_fetch_add(&state->ticket, 1) * DOTS_SIDE + state->now->y;
        if (y - state->now->y >= state->height)
            return;
        if (y < state->height)
            for (uint32_t x = state->now->x; x < state->width; x += DOTS_SIDE)
                round_pixel(state, x, (uint32_t)y);
    }
}

ro_status dots_open(struct halftoner *work, const struct dots_rule *rule)
{
    size_t pixels, bytes = 0;
    struct dots_state *state = calloc(1, sizeof *state);
    work->state = state;
    if (!state && rule->free)
        rule->free(rule->data);
    if (state)
        state->rule = *rule;
    ro_status status = halftone_scalar_only(work, true);
    if (status != RO_OK)
        return status;
    if (state && size_multiply(work->in.width, work->in.height, &pixels) &&
        size_multiply(pixels, (size_t)rule->channels * sizeof *state->values, &bytes))
        state->values = malloc(bytes);
    if (!state || !state->values)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for %u x %u pixels",
                               work->in.width, work->in.height);
    dots_plan_classes(state->classes, (enum dots_id)work->method->variant);
    work->bytes += sizeof *state + bytes;
    state->width = work->in.width;
    state->height = work->in.height;
    state->bits_out = work->out == RO_BITS;
    work->report.schedule = "classes";
    work->report.threads = work->context->threads;
    return RO_OK;
}

ro_status dots_run(struct halftoner *work, const struct halftone_block *block)
{
    struct dots_state *state = work->state;
    state->block = block;
    for (uint32_t y = 0; y < state->height; y++) {
        const unsigned char *in = block->in + (ptrdiff_t)y * block->in_stride;
        state->rule.load(state->rule.data, in, state->width,
                         state->values + (size_t)y * state->width * (size_t)state->rule.channels);
        memset(block->out + (ptrdiff_t)y * block->out_stride, 0,
               ro_format_row_bytes(work->out, state->width));
    }
    for (int k = 0; k < DOTS_CLASSES; k++) {
        ro_status status = ro_context_progress(work->context, "halftone", k / (double)DOTS_CLASSES);
        if (status != RO_OK)
            return status;
        state->now = &state->classes[k];
        atomic_store(&state->ticket, 0);
        pool_run(work->context->pool, work->context->threads, run_class, state);
    }
    work->report.steps = DOTS_CLASSES;
    return RO_OK;
}

void dots_close(struct halftoner *work)
{
    struct dots_state *state = work->state;
    if (state)
        free(state->values);
    if (state && state->rule.free)
        state->rule.free(state->rule.data);
    free(state);
    work->state = NULL;
}

/* ---- grey, to black or white ---------------------------------------------------------------- */

struct grey_rule {
    int32_t white;
    int sample_bytes;
};

static void load_grey(void *data, const unsigned char *row, uint32_t width, int32_t *values)
{
    const struct grey_rule *rule = data;
    for (uint32_t x = 0; x < width; x++)
        values[x] = 16 * (rule->sample_bytes == 1 ? row[x] : ((const uint16_t *)row)[x]);
}

static int round_grey(const void *data, const int32_t *value, int32_t *error)
{
    const struct grey_rule *rule = data;
    const bool white = *value > rule->white / 2;
    *error = *value - (white ? rule->white : 0);
    return white;
}

static ro_status open_grey(struct halftoner *work)
{
    if (dots_rows_suit(work))
        return dots_rows_open(work);
    struct grey_rule *grey = malloc(sizeof *grey);
    if (!grey)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for a plan");
    *grey = (struct grey_rule){16 * (int32_t)work->grey.white, work->grey.sample_bytes};
    return dots_open(work, &(struct dots_rule){1, load_grey, round_grey, free, grey});
}

static ro_status run_grey(struct halftoner *work, const struct halftone_block *block)
{
    return dots_rows_suit(work) ? dots_rows_run(work, block) : dots_run(work, block);
}

static void close_grey(struct halftoner *work)
{
    if (dots_rows_suit(work))
        dots_rows_close(work);
    else
        dots_close(work);
}

const struct halftone_engine dots_engine = {
    .open = open_grey,
    .run = run_grey,
    .close = close_grey,
    .whole_image = true,
    .coloured = &palette_dots_engine,
};
