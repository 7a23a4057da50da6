/* SPDX-License-Identifier: MIT */
/* The named systems, rounding and saturating arithmetic; see number.h. */
#include "number/number.h"

#include "core/misuse.h"
#include "core/names.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

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

const char *ro_rounding_name(enum ro_rounding rounding)
{
    return (unsigned)rounding < RO_ROUNDINGS ? rounding_names[rounding] : "no rounding";
}

bool ro_rounding_find(const char *name, enum ro_rounding *rounding)
{
    if (ABSENT(name, rounding))
        return false;
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

/* ---- Fixed point --------------------------------------------------------------------------- */

enum { LARGEST_POWER = 1 << 24 };

ro_status ro_fixed_system(int base, int digits, ro_epsilon epsilon, ro_fixed *q)
{
    if (ABSENT(q))
        return RO_E_ARGUMENT;
    int64_t power = 1;
    if (base < 2 || digits < 1)
        return RO_E_ARGUMENT;
    for (int i = 0; i < digits; i++) {
        power *= base;
        if (power > LARGEST_POWER)
            return RO_E_ARGUMENT;
    }
    *q = (ro_fixed){-power, power - 1, epsilon == RO_EPSILON_UNIT ? power - 1 : power, 1};
    return RO_OK;
}

static int64_t clamp(const ro_fixed *q, int64_t n)
{
    return n < q->min ? q->min : n > q->max ? q->max : n;
}

bool ro_fixed_has_zero(const ro_fixed *q)
{
    if (ABSENT(q))
        return false;
    return q->min <= 0 && q->max >= 0 && q->min % q->step == 0;
}

bool ro_fixed_holds(const ro_fixed *q, int64_t numerator, int64_t denominator)
{
    if (ABSENT(q))
        return false;
    int64_t scaled = numerator * q->one;
    if (denominator <= 0 || scaled % denominator != 0)
        return false;
    int64_t n = scaled / denominator;
    return n >= q->min && n <= q->max && (n - q->min) % q->step == 0;
}

/* Whether a rest above a number of the system, out of the distance to the next, goes up. */
static bool goes_up(ro_rounding rounding, int64_t rest, int64_t distance, bool negative, bool odd)
{
    const bool tie = rest == distance - rest, above = rest > distance - rest;
    switch (rounding) {
    case RO_ROUND_ZERO:
        return negative;
    case RO_ROUND_AWAY:
        return !negative;
    case RO_ROUND_UP:
        return true;
    case RO_ROUND_NEAREST:
        return above || (tie && !negative);
    case RO_ROUND_NEAREST_UP:
        return above || tie;
    case RO_ROUND_NEAREST_DOWN:
        return above;
    case RO_ROUND_NEAREST_EVEN:
        return above || (tie && odd);
    default: /* RO_ROUND_DOWN */
        return false;
    }
}

static int64_t floor_of(int64_t numerator, int64_t denominator, int64_t *rest)
{
    int64_t floor = numerator / denominator;
    *rest = numerator % denominator;
    if (*rest < 0) {
        *rest += denominator;
        floor--;
    }
    return floor;
}

int64_t ro_round_quotient(int64_t numerator, int64_t denominator, ro_rounding rounding)
{
    if (denominator <= 0)
        return 0;
    int64_t rest, floor = floor_of(numerator, denominator, &rest);
    return rest ? floor + goes_up(rounding, rest, denominator, numerator < 0, floor % 2 != 0)
                : floor;
}

/* The number nearest to numerator/denominator, counted in n, as the rounding has it. */
static int64_t settle(const ro_fixed *q, int64_t numerator, int64_t denominator,
                      ro_rounding rounding)
{
    if (denominator <= 0)
        return 0;
    if (q->step == 1)
        return clamp(q, ro_round_quotient(numerator, denominator, rounding));
    int64_t rest, distance = denominator * q->step;
    int64_t below = floor_of(numerator - q->min * denominator, distance, &rest);
    if (rest)
        below += goes_up(rounding, rest, distance, numerator < 0, below % 2 != 0);
    return clamp(q, q->min + q->step * below);
}

int64_t ro_fixed_round(const ro_fixed *q, int64_t numerator, int64_t denominator,
                       ro_rounding rounding)
{
    return ABSENT(q) ? 0 : settle(q, numerator * q->one, denominator, rounding);
}

/* Only where a step is 2 there is something to round. */
int64_t ro_fixed_add(const ro_fixed *q, int64_t a, int64_t b)
{
    return ABSENT(q) ? 0 : settle(q, a + b, 1, RO_ROUND_NEAREST_EVEN);
}

int64_t ro_fixed_subtract(const ro_fixed *q, int64_t a, int64_t b)
{
    return ABSENT(q) ? 0 : settle(q, a - b, 1, RO_ROUND_NEAREST_EVEN);
}

int64_t ro_fixed_multiply(const ro_fixed *q, int64_t a, int64_t b, ro_rounding rounding)
{
    return ABSENT(q) ? 0 : settle(q, a * b, q->one, rounding);
}

int64_t ro_fixed_multiply_add(const ro_fixed *q, int64_t a, int64_t b, int64_t c,
                              ro_rounding rounding)
{
    return ABSENT(q) ? 0 : settle(q, a * b + c * q->one, q->one, rounding);
}

int64_t ro_fixed_divide(const ro_fixed *q, int64_t a, int64_t b, ro_rounding rounding)
{
    if (ABSENT(q))
        return 0;
    if (b == 0)
        return a > 0 ? q->max : a < 0 ? q->min : 0;
    if (b < 0) {
        a = -a;
        b = -b;
    }
    return settle(q, a * q->one, b, rounding);
}

/* ---- Affine codes, Table 4.2 ----------------------------------------------------------------- */

/* r(x) = (x + rho) / (2 rho). */
int64_t ro_affine_encode(const ro_fixed *q, int rho, int64_t numerator, int64_t denominator,
                         ro_rounding rounding)
{
    return ro_fixed_round(q, numerator + rho * denominator, 2 * rho * denominator, rounding);
}

/* r(a) + r(b) - 1/2 */
int64_t ro_affine_add(const ro_fixed *q, int rho, int64_t a, int64_t b, ro_rounding rounding)
{
    (void)rho; /* it cancels */
    return ABSENT(q) ? 0 : settle(q, 2 * (a + b) - q->one, 2, rounding);
}

/* (1 + rho)/2 - rho (r(a) (1 - r(b)) + r(b) (1 - r(a))) */
int64_t ro_affine_multiply(const ro_fixed *q, int rho, int64_t a, int64_t b, ro_rounding rounding)
{
    if (ABSENT(q))
        return 0;
    const int64_t crossed = a * (q->one - b) + b * (q->one - a);
    return settle(q, (1 + rho) * q->one * q->one - 2 * rho * crossed, 2 * q->one, rounding);
}

/* ---- Small floats -------------------------------------------------------------------------- */

double ro_small_float_epsilon(const struct ro_small_float *q)
{
    return ABSENT(q) ? 0 : ldexp(1, -q->mantissa);
}

static int largest_exponent(const struct ro_small_float *q) { return (1 << (q->exponent - 1)) - 1; }

double ro_small_float_max(const struct ro_small_float *q)
{
    if (ABSENT(q))
        return 0;
    return ldexp(2 - ro_small_float_epsilon(q), largest_exponent(q));
}

double ro_small_float_round(const struct ro_small_float *q, double x, enum ro_rounding rounding)
{
    if (ABSENT(q))
        return 0;
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

/* The sum of two doubles with what it lacks in its last bit, which becomes odd: rounded once more
 * to fewer bits it is as if it had been exact. */
static double sum_to_odd(double a, double b)
{
    const double sum = a + b, part = sum - a;
    const double lacks = (a - (sum - part)) + (b - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (lacks == 0 || !isfinite(sum) || bits & 1)
        return sum;
    return nextafter(sum, lacks > 0 ? INFINITY : -INFINITY);
}

double ro_small_float_add(const ro_small_float *q, double a, double b, ro_rounding rounding)
{
    return ro_small_float_round(q, sum_to_odd(a, b), rounding);
}

double ro_small_float_multiply(const ro_small_float *q, double a, double b, ro_rounding rounding)
{
    return ro_small_float_round(q, a * b, rounding); /* 48 bits at most */
}

double ro_small_float_multiply_add(const ro_small_float *q, double a, double b, double c,
                                   ro_rounding rounding)
{
    return ro_small_float_round(q, sum_to_odd(a * b, c), rounding);
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
    if (ABSENT(name))
        return NULL;
    for (int i = 0; i < NUMBERS; i++)
        if (ro_name_equal(name, numbers[i].name))
            return &numbers[i];
    return NULL;
}

/* ---- Images -------------------------------------------------------------------------------- */

struct number_scale scale_make(const struct ro_fixed *q, uint32_t maxval)
{
    int64_t room = q->one < q->max ? q->one : q->max;
    int64_t factor = room / maxval;
    return (struct number_scale){factor, factor ? factor * maxval : room, maxval};
}

int64_t scale_number(const struct number_scale *scale, uint32_t pixel)
{
    if (scale->factor)
        return scale->factor * pixel;
    return ro_round_quotient(scale->white * pixel, scale->maxval, RO_ROUND_NEAREST);
}

uint32_t scale_pixel(const struct number_scale *scale, int64_t n, uint32_t maxval)
{
    int64_t pixel = ro_round_quotient(n * maxval, scale->white, RO_ROUND_NEAREST);
    return pixel < 0 ? 0 : pixel > maxval ? maxval : (uint32_t)pixel;
}
