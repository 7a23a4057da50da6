/* SPDX-License-Identifier: MIT */
/* One precision of radix2.h. radix2.c includes this for each REAL, so nothing guards it; alone it
 * is that of floats. */
#include "transform/radix2.h"

#include <math.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif
#ifndef RADIX2_PASTE
#define RADIX2_PASTE(real, name) radix2_##real##name
#define RADIX2_EXPAND(real, name) RADIX2_PASTE(real, name)
#endif
#define PLAN struct RADIX2_EXPAND(REAL, )
#define NAME(name) RADIX2_EXPAND(REAL, _##name)

bool NAME(open)(PLAN *plan, uint32_t length)
{
    const double pi = 3.14159265358979323846;
    *plan = (PLAN){.length = length};
    plan->cosine = malloc((size_t)length * sizeof *plan->cosine);
    plan->order = calloc(length, sizeof *plan->order);
    if (!plan->cosine || !plan->order) {
        NAME(close)(plan);
        return false;
    }
    plan->sine = plan->cosine + length / 2;
    for (uint32_t i = 0; i < length / 2; i++) {
        plan->cosine[i] = (REAL)cos(2 * pi * i / length);
        plan->sine[i] = (REAL)-sin(2 * pi * i / length);
    }
    for (uint32_t i = 1; i < length; i++)
        plan->order[i] = plan->order[i / 2] / 2 | (i & 1 ? length / 2 : 0);
    return true;
}

void NAME(close)(PLAN *plan)
{
    free(plan->cosine);
    free(plan->order);
    *plan = (PLAN){0};
}

/* Numbers in bit-reversed order in, in order out. */
static void NAME(lanes)(const PLAN *plan, REAL *restrict re, REAL *restrict im)
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

void NAME(run)(const PLAN *plan, REAL *re, REAL *im, size_t step, size_t next, uint32_t lanes,
               REAL *scratch)
{
    REAL *sr = scratch, *si = scratch + (size_t)plan->length * RADIX2_LANES;
    for (uint32_t i = 0; i < plan->length; i++)
        for (uint32_t l = 0; l < RADIX2_LANES; l++) {
            const size_t from = plan->order[i] * step + l * next;
            const size_t to = (size_t)i * RADIX2_LANES + l;
            sr[to] = l < lanes ? re[from] : 0;
            si[to] = l < lanes ? im[from] : 0;
        }
    NAME(lanes)(plan, sr, si);
    for (uint32_t i = 0; i < plan->length; i++)
        for (uint32_t l = 0; l < lanes; l++) {
            re[i * step + l * next] = sr[(size_t)i * RADIX2_LANES + l];
            im[i * step + l * next] = si[(size_t)i * RADIX2_LANES + l];
        }
}

#undef PLAN
#undef NAME
#undef REAL
