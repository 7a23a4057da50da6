/* SPDX-License-Identifier: MIT */
/* The named systems, rounding and saturating arithmetic; see number.h. */
#include "number/number.h"

#include "core/names.h"

#include <math.h>
#include <stddef.h>

/* ---- Rounding ------------------------------------------------------------------------------ */

static const char *const rounding_names[RO_ROUNDINGS] = {
    [RO_ROUND_ZERO] = "zero",
    [RO_ROUND_AWAY] = "away",
    [RO_ROUND_DOWN] = "down",
    [RO_ROUND_UP] = "up",
    [RO_ROUND_NEAREST] = "nearest",
    [RO_ROUND_NEAREST_UP] = "nearest-up",
    [RO_ROUND_NEAREST_DOWN] = "nearest-down",
    [RO_ROUND_NEAREST_EVEN] = "nearest-even",
};

const char *ro_rounding_name(enum ro_rounding rounding) { return rounding_names[rounding]; }

bool ro_rounding_find(const char *name, enum ro_rounding *rounding)
{
    for (int i = 0; i < RO_ROUNDINGS; i++)
        if (ro_name_equal(name, rounding_names[i])) {
            *rounding = (enum ro_rounding)i;
            return true;
        }
    return false;
}

bool ro_rounding_is_odd(enum ro_rounding rounding)
{
    return rounding == RO_ROUND_ZERO || rounding == RO_ROUND_AWAY || rounding == RO_ROUND_NEAREST ||
           rounding == RO_ROUND_NEAREST_EVEN;
}

int64_t ro_round_quotient(int64_t numerator, int64_t denominator, enum ro_rounding rounding)
{
    int64_t floor = numerator / denominator;
    int64_t rest = numerator % denominator;
    if (rest < 0) {
        rest += denominator;
        floor--;
    }
    if (rest == 0)
        return floor;
    bool negative = numerator < 0;
    bool tie = rest == denominator - rest;
    bool above = rest > denominator - rest;
    switch (rounding) {
    case RO_ROUND_ZERO:
        return floor + negative;
    case RO_ROUND_AWAY:
        return floor + !negative;
    case RO_ROUND_UP:
        return floor + 1;
    case RO_ROUND_NEAREST:
        return floor + (above || (tie && !negative));
    case RO_ROUND_NEAREST_UP:
        return floor + (above || tie);
    case RO_ROUND_NEAREST_DOWN:
        return floor + above;
    case RO_ROUND_NEAREST_EVEN:
        return floor + (above || (tie && floor % 2 != 0));
    default: /* RO_ROUND_DOWN */
        return floor;
    }
}

/* ---- Fixed point --------------------------------------------------------------------------- */

struct ro_fixed ro_fixed_make(int t, enum ro_epsilon epsilon)
{
    int64_t power = (int64_t)1 << t;
    return (struct ro_fixed){-power, power - 1, epsilon == RO_EPSILON_UNIT ? power - 1 : power, 1};
}

static int64_t clamp(const struct ro_fixed *q, int64_t n)
{
    return n < q->min ? q->min : n > q->max ? q->max : n;
}

bool ro_fixed_has_zero(const struct ro_fixed *q)
{
    return q->min <= 0 && q->max >= 0 && q->min % q->step == 0;
}

bool ro_fixed_holds(const struct ro_fixed *q, int64_t numerator, int64_t denominator)
{
    int64_t scaled = numerator * q->one;
    if (scaled % denominator != 0)
        return false;
    int64_t n = scaled / denominator;
    return n >= q->min && n <= q->max && (n - q->min) % q->step == 0;
}

int64_t ro_fixed_round(const struct ro_fixed *q, int64_t numerator, int64_t denominator,
                       enum ro_rounding rounding)
{
    if (q->step == 1)
        return clamp(q, ro_round_quotient(numerator * q->one, denominator, rounding));
    int64_t from_min = numerator * q->one - q->min * denominator;
    return clamp(q,
                 q->min + q->step * ro_round_quotient(from_min, denominator * q->step, rounding));
}

int64_t ro_fixed_add(const struct ro_fixed *q, int64_t a, int64_t b) { return clamp(q, a + b); }

int64_t ro_fixed_subtract(const struct ro_fixed *q, int64_t a, int64_t b)
{
    return clamp(q, a - b);
}

int64_t ro_fixed_multiply(const struct ro_fixed *q, int64_t a, int64_t b, enum ro_rounding rounding)
{
    return clamp(q, ro_round_quotient(a * b, q->one, rounding));
}

