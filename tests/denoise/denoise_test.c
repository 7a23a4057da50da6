/* SPDX-License-Identifier: MIT */
/* ro_denoise and its rows as a user meets them: schedules, threads, strides, reports, bad input. */
#include "core/cpu.h"
#include "core/random.h"
#include "roundoff.h"
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ro_context *open_context(int threads, ro_cpu cpu)
{
    ro_context *context;
    ro_context_options options = {RO_CONTEXT_DEFAULTS, .threads = threads, .cpu = cpu};
    assert_int_equal(ro_context_open(&options, &context), RO_OK);
    return context;
}

static void allocate(ro_format format, uint32_t width, uint32_t height, uint32_t maxval,
                     ro_image *image)
{
    ro_context *context = open_context(1, RO_CPU_AUTO);
    assert_int_equal(ro_image_alloc(context, format, width, height, maxval, image), RO_OK);
    ro_context_close(context);
}

/* The test card with noise on it; floats from the 8-bit card. */
static void draw(ro_format format, uint32_t width, uint32_t height, ro_image *image)
{
    bool floats = format == RO_GREYF || format == RO_RGBF;
    ro_format card_format = format == RO_GREYF ? RO_GREY8 : format == RO_RGBF ? RO_RGB8 : format;
    ro_context *context = open_context(1, RO_CPU_AUTO);
    ro_image card;
    allocate(card_format, width, height, 0, &card);
    assert_int_equal(ro_testcard(context, &card), RO_OK);
    ro_context_close(context);
    allocate(format, width, height, 0, image);
    size_t samples =
        width * (format == RO_RGB8 || format == RO_RGB16 || format == RO_RGBF ? 3u : 1u);
    for (uint32_t y = 0; y < height; y++)
        for (size_t i = 0; i < samples; i++) {
            uint32_t h = pixel_hash(5, (uint32_t)i, y);
            int noise = (int)(h % 41) - 20;
            char *to = (char *)image->data + (ptrdiff_t)y * image->stride;
            const char *from = (const char *)card.data + (ptrdiff_t)y * card.stride;
            if (format == RO_GREY16 || format == RO_RGB16) {
                int v = ((const uint16_t *)(const void *)from)[i] + 257 * noise;
                ((uint16_t *)(void *)to)[i] = (uint16_t)(v < 0 ? 0 : v > 65535 ? 65535 : v);
                continue;
            }
            int v = ((const uint8_t *)from)[i] + noise;
            v = v < 0 ? 0 : v > 255 ? 255 : v;
            if (floats)
                ((float *)(void *)to)[i] = (float)v / 255;
            else
                ((uint8_t *)to)[i] = (uint8_t)v;
        }
    ro_image_free(&card);
}

static void assert_same(const ro_image *a, const ro_image *b)
{
    size_t row = ro_format_row_bytes(a->format, a->width);
    for (uint32_t y = 0; y < a->height; y++)
        assert_memory_equal((const char *)a->data + (ptrdiff_t)y * a->stride,
                            (const char *)b->data + (ptrdiff_t)y * b->stride, row);
}

/* Through rows, pushed and pulled in odd portions. */
static void run_rows(ro_context *context, const ro_image *in, const ro_image *out,
                     const ro_denoise_options *options, ro_denoise_report *report)
{
    ro_plan *plan;
    ro_stream *stream;
    ro_image shape = *in;
    shape.data = NULL;
    ro_status status = open_denoise(context, &shape, out, options, &plan, &stream, report);
    if (status != RO_OK)
        fail_msg("%s", ro_context_message(context));
    uint32_t pushed = 0, pulled = 0, portion = 1;
    while (pulled < in->height) {
        uint32_t n = in->height - pushed < portion ? in->height - pushed : portion, taken, given;
        assert_int_equal(ro_stream_push(stream,
                                        (const char *)in->data + (ptrdiff_t)pushed * in->stride,
                                        in->stride, n, &taken),
                         RO_OK);
        pushed += taken;
        assert_int_equal(ro_stream_pull(stream, (char *)out->data + (ptrdiff_t)pulled * out->stride,
                                        out->stride, in->height - pulled, &given),
                         RO_OK);
        pulled += given;
        assert_true(taken + given > 0);
        portion = portion % 97 + 5;
    }
    close_stream(plan, stream);
}

