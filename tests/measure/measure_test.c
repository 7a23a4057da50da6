/* SPDX-License-Identifier: MIT */
/* Figures against cases whose values are known: by theory, or by counting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/random.h"
#include "measure/measure.h"
#include "roundoff/halftone.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static ro_context *context_of(int threads)
{
    ro_context *context;
    ro_context_options options = {RO_CONTEXT_DEFAULTS, .threads = threads};
    assert_int_equal(ro_context_open(&options, &context), RO_OK);
    return context;
}

static ro_image make(ro_context *context, ro_format format, uint32_t width, uint32_t height)
{
    ro_image image;
    assert_int_equal(ro_image_alloc(context, format, width, height, 0, &image), RO_OK);
    return image;
}

static void fill(const ro_image *image, int value)
{
    for (uint32_t y = 0; y < image->height; y++)
        memset((char *)image->data + (ptrdiff_t)y * image->stride, value, image->width);
}

static void measured(ro_context *context, const ro_image *original, const ro_image *result,
                     const ro_measure_options *options, ro_measure_report *report)
{
    ro_status status = ro_measure(context, original, result, options, report);
    if (status != RO_OK)
        print_error("%s\n", ro_context_message(context));
    assert_int_equal(status, RO_OK);
}

/* A flat field of a tone, halftoned and measured. */
static void measure_field(const char *method, int tone, ro_measure_report *report)
{
    ro_context *context = context_of(2);
    ro_image in = make(context, RO_GREY8, 512, 512), out = make(context, RO_BITS, 512, 512);
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = method};
    fill(&in, tone);
    assert_int_equal(ro_halftone(context, &in, &out, &options), RO_OK);
    measured(context, &in, &out, NULL, report);
    assert_int_equal(report->fields_count, 1);
    assert_int_equal(report->fields[0].level, tone);
    assert_int_equal(report->fields[0].tiles, 64);
    assert_true(report->binary);
    ro_image_free(&in);
    ro_image_free(&out);
    ro_context_close(context);
}

static void near(double value, double wanted, double off)
{
    if (!(fabs(value - wanted) <= off))
        print_error("%.9g is not within %g of %.9g\n", value, off, wanted);
    assert_true(fabs(value - wanted) <= off);
}

static void between(double value, double low, double high)
{
    if (!(value >= low && value <= high))
        print_error("%.6g is not from %g to %g\n", value, low, high);
    assert_true(value >= low && value <= high);
}

/* ---- Errors --------------------------------------------------------------------------------- */

static void test_copy(void **state)
{
    (void)state;
    ro_context *context = context_of(2);
    ro_image card = make(context, RO_GREY8, 600, 150);
    ro_measure_report report = {.size = sizeof report};
    assert_int_equal(ro_testcard(context, &card), RO_OK);
    measured(context, &card, &card, NULL, &report);
    assert_true(isinf(report.raw.psnr) && isinf(report.gaussian.psnr));
    assert_true(isinf(report.contrast.psnr));
    near(report.ssim, 1, 1e-6);
    assert_true(report.tone_in == report.tone_out && report.tone_rms == 0);
    assert_true(report.border.rms == 0 && report.border.left == 0);
    assert_false(report.binary);
    ro_free(report.fields);
    ro_image_free(&card);
    ro_context_close(context);
}

/* The transform of a Gaussian that was sampled at whole pixels: its copies at all whole frequencies
 * add up. */
static double gaussian_response(double sigma, double f)
{
    double sum = 0, zero = 0;
    for (int k = -3; k <= 3; k++) {
        sum += exp(-2 * pi * pi * sigma * sigma * (f + k) * (f + k));
        zero += exp(-2 * pi * pi * sigma * sigma * k * k);
    }
    return sum / zero;
}

/* A wave of a frequency keeps of its amplitude what the eye's response at the frequency is. With a
 * whole number of half periods, mirrored borders continue it. */
