/* SPDX-License-Identifier: MIT */
/*
 * Palettes with methods other than plain kernels: variants against the definition, goldens, light
 * that mixtures keep, colours of the palette that stay, and streams.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "core/random.h"
#include "fixture.h"
#include "halftone/palette/dither/screen.h"
#include "streams.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ro_palette palette_of(const char *text)
{
    ro_palette palette;
    assert_int_equal(ro_palette_parse(context, text, &palette), RO_OK);
    palette.panel = 0; /* the colours alone, without the fit and the method of a panel */
    return palette;
}

static ro_palette random_palette(int count)
{
    ro_palette palette = {.count = count};
    for (int k = 0; k < count; k++)
        for (uint32_t c = 0; c < 3; c++)
            palette.colours[k][c] = (uint8_t)(pixel_hash(9, (uint32_t)k, c) >> 24);
    return palette;
}

static void random_rows(void *data, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)data)[i] = (uint8_t)(pixel_hash(seed, (uint32_t)i, 0) >> 24);
}

/* ---- variants -------------------------------------------------------------------------------- */

/* False where this processor lacks the instruction set. */
static bool run(ro_cpu cpu, int threads, const ro_image *in, uint8_t *out, size_t stride,
                const ro_halftone_options *options)
{
    ro_context *own;
    ro_context_options asked = {RO_CONTEXT_DEFAULTS, .cpu = cpu, .threads = threads};
    ro_status status = ro_context_open(&asked, &own);
    memset(out, 0xa5, stride * in->height);
    if (status == RO_E_UNSUPPORTED)
        return false;
    assert_int_equal(status, RO_OK);
    ro_image image = {.format = RO_INDEX8,
                      .width = in->width,
                      .height = in->height,
                      .maxval = 0,
                      .stride = (ptrdiff_t)stride,
                      .data = out};
    if (ro_halftone(own, in, &image, options) != RO_OK)
        fail_msg("%s", ro_context_message(own));
    assert_int_equal(ro_context_report(own)->cpu, cpu);
    ro_context_close(own);
    return true;
}

static void screens_give_the_same_bits(void **state)
{
    (void)state;
    static const char *const methods[] = {"bayer", "blue-noise", "clustered-dot", "random",
                                          "bayer-2"};
    static const uint32_t sizes[][2] = {{1, 1},  {1, 40}, {2, 7},   {63, 3},  {64, 4},
                                        {65, 3}, {66, 5}, {130, 9}, {333, 20}};
    static const ro_cpu cpus[] = {RO_CPU_SCALAR, RO_CPU_V128, RO_CPU_AVX2, RO_CPU_AVX512};
    const ro_palette palettes[] = {palette_of("7-colour"), random_palette(16), random_palette(256),
                                   palette_of("bw"), random_palette(12)};
    for (size_t i = 0; i < 4 * sizeof sizes / sizeof *sizes; i++) {
        const size_t which = i % (sizeof sizes / sizeof *sizes);
        const uint32_t width = sizes[which][0], height = sizes[which][1];
        const bool wide = i % 3 == 1;
        const size_t row = 3 * (size_t)width * (wide ? 2 : 1), stride = width + 5;
        uint8_t *pixels = malloc(row * height), *reference = malloc(stride * height);
        uint8_t *result = malloc(stride * height);
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palettes[i % 5],
                                       .method = methods[i / 3 % 5]};
        random_rows(pixels, row * height, i);
        for (size_t k = 0; k + 2 < row && !wide; k += 21) /* colours of the palette itself */
            memcpy(pixels + k, options.palette->colours[k % (size_t)options.palette->count], 3);
        for (size_t k = 0; k < row * height && i % 4 == 2 && !wide; k++)
            pixels[k] %= 200;
        const uint16_t maxval = i % 4 == 2 && !wide ? 199 : 0;
        ro_image in = {.format = wide ? RO_RGB16 : RO_RGB8,
                       .width = width,
                       .height = height,
                       .maxval = maxval,
                       .stride = (ptrdiff_t)row,
                       .data = pixels};
        assert_true(run(RO_CPU_SCALAR, 1, &in, reference, stride, &options));
        for (size_t v = 0; v < sizeof cpus / sizeof *cpus; v++)
            for (int threads = 1; threads <= 3; threads += 2)
                if (run(cpus[v], threads, &in, result, stride, &options) &&
                    memcmp(result, reference, stride * height) != 0)
                    fail_msg("%s, %s, %u x %u differs", options.method, ro_cpu_name(cpus[v]), width,
                             height);
        free(pixels);
        free(reference);
        free(result);
    }
}

/* ---- goldens --------------------------------------------------------------------------------- */