static void schedules_agree(void **state)
{
    (void)state;
    static const struct {
        ro_format format;
        const char *number, *model;
        double kappa, sigma;
        int independent;
    } cases[] = {
        {RO_GREY8, "s16", "anisotropic", 8, 0, 0},    {RO_GREY8, "s9", "perona-malik", 8, 0, 0},
        {RO_GREY8, "u8", "linear", 0, 0, 0},          {RO_RGB8, "s16", "anisotropic", 8, 0.9, 0},
        {RO_RGB8, "s12", "edge-enhancing", 20, 0, 1}, {RO_GREY16, "s17", "anisotropic", 8, 0, 0},
        {RO_RGB16, "s24", "perona-malik", 8, 0, 0},   {RO_GREYF, "s23e8", "anisotropic", 8, 0.6, 0},
        {RO_RGBF, "s23e8", "perona-malik", 8, 0, 0},  {RO_GREYF, "s10e5", "linear", 0, 0, 0},
        {RO_GREYF, "s16", "perona-malik", 8, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ro_image in, expected, out;
        ro_denoise_report report = {.size = sizeof report};
        draw(cases[i].format, 101, 67, &in);
        allocate(cases[i].format, 101, 67, 0, &expected);
        ro_denoise_options options = {
            RO_DENOISE_DEFAULTS,     .model = cases[i].model, .number = cases[i].number,
            .kappa = cases[i].kappa, .sigma = cases[i].sigma, .independent = cases[i].independent,
            .iterations = 11,        .schedule = "reference", .scheme = "explicit"};
        ro_context *context = open_context(1, RO_CPU_AUTO);
        if (ro_denoise(context, &in, &expected, &options, &report) != RO_OK)
            fail_msg("%s", ro_context_message(context));
        assert_string_equal(ro_context_report(context)->schedule, "reference");
        ro_context_close(context);
        ro_denoise_report first = report;
        for (int threads = 1; threads <= 3; threads++)
            for (ro_cpu cpu = RO_CPU_AUTO; cpu <= cpu_best(); cpu++)
                for (int way = 0; way < 5; way++) {
                    context = open_context(threads, cpu);
                    allocate(cases[i].format, 101, 67, 0, &out);
                    options.schedule = way == 0 ? NULL : way == 1 ? "passes" : "stream";
                    options.steps_at_once = way == 3 ? 5 : 0;
                    ro_status status = RO_OK;
                    if (way == 4)
                        run_rows(context, &in, &out, &options, &report);
                    else
                        status = ro_denoise(context, &in, &out, &options, &report);
                    /* a forced instruction set may have no code for a system, but never another */
                    if (status == RO_E_UNSUPPORTED && cpu > RO_CPU_SCALAR) {
                        assert_true(strcmp(cases[i].number, "s24") == 0 ||
                                    strcmp(cases[i].number, "s10e5") == 0);
                        ro_context_close(context);
                        ro_image_free(&out);
                        break;
                    }
                    assert_int_equal(status, RO_OK);
                    assert_same(&expected, &out);
                    const ro_report *ran = ro_context_report(context);
                    assert_true(cpu == RO_CPU_AUTO || ran->cpu == cpu);
                    assert_string_equal(ran->schedule, way == 1 ? "passes" : "stream");
                    assert_true(report.sum_after == first.sum_after);
                    assert_true(report.energy_after == first.energy_after);
                    assert_int_equal(report.steps, 11);
                    ro_context_close(context);
                    ro_image_free(&out);
                }
        ro_image_free(&in);
        ro_image_free(&expected);
    }
}

/* A view with a longer stride, upside down, and the output over the input. */
static void views(void **state)
{
    (void)state;
    enum { W = 53, H = 31, STRIDE = 64 };
    ro_context *context = open_context(2, RO_CPU_AUTO);
    ro_image in, plain;
    draw(RO_GREY8, W, H, &in);
    allocate(RO_GREY8, W, H, 0, &plain);
    ro_denoise_options options = {RO_DENOISE_DEFAULTS, .kappa = 9, .iterations = 7};
    assert_int_equal(ro_denoise(context, &in, &plain, &options, NULL), RO_OK);

    static uint8_t room[STRIDE * (H + 2)];
    memset(room, 0x5a, sizeof room);
    ro_image odd = {.format = RO_GREY8,
                    .width = W,
                    .height = H,
                    .maxval = 255,
                    .stride = -STRIDE,
                    .data = room + STRIDE * H + 3};
    for (uint32_t y = 0; y < H; y++)
        memcpy((char *)odd.data + (ptrdiff_t)y * odd.stride,
               (char *)in.data + (ptrdiff_t)y * in.stride, W);
    assert_int_equal(ro_denoise(context, &odd, &odd, &options, NULL), RO_OK);
    assert_same(&plain, &odd);
    for (size_t i = 0; i < sizeof room; i++) /* guard bytes */
        if (i < STRIDE || (i - 3) % STRIDE >= W)
            assert_int_equal(room[i], 0x5a);
    ro_image_free(&in);
    ro_image_free(&plain);
    ro_context_close(context);
}

/* Sums, extrema and energy in the report; the drift of a rounded output; deeper output has none. */
static void report(void **state)
{
    (void)state;
    ro_context *context = open_context(2, RO_CPU_AUTO);
    ro_image in, out8, out16;
    draw(RO_GREY8, 90, 70, &in);
    allocate(RO_GREY8, 90, 70, 0, &out8);
    allocate(RO_GREY16, 90, 70, 32640, &out16);
    ro_denoise_report r = {.size = sizeof r};
    ro_denoise_options options = {RO_DENOISE_DEFAULTS, .stop = "usual"};
    assert_int_equal(ro_denoise(context, &in, &out8, &options, &r), RO_OK);
    assert_string_equal(r.number, "s16");
    assert_true(r.noise > 5 && r.noise < 25 && r.kappa == r.noise / 2);
    assert_int_equal(r.steps, 20);
    double sum_in = 0, sum_out = 0;
    for (uint32_t y = 0; y < 70; y++)
        for (uint32_t x = 0; x < 90; x++) {
            sum_in += ((uint8_t *)in.data)[y * in.stride + x];
            sum_out += ((uint8_t *)out8.data)[y * out8.stride + x];
        }
    assert_true(r.sum_before == 128 * sum_in);
    assert_true(r.sum_after == r.sum_before);
    assert_true(r.min_after >= r.min_before && r.max_after <= r.max_before);
    assert_true(r.energy_after < r.energy_before);
    assert_true(r.drift == sum_out - r.sum_after / 128);
    assert_int_equal(ro_denoise(context, &in, &out16, &options, &r), RO_OK);
    assert_true(r.drift == 0);
    /* s9 needs no rounding at the end */
    options.number = "s9";
    assert_int_equal(ro_denoise(context, &in, &out8, &options, &r), RO_OK);
    assert_true(r.drift == 0 && r.sum_before == sum_in && r.sum_after == sum_in);
    ro_image_free(&in);
    ro_image_free(&out8);
    ro_image_free(&out16);
    ro_context_close(context);
}

/* ---- The last rounding ---------------------------------------------------------------------- */

static uint32_t sample_of(const ro_image *image, uint32_t y, size_t i)
{
    const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    if (image->format == RO_GREY8 || image->format == RO_RGB8)
        return ((const uint8_t *)row)[i];
    return ((const uint16_t *)(const void *)row)[i];
}

/* The definition once more, from the working numbers as an output of floats tells them: whole
 * numbers of which `white` are white. */
static void assert_sum_is_rounded(const ro_image *numbers, int64_t white, const ro_image *out)
{
    const size_t channels = out->format == RO_RGB8 || out->format == RO_RGB16 ? 3 : 1;
    for (size_t c = 0; c < channels; c++) {
        __int128 sum = 0, rounded = 0;
        for (uint32_t y = 0; y < out->height; y++)
            for (uint32_t x = 0; x < out->width; x++) {
                const float *row = (const float *)(const void *)((const char *)numbers->data +
                                                                 (ptrdiff_t)y * numbers->stride);
                sum += llrint((double)row[x * channels + c] * (double)white);
                __int128 next = (2 * sum * out->maxval + white) / (2 * white);
                assert_int_equal(sample_of(out, y, x * channels + c), (long)(next - rounded));
                rounded = next;
            }
    }
}

static void the_running_sum_is_rounded(void **state)
{
    (void)state;
    static const struct {
        ro_format in, out, floats;
        uint32_t in_maxval, out_maxval;
        const char *scheme, *number;
        int kept; /* the file has the sum of the file that came in */
    } cases[] = {
        {RO_GREY8, RO_GREY8, RO_GREYF, 255, 255, NULL, "s16", 1},
        {RO_GREY8, RO_GREY8, RO_GREYF, 255, 255, NULL, "s12", 1},
        {RO_GREY8, RO_GREY8, RO_GREYF, 255, 255, NULL, "s9", 1},
        {RO_RGB8, RO_RGB8, RO_RGBF, 255, 255, NULL, "s16", 1},
        {RO_RGB8, RO_RGB8, RO_RGBF, 255, 255, "implicit", "s16", 1},
        {RO_GREY8, RO_GREY8, RO_GREYF, 100, 100, NULL, "s16", 1},
        {RO_GREY8, RO_GREY8, RO_GREYF, 255, 100, NULL, "s16", 0},
        {RO_GREY8, RO_GREY16, RO_GREYF, 255, 65535, NULL, "s12", 1},
        {RO_GREY16, RO_GREY16, RO_GREYF, 65535, 65535, NULL, "s12", 0},
        {RO_GREY16, RO_GREY16, RO_GREYF, 65535, 65535, NULL, "s17", 1},
        {RO_RGB16, RO_RGB8, RO_RGBF, 65535, 255, NULL, "s24", 0},
        {RO_GREY8, RO_GREY8, RO_GREYF, 255, 255, NULL, "s23e8", 0},
        {RO_GREY8, RO_GREY16, RO_GREYF, 255, 1000, NULL, "s10e5", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int threads = 1; threads <= 3; threads += 2) {
            ro_context *context = open_context(threads, RO_CPU_AUTO);
            ro_image in, numbers, out;
            ro_denoise_report r = {.size = sizeof r};
            ro_denoise_options options = {RO_DENOISE_DEFAULTS, .scheme = cases[i].scheme,
                                          .number = cases[i].number, .kappa = 9};
            draw(cases[i].in, 83, 61, &in);
            in.maxval = cases[i].in_maxval;
            for (uint32_t y = 0; y < 61 && in.maxval < 255; y++)
                for (uint32_t x = 0; x < 83; x++)
                    ((uint8_t *)in.data)[y * in.stride + x] %= in.maxval + 1;
            allocate(cases[i].floats, 83, 61, 0, &numbers);
            allocate(cases[i].out, 83, 61, cases[i].out_maxval, &out);
            if (ro_denoise(context, &in, &numbers, &options, &r) != RO_OK ||
                ro_denoise(context, &in, &out, &options, &r) != RO_OK)
                fail_msg("%s", ro_context_message(context));
            const bool floats = strchr(cases[i].number, 'e');
            assert_sum_is_rounded(&numbers, floats ? INT64_C(1) << 32 : (int64_t)r.white, &out);
            const double channels = cases[i].floats == RO_RGBF ? 3 : 1;
            assert_true(fabs(r.drift) <= channels / 2 + (floats ? 1e-3 : 0));
            assert_true(!cases[i].kept || r.difference == 0);
            ro_image_free(&in);
            ro_image_free(&numbers);
            ro_image_free(&out);
            ro_context_close(context);
        }
}

/* Each pixel for itself, as `round` asks; and where that does not apply. */
static void each_pixel_is_rounded(void **state)
{
    (void)state;
    ro_context *context = open_context(2, RO_CPU_AUTO);
    ro_image in, numbers, out;
    ro_denoise_report r = {.size = sizeof r};
    ro_denoise_options options = {RO_DENOISE_DEFAULTS, .kappa = 9};
    draw(RO_GREY8, 83, 61, &in);
    allocate(RO_GREYF, 83, 61, 0, &numbers);
    allocate(RO_GREY8, 83, 61, 0, &out);
    assert_int_equal(ro_denoise(context, &in, &numbers, &options, &r), RO_OK);
    options.round = "nearest";
    assert_int_equal(ro_denoise(context, &in, &out, &options, &r), RO_OK);
    double sum_in = 0, sum_out = 0;
    for (uint32_t y = 0; y < 61; y++)
        for (uint32_t x = 0; x < 83; x++) {
            const float number = ((const float *)numbers.data)[y * numbers.stride / 4 + x];
            const long n = lrint((double)number * 128 * 255);
            assert_int_equal(sample_of(&out, y, x), (n + 64) >> 7);
            sum_in += sample_of(&in, y, x);
            sum_out += sample_of(&out, y, x);
        }
    assert_true(r.drift != 0 && r.difference == sum_out - sum_in && r.drift == r.difference);
    options.round = "sum"; /* the default, which is never an error */
    assert_int_equal(ro_denoise(context, &in, &numbers, &options, &r), RO_OK);
    options.round = "nearst";
    assert_int_equal(ro_denoise(context, &in, &out, &options, &r), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "did you mean nearest?"));
    ro_image_free(&in);
    ro_image_free(&numbers);
    ro_image_free(&out);
    ro_context_close(context);
}

/* ---- Samples that use a part of their bits --------------------------------------------------- */

/* 10 bits in samples of 16 are as 10 bits that say so. */
static void white_in_use(void **state)
{
    (void)state;
    ro_context *context = open_context(2, RO_CPU_AUTO);
    ro_image in, out, expected;
    ro_denoise_report told = {.size = sizeof told}, r = {.size = sizeof r};
    draw(RO_GREY16, 90, 70, &in);
    for (uint32_t y = 0; y < 70; y++)
        for (uint32_t x = 0; x < 90; x++)
            ((uint16_t *)in.data)[y * in.stride / 2 + x] /= 64;
    allocate(RO_GREY16, 90, 70, 65535, &out);
    allocate(RO_GREY16, 90, 70, 1023, &expected);
    in.maxval = 1023;
    ro_denoise_options options = {RO_DENOISE_DEFAULTS, .model = "anisotropic"};
    assert_int_equal(ro_denoise(context, &in, &expected, &options, &told), RO_OK);
    options.iterations = told.steps; /* the rest is not about when to stop */
    in.maxval = 65535;
    assert_int_equal(ro_denoise(context, &in, &out, &options, &r), RO_OK);
    assert_same(&expected, &out);
    assert_int_equal(r.sample_white, 1023);
    assert_true(r.kappa == told.kappa && r.noise == told.noise && r.difference == 0);

    /* a kappa is of the maxval, in a stream as well as in whole, unless white is given */
    options.kappa = told.kappa;
    assert_int_equal(ro_denoise(context, &in, &out, &options, &r), RO_OK);
    assert_int_equal(r.sample_white, 65535);
    options.white = 1023;
    assert_int_equal(ro_denoise(context, &in, &out, &options, &r), RO_OK);
    assert_same(&expected, &out);
    memset(out.data, 0, (size_t)out.stride * 70);
    run_rows(context, &in, &out, &options, &r);
    assert_same(&expected, &out);

    options.white = 1000;
    assert_int_equal(ro_denoise(context, &in, &out, &options, &r), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "white is 1000 but the input goes up to"));
    ro_plan *plan;
    ro_stream *stream;
    uint32_t taken;
    assert_int_equal(open_denoise(context, &in, &out, &options, &plan, &stream, NULL), RO_OK);
    assert_int_equal(ro_stream_push(stream, in.data, in.stride, 70, &taken), RO_E_ARGUMENT);
    close_stream(plan, stream);
    ro_image_free(&in);
    ro_image_free(&out);
    ro_image_free(&expected);
    ro_context_close(context);
}

