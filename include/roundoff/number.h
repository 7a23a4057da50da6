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

/* ---- Products with matrices that keep the sum ---------------------------------------------- */

/* A square matrix in compressed rows: the entries of row i are those from starts[i] to
 * starts[i + 1] - 1, in any order, no column twice; entry k stands for weights[k]/one. */
typedef struct ro_matrix {
    size_t rows;
    const size_t *starts;    /* rows + 1 of them, from 0 */
    const uint32_t *columns; /* below `rows` */
    const int32_t *weights;
    int32_t one; /* 1 to 2^24 */
} ro_matrix;

/* A symmetric stencil with row sums of 1 on an image, rows one after another: a tap stands for the
 * pixels at (dx, dy) and (-dx, -dy) and is given once. What lies outside is left out, and the
 * weight of the pixel itself is what is missing to 1. */
typedef struct ro_stencil_tap {
    int32_t dx, dy, weight;
} ro_stencil_tap;
typedef struct ro_stencil {
    uint32_t width, height;
    size_t count;
    const ro_stencil_tap *taps;
    int32_t one;
} ro_stencil;

/* How a product A v is evaluated. With S the row sums of A and Z = A - S, whose rows sum to 0:
 *
 *   RO_PRODUCT_MASS_EXACT   S_i v_i + sum over j of A_ij (v_j - v_i)       Eq. 2.29; scaled, 2.31
 *   RO_PRODUCT_NATURAL      sum over j of A_ij v_j                         scaled, Eq. 2.32
 *
 * Every product is rounded, sums are exact and saturate at their end. Of a symmetric matrix, by an
 * odd rounding and where nothing saturates, the first has the sum of the products S_i v_i whatever
 * was rounded: that of v itself where rows (and so columns) sum to 1. */
typedef enum ro_product { RO_PRODUCT_MASS_EXACT, RO_PRODUCT_NATURAL } ro_product;

typedef struct ro_product_options {
    size_t size; /* of the structure */
    ro_product product;
    ro_rounding rounding;
    /* Scales of the rows, s from 1 to 2^15: differences are multiplied by s, the sum of products is
     * divided by it and rounded, which is more accurate where v is smooth but keeps the sum only
     * nearly. -s is 1/s, by which a sum does not change. NULL: `scale` for all, 0 being 1. */
    const int32_t *scales;
    int32_t scale;
} ro_product_options;

typedef struct ro_product_report {
    size_t size;         /* of the structure; set it before the call */
    int64_t sum, defect; /* of the result; and what it is more than that of the products S_i v_i */
    uint64_t saturated;  /* results that were cut to the range of the system */
} ro_product_report;

/* Whether a matrix is symmetric and whether all of its rows sum to 1; RO_E_ARGUMENT for one that is
 * no matrix. The answers may be NULL. */
RO_API
ro_status ro_matrix_check(const ro_matrix *a, bool *symmetric, bool *unit);

/* Splits A into row sums and Z: `sums` has a number per row, `zero` one for each entry; both count
 * as the weights do. Rows without an entry on the diagonal keep theirs in the sums alone. */
RO_API
ro_status ro_matrix_split(const ro_matrix *a, int64_t *sums, int64_t *zero);

/* Products of numbers of a system; `out` overlaps no input. `options` NULL: mass-exact, toward
 * zero. `report` may be NULL. RO_E_ARGUMENT for what is no matrix, stencil or scale. */
RO_API
ro_status ro_matrix_product(const ro_fixed *q, const ro_matrix *a,
                            const ro_product_options *options, const int32_t *v, int32_t *out,
                            ro_product_report *report);
RO_API
ro_status ro_stencil_product(const ro_fixed *q, const ro_stencil *a,
                             const ro_product_options *options, const int32_t *v, int32_t *out,
                             ro_product_report *report);

#ifdef __cplusplus
}
#endif

#endif
