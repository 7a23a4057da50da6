/* SPDX-License-Identifier: MIT */
/* Model trained as callers see it: every format, threads, sums, what it refuses and odd pictures.
 */
#include "core/random.h"
#include "roundoff.h"
#include "roundoff/pieces.h"
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ro_context *contexts[3]; /* with one, two and three threads */

static int open_contexts(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                        .threads = i + 1};
        if (ro_context_open(&how, &contexts[i]) != RO_OK)
            return 1;
    }
    return 0;
}

static int close_contexts(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        ro_context_close(contexts[i]);
    return 0;
}

static const struct {
    ro_format format;
    uint32_t white;
} kinds[] = {{RO_GREY8, 255}, {RO_GREY8, 100}, {RO_GREY16, 65535}, {RO_GREY16, 1023},
             {RO_GREYF, 0},   {RO_RGB8, 255},  {RO_RGB16, 65535},  {RO_RGBF, 0}};
enum { KINDS = sizeof kinds / sizeof *kinds, GREYS = 5 };

/* An image whose rows lie without gaps; free() its data. */
static ro_image image_of(ro_format format, uint32_t width, uint32_t height, uint32_t white)
{
    const size_t row = ro_format_row_bytes(format, width);
    ro_image image = {.format = format,
                      .width = width,
                      .height = height,
                      .maxval = white,
                      .stride = (ptrdiff_t)row,
                      .data = calloc(height, row)};
    assert_non_null(image.data);
    return image;
}

static size_t samples_of(const ro_image *image)
{
    return (size_t)image->width * image->height * (ro_format_is_colour(image->format) ? 3 : 1);
}

static double sample(const ro_image *image, size_t i)
{
    switch (ro_format_sample_bytes(image->format)) {
    case 1:
        return ((const uint8_t *)image->data)[i];
    case 2:
        return ((const uint16_t *)image->data)[i];
    default:
        return (double)((const float *)image->data)[i];
    }
}

static void put(const ro_image *image, size_t i, double value)
{
    switch (ro_format_sample_bytes(image->format)) {
    case 1:
        ((uint8_t *)image->data)[i] = (uint8_t)value;
        break;
    case 2:
        ((uint16_t *)image->data)[i] = (uint16_t)value;
        break;
    default:
        ((float *)image->data)[i] = (float)value;
    }
}

/* A ramp with noise between two shares of white, so that nothing is cut off. */
static ro_image noisy(int kind, uint32_t width, uint32_t height, double from, double to)
{
    ro_image image = image_of(kinds[kind].format, width, height, kinds[kind].white);
    const double white = kinds[kind].white ? kinds[kind].white : 1;
    for (size_t i = 0; i < samples_of(&image); i++) {
        const uint32_t random = pixel_hash(1, (uint32_t)i, 0);
        const double ramp = (double)(i % (3 * width)) / (3 * width);
        const double v = white * (from + (to - from) * (0.8 * ramp + 0.2 * (random % 1000) / 1000));
        put(&image, i, kinds[kind].white ? floor(v) : v);
    }
    return image;
}

static ro_image like(const ro_image *image)
{
    return image_of(image->format, image->width, image->height, image->maxval);
}

static ro_denoise_options options_of(const char *quality, double noise)
{
    return (ro_denoise_options){RO_DENOISE_DEFAULTS, .model = "trained", .quality = quality,
                                .noise_level = noise};
}

static double channel_sum(const ro_image *image, size_t channel)
{
    const size_t channels = ro_format_is_colour(image->format) ? 3 : 1;
    double sum = 0;
    for (size_t i = channel; i < samples_of(image); i += channels)
        sum += sample(image, i);
    return sum;
}

/* ---- What it keeps -------------------------------------------------------------------------- */

