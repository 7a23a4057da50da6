/* SPDX-License-Identifier: MIT */
/*
 * A picture too large to store, for benches: hyperbolas of every tone and every frequency, made
 * where they are used. The hash of its bits is
 *
 *     the sum of made_mix(word + made_mix(2^32 y + i)) modulo 2^64
 *
 * over all rows y and the words i of 64 pixels in them, the first pixel highest, the last word
 * filled up with zeros: the same in whatever order, on whatever machine.
 */
#ifndef RO_BENCH_TERAPIXEL_MADE_H
#define RO_BENCH_TERAPIXEL_MADE_H

#include "core/shared.h"

#include <stdint.h>

/* The sample at (x, y) is that of x times the step of row y, modulo 2^32. */
RO_SHARED uint32_t made_step(uint32_t y) { return 2 * y + 1; }
RO_SHARED uint32_t made_sample(uint32_t product) { return product >> 17 & 255; }

RO_SHARED uint64_t made_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

RO_SHARED uint64_t made_hash(uint64_t word, uint32_t y, uint32_t i)
{
    return made_mix(word + made_mix((uint64_t)y << 32 | i));
}

#endif
