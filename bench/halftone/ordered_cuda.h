/* SPDX-License-Identifier: MIT */
/* Ordered dithering on a CUDA device. */
#ifndef RO_BENCH_ORDERED_CUDA_H
#define RO_BENCH_ORDERED_CUDA_H

#include "bench/bench.h"

int bench_ordered_cuda(const struct bench_options *options);

#endif
