/* SPDX-License-Identifier: MIT */
/* Propagation from one place in device memory to another, for other kernels' hosts. */
#ifndef RO_HOLOGRAM_PROPAGATE_PROPAGATE_CUH
#define RO_HOLOGRAM_PROPAGATE_PROPAGATE_CUH

#include "cuda/cuda.cuh"
#include "hologram/propagate/propagate_cuda.h"

/* On the context's compute stream; `from` and `to` may be the same. */
ro_status propagate_on_device(struct propagate_cuda *device, const float2 *from, float2 *to,
                              const struct propagate_filter *filter, bool wraps);

#endif
