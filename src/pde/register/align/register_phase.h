/* SPDX-License-Identifier: MIT */
/* Phase correlation: the shift between two small pictures. */
#ifndef RO_PDE_REGISTER_REGISTER_PHASE_H
#define RO_PDE_REGISTER_REGISTER_PHASE_H

#include "transform/radix2.h"

#include <stdbool.h>

enum { RO_PHASE_PEAKS = 4 };

struct ro_phase {
    int side; /* a power of two */
    struct radix2_double transform;
    double *spectrum, *work; /* complex: of the fixed picture, of the other */
    double *scratch;         /* of the transform */
    double *fade;            /* of columns, then of rows: 0 at the edges */
    double *weight;          /* of frequencies */
};

bool ro_phase_open(struct ro_phase *phase, int side);
void ro_phase_close(struct ro_phase *phase);

/* Pictures of at most side x side, rows of `width`; their mean is taken away and their edges are
 * faded out; the other picture has the same size. */
void ro_phase_fix(struct ro_phase *phase, const float *fixed, int width, int height);

/* Shifts v, the likeliest first, with moving(x + v) like fixed(x); of a distance of at most half
 * the side. `signs`: or like its negative. */
void ro_phase_shifts(struct ro_phase *phase, const float *moving, int width, int height, bool signs,
                     double shifts[RO_PHASE_PEAKS][2]);

#endif
