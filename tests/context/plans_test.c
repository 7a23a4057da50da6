/* SPDX-License-Identifier: MIT */
/* Plans that eight threads run at the same time, as images and as streams, after the caller has
 * overwritten its options. The thread sanitizer runs this, too. */
#include "roundoff.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 8, RUNS = 6, WIDTH = 96, HEIGHT = 73, BYTES = 3 * WIDTH * HEIGHT };

static ro_context *context;
static uint8_t pixels[BYTES], right[4 * BYTES];

static int open_context(void **state)
{
    (void)state;
    ro_context_options options = RO_CONTEXT_OPTIONS;
    options.threads = 3;
    ro_image card = ro_image_view(RO_RGB8, WIDTH, HEIGHT, pixels);
    return ro_context_open(&options, &context) != RO_OK || ro_testcard(context, &card) != RO_OK;
}

static int close_context(void **state)
{
    (void)state;
    ro_context_close(context);
    return 0;
}

static ro_image view(ro_format format, void *data)
{
    return (ro_image){.format = format,
                      .width = WIDTH,
                      .height = HEIGHT,
                      .maxval = 0,
                      .stride = (ptrdiff_t)ro_format_row_bytes(format, WIDTH),
                      .data = data};
}

struct user {
    pthread_t thread;
    ro_plan *plan;
    ro_format from, to;
    bool streams;
    int number;
    char wrong[200];
};

static ro_status run_rows(ro_plan *plan, const ro_image *in, ro_image *out)
{
    ro_stream *stream;
    ro_status status = ro_stream_open(plan, NULL, &stream);
    if (status != RO_OK)
        return status;
    for (uint32_t pushed = 0, pulled = 0, n = 0; pulled < HEIGHT && status == RO_OK; pulled += n) {
        status = ro_stream_push(stream, (char *)in->data + pushed * in->stride, in->stride,
                                HEIGHT - pushed < 9 ? HEIGHT - pushed : 9, &n);
        pushed += n;
        n = 0;
        if (status == RO_OK)
            status = ro_stream_pull(stream, (char *)out->data + pulled * out->stride, out->stride,
                                    HEIGHT - pulled, &n);
    }
    ro_stream_close(stream);
    return status;
}

static void *run_plan(void *data)
{
    struct user *user = data;
    uint8_t *got = malloc(4 * BYTES);
    const ro_image in = view(user->from, pixels);
    ro_image out = view(user->to, got);
    for (int i = 0; i < RUNS && !*user->wrong; i++) {
        const bool rows = user->streams && (i + user->number) % 3 == 0;
        memset(got, 0xaa, 4 * BYTES);
        if ((rows ? run_rows(user->plan, &in, &out) : ro_plan_run(user->plan, &in, &out, NULL)) !=
            RO_OK)
            snprintf(user->wrong, sizeof user->wrong, "%s", ro_context_message(context));
        else if (memcmp(got, right, (size_t)out.stride * HEIGHT) != 0)
            snprintf(user->wrong, sizeof user->wrong, "run %d differs", i);
    }
    free(got);
    return NULL;
}

