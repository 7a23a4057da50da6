/* SPDX-License-Identifier: MIT */
/* Stacks of numbers of every type, to a file and back. */
#include "io/io_test.h"

enum { PAGES = 3, HEIGHT = 4, WIDTH = 5, PIXELS = HEIGHT * WIDTH };

static const char *const types[] = {
    "npy",
#if RO_WITH_TIFF
    "tif",
#endif
};
enum { TYPES = sizeof types / sizeof *types };

static const char *name_of(const char *type)
{
    static char name[32];
    snprintf(name, sizeof name, "stack.%s", type);
    return path_to(name);
}

static void write_stack(const char *path, const ro_file_info *info, const void *pixels)
{
    ro_writer *writer;
    const size_t row = ro_format_row_bytes(info->format, info->width);
    const unsigned rows = info->height * info->stack;
    if (ro_writer_open(context, path, info, NULL, &writer) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    for (unsigned y = 0; y < rows; y += 3) /* blocks that do not end with pages */
        assert_int_equal(ro_writer_rows(writer, (const char *)pixels + y * row, (ptrdiff_t)row,
                                        rows - y < 3 ? rows - y : 3),
                         RO_OK);
    if (ro_writer_commit(writer) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    ro_writer_close(writer);
}

/* All pages that `options` ask for, to be freed. */
static void *read_stack(const char *path, const ro_read_options *options, ro_file_info *info)
{
    ro_reader *reader;
    if (ro_reader_open(context, path, options, &reader) != RO_OK)
        fail_msg("%s", ro_context_message(context));
    *info = *ro_reader_info(reader);
    const size_t row = ro_format_row_bytes(info->format, info->width);
    uint8_t *pixels = malloc(row * info->height * info->stack), *to = pixels;
    for (unsigned page = 0; page < info->stack; page++) {
        if (page > 0)
            assert_int_equal(ro_reader_next(reader), RO_OK);
        for (uint32_t y = 0, got; y < info->height; y += got, to += got * row)
            if (ro_reader_rows(reader, to, (ptrdiff_t)row, 3, &got) != RO_OK)
                fail_msg("%s", ro_context_message(context));
    }
    assert_int_equal(ro_reader_next(reader), RO_E_STATE);
    ro_reader_close(reader);
    return pixels;
}

static ro_file_info stack_of(ro_format format, ro_sample sample, int64_t zero, uint32_t maxval)
{
    return (ro_file_info){.format = format,
                          .width = WIDTH,
                          .height = HEIGHT,
                          .maxval = maxval,
                          .stack = PAGES,
                          .sample = sample,
                          .zero = zero};
}

static const ro_read_options whole_stack = {RO_READ_DEFAULTS, .pages = RO_PAGES_STACK};

static void whole_numbers(void **state)
{
    (void)state;
    static const struct {
        ro_sample sample;
        int64_t zero;
        uint32_t most;
    } kinds[] = {
        {RO_SAMPLE_INT8, -128, 255},          {RO_SAMPLE_INT16, -32768, 65535},
        {RO_SAMPLE_INT16, -1024, 4095},       {RO_SAMPLE_UINT32, 4294967295 - 60, 60},
        {RO_SAMPLE_INT32, -2147483647, 1000}, {RO_SAMPLE_UINT64, 1, 60000},
        {RO_SAMPLE_INT64, INT64_MIN, 65535},  {RO_SAMPLE_INT64, INT64_MAX - 65535, 65535},
    };
    uint16_t pixels[PAGES * PIXELS];
    for (int t = 0; t < TYPES; t++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            for (unsigned i = 0; i < PAGES * PIXELS; i++)
                pixels[i] = (uint16_t)(i * kinds[k].most / (PAGES * PIXELS - 1));
            const ro_file_info info =
                stack_of(RO_GREY16, kinds[k].sample, kinds[k].zero, kinds[k].most);
            ro_file_info got;
            write_stack(name_of(types[t]), &info, pixels);
            uint16_t *read = read_stack(name_of(types[t]), &whole_stack, &got);
            assert_int_equal(got.format, RO_GREY16);
            assert_int_equal(got.sample, kinds[k].sample);
            assert_true(got.zero == kinds[k].zero);
            assert_int_equal(got.maxval, kinds[k].most);
            assert_int_equal(got.pages, PAGES);
            assert_memory_equal(read, pixels, sizeof pixels);
            free(read);
            /* One page spans less, and is counted from its own least number. */
            read = read_stack(name_of(types[t]), &(ro_read_options){RO_READ_DEFAULTS, .page = 2},
                              &got);
            assert_int_equal(got.stack, 1);
            for (int i = 0; i < PIXELS; i++)
                assert_true(read[i] + got.zero == pixels[PIXELS + i] + kinds[k].zero);
            free(read);
        }
    empty_folder();
}

/* Numbers beyond 16 bits become floats; what those cannot hold is told. */
static void wide_numbers(void **state)
{
    (void)state;
    static const struct {
        ro_sample sample;
        int least;
        float unit;
    } kinds[] = {{RO_SAMPLE_INT32, -20, 100000}, {RO_SAMPLE_UINT64, 0, 0x1p64F / (PAGES * PIXELS)}};
    for (int t = 0; t < TYPES; t++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            float pixels[PAGES * PIXELS];
            for (int i = 0; i < PAGES * PIXELS; i++)
                pixels[i] = (float)(i + kinds[k].least) * kinds[k].unit;
            const ro_file_info info = stack_of(RO_GREYF, kinds[k].sample, 0, 0);
            ro_file_info got;
            write_stack(name_of(types[t]), &info, pixels);
            float *read = read_stack(name_of(types[t]), &whole_stack, &got);
            assert_int_equal(got.format, RO_GREYF);
            assert_int_equal(got.sample, kinds[k].sample);
            assert_memory_equal(read, pixels, sizeof pixels);
            free(read);
        }
    static const int32_t numbers[] = {16777217, -5};
    uint8_t file[256] = "\x93NUMPY\x01\0\x40\0{'descr': '<i4', 'fortran_order': False, "
                        "'shape': (1, 2), }     ";
    memcpy(file + 10 + 64, numbers, sizeof numbers);
    ro_file_info got;
    uint8_t *pixels;
    assert_int_equal(read_memory(file, 10 + 64 + sizeof numbers, NULL, 1, &got, &pixels), RO_OK);
    assert_int_equal(was_dropped.what, RO_DROPPED_PRECISION);
    assert_non_null(strstr(was_dropped.text, "int32"));
    free(pixels);
    empty_folder();
}

static void floats(void **state)
{
    (void)state;
    static const float values[] = {0,        -0.0F,       1,        -1.5F,
                                   0x1p-24F, 0x1.ffcp15F, 0x1p-14F, 0.333251953F};
    for (int t = 0; t < TYPES; t++)
        for (int kind = 0; kind < 3; kind++) {
            static const ro_sample samples[] = {RO_SAMPLE_PLAIN, RO_SAMPLE_FLOAT16,
                                                RO_SAMPLE_FLOAT64};
            float pixels[PAGES * PIXELS];
            for (int i = 0; i < PAGES * PIXELS; i++)
                pixels[i] = values[i % 8];
            const ro_file_info info = stack_of(RO_GREYF, samples[kind], 0, 0);
            ro_file_info got;
            write_stack(name_of(types[t]), &info, pixels);
            float *read = read_stack(name_of(types[t]), &whole_stack, &got);
            assert_int_equal(got.sample, samples[kind]);
            assert_memory_equal(read, pixels, sizeof pixels);
            free(read);
        }
    empty_folder();
}

static void colours_and_bits(void **state)
{
    (void)state;
    uint16_t pixels[PAGES * PIXELS * 3];
    uint8_t bits[PAGES * HEIGHT], levels[PAGES * PIXELS];
    ro_file_info got;
    for (int i = 0; i < PAGES * PIXELS * 3; i++)
        pixels[i] = (uint16_t)(i * 11);
    for (int t = 0; t < TYPES; t++) {
        ro_file_info info = stack_of(RO_RGB16, RO_SAMPLE_INT32, -100, PAGES * PIXELS * 33 - 11);
        write_stack(name_of(types[t]), &info, pixels);
        uint16_t *read = read_stack(name_of(types[t]), &whole_stack, &got);
        assert_int_equal(got.format, RO_RGB16);
        assert_true(got.zero == -100);
        assert_memory_equal(read, pixels, sizeof pixels);
        free(read);
        for (int i = 0; i < PAGES * HEIGHT; i++)
            bits[i] = (uint8_t)(i * 24);
        info = stack_of(RO_BITS, RO_SAMPLE_PLAIN, 0, 1);
        write_stack(name_of(types[t]), &info, bits);
        uint8_t *ones = read_stack(name_of(types[t]), &whole_stack, &got);
        for (int i = 0; i < PAGES * PIXELS; i++) {
            levels[i] = bits[i / WIDTH] >> (7 - i % WIDTH) & 1;
            levels[i] = (uint8_t)(levels[i] * (got.maxval == 1 ? 1 : 255));
        }
        if (got.maxval == 1)
            assert_memory_equal(ones, levels, sizeof levels);
        free(ones);
    }
    empty_folder();
}

static void expect_open(const char *path, const ro_read_options *options, ro_status status,
                        const char *words)
{
    ro_reader *reader;
    assert_int_equal(ro_reader_open(context, path, options, &reader), status);
    if (!strstr(ro_context_message(context), words))
        fail_msg("'%s' is not in: %s", words, ro_context_message(context));
    ro_reader_close(reader);
}

static void pages_asked_for(void **state)
{
    (void)state;
    uint8_t pixels[PAGES * PIXELS];
    ro_file_info got;
    for (int i = 0; i < PAGES * PIXELS; i++)
        pixels[i] = (uint8_t)i;
    for (int t = 0; t < TYPES; t++) {
        const char *path = name_of(types[t]);
        const ro_file_info info = stack_of(RO_GREY8, RO_SAMPLE_PLAIN, 0, 255);
        write_stack(path, &info, pixels);
        for (unsigned first = 1; first <= PAGES; first++)
            for (unsigned count = 1; first + count <= PAGES + 1; count++) {
                const ro_read_options some = {RO_READ_DEFAULTS, .page = first, .pages = count};
                uint8_t *read = read_stack(path, &some, &got);
                assert_int_equal(got.stack, count);
                assert_memory_equal(read, pixels + (first - 1) * PIXELS, count * PIXELS);
                free(read);
            }
        expect_open(path, &(ro_read_options){RO_READ_DEFAULTS, .page = 2, .pages = 7},
                    RO_E_ARGUMENT, "there is no page 8; the file has 3 pages");
        expect_open(path, &(ro_read_options){RO_READ_DEFAULTS, .page = 4}, RO_E_ARGUMENT,
                    "no page 4");
        /* What was cut off is no shorter stack. */
        size_t size;
        uint8_t *bytes = get_file(path, &size);
        for (size_t cut = 1; cut < size; cut += 7) {
            ro_reader *reader;
            put_file(path, bytes, size - cut);
            if (ro_reader_open(context, path, &whole_stack, &reader) == RO_OK) {
                ro_status status = RO_OK;
                uint8_t row[WIDTH];
                assert_int_equal(ro_reader_info(reader)->stack, PAGES);
                for (unsigned y = 0; y < PAGES * HEIGHT && status == RO_OK; y++) {
                    uint32_t one;
                    if (y > 0 && y % HEIGHT == 0)
                        status = ro_reader_next(reader);
                    if (status == RO_OK)
                        status = ro_reader_rows(reader, row, 0, 1, &one);
                }
                assert_int_not_equal(status, RO_OK);
                ro_reader_close(reader);
            }
        }
        free(bytes);
    }
    assert_int_equal(ro_writer_accepts(context, path_to("a.pgm"),
                                       &(ro_file_info){.format = RO_GREY8, .stack = 2}, NULL),
                     RO_E_UNSUPPORTED);
    assert_int_equal(
        ro_writer_accepts(context, path_to("a.pgm"),
                          &(ro_file_info){.format = RO_GREY16, .sample = RO_SAMPLE_INT16}, NULL),
        RO_E_UNSUPPORTED);
    empty_folder();
}

/* Four axes, and Fortran's order of them. */
static void axes(void **state)
{
    (void)state;
    enum { A = 2, B = 3, H = 2, W = 5, ALL = A * B * H * W };
    for (int by_columns = 0; by_columns < 2; by_columns++) {
        char header[160];
        uint8_t file[512] = "\x93NUMPY\x01\0";
        int length = snprintf(header, sizeof header,
                              "{'descr': '|u1', 'fortran_order': %s, 'shape': (2, 3, 2, 5)}",
                              by_columns ? "True" : "False");
        file[8] = (uint8_t)length;
        memcpy(file + 10, header, (size_t)length);
        for (int a = 0; a < A; a++)
            for (int b = 0; b < B; b++)
                for (int y = 0; y < H; y++)
                    for (int x = 0; x < W; x++) {
                        const int by_rows = ((a * B + b) * H + y) * W + x;
                        file[10 + length + (by_columns ? ((x * H + y) * B + b) * A + a : by_rows)] =
                            (uint8_t)by_rows;
                    }
        ro_file_info info;
        put_file(path_to("a.npy"), file, (size_t)(10 + length + ALL));
        uint8_t *read = read_stack(path_to("a.npy"), &whole_stack, &info);
        assert_int_equal(info.stack, A * B);
        assert_int_equal(info.outer[0], A);
        assert_int_equal(info.outer[1], B);
        assert_int_equal(info.outer[2], 0);
        for (int i = 0; i < ALL; i++)
            assert_int_equal(read[i], i);
        free(read);
        write_stack(path_to("b.npy"), &info, file + 10 + length);
        size_t size;
        uint8_t *bytes = get_file(path_to("b.npy"), &size);
        assert_non_null(strstr((char *)bytes + 10, "(2, 3, 2, 5)"));
        free(bytes);
    }
    empty_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers),   cmocka_unit_test(wide_numbers),
        cmocka_unit_test(floats),          cmocka_unit_test(colours_and_bits),
        cmocka_unit_test(pages_asked_for), cmocka_unit_test(axes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
