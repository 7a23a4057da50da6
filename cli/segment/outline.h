/* SPDX-License-Identifier: MIT */
/* Lines drawn over a picture. */
#ifndef RO_CLI_SEGMENT_OUTLINE_H
#define RO_CLI_SEGMENT_OUTLINE_H

#include "roundoff/segment.h"

/* Red, green and blue of a label from 1 to RO_LABELS; those behind take turns. */
extern const uint8_t label_colours[RO_LABELS][3];

/* How much of each pixel a label's lines cover, 0 to 255; `cover` has a byte a pixel, zero at
 * first. Lines are about one and a half pixels wide. */
void draw_cover(const ro_polyline *lines, size_t count, int label, uint32_t width, uint32_t height,
                uint8_t *cover);

/* The lines in the colours of their labels over an RO_RGB8 view; `cover` as above, any content. */
void draw_outlines(const ro_image *image, const ro_polyline *lines, size_t count, uint8_t *cover);

#endif
