/* SPDX-License-Identifier: MIT */
/* Figures of every step: what the filter guarantees, seen step by step, and alike by all schedules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/random.h"
#include "roundoff.h"
#include "streams.h"

#include <math.h>
#include <string.h>

enum { MOST = 512, WIDTH = 70, HEIGHT = 45 };

struct trace {
    int count;
    ro_denoise_step steps[MOST];
};

static void remember(void *data, const ro_denoise_step *step)
{
    struct trace *trace = data;
    assert_int_equal(step->step, trace->count);
    assert_true(trace->count < MOST);
    trace->steps[trace->count++] = *step;
}

static struct trace traced(ro_denoise_options options, ro_format format, uint64_t *sum)
{
    struct trace trace = {0};
    ro_denoise_report report = {.size = sizeof report};
    ro_context *context;
    ro_image in, out;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    assert_int_equal(ro_image_alloc(context, format, WIDTH, HEIGHT, 0, &in), RO_OK);
    assert_int_equal(ro_image_alloc(context, format, WIDTH, HEIGHT, 0, &out), RO_OK);
    assert_int_equal(ro_testcard(context, &in), RO_OK);
    *sum = 0;
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < ro_format_row_bytes(format, WIDTH); x++) {
            uint8_t *pixel = (uint8_t *)in.data + y * in.stride + x;
            *pixel = (uint8_t)(*pixel / 2 + pixel_hash(3, (uint32_t)x, y) % 100);
            *sum += *pixel;
        }
    options.on_step = remember;
    options.on_step_data = &trace;
    ro_status status = ro_denoise(context, &in, &out, &options, &report);
    if (status != RO_OK)
        print_error("%s\n", ro_context_message(context));
    assert_int_equal(status, RO_OK);
    assert_int_equal(trace.count, report.steps + 1);
    const ro_denoise_step *last = &trace.steps[trace.count - 1];
    assert_true(report.sum_after == (last->exact ? (double)last->sum : last->real_sum));
    assert_true(report.max_after == (last->exact ? (double)last->max : last->real_max));
    ro_image_free(&in);
    ro_image_free(&out);
    ro_context_close(context);
    return trace;
}

static int energy_order(const ro_denoise_step *a, const ro_denoise_step *b)
{
    if (a->energy_high != b->energy_high)
        return a->energy_high < b->energy_high ? -1 : 1;
    return a->energy_low < b->energy_low ? -1 : a->energy_low > b->energy_low;
}

static void test_guarantees(void **state)
{
    (void)state;
    static const char *const numbers[] = {"s9", "s12", "s16", "s24"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint64_t sum;
        const struct trace trace =
            traced((ro_denoise_options){RO_DENOISE_DEFAULTS, .number = numbers[i], .kappa = 9,
                                        .scheme = "explicit"},
                   RO_RGB8, &sum);
        assert_int_equal(trace.count, 21);
        assert_true(trace.steps[0].sum > 0 && sum > 0);
        assert_true(energy_order(&trace.steps[1], &trace.steps[0]) < 0);
        for (int k = 1; k < trace.count; k++) {
            const ro_denoise_step *a = &trace.steps[k - 1], *b = &trace.steps[k];
            assert_true(b->exact);
            assert_int_equal(b->sum, a->sum);
            assert_true(b->min >= a->min && b->max <= a->max);
            assert_true(energy_order(b, a) <= 0); /* equal at the fixed point */
        }
    }
}

static void test_schedules_agree(void **state)
{
    (void)state;
    uint64_t sum;
    const ro_denoise_options options = {RO_DENOISE_DEFAULTS, .kappa = 9};
    const struct trace wanted = traced(options, RO_GREY8, &sum);
    assert_int_equal(wanted.steps[0].sum, 128 * sum);
    static const char *const schedules[] = {"reference", "passes", "stream"};
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        ro_denoise_options other = options;
        other.schedule = schedules[i];
        const struct trace trace = traced(other, RO_GREY8, &sum);
        assert_int_equal(trace.count, wanted.count);
        assert_memory_equal(trace.steps, wanted.steps, (size_t)wanted.count * sizeof *wanted.steps);
    }
}

