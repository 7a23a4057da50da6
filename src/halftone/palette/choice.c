/* SPDX-License-Identifier: MIT */
/*
 * The colour nearest to a value, the first among equals: the k of the least
 *
 *     (x0 - p0)^2 + 3 * (x1 - p1)^2 + (x2 - p2)^2,     p = light(k) / 256,  u = v / 256 + shift
 *
 * all rounded down, so that no two 8-bit colours are one. Without x's own square that is the k of
 * the largest product of x and 2 * (p0, 3 * p1, p2) less p's square: 16-bit factors, 32-bit sums.
 *
 * x is u, but what lies beyond the least and the most of the palette's channel counts eight times.
 * Colours of nearly one plane can be mixed in several ways that differ by little across that plane.
 * Only an error across it, of many whites if it had to speak for itself, tells the ways apart; so
 * it is made to speak up. Where colours crowd (is_crowded) green counts less, and not all sides do.
 *
 * The shift, 3/16 of the smallest distance between two colours (the larger of a channel's), makes
 * bright colours come a little early: at the top of a dark picture, where the eye notices, one need
 * not wait until half a pixel's light has come together. Errors are lower by that and otherwise the
 * same. A colour of the palette remains nearest to itself.
 *
 * Colours that the others can mix, as orange on a panel with red and yellow, are held back: see
 * hold_back.
 */
#include "halftone/palette/palette.h"

#include <stdlib.h>
#include <string.h>

enum {
    APART = 18, /* corners that stand out by less than this part of white are crowded */
    BRIGHT = 4, /* what part of a channel's range is near to its most */
};

static int32_t fine(int32_t v) { return v >> PALETTE_FINE; }

int32_t palette_smallest_step(const struct palette_plan *plan)
{
    int32_t least = INT32_MAX;
    for (int k = 1; k < plan->count; k++)
        for (int j = 0; j < k; j++) {
            int32_t step = 0;
            for (int c = 0; c < 3; c++) {
                const int32_t apart = abs(fine(plan->colour[c][k]) - fine(plan->colour[c][j]));
                step = apart > step ? apart : step;
            }
            if (step > 0 && step < least)
                least = step;
        }
    return least < INT32_MAX ? least : 0;
}

static void stretch(const struct palette_choice *choice, const int32_t v[3], int32_t x[3])
{
    for (int c = 0; c < 3; c++)
        x[c] = palette_stretch(choice, c, v[c]);
}

int palette_nearest(const struct palette_choice *choice, const int32_t v[3])
{
    int32_t x[3];
    stretch(choice, v, x);
    int nearest = 0;
    for (int k = 1; k < choice->count; k++)
        if (palette_score(choice, k, x) > palette_score(choice, nearest, x))
            nearest = k;
    return nearest;
}

/* Sets a colour whose score rises along `steep` instead of its own light p, with the same score at
 * p, less `held`. */
static void put_colour(struct palette_choice *choice, int k, const int32_t p[3],
                       const int32_t steep[3], int32_t held)
{
    int32_t product[3];
    choice->square[k] = held;
    for (int c = 0; c < 3; c++) {
        const int times = c == 1 ? choice->green : 1;
        product[c] = 2 * times * steep[c];
        choice->square[k] += times * p[c] * (2 * steep[c] - p[c]);
    }
    choice->red_green[k] = product[0] | product[1] << 16;
    choice->blue[k] = product[2];
}

static void light_of(const struct palette_plan *plan, int k, int32_t p[3])
{
    for (int c = 0; c < 3; c++)
        p[c] = fine(plan->colour[c][k]);
}

static bool same_colour(const struct palette_plan *plan, int j, int k)
{
    return plan->colour[0][j] == plan->colour[0][k] && plan->colour[1][j] == plan->colour[1][k] &&
           plan->colour[2][j] == plan->colour[2][k];
}

/* The square of a colour's distance from what the others can mix; 0: an inner colour. */
static int64_t apart_square(const struct palette_plan *plan, int k)
{
    struct palette_hull others = {0};
    struct palette_corners corners = {0};
    const uint16_t colour[3] = {(uint16_t)(plan->colour[0][k] / 16),
                                (uint16_t)(plan->colour[1][k] / 16),
                                (uint16_t)(plan->colour[2][k] / 16)};
    int32_t to[3];
    for (int j = 0; j < plan->count; j++)
        if (!same_colour(plan, j, k)) {
            for (int c = 0; c < 3; c++)
                others.colour[others.count][c] = (uint16_t)(plan->colour[c][j] / 16);
            others.count++;
        }
    int64_t square = 0;
    if (others.count > 0 && palette_project(&others, colour, &corners, to))
        return 0;
    for (int c = 0; c < 3 && others.count > 0; c++) {
        const int64_t away = (c == 1 ? PALETTE_GREEN : 1) * (int64_t)(to[c] - plan->colour[c][k]);
        square += away * away;
    }
    return square > 0 ? square : 1;
}

/* Whether corners of the hull nearly lie in the hull of the others, as all of c64 but white: the
 * same light can then be mixed with or without them, and an error would have to grow to several
 * whites to tell. Of four colours there is one mixture of a light and no more. */