static void every_method_is_golden(void **state)
{
    (void)state;
    enum { WIDTH = 96, HEIGHT = 64 };
    static uint8_t pixels[3 * WIDTH * HEIGHT], out[WIDTH * HEIGHT];
    static const struct {
        ro_halftone_options options;
        uint64_t hash;
    } goldens[] = {
        {{RO_HALFTONE_DEFAULTS, .method = "bayer"}, 0x5658a528cda56861},
        {{RO_HALFTONE_DEFAULTS, .method = "blue-noise"}, 0xc19df5c149a21484},
        {{RO_HALFTONE_DEFAULTS, .method = "clustered-dot", .angle = 45}, 0x47e36492f2ef7712},
        {{RO_HALFTONE_DEFAULTS, .method = "random", .seed = 3}, 0x9c2fb7d9a202ddbe},
        {{RO_HALFTONE_DEFAULTS, .method = "threshold"}, 0x2c303cc9b151da01},
        {{RO_HALFTONE_DEFAULTS, .method = "ostromoukhov"}, 0x49a45ffba876e0e2},
        {{RO_HALFTONE_DEFAULTS, .method = "zhou-fang", .serpentine = 1}, 0xb4ef8004bf1f6b5d},
        {{RO_HALFTONE_DEFAULTS, .method = "dot-diffusion"}, 0xc7fb461332787814},
        {{RO_HALFTONE_DEFAULTS, .method = "riemersma"}, 0x910286d54369f8b3},
        {{RO_HALFTONE_DEFAULTS, .serpentine = 1}, 0x4d31cee8a162400d},
        {{RO_HALFTONE_DEFAULTS, .strength = 80}, 0x72dc408be7dc39e6},
        {{RO_HALFTONE_DEFAULTS, .noise = 50, .seed = 1}, 0x426dddb9b8f7062c},
    };
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            pixels[3 * (y * WIDTH + x)] = (uint8_t)(x * 255 / (WIDTH - 1));
            pixels[3 * (y * WIDTH + x) + 1] = (uint8_t)(y * 255 / (HEIGHT - 1));
            pixels[3 * (y * WIDTH + x) + 2] = (uint8_t)((x + y) * 255 / (WIDTH + HEIGHT - 2));
        }
    const ro_palette palette = palette_of("7-colour-panel");
    ro_image in = ro_image_view(RO_RGB8, WIDTH, HEIGHT, pixels);
    ro_image image = ro_image_view(RO_INDEX8, WIDTH, HEIGHT, out);
    bool same = true;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        ro_halftone_options options = goldens[i].options;
        options.palette = &palette;
        assert_int_equal(ro_halftone(context, &in, &image, &options), RO_OK);
        uint64_t hash = 0xcbf29ce484222325u;
        for (size_t k = 0; k < sizeof out; k++)
            hash = (hash ^ out[k]) * 0x100000001b3u;
        if (hash != goldens[i].hash)
            printf("golden %zu: 0x%llx\n", i, (unsigned long long)hash);
        same &= hash == goldens[i].hash;
    }
    assert_true(same);
}

/* ---- what is promised ------------------------------------------------------------------------ */

static double light_of(uint8_t value) { return tone_from_srgb(value / 255.0); }

/* Mixtures of the palette's own colours keep their light over the cells of a screen. */
static void mixtures_keep_their_light(void **state)
{
    (void)state;
    enum { SIDE = 64 };
    static uint8_t pixels[3 * SIDE * SIDE], out[SIDE * SIDE];
    static const char *const methods[] = {"blue-noise", "bayer-16", "random", "ostromoukhov",
                                          "riemersma"};
    static const double most[] = {1.5, 2, 6, 3, 0.5}; /* 255ths of white */
    static const char *const names[] = {"bw", "7-colour", "spectra6-panel"};
    for (int p = 0; p < 3; p++)
        for (int m = 0; m < 5; m++)
            for (uint32_t flat = 0; flat < 8; flat++) {
                const ro_palette palette = palette_of(names[p]);
                double light[3] = {0}, mean[3] = {0};
                uint8_t colour[3];
                for (int c = 0; c < 3; c++) { /* the middle of three colours, in sRGB */
                    for (uint32_t i = 0; i < 3; i++)
                        light[c] += light_of(palette.colours[pixel_hash(p, flat, i) %
                                                             (uint32_t)palette.count][c]) /
                                    3;
                    colour[c] = 0;
                    while (light_of(colour[c]) < light[c])
                        colour[c]++;
                    light[c] = light_of(colour[c]);
                }
                for (int i = 0; i < SIDE * SIDE; i++)
                    memcpy(pixels + 3 * i, colour, 3);
                ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette,
                                               .method = methods[m]};
                ro_image in = ro_image_view(RO_RGB8, SIDE, SIDE, pixels);
                ro_image image = ro_image_view(RO_INDEX8, SIDE, SIDE, out);
                assert_int_equal(ro_halftone(context, &in, &image, &options), RO_OK);
                for (int i = 0; i < SIDE * SIDE; i++)
                    for (int c = 0; c < 3; c++)
                        mean[c] += light_of(palette.colours[out[i]][c]) / (SIDE * SIDE);
                for (int c = 0; c < 3; c++)
                    if (fabs(mean[c] - light[c]) * 255 > most[m])
                        fail_msg("%s, %s, colour %u: channel %d is off by %.2f", names[p],
                                 methods[m], flat, c, (mean[c] - light[c]) * 255);
            }
}

