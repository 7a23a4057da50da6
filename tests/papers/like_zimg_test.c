/* SPDX-License-Identifier: MIT */
/* Floyd-Steinberg like zimg, beside the installed library; skipped where there is none. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <cmocka.h>
// clang-format on
#include "../../bench/peers/peer_zimg.c"
#include "core/random.h"
#include "roundoff.h"

#include <string.h>

static void bytes_are_those_of_zimg(void **state)
{
    (void)state;
    ro_context *context;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    static const uint32_t sizes[][2] = {{1, 1}, {1, 9}, {64, 3}, {65, 17}, {500, 300}, {1021, 64}};
    int compared = 0;
    for (uint32_t n = 0; n < 3 * sizeof sizes / sizeof *sizes; n++) {
        uint32_t width = sizes[n / 3][0], height = sizes[n / 3][1];
        const uint32_t wide = (width + 63) / 64 * 64; /* zimg reads and writes whole vectors */
        ro_image in, ours, theirs;
        assert_int_equal(ro_image_alloc(context, RO_GREY8, wide, height, 255, &in), RO_OK);
        assert_int_equal(ro_image_alloc(context, RO_INDEX8, width, height, 0, &ours), RO_OK);
        assert_int_equal(ro_image_alloc(context, RO_INDEX8, wide, height, 0, &theirs), RO_OK);
        in.width = theirs.width = width;
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++) {
                uint32_t grey = n % 3 == 0   ? pixel_hash(1, x, y) % 256
                                : n % 3 == 1 ? x * 255 / width
                                             : 100 + pixel_hash(2, x, y) % 9;
                ((uint8_t *)in.data)[(ptrdiff_t)y * in.stride + x] = (uint8_t)grey;
            }
        if (n % 3 == 2 && width > 400)
            assert_int_equal(ro_testcard(context, &in), RO_OK);
        struct peer_zimg *peer = peer_zimg_open(&in, theirs.data, false);
        if (peer) {
            assert_true(peer_zimg_run(peer));
            ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .like = "zimg"};
            assert_int_equal(ro_halftone(context, &in, &ours, &options), RO_OK);
            for (uint32_t y = 0; y < height; y++)
                assert_memory_equal((char *)ours.data + (ptrdiff_t)y * ours.stride,
                                    (char *)theirs.data + (ptrdiff_t)y * theirs.stride, width);
            compared++;
        }
        peer_zimg_close(peer);
        ro_image_free(&in);
        ro_image_free(&ours);
        ro_image_free(&theirs);
    }
    ro_context_close(context);
    if (compared == 0)
        skip();
}

static void what_it_cannot_do_is_refused(void **state)
{
    (void)state;
    ro_context *context;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    unsigned char pixel[6] = {100}, level[3];
    ro_image in = {.format = RO_GREY8,
                   .width = 1,
                   .height = 1,
                   .maxval = 255,
                   .stride = 6,
                   .data = pixel},
             out = {.format = RO_INDEX8,
                    .width = 1,
                    .height = 1,
                    .maxval = 0,
                    .stride = 3,
                    .data = level};
    ro_kernel kernel = {2, 1, {{1, 0, 1}}};
    const ro_halftone_options wrong[] = {
        {RO_HALFTONE_DEFAULTS, .like = "gimp"},
        {RO_HALFTONE_DEFAULTS, .like = "pillow", .method = "stucki"},
        {RO_HALFTONE_DEFAULTS, .like = "pillow", .levels = 3},
        {RO_HALFTONE_DEFAULTS, .like = "pillow", .seed = 1},
        {RO_HALFTONE_DEFAULTS, .like = "pillow", .schedule = "wave"},
        {RO_HALFTONE_DEFAULTS, .like = "zimg", .serpentine = 1},
        {RO_HALFTONE_DEFAULTS, .like = "zimg", .kernel = &kernel},
        {RO_HALFTONE_DEFAULTS, .like = "netpbm", .strength = 50},
        {RO_HALFTONE_DEFAULTS, .like = "netpbm", .noise = 50},
        {RO_HALFTONE_DEFAULTS, .like = "netpbm", .threshold = 40},
        {RO_HALFTONE_DEFAULTS, .like = "netpbm", .seed = (uint64_t)1 << 32},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_not_equal(ro_halftone(context, &in, &out, &wrong[i]), RO_OK);
    ro_halftone_options pillow = {RO_HALFTONE_DEFAULTS, .like = "pillow", .method = "fs"};
    assert_int_equal(ro_halftone(context, &in, &out, &pillow), RO_OK);
    in.maxval = 100;
    assert_int_equal(ro_halftone(context, &in, &out, &pillow), RO_E_UNSUPPORTED);
    in.maxval = 255;
    ro_halftone_options zimg = {RO_HALFTONE_DEFAULTS, .like = "zimg"};
    in.format = RO_RGB8;
    assert_int_equal(ro_halftone(context, &in, &out, &zimg), RO_E_UNSUPPORTED);
    in.format = RO_GREY16;
    assert_int_equal(ro_halftone(context, &in, &out, &pillow), RO_E_UNSUPPORTED);
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_of_zimg),
        cmocka_unit_test(what_it_cannot_do_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
