/* SPDX-License-Identifier: MIT */
/* Cells in the order of their keys: eleven bits at a time, the lowest first, equal ones staying as
 * they are. */
#include "screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT = 11, VALUES = 1 << DIGIT };

bool screen_sort(struct screen_key *keys, size_t count)
{
    struct screen_key *spare = malloc(count * sizeof *spare), *from = keys, *to = spare;
    uint64_t all = 0;
    if (!spare)
        return false;
    for (size_t i = 0; i < count; i++)
        all |= keys[i].key;
    for (unsigned shift = 0; shift < 64 && all >> shift; shift += DIGIT) {
        size_t first[VALUES] = {0}, sum = 0;
        for (size_t i = 0; i < count; i++)
            first[from[i].key >> shift & (VALUES - 1)]++;
        for (int d = 0; d < VALUES; d++) {
            const size_t own = first[d];
            first[d] = sum;
            sum += own;
        }
        for (size_t i = 0; i < count; i++)
            to[first[from[i].key >> shift & (VALUES - 1)]++] = from[i];
        struct screen_key *const swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
    free(spare);
    return true;
}
