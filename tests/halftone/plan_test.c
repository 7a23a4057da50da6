/* SPDX-License-Identifier: MIT */
/* Plans run any number of times, give what the one-line calls give, and allocate nothing. */
#include "allocations.h"
#include "core/random.h"
#include "roundoff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Pictures ------------------------------------------------------------------------------- */

enum { WIDTH = 75, HEIGHT = 50, PIXELS = WIDTH * HEIGHT, PICTURES = 2 };

static ro_context *context;
static _Alignas(8) uint8_t pixels[PICTURES][12 * PIXELS];
static uint8_t expected[3 * PIXELS], got[3 * PIXELS];

static int open_context(void **state)
{
    (void)state;
    const ro_context_options options = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 1};
    for (uint32_t p = 0; p < PICTURES; p++)
        for (uint32_t i = 0; i < sizeof pixels[p]; i++)
            pixels[p][i] = (uint8_t)((pixel_hash(p, i, 0) >> 25) + i % WIDTH * 128 / WIDTH);
    return ro_context_open(&options, &context) != RO_OK;
}

static int close_context(void **state)
{
    (void)state;
    ro_context_close(context);
    return 0;
}

static ro_image picture(ro_format format, int number)
{
    static _Alignas(8) float floats[PICTURES][3 * PIXELS];
    ro_image image = {.format = format,
                      .width = WIDTH,
                      .height = HEIGHT,
                      .maxval = 0,
                      .stride = (ptrdiff_t)ro_format_row_bytes(format, WIDTH),
                      .data = pixels[number]};
    if (format == RO_GREYF || format == RO_RGBF) {
        for (int i = 0; i < 3 * PIXELS; i++)
            floats[number][i] = (float)pixels[number][i] / 255;
        image.data = floats[number];
    }
    return image;
}

static ro_image result(ro_format format, uint8_t *data)
{
    return (ro_image){.format = format,
                      .width = WIDTH,
                      .height = HEIGHT,
                      .maxval = 0,
                      .stride = (ptrdiff_t)ro_format_row_bytes(format, WIDTH),
                      .data = data};
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static void run_stream(ro_plan *plan, const ro_image *in, const ro_image *out)
{
    ro_stream *stream;
    assert_int_equal(ro_stream_open(plan, NULL, &stream), RO_OK);
    for (uint32_t pushed = 0, pulled = 0, taken, given; pulled < HEIGHT;
         pushed += taken, pulled += given) {
        const uint32_t count = HEIGHT - pushed < 11 ? HEIGHT - pushed : 11;
        assert_int_equal(ro_stream_push(stream, (uint8_t *)in->data + pushed * in->stride,
                                        in->stride, count, &taken),
                         RO_OK);
        assert_int_equal(ro_stream_pull(stream, (uint8_t *)out->data + pulled * out->stride,
                                        out->stride, HEIGHT - pulled, &given),
                         RO_OK);
    }
    ro_stream_close(stream);
}

/* Both pictures in turn, as whole images and row by row. */
static void check(ro_format from, ro_format to, const ro_halftone_options *options, bool allocates)
{
    ro_plan *plan;
    ro_plan_info info = {.size = sizeof info};
    const ro_image shape = {
        .format = from, .width = WIDTH, .height = HEIGHT, .maxval = 0, .stride = 0, .data = NULL};
    if (ro_halftone_plan(context, &shape, to, options, &plan) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    assert_int_equal(ro_plan_query(plan, &info), RO_OK);
    assert_true(info.rows >= 1 && info.bytes > 0 && info.device == RO_DEVICE_CPU);
    for (int run = 0; run < 3 + 3 * info.streams; run++) {
        const ro_image in = picture(from, run % PICTURES);
        ro_image right = result(to, expected), out = result(to, got);
        assert_int_equal(ro_halftone(context, &in, &right, options), RO_OK);
        const uint64_t steps = ro_context_report(context)->steps;
        memset(got, 0xaa, sizeof got);
        const long before = allocations;
        if (run < 3)
            assert_int_equal(ro_plan_run(plan, &in, &out, NULL), RO_OK);
        else
            run_stream(plan, &in, &out);
        if (run == 3) /* the first stream */
            assert_true(allocations > before);
        else if (!allocates)
            assert_int_equal(allocations - before, 0);
        if (memcmp(expected, got, (size_t)out.stride * HEIGHT) != 0)
            fail_msg("%s from %s to %s: run %d differs", info.method, ro_format_name(from),
                     ro_format_name(to), run);
        if (run < 3) {
            const ro_report *ran = ro_context_report(context);
            assert_string_equal(ran->method, info.method);
            assert_int_equal(ran->steps, steps);
        }
    }
    ro_plan_free(plan);
}

static void every_method(void **state)
{
    (void)state;
    uint16_t cells[6] = {1, 4, 2, 5, 3, 0};
    const ro_image screen = ro_image_view(RO_GREY16, 3, 2, cells);
    const ro_method *method;
    for (int m = 0; (method = ro_halftone_method_at(m)); m++) {
        const bool search = strcmp(method->family, "search") == 0;
        ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = method->name};
        if (strcmp(method->name, "screen") == 0)
            options.screen = &screen;
        check(RO_GREY8, RO_BITS, &options, search);
        check(RO_GREY16, RO_GREY8, &options, search);
        check(RO_RGB8, RO_INDEX8, &options, search);
        if (!search)
            check(RO_GREYF, RO_BITS, &options, false);
    }
}

static void options_of_all_kinds(void **state)
{
    (void)state;
    ro_palette palette;
    static const ro_kernel own = {8, 3, {{1, 0, 4}, {0, 1, 3}, {5, 3, 1}}};
    assert_int_equal(ro_palette_parse(context, "black white red green", &palette), RO_OK);
    check(RO_GREY8, RO_INDEX8,
          &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .levels = 5, .noise = 20}, false);
    check(RO_GREY8, RO_BITS,
          &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .kernel = &own, .threshold = 30}, false);
    check(RO_GREY8, RO_BITS, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .serpentine = 1}, false);
    check(RO_GREY8, RO_BITS, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .schedule = "ed"}, false);
    check(RO_GREY8, RO_BITS, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .tone = {.gamma = 1.8}},
          false);
    check(RO_RGB8, RO_RGB8, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .palette = &palette},
          false);
    check(RO_RGB16, RO_INDEX8, &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .palette = &palette},
          false);
    check(RO_RGB8, RO_RGB8,
          &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_RGB}, false);
    check(RO_RGBF, RO_INDEX8,
          &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_CMYK}, false);
    check(RO_RGB8, RO_RGB8,
          &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_RGB,
                                 .method = "riemersma"},
          false);
    for (int i = 0; i < 2; i++)
        check(RO_GREY8, RO_BITS,
              &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .like = i ? "netpbm" : "pillow",
                                     .seed = i},
              false);
}

