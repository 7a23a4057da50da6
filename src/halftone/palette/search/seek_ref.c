/* SPDX-License-Identifier: MIT */
/* Search among colours as it is defined, one pixel after another. */
#include "halftone/palette/search/seek.h"

#include <string.h>

static void blur(const int32_t *const rows[2 * SEEK_EYE + 1], int32_t *to, int first, int last)
{
    for (int x = first; x < last; x++) {
        int32_t sum = 0;
        for (int dy = 0; dy <= 2 * SEEK_EYE; dy++)
            for (int dx = 0; dx <= 2 * SEEK_EYE; dx++)
                sum += seek_eye[dy][dx] * rows[dy][x + dx - SEEK_EYE];
        to[x] = sum;
    }
}

/* Sum over the channels of the difference of two colours times a target's from the first. */
static int64_t towards(const struct seek_tables *tables, int from, int to, const int32_t *target)
{
    int64_t sum = 0;
    for (int c = 0; c < tables->channels; c++)
        sum += (int64_t)(tables->colour[c][to] - tables->colour[c][from]) *
               (target[c] - tables->colour[c][from] * (1 << SEEK_FINE_BITS));
    return sum;
}

static int64_t square_apart(const struct seek_tables *tables, int j, int k)
{
    int64_t sum = 0;
    for (int c = 0; c < tables->channels; c++) {
        const int64_t d = tables->colour[c][k] - tables->colour[c][j];
        sum += d * d;
    }
    return sum;
}

/* A dot of colour j on ground k would be lost if the target is on the way from k to j by less than
 * twice F(0), of a sum of 1: 2 (P_j - P_k) (T - P_k) < 4 F(0) (P_j - P_k)^2. Only the colour
 * nearest to the target can be such a ground for all others. */
static bool is_held(const struct seek_tables *tables, const int32_t *target)
{
    const int64_t all = (int64_t)SEEK_EYE_SUM * SEEK_EYE_SUM;
    int ground = 0;
    for (int k = 1; k < tables->count; k++)
        if (2 * towards(tables, ground, k, target) > square_apart(tables, ground, k)
                                                         << SEEK_FINE_BITS)
            ground = k;
    for (int j = 0; j < tables->count; j++) {
        const int64_t square = square_apart(tables, ground, j);
        if (square > 0 && all * towards(tables, ground, j, target) >=
                              2 * tables->bell[SEEK_REACH][SEEK_REACH] * square << SEEK_FINE_BITS)
            return false;
    }
    return true;
}

static void hold(const struct seek_tables *tables, const int32_t *const target[SEEK_CHANNELS],
                 int width, uint16_t *held)
{
    memset(held, 0, (size_t)(width + SEEK_LANES - 1) / SEEK_LANES * sizeof *held);
    for (int x = 0; x < width; x++) {
        int32_t here[SEEK_CHANNELS];
        for (int c = 0; c < tables->channels; c++)
            here[c] = target[c][x];
        if (is_held(tables, here))
            held[x / SEEK_LANES] |= (uint16_t)(1 << x % SEEK_LANES);
    }
}

/* ---- One pixel ------------------------------------------------------------------------------- */

/* Sum over the channels of d (cost d - 2 (e(m) - e(n))); n is -1 for a change. */
static int64_t change_of(const struct seek_state *state, int j, int k, int64_t cost, size_t m,
                         ptrdiff_t n)
{
    const struct seek_tables *tables = &state->tables;
    int64_t sum = 0;
    for (int c = 0; c < tables->channels; c++) {
        const int64_t d = tables->colour[c][k] - tables->colour[c][j];
        int64_t e = state->pe[seek_e(state, m, c)];
        if (n >= 0)
            e -= state->pe[seek_e(state, (size_t)n, c)];
        sum += d * (cost * d - 2 * e);
    }
    return sum;
}

