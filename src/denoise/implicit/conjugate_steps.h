/* SPDX-License-Identifier: MIT */
/* How far an iteration of conjugate gradients goes, from sums over the picture: one text for the
 * definition, the threads and the device's host. */
#ifndef RO_DENOISE_IMPLICIT_CONJUGATE_STEPS_H
#define RO_DENOISE_IMPLICIT_CONJUGATE_STEPS_H

#include <stdbool.h>

enum { RO_CONJUGATE_ITERATIONS = 64 }; /* at most */

struct conjugate_sums {
    double square; /* residual times residual */
    double along;  /* direction times product */
    double length; /* product times product */
};

struct conjugate_steps {
    double enough;      /* of |residual|^2 */
    float step, factor; /* x += step direction; direction = residual + factor direction */
    int count;
};

/* The next step and factor. false: behind this step it is enough, and nothing is left to do but to
 * add it to x. */
static inline bool conjugate_next(struct conjugate_steps *steps, const struct conjugate_sums *sums)
{
    steps->step = 0;
    if (!(sums->square > steps->enough) || !(sums->along > 0))
        return false;
    steps->step = (float)(sums->square / sums->along);
    const double step = (double)steps->step;
    const double next = (sums->square - 2 * step * sums->along) + step * step * sums->length;
    steps->factor = (float)(next / sums->square);
    steps->count++;
    return next > steps->enough && steps->count < RO_CONJUGATE_ITERATIONS;
}

#endif
