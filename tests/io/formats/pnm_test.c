/* SPDX-License-Identifier: MIT */
#include "io/io_test.h"

static void expect_pixels(const char *text, size_t size, const ro_read_options *options,
                          ro_file_info expected, const void *pixels, size_t bytes)
{
    for (uint32_t at_once = 1; at_once < 4; at_once++) {
        ro_file_info info;
        uint8_t *got;
        if (read_memory(text, size, options, at_once, &info, &got) != RO_OK)
            fail_msg("%s", ro_context_message(context));
        assert_int_equal(info.format, expected.format);
        assert_int_equal(info.width, expected.width);
        assert_int_equal(info.height, expected.height);
        assert_int_equal(info.maxval, expected.maxval);
        assert_string_equal(info.type, "pnm");
        assert_int_equal(ro_format_row_bytes(info.format, info.width) * info.height, bytes);
        assert_memory_equal(got, pixels, bytes);
        free(got);
    }
}

#define EXPECT(text, info, ...)                                                                    \
    expect_pixels(text, sizeof text - 1, NULL, (ro_file_info)info, __VA_ARGS__, sizeof __VA_ARGS__)
#define INFO(f, w, h, m)                                                                           \
    {                                                                                              \
        .format = f, .width = w, .height = h, .maxval = m                                          \
    }

static void plain_files(void **state)
{
    (void)state;
    /* White is 0 in a PBM file and 1 here; digits need no blanks. */
    EXPECT("P1\n3 2\n101\n0 1 0\n", INFO(RO_GREY8, 3, 2, 1), ((uint8_t[]){0, 1, 0, 1, 0, 1}));
    EXPECT("P1#\n3#x\n2 101010", INFO(RO_GREY8, 3, 2, 1), ((uint8_t[]){0, 1, 0, 1, 0, 1}));
    EXPECT("P2 # a comment\n3 1 # 9 9\n15\n0 7 15", INFO(RO_GREY8, 3, 1, 15),
           ((uint8_t[]){0, 7, 15}));
    EXPECT("P2 2 1 1000\n0\t\r\n1000 ", INFO(RO_GREY16, 2, 1, 1000), ((uint16_t[]){0, 1000}));
    EXPECT("P3 1 2 255 1 2 3 4 5 6", INFO(RO_RGB8, 1, 2, 255), ((uint8_t[]){1, 2, 3, 4, 5, 6}));
    EXPECT("P3 1 1 65535 1 2 65535", INFO(RO_RGB16, 1, 1, 65535), ((uint16_t[]){1, 2, 65535}));
}

