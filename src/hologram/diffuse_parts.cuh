/* SPDX-License-Identifier: MIT */
/* What host and device say to each other about hogels: sizes, plans, the launch. */
#ifndef RO_HOLOGRAM_DIFFUSE_PARTS_CUH
#define RO_HOLOGRAM_DIFFUSE_PARTS_CUH

#include "core/cuda.cuh"
#include "hologram/job.h"

#include <stdint.h>

enum {
    LANES = 32,
    ROWS_ABOVE = 8,               /* REACH_Y and one for alignment */
    PITCH = ROWS_ABOVE + LANES,   /* words of a step in the ring */
    TASK = 32,                    /* steps between hand-overs */
    BLOCK_SHIFT = 3,
    BLOCK = 1 << BLOCK_SHIFT,     /* pixels of a row that are copied at a time, 64 bytes */
    BLOCKS = 4,                   /* in a row's buffer */
    UNROLLED = 4,                 /* steps */
    MOST_WARPS = 12,
    TABLE_BYTES = (LEVEL_ENTRIES * 16 + 127) / 128 * 128,
};

struct device_hogel {
    uint32_t x, y, width, height;
    int p, shift, taps, keep; /* keep: steps that taps look back */
    uint32_t line;            /* where its line begins, in words of 16 bytes */
    uint16_t step[RO_HOLOGRAM_TAPS]; /* of each tap: steps back */
    uint16_t up[RO_HOLOGRAM_TAPS];   /* rows up */
    uint32_t weight[RO_HOLOGRAM_TAPS]; /* re, -im, im, re as bytes */
    unsigned long long clips;
};

struct device_band {
    uint32_t hogel, row;
    int32_t above; /* the ticket of the band above, or -1 */
    uint32_t last; /* no band below */
};

struct hologram_launch {
    const char *field;
    unsigned char *out;
    size_t field_pitch, out_pitch; /* bytes */
    float scale;
    int real, levels;
    unsigned bands;
    int aligned, wide; /* pixels can be copied, numbers stored, 16 bytes at a time */
    unsigned ring_bytes, warp_bytes, row_pitch;
    struct device_hogel *hogels;
    const struct device_band *order;
    const struct level_entry *entries;
    uint4 *lines;
    unsigned *flags; /* of each ticket: steps done */
    unsigned *ticket;
};

#endif
