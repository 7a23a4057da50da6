/* SPDX-License-Identifier: MIT */
/*
 * Ranges: a picture between two samples is the picture less the lower one, at a maxval of their
 * distance; what lies outside is cut off.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "core/random.h"
#include "roundoff.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 67, HEIGHT = 9, PIXELS = WIDTH * HEIGHT };

static ro_context *context;

static ro_image view(ro_format format, uint32_t maxval, void *data)
{
    return (ro_image){.format = format,
                      .width = WIDTH,
                      .height = HEIGHT,
                      .maxval = maxval,
                      .stride = (ptrdiff_t)ro_format_row_bytes(format, WIDTH),
                      .data = data};
}

static void halftone(const ro_image *in, ro_halftone_options options, uint8_t *levels)
{
    ro_image out = view(RO_INDEX8, 0, levels);
    if (ro_halftone(context, in, &out, &options) != RO_OK)
        fail_msg("%s", ro_context_message(context));
}

static uint16_t between(uint16_t sample, uint16_t black, uint16_t white)
{
    return (uint16_t)((sample < black ? black : sample > white ? white : sample) - black);
}

static void grey_is_what_lies_between(void **state)
{
    (void)state;
    static const char *const methods[] = {"floyd-steinberg", "ostromoukhov", "bayer", "riemersma"};
    static const struct {
        ro_format format;
        uint32_t maxval;
        ro_range range;
        uint16_t black, white;
    } cases[] = {
        {RO_GREY8, 255, RO_RANGE_LIMITED, 16, 235},
        {RO_GREY8, 255, RO_RANGE_AUTO, 40, 41},
        {RO_GREY16, 1023, RO_RANGE_LIMITED, 64, 940},
        {RO_GREY16, 65535, RO_RANGE_LIMITED, 4096, 60160},
        {RO_GREY16, 65535, RO_RANGE_AUTO, 0, 1023},
        {RO_GREY16, 1000, RO_RANGE_AUTO, 7, 1000},
        {RO_GREY16, 65535, RO_RANGE_FULL, 0, 65535},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int m = 0; m < 4; m++) {
            uint8_t bytes[PIXELS], want[PIXELS], got[PIXELS];
            uint16_t words[PIXELS], cut[PIXELS];
            for (uint32_t i = 0; i < PIXELS; i++) {
                const uint32_t sample = pixel_hash(1, i, (uint32_t)c) % (cases[c].maxval + 1);
                words[i] = (uint16_t)sample;
                bytes[i] = (uint8_t)sample;
                cut[i] = between(words[i], cases[c].black, cases[c].white);
            }
            const int levels = m == 3 ? 2 : 4;
            ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = methods[m],
                                           .levels = levels, .range = cases[c].range};
            if (cases[c].range == RO_RANGE_AUTO) {
                options.black = cases[c].black;
                options.white = cases[c].white;
            }
            const ro_image in = view(cases[c].format, cases[c].maxval,
                                     cases[c].format == RO_GREY8 ? (void *)bytes : words);
            const ro_image less = view(RO_GREY16, cases[c].white - cases[c].black, cut);
            halftone(&in, options, got);
            halftone(
                &less,
                (ro_halftone_options){RO_HALFTONE_DEFAULTS, .method = methods[m], .levels = levels},
                want);
            assert_memory_equal(got, want, PIXELS);
        }
}

/* Channels are cut off before grey is made of them. */
static void colour_is_cut_off_by_channels(void **state)
{
    (void)state;
    uint8_t rgb[3 * PIXELS], cut[3 * PIXELS], want[PIXELS], got[PIXELS];
    for (uint32_t i = 0; i < 3 * PIXELS; i++) {
        rgb[i] = (uint8_t)pixel_hash(2, i, 0);
        cut[i] = (uint8_t)between(rgb[i], 16, 235);
    }
    const ro_image in = view(RO_RGB8, 255, rgb), less = view(RO_RGB8, 219, cut);
    halftone(&in, (ro_halftone_options){RO_HALFTONE_DEFAULTS, .range = RO_RANGE_LIMITED}, got);
    halftone(&less, (ro_halftone_options){RO_HALFTONE_DEFAULTS}, want);
    assert_memory_equal(got, want, PIXELS);
    const ro_tone tone = {.gamma = 2.2, .invert = 1};
    halftone(&in,
             (ro_halftone_options){RO_HALFTONE_DEFAULTS, .range = RO_RANGE_LIMITED, .tone = tone},
             got);
    halftone(&less, (ro_halftone_options){RO_HALFTONE_DEFAULTS, .tone = tone}, want);
    assert_memory_equal(got, want, PIXELS);
}

static void floats_have_any_range(void **state)
{
    (void)state;
    float in[PIXELS], unit[PIXELS];
    uint8_t want[PIXELS], got[PIXELS];
    for (uint32_t i = 0; i < PIXELS; i++) {
        unit[i] = (float)pixel_hash(3, i, 0) / 0x1p32f * 1.5f - 0.25f;
        in[i] = 4 * unit[i] - 2; /* exact: both ranges are powers of two apart */
        unit[i] = (in[i] + 2) / 4;
    }
    const ro_image picture = view(RO_GREYF, 0, in), plain = view(RO_GREYF, 0, unit);
    halftone(&picture, (ro_halftone_options){RO_HALFTONE_DEFAULTS, .black = -2, .white = 2}, got);
    halftone(&plain, (ro_halftone_options){RO_HALFTONE_DEFAULTS}, want);
    assert_memory_equal(got, want, PIXELS);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    uint8_t bytes[PIXELS] = {0}, levels[PIXELS];
    float floats[PIXELS] = {0};
    const ro_image in = view(RO_GREY8, 255, bytes), odd = view(RO_GREY8, 200, bytes);
    const ro_image real = view(RO_GREYF, 0, floats);
    ro_image out = view(RO_INDEX8, 0, levels);
    const ro_halftone_options limited = {RO_HALFTONE_DEFAULTS, .range = RO_RANGE_LIMITED};
    const ro_halftone_options wrong[] = {
        {RO_HALFTONE_DEFAULTS, .black = 5, .white = 5},
        {RO_HALFTONE_DEFAULTS, .black = 9},
        {RO_HALFTONE_DEFAULTS, .black = -1, .white = 5},
        {RO_HALFTONE_DEFAULTS, .white = 256},
        {RO_HALFTONE_DEFAULTS, .white = 9.5},
        {RO_HALFTONE_DEFAULTS, .white = INFINITY},
        {RO_HALFTONE_DEFAULTS, .white = 99, .range = RO_RANGE_LIMITED},
        {RO_HALFTONE_DEFAULTS, .range = (ro_range)9},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ro_halftone(context, &in, &out, &wrong[i]), RO_E_ARGUMENT);
    assert_int_equal(ro_halftone(context, &odd, &out, &limited), RO_E_ARGUMENT);
    assert_int_equal(ro_halftone(context, &real, &out, &limited), RO_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grey_is_what_lies_between),
        cmocka_unit_test(colour_is_cut_off_by_channels),
        cmocka_unit_test(floats_have_any_range),
        cmocka_unit_test(nonsense_is_refused),
    };
    if (ro_context_open(NULL, &context) != RO_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ro_context_close(context);
    return failed;
}
