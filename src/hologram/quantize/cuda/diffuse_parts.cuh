/* SPDX-License-Identifier: MIT */
/* What host and device say to each other about hogels: sizes, plans, the launch. */
#ifndef RO_HOLOGRAM_QUANTIZE_CUDA_DIFFUSE_PARTS_CUH
#define RO_HOLOGRAM_QUANTIZE_CUDA_DIFFUSE_PARTS_CUH

#include "cuda/cuda.cuh"
#include "hologram/quantize/diffuse_job.h"

#include <stdint.h>

enum {
    LANES = 32,
    ROWS_ABOVE = 8,             /* REACH_Y and one for alignment */
    PITCH = ROWS_ABOVE + LANES, /* words of a step in the ring */
    RING = 32,                  /* steps after which the ring begins anew, */
    LONG_RING = 128,            /* where there is room */
    BLOCK_SHIFT = 3,
    BLOCK =
        1 << BLOCK_SHIFT, /* steps between hand-overs; pixels of a row that are copied at a time */
    BLOCKS = 4,           /* in a row's buffer */
    TABLE_BYTES = (LEVEL_ENTRIES * 16 + 127) / 128 * 128,
};

struct device_hogel {
    uint32_t x, y, width, height;
    int p, shift, taps, keep;          /* keep: steps that taps look back */
    unsigned against_field;            /* all bits where errors are taken against the field */
    uint32_t line;                     /* where its line begins, in words of 8 bytes */
    uint16_t step[RO_HOLOGRAM_TAPS];   /* of each tap, the latest first: steps back */
    uint16_t up[RO_HOLOGRAM_TAPS];     /* rows up */
    uint32_t weight[RO_HOLOGRAM_TAPS]; /* re, -im, im, re as bytes */
    unsigned long long clips;
    unsigned started; /* bands that have taken in the line's beginning */
};

struct device_band {
    uint32_t hogel, number;
    uint32_t last;         /* no band below */
    uint32_t slot, beside; /* of its rows; bands that share them */
};

struct hologram_launch {
    const char *field;
    unsigned char *out;
    size_t field_pitch, out_pitch; /* bytes */
    float scale;
    int real, levels;
    unsigned bands;
    int aligned, wide; /* pixels can be copied, numbers stored, 16 bytes at a time */
    unsigned ring, ring_bytes, warp_bytes, row_pitch; /* ring: steps */
    struct device_hogel *hogels;
    const struct device_band *order;
    const struct level_entry *entries; /* levels with their signs turned */
    unsigned first_cell; /* 16 times the bits of 1.5 * 2^23; a constant would be added by itself */
    uint2 *lines;
    unsigned *ticket;
    unsigned *left; /* of each slot: bands that have left their numbers */
    unsigned *done; /* all of them have; in the host's memory */
};

#endif
