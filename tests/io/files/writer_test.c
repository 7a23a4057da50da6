/* SPDX-License-Identifier: MIT */
/* What becomes of the target: nothing until the commit, all of it after. */
#include "io/io_test.h"
#include "roundoff_io_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

enum { WIDTH = 3, HEIGHT = 4 };

static const uint8_t pixels[HEIGHT * WIDTH] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const ro_file_info grey = {.format = RO_GREY8, .width = WIDTH, .height = HEIGHT};
static const char whole[] = "P5\n3 4\n255\n\1\2\3\4\5\6\7\10\11\12\13\14";

static void expect_file(const char *path, const void *bytes, size_t size)
{
    size_t got;
    uint8_t *found = get_file(path, &got);
    assert_non_null(found);
    assert_int_equal(got, size);
    assert_memory_equal(found, bytes, size);
    free(found);
}

static void nothing_before_the_commit(void **state)
{
    (void)state;
    const char *path = path_to("new.pgm");
    ro_writer *writer;
    assert_int_equal(ro_writer_open(context, path, &grey, NULL, &writer), RO_OK);
    assert_int_equal(ro_writer_rows(writer, pixels, WIDTH, 2), RO_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(count_files(), 1); /* the temporary one */
    assert_int_equal(ro_writer_commit(writer), RO_E_STATE);
    assert_non_null(strstr(ro_context_message(context), "only 2 of its 4 rows"));
    assert_int_equal(ro_writer_rows(writer, pixels, WIDTH, 3), RO_E_STATE);
    assert_int_equal(ro_writer_rows(writer, pixels + 2 * WIDTH, WIDTH, 2), RO_OK);
    assert_int_equal(ro_writer_commit(writer), RO_OK);
    assert_int_equal(ro_writer_commit(writer), RO_E_STATE);
    ro_writer_close(writer);
    expect_file(path, whole, sizeof whole - 1);
    assert_int_equal(count_files(), 1);
    empty_folder();
}

static void closing_removes_the_temporary(void **state)
{
    (void)state;
    const char *path = path_to("old.pgm");
    ro_writer *writer;
    put_file(path, "old", 3);
    assert_int_equal(ro_writer_open(context, path, &grey, NULL, &writer), RO_OK);
    assert_int_equal(ro_writer_rows(writer, pixels, WIDTH, HEIGHT), RO_OK);
    assert_int_equal(count_files(), 2);
    ro_writer_close(writer);
    assert_int_equal(count_files(), 1);
    expect_file(path, "old", 3);
    empty_folder();
}

static void modes(void **state)
{
    (void)state;
    const char *path = path_to("mode.pgm");
    ro_image image = {.format = RO_GREY8,
                      .width = WIDTH,
                      .height = HEIGHT,
                      .maxval = 0,
                      .stride = WIDTH,
                      .data = (void *)pixels};
    struct stat about;
    mode_t before = umask(027);
    assert_int_equal(ro_image_save(context, path, &image, NULL), RO_OK);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(ro_image_save(context, path, &image, NULL), RO_OK);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0604);
    umask(before);
    empty_folder();
}

/* Writing to a link changes the file it leads to, there or not, and leaves the link. */
static void links(void **state)
{
    (void)state;
    ro_image image = {.format = RO_GREY8,
                      .width = WIDTH,
                      .height = HEIGHT,
                      .maxval = 0,
                      .stride = WIDTH,
                      .data = (void *)pixels};
    struct stat about;
    assert_int_equal(symlink("target.pgm", path_to("second.pgm")), 0);
    assert_int_equal(symlink(path_to("second.pgm"), path_to("first.pgm")), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ro_image_save(context, path_to("first.pgm"), &image, NULL), RO_OK);
        assert_int_equal(lstat(path_to("first.pgm"), &about), 0);
        assert_true(S_ISLNK(about.st_mode));
        assert_int_equal(lstat(path_to("target.pgm"), &about), 0);
        assert_true(S_ISREG(about.st_mode));
    }
    assert_int_equal(count_files(), 3);
    assert_int_equal(symlink("loop.pgm", path_to("loop.pgm")), 0);
    assert_int_equal(ro_image_save(context, path_to("loop.pgm"), &image, NULL), RO_E_IO);
    empty_folder();
}

