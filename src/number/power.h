/* SPDX-License-Identifier: MIT */
/*
 * Powers for tables that are part of a definition. The C library's pow and cbrt differ in their
 * last bits from one machine to the next; these use plain IEEE operations in a fixed order, so that
 * a table made from them is the same everywhere.
 */
#ifndef RO_NUMBER_POWER_H
#define RO_NUMBER_POWER_H

#include "roundoff/core.h"

#include <stdint.h>
#include <string.h>

double power_of(double x, double y); /* x to the y; x from 0 to 1, y > 0 */

/* sRGB's curve: linear light of a value and back, both 0 to 1; what lies outside goes on along the
 * curve. */
double light_of_srgb(double x);
double srgb_of_light(double x);

/* Of x = 0 or 1e-100 to 1e100. A third of the exponent by a division of the bits, then Halley's
 * steps, each of which triples the digits that are right: 5 %, 2e-5, 1e-15, done. */
static inline double cube_root(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits / 3 + 0x2a9f789300000000u;
    double y;
    memcpy(&y, &bits, sizeof y);
    for (int i = 0; i < 3; i++) {
        double cube = y * y * y;
        y = y * (cube + 2 * x) / (2 * cube + x);
    }
    return x > 0 ? y : 0;
}

#endif
