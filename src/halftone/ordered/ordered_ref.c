/* SPDX-License-Identifier: MIT */
/* Ordered dithering by its definition, pixel by pixel. */
#include "core/random.h"
#include "halftone/ordered/ordered.h"

uint32_t ordered_rank(const struct ordered_plan *plan, uint32_t x, uint32_t y)
{
    const struct screen *screen = &plan->screen;
    if (plan->rule == ORDERED_BY_HASH)
        return pixel_hash(plan->seed, x, y) >> (32 - ORDERED_RANDOM_BITS);
    const uint64_t column = (uint64_t)x + ordered_first_cell(plan, y);
    return screen->ranks[y % screen->height * screen->width + column % screen->width];
}

int32_t ordered_tone(const struct ordered_plan *plan, int k)
{
    const int64_t n = plan->levels - 1, white = 16 * (int64_t)plan->maxval;
    return (int32_t)((2 * white * k + n) / (2 * n));
}

int ordered_below(const struct ordered_plan *plan, int32_t tone)
{
    const int top = plan->levels - 1;
    int k = (int)((int64_t)tone * top / (16 * (int64_t)plan->maxval));
    while (ordered_tone(plan, k) > tone)
        k--;
    while (k < top && ordered_tone(plan, k + 1) <= tone)
        k++;
    return k;
}

int32_t ordered_limit(const struct ordered_plan *plan, int32_t gap)
{
    return plan->percent ? (int32_t)(plan->percent * (int64_t)gap / 100) : plan->limit;
}

int ordered_level(const struct ordered_plan *plan, uint32_t sample, uint32_t rank)
{
    const int32_t tone = 16 * (int32_t)sample;
    const int k = ordered_below(plan, tone);
    if (k == plan->levels - 1)
        return k;
    const int32_t part = tone - ordered_tone(plan, k);
    const int32_t gap = ordered_tone(plan, k + 1) - ordered_tone(plan, k);
    if (plan->rule == ORDERED_BY_LIMIT)
        return k + (part > ordered_limit(plan, gap));
    return k + (2 * (int64_t)plan->cells * part > gap * (2 * (int64_t)rank + 1));
}

void ordered_row_reference(const struct ordered_plan *plan, const unsigned char *in,
                           unsigned char *out, uint32_t y)
{
    for (uint32_t x = 0; x < plan->width; x++) {
        int k = ordered_level(plan, ordered_sample(plan, in, x), ordered_rank(plan, x, y));
        if (plan->deep)
            ((uint16_t *)(void *)out)[x] = (uint16_t)k;
        else if (!plan->bits_out)
            out[x] = (unsigned char)k;
        else if (x % 8 == 0)
            out[x / 8] = (unsigned char)(k << 7);
        else
            out[x / 8] |= (unsigned char)(k << (7 - x % 8));
    }
}
