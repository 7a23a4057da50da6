/* SPDX-License-Identifier: MIT */
/* The lattice of random numbers that all noise is interpolated from. */
#include "testcard/draw.h"

#include "core/random.h"

void draw_noise_fill(struct draw_noise *noise, uint64_t seed)
{
    for (uint32_t y = 0; y < NOISE_SIDE; y++)
        for (uint32_t x = 0; x < NOISE_SIDE; x++)
            noise->lattice[y][x] = (pixel_hash(seed, x, y) >> 8) * (1.0 / 16777216);
}
