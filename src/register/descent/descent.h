/* SPDX-License-Identifier: MIT */
/*
 * The rules of a scale's updates, for whoever touches the pixels: how long an update is, and which
 * is the last. The host's loop (loops.c) and the device's (descend.cuh) ask the
 * same questions of the same sums. Nothing here adds to a product: no compiler may round otherwise.
 */
#ifndef RO_REGISTER_DESCENT_DESCENT_H
#define RO_REGISTER_DESCENT_DESCENT_H

#include "core/shared.h"
#include "register/register.h"

#include <math.h>

/* What holds for all updates of a scale. */
struct descent_rule {
    double little_share;      /* of the energy: an update that gains less gains little */
    double nothing_share;     /* and a scale */
    double pixels;            /* of the images on the grid */
    double node;              /* a node's size in pixels */
    double tolerance;         /* pixels: the last update moves by less */
    uint32_t updates, trials; /* the most */
    bool automatic;           /* the energy tells when to end */
};

/* The search for a length: from the last length on, doubled while that is better, else halved until
 * Armijo's rule holds. */
struct descent_length {
    double tau, slope, longest; /* slope: of the energy along d, in its units, for tau = 1 */
    double asked;               /* the length whose energy is wanted */
    int64_t before, energy;     /* at 0, at tau */
    uint32_t trials, most;
    bool grows; /* tau holds; twice as much may be better */
};
enum descent_answer { RO_LENGTH_ASKS, RO_LENGTH_FOUND, RO_LENGTH_NONE };

/* One update, as it is reported. */
struct descent_step {
    int64_t energy, count;
    double change;
    uint32_t trials;
};

/* How far a scale has come. */
struct descent_state {
    double tau;     /* the last length; 0: none yet */
    double pending; /* of an update not yet made */
    int64_t first, last;
    uint32_t steps, trials;
    int little; /* updates in a row that gained little */
};

/* ---- A length ---------------------------------------------------------------------------------
 */

RO_SHARED bool falls_enough(const struct descent_length *length, int64_t after, double tau)
{
    return 0.5 * (double)(length->before - after) >= 0.25 * tau * length->slope;
}

RO_SHARED enum descent_answer length_ask(struct descent_length *length, double tau)
{
    length->asked = tau;
    length->trials++;
    return RO_LENGTH_ASKS;
}

RO_SHARED enum descent_answer length_grow(struct descent_length *length)
{
    return length->trials < length->most && 2 * length->tau <= length->longest
               ? length_ask(length, 2 * length->tau)
               : RO_LENGTH_FOUND;
}

/* The energy at `asked`. */
RO_SHARED enum descent_answer length_told(struct descent_length *length, int64_t energy)
{
    const bool falls = falls_enough(length, energy, length->asked);
    if (length->grows && (energy >= length->energy || !falls))
        return RO_LENGTH_FOUND;
    if (falls) {
        const bool halved = !length->grows && length->trials > 1;
        length->tau = length->asked;
        length->energy = energy;
        length->grows = true;
        return halved ? RO_LENGTH_FOUND : length_grow(length);
    }
    return length->trials < length->most ? length_ask(length, length->asked / 2) : RO_LENGTH_NONE;
}

/* ---- An update --------------------------------------------------------------------------------
 */

/* The first length to try; it needs the largest |d| only. */
RO_SHARED double descent_first(const struct descent_state *descent, float peak)
{
    const double longest = 4 / (double)peak; /* nodes that one update may move by */
    const double tau = descent->tau > 0 ? descent->tau : 1 / (double)peak;
    return tau < longest ? tau : longest;
}

/* Whether there is a direction worth going: its search begins. */
RO_SHARED enum descent_answer descent_search(const struct descent_rule *rule,
                                             const struct descent_state *descent,
                                             const struct descent_probe *probe,
                                             struct descent_length *length)
{
    enum { LEAST_SHARE = 4 };
    if (!(probe->sums.peak > RO_LEAST_PEAK) || !(probe->peak > RO_LEAST_PEAK) ||
        !isfinite(probe->peak))
        return RO_LENGTH_NONE;
    if (probe->sums.energy == 0)
        return RO_LENGTH_NONE; /* it cannot be less */
    if ((double)probe->sums.count * LEAST_SHARE < rule->pixels)
        return RO_LENGTH_NONE; /* it has lost the image: what is left proves nothing */
    if (probe->products.slope <= 0)
        return RO_LENGTH_NONE;
    const double g_unit = scale_unit(probe->sums.peak, RO_GRADIENT_BITS);
    const double d_unit = scale_unit(probe->peak, RO_DIRECTION_BITS);
    length->slope = (double)probe->products.slope * g_unit * d_unit * (1 << RO_ENERGY_BITS);
    length->longest = 4 / (double)probe->peak;
    length->before = probe->sums.energy;
    length->most = rule->trials;
    return length_ask(length, descent_first(descent, probe->peak));
}

RO_SHARED bool fell_little(int64_t before, int64_t after, double share)
{
    return (double)(before - after) < share * (double)before;
}

/* After a length was found: whether the update is the last. */
RO_SHARED bool descent_made(const struct descent_rule *rule, struct descent_state *descent,
                            const struct descent_probe *probe, const struct descent_length *length,
                            struct descent_step *step)
{
    enum { MOST_LITTLE = 2 };
    const double d_unit = scale_unit(probe->peak, RO_DIRECTION_BITS);
    const double square = 4 * (double)probe->products.square / rule->pixels;
    step->energy = length->energy;
    step->count = probe->sums.count;
    step->trials = length->trials;
    step->change = length->tau * sqrt(square) * d_unit * rule->node;
    descent->tau = descent->pending = length->tau;
    descent->first = descent->steps == 0 ? probe->sums.energy : descent->first;
    descent->last = length->energy;
    const bool little = fell_little(probe->sums.energy, length->energy, rule->little_share);
    descent->little = little ? descent->little + 1 : 0;
    descent->steps++;
    return step->change < rule->tolerance || (rule->automatic && descent->little == MOST_LITTLE);
}

/* Whether the scale gained so little that a finer one would follow noise only. */
RO_SHARED bool descent_gained(const struct descent_rule *rule, const struct descent_state *descent)
{
    return !fell_little(descent->first, descent->last, rule->nothing_share);
}

#undef RO_SHARED
#endif
