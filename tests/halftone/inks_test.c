/* SPDX-License-Identifier: MIT */
/*
 * Inks: plates hold the bits of the numbers, vectors and threads separate as the plain code does,
 * inks of any colour give the light that was asked for, all greys keep their tone, and overprints
 * are as frequent as chance has it.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "context/context.h"
#include "core/random.h"
#include "fixture.h"
#include "halftone/tone/inks.h"
#include "halftone/tone/tone.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ro_image image_of(ro_format format, uint32_t width, uint32_t height, uint32_t maxval)
{
    ro_image image;
    assert_int_equal(ro_image_alloc(context, format, width, height, maxval, &image), RO_OK);
    return image;
}

static void fill(ro_image *image, uint64_t seed)
{
    for (uint32_t y = 0; y < image->height; y++) {
        uint8_t *row = (uint8_t *)image->data + (ptrdiff_t)y * image->stride;
        for (uint32_t x = 0; x < 3 * image->width; x++) {
            const uint32_t drawn = pixel_hash(seed, x, y);
            row[x] = (uint8_t)(drawn % 7 ? drawn >> 8 : drawn % 2 ? 255 : 0);
        }
    }
}

static int bit(const ro_image *bits, uint32_t x, uint32_t y)
{
    return ((const uint8_t *)bits->data)[(ptrdiff_t)y * bits->stride + x / 8] >> (7 - x % 8) & 1;
}

/* Plates against numbers, made by plain code on one thread. */
static void plates_are_the_numbers(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 63, 64, 65, 200, 3000};
    static const char *const methods[] = {"am", "blue-noise", "floyd-steinberg", "dbs"};
    ro_context *plain;
    assert_int_equal(
        ro_context_open(
            &(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1, .cpu = RO_CPU_SCALAR}, &plain),
        RO_OK);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
            for (int black = 0; black < 3; black++) {
                const uint32_t width = widths[i], height = 40;
                if (m == 3 && width > 65)
                    continue;
                ro_image in = image_of(RO_RGB8, width, height, 255);
                ro_image numbers = image_of(RO_INDEX8, width, height, 0);
                ro_image plates = image_of(RO_BITS, width, 4 * height, 0);
                fill(&in, i);
                ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = methods[m],
                                               .channels = RO_CHANNELS_CMYK,
                                               .black_ink = 100 - 33.3 * black};
                if (m == 0) {
                    options.lpi = 60;
                    options.dpi = 600;
                }
                assert_int_equal(ro_halftone(plain, &in, &numbers, &options), RO_OK);
                if (ro_halftone(context, &in, &plates, &options) != RO_OK)
                    fail_msg("%s", ro_context_message(context));
                for (uint32_t y = 0; y < height; y++)
                    for (uint32_t x = 0; x < width; x++)
                        for (uint32_t ink = 0; ink < 4; ink++) {
                            const int number =
                                ((uint8_t *)numbers.data)[(ptrdiff_t)y * numbers.stride + x];
                            if (bit(&plates, x, 4 * y + ink) == (number >> (3 - ink) & 1))
                                fail_msg("%s, %u wide: ink %u differs at %u, %u", methods[m], width,
                                         ink, x, y);
                        }
                ro_image_free(&in);
                ro_image_free(&numbers);
                ro_image_free(&plates);
            }
    ro_context_close(plain);
}

static const ro_ink three[] = {{.name = "red", .colour = {227, 6, 19}, .degrees = 75},
                               {.name = "blue", .colour = {0, 159, 227}, .degrees = 15},
                               {.name = "black", .colour = {0, 0, 0}, .degrees = 45}};

/* The light of shares of inks, per channel. */
static double light_of(const uint32_t paper[], const ro_ink *inks, int count, int channel)
{
    double light = 1;
    for (int i = 0; i < count; i++)
        light *=
            1 - (1 - paper[i] / 65535.0) * (1 - tone_from_srgb(inks[i].colour[channel] / 255.0));
    return light;
}

/* Greys, which black alone can make, and what the inks make themselves, come out; the limit holds.
 */
