/* SPDX-License-Identifier: MIT */
/* The test card: the same bits everywhere, at any size, in every format; nothing beside the pixels
 * is touched. */
#include "roundoff.h"
#include "roundoff/pieces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ro_context *context_of(int threads)
{
    ro_context *context;
    assert_int_equal(
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = threads}, &context),
        RO_OK);
    return context;
}

static ro_image card(ro_context *context, ro_format format, uint32_t width, uint32_t height,
                     uint32_t maxval)
{
    ro_image image;
    assert_int_equal(ro_image_alloc(context, format, width, height, maxval, &image), RO_OK);
    assert_int_equal(ro_testcard(context, &image), RO_OK);
    return image;
}

static uint32_t sample(const ro_image *image, uint32_t x, uint32_t y)
{
    const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    bool wide = image->format == RO_GREY16 || image->format == RO_RGB16;
    return wide ? ((const uint16_t *)row)[x] : ((const uint8_t *)row)[x];
}

static uint32_t samples_a_row(const ro_image *image)
{
    bool colour = image->format == RO_RGB8 || image->format == RO_RGB16;
    return image->width * (colour ? 3 : 1);
}

/* FNV-1a over the samples, low byte first, so that byte order does not count. */
static uint64_t hash_of(const ro_image *image)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < samples_a_row(image); x++) {
            uint32_t value = sample(image, x, y);
            hash = (hash ^ (value & 255)) * 0x100000001b3u;
            hash = (hash ^ (value >> 8)) * 0x100000001b3u;
        }
    return hash;
}

/* A golden changes only when the picture is meant to change. */
static void golden(void **state)
{
    static const struct {
        ro_format format;
        uint32_t width, height, maxval;
        uint64_t hash;
    } goldens[] = {
        {RO_GREY8, 1, 1, 0, 0x08328807b4eb6fed},
        {RO_GREY8, 64, 64, 0, 0xf3405ab2f8503036},
        {RO_GREY8, 256, 256, 0, 0x257d69a7942e1afb},
        {RO_GREY16, 256, 256, 0, 0x7d7545b0321e77ae},
        {RO_RGB8, 512, 384, 0, 0x1d3fc8f975077782},
        {RO_RGB16, 300, 500, 1023, 0xbdffff7ccce837e9},
        {RO_GREY8, 1024, 1024, 0, 0x885a2719180fe6a3},
        {RO_GREY8, 1500, 20, 255, 0x7672b2154fd854d8},
    };
    (void)state;
    ro_context *context = context_of(2);
    int wrong = 0;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        ro_image image = card(context, goldens[i].format, goldens[i].width, goldens[i].height,
                              goldens[i].maxval);
        uint64_t hash = hash_of(&image);
        if (hash != goldens[i].hash) {
            print_error("%s %u x %u, maxval %u: 0x%016llx\n", ro_format_name(image.format),
                        image.width, image.height, image.maxval, (unsigned long long)hash);
            wrong++;
        }
        ro_image_free(&image);
    }
    assert_int_equal(wrong, 0);
    ro_context_close(context);
}

static void depths_agree(void **state)
{
    static const ro_format pairs[][2] = {{RO_GREY8, RO_GREY16}, {RO_RGB8, RO_RGB16}};
    (void)state;
    ro_context *context = context_of(2);
    for (int i = 0; i < 2; i++) {
        ro_image narrow = card(context, pairs[i][0], 300, 260, 0);
        ro_image wide = card(context, pairs[i][1], 300, 260, 0);
        for (uint32_t y = 0; y < narrow.height; y++)
            for (uint32_t x = 0; x < samples_a_row(&narrow); x++) {
                int difference = (int)(sample(&wide, x, y) >> 8) - (int)sample(&narrow, x, y);
                assert_in_range(difference + 1, 0, 2);
            }
        ro_image_free(&narrow);
        ro_image_free(&wide);
    }
    ro_context_close(context);
}

static void threads_agree(void **state)
{
    (void)state;
    ro_context *one = context_of(1), *many = context_of(5);
    ro_image a = card(one, RO_RGB16, 333, 257, 0), b = card(many, RO_RGB16, 333, 257, 0);
    assert_int_equal(hash_of(&a), hash_of(&b));
    ro_image_free(&a);
    ro_image_free(&b);
    ro_context_close(one);
    ro_context_close(many);
}

static void every_tone_occurs(void **state)
{
    (void)state;
    ro_context *context = context_of(2);
    ro_image image = card(context, RO_GREY8, 1024, 1024, 0);
    unsigned count[256] = {0};
    for (uint32_t y = 0; y < image.height; y++)
        for (uint32_t x = 0; x < image.width; x++)
            count[sample(&image, x, y)]++;
    for (int tone = 0; tone < 256; tone++)
        assert_true(count[tone] > 0);
    ro_image_free(&image);
    ro_context_close(context);
}

static void white_is_maxval(void **state)
{
    static const struct {
        ro_format format;
        uint32_t maxval;
    } cases[] = {
        {RO_GREY8, 1}, {RO_GREY8, 100}, {RO_RGB8, 31}, {RO_GREY16, 1023}, {RO_RGB16, 4095}};
    (void)state;
    ro_context *context = context_of(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ro_image image = card(context, cases[i].format, 256, 200, cases[i].maxval);
        uint32_t least = UINT32_MAX, most = 0;
        for (uint32_t y = 0; y < image.height; y++)
            for (uint32_t x = 0; x < samples_a_row(&image); x++) {
                uint32_t value = sample(&image, x, y);
                least = value < least ? value : least;
                most = value > most ? value : most;
            }
        assert_int_equal(least, 0);
        assert_int_equal(most, cases[i].maxval);
        ro_image_free(&image);
    }
    ro_context_close(context);
}

