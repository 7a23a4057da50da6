/* SPDX-License-Identifier: MIT */
/* The estimated noise of pictures with known noise: white, blurred, clipped, none. */
#include "core/random.h"
#include "denoise/trained/noise/trained_noise.h"
#include "roundoff.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { WIDTH = 512, HEIGHT = 384 };
static ro_context *context;

static int open_context(void **state)
{
    (void)state;
    const ro_context_options how = {RO_CONTEXT_DEFAULTS, .threads = 1};
    return ro_context_open(&how, &context) != RO_OK;
}

static int close_context(void **state)
{
    (void)state;
    ro_context_close(context);
    return 0;
}

/* A normal number for a place. */
static double normal_at(uint32_t seed, uint32_t x, uint32_t y)
{
    const double radius = (pixel_hash(seed, x, y) + 0.5) * 0x1p-32,
                 angle = pixel_hash(seed + 1000, x, y) * 0x1p-32;
    return sqrt(-2 * log(radius)) * cos(6.283185307179586 * angle);
}

/* Fills a plane with noise of standard deviation 1, blurred by a Gaussian of so many pixels. */
static void make_noise(double *noise, uint32_t seed, double blur)
{
    enum { REACH = 6 };
    double weights[2 * REACH + 1], squares = 0;
    for (int i = -REACH; i <= REACH; i++) {
        weights[i + REACH] = blur > 0 ? exp(-i * i / (2 * blur * blur)) : i == 0;
        squares += weights[i + REACH] * weights[i + REACH];
    }
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            double sum = 0;
            if (blur > 0)
                for (int j = -REACH; j <= REACH; j++)
                    for (int i = -REACH; i <= REACH; i++)
                        sum +=
                            weights[i + REACH] * weights[j + REACH] *
                            normal_at(seed, x + (uint32_t)(i + REACH), y + (uint32_t)(j + REACH));
            else
                sum = normal_at(seed, x, y);
            noise[y * WIDTH + x] = sum / squares;
        }
}

/* Greys from 60 to 195: shading, discs with sharp edges, stripes in a corner. */
static double picture_at(uint32_t x, uint32_t y)
{
    const double dx = (x % 110) - 55.0, dy = (y % 90) - 45.0;
    double grey = 90 + 40 * sin(x / 70.0) * cos(y / 50.0);
    if (dx * dx + dy * dy < 900)
        grey += 35;
    if (x < WIDTH / 8 && y < HEIGHT / 4)
        grey += 15 * sin(1.3 * x + 0.7 * y);
    return grey;
}

static double noise[WIDTH * HEIGHT];

static double estimate(ro_format format, uint32_t white, const double *noise, double sigma,
                       uint32_t black_rows)
{
    const int channels = ro_format_is_colour(format) ? 3 : 1,
              bytes = ro_format_sample_bytes(format);
    const ptrdiff_t stride = (ptrdiff_t)WIDTH * channels * bytes;
    ro_image image = {.format = format,
                      .width = WIDTH,
                      .height = HEIGHT,
                      .maxval = white,
                      .stride = stride,
                      .data = malloc((size_t)stride * HEIGHT)};
    struct trained_noise found;
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        for (uint32_t c = 0; c < (uint32_t)channels; c++) {
            const uint32_t x = i % WIDTH, y = i / WIDTH;
            const size_t place = i * (size_t)channels + c;
            /* other channels have noise of other places */
            double v = picture_at(x, y) + sigma * noise[(i + c * 7919) % (WIDTH * HEIGHT)];
            v = y < black_rows ? v - 250 : v;
            v = v < 0 ? 0 : v > 255 ? 255 : v;
            if (bytes == 1)
                ((uint8_t *)image.data)[place] = (uint8_t)lrint(v * white / 255);
            else if (bytes == 2)
                ((uint16_t *)image.data)[place] = (uint16_t)lrint(v * white / 255);
            else
                ((float *)image.data)[place] = (float)(v / 255);
        }
    assert_int_equal(trained_noise(context, &image, &found), RO_OK);
    free(image.data);
    assert_true(found.gain == 0 && found.dark == found.sigma);
    return found.sigma;
}

static void is_about(double found, double wanted, double share)
{
    if (!(fabs(found - wanted) <= share * wanted))
        fail_msg("%g instead of %g", found, wanted);
}

static void white_noise(void **state)
{
    static const double sigmas[] = {2, 5, 10, 20};
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        const double sigma = sigmas[i];
        make_noise(noise, i, 0);
        is_about(estimate(RO_GREY8, 255, noise, sigma, 0), sigma, sigma < 5 ? 0.1 : 0.05);
        is_about(estimate(RO_GREY16, 65535, noise, sigma, 0), sigma, sigma < 5 ? 0.1 : 0.05);
        is_about(estimate(RO_GREY16, 4095, noise, sigma, 0), sigma, sigma < 5 ? 0.1 : 0.05);
        is_about(estimate(RO_GREYF, 0, noise, sigma, 0), sigma, sigma < 5 ? 0.1 : 0.05);
        is_about(estimate(RO_RGB8, 255, noise, sigma, 0), sigma, sigma < 5 ? 0.1 : 0.05);
    }
}

