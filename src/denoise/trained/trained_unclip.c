/* SPDX-License-Identifier: MIT */
/*
 * What clipping does to a mean, and back. Noise of standard deviation s on a tone x of 0 .. white,
 * clipped to that range, has the mean
 *
 *     m(x) = s G(x / s) - s G((x - white) / s),     G(t) = the mean of max(0, t + a normal number)
 *
 * and a filter that keeps means finds m(x) instead of x. G is the integral of the integral of the
 * normal density, which is summed up by trapezoids here. Its values come from products alone, so
 * that all machines find the same bits.
 */
#include "denoise/trained/trained_picture.h"

#include <math.h>

enum { PER_UNIT = 64, REACH = 6, PLACES = REACH * PER_UNIT };
static const double STEP = 1.0 / PER_UNIT;

/* G at 0 .. REACH. */
static void make_means(double means[PLACES + 1])
{
    static const double ROOT = 0x1.fff0003fff555p-1;                 /* exp(-STEP^2 / 2) */
    double density = 0x1.9884533d43651p-2, ratio = ROOT, area = 0.5; /* 1 / sqrt(2 pi) */
    means[0] = density;                                              /* which is G(0) */
    for (int i = 0; i < PLACES; i++) {
        const double next = density * ratio, more = area + STEP * (density + next) / 2;
        ratio *= ROOT * ROOT;
        means[i + 1] = means[i] + STEP * (area + more) / 2;
        density = next;
        area = more;
    }
}

static double mean_at(const double *means, double t)
{
    const double size = fabs(t);
    if (size >= REACH)
        return t > 0 ? t : 0;
    const int i = (int)(size * PER_UNIT);
    const double share = size * PER_UNIT - i;
    const double mean = means[i] + share * (means[i + 1] - means[i]);
    return t < 0 ? mean - size : mean;
}

void trained_unclip_make(struct trained_unclip *unclip, double (*noise_at)(const void *, double),
                         const void *data)
{
    double means[PLACES + 1], before = 0, here = 0;
    int at = -1; /* before and here are m of tones `at` - 1 and `at`, in entries */
    make_means(means);
    for (int i = 0; i <= UNCLIPPED; i++) {
        const double wanted = (double)i / UNCLIPPED;
        while (at < 0 || (here < wanted && at < UNCLIPPED)) {
            const double tone = (double)++at / UNCLIPPED, s = noise_at(data, tone);
            before = here;
            here = s > 0 ? s * mean_at(means, tone / s) - s * mean_at(means, (tone - 1) / s) : tone;
        }
        const double share = at == 0 || here <= wanted ? 1 : (wanted - before) / (here - before);
        unclip->tone[i] = at == 0 ? 0 : ((double)at - 1 + share) / UNCLIPPED;
    }
}

double trained_unclip(const struct trained_unclip *unclip, double mean)
{
    if (!(mean > 0))
        return 0;
    if (mean >= 1)
        return unclip->tone[UNCLIPPED];
    const int i = (int)(mean * UNCLIPPED);
    return unclip->tone[i] + (mean * UNCLIPPED - i) * (unclip->tone[i + 1] - unclip->tone[i]);
}
