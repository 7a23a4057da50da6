/* SPDX-License-Identifier: MIT */
/* A network for one noise and one range of numbers; trained.h has the formulas. */
#include "denoise/trained/trained.h"

#include <math.h>

enum {
    SEEN_BITS = 14, /* the range takes so many bits of v, where that needs no rounding: so u may */
    WIDEST_BITS = 16,  /* go beyond it on both sides without being clamped; else so many */
    LEAST_BYTES = 128, /* a range below this is seen in 16 bits, for want of steps */
};

static int32_t nearest(double x) { return (int32_t)floor(x + 0.5); }

/* Returns how many bits hold 0 to `span`. */
static int bits_of(int32_t span)
{
    int bits = 0;
    while (span >> bits)
        bits++;
    return bits;
}

/* Returns how many times uneven noise halves the unit of changes, so that no move exceeds 255. */
static int coarser(const struct trained_network *network)
{
    int times = 0;
    for (int t = 0; t < network->steps; t++)
        while (ldexp(network->step[t].change, 6 - TRAINED_CHANGE - times) > TRAINED_LEVELS)
            times++;
    return times;
}

static bool make(struct trained_plan *plan, const struct trained_network *network, int32_t low,
                 int32_t high, double noise, bool uneven)
{
    const int32_t span = high - low;
    if (span < 1 || span >= 1 << 19 || !(noise >= 0x1p-12 && noise <= 8.0 * span))
        return false;
    int exponent;
    frexp(noise, &exponent); /* noise <= 2^exponent */
    const int wide = bits_of(span);
    *plan = (struct trained_plan){.network = network, .uneven = uneven};
    plan->bytes = !uneven && network->bytes && low >= 0 && high <= 255 && span >= LEAST_BYTES;
    plan->fraction = network->fraction + 6 - exponent - (uneven ? coarser(network) : 0);
    if (plan->bytes) {
        plan->most = 255;
        plan->guard = TRAINED_GUARD;
    } else {
        plan->bits = wide < SEEN_BITS     ? SEEN_BITS - wide
                     : wide > WIDEST_BITS ? WIDEST_BITS - wide
                                          : 0;
        plan->middle = low + (span + 1) / 2;
        plan->least = -32768;
        plan->most = 32767;
    }
    const int shift = plan->fraction - plan->bits - plan->guard;
    plan->shift = shift < 31 ? shift : 31; /* all of D is rounded to 0 in either case */
    const double end = TRAINED_REACH * noise * ldexp(network->scale, plan->bits);
    while (!plan->bytes && ldexp(end, -plan->narrow) > 32767)
        plan->narrow++;
    const double slope = ldexp(TRAINED_FLUXES - 1, 15 + plan->narrow) / end;
    plan->slope = slope < 1 ? 1 : slope > 32767 ? 32767 : nearest(slope);
    for (int t = 0; t < network->steps; t++)
        plan->move[t] = nearest(ldexp(network->step[t].change * noise,
                                      plan->fraction - network->fraction - TRAINED_CHANGE +
                                          (uneven ? TRAINED_SPREAD : 0)));
    return true;
}

bool trained_make(struct trained_plan *plan, const struct trained_network *network, int32_t low,
                  int32_t high, double noise)
{
    return make(plan, network, low, high, noise, false);
}

bool trained_make_uneven(struct trained_plan *plan, const struct trained_network *network,
                         int32_t low, int32_t high, double noise)
{
    return make(plan, network, low, high, noise, true);
}

int trained_reach(const struct trained_network *network)
{
    int reach = 0;
    for (int t = 0; t < network->steps; t++)
        reach += 2 * (TRAINED_SIDE / 2) * network->step[t].distance;
    return reach;
}
