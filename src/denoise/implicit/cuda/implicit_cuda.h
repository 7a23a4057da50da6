/* SPDX-License-Identifier: MIT */
/* The semi-implicit schemes on a CUDA device, as C sees them: planes of numbers go there, time
 * steps are done, numbers come back. The bits are those of implicit_ref.c and real_ref.c. */
#ifndef RO_DENOISE_IMPLICIT_CUDA_IMPLICIT_CUDA_H
#define RO_DENOISE_IMPLICIT_CUDA_IMPLICIT_CUDA_H

#include "denoise/diffusion.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RO_DEVICE_SWEEPS = 8 }; /* as RO_SWEEPS */

struct implicit_job {
    ro_context *context;
    const struct step_weights *stiffness; /* of integers with time 1; `real` of floats */
    bool conjugate, nearest;
    uint32_t time;            /* in 1/16384 */
    double time_step, enough; /* the same, and where conjugate gradients end */
    uint64_t seed;            /* that of plane 0 in the first step; see dither_seed */
    uint32_t steps;
    void *planes; /* int32_t or float, in and out */
    /* What was done. */
    uint64_t launches;
    double seconds;
};

/* The device's calls; NULL until a device was found. */
struct implicit_cuda_calls {
    size_t (*bytes)(const struct step_weights *stiffness, bool conjugate); /* of device memory */
    ro_status (*run)(struct implicit_job *job);
};
extern const struct implicit_cuda_calls *implicit_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
