/* SPDX-License-Identifier: MIT */
/* Hogels on a CUDA device, as C sees it. The field and the numbers stay there between the calls. */
#ifndef RO_HOLOGRAM_QUANTIZE_CUDA_DIFFUSE_CUDA_H
#define RO_HOLOGRAM_QUANTIZE_CUDA_DIFFUSE_CUDA_H

#include "hologram/quantize/diffuse_job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The device's calls; NULL until a device was found. */
struct hologram_cuda_calls {
    /* Starts to bring the job's field to the device, and the sums of rows that have come. The field
     * must stay until `rms` or `wait` has returned. */
    ro_status (*load)(struct hologram_job *job, bool real);
    /* Brings the hogels of the next run there; the field may be on its way. */
    ro_status (*prepare)(struct hologram_job *job);
    /* As field_rms, of the field on the device; waits for it. */
    ro_status (*rms)(struct hologram_job *job, double *rms);
    /* One launch over all hogels that were prepared; counts their clips. */
    ro_status (*run)(struct hologram_job *job);
    /* Brings the numbers back. */
    ro_status (*store)(struct hologram_job *job);
    /* Waits for whatever was started. */
    void (*wait)(struct hologram_job *job);
};
extern const struct hologram_cuda_calls *hologram_on_cuda;

#ifdef __cplusplus
}
#endif

#endif
