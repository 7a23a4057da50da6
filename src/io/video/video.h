/* SPDX-License-Identifier: MIT */
/* A video to a video of fewer bits. */
#ifndef RO_IO_VIDEO_VIDEO_H
#define RO_IO_VIDEO_VIDEO_H

#include "io/bytes/source.h"

/* Returns true if the output is to be a video, as far as its name or type says. */
bool video_named(const char *out, const char *type);

/* Halftones the Y4M video at whose beginning `source` stands. */
ro_status video_halftone(ro_context *context, struct byte_source *source, const char *out,
                         const ro_halftone_options *options, const ro_read_options *read,
                         const ro_write_options *write, ro_video_report *report);

#endif
