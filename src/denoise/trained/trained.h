/* SPDX-License-Identifier: MIT */
/*
 * Trained diffusion, defined to the bit. network.h has the networks.
 *
 * A plane of integers f (a grey picture, or one channel of a colour basis) goes in; a plane of
 * changes D in units of 2^-fraction comes out, and the result is u = f - D * 2^-fraction. What the
 * filters see of f is v0: f in units of 2^-bits, without the middle of its range. With D = 0 first,
 * each step s of the network computes, for every pixel,
 *
 *     d   = clamp(R(D, shift), -65535, 65535)                  R(x, n) = floor(x / 2^n + 1/2)
 *     v   = clamp(v0 - R(s.gain * d, 13 + guard), least, most)
 *     z_i = sum over the taps a of forward_i[a] * v[p + distance * a]
 *     q_i = clamp(R(sat16(R(z_i, narrow)) * slope, 15), -127, 127)
 *     y_i = sign(q_i) * flux_i[|q_i|]
 *     D  += move_s * sum over i and a of back_i[a] * y_i[p - distance * a]
 *
 * Outside of the picture v repeats the nearest pixel, and what the last line would add to a pixel
 * outside is added to the nearest one instead: the transpose of the repetition.
 *
 * Nothing is rounded after the transpose and the taps of a filter add up to 0, so the sum of D over
 * the plane is exactly 0. A constant plane gives z = 0 and stays as it is. A constant added to f
 * changes v alone, by the same number everywhere, and so not D, as long as bits >= 0 and no v is
 * clamped.
 *
 * The noise's standard deviation s (in units of f) enters in three numbers only:
 *
 *     fraction = network.fraction + 6 - ceil(log2 s)
 *     move_t   = nearest(change_t * s * 2^(fraction - network.fraction - 24))
 *     slope    = nearest(127 * 2^(15 + narrow) / (6 * s * 2^bits * network.scale))
 *
 * tables.py bounds |D| by 2^31 for s * 2^fraction = 2^(network.fraction + 7); here it is below
 * 2^30.
 *
 * Uneven noise. The standard deviation of a pixel p is s * n / 255, n = n(p) from 1 to 255. Then
 *
 *     q_i = clamp(R(sat16(R(z_i, narrow)) * slope(n), 15), -127, 127)
 *     y_i = R(sign(q_i) * flux_i[|q_i|] * spread_s(n), 7)
 *     D  += sum over i and a of back_i[a] * y_i[p - distance * a]
 *
 *     slope(n)    = min(floor((255 * slope + floor(n / 2)) / n), 32767)
 *     spread_s(n) = floor((move_s * n + 127) / 255)
 *     move_t      = nearest(change_t * s * 2^(fraction - network.fraction - 24 + 7))
 *
 * and the fraction is the least amount smaller for which no move exceeds 255 * 2^7. The filters see
 * 16 bits. Fluxes are rounded before the transpose, so the sum of D is 0 as before.
 */
#ifndef RO_DENOISE_TRAINED_TRAINED_H
#define RO_DENOISE_TRAINED_TRAINED_H

#include "core/shared.h"
#include "denoise/trained/network.h"

#include <stddef.h>

enum {
    TRAINED_LARGEST_CHANGE = 65535,
    TRAINED_GUARD = 4,
    TRAINED_LEVELS = 255, /* of uneven noise */
    TRAINED_SPREAD = 7,   /* it scales fluxes in 2^-7 of a move */
};

/* A network made ready for one noise and one range of numbers. */
struct trained_plan {
    const struct trained_network *network;
    bool bytes;          /* v fits uint8_t and z int16_t; else v fits int16_t */
    bool uneven;         /* each pixel has noise of its own */
    int bits;            /* what the filters see counts in 2^-bits; below 0: in multiples */
    int32_t middle;      /* of the range of f; 0 in bytes */
    int32_t least, most; /* of v */
    int fraction, guard, shift, narrow;
    int32_t slope;
    int32_t move[TRAINED_MOST_STEPS]; /* of uneven noise in 2^-TRAINED_SPREAD */
};

/* Makes a plan for numbers from `low` to `high`, at most 2^19 apart, and noise of standard
 * deviation `noise` in their units. Returns false if the noise is below 2^-12, which changes
 * nothing, or above 8 times the range. */
bool trained_make(struct trained_plan *plan, const struct trained_network *network, int32_t low,
                  int32_t high, double noise);

/* The same for uneven noise; `noise` is that of level 255. */
bool trained_make_uneven(struct trained_plan *plan, const struct trained_network *network,
                         int32_t low, int32_t high, double noise);

/* Rows that a result depends on, up and down. */
int trained_reach(const struct trained_network *network);

/* Returns floor(x / 2^n + 1/2). */
RO_SHARED int32_t trained_round(int32_t x, int n) { return n > 0 ? (x + (1 << (n - 1))) >> n : x; }

RO_SHARED int32_t trained_clamp(int32_t x, int32_t least, int32_t most)
{
    return x < least ? least : x > most ? most : x;
}

/* Returns v0 of a number. */
RO_SHARED int16_t trained_seen(const struct trained_plan *plan, int32_t f)
{
    const int32_t x = f - plan->middle;
    return (int16_t)trained_clamp(plan->bits >= 0 ? x * (1 << plan->bits)
                                                  : trained_round(x, -plan->bits),
                                  plan->least, plan->most);
}

/* Returns v of what was seen first and the change since; `gain` is that of the step. */
RO_SHARED int32_t trained_now(const struct trained_plan *plan, int32_t gain, int32_t seen,
                              int32_t change)
{
    const int32_t d = trained_clamp(trained_round(change, plan->shift), -TRAINED_LARGEST_CHANGE,
                                    TRAINED_LARGEST_CHANGE);
    return trained_clamp(seen - trained_round(gain * d, TRAINED_GAIN + plan->guard), plan->least,
                         plan->most);
}

/* Returns y of a filter's answer; of uneven noise before it is scaled. */
RO_SHARED int32_t trained_flux(const struct trained_plan *plan, int32_t slope, const int8_t *table,
                               int32_t z)
{
    const int32_t narrow = trained_clamp(trained_round(z, plan->narrow), -32768, 32767);
    const int32_t q =
        trained_clamp(trained_round(narrow * slope, 15), 1 - TRAINED_FLUXES, TRAINED_FLUXES - 1);
    return q < 0 ? -table[-q] : table[q];
}

/* Return slope and spread of a level of uneven noise. */
RO_SHARED int32_t trained_slope(const struct trained_plan *plan, int level)
{
    const int32_t slope = (TRAINED_LEVELS * plan->slope + level / 2) / level;
    return slope < 32767 ? slope : 32767;
}

RO_SHARED int32_t trained_spread(const struct trained_plan *plan, int step, int level)
{
    return (plan->move[step] * level + TRAINED_LEVELS / 2) / TRAINED_LEVELS;
}

/* The definition, on whole planes: from v0, and the levels of uneven noise, to D. Returns false if
 * there is no memory. */
bool trained_ref(const struct trained_plan *plan, uint32_t width, uint32_t height,
                 const int16_t *seen, const uint8_t *levels, int32_t *change);

#endif
