/* SPDX-License-Identifier: MIT */
/* Tone tables: their entries, what depth they leave, and that every path applies them. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "fixture.h"
#include "halftone/tone/grey.h"
#include "streams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct tone make(ro_tone options, uint32_t white)
{
    struct tone tone;
    assert_int_equal(tone_make(context, &options, options.linear, white, &tone), RO_OK);
    return tone;
}

/* Every entry of both tables is the correctly rounded one. */
static void linear_light_is_exact(void **state)
{
    (void)state;
    static const uint32_t whites[] = {255, 65535};
    for (int w = 0; w < 2; w++) {
        struct tone tone = make((ro_tone){.linear = 1}, whites[w]);
        assert_int_equal(tone.white, 65535);
        for (uint32_t a = 0; a <= whites[w]; a++) {
            long double x = (long double)a / whites[w];
            long double y = x <= 0.04045L ? x / 12.92L : powl((x + 0.055L) / 1.055L, 2.4L);
            assert_int_equal(tone.channel[a], (int)floorl(65535 * y + 0.5L));
        }
        tone_free(&tone);
    }
}

static void shadows_do_not_collapse(void **state)
{
    (void)state;
    struct tone tone = make((ro_tone){.linear = 1, .gamma = 0.8}, 255);
    for (int a = 1; a <= 255; a++)
        assert_true(tone.channel[a] > tone.channel[a - 1]);
    tone_free(&tone);
}

static void nothing_asked_is_nothing_done(void **state)
{
    (void)state;
    struct tone tone = make((ro_tone){.gamma = 1}, 255);
    assert_null(tone.channel);
    assert_null(tone.curve);
    tone = make((ro_tone){.invert = 1}, 1000);
    assert_int_equal(tone.white, 1000); /* the depth stays */
    for (int a = 0; a <= 1000; a++)
        assert_int_equal(tone.channel[a], 1000 - a);
    tone_free(&tone);
}

static void steps_come_in_their_order(void **state)
{
    (void)state;
    struct tone tone = make((ro_tone){.brightness = 10, .contrast = -50}, 100);
    assert_int_equal(tone.channel[40], 32768); /* (0.4 + 0.1 - 0.5) * 0.5 + 0.5 */
    assert_int_equal(tone.channel[0], (int)(65535 * 0.3 + 0.5));
    tone_free(&tone);
    tone = make((ro_tone){.invert = 1, .gamma = 2}, 100);
    assert_int_equal(tone.channel[75], (int)(65535 * 0.5 + 0.5)); /* sqrt(1 - 0.75) */
    tone_free(&tone);
    tone = make((ro_tone){.contrast = 100, .brightness = 100}, 100);
    assert_int_equal(tone.channel[0], 65535); /* cut, not wrapped */
    tone_free(&tone);
}

static void curves_are_straight_between_points(void **state)
{
    (void)state;
    static const ro_tone_point points[] = {{0.25, 0.1}, {0.5, 0.2}, {0.5001, 0.2}, {1, 0.9}};
    struct tone tone = make((ro_tone){.curve = points, .curve_points = 4}, 255);
    assert_int_equal(tone.curve[0], tone_round(0.1));
    assert_int_equal(tone.curve[65535], tone_round(0.9));
    assert_in_range(tone.curve[24576], tone_round(0.15) - 1, tone_round(0.15) + 1);
    for (int i = 1; i <= 65535; i++)
        assert_true(tone.curve[i] >= tone.curve[i - 1]);
    tone_free(&tone);
}

static void refused(ro_tone options, const char *word)
{
    struct tone tone;
    assert_int_equal(tone_make(context, &options, false, 255, &tone), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), word));
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const ro_tone_point falling[] = {{0, 0}, {0.5, 0.6}, {1, 0.5}};
    static const ro_tone_point back[] = {{0, 0}, {0.5, 0.6}, {0.5, 0.7}};
    static const ro_tone_point outside[] = {{0, 0}, {1, 1.5}};
    static const ro_tone_point no_number[] = {{0, 0}, {1, NAN}};
    refused((ro_tone){.curve = falling, .curve_points = 3}, "must not fall");
    refused((ro_tone){.curve = back, .curve_points = 3}, "must increase");
    refused((ro_tone){.curve = outside, .curve_points = 2}, "outside");
    refused((ro_tone){.curve = no_number, .curve_points = 2}, "outside");
    refused((ro_tone){.curve = falling, .curve_points = 1}, "points");
    /* numbers are checked before, with the other options */
    static uint8_t pixel[3], bit;
    const ro_image in = ro_image_view(RO_RGB8, 1, 1, pixel);
    ro_image out = ro_image_view(RO_BITS, 1, 1, &bit);
    ro_palette palette;
    const ro_tone wrong[] = {
        {.gamma = -1}, {.gamma = NAN}, {.brightness = 101}, {.contrast = -101}};
    const char *const words[] = {"gamma -1: must be", "gamma nan", "brightness 101",
                                 "contrast -101"};
    for (int i = 0; i < 4; i++) {
        const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .tone = wrong[i]};
        assert_int_equal(ro_halftone(context, &in, &out, &options), RO_E_ARGUMENT);
        assert_non_null(strstr(ro_context_message(context), words[i]));
        assert_int_equal(ro_palette_adapt(context, &in, &wrong[i], 4, &palette), RO_E_ARGUMENT);
        assert_non_null(strstr(ro_context_message(context), words[i]));
    }
}