static bool is_crowded(const struct palette_plan *plan, const int64_t apart[PALETTE_MOST])
{
    const int64_t least = PALETTE_WHITE / APART;
    bool crowded = false;
    for (int k = 0; k < plan->count; k++)
        crowded |= apart[k] > 0 && apart[k] < least * least;
    return crowded && plan->count > 4;
}

/* By how much a colour of the palette beats `rival` where there is no error. */
static int32_t lead_over(const struct palette_plan *plan, const struct palette_choice *choice,
                         int k, int rival)
{
    const int32_t v[3] = {plan->colour[0][k], plan->colour[1][k], plan->colour[2][k]};
    int32_t x[3];
    stretch(choice, v, x);
    return palette_score(choice, k, x) - palette_score(choice, rival, x);
}

/* By how much k beats all others; and whether they still beat it, each at its own light. */
static int32_t least_lead(const struct palette_plan *plan, const struct palette_choice *choice,
                          int k, bool *others_lead)
{
    int32_t least = INT32_MAX;
    *others_lead = true;
    for (int j = 0; j < plan->count; j++)
        if (!same_colour(plan, j, k)) {
            const int32_t lead = lead_over(plan, choice, k, j);
            least = lead < least ? lead : least;
            *others_lead &= lead_over(plan, choice, j, k) > 0;
        }
    return least;
}

/* An inner colour just beneath the hull's surface would be taken for light on the surface again and
 * again, and errors across it would grow until they tell it apart. Its score is made to rise less
 * outwards, as if it lay a sixteenth nearer to the middle; and it comes only where it leads by more
 * than 5/8 of its lead at its own light, for less grain. */
static void hold_back(const struct palette_plan *plan, const int64_t apart[PALETTE_MOST],
                      struct palette_choice *choice)
{
    int32_t middle[3] = {0};
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < plan->count; k++)
            middle[c] += fine(plan->colour[c][k]);
        middle[c] /= plan->count;
    }
    for (int k = 0; k < plan->count; k++) {
        int32_t p[3], steep[3];
        bool others_lead;
        if (apart[k] > 0)
            continue;
        light_of(plan, k, p);
        for (int c = 0; c < 3; c++)
            steep[c] = p[c] + (middle[c] - p[c]) / 16;
        const int32_t own_lead = least_lead(plan, choice, k, &others_lead);
        put_colour(choice, k, p, steep, 0);
        int32_t lead = least_lead(plan, choice, k, &others_lead);
        if (!others_lead || lead < own_lead / 2) { /* colours too close for that */
            memcpy(steep, p, sizeof steep);
            lead = own_lead;
        }
        put_colour(choice, k, p, steep, lead / 8 * 5);
    }
}

/* Whether every channel has two bright colours. */
static bool is_bright(const struct palette_plan *plan, const struct palette_choice *choice)
{
    bool bright = true;
    for (int c = 0; c < 3; c++) {
        const int32_t most = choice->most[c], near = (most - choice->least[c]) / BRIGHT;
        int count = 0;
        for (int k = 0; k < plan->count; k++)
            count += most - fine(plan->colour[c][k]) <= near;
        bright &= count > 1;
    }
    return bright;
}

/* For crowded colours green counts less, for with its weight errors in red and blue have to grow
 * more before they are heard. Where only one colour, white as a rule, is bright in a channel, a
 * bright side has a corner of the hull and no face: light that lies between white and darker
 * colours then goes out by red and by less green at the same time, and the two must not be heard
 * differently. So only the sides where red and blue end count what lies beyond eight times: along
 * these the dark colours lie. */
static void tell_apart(const struct palette_plan *plan, struct palette_choice *choice)
{
    if (is_bright(plan, choice)) {
        choice->green = 2;
        return;
    }
    choice->green = 1;
    choice->least[1] = INT16_MIN;
    for (int c = 0; c < 3; c++)
        choice->most[c] = INT16_MAX;
}

void palette_choice_make(const struct palette_plan *plan, struct palette_choice *choice)
{
    int64_t apart[PALETTE_MOST] = {0};
    *choice = (struct palette_choice){.count = plan->count,
                                      .green = PALETTE_GREEN_CHOSEN,
                                      .shift = 3 * palette_smallest_step(plan) / 16};
    for (int k = 0; k < plan->count; k++) {
        int32_t p[3];
        light_of(plan, k, p);
        apart[k] = apart_square(plan, k);
        for (int c = 0; c < 3; c++) {
            choice->least[c] = k == 0 || p[c] < choice->least[c] ? p[c] : choice->least[c];
            choice->most[c] = k == 0 || p[c] > choice->most[c] ? p[c] : choice->most[c];
        }
    }
    if (is_crowded(plan, apart))
        tell_apart(plan, choice);
    for (int k = 0; k < PALETTE_MOST; k++) {
        int32_t p[3];
        choice->square[k] = INT32_MAX; /* past the last never the best */
        if (k >= plan->count)
            continue;
        light_of(plan, k, p);
        put_colour(choice, k, p, p, 0);
    }
    hold_back(plan, apart, choice);
}
