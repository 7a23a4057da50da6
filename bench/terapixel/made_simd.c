/* SPDX-License-Identifier: MIT */
/* Pixels and hashes of made.h in vectors. A lane holds the products of four neighbouring columns,
 * one in each of four vectors; their samples are its four bytes, so nothing moves between lanes. */
#include "bench/terapixel/made.h"
#include "bench/terapixel/made_wave.h"
#include "simd/simd.h"

typedef __attribute__((vector_size(RO_VECTOR_BYTES))) uint32_t lanes32;
typedef __attribute__((vector_size(RO_VECTOR_BYTES), aligned(1))) uint32_t loose32;

static void samples(uint8_t *to, uint32_t y, int64_t x, int count)
{
    const uint32_t step = made_step(y);
    lanes32 product[4];
    for (uint32_t i = 0; i < RO_VECTOR_BYTES / 4; i++)
        product[0][i] = ((uint32_t)x + 4 * i) * step;
    for (int i = 1; i < 4; i++)
        product[i] = product[i - 1] + step;
    for (int at = 0; at < count; at += RO_VECTOR_BYTES) {
        *(loose32 *)(to + at) = (product[0] >> 17 & 0xff) | (product[1] >> 9 & 0xff00) |
                                (product[2] >> 1 & 0xff0000) | (product[3] << 7 & 0xff000000);
        for (int i = 0; i < 4; i++)
            product[i] += step * RO_VECTOR_BYTES;
    }
}

static uint64_t hash(const uint64_t *words, uint32_t y, uint32_t first, int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += made_hash(__builtin_bswap64(words[i]), y, first + (uint32_t)i);
    return sum;
}

const struct made_code RO_SIMD_NAME(made_code) = {samples, hash};
