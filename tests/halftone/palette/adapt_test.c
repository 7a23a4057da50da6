/* SPDX-License-Identifier: MIT */
/* Palettes made for a picture, pictures fitted to a palette, and colours for levels of grey. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "core/random.h"
#include "fixture.h"
#include "halftone/palette/palette.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64 };

/* A picture of blobs and ramps. */
static void paint(uint8_t *pixels)
{
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            uint8_t *rgb = pixels + 3 * (y * SIDE + x);
            const uint32_t grain = pixel_hash(1, x, y) % 9;
            rgb[0] = (uint8_t)(x * 3 + grain);
            rgb[1] = (uint8_t)(y < SIDE / 2 ? 40 + grain : 200 - x);
            rgb[2] = (uint8_t)((x / 16 + y / 16) % 2 ? 30 + 2 * y : 90);
        }
}

static uint64_t hash_of(const void *data, size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
    return hash;
}

static double error_of(const uint8_t *pixels, const ro_palette *palette)
{
    double sum = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        double least = 1e9;
        for (int k = 0; k < palette->count; k++) {
            double square = 0;
            for (int c = 0; c < 3; c++) {
                const double off = pixels[3 * i + c] - palette->colours[k][c];
                square += off * off;
            }
            least = square < least ? square : least;
        }
        sum += sqrt(least);
    }
    return sum / (SIDE * SIDE);
}

static void palettes_adapt(void **state)
{
    (void)state;
    static uint8_t pixels[3 * SIDE * SIDE];
    static const struct {
        int count;
        double most; /* mean distance in RGB */
        uint64_t hash;
    } cases[] = {
        {4, 40, 0x6d31b8a6465b4bf5}, {16, 20, 0x94b58c05a94837f2}, {64, 10, 0xdbced2940dfdbbf5}};
    paint(pixels);
    ro_image in = ro_image_view(RO_RGB8, SIDE, SIDE, pixels);
    bool same = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ro_palette palette;
        assert_int_equal(ro_palette_adapt(context, &in, NULL, cases[i].count, &palette), RO_OK);
        assert_int_equal(palette.count, cases[i].count);
        assert_true(error_of(pixels, &palette) < cases[i].most);
        const uint64_t hash = hash_of(palette.colours, 3 * (size_t)palette.count);
        if (hash != cases[i].hash)
            printf("%d colours: 0x%llx, error %.2f\n", cases[i].count, (unsigned long long)hash,
                   error_of(pixels, &palette));
        same &= hash == cases[i].hash;
    }
    assert_true(same);
}

/* A picture of a few colours has these; one of a single colour gets another. */
static void few_colours_are_kept(void **state)
{
    (void)state;
    static const uint8_t colours[3][3] = {{10, 20, 30}, {200, 30, 60}, {250, 250, 240}};
    uint8_t pixels[3 * 30];
    ro_palette palette;
    for (int i = 0; i < 30; i++)
        memcpy(pixels + 3 * i, colours[i % 3], 3);
    ro_image in = ro_image_view(RO_RGB8, 30, 1, pixels);
    assert_int_equal(ro_palette_adapt(context, &in, NULL, 16, &palette), RO_OK);
    assert_int_equal(palette.count, 3);
    assert_memory_equal(palette.colours, colours, sizeof colours);
    in.width = 1;
    assert_int_equal(ro_palette_adapt(context, &in, NULL, 2, &palette), RO_OK);
    assert_int_equal(palette.count, 2);
    assert_memory_equal(palette.colours[1], "\xff\xff\xff", 3);
    assert_int_not_equal(ro_palette_adapt(context, &in, NULL, 1, &palette), RO_OK);
    assert_int_not_equal(ro_palette_adapt(context, &in, NULL, 257, &palette), RO_OK);
}

/* Greys, and shades of one hue, are told apart by all eight bits. */
static void shades_are_kept(void **state)
{
    (void)state;
    static const int rise[2][3] = {{256, 256, 256}, {256, 200, 128}};
    uint8_t pixels[3 * 256];
    for (int n = 0; n < 2; n++) {
        ro_palette palette;
        for (int i = 0; i < 256; i++)
            for (int c = 0; c < 3; c++)
                pixels[3 * i + c] = (uint8_t)(i * rise[n][c] / 256);
        ro_image in = ro_image_view(RO_RGB8, 256, 1, pixels);
        assert_int_equal(ro_palette_adapt(context, &in, NULL, 256, &palette), RO_OK);
        assert_int_equal(palette.count, 256);
        assert_memory_equal(palette.colours, pixels, sizeof pixels);
        in.width = 255;
        assert_int_equal(ro_palette_adapt(context, &in, NULL, 128, &palette), RO_OK);
        assert_int_equal(palette.count, 128);
    }
}

