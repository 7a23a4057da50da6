/* SPDX-License-Identifier: MIT */
/* The tables of ordered dithering, made from its definition. */
#include "core/checked.h"
#include "halftone/ordered/ordered.h"

#include <stdlib.h>

enum {
    LARGE = 1 << 14, /* bytes of a table that does not stay in the first cache */
    NEAR = 512,      /* cells from each other that rows worked on in turns may begin */
    FAR = 128,       /* rows between them */
};

static void fill_lookup(struct ordered_plan *plan)
{
    const int top = plan->levels - 1;
    const int64_t cells = plan->cells;
    int k = 0;
    int32_t level = 0, next = ordered_tone(plan, 1);
    for (uint32_t sample = 0; sample <= plan->maxval; sample++) {
        const int32_t tone = 16 * (int32_t)sample;
        int64_t ranks = 0;
        while (k < top && next <= tone) {
            level = next;
            if (++k < top)
                next = ordered_tone(plan, k + 1);
        }
        if (k < top) {
            const int64_t part = tone - level, gap = next - level;
            if (plan->rule == ORDERED_BY_LIMIT)
                ranks = part > ordered_limit(plan, next - level);
            else /* the number of ranks r with gap * (2r + 1) < 2 * cells * part */
                ranks = (2 * cells * part + gap - 1) / (2 * gap);
        }
        if (plan->below)
            plan->below[sample] = (uint32_t)k;
        plan->lookup[sample] =
            (plan->below ? 0 : (uint32_t)k << ORDERED_RANK_BITS) | (uint32_t)ranks;
    }
}

/* The smallest part of a step that goes up: from 1 to the step itself. */
static int32_t smallest_part(const struct ordered_plan *plan, int32_t gap, uint32_t rank)
{
    if (plan->rule == ORDERED_BY_LIMIT)
        return ordered_limit(plan, gap) + 1;
    return (int32_t)(gap * (2 * (int64_t)rank + 1) / (2 * (int64_t)plan->cells) + 1);
}

/*
 * Whether numbers are made in lanes of 16 bits. Where a step is a number of samples, one quotient
 * does: that of the sample and what the cell adds to it. Elsewhere parts have to fit, and a guess
 * is told by the sign of one; white has the part of a whole step, or the last level and no part,
 * which comes to the same.
 */
static bool find_steps(struct ordered_plan *plan)
{
    const uint32_t n = (uint32_t)plan->levels - 1, step = plan->maxval / n;
    const uint32_t widest = (16 * plan->maxval + n - 1) / n, last = plan->maxval + step - 1;
    if (plan->bits_out || plan->rule == ORDERED_BY_HASH)
        return false;
    plan->sums =
        plan->maxval % n == 0 &&
        steps_quotient(step, last < UINT16_MAX ? last : UINT16_MAX, n, 16, &plan->quotient);
    if (plan->sums || widest > UINT16_MAX)
        return plan->sums;
    plan->steps = diffusion_steps_of(plan->maxval, plan->levels, 16);
    if (plan->steps.guess && widest > INT16_MAX)
        plan->steps.lane_bits = 0;
    return plan->steps.lane_bits != 0;
}

/* What a cell of each rank compares with. White is always white, and 0 always black. */
static void fill_smallest(struct ordered_plan *plan)
{
    uint32_t rank = 0;
    for (uint32_t sample = 1; sample <= plan->maxval; sample++) {
        uint32_t end = sample == plan->maxval ? plan->cells : plan->lookup[sample];
        while (rank < end)
            plan->smallest[rank++] = (uint16_t)sample;
    }
}

static void fill_cell(struct ordered_plan *plan, size_t at, uint32_t rank)
{
    if (plan->sums) {
        const int32_t step = (int32_t)plan->maxval / (plan->levels - 1);
        plan->parts[at] = (uint16_t)(step - (smallest_part(plan, 16 * step, rank) + 15) / 16);
    } else if (plan->parts) {
        const int32_t part = smallest_part(plan, plan->steps.gap, rank);
        plan->parts[at] = (uint16_t)part;
        plan->more[at] = (uint16_t)(smallest_part(plan, plan->steps.gap + 1, rank) - part);
    } else if (!plan->whites) {
        plan->ranks[at] = rank;
    } else if (plan->sample_bytes == 1) {
        ((uint8_t *)plan->whites)[at] = (uint8_t)plan->smallest[rank];
    } else {
        ((uint16_t *)plan->whites)[at] = plan->smallest[rank];
    }
}

static void repeat(void *row, size_t size, size_t period, size_t pitch)
{
    unsigned char *bytes = row;
    for (size_t i = period * size; row && i < pitch * size; i++)
        bytes[i] = bytes[i - period * size];
}

