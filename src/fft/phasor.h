/* SPDX-License-Identifier: MIT */
/*
 * e^{2 pi i t} of a number of turns t, the same bits on every machine and device: sums and products
 * of IEEE 754 in the order written, each rounded by itself.
 *
 * t is cut into quarters of a turn, to nearest even, and what is left, up to an eighth of a turn,
 * goes into the series of sine and cosine.
 */
#ifndef RO_FFT_PHASOR_H
#define RO_FFT_PHASOR_H

#ifndef PHASOR_INLINE
#define PHASOR_INLINE static inline
#endif

#define PHASOR_TAU 6.283185307179586476925286766559

/* Adding it rounds a double to a whole number, to nearest even; sizes up to 2^51. */
#define PHASOR_WHOLE 6755399441055744.0

/* t less the nearest quarter; *quarter: its number, of any size. */
PHASOR_INLINE double phasor_rest(double t, double *quarter)
{
    const double t4 = t * 4, q = (t4 + PHASOR_WHOLE) - PHASOR_WHOLE;
    *quarter = q;
    return (t4 - q) * 0.25;
}

/* The quarter as 0 to 3. */
PHASOR_INLINE int phasor_quarter(double quarter)
{
    const double turns =
        (quarter * 0.25 + PHASOR_WHOLE) - PHASOR_WHOLE; /* whole ones, or a half off */
    return (int)(quarter - turns * 4) & 3;
}

/* In single precision. */
PHASOR_INLINE void phasor(double t, float *c, float *s)
{
    double quarter;
    const float a = (float)(phasor_rest(t, &quarter) * PHASOR_TAU), b = a * a;
    const float sine =
        a + a * b * (-1.0f / 6 + b * (1.0f / 120 + b * (-1.0f / 5040 + b * (1.0f / 362880))));
    const float cosine = 1 + b * (-0.5f + b * (1.0f / 24 + b * (-1.0f / 720 + b * (1.0f / 40320))));
    const int q = phasor_quarter(quarter);
    const float x = q & 1 ? sine : cosine, y = q & 1 ? cosine : sine;
    *c = q == 1 || q == 2 ? -x : x;
    *s = q >= 2 ? -y : y;
}

/* In double precision, for tables. */
PHASOR_INLINE void phasor_double(double t, double *c, double *s)
{
    double quarter;
    const double a = phasor_rest(t, &quarter) * PHASOR_TAU, b = a * a;
    double sine = 0, cosine = 0;
    for (int i = 19; i >= 3; i -= 2)
        sine = (sine + 1) * -b / (i * (i - 1));
    for (int i = 18; i >= 2; i -= 2)
        cosine = (cosine + 1) * -b / (i * (i - 1));
    sine = a + a * sine;
    cosine = 1 + cosine;
    const int q = phasor_quarter(quarter);
    const double x = q & 1 ? sine : cosine, y = q & 1 ? cosine : sine;
    *c = q == 1 || q == 2 ? -x : x;
    *s = q >= 2 ? -y : y;
}

#endif
