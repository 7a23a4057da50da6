/* SPDX-License-Identifier: MIT */
#include "number/power.h"

#include <math.h>

/* The natural logarithm of m, 0.7 < m < 1.42, as 2 artanh((m - 1) / (m + 1)). */
static double log_near_one(double m)
{
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int n = 23; n >= 1; n -= 2)
        sum = sum * square + 1.0 / n;
    return 2 * s * sum;
}

/* e to the f, |f| < 0.35, by its series. */
static double exp_near_zero(double f)
{
    double sum = 1;
    for (int n = 16; n >= 1; n--)
        sum = 1 + sum * f / n;
    return sum;
}

double power_of(double x, double y)
{
    const double ln2 = 0.693147180559945309417;
    if (x <= 0)
        return 0;
    int exponent;
    double m = frexp(x, &exponent); /* exact */
    if (m < 0.70710678118654752) {
        m *= 2;
        exponent--;
    }
    /* The exponent's share apart from the mantissa's, so that the sum loses no bits. */
    double whole = y * exponent, k = floor(whole + 0.5);
    double f = (whole - k) * ln2 + y * log_near_one(m);
    double more = floor(f / ln2 + 0.5);
    f -= more * ln2;
    k += more;
    return k < -1000 ? 0 : ldexp(exp_near_zero(f), (int)k);
}

/* Not a number and infinity stay what they are. */
static int is_curved(double x, double from) { return x > from && x < 1e30; }

double light_of_srgb(double x)
{
    return is_curved(x, 0.04045) ? power_of((x + 0.055) / 1.055, 2.4) : x / 12.92;
}

double srgb_of_light(double x)
{
    return is_curved(x, 0.04045 / 12.92) ? 1.055 * power_of(x, 1 / 2.4) - 0.055 : 12.92 * x;
}
