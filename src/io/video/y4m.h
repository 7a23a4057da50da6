/* SPDX-License-Identifier: MIT */
/*
 * YUV4MPEG2, the format of video in pipes: a line that says what the frames are, then for each
 * frame a line and its planes, uncompressed; samples of more than 8 bits have two bytes, the lower
 * first.
 *
 *     YUV4MPEG2 W3840 H2160 F25:1 Ip A1:1 C420p10 XCOLORRANGE=LIMITED
 *     FRAME
 */
#ifndef RO_IO_VIDEO_Y4M_H
#define RO_IO_VIDEO_Y4M_H

#include "io/bytes/sink.h"
#include "io/bytes/source.h"

enum { Y4M_PLANES = 3, Y4M_LINE = 1024, Y4M_HEAD = 10, Y4M_FRAME_LINE = 6 };

struct y4m {
    uint32_t width, height;
    int planes;          /* 1: no colour */
    int across, down;    /* a sample of colour stands for 2^across columns and 2^down rows */
    int bits;            /* of a sample, 8 to 16 */
    bool full;           /* black is 0 and white the largest number */
    const char *base;    /* of the layout's name: "420", "mono" */
    char layout[16];     /* as the file names it */
    char line[Y4M_LINE]; /* all but size, layout and range, each with a blank before it */
};

/* Whether a file that begins so is one; Y4M_HEAD bytes tell. */
bool y4m_is(const uint8_t *head, size_t size);

/* Takes the first line. */
ro_status y4m_open(struct byte_source *source, struct y4m *video);

/* The line of a frame; *more is false at the end of the file. */
ro_status y4m_frame(struct byte_source *source, bool *more);

/* The same for writing. */
ro_status y4m_write_open(struct byte_sink *sink, const struct y4m *video);
ro_status y4m_write_frame(struct byte_sink *sink);
extern const char y4m_frame_line[]; /* what that writes, Y4M_FRAME_LINE bytes */

/* The size of a plane; 0 is brightness. */
void y4m_plane(const struct y4m *video, int plane, uint32_t *width, uint32_t *height);

static inline int y4m_sample_bytes(const struct y4m *video) { return video->bits > 8 ? 2 : 1; }

/* Another depth of the same layout, `layout` included. */
void y4m_set_bits(struct y4m *video, int bits);

#endif
