/* SPDX-License-Identifier: MIT */
/* Phase correlation: the shift between two small pictures. */
#ifndef RO_REGISTER_ALIGN_PHASE_H
#define RO_REGISTER_ALIGN_PHASE_H

#include "register/align/align.h"

struct thread_team;

enum { RO_PHASE_PEAKS = 4 };

/* Of pictures of one size, which many threads may share. */
struct phase_correlation {
    const struct align_kernels *kernels;
    int side, width, height; /* side: of the transforms, a power of two */
    struct radix2_double transform;
    double *fade;                /* of columns, then of rows: 0 at the edges */
    double *weight;              /* of frequencies along one axis */
    double *fixed_re, *fixed_im; /* spectrum of the fixed picture */
};

/* What one thread has: a picture and its spectrum, and what the transforms need. */
struct phase_work {
    double *re, *im, *scratch;
};

/* Pictures of width x height, at most side x side; false: no memory. */
bool phase_open(struct phase_correlation *phase, const struct align_kernels *kernels, int side,
                int width, int height);
void phase_close(struct phase_correlation *phase);
bool phase_work_open(const struct phase_correlation *phase, struct phase_work *work);
void phase_work_close(struct phase_work *work);

/* The fixed picture; its mean is taken away and its edges are faded out, as are the other's. */
bool phase_fix(struct phase_correlation *phase, struct thread_team *team, const float *fixed);

/* Shifts v, the likeliest first, with moving(x + v) like fixed(x); of a distance of at most half
 * the side. `signs`: or like its negative. */
void phase_shifts(const struct phase_correlation *phase, const struct phase_work *work,
                  const float *moving, bool signs, double shifts[RO_PHASE_PEAKS][2]);

/* The same with all threads; false: no memory. */
bool phase_shifts_by(const struct phase_correlation *phase, struct thread_team *team,
                     const float *moving, bool signs, double shifts[RO_PHASE_PEAKS][2]);

#endif
