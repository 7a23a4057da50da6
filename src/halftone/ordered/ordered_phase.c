/* SPDX-License-Identifier: MIT */
/*
 * Screens of plates that lie on each other. Dots of two plates that share a screen fall on the same
 * pixels, and the colour of the print is not the picture's; they have to meet as often as chance
 * would have it. Each kind of screen gets there in the way that hurts it least.
 *
 * Clustered dots have cells a side without a common factor: two such screens meet in every pair of
 * their cells equally often. One size may be even; it is turned to 45 degrees.
 *
 * Blue noise is the same tile shifted; its cells are many and without order.
 *
 * All others have few cells in strict order: shifted once, two plates meet in some pairs of cells
 * only. So each tile is shifted against the last, along rows for the first plate, along columns for
 * the others, until every shift has had its turn.
 *
 *     rows:  |abcd|abcd|    columns:  |abcd|mnop|    the first rows of tiles of 4 x 4 cells,
 *            |bcda|bcda|              |abcd|mnop|    shifted by one
 */
#include "halftone/ordered/ordered.h"

#include <stdlib.h>

enum {
    MANY_CELLS = 1024,    /* of blue noise: a shift is enough */
    MOST_CELLS = 1 << 18, /* that tiles are repeated to */
};

static uint32_t common_factor(uint32_t a, uint32_t b) { return b ? common_factor(b, a % b) : a; }

/* The nearest size to the first plate's that has no factor in common with those before; of two, the
 * larger. */
uint32_t ordered_plate_dot(uint32_t size, int plate)
{
    uint32_t taken[RO_INKS_MOST] = {size};
    for (int p = 1; p < plate; p++) {
        for (uint32_t away = 1; !taken[p]; away++)
            for (int sign = 1; sign >= -1 && !taken[p]; sign -= 2) {
                const uint32_t tried = sign > 0 ? size + away : size - away;
                bool free = tried >= SCREEN_DOT_LEAST && tried <= SCREEN_DOT_MOST;
                for (int q = 0; q < p && free; q++)
                    free = common_factor(tried, taken[q]) == 1;
                if (free)
                    taken[p] = tried;
            }
    }
    return taken[plate > 0 ? plate - 1 : 0];
}

/* From one tile to the next: about 3/8 of a side, without a factor in common with it. */
static uint32_t step_of(uint32_t side)
{
    uint32_t step = (3 * side + 7) / 8;
    while (common_factor(step, side) != 1)
        step++;
    return step;
}

ro_status ordered_plate_screen(ro_context *context, bool blue_noise, int plate,
                               struct screen *screen)
{
    static const uint32_t eighths[RO_INKS_MOST][2] = {{0, 0}, {2, 4}, {4, 2}, {6, 6},
                                                      {1, 5}, {3, 1}, {5, 7}, {7, 3}};
    const uint32_t width = screen->width, height = screen->height, cells = width * height;
    const bool rows = plate == 1;
    const uint32_t side = rows ? width : height, most = MOST_CELLS / cells;
    uint32_t tiles = side < most ? side : most;
    if (tiles == 0 || (blue_noise && cells >= MANY_CELLS))
        tiles = 1;
    uint32_t step = step_of(side);
    step = plate == 3 ? 2 * step : plate == 4 ? (side - step % side) : step;
    const uint32_t *eighth = eighths[plate - 1];
    const uint32_t from_x = eighth[0] * width / 8, from_y = eighth[1] * height / 8;
    struct screen made = {.width = rows ? width : width * tiles,
                          .height = rows ? height * tiles : height};
    made.ranks = malloc((size_t)cells * tiles * sizeof *made.ranks);
    if (!made.ranks)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a screen of %u x %u cells",
                               made.width, made.height);
    for (uint32_t y = 0; y < made.height; y++)
        for (uint32_t x = 0; x < made.width; x++) {
            const uint32_t shift =
                (uint32_t)((uint64_t)step * (rows ? y / height : x / width) % side);
            const uint32_t cell_x = (x + from_x + (rows ? shift : 0)) % width;
            const uint32_t cell_y = (y + from_y + (rows ? 0 : shift)) % height;
            made.ranks[(size_t)y * made.width + x] = screen->ranks[cell_y * width + cell_x];
        }
    screen_free(screen);
    *screen = made;
    return RO_OK;
}
