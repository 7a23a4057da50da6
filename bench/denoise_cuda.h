/* SPDX-License-Identifier: MIT */
/* Diffusion filters on a CUDA device. */
#ifndef RO_BENCH_DENOISE_CUDA_H
#define RO_BENCH_DENOISE_CUDA_H

#include "bench/bench.h"

int bench_denoise_cuda(const struct bench_options *options);

#endif
