/* SPDX-License-Identifier: MIT */
#ifndef RO_HALFTONE_PALETTE_HULL_OFFSETS_H
#define RO_HALFTONE_PALETTE_HULL_OFFSETS_H

#include "halftone/palette/region.h"

/* The number of the move of a colour by its place (as in the plan). A colour's sums are those of
 * the move's parts; its light are their bits above PALETTE_MOVE_BITS, if those below are at least
 * PALETTE_MOVE_UNSURE. */
static inline size_t palette_move(const struct palette_moves *moves, uint32_t place)
{
    return moves->block[moves->block_of[place % PALETTE_GRID_CELLS]][place / PALETTE_GRID_CELLS];
}

/* Notes the move of a colour that palette_light_near found in a region. Where others of its cell
 * may go there too, their block; else NULL. */
uint8_t *palette_note(const struct palette_plan *plan, const struct palette_light *known,
                      struct palette_moves *moves, const uint32_t sample[3], int region);

#endif