static void sums_of_files(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int quality = 0; quality < 2; quality++) {
            const ro_denoise_options options = options_of(quality ? "best" : "fast", 12);
            ro_image in = noisy(kind, 83, 150, 0.3, 0.7), out = like(&in);
            ro_denoise_report report = {.size = sizeof report};
            assert_int_equal(ro_denoise(contexts[1], &in, &out, &options, &report), RO_OK);
            const bool floats = kinds[kind].white == 0;
            double moved = 0;
            for (size_t i = 0; i < samples_of(&in); i++)
                moved += fabs(sample(&in, i) - sample(&out, i));
            assert_true(moved > 0.01 * report.white * (double)samples_of(&in));
            for (size_t c = 0; c < (kind < GREYS ? 1 : 3); c++) {
                const double before = channel_sum(&in, c), after = channel_sum(&out, c);
                assert_true(fabs(before - after) <= (floats ? 1e-4 : 0));
            }
            if (!floats)
                assert_true(report.sum_after == report.sum_before && report.difference == 0 &&
                            report.drift == 0);
            assert_true(fabs(report.sum_after - report.sum_before) < 1e-3);
            assert_string_equal(report.quality, quality ? "best" : "fast");
            assert_true(report.noise == 12 && report.steps == (quality ? 6 : 5));
            free(in.data);
            free(out.data);
        }
}

/* Threads, the definition and the same memory for both images give the same bits. */
static void schedules(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        ro_denoise_options options = options_of(kind & 1 ? "fast" : "best", 9);
        ro_image in = noisy(kind, 61, 200, 0, 1), want = like(&in), got = like(&in);
        const size_t bytes = (size_t)in.stride * in.height;
        ro_denoise_report wanted = {.size = sizeof wanted}, report = {.size = sizeof report};
        options.schedule = "reference";
        assert_int_equal(ro_denoise(contexts[0], &in, &want, &options, &wanted), RO_OK);
        options.schedule = NULL;
        for (int i = 0; i < 3; i++) {
            memset(got.data, 0, bytes);
            memset(&report, 0, sizeof report);
            report.size = sizeof report;
            assert_int_equal(ro_denoise(contexts[i], &in, &got, &options, &report), RO_OK);
            assert_memory_equal(want.data, got.data, bytes);
            assert_true(report.sum_after == wanted.sum_after && report.drift == wanted.drift &&
                        report.energy_after == wanted.energy_after &&
                        report.min_after == wanted.min_after);
        }
        assert_int_equal(ro_denoise(contexts[2], &in, &in, &options, NULL), RO_OK);
        assert_memory_equal(want.data, in.data, bytes);
        free(in.data);
        free(want.data);
        free(got.data);
    }
}

/* Rows in portions that grow and shrink, in the bits of whole images. */
static void streams(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (uint32_t height = 1; height < 200; height = 3 * height + 2) {
            ro_denoise_options options = options_of(kind & 1 ? "fast" : "best", kind == 3 ? 0 : 9);
            ro_image in = noisy(kind, 37, height, 0, 1), want = like(&in), got = like(&in);
            ro_denoise_report wanted = {.size = sizeof wanted}, report = wanted;
            ro_plan *plan;
            ro_stream *stream;
            options.white = kinds[kind].white == 65535 ? RO_WHITE_MAXVAL : 0;
            assert_int_equal(ro_denoise(contexts[0], &in, &want, &options, &wanted), RO_OK);
            const ro_status status =
                open_denoise(contexts[1], &in, &got, &options, &plan, &stream, &report);
            if (kinds[kind].white == 0) {
                assert_int_equal(status, RO_E_UNSUPPORTED);
                assert_non_null(strstr(ro_context_message(contexts[1]), "floats as whole images"));
            }
            uint32_t pushed = 0, pulled = 0, portion = 1;
            while (kinds[kind].white && pulled < height) {
                const uint32_t left = height - pushed, count = left < portion ? left : portion;
                uint32_t taken, given;
                assert_int_equal(ro_stream_push(stream,
                                                (char *)in.data + pushed * (size_t)in.stride,
                                                in.stride, count, &taken),
                                 RO_OK);
                pushed += taken;
                assert_int_equal(ro_stream_pull(stream,
                                                (char *)got.data + pulled * (size_t)got.stride,
                                                got.stride, height - pulled, &given),
                                 RO_OK);
                pulled += given;
                assert_true(taken + given > 0);
                portion = portion % 41 + 4;
            }
            if (kinds[kind].white) {
                assert_memory_equal(want.data, got.data, (size_t)want.stride * height);
                assert_true(report.sum_after == wanted.sum_after &&
                            report.difference == wanted.difference &&
                            report.energy_after == wanted.energy_after);
                close_stream(plan, stream);
            }
            free(in.data);
            free(want.data);
            free(got.data);
        }
}

