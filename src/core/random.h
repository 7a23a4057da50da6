/* SPDX-License-Identifier: MIT */
/*
 * The one source of randomness: a hash of (seed, x, y). No state, so that any thread or device may
 * draw any pixel's number; 32-bit operations only, so that SIMD lanes and CUDA compute the same.
 */
#ifndef RO_CORE_RANDOM_H
#define RO_CORE_RANDOM_H

#include "core/shared.h"

#include <stdint.h>

/* A mixing step with low bias: every input bit flips every output bit about half of the time. */
RO_SHARED uint32_t mix_bits(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/* What a row's numbers have in common: pixel_hash(seed, x, y) is mix_bits(row ^ x). */
RO_SHARED uint32_t hash_of_row(uint64_t seed, uint32_t y)
{
    uint32_t h = mix_bits((uint32_t)seed + 0x9e3779b9u);
    h = mix_bits(h ^ (uint32_t)(seed >> 32));
    return mix_bits(h ^ y);
}

RO_SHARED uint32_t pixel_hash(uint64_t seed, uint32_t x, uint32_t y)
{
    return mix_bits(hash_of_row(seed, y) ^ x);
}

#endif