static void inks_give_the_light(void **state)
{
    (void)state;
    struct ink_table table;
    uint32_t paper[RO_INKS_MOST];
    assert_int_equal(ink_table_make(context, three, 3, 0, &table), RO_OK);
    for (uint32_t step = 0; step <= 16; step++) {
        const uint32_t grey = step * 65535 / 16, rgb[3] = {grey, grey, grey};
        ink_table_at(&table, rgb, paper);
        for (int c = 0; c < 3; c++)
            assert_true(fabs(light_of(paper, three, 3, c) - tone_from_srgb(step / 16.0)) < 0.002);
    }
    for (int i = 0; i < 3; i++) { /* an ink itself: nothing but it */
        uint32_t rgb[3];
        for (int c = 0; c < 3; c++)
            rgb[c] = 257u * three[i].colour[c];
        ink_table_at(&table, rgb, paper);
        for (int c = 0; c < 3; c++)
            assert_true(fabs(light_of(paper, three, 3, c) -
                             tone_from_srgb(three[i].colour[c] / 255.0)) < 0.02);
    }
    ink_table_free(&table);
    assert_int_equal(ink_table_make(context, three, 3, 1.2, &table), RO_OK);
    for (uint32_t n = 0; n < 3000; n++) {
        const uint32_t rgb[3] = {pixel_hash(1, n, 0) & 65535, pixel_hash(2, n, 0) & 65535,
                                 pixel_hash(3, n, 0) & 65535};
        ink_table_at(&table, rgb, paper);
        assert_true(3 * 65535 - paper[0] - paper[1] - paper[2] <= 1.2 * 65535 + 3);
    }
    ink_table_free(&table);
}

/* Over a supercell the black pixels of a grey are those it stands for, within one. */
static void greys_keep_their_tone(void **state)
{
    (void)state;
    const ro_screen_options screen = {RO_SCREEN_DEFAULTS, .kind = "am", .lpi = 25, .angle = 22.5,
                                      .dpi = 300};
    ro_dots dots = {.size = sizeof dots};
    assert_int_equal(ro_dots_find(context, &screen, 0, &dots), RO_OK);
    /* `width` columns of `height` rows hold every cell once, whatever the shift */
    ro_image in = image_of(RO_GREY8, dots.width, dots.height, 255);
    ro_image out = image_of(RO_BITS, dots.width, dots.height, 0);
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = "am", .lpi = 25,
                                         .angle = 22.5, .dpi = 300};
    for (int grey = 0; grey < 256; grey += 5) {
        double white = 0;
        memset(in.data, grey, (size_t)in.stride * in.height);
        assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
        for (uint32_t y = 0; y < out.height; y++)
            for (uint32_t x = 0; x < out.width; x++)
                white += bit(&out, x, y);
        assert_true(fabs(white - grey / 255.0 * dots.greys) <= 1);
    }
    ro_image_free(&in);
    ro_image_free(&out);
}

/* Two inks at half tone meet on a quarter of the paper. */
static void inks_meet_by_chance(void **state)
{
    (void)state;
    enum { SIDE = 1200 };
    ro_image in = image_of(RO_RGB8, SIDE, SIDE, 255);
    ro_image out = image_of(RO_INDEX8, SIDE, SIDE, 0);
    const ro_halftone_options options = {
        RO_HALFTONE_DEFAULTS,         .method = "am", .lpi = 60, .dpi = 600,
        .channels = RO_CHANNELS_CMYK, .black_ink = 0};
    memset(in.data, 128, (size_t)in.stride * SIDE);
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
    int both[4][4] = {{0}};
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            const int n = ((uint8_t *)out.data)[(ptrdiff_t)y * out.stride + x];
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++)
                    both[a][b] += (n >> (3 - a) & 1) && (n >> (3 - b) & 1);
        }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < a; b++)
            assert_true(fabs(both[a][b] / (double)(SIDE * SIDE) - 0.248) < 0.01);
    ro_image_free(&in);
    ro_image_free(&out);
}

