/* SPDX-License-Identifier: MIT */
/* Table I of the paper on a CUDA device. */
#ifndef RO_BENCH_DIFFUSION_CUDA_H
#define RO_BENCH_DIFFUSION_CUDA_H

#include "bench/bench.h"

int bench_diffusion_cuda(const struct bench_options *options);

#endif
