/* SPDX-License-Identifier: MIT */
/* Powers: near the C library's, and the tables made of them correctly rounded. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "number/power.h"

#include <math.h>

static void powers_are_accurate(void **state)
{
    (void)state;
    static const double exponents[] = {0.1, 1 / 2.2, 1, 2.4, 10};
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++)
        for (int i = 1; i <= 4096; i++) {
            double x = i / 4096.0, exact = pow(x, exponents[e]);
            assert_true(fabs(power_of(x, exponents[e]) - exact) <= 1e-14 * exact);
        }
    assert_true(power_of(0, 2.4) == 0);
    assert_true(power_of(1, 2.4) == 1);
    assert_true(power_of(1e-300, 10) == 0);
}

static void cube_roots_are_accurate(void **state)
{
    (void)state;
    for (int i = 1; i <= 65536; i++) {
        double x = i / 65536.0, exact = cbrt(x);
        assert_true(fabs(cube_root(x) - exact) <= 1e-15 * exact);
    }
    assert_true(cube_root(0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_are_accurate),
        cmocka_unit_test(cube_roots_are_accurate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
