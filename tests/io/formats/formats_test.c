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
    assert_int_equal(info.format, RO_GRAYF);
    uint16_t *wide = (uint16_t *)load("tiff/raw16", NULL, &info);
    assert_int_equal(info.format, RO_GRAY16);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiff_layouts),
        cmocka_unit_test(tiff_values),
        cmocka_unit_test(jpeg_inks),
        cmocka_unit_test(png_and_tiff_agree),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