int64_t ro_fixed_divide(const struct ro_fixed *q, int64_t a, int64_t b, enum ro_rounding rounding)
{
    if (b == 0)
        return a > 0 ? q->max : a < 0 ? q->min : 0;
    if (b < 0) {
        a = -a;
        b = -b;
    }
    return clamp(q, ro_round_quotient(a * q->one, b, rounding));
}

/* ---- Small floats -------------------------------------------------------------------------- */

double ro_small_float_epsilon(const struct ro_small_float *q) { return ldexp(1, -q->mantissa); }

static int largest_exponent(const struct ro_small_float *q) { return (1 << (q->exponent - 1)) - 1; }

double ro_small_float_max(const struct ro_small_float *q)
{
    return ldexp(2 - ro_small_float_epsilon(q), largest_exponent(q));
}

double ro_small_float_round(const struct ro_small_float *q, double x, enum ro_rounding rounding)
{
    if (x == 0 || isnan(x))
        return x;
    double limit = ro_small_float_max(q);
    if (isinf(x))
        return copysign(limit, x);
    int scale = ilogb(x);
    int smallest = 1 - largest_exponent(q);
    if (scale < smallest)
        scale = smallest;                         /* denormalized: the spacing no longer shrinks */
    double units = ldexp(x, q->mantissa - scale); /* exact, below 2^(mantissa + 1) */
    double floor_units = floor(units);
    /* The rest as a 62-bit fraction would lose bits; comparing it with a half loses none. */
    double rest = units - floor_units;
    int64_t low = (int64_t)floor_units;
    int64_t rounded;
    if (rest == 0)
        rounded = low;
    else if (rest == 0.5)
        rounded = ro_round_quotient(2 * low + 1, 2, rounding);
    else
        rounded = ro_round_quotient(4 * low + (rest > 0.5 ? 3 : 1), 4, rounding);
    double result = ldexp((double)rounded, scale - q->mantissa);
    return fabs(result) > limit ? copysign(limit, x) : result;
}

/* ---- The named systems --------------------------------------------------------------------- */

static const struct ro_number numbers[] = {
    {"u8", "unsigned 8 bit, n/255", .fixed = {0, 255, 255, 1}},
    {"u16", "unsigned 16 bit, n/65535", .fixed = {0, 65535, 65535, 1}},
    {"x8", "expanded 8 bit, (2n-255)/255, without a zero", .fixed = {-255, 255, 255, 2}},
    {"s8", "signed 8 bit, n/2^7", .fixed = {-128, 127, 128, 1}},
    {"s9", "signed 9 bit, n/255", .fixed = {-256, 255, 255, 1}},
    {"s12", "signed 12 bit, n/2^11", .fixed = {-2048, 2047, 2048, 1}},
    {"q15", "signed 16 bit, n/2^15", .fixed = {-32768, 32767, 32768, 1}},
    {"s16", "virtual signed 16 bit, n/32640", .fixed = {-32768, 32767, 32640, 1}},
    {"s17", "signed 17 bit, n/65535", .fixed = {-65536, 65535, 65535, 1}},
    {"s24", "signed 24 bit, n/2^23", .fixed = {-8388608, 8388607, 8388608, 1}},
    {"s10e5", "16-bit float", true, .real = {10, 5}},
    {"s16e7", "24-bit float", true, .real = {16, 7}},
    {"s23e8", "32-bit float", true, .real = {23, 8}},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

const struct ro_number *ro_number_at(int index)
{
    return index >= 0 && index < NUMBERS ? &numbers[index] : NULL;
}

const struct ro_number *ro_number_find(const char *name)
{
    for (int i = 0; i < NUMBERS; i++)
        if (ro_name_equal(name, numbers[i].name))
            return &numbers[i];
    return NULL;
}

/* ---- Images -------------------------------------------------------------------------------- */

struct ro_scale ro_scale_make(const struct ro_fixed *q, uint32_t maxval)
{
    int64_t room = q->one < q->max ? q->one : q->max;
    int64_t factor = room / maxval;
    return (struct ro_scale){factor, factor ? factor * maxval : room, maxval};
}

int64_t ro_scale_number(const struct ro_scale *scale, uint32_t pixel)
{
    if (scale->factor)
        return scale->factor * pixel;
    return ro_round_quotient(scale->white * pixel, scale->maxval, RO_ROUND_NEAREST);
}

uint32_t ro_scale_pixel(const struct ro_scale *scale, int64_t n, uint32_t maxval)
{
    int64_t pixel = ro_round_quotient(n * maxval, scale->white, RO_ROUND_NEAREST);
    return pixel < 0 ? 0 : pixel > maxval ? maxval : (uint32_t)pixel;
}