static void test_wave(void **state)
{
    (void)state;
    const uint32_t side = 256;
    const double amplitude = 0.25;
    ro_context *context = context_of(2);
    ro_image a = make(context, RO_GREYF, side, side), b = make(context, RO_GREYF, side, side);
    for (int k = 4; k <= 120; k += 29) {
        const double f = (double)k / side;
        for (uint32_t y = 0; y < side; y++)
            for (uint32_t x = 0; x < side; x++) {
                float *pa = (float *)(void *)((char *)a.data + y * a.stride) + x;
                float *pb = (float *)(void *)((char *)b.data + y * b.stride) + x;
                *pa = 0.5f;
                *pb = (float)(0.5 + amplitude * cos(2 * pi * f * (x + 0.5)));
            }
        ro_measure_options options = {RO_MEASURE_DEFAULTS, .dpi = 400, .distance = 250};
        ro_measure_report report = {.size = sizeof report};
        measured(context, &a, &b, &options, &report);
        const double degree = 400 * 250 / 25.4 * pi / 180, sigma = degree / 60;
        near(report.pixels_per_degree, degree, 1e-9);
        near(report.sigma, sigma, 1e-12);
        near(report.raw.rms, amplitude / sqrt(2), 1e-6);
        near(report.gaussian.rms, amplitude / sqrt(2) * gaussian_response(sigma, f), 2e-6);
        near(report.contrast.rms, amplitude / sqrt(2) * measure_contrast(f * degree), 1e-5);
        assert_false(report.binary);
        ro_free(report.fields);
    }
    ro_image_free(&a);
    ro_image_free(&b);
    ro_context_close(context);
}

/* The same at the highest frequency, and down the picture. */
static void test_finest_wave(void **state)
{
    (void)state;
    ro_context *context = context_of(2);
    ro_image a = make(context, RO_GREY8, 64, 32), b = make(context, RO_GREY8, 64, 32);
    ro_measure_report report = {.size = sizeof report};
    const double degree = 300 * 300 / 25.4 * pi / 180;
    fill(&a, 128);
    for (int down = 0; down < 2; down++) {
        for (uint32_t y = 0; y < 32; y++)
            for (uint32_t x = 0; x < 64; x++)
                ((uint8_t *)b.data)[y * b.stride + x] = (down ? y : x) % 2 ? 108 : 148;
        measured(context, &a, &b, NULL, &report);
        near(report.raw.rms, 20 / 255.0, 1e-6);
        near(report.contrast.rms, 20 / 255.0 * measure_contrast(degree / 2), 1e-5);
        ro_free(report.fields);
    }
    ro_image_free(&a);
    ro_image_free(&b);
    ro_context_close(context);
}

static void test_contrast_sensitivity(void **state)
{
    (void)state;
    assert_true(measure_contrast(0) == 1 && measure_contrast(5) == 1);
    near(measure_contrast(20) / measure_contrast(40),
         (0.0192 + 0.114 * 20) * exp(-pow(0.114 * 20, 1.1)) /
             ((0.0192 + 0.114 * 40) * exp(-pow(0.114 * 40, 1.1))),
         1e-9);
    for (double f = 8; f < 60; f++)
        assert_true(measure_contrast(f + 1) < measure_contrast(f));
}

static void test_ssim(void **state)
{
    (void)state;
    ro_context *context = context_of(1);
    ro_image a = make(context, RO_GREY8, 70, 40), b = make(context, RO_GREY8, 70, 40);
    ro_measure_report report = {.size = sizeof report};
    const double x = 100 / 255.0, y = 140 / 255.0, c1 = 1e-4;
    fill(&a, 100);
    fill(&b, 140);
    measured(context, &a, &b, NULL, &report);
    near(report.ssim, (2 * x * y + c1) / (x * x + y * y + c1), 2e-4);
    near(report.raw.rms, y - x, 1e-6);
    near(report.gaussian.rms, y - x, 1e-6);
    near(report.tone_out - report.tone_in, y - x, 1e-6);
    near(report.levels[100].out, y, 1e-6);
    near(report.tone_rms, y - x, 1e-6);
    assert_int_equal(report.levels[100].pixels, 70 * 40);
    ro_free(report.fields);
    ro_image_free(&a);
    ro_image_free(&b);
    ro_context_close(context);
}

