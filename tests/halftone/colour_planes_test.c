/* SPDX-License-Identifier: MIT */
/* Channels and inks: each is the halftone of its own plane, and light comes back from inks. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "core/random.h"
#include "fixture.h"
#include "halftone/tone/grey.h"
#include "streams.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 70, HEIGHT = 45, PIXELS = WIDTH * HEIGHT };

static uint8_t pixels[3 * PIXELS];

static int open_context(void **state)
{
    for (uint32_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(pixel_hash(1, i, 0) >> 24);
    return fixture_open(state);
}

static const ro_image input = {.format = RO_RGB8,
                               .width = WIDTH,
                               .height = HEIGHT,
                               .maxval = 255,
                               .stride = 3 * WIDTH,
                               .data = pixels};

/* Channel c of the input as a grey picture, halftoned. */
static void halftone_channel(int c, int levels, ro_tone tone, uint8_t *out)
{
    static uint8_t grey[PIXELS];
    for (int i = 0; i < PIXELS; i++)
        grey[i] = pixels[3 * i + c];
    ro_image in = ro_image_view(RO_GREY8, WIDTH, HEIGHT, grey);
    ro_image to = ro_image_view(RO_GREY8, WIDTH, HEIGHT, out);
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .levels = levels, .tone = tone};
    assert_int_equal(ro_halftone(context, &in, &to, &options), RO_OK);
}

static void stream_through(const ro_halftone_options *options, ro_format format, size_t row,
                           uint8_t *out)
{
    ro_plan *plan;
    ro_stream *stream;
    assert_int_equal(open_halftone(context, &input, format, options, &plan, &stream), RO_OK);
    for (uint32_t y = 0, pulled = 0, taken, given; pulled < HEIGHT; y += taken, pulled += given) {
        uint32_t count = HEIGHT - y < 9 ? HEIGHT - y : 9;
        assert_int_equal(ro_stream_push(stream, pixels + y * 3 * WIDTH, 3 * WIDTH, count, &taken),
                         RO_OK);
        assert_int_equal(
            ro_stream_pull(stream, out + pulled * row, (ptrdiff_t)row, HEIGHT - pulled, &given),
            RO_OK);
    }
    close_stream(plan, stream);
}

static void channels_are_halftoned_alone(void **state)
{
    (void)state;
    static uint8_t whole[3 * PIXELS], parts[3 * PIXELS], one[PIXELS];
    static const ro_tone tones[] = {{0}, {.linear = 1}, {.invert = 1}};
    for (int levels = 2; levels <= 4; levels++) {
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_RGB,
                                       .levels = levels, .tone = tones[levels - 2]};
        ro_image out = ro_image_view(RO_RGB8, WIDTH, HEIGHT, whole);
        assert_int_equal(ro_halftone(context, &input, &out, &options), RO_OK);
        for (int c = 0; c < 3; c++) {
            halftone_channel(c, levels, tones[levels - 2], one);
            for (int i = 0; i < PIXELS; i++)
                assert_int_equal(whole[3 * i + c], one[i]);
        }
        stream_through(&options, RO_RGB8, 3 * WIDTH, parts);
        assert_memory_equal(whole, parts, sizeof whole);
    }
}

/* Numbers of 16 bits, by both families that make them. */
static void deep_channels_are_halftoned_alone(void **state)
{
    (void)state;
    static uint16_t whole[3 * PIXELS], parts[3 * PIXELS], one[PIXELS];
    static uint8_t grey[PIXELS];
    static const char *const methods[] = {"floyd-steinberg", "bayer"};
    for (int m = 0; m < 2; m++) {
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = methods[m],
                                       .channels = RO_CHANNELS_RGB, .levels = 1024};
        ro_image out = {.format = RO_RGB16,
                        .width = WIDTH,
                        .height = HEIGHT,
                        .maxval = 1023,
                        .stride = 6 * WIDTH,
                        .data = whole};
        assert_int_equal(ro_halftone(context, &input, &out, &options), RO_OK);
        stream_through(&options, RO_RGB16, 6 * WIDTH, (uint8_t *)parts);
        assert_memory_equal(whole, parts, sizeof whole);
        if (m > 0)
            continue; /* channels have screens of their own */
        options.channels = RO_CHANNELS_GREY;
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < PIXELS; i++)
                grey[i] = pixels[3 * i + c];
            ro_image in = ro_image_view(RO_GREY8, WIDTH, HEIGHT, grey);
            ro_image to = {.format = RO_GREY16,
                           .width = WIDTH,
                           .height = HEIGHT,
                           .maxval = 1023,
                           .stride = 2 * WIDTH,
                           .data = one};
            assert_int_equal(ro_halftone(context, &in, &to, &options), RO_OK);
            for (int i = 0; i < PIXELS; i++)
                assert_int_equal(whole[3 * i + c], one[i]);
        }
    }
}