static void converges(void **state)
{
    (void)state;
    ro_context *context = open_context(2, RO_CPU_AUTO);
    ro_image in, out, again;
    draw(RO_GREY8, 40, 30, &in);
    allocate(RO_GREY8, 40, 30, 0, &out);
    allocate(RO_GREY8, 40, 30, 0, &again);
    ro_denoise_report r = {.size = sizeof r};
    ro_denoise_options options = {RO_DENOISE_DEFAULTS, .number = "s9", .model = "perona-malik",
                                  .kappa = 10, .until_converged = 1};
    assert_int_equal(ro_denoise(context, &in, &out, &options, &r), RO_OK);
    assert_true(r.converged && r.steps > 1);
    uint32_t steps = r.steps;
    options.schedule = "reference";
    assert_int_equal(ro_denoise(context, &in, &again, &options, &r), RO_OK);
    assert_int_equal(r.steps, steps);
    assert_same(&out, &again);
    /* one step fewer is not there yet, and many more change nothing */
    options = (ro_denoise_options){RO_DENOISE_DEFAULTS,  .number = "s9", .model = "perona-malik",
                                   .scheme = "explicit", .kappa = 10,    .iterations = steps - 1};
    assert_int_equal(ro_denoise(context, &in, &again, &options, &r), RO_OK);
    double before = r.energy_after;
    options.iterations = steps + 50;
    assert_int_equal(ro_denoise(context, &in, &again, &options, &r), RO_OK);
    assert_same(&out, &again);
    assert_true(r.energy_after < before);
    ro_image_free(&in);
    ro_image_free(&out);
    ro_image_free(&again);
    ro_context_close(context);
}

