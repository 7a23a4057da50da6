/* SPDX-License-Identifier: MIT */
#include "io/io_test.h"

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
           RO_GREY8, "\x07\xff");
    expect(2, "{'shape': (1, 2, 1),'fortran_order':False,'descr':'|u1'}", "\x07\xff", 2, RO_GREY8,
           "\x07\xff");
    expect(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 3), }", "abcdef", 6,
           RO_RGB8, "abcdef");
    expect(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (1, 2), }", "\x00\x01", 2,
           RO_GREY8, "\x00\x01");
    expect(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (1, 2), }", "\x01\x02\x03\x04", 4,
           RO_GREY16, (uint16_t[]){0x201, 0x403});
    expect(1, "{'descr': '>u2', 'fortran_order': False, 'shape': (1, 2), }", "\x01\x02\x03\x04", 4,
           RO_GREY16, (uint16_t[]){0x102, 0x304});
    expect(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2), }",
           "\x3e\x80\x00\x00\xbf\xc0\x00\x00", 8, RO_GREYF, values);
    expect(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", doubles, 16, RO_GREYF,
           values);
}

/* The same array stored by rows and by columns; (h, w, planes), more rows than are picked out at a
 * time. Both files have `size` bytes. */
enum { H = 131, W = 37, MOST = H * W * 3 * 16 + 256 };
static size_t both_orders(uint8_t *by_rows, uint8_t *by_columns, const char *element, size_t bytes,
                          size_t planes)
{
    static uint8_t rows[MOST], columns[MOST];
    char header[128];
    size_t count = H * W * planes;
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < bytes; b++) /* small numbers, which floating point has too */
            rows[i * bytes + b] = (uint8_t)((i * 7 + i / 64 + b * 5) % 61);
    for (size_t y = 0; y < H; y++)
        for (size_t x = 0; x < W; x++)
            for (size_t c = 0; c < planes; c++)
                memcpy(columns + ((c * W + x) * H + y) * bytes,
                       rows + ((y * W + x) * planes + c) * bytes, bytes);
    for (int order = 0; order < 2; order++) {
        char third[24] = "";
        if (planes > 1)
            snprintf(third, sizeof third, ", %zu", planes);
        snprintf(header, sizeof header,
                 "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d%s), }%s\n", element,
                 order ? "True" : "False", H, W, third, order ? " " : "");
        make(order ? by_columns : by_rows, 1, header, order ? columns : rows, count * bytes);
    }
    return 10 + strlen(header) + count * bytes;
}

static void pictures_by_columns(void **state)
{
    (void)state;
    static const struct {
        const char *element;
        size_t bytes;
    } elements[] = {{"|u1", 1}, {"|b1", 1}, {"<u2", 2}, {">u2", 2},
                    {"<f4", 4}, {">f4", 4}, {"<f8", 8}, {">f8", 8}};
    static uint8_t rows[MOST], columns[MOST];
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        for (size_t planes = 1; planes <= 3; planes += 2)
            for (uint32_t at_once = 1; at_once <= 200; at_once += 66) {
                ro_file_info info = {0}, info_columns = {0};
                uint8_t *wanted, *got;
                size_t size =
                    both_orders(rows, columns, elements[i].element, elements[i].bytes, planes);
                assert_int_equal(read_memory(rows, size, NULL, 1, &info, &wanted), RO_OK);
                if (read_memory(columns, size, NULL, at_once, &info_columns, &got) != RO_OK)
                    fail_msg("%s", ro_context_message(context));
                assert_int_equal(info_columns.format, info.format);
                assert_memory_equal(got, wanted, ro_format_row_bytes(info.format, W) * H);
                free(wanted);
                free(got);
            }
    size_t size = both_orders(rows, columns, "|u1", 1, 3);
    expect_failure(columns, size - 1, NULL, RO_E_FORMAT, "ends early");
}

static void fields_by_columns(void **state)
{
    (void)state;
    static const struct {
        const char *element;
        size_t bytes;
    } elements[] = {{"<f4", 4}, {">f8", 8}, {"<c8", 8}, {"<c16", 16}, {">c16", 16}};
    static uint8_t rows[MOST], columns[MOST];
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        ro_field wanted, got;
        size_t size = both_orders(rows, columns, elements[i].element, elements[i].bytes, 1);
        put_file(path_to("rows.npy"), rows, size);
        put_file(path_to("columns.npy"), columns, size);
        assert_int_equal(ro_hologram_load(context, path_to("rows.npy"), NULL, &wanted, NULL),
                         RO_OK);
        if (ro_hologram_load(context, path_to("columns.npy"), NULL, &got, NULL) != RO_OK)
            fail_msg("%s", ro_context_message(context));
        assert_int_equal(got.width, W);
        assert_int_equal(got.height, H);
        for (int y = 0; y < H; y++)
            assert_memory_equal((char *)got.data + y * got.stride,
                                (char *)wanted.data + y * wanted.stride, W * 8);
        ro_field_free(&wanted);
        ro_field_free(&got);
        put_file(path_to("short.npy"), columns, size - 1);
        assert_int_equal(ro_hologram_load(context, path_to("short.npy"), NULL, &got, NULL),
                         RO_E_FORMAT);
    }
    for (size_t i = 0; i < 2; i++) {
        ro_image wanted, got;
        size_t size = both_orders(rows, columns, elements[i].element, elements[i].bytes, 2);
        put_file(path_to("rows.npy"), rows, size);
        put_file(path_to("columns.npy"), columns, size);
        assert_int_equal(ro_displacement_load(context, path_to("rows.npy"), &wanted), RO_OK);
        if (ro_displacement_load(context, path_to("columns.npy"), &got) != RO_OK)
            fail_msg("%s", ro_context_message(context));
        for (int y = 0; y < H; y++)
            assert_memory_equal((char *)got.data + y * got.stride,
                                (char *)wanted.data + y * wanted.stride, W * 8);
        ro_image_free(&wanted);
        ro_image_free(&got);
    }
    empty_folder();
}

static void bad_headers(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        ro_status status;
        const char *words;
    } bad[] = {
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (1, 2), }", RO_E_UNSUPPORTED,
         "'<f16'"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (1, 2), }", RO_E_UNSUPPORTED, "<c16"},
        {"{'descr': [('a','<u2')], 'fortran_order': False, 'shape': (1, 2), }", RO_E_UNSUPPORTED,
         "records"},
        {"{'descr': '|u1', 'fortran_order': Perhaps, 'shape': (1, 2), }", RO_E_FORMAT, "header"},
        {"{'descr': '|u1', 'fortran_order': True, 'shape': (1000, 1000), }", RO_E_FORMAT,
         "1000000 bytes, 2 are there"},
        {"{'descr': '|u1', 'fortran_order': True, 'shape': (2147483648, 2147483648), }", RO_E_SIZE,
         "too large"},
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
        cmocka_unit_test(pictures_by_columns),
        cmocka_unit_test(fields_by_columns),
        cmocka_unit_test(bad_headers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
