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
        cmocka_unit_test(test_guarantees),
        cmocka_unit_test(test_schedules_agree),
        cmocka_unit_test(test_schemes),
        cmocka_unit_test(test_streams_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
