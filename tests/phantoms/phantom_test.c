/* SPDX-License-Identifier: MIT */
/* The head phantom: tones at known places, the same at every depth. */
#include "phantoms/phantom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SIDE = 256 };

/* Places on the square from -1 to 1, y up, and the tone there in hundredths of white. */
static const struct {
    double x, y;
    int tone;
} places[] = {
    {-0.95, 0.95, 0}, /* air */
    {0, 0.905, 100},  /* skull */
    {0, 0.7, 20},     /* brain */
    {0.22, 0, 0},     /* right ventricle */
    {-0.22, 0, 0},    /* left ventricle */
    {0, 0.45, 30},    /* tumours */
    {0, 0.07, 30},    {0, -0.1, 30}, {-0.08, -0.605, 30}, {0, -0.605, 30}, {0.06, -0.605, 30},
};

static void tones(void **state)
{
    (void)state;
    static uint8_t narrow[SIDE][SIDE];
    static uint16_t wide[SIDE][SIDE];
    ro_image image8 = {.format = RO_GREY8,
                       .width = SIDE,
                       .height = SIDE,
                       .maxval = 100,
                       .stride = SIDE,
                       .data = narrow};
    ro_image image16 = {.format = RO_GREY16,
                        .width = SIDE,
                        .height = SIDE,
                        .maxval = 1000,
                        .stride = 2 * SIDE,
                        .data = wide};
    draw_phantom(&image8);
    draw_phantom(&image16);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int x = (int)((places[i].x + 1) * SIDE / 2), y = (int)((1 - places[i].y) * SIDE / 2);
        if (narrow[y][x] != places[i].tone)
            print_error("at %g, %g: %d\n", places[i].x, places[i].y, narrow[y][x]);
        assert_int_equal(narrow[y][x], places[i].tone);
        assert_int_equal(wide[y][x], 10 * places[i].tone);
    }
}

/* Tones add up, so the mean is known: the areas of the ellipses times their tones. */
static void mean(void **state)
{
    (void)state;
    static uint16_t pixels[SIDE][SIDE];
    ro_image image = {.format = RO_GREY16,
                      .width = SIDE,
                      .height = SIDE,
                      .maxval = 10000,
                      .stride = 2 * SIDE,
                      .data = pixels};
    draw_phantom(&image);
    double sum = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            sum += pixels[y][x] / 10000.0;
    double area = 0.69 * 0.92 - 0.8 * 0.6624 * 0.874 - 0.2 * (0.11 * 0.31 + 0.16 * 0.41) +
                  0.1 * (0.21 * 0.25 + 2 * 0.046 * 0.046 + 2 * 0.046 * 0.023 + 0.023 * 0.023);
    double expected = 3.141592653589793 * area * SIDE * SIDE / 4;
    assert_true(sum > 0.998 * expected && sum < 1.002 * expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tones), cmocka_unit_test(mean)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
