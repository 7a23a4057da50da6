/* SPDX-License-Identifier: MIT */
/*
 * The nearest colour of every lane (choice.c).
 * Compiled by wave_simd.c once per instruction set.
 */
#ifndef RO_HALFTONE_PALETTE_DITHER_NEAREST_H
#define RO_HALFTONE_PALETTE_DITHER_NEAREST_H

#include "halftone/palette/dither/lanes.h"

/* The numbers of the first colours for all lanes. */
static void few_make(const struct palette_choice *choice, struct few *few)
{
    const int32_t *least = choice->least, *most = choice->most;
    const ints zero = {0};
    for (int k = 0; k < FEW; k++) {
        few->red_green[k] = zero + choice->red_green[k];
        few->blue[k] = zero + choice->blue[k];
        few->square[k] = zero + choice->square[k];
        few->number[k] = zero + k;
    }
    few->shift = zero + choice->shift;
    few->shift_pair = zero + (int32_t)((uint32_t)(-choice->shift & 65535) * 65537u);
    few->least_blue = zero + least[2];
    few->most_blue = zero + most[2];
    few->least_pair = zero + ((least[0] & 65535) | least[1] * 65536);
    few->most_pair = zero + (most[0] | most[1] << 16);
}

/* palette_stretch of both halves of 32 bits. */
RO_INLINE ints stretch(ints u, ints least, ints most)
{
    const ints inside = cut_halves(u, least, most);
    ints beyond = less_halves(u, inside);
    RO_UNROLL
    for (int twice = 1; twice < PALETTE_BEYOND; twice *= 2)
        beyond = add_halves(beyond, beyond);
    return add_halves(beyond, inside);
}

RO_INLINE ints score_of(const struct palette_choice *choice, ints pair, ints blue, int k)
{
    const ints zero = {0};
    return multiply_pairs(pair, zero + choice->red_green[k]) +
           (multiply_pairs(blue, zero + choice->blue[k]) - choice->square[k]);
}

/* Of one of the first colours, whose numbers are in memory for all lanes. */
RO_INLINE ints score_of_few(const struct few *few, ints pair, ints blue, int k)
{
    return multiply_pairs(pair, few->red_green[k]) +
           (multiply_pairs(blue, few->blue[k]) - few->square[k]);
}

/* The best of up to eight colours by a tournament, in which the lower number wins a tie. Past the
 * last colour scores are the lowest. `any`: of any number of colours. */
RO_INLINE ints best_of(const struct palette_choice *choice, const struct few *few, ints pair,
                       ints blue, int first, const int colours, const bool any, ints *best)
{
    ints score[8], number[8];
    RO_UNROLL
    for (int k = 0; k < colours; k++) {
        score[k] = any ? score_of(choice, pair, blue, first + k)
                       : score_of_few(few, pair, blue, first + k);
        number[k] = few->number[k];
    }
    RO_UNROLL
    for (int apart = 1; apart < colours; apart *= 2)
        RO_UNROLL
    for (int k = 0; k + apart < colours; k += 2 * apart) {
        number[k] = where_more(score[k + apart], score[k], number[k + apart], number[k]);
        score[k] = maximum(score[k + apart], score[k]);
    }
    *best = score[0];
    return first ? number[0] + first : number[0];
}

/* palette_nearest, of up to eight or of sixteen colours; 0: any number. */
RO_INLINE ints nearest_of(const struct palette_choice *choice, const struct few *few,
                          const ints v[3], const int colours)
{
    ints best;
    _Static_assert(PALETTE_FINE == 8, "green's middle bits become the upper half");
    const ints both = pair_halves(v[0] >> PALETTE_FINE, v[1] << PALETTE_FINE);
    const ints blue = stretch((v[2] >> PALETTE_FINE) + few->shift, few->least_blue, few->most_blue);
    const ints pair = stretch(less_halves(both, few->shift_pair), few->least_pair, few->most_pair);
    ints nearest =
        best_of(choice, few, pair, blue, 0, colours && colours < 8 ? colours : 8, !colours, &best);
    for (int first = 8; first < (colours ? colours : choice->count); first += 8) {
        ints score, number = best_of(choice, few, pair, blue, first, 8, !colours, &score);
        nearest = where_more(score, best, number, nearest);
        best = maximum(score, best);
    }
    return nearest;
}

enum { TABLES = 16 / LANES }; /* of a few colours: 16 */

RO_INLINE ints colour_of(const ints table[TABLES], ints k, const int colours)
{
    ints colour = pick(table[0], k);
    for (int n = 1; n * LANES < colours; n++)
        colour = where_more(k, (ints){0} + (n * LANES - 1), pick(table[n], k), colour);
    return colour;
}

#endif
