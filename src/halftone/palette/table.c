/* SPDX-License-Identifier: MIT */
/*
 * Without dithering, the nearest colour of every cell: by the distance in OKLab (Ottosson, 2020)
 * from the middle of the cell; a tie goes to the first colour. A cell that holds a colour of the
 * palette itself belongs to the first such one, so that a picture already in the palette stays as
 * it is.
 *
 * Doubles in a fixed order and a cube root of our own: the table is the same on every machine.
 */
#include "halftone/palette/oklab.h"
#include "halftone/palette/palette.h"

/* The first value of a cell; of the one past the last, W + 1. */
static int32_t cell_start(int cell)
{
    return cell == PALETTE_CELLS ? PALETTE_WHITE + 1
                                 : ((8 + cell % 8) << (14 + cell / 8 - 3)) - PALETTE_OFFSET;
}

/* A line of cells of all reds at one green and blue, in loops that a compiler turns into vectors.
 */
static void fill_line(const struct palette_lab *labs, int count, const double middle[PALETTE_CELLS],
                      double green, double blue, uint8_t *nearest)
{
    double here[3][PALETTE_CELLS], best[PALETTE_CELLS], chosen[PALETTE_CELLS];
    for (int r = 0; r < PALETTE_CELLS; r++) {
        struct palette_lab lab = palette_lab_of(middle[r], green, blue);
        for (int i = 0; i < 3; i++)
            here[i][r] = lab.at[i];
        best[r] = 1e9;
        chosen[r] = 0;
    }
    for (int k = 0; k < count; k++)
        for (int r = 0; r < PALETTE_CELLS; r++) {
            double l = here[0][r] - labs[k].at[0], m = here[1][r] - labs[k].at[1];
            double n = here[2][r] - labs[k].at[2], distance = (l * l + m * m) + n * n;
            bool nearer = distance < best[r];
            chosen[r] = nearer ? k : chosen[r];
            best[r] = nearer ? distance : best[r];
        }
    for (int r = 0; r < PALETTE_CELLS; r++)
        nearest[r] = (uint8_t)chosen[r];
}

void palette_fill_nearest(const int32_t colour[3][PALETTE_MOST], int count, uint8_t *nearest)
{
    struct palette_lab labs[PALETTE_MOST];
    double middle[PALETTE_CELLS];
    for (int k = 0; k < count; k++)
        labs[k] = palette_lab_of((double)colour[0][k] / PALETTE_WHITE,
                                 (double)colour[1][k] / PALETTE_WHITE,
                                 (double)colour[2][k] / PALETTE_WHITE);
    for (int i = 0; i < PALETTE_CELLS; i++)
        middle[i] = (cell_start(i) + cell_start(i + 1) - 1) / (2.0 * PALETTE_WHITE);
    for (int b = 0; b < PALETTE_CELLS; b++)
        for (int g = 0; g < PALETTE_CELLS; g++)
            fill_line(labs, count, middle, middle[g], middle[b],
                      nearest + (g << PALETTE_SHIFT | b << 2 * PALETTE_SHIFT));
    for (int k = count - 1; k >= 0; k--)
        nearest[palette_cell(colour[0][k]) | palette_cell(colour[1][k]) << PALETTE_SHIFT |
                palette_cell(colour[2][k]) << 2 * PALETTE_SHIFT] = (uint8_t)k;
}