/* A palette in the options may go once the plan is made. */
static void options_are_copied(void **state)
{
    (void)state;
    ro_palette palette;
    ro_plan *plan;
    ro_image in = picture(RO_RGB8, 0), right = result(RO_RGB8, expected),
             out = result(RO_RGB8, got);
    assert_int_equal(ro_palette_parse(context, "black white blue", &palette), RO_OK);
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .palette = &palette};
    assert_int_equal(ro_halftone(context, &in, &right, &options), RO_OK);
    assert_int_equal(ro_halftone_plan(context, &in, RO_RGB8, &options, &plan), RO_OK);
    memset(&palette, 0, sizeof palette);
    assert_int_equal(ro_plan_run(plan, &in, &out, NULL), RO_OK);
    assert_memory_equal(expected, got, 3 * PIXELS);
    ro_plan_free(plan);
}

static void assert_refused(ro_status status, ro_status wanted, const char *words)
{
    assert_int_equal(status, wanted);
    if (!strstr(ro_context_message(context), words))
        fail_msg("'%s' does not say '%s'", ro_context_message(context), words);
}

static void other_shapes_are_refused(void **state)
{
    (void)state;
    ro_plan *plan;
    ro_image in = picture(RO_GREY8, 0), out = result(RO_BITS, got);
    ro_image other = in;
    assert_refused(ro_halftone_plan(context, &in, RO_RGB16, NULL, &plan), RO_E_UNSUPPORTED,
                   "cannot be written");
    assert_null(plan);
    assert_refused(ro_halftone_plan(context, &in, RO_BITS,
                                    &(ro_halftone_options){RO_HALFTONE_DEFAULTS, .method = "no"},
                                    &plan),
                   RO_E_ARGUMENT, "method no: must be");
    assert_int_equal(ro_halftone_plan(context, &in, RO_BITS, NULL, &plan), RO_OK);
    other.height--;
    assert_refused(ro_plan_run(plan, &other, &out, NULL), RO_E_SIZE, "75 x 50 pixels");
    other = in;
    other.maxval = 100;
    assert_refused(ro_plan_run(plan, &other, &out, NULL), RO_E_ARGUMENT, "a maxval of 255");
    other = result(RO_INDEX8, got);
    assert_refused(ro_plan_run(plan, &in, &other, NULL), RO_E_ARGUMENT, "as its output");
    assert_refused(
        ro_plan_run(plan, &in, &out,
                    &(ro_run){RO_RUN_DEFAULTS, .count = 1, .on_device = 1, .stream = NULL}),
        RO_E_ARGUMENT, "opened for the CPU");
    ro_plan_free(plan);
    ro_plan_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),
        cmocka_unit_test(options_of_all_kinds),
        cmocka_unit_test(options_are_copied),
        cmocka_unit_test(other_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
