/* SPDX-License-Identifier: MIT */
/* Hogels on a CUDA device, as C sees it. The field and the numbers stay there between the calls. */
#ifndef RO_HOLOGRAM_DIFFUSE_CUDA_H
#define RO_HOLOGRAM_DIFFUSE_CUDA_H

#include "hologram/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Brings the job's field to the device. */
ro_status hologram_cuda_load(struct hologram_job *job);

/* As field_rms, of the field on the device. */
ro_status hologram_cuda_rms(struct hologram_job *job, bool real, double *rms);

/* One launch over all hogels of the job; counts their clips. */
ro_status hologram_cuda_run(struct hologram_job *job);

/* Brings the numbers back. */
ro_status hologram_cuda_store(struct hologram_job *job);

#ifdef __cplusplus
}
#endif

#endif