/* Black rows, where nearly all noise is cut off, don't count. */
static void clipped_areas(void **state)
{
    (void)state;
    make_noise(noise, 5, 0);
    is_about(estimate(RO_GREY8, 255, noise, 20, HEIGHT / 2), 20, 0.06);
    is_about(estimate(RO_RGB16, 65535, noise, 20, HEIGHT / 2), 20, 0.06);
}

/* Blurred noise looks smaller to the network than it is, so that it is estimated larger. */
static void blurred_noise(void **state)
{
    (void)state;
    make_noise(noise, 6, 0.7);
    is_about(estimate(RO_GREY8, 255, noise, 20, 0), 1.65 * 20, 0.1);
    make_noise(noise, 7, 0.5);
    is_about(estimate(RO_GREYF, 0, noise, 20, 0), 1.2 * 20, 0.1);
}

/* Blurs a plane as a lens does, by a Gaussian of so many pixels. */
static void soften(double *plane, double blur)
{
    enum { REACH = 4, LONGEST = WIDTH > HEIGHT ? WIDTH : HEIGHT };
    for (int turn = 0; turn < 2; turn++) {
        const uint32_t length = turn ? HEIGHT : WIDTH, lines = turn ? WIDTH : HEIGHT;
        const size_t step = turn ? WIDTH : 1, next = turn ? 1 : WIDTH;
        for (uint32_t i = 0; i < lines; i++) {
            double line[LONGEST];
            for (uint32_t x = 0; x < length; x++) {
                double sum = 0, all = 0;
                for (int k = -REACH; k <= REACH; k++) {
                    const double weight = exp(-k * k / (2 * blur * blur));
                    sum += weight * plane[i * next + (x + (uint32_t)k + length) % length * step];
                    all += weight;
                }
                line[x] = sum / all;
            }
            for (uint32_t x = 0; x < length; x++)
                plane[i * next + x * step] = line[x];
        }
    }
}

/* Grains of three greys under a soft lens, as in a photograph of granite: this is no blurred noise.
 */
static void granite(void **state)
{
    static const double grains[] = {1, 1.5, 3}, lenses[] = {0.5, 0.7};
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        make_noise(noise, 20 + i, grains[i % 3]);
        double squares = 0;
        for (size_t k = 0; k < WIDTH * HEIGHT; k++)
            squares += noise[k] * noise[k];
        const double deviation = sqrt(squares / (WIDTH * HEIGHT));
        for (size_t k = 0; k < WIDTH * HEIGHT; k++) {
            const double v = noise[k] / deviation;
            noise[k] = v < -0.6 ? -50 : v < 0.5 ? 0 : 45;
        }
        soften(noise, lenses[i / 3]);
        assert_true(estimate(RO_GREY8, 255, noise, 1, 0) < 4);
    }
}

static void no_noise(void **state)
{
    (void)state;
    assert_true(estimate(RO_GREY8, 255, noise, 0, 0) < 1);
    assert_true(estimate(RO_RGB16, 65535, noise, 0, 0) < 0.5);
    make_noise(noise, 8, 0.9); /* a texture that is softer than noise */
    assert_true(estimate(RO_GREY8, 255, noise, 20, 0) < 1);
}

/* ---- Noise that grows with the tone --------------------------------------------------------- */

/* Counts that have a mean, by Knuth's product of random numbers. */
static uint32_t counts_of(double mean, uint32_t x, uint32_t y)
{
    uint32_t counts = 0;
    for (double left = mean; left > 0; counts++) {
        left += log((pixel_hash(11 + counts, x, y) + 0.5) * 0x1p-32);
        if (left <= 0)
            break;
    }
    return counts;
}

/* Shades in discs and ramps, from `dark` to `bright`. */
static double shade_at(uint32_t x, uint32_t y, double dark, double bright)
{
    const double dx = (x % 128) - 64.0, dy = (y % 96) - 48.0;
    const double share = dx * dx + dy * dy < 1600 ? 0.6 + 0.4 * (x / 128) / 3.0 : x / 1200.0;
    return dark + (bright - dark) * share;
}

enum kind { COUNTS, SCALED, CAMERA, EVEN };

static struct trained_noise estimate_of(enum kind kind, double dark, double bright)
{
    static uint16_t samples[WIDTH * HEIGHT];
    const ro_image image = ro_image_view(RO_GREY16, WIDTH, HEIGHT, samples);
    ro_image view = image;
    struct trained_noise found;
    view.maxval = kind == COUNTS ? 255 : 4095;
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            const double shade = shade_at(x, y, dark, bright);
            const double v = kind == EVEN ? shade + 60 * normal_at(3, x, y)
                             : kind == CAMERA
                                 ? 64 + 1.5 * counts_of(shade, x, y) + 4 * normal_at(4, x, y)
                                 : counts_of(shade, x, y) * (kind == SCALED ? 5 : 1);
            samples[y * WIDTH + x] = (uint16_t)(v < 0             ? 0
                                                : v > view.maxval ? view.maxval
                                                                  : v + 0.5);
        }
    assert_int_equal(trained_noise(context, &view, &found), RO_OK);
    return found;
}

