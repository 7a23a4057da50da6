/* SPDX-License-Identifier: MIT */
/* Random numbers of (seed, batch, patch): a counter hashed by splitmix64. */
#ifndef RO_DENOISE_TRAIN_RANDOM_H
#define RO_DENOISE_TRAIN_RANDOM_H

#include <math.h>
#include <stdint.h>

typedef uint64_t random_state;

static inline uint64_t random_bits(random_state *r)
{
    uint64_t z = *r += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline random_state random_for(uint64_t seed, uint64_t batch, uint64_t patch)
{
    random_state r =
        seed * 0x9e3779b97f4a7c15u + batch * 0xd1342543de82ef95u + patch * 0xaf251af3b0f025b5u;
    return random_bits(&r);
}

static inline double random_uniform(random_state *r) { return (random_bits(r) >> 11) * 0x1p-53; }

/* Writes two independent normal numbers (Box and Muller). */
static inline void random_normal(random_state *r, float pair[2])
{
    uint64_t bits = random_bits(r);
    float radius = sqrtf(-2 * logf(((bits >> 40) + 0.5f) * 0x1p-24f));
    float angle = (bits & 0xffffff) * (float)(2 * M_PI * 0x1p-24);
    pair[0] = radius * cosf(angle);
    pair[1] = radius * sinf(angle);
}

#endif
