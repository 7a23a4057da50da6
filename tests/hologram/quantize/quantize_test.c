/* SPDX-License-Identifier: MIT */
/* Rounding fields: noise really leaves the window, nothing diverges, schedules agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hologram/fields.h"
#include "hologram/quantize/weights.h"

#include <stdlib.h>

static const ro_window window = {0.2, 0.15, 0.3, 0.3}; /* 9 per cent of the band */

static double snr(ro_context *context, const ro_field *field, ro_image *out,
                  ro_hologram_options options, ro_hologram_report *kept)
{
    ro_hologram_report report = {.size = sizeof report};
    options.measure = 1;
    if (options.window.width == 0)
        options.window = window;
    assert_int_equal(ro_hologram_quantize(context, field, out, &options, &report), RO_OK);
    double reached = report.reached_snr;
    if (kept)
        *kept = report;
    ro_free(report.hogel);
    return reached;
}

/* The figures that the issue of all this is about. */
static void noise_leaves_the_window(void **state)
{
    enum { SIDE = 2048 };
    static const struct {
        const char *levels;
        double least; /* decibels that least squares gain over truncation */
    } cases[] = {{"phase:256", 12}, {"phase:16", 12}, {"phase:4", 12}, {"binary", 6}};
    ro_context *context = *state;
    ro_field field = window_field(context, SIDE, window, 1);
    ro_image out;
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *levels = cases[i].levels;
        ro_hologram_report r = {.size = sizeof r};
        double truncated = snr(
            context, &field, &out,
            (ro_hologram_options){RO_HOLOGRAM_DEFAULTS, .levels = levels, .algorithm = "truncate"},
            NULL);
        double least = snr(
            context, &field, &out,
            (ro_hologram_options){RO_HOLOGRAM_DEFAULTS, .levels = levels, .taps = 12, .p = 2}, &r);
        assert_true(least >= truncated + cases[i].least);
        assert_int_equal(r.clips, 0);
        assert_true(fabs(r.predicted_snr - r.reached_snr) < 4);
        assert_true(r.efficiency > 0.01 && r.efficiency < r.in_window && r.outgoing <= 1.001);
    }
    /* The paper's weights and Floyd-Steinberg are no match, but differ from truncation. */
    double paper = snr(context, &field, &out,
                       (ro_hologram_options){RO_HOLOGRAM_DEFAULTS, .levels = "phase:4",
                                             .weights = "paper", .p = 3},
                       NULL);
    double diffused = snr(context, &field, &out,
                          (ro_hologram_options){RO_HOLOGRAM_DEFAULTS, .levels = "phase:4",
                                                .algorithm = "floyd-steinberg"},
                          NULL);
    assert_true(paper > 5 && paper < 20 && diffused > 5 && diffused < 20);
    ro_image_free(&out);
    ro_field_free(&field);
}

/* Against the field the paper's order: more columns of lag, and so more weights to choose from, do
 * better, and all but the fewest better than truncation. With errors of rounding none is. */
static void paper_order(void **state)
{
    enum { SIDE = 256 };
    ro_context *context = *state;
    const int p[] = {1, 3, 6};
    const ro_window aside = {0.15, 0.1, 0.3, 0.3};
    double reached[2][3];
    ro_field field = window_field(context, SIDE, aside, 3);
    ro_image out;
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    const double truncated =
        snr(context, &field, &out,
            (ro_hologram_options){RO_HOLOGRAM_DEFAULTS, .algorithm = "truncate", .window = aside},
            NULL);
    for (int i = 0; i < 6; i++)
        reached[i / 3][i % 3] =
            snr(context, &field, &out,
                (ro_hologram_options){RO_HOLOGRAM_DEFAULTS, .p = p[i % 3], .window = aside,
                                      .weights = i < 3 ? "paper" : "paper-rounding"},
                NULL);
    assert_true(reached[0][0] < reached[0][1] && reached[0][1] < reached[0][2]);
    assert_true(reached[0][1] > truncated + 2);
    for (int i = 0; i < 3; i++)
        assert_true(reached[1][i] < truncated);
    ro_image_free(&out);
    ro_field_free(&field);
}

