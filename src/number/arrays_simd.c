/* SPDX-License-Identifier: MIT */
/*
 * Arrays of numbers in vectors of doubles. Fixed point: numbers have 25 bits, so products are
 * exact, and so is the rest of a division once its quotient is put right. Small floats: an exact
 * product, or a sum whose last bit is made odd where it lacks something, and then the bits that a
 * format lacks are rounded away.
 */
#include "number/arrays.h"
#include "simd/simd.h"

#include <string.h>

enum { LANES = RO_VECTOR_BYTES / sizeof(double) };
typedef double vec __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t bits __attribute__((vector_size(LANES * sizeof(int64_t))));
typedef int32_t numbers __attribute__((vector_size(LANES * sizeof(int32_t))));
typedef float floats __attribute__((vector_size(LANES * sizeof(float))));

RO_INLINE vec choose(bits where, vec a, vec b)
{
    return (vec)((where & (bits)a) | (~where & (bits)b));
}

RO_INLINE vec one_where(bits where) { return (vec)(where & (bits)((vec){0} + 1)); }

RO_INLINE vec load(const int32_t *from)
{
    numbers n;
    memcpy(&n, from, sizeof n);
    return __builtin_convertvector(n, vec);
}

RO_INLINE vec truncated(vec v)
{
    return __builtin_convertvector(__builtin_convertvector(v, numbers), vec);
}

/* What the quotient toward zero is still to be moved by; `rest` has the numerator's sign. */
RO_INLINE vec correction(ro_rounding rounding, vec quotient, vec rest, double one)
{
    const vec twice = 2 * rest;
    const bits above = twice > one, below = -twice > one;
    const bits tie_up = twice == one, tie_down = -twice == one;
    switch (rounding) {
    case RO_ROUND_ZERO:
        return (vec){0};
    case RO_ROUND_AWAY:
        return one_where(rest > 0) - one_where(rest < 0);
    case RO_ROUND_DOWN:
        return -one_where(rest < 0);
    case RO_ROUND_UP:
        return one_where(rest > 0);
    case RO_ROUND_NEAREST_UP:
        return one_where(above | tie_up) - one_where(below);
    case RO_ROUND_NEAREST_DOWN:
        return one_where(above) - one_where(below | tie_down);
    case RO_ROUND_NEAREST_EVEN: {
        const vec half = quotient * 0.5;
        const bits odd = truncated(half) != half;
        return one_where(above | (tie_up & odd)) - one_where(below | (tie_down & odd));
    }
    default: /* RO_ROUND_NEAREST */
        return one_where(above | tie_up) - one_where(below | tie_down);
    }
}

static size_t fixed(enum array_operation operation, const ro_fixed *q, ro_rounding rounding,
                    const int32_t *a, const int32_t *b, const int32_t *c, int32_t *out,
                    size_t count)
{
    const double one = (double)q->one, inverse = 1 / one;
    const vec min = (vec){0} + (double)q->min, max = (vec){0} + (double)q->max;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const vec x = load(a + i), y = load(b + i);
        vec result;
        if (operation == RO_ARRAY_ADD) {
            result = x + y;
        } else if (operation == RO_ARRAY_SUBTRACT) {
            result = x - y;
        } else {
            vec numerator = x * y;
            if (operation == RO_ARRAY_MULTIPLY_ADD)
                numerator += load(c + i) * one;
            vec quotient = truncated(numerator * inverse);
            vec rest = numerator - quotient * one; /* may be off by one */
            const bits negative = numerator < 0;
            const vec sign = choose(negative, (vec){0} - 1, (vec){0} + 1);
            const bits less = rest * sign < 0, more = rest * sign >= one;
            quotient += sign * (one_where(more) - one_where(less));
            rest = numerator - quotient * one;
            result = quotient + correction(rounding, quotient, rest, one);
        }
        result = choose(result < min, min, choose(result > max, max, result));
        const numbers n = __builtin_convertvector(result, numbers);
        memcpy(out + i, &n, sizeof n);
    }
    return i;
}

RO_INLINE vec widened(const float *from)
{
    floats f;
    memcpy(&f, from, sizeof f);
    return __builtin_convertvector(f, vec);
}

RO_INLINE vec sum_to_odd(vec a, vec b)
{
    const vec sum = a + b, part = sum - a;
    const vec lacks = (a - (sum - part)) + (b - part);
    /* away from zero where it lacks something of its own sign, toward it where not */
    const bits change = ((lacks > 0) ^ (lacks < 0)) & (((bits)sum & 1) == 0);
    const bits outward = (lacks > 0) ^ (sum < 0);
    return (vec)((bits)sum + (change & ((outward & 1) - (~outward & 1))));
}

static size_t round_floats(enum array_operation operation, const ro_small_float *q, const float *a,
                           const float *b, const float *c, float *out, size_t count)
{
    const int drop = 52 - q->mantissa, smallest = 2 - (1 << (q->exponent - 1));
    const double least = __builtin_ldexp(1, smallest);
    const double anchor = __builtin_ldexp(1.5, smallest - q->mantissa + 52);
    const double largest = __builtin_ldexp(2 - __builtin_ldexp(1, -q->mantissa), 1 - smallest);
    const bits signs = (bits){0} + INT64_MIN, half = (bits){0} + (((int64_t)1 << (drop - 1)) - 1);
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        vec x;
        if (!a)
            x = widened(c + i);
        else if (operation == RO_ARRAY_ADD)
            x = sum_to_odd(widened(a + i), widened(b + i));
        else if (operation == RO_ARRAY_MULTIPLY)
            x = widened(a + i) * widened(b + i);
        else
            x = sum_to_odd(widened(a + i) * widened(b + i), widened(c + i));
        const bits sign = (bits)x & signs;
        const vec size = (vec)((bits)x & ~signs);
        /* normalized: half of the last bit is added and what is below it cut; a carry goes on into
         * the exponent. Denormalized: a large number leaves no room for more bits. */
        const bits carried = (bits)size + half + (((bits)size >> drop) & 1);
        const vec normal = (vec)((carried >> drop) << drop);
        vec result = choose(size < least, (size + anchor) - anchor, normal);
        result = choose(result > largest, (vec){0} + largest, result);
        result = choose(size != size, size, result);
        const floats f = __builtin_convertvector((vec)((bits)result | sign), floats);
        memcpy(out + i, &f, sizeof f);
    }
    return i;
}

extern const struct array_kernel RO_SIMD_NAME(array_kernel);
const struct array_kernel RO_SIMD_NAME(array_kernel) = {fixed, round_floats};
