/* SPDX-License-Identifier: MIT */
/* Weights of an element in double precision, without a time step, on host and device. */
#ifndef RO_DENOISE_IMPLICIT_REAL_ELEMENT_H
#define RO_DENOISE_IMPLICIT_REAL_ELEMENT_H

#include "denoise/diffusion.h"

struct real_element {
    double se, sw, e, s;
};

/* The gradient of all planes: its square, and the sine and cosine of twice its angle, times that.
 */
struct real_gradient {
    double norm, sine, cosine;
};

/* Adds a plane with differences of p and q along the diagonals. */
RO_SHARED void real_gradient_add(struct real_gradient *sum, double p, double q)
{
    sum->norm += p * p + q * q;
    sum->sine += p * p - q * q;
    sum->cosine += 2 * p * q;
}

RO_SHARED struct real_element real_element_of(const struct step_weights *d, bool linear,
                                              const struct real_gradient *sum)
{
    double value = 1.0 / 3, even = 0;
    const double square = sum->norm * (double)d->weights.scale;
    const int place = 8 * square < RO_TABLE ? (int)(8 * square) : RO_TABLE;
    struct real_element w;
    if (linear || d->model < RO_MODEL_ANISOTROPIC) {
        if (!linear && d->model == RO_MODEL_PERONA_MALIK)
            value = square < 64 ? 1 / (3 * (1 + square)) : 0;
        else if (!linear && d->model == RO_MODEL_TABLE)
            value = (double)d->weights.exponential[place] / 3;
        w.se = w.sw = value;
        w.e = w.s = value / 2;
        return w;
    }
    value = square < 64 ? 1 / (8 * (1 + square)) : 0;
    if (d->model == RO_MODEL_TENSOR) {
        value = (double)d->weights.exponential[place] / 8;
        even = (double)d->weights.even[place] / 6;
    }
    const double sine = sum->norm > 0 ? sum->sine / sum->norm : 0;
    const double cosine = sum->norm > 0 ? sum->cosine / sum->norm : 0;
    w.se = value * (2 - sine) + 2 * even;
    w.sw = value * (2 + sine) + 2 * even;
    w.e = value * (1 - cosine) + even;
    w.s = value * (1 + cosine) + even;
    return w;
}

#endif
