/* SPDX-License-Identifier: MIT */
/*
 * Green noise: dots of some pixels that lie at random but evenly (Lau, Arce and Gallagher,
 * Green-noise digital halftoning, 1998, for the idea; the way here is another). The first members
 * of void and cluster are the dots' centres; those that come next fall into the largest voids
 * between them and are the holes' centres. A pixel belongs to the nearest centre, and dots and
 * holes grow in turn from there. A cell has four times the pixels of the smallest dot.
 */
#include "screen/dots.h"

#include <stdlib.h>

enum { CELL = 4 };

static uint32_t apart(uint32_t a, uint32_t b, uint32_t size)
{
    const uint32_t d = a > b ? a - b : b - a;
    return d < size - d ? d : size - d;
}

/* The centre of `count` that is nearest to (x, y) on the torus; the first of several. */
static uint32_t nearest(const uint32_t *centres, uint32_t count, uint32_t size, uint32_t x,
                        uint32_t y, uint32_t *away)
{
    uint32_t best = 0;
    *away = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t dx = apart(centres[i] % size, x, size),
                       dy = apart(centres[i] / size, y, size);
        const uint32_t d = dx * dx + dy * dy;
        if (d < *away) {
            *away = d;
            best = i;
        }
    }
    return best;
}

ro_status screen_green(ro_context *context, const ro_screen_options *options, uint32_t *ranks)
{
    const uint32_t size = options->cell, cells = size * size;
    const uint32_t dot = options->dot ? options->dot : DOTS_GREEN;
    const uint32_t dots = cells / (CELL * dot);
    if (dots < 4)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "dots of %u pixels: a screen of %u x %u cells has room for dots of "
                               "1 to %u",
                               dot, size, size, cells / (4 * CELL));
    ro_screen_options even = *options;
    even.dot = 0;
    struct screen_key *pixels = malloc((size_t)cells * sizeof *pixels);
    uint32_t *centres = malloc(3 * (size_t)dots * sizeof *centres), *order = centres + 2 * dots;
    ro_status status = RO_OK;
    if (!pixels || !centres)
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for a screen of %u x %u cells",
                                 size, size);
    if (status == RO_OK)
        status = screen_void(context, &even, ranks);
    if (status != RO_OK)
        goto done;
    for (uint32_t i = 0; i < cells; i++)
        if (ranks[i] < 2 * dots)
            centres[ranks[i]] = i;
    for (uint32_t i = 0; i < dots; i++)
        order[i] = i;
    for (uint32_t y = 0; y < size; y++)
        for (uint32_t x = 0; x < size; x++) {
            uint32_t to_dot, to_hole;
            const uint32_t a = nearest(centres, dots, size, x, y, &to_dot);
            const uint32_t b = nearest(centres + dots, dots, size, x, y, &to_hole);
            const bool hole = to_hole < to_dot;
            pixels[y * size + x] =
                dots_key(hole ? dots + b : a, hole ? to_hole : to_dot, y * size + x);
        }
    status = dots_rank(context, pixels, cells, dots, order, dot, ranks);
done:
    free(pixels);
    free(centres);
    return status;
}
