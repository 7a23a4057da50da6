/* SPDX-License-Identifier: MIT */
/* The factor of every frequency over a distance, on the CPU and on a device. */
#ifndef RO_HOLOGRAM_PROPAGATE_PROPAGATE_FILTER_H
#define RO_HOLOGRAM_PROPAGATE_PROPAGATE_FILTER_H

#include "fft/phasor.h"

#include <math.h>

/* H at the frequencies m and n of the doubled grid, m from -w to w - 1, over all that the
 * transforms multiply by. */
struct propagate_filter {
    double step[2];      /* cycles per metre from one to the next */
    int low[2], high[2]; /* those that pass */
    double wave;         /* 1 / lambda */
    double distance;     /* z */
    double whole;        /* z / lambda less whole turns */
    float scale;
};

/* The doubled grid's number of frequency k of a kind, from -n to n - 1. */
PHASOR_INLINE int propagate_number(int k, int kind, int n)
{
    const int m = 2 * k + kind;
    return m < n ? m : m - 2 * n;
}

/* Whether number m passes in direction i. */
PHASOR_INLINE int propagate_passes(const struct propagate_filter *f, int i, int m)
{
    return m >= f->low[i] && m <= f->high[i];
}

/* The definition; 0 where nothing passes. */
PHASOR_INLINE void propagate_factor(const struct propagate_filter *f, int m, int n, float *c,
                                    float *s)
{
    const double u = m * f->step[0], v = n * f->step[1], across = u * u + v * v;
    const double rest = f->wave * f->wave - across;
    *c = *s = 0;
    if (!(rest > 0) || !propagate_passes(f, 0, m) || !propagate_passes(f, 1, n))
        return;
    phasor(f->whole - f->distance * (across / (sqrt(rest) + f->wave)), c, s);
    *c *= f->scale;
    *s *= f->scale;
}

#endif