int64_t seek_best(const struct seek_state *state, int x, int y, int *colour, int *neighbour)
{
    const struct seek_tables *tables = &state->tables;
    const size_t m = seek_at(state, x, y);
    const int j = state->colour[m];
    const bool held = state->swaps || state->held[m / SEEK_LANES] >> m % SEEK_LANES & 1;
    int64_t best = 0;
    *neighbour = -1;
    for (int k = 0; k < tables->count && !held; k++) {
        const int64_t change = change_of(state, j, k, tables->bell[SEEK_REACH][SEEK_REACH], m, -1);
        if (change < best) {
            best = change;
            *colour = k;
        }
    }
    for (int i = 0; i < SEEK_NEIGHBOURS; i++) {
        const int dx = seek_neighbours[i].dx, dy = seek_neighbours[i].dy;
        if (x + dx < 0 || x + dx >= state->width || y + dy < 0 || y + dy >= state->height)
            continue;
        const size_t n = seek_at(state, x + dx, y + dy);
        const int k = state->colour[n];
        const int64_t change = change_of(state, j, k, 2 * tables->apart[dx && dy], m, (ptrdiff_t)n);
        if (change < best) {
            best = change;
            *colour = k;
            *neighbour = i;
        }
    }
    return best;
}

static void put(struct seek_state *state, int x, int y, int colour)
{
    const struct seek_tables *tables = &state->tables;
    uint8_t *at = &state->colour[seek_at(state, x, y)];
    /* Columns left of the picture lie in the panel beside it. */
    const int across = x + SEEK_LANES;
    for (int c = 0; c < tables->channels; c++) {
        const int32_t d = tables->colour[c][colour] - tables->colour[c][*at];
        for (int dy = -SEEK_REACH; dy <= SEEK_REACH; dy++)
            for (int dx = -SEEK_REACH; dx <= SEEK_REACH; dx++) {
                const size_t line = seek_line(state, (across + dx) / SEEK_LANES - 1, y + dy) *
                                        (size_t)tables->channels +
                                    (size_t)c;
                state->pe[line * SEEK_LANES + (size_t)((across + dx) % SEEK_LANES)] -=
                    d * tables->bell[dy + SEEK_REACH][dx + SEEK_REACH];
            }
    }
    *at = (uint8_t)colour;
}

void seek_mark(struct seek_state *state, int x, int y)
{
    enum { NEAR = SEEK_REACH + 2 };
    for (int panel = (x + SEEK_LANES - NEAR) / SEEK_LANES - 1; panel <= (x + NEAR) / SEEK_LANES;
         panel++)
        memset(state->stale + seek_line(state, panel, y - NEAR), 1, 2 * NEAR + 1);
}

bool seek_pixel(struct seek_state *state, int x, int y, struct seek_tally *tally)
{
    int colour = 0, neighbour;
    const int64_t gain = seek_best(state, x, y, &colour, &neighbour);
    if (gain >= 0)
        return false;
    if (neighbour >= 0)
        put(state, x + seek_neighbours[neighbour].dx, y + seek_neighbours[neighbour].dy,
            state->colour[seek_at(state, x, y)]);
    put(state, x, y, colour);
    seek_mark(state, x, y);
    tally->changes++;
    tally->gain += gain;
    return true;
}

/* A line is tried again only after something near it has changed. */
static void search(struct seek_state *state, const struct seek_area *area, struct seek_tally *tally)
{
    for (int y = area->y0; y < area->y1; y++)
        for (int x0 = area->x0; x0 < area->x1; x0 += SEEK_LANES) {
            uint8_t *stale = &state->stale[seek_line(state, x0 / SEEK_LANES, y)];
            if (!*stale)
                continue;
            *stale = 0;
            for (int x = x0; x < x0 + SEEK_LANES && x < area->x1; x++)
                seek_pixel(state, x, y, tally);
        }
}

const struct seek_kernels seek_kernels_ref = {"scalar", blur, hold, search};
