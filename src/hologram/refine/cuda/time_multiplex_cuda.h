/* SPDX-License-Identifier: MIT */
/* Frames in time on a CUDA device, as C sees it: all planes stay there, numbers come back. */
#ifndef RO_HOLOGRAM_REFINE_CUDA_TIME_MULTIPLEX_CUDA_H
#define RO_HOLOGRAM_REFINE_CUDA_TIME_MULTIPLEX_CUDA_H

#include "hologram/propagate/propagate_cuda.h"
#include "hologram/quantize/diffuse_job.h"

#ifdef __cplusplus
extern "C" {
#endif

struct frame_now;
struct frames_cuda;

struct frames_filters {
    const struct propagate_filter *there, *back, *project;
    bool wraps;
};

/* The device's calls; NULL until a device was found. */
struct frames_cuda_calls {
    ro_status (*open)(ro_context *context, struct propagate_cuda *light, uint32_t width,
                      uint32_t height, const float *table, int levels, struct frames_cuda **device);
    void (*close)(struct frames_cuda *device); /* NULL is allowed */
    /* The field to where it counts: what is wanted, its largest. */
    ro_status (*wanted)(struct frames_cuda *device, const ro_field *field,
                        const struct frames_filters *filters, bool smooth, double *largest);
    /* The light to round, on the modulator: it stays in device memory. */
    ro_status (*aim)(struct frames_cuda *device, const struct frame_now *now,
                     const struct frames_filters *filters, int projections, float **light);
    /* What arrives of the numbers that the job has left on the device. */
    ro_status (*look)(struct frames_cuda *device, struct hologram_job *job,
                      const struct frame_now *now, const struct frames_filters *filters);
    /* Sums of each row: of the mean, of its product with the wanted (roots), of the wanted. */
    ro_status (*figures)(struct frames_cuda *device, double (*rows)[3]);
};
extern const struct frames_cuda_calls *frames_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
