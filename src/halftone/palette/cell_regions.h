/* SPDX-License-Identifier: MIT */
/*
 * All colours of a cell that certainly go to one region, at once. A region is an intersection of
 * half-spaces of light: the shares of its corners are positive, and no colour of the palette lies
 * beyond its plane (line, point). Most of these hold throughout a cell; the sides of the others are
 * told from each other by a sum of a part for each sample.
 * Compiled by wave_simd.c once per instruction set.
 */
#ifndef RO_HALFTONE_PALETTE_CELL_REGIONS_H
#define RO_HALFTONE_PALETTE_CELL_REGIONS_H

#include "halftone/palette/hull_offsets.h"
#include "simd/simd.h"

enum { FILL_SIDE = 1 << PALETTE_BLOCK_BITS }; /* samples of a cell, a channel */

/* Light of a cell's samples, less that of its first colour, and how far it reaches. */
struct fill_cell {
    double first[3], away[3][FILL_SIDE], least[3], most[3];
    int32_t in[PALETTE_BLOCK]; /* -1: on the right side of all half-spaces so far */
};

static void fill_begin(const struct palette_plan *plan, uint32_t cell, struct fill_cell *fill)
{
    for (int c = 0; c < 3; c++) {
        const uint32_t sample = (cell >> c * PALETTE_GRID_BITS & (PALETTE_GRID - 1)) * FILL_SIDE;
        fill->first[c] = plan->light[sample];
        fill->least[c] = fill->most[c] = 0;
        for (uint32_t i = 0; i < FILL_SIDE; i++) {
            const double away = plan->light[sample + i] - fill->first[c];
            fill->away[c][i] = away;
            fill->least[c] = away < fill->least[c] ? away : fill->least[c];
            fill->most[c] = away > fill->most[c] ? away : fill->most[c];
        }
    }
    for (int i = 0; i < PALETTE_BLOCK; i++)
        fill->in[i] = -1;
}

/* Leaves what lies certainly on the side of a half-space where slope * away + start > 0; floats are
 * off by less than `least`. */
static void fill_cut(struct fill_cell *fill, const double slope[3], double start)
{
    float part[3][FILL_SIDE];
    double size = fabs(start);
    for (int c = 0; c < 3; c++) {
        size += fabs(slope[c]) * (fill->most[c] - fill->least[c]);
        for (int i = 0; i < FILL_SIDE; i++)
            part[c][i] = (float)(slope[c] * fill->away[c][i]);
    }
    const float least = (float)(size * 0x1p-20), first = (float)start;
    for (int blue = 0; blue < FILL_SIDE; blue++)
        for (int green = 0; green < FILL_SIDE; green++) {
            const float here = first + part[1][green] + part[2][blue];
            int32_t *in = fill->in + FILL_SIDE * (green + FILL_SIDE * blue);
            for (int red = 0; red < FILL_SIDE; red++)
                in[red] &= -(part[0][red] + here > least);
        }
}

/* Cuts where slope * away + start is positive in a part of the cell only; false: nowhere in it. */
RO_INLINE bool fill_side(struct fill_cell *fill, const double slope[3], double start)
{
    double low = start, high = start;
    for (int d = 0; d < 3; d++) {
        low += slope[d] * (slope[d] > 0 ? fill->least[d] : fill->most[d]);
        high += slope[d] * (slope[d] > 0 ? fill->most[d] : fill->least[d]);
    }
    if (high > 0 && low <= 0)
        fill_cut(fill, slope, start);
    return high > 0;
}

/* Cuts by the shares of the corners. */
static bool fill_shares(const struct palette_region *region, struct fill_cell *fill)
{
    for (int i = 0; i < region->set.count && region->set.count > 1; i++) {
        double slope[3], start = region->share[3][i];
        for (int d = 0; d < 3; d++) {
            slope[d] = region->share[d][i];
            start += slope[d] * fill->first[d];
        }
        if (!fill_side(fill, slope, start))
            return false;
    }
    return true;
}

/* Cuts by the other colours: along the light's way to the region none may be as far as the region's
 * own, which are `level`. */
static bool fill_heights(const struct palette_light *known, const struct palette_region *region,
                         struct fill_cell *fill)
{
    static const double times[3] = {1, PALETTE_GREEN, 1};
    double way[3][3], from[3]; /* [d][c]: of channel d in channel c of the way; at the first */
    const int corner = region->set.corner[0];
    int level = 0;
    for (int c = 0; c < 3; c++) {
        from[c] = -times[c] * (region->from[3][c] - 0.5) / 16;
        for (int d = 0; d < 3; d++) {
            way[d][c] = times[c] * ((c == d) - region->from[d][c] / 16);
            from[c] += way[d][c] * fill->first[d];
        }
    }
    for (int k = 0; k < 4 * known->fours; k++) {
        double slope[3] = {0}, start = -0x1p-8;
        for (int c = 0; c < 3; c++) {
            const double apart = known->colour[c][corner] - known->colour[c][k];
            start += from[c] * apart;
            for (int d = 0; d < 3; d++)
                slope[d] += way[d][c] * apart;
        }
        level += !fill_side(fill, slope, start);
    }
    return level == region->level;
}

/* Notes the region's move for all colours of a cell's block that certainly go to the region. */
__attribute__((noinline)) static void fill_block(const struct palette_plan *plan,
                                                 const struct palette_light *known,
                                                 const struct palette_region *region, uint32_t cell,
                                                 uint8_t move, uint8_t block[PALETTE_BLOCK])
{
    struct fill_cell fill;
    fill_begin(plan, cell, &fill);
    if (!fill_shares(region, &fill) ||
        (region->set.count < 4 && !fill_heights(known, region, &fill)))
        return;
    for (int i = 0; i < PALETTE_BLOCK; i++)
        block[i] = fill.in[i] ? move : block[i];
}

#endif
