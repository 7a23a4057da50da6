/* SPDX-License-Identifier: MIT */
/*
 * Dots that grow in turn. Each dot takes its pixels one by one, those nearest to its centre first;
 * of all dots, one after another takes its next pixel. So there are as many tones as pixels, and
 * at any tone two dots differ by one pixel, in proportion to their cells.
 *
 *     order    0  2  1      a dot's n-th pixel comes at the time (n + order / dots) / its pixels;
 *     pixel 0  0  2  1      the first `least` of a dot come together, so that no dot is smaller:
 *           1  3  5  4      in the lightest tones dots are fewer and not smaller
 */
#include "screen/dots.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE_BITS = 41 }; /* of a key, below the number of the dot */

struct screen_key dots_key(uint32_t dot, double value, uint32_t pixel)
{
    uint64_t bits; /* of a number that is not negative: they grow with it */
    memcpy(&bits, &value, sizeof bits);
    return (struct screen_key){(uint64_t)dot << VALUE_BITS | bits >> (64 - 1 - VALUE_BITS), pixel};
}

/* When the dot that is `order` of `dots` takes its pixel n of `own`, 0 to 1. */
static double time_of(uint32_t n, uint32_t own, double mean, uint32_t order, uint32_t dots,
                      double least)
{
    const double begun = least / mean; /* when all dots have their least */
    if (n < least)
        return (order + n / least) / dots * begun;
    const double time = (n + (double)order / dots) / own;
    return time > begun ? time : begun;
}

/* Ranks a half: of the dots, from the last rank down, or of the holes, from 0 on. `alone`: there is
 * no other half. */
static bool rank_half(struct screen_key *keys, uint32_t count, uint32_t dots, const uint32_t *order,
                      uint32_t least, bool alone, uint32_t last, uint32_t *ranks)
{
    const double mean = (double)count / dots;
    for (uint32_t first = 0, end; first < count; first = end) {
        const uint64_t dot = keys[first].key >> VALUE_BITS;
        end = first + 1;
        while (end < count && keys[end].key >> VALUE_BITS == dot)
            end++;
        const uint32_t own = end - first, turn = order[dot % dots];
        for (uint32_t n = 0; n < own; n++) {
            const uint32_t to_end = own - 1 - n;
            double time = time_of(n, own, mean, turn, dots, least);
            if (alone && to_end < least && n >= least) /* the last holes close at once, too */
                time = 1 - time_of(to_end, own, mean, turn, dots, least);
            time = time < 0 ? 0 : time > 1 ? 1 : time;
            keys[first + n].key = (uint64_t)(time * (1ull << 43));
        }
    }
    if (!screen_sort(keys, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        ranks[keys[i].pixel] = last ? last - i : i;
    return true;
}

ro_status dots_rank(ro_context *context, struct screen_key *keys, uint32_t count, uint32_t dots,
                    const uint32_t *order, uint32_t least, uint32_t *ranks)
{
    uint32_t dark = 0;
    bool enough = screen_sort(keys, count);
    while (dark < count && keys[dark].key >> VALUE_BITS < dots)
        dark++;
    const bool alone = dark == count;
    if (enough && dark > 0)
        enough = rank_half(keys, dark, dots, order, least, alone, count - 1, ranks);
    if (enough && !alone)
        enough = rank_half(keys + dark, count - dark, dots, order, least, false, 0, ranks);
    return enough ? RO_OK
                  : ro_context_fail(context, RO_E_MEMORY, "no memory to rank %u pixels", count);
}
