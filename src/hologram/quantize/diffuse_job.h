/* SPDX-License-Identifier: MIT */
/* What a schedule of hologram error diffusion is given: taps, hogels, the job. */
#ifndef RO_HOLOGRAM_QUANTIZE_DIFFUSE_JOB_H
#define RO_HOLOGRAM_QUANTIZE_DIFFUSE_JOB_H

#include "hologram/quantize/levels.h"

#include <stdbool.h>

enum { REACH_X = 15, REACH_Y = 7 }; /* the farthest taps */

struct hologram_taps {
    int count, p, shift;
    bool against_field; /* what is passed on is the field less the level, not what was rounded less
                           the level */
    int8_t dx[RO_HOLOGRAM_TAPS], dy[RO_HOLOGRAM_TAPS];
    int8_t re[RO_HOLOGRAM_TAPS], im[RO_HOLOGRAM_TAPS]; /* over 2^shift */
};

struct hogel {
    uint32_t x, y, width, height;
    struct hologram_taps taps;
    uint64_t clips; /* set by a run */
};

struct hologram_job {
    ro_context *context;
    const ro_field *field;
    uint8_t *out; /* level numbers */
    ptrdiff_t out_stride;
    float scale; /* gain * 2048 */
    const struct hologram_levels *levels;
    struct hogel *hogels;
    uint32_t count;
    double done, share; /* of the progress, for the run at hand */
    double kernel_ms;   /* added up by runs on a device */
    bool stored;        /* a device's numbers have come back already */
};

#endif
