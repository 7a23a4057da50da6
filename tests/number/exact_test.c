/* SPDX-License-Identifier: MIT */
/*
 * Operations on numbers against exact rationals: whatever the code does, what comes out must be a
 * number of the system, and Eq. 2.22 must hold between it and the exact result, in 128 bits.
 * Arrays must agree with single numbers.
 */
#include "core/random.h"
#include "roundoff/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef __int128 wide;

static uint32_t counter;
static uint32_t draw(void) { return pixel_hash(5, counter++, 0); }

/* ---- Fixed point --------------------------------------------------------------------------- */

/* Whether n is what numerator/denominator, counted in n, rounds to. */
static bool is_rounded(const ro_fixed *q, ro_rounding rounding, wide numerator, wide denominator,
                       int64_t n)
{
    if (n < q->min || n > q->max || (n - q->min) % q->step)
        return false;
    const wide step = q->step * denominator, off = n * denominator - numerator; /* n - x */
    if (numerator < q->min * denominator)
        return n == q->min;
    if (numerator > q->max * denominator)
        return n == q->max;
    const wide size = off < 0 ? -off : off;
    const bool grew = numerator < 0 ? off < 0 : off > 0; /* away from zero */
    if (size >= step)
        return false;
    if (off == 0)
        return true;
    switch (rounding) {
    case RO_ROUND_ZERO:
        return !grew;
    case RO_ROUND_AWAY:
        return grew;
    case RO_ROUND_DOWN:
        return off < 0;
    case RO_ROUND_UP:
        return off > 0;
    case RO_ROUND_NEAREST:
        return 2 * size < step || (2 * size == step && grew);
    case RO_ROUND_NEAREST_UP:
        return 2 * size < step || (2 * size == step && off > 0);
    case RO_ROUND_NEAREST_DOWN:
        return 2 * size < step || (2 * size == step && off < 0);
    default:
        return 2 * size < step ||
               (2 * size == step && (q->step == 1 ? n : (n - q->min) / q->step) % 2 == 0);
    }
}

static int32_t some_number(const ro_fixed *q)
{
    const int64_t count = (q->max - q->min) / q->step + 1;
    const uint32_t kind = draw() % 8;
    const int64_t place = kind == 0   ? 0
                          : kind == 1 ? count - 1
                          : kind == 2 ? count / 2
                                      : (int64_t)((uint64_t)draw() * (uint64_t)count >> 32);
    return (int32_t)(q->min + place * q->step);
}

enum { COUNT = 67 };

static void try_system(const ro_fixed *q, const char *name)
{
    static int32_t a[COUNT], b[COUNT], c[COUNT], out[COUNT];
    for (int r = 0; r < RO_ROUNDINGS; r++) {
        const ro_rounding rounding = (ro_rounding)r;
        for (int i = 0; i < COUNT; i++) {
            a[i] = some_number(q);
            b[i] = some_number(q);
            c[i] = some_number(q);
        }
        for (int op = 0; op < 4; op++) {
            if (op == 0)
                ro_fixed_add_arrays(q, a, b, out, COUNT);
            else if (op == 1)
                ro_fixed_subtract_arrays(q, a, b, out, COUNT);
            else if (op == 2)
                ro_fixed_multiply_arrays(q, rounding, a, b, out, COUNT);
            else
                ro_fixed_multiply_add_arrays(q, rounding, a, b, c, out, COUNT);
            for (int i = 0; i < COUNT; i++) {
                const wide x = a[i], y = b[i], z = c[i], one = q->one;
                const wide numerator = op == 0   ? x + y
                                       : op == 1 ? x - y
                                       : op == 2 ? x * y
                                                 : x * y + z * one;
                const int64_t single = op == 0   ? ro_fixed_add(q, a[i], b[i])
                                       : op == 1 ? ro_fixed_subtract(q, a[i], b[i])
                                       : op == 2
                                           ? ro_fixed_multiply(q, a[i], b[i], rounding)
                                           : ro_fixed_multiply_add(q, a[i], b[i], c[i], rounding);
                if (!is_rounded(q, op < 2 ? RO_ROUND_NEAREST_EVEN : rounding, numerator,
                                op < 2 ? 1 : one, single) ||
                    out[i] != single)
                    fail_msg("%s, operation %d, %s: %d %d %d gives %d, alone %d", name, op,
                             ro_rounding_name(rounding), a[i], b[i], c[i], out[i], (int)single);
            }
        }
        for (int i = 0; i < COUNT; i++) {
            const int64_t n = ro_fixed_divide(q, a[i], b[i], rounding);
            const wide sign = b[i] < 0 ? -1 : 1;
            if (b[i] && !is_rounded(q, rounding, sign * a[i] * q->one, sign * b[i], n))
                fail_msg("%s: %d / %d gives %d", name, a[i], b[i], (int)n);
        }
    }
}

