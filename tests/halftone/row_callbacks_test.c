/* SPDX-License-Identifier: MIT */
/* Rows that a plan's threads fetch and hand over by themselves: the bits of ro_halftone, every row
 * once, and what a call says that fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roundoff.h"
#include "roundoff/pieces.h"

struct picture {
    ro_image in, out;
    atomic_uint fetched, taken;
    uint32_t fails; /* at the rows that hold this one; UINT32_MAX: never */
    bool takes;     /* and there when they are taken */
};

static bool fails(const struct picture *picture, uint32_t first, uint32_t count, bool takes)
{
    return takes == picture->takes && picture->fails >= first && picture->fails - first < count;
}

static ro_status fetch(void *data, uint32_t first, uint32_t count, void *rows)
{
    struct picture *picture = data;
    const size_t row = (size_t)picture->in.stride;
    memcpy(rows, (const char *)picture->in.data + first * row, count * row);
    atomic_fetch_add(&picture->fetched, count);
    return fails(picture, first, count, false) ? RO_E_IO : RO_OK;
}

static ro_status take(void *data, uint32_t first, uint32_t count, void *rows)
{
    struct picture *picture = data;
    const size_t row = ro_format_row_bytes(picture->out.format, picture->out.width);
    memcpy((char *)picture->out.data + first * row, rows, count * row);
    atomic_fetch_add(&picture->taken, count);
    return fails(picture, first, count, true) ? RO_E_FORMAT : RO_OK;
}

static ro_status pass(ro_context *context, struct picture *picture,
                      const ro_halftone_options *options)
{
    ro_plan *plan;
    assert_int_equal(ro_halftone_plan(context, &picture->in, picture->out.format, options, &plan),
                     RO_OK);
    assert_true(ro_halftone_passes(plan));
    ro_status status = ro_halftone_pass(plan, &(ro_halftone_rows){picture, fetch, take});
    if (status == RO_OK) { /* a plan runs again */
        picture->fetched = picture->taken = 0;
        status = ro_halftone_pass(plan, &(ro_halftone_rows){picture, fetch, take});
    }
    ro_plan_free(plan);
    return status;
}

static void same_bits(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        ro_format in, out;
        int levels;
        uint32_t width, height;
    } cases[] = {
        {"floyd-steinberg", RO_GREY8, RO_BITS, 2, 500, 131},
        {"floyd-steinberg", RO_GREY8, RO_BITS, 2, 1, 1},
        {"floyd-steinberg", RO_GREY16, RO_INDEX8, 256, 301, 65},
        {"floyd-steinberg", RO_GREY16, RO_GREY16, 1024, 129, 64},
        {"stucki", RO_GREY8, RO_BITS, 2, 77, 40},
        {"ostromoukhov", RO_GREY8, RO_BITS, 2, 200, 70},
        {"acuity", RO_GREY8, RO_BITS, 2, 200, 70},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int cpu = RO_CPU_AUTO; cpu <= RO_CPU_SCALAR; cpu++)
            for (int threads = 1; threads <= 5; threads += 2) {
                struct picture picture = {.fails = UINT32_MAX};
                ro_image right;
                ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                          .cpu = (ro_cpu)cpu, .threads = threads};
                ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = cases[i].method,
                                               .levels = cases[i].levels};
                ro_context *context;
                const uint32_t width = cases[i].width, height = cases[i].height;
                assert_int_equal(ro_context_open(&how, &context), RO_OK);
                assert_int_equal(ro_image_alloc(context, cases[i].in, width, height,
                                                cases[i].in == RO_GREY8 ? 255 : 65535, &picture.in),
                                 RO_OK);
                ro_image_alloc(context, cases[i].out, width, height, 0, &picture.out);
                ro_image_alloc(context, cases[i].out, width, height, 0, &right);
                const size_t row = ro_format_row_bytes(picture.in.format, width);
                picture.in.stride = (ptrdiff_t)row;
                for (size_t b = 0; b < row * height; b++)
                    ((unsigned char *)picture.in.data)[b] = (unsigned char)(b * b / 50 + b);
                assert_int_equal(ro_halftone(context, &picture.in, &right, &options), RO_OK);
                assert_int_equal(pass(context, &picture, &options), RO_OK);
                assert_int_equal(picture.fetched, height);
                assert_int_equal(picture.taken, height);
                const size_t out_row = ro_format_row_bytes(right.format, width);
                for (uint32_t y = 0; y < height; y++)
                    assert_memory_equal((char *)picture.out.data + y * out_row,
                                        (char *)right.data + (ptrdiff_t)y * right.stride, out_row);
                ro_image_free(&picture.in);
                ro_image_free(&picture.out);
                ro_image_free(&right);
                ro_context_close(context);
            }
}

static void failures(void **state)
{
    (void)state;
    struct picture picture = {.fails = 100};
    ro_context *context;
    ro_plan *plan;
    ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 3};
    ro_halftone_options search = {RO_HALFTONE_DEFAULTS, .method = "dbs"};
    assert_int_equal(ro_context_open(&how, &context), RO_OK);
    ro_image_alloc(context, RO_GREY8, 256, 400, 255, &picture.in);
    ro_image_alloc(context, RO_BITS, 256, 400, 0, &picture.out);
    assert_int_equal(pass(context, &picture, NULL), RO_E_IO);
    picture.takes = true;
    assert_int_equal(pass(context, &picture, NULL), RO_E_FORMAT);
    ro_context_cancel(context);
    picture.fails = UINT32_MAX;
    assert_int_equal(pass(context, &picture, NULL), RO_E_CANCELLED);
    ro_context_close(context);
    assert_int_equal(ro_context_open(&how, &context), RO_OK);
    assert_int_equal(ro_halftone_plan(context, &picture.in, RO_BITS, &search, &plan), RO_OK);
    assert_false(ro_halftone_passes(plan));
    assert_int_equal(ro_halftone_pass(plan, &(ro_halftone_rows){&picture, fetch, take}),
                     RO_E_UNSUPPORTED);
    ro_plan_free(plan);
    ro_image_free(&picture.in);
    ro_image_free(&picture.out);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
