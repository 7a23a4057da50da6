/* SPDX-License-Identifier: MIT */
/* The plan of a transform: radices and tables, as the CPU and a device follow it; see dft.h. */
#ifndef RO_FFT_DFT_PLAN_H
#define RO_FFT_DFT_PLAN_H

enum { DFT_ALONE = 256, DFT_SHORT = 512, DFT_STEPS = 9, DFT_LONGEST = 1 << 17 };

struct dft_short {
    int n, steps;
    int radix[DFT_STEPS];
    float *turns[DFT_STEPS]; /* of step i: (radix - 1) pairs for each p from 1 on */
    float *roots[DFT_STEPS]; /* of odd radices beyond 5: pairs e^{2 pi i k / radix} */
};

struct dft {
    int n;
    struct dft_short first, second; /* of n1 (1: there is no first part) and n2 */
    float *between;                 /* n1 pairs for each p */
    /* Of Bluestein's: the chirp e^{-pi i k^2 / n}, its padded transform, and the plan that pads. */
    float *chirp, *filter;
    struct dft *padded;
    float
        *across; /* `between` for lanes side by side: for each k the p real parts, the imaginary */
};

#endif
