/* SPDX-License-Identifier: MIT */
#include "halftone/error_diffusion/balanced_threshold.h"

static int32_t at(const int16_t *table, int32_t place)
{
    if (place > BALANCE_PLACES / 2)
        return -at(table, BALANCE_PLACES - place);
    return table[place ? place : 1]; /* the darkest tones go on as those above them */
}

int32_t balance_between(const int16_t *table, int32_t place, int32_t step)
{
    const int64_t scaled = (int64_t)BALANCE_PLACES * place;
    const int32_t j = (int32_t)(scaled / step);
    const int64_t rest = scaled - (int64_t)j * step;
    const int64_t moved = at(table, j) * (step - rest) + at(table, j + 1) * rest;
    return (int32_t)(moved >> 10);
}