/* From one depth to another: the result is the same value, rounded by itself. */
static void depths(void **state)
{
    (void)state;
    for (int from = 0; from < GREYS; from++)
        for (int to = 0; to < GREYS; to++) {
            ro_denoise_options options = options_of(NULL, 10);
            ro_image in = noisy(from, 40, 30, 0.2, 0.8), real = image_of(RO_GREYF, 40, 30, 0),
                     out = image_of(kinds[to].format, 40, 30, kinds[to].white);
            options.white = kinds[from].white > 255 && from == to ? RO_WHITE_MAXVAL : 0;
            options.round = "nearest";
            assert_int_equal(ro_denoise(contexts[0], &in, &out, &options, NULL), RO_OK);
            options.white = 0;
            assert_int_equal(ro_denoise(contexts[0], &in, &real, &options, NULL), RO_OK);
            const double white = kinds[to].white;
            for (size_t i = 0; i < samples_of(&in) && white > 0; i++)
                assert_true(fabs(sample(&out, i) - white * sample(&real, i)) <= 0.5 + 1e-2);
            free(in.data);
            free(real.data);
            free(out.data);
        }
}

static void strength_counts_as_noise(void **state)
{
    (void)state;
    ro_image in = noisy(0, 50, 40, 0.2, 0.8), a = like(&in), b = like(&in);
    ro_denoise_options options = options_of(NULL, 20), other = options_of(NULL, 10);
    other.strength = 2;
    assert_int_equal(ro_denoise(contexts[0], &in, &a, &options, NULL), RO_OK);
    assert_int_equal(ro_denoise(contexts[0], &in, &b, &other, NULL), RO_OK);
    assert_memory_equal(a.data, b.data, (size_t)a.stride * a.height);
    free(in.data);
    free(a.data);
    free(b.data);
}

/* Every channel comes much nearer to the picture without its noise. */
static void noise_goes(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        const ro_denoise_options options = options_of(kind & 1 ? "fast" : "best", 15);
        ro_image in = noisy(kind, 96, 96, 0.3, 0.7), out = like(&in), clean = like(&in);
        const size_t channels = kind < GREYS ? 1 : 3;
        const double white = kinds[kind].white ? kinds[kind].white : 1;
        for (size_t i = 0; i < samples_of(&in);
             i++) { /* stripes of another shade in each channel */
            const size_t c = i % channels, x = i / channels % 96, y = i / channels / 96;
            double noise = -6;
            for (uint32_t k = 0; k < 12; k++)
                noise += pixel_hash(k, (uint32_t)i, 1) / 0x1p32;
            const double shade = 0.3 + 0.1 * (double)c + ((x + c * y / 2) / 24 % 2 ? 0.25 : 0);
            put(&clean, i, shade * white);
            put(&in, i, (shade + noise * 15 / 255) * white);
        }
        assert_int_equal(ro_denoise(contexts[1], &in, &out, &options, NULL), RO_OK);
        for (size_t c = 0; c < channels; c++) {
            double before = 0, after = 0;
            for (size_t i = c; i < samples_of(&in); i += channels) {
                before += pow(sample(&in, i) - sample(&clean, i), 2);
                after += pow(sample(&out, i) - sample(&clean, i), 2);
            }
            if (after > before / 3)
                fail_msg("kind %d, channel %zu: only %.1f times nearer", kind, c, before / after);
        }
        free(in.data);
        free(out.data);
        free(clean.data);
    }
}

/* ---- Noise that grows with the tone --------------------------------------------------------- */

/* Shades from dark to bright, and noise whose variance is `gain` times them, all in white. */
static double shade_at(size_t x, size_t y, size_t channel)
{
    return 0.05 + 0.5 * ((x / 40 + y / 50 + channel) % 4) / 3.0 + 0.1 * (double)x / 300;
}

