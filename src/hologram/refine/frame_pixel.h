/* SPDX-License-Identifier: MIT */
/*
 * What frames in time do with a pixel, on the CPU and on a device. Sums over a row have FRAME_LANES
 * parts, a pixel going to that of its column's remainder; parts are added up in halves, rows from
 * the top.
 */
#ifndef RO_HOLOGRAM_REFINE_FRAME_PIXEL_H
#define RO_HOLOGRAM_REFINE_FRAME_PIXEL_H

#include "core/random.h"
#include "fft/phasor.h"

#include <math.h>
#include <stdbool.h>

#ifndef FRAME_INLINE
#define FRAME_INLINE static inline
#endif

enum { FRAME_LANES = 32 };

/* What a frame is told. */
struct frame_now {
    int number, count;
    uint64_t seed;
    bool smooth, independent;
    double largest; /* of the wanted intensity */
    double part;    /* what an amplitude that arrives is worth */
};

/* The intensity that is wanted of light, and its phase if it counts. */
FRAME_INLINE float frame_wanted(const float *light, bool smooth, float *phase)
{
    const float re = light[0], im = light[1], size = sqrtf(re * re + im * im);
    phase[0] = smooth && size > 0 ? re / size : 1;
    phase[1] = smooth && size > 0 ? im / size : 0;
    return re * re + im * im;
}

/* The intensity that this frame is to show. */
FRAME_INLINE double frame_aim(const struct frame_now *now, float wanted, float owed)
{
    return fmin(fmax((double)wanted + owed, 0.0), 3 * now->largest);
}

/* The light to begin with. */
FRAME_INLINE void frame_begin(const struct frame_now *now, uint32_t x, uint32_t y, float to,
                              const float *phase, float *b)
{
    float c, s;
    phasor(now->smooth ? 0.6180339887498949 * now->number
                       : pixel_hash(now->seed + (uint64_t)now->number, x, y) * 0x1p-32,
           &c, &s);
    b[0] = to * (phase[0] * c - phase[1] * s);
    b[1] = to * (phase[0] * s + phase[1] * c);
}

FRAME_INLINE double frame_square(const float *b)
{
    return (double)b[0] * b[0] + (double)b[1] * b[1];
}

FRAME_INLINE void frame_scale(double factor, float *b)
{
    b[0] = (float)(b[0] * factor);
    b[1] = (float)(b[1] * factor);
}

/* The amplitude wanted, with the phase that there is. */
FRAME_INLINE void frame_modulus(float to, float *b)
{
    const float size = sqrtf(b[0] * b[0] + b[1] * b[1]);
    b[0] = size > 0 ? to * (b[0] / size) : to;
    b[1] = size > 0 ? to * (b[1] / size) : 0;
}

/* What arrived, and is owed then. */
FRAME_INLINE void frame_look(const struct frame_now *now, const float *b, float wanted, float *owed,
                             float *mean)
{
    const double re = now->part * b[0], im = now->part * b[1], seen = re * re + im * im;
    const double left = (double)*owed + wanted - seen, most = 2 * now->largest;
    *mean = (float)(*mean + seen / now->count);
    *owed = now->independent ? 0 : (float)fmin(fmax(left, -most), most);
}

#endif
