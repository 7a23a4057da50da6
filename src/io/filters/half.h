/* SPDX-License-Identifier: MIT */
/* IEEE 754 binary16 to float and back, to the nearest, ties to even. */
#ifndef RO_IO_FILTERS_HALF_H
#define RO_IO_FILTERS_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float half_to_float(uint16_t half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    float value;
    if (exponent == 31)
        value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexpf((float)fraction, -24);
    else
        value = ldexpf((float)(1024 + fraction), exponent - 25);
    return half & 0x8000 ? -value : value;
}

static inline uint16_t float_to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    const float size = fabsf(value);
    if (isnan(value))
        return sign | 0x7e00;
    if (size >= 65520) /* half way from the largest to what would be 2^16 */
        return sign | 0x7c00;
    if (size < 0x1p-14f)
        return (uint16_t)(sign | (unsigned)lrintf(ldexpf(size, 24)));
    /* The fraction's last bit is at 2^-10 of the exponent; a carry goes into the exponent. */
    const uint32_t kept = (bits & 0x7fffffff) - ((127 - 15) << 23);
    const uint32_t odd = kept >> 13 & 1;
    return (uint16_t)(sign | (kept + 0xfff + odd) >> 13);
}

#endif
