/* SPDX-License-Identifier: MIT */
/* The phasors of phasor.h for all lanes of dft_lanes.h, bit for bit; part of kernels that are
 * compiled once per instruction set (RO_SIMD_NAME). */
#ifndef RO_FFT_PHASOR_LANES_H
#define RO_FFT_PHASOR_LANES_H

#include "fft/dft_lanes.h"
#include "fft/phasor.h"

#include <stdint.h>
#include <string.h>

enum { HALF = LANES / 2 };

typedef int32_t whole __attribute__((vector_size(RO_VECTOR_BYTES)));
typedef double wide __attribute__((vector_size(RO_VECTOR_BYTES))); /* half of the lanes */
typedef float narrow __attribute__((vector_size(RO_VECTOR_BYTES / 2)));
typedef int32_t narrow_whole __attribute__((vector_size(RO_VECTOR_BYTES / 2)));

/* What is left of so many turns after quarters, as an angle, and the quarters: phasor.h. */
RO_INLINE void cut(wide turns, narrow *angle, narrow_whole *quarter)
{
    const wide t4 = turns * 4, q = (t4 + PHASOR_WHOLE) - PHASOR_WHOLE;
    const wide around = (q * 0.25 + PHASOR_WHOLE) - PHASOR_WHOLE;
    *angle = __builtin_convertvector((t4 - q) * 0.25 * PHASOR_TAU, narrow);
    *quarter = __builtin_convertvector(q - around * 4, narrow_whole) & 3;
}

RO_INLINE real choose(whole mask, real a, real b)
{
    return (real)(((whole)a & mask) | ((whole)b & ~mask));
}

/* Of angles and quarters. */
RO_INLINE void phasors(real a, whole q, real *c, real *s)
{
    const real b = a * a;
    const real sine =
        a + a * b * (-1.0f / 6 + b * (1.0f / 120 + b * (-1.0f / 5040 + b * (1.0f / 362880))));
    const real cosine = 1 + b * (-0.5f + b * (1.0f / 24 + b * (-1.0f / 720 + b * (1.0f / 40320))));
    const whole odd = (q & 1) != 0;
    const real x = choose(odd, sine, cosine), y = choose(odd, cosine, sine);
    *c = choose((q == 1) | (q == 2), -x, x);
    *s = choose(q >= 2, -y, y);
}

/* Of turns. */
RO_INLINE void phasors_of(const wide turns[2], real *c, real *s)
{
    narrow angle[2];
    narrow_whole quarter[2];
    real a;
    whole q;
    for (int i = 0; i < 2; i++)
        cut(turns[i], &angle[i], &quarter[i]);
    memcpy(&a, angle, sizeof a);
    memcpy(&q, quarter, sizeof q);
    phasors(a, q, c, s);
}

#endif