static ro_image counts_of(int kind, double gain, ro_image *clean)
{
    enum { WIDTH = 300, HEIGHT = 260 };
    ro_image image = image_of(kinds[kind].format, WIDTH, HEIGHT, kinds[kind].white);
    const size_t channels = kind < GREYS ? 1 : 3;
    const double white = kinds[kind].white ? kinds[kind].white : 1;
    *clean = like(&image);
    for (size_t i = 0; i < samples_of(&image); i++) {
        const double shade = shade_at(i / channels % WIDTH, i / channels / WIDTH, i % channels);
        double noise = -6;
        for (uint32_t k = 0; k < 12; k++)
            noise += pixel_hash(k, (uint32_t)i, 5) / 0x1p32;
        const double v = white * (shade + sqrt(gain * shade) * noise);
        put(clean, i, white * shade);
        put(&image, i, kinds[kind].white ? floor(fmin(fmax(v, 0), white) + 0.5) : v);
    }
    return image;
}

static double distance(const ro_image *a, const ro_image *b)
{
    double sum = 0;
    for (size_t i = 0; i < samples_of(a); i++)
        sum += pow(sample(a, i) - sample(b, i), 2);
    return sum;
}

/* It is found, what comes out is about as near to the picture as with the best noise for all tones
 * and nearer than with those that suit the darker ones, the sum is kept, and every schedule gives
 * the same bits. */
static void counts(void **state)
{
    static const int some[] = {0, 3, 4, 5, 7};
    (void)state;
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        const int kind = some[k];
        ro_denoise_options options = options_of(k & 1 ? "fast" : "best", RO_DEFAULT);
        ro_image clean, in = counts_of(kind, 0.004, &clean), want = like(&in), got = like(&in);
        ro_denoise_report report = {.size = sizeof report};
        assert_int_equal(ro_denoise(contexts[0], &in, &want, &options, &report), RO_OK);
        assert_true(report.noise_dark < 0.6 * report.noise);
        assert_true(fabs(report.noise - 255 * sqrt(0.004 * 0.65)) < 1.5);
        if (kinds[kind].white)
            assert_true(fabs(report.difference) < 1e-5 * report.sum_before);
        assert_true(fabs(report.sum_after - report.sum_before) < 1e-3);
        for (int i = 1; i < 3; i++) {
            assert_int_equal(ro_denoise(contexts[i], &in, &got, &options, NULL), RO_OK);
            assert_memory_equal(want.data, got.data, (size_t)in.stride * in.height);
        }
        options.schedule = "reference";
        assert_int_equal(ro_denoise(contexts[0], &in, &got, &options, NULL), RO_OK);
        assert_memory_equal(want.data, got.data, (size_t)in.stride * in.height);
        options.schedule = NULL;
        const double near = distance(&want, &clean);
        for (double level = report.noise_dark; level < 1.3 * report.noise; level *= 1.15) {
            options.noise_level = level;
            assert_int_equal(ro_denoise(contexts[2], &in, &got, &options, NULL), RO_OK);
            assert_true(near < (level < 0.8 * report.noise ? 1 : 1.5) * distance(&got, &clean));
        }
        free(clean.data);
        free(in.data);
        free(want.data);
        free(got.data);
    }
}

static void refused(const ro_image *in, const ro_denoise_options *options, const char *words)
{
    ro_image out = like(in);
    assert_int_not_equal(ro_denoise(contexts[0], in, &out, options, NULL), RO_OK);
    if (!strstr(ro_context_message(contexts[0]), words))
        fail_msg("%s", ro_context_message(contexts[0]));
    free(out.data);
}

/* ---- Noise that was cut off -------------------------------------------------------------------
 */

