/* SPDX-License-Identifier: MIT */
#ifndef RO_BENCH_DENOISE_TRAINED_H
#define RO_BENCH_DENOISE_TRAINED_H

#include "roundoff.h"

/* Prints dB and speed of the models and of other programs' denoisers on a noisy picture, as rows
 * of a table; the contexts have one thread and all. */
void bench_denoise_trained(ro_context *one, ro_context *all, int threads, int size);

#endif
