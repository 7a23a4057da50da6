/* SPDX-License-Identifier: MIT */
/* One picture stored in several ways is one picture: the small files of tests/fuzz/seeds. */
#include "io/io_test.h"

static UNUSED uint8_t *load(const char *name, const ro_read_options *options, ro_file_info *info)
{
    char path[400];
    const char *source = getenv("SOURCE_DIR");
    size_t size;
    uint8_t *pixels;
    snprintf(path, sizeof path, "%s/tests/fuzz/seeds/%s", source ? source : ".", name);
    uint8_t *bytes = get_file(path, &size);
    if (!bytes)
        fail_msg("%s is missing", path);
    if (read_memory(bytes, size, options, 2, info, &pixels) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    free(bytes);
    return pixels;
}

/* The largest difference of two 8-bit pictures of the same size. */
static UNUSED int difference(const char *a, const char *b, const ro_read_options *options_b)
{
    ro_file_info info_a, info_b;
    uint8_t *pixels_a = load(a, NULL, &info_a), *pixels_b = load(b, options_b, &info_b);
    int largest = 0;
    assert_int_equal(info_a.format, info_b.format);
    assert_int_equal(info_a.width, info_b.width);
    assert_int_equal(info_a.height, info_b.height);
    size_t size = ro_format_row_bytes(info_a.format, info_a.width) * info_a.height;
    for (size_t i = 0; i < size; i++)
        if (abs(pixels_a[i] - pixels_b[i]) > largest)
            largest = abs(pixels_a[i] - pixels_b[i]);
    free(pixels_a);
    free(pixels_b);
    return largest;
}

static void tiff_layouts(void **state)
{
    (void)state;
#if RO_WITH_TIFF
    static const char *const same[] = {"tiff/tiles",      "tiff/planes", "tiff/cmyk",
                                       "tiff/tileplanes", "tiff/big",    "tiff/pages"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_int_equal(difference("tiff/rgb", same[i], NULL), 0);
#else
    skip();
#endif
}

static void tiff_values(void **state)
{
    (void)state;
#if RO_WITH_TIFF
    ro_file_info info;
    float *values = (float *)load("tiff/float", NULL, &info);
    assert_int_equal(info.format, RO_GREYF);
    uint16_t *wide = (uint16_t *)load("tiff/raw16", NULL, &info);
    assert_int_equal(info.format, RO_GREY16);
    for (int i = 0; i < 6 * 7; i++) /* the same numbers, over 255 and as they are */
        assert_int_equal((int)(values[i] * 255 + 0.5f), wide[i]);
    free(values);
    free(wide);
#else
    skip();
#endif
}

static void jpeg_inks(void **state)
{
    (void)state;
#if RO_WITH_JPEG
    assert_true(difference("jpeg/plain", "jpeg/progressive", NULL) == 0);
    assert_true(difference("jpeg/plain", "jpeg/cmyk", NULL) <= 6); /* other losses, same colours */
#else
    skip();
#endif
}

static void png_and_tiff_agree(void **state)
{
    (void)state;
#if RO_WITH_PNG && RO_WITH_TIFF
    assert_int_equal(difference("tiff/palette", "png/palette", NULL), 0);
    assert_int_equal(difference("tiff/rgba", "png/rgba", NULL), 0);
    assert_int_equal(difference("png/grey", "png/interlaced", NULL), 0);
#else
    skip();
#endif
}

/* Bits of every kind, runs, and rows from either end. */
static void bmp_kinds(void **state)
{
    (void)state;
    static const char *const rgb[] = {"bmp/down", "bmp/wide", "pam/rgb"};
    static const char *const numbers[] = {"bmp/four", "bmp/core", "bmp/runs", "bmp/runs4"};
    for (size_t i = 0; i < sizeof rgb / sizeof *rgb; i++)
        assert_int_equal(difference("bmp/rgb", rgb[i], NULL), 0);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_int_equal(difference("bmp/eight", numbers[i], NULL), 0);
    assert_true(difference("bmp/rgb", "bmp/five", NULL) <= 7); /* the lost bits */
    assert_true(difference("bmp/rgb", "bmp/masks", NULL) <= 7);
    ro_file_info info;
    uint8_t *pixels = load("bmp/bits", NULL, &info);
    assert_int_equal(info.format, RO_GREY8);
    assert_true(info.dpi_x > 299.99 && info.dpi_x < 300.01);
    free(pixels);
    pixels = load("bmp/alpha", &(ro_read_options){RO_READ_DEFAULTS, .alpha = RO_ALPHA_ONLY}, &info);
    for (int x = 0; x < 7; x++)
        assert_int_equal(pixels[x], 40 * x);
    free(pixels);
    pixels = load("bmp/jump", NULL, &info); /* rows from below; what is jumped over is colour 0 */
    const uint8_t *row = pixels + 3 * 7 * 5;
    assert_int_equal(row[0], 3 * 53);
    assert_int_equal(row[6], 0);
    row -= 3 * 7;
    assert_int_equal(row[6], 0);
    assert_int_equal(row[9], 5 * 53 % 256);
    free(pixels);
}

static void gif_frames(void **state)
{
    (void)state;
    assert_int_equal(difference("bmp/eight", "gif/plain", NULL), 0);
    assert_int_equal(difference("gif/plain", "gif/interlaced", NULL), 0);
    ro_file_info info;
    const ro_read_options third = {RO_READ_DEFAULTS, .page = 3};
    uint8_t *pixels = load("gif/frames", &third, &info);
    assert_int_equal(info.pages, 3);
    assert_int_equal(info.width, 7);
    /* frame 3 has the colours 3 * (3x + 5y) % 16 */
    for (int i = 0; i < 6 * 7; i++) {
        const int colour = 3 * (3 * (i % 7) + 5 * (i / 7)) % 16;
        assert_int_equal(pixels[3 * i], colour * 53 % 256);
        assert_int_equal(pixels[3 * i + 1], (colour * 31 + 7) % 256);
    }
    free(pixels);
    pixels = load("gif/holes", &(ro_read_options){RO_READ_DEFAULTS, .alpha = RO_ALPHA_ONLY}, &info);
    for (int i = 0; i < 6 * 7; i++)
        assert_int_equal(pixels[i], (3 * (i % 7) + 5 * (i / 7)) % 16 == 3 ? 0 : 255);
    free(pixels);
    free(load("gif/grey", NULL, &info));
    assert_int_equal(info.format, RO_GREY8);
}

static void webp_kinds(void **state)
{
    (void)state;
#if RO_WITH_WEBP
    assert_int_equal(difference("bmp/rgb", "webp/lossless", NULL), 0);
    assert_int_equal(difference("pam/rgba", "webp/alpha", NULL), 0);
    const ro_read_options second = {RO_READ_DEFAULTS, .page = 2};
    assert_int_equal(difference("bmp/rgb", "webp/frames", &second), 0);
#else
    skip();
#endif
}

static void pam_and_pfm(void **state)
{
    (void)state;
    ro_file_info info;
    uint8_t *rgb = load("pam/rgb", NULL, &info);
    float *little = (float *)load("pfm/little", NULL, &info),
          *big = (float *)load("pfm/big", NULL, &info);
    assert_int_equal(info.format, RO_RGBF);
    for (int i = 0; i < 3 * 6 * 7; i++) {
        assert_true(little[i] == big[i]);
        assert_int_equal((int)(little[i] * 255 + 0.5f), rgb[i]);
    }
    free(little);
    free(big);
    free(rgb);
    free(load("pam/five", NULL, &info));
    assert_int_equal(info.format, RO_RGB8);
    assert_int_equal(was_dropped.what, RO_DROPPED_CHANNELS);
    uint16_t *wide = (uint16_t *)load(
        "pam/wide", &(ro_read_options){RO_READ_DEFAULTS, .alpha = RO_ALPHA_ONLY}, &info);
    assert_int_equal(info.format, RO_GREY16);
    assert_int_equal(wide[1], 3 * 4369);
    free(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiff_layouts), cmocka_unit_test(tiff_values),
        cmocka_unit_test(jpeg_inks),    cmocka_unit_test(png_and_tiff_agree),
        cmocka_unit_test(bmp_kinds),    cmocka_unit_test(gif_frames),
        cmocka_unit_test(webp_kinds),   cmocka_unit_test(pam_and_pfm),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
