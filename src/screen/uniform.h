/* SPDX-License-Identifier: MIT */
/* The threshold array of clipping-free search: m x m ranks, spread as evenly as they can be. */
#ifndef RO_SCREEN_UNIFORM_H
#define RO_SCREEN_UNIFORM_H

#include "roundoff/halftone.h"

enum {
    UNIFORM_MIN_SIZE = 16,
    UNIFORM_SIZE = 512, /* of the built-in array */
    UNIFORM_SEED = 1,
    UNIFORM_LEVELS = 128, /* levels of 1/255 up to one half, the largest shadow limit */
};

/* Cells of an m x m array that the levels below `level` hold. */
static inline uint32_t uniform_cells(uint32_t size, uint32_t level)
{
    return (uint32_t)((uint64_t)size * size * level / 255);
}

/* The 16-bit value of a rank in a file, of `total` cells. */
static inline uint32_t uniform_value(uint32_t total, uint32_t rank)
{
    return (uint32_t)(((uint64_t)rank << 16) / total);
}

/* The paper's procedure for the first `levels` levels: order[r] = y m + x of the cell of rank r. */
ro_status uniform_make(ro_context *context, uint32_t size, uint64_t seed, uint32_t levels,
                       uint32_t *order);

/* The first levels of the built-in array, in the order of their ranks: three digits to the base of
 * 64 a cell. Longer prefixes come from uniform_make. */
enum { UNIFORM_TABLE_LEVELS = 10 };
extern const char uniform_digits[65], uniform_table[];

/* The side m of a screen for clipping-free search (NULL: the built-in one), after a check. */
ro_status uniform_screen_size(ro_context *context, const ro_image *screen, uint32_t *size);

/* Its ranks, those that tones below numerator / denominator need; the others may be UINT32_MAX. */
ro_status uniform_screen_ranks(ro_context *context, const ro_image *screen, uint32_t numerator,
                               uint32_t denominator, uint32_t *ranks);

#endif