static void bad_targets(void **state)
{
    (void)state;
    ro_image image = {.format = RO_GREY8,
                      .width = WIDTH,
                      .height = HEIGHT,
                      .maxval = 0,
                      .stride = WIDTH,
                      .data = (void *)pixels};
    ro_write_options pgm = {RO_WRITE_DEFAULTS, .type = "pgm"};
    assert_int_equal(ro_image_save(context, folder, &image, &pgm), RO_E_IO);
    assert_non_null(strstr(ro_context_message(context), "is a directory"));
    assert_int_equal(ro_writer_accepts(context, folder, &grey, &pgm), RO_E_IO);
    assert_non_null(strstr(ro_context_message(context), "is a directory"));
    assert_int_equal(ro_image_save(context, path_to("no/such.pgm"), &image, NULL), RO_E_IO);
    assert_non_null(strstr(ro_context_message(context), "No such file"));
    assert_int_equal(ro_writer_accepts(context, path_to("no/such.pgm"), &grey, NULL), RO_E_IO);
    assert_int_equal(ro_writer_accepts(context, path_to("fine.pgm"), &grey, NULL), RO_OK);
    assert_int_equal(count_files(), 0);
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(ro_image_save(context, "/dev/full", &image, &pgm), RO_E_IO);
        assert_non_null(strstr(ro_context_message(context), "No space left"));
    }
    assert_int_equal(ro_image_save(context, "/dev/null", &image, &pgm), RO_OK);
    struct stat about;
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
    if (geteuid() != 0) { /* root may write anything */
        put_file(path_to("fixed.pgm"), "old", 3);
        assert_int_equal(chmod(path_to("fixed.pgm"), 0444), 0);
        assert_int_equal(ro_image_save(context, path_to("fixed.pgm"), &image, NULL), RO_E_IO);
        expect_file(path_to("fixed.pgm"), "old", 3);
    }
    empty_folder();
}

/* A disk that fills up, played by a limit on the size of files. */
static void full_disk(void **state)
{
    (void)state;
    static const char *const names[] = {
        "full.pgm",
        "full.npy",
#if RO_WITH_PNG
        "full.png",
#endif
#if RO_WITH_TIFF
        "full.tif",
#endif
    };
    struct rlimit before, small;
    ro_image image;
    assert_int_equal(ro_image_alloc(context, RO_GREY8, 900, 1000, 0, &image), RO_OK);
    for (int i = 0; i < 900 * 1000; i++) /* noise, so that nothing gets much smaller */
        ((uint8_t *)image.data)[i / 900 * image.stride + i % 900] =
            (uint8_t)((uint32_t)i * 2654435761u >> 13 ^ (uint32_t)i * (uint32_t)i >> 7);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = path_to(names[i]);
        put_file(path, "old", 3);
        small = before;
        small.rlim_cur = 300000;
        setrlimit(RLIMIT_FSIZE, &small);
        ro_status status = ro_image_save(context, path, &image, NULL);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(status, RO_E_IO);
        assert_non_null(strstr(ro_context_message(context), strerror(EFBIG)));
        expect_file(path, "old", 3);
        assert_int_equal(count_files(), 1);
        empty_folder();
    }
    signal(SIGXFSZ, SIG_DFL);
    ro_image_free(&image);
}

static void what_each_type_takes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        ro_format format;
        uint32_t maxval;
        ro_status status;
        const char *words;
    } cases[] = {
        {"a.pbm", RO_BITS, 0, RO_OK, ""},
        {"a.pbm", RO_INDEX8, 1, RO_OK, ""},
        {"a.pbm", RO_INDEX8, 3, RO_E_UNSUPPORTED, "2 levels only, not 4"},
        {"a.pbm", RO_RGB8, 0, RO_E_UNSUPPORTED, "cannot hold colour"},
        {"a.pgm", RO_BITS, 0, RO_OK, ""},
        {"a.PGM", RO_GREY16, 1000, RO_OK, ""},
        {"a.pgm", RO_GREYF, 0, RO_E_UNSUPPORTED, "cannot hold floating point"},
        {"a.pgm", RO_RGB8, 0, RO_E_UNSUPPORTED, "cannot hold colour"},
        {"a.ppm", RO_RGB16, 0, RO_OK, ""},
        {"a.ppm", RO_GREY8, 0, RO_E_UNSUPPORTED, "colour only"},
        {"a.npy", RO_RGBF, 0, RO_OK, ""},
        {"a.jpg", RO_GREY8, 0, RO_E_UNSUPPORTED, "JPEG"},
        {"a.xyz", RO_GREY8, 0, RO_E_ARGUMENT, ".pbm, .pgm, .ppm, .pnm, .png, .tif, .bmp,"},
        {"a.gif", RO_GREY8, 0, RO_E_UNSUPPORTED, "GIF files can be read but not written"},
        {"nothing", RO_GREY8, 0, RO_E_ARGUMENT, "cannot be told from the name"},
        {"a.d/nothing", RO_GREY8, 0, RO_E_ARGUMENT, "cannot be told from the name"},
        {"a.pgm", RO_FORMAT_NONE, 0, RO_E_ARGUMENT, "no format"},
        {"a.pgm", RO_GREY8, 256, RO_E_ARGUMENT, "maxval 256"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ro_file_info info = {
            .format = cases[i].format, .width = 1, .height = 1, .maxval = cases[i].maxval};
        assert_int_equal(ro_writer_accepts(context, path_to(cases[i].name), &info, NULL),
                         cases[i].status);
        if (cases[i].status != RO_OK && !strstr(ro_context_message(context), cases[i].words))
            fail_msg("%s", ro_context_message(context));
    }
    ro_write_options wrong = {RO_WRITE_DEFAULTS, .type = "xyz"};
    assert_int_equal(ro_writer_accepts(context, path_to("a.pgm"), &grey, &wrong), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "'xyz' is not a known type"));
}

