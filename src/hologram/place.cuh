/* SPDX-License-Identifier: MIT */
/* Where a job's field and its level numbers are on the device. */
#ifndef RO_HOLOGRAM_PLACE_CUH
#define RO_HOLOGRAM_PLACE_CUH

#include "core/cuda.cuh"
#include "hologram/job.h"

struct place {
    struct ro_cuda *cuda;
    char *field;
    unsigned char *out;
    size_t field_pitch, out_pitch;
};

ro_status hologram_find_place(struct hologram_job *job, struct place *place);

#endif
