/* SPDX-License-Identifier: MIT */
/*
 * Error-diffusion kernels as data. A tap (dx, dy, weight) says where the error of a pixel goes:
 * weight/divisor of it to the pixel dx to the right and dy below.
 *
 *             *   7          floyd-steinberg: {1,0,7} {-1,1,3} {0,1,5} {1,1,1}, divisor 16
 *         3   5   1
 *
 * The table stands in a header so that each schedule can compile a kernel's taps into constants.
 */
#ifndef RO_HALFTONE_KERNELS_H
#define RO_HALFTONE_KERNELS_H

#include <stdint.h>

enum {
    DIFFUSION_MAX_TAPS = 24,
    DIFFUSION_MAX_DX = 7,
    DIFFUSION_MAX_DY = 3,
    DIFFUSION_MAX_DIVISOR = 4095,
};

struct diffusion_tap {
    int8_t dx, dy;
    int16_t weight;
};

struct diffusion_kernel {
    int count;
    int divisor;
    struct diffusion_tap taps[DIFFUSION_MAX_TAPS];
};

enum diffusion_kernel_id {
    KERNEL_FLOYD_STEINBERG,
    DIFFUSION_KERNELS,
};

static const struct diffusion_kernel diffusion_kernels[DIFFUSION_KERNELS] = {
    [KERNEL_FLOYD_STEINBERG] = {4, 16, {{1, 0, 7}, {-1, 1, 3}, {0, 1, 5}, {1, 1, 1}}},
};

/* Expands X(id) for every kernel, to compile a schedule once per kernel. */
#define FOR_EACH_DIFFUSION_KERNEL(X) X(KERNEL_FLOYD_STEINBERG)

#endif