/* Windows on either side do alike; a weight of the wrong sign makes it worse. */
static void signs_matter(void **state)
{
    enum { SIDE = 512 };
    ro_context *context = *state;
    ro_field field = window_field(context, SIDE, window, 2), mirrored;
    ro_image out;
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = "phase:16"};
    double here = snr(context, &field, &out, options, NULL);
    /* A field whose light is at the mirror image of the window, measured there but weighted for
     * the window: its taps come from the one-sided window of another viewer. */
    ro_window other = {-window.xi, -window.eta, window.width, window.height};
    mirrored = window_field(context, SIDE, other, 2);
    options.window = other;
    double there = snr(context, &mirrored, &out, options, NULL);
    assert_true(fabs(here - there) < 2); /* symmetric when asked for */
    ro_hologram_taps taps = {.count = 1,
                             .dx = {1},
                             .re = {cos(6.2831853 * other.xi)},
                             .im = {sin(6.2831853 * other.xi)}};
    options = (ro_hologram_options){RO_HOLOGRAM_DEFAULTS, .levels = "phase:16", .own = &taps};
    double wrong = snr(context, &field, &out, options, NULL);
    taps.im[0] = -taps.im[0];
    double right = snr(context, &field, &out, options, NULL);
    assert_true(right > wrong + 3 && here > wrong + 12);
    ro_image_free(&out);
    ro_field_free(&field);
    ro_field_free(&mirrored);
}

/* The weights of one viewer, seen by another. */
static void weights_are_for_one_viewer(void **state)
{
    enum { SIDE = 512 };
    static const ro_window elsewhere = {-0.15, -0.2, 0.3, 0.3};
    ro_context *context = *state;
    ro_field field = window_field(context, SIDE, window, 4);
    ro_image out;
    struct hologram_taps found;
    struct region region = region_window(&elsewhere);
    weights_least_squares(&region, 12, 2, 0.01, &found);
    ro_hologram_taps taps = {.count = found.count};
    for (int i = 0; i < found.count; i++) {
        taps.dx[i] = found.dx[i];
        taps.dy[i] = found.dy[i];
        taps.re[i] = ldexp(found.re[i], -found.shift);
        taps.im[i] = ldexp(found.im[i], -found.shift);
    }
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    double meant = snr(context, &field, &out,
                       (ro_hologram_options){RO_HOLOGRAM_DEFAULTS, .levels = "phase:16"}, NULL);
    double other =
        snr(context, &field, &out,
            (ro_hologram_options){RO_HOLOGRAM_DEFAULTS, .levels = "phase:16", .own = &taps}, NULL);
    assert_true(meant > other + 15);
    ro_image_free(&out);
    ro_field_free(&field);
}

/* A field that is made of levels comes out as those levels. */
static void levels_stay_as_they_are(void **state)
{
    enum { SIDE = 64 };
    ro_context *context = *state;
    ro_field field;
    ro_image out;
    float table[2 * RO_HOLOGRAM_LEVELS];
    int count;
    assert_int_equal(hologram_levels_named(context, "phase:16", table, &count), RO_OK);
    assert_int_equal(ro_field_alloc(context, SIDE, SIDE, &field), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            memcpy(row_of(&field, y) + 2 * x, table + 2 * (pixel_hash(5, x, y) % 16), 8);
    static const char *const algorithms[] = {"truncate", "floyd-steinberg", "vded"};
    for (int i = 0; i < 3; i++) {
        ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = "phase:16",
                                       .algorithm = algorithms[i], .gain = 1, .window = window};
        assert_int_equal(ro_hologram_quantize(context, &field, &out, &options, NULL), RO_OK);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++)
                assert_int_equal(((uint8_t *)out.data)[(ptrdiff_t)y * out.stride + x],
                                 pixel_hash(5, x, y) % 16);
    }
    ro_image_free(&out);
    ro_field_free(&field);
}

/* Binary levels at any gain: errors may be cut off, but are counted, and rho is raised. */
static void binary_never_diverges(void **state)
{
    enum { SIDE = 256 };
    ro_context *context = *state;
    ro_field field = window_field(context, SIDE, window, 3);
    ro_image out;
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    for (int g = 1; g <= 8; g++)
        for (int taps = 4; taps <= 64; taps += 20) {
            ro_hologram_report r = {.size = sizeof r};
            ro_hologram_options options = {
                RO_HOLOGRAM_DEFAULTS, .levels = "binary", .gain = 0.2 * g, .taps = taps,
                .p = 1 + g % 8,       .rho = 1e-6,        .window = window};
            assert_int_equal(ro_hologram_quantize(context, &field, &out, &options, &r), RO_OK);
            if (r.clips)
                assert_true(r.hogel[0].rho > 1e-6 || r.clips * 1000 <= SIDE * SIDE);
            ro_free(r.hogel);
        }
    ro_image_free(&out);
    ro_field_free(&field);
}

