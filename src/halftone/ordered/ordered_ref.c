/* SPDX-License-Identifier: MIT */
/* Ordered dithering by its definition, pixel by pixel. */
#include "core/random.h"
#include "halftone/ordered/ordered.h"

uint32_t ordered_rank(const struct ordered_plan *plan, uint32_t x, uint32_t y)
{
    const struct screen *screen = &plan->screen;
    if (plan->rule == ORDERED_BY_HASH)
        return ro_hash(plan->seed, x, y) >> (32 - ORDERED_RANDOM_BITS);
    return screen->ranks[y % screen->height * screen->width + x % screen->width];
}

int ordered_level(const struct ordered_plan *plan, uint32_t sample, uint32_t rank)
{
    const int top = plan->levels - 1;
    const int64_t tone = 16 * (int64_t)sample;
    int k = 0;
    while (k < top && plan->level[k + 1] <= tone)
        k++;
    if (k == top)
        return top;
    const int64_t part = tone - plan->level[k], gap = plan->level[k + 1] - plan->level[k];
    if (plan->rule == ORDERED_BY_LIMIT)
        return k + (part > plan->limit[k]);
    return k + (2 * (int64_t)plan->cells * part > gap * (2 * (int64_t)rank + 1));
}

void ordered_row_reference(const struct ordered_plan *plan, const unsigned char *in,
                           unsigned char *out, uint32_t y)
{
    for (uint32_t x = 0; x < plan->width; x++) {
        int k = ordered_level(plan, ordered_sample(plan, in, x), ordered_rank(plan, x, y));
        if (!plan->bits_out)
            out[x] = (unsigned char)k;
        else if (x % 8 == 0)
            out[x / 8] = (unsigned char)(k << 7);
        else
            out[x / 8] |= (unsigned char)(k << (7 - x % 8));
    }
}
