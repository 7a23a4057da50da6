/* SPDX-License-Identifier: MIT */
/* Small test images as integers of a number system: random, natural-like and adversarial ones. */
#ifndef RO_TESTS_PICTURES_H
#define RO_TESTS_PICTURES_H

#include "core/random.h"

#include <math.h>
#include <stdint.h>

enum picture {
    PICTURE_RANDOM,
    PICTURE_NATURAL,      /* smooth shading, edges, noise */
    PICTURE_CHECKERBOARD, /* lowest and highest number in turn */
    PICTURE_IMPULSE,
    PICTURE_STRIPES,
    PICTURE_STEP,  /* one edge, a unit of noise on it */
    PICTURE_SPIKE, /* eight neighbours at one extreme, the centre at the other, repeated */
    PICTURES
};

static inline double picture_natural(uint64_t seed, int x, int y, int width, int height)
{
    double u = (double)x / width, v = (double)y / height;
    double shade = 0.35 + 0.3 * u + 0.15 * sin(6 * v + 2 * u);
    if (hypot(u - 0.6, v - 0.4) < 0.25)
        shade += 0.25;
    if (u < 0.3 && v > 0.6)
        shade -= 0.3;
    double noise = 0;
    for (uint32_t i = 0; i < 4; i++)
        noise += pixel_hash(seed + i, (uint32_t)x, (uint32_t)y) * 0x1p-32 - 0.5;
    shade += 0.08 * noise;
    return shade < 0 ? 0 : shade > 1 ? 1 : shade;
}

/* Values from low to high, both attained where the picture has contrast. */
static inline void picture_draw(enum picture picture, uint64_t seed, int width, int height,
                                int32_t low, int32_t high, int32_t *pixels)
{
    double range = (double)high - low;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint32_t h = pixel_hash(seed, (uint32_t)x, (uint32_t)y);
            int32_t value = low;
            switch (picture) {
            case PICTURE_RANDOM:
                value = low + (int32_t)floor(h * 0x1p-32 * (range + 1));
                break;
            case PICTURE_NATURAL:
                value = low + (int32_t)lrint(picture_natural(seed, x, y, width, height) * range);
                break;
            case PICTURE_CHECKERBOARD:
                value = (x + y) % 2 ? high : low;
                break;
            case PICTURE_IMPULSE:
                value = x == width / 2 && y == height / 3 ? high : low;
                break;
            case PICTURE_STRIPES:
                value = (x / 2 + y) % 3 ? low : high;
                break;
            case PICTURE_STEP:
                value = 2 * x < width + y / 4 ? low + (int32_t)(h % 2) : high - (int32_t)(h % 2);
                break;
            default:
                value = x % 3 == 1 && y % 3 == 1 ? high : low;
            }
            pixels[y * width + x] = value;
        }
}

#endif