/* Four inks by a table: cyan by red, magenta by green, yellow by blue, black by none. */
static uint16_t shares[RO_SEPARATION_SIDE * RO_SEPARATION_SIDE * RO_SEPARATION_SIDE * 4];
static const ro_separation by_table = {4, shares}, of_two = {2, shares};

static void a_separation_is_given(void **state)
{
    (void)state;
    enum { SIDE = RO_SEPARATION_SIDE, TONES = 256 };
    uint16_t *to = shares;
    for (int r = 0; r < SIDE; r++)
        for (int g = 0; g < SIDE; g++)
            for (int b = 0; b < SIDE; b++, to += 4)
                for (int i = 0; i < 3; i++)
                    to[i] = (uint16_t)(65535 *
                                       (SIDE - 1 -
                                        (i == 0   ? r
                                         : i == 1 ? g
                                                  : b)) /
                                       (SIDE - 1));
    ro_image in = image_of(RO_RGB8, TONES, 3, 255), out = image_of(RO_INDEX8, TONES, 3, 0);
    for (uint32_t y = 0; y < 3; y++)
        for (uint32_t x = 0; x < TONES; x++)
            for (uint32_t c = 0; c < 3; c++)
                ((uint8_t *)in.data)[y * (size_t)in.stride + 3 * x + c] =
                    (uint8_t)(c == y ? x : 255);
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = "threshold",
                                         .channels = RO_CHANNELS_CMYK, .separation = &by_table};
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
    for (uint32_t y = 0; y < 3; y++)
        for (uint32_t x = 0; x < TONES; x++)
            assert_int_equal(((uint8_t *)out.data)[y * (size_t)out.stride + x],
                             x < 128 ? 8 >> y : 0);
    ro_image_free(&in);
    ro_image_free(&out);
}

static void what_cannot_be_is_told(void **state)
{
    (void)state;
    static const struct {
        ro_halftone_options options;
        const char *words;
    } rows[] = {
        {{RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_INKS}, "1 to 8"},
        {{RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_INKS, .inks = three, .ink_count = 9},
         "0 to 8"},
        {{RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_CMYK, .inks = three, .ink_count = 3},
         "CMYK has 4"},
        {{RO_HALFTONE_DEFAULTS, .inks = three, .ink_count = 3}, "channels cmyk or inks"},
        {{RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_CMYK, .ink_limit = 200}, "channels inks"},
        {{RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_INKS, .inks = three, .ink_count = 3,
          .ink_limit = -1},
         "up to 800"},
        {{RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_INKS, .inks = three, .ink_count = 3,
          .black_ink = 90},
         "channels cmyk"},
        {{RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_INKS, .inks = three, .ink_count = 3,
          .tone = {.linear = 1}},
         "linear"},
        {{RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_CMYK, .separation = &of_two},
         "2 inks, but there are 4"},
        {{RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_INKS, .inks = three, .ink_count = 3,
          .separation = &by_table},
         "4 inks, but there are 3"},
        {{RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_CMYK, .separation = &by_table,
          .black_ink = 90},
         "black-ink and separation"},
        {{RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_CMYK, .separation = &by_table,
          .tone = {.linear = 1}},
         "linear"},
        {{RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_RGB, .separation = &by_table},
         "channels cmyk or inks"},
        {{RO_HALFTONE_DEFAULTS, .separation = &by_table}, "channels cmyk or inks"},
    };
    ro_image in = image_of(RO_RGB8, 8, 8, 255), out = image_of(RO_INDEX8, 8, 8, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(ro_halftone(context, &in, &out, &rows[i].options), RO_E_ARGUMENT);
        if (!strstr(ro_context_message(context), rows[i].words))
            fail_msg("\"%s\" does not say \"%s\"", ro_context_message(context), rows[i].words);
    }
    ro_image_free(&in);
    ro_image_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_are_the_numbers), cmocka_unit_test(inks_give_the_light),
        cmocka_unit_test(greys_keep_their_tone),  cmocka_unit_test(inks_meet_by_chance),
        cmocka_unit_test(what_cannot_be_is_told), cmocka_unit_test(a_separation_is_given),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
