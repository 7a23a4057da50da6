/* SPDX-License-Identifier: MIT */
/*
 * Moving 8-bit colours into the hull without a product. What a region's map makes of a colour is a
 * sum of a part for each sample, so all parts are looked up: whole numbers of 2^-12, each off by at
 * most half of that. Two more than the sum, cut, is the light rounded to nearest, unless the bits
 * that are cut off are below PALETTE_MOVE_UNSURE; a colour whose move is not known finds only
 * zeros, so that one question answers both.
 *
 * Which move is a colour's: its cell has a block, and the block an entry for each colour.
 */
#include "halftone/palette/hull_offsets.h"

/* A channel's part of a colour's place in the block of its cell. */
static uint32_t within(const struct palette_plan *plan, uint32_t sample, int channel)
{
    return (sample & ((1u << plan->grid_shift) - 1)) << channel * PALETTE_BLOCK_BITS;
}

void palette_plan_grid(struct palette_plan *plan)
{
    bool rises = true, falls = true;
    plan->grid_shift = 0;
    while (plan->white >> plan->grid_shift >= PALETTE_GRID)
        plan->grid_shift++;
    for (uint32_t a = 0; a < plan->white; a++) {
        rises &= plan->linear[a + 1] >= plan->linear[a];
        falls &= plan->linear[a + 1] <= plan->linear[a];
    }
    plan->monotone = rises || falls;
    for (uint32_t a = 0; a <= plan->white && plan->grid_shift <= PALETTE_BLOCK_BITS; a++) {
        plan->light[a] = plan->linear[a];
        for (int c = 0; c < 3; c++)
            plan->place[c][a] = within(plan, a, c) << 3 * PALETTE_GRID_BITS |
                                a >> plan->grid_shift << c * PALETTE_GRID_BITS;
    }
}

static void make_move(const struct palette_plan *plan, const struct palette_region *region,
                      palette_sums move[3][PALETTE_MOVE_ROW])
{
    const double whole = 1 << PALETTE_MOVE_BITS;
    for (int k = 0; k < 3; k++)
        for (uint32_t a = 0; a <= plan->white; a++)
            for (int c = 0; c < 3; c++) {
                const double part = region->from[k][c] * plan->linear[a];
                move[k][a][c] = (uint32_t)llrint(whole * (k ? part : part + region->from[3][c])) +
                                (k ? 0 : PALETTE_MOVE_UNSURE / 2);
            }
}

/* The move of a region; 0 where there is none left. In the hull it is the same for all. */
static int find_move(const struct palette_plan *plan, const struct palette_light *known,
                     struct palette_moves *moves, int region)
{
    if (moves->moves == 0) {
        struct palette_region stays = {.from = {{16}, {0, 16}, {0, 0, 16}, {0.5, 0.5, 0.5}}};
        moves->moves = PALETTE_STAYS + 1;
        make_move(plan, &stays, moves->move[PALETTE_STAYS]);
    }
    if (region == PALETTE_MIXED)
        return 0;
    if (region == PALETTE_INSIDE)
        return PALETTE_STAYS;
    if (known->region[region].set.count == 4) {
        moves->move_of[region] = PALETTE_STAYS;
    } else if (moves->move_of[region] == 0 && moves->moves < PALETTE_MOVES) {
        moves->move_of[region] = (uint16_t)moves->moves;
        make_move(plan, &known->region[region], moves->move[moves->moves++]);
    }
    return moves->move_of[region];
}

/* A block of zeros, or of one move throughout; 0 where there is none left. */
static uint16_t new_block(struct palette_moves *moves, int move)
{
    if (moves->blocks + 1 >= PALETTE_BLOCKS)
        return 0;
    uint8_t *block = moves->block[++moves->blocks];
    for (int i = 0; i < PALETTE_BLOCK; i++)
        block[i] = (uint8_t)move;
    return (uint16_t)moves->blocks;
}

uint8_t *palette_note(const struct palette_plan *plan, const struct palette_light *known,
                      struct palette_moves *moves, const uint32_t sample[3], int region)
{
    const uint32_t cell = palette_grid_cell(plan, sample);
    const bool mixed = known->cell[cell] == PALETTE_MIXED;
    const int move = find_move(plan, known, moves, mixed ? region : known->cell[cell]);
    uint16_t *block = &moves->block_of[cell];
    if (*block == 0 && mixed) {
        *block = new_block(moves, 0);
    } else if (*block == 0) {
        if (moves->block_all_of[move] == 0 && move != 0)
            moves->block_all_of[move] = new_block(moves, move);
        *block = moves->block_all_of[move];
    }
    if (!mixed || *block == 0)
        return NULL;
    uint8_t *own = &moves->block[*block][within(plan, sample[0], 0) | within(plan, sample[1], 1) |
                                         within(plan, sample[2], 2)];
    const bool first = *own == 0 && move != 0;
    *own = (uint8_t)move;
    return first && region != PALETTE_INSIDE ? moves->block[*block] : NULL;
}
