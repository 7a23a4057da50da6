/* SPDX-License-Identifier: MIT */
#include "pace.h"

double pace_lag(uint32_t rows, uint32_t lanes)
{
    const uint32_t bands = (rows + lanes - 1) / lanes;
    return (double)bands * (PACE_SKEW * lanes + PACE_STEPS);
}

uint32_t pace_piece(uint32_t lines)
{
    const uint32_t columns = PACE_MESSAGE / (lines ? lines : 1);
    return columns < PACE_LEAST_MESSAGE ? PACE_LEAST_MESSAGE : columns;
}

enum { USUAL_ROWS = 256, LARGEST_BAND = 256 << 20 };

uint32_t pace_usual(size_t row_bytes)
{
    const size_t fit = LARGEST_BAND / (row_bytes ? row_bytes : 1);
    return fit < 1 ? 1 : fit < USUAL_ROWS ? (uint32_t)fit : USUAL_ROWS;
}

struct pace pace_of(const struct pace_needs *needs)
{
    const uint32_t lanes = needs->lanes, lines = needs->lines, ranks = needs->ranks;
    const uint32_t share = needs->width / (2 * ranks), at_once = lanes * needs->threads;
    struct pace pace = {.piece = share / 4, .rows = at_once};
    if (pace.piece < PACE_LEAST_PIECE)
        pace.piece = PACE_LEAST_PIECE;
    if (pace.piece > pace_piece(lines))
        pace.piece = pace_piece(lines);
    for (uint32_t more = 2; more <= PACE_MOST_ABREAST; more++) {
        const uint32_t rows = more * at_once;
        if (pace.piece + pace_lag(rows, lanes) > share || rows > needs->height / (4 * ranks) ||
            rows > LARGEST_BAND / (needs->row_bytes ? needs->row_bytes : 1))
            break;
        pace.rows = rows;
    }
    return pace;
}
