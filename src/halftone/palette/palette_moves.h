/* SPDX-License-Identifier: MIT */
#ifndef RO_HALFTONE_PALETTE_PALETTE_MOVES_H
#define RO_HALFTONE_PALETTE_PALETTE_MOVES_H

#include "halftone/palette/palette_region.h"

/* A colour's sums by its place (as in the plan) and its samples; its light are the bits above
 * PALETTE_MOVE_BITS, if those below are at least PALETTE_MOVE_UNSURE. */
static inline palette_sums palette_moved(const struct palette_moves *moves, uint32_t place,
                                         size_t red, size_t green, size_t blue)
{
    const palette_sums(*move)[256] =
        moves->move[moves->block[moves->block_of[place % PALETTE_GRID_CELLS]]
                                [place / PALETTE_GRID_CELLS]];
    return move[0][red] + move[1][green] + move[2][blue];
}

/* Notes the move of a colour that palette_light_near found in a region. */
void palette_note(const struct palette_plan *plan, const struct palette_light *known,
                  struct palette_moves *moves, const uint32_t sample[3], int region);

#endif
