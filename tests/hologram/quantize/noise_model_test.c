/* SPDX-License-Identifier: MIT */
/* The signal-to-noise ratio that is predicted before anything is rounded is the one that rounding
 * reaches: windows, numbers of phases, gains up to where the field is brighter than the levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hologram/fields.h"

enum { SIDE = 256 };

static ro_hologram_report quantized(ro_context *context, const ro_field *field, ro_window window,
                                    const char *levels, const char *algorithm, double gain)
{
    ro_hologram_report r = {.size = sizeof r};
    ro_image out;
    assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
    const ro_hologram_options o = {RO_HOLOGRAM_DEFAULTS,   .levels = levels, .window = window,
                                   .algorithm = algorithm, .gain = gain,     .measure = true};
    assert_int_equal(ro_hologram_quantize(context, field, &out, &o, &r), RO_OK);
    ro_image_free(&out);
    ro_free(r.hogel);
    return r;
}

static void random_light(void **state)
{
    static const ro_window windows[] = {
        {0.2, 0.15, 0.3, 0.3}, {0, 0, 0.5, 0.5}, {-0.1, 0.2, 0.3, 0.4}};
    static const char *const levels[] = {"phase:4", "phase:8", "phase:16", "phase:256"};
    static const double gains[] = {0.25, 0.4, 0.6};
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        ro_field field = window_field(*state, SIDE, windows[w], 5);
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++)
            for (size_t g = 0; g < sizeof gains / sizeof *gains; g++) {
                const ro_hologram_report r =
                    quantized(*state, &field, windows[w], levels[l], NULL, gains[g]);
                print_message("%g x %g, %s, gain %g: %.2f predicted, %.2f reached\n",
                              windows[w].width, windows[w].height, levels[l], gains[g],
                              r.predicted_snr, r.reached_snr);
                assert_true(fabs(r.predicted_snr - r.reached_snr) < 1.5);
                if (gains[g] < 0.3)
                    assert_true(r.field_beyond_levels < 1e-4);
                if (gains[g] > 0.5)
                    assert_true(r.field_beyond_levels > 3e-3);
            }
        ro_field_free(&field);
    }
}

/* Without weights the noise lies where the light does. */
static void rounding_alone(void **state)
{
    const ro_window window = {0.2, 0.15, 0.3, 0.3};
    ro_field field = window_field(*state, SIDE, window, 5);
    const ro_hologram_report r = quantized(*state, &field, window, "phase:256", "truncate", 0.4);
    print_message("rounded: %.2f predicted, %.2f reached\n", r.predicted_snr, r.reached_snr);
    assert_true(fabs(r.predicted_snr - r.reached_snr) < 1);
    ro_field_free(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_light),
        cmocka_unit_test(rounding_alone),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
