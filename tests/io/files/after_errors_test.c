/* SPDX-License-Identifier: MIT */
/* Calls after a failure give the same failure, and what a call gave stays valid as long as it says.
 */
#include "allocations.h"
#include "io/io_test.h"
#include "roundoff_io_command.h"
#include "roundoff_io_pieces.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

/* ---- Readers --------------------------------------------------------------------------------- */

/* Every call after a failure gives it again; the info stays that of the first page. */
static void expect_failed(ro_reader *reader, ro_status status)
{
    uint8_t row[64];
    for (int times = 0; times < 2; times++) {
        uint32_t got = 9;
        assert_int_equal(ro_reader_rows(reader, row, 3, 1, &got), status);
        assert_int_equal(got, 0);
        assert_int_equal(ro_reader_seek(reader, 0), status);
        assert_int_equal(ro_reader_next(reader), status);
        assert_true(*ro_context_message(context));
        assert_int_equal(ro_reader_info(reader)->width, 3);
        assert_int_equal(ro_reader_dropped(reader)->what, 0);
    }
}

/* A page that is of another shape or damaged: then nothing more can be read. */
static void after_a_failed_page(void **state)
{
    (void)state;
    static const char *const second[] = {"P5 3 2 255 abcdef",
                                         "P5 2 3 255 abcdef",
                                         "P5 3 2 15 \1\2\3\4\5\6",
                                         "P6 1 2 255 abcdef",
                                         "P5 3 x",
                                         "P5 3 2 255 abc"};
    for (size_t i = 0; i < sizeof second / sizeof *second; i++) {
        char file[80];
        uint8_t row[64];
        uint32_t got;
        ro_reader *reader;
        const int size = snprintf(file, sizeof file, "P5 3 2 255 uvwxyz%s", second[i]);
        const ro_read_options all = {RO_READ_DEFAULTS, .page = 1, .pages = 2};
        put_file(path_to("two.pgm"), file, (size_t)size);
        ro_status status = ro_reader_open(context, path_to("two.pgm"), &all, &reader);
        if (status != RO_OK) {
            assert_null(reader);
            continue;
        }
        assert_int_equal(ro_reader_next(reader), RO_E_STATE); /* rows are left: no failure */
        assert_int_equal(ro_reader_rows(reader, row, 3, 9, &got), RO_OK);
        assert_int_equal(got, 2);
        assert_memory_equal(row, "uvwxyz", 6);
        status = ro_reader_next(reader);
        if (status == RO_OK)
            status = ro_reader_rows(reader, row, 3, 9, &got);
        assert_int_equal(status, i == 0 ? RO_OK : RO_E_FORMAT);
        if (status != RO_OK)
            expect_failed(reader, status);
        ro_reader_close(reader);
    }
    empty_folder();
}

/* A page that could not be opened leaves a reader without any stage. */
static void after_a_page_without_memory(void **state)
{
    (void)state;
    const ro_read_options all = {RO_READ_DEFAULTS, .page = 1, .pages = 2};
    put_file(path_to("two.pgm"), "P5 3 2 255 uvwxyzP5 3 2 255 abcdef", 34);
    ro_status status = RO_E_MEMORY;
    int failures = -1;
    for (; status != RO_OK; failures++) {
        uint8_t row[6];
        uint32_t got;
        ro_reader *reader;
        assert_int_equal(ro_reader_open(context, path_to("two.pgm"), &all, &reader), RO_OK);
        assert_int_equal(ro_reader_rows(reader, row, 3, 2, &got), RO_OK);
        until_refused = failures + 2;
        status = ro_reader_next(reader);
        until_refused = 0;
        if (status != RO_OK) {
            assert_int_equal(status, RO_E_MEMORY);
            expect_failed(reader, status);
        }
        ro_reader_close(reader);
    }
    assert_true(failures > 0);
    empty_folder();
}

/* Numbers that are no plain samples go through a stage with a row of its own. */
static void every_allocation_of_a_reader(void **state)
{
    (void)state;
    static uint8_t file[512] = "\x93NUMPY\x01\0";
    const int length = snprintf((char *)file + 10, 128,
                                "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3, 5)}");
    file[8] = (uint8_t)length;
    put_file(path_to("in.npy"), file, (size_t)(10 + length + 60));
    const ro_read_options all = {RO_READ_DEFAULTS, .pages = RO_PAGES_ALL};
    ro_status status = RO_E_MEMORY;
    long refusals = 0;
    while (status != RO_OK) {
        ro_reader *reader = NULL;
        uint8_t rows[30];
        uint32_t got;
        until_refused = ++refusals;
        status = ro_reader_open(context, path_to("in.npy"), &all, &reader);
        for (int page = 0; page < 2 && status == RO_OK; page++) {
            if (page > 0)
                status = ro_reader_next(reader);
            if (status == RO_OK)
                status = ro_reader_rows(reader, rows, 10, 3, &got);
        }
        if (status == RO_OK && until_refused == 0)
            fail_msg("allocation %ld failed, and nobody noticed", refusals);
        until_refused = 0;
        ro_reader_close(reader);
        if (status != RO_OK) {
            assert_int_equal(status, RO_E_MEMORY);
            assert_non_null(strstr(ro_context_message(context), "memory"));
        }
    }
    assert_true(refusals > 4);
    empty_folder();
}

