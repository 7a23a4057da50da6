/* SPDX-License-Identifier: MIT */
/* Plans to denoise give what the one-line call gives, again and again, and allocate nothing. */
#include "allocations.h"
#include "core/random.h"
#include "cuda/cuda.h"
#include "roundoff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Runs --------------------------------------------------------------------------------------
 */

enum { WIDTH = 61, HEIGHT = 47, PICTURES = 2 };

static _Alignas(8) uint8_t pixels[PICTURES][12 * WIDTH * HEIGHT];
static _Alignas(8) uint8_t expected[12 * WIDTH * HEIGHT], got[12 * WIDTH * HEIGHT];

static ro_image view(ro_format format, void *data)
{
    return (ro_image){.format = format,
                      .width = WIDTH,
                      .height = HEIGHT,
                      .maxval = 0,
                      .stride = (ptrdiff_t)ro_format_row_bytes(format, WIDTH),
                      .data = data};
}

static void check(int threads, ro_format from, ro_format to, ro_denoise_options options,
                  bool allocates)
{
    ro_context_options how = RO_CONTEXT_OPTIONS;
    ro_context *context;
    ro_plan *plan;
    ro_plan_info info = {.size = sizeof info};
    how.device = RO_DEVICE_CPU;
    how.threads = threads;
    assert_int_equal(ro_context_open(&how, &context), RO_OK);
    const ro_image shape = {.format = from,
                            .width = WIDTH,
                            .height = HEIGHT,
                            .maxval = 0,
                            .stride = 0,
                            .data = NULL},
                   made = {.format = to,
                           .width = WIDTH,
                           .height = HEIGHT,
                           .maxval = 0,
                           .stride = 0,
                           .data = NULL};
    if (ro_denoise_plan(context, &shape, &made, &options, &plan) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    assert_int_equal(ro_plan_query(plan, &info), RO_OK);
    assert_true(info.bytes > 0 && info.carried == -1 && info.rows == (info.streams ? 1 : HEIGHT));
    for (int run = 0; run < 4; run++) {
        const ro_image in = view(from, pixels[run % PICTURES]);
        ro_image right = view(to, expected), out = view(to, got);
        ro_denoise_report wanted = {.size = sizeof wanted}, report = {.size = sizeof report};
        assert_int_equal(ro_denoise(context, &in, &right, &options, &wanted), RO_OK);
        memset(got, 0xaa, sizeof got);
        const long before = allocations;
        if (run < 3)
            assert_int_equal(
                ro_plan_run(plan, &in, &out, &(ro_run){RO_RUN_DEFAULTS, .report = &report}), RO_OK);
        else
            assert_int_equal(ro_plan_run(plan, &in, &out, NULL), RO_OK);
        if (!allocates && run > 0) /* the first takes memory for the pixels */
            assert_int_equal(allocations - before, 0);
        assert_memory_equal(expected, got, (size_t)out.stride * HEIGHT);
        if (run < 3)
            assert_memory_equal(&wanted, &report, sizeof report);
    }
    ro_image other = view(from, pixels[0]), out = view(to, got);
    other.width--;
    assert_int_equal(ro_plan_run(plan, &other, &out, NULL), RO_E_SIZE);
    assert_int_equal(
        ro_plan_run(plan, &other, &out,
                    &(ro_run){RO_RUN_DEFAULTS, .count = 0, .on_device = 1, .stream = NULL}),
        RO_E_ARGUMENT);
    assert_int_equal(
        ro_plan_run(plan, &other, &out,
                    &(ro_run){RO_RUN_DEFAULTS, .count = 1, .on_device = 1, .stream = NULL}),
        RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "runs on the CPU"));
    ro_plan_free(plan);
    ro_context_close(context);
}