#if !RO_WITH_TIFF
static void left_out(void **state)
{
    (void)state;
    assert_int_equal(ro_writer_accepts(context, path_to("a.tif"), &grey, NULL), RO_E_UNSUPPORTED);
    assert_non_null(strstr(ro_context_message(context), "this build has no TIFF support"));
    expect_failure("II*\0........", 12, NULL, RO_E_UNSUPPORTED, "this build has no TIFF support");
}
#endif

/* Rows in the file as the definition of the levels has them. */
static void levels_in_files(void **state)
{
    (void)state;
    static const uint8_t levels[] = {0, 1, 2, 2, 1, 0};
    static const uint8_t bits[] = {0xa0, 0x5f}; /* 3 pixels a row: 101, 010 */
    ro_image image = {.format = RO_INDEX8,
                      .width = 3,
                      .height = 2,
                      .maxval = 2,
                      .stride = 3,
                      .data = (void *)levels};
    ro_image packed = {
        .format = RO_BITS, .width = 3, .height = 2, .maxval = 0, .stride = 1, .data = (void *)bits};
    uint8_t *file;
    size_t size;
    assert_int_equal(ro_image_save(context, path_to("a.pgm"), &image, NULL), RO_OK);
    expect_file(path_to("a.pgm"), "P5\n3 2\n255\n\x00\x80\xff\xff\x80\x00", 17);
    assert_int_equal(ro_image_save(context, path_to("a.npy"), &image, NULL), RO_OK);
    file = get_file(path_to("a.npy"), &size);
    assert_int_equal(size, 128 + 6);
    assert_memory_equal(file + 128, levels, 6);
    free(file);
    assert_int_equal(ro_image_save(context, path_to("b.pbm"), &packed, NULL), RO_OK);
    expect_file(path_to("b.pbm"), "P4\n3 2\n\x40\xa0", 9); /* white is 0; the padding is 0 */
    assert_int_equal(ro_image_save(context, path_to("b.pgm"), &packed, NULL), RO_OK);
    expect_file(path_to("b.pgm"), "P5\n3 2\n255\n\xff\x00\xff\x00\xff\x00", 17);
    empty_folder();
}

/* A picture encoded in memory is the file's bytes, also where they pass the buffer's size. */
static void encoded_in_memory(void **state)
{
    (void)state;
    static uint8_t pixels[900 * 700];
    ro_image image = ro_image_view(RO_GREY8, 900, 700, pixels);
    void *bytes;
    size_t size, wanted_size;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i >> 7);
    assert_int_equal(ro_image_encode(context, "pgm", &image, &bytes, &size), RO_OK);
    assert_int_equal(ro_image_save(context, path_to("a.pgm"), &image, NULL), RO_OK);
    uint8_t *wanted = get_file(path_to("a.pgm"), &wanted_size);
    assert_int_equal(size, wanted_size);
    assert_memory_equal(bytes, wanted, size);
    free(bytes);
    free(wanted);
    assert_int_equal(ro_image_encode(context, "xyz", &image, &bytes, &size), RO_E_ARGUMENT);
    assert_null(bytes);
    assert_int_equal(ro_bytes_save(context, path_to("a.txt"), "text\n", 5), RO_OK);
    expect_file(path_to("a.txt"), "text\n", 5);
    empty_folder();
}

/* A caller's count is not believed: no encoder has room for more than 256 colours. */
static void palettes_of_any_count(void **state)
{
    (void)state;
    static const char *const names[] = {
        "a.ppm",
        "a.npy",
#if RO_WITH_PNG
        "a.png",
#endif
#if RO_WITH_TIFF
        "a.tif",
#endif
    };
    static const int counts[] = {1000, 257, 0, -1, 256, 2};
    static ro_palette palette;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            ro_file_info info = {.format = RO_INDEX8,
                                 .width = WIDTH,
                                 .height = HEIGHT,
                                 .maxval = 255,
                                 .palette = &palette};
            bool good = counts[k] >= 1 && counts[k] <= 256;
            ro_writer *writer;
            palette.count = counts[k];
            ro_status status = ro_writer_open(context, path_to(names[i]), &info, NULL, &writer);
            assert_int_equal(status, good ? RO_OK : RO_E_ARGUMENT);
            if (!good)
                assert_non_null(strstr(ro_context_message(context), "1 to 256"));
            ro_writer_close(writer);
            info.format = RO_GREY8;
            assert_int_equal(ro_writer_accepts(context, path_to(names[i]), &info, NULL),
                             RO_E_ARGUMENT);
        }
    assert_int_equal(count_files(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_before_the_commit),
        cmocka_unit_test(closing_removes_the_temporary),
        cmocka_unit_test(modes),
        cmocka_unit_test(links),
        cmocka_unit_test(bad_targets),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(what_each_type_takes),
#if !RO_WITH_TIFF
        cmocka_unit_test(left_out),
#endif
        cmocka_unit_test(levels_in_files),
        cmocka_unit_test(encoded_in_memory),
        cmocka_unit_test(palettes_of_any_count),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