/* ---- Whole images ---------------------------------------------------------------------------- */

static void write_image(const char *path, const char *description)
{
    static const uint16_t pixels[3 * 5];
    const ro_file_info info = {.format = RO_GREY16,
                               .width = 5,
                               .height = 3,
                               .maxval = 65535,
                               .sample = RO_SAMPLE_INT16,
                               .description = description};
    ro_writer *writer;
    assert_int_equal(ro_writer_open(context, path, &info, NULL, &writer), RO_OK);
    assert_int_equal(ro_writer_rows(writer, pixels, 10, 3), RO_OK);
    assert_int_equal(ro_writer_commit(writer), RO_OK);
    ro_writer_close(writer);
}

/* What an info points to belongs to the image: it stays when other images come and go. */
static void load(const char *path, ro_image *image, ro_file_info *info)
{
    ro_image other;
    ro_file_info also;
    assert_int_equal(ro_image_load(context, path, NULL, image, info, NULL), RO_OK);
    assert_int_equal(ro_image_load(context, path, NULL, &other, &also, NULL), RO_OK);
    ro_image_free(&other);
    assert_int_equal(image->height, 3);
    for (uint32_t y = 0; y < 3; y++)
        for (uint32_t x = 0; x < 5; x++)
            assert_int_equal(((const uint16_t *)image->data)[y * image->stride / 2 + x], 0);
}

static void header_of_an_image(void **state)
{
    (void)state;
    size_t size;
    ro_image image;
    ro_file_info info;
    write_image(path_to("a.nii"), NULL);
    uint8_t *file = get_file(path_to("a.nii"), &size);
    load(path_to("a.nii"), &image, &info);
    assert_int_equal(info.header_size, 348);
    assert_memory_equal(info.header, file, info.header_size);
    ro_image_free(&image);
    free(file);
    assert_int_equal(truncate(path_to("a.nii"), (off_t)size - 1), 0);
    assert_int_not_equal(ro_image_load(context, path_to("a.nii"), NULL, &image, &info, NULL),
                         RO_OK);
    assert_null(image.data);
    assert_null(info.header);
    empty_folder();
}

#if RO_WITH_TIFF
static void description_of_an_image(void **state)
{
    (void)state;
    static char words[3000];
    static const size_t lengths[] = {1, 63, 64, 2999};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        ro_image image;
        ro_file_info info;
        memset(words, 'd', lengths[i]);
        words[lengths[i]] = '\0';
        write_image(path_to("a.tif"), words);
        load(path_to("a.tif"), &image, &info);
        assert_non_null(info.description);
        assert_string_equal(info.description, words);
        ro_image_free(&image);
    }
    empty_folder();
}
#endif

/* ---- Writers --------------------------------------------------------------------------------- */

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Rows that could not be written are missing, even where there is room again for those behind. */
static void room_that_comes_back(void **state)
{
    (void)state;
    enum { WIDTH = 1 << 18, HEIGHT = 4 };
    static float row[2 * WIDTH];
    const ro_file_info info = {.format = RO_GREYF, .width = WIDTH, .height = HEIGHT, .maxval = 1};
    ro_writer *writer;
    ro_field_writer *fields;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(ro_writer_open(context, path_to("a.npy"), &info, NULL, &writer), RO_OK);
    assert_int_equal(ro_field_writer_open(context, path_to("b.npy"), WIDTH, HEIGHT, &fields),
                     RO_OK);
    assert_int_equal(ro_writer_rows(writer, row, 0, 1), RO_OK);
    assert_int_equal(ro_field_writer_row(fields, row), RO_OK);
    limit_files(1000);
    assert_int_equal(ro_writer_rows(writer, row, 0, 1), RO_E_IO);
    assert_int_equal(ro_field_writer_row(fields, row), RO_E_IO);
    limit_files(RLIM_INFINITY);
    assert_int_equal(ro_writer_rows(writer, row, 0, 1), RO_E_IO);
    assert_int_equal(ro_writer_complete(writer), RO_E_IO);
    assert_int_equal(ro_writer_commit(writer), RO_E_IO);
    ro_writer_close(writer);
    for (int y = 0; y < 2; y++)
        assert_int_equal(ro_field_writer_row(fields, row), RO_E_IO);
    assert_int_equal(ro_field_writer_close(fields, NULL, RO_OK), RO_E_IO);
    assert_non_null(strstr(ro_context_message(context), "b.npy"));
    assert_int_equal(count_files(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_a_failed_page),
        cmocka_unit_test(after_a_page_without_memory),
        cmocka_unit_test(every_allocation_of_a_reader),
        cmocka_unit_test(header_of_an_image),
#if RO_WITH_TIFF
        cmocka_unit_test(description_of_an_image),
#endif
        cmocka_unit_test(room_that_comes_back),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
