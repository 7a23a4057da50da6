/* SPDX-License-Identifier: MIT */
/* When to stop: the estimate against the best of a sweep on a picture whose noise is known, the
 * noise in even places, the same steps on every schedule, and what is refused. */
#include "core/random.h"
#include "denoise/denoise.h"
#include "fixture.h"
#include "roundoff/command.h"
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { W = 320, H = 200 };
static uint8_t clean[W * H], noisy[W * H], result[W * H];
static const ro_image in = {
    .format = RO_GREY8, .width = W, .height = H, .maxval = 255, .stride = W, .data = noisy};
static ro_image out = {
    .format = RO_GREY8, .width = W, .height = H, .maxval = 255, .stride = W, .data = result};

/* Noise by a sum of twelve uniform numbers, on shading, stripes and discs. */
static void draw(double sigma)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const int i = y * W + x;
            double value = 60 + 60.0 * x / W + (y / 37 % 2 ? 40 : 0), noise = -6;
            if ((x % 80 - 40) * (x % 80 - 40) + (y % 60 - 30) * (y % 60 - 30) < 400)
                value += 50;
            for (uint32_t k = 0; k < 12; k++)
                noise += pixel_hash(k, (uint32_t)x, (uint32_t)y) / 4294967296.0;
            clean[i] = (uint8_t)value;
            value = clean[i] + sigma * noise + 0.5;
            noisy[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
}

static double error(void)
{
    double sum = 0;
    for (int i = 0; i < W * H; i++)
        sum += (result[i] - clean[i]) * (result[i] - clean[i]);
    return sum / (W * H);
}

static double run(const ro_denoise_options *options, uint32_t *steps)
{
    ro_denoise_report report = {.size = sizeof report};
    if (ro_denoise(context, &in, &out, options, &report) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    *steps = report.steps;
    return error();
}

static void near_the_best(void **state)
{
    (void)state;
    static const char *const schemes[] = {"explicit", "implicit"};
    for (int k = 0; k < 2; k++) {
        draw(k ? 15 : 30);
        ro_denoise_options options = {RO_DENOISE_DEFAULTS, .scheme = schemes[k],
                                      .number = k ? "s9" : NULL};
        uint32_t steps, of;
        const double chosen = run(&options, &steps);
        double best = chosen;
        for (uint32_t n = steps / 3 + 1; n < 2 * steps; n += 1 + steps / 8) {
            options.iterations = n;
            const double other = run(&options, &of);
            best = other < best ? other : best;
        }
        print_message("%s: %u steps, %.3f dB below the best\n", schemes[k], steps,
                      10 * log10(chosen / best));
        assert_true(10 * log10(chosen / best) < 0.2);
    }
}

static void noise_in_even_places(void **state)
{
    (void)state;
    double sigma;
    for (int s = 5; s <= 40; s += 35) {
        draw(s);
        assert_int_equal(noise_in_blocks(context, &in, &sigma), RO_OK);
        assert_true(fabs(sigma / s - 1) < 0.06);
    }
    /* half of it black: the median would see half of the noise */
    draw(20);
    for (int i = 0; i < W * H / 2; i++)
        noisy[i] = 0;
    assert_int_equal(noise_in_blocks(context, &in, &sigma), RO_OK);
    assert_true(fabs(sigma / 20 - 1) < 0.08);
}

static void the_same_everywhere(void **state)
{
    (void)state;
    draw(20);
    uint32_t first, steps;
    ro_denoise_options options = {RO_DENOISE_DEFAULTS, .model = "anisotropic"};
    const double before = run(&options, &first);
    options.schedule = "reference";
    assert_true(run(&options, &steps) == before);
    assert_int_equal(steps, first);
    options.schedule = NULL;
    options.stop = "usual";
    run(&options, &steps);
    assert_int_equal(steps, 20);
    /* with kappa given a stream could not tell, so nothing is chosen unless it is asked for */
    options = (ro_denoise_options){RO_DENOISE_DEFAULTS, .kappa = 10};
    run(&options, &steps);
    assert_int_equal(steps, 20);
    options.stop = "auto";
    run(&options, &steps);
    assert_true(steps != 20);
    options.iterations = 3;
    run(&options, &steps);
    assert_int_equal(steps, 3);
}

static void odd_pictures(void **state)
{
    (void)state;
    static float values[3 * 70];
    static const uint32_t sizes[][2] = {{1, 1}, {1, 70}, {70, 1}, {2, 2}, {17, 4}};
    for (int i = 0; i < 5; i++) {
        ro_image image = {.format = RO_RGBF,
                          .width = sizes[i][0],
                          .height = sizes[i][1],
                          .maxval = 0,
                          .stride = (ptrdiff_t)(sizes[i][0] * 3 * sizeof(float)),
                          .data = values};
        ro_denoise_report report = {.size = sizeof report};
        ro_denoise_options options = {RO_DENOISE_DEFAULTS,
                                      .scheme = i % 2 ? "implicit" : "explicit"};
        assert_int_equal(ro_denoise(context, &image, &image, &options, &report), RO_OK);
        assert_true(report.steps >= 1);
    }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        ro_denoise_options options;
        const char *says;
    } cases[] = {
        {{RO_DENOISE_DEFAULTS, .stop = "aut"},
         "stop aut: must be auto or usual; did you mean auto?"},
        {{RO_DENOISE_DEFAULTS, .stop = "auto", .until_converged = 1}, "exclude each other"},
        {{RO_DENOISE_DEFAULTS, .stop = "auto", .scheme = "naive"}, "stop does not apply"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ro_denoise(context, &in, &out, &cases[i].options, NULL), RO_E_ARGUMENT);
        if (!strstr(ro_context_message(context), cases[i].says))
            fail_msg("\"%s\" has no \"%s\"", ro_context_message(context), cases[i].says);
    }
    ro_plan *plan;
    ro_stream *stream;
    const ro_denoise_options rows = {RO_DENOISE_DEFAULTS, .kappa = 5, .stop = "auto"},
                             few = {RO_DENOISE_DEFAULTS, .kappa = 5, .number = "s9"};
    assert_int_equal(open_denoise(context, &in, &out, &rows, &plan, &stream, NULL), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "stream of rows"));
    assert_int_equal(open_denoise(context, &in, &out, &few, &plan, &stream, NULL),
                     RO_E_UNSUPPORTED);
    assert_non_null(strstr(ro_context_message(context), "scheme explicit"));
}

static void schemes_by_number(void **state)
{
    (void)state;
    ro_denoise_options options = RO_DENOISE_OPTIONS;
    assert_null(ro_denoise_scheme(&options)); /* model trained has none */
    options.model = "anisotropic";
    assert_string_equal(ro_denoise_scheme(&options), "explicit");
    options.model = NULL;
    options.kappa = 3;
    assert_string_equal(ro_denoise_scheme(&options), "explicit");
    options.kappa = 0;
    options.number = "s9";
    assert_string_equal(ro_denoise_scheme(&options), "implicit");
    options.until_converged = 1;
    assert_string_equal(ro_denoise_scheme(&options), "explicit");
    options.scheme = "naive";
    assert_string_equal(ro_denoise_scheme(&options), "naive");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_the_best),
        cmocka_unit_test(noise_in_even_places),
        cmocka_unit_test(the_same_everywhere),
        cmocka_unit_test(odd_pictures),
        cmocka_unit_test(refused),
        cmocka_unit_test(schemes_by_number),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
