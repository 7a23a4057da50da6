/* SPDX-License-Identifier: MIT */
/*
 * Red, green and blue to four inks, a block of pixels at a time in loops that compilers turn into
 * vectors. The quotient of an ink is that of floats: numerator and denominator are whole and below
 * 2^17, so that a quotient that is not whole is at least 1/510 away from a whole one, and rounding
 * cannot reach it.
 */
#include "halftone/tone/separate.h"
#include "simd/simd.h"

#include <string.h>

enum { BLOCK = 64 };

RO_INLINE void separate_block(const uint8_t left_of[256], const uint8_t *rgb, uint8_t *const to[4],
                              uint32_t x)
{
    uint8_t light[3][BLOCK], left[BLOCK];
    for (int i = 0; i < BLOCK; i++) {
        light[0][i] = rgb[3 * i];
        light[1][i] = rgb[3 * i + 1];
        light[2][i] = rgb[3 * i + 2];
    }
    for (int i = 0; i < BLOCK; i++) {
        uint8_t most = light[0][i] > light[1][i] ? light[0][i] : light[1][i];
        left[i] = most > light[2][i] ? most : light[2][i];
    }
    if (left_of)
        for (int i = 0; i < BLOCK; i++)
            left[i] = left_of[left[i]];
    memcpy(to[3] + x, left, BLOCK);
    for (int c = 0; c < 3; c++) {
        uint8_t ink[BLOCK];
        for (int i = 0; i < BLOCK; i++) {
            const int32_t of = left[i] ? left[i] : 1, own = left[i] ? light[c][i] : 1;
            ink[i] = (uint8_t)(int32_t)((float)(510 * own + of) / (float)(2 * of));
        }
        memcpy(to[c] + x, ink, BLOCK);
    }
}

void RO_SIMD_NAME(separate_row)(const uint8_t left_of[256], const uint8_t *rgb, uint32_t width,
                                uint8_t *const paper[4])
{
    uint32_t x = 0;
    for (; width - x >= BLOCK; x += BLOCK)
        separate_block(left_of, rgb + 3 * (size_t)x, paper, x);
    if (x == width)
        return;
    uint8_t last[3 * BLOCK] = {0}, inks[4][BLOCK];
    uint8_t *const to[4] = {inks[0], inks[1], inks[2], inks[3]};
    memcpy(last, rgb + 3 * (size_t)x, 3 * (size_t)(width - x));
    separate_block(left_of, last, to, 0);
    for (int c = 0; c < 4; c++)
        memcpy(paper[c] + x, inks[c], width - x);
}
