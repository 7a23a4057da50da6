/* SPDX-License-Identifier: MIT */
/*
 * The signal and the noise in a window before anything is rounded: from the field, the weights and
 * the levels.
 *
 * What is rounded, u, is the field and many errors: nearly Gaussian. Rounding it is then a factor
 * and noise that has nothing to do with u (Bussgang), Q(u) = k u + d, and with the weights W
 *
 *     q = k / (1 - (1 - k) W) g  +  (1 - W) / (1 - (1 - k) W) d        frequency by frequency.
 *
 * or, where errors are taken against the field,
 *
 *     q = k (1 + W) / (1 + k W) g  +  1 / (1 + k W) d.
 *
 * The power of d and k follow from the variance of u, which in turn is that of
 * (g - W d) / (1 - (1 - k) W), or of ((1 + W) g - W d) / (1 + k W). The spectrum of d is white for
 * most levels; for phases it follows from the correlation of u: Q is a sum of harmonics e^{i p a}
 * of its angle a, and their correlation is |r|^p (p/2)!^2 / p! 2F1(p/2, p/2; 1 + p; |r|^2), r being
 * that of u.
 *
 * Three more kinds of noise: where the factor of g differs over the window, since one scale is
 * fitted to all of it; what errors would have added beyond the hogel's edges, which is missing
 * there and spread over all frequencies; and what of the field lies outside of all levels (of
 * phases: outside the polygon that they span), which no sum of levels near by can make.
 */
#ifndef RO_HOLOGRAM_QUANTIZE_NOISE_MODEL_H
#define RO_HOLOGRAM_QUANTIZE_NOISE_MODEL_H

#include "hologram/quantize/diffuse_job.h"
#include "hologram/quantize/levels.h"

#include <complex.h>
#include <stdbool.h>

struct dft_field;

/* Of levels: k and the power of d for a standard deviation of u; and of phases the correlation of
 * d for that of u. */
enum { PREDICT_NODES = 41, PREDICT_STEPS = 512, PREDICT_HARMONICS = 3 };
struct predict_levels {
    bool real; /* they show the real part of the field */
    double factor[PREDICT_NODES], noise[PREDICT_NODES];
    int phases; /* 0: none */
    double modulus;
    float within; /* the square of a modulus that they can show at any angle */
    float harmonic[PREDICT_HARMONICS][PREDICT_STEPS + 2];
    int power[PREDICT_HARMONICS]; /* of the phase; all the rest of d is white */
    double white;
};
void predict_levels_open(const struct hologram_levels *levels, struct predict_levels *p);

/* What of a number times the gain lies outside of all levels: 0 inside. */
float complex predict_beyond(const struct predict_levels *p, float complex g);

/* A hogel: spectra of the field times the gain, of what of it lies beyond the levels, and of the
 * weights, and which bins count. `d` is for one more spectrum, which the transform is for. */
struct predict_hogel {
    uint32_t width, height;
    const float complex *g, *beyond, *w;
    float complex *d;
    const unsigned char *inside;
    const struct hologram_taps *taps;
    struct dft_field *transform;
};
void predict_run(const struct predict_levels *levels, const struct predict_hogel *hogel,
                 double *signal, double *noise);

#endif
