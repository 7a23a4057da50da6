/* SPDX-License-Identifier: MIT */
/*
 * The light that a pixel is diffused with: that of its samples, moved to the nearest point of the
 * palette's hull. Cells of samples that lie in the hull with all eight corners lie in it whole; the
 * projections of other colours are remembered, for neighbours are often alike.
 */
#include "halftone/palette/palette.h"

#include <string.h>

/* The samples at the corners of the cells along a channel: both ends count to a cell. */
static uint32_t corner_at(const struct palette_plan *plan, uint32_t i)
{
    uint32_t sample = i << plan->grid_shift;
    return sample > plan->white ? plan->white : sample;
}

void palette_fill_grid(const struct palette_plan *plan, uint8_t *grid)
{
    enum { CORNERS = PALETTE_GRID + 1 };
    uint8_t inside[2][CORNERS][CORNERS]; /* of two planes of corners */
    struct palette_corners guess = {0};
    for (uint32_t b = 0; b < CORNERS; b++) {
        for (uint32_t g = 0; g < CORNERS; g++)
            for (uint32_t r = 0; r < CORNERS; r++) {
                const uint16_t light[3] = {plan->linear[corner_at(plan, r)],
                                           plan->linear[corner_at(plan, g)],
                                           plan->linear[corner_at(plan, b)]};
                int32_t to[3];
                palette_project(plan->hull, light, &guess, to);
                inside[b % 2][g][r] =
                    to[0] == 16 * light[0] && to[1] == 16 * light[1] && to[2] == 16 * light[2];
            }
        for (uint32_t g = 0; g < PALETTE_GRID && b > 0; g++)
            for (uint32_t r = 0; r < PALETTE_GRID; r++) {
                uint8_t every = 1;
                for (int i = 0; i < 8; i++)
                    every &= inside[i & 1][g + (i >> 1 & 1)][r + (i >> 2)];
                grid[r | g << PALETTE_GRID_BITS | (b - 1) << 2 * PALETTE_GRID_BITS] = every;
            }
    }
}

void palette_light(const struct palette_plan *plan, struct palette_memo *memo,
                   const uint32_t sample[3], int32_t to[3])
{
    uint16_t light[3];
    uint32_t cell = 0;
    for (int c = 0; c < 3; c++) {
        light[c] = plan->linear[sample[c]];
        to[c] = 16 * light[c];
        cell |= sample[c] >> plan->grid_shift << (c * PALETTE_GRID_BITS);
    }
    if (!plan->hull || plan->grid[cell])
        return;
    const uint64_t key = 1 + (light[0] | (uint64_t)light[1] << 16 | (uint64_t)light[2] << 32);
    const uint64_t mixed = key * 0x9e3779b97f4a7c15u;
    struct palette_memory *known = &memo->known[mixed >> (64 - PALETTE_MEMO_BITS)];
    if (known->key != key) {
        palette_project(plan->hull, light, &memo->guess, known->light);
        known->key = key;
    }
    memcpy(to, known->light, sizeof known->light);
}
