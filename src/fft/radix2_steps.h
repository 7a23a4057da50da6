/* SPDX-License-Identifier: MIT */
/*
 * The transform itself, in one precision: radix2_lanes.h includes this for each REAL, and so may
 * files that are compiled for wider vectors, which give the same bits. Nothing guards it; alone it
 * is that of floats.
 */
#include "fft/radix2.h"

#ifndef REAL
#define REAL float
#endif
#ifndef RADIX2_PASTE
#define RADIX2_PASTE(real, name) radix2_##real##name
#define RADIX2_EXPAND(real, name) RADIX2_PASTE(real, name)
#endif

#define RADIX2_NAME(name) RADIX2_EXPAND(REAL, name)

/* Numbers in bit-reversed order in, in order out. */
static inline void RADIX2_NAME(_steps)(const struct RADIX2_NAME() * plan, REAL *restrict re,
                                       REAL *restrict im)
{
    const uint32_t length = plan->length;
    for (uint32_t half = 1; half < length; half *= 2) {
        const uint32_t step = length / (2 * half);
        for (uint32_t start = 0; start < length; start += 2 * half)
            for (uint32_t k = 0; k < half; k++) {
                const REAL c = plan->cosine[k * step], s = plan->sine[k * step];
                REAL *ar = re + (size_t)(start + k) * RADIX2_LANES, *br = ar + half * RADIX2_LANES;
                REAL *ai = im + (size_t)(start + k) * RADIX2_LANES, *bi = ai + half * RADIX2_LANES;
                for (int l = 0; l < RADIX2_LANES; l++) {
                    const REAL tr = c * br[l] - s * bi[l], ti = c * bi[l] + s * br[l];
                    br[l] = ar[l] - tr;
                    bi[l] = ai[l] - ti;
                    ar[l] += tr;
                    ai[l] += ti;
                }
            }
    }
}

/* Inlined, so that a call with constants becomes copies of vectors. */
static inline __attribute__((always_inline)) void
RADIX2_NAME(_lanes)(const struct RADIX2_NAME() * plan, REAL *re, REAL *im, size_t step, size_t next,
                    uint32_t lanes, REAL *scratch)
{
    REAL *sr = scratch, *si = scratch + (size_t)plan->length * RADIX2_LANES;
    for (uint32_t i = 0; i < plan->length; i++)
        for (uint32_t l = 0; l < RADIX2_LANES; l++) {
            const size_t from = plan->order[i] * step + l * next;
            const size_t to = (size_t)i * RADIX2_LANES + l;
            sr[to] = l < lanes ? re[from] : 0;
            si[to] = l < lanes ? im[from] : 0;
        }
    RADIX2_NAME(_steps)(plan, sr, si);
    for (uint32_t i = 0; i < plan->length; i++)
        for (uint32_t l = 0; l < lanes; l++) {
            re[i * step + l * next] = sr[(size_t)i * RADIX2_LANES + l];
            im[i * step + l * next] = si[(size_t)i * RADIX2_LANES + l];
        }
}

#undef RADIX2_NAME
