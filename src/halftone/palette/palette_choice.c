/* SPDX-License-Identifier: MIT */
/*
 * The colour nearest to a value, the first among equals: the k of the least
 *
 *     (u0 - p0)^2 + 2 * (u1 - p1)^2 + (u2 - p2)^2,     p = light(k) / 256,  u = v / 256 + shift
 *
 * all rounded down, so that no two 8-bit colours are one. Without u's own square that is the k of
 * the largest product of u and 2 * (p0, 2 * p1, p2) less p's square: 16-bit factors, 32-bit sums.
 *
 * The shift, 3/16 of the smallest distance between two colours (the larger of a channel's), makes
 * bright colours come a little early: at the top of a dark picture, where the eye notices, one need
 * not wait until half a pixel's light has come together. Errors are lower by that and otherwise the
 * same. A colour of the palette remains nearest to itself.
 *
 * Many colours are looked at in few places: in a cell of values only those are compared that beat
 * the colour nearest to its middle somewhere in it.
 */
#include "halftone/palette/palette.h"

#include <stdlib.h>

static const int times[3] = {1, PALETTE_GREEN, 1}; /* of squares */

static int32_t fine(int32_t v) { return v >> PALETTE_FINE; }

static int32_t smallest_step(const struct palette_plan *plan)
{
    int32_t least = INT32_MAX;
    for (int k = 1; k < plan->count; k++)
        for (int j = 0; j < k; j++) {
            int32_t step = 0;
            for (int c = 0; c < 3; c++) {
                const int32_t apart = abs(fine(plan->colour[c][k]) - fine(plan->colour[c][j]));
                step = apart > step ? apart : step;
            }
            if (step > 0 && step < least)
                least = step;
        }
    return least;
}

int palette_nearest(const struct palette_choice *choice, const int32_t v[3])
{
    const int32_t u[3] = {fine(v[0]) + choice->shift, fine(v[1]) + choice->shift,
                          fine(v[2]) + choice->shift};
    int nearest = 0;
    for (int k = 1; k < choice->count; k++)
        if (palette_score(choice, k, u) > palette_score(choice, nearest, u))
            nearest = k;
    return nearest;
}

/* The first value of a cell of a channel, that past the last: the guard. */
static int32_t cell_start(int cell)
{
    const int above = cell - PALETTE_CHOICE_BELOW;
    if (cell == 0)
        return -PALETTE_GUARD;
    if (above < 0)
        return above * (1 << PALETTE_CHOICE_WIDE);
    if (cell == PALETTE_CHOICE_CELLS)
        return PALETTE_WHITE + PALETTE_GUARD + 1;
    return ((4 + above % 4) << (14 + above / 4 - 2)) - PALETTE_OFFSET;
}

/* Whether k beats j somewhere between two corners of a cell: of an equal score the first wins. */
static bool beats(const struct palette_choice *choice, int k, int j, const int32_t least[3],
                  const int32_t most[3])
{
    const int32_t products[3] = {
        (int16_t)choice->red_green[k] - (int16_t)choice->red_green[j],
        (choice->red_green[k] >> 16) - (choice->red_green[j] >> 16),
        choice->blue[k] - choice->blue[j],
    };
    int64_t lead = choice->square[j] - choice->square[k];
    for (int c = 0; c < 3; c++)
        lead += (int64_t)products[c] * (products[c] > 0 ? most[c] : least[c]);
    return lead > 0 || (lead == 0 && k < j);
}

/* Lists one cell's colours at `to`, after their number. */
static int list_cell(const struct palette_choice *choice, const int cell[3], uint8_t *to)
{
    int32_t least[3], most[3], middle[3];
    for (int c = 0; c < 3; c++) {
        const int32_t first = cell_start(cell[c]), last = cell_start(cell[c] + 1) - 1;
        least[c] = fine(first) + choice->shift;
        most[c] = fine(last) + choice->shift;
        middle[c] = first + (last - first) / 2;
    }
    const int nearest = palette_nearest(choice, middle);
    int count = 0;
    for (int k = 0; k < choice->count; k++)
        if (k == nearest || beats(choice, k, nearest, least, most))
            to[1 + count++] = (uint8_t)k;
    to[0] = (uint8_t)(count - 1);
    return count;
}

static bool fill_cells(struct palette_choice *choice)
{
    enum { CELLS = PALETTE_CHOICE_CELLS };
    size_t used = 1, room = 1 << 18; /* place 0 stands for no list */
    choice->cells = malloc(CELLS * CELLS * CELLS * sizeof *choice->cells);
    choice->lists = malloc(room);
    if (!choice->cells || !choice->lists)
        return false;
    for (int i = 0; i < CELLS * CELLS * CELLS; i++) {
        if (used + PALETTE_MOST + 1 > room) {
            uint8_t *more = realloc(choice->lists, room *= 2);
            if (!more)
                return false;
            choice->lists = more;
        }
        uint8_t *list = choice->lists + used;
        const int count =
            list_cell(choice, (int[3]){i % CELLS, i / CELLS % CELLS, i / (CELLS * CELLS)}, list);
        choice->cells[i] = count == 1 ? list[1] : (uint32_t)used << 8;
        used += count == 1 ? 0 : (size_t)count + 1;
    }
    return true;
}

bool palette_choice_make(const struct palette_plan *plan, struct palette_choice *choice)
{
    *choice = (struct palette_choice){.count = plan->count, .shift = 3 * smallest_step(plan) / 16};
    for (int k = 0; k < plan->count; k++) {
        int32_t product[3];
        for (int c = 0; c < 3; c++) {
            const int32_t p = fine(plan->colour[c][k]);
            product[c] = 2 * times[c] * p;
            choice->square[k] += times[c] * p * p;
        }
        choice->red_green[k] = product[0] | product[1] << 16;
        choice->blue[k] = product[2];
    }
    for (int k = plan->count; k < PALETTE_MOST; k++)
        choice->square[k] = INT32_MAX; /* never the best */
    return plan->count <= PALETTE_FEW || fill_cells(choice);
}

void palette_choice_free(struct palette_choice *choice)
{
    free(choice->cells);
    free(choice->lists);
    choice->cells = NULL;
    choice->lists = NULL;
}
