/* SPDX-License-Identifier: MIT */
/* Where a job's field and its level numbers are on the device. */
#ifndef RO_HOLOGRAM_QUANTIZE_CUDA_PLACE_CUH
#define RO_HOLOGRAM_QUANTIZE_CUDA_PLACE_CUH

#include "cuda/cuda.cuh"
#include "hologram/quantize/diffuse_job.h"

struct place {
    struct device_state *cuda;
    char *field;
    unsigned char *out;
    size_t field_pitch, out_pitch;
};

/* See diffuse_cuda.h. */
ro_status hologram_cuda_load(struct hologram_job *job, bool real);
ro_status hologram_cuda_rms(struct hologram_job *job, double *rms);
ro_status hologram_cuda_store(struct hologram_job *job);
void hologram_cuda_wait(struct hologram_job *job);

ro_status hologram_find_place(struct hologram_job *job, struct place *place);

/* Starts to bring back the numbers of rows; copy_out is the stream that does. */
ro_status hologram_fetch_rows(struct hologram_job *job, const struct place *at, uint32_t first,
                              uint32_t after);

#endif
