/* SPDX-License-Identifier: MIT */
/* A gain that is found: better than others, or more light at a ratio. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hologram/fields.h"

enum { SIDE = 96 };
static const ro_window window = {0.1, 0.15, 0.25, 0.25};

static ro_hologram_report run(ro_context *context, const ro_field *field, ro_image *out,
                              ro_hologram_options o)
{
    ro_hologram_report report = {.size = sizeof report};
    if (o.window.width == 0)
        o.window = window;
    o.measure = 1;
    assert_int_equal(ro_hologram_quantize(context, field, out, &o, &report), RO_OK);
    ro_free(report.hogel);
    return report;
}

static void best_of_all(void **state)
{
    static const char *const levels[] = {"phase:256", "phase:4", "binary"};
    ro_context *context = *state;
    ro_field field = window_field(context, SIDE, window, 3);
    ro_image out, again;
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &again), RO_OK);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const ro_hologram_options o = {RO_HOLOGRAM_DEFAULTS, .levels = levels[i]};
        ro_hologram_options found = o, light = o, told = o;
        found.gain = light.gain = RO_GAIN_AUTO;
        const ro_hologram_report best = run(context, &field, &out, found);
        for (double gain = 0.1; gain < 1.5; gain *= 1.3) {
            told.gain = gain;
            assert_true(run(context, &field, &again, told).reached_snr < best.reached_snr + 0.7);
        }
        told.gain = best.level; /* what was found gives the same bits when it is told */
        told.weights = best.weights;
        told.rho = best.rho > 0 ? best.rho : RO_DEFAULT;
        assert_true(run(context, &field, &again, told).reached_snr == best.reached_snr);
        for (uint32_t y = 0; y < SIDE; y++)
            assert_memory_equal((char *)out.data + (ptrdiff_t)y * out.stride,
                                (char *)again.data + (ptrdiff_t)y * again.stride, SIDE);
        light.snr = best.reached_snr - 4;
        const ro_hologram_report most = run(context, &field, &out, light);
        assert_true(most.reached_snr >= light.snr && most.efficiency > best.efficiency);
        told.weights = most.weights;
        told.rho = most.rho > 0 ? most.rho : RO_DEFAULT;
        for (double gain = 0.2; gain < 3; gain *= 1.05) { /* nothing has more by a thirtieth */
            told.gain = gain;
            const ro_hologram_report other = run(context, &field, &again, told);
            assert_true(other.reached_snr < light.snr ||
                        other.efficiency < 1.035 * most.efficiency);
        }
    }
    ro_image_free(&out);
    ro_image_free(&again);
    ro_field_free(&field);
}

/* Much light: errors against the field keep more of the quality than least squares. */
static void much_light(void **state)
{
    enum { SIDE = 256 };
    ro_context *context = *state;
    const ro_window wide = {0.15, 0.1, 0.3, 0.3};
    ro_field field = window_field(context, SIDE, wide, 3);
    ro_image out;
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    const ro_hologram_options least = {RO_HOLOGRAM_DEFAULTS, .gain = 0.8, .window = wide},
                              wanted = {RO_HOLOGRAM_DEFAULTS, .gain = RO_GAIN_AUTO, .snr = 19,
                                        .window = wide};
    const ro_hologram_report usual = run(context, &field, &out, least);
    const ro_hologram_report found = run(context, &field, &out, wanted);
    assert_string_equal(found.weights, "window");
    assert_true(found.reached_snr >= 19 && found.reached_snr > usual.reached_snr);
    assert_true(found.efficiency > 0.5 && found.rho == 0);
    ro_image_free(&out);
    ro_field_free(&field);
}

static void refused(void **state)
{
    ro_context *context = *state;
    ro_field field = window_field(context, SIDE, window, 3);
    ro_image out;
    const ro_hologram_options cases[] = {
        {RO_HOLOGRAM_DEFAULTS, .window = window, .gain = 0},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .snr = 10},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .gain = RO_GAIN_AUTO, .snr = -1},
        {RO_HOLOGRAM_DEFAULTS, .window = window, .gain = RO_GAIN_AUTO, .snr = 150},
    };
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ro_hologram_quantize(context, &field, &out, &cases[i], NULL),
                         RO_E_ARGUMENT);
        assert_true(strlen(ro_context_message(context)) > 10);
    }
    ro_image_free(&out);
    ro_field_free(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(best_of_all), cmocka_unit_test(much_light),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