/* Undoing the bias brings dark and bright tones nearer and changes none in the middle. */
static void unclips(void **state)
{
    static const int some[] = {0, 2, 5};
    (void)state;
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        const int kind = some[k];
        const size_t channels = kind < GREYS ? 1 : 3;
        const double white = kinds[kind].white;
        ro_denoise_options options = options_of("fast", 50);
        ro_image clean = image_of(kinds[kind].format, 120, 100, kinds[kind].white),
                 in = like(&clean), plain = like(&clean), out = like(&clean);
        for (size_t i = 0; i < samples_of(&in); i++) {
            const size_t x = i / channels % 120;
            double noise = -6;
            for (uint32_t n = 0; n < 12; n++)
                noise += pixel_hash(n, (uint32_t)i, 9) / 0x1p32;
            const double tone = x < 40 ? 0.02 : x < 80 ? 0.5 : 0.95;
            put(&clean, i, floor(white * tone));
            put(&in, i, floor(fmin(fmax(white * (tone + noise * 50 / 255), 0), white)));
        }
        assert_int_equal(ro_denoise(contexts[1], &in, &plain, &options, NULL), RO_OK);
        options.unclip = 1;
        assert_int_equal(ro_denoise(contexts[1], &in, &out, &options, NULL), RO_OK);
        assert_true(distance(&out, &clean) < 0.4 * distance(&plain, &clean));
        for (size_t i = 0; i < samples_of(&in); i++)
            if (i / channels % 120 > 50 && i / channels % 120 < 70)
                assert_true(fabs(sample(&out, i) - sample(&plain, i)) < 0.03 * white);
        free(clean.data);
        free(in.data);
        free(plain.data);
        free(out.data);
    }
    const ro_denoise_options options = {RO_DENOISE_DEFAULTS, .unclip = 1, .noise_level = 30};
    ro_image real = noisy(4, 40, 40, 0, 1);
    refused(&real, &options, "floats");
    free(real.data);
}

/* ---- Odd pictures --------------------------------------------------------------------------- */

static void any_size(void **state)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 3000}, {100000, 1}, {2, 2}, {5, 700}};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            const ro_denoise_options options = options_of(NULL, s ? 10 : RO_DEFAULT);
            ro_image in = noisy(kind, sizes[s][0], sizes[s][1], 0.3, 0.7), out = like(&in);
            if (ro_denoise(contexts[2], &in, &out, &options, NULL) != RO_OK)
                fail_msg("%s", ro_context_message(contexts[2]));
            assert_true(fabs(channel_sum(&in, 0) - channel_sum(&out, 0)) <=
                        (kinds[kind].white ? 0 : 0.02));
            free(in.data);
            free(out.data);
        }
}

/* No noise leaves every sample as it is, and so does a picture of one colour. */
static void nothing_to_do(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        ro_denoise_options options = options_of(NULL, 0);
        ro_image in = noisy(kind, 31, 20, 0, 1), out = like(&in);
        const size_t bytes = (size_t)in.stride * in.height;
        assert_int_equal(ro_denoise(contexts[0], &in, &out, &options, NULL), RO_OK);
        assert_memory_equal(in.data, out.data, bytes);
        static const double levels[] = {1e-4, 20, 1000};
        for (int i = 0; i < 4; i++) {
            options.noise_level = i < 3 ? levels[i] : RO_DEFAULT;
            for (size_t k = 0; k < samples_of(&in); k++)
                put(&in, k, sample(&in, k % 3));
            if (kind < GREYS)
                for (size_t k = 0; k < samples_of(&in); k++)
                    put(&in, k, sample(&in, 0));
            assert_int_equal(ro_denoise(contexts[0], &in, &out, &options, NULL), RO_OK);
            assert_memory_equal(in.data, out.data, bytes);
        }
        free(in.data);
        free(out.data);
    }
}

/* So much noise that all of it may be: a result within reason, the sum kept. */
static void much_noise(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        const ro_denoise_options options = options_of(NULL, 1000);
        ro_image in = noisy(kind, 64, 64, 0.45, 0.55), out = like(&in);
        ro_denoise_report report = {.size = sizeof report};
        assert_int_equal(ro_denoise(contexts[0], &in, &out, &options, &report), RO_OK);
        assert_true(report.min_after > 0.2 * report.white && report.max_after < 0.8 * report.white);
        assert_true(fabs(channel_sum(&in, 0) - channel_sum(&out, 0)) <=
                    (kinds[kind].white ? 0 : 0.01));
        free(in.data);
        free(out.data);
    }
}