static void test_schemes(void **state)
{
    (void)state;
    static const ro_denoise_options some[] = {
        {RO_DENOISE_DEFAULTS, .scheme = "implicit"},
        {RO_DENOISE_DEFAULTS, .scheme = "conjugate"},
        {RO_DENOISE_DEFAULTS, .scheme = "naive", .number = "s9"},
        {RO_DENOISE_DEFAULTS, .scheme = "xpp24"},
        {RO_DENOISE_DEFAULTS, .number = "s23e8"},
        {RO_DENOISE_DEFAULTS, .scheme = "implicit", .number = "s16e7"},
    };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        uint64_t sum;
        const struct trace trace = traced(some[i], RO_GREY8, &sum);
        assert_true(trace.count > 2);
        if (i < 2) /* what sweeps lose is dithered back */
            assert_int_equal(trace.steps[trace.count - 1].sum, trace.steps[0].sum);
        if (i == 2)
            assert_true(trace.steps[trace.count - 1].sum < trace.steps[0].sum);
    }
}

/* ---- Frames ---------------------------------------------------------------------------------- */

enum { STEPS = 7, EVERY = 3 };

struct frames {
    ro_context *context;
    int count;
    uint32_t stop_at, steps[STEPS + 1];
    ro_image images[STEPS + 1];
};

static int keep(void *data, const ro_image *now, uint32_t step)
{
    struct frames *frames = data;
    ro_image *image = &frames->images[frames->count];
    assert_true(frames->count <= STEPS);
    assert_int_equal(
        ro_image_alloc(frames->context, now->format, now->width, now->height, now->maxval, image),
        RO_OK);
    for (uint32_t y = 0; y < now->height; y++)
        memcpy((char *)image->data + y * image->stride, (const char *)now->data + y * now->stride,
               ro_format_row_bytes(now->format, now->width));
    frames->steps[frames->count++] = step;
    return step == frames->stop_at && step > 0;
}

static void same_image(const ro_image *a, const ro_image *b)
{
    for (uint32_t y = 0; y < a->height; y++)
        assert_memory_equal((const char *)a->data + y * a->stride,
                            (const char *)b->data + y * b->stride,
                            ro_format_row_bytes(a->format, a->width));
}

/* A frame is what the output would be with so many steps, in every scheme and number system. */
static void test_frames(void **state)
{
    (void)state;
    static const struct {
        const char *scheme, *number, *schedule;
        ro_format in, out;
    } cases[] = {
        {"explicit", "u8", "reference", RO_GREY8, RO_GREY8},
        {"explicit", "s9", NULL, RO_RGB8, RO_RGB8},
        {"explicit", "s12", "passes", RO_GREY8, RO_GREY16},
        {"explicit", "s16", NULL, RO_GREY8, RO_GREY8},
        {"explicit", "s17", "stream", RO_RGB8, RO_RGB16},
        {"explicit", "s24", NULL, RO_GREY8, RO_GREYF},
        {"explicit", "s10e5", NULL, RO_GREY8, RO_GREY8},
        {"explicit", "s23e8", NULL, RO_RGB8, RO_RGBF},
        {"implicit", "s9", NULL, RO_RGB8, RO_RGB8},
        {"implicit", "s16", "reference", RO_GREY8, RO_GREY8},
        {"implicit", "s16e7", NULL, RO_GREY8, RO_GREY8},
        {"conjugate", "s12", NULL, RO_GREY8, RO_GREY8},
        {"naive", "s12", NULL, RO_GREY8, RO_GREY8},
        {"xpp24", NULL, NULL, RO_GREY8, RO_GREY8},
    };
    ro_context *context;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ro_image in, out, want;
        assert_int_equal(ro_image_alloc(context, cases[i].in, WIDTH, HEIGHT, 0, &in), RO_OK);
        assert_int_equal(ro_image_alloc(context, cases[i].out, WIDTH, HEIGHT, 0, &out), RO_OK);
        assert_int_equal(ro_image_alloc(context, cases[i].out, WIDTH, HEIGHT, 0, &want), RO_OK);
        assert_int_equal(ro_testcard(context, &in), RO_OK);
        struct frames frames = {.context = context};
        ro_denoise_options options = {RO_DENOISE_DEFAULTS,           .scheme = cases[i].scheme,
                                      .number = cases[i].number,     .kappa = 9,
                                      .schedule = cases[i].schedule, .iterations = STEPS};
        options.frame_every = EVERY;
        options.frame = keep;
        options.frame_data = &frames;
        ro_status status = ro_denoise(context, &in, &out, &options, NULL);
        if (status != RO_OK)
            fail_msg("case %zu: %s", i, ro_context_message(context));
        static const uint32_t steps[] = {0, 3, 6, 7};
        assert_int_equal(frames.count, 4);
        same_image(&frames.images[3], &out);
        options.frame_every = 0;
        for (int k = 0; k < 4; k++) {
            assert_int_equal(frames.steps[k], steps[k]);
            options.iterations = steps[k];
            if (k > 0) {
                assert_int_equal(ro_denoise(context, &in, &want, &options, NULL), RO_OK);
                same_image(&frames.images[k], &want);
            }
            ro_image_free(&frames.images[k]);
        }
        /* a caller may stop it */
        frames = (struct frames){.context = context, .stop_at = 3};
        options.iterations = STEPS;
        options.frame_every = EVERY;
        assert_int_equal(ro_denoise(context, &in, &out, &options, NULL), RO_E_CANCELLED);
        assert_int_equal(frames.count, 2);
        assert_non_null(strstr(ro_context_message(context), "stopped at step 3"));
        for (int k = 0; k < frames.count; k++)
            ro_image_free(&frames.images[k]);
        ro_image_free(&in);
        ro_image_free(&out);
        ro_image_free(&want);
    }
    ro_context_close(context);
}

