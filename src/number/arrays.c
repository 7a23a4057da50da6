/* SPDX-License-Identifier: MIT */
/* Arrays of numbers: vectors as far as they go, and single numbers for the rest. */
#include "number/arrays.h"

#include "core/misuse.h"
#include "simd/variants.h"

#include <math.h>

RO_VARIANTS_DECLARE(const struct array_kernel, array_kernel);

static const struct array_kernel *kernel(void)
{
    static const struct array_kernel *const kernels[RO_CPUS] = {RO_VARIANTS_OF(array_kernel)};
    return kernels[cpu_best()];
}

/* ---- Fixed point --------------------------------------------------------------------------- */

static void run_fixed(enum array_operation operation, const ro_fixed *q, ro_rounding rounding,
                      const int32_t *a, const int32_t *b, const int32_t *c, int32_t *out,
                      size_t count)
{
    if (ABSENT(q, a, b, out) || (operation == RO_ARRAY_MULTIPLY_ADD && !c))
        return;
    const double most = fmax(-(double)q->min, (double)q->max);
    const bool fits = q->step == 1 && most <= 0x1p24 && most * most / (double)q->one < 0x1p30;
    const struct array_kernel *vectors = fits ? kernel() : NULL;
    size_t i = vectors ? vectors->fixed(operation, q, rounding, a, b, c, out, count) : 0;
    for (; i < count; i++)
        switch (operation) {
        case RO_ARRAY_ADD:
            out[i] = (int32_t)ro_fixed_add(q, a[i], b[i]);
            break;
        case RO_ARRAY_SUBTRACT:
            out[i] = (int32_t)ro_fixed_subtract(q, a[i], b[i]);
            break;
        case RO_ARRAY_MULTIPLY:
            out[i] = (int32_t)ro_fixed_multiply(q, a[i], b[i], rounding);
            break;
        default:
            out[i] = (int32_t)ro_fixed_multiply_add(q, a[i], b[i], c[i], rounding);
        }
}

void ro_fixed_add_arrays(const ro_fixed *q, const int32_t *a, const int32_t *b, int32_t *out,
                         size_t count)
{
    run_fixed(RO_ARRAY_ADD, q, RO_ROUND_ZERO, a, b, NULL, out, count);
}

void ro_fixed_subtract_arrays(const ro_fixed *q, const int32_t *a, const int32_t *b, int32_t *out,
                              size_t count)
{
    run_fixed(RO_ARRAY_SUBTRACT, q, RO_ROUND_ZERO, a, b, NULL, out, count);
}

void ro_fixed_multiply_arrays(const ro_fixed *q, ro_rounding rounding, const int32_t *a,
                              const int32_t *b, int32_t *out, size_t count)
{
    run_fixed(RO_ARRAY_MULTIPLY, q, rounding, a, b, NULL, out, count);
}

void ro_fixed_multiply_add_arrays(const ro_fixed *q, ro_rounding rounding, const int32_t *a,
                                  const int32_t *b, const int32_t *c, int32_t *out, size_t count)
{
    run_fixed(RO_ARRAY_MULTIPLY_ADD, q, rounding, a, b, c, out, count);
}

/* x times one is exact as a double and what it lacks; 2^-20 of a unit stand for that, on the side
 * it lies on, for no number of the system is nearer. */
static int64_t number_of(const ro_fixed *q, ro_rounding rounding, double x)
{
    const double scaled = x * (double)q->one, limit = 0x1p30;
    if (!(scaled > -limit)) /* also NaN */
        return q->min;
    if (scaled > limit)
        return q->max;
    const double whole = floor(scaled), part = scaled - whole;
    const double lacks = fma(x, (double)q->one, -scaled);
    int64_t fraction = (int64_t)(part * 0x1p20);
    const double rest = part * 0x1p20 - (double)fraction;
    fraction = 4 * fraction + (rest > 0 ? 2 : 0) + (lacks > 0) - (lacks < 0);
    const int64_t numerator = (int64_t)whole * (1 << 22) + fraction;
    return ro_fixed_round(&(ro_fixed){q->min, q->max, 1, q->step}, numerator, 1 << 22, rounding);
}

void ro_fixed_from_doubles(const ro_fixed *q, ro_rounding rounding, const double *values,
                           int32_t *numbers, size_t count)
{
    if (ABSENT(q, values, numbers))
        return;
    for (size_t i = 0; i < count; i++)
        numbers[i] = (int32_t)number_of(q, rounding, values[i]);
}

void ro_fixed_to_doubles(const ro_fixed *q, const int32_t *numbers, double *values, size_t count)
{
    if (ABSENT(q, numbers, values))
        return;
    for (size_t i = 0; i < count; i++)
        values[i] = numbers[i] / (double)q->one;
}

/* ---- Small floats -------------------------------------------------------------------------- */

static void run_floats(enum array_operation operation, const ro_small_float *q,
                       ro_rounding rounding, const float *a, const float *b, const float *c,
                       float *out, size_t count)
{
    const struct array_kernel *vectors = rounding == RO_ROUND_NEAREST_EVEN ? kernel() : NULL;
    size_t i = vectors ? vectors->floats(operation, q, a, b, c, out, count) : 0;
    for (; i < count; i++) {
        double result;
        if (!a)
            result = ro_small_float_round(q, (double)c[i], rounding);
        else if (operation == RO_ARRAY_ADD)
            result = ro_small_float_add(q, (double)a[i], (double)b[i], rounding);
        else if (operation == RO_ARRAY_MULTIPLY)
            result = ro_small_float_multiply(q, (double)a[i], (double)b[i], rounding);
        else
            result =
                ro_small_float_multiply_add(q, (double)a[i], (double)b[i], (double)c[i], rounding);
        out[i] = (float)result;
    }
}

void ro_small_float_round_array(const ro_small_float *q, ro_rounding rounding, const float *in,
                                float *out, size_t count)
{
    if (ABSENT(q, in, out))
        return;
    run_floats(RO_ARRAY_ADD, q, rounding, NULL, NULL, in, out, count);
}

void ro_small_float_add_arrays(const ro_small_float *q, ro_rounding rounding, const float *a,
                               const float *b, float *out, size_t count)
{
    if (ABSENT(q, a, b, out))
        return;
    run_floats(RO_ARRAY_ADD, q, rounding, a, b, NULL, out, count);
}

void ro_small_float_multiply_arrays(const ro_small_float *q, ro_rounding rounding, const float *a,
                                    const float *b, float *out, size_t count)
{
    if (ABSENT(q, a, b, out))
        return;
    run_floats(RO_ARRAY_MULTIPLY, q, rounding, a, b, NULL, out, count);
}

void ro_small_float_multiply_add_arrays(const ro_small_float *q, ro_rounding rounding,
                                        const float *a, const float *b, const float *c, float *out,
                                        size_t count)
{
    if (ABSENT(q, a, b, c, out))
        return;
    run_floats(RO_ARRAY_MULTIPLY_ADD, q, rounding, a, b, c, out, count);
}
