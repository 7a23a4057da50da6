/* SPDX-License-Identifier: MIT */
/*
 * Frames as pictures. Where more is asked of a video than fewer bits for each of its planes, a
 * frame becomes a picture first: its brightness, which is grey, or RGB. The picture is resized,
 * halftoned as one of a file, and becomes a frame again: brightness with neutral
 * planes of colour, or YUV of 8 bits without subsampling. docs/numerics.md has the numbers.
 */
#ifndef RO_IO_VIDEO_VIDEO_PICTURE_H
#define RO_IO_VIDEO_VIDEO_PICTURE_H

#include "io/video/video_plan.h"

/* What a thread needs for it. */
struct video_picture {
    const struct video_plan *plan;
    struct open_file file; /* the thread's own, for messages */
    ro_image in, shaped;   /* a frame's picture, and the same resized; they may share pixels */
    ro_image out;
};

/* Opens it; what `plan` says of the frames must hold. The shape of the pictures that are halftoned
 * is then that of `shaped`. */
ro_status video_picture_open(struct video_picture *picture, ro_context *context,
                             const struct video_plan *plan);
void video_picture_close(struct video_picture *picture);

/* A frame's planes, halftoned, as the planes of a frame. */
ro_status video_picture_run(struct video_picture *picture, ro_plan *halftone, const uint8_t *from,
                            uint8_t *to);

/* Size of the pictures that come out, by the options. */
ro_status video_picture_size(ro_context *context, const struct y4m *in, const ro_read_options *read,
                             uint32_t *width, uint32_t *height);

#endif