/* The same picture into rows far apart, and from the bottom up; what lies between stays. */
static void strides(void **state)
{
    enum { WIDTH = 61, HEIGHT = 47, STRIDE = 3 * WIDTH + 29, GUARD = 0xa5 };
    (void)state;
    ro_context *context = context_of(2);
    ro_image plain = card(context, RO_RGB8, WIDTH, HEIGHT, 0);
    size_t size = (size_t)STRIDE * (HEIGHT + 2);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    for (int turned = 0; turned < 2; turned++) {
        memset(bytes, GUARD, size);
        ro_image image = {.format = RO_RGB8,
                          .width = WIDTH,
                          .height = HEIGHT,
                          .maxval = 0,
                          .stride = turned ? -STRIDE : STRIDE,
                          .data = bytes + (ptrdiff_t)STRIDE * (turned ? HEIGHT : 1)};
        assert_int_equal(ro_testcard(context, &image), RO_OK);
        assert_int_equal(hash_of(&image), hash_of(&plain));
        for (size_t i = 0; i < size; i++) {
            size_t row = i / STRIDE, column = i % STRIDE;
            if (row == 0 || row == HEIGHT + 1 || column >= 3 * WIDTH)
                assert_int_equal(bytes[i], GUARD);
        }
    }
    free(bytes);
    ro_image_free(&plain);
    ro_context_close(context);
}

static void any_size(void **state)
{
    static const uint32_t sizes[][2] = {{1, 1},   {1, 2},    {2, 1},     {3, 3},      {7, 5},
                                        {16, 16}, {1, 1000}, {1000, 1},  {1, 100000}, {100000, 1},
                                        {5, 777}, {777, 5},  {129, 31},  {3000, 40},  {40, 3000},
                                        {64, 64}, {65, 127}, {128, 128}, {131, 255}};
    static const ro_format formats[] = {RO_GREY8, RO_GREY16, RO_RGB8, RO_RGB16};
    (void)state;
    ro_context *context = context_of(2);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof formats / sizeof *formats; j++) {
            ro_image image = card(context, formats[j], sizes[i][0], sizes[i][1], 0);
            ro_image_free(&image);
        }
    ro_context_close(context);
}

static int stop(void *data, const char *phase, double done)
{
    (void)data;
    (void)phase;
    return done < 1;
}

static void refusals(void **state)
{
    static const ro_format formats[] = {RO_GREYF, RO_RGBF, RO_BITS, RO_INDEX8};
    (void)state;
    ro_context *context = context_of(1);
    ro_image image;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        assert_int_equal(ro_image_alloc(context, formats[i], 8, 8, 0, &image), RO_OK);
        assert_int_equal(ro_testcard(context, &image), RO_E_UNSUPPORTED);
        assert_true(strlen(ro_context_message(context)) > 0);
        ro_image_free(&image);
    }
    image = (ro_image){
        .format = RO_GREY8, .width = 0, .height = 5, .maxval = 0, .stride = 5, .data = &image};
    assert_int_equal(ro_testcard(context, &image), RO_E_SIZE);
    image = (ro_image){
        .format = RO_GREY8, .width = 5, .height = 5, .maxval = 0, .stride = 4, .data = &image};
    assert_int_equal(ro_testcard(context, &image), RO_E_ARGUMENT);
    ro_context_close(context);

    assert_int_equal(
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .progress = stop}, &context),
        RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_GREY8, 200, 200, 0, &image), RO_OK);
    assert_int_equal(ro_testcard(context, &image), RO_E_CANCELLED);
    ro_image_free(&image);
    ro_context_close(context);
}

/* Any part of a card has the pixels of the whole one. */
static void parts(void **state)
{
    static const uint32_t places[][4] = {
        {0, 0, 331, 227}, {5, 100, 300, 40}, {17, 0, 33, 227}, {330, 226, 1, 1}, {0, 110, 331, 1}};
    (void)state;
    ro_context *context = context_of(2);
    ro_image card, part;
    assert_int_equal(ro_image_alloc(context, RO_RGB16, 331, 227, 0, &card), RO_OK);
    assert_int_equal(ro_testcard(context, &card), RO_OK);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const uint32_t *at = places[i];
        assert_int_equal(ro_image_alloc(context, RO_RGB16, at[2], at[3], 0, &part), RO_OK);
        assert_int_equal(ro_testcard_part(context, 331, 227, at[0], at[1], &part), RO_OK);
        for (uint32_t y = 0; y < at[3]; y++)
            assert_memory_equal((char *)part.data + (ptrdiff_t)y * part.stride,
                                (char *)card.data + (ptrdiff_t)(at[1] + y) * card.stride +
                                    (size_t)at[0] * 6,
                                (size_t)at[2] * 6);
        assert_int_equal(ro_testcard_part(context, 331, at[1] + at[3] - 1, at[0], at[1], &part),
                         RO_E_SIZE);
        ro_image_free(&part);
    }
    ro_image_free(&card);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden),          cmocka_unit_test(depths_agree),
        cmocka_unit_test(threads_agree),   cmocka_unit_test(every_tone_occurs),
        cmocka_unit_test(white_is_maxval), cmocka_unit_test(strides),
        cmocka_unit_test(any_size),        cmocka_unit_test(refusals),
        cmocka_unit_test(parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
