/* SPDX-License-Identifier: MIT */
/* Pictures with alpha are halftoned as they look over white; nothing else takes them. */
#include "core/random.h"
#include "fixture.h"
#include "roundoff_io.h"
#include "streams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 75, HEIGHT = 38, PIXELS = WIDTH * HEIGHT };

static uint8_t with_alpha[4 * PIXELS], over_white[3 * PIXELS];
static _Alignas(8) uint8_t wanted[4 * PIXELS], got[8 * PIXELS];

/* The upper half is opaque. */
static void draw(void)
{
    for (uint32_t i = 0; i < PIXELS; i++) {
        const uint64_t hash = pixel_hash(9, i, 0);
        uint8_t *pixel = with_alpha + 4 * (size_t)i;
        for (int c = 0; c < 3; c++)
            pixel[c] = (uint8_t)(hash >> (8 * c + 20));
        pixel[3] = i < PIXELS / 2 ? 255 : (uint8_t)(hash >> 44);
        for (int c = 0; c < 3; c++)
            over_white[3 * (size_t)i + (size_t)c] =
                (uint8_t)((pixel[3] * pixel[c] + (255 - pixel[3]) * 255 + 127) / 255);
    }
}

static void stream(const ro_image *in, const ro_image *out, const ro_halftone_options *options)
{
    ro_plan *plan;
    ro_stream *opened;
    assert_int_equal(open_halftone(context, in, out->format, options, &plan, &opened), RO_OK);
    for (uint32_t pushed = 0, pulled = 0, n; pulled < in->height; pulled += n) {
        const uint32_t left = in->height - pushed;
        assert_int_equal(ro_stream_push(opened, (char *)in->data + pushed * in->stride, in->stride,
                                        left < 7 ? left : 7, &n),
                         RO_OK);
        pushed += n;
        assert_int_equal(ro_stream_pull(opened, (char *)out->data + pulled * out->stride,
                                        out->stride, in->height - pulled, &n),
                         RO_OK);
    }
    close_stream(plan, opened);
}

static void as_over_white(void **state)
{
    (void)state;
    ro_palette palette;
    assert_int_equal(ro_palette_parse(context, "7-colour-panel", &palette), RO_OK);
    const struct {
        ro_halftone_options options;
        ro_format format;
    } cases[] = {
        {{RO_HALFTONE_DEFAULTS}, RO_BITS},
        {{RO_HALFTONE_DEFAULTS, .levels = 5}, RO_INDEX8},
        {{RO_HALFTONE_DEFAULTS, .method = "bayer8"}, RO_BITS},
        {{RO_HALFTONE_DEFAULTS, .method = "dbs"}, RO_BITS},
        {{RO_HALFTONE_DEFAULTS, .tone = {.linear = 1}}, RO_BITS},
        {{RO_HALFTONE_DEFAULTS, .black = 20, .white = 200}, RO_BITS},
        {{RO_HALFTONE_DEFAULTS, .palette = &palette}, RO_INDEX8},
        {{RO_HALFTONE_DEFAULTS, .palette = &palette, .fit = RO_FIT_NONE}, RO_INDEX8},
        {{RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_RGB}, RO_RGB8},
        {{RO_HALFTONE_DEFAULTS, .channels = RO_CHANNELS_CMYK}, RO_INDEX8},
    };
    draw();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ro_image rgb = ro_image_view(RO_RGB8, WIDTH, HEIGHT, over_white);
        const ro_image rgba = ro_image_view(RO_RGBA8, WIDTH, HEIGHT, with_alpha);
        ro_image right = ro_image_view(cases[i].format, WIDTH, HEIGHT, wanted), out = right;
        out.data = got;
        const size_t bytes = (size_t)out.stride * HEIGHT;
        memset(got, 0xaa, sizeof got);
        assert_int_equal(ro_halftone(context, &rgb, &right, &cases[i].options), RO_OK);
        if (ro_halftone(context, &rgba, &out, &cases[i].options) != RO_OK)
            fail_msg("%s", ro_context_message(context));
        assert_memory_equal(wanted, got, bytes);
        if (cases[i].options.method && strcmp(cases[i].options.method, "dbs") == 0)
            continue;
        memset(got, 0xaa, sizeof got);
        stream(&rgba, &out, &cases[i].options);
        assert_memory_equal(wanted, got, bytes);
    }
}

static void refused_elsewhere(void **state)
{
    (void)state;
    const ro_image rgba = ro_image_view(RO_RGBA8, WIDTH, HEIGHT, with_alpha);
    const ro_image grey = ro_image_view(RO_GREY8, WIDTH, HEIGHT, over_white);
    ro_image out = ro_image_view(RO_RGBA8, WIDTH, HEIGHT, got), bits = out, card = rgba;
    ro_image field = ro_image_view(RO_GREYF, 2 * WIDTH, HEIGHT, got), numbers = out;
    const ro_seed seed = {1, 9, 9, 3};
    const ro_segment_options segment = {RO_SEGMENT_DEFAULTS, .seeds = &seed, .seed_count = 1};
    const ro_regions_options regions = {RO_REGIONS_DEFAULTS, .seeds = &seed, .seed_count = 1};
    ro_measure_report report = {.size = sizeof report};
    ro_halftone_options low = {RO_HALFTONE_DEFAULTS};
    ro_halftone_audit audit = {.size = sizeof audit};
    ro_segmentation *found;
    ro_regions *grown;
    ro_palette palette;
    char hash[RO_HASH_TEXT];
    bits.format = RO_BITS;
    numbers.format = RO_INDEX8;
    numbers.stride = WIDTH;
    assert_int_not_equal(ro_halftone(context, &grey, &out, NULL), RO_OK);
    assert_int_not_equal(ro_denoise(context, &rgba, &out, NULL, NULL), RO_OK);
    assert_int_not_equal(ro_segment(context, &rgba, &segment, &found, NULL), RO_OK);
    assert_int_not_equal(ro_regions_grow(context, &rgba, &regions, &grown, NULL), RO_OK);
    assert_int_not_equal(ro_register(context, &rgba, &rgba, &field, NULL, NULL), RO_OK);
    assert_int_not_equal(ro_warp(context, &rgba, &field, &out, RO_SAMPLE_NEAREST), RO_OK);
    assert_int_not_equal(ro_measure(context, &rgba, &rgba, NULL, &report), RO_OK);
    assert_int_not_equal(ro_palette_adapt(context, &rgba, NULL, 4, &palette), RO_OK);
    assert_int_not_equal(ro_halftone_audit_of(context, &rgba, &numbers, &low, &audit), RO_OK);
    assert_int_not_equal(ro_image_hash(context, &rgba, hash), RO_OK);
    assert_int_not_equal(ro_testcard(context, &card), RO_OK);
    assert_int_not_equal(ro_image_save(context, "rgba.png", &rgba, NULL), RO_OK);
    assert_int_not_equal(ro_image_save(context, "rgba.ppm", &rgba, NULL), RO_OK);
    assert_int_not_equal(ro_image_save(context, "rgba.npy", &rgba, NULL), RO_OK);
    ro_image odd = rgba;
    odd.maxval = 100;
    assert_int_not_equal(ro_halftone(context, &odd, &bits, NULL), RO_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_over_white),
                                       cmocka_unit_test(refused_elsewhere)};
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