static void run_by_all(const char *name, ro_plan *plan, ro_format from, ro_format to)
{
    struct user users[THREADS] = {0};
    ro_plan_info info = {.size = sizeof info};
    assert_int_equal(ro_plan_query(plan, &info), RO_OK);
    for (int i = 0; i < THREADS; i++) {
        users[i] = (struct user){
            .plan = plan, .from = from, .to = to, .streams = info.streams, .number = i};
        assert_int_equal(pthread_create(&users[i].thread, NULL, run_plan, &users[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(users[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        if (*users[i].wrong)
            fail_msg("%s, thread %d: %s", name, i, users[i].wrong);
    ro_plan_free(plan);
}

/* Makes a plan, and the right result by a call of its own; then all that the options point to is
 * overwritten by the caller. */
static ro_plan *halftone_plan(const char *name, ro_format from, ro_format to,
                              const ro_halftone_options *options)
{
    ro_plan *plan;
    const ro_image in = view(from, pixels);
    ro_image out = view(to, right);
    if (ro_halftone(context, &in, &out, options) != RO_OK ||
        ro_halftone_plan(context, &in, to, options, &plan) != RO_OK)
        fail_msg("%s: %s", name, ro_context_message(context));
    return plan;
}

static void halftones(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        ro_format from, to;
    } cases[] = {
        {"floyd-steinberg", RO_GREY8, RO_BITS}, {"ostromoukhov", RO_GREY8, RO_INDEX8},
        {"acuity", RO_RGB8, RO_BITS},           {"void-and-cluster", RO_RGB8, RO_BITS},
        {"dot-diffusion", RO_GREY8, RO_BITS},   {"dbs", RO_GREY8, RO_BITS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char method[32];
        ro_halftone_options options = RO_HALFTONE_OPTIONS;
        strcpy(method, cases[i].method);
        options.method = method;
        ro_plan *plan = halftone_plan(method, cases[i].from, cases[i].to, &options);
        memset(method, 'x', sizeof method - 1);
        run_by_all(cases[i].method, plan, cases[i].from, cases[i].to);
    }
}

static void palettes(void **state)
{
    (void)state;
    ro_halftone_options options = RO_HALFTONE_OPTIONS;
    ro_tone_point curve[2] = {{0, 0.1}, {1, 0.8}};
    ro_palette palette;
    assert_int_equal(ro_palette_parse(context, "7-colour", &palette), RO_OK);
    options.palette = &palette;
    options.fit = RO_FIT_FULL;
    options.tone.curve = curve;
    options.tone.curve_points = 2;
    ro_plan *plan = halftone_plan("palette", RO_RGB8, RO_INDEX8, &options);
    memset(&palette, 77, sizeof palette);
    memset(curve, 77, sizeof curve);
    run_by_all("palette", plan, RO_RGB8, RO_INDEX8);
}

static void inks(void **state)
{
    (void)state;
    char names[2][8] = {"red", "black"};
    ro_tone_point curve[2] = {{0, 0}, {1, 0.7}};
    ro_ink of[2] = {{.name = names[0], .colour = {200, 20, 10}, .curve = curve, .curve_points = 2},
                    {.name = names[1], .colour = {0, 0, 0}}};
    ro_halftone_options options = RO_HALFTONE_OPTIONS;
    options.channels = RO_CHANNELS_INKS;
    options.inks = of;
    options.ink_count = 2;
    ro_plan *plan = halftone_plan("inks", RO_RGB8, RO_INDEX8, &options);
    memset(names, 'x', sizeof names);
    memset(curve, 77, sizeof curve);
    memset(of, 77, sizeof of);
    run_by_all("inks", plan, RO_RGB8, RO_INDEX8);
}

static void screens_and_kernels(void **state)
{
    (void)state;
    uint8_t ranks[16] = {0, 128, 32, 160, 192, 64, 224, 96, 48, 176, 16, 144, 240, 112, 208, 80};
    ro_image screen = {.format = RO_GREY8,
                       .width = 4,
                       .height = 4,
                       .maxval = 255,
                       .stride = -4,
                       .data = ranks + 12}; /* from the bottom */
    ro_halftone_options options = RO_HALFTONE_OPTIONS;
    options.method = "screen";
    options.screen = &screen;
    ro_plan *plan = halftone_plan("screen", RO_GREY8, RO_BITS, &options);
    memset(ranks, 77, sizeof ranks);
    screen.data = NULL;
    run_by_all("screen", plan, RO_GREY8, RO_BITS);

    ro_kernel kernel = {.divisor = 3, .count = 2, .taps = {{1, 0, 2}, {0, 1, 1}}};
    options = (ro_halftone_options)RO_HALFTONE_OPTIONS;
    options.kernel = &kernel;
    plan = halftone_plan("kernel", RO_GREY8, RO_BITS, &options);
    memset(&kernel, 77, sizeof kernel);
    run_by_all("kernel", plan, RO_GREY8, RO_BITS);
}

static void separations(void **state)
{
    (void)state;
    const size_t steps = (size_t)RO_SEPARATION_SIDE * RO_SEPARATION_SIDE * RO_SEPARATION_SIDE;
    ro_separation separation = {4, calloc(4 * steps, sizeof(uint16_t))};
    for (size_t i = 0; i < 4 * steps; i++)
        separation.shares[i] = (uint16_t)(i * 2654435761u >> 17);
    ro_halftone_options options = RO_HALFTONE_OPTIONS;
    options.channels = RO_CHANNELS_CMYK;
    options.separation = &separation;
    ro_plan *plan = halftone_plan("separation", RO_RGB8, RO_INDEX8, &options);
    free(separation.shares);
    separation.shares = NULL;
    run_by_all("separation", plan, RO_RGB8, RO_INDEX8);
}

static void denoising(void **state)
{
    (void)state;
    static const struct {
        const char *model, *scheme;
        ro_format format;
    } cases[] = {{"anisotropic", "explicit", RO_GREY8},
                 {"perona-malik", "explicit", RO_RGB8},
                 {"edge-enhancing", "implicit", RO_GREY8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char model[32], scheme[32];
        ro_plan *plan;
        ro_denoise_options options = RO_DENOISE_OPTIONS;
        strcpy(model, cases[i].model);
        strcpy(scheme, cases[i].scheme);
        options.model = model;
        options.scheme = scheme;
        options.kappa = 6;
        options.iterations = 7;
        const ro_image in = view(cases[i].format, pixels);
        ro_image out = view(cases[i].format, right);
        if (ro_denoise(context, &in, &out, &options, NULL) != RO_OK ||
            ro_denoise_plan(context, &in, &out, &options, &plan) != RO_OK)
            fail_msg("%s", ro_context_message(context));
        memset(model, 'x', sizeof model - 1);
        memset(scheme, 'x', sizeof scheme - 1);
        run_by_all(cases[i].model, plan, cases[i].format, cases[i].format);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halftones),
        cmocka_unit_test(palettes),
        cmocka_unit_test(inks),
        cmocka_unit_test(separations),
        cmocka_unit_test(screens_and_kernels),
        cmocka_unit_test(denoising),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
