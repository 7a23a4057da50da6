/* SPDX-License-Identifier: MIT */
/* Differences of colour: CIEDE2000 by its authors' test data, pictures, threads. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "core/random.h"
#include "fixture.h"
#include "measure/measure.h"

#include <math.h>
#include <string.h>

/* Sharma, Wu and Dalal, 2005, table 1. */
static void differences_are_those_published(void **state)
{
    (void)state;
    static const double pairs[][7] = {
        {50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425},
        {50, -1.3802, -84.2814, 50, 0, -82.7485, 1.0000},
        {50, 0, 0, 50, -1, 2, 2.3669},
        {50, 2.49, -0.001, 50, -2.49, 0.0009, 7.1792},
        {50, 2.49, -0.001, 50, -2.49, 0.0011, 7.2195},
        {50, -0.001, 2.49, 50, 0.0009, -2.49, 4.8045},
        {50, 2.5, 0, 50, 0, -2.5, 4.3065},
        {50, 2.5, 0, 73, 25, -18, 27.1492},
        {50, 2.5, 0, 58, 24, 15, 19.4535},
        {60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644},
        {22.7233, 20.0904, -46.6940, 23.0331, 14.9730, -42.5619, 2.0373},
        {90.8027, -2.0831, 1.4410, 91.1528, -1.6435, 0.0447, 1.4441},
        {2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_true(fabs(measure_difference(pairs[i], pairs[i] + 3) - pairs[i][6]) < 1e-4);
        assert_true(fabs(measure_difference(pairs[i] + 3, pairs[i]) - pairs[i][6]) < 1e-4);
    }
}

/* The black and white of a panel are as good as those of the picture to an eye that is adapted. */
static void eyes_adapt(void **state)
{
    (void)state;
    enum { SIDE = 32 };
    static const ro_palette panel = {.count = 3,
                                     .colours = {{50, 40, 60}, {180, 190, 170}, {240, 220, 50}}};
    static uint8_t a[3 * SIDE * SIDE], b[3 * SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int half = i % SIDE < SIDE / 2;
        memset(a + 3 * i, half ? 0 : 255, 3);
        memcpy(b + 3 * i, panel.colours[half ? 0 : 1], 3);
    }
    ro_image one = ro_image_view(RO_RGB8, SIDE, SIDE, a),
             two = ro_image_view(RO_RGB8, SIDE, SIDE, b);
    ro_measure_options options = {RO_MEASURE_DEFAULTS};
    ro_colour_report report = {.size = sizeof report};
    assert_int_equal(ro_measure_colour(context, &one, &two, &options, &report), RO_OK);
    assert_true(report.delta_e > 15);
    options.adapted = &panel;
    assert_int_equal(ro_measure_colour(context, &one, &two, &options, &report), RO_OK);
    assert_true(report.delta_e_most < 0.01);
    static const ro_palette reds = {.count = 2, .colours = {{10, 9, 9}, {200, 9, 9}}};
    options.adapted = &reds;
    assert_int_equal(ro_measure_colour(context, &one, &two, &options, &report), RO_E_ARGUMENT);
    static const ro_palette none = {0};
    options.adapted = &none;
    assert_int_equal(ro_measure_colour(context, &one, &two, &options, &report), RO_E_ARGUMENT);
}

static void pictures_differ(void **state)
{
    (void)state;
    enum { SIDE = 70 };
    static uint8_t a[3 * SIDE * SIDE], b[3 * SIDE * SIDE];
    ro_colour_report report = {.size = sizeof report}, again = {.size = sizeof again};
    for (int i = 0; i < 3 * SIDE * SIDE; i++)
        a[i] = b[i] = (uint8_t)(pixel_hash(1, (uint32_t)i, 0) >> 24);
    ro_image one = ro_image_view(RO_RGB8, SIDE, SIDE, a),
             two = ro_image_view(RO_RGB8, SIDE, SIDE, b);
    assert_int_equal(ro_measure_colour(context, &one, &two, NULL, &report), RO_OK);
    assert_true(report.delta_e <= 0 && report.delta_e_most <= 0);
    assert_true(report.scielab <= 0 && report.scielab_95 <= 0.01);
    /* A checkerboard seen from afar is the grey of its light. */
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            memset(a + 3 * (y * SIDE + x), 188, 3);
            memset(b + 3 * (y * SIDE + x), (x + y) % 2 ? 255 : 0, 3);
        }
    const ro_measure_options far = {RO_MEASURE_DEFAULTS, .dpi = 300, .distance = 1200};
    assert_int_equal(ro_measure_colour(context, &one, &two, &far, &report), RO_OK);
    assert_true(report.delta_e < 0.3);
    assert_true(fabs(report.light_out[1] - 0.5) < 1e-3);
    assert_true(report.scielab < 0.3);
    ro_context *own;
    assert_int_equal(
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 3}, &own), RO_OK);
    assert_int_equal(ro_measure_colour(own, &one, &two, &far, &again), RO_OK);
    assert_memory_equal(&report, &again, sizeof report);
    ro_context_close(own);
    two.width--;
    assert_int_not_equal(ro_measure_colour(context, &one, &two, NULL, &report), RO_OK);
}

/* Blue and yellow of about one luma in bars of four pixels: the Gaussian eye sees them, S-CIELAB
 * nearly a flat. A whole picture that is off is off by as much to either. */
static void colour_is_seen_less_sharply(void **state)
{
    (void)state;
    enum { SIDE = 256 };
    static uint8_t a[3 * SIDE * SIDE], b[3 * SIDE * SIDE];
    static const uint8_t bars[2][3] = {{150, 150, 60}, {136, 136, 241}};
    ro_colour_report report = {.size = sizeof report};
    for (int i = 0; i < SIDE * SIDE; i++) {
        memcpy(b + 3 * i, bars[i / 4 % 2], 3);
        memcpy(a + 3 * i, (uint8_t[]){143, 143, 180}, 3);
    }
    ro_image one = ro_image_view(RO_RGB8, SIDE, SIDE, a),
             two = ro_image_view(RO_RGB8, SIDE, SIDE, b);
    assert_int_equal(ro_measure_colour(context, &one, &two, NULL, &report), RO_OK);
    assert_true(report.delta_e > 10 && report.scielab < 0.7 * report.delta_e);
    for (int i = 0; i < SIDE * SIDE; i++)
        memcpy(b + 3 * i, bars[1], 3);
    assert_int_equal(ro_measure_colour(context, &one, &two, NULL, &report), RO_OK);
    assert_true(fabs(report.scielab - report.delta_e) < 1e-3);
    assert_true(report.scielab_95 >= report.scielab && report.scielab_95 < report.scielab + 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_those_published),
        cmocka_unit_test(eyes_adapt),
        cmocka_unit_test(pictures_differ),
        cmocka_unit_test(colour_is_seen_less_sharply),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
