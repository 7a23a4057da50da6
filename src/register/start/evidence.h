/* SPDX-License-Identifier: MIT */
/*
 * Evidence for or against a result, from what took no part in finding it: matches that agree with
 * it, and blocks of the images whose gradients go in the same directions there, and not as much
 * anywhere near.
 */
#ifndef RO_REGISTER_START_EVIDENCE_H
#define RO_REGISTER_START_EVIDENCE_H

#include "register/start/start.h"

/* A result: a displacement of the fixed image's pixels. */
struct evidence {
    int support;       /* matches that lie on it */
    double *off;       /* how far each match is off, in pixels of the copy */
    double directions; /* share of blocks; < 0: not looked at */
};

/* Support; false: no memory. `evidence` is to be closed. */
bool evidence_open(const struct found_start *start, const ro_image *field,
                   struct evidence *evidence);
void evidence_close(struct evidence *evidence);

/* The share of blocks, by all threads of the team; false: no memory. */
bool evidence_look(struct thread_team *team, const struct start_kernels *kernels,
                   const struct found_start *start, const ro_image *field,
                   struct evidence *evidence);

/* Median of how far matches are off, of those that lie on either result; both of `count`. */
double evidence_median(const struct found_start *start, const struct evidence *of,
                       const struct evidence *other);

#endif
