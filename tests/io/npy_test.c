/* SPDX-License-Identifier: MIT */
#include "io_test.h"

/* Builds a file of version 1 or 2 from the text of its header. */
static size_t make(uint8_t *file, int version, const char *header, const void *data, size_t bytes)
{
    size_t length = strlen(header), prefix = version == 1 ? 10 : 12;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (uint8_t)version;
    file[7] = 0;
    memset(file + 8, 0, 4);
    file[8] = (uint8_t)(length & 255);
    file[9] = (uint8_t)(length >> 8);
    memcpy(file + prefix, header, length);
    memcpy(file + prefix + length, data, bytes);
    return prefix + length + bytes;
}

static void expect(int version, const char *header, const void *data, size_t bytes,
                   ro_format format, const void *pixels)
{
    uint8_t file[512], *got;
    ro_file_info info;
    size_t size = make(file, version, header, data, bytes);
    if (read_memory(file, size, NULL, 1, &info, &got) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    assert_int_equal(info.format, format);
    assert_int_equal(info.width, 2);
    assert_int_equal(info.height, 1);
    assert_memory_equal(got, pixels, ro_format_row_bytes(format, 2));
    free(got);
}

static void elements(void **state)
{
    (void)state;
    static const float values[] = {0.25f, -1.5f};
    static const double doubles[] = {0.25, -1.5};
    expect(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2), }", "\x07\xff", 2,
           RO_GRAY8, "\x07\xff");
    expect(2, "{'shape': (1, 2, 1),'fortran_order':False,'descr':'|u1'}", "\x07\xff", 2, RO_GRAY8,
           "\x07\xff");
    expect(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 3), }", "abcdef", 6,
           RO_RGB8, "abcdef");
    expect(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (1, 2), }", "\x00\x01", 2,
           RO_GRAY8, "\x00\x01");
    expect(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (1, 2), }", "\x01\x02\x03\x04", 4,
           RO_GRAY16, (uint16_t[]){0x201, 0x403});
    expect(1, "{'descr': '>u2', 'fortran_order': False, 'shape': (1, 2), }", "\x01\x02\x03\x04", 4,
           RO_GRAY16, (uint16_t[]){0x102, 0x304});
    expect(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2), }",
           "\x3e\x80\x00\x00\xbf\xc0\x00\x00", 8, RO_GRAYF, values);
    expect(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", doubles, 16, RO_GRAYF,
           values);
}

static void bad_headers(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        ro_status status;
        const char *words;
    } bad[] = {
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2), }", RO_E_UNSUPPORTED, "'<i2'"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (1, 2), }", RO_E_UNSUPPORTED, "<c16"},
        {"{'descr': [('a','<u2')], 'fortran_order': False, 'shape': (1, 2), }", RO_E_UNSUPPORTED,
         "records"},
        {"{'descr': '|u1', 'fortran_order': True, 'shape': (1, 2), }", RO_E_UNSUPPORTED,
         "fortran_order"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", RO_E_UNSUPPORTED, "(2,)"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 4), }", RO_E_UNSUPPORTED,
         "(1, 2, 4)"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 1, 2), }", RO_E_UNSUPPORTED,
         "shape"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (0, 2), }", RO_E_SIZE, "empty"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (2147483648, 2147483648), }", RO_E_SIZE,
         "too large"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1000, 1000), }", RO_E_FORMAT,
         "1000000 bytes, 2 are there"},
        {"{'descr': '|u1', 'fortran_order': False}", RO_E_FORMAT, "header"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2", RO_E_FORMAT, "header"},
        {"", RO_E_FORMAT, "header"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint8_t file[512];
        size_t size = make(file, 1, bad[i].header, "ab", 2);
        expect_failure(file, size, NULL, bad[i].status, bad[i].words);
    }
    expect_failure("\x93NUMPY\x09\x00\x01\x00x", 11, NULL, RO_E_UNSUPPORTED, "version 9");
    expect_failure("\x93NUMPY\x01\x00\xff\x7fx", 11, NULL, RO_E_FORMAT, "ends early");
    expect_failure("\x93NUMPY\x02\x00\xff\xff\xff\xff..", 14, NULL, RO_E_FORMAT, "header");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements),
        cmocka_unit_test(bad_headers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
