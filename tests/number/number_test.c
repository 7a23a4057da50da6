/* SPDX-License-Identifier: MIT */
/* Tables 4.1 and 4.3 and the examples of section 2.2.2 of the thesis, and the rounding modes. */
#include "number/number.h"
#include "roundoff/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ro_fixed binary(int t, enum ro_epsilon epsilon)
{
    struct ro_fixed q;
    assert_int_equal(ro_fixed_system(2, t, epsilon, &q), RO_OK);
    return q;
}

static const struct ro_fixed *fixed(const char *name)
{
    const struct ro_number *number = ro_number_find(name);
    assert_non_null(number);
    assert_false(number->floating);
    return &number->fixed;
}

/* Table 4.1: the number n of a value, or NONE. The expanded format's rows list 2a - 255. */
static void table_4_1(void **state)
{
    (void)state;
    enum { NONE = 1 << 30 };
    static const char *const formats[] = {"u8", "u16", "x8", "s9", "s8", "q15"};
    static const struct {
        int numerator, denominator;
        int n[6];
    } rows[] = {
        {1, 1, {255, 255 * 257, 255, 255, NONE, NONE}},
        {255 * 257 - 1, 255 * 257, {NONE, 255 * 257 - 1, NONE, NONE, NONE, NONE}},
        {128 * 256 - 1, 128 * 256, {NONE, NONE, NONE, NONE, NONE, 128 * 256 - 1}},
        {254, 255, {254, 254 * 257, NONE, 254, NONE, NONE}},
        {127, 128, {NONE, NONE, NONE, NONE, 127, 127 * 256}},
        {253, 255, {253, 253 * 257, 253, 253, NONE, NONE}},
        {1, 2, {NONE, NONE, NONE, NONE, 64, 64 * 256}},
        {0, 1, {0, 0, NONE, 0, 0, 0}},
        {-1, 2, {NONE, NONE, NONE, NONE, -64, -64 * 256}},
        {-253, 255, {NONE, NONE, -253, -253, NONE, NONE}},
        {-127, 128, {NONE, NONE, NONE, NONE, -127, -127 * 256}},
        {-254, 255, {NONE, NONE, NONE, -254, NONE, NONE}},
        {-128 * 256 + 1, 128 * 256, {NONE, NONE, NONE, NONE, NONE, -128 * 256 + 1}},
        {-255 * 257 + 1, 255 * 257, {NONE, NONE, NONE, NONE, NONE, NONE}},
        {-1, 1, {NONE, NONE, -255, -255, -128, -128 * 256}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 6; k++) {
            const struct ro_fixed *q = fixed(formats[k]);
            bool holds = ro_fixed_holds(q, rows[i].numerator, rows[i].denominator);
            assert_int_equal(holds, rows[i].n[k] != NONE);
            if (holds)
                for (int r = 0; r < RO_ROUNDINGS; r++)
                    assert_int_equal(ro_fixed_round(q, rows[i].numerator, rows[i].denominator,
                                                    (enum ro_rounding)r),
                                     rows[i].n[k]);
        }
    for (int k = 0; k < 6; k++)
        assert_int_equal(ro_fixed_has_zero(fixed(formats[k])), k != 2);
}

/* The virtual signed 16-bit format holds what no other 16-bit one does. */
static void virtual_signed_16(void **state)
{
    (void)state;
    const struct ro_fixed *s16 = fixed("s16");
    for (int a = -255; a <= 255; a++)
        assert_true(ro_fixed_holds(s16, a, 255));
    for (int j = 0; j <= 7; j++) {
        assert_true(ro_fixed_holds(s16, 1, 1 << j));
        assert_true(ro_fixed_holds(s16, -1, 1 << j));
    }
    assert_false(ro_fixed_holds(s16, 1, 256));
}

static void both_epsilons(void **state)
{
    (void)state;
    struct ro_fixed power = binary(8, RO_EPSILON_POWER);
    struct ro_fixed unit = binary(8, RO_EPSILON_UNIT);
    assert_int_equal(power.min, -256);
    assert_int_equal(power.max, 255);
    assert_false(ro_fixed_holds(&power, 1, 1));
    assert_true(ro_fixed_holds(&power, 1, 2));
    assert_true(ro_fixed_holds(&power, -1, 1));
    assert_true(ro_fixed_holds(&unit, 1, 1));
    assert_true(ro_fixed_holds(&unit, -1, 1));
    assert_false(ro_fixed_holds(&unit, 1, 2));
    assert_int_equal(unit.max, fixed("s9")->max);
    assert_int_equal(unit.one, fixed("s9")->one);
    /* Eq. 2.25 */
    assert_true(fabs(1.0 / (double)binary(8, RO_EPSILON_POWER).one - 3.9e-3) < 0.05e-3);
    assert_true(fabs(1.0 / (double)binary(12, RO_EPSILON_POWER).one - 2.4e-4) < 0.05e-4);
    assert_true(fabs(1.0 / (double)binary(16, RO_EPSILON_POWER).one - 1.5e-5) < 0.05e-5);
}

/* Section 2.2.2.2 in Q(2, 9, 2^-9). The product 2^-5 * 2^-5 is a tie there (256/512), so that it
 * underflows when ties go down or to even, and in the directed modes; ties up give one unit. */
static void underflow(void **state)
{
    (void)state;
    struct ro_fixed q = binary(9, RO_EPSILON_POWER);
    int64_t a = ro_fixed_round(&q, 1, 32, RO_ROUND_NEAREST_UP);
    assert_int_equal(a, 16);
    assert_int_equal(ro_fixed_multiply(&q, a, a, RO_ROUND_NEAREST_DOWN), 0);
    assert_int_equal(ro_fixed_multiply(&q, a, a, RO_ROUND_NEAREST_EVEN), 0);
    assert_int_equal(ro_fixed_multiply(&q, a, a, RO_ROUND_ZERO), 0);
    assert_int_equal(ro_fixed_multiply(&q, a, a, RO_ROUND_NEAREST_UP), 1);
    assert_int_equal(ro_fixed_multiply(&q, a, a / 2, RO_ROUND_NEAREST_UP), 0);
    /* the distributive law: 30 products vanish, their sum would not */
    int64_t sum = 0;
    for (int i = 0; i < 30; i++)
        sum = ro_fixed_add(&q, sum, ro_fixed_multiply(&q, a, a / 2, RO_ROUND_NEAREST_UP));
    assert_int_equal(sum, 0);
    assert_int_equal(ro_fixed_multiply(&q, a, 30 * (a / 2), RO_ROUND_NEAREST_UP), 8);
}

static void saturation(void **state)
{
    (void)state;
    struct ro_fixed q = binary(9, RO_EPSILON_POWER);
    int64_t a = ro_fixed_round(&q, -1, 2, RO_ROUND_NEAREST_UP);
    int64_t b = ro_fixed_round(&q, -7, 10, RO_ROUND_NEAREST_UP);
    assert_int_equal(ro_fixed_add(&q, a, b), -512); /* -1 */
    assert_int_equal(ro_fixed_add(&q, 511, 1), 511);
    assert_int_equal(ro_fixed_subtract(&q, -512, 1), -512);
    assert_int_equal(ro_fixed_subtract(&q, 0, -512), 511);
    assert_int_equal(ro_fixed_multiply(&q, -512, -512, RO_ROUND_ZERO), 511);
    assert_int_equal(ro_fixed_divide(&q, 1, 0, RO_ROUND_ZERO), 511);
    assert_int_equal(ro_fixed_divide(&q, -1, 0, RO_ROUND_ZERO), -512);
    assert_int_equal(ro_fixed_divide(&q, 0, 0, RO_ROUND_ZERO), 0);
    assert_int_equal(ro_fixed_divide(&q, 100, -200, RO_ROUND_ZERO), -256);
}

/* f(x) = 1/(512 x): a third of the positive numbers gives the same result. */
static void aliasing(void **state)
{
    (void)state;
    struct ro_fixed q = binary(9, RO_EPSILON_POWER);
    for (int64_t x = 342; x <= 511; x++)
        assert_int_equal(ro_fixed_divide(&q, 1, x, RO_ROUND_NEAREST_UP), 1);
    assert_int_equal(ro_fixed_divide(&q, 1, 341, RO_ROUND_NEAREST_UP), 2);
}

/* Eq. 2.22, literally, and the identities of section 2.2.3.1. */
static void roundings(void **state)
{
    (void)state;
    for (int64_t d = 1; d <= 12; d++)
        for (int64_t n = -60; n <= 60; n++) {
            int64_t r[RO_ROUNDINGS];
            for (int i = 0; i < RO_ROUNDINGS; i++) {
                r[i] = ro_round_quotient(n, d, (enum ro_rounding)i);
                assert_true(llabs(r[i] * d - n) < d);
                bool odd = r[i] == -ro_round_quotient(-n, d, (enum ro_rounding)i);
                assert_true(odd || !ro_rounding_is_odd((enum ro_rounding)i));
            }
            assert_true(llabs(r[RO_ROUND_ZERO]) * d <= llabs(n));
            assert_true(llabs(r[RO_ROUND_AWAY]) * d >= llabs(n));
            assert_true(r[RO_ROUND_DOWN] * d <= n && r[RO_ROUND_UP] * d >= n);
            for (int i = RO_ROUND_NEAREST; i < RO_ROUNDINGS; i++)
                assert_true(2 * llabs(r[i] * d - n) <= d);
            bool tie = n * 2 % d == 0 && (n * 2 / d) % 2 != 0;
            if (tie) {
                assert_int_equal(r[RO_ROUND_NEAREST], r[RO_ROUND_AWAY]);
                assert_int_equal(r[RO_ROUND_NEAREST_UP], r[RO_ROUND_UP]);
                assert_int_equal(r[RO_ROUND_NEAREST_DOWN], r[RO_ROUND_DOWN]);
                assert_int_equal(r[RO_ROUND_NEAREST_EVEN] % 2, 0);
            }
        }
    const struct ro_fixed *s9 = fixed("s9");
    for (int i = 0; i < RO_ROUNDINGS; i++)
        for (int64_t b = -255; b <= 255; b++) {
            enum ro_rounding rounding = (enum ro_rounding)i, found;
            assert_int_equal(ro_fixed_multiply(s9, 255, b, rounding), b);
            assert_int_equal(ro_fixed_multiply(s9, 0, b, rounding), 0);
            assert_int_equal(ro_fixed_divide(s9, b, 255, rounding), b);
            assert_true(ro_rounding_find(ro_rounding_name(rounding), &found));
            assert_int_equal(found, rounding);
        }
}

/* Table 4.3: the spacing at one is the machine epsilon, and saturation instead of infinity. */
static void table_4_3(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double epsilon, given;
    } rows[] = {{"s10e5", 0x1p-10, 9.8e-4}, {"s16e7", 0x1p-16, 1.5e-5}, {"s23e8", 0x1p-23, 1.2e-7}};
    for (int i = 0; i < 3; i++) {
        const struct ro_number *number = ro_number_find(rows[i].name);
        assert_non_null(number);
        assert_true(number->floating);
        const struct ro_small_float *q = &number->real;
        double e = ro_small_float_epsilon(q);
        assert_true(e == rows[i].epsilon);
        assert_true(fabs(e / rows[i].given - 1) < 0.03);
        assert_true(ro_small_float_round(q, 1 + e, RO_ROUND_ZERO) == 1 + e);
        assert_true(ro_small_float_round(q, 1 + e / 2, RO_ROUND_NEAREST_EVEN) == 1);
        assert_true(ro_small_float_round(q, 1 + e / 2, RO_ROUND_NEAREST_UP) == 1 + e);
        assert_true(ro_small_float_round(q, 1 + 0.75 * e, RO_ROUND_ZERO) == 1);
        assert_true(ro_small_float_round(q, -1 - 0.75 * e, RO_ROUND_ZERO) == -1);
        assert_true(ro_small_float_round(q, -1 - 0.75 * e, RO_ROUND_DOWN) == -1 - e);
        double max = ro_small_float_max(q);
        assert_true(ro_small_float_round(q, 1e300, RO_ROUND_NEAREST_EVEN) == max);
        assert_true(ro_small_float_round(q, -INFINITY, RO_ROUND_NEAREST_EVEN) == -max);
        assert_true(ro_small_float_round(q, 1e-300, RO_ROUND_NEAREST_EVEN) == 0);
    }
    const struct ro_small_float *half = &ro_number_find("s10e5")->real;
    assert_true(ro_small_float_max(half) == 65504);
    assert_true(ro_small_float_round(half, 0x1p-24, RO_ROUND_ZERO) == 0x1p-24); /* denormalized */
    assert_true(ro_small_float_round(half, 0x1.8p-24, RO_ROUND_ZERO) == 0x1p-24);
}