/* A wave too fine for the window's mean, on a flat field: only its variance counts. */
static void test_ssim_of_texture(void **state)
{
    (void)state;
    ro_context *context = context_of(1);
    ro_image a = make(context, RO_GREYF, 128, 128), b = make(context, RO_GREYF, 128, 128);
    ro_measure_report report = {.size = sizeof report};
    const double amplitude = 0.05, c2 = 9e-4;
    for (uint32_t y = 0; y < 128; y++)
        for (uint32_t x = 0; x < 128; x++) {
            ((float *)(void *)((char *)a.data + y * a.stride))[x] = 0.5f;
            ((float *)(void *)((char *)b.data + y * b.stride))[x] =
                (float)(0.5 + amplitude * cos(pi * (x + 0.5) / 2));
        }
    /* an eye so near that it blurs nothing */
    measured(context, &a, &b,
             &(ro_measure_options){RO_MEASURE_DEFAULTS, .dpi = 50, .distance = 100}, &report);
    near(report.ssim, c2 / (amplitude * amplitude / 2 + c2), 0.01);
    ro_free(report.fields);
    ro_image_free(&a);
    ro_image_free(&b);
    ro_context_close(context);
}

static void test_borders(void **state)
{
    (void)state;
    ro_context *context = context_of(1);
    ro_image a = make(context, RO_GREY8, 100, 60), b = make(context, RO_GREY8, 100, 60);
    ro_measure_report report = {.size = sizeof report};
    ro_measure_options options = {RO_MEASURE_DEFAULTS, .border = 8};
    fill(&a, 51);
    fill(&b, 51);
    for (uint32_t y = 0; y < 60; y++)
        memset((char *)b.data + y * b.stride, 102, 9); /* the left side too light by a fifth */
    measured(context, &a, &b, &options, &report);
    near(report.border.left, 0.2, 1e-6);
    near(report.border.right, 0, 1e-9);
    near(report.border.top, 0.2 * 9 / 100, 1e-6);
    assert_true(report.border.rms > 3 * report.border.rms_inside);
    ro_free(report.fields);
    ro_image_free(&a);
    ro_image_free(&b);
    ro_context_close(context);
}

/* ---- Texture -------------------------------------------------------------------------------- */

static void test_white_noise(void **state)
{
    (void)state;
    ro_measure_report report = {.size = sizeof report};
    measure_field("random", 96, &report);
    const ro_measure_field *field = &report.fields[0];
    for (int ring = 3; ring < 32; ring++) {
        between(field->power[ring], 0.75, 1.25);
        between(field->anisotropies[ring], 0.2, 3);
    }
    near(field->anisotropy, 0, 0.5);
    near(field->grain, 0, 0.5);
    between(field->worms, 0, 0.6);
    between(field->peak, 0, 4);
    near(report.dots.clumping, 1, 0.03);
    near(field->rms, sqrt(96.0 * 159) / 255, 0.005);
    for (int i = 2; i < RO_MEASURE_SPECTRUM - 2; i++)
        between(report.spectrum[i], 0.7, 1.3);
    ro_free(report.fields);
}

static void test_bayer_has_lines(void **state)
{
    (void)state;
    ro_measure_report report = {.size = sizeof report};
    measure_field("bayer8", 96, &report);
    const ro_measure_field *field = &report.fields[0];
    assert_true(field->peak > 15);
    assert_true(field->anisotropy > 15);
    ro_free(report.fields);
}