/* What is fitted lies in the hull, and black and white are the palette's. */
static void fitted_pictures_can_be_shown(void **state)
{
    (void)state;
    static uint8_t pixels[3 * SIDE * SIDE];
    static uint16_t out[3 * SIDE * SIDE];
    static const char *const names[] = {"spectra6-panel", "7-colour-panel", "uc8159-panel"};
    for (int i = 0; i < 3 * SIDE * SIDE; i++)
        pixels[i] = (uint8_t)(pixel_hash(5, (uint32_t)i, 0) >> 24);
    memset(pixels, 0, 3);
    memset(pixels + 3, 255, 3);
    for (int n = 0; n < 3; n++) {
        ro_palette palette;
        assert_int_equal(ro_palette_parse(context, names[n], &palette), RO_OK);
        ro_image in = ro_image_view(RO_RGB8, SIDE, SIDE, pixels);
        ro_image image = ro_image_view(RO_RGB16, SIDE, SIDE, out);
        assert_int_equal(palette_fit(context, &in, &palette, &image), RO_OK);
        for (int c = 0; c < 3; c++) {
            assert_true(abs(out[c] - 257 * palette.colours[0][c]) <= 1);
            assert_true(abs(out[3 + c] - 257 * palette.colours[1][c]) <= 1);
        }
        int32_t colour[3][PALETTE_MOST];
        struct palette_hull hull = {.count = palette.count};
        palette_light(&palette, colour);
        for (int k = 0; k < palette.count; k++)
            for (int c = 0; c < 3; c++)
                hull.colour[k][c] = (uint16_t)(colour[c][k] / 16);
        for (int i = 0; i < SIDE * SIDE; i++) {
            struct palette_corners guess = {0};
            uint16_t light[3];
            int32_t to[3];
            for (int c = 0; c < 3; c++)
                light[c] = tone_round(tone_from_srgb(out[3 * i + c] / 65535.0));
            palette_project(&hull, light, &guess, to);
            for (int c = 0; c < 3; c++) /* straight between nodes: a little outside */
                assert_true(abs(to[c] / 16 - light[c]) < 700);
        }
    }
}

/* Halftoning with `fit` is halftoning the fitted picture. */
static void fit_is_what_it_says(void **state)
{
    (void)state;
    static uint8_t pixels[3 * SIDE * SIDE], one[SIDE * SIDE], two[SIDE * SIDE];
    static uint16_t fitted[3 * SIDE * SIDE];
    static const char *const methods[] = {"floyd-steinberg", "blue-noise", "dot-diffusion"};
    ro_palette palette;
    assert_int_equal(ro_palette_parse(context, "spectra6-panel", &palette), RO_OK);
    paint(pixels);
    ro_image in = ro_image_view(RO_RGB8, SIDE, SIDE, pixels);
    ro_image middle = ro_image_view(RO_RGB16, SIDE, SIDE, fitted);
    ro_image first = ro_image_view(RO_INDEX8, SIDE, SIDE, one), second = first;
    second.data = two;
    assert_int_equal(palette_fit(context, &in, &palette, &middle), RO_OK);
    for (int m = 0; m < 3; m++) {
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette,
                                       .fit = RO_FIT_FULL, .method = methods[m]};
        assert_int_equal(ro_halftone(context, &in, &first, &options), RO_OK);
        options.fit = RO_FIT_NONE;
        assert_int_equal(ro_halftone(context, &middle, &second, &options), RO_OK);
        assert_memory_equal(one, two, sizeof one);
    }
    ro_halftone_options grey = {RO_HALFTONE_DEFAULTS, .fit = RO_FIT_FULL};
    assert_int_not_equal(ro_halftone(context, &in, &first, &grey), RO_OK);
}

static void levels_get_colours(void **state)
{
    (void)state;
    static uint8_t pixels[3 * SIDE * SIDE], grey[SIDE * SIDE], rgb[3 * SIDE * SIDE];
    ro_palette colours;
    assert_int_equal(ro_palette_parse(context, "navy #c60 ivory", &colours), RO_OK);
    paint(pixels);
    ro_image in = ro_image_view(RO_RGB8, SIDE, SIDE, pixels);
    ro_image levels = {.format = RO_INDEX8,
                       .width = SIDE,
                       .height = SIDE,
                       .maxval = 2,
                       .stride = SIDE,
                       .data = grey};
    ro_image out = ro_image_view(RO_RGB8, SIDE, SIDE, rgb);
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .levels = 3};
    assert_int_equal(ro_halftone(context, &in, &levels, &options), RO_OK);
    options.levels = 0;
    options.recolour = &colours;
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
    for (int i = 0; i < SIDE * SIDE; i++)
        assert_memory_equal(rgb + 3 * i, colours.colours[grey[i]], 3);
    options.levels = 4;
    assert_int_not_equal(ro_halftone(context, &in, &out, &options), RO_OK);
    options.levels = 0;
    options.palette = &colours;
    assert_int_not_equal(ro_halftone(context, &in, &out, &options), RO_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(palettes_adapt),      cmocka_unit_test(few_colours_are_kept),
        cmocka_unit_test(shades_are_kept),     cmocka_unit_test(fitted_pictures_can_be_shown),
        cmocka_unit_test(fit_is_what_it_says), cmocka_unit_test(levels_get_colours),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