/* What a step changed, from the numbers of float outputs. */
static void test_changes(void **state)
{
    (void)state;
    static const char *const numbers[] = {"s9", "s16", "s24", "s23e8"};
    ro_context *context;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    for (size_t n = 0; n < 4; n++) {
        ro_image in, out;
        struct frames frames = {.context = context};
        struct trace trace = {0};
        ro_denoise_report report = {.size = sizeof report};
        assert_int_equal(ro_image_alloc(context, RO_GREY8, WIDTH, HEIGHT, 0, &in), RO_OK);
        assert_int_equal(ro_image_alloc(context, RO_GREYF, WIDTH, HEIGHT, 0, &out), RO_OK);
        assert_int_equal(ro_testcard(context, &in), RO_OK);
        const ro_denoise_options options = {RO_DENOISE_DEFAULTS,   .scheme = "explicit",
                                            .number = numbers[n],  .kappa = 9,
                                            .iterations = STEPS,   .on_step = remember,
                                            .frame = keep,         .on_step_data = &trace,
                                            .frame_data = &frames, .frame_every = 1};
        assert_int_equal(ro_denoise(context, &in, &out, &options, &report), RO_OK);
        assert_true(trace.steps[0].change == 0);
        for (int k = 1; k <= STEPS; k++) {
            double sum = 0;
            for (uint32_t y = 0; y < HEIGHT; y++)
                for (uint32_t x = 0; x < WIDTH; x++) {
                    const ro_image *a = &frames.images[k - 1], *b = &frames.images[k];
                    const double d = (double)((float *)((char *)b->data + y * b->stride))[x] -
                                     (double)((float *)((char *)a->data + y * a->stride))[x];
                    sum += d * d;
                }
            const double want = report.white * sqrt(sum / (WIDTH * HEIGHT));
            assert_true(fabs(trace.steps[k].change - want) <= 1e-5 * want + 1e-9);
        }
        for (int k = 0; k < frames.count; k++)
            ro_image_free(&frames.images[k]);
        ro_image_free(&in);
        ro_image_free(&out);
    }
    ro_context_close(context);
}

static void test_streams_refuse(void **state)
{
    (void)state;
    ro_context *context;
    ro_plan *plan;
    ro_stream *stream;
    struct trace trace;
    const ro_image shape = {
        .format = RO_GREY8, .width = 10, .height = 10, .maxval = 255, .stride = 0, .data = NULL};
    const ro_denoise_options options = {RO_DENOISE_DEFAULTS, .kappa = 5, .on_step = remember,
                                        .on_step_data = &trace};
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    assert_int_equal(open_denoise(context, &shape, &shape, &options, &plan, &stream, NULL),
                     RO_E_UNSUPPORTED);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guarantees), cmocka_unit_test(test_schedules_agree),
        cmocka_unit_test(test_schemes),    cmocka_unit_test(test_frames),
        cmocka_unit_test(test_changes),    cmocka_unit_test(test_streams_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