/* The paper that an ink leaves of one pixel. */
static uint32_t paper_of(enum grey_plane plane, uint32_t black, const uint8_t rgb[3])
{
    struct grey_form form = {.plane = plane, .black_per_mille = black};
    ro_image in = {.format = RO_RGB8,
                   .width = 1,
                   .height = 1,
                   .maxval = 255,
                   .stride = 3,
                   .data = (void *)(uintptr_t)rgb};
    uint8_t value;
    assert_int_equal(grey_form_of(context, &in, &form), RO_OK);
    assert_int_equal(grey_row(context, &in, rgb, 0, &form, &value), RO_OK);
    return value;
}

/* light = (1 - ink) (1 - black), but for rounding. */
static void inks_give_the_light_back(void **state)
{
    (void)state;
    static const uint32_t shares[] = {1000, 500, 0};
    for (size_t s = 0; s < 3; s++)
        for (int i = 0; i < 500; i++) {
            const uint8_t *rgb = pixels + 3 * i;
            uint32_t left = paper_of(PLANE_BLACK, shares[s], rgb);
            for (int c = 0; c < 3; c++) {
                uint32_t ink = paper_of(PLANE_CYAN + (enum grey_plane)c, shares[s], rgb);
                uint32_t light = (ink * left + 127) / 255;
                assert_in_range(light, rgb[c] > 0 ? rgb[c] - 1u : 0, rgb[c] + 1u);
            }
        }
    static const uint8_t grey[3] = {90, 90, 90}, black[3] = {0, 0, 0};
    for (int c = 0; c < 3; c++) { /* full replacement: grey is black ink alone */
        assert_int_equal(paper_of(PLANE_CYAN + (enum grey_plane)c, 1000, grey), 255);
        assert_int_equal(paper_of(PLANE_CYAN + (enum grey_plane)c, 1000, black), 255);
        assert_int_equal(paper_of(PLANE_CYAN + (enum grey_plane)c, 0, grey), 90);
    }
    assert_int_equal(paper_of(PLANE_BLACK, 1000, grey), 90);
    assert_int_equal(paper_of(PLANE_BLACK, 0, grey), 255);
}

static void inks_are_packed(void **state)
{
    (void)state;
    static uint8_t whole[PIXELS], parts[PIXELS], flat[3 * PIXELS];
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_CMYK};
    ro_image out = ro_image_view(RO_INDEX8, WIDTH, HEIGHT, whole);
    assert_int_equal(ro_halftone(context, &input, &out, &options), RO_OK);
    stream_through(&options, RO_INDEX8, WIDTH, parts);
    assert_memory_equal(whole, parts, sizeof whole);

    static const struct {
        uint8_t rgb[3], inks;
    } pure[] = {{{0, 255, 255}, 8}, {{255, 0, 255}, 4},   {{255, 255, 0}, 2},
                {{0, 0, 0}, 1},     {{255, 255, 255}, 0}, {{255, 0, 0}, 6}};
    for (size_t p = 0; p < sizeof pure / sizeof *pure; p++) {
        for (int i = 0; i < 3 * PIXELS; i++)
            flat[i] = pure[p].rgb[i % 3];
        ro_image in = ro_image_view(RO_RGB8, WIDTH, HEIGHT, flat);
        assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
        for (int i = 0; i < PIXELS; i++)
            assert_int_equal(whole[i], pure[p].inks);
    }
}

/* Ranks that go across in steps and down one by one: clustered, and of another shape than all that
 * is made. */
static uint16_t slope[6 * 10];
static const ro_image slope_screen = {
    .format = RO_GREY16, .width = 10, .height = 6, .maxval = 65535, .stride = 20, .data = slope};

/* The mean distance of what is printed from flat colours, in 1/255: light = (1 - ink)(1 - black).
 */
static double overprint(const ro_halftone_options *options, uint8_t *light)
{
    enum { SIDE = 128, AREA = SIDE * SIDE, COLOURS = 256 };
    static uint8_t flat[3 * AREA], inks[AREA];
    const ro_image in = ro_image_view(RO_RGB8, SIDE, SIDE, flat);
    ro_image out = ro_image_view(RO_INDEX8, SIDE, SIDE, inks);
    double away = 0;
    for (uint32_t n = 0; n < COLOURS; n++) {
        uint8_t colour[3] = {200, 150, 120};
        for (uint32_t c = 0; c < 3 && n > 0; c++)
            colour[c] = (uint8_t)(pixel_hash(2, c, n) >> 24);
        for (int i = 0; i < 3 * AREA; i++)
            flat[i] = colour[i % 3];
        assert_int_equal(ro_halftone(context, &in, &out, options), RO_OK);
        for (int c = 0; c < 3; c++) {
            int lit = 0;
            for (int i = 0; i < AREA; i++)
                lit += (inks[i] & (8 >> c | 1)) == 0;
            away += abs(lit * 255 - colour[c] * AREA) / (3.0 * COLOURS * AREA);
            if (n == 0)
                light[c] = (uint8_t)((lit * 255 + AREA / 2) / AREA);
        }
    }
    return away;
}

