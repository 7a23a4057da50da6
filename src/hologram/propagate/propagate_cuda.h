/* SPDX-License-Identifier: MIT */
/* Propagation on a CUDA device with cuFFT, which is opened at run time, as C sees it. */
#ifndef RO_HOLOGRAM_PROPAGATE_PROPAGATE_CUDA_H
#define RO_HOLOGRAM_PROPAGATE_PROPAGATE_CUDA_H

#include "roundoff/hologram.h"

#ifdef __cplusplus
extern "C" {
#endif

struct propagate_cuda;

struct propagate_filter;

/* The device's calls; NULL in a build without CUDA. */
struct propagate_cuda_calls {
    ro_status (*open)(ro_context *context, uint32_t width, uint32_t height,
                      struct propagate_cuda **device);
    void (*close)(struct propagate_cuda *device); /* NULL is allowed */
    /* In place, in host memory: pairs of floats, rows without gaps. */
    ro_status (*run)(struct propagate_cuda *device, float *field,
                     const struct propagate_filter *filter);
};
extern const struct propagate_cuda_calls *const propagate_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
