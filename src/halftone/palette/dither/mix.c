/* SPDX-License-Identifier: MIT */
/*
 * The mixture of a colour: shares of the palette's colours that have its light, of all such the
 * ones with the least grain, the sum of shares times squared distances in OKLab from what is mixed,
 * lightness counted four times. That is a linear program of four equations, so that four colours
 * are enough; the simplex method in doubles, in a fixed order.
 *
 * Light is taken relative to the colour that is nearest, whose share is what the others leave. What
 * no mixture has, at most a rounding of the light, goes to an artificial part of each channel that
 * costs more than all colours.
 */
#include "halftone/palette/dither/screen.h"
#include "halftone/palette/oklab.h"

#include <math.h>

enum {
    ROWS = 4,                      /* three channels, and the sum of shares */
    COLUMNS = PALETTE_MOST + ROWS, /* colours, artificial parts, the nearest colour's share */
    MOST_PIVOTS = 200,
};

struct program {
    int colours, columns;
    double row[ROWS][COLUMNS], side[ROWS];
    double cost[COLUMNS]; /* reduced */
    int basis[ROWS];      /* the column of each row */
};

#define ARTIFICIAL_COST 1e6
#define LEAST 1e-12

void palette_mix_colours(struct palette_mix *mix, const int32_t colour[3][PALETTE_MOST], int count)
{
    mix->count = count;
    for (int k = 0; k < count; k++) {
        for (int c = 0; c < 3; c++)
            mix->light[c][k] = (double)colour[c][k] / PALETTE_WHITE;
        const struct palette_lab lab =
            palette_lab_of(mix->light[0][k], mix->light[1][k], mix->light[2][k]);
        for (int i = 0; i < 3; i++)
            mix->lab[i][k] = lab.at[i];
    }
}

/* The axes of colour are doubled, so that lightness counts four times by counting sixteen. */
static double grain_of(const struct palette_mix *mix, const struct palette_lab *at, int k)
{
    const double l = 4 * (mix->lab[0][k] - at->at[0]);
    const double a = mix->lab[1][k] - at->at[1], b = mix->lab[2][k] - at->at[2];
    return (l * l + a * a) + b * b;
}

static void set_up(struct program *program, const struct palette_mix *mix, const double light[3],
                   const double *grain, int nearest)
{
    const int count = mix->count;
    program->colours = count;
    program->columns = count + ROWS;
    for (int c = 0; c < ROWS; c++)
        program->side[c] = c < 3 ? light[c] - mix->light[c][nearest] : 1;
    for (int j = 0; j < program->columns; j++) {
        const bool artificial = j >= count && j < count + 3;
        program->cost[j] = artificial ? ARTIFICIAL_COST : j < count ? grain[j] : grain[nearest];
        for (int c = 0; c < ROWS; c++) {
            double part = j == count + c;
            if (j < count)
                part = c < 3 ? mix->light[c][j] - mix->light[c][nearest] : 1;
            program->row[c][j] = c < 3 && program->side[c] < 0 && j < count ? -part : part;
        }
    }
    for (int c = 0; c < ROWS; c++) {
        program->basis[c] = count + c;
        program->side[c] = fabs(program->side[c]);
        const double cost = c < 3 ? ARTIFICIAL_COST : grain[nearest];
        for (int j = 0; j < program->columns; j++)
            program->cost[j] -= cost * program->row[c][j];
    }
}

/* The column of the most negative cost; -1: there is none. */
static int entering(const struct program *program)
{
    int best = -1;
    double least = -LEAST;
    for (int j = 0; j < program->columns; j++)
        if (program->cost[j] < least) {
            least = program->cost[j];
            best = j;
        }
    return best;
}

static int leaving(const struct program *program, int column)
{
    int best = -1;
    double least = 0;
    for (int i = 0; i < ROWS; i++)
        if (program->row[i][column] > LEAST) {
            const double ratio = program->side[i] / program->row[i][column];
            if (best < 0 || ratio < least) {
                least = ratio;
                best = i;
            }
        }
    return best;
}

static void pivot(struct program *program, int i, int column)
{
    const double over = 1 / program->row[i][column];
    for (int j = 0; j < program->columns; j++)
        program->row[i][j] *= over;
    program->side[i] *= over;
    for (int r = 0; r < ROWS; r++) {
        const double times = program->row[r][column];
        if (r == i)
            continue;
        for (int j = 0; j < program->columns; j++)
            program->row[r][j] -= times * program->row[i][j];
        program->side[r] -= times * program->side[i];
        program->side[r] = program->side[r] < 0 ? 0 : program->side[r];
    }
    const double times = program->cost[column];
    for (int j = 0; j < program->columns; j++)
        program->cost[j] -= times * program->row[i][j];
    program->cost[column] = 0;
    program->basis[i] = column;
}

/* Shares as where they end in MIX_WHOLE. What ends at the whole is followed by itself only. */
static uint64_t entry_of(const struct palette_mix *mix, int colour[MIX_PARTS],
                         double share[MIX_PARTS])
{
    double sum = 0, end = 0;
    uint64_t entry = MIX_KNOWN;
    for (int i = 1; i < MIX_PARTS; i++) /* the lightest first, then by number */
        for (int j = i; j > 0; j--) {
            const double here = mix->lab[0][colour[j]], before = mix->lab[0][colour[j - 1]];
            if (here < before || (here <= before && colour[j] >= colour[j - 1]))
                break;
            const int k = colour[j];
            const double s = share[j];
            colour[j] = colour[j - 1];
            share[j] = share[j - 1];
            colour[j - 1] = k;
            share[j - 1] = s;
        }
    for (int i = 0; i < MIX_PARTS; i++)
        sum += share[i];
    bool whole = false;
    int last = colour[0];
    for (int i = 0; i < MIX_PARTS; i++) {
        end += share[i];
        int ends = (int)floor(MIX_WHOLE * (end / sum) + 0.5);
        if (!whole)
            last = colour[i];
        whole |= ends >= MIX_WHOLE;
        ends = ends < MIX_WHOLE ? ends : MIX_WHOLE - 1;
        entry |= (uint64_t)last << 8 * i;
        if (i < MIX_PARTS - 1)
            entry |= (uint64_t)ends << (32 + i * MIX_SHARE_BITS);
    }
    return entry;
}

uint64_t palette_mix_of(const struct palette_mix *mix, const int32_t from[3])
{
    struct program program;
    double light[3], grain[PALETTE_MOST];
    int nearest = 0;
    for (int c = 0; c < 3; c++)
        light[c] = (double)from[c] / PALETTE_WHITE;
    const struct palette_lab lab = palette_lab_of(light[0], light[1], light[2]);
    for (int k = 0; k < mix->count; k++) {
        grain[k] = grain_of(mix, &lab, k);
        nearest = grain[k] < grain[nearest] ? k : nearest;
    }
    set_up(&program, mix, light, grain, nearest);
    for (int n = 0; n < MOST_PIVOTS; n++) {
        const int column = entering(&program);
        const int row = column < 0 ? -1 : leaving(&program, column);
        if (row < 0)
            break;
        pivot(&program, row, column);
    }
    int colour[MIX_PARTS];
    double share[MIX_PARTS];
    for (int i = 0; i < ROWS; i++) {
        const int column = program.basis[i];
        const bool artificial = column >= mix->count && column < mix->count + 3;
        colour[i] = column < mix->count ? column : nearest;
        share[i] = artificial ? 0 : program.side[i];
    }
    return entry_of(mix, colour, share);
}
