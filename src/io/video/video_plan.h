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
};

/* Checks the options and makes the plan; `file` is the input's. */
ro_status video_plan_make(struct open_file *file, const struct y4m *in,
                          const ro_halftone_options *options, struct video_plan *plan);

/* Checks the options about files, which mostly do not apply to videos; `file` is the input's. */
ro_status video_check_files(struct open_file *file, const char *out, const ro_read_options *read,
                            const ro_write_options *write);

/* The picture that a plane is, without pixels. */
ro_image video_plane(const struct video_plan *plan, int plane);

#endif
