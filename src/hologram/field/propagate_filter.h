/* SPDX-License-Identifier: MIT */
/* The factor of every frequency over a distance, on the CPU and on a device. */
#ifndef RO_HOLOGRAM_FIELD_PROPAGATE_FILTER_H
#define RO_HOLOGRAM_FIELD_PROPAGATE_FILTER_H

#include "transform/phasor.h"

#include <math.h>

/* H at the frequencies m and n of the doubled grid, m from -w to w - 1, over all that the
 * transforms multiply by. */
struct propagate_filter {
    double step[2];  /* cycles per metre from one to the next */
    int most[2];     /* those that pass: |m|, |n| up to these */
    double wave;     /* 1 / lambda */
    double distance; /* z */
    double whole;    /* z / lambda less whole turns */
    float scale;
};

/* The doubled grid's number of frequency k of a kind, from -n to n - 1. */
PHASOR_INLINE int propagate_number(int k, int kind, int n)
{
    const int m = 2 * k + kind;
    return m < n ? m : m - 2 * n;
}

/* The definition; 0 where nothing passes. */
PHASOR_INLINE void propagate_factor(const struct propagate_filter *f, int m, int n, float *c,
                                    float *s)
{
    const double u = m * f->step[0], v = n * f->step[1], across = u * u + v * v;
    const double rest = f->wave * f->wave - across;
    *c = *s = 0;
    if (!(rest > 0) || m > f->most[0] || -m > f->most[0] || n > f->most[1] || -n > f->most[1])
        return;
    phasor(f->whole - f->distance * (across / (sqrt(rest) + f->wave)), c, s);
    *c *= f->scale;
    *s *= f->scale;
}

#endif