static void fixed_point(void **state)
{
    (void)state;
    for (int i = 0; ro_number_at(i); i++)
        for (int k = 0; k < 20 && !ro_number_at(i)->floating; k++)
            try_system(&ro_number_at(i)->fixed, ro_number_at(i)->name);
    static const int systems[][2] = {{2, 1}, {2, 24}, {3, 5}, {10, 3}, {10, 7}, {255, 2}};
    for (int i = 0; i < 12; i++) {
        ro_fixed q;
        char name[32];
        assert_int_equal(
            ro_fixed_system(systems[i / 2][0], systems[i / 2][1], (ro_epsilon)(i % 2), &q), RO_OK);
        snprintf(name, sizeof name, "Q(%d, %d)", systems[i / 2][0], systems[i / 2][1]);
        for (int k = 0; k < 20; k++)
            try_system(&q, name);
    }
    ro_fixed q;
    assert_int_equal(ro_fixed_system(1, 5, RO_EPSILON_POWER, &q), RO_E_ARGUMENT);
    assert_int_equal(ro_fixed_system(2, 25, RO_EPSILON_POWER, &q), RO_E_ARGUMENT);
    assert_int_equal(ro_fixed_system(2, 0, RO_EPSILON_POWER, &q), RO_E_ARGUMENT);
}

/* A double is m 2^e, so its product with `one` is a rational, too. */
static void from_doubles(void **state)
{
    (void)state;
    for (int i = 0; ro_number_at(i); i++) {
        const ro_fixed *q = &ro_number_at(i)->fixed;
        if (ro_number_at(i)->floating)
            continue;
        for (int k = 0; k < 4000; k++) {
            const ro_rounding rounding = (ro_rounding)(k % RO_ROUNDINGS);
            /* near a number or half way between two, and by a few last bits beside it */
            double x = some_number(q) / (double)q->one;
            if (k % 3 == 0)
                x += 0.5 * q->step / (double)q->one;
            for (uint32_t n = draw() % 4; n > 0; n--)
                x = nextafter(x, k % 2 ? 9 : -9);
            int32_t number;
            int exponent;
            const wide m = (wide)(frexp(x, &exponent) * 0x1p53);
            ro_fixed_from_doubles(q, rounding, &x, &number, 1);
            if (exponent < -8 || exponent > 2)
                continue; /* 128 bits have no room for it */
            if (!is_rounded(q, rounding, m * q->one, (wide)1 << (53 - exponent), number))
                fail_msg("%s, %s: %.17g becomes %d", ro_number_at(i)->name,
                         ro_rounding_name(rounding), x, number);
        }
        static const double odd[] = {INFINITY, -INFINITY, NAN, 1e300, -1e300, 0};
        int32_t numbers[6];
        ro_fixed_from_doubles(q, RO_ROUND_NEAREST, odd, numbers, 6);
        assert_int_equal(numbers[0], q->max);
        assert_int_equal(numbers[1], q->min);
        assert_int_equal(numbers[2], q->min);
        assert_int_equal(numbers[3], q->max);
        assert_int_equal(numbers[4], q->min);
        assert_true(labs(numbers[5]) < q->step);
        double back[6];
        ro_fixed_to_doubles(q, numbers, back, 6);
        assert_true(back[0] == (double)q->max / (double)q->one);
    }
}

