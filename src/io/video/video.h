/* SPDX-License-Identifier: MIT */
/* A video to a video of fewer bits. */
#ifndef RO_IO_VIDEO_VIDEO_H
#define RO_IO_VIDEO_VIDEO_H

#include "io/bytes/source.h"

/* `source` stands at the beginning of a Y4M video. */
ro_status video_halftone(ro_context *context, struct ro_source *source, const char *out,
                         const ro_halftone_options *options, ro_video_report *report);

#endif