static void test_blue_noise_has_no_grain(void **state)
{
    (void)state;
    ro_measure_report report = {.size = sizeof report};
    measure_field("blue-noise", 32, &report);
    assert_true(report.fields[0].grain < -10);
    assert_true(report.dots.clumping < 0.2);
    ro_free(report.fields);
}

static void test_worms(void **state)
{
    (void)state;
    ro_measure_report worms = {.size = sizeof worms}, none = {.size = sizeof none};
    measure_field("floyd-steinberg", 244, &worms);
    measure_field("dbs-clipping-free", 244, &none);
    assert_true(worms.fields[0].worms > none.fields[0].worms + 1);
    ro_free(worms.fields);
    ro_free(none.fields);
}

static void test_clusters(void **state)
{
    (void)state;
    ro_measure_report report = {.size = sizeof report};
    measure_field("clustered-dot", 32, &report);
    assert_true(report.dots.clumping > 2);
    assert_true((double)report.dots.pixels / (double)report.dots.dots > 4);
    ro_free(report.fields);
}

/* ---- Dots ----------------------------------------------------------------------------------- */

/* Counts by hand: '#' is black; the original is light, so black is the minority. */
static void test_dots(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "#....##.", ".#...##.", "........", "#.#.#...", ".#.#....", ".......#",
    };
    ro_context *context = context_of(1);
    ro_image a = make(context, RO_GREY8, 8, 6), b = make(context, RO_GREY8, 8, 6);
    fill(&a, 200);
    fill(&b, 255);
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 8; x++)
            if (rows[y][x] == '#')
                ((uint8_t *)b.data)[y * b.stride + x] = 0;
    ro_measure_report report = {.size = sizeof report};
    measured(context, &a, &b, NULL, &report);
    assert_true(report.binary);
    assert_int_equal(report.dots.pixels, 12);
    assert_int_equal(report.dots.dots, 4);
    assert_int_equal(report.dots.largest, 5);
    assert_int_equal(report.dots.single, 1);
    /* runs across: 4 + 5 + 1 + 6 + 5 + 2 */
    near(report.dots.run_across, 48.0 / 23, 1e-9);
    /* pairs that touch: 1; 6; 4 of the zigzag; of 41 + 36 + ... a random pattern has g^2 */
    const double chance = 55 / 255.0, pairs = 7 * 6 + 8 * 5 + 2 * 7 * 5;
    near(report.dots.clumping, 11 / (pairs * chance * chance), 1e-5);
    ro_free(report.fields);
    ro_image_free(&a);
    ro_image_free(&b);
    ro_context_close(context);
}

/* A line down the picture crosses the seams between strips and stays one dot. */
static void test_dots_over_seams(void **state)
{
    (void)state;
    ro_context *context = context_of(2);
    ro_image a = make(context, RO_GREY8, 40, 1000), b = make(context, RO_GREY8, 40, 1000);
    fill(&a, 200);
    fill(&b, 255);
    for (uint32_t y = 0; y < 1000; y++) {
        ((uint8_t *)b.data)[y * b.stride + (y % 2)] = 0;
        ((uint8_t *)b.data)[y * b.stride + 20] = 0;
    }
    ro_measure_report report = {.size = sizeof report};
    measured(context, &a, &b, NULL, &report);
    assert_int_equal(report.dots.dots, 2);
    assert_int_equal(report.dots.largest, 1000);
    ro_free(report.fields);
    ro_image_free(&a);
    ro_image_free(&b);
    ro_context_close(context);
}

/* ---- Shapes and threads --------------------------------------------------------------------- */

