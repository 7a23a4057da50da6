/* SPDX-License-Identifier: MIT */
/* Halftones as they print: discs of ink, light that spreads in paper. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "fixture.h"
#include "measure/measure.h"

#include <math.h>
#include <string.h>

enum { SIDE = 96 };
static uint8_t samples[SIDE][SIDE];
static const ro_image result = {.format = RO_GREY8,
                                .width = SIDE,
                                .height = SIDE,
                                .maxval = 255,
                                .stride = SIDE,
                                .data = samples};

static ro_image paper_of(double gain, double n, double dpi)
{
    const ro_measure_options options = {RO_MEASURE_DEFAULTS, .dpi = dpi, .gain = gain,
                                        .yule_nielsen = n};
    ro_image paper;
    if (measure_print(context, &result, &options, &paper) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    return paper;
}

static double light_at(const ro_image *paper, int x, int y)
{
    return (
        double)((const float *)(const void *)((const char *)paper->data + y * paper->stride))[x];
}

/* A single pixel of ink, by the points that lie in its disc. */
static void discs_cover_their_points(void **state)
{
    (void)state;
    static const double diameters[] = {0, 1, 1.4, 2, 2.5, 3};
    memset(samples, 255, sizeof samples);
    samples[40][50] = 0;
    samples[0][0] = 0;
    for (size_t i = 0; i < sizeof diameters / sizeof *diameters; i++) {
        ro_image paper = paper_of(diameters[i], 0, 300);
        for (int y = 36; y < 45; y++)
            for (int x = 46; x < 55; x++) {
                int open = 0;
                for (int p = 0; p < 64; p++)
                    open += hypot(x + (p % 8 - 3.5) / 8 - 50, y + (p / 8 - 3.5) / 8 - 40) >
                            diameters[i] / 2;
                if (diameters[i] == 0 && x == 50 && y == 40)
                    open = 0; /* the pixel's own square */
                assert_true(fabs(light_at(&paper, x, y) - open / 64.0) < 1e-6);
            }
        assert_true(light_at(&paper, 0, 0) == light_at(&paper, 50, 40));
        ro_image_free(&paper);
    }
}

/* Half a tone in single pixels: light is a half to the power n where it spreads over many. */
static void light_spreads(void **state)
{
    (void)state;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            samples[y][x] = (x + y) % 2 ? 255 : 0;
    for (double n = 1; n < 4; n += 0.75) {
        ro_image paper = paper_of(0, n, 2400);
        assert_true(fabs(light_at(&paper, 48, 48) - pow(0.5, n)) < 0.01);
        ro_image_free(&paper);
    }
    ro_measure_report report = {.size = sizeof report};
    ro_measure_options options = {RO_MEASURE_DEFAULTS, .dpi = 2400, .yule_nielsen = 2};
    assert_int_equal(ro_measure(context, &result, &result, &options, &report), RO_OK);
    assert_true(fabs(report.tone_out - 0.25) < 0.01);
    ro_free(report.fields);
    options.yule_nielsen = 0;
    options.gain = 1.5; /* discs of neighbours meet */
    assert_int_equal(ro_measure(context, &result, &result, &options, &report), RO_OK);
    assert_true(report.tone_out < 0.3);
    ro_free(report.fields);
}

static void what_cannot_be_is_told(void **state)
{
    (void)state;
    ro_measure_report report = {.size = sizeof report};
    static const struct {
        double gain, n;
        const char *words;
    } rows[] = {{0.5, 0, "1 to 3"},
                {4, 0, "1 to 3"},
                {0, 11, "1 to 10"},
                {0, NAN, "1 to 10"},
                {1.5, 0, "two levels"}};
    memset(samples, 255, sizeof samples);
    samples[90][3] = 128;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ro_measure_options options = {RO_MEASURE_DEFAULTS, .gain = rows[i].gain,
                                            .yule_nielsen = rows[i].n};
        assert_int_equal(ro_measure(context, &result, &result, &options, &report), RO_E_ARGUMENT);
        assert_non_null(strstr(ro_context_message(context), rows[i].words));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discs_cover_their_points),
        cmocka_unit_test(light_spreads),
        cmocka_unit_test(what_cannot_be_is_told),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