/* The last pixel to move may be anywhere: a dot on even ground, in every place of a vector. */
static void converges_where_the_dot_is(void **state)
{
    (void)state;
    enum { W = 320, H = 9 };
    static uint8_t in[W * H], out[W * H], expected[W * H];
    ro_context *context = open_context(2, RO_CPU_AUTO);
    ro_image from = ro_image_view(RO_GREY8, W, H, in), to = ro_image_view(RO_GREY8, W, H, out);
    ro_image to_expected = ro_image_view(RO_GREY8, W, H, expected);
    for (int x = 0; x < 20; x++) {
        memset(in, 10, sizeof in);
        in[4 * W + 100 + x] = 250;
        ro_denoise_report by_reference = {.size = sizeof by_reference},
                          by_passes = {.size = sizeof by_passes};
        ro_denoise_options options = {RO_DENOISE_DEFAULTS, .number = "s9", .model = "linear",
                                      .until_converged = 1, .schedule = "reference"};
        assert_int_equal(ro_denoise(context, &from, &to_expected, &options, &by_reference), RO_OK);
        options.schedule = "passes";
        assert_int_equal(ro_denoise(context, &from, &to, &options, &by_passes), RO_OK);
        assert_int_equal(by_passes.steps, by_reference.steps);
        assert_memory_equal(out, expected, sizeof out);
    }
    ro_context_close(context);
}

