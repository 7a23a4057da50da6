/* SPDX-License-Identifier: MIT */
/*
 * A batch of noisy patches on several threads. Results have the same bits for any number of
 * threads: one thread works on a patch, its random numbers follow from (seed, batch, patch), its
 * gradient goes to a buffer of its own, and the buffers are added in the order of the patches.
 */
#ifndef RO_DENOISE_TRAIN_BATCH_H
#define RO_DENOISE_TRAIN_BATCH_H

#include "passes.h"

struct patches {
    int32_t count, side;
    uint8_t *pixels;
};

/* Noise and crops that are drawn. */
struct drawing {
    int patches, crop;
    double least_noise, most_noise; /* grey levels */
    double clipped;                 /* share of patches in bytes, clipped at 0 and 255 */
    uint64_t seed;
};

struct batch {
    const struct weights *weights;
    const struct patches *patches;
    struct drawing drawing;
    int threads;
    bool gradient, in_order; /* in_order: patch i of the batch is patch i of the file */
    uint64_t number;
    struct passes **passes; /* of a thread */
    double *error;          /* of a patch, and so are the gradients */
    double *of_taps, *of_values;
    _Atomic int next_patch, next_thread;
};

bool patches_read(struct patches *, const char *path);
bool batch_open(struct batch *, const struct weights *, const struct patches *,
                const struct drawing *, int threads, bool gradient);
void batch_close(struct batch *);
/* Returns the mean logarithm of the square error over the noise's; `gradient` is that of it. */
double batch_run(struct batch *, uint64_t number, double *gradient);
/* Calls `work` on so many threads. */
void run_threads(void *(*work)(void *), void *argument, int threads);
/* Returns the mean of a grey level that noise moves and a byte clips. A diffusion keeps means, so
 * on clipped input this is what it can find at best. */
double clipped_mean(double level, double noise);

#endif
