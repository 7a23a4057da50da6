/* SPDX-License-Identifier: MIT */
/* Search among colours: the eye, colours in the channels, and memory. */
#include "halftone/palette/search/seek.h"

#include <stdlib.h>
#include <string.h>

const struct seek_step seek_neighbours[SEEK_NEIGHBOURS] = {
    {-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1},
};

/* Naesaenen's eye, (1 + (r / 1.9)^2)^(-3/2), rounded to a sum that loses least of its spectrum. */
const int32_t seek_eye[2 * SEEK_EYE + 1][2 * SEEK_EYE + 1] = {
    {1, 1, 1, 2, 2, 2, 1, 1, 1},    {1, 1, 2, 3, 3, 3, 2, 1, 1},    {1, 2, 4, 6, 7, 6, 4, 2, 1},
    {2, 3, 6, 11, 15, 11, 6, 3, 2}, {2, 3, 7, 15, 21, 15, 7, 3, 2}, {2, 3, 6, 11, 15, 11, 6, 3, 2},
    {1, 2, 4, 6, 7, 6, 4, 2, 1},    {1, 1, 2, 3, 3, 3, 2, 1, 1},    {1, 1, 1, 2, 2, 2, 1, 1, 1},
};

static int32_t bell_or_zero(const struct seek_tables *tables, int dx, int dy)
{
    if (abs(dx) > SEEK_REACH || abs(dy) > SEEK_REACH)
        return 0;
    return tables->bell[dy + SEEK_REACH][dx + SEEK_REACH];
}

static void make_updates(struct seek_tables *tables)
{
    static const struct seek_step to[SEEK_UPDATES] = {{0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};
    for (int kind = 0; kind < SEEK_UPDATES; kind++)
        for (int row = 0; row < SEEK_UPDATE_ROWS; row++)
            for (int column = 0; column < SEEK_UPDATE_COLUMNS; column++) {
                const int dx = column - SEEK_UPDATE_MIDDLE, dy = row - SEEK_REACH;
                int32_t value = bell_or_zero(tables, dx, dy);
                if (kind != SEEK_TOGGLE)
                    value -= bell_or_zero(tables, dx - to[kind].dx, dy - to[kind].dy);
                tables->update[kind][row][column] = (int16_t)value;
            }
    for (int c = 0; c < tables->channels; c++)
        for (int k = 0; k < tables->count; k++)
            tables->shown[c][k] = (float)tables->colour[c][k];
}

/* F, when the colours are there. */
static void make_bell(struct seek_tables *tables)
{
    enum { SIDE = 2 * SEEK_EYE + 1 };
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            for (int v = 0; v < SIDE; v++)
                for (int u = 0; u < SIDE; u++)
                    tables->bell[y - v + SEEK_REACH][x - u + SEEK_REACH] +=
                        seek_eye[y][x] * seek_eye[v][u];
    const int32_t *middle = &tables->bell[SEEK_REACH][SEEK_REACH];
    tables->apart[0] = middle[0] - middle[1];
    tables->apart[1] = middle[0] - middle[SEEK_SIDE + 1];
    make_updates(tables);
}

void seek_tables_of_levels(struct seek_tables *tables, int levels)
{
    *tables = (struct seek_tables){.channels = 1, .count = levels};
    for (int k = 0; k < levels; k++)
        tables->colour[0][k] = halftone_level(SEEK_WHITE, levels, k);
    make_bell(tables);
}

void seek_tables_of_palette(struct seek_tables *tables, const struct palette_plan *plan)
{
    const int bits = 16 + 20 - SEEK_WHITE_BITS; /* of weights and light */
    *tables = (struct seek_tables){.channels = SEEK_CHANNELS, .count = plan->count};
    for (int k = 0; k < plan->count; k++) {
        const int64_t red = plan->colour[0][k], green = plan->colour[1][k],
                      blue = plan->colour[2][k];
        const int64_t luma = 13933 * red + 46871 * green + 4732 * blue;
        const int64_t half = (int64_t)1 << (bits - 1);
        tables->colour[0][k] = (int32_t)((luma + half) >> bits);
        tables->colour[1][k] = (int32_t)((65536 * red - luma + 2 * half) >> (bits + 1));
        tables->colour[2][k] = (int32_t)((65536 * blue - luma + 2 * half) >> (bits + 1));
    }
    make_bell(tables);
}

/* Hands out parts of memory at multiples of 64 bytes; without memory it only counts. */
static void *take(unsigned char *memory, size_t *used, size_t bytes)
{
    const size_t at = *used;
    *used += (bytes + 63) & ~(size_t)63;
    return memory ? memory + at : NULL;
}

size_t seek_lay_out(struct seek_state *state, unsigned char *memory)
{
    size_t used = 0;
    state->panels = (state->width + SEEK_LANES - 1) / SEEK_LANES;
    /* An odd number of lines keeps those of one row apart in the cache. */
    state->pitch = ((size_t)state->height + 2 * SEEK_MARGIN) | 1;
    const size_t lines = state->pitch * ((size_t)state->panels + 2);
    state->pe = take(memory, &used,
                     lines * SEEK_LANES * (size_t)state->tables.channels * sizeof *state->pe);
    state->colour = take(memory, &used, lines * SEEK_LANES);
    state->held = take(memory, &used, lines * sizeof *state->held);
    state->stale = take(memory, &used, lines);
    return used;
}