static void bad_input(void **state)
{
    (void)state;
    ro_context *context = open_context(1, RO_CPU_AUTO);
    ro_image in, out, colour, floats;
    draw(RO_GREY8, 20, 20, &in);
    draw(RO_GREYF, 20, 20, &floats);
    allocate(RO_GREY8, 20, 20, 0, &out);
    allocate(RO_RGB8, 20, 20, 0, &colour);
    memset(out.data, 77, (size_t)out.stride * 20);
    static const struct {
        ro_denoise_options options;
        const char *says;
    } cases[] = {
        {{RO_DENOISE_DEFAULTS, .kappa = -1}, "kappa -1: must be a number above 0, up to 1000000"},
        {{RO_DENOISE_DEFAULTS, .kappa = NAN}, "kappa nan: must be"},
        {{RO_DENOISE_DEFAULTS, .sigma = -0.5}, "sigma -0.5: must be"},
        {{RO_DENOISE_DEFAULTS, .sigma = 1000}, "0 to 64"},
        {{RO_DENOISE_DEFAULTS, .time_step = 1.5}, "stable one is 0.3749389648"},
        {{RO_DENOISE_DEFAULTS, .time_step = 1.2, .rounding = "nearest"},
         "stable one is 0.1874389648"},
        {{RO_DENOISE_DEFAULTS, .time_step = -1}, "must be a number above 0"},
        {{RO_DENOISE_DEFAULTS, .time_step = 1e-9}, "does nothing"},
        {{RO_DENOISE_DEFAULTS, .scheme = "implicit", .time_step = 33},
         "at most 32, or give tolerance"},
        {{RO_DENOISE_DEFAULTS, .number = "x8"}, "number x8: must be"},
        {{RO_DENOISE_DEFAULTS, .number = "s23e9"}, "did you mean s23e8?"},
        {{RO_DENOISE_DEFAULTS, .rounding = "down"},
         "rounding down needs scheme naive, not explicit"},
        {{RO_DENOISE_DEFAULTS, .rounding = "nearest-up"}, "needs scheme naive"},
        {{RO_DENOISE_DEFAULTS, .rounding = "away"}, "needs scheme naive"},
        {{RO_DENOISE_DEFAULTS, .rounding = "nearest", .number = "s23e8"},
         "rounding does not apply"},
        {{RO_DENOISE_DEFAULTS, .model = "anisotropc"}, "did you mean anisotropic?"},
        {{RO_DENOISE_DEFAULTS, .model = "linear", .kappa = 3}, "kappa does not apply"},
        {{RO_DENOISE_DEFAULTS, .model = "linear", .sigma = 3}, "sigma does not apply"},
        {{RO_DENOISE_DEFAULTS, .scheme = "conjugate", .rounding = "nearest"},
         "rounding does not apply to scheme conj"},
        {{RO_DENOISE_DEFAULTS, .scheme = "naive", .number = "s23e8"},
         "number s23e8 needs scheme explicit, implicit or conjugate, not naive"},
        {{RO_DENOISE_DEFAULTS, .scheme = "naive", .sigma = 1},
         "sigma does not apply to scheme naive"},
        {{RO_DENOISE_DEFAULTS, .scheme = "xpp24", .number = "s9"}, "number does not apply"},
        {{RO_DENOISE_DEFAULTS, .scheme = "xpp24", .sigma = 5}, "0 to 4"},
        {{RO_DENOISE_DEFAULTS, .scheme = "implicit", .schedule = "stream"},
         "schedule stream needs scheme explicit, not implicit"},
        {{RO_DENOISE_DEFAULTS, .schedule = "stream", .steps_at_once = 65}, "from 1 to 64"},
        {{RO_DENOISE_DEFAULTS, .steps_at_once = 3},
         "steps-at-once needs schedule stream, not auto"},
        {{RO_DENOISE_DEFAULTS, .schedule = "wave"},
         "schedule wave: must be auto, reference, passes or stream"},
        {{RO_DENOISE_DEFAULTS, .until_converged = 1, .number = "s23e8"},
         "until-converged does not apply to number s23e8"},
        {{RO_DENOISE_DEFAULTS, .independent = 1}, "does not apply to a grey image"},
        {{RO_DENOISE_DEFAULTS, .seed = 3}, "seed does not apply"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ro_status status = ro_denoise(context, &in, &out, &cases[i].options, NULL);
        if (status != RO_E_ARGUMENT || !strstr(ro_context_message(context), cases[i].says))
            fail_msg("case %zu: status %d, \"%s\" has no \"%s\"", i, status,
                     ro_context_message(context), cases[i].says);
    }
    assert_int_equal(ro_denoise(context, &in, &colour, NULL, NULL), RO_E_UNSUPPORTED);
    ro_image small = out;
    small.height = 19;
    assert_int_equal(ro_denoise(context, &in, &small, NULL, NULL), RO_E_SIZE);
    ((float *)floats.data)[7] = NAN;
    assert_int_equal(ro_denoise(context, &floats, &out, NULL, NULL), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "at (7, 0) is"));
    for (uint32_t y = 0; y < 20; y++)
        for (uint32_t x = 0; x < 20; x++)
            assert_int_equal(((uint8_t *)out.data)[y * out.stride + x], 77); /* nothing written */

    ro_plan *plan;
    ro_stream *stream;
    assert_int_equal(open_denoise(context, &in, &out, NULL, &plan, &stream, NULL), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "give noise-level"));
    ro_denoise_options options = {RO_DENOISE_DEFAULTS, .model = "anisotropic"};
    assert_int_equal(open_denoise(context, &in, &out, &options, &plan, &stream, NULL),
                     RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "give kappa"));
    assert_null(stream);
    options.kappa = 5;
    assert_int_equal(open_denoise(context, &in, &out, &options, &plan, &stream, NULL), RO_OK);
    uint32_t taken;
    assert_int_equal(ro_stream_push(stream, in.data, in.stride, 21, &taken), RO_E_STATE);
    close_stream(plan, stream);
    ro_image_free(&in);
    ro_image_free(&out);
    ro_image_free(&colour);
    ro_image_free(&floats);
    ro_context_close(context);
}

static int stop_soon(void *data, const char *phase, double done)
{
    (void)phase;
    (void)done;
    return ++*(int *)data > 1;
}

static void cancelled(void **state)
{
    (void)state;
    int calls = 0;
    ro_context *context;
    ro_context_options with = {RO_CONTEXT_DEFAULTS, .threads = 2, .progress = stop_soon,
                               .user = &calls};
    assert_int_equal(ro_context_open(&with, &context), RO_OK);
    ro_image in, out;
    draw(RO_GREY8, 50, 50, &in);
    allocate(RO_GREY8, 50, 50, 0, &out);
    ro_denoise_options options = {RO_DENOISE_DEFAULTS, .iterations = 1000};
    assert_int_equal(ro_denoise(context, &in, &out, &options, NULL), RO_E_CANCELLED);
    ro_image_free(&in);
    ro_image_free(&out);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules_agree),
        cmocka_unit_test(views),
        cmocka_unit_test(report),
        cmocka_unit_test(the_running_sum_is_rounded),
        cmocka_unit_test(each_pixel_is_rounded),
        cmocka_unit_test(white_in_use),
        cmocka_unit_test(converges),
        cmocka_unit_test(converges_where_the_dot_is),
        cmocka_unit_test(bad_input),
        cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