static void raw_files(void **state)
{
    (void)state;
    EXPECT("P4 9 2\n\xaa\x80\x55\x7f", INFO(RO_GREY8, 9, 2, 1),
           ((uint8_t[]){0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
    EXPECT("P5\n2 2\n255\n\x01\x02\xfe\xff and more", INFO(RO_GREY8, 2, 2, 255),
           ((uint8_t[]){1, 2, 254, 255}));
    EXPECT("P5\n2 1\n256\n\x01\x00\x00\xff", INFO(RO_GREY16, 2, 1, 256), ((uint16_t[]){256, 255}));
    EXPECT("P6 1 1 100#end\n\x01\x02\x64", INFO(RO_RGB8, 1, 1, 100), ((uint8_t[]){1, 2, 100}));
    EXPECT("P6 1 1 65535\n\x01\x02\x03\x04\xff\xff", INFO(RO_RGB16, 1, 1, 65535),
           ((uint16_t[]){0x102, 0x304, 65535}));
}

static void pages(void **state)
{
    (void)state;
    static const char two[] = "P5 2 1 255\n\x01\x02P6 1 1 15\n\x03\x04\x05";
    static const uint8_t first[] = {1, 2}, second[] = {3, 4, 5};
    ro_read_options options = {RO_READ_DEFAULTS, .page = 2};
    ro_reader *reader;
    expect_pixels(two, sizeof two - 1, NULL, (ro_file_info)INFO(RO_GREY8, 2, 1, 255), first, 2);
    expect_pixels(two, sizeof two - 1, &options, (ro_file_info)INFO(RO_RGB8, 1, 1, 15), second, 3);
    assert_int_equal(reader_open_memory(context, two, sizeof two - 1, NULL, &reader), RO_OK);
    assert_int_equal(ro_reader_info(reader)->pages, 2);
    ro_reader_close(reader);
    options.page = 3;
    expect_failure(two, sizeof two - 1, &options, RO_E_ARGUMENT,
                   "there is no page 3; the last one is 2");
    options.page = 2;
    expect_failure("P2 1 1 1 1 P2 1 1 1 1", 21, &options, RO_E_ARGUMENT, "the last one is 1");
}

#define FAILS(text, status, words) expect_failure(text, sizeof text - 1, NULL, status, words)

static void bad_files(void **state)
{
    (void)state;
    FAILS("P5 0 5 255\n", RO_E_SIZE, "empty (0 x 5)");
    FAILS("P5 5 0 255\n", RO_E_SIZE, "empty (5 x 0)");
    FAILS("P5 2147483648 2147483648 255\n", RO_E_SIZE, "2147483648 x 2147483648 is too large");
    FAILS("P2 99999999999999999999999999999 1 255\n1", RO_E_SIZE, "too large");
    FAILS("P5 1000000000 1000000000 255\n", RO_E_FORMAT, "ends early");
    FAILS("P2 1000000000 1000000000 255\n1 2 3", RO_E_FORMAT, "ends early");
    FAILS("P5 2 2 255\nabc", RO_E_FORMAT, "4 bytes, 3 are there");
    FAILS("P2 2 2 255 1 2 3   ", RO_E_FORMAT, "ends early");
    FAILS("P1 2 2 1 1 1  ", RO_E_FORMAT, "ends early");
    FAILS("P5 2", RO_E_FORMAT, "ends early");
    FAILS("P5 2 x 255\n", RO_E_FORMAT, "a number is expected at byte 5");
    FAILS("P5 2 -3 255\n", RO_E_FORMAT, "a number is expected");
    FAILS("P5 2x3 255\n", RO_E_FORMAT, "a blank is expected");
    FAILS("P5 2 2 0\n....", RO_E_FORMAT, "must be 1 to 65535");
    FAILS("P5 2 2 65536\n........", RO_E_FORMAT, "must be 1 to 65535");
    FAILS("P5 2 1 15\n\x0f\x10", RO_E_FORMAT, "16 is above the largest, 15");
    FAILS("P5 2 1 256\n\x01\x00\x01\x01", RO_E_FORMAT, "257 is above the largest, 256");
    FAILS("P2 2 1 15\n15 16", RO_E_FORMAT, "16 is above the largest, 15");
    FAILS("P1 2 1 1 2", RO_E_FORMAT, "0 or 1 is expected");
    FAILS("", RO_E_FORMAT, "empty");
    FAILS("P8\nWIDTH 1\n", RO_E_FORMAT, "not an image that can be read");
    FAILS("GIG89a..........", RO_E_FORMAT, "not an image that can be read");
    FAILS("PNG", RO_E_FORMAT, "not an image that can be read");
}

static void forced_type(void **state)
{
    (void)state;
    ro_read_options png = {RO_READ_DEFAULTS, .type = "png"},
                    none = {RO_READ_DEFAULTS, .type = "xyz"},
                    pgm = {RO_READ_DEFAULTS, .type = "pgm"};
    expect_failure("P5 1 1 255\n1", 12, &png, RO_E_FORMAT, "not a PNG file");
    expect_failure("P5 1 1 255\n1", 12, &none, RO_E_ARGUMENT, "'xyz' is not a known type");
    expect_pixels("P5 1 1 255\n1", 12, &pgm, (ro_file_info)INFO(RO_GREY8, 1, 1, 255), "1", 1);
}

/* A failed reader stays failed, and a finished one gives no more. */
static void rows_after_the_end(void **state)
{
    (void)state;
    ro_reader *reader;
    uint8_t rows[8];
    uint32_t got = 9;
    assert_int_equal(reader_open_memory(context, "P2 2 2 9 1 2 3 4", 16, NULL, &reader), RO_OK);
    assert_int_equal(ro_reader_rows(reader, rows, 2, 3, &got), RO_OK);
    assert_int_equal(got, 2);
    assert_int_equal(ro_reader_rows(reader, rows, 2, 3, &got), RO_OK);
    assert_int_equal(got, 0);
    ro_reader_close(reader);
    assert_int_equal(reader_open_memory(context, "P2 2 2 9 1 2 x 4", 16, NULL, &reader), RO_OK);
    assert_int_equal(ro_reader_rows(reader, rows, 2, 1, &got), RO_OK);
    assert_int_equal(ro_reader_rows(reader, rows, 2, 1, &got), RO_E_FORMAT);
    assert_int_equal(got, 0);
    assert_int_equal(ro_reader_rows(reader, rows, 2, 1, &got), RO_E_FORMAT);
    assert_non_null(strstr(ro_context_message(context), "a number is expected"));
    ro_reader_close(reader);
}

/* What a reader says of further images, and that strict reading fails. */
static void dropped(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        unsigned page, what;
        const char *text;
    } cases[] = {
        {"P5 2 1 255 ab", 13, 0, 0, ""},
        {"P5 2 1 255 abP5 1 1 9 \1", 24, 0, RO_DROPPED_PAGES, "1 further page"},
        {"P5 2 1 255 abP5 1 1 9 \1", 24, 1, 0, ""},
        {"P5 2 1 255 abP5 1 1 9 \1", 24, 2, 0, ""},
        {"P2 2 1 9 1 2\n P2 1 1 9 3", 25, 0, RO_DROPPED_PAGES, "further images"},
        {"P5#x\n2 1 255 ab..", 19, 0, RO_DROPPED_PAGES | RO_DROPPED_METADATA,
         "a comment, what follows the pictures"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ro_file_info info;
        uint8_t *pixels;
        ro_read_options options = {RO_READ_DEFAULTS, .page = cases[i].page};
        assert_int_equal(read_memory(cases[i].bytes, cases[i].size, &options, 1, &info, &pixels),
                         RO_OK);
        free(pixels);
        assert_int_equal(was_dropped.what, cases[i].what);
        assert_string_equal(was_dropped.text, cases[i].text);
        options.strict = 1;
        ro_status status = read_memory(cases[i].bytes, cases[i].size, &options, 1, &info, &pixels);
        assert_int_equal(status, cases[i].what ? RO_E_UNSUPPORTED : RO_OK);
        if (cases[i].what)
            assert_non_null(strstr(ro_context_message(context), cases[i].text));
        free(pixels);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files), cmocka_unit_test(raw_files),
        cmocka_unit_test(pages),       cmocka_unit_test(bad_files),
        cmocka_unit_test(forced_type), cmocka_unit_test(rows_after_the_end),
        cmocka_unit_test(dropped),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
