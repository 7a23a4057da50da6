/* SPDX-License-Identifier: MIT */
/* Number systems as images use them; roundoff/number.h has the systems. */
#ifndef RO_NUMBER_NUMBER_H
#define RO_NUMBER_NUMBER_H

#include "roundoff/number.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * How a system holds the pixels of an image. Where it has room, n = factor * pixel with a whole
 * factor, so that every pixel is exact and sums stay comparable; white is factor * maxval then.
 * Where it has not (factor 0), n is the pixel's value a/maxval rounded to the nearest number.
 */
struct number_scale {
    int64_t factor;
    int64_t white;
    uint32_t maxval;
};
struct number_scale scale_make(const struct ro_fixed *q, uint32_t maxval);
int64_t scale_number(const struct number_scale *scale, uint32_t pixel);
uint32_t scale_pixel(const struct number_scale *scale, int64_t n, uint32_t maxval);

#endif