static void counts(void **state)
{
    (void)state;
    /* few, many, a few times as much, with an offset and the noise of reading */
    struct trained_noise found = estimate_of(COUNTS, 0.5, 20);
    is_about(found.gain * 255 / 255, 1, 0.1);
    is_about(found.sigma, sqrt(found.brightest), 0.1);
    found = estimate_of(COUNTS, 20, 200);
    is_about(found.gain, 1, 0.1);
    assert_true(found.dark < 0.6 * found.sigma);
    found = estimate_of(SCALED, 1, 60);
    is_about(found.gain * 4095 / 255, 5, 0.1);
    found = estimate_of(CAMERA, 20, 600);
    is_about(found.gain * 4095 / 255, 1.5, 0.1);
    is_about(found.sigma * 4095 / 255, sqrt(1.5 * 1.5 * 600 + 16), 0.1);
}

/* Noise that is cut off at black grows with the tone, and does not count. */
static void even_noise_is_even(void **state)
{
    (void)state;
    struct trained_noise found = estimate_of(EVEN, 300, 2000);
    assert_true(found.gain == 0);
    is_about(found.sigma * 4095 / 255, 60, 0.05);
    found = estimate_of(EVEN, -60, 200);
    assert_true(found.gain == 0);
    is_about(found.sigma * 4095 / 255, 60, 0.1);
}

/* The estimate is the same whatever runs, and it is what a run uses. */
static void same_in_all_runs(void **state)
{
    (void)state;
    uint16_t *samples = malloc(2 * sizeof *samples * WIDTH * HEIGHT),
             *out = samples + WIDTH * HEIGHT;
    const ro_image in = ro_image_view(RO_GREY16, WIDTH, HEIGHT, samples);
    ro_image result = ro_image_view(RO_GREY16, WIDTH, HEIGHT, out);
    struct trained_noise found;
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        samples[i] = (uint16_t)(257 * (picture_at(i % WIDTH, i / WIDTH) + 8 * normal_at(9, i, 0)));
    assert_int_equal(trained_noise(context, &in, &found), RO_OK);
    for (int threads = 1; threads <= 3; threads++) {
        const ro_context_options with = {RO_CONTEXT_DEFAULTS, .threads = threads,
                                         .cpu = threads == 2 ? RO_CPU_SCALAR : RO_CPU_AUTO};
        const ro_denoise_options options = {RO_DENOISE_DEFAULTS, .model = "trained"};
        ro_denoise_report report = {.size = sizeof report};
        ro_context *other;
        assert_int_equal(ro_context_open(&with, &other), RO_OK);
        const ro_status status = ro_denoise(other, &in, &result, &options, &report);
        ro_context_close(other);
        assert_int_equal(status, RO_OK);
        assert_true(report.noise == found.sigma);
    }
    free(samples);
}

/* Bits of the definition: they change only with it. */
static void golden(void **state)
{
    uint8_t samples[96 * 112];
    const ro_image image = ro_image_view(RO_GREY8, 96, 112, samples);
    struct trained_noise found;
    (void)state;
    for (uint32_t i = 0; i < sizeof samples; i++)
        samples[i] = (uint8_t)(100 + pixel_hash(1, i, 0) % 32 + i / 960 * 8);
    assert_int_equal(trained_noise(context, &image, &found), RO_OK);
    if (found.sigma != 0x1.385c476c9d1d5p+3)
        fail_msg("%a", found.sigma);
}

/* Images too small for blocks, and rows that no block covers. */
static void any_size(void **state)
{
    (void)state;
    for (uint32_t width = 1; width < 90; width += width < 20 ? 1 : 7)
        for (uint32_t height = 1; height < 200; height += height < 20 ? 1 : 13) {
            uint8_t *samples = malloc(3 * (size_t)width * height);
            const ro_image image = ro_image_view(RO_RGB8, width, height, samples);
            struct trained_noise found;
            for (uint32_t i = 0; i < 3 * width * height; i++)
                samples[i] = (uint8_t)(100 + pixel_hash(2, i, 0) % 50);
            assert_int_equal(trained_noise(context, &image, &found), RO_OK);
            assert_true(found.sigma >= 0 && found.sigma < 60 && found.gain == 0);
            free(samples);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(white_noise),        cmocka_unit_test(clipped_areas),
        cmocka_unit_test(blurred_noise),      cmocka_unit_test(no_noise),
        cmocka_unit_test(same_in_all_runs),   cmocka_unit_test(golden),
        cmocka_unit_test(any_size),           cmocka_unit_test(counts),
        cmocka_unit_test(even_noise_is_even), cmocka_unit_test(granite),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
