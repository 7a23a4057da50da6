/* SPDX-License-Identifier: MIT */
/*
 * Fourier transforms of lengths that are powers of two by the textbook's radix 2 (decimation in
 * time), in floats and in doubles. What the measured spectra and the search of a registration are
 * to the bit was settled with this order of operations; `dft.h` takes radix 4 where it can, and
 * rounds differently.
 *
 * Up to RADIX2_LANES neighbouring rows or columns are copied side by side, so that each step works
 * on vectors.
 */
#ifndef RO_FFT_RADIX2_H
#define RO_FFT_RADIX2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RADIX2_LANES = 16 };

/* Numbers of scratch for one thread. */
static inline size_t radix2_scratch(uint32_t length) { return 2 * (size_t)length * RADIX2_LANES; }

/* Number i of lane l lies at i * step + l * next of `re` and `im`; in place, undivided. Exchanging
 * `re` and `im` makes it the inverse. */
#define RADIX2_DECLARE(real)                                                                       \
    struct radix2_##real {                                                                         \
        uint32_t length;                                                                           \
        real *cosine, *sine; /* length / 2 each, of e^{-2 pi i k / length} */                      \
        uint32_t *order;     /* bits reversed */                                                   \
    };                                                                                             \
    bool radix2_##real##_open(struct radix2_##real *plan, uint32_t length);                        \
    void radix2_##real##_close(struct radix2_##real *plan);                                        \
    void radix2_##real##_run(const struct radix2_##real *plan, real *re, real *im, size_t step,    \
                             size_t next, uint32_t lanes, real *scratch)
RADIX2_DECLARE(float);
RADIX2_DECLARE(double);

#endif