/* Table 4.2: what codes stand for, not the codes, is what is added and multiplied. */
static void affine_codes(void **state)
{
    (void)state;
    const ro_fixed *q = &ro_number_find("u8")->fixed;
    for (int rho = 1; rho <= 2; rho++)
        for (int64_t a = 0; a <= 255; a += 5)
            for (int64_t b = 0; b <= 255; b += 3) {
                const double x = rho * (2 * a / 255.0 - 1), y = rho * (2 * b / 255.0 - 1);
                const struct {
                    double value;
                    int64_t code;
                } cases[] = {{x + y, ro_affine_add(q, rho, a, b, RO_ROUND_NEAREST)},
                             {x * y, ro_affine_multiply(q, rho, a, b, RO_ROUND_NEAREST)}};
                for (int i = 0; i < 2; i++) {
                    const double wanted = 255 * (cases[i].value + rho) / (2 * rho);
                    const double held = wanted < 0 ? 0 : wanted > 255 ? 255 : wanted;
                    assert_true(fabs((double)cases[i].code - held) <= 0.5 + 1e-9);
                }
            }
    assert_int_equal(ro_affine_encode(q, 2, 2, 1, RO_ROUND_NEAREST), 255);
    assert_int_equal(ro_affine_encode(q, 2, -2, 1, RO_ROUND_NEAREST), 0);
}

/* ---- Small floats -------------------------------------------------------------------------- */

/* A number of the format with an exponent in [low, high], some denormalized. */
static float some_float(const ro_small_float *q, int low, int high)
{
    const double m = (double)(draw() & ((2u << q->mantissa) - 1));
    const int e = low + (int)(draw() % (uint32_t)(high - low + 1));
    const double x = ro_small_float_round(q, ldexp(m, e - q->mantissa), RO_ROUND_ZERO);
    return (float)(draw() % 2 ? -x : x);
}

/* x as an integer number of 2^-scale. */
static wide at_scale(double x, int scale)
{
    int exponent;
    const wide m = (wide)(frexp(x, &exponent) * 0x1p53);
    const int shift = exponent - 53 + scale;
    return shift >= 0 ? m * ((wide)1 << shift) : m / ((wide)1 << -shift);
}

/* As is_rounded: the neighbours of the result are as far as the format has it. */
static bool is_rounded_float(const ro_small_float *q, ro_rounding rounding, wide exact, int scale,
                             double result)
{
    const wide got = at_scale(result, scale), off = got - exact;
    const wide size = off < 0 ? -off : off;
    /* wider formats have no number here that is too large */
    const wide largest = q->exponent == 5 ? at_scale(ro_small_float_max(q), scale) : (wide)1 << 126;
    if (exact > largest || exact < -largest)
        return got == (exact < 0 ? -largest : largest);
    if (ro_small_float_round(q, result, RO_ROUND_ZERO) != result)
        return false;
    /* the distance of the numbers round the exact value */
    int bits = 0;
    for (wide rest = exact < 0 ? -exact : exact; rest; rest >>= 1)
        bits++;
    int last = bits - 1 - q->mantissa;
    const int least = scale + 2 - (1 << (q->exponent - 1)) - q->mantissa;
    last = last < least ? least : last;
    if (last <= 0)
        return off == 0;
    const wide distance = (wide)1 << last;
    const bool grew = exact < 0 ? off < 0 : off > 0;
    if (off == 0)
        return true;
    if (size >= distance)
        return false;
    const bool tie = 2 * size == distance, nearer = 2 * size < distance;
    switch (rounding) {
    case RO_ROUND_ZERO:
        return !grew;
    case RO_ROUND_AWAY:
        return grew;
    case RO_ROUND_DOWN:
        return off < 0;
    case RO_ROUND_UP:
        return off > 0;
    case RO_ROUND_NEAREST:
        return nearer || (tie && grew);
    case RO_ROUND_NEAREST_UP:
        return nearer || (tie && off > 0);
    case RO_ROUND_NEAREST_DOWN:
        return nearer || (tie && off < 0);
    default:
        return nearer || (tie && (got >> last) % 2 == 0);
    }
}