static void floats(void **state)
{
    static const double scales[] = {1e-20, 1, 255, 1e9, 1e27};
    ro_image in = noisy(4, 40, 40, 0.2, 0.8), first = like(&in), out = like(&in);
    ro_denoise_options options = options_of(NULL, 10);
    (void)state;
    /* A power of two more, and the same noise, give the same picture. */
    assert_int_equal(ro_denoise(contexts[0], &in, &first, &options, NULL), RO_OK);
    for (size_t i = 0; i < samples_of(&in); i++)
        put(&in, i, 16 * sample(&in, i));
    options.noise_level = 160;
    assert_int_equal(ro_denoise(contexts[0], &in, &out, &options, NULL), RO_OK);
    for (size_t i = 0; i < samples_of(&in); i++)
        assert_true(sample(&out, i) == 16 * sample(&first, i));
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        ro_image wide = noisy(4, 40, 40, -0.5, 1);
        for (size_t i = 0; i < samples_of(&wide); i++)
            put(&wide, i, scales[s] * sample(&wide, i));
        assert_int_equal(ro_denoise(contexts[0], &wide, &out, &options, NULL), RO_OK);
        for (size_t i = 0; i < samples_of(&out); i++)
            assert_true(isfinite(sample(&out, i)));
        free(wide.data);
    }
    options.noise_level = RO_DEFAULT;
    in.height = 1;
    refused(&in, &options, "a single row or column");
    in.height = 40;
    put(&in, 41, (double)NAN);
    refused(&in, &options, "the input at (1, 1) is nan");
    put(&in, 41, (double)INFINITY);
    refused(&in, &options, "the input at (1, 1) is inf");
    put(&in, 41, 1e31);
    refused(&in, &options, "takes up to 1e+30");
    free(in.data);
    free(first.data);
    free(out.data);
}

/* ---- Options -------------------------------------------------------------------------------- */