/* s23e8 with ties to even is the machine's own float, denormalized numbers included. */
static void float_is_float(void **state)
{
    (void)state;
    const struct ro_small_float *q = &ro_number_find("s23e8")->real;
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        double x = ldexp((double)(int64_t)bits, (int)(bits % 250) - 200);
        if (fabs(x) < ro_small_float_max(q))
            assert_true(ro_small_float_round(q, x, RO_ROUND_NEAREST_EVEN) == (double)(float)x);
    }
}

static void images(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t maxval;
        int factor;
    } rows[] = {{"u8", 255, 1},      {"s9", 255, 1},    {"s12", 255, 8},     {"s16", 255, 128},
                {"s17", 65535, 1},   {"s17", 255, 257}, {"s24", 255, 32896}, {"s16", 100, 326},
                {"s24", 65535, 128}, {"s12", 2048, 0},  {"s16", 65535, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ro_fixed *q = fixed(rows[i].name);
        struct number_scale scale = scale_make(q, rows[i].maxval);
        assert_int_equal(scale.factor, rows[i].factor);
        for (uint32_t a = 0; a <= rows[i].maxval; a++) {
            int64_t n = scale_number(&scale, a);
            assert_true(n >= q->min && n <= q->max);
            if (scale.factor)
                assert_int_equal(scale_pixel(&scale, n, rows[i].maxval), a);
            else
                assert_true(llabs((int64_t)scale_pixel(&scale, n, rows[i].maxval) - a) <= 2);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_4_1),      cmocka_unit_test(virtual_signed_16),
        cmocka_unit_test(both_epsilons),  cmocka_unit_test(underflow),
        cmocka_unit_test(saturation),     cmocka_unit_test(aliasing),
        cmocka_unit_test(roundings),      cmocka_unit_test(table_4_3),
        cmocka_unit_test(float_is_float), cmocka_unit_test(images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