static void test_threads(void **state)
{
    (void)state;
    ro_context *first = context_of(1);
    ro_image in = make(first, RO_GREY8, 1100, 430), out = make(first, RO_BITS, 1100, 430);
    ro_measure_report wanted = {.size = sizeof wanted}, report = {.size = sizeof report};
    assert_int_equal(ro_testcard(first, &in), RO_OK);
    assert_int_equal(ro_halftone(first, &in, &out, NULL), RO_OK);
    measured(first, &in, &out, NULL, &wanted);
    for (int threads = 2; threads <= 5; threads += 3) {
        ro_context *context = context_of(threads);
        measured(context, &in, &out, NULL, &report);
        assert_int_equal(report.fields_count, wanted.fields_count);
        assert_memory_equal(report.fields, wanted.fields,
                            (size_t)report.fields_count * sizeof *report.fields);
        ro_measure_field *fields = report.fields;
        report.fields = wanted.fields;
        assert_memory_equal(&report, &wanted, offsetof(ro_measure_report, fields));
        report.fields = fields;
        ro_free(report.fields);
        ro_context_close(context);
    }
    ro_free(wanted.fields);
    ro_image_free(&in);
    ro_image_free(&out);
    ro_context_close(first);
}

static void test_shapes(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {3, 2}, {1, 70}, {700, 1}, {17, 33}};
    ro_context *context = context_of(2);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ro_image a = make(context, RO_RGB16, sizes[i][0], sizes[i][1]);
        ro_image b = make(context, RO_BITS, sizes[i][0], sizes[i][1]);
        ro_measure_report report = {.size = sizeof report};
        measured(context, &a, &b, NULL, &report);
        assert_true(isinf(report.raw.psnr) && report.dots.dots == 0);
        ro_free(report.fields);
        ro_image_free(&a);
        ro_image_free(&b);
    }
    ro_context_close(context);
}

static void test_linear(void **state)
{
    (void)state;
    ro_context *context = context_of(1);
    ro_image a = make(context, RO_RGB8, 64, 64), b = make(context, RO_GREYF, 64, 64);
    ro_measure_report report = {.size = sizeof report};
    for (uint32_t y = 0; y < 64; y++) {
        memset((char *)a.data + y * a.stride, 128, 64 * 3);
        for (uint32_t x = 0; x < 64; x++)
            ((float *)(void *)((char *)b.data + y * b.stride))[x] = 0.2158605f;
    }
    measured(context, &a, &b, &(ro_measure_options){RO_MEASURE_DEFAULTS, .linear = 1}, &report);
    near(report.raw.rms, 0, 1e-6);
    ro_free(report.fields);
    ro_image_free(&a);
    ro_image_free(&b);
    ro_context_close(context);
}

static void test_refused(void **state)
{
    (void)state;
    ro_context *context = context_of(1);
    ro_image a = make(context, RO_GREY8, 20, 20), b = make(context, RO_GREY8, 20, 21);
    ro_measure_report report = {.size = sizeof report};
    assert_int_equal(ro_measure(context, &a, &b, NULL, &report), RO_E_SIZE);
    assert_non_null(strstr(ro_context_message(context), "20 x 20 but the result is 20 x 21"));
    const ro_measure_options wrong[] = {
        {RO_MEASURE_DEFAULTS, .dpi = -1},    {RO_MEASURE_DEFAULTS, .distance = NAN},
        {RO_MEASURE_DEFAULTS, .tile = 48},   {RO_MEASURE_DEFAULTS, .tile = 512},
        {RO_MEASURE_DEFAULTS, .border = -2}, {RO_MEASURE_DEFAULTS, .dpi = 1e6}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ro_measure(context, &a, &a, &wrong[i], &report), RO_E_ARGUMENT);
    ro_context_cancel(context);
    assert_int_equal(ro_measure(context, &a, &a, NULL, &report), RO_E_CANCELLED);
    ro_image_free(&a);
    ro_image_free(&b);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_wave),
        cmocka_unit_test(test_finest_wave),
        cmocka_unit_test(test_contrast_sensitivity),
        cmocka_unit_test(test_ssim),
        cmocka_unit_test(test_ssim_of_texture),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_white_noise),
        cmocka_unit_test(test_bayer_has_lines),
        cmocka_unit_test(test_blue_noise_has_no_grain),
        cmocka_unit_test(test_worms),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_dots),
        cmocka_unit_test(test_dots_over_seams),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
