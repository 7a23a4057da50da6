/* SPDX-License-Identifier: MIT */
/*
 * Number systems with few bits: the fixed-point systems Q(b, t, e) and the small floats of
 * graphics hardware, their rounding modes and their saturating arithmetic, for single numbers and
 * for arrays (Strzodka, Hardware Efficient PDE Solvers in Quantized Image Processing, sections
 * 2.2.2 and 4.1.2.2). docs/number-systems.md has the figures of every format. Unstable: it may
 * change with any version, and is no part of roundoff.h.
 *
 * A fixed-point number is an integer n that stands for n/one. The system Q(b, t, e) holds n from
 * -b^t to b^t - 1, with e = b^-t, which has no number one, or e = 1/(b^t - 1), which has. A small
 * float is a float that has no more bits than its format.
 *
 * Every operation is exact and then rounded once; what is too large saturates. These calls need no
 * context, keep no state and may run on any thread.
 */
#ifndef ROUNDOFF_NUMBER_H
#define ROUNDOFF_NUMBER_H

#include "roundoff/core.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Rounding ------------------------------------------------------------------------------ */

/* Eq. 2.22, and the nearest mode whose ties go away from zero, which is odd: r(-x) = -r(x). */
typedef enum ro_rounding {
    RO_ROUND_ZERO,
    RO_ROUND_AWAY,
    RO_ROUND_DOWN,
    RO_ROUND_UP,
    RO_ROUND_NEAREST, /* ties away from zero */
    RO_ROUND_NEAREST_UP,
    RO_ROUND_NEAREST_DOWN,
    RO_ROUND_NEAREST_EVEN,
    RO_ROUNDINGS
} ro_rounding;
RO_API
const char *ro_rounding_name(ro_rounding rounding);
RO_API
bool ro_rounding_find(const char *name, ro_rounding *rounding);
RO_API
bool ro_rounding_is_odd(ro_rounding rounding);

/* The integer that numerator/denominator rounds to; the denominator is positive. */
RO_API
int64_t ro_round_quotient(int64_t numerator, int64_t denominator, ro_rounding rounding);

/* ---- Formats ------------------------------------------------------------------------------- */

/* Fixed point, of at most 25 bits with the sign. */
typedef struct ro_fixed {
    int64_t min, max;
    int64_t one; /* the number n stands for n/one; `one` itself need not be in the system */
    int step;    /* 2: only every other n exists, as in the expanded 8-bit format without a zero */
} ro_fixed;

/* Sign, mantissa and exponent bits with a hidden one and denormalized numbers, as in IEEE 754;
 * there is no infinity, larger values saturate. At most s23e8. */
typedef struct ro_small_float {
    int mantissa, exponent;
} ro_small_float;

typedef struct ro_number {
    const char *name;
    const char *summary;
    bool floating;
    ro_fixed fixed; /* where it is not floating */
    ro_small_float real;
} ro_number;

/* The formats of Tables 4.1 and 4.3 and some more, by name or one after another; NULL: none. */
RO_API
const ro_number *ro_number_find(const char *name);
RO_API
const ro_number *ro_number_at(int index);

/* Q(base, digits, e): base^digits may be 2^24 at most. */
typedef enum ro_epsilon {
    RO_EPSILON_POWER, /* base^-digits */
    RO_EPSILON_UNIT   /* 1/(base^digits - 1) */
} ro_epsilon;
RO_API
ro_status ro_fixed_system(int base, int digits, ro_epsilon epsilon, ro_fixed *q);

RO_API
bool ro_fixed_has_zero(const ro_fixed *q);
RO_API
bool ro_fixed_holds(const ro_fixed *q, int64_t numerator, int64_t denominator);
RO_API
double ro_small_float_epsilon(const ro_small_float *q); /* between 1 and the next number */
RO_API
double ro_small_float_max(const ro_small_float *q);

/* ---- Single numbers ------------------------------------------------------------------------ */

