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
#ifndef RO_HALFTONE_ERROR_DIFFUSION_KERNELS_H
#define RO_HALFTONE_ERROR_DIFFUSION_KERNELS_H

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
    KERNEL_FALSE_FLOYD_STEINBERG,
    KERNEL_JARVIS_JUDICE_NINKE,
    KERNEL_STUCKI,
    KERNEL_BURKES,
    KERNEL_SIERRA,
    KERNEL_SIERRA_TWO_ROW,
    KERNEL_SIERRA_LITE,
    KERNEL_ATKINSON,
    KERNEL_FAN,
    KERNEL_SHIAU_FAN,
    KERNEL_SHIAU_FAN_2,
    KERNEL_STEVENSON_ARCE,
    DIFFUSION_KERNELS,
};

#ifdef __cplusplus /* CUDA folds the taps into code as C does, but only from a constexpr */
#define DIFFUSION_TABLE constexpr
#else
#define DIFFUSION_TABLE static const
#endif

/* clang-format off */
DIFFUSION_TABLE struct diffusion_kernel diffusion_kernels[DIFFUSION_KERNELS] = {
    [KERNEL_FLOYD_STEINBERG] = {4, 16, {
                           {1, 0, 7},
        {-1, 1, 3}, {0, 1, 5}, {1, 1, 1}}},
    [KERNEL_FALSE_FLOYD_STEINBERG] = {3, 8, {
                   {1, 0, 3},
        {0, 1, 3}, {1, 1, 2}}},
    [KERNEL_JARVIS_JUDICE_NINKE] = {12, 48, {
                                           {1, 0, 7}, {2, 0, 5},
        {-2, 1, 3}, {-1, 1, 5}, {0, 1, 7}, {1, 1, 5}, {2, 1, 3},
        {-2, 2, 1}, {-1, 2, 3}, {0, 2, 5}, {1, 2, 3}, {2, 2, 1}}},
    [KERNEL_STUCKI] = {12, 42, {
                                           {1, 0, 8}, {2, 0, 4},
        {-2, 1, 2}, {-1, 1, 4}, {0, 1, 8}, {1, 1, 4}, {2, 1, 2},
        {-2, 2, 1}, {-1, 2, 2}, {0, 2, 4}, {1, 2, 2}, {2, 2, 1}}},
    [KERNEL_BURKES] = {7, 32, {
                                           {1, 0, 8}, {2, 0, 4},
        {-2, 1, 2}, {-1, 1, 4}, {0, 1, 8}, {1, 1, 4}, {2, 1, 2}}},
    [KERNEL_SIERRA] = {10, 32, {
                                           {1, 0, 5}, {2, 0, 3},
        {-2, 1, 2}, {-1, 1, 4}, {0, 1, 5}, {1, 1, 4}, {2, 1, 2},
                    {-1, 2, 2}, {0, 2, 3}, {1, 2, 2}}},
    [KERNEL_SIERRA_TWO_ROW] = {7, 16, {
                                           {1, 0, 4}, {2, 0, 3},
        {-2, 1, 1}, {-1, 1, 2}, {0, 1, 3}, {1, 1, 2}, {2, 1, 1}}},
    [KERNEL_SIERRA_LITE] = {3, 4, {
                               {1, 0, 2},
        {-1, 1, 1}, {0, 1, 1}}},
    [KERNEL_ATKINSON] = {6, 8, {
                               {1, 0, 1}, {2, 0, 1},
        {-1, 1, 1}, {0, 1, 1}, {1, 1, 1},
                    {0, 2, 1}}},
    [KERNEL_FAN] = {4, 16, {
                                           {1, 0, 7},
        {-2, 1, 1}, {-1, 1, 3}, {0, 1, 5}}},
    [KERNEL_SHIAU_FAN] = {4, 8, {
                                           {1, 0, 4},
        {-2, 1, 1}, {-1, 1, 1}, {0, 1, 2}}},
    [KERNEL_SHIAU_FAN_2] = {5, 16, {
                                                       {1, 0, 8},
        {-3, 1, 1}, {-2, 1, 1}, {-1, 1, 2}, {0, 1, 4}}},
    /* For a hexagonal grid: every other pixel of a row, shifted from row to row. */
    [KERNEL_STEVENSON_ARCE] = {12, 200, {
                                                  {2, 0, 32},
        {-3, 1, 12}, {-1, 1, 26}, {1, 1, 30}, {3, 1, 16},
               {-2, 2, 12}, {0, 2, 26}, {2, 2, 12},
        {-3, 3, 5}, {-1, 3, 12}, {1, 3, 12}, {3, 3, 5}}},
};
/* clang-format on */

/* Expands X(id) for every kernel, to compile a schedule once per kernel. */
#define FOR_EACH_DIFFUSION_KERNEL(X)                                                               \
    X(KERNEL_FLOYD_STEINBERG)                                                                      \
    X(KERNEL_FALSE_FLOYD_STEINBERG)                                                                \
    X(KERNEL_JARVIS_JUDICE_NINKE)                                                                  \
    X(KERNEL_STUCKI)                                                                               \
    X(KERNEL_BURKES)                                                                               \
    X(KERNEL_SIERRA)                                                                               \
    X(KERNEL_SIERRA_TWO_ROW)                                                                       \
    X(KERNEL_SIERRA_LITE)                                                                          \
    X(KERNEL_ATKINSON)                                                                             \
    X(KERNEL_FAN)                                                                                  \
    X(KERNEL_SHIAU_FAN)                                                                            \
    X(KERNEL_SHIAU_FAN_2)                                                                          \
    X(KERNEL_STEVENSON_ARCE)

#endif