static void small_floats(void **state)
{
    (void)state;
    static const char *const names[] = {"s10e5", "s16e7", "s23e8"};
    enum { N = 53 };
    static float a[N], b[N], c[N], out[N];
    for (int f = 0; f < 3; f++) {
        const ro_small_float *q = &ro_number_find(names[f])->real;
        /* exponents such that products and sums fit 128 bits together */
        const int low = f == 0 ? -16 : -12, high = f == 0 ? 9 : 8, scale = f == 0 ? 60 : 72;
        for (int k = 0; k < 400; k++) {
            const ro_rounding rounding = (ro_rounding)(k % RO_ROUNDINGS);
            for (int i = 0; i < N; i++) {
                a[i] = some_float(q, low, high);
                b[i] = some_float(q, low, high);
                c[i] = some_float(q, low, high);
            }
            for (int op = 0; op < 3; op++) {
                if (op == 0)
                    ro_small_float_add_arrays(q, rounding, a, b, out, N);
                else if (op == 1)
                    ro_small_float_multiply_arrays(q, rounding, a, b, out, N);
                else
                    ro_small_float_multiply_add_arrays(q, rounding, a, b, c, out, N);
                for (int i = 0; i < N; i++) {
                    const double x = (double)a[i], y = (double)b[i], z = (double)c[i];
                    const wide product = at_scale(x * y, scale);
                    const wide exact = op == 0   ? at_scale(x, scale) + at_scale(y, scale)
                                       : op == 1 ? product
                                                 : product + at_scale(z, scale);
                    const double single = op == 0 ? ro_small_float_add(q, x, y, rounding)
                                          : op == 1
                                              ? ro_small_float_multiply(q, x, y, rounding)
                                              : ro_small_float_multiply_add(q, x, y, z, rounding);
                    if (!is_rounded_float(q, rounding, exact, scale, single) ||
                        (double)out[i] != single)
                        fail_msg("%s, operation %d, %s: %a %a %a gives %a, alone %a", names[f], op,
                                 ro_rounding_name(rounding), x, y, z, (double)out[i], single);
                }
            }
        }
    }
}

/* Sums far apart, which doubles do not hold, the ends of the range, and all that is no number. */
static void rounding_of_floats(void **state)
{
    (void)state;
    const ro_small_float half = {10, 5}, middle = {16, 7};
    assert_true(ro_small_float_add(&middle, 0x1.8p0 + 0x1p-17, 0x1p-60, RO_ROUND_NEAREST_DOWN) ==
                0x1.8p0 + 0x1p-16); /* above the tie by almost nothing */
    assert_true(ro_small_float_add(&middle, 0x1p0, -0x1p-60, RO_ROUND_DOWN) == 1 - 0x1p-17);
    assert_true(ro_small_float_add(&middle, 0x1p0, 0x1p-60, RO_ROUND_UP) == 1 + 0x1p-16);
    static float in[64 * 9], out[64 * 9];
    size_t count = 0;
    for (int e = -30; e < 20; e++)
        for (int k = 0; k < 11; k++)
            in[count++] = (float)(ldexp(1 + (draw() >> 9) * 0x1p-23, e) * (k % 2 ? 1 : -1));
    static const float odd[] = {0,        -0.0f, INFINITY, -INFINITY, 65504,
                                65519.9f, 65520, 1e9f,     0x1p-25f};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        in[count++] = odd[i];
    for (int r = 0; r < RO_ROUNDINGS; r++) {
        ro_small_float_round_array(&half, (ro_rounding)r, in, out, count);
        for (size_t i = 0; i < count; i++)
            assert_true((double)out[i] ==
                        ro_small_float_round(&half, (double)in[i], (ro_rounding)r));
    }
    float nothing[9];
    for (int i = 0; i < 9; i++)
        nothing[i] = NAN;
    ro_small_float_round_array(&half, RO_ROUND_NEAREST_EVEN, nothing, nothing, 9);
    for (int i = 0; i < 9; i++)
        assert_true(isnan(nothing[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_point),        cmocka_unit_test(from_doubles),
        cmocka_unit_test(affine_codes),       cmocka_unit_test(small_floats),
        cmocka_unit_test(rounding_of_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
