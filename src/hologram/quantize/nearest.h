/* SPDX-License-Identifier: MIT */
/* The nearest level by cells (levels.h), for the CPU and a device. */
#ifndef RO_HOLOGRAM_QUANTIZE_NEAREST_H
#define RO_HOLOGRAM_QUANTIZE_NEAREST_H

#include "hologram/quantize/levels.h"

#include <math.h>
#include <stdlib.h>

#ifndef NEAREST_INLINE
#define NEAREST_INLINE static inline
#endif

NEAREST_INLINE int nearest_in_entry(const struct level_entry *entry, int x, int y)
{
    return entry->nx * x + entry->ny * y >= entry->c ? entry->high : entry->low;
}

NEAREST_INLINE int nearest_of_ring(const struct level_entry *entries, int x, int y)
{
    if (x == 0 && y == 0)
        x = 1;
    const float a = (float)y / (float)(abs(x) + abs(y));
    const int cell = (int)lrintf((x >= 0 ? a + 1 : 3 - a) * (LEVEL_CELLS / 4));
    return nearest_in_entry(&entries[cell], x, y);
}

NEAREST_INLINE int nearest_of_line(const struct level_entry *entries, int x, int y)
{
    const int at = (x + LEVEL_CELLS / 2 * LINE_CELL) / LINE_CELL;
    const int cell = x < -LEVEL_CELLS / 2 * LINE_CELL ? 0 : at > LEVEL_CELLS ? LEVEL_CELLS : at;
    return nearest_in_entry(&entries[cell], x, y);
}

#endif
