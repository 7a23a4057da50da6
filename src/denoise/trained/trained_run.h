/* SPDX-License-Identifier: MIT */
/* Rows of an image, all of them or a piece: their changes, what they leave to the running sum, and
 * the output. */
#ifndef RO_DENOISE_TRAINED_TRAINED_RUN_H
#define RO_DENOISE_TRAINED_TRAINED_RUN_H

#include "denoise/trained/trained_picture.h"

#include <stdatomic.h>

struct trained_run {
    struct trained_picture picture;
    struct denoiser *work;
    uint32_t first, rows;
    int32_t *change;              /* of all planes */
    uint64_t *carry;              /* of every channel before a row */
    struct step_figures *figures; /* before and after, of every row */
    uint32_t bands;
    atomic_uint_fast32_t ticket;
    atomic_bool failed;
    bool in_order;
    void (*row)(struct trained_run *run, uint32_t y);
};

/* The denoiser's input has the rows and, above and below, as many as the network reaches and
 * levels of uneven noise look at. */
ro_status trained_run_open(struct trained_run *run, struct denoiser *work, uint32_t first,
                           uint32_t rows);
void trained_run_close(struct trained_run *run);

/* Changes, by all threads. */
ro_status trained_run_bands(struct trained_run *run);
/* What each row leaves to those behind it: carry[3 * (i + 1) + channel] for row i. */
void trained_run_rests(struct trained_run *run);
/* Writes the rows to the denoiser's output, which begins with the first of them. `start` is what
 * the rows above have left. */
void trained_run_write(struct trained_run *run, const uint64_t start[3]);

#endif