/* numerator/denominator as a number; numerator * one must fit 63 bits. */
RO_API
int64_t ro_fixed_round(const ro_fixed *q, int64_t numerator, int64_t denominator,
                       ro_rounding rounding);

/* A division by zero gives the largest number of the dividend's sign, and 0/0 gives 0. */
RO_API
int64_t ro_fixed_add(const ro_fixed *q, int64_t a, int64_t b);
RO_API
int64_t ro_fixed_subtract(const ro_fixed *q, int64_t a, int64_t b);
RO_API
int64_t ro_fixed_multiply(const ro_fixed *q, int64_t a, int64_t b, ro_rounding rounding);
RO_API
int64_t ro_fixed_multiply_add(const ro_fixed *q, int64_t a, int64_t b, int64_t c,
                              ro_rounding rounding); /* a b + c */
RO_API
int64_t ro_fixed_divide(const ro_fixed *q, int64_t a, int64_t b, ro_rounding rounding);

RO_API
double ro_small_float_round(const ro_small_float *q, double x, ro_rounding rounding);
RO_API
double ro_small_float_add(const ro_small_float *q, double a, double b, ro_rounding rounding);
RO_API
double ro_small_float_multiply(const ro_small_float *q, double a, double b, ro_rounding rounding);
RO_API
double ro_small_float_multiply_add(const ro_small_float *q, double a, double b, double c,
                                   ro_rounding rounding);

/* Table 4.2: a number of a system that holds 0 to 1 stands for 2 rho y - rho, and so codes -rho to
 * rho. `rho` is a whole number. Sums and products of what two codes stand for, as codes. */
RO_API
int64_t ro_affine_encode(const ro_fixed *q, int rho, int64_t numerator, int64_t denominator,
                         ro_rounding rounding);
RO_API
int64_t ro_affine_add(const ro_fixed *q, int rho, int64_t a, int64_t b, ro_rounding rounding);
RO_API
int64_t ro_affine_multiply(const ro_fixed *q, int rho, int64_t a, int64_t b, ro_rounding rounding);

/* ---- Arrays: the same on vectors ----------------------------------------------------------- */

/* Outputs may be one of the inputs, or overlap none. */
RO_API
void ro_fixed_from_doubles(const ro_fixed *q, ro_rounding rounding, const double *values,
                           int32_t *numbers, size_t count); /* NaN becomes the least of them */
RO_API
void ro_fixed_to_doubles(const ro_fixed *q, const int32_t *numbers, double *values, size_t count);
RO_API
void ro_fixed_add_arrays(const ro_fixed *q, const int32_t *a, const int32_t *b, int32_t *out,
                         size_t count);
RO_API
void ro_fixed_subtract_arrays(const ro_fixed *q, const int32_t *a, const int32_t *b, int32_t *out,
                              size_t count);
RO_API
void ro_fixed_multiply_arrays(const ro_fixed *q, ro_rounding rounding, const int32_t *a,
                              const int32_t *b, int32_t *out, size_t count);
RO_API
void ro_fixed_multiply_add_arrays(const ro_fixed *q, ro_rounding rounding, const int32_t *a,
                                  const int32_t *b, const int32_t *c, int32_t *out, size_t count);

RO_API
void ro_small_float_round_array(const ro_small_float *q, ro_rounding rounding, const float *in,
                                float *out, size_t count);
RO_API
void ro_small_float_add_arrays(const ro_small_float *q, ro_rounding rounding, const float *a,
                               const float *b, float *out, size_t count);
RO_API
void ro_small_float_multiply_arrays(const ro_small_float *q, ro_rounding rounding, const float *a,
                                    const float *b, float *out, size_t count);
RO_API
void ro_small_float_multiply_add_arrays(const ro_small_float *q, ro_rounding rounding,
                                        const float *a, const float *b, const float *c, float *out,
                                        size_t count);

#ifdef __cplusplus
}
#endif

#endif
