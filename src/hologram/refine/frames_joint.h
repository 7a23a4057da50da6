/* SPDX-License-Identifier: MIT */
/* Sweeps over frames in time in which each takes account of all others. */
#ifndef RO_HOLOGRAM_REFINE_FRAMES_JOINT_H
#define RO_HOLOGRAM_REFINE_FRAMES_JOINT_H

#include "hologram/propagate/propagate.h"
#include "hologram/quantize/levels.h"

struct joint_frames {
    ro_context *context;
    ro_refinement refinement; /* its distance counts */
    const struct hologram_levels *levels;
    const float *table;
    struct propagation *light;
    uint32_t width, height;
    int count, sweeps;
    const float *wanted; /* the intensity of a frame, */
    double unit;         /* in units of what arrives of the levels */
};

/* Changes level numbers, an image a frame. */
ro_status frames_search(const struct joint_frames *joint, const ro_image *frames);

#endif