static void palette_colours_stay(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    static uint8_t pixels[3 * SIDE * SIDE], out[3 * SIDE * SIDE];
    static const char *const methods[] = {"bayer",         "blue-noise", "random",
                                          "clustered-dot", "threshold",  "dot-diffusion",
                                          "ostromoukhov",  "riemersma"};
    for (int p = 0; p < 3; p++) {
        const ro_palette palette = p == 0   ? palette_of("7-colour-panel")
                                   : p == 1 ? random_palette(16)
                                            : palette_of("spectra6");
        for (uint32_t i = 0; i < SIDE * SIDE; i++)
            memcpy(pixels + 3 * i, palette.colours[pixel_hash(4, i, 0) % (uint32_t)palette.count],
                   3);
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette,
                                           .method = methods[m]};
            ro_image in = ro_image_view(RO_RGB8, SIDE, SIDE, pixels);
            ro_image image = ro_image_view(RO_RGB8, SIDE, SIDE, out);
            assert_int_equal(ro_halftone(context, &in, &image, &options), RO_OK);
            if (memcmp(pixels, out, sizeof out) != 0)
                fail_msg("%s changes colours of palette %d", methods[m], p);
        }
    }
}

/* A mixture has the light of its node, and its colours come the lightest first. */
static void mixtures_are_what_they_mix(void **state)
{
    (void)state;
    const char *const names[] = {"7-colour-panel", "bw", "#000 #555 #aaa #fff #f00"};
    for (int p = 0; p < 3; p++) {
        const ro_palette palette = palette_of(names[p]);
        static int32_t colour[3][PALETTE_MOST];
        static struct palette_mix mix;
        palette_light(&palette, colour);
        palette_mix_colours(&mix, (const int32_t(*)[PALETTE_MOST])colour, palette.count);
        for (uint32_t i = 0; i < 300; i++) {
            int32_t light[3] = {0};
            double mixed[3] = {0}, last = 2;
            for (uint32_t n = 0; n < 4; n++) {
                const uint32_t k = pixel_hash(2, i, n) % (uint32_t)palette.count;
                for (int c = 0; c < 3; c++)
                    light[c] += colour[c][k] / 4;
            }
            const uint64_t entry = palette_mix_of(&mix, light);
            assert_true(entry & MIX_KNOWN);
            for (uint32_t share = 0; share < MIX_WHOLE; share++) {
                const int k = mix_colour(entry, share);
                assert_true(k < palette.count);
                assert_true(mix.lab[0][k] <= last);
                last = mix.lab[0][k];
                for (int c = 0; c < 3; c++)
                    mixed[c] += (double)colour[c][k] / MIX_WHOLE;
            }
            for (int c = 0; c < 3; c++)
                assert_true(fabs(mixed[c] - light[c]) < 2.0 * PALETTE_WHITE / MIX_WHOLE);
        }
    }
}

static void streams_give_the_same_bits(void **state)
{
    (void)state;
    enum { WIDTH = 100, HEIGHT = 75 };
    static uint8_t pixels[3 * WIDTH * HEIGHT], whole[WIDTH * HEIGHT], parts[WIDTH * HEIGHT];
    random_rows(pixels, sizeof pixels, 3);
    const ro_palette palette = palette_of("spectra6");
    const ro_halftone_options all[] = {
        {RO_HALFTONE_DEFAULTS, .palette = &palette, .method = "blue-noise"},
        {RO_HALFTONE_DEFAULTS, .palette = &palette, .method = "random"},
        {RO_HALFTONE_DEFAULTS, .palette = &palette, .method = "ostromoukhov", .serpentine = 1},
        {RO_HALFTONE_DEFAULTS, .palette = &palette, .serpentine = 1, .noise = 20}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ro_image in = ro_image_view(RO_RGB8, WIDTH, HEIGHT, pixels);
        ro_image out = ro_image_view(RO_INDEX8, WIDTH, HEIGHT, whole);
        assert_int_equal(ro_halftone(context, &in, &out, &all[i]), RO_OK);
        ro_plan *plan;
        ro_stream *stream;
        assert_int_equal(open_halftone(context, &in, RO_INDEX8, &all[i], &plan, &stream), RO_OK);
        for (uint32_t y = 0, pulled = 0, taken, given; pulled < HEIGHT;
             pulled += given, y += taken) {
            const uint32_t count = HEIGHT - y < 11 ? HEIGHT - y : 11;
            assert_int_equal(
                ro_stream_push(stream, pixels + y * 3 * WIDTH, 3 * WIDTH, count, &taken), RO_OK);
            assert_int_equal(
                ro_stream_pull(stream, parts + pulled * WIDTH, WIDTH, HEIGHT - pulled, &given),
                RO_OK);
        }
        close_stream(plan, stream);
        assert_memory_equal(whole, parts, sizeof whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(screens_give_the_same_bits), cmocka_unit_test(every_method_is_golden),
        cmocka_unit_test(mixtures_keep_their_light),  cmocka_unit_test(palette_colours_stay),
        cmocka_unit_test(mixtures_are_what_they_mix), cmocka_unit_test(streams_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
