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

struct pace pace_of(uint32_t width, uint32_t height, uint32_t lanes, uint32_t lines, uint32_t ranks,
                    uint32_t threads)
{
    const uint32_t share = width / (2 * ranks), at_once = lanes * threads;
    struct pace pace = {.piece = share / 4, .rows = at_once};
    if (pace.piece < PACE_LEAST_PIECE)
        pace.piece = PACE_LEAST_PIECE;
    if (pace.piece > pace_piece(lines))
        pace.piece = pace_piece(lines);
    for (uint32_t more = 2; more <= PACE_MOST_ABREAST; more++) {
        const uint32_t rows = more * at_once;
        if (pace.piece + pace_lag(rows, lanes) > share || rows > height / (4 * ranks))
            break;
        pace.rows = rows;
    }
    return pace;
}
