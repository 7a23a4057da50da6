/* SPDX-License-Identifier: MIT */
/*
 * The parameters of a trained diffusion and its filters. tables.py says how they are written as
 * text and what the integer tables are made of them.
 */
#ifndef RO_DENOISE_TRAIN_WEIGHTS_H
#define RO_DENOISE_TRAIN_WEIGHTS_H

#include "vectors.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MOST_STEPS = 8,
    MOST_FILTERS = 48,
    MOST_DISTANCE = 4,
    CLAMPS = 6,   /* terms of a flux */
    COSINES = 24, /* coefficients of a filter */
    TAPS = 25,
    TILE = 6, /* filters that conv works on together */
    FLUX_LEVELS = 127,
};

#define CLAMP_REACH 6.0
extern const real clamp_at[CLAMPS];

struct weights {
    int steps, filters, distance[MOST_STEPS];
    int count;     /* numbers in `value` */
    double *value; /* coefficients [step][filter][COSINES], amplitudes [step][filter][CLAMPS],
                      pulls [step] */
    bool whole;    /* filters and fluxes are rounded as the integer tables are */
    bool bytes;    /* and as those of a network that sees the picture in 8 bits */
    bool tied;     /* every eight filters are the mirrored and transposed forms of their first */

    /* Derived by weights_expand. */
    double tap[MOST_STEPS][MOST_FILTERS][TAPS];        /* of norm 1, not rounded */
    real packed[MOST_STEPS][MOST_FILTERS * TAPS];      /* K: [filter / TILE][tap][TILE] */
    real packed_back[MOST_STEPS][MOST_FILTERS * TAPS]; /* K': [filter][column][row] */
    real flux_unit[MOST_STEPS];                        /* the largest flux / FLUX_LEVELS, or 0 */
};

static inline int coefficient_at(const struct weights *w, int step, int filter)
{
    return (step * w->filters + filter) * COSINES;
}

static inline int amplitude_at(const struct weights *w, int step, int filter)
{
    return w->steps * w->filters * COSINES + (step * w->filters + filter) * CLAMPS;
}

static inline int pull_at(const struct weights *w, int step)
{
    return w->steps * w->filters * (COSINES + CLAMPS) + step;
}

/* Allocates zero weights. Returns false if there are too many steps or filters. */
bool weights_open(struct weights *, int steps, int filters);
void weights_close(struct weights *);
/* Starts from single cosines and small fluxes. */
void weights_start(struct weights *, uint64_t seed);
bool weights_read(struct weights *, const char *path);
bool weights_write(const struct weights *, const char *path);
/* Derives filters from coefficients. Call it after every change of `value`. */
void weights_expand(struct weights *);
/* Turns a gradient with respect to taps, [step][filter][TAPS], into one of coefficients. */
void weights_chain(const struct weights *, const double *of_taps, double *gradient);
/* Makes values, or a gradient, those of tied filters. */
void weights_tie(const struct weights *, double *values, bool average);

#endif
