/* SPDX-License-Identifier: MIT */
/* Propagation on a CUDA device, as C sees it. */
#ifndef RO_HOLOGRAM_PROPAGATE_PROPAGATE_CUDA_H
#define RO_HOLOGRAM_PROPAGATE_PROPAGATE_CUDA_H

#include "roundoff/hologram.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dft;
struct propagate_cuda;
struct propagate_filter;

/* The device's calls; NULL until a device was found. */
struct propagate_cuda_calls {
    /* The plans are those of rows and columns, `turns` e^{-i pi x / w} along each direction. */
    ro_status (*open)(ro_context *context, const struct dft *row, const struct dft *column,
                      const float *const turns[2], struct propagate_cuda **device);
    void (*close)(struct propagate_cuda *device); /* NULL is allowed */
    /* In place, in host or device memory: pairs of floats, rows without gaps. */
    ro_status (*run)(struct propagate_cuda *device, float *field,
                     const struct propagate_filter *filter, bool wraps);
};
extern const struct propagate_cuda_calls *propagate_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