/* Hogels that do not divide the field: the last ones are smaller. */
static void hogels_cover_the_field(void **state)
{
    ro_context *context = *state;
    ro_field field;
    ro_image out;
    ro_hologram_report r = {.size = sizeof r};
    assert_int_equal(ro_field_alloc(context, 101, 47, &field), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, 101, 47, 255, &out), RO_OK);
    for (uint32_t y = 0; y < 47; y++)
        for (uint32_t x = 0; x < 202; x++)
            row_of(&field, y)[x] = (float)pixel_hash(6, x, y) * 0x1p-32f - 0.5f;
    ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .hogel = 30, .window = window};
    assert_int_equal(ro_hologram_quantize(context, &field, &out, &options, &r), RO_OK);
    assert_int_equal(r.hogels, 8);
    assert_int_equal(r.hogel[7].width, 11);
    assert_int_equal(r.hogel[7].height, 17);
    uint64_t covered = 0;
    for (uint32_t i = 0; i < r.hogels; i++)
        covered += (uint64_t)r.hogel[i].width * r.hogel[i].height;
    assert_int_equal(covered, 101 * 47);
    ro_free(r.hogel);
    ro_image_free(&out);
    ro_field_free(&field);
}

static void bad_input(void **state)
{
    ro_context *context = *state;
    float pixels[32] = {0};
    uint8_t numbers[16];
    ro_field field = {4, 4, 32, pixels};
    ro_image out = ro_image_view(RO_INDEX8, 4, 4, numbers);
    const ro_hologram_taps outside = {.count = 1, .dx = {-3}, .dy = {1}, .re = {0.5}};
    const ro_optics blind = {.wavelength = 635e-9,
                             .pitch = 750e-9,
                             .viewer = {1, 0, -0.1},
                             .viewing_area = {0.01, 0.01}};
    const ro_optics behind = {
        .wavelength = 635e-9, .pitch = 750e-9, .viewer = {0, 0, 0.1}, .viewing_area = {0.01, 0.01}};
    const ro_hologram_options cases[] = {
        {RO_HOLOGRAM_DEFAULTS}, /* no window */
        {RO_HOLOGRAM_DEFAULTS, .window = window, .algorithm = "best"},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .weights = "heavy"},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .taps = 65},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .p = 9},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .rho = -1},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .gain = NAN},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .own = &outside, .p = 3},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .algorithm = "truncate", .taps = 3},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .algorithm = "swed", .hogel = 64},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .levels = "phase:1"},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .table = pixels, .table_count = 1},
        {RO_HOLOGRAM_DEFAULTS, .window = {0.7, 0, 0.1, 0.1}},
        {RO_HOLOGRAM_DEFAULTS, .window = {0, 0, 2, 0.1}},
        {RO_HOLOGRAM_DEFAULTS, .optics = blind},
        {RO_HOLOGRAM_DEFAULTS, .optics = behind},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ro_hologram_quantize(context, &field, &out, &cases[i], NULL),
                         RO_E_ARGUMENT);
        assert_true(strlen(ro_context_message(context)) > 10);
    }
    const ro_hologram_options good = {RO_HOLOGRAM_DEFAULTS, .window = window};
    pixels[5] = NAN;
    assert_int_equal(ro_hologram_quantize(context, &field, &out, &good, NULL), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "NaN"));
    pixels[5] = INFINITY;
    assert_int_equal(ro_hologram_quantize(context, &field, &out, &good, NULL), RO_E_ARGUMENT);
    pixels[5] = 0; /* all dark */
    assert_int_equal(ro_hologram_quantize(context, &field, &out, &good, NULL), RO_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_leaves_the_window),
        cmocka_unit_test(paper_order),
        cmocka_unit_test(signs_matter),
        cmocka_unit_test(weights_are_for_one_viewer),
        cmocka_unit_test(levels_stay_as_they_are),
        cmocka_unit_test(binary_never_diverges),
        cmocka_unit_test(hogels_cover_the_field),
        cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
