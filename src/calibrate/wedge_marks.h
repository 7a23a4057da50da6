/* SPDX-License-Identifier: MIT */
/* Finding the four marks of a wedge in a scan. */
#ifndef RO_CALIBRATE_WEDGE_MARKS_H
#define RO_CALIBRATE_WEDGE_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/* A scan as tones, and what paper is like near each place. */
struct wedge_scan {
    uint32_t width, height;
    float *tone;
    uint32_t block, across, down; /* paper: one number for each square of `block` pixels */
    float *paper, *blocks;
};

/* True where the scan is dark for its surroundings. */
static inline bool wedge_dark(const struct wedge_scan *scan, uint32_t x, uint32_t y)
{
    const float paper = scan->paper[(y / scan->block) * scan->across + x / scan->block];
    return scan->tone[(uint64_t)y * scan->width + x] < 0.5f * paper;
}

/* The centres: top left, top right, bottom left, bottom right. False: they are not there. */
bool wedge_find_marks(const struct wedge_scan *scan, double corner[4][2]);

#endif