static void runs_are_alike(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < PICTURES; p++)
        for (uint32_t i = 0; i < sizeof pixels[p]; i++)
            pixels[p][i] = (uint8_t)((pixel_hash(p, i, 0) >> 26) + i % WIDTH * 2);
    for (int threads = 1; threads <= 3; threads += 2) {
        check(threads, RO_GREY8, RO_GREY8,
              (ro_denoise_options){RO_DENOISE_DEFAULTS, .kappa = 4, .iterations = 11}, false);
        check(threads, RO_RGB8, RO_RGB16,
              (ro_denoise_options){RO_DENOISE_DEFAULTS, .model = "linear", .iterations = 3}, false);
        check(threads, RO_GREY16, RO_GREY8,
              (ro_denoise_options){RO_DENOISE_DEFAULTS, .kappa = 3, .schedule = "passes"}, false);
        check(threads, RO_GREY8, RO_GREYF,
              (ro_denoise_options){RO_DENOISE_DEFAULTS, .kappa = 3, .number = "s9",
                                   .until_converged = 1, .iterations = 40},
              false);
        check(threads, RO_GREY8, RO_GREY8,
              (ro_denoise_options){RO_DENOISE_DEFAULTS, .kappa = 3, .scheme = "implicit"}, true);
    }
    check(1, RO_GREY8, RO_GREY8,
          (ro_denoise_options){RO_DENOISE_DEFAULTS, .kappa = 3, .schedule = "reference"}, true);
}

static void noise_needs_pixels(void **state)
{
    (void)state;
    ro_context *context;
    ro_plan *plan;
    const ro_image shape = {
        .format = RO_GREY8, .width = 8, .height = 8, .maxval = 0, .stride = 0, .data = NULL};
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    const ro_denoise_options options = {RO_DENOISE_DEFAULTS, .model = "anisotropic"};
    assert_int_equal(ro_denoise_plan(context, &shape, &shape, NULL, &plan), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "give noise-level"));
    assert_int_equal(ro_denoise_plan(context, &shape, &shape, &options, &plan), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "give kappa"));
    assert_null(plan);
    ro_context_close(context);
}

/* Pictures in the memory of a device, if there is one: as in host memory, to the bit. */
static void runs_in_device_memory(void **state)
{
    (void)state;
    const ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CUDA};
    const ro_denoise_options options = {RO_DENOISE_DEFAULTS, .kappa = 4, .iterations = 11},
                             implicit = {RO_DENOISE_DEFAULTS, .kappa = 4, .scheme = "implicit"};
    const ro_image host = view(RO_GREY8, pixels[0]);
    ro_image right = view(RO_GREY8, expected), in[2] = {host, host}, out[2] = {host, host};
    ro_context *context;
    ro_plan *plan;
    const size_t bytes = (size_t)host.stride * HEIGHT;
    if (ro_context_open(&how, &context) != RO_OK)
        skip();
    assert_int_equal(ro_denoise_plan(context, &host, &right, &options, &plan), RO_OK);
    assert_int_equal(ro_plan_run(plan, &host, &right, NULL), RO_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cuda_alloc(context, bytes, &in[i].data), RO_OK);
        assert_int_equal(cuda_alloc(context, bytes, &out[i].data), RO_OK);
        assert_int_equal(cuda_copy(context, in[i].data, host.data, bytes), RO_OK);
    }
    assert_int_equal(ro_plan_run(plan, in, out,
                                 &(ro_run){RO_RUN_DEFAULTS, .count = 2, .on_device = 1,
                                           .stream = cuda_stream(context)}),
                     RO_OK);
    const ro_report *ran = ro_context_report(context);
    assert_true(ran->device == RO_DEVICE_CUDA && ran->steps == 11 && ran->launches > 2);
    assert_int_equal(cuda_wait(context), RO_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cuda_copy(context, got, out[i].data, bytes), RO_OK);
        assert_memory_equal(expected, got, bytes);
    }
    out[1].height--;
    assert_int_equal(
        ro_plan_run(plan, in, out,
                    &(ro_run){RO_RUN_DEFAULTS, .count = 2, .on_device = 1, .stream = NULL}),
        RO_E_SIZE);
    ro_plan_free(plan);
    out[1].height++;
    assert_int_equal(ro_denoise_plan(context, &host, &right, &implicit, &plan), RO_OK);
    assert_int_equal(
        ro_plan_run(plan, in, out,
                    &(ro_run){RO_RUN_DEFAULTS, .count = 1, .on_device = 1, .stream = NULL}),
        RO_E_UNSUPPORTED);
    ro_plan_free(plan);
    for (int i = 0; i < 2; i++) {
        cuda_free(in[i].data);
        cuda_free(out[i].data);
    }
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_alike),
        cmocka_unit_test(noise_needs_pixels),
        cmocka_unit_test(runs_in_device_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
