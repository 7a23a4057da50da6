/* SPDX-License-Identifier: MIT */
/* Windows that segment estimates: in samples that use a part of their bits, and when memory ends:
 * every allocation is refused once, and the call fails or gives what it always gives. */
#include "allocations.h"
#include "roundoff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- A disc on a ground ---------------------------------------------------------------------- */

enum { SIDE = 64, RADIUS = 20 };

static bool is_inside(uint32_t x, uint32_t y)
{
    const int dx = (int)x - SIDE / 2, dy = (int)y - SIDE / 2;
    return dx * dx + dy * dy < RADIUS * RADIUS;
}

static ro_image disc(ro_context *context, uint32_t ground, uint32_t object)
{
    ro_image image;
    assert_int_equal(ro_image_alloc(context, RO_GREY16, SIDE, SIDE, 65535, &image), RO_OK);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            ((uint16_t *)(void *)((char *)image.data + (ptrdiff_t)y * image.stride))[x] =
                (uint16_t)(is_inside(x, y) ? object : ground);
    return image;
}

static const ro_seed seed = {.x = SIDE / 2, .y = SIDE / 2, .radius = 6};

static ro_context *open_context(void)
{
    ro_context *context;
    assert_int_equal(ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1,
                                                           .device = RO_DEVICE_CPU},
                                     &context),
                     RO_OK);
    return context;
}

/* 10 bits in samples of 16: the contrast, 200 of 1023, is less than 6/255 of 65535. */
static void ten_bits_of_sixteen(void **state)
{
    (void)state;
    ro_context *context = open_context();
    static uint8_t labels[SIDE * SIDE];
    ro_image view = ro_image_view(RO_GREY8, SIDE, SIDE, labels);
    ro_image image = disc(context, 300, 500);
    ro_segmentation *result;
    ro_segment_options options = {RO_SEGMENT_DEFAULTS, .seeds = &seed, .seed_count = 1};
    assert_int_equal(ro_segment(context, &image, &options, &result, NULL), RO_OK);
    assert_int_equal(ro_segmentation_labels(result, &view), RO_OK);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        assert_int_equal(labels[i], is_inside(i % SIDE, i / SIDE));
    ro_segmentation_free(result);
    ro_image_free(&image);
    ro_context_close(context);
}

static void memory_ends(void **state)
{
    (void)state;
    ro_context *context = open_context();
    static uint8_t labels[SIDE * SIDE];
    ro_image view = ro_image_view(RO_GREY8, SIDE, SIDE, labels);
    ro_image image = disc(context, 12000, 50000);
    ro_segment_options options = {RO_SEGMENT_DEFAULTS, .seeds = &seed, .seed_count = 1};
    bool any = false;
    for (long n = 1;; n++) {
        ro_segmentation *result = NULL;
        until_refused = n;
        const ro_status status = ro_segment(context, &image, &options, &result, NULL);
        const bool over = until_refused > 0; /* there were fewer */
        until_refused = 0;
        if (status != RO_OK) {
            assert_int_equal(status, RO_E_MEMORY);
            any = true;
            continue;
        }
        assert_int_equal(ro_segmentation_labels(result, &view), RO_OK);
        for (uint32_t i = 0; i < SIDE * SIDE; i++)
            assert_int_equal(labels[i], is_inside(i % SIDE, i / SIDE));
        ro_segmentation_free(result);
        if (over)
            break;
    }
    assert_true(any);
    ro_image_free(&image);
    ro_context_close(context);
}

/* The same of fronts that compete, with two labels so that all planes are needed. */
static void memory_ends_for_regions(void **state)
{
    (void)state;
    ro_context *context = open_context();
    static uint8_t labels[SIDE * SIDE];
    ro_image view = ro_image_view(RO_GREY8, SIDE, SIDE, labels);
    ro_image image = disc(context, 12000, 50000);
    const ro_seed seeds[2] = {seed, {.label = 2, .x = 4, .y = 4, .radius = 2}};
    const ro_regions_options options = {RO_REGIONS_DEFAULTS, .seeds = seeds, .seed_count = 2};
    bool any = false;
    for (long n = 1;; n++) {
        ro_regions *result = NULL;
        until_refused = n;
        const ro_status status = ro_regions_grow(context, &image, &options, &result, NULL);
        const bool over = until_refused > 0;
        until_refused = 0;
        if (status != RO_OK) {
            assert_int_equal(status, RO_E_MEMORY);
            assert_null(result);
            any = true;
            continue;
        }
        assert_int_equal(ro_regions_labels(result, &view), RO_OK);
        for (uint32_t i = 0; i < SIDE * SIDE; i++)
            assert_int_equal(labels[i], is_inside(i % SIDE, i / SIDE) ? 1 : 2);
        ro_regions_free(result);
        if (over)
            break;
    }
    assert_true(any);
    ro_image_free(&image);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_bits_of_sixteen),
        cmocka_unit_test(memory_ends),
        cmocka_unit_test(memory_ends_for_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