static void fill_row(struct ordered_plan *plan, uint32_t y)
{
    const struct screen *screen = &plan->screen;
    const size_t at = y * plan->pitch;
    for (uint32_t x = 0; x < screen->width; x++)
        fill_cell(plan, at + x, screen->ranks[(size_t)y * screen->width + x]);
    const struct {
        void *entries;
        size_t size;
    } tables[] = {{plan->whites, (size_t)plan->sample_bytes},
                  {plan->parts, sizeof *plan->parts},
                  {plan->more, sizeof *plan->more},
                  {plan->ranks, sizeof *plan->ranks}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].entries)
            repeat((char *)tables[i].entries + at * tables[i].size, tables[i].size, screen->width,
                   plan->pitch);
}

void ordered_plan_fill(struct ordered_plan *plan)
{
    if (plan->lookup)
        fill_lookup(plan);
    if (plan->whites)
        fill_smallest(plan);
    for (uint32_t y = 0; y < plan->screen.height; y++)
        fill_row(plan, y);
}

/* A tile with a shift may be as wide as its cells are many: every row of the image then needs
 * another part of a table that does not stay in the first cache. But dots repeat some rows below,
 * with nearly the same part. */
static uint32_t find_apart(const struct screen *screen)
{
    for (uint32_t rows = screen->height; rows <= FAR; rows += screen->height) {
        const uint64_t begins = (uint64_t)screen->shift * (rows / screen->height) % screen->width;
        if (begins <= NEAR || screen->width - begins <= NEAR)
            return rows;
    }
    return 1;
}

/* `entries` numbers, counted; NULL: not wanted, or no memory. */
static void *table(struct ordered_plan *plan, bool wanted, size_t entries, size_t size,
                   bool *enough)
{
    size_t bytes;
    if (!wanted)
        return NULL;
    void *made = size_multiply(entries, size, &bytes) ? malloc(bytes) : NULL;
    if (made)
        plan->bytes += bytes;
    else
        *enough = false;
    return made;
}

bool ordered_plan_tables(struct ordered_plan *plan, enum ordered_tables tables)
{
    const uint32_t width = plan->screen.width;
    const bool whites =
        tables != ORDERED_FOR_SCALAR && plan->bits_out && plan->rule != ORDERED_BY_HASH;
    const bool parts = tables == ORDERED_FOR_VECTORS && find_steps(plan);
    const size_t values = (size_t)plan->maxval + 1;
    size_t entries;
    bool enough = true;
    plan->period = (ORDERED_BLOCK + width - 1) / width * width;
    plan->pitch = (size_t)plan->period + ORDERED_BLOCK;
    if (!size_multiply(plan->pitch, plan->screen.height, &entries))
        return false;
    plan->large = entries > LARGE / (parts ? sizeof *plan->parts : (size_t)plan->sample_bytes);
    plan->apart = plan->large && width > NEAR ? find_apart(&plan->screen) : 1;
    plan->lookup = table(plan, !parts, values, sizeof *plan->lookup, &enough);
    plan->below = table(plan, plan->deep && !parts, values, sizeof *plan->below, &enough);
    plan->whites = table(plan, whites, entries, (size_t)plan->sample_bytes, &enough);
    plan->smallest = table(plan, whites, plan->cells, sizeof *plan->smallest, &enough);
    plan->parts = table(plan, parts, entries, sizeof *plan->parts, &enough);
    plan->more = table(plan, parts && !plan->sums, entries, sizeof *plan->more, &enough);
    plan->ranks = table(plan, !whites && !parts, entries, sizeof *plan->ranks, &enough);
    if (enough)
        ordered_plan_fill(plan);
    return enough;
}

void ordered_plan_free(struct ordered_plan *plan)
{
    free(plan->lookup);
    free(plan->below);
    free(plan->whites);
    free(plan->smallest);
    free(plan->parts);
    free(plan->more);
    free(plan->ranks);
    screen_free(&plan->screen);
    *plan = (struct ordered_plan){0};
}

void ordered_row_scalar(const struct ordered_plan *plan, const unsigned char *in,
                        const unsigned char *next, unsigned char *out, uint32_t y)
{
    (void)next;
    const uint32_t below = (1u << ORDERED_RANK_BITS) - 1, width = plan->width;
    const uint32_t *ranks = plan->ranks + y % plan->screen.height * plan->pitch;
    uint32_t phase = ordered_first_cell(plan, y);
    for (uint32_t x = 0, bits = 0; x < width; x++) {
        uint32_t rank = plan->rule == ORDERED_BY_HASH ? ordered_rank(plan, x, y) : ranks[phase];
        uint32_t sample = ordered_sample(plan, in, x), entry = plan->lookup[sample];
        uint32_t k = (entry >> ORDERED_RANK_BITS) + (rank < (entry & below));
        phase = phase + 1 == plan->period ? 0 : phase + 1;
        if (plan->deep) {
            ((uint16_t *)(void *)out)[x] = (uint16_t)(plan->below[sample] + k);
            continue;
        }
        if (!plan->bits_out) {
            out[x] = (unsigned char)k;
            continue;
        }
        bits = bits << 1 | k;
        if (x % 8 == 7 || x + 1 == width) {
            out[x / 8] = (unsigned char)(bits << (7 - x % 8));
            bits = 0;
        }
    }
}
