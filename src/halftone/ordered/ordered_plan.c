/* SPDX-License-Identifier: MIT */
/* The tables of ordered dithering, made from its definition. */
#include "core/checked.h"
#include "halftone/ordered/ordered.h"

#include <stdlib.h>

void ordered_plan_levels(struct ordered_plan *plan, int percent)
{
    const int64_t n = plan->levels, white = 16 * (int64_t)plan->maxval;
    for (int64_t k = 0; k < n; k++)
        plan->level[k] = (int32_t)((2 * white * k + n - 1) / (2 * (n - 1)));
    for (int64_t k = 0; k + 1 < n; k++)
        plan->limit[k] = (int32_t)((int64_t)percent * (plan->level[k + 1] - plan->level[k]) / 100);
}

static void fill_lookup(struct ordered_plan *plan)
{
    const int top = plan->levels - 1;
    const int64_t cells = plan->cells;
    int k = 0;
    for (uint32_t sample = 0; sample <= plan->maxval; sample++) {
        const int64_t tone = 16 * (int64_t)sample;
        int64_t ranks = 0;
        while (k < top && plan->level[k + 1] <= tone)
            k++;
        if (k < top) {
            const int64_t part = tone - plan->level[k], gap = plan->level[k + 1] - plan->level[k];
            if (plan->rule == ORDERED_BY_LIMIT)
                ranks = part > plan->limit[k];
            else /* the number of ranks r with gap * (2r + 1) < 2 * cells * part */
                ranks = (2 * cells * part + gap - 1) / (2 * gap);
        }
        plan->lookup[sample] = (uint32_t)k << ORDERED_RANK_BITS | (uint32_t)ranks;
    }
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

static void fill_row(struct ordered_plan *plan, uint32_t y)
{
    const struct screen *screen = &plan->screen;
    const uint32_t *from = screen->ranks + (size_t)y * screen->width;
    const size_t at = y * plan->pitch;
    for (size_t x = 0; x < plan->pitch; x++) {
        size_t same = at + x - screen->width;
        if (plan->ranks)
            plan->ranks[at + x] = from[x % screen->width];
        else if (plan->sample_bytes == 1)
            ((uint8_t *)plan->whites)[at + x] = x >= screen->width
                                                    ? ((uint8_t *)plan->whites)[same]
                                                    : (uint8_t)plan->smallest[from[x]];
        else
            ((uint16_t *)plan->whites)[at + x] =
                x >= screen->width ? ((uint16_t *)plan->whites)[same] : plan->smallest[from[x]];
    }
}

void ordered_plan_fill(struct ordered_plan *plan)
{
    fill_lookup(plan);
    if (plan->whites)
        fill_smallest(plan);
    for (uint32_t y = 0; y < plan->screen.height; y++)
        fill_row(plan, y);
}

bool ordered_plan_tables(struct ordered_plan *plan, bool compare)
{
    const uint32_t width = plan->screen.width;
    const bool whites = compare && plan->bits_out && plan->rule != ORDERED_BY_HASH;
    size_t entries, bytes;
    plan->period = (ORDERED_BLOCK + width - 1) / width * width;
    plan->pitch = (size_t)plan->period + ORDERED_BLOCK;
    if (!ro_size_multiply(plan->pitch, plan->screen.height, &entries) ||
        !ro_size_multiply(entries, whites ? (size_t)plan->sample_bytes : sizeof *plan->ranks,
                          &bytes))
        return false;
    plan->bytes = bytes + ((size_t)plan->maxval + 1) * sizeof *plan->lookup +
                  (whites ? plan->cells * sizeof *plan->smallest : 0);
    plan->lookup = malloc(((size_t)plan->maxval + 1) * sizeof *plan->lookup);
    if (whites) {
        plan->whites = malloc(bytes);
        plan->smallest = malloc(plan->cells * sizeof *plan->smallest);
    } else {
        plan->ranks = malloc(bytes);
    }
    if (!plan->lookup || (whites ? !plan->whites || !plan->smallest : !plan->ranks))
        return false;
    ordered_plan_fill(plan);
    return true;
}

void ordered_plan_free(struct ordered_plan *plan)
{
    free(plan->lookup);
    free(plan->whites);
    free(plan->smallest);
    free(plan->ranks);
    screen_free(&plan->screen);
    *plan = (struct ordered_plan){0};
}

void ordered_row_scalar(const struct ordered_plan *plan, const unsigned char *in,
                        unsigned char *out, uint32_t y)
{
    const uint32_t below = (1u << ORDERED_RANK_BITS) - 1, width = plan->width;
    const uint32_t *ranks = plan->ranks + y % plan->screen.height * plan->pitch;
    for (uint32_t x = 0, phase = 0, bits = 0; x < width; x++) {
        uint32_t rank = plan->rule == ORDERED_BY_HASH ? ordered_rank(plan, x, y) : ranks[phase];
        uint32_t entry = plan->lookup[ordered_sample(plan, in, x)];
        uint32_t k = (entry >> ORDERED_RANK_BITS) + (rank < (entry & below));
        phase = phase + 1 == plan->period ? 0 : phase + 1;
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
