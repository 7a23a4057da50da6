/* SPDX-License-Identifier: MIT */
/*
 * A trained diffusion: a few steps u <- u - sum of K' phi(K u), each with filters K of 5 x 5 taps
 * and a flux function phi for each filter. All numbers are small integers. trained.h says how they
 * act; tools/denoise_train/tables.py makes them from weights.
 */
#ifndef RO_DENOISE_TRAINED_NETWORK_H
#define RO_DENOISE_TRAINED_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TRAINED_SIDE = 5, /* taps in a row and rows of taps */
    TRAINED_TAPS = TRAINED_SIDE * TRAINED_SIDE,
    TRAINED_FLUXES = 128, /* entries of a flux table */
    TRAINED_BACK = 64,    /* a tap of 1 in `back` is so many */
    TRAINED_REACH = 6,    /* a flux table ends at so many standard deviations of the noise */
    TRAINED_GAIN = 13,    /* a gain counts in 2^-13 and is below 4, */
    TRAINED_CHANGE = 24,  /* a change in 2^-24 */
    TRAINED_MOST_FILTERS = 48,
    TRAINED_MOST_STEPS = 8,
    TRAINED_MOST_DISTANCE = 4,
};

/* Taps and tables lie filter by filter, taps from the top left in rows. */
struct trained_step {
    int32_t distance; /* pixels from tap to tap, 1 or more */
    int32_t gain;     /* the pull towards the input: the picture is the input less gain * change */
    int32_t change;   /* what a sum of `back` times fluxes moves the picture by, per unit of noise:
                         2^fraction * (the largest flux / 127) / TRAINED_BACK */
    const int8_t (*forward)[TRAINED_TAPS]; /* K in units of 1/scale; a filter's sum is 0 */
    const int8_t (*back)[TRAINED_TAPS];    /* K' in units of 1/TRAINED_BACK; likewise */
    const int8_t (*flux)[TRAINED_FLUXES];  /* phi at n/127 * TRAINED_REACH; odd, so phi(0) = 0 */
};

struct trained_network {
    const char *name;
    bool bytes;       /* the filters see the picture in 8 bits, else in 16 */
    int32_t filters;  /* of a step, a multiple of 4 */
    int32_t steps;    /* below or at TRAINED_MOST_STEPS */
    int32_t scale;    /* a tap of 1 in `forward` is so many */
    int32_t fraction; /* the change is counted in 2^-fraction */
    struct trained_step step[TRAINED_MOST_STEPS];
};

extern const struct trained_network trained_best, trained_fast;

#endif
