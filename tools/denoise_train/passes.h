/* SPDX-License-Identifier: MIT */
/*
 * One image through the diffusion, and the gradient of its error back through it. The image is in
 * units of the noise's standard deviation. Edges are replicated; K' is the exact adjoint of K and
 * folds them back.
 */
#ifndef RO_DENOISE_TRAIN_PASSES_H
#define RO_DENOISE_TRAIN_PASSES_H

#include "weights.h"

enum {
    BORDER = 2 * MOST_DISTANCE,      /* around an image */
    FLUX_BORDER = 4 * MOST_DISTANCE, /* zeros on the left of a row of fluxes */
    BLOCK = 8,                       /* rows that share one pass over the taps' gradient */
    LEFT_OUT = 4,                    /* border pixels without a part in the error */
};

struct passes {
    int height, width, steps, filters;
    int vectors;                 /* in a row, a multiple of 3 */
    int stride, flux_stride;     /* of an image, of a row of fluxes */
    bool back;                   /* there is memory for the way back */
    double levels;               /* grey levels per unit, if filters see whole ones; otherwise 0 */
    real *state[MOST_STEPS + 1]; /* images after so many steps */
    real *seen[MOST_STEPS];      /* what the filters see: a state or `rounded` */
    real *rounded[MOST_STEPS];
    real *input, *truth;
    real *change;   /* K' applied to fluxes */
    real *slope;    /* minus the gradient with respect to a state */
    real *response; /* K applied to states, [step][row][filter][vectors * LANES] */
    real *response_row;
    real *flux, *flux_slope;      /* BLOCK rows, [row][filter][flux_stride] */
    vec *of_taps, *of_amplitudes; /* sums of the gradient by lane */
};

/* Returns the place of a pixel in an image. */
static inline size_t pixel_at(const struct passes *p, int y, int x)
{
    return (size_t)(y + BORDER) * p->stride + x + BORDER;
}

/* Returns NULL if there is no memory. */
struct passes *passes_open(int height, int width, const struct weights *, bool back);
void passes_close(struct passes *);
/* Computes states from `input`. */
void passes_forward(struct passes *, const struct weights *);
/* Returns the mean square error and sets `slope` to that of its logarithm. */
double passes_error(struct passes *);
/* Computes the gradient with respect to taps, [step][filter][TAPS], and, in the places of the
 * weights, to amplitudes and pulls. */
void passes_backward(struct passes *, const struct weights *, double *of_taps, double *of_others);

#endif
