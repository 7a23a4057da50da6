/* SPDX-License-Identifier: MIT */
/*
 * Number systems with few bits: fixed point and small floating point, their rounding modes and
 * their saturating arithmetic (Strzodka, Hardware Efficient PDE Solvers in Quantized Image
 * Processing, sections 2.2.2 and 4.1.2.2).
 *
 * A fixed-point number is an integer n that stands for n/one. The systems Q(2, t, e) hold n from
 * -2^t to 2^t - 1 with e = 2^-t, which has no number one, or e = 1/(2^t - 1), which has.
 */
#ifndef RO_NUMBER_NUMBER_H
#define RO_NUMBER_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Eq. 2.22, and the nearest mode whose ties go away from zero, which is odd: r(-x) = -r(x). */
enum ro_rounding {
    RO_ROUND_ZERO,
    RO_ROUND_AWAY,
    RO_ROUND_DOWN,
    RO_ROUND_UP,
    RO_ROUND_NEAREST, /* ties away from zero */
    RO_ROUND_NEAREST_UP,
    RO_ROUND_NEAREST_DOWN,
    RO_ROUND_NEAREST_EVEN,
    RO_ROUNDINGS
};
const char *ro_rounding_name(enum ro_rounding rounding);
bool ro_rounding_find(const char *name, enum ro_rounding *rounding);
bool ro_rounding_is_odd(enum ro_rounding rounding);

/* The integer that numerator/denominator rounds to; the denominator is positive. */
int64_t ro_round_quotient(int64_t numerator, int64_t denominator, enum ro_rounding rounding);

struct ro_fixed {
    int64_t min, max;
    int64_t one; /* the number n stands for n/one; `one` itself need not be in the system */
    int step;    /* 2: only every other n exists, as in the expanded 8-bit format without a zero */
};
enum ro_epsilon { RO_EPSILON_POWER, RO_EPSILON_UNIT }; /* 2^-t or 1/(2^t - 1) */
struct ro_fixed ro_fixed_make(int t, enum ro_epsilon epsilon);

bool ro_fixed_has_zero(const struct ro_fixed *q);
bool ro_fixed_holds(const struct ro_fixed *q, int64_t numerator, int64_t denominator);
int64_t ro_fixed_round(const struct ro_fixed *q, int64_t numerator, int64_t denominator,
                       enum ro_rounding rounding);

/* Operations on numbers of the system; they saturate. A division by zero gives the largest number
 * of the dividend's sign, and 0/0 gives 0. */
int64_t ro_fixed_add(const struct ro_fixed *q, int64_t a, int64_t b);
int64_t ro_fixed_subtract(const struct ro_fixed *q, int64_t a, int64_t b);
int64_t ro_fixed_multiply(const struct ro_fixed *q, int64_t a, int64_t b, enum ro_rounding);
int64_t ro_fixed_divide(const struct ro_fixed *q, int64_t a, int64_t b, enum ro_rounding);

/* Sign, mantissa and exponent bits with a hidden one and denormalized numbers, as in IEEE 754;
 * there is no infinity, larger values saturate. At most s23e8, so that doubles hold all products.
 */
struct ro_small_float {
    int mantissa, exponent;
};
double ro_small_float_epsilon(const struct ro_small_float *q);
double ro_small_float_max(const struct ro_small_float *q);
double ro_small_float_round(const struct ro_small_float *q, double x, enum ro_rounding rounding);

struct ro_number {
    const char *name;
    const char *summary;
    bool floating;
    struct ro_fixed fixed;
    struct ro_small_float real;
};
const struct ro_number *ro_number_find(const char *name); /* NULL: there is none */
const struct ro_number *ro_number_at(int index);          /* NULL past the end */

/*
 * How a system holds the pixels of an image. Where it has room, n = factor * pixel with a whole
 * factor, so that every pixel is exact and sums stay comparable; white is factor * maxval then.
 * Where it has not (factor 0), n is the pixel's value a/maxval rounded to the nearest number.
 */
struct ro_scale {
    int64_t factor;
    int64_t white;
    uint32_t maxval;
};
struct ro_scale ro_scale_make(const struct ro_fixed *q, uint32_t maxval);
int64_t ro_scale_number(const struct ro_scale *scale, uint32_t pixel);
uint32_t ro_scale_pixel(const struct ro_scale *scale, int64_t n, uint32_t maxval);

#endif
