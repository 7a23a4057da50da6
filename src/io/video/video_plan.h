/* SPDX-License-Identifier: MIT */
/* What is done to each plane of a video's frames: docs/numerics.md, Video. */
#ifndef RO_IO_VIDEO_VIDEO_PLAN_H
#define RO_IO_VIDEO_VIDEO_PLAN_H

#include "io/video/y4m.h"

struct video_plan {
    struct y4m in, out;
    ro_halftone_options options[Y4M_PLANES];
    ro_format from, to; /* of a plane's samples */
    bool shown;         /* fewer levels than a byte has: as tones, by these */
    uint8_t tones[Y4M_PLANES][256];

    /* Frames as pictures (video_picture.h): a plan for the picture, not one for each plane. */
    bool pictures, coloured; /* coloured: RGB; else brightness alone */
    bool reshaped;
    ro_read_options read;
};

/* How many plans of halftones there are. */
static inline int video_plans(const struct video_plan *plan)
{
    return plan->pictures ? 1 : plan->in.planes;
}

/* Checks the options and makes the plan; `file` is the input's. */
ro_status video_plan_make(struct open_file *file, const struct y4m *in,
                          const ro_halftone_options *options, const ro_read_options *read,
                          struct video_plan *plan);

/* Checks the options about files, which mostly do not apply to videos; `file` is the input's. */
ro_status video_check_files(struct open_file *file, const char *out, const ro_read_options *read,
                            const ro_write_options *write);

/* The picture that a plane is, or a frame, as it is halftoned; without pixels. */
ro_image video_plane(const struct video_plan *plan, int plane);

#endif
