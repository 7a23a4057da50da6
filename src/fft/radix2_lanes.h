/* SPDX-License-Identifier: MIT */
/* One precision of radix2.h. radix2.c includes this for each REAL, so nothing guards it; alone it
 * is that of floats. */
#include "fft/radix2.h"

#include <math.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif
#include "fft/radix2_steps.h"

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

void NAME(run)(const PLAN *plan, REAL *re, REAL *im, size_t step, size_t next, uint32_t lanes,
               REAL *scratch)
{
    NAME(lanes)(plan, re, im, step, next, lanes, scratch);
}

#undef PLAN
#undef NAME
#undef REAL