static void options_of_other_models(void **state)
{
    ro_image in = noisy(0, 20, 20, 0, 1);
    const struct {
        ro_denoise_options options;
        const char *words;
    } cases[] = {
        {{RO_DENOISE_DEFAULTS, .model = "trained", .kappa = 8},
         "kappa does not apply to model trained"},
        {{RO_DENOISE_DEFAULTS, .model = "trained", .scheme = "implicit"}, "scheme does not apply"},
        {{RO_DENOISE_DEFAULTS, .model = "trained", .iterations = 3}, "iterations does not apply"},
        {{RO_DENOISE_DEFAULTS, .model = "trained", .number = "s12"}, "number does not apply"},
        {{RO_DENOISE_DEFAULTS, .model = "trained", .schedule = "passes"}, "passes needs model"},
        {{RO_DENOISE_DEFAULTS, .model = "trained", .noise_level = -2}, "noise-level"},
        {{RO_DENOISE_DEFAULTS, .model = "linear", .quality = "fast"}, "needs model trained"},
        {{RO_DENOISE_DEFAULTS, .model = "anisotropic", .noise_level = 3}, "needs model trained"},
        {{RO_DENOISE_DEFAULTS, .model = "anisotropic", .strength = 2}, "needs model trained"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(&in, &cases[i].options, cases[i].words);
    free(in.data);
}

/* A piece of a picture, loaded, with its halo from the whole picture instead of its neighbours. */
static ro_denoise_piece *piece_of(const ro_image *in, const ro_image *out,
                                  const ro_denoise_options *options, uint32_t first, uint32_t rows)
{
    ro_denoise_piece *piece;
    if (ro_denoise_piece_open(contexts[1], in, out, options, first, rows, 46, &piece) != RO_OK)
        fail_msg("%s", ro_context_message(contexts[1]));
    const ro_denoise_piece_info *info = ro_denoise_piece_query(piece);
    assert_true(info->steps == 1 && info->measured && info->reach <= 46);
    const char *samples = in->data;
    assert_int_equal(
        ro_denoise_piece_load(piece, samples + (size_t)first * (size_t)in->stride, in->stride),
        RO_OK);
    for (uint32_t y = first - info->above; y < first + rows + info->below; y++)
        memcpy(ro_denoise_piece_row(piece, y), samples + (size_t)y * (size_t)in->stride,
               info->row_bytes);
    return piece;
}

enum { PIECES = 3 };

/* What all pieces learn from each other. */
static void settle(ro_denoise_piece *const *pieces)
{
    double largest[3], extent[3];
    const void *mine;
    char *all = NULL;
    size_t sum = 0, bytes;
    for (int i = 0; i < PIECES; i++) {
        assert_int_equal(ro_denoise_piece_extent(pieces[i], extent), RO_OK);
        for (int k = 0; k < 3; k++)
            largest[k] = i == 0 ? extent[k] : fmax(largest[k], extent[k]);
    }
    for (int i = PIECES - 1; i >= 0; i--) { /* in any order */
        assert_int_equal(ro_denoise_piece_measure(pieces[i], largest, &mine, &bytes), RO_OK);
        all = realloc(all, sum + bytes + 1);
        if (bytes)
            memcpy(all + sum, mine, bytes);
        sum += bytes;
    }
    for (int i = 0; i < PIECES; i++)
        if (ro_denoise_piece_settle(pieces[i], all, sum) != RO_OK)
            fail_msg("%s", ro_context_message(contexts[1]));
    free(all);
}

/* Pieces have the bits of the whole picture, with the noise known and found. */
static void pieces(void **state)
{
    (void)state;
    for (int trial = 0; trial < 2 * KINDS; trial++) {
        const int kind = trial % KINDS;
        ro_denoise_options options = options_of(trial & 1 ? "fast" : "best", 9);
        ro_image in = noisy(kind, 300, 260, 0, 1);
        if (trial >= KINDS) {
            ro_image clean;
            free(in.data);
            in = counts_of(kind, 0.004, &clean);
            free(clean.data);
            options.noise_level = RO_DEFAULT;
        }
        ro_image want = like(&in), got = like(&in);
        ro_denoise_piece *piece[PIECES];
        uint64_t above[3] = {0};
        assert_int_equal(ro_denoise(contexts[0], &in, &want, &options, NULL), RO_OK);
        for (uint32_t i = 0; i < PIECES; i++)
            piece[i] = piece_of(&in, &got, &options, 260 * i / PIECES,
                                260 * (i + 1) / PIECES - 260 * i / PIECES);
        assert_int_equal(ro_denoise_piece_run(piece[0], 1), RO_E_STATE);
        settle(piece);
        for (uint32_t i = 0; i < PIECES; i++) {
            uint64_t sums[3];
            char *rows = (char *)got.data + (size_t)(260 * i / PIECES) * (size_t)got.stride;
            assert_int_equal(ro_denoise_piece_run(piece[i], 1), RO_OK);
            ro_denoise_piece_sums(piece[i], sums);
            assert_int_equal(ro_denoise_piece_round(piece[i], above, rows, got.stride), RO_OK);
            for (int c = 0; c < 3; c++)
                above[c] += sums[c];
            ro_denoise_piece_close(piece[i]);
        }
        assert_memory_equal(want.data, got.data, (size_t)want.stride * want.height);
        free(in.data);
        free(want.data);
        free(got.data);
    }
}

static void plans(void **state)
{
    ro_image in = noisy(5, 70, 90, 0, 1), want = like(&in), got = like(&in);
    const ro_image shape = {
        .format = RO_RGB8, .width = 70, .height = 90, .maxval = 255, .stride = 0, .data = NULL};
    ro_denoise_options options = options_of(NULL, 15);
    ro_plan *plan;
    ro_plan_info info = {.size = sizeof info};
    (void)state;
    assert_int_equal(ro_denoise(contexts[1], &in, &want, &options, NULL), RO_OK);
    assert_int_equal(ro_denoise_plan(contexts[1], &shape, &shape, &options, &plan), RO_OK);
    assert_int_equal(ro_plan_query(plan, &info), RO_OK);
    assert_string_equal(info.method, "trained");
    for (int i = 0; i < 2; i++)
        assert_int_equal(ro_plan_run(plan, &in, &got, NULL), RO_OK);
    assert_memory_equal(want.data, got.data, (size_t)want.stride * want.height);
    ro_plan_free(plan);
    options.noise_level = RO_DEFAULT;
    assert_int_equal(ro_denoise_plan(contexts[1], &shape, &shape, &options, &plan), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(contexts[1]), "give noise-level"));
    free(in.data);
    free(want.data);
    free(got.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_files),
        cmocka_unit_test(schedules),
        cmocka_unit_test(streams),
        cmocka_unit_test(depths),
        cmocka_unit_test(strength_counts_as_noise),
        cmocka_unit_test(noise_goes),
        cmocka_unit_test(counts),
        cmocka_unit_test(unclips),
        cmocka_unit_test(any_size),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(much_noise),
        cmocka_unit_test(floats),
        cmocka_unit_test(options_of_other_models),
        cmocka_unit_test(pieces),
        cmocka_unit_test(plans),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