/* Grey 50 % of sRGB is 21.4 % of light: the whole call, the stream and colour input agree on it. */
static void halftones_see_the_tone(void **state)
{
    (void)state;
    enum { SIDE = 256 };
    static uint8_t grey[SIDE * SIDE], colour[3 * SIDE * SIDE], level[3][SIDE * SIDE];
    memset(grey, 128, sizeof grey);
    memset(colour, 128, sizeof colour);
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .tone = {.linear = 1}};
    ro_image in = ro_image_view(RO_GREY8, SIDE, SIDE, grey);
    ro_image rgb = ro_image_view(RO_RGB8, SIDE, SIDE, colour);
    ro_image out[2] = {{.format = RO_INDEX8,
                        .width = SIDE,
                        .height = SIDE,
                        .maxval = 0,
                        .stride = SIDE,
                        .data = level[0]},
                       {.format = RO_INDEX8,
                        .width = SIDE,
                        .height = SIDE,
                        .maxval = 0,
                        .stride = SIDE,
                        .data = level[1]}};
    assert_int_equal(ro_halftone(context, &in, &out[0], &options), RO_OK);
    assert_int_equal(ro_halftone(context, &rgb, &out[1], &options), RO_OK);
    assert_memory_equal(level[0], level[1], sizeof level[0]);
    int white = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        white += level[0][i];
    assert_in_range(white, SIDE * SIDE * 0.2148, SIDE * SIDE * 0.2168); /* 0.2158 */

    ro_plan *plan;
    ro_stream *stream;
    assert_int_equal(open_halftone(context, &in, RO_INDEX8, &options, &plan, &stream), RO_OK);
    for (uint32_t y = 0, pulled = 0, taken, given; pulled < SIDE;) {
        assert_int_equal(
            ro_stream_push(stream, grey + y * SIDE, SIDE, SIDE - y < 7 ? SIDE - y : 7, &taken),
            RO_OK);
        y += taken;
        assert_int_equal(
            ro_stream_pull(stream, level[2] + pulled * SIDE, SIDE, SIDE - pulled, &given), RO_OK);
        pulled += given;
    }
    close_stream(plan, stream);
    assert_memory_equal(level[0], level[2], sizeof level[0]);
}

/* Linear light before luma: half of the pixels' light, not of their codes. */
static void channels_are_linear_before_luma(void **state)
{
    (void)state;
    struct tone tone = make((ro_tone){.linear = 1}, 255);
    struct grey_form form = {.plane = PLANE_LUMA, .tone = &tone};
    uint8_t pixel[3] = {255, 0, 128};
    ro_image in = ro_image_view(RO_RGB8, 1, 1, pixel);
    uint16_t value;
    assert_int_equal(grey_form_of(context, &in, &form), RO_OK);
    assert_int_equal(form.sample_bytes, 2);
    assert_int_equal(grey_row(context, &in, pixel, 0, &form, &value), RO_OK);
    assert_int_equal(value, (13933ull * 65535 + 4732ull * 14146 + 32768) >> 16);
    tone_free(&tone);
}

static void values_above_maxval_are_refused(void **state)
{
    (void)state;
    uint8_t row[6] = {0, 100, 101, 3, 4, 5}, out[6];
    ro_image in = {.format = RO_GREY8,
                   .width = 6,
                   .height = 1,
                   .maxval = 100,
                   .stride = 6,
                   .data = row},
             bits = ro_image_view(RO_INDEX8, 6, 1, out);
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .tone = {.linear = 1}};
    assert_int_equal(ro_halftone(context, &in, &bits, &options), RO_E_FORMAT);
    assert_non_null(strstr(ro_context_message(context), "101"));
    options.tone = (ro_tone){.invert = 1};
    assert_int_equal(ro_halftone(context, &in, &bits, &options), RO_E_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_light_is_exact),
        cmocka_unit_test(shadows_do_not_collapse),
        cmocka_unit_test(nothing_asked_is_nothing_done),
        cmocka_unit_test(steps_come_in_their_order),
        cmocka_unit_test(curves_are_straight_between_points),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(halftones_see_the_tone),
        cmocka_unit_test(channels_are_linear_before_luma),
        cmocka_unit_test(values_above_maxval_are_refused),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