static void plates_are_independent(void **state)
{
    (void)state;
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 10; x++)
            slope[10 * y + x] = (uint16_t)(1000 * abs(2 * x - 9) + 100 * y);
    static const struct {
        ro_halftone_options options;
        double most; /* 1/255 */
    } kinds[] = {
        {{RO_HALFTONE_DEFAULTS, .method = "bayer"}, 2},
        {{RO_HALFTONE_DEFAULTS, .method = "bayer16"}, 2},
        {{RO_HALFTONE_DEFAULTS, .method = "clustered-dot"}, 2},
        {{RO_HALFTONE_DEFAULTS, .method = "clustered-dot", .shape = "line", .cell = 6}, 2},
        {{RO_HALFTONE_DEFAULTS, .method = "blue-noise"}, 1},
        {{RO_HALFTONE_DEFAULTS, .method = "blue-noise", .cell = 16, .seed = 3}, 1},
        {{RO_HALFTONE_DEFAULTS, .method = "random"}, 1},
        {{RO_HALFTONE_DEFAULTS, .method = "screen", .screen = &slope_screen}, 2},
        {{RO_HALFTONE_DEFAULTS, .method = "zhou-fang"}, 1},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ro_halftone_options options = kinds[i].options;
        options.channels = RO_CHANNELS_CMYK;
        uint8_t light[3];
        double away = overprint(&options, light);
        print_message("%s: %.2f, 200 150 120 becomes %d %d %d\n", options.method, away, light[0],
                      light[1], light[2]);
        if (away > kinds[i].most)
            fail_msg("%s is %.2f off", options.method, away);
    }
}

/* No two planes of a grey picture in RGB are alike, and streams and plain code give the same. */
static void channels_have_screens_of_their_own(void **state)
{
    (void)state;
    static const char *const methods[] = {"bayer", "clustered-dot", "blue-noise", "random"};
    static uint8_t whole[3 * PIXELS], parts[3 * PIXELS], grey[3 * PIXELS];
    ro_context *usual = context, *plain;
    assert_int_equal(
        ro_context_open(
            &(ro_context_options){RO_CONTEXT_DEFAULTS, .cpu = RO_CPU_SCALAR, .threads = 1}, &plain),
        RO_OK);
    memset(grey, 100, sizeof grey);
    for (size_t m = 0; m < 4; m++) {
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = methods[m],
                                       .channels = RO_CHANNELS_RGB};
        ro_image in = input, out = ro_image_view(RO_RGB8, WIDTH, HEIGHT, whole);
        in.data = grey;
        assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
        for (int c = 0; c < 3; c++) {
            int differ = 0;
            for (int i = 0; i < PIXELS; i++)
                differ += whole[3 * i + c] != whole[3 * i + (c + 1) % 3];
            assert_in_range(differ, PIXELS / 4, 3 * PIXELS / 4);
        }
        assert_int_equal(ro_halftone(context, &input, &out, &options), RO_OK);
        stream_through(&options, RO_RGB8, 3 * WIDTH, parts);
        assert_memory_equal(whole, parts, sizeof whole);
        context = plain;
        stream_through(&options, RO_RGB8, 3 * WIDTH, parts);
        context = usual;
        assert_memory_equal(whole, parts, sizeof whole);
    }
    ro_context_close(plain);
}

static void refused(ro_halftone_options options, ro_format format, const char *word)
{
    static uint8_t out[3 * PIXELS];
    ro_image image = {.format = format,
                      .width = WIDTH,
                      .height = HEIGHT,
                      .maxval = 0,
                      .stride = 3 * WIDTH,
                      .data = out};
    assert_int_not_equal(ro_halftone(context, &input, &image, &options), RO_OK);
    if (!strstr(ro_context_message(context), word))
        fail_msg("'%s' does not say '%s'", ro_context_message(context), word);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    refused((ro_halftone_options){RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_RGB}, RO_BITS,
            "RGB");
    refused((ro_halftone_options){RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_CMYK, .levels = 3},
            RO_INDEX8, "levels does not apply to channels cmyk");
    refused((ro_halftone_options){RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_RGB, .levels = 300},
            RO_RGB8, "256 levels at most");
    refused((ro_halftone_options){RO_HALFTONE_DEFAULTS, .channels = (ro_channels)9}, RO_INDEX8,
            "9");
    refused((ro_halftone_options){RO_HALFTONE_DEFAULTS, .black_ink = 80}, RO_BITS, "channels cmyk");
    refused(
        (ro_halftone_options){RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_CMYK, .black_ink = 101},
        RO_INDEX8, "101");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_are_halftoned_alone),
        cmocka_unit_test(deep_channels_are_halftoned_alone),
        cmocka_unit_test(inks_give_the_light_back),
        cmocka_unit_test(inks_are_packed),
        cmocka_unit_test(plates_are_independent),
        cmocka_unit_test(channels_have_screens_of_their_own),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, open_context, fixture_close);
}
