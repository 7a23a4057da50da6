/* SPDX-License-Identifier: MIT */
/* Trained diffusion on a CUDA device, as C sees it: what the filters see goes there, the changes
 * come back. The bits are those of trained_ref.c. */
#ifndef RO_DENOISE_TRAINED_CUDA_TRAINED_CUDA_H
#define RO_DENOISE_TRAINED_CUDA_TRAINED_CUDA_H

#include "denoise/trained/trained.h"
#include "roundoff/core.h"

#ifdef __cplusplus
extern "C" {
#endif

struct trained_job {
    ro_context *context;
    const struct trained_plan *plan;
    uint32_t width, height;
    const int16_t *seen;
    const uint8_t *levels; /* of uneven noise, else NULL */
    int32_t *change;
    /* What was done. */
    uint64_t launches;
    double seconds;
};

/* The device's calls; NULL until a device was found. */
struct trained_cuda_calls {
    ro_status (*run)(struct trained_job *job); /* one plane; adds to launches and seconds */
};
extern const struct trained_cuda_calls *trained_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
