/* SPDX-License-Identifier: MIT */
/*
 * A walk along a Hilbert curve, and the errors that go with it (Riemersma, 1998). The curve of the
 * smallest power of two that covers the image is walked from the top left corner; pixels outside
 * are passed over. The last sixteen errors weigh on a pixel, the newest sixteen times as much as
 * the oldest, and the rest of the division is carried along the curve, so that no tone is lost:
 *
 *     t = c + sum of w e     c = t mod 89, 44 at first     v = T + floor(t / 89)
 */
#ifndef RO_HALFTONE_TRAVERSAL_CURVE_H
#define RO_HALFTONE_TRAVERSAL_CURVE_H

#include "halftone/error_diffusion/diffusion.h"

enum { CURVE_MEMORY = 16, CURVE_DIVISOR = 89 };

/* 16 to the power i / 15, rounded; the newest error's is the last. */
static const int32_t curve_weights[CURVE_MEMORY] = {1, 1, 1, 2, 2, 3,  3,  4,
                                                    4, 5, 6, 8, 9, 11, 13, 16};

/* Of one channel. */
struct curve_errors {
    int32_t last[2 * CURVE_MEMORY]; /* twice over, so that the last sixteen lie side by side */
    int newest;
    int64_t carry;
};

static inline void curve_begin(struct curve_errors *errors)
{
    *errors = (struct curve_errors){.carry = CURVE_DIVISOR / 2};
}

/* What the errors add to the next pixel. */
static inline int32_t curve_gather(struct curve_errors *errors)
{
    const int32_t *last = errors->last + errors->newest; /* oldest first */
    int64_t t = errors->carry;
    for (int i = 0; i < CURVE_MEMORY; i++)
        t += (int64_t)curve_weights[i] * last[i];
    const int64_t carried = floor_divide(t, CURVE_DIVISOR);
    errors->carry = t - CURVE_DIVISOR * carried;
    return (int32_t)carried;
}

static inline void curve_leave(struct curve_errors *errors, int32_t error)
{
    errors->last[errors->newest] = errors->last[errors->newest + CURVE_MEMORY] = error;
    errors->newest = (errors->newest + 1) % CURVE_MEMORY;
}

/* Calls visit for every pixel in turn; fails where the context is cancelled. */
ro_status curve_walk(ro_context *context, uint32_t width, uint32_t height,
                     void (*visit)(void *data, uint32_t x, uint32_t y), void *data);

#endif
