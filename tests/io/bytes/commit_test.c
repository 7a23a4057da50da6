/* SPDX-License-Identifier: MIT */
/* Lists of files that get their names together. */
#include "io/io_test.h"
#include "roundoff_io_command.h"

enum { WIDTH = 5, HEIGHT = 4 };
static const uint8_t pixels[WIDTH * HEIGHT] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
static const char whole[] = "P5\n5 4\n255\n\1\2\3\4\5\6\7\10\11\12\0\0\0\0\0\0\0\0\0\0";
static const ro_image image = {.format = RO_GREY8,
                               .width = WIDTH,
                               .height = HEIGHT,
                               .maxval = 0,
                               .stride = WIDTH,
                               .data = (void *)pixels};

static void expect_file(const char *path, const void *bytes, size_t size)
{
    size_t found;
    uint8_t *file = get_file(path, &found);
    assert_non_null(file);
    assert_int_equal(found, size);
    assert_memory_equal(file, bytes, size);
    free(file);
}

/* Two old files, and a list with new ones in their places. */
static void save_two(void)
{
    put_file(path_to("a.pgm"), "old", 3);
    put_file(path_to("b.txt"), "old", 3);
    assert_int_equal(ro_commit_begin(context), RO_OK);
    assert_int_equal(ro_image_save(context, path_to("a.pgm"), &image, NULL), RO_OK);
    assert_int_equal(ro_bytes_save(context, path_to("b.txt"), "new", 3), RO_OK);
    expect_file(path_to("a.pgm"), "old", 3);
    expect_file(path_to("b.txt"), "old", 3);
}

static void expect_old(void)
{
    expect_file(path_to("a.pgm"), "old", 3);
    expect_file(path_to("b.txt"), "old", 3);
    assert_int_equal(count_files(), 2);
}

static void together(void **state)
{
    (void)state;
    save_two();
    assert_int_equal(ro_commit_begin(context), RO_E_STATE);
    assert_int_equal(ro_commit_all(context), RO_OK);
    expect_file(path_to("a.pgm"), whole, sizeof whole - 1);
    expect_file(path_to("b.txt"), "new", 3);
    assert_int_equal(count_files(), 2);
    assert_int_equal(ro_commit_all(context), RO_E_STATE);
    ro_commit_drop(context); /* nothing to drop */
    empty_folder();
}

static void not_at_all(void **state)
{
    (void)state;
    save_two();
    ro_commit_drop(context);
    expect_old();
    save_two();
    ro_context_cancel(context);
    assert_int_equal(ro_commit_all(context), RO_E_CANCELLED);
    ro_context_resume(context);
    expect_old();
    save_two();
    assert_int_equal(ro_image_save(context, path_to("c.xyz"), &image, NULL), RO_E_ARGUMENT);
    ro_commit_drop(context);
    expect_old();
    empty_folder();
}

/* A list that nobody ended goes with its context. */
static void closed_with_the_context(void **state)
{
    (void)state;
    ro_context *kept = context;
    assert_int_equal(
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1}, &context), RO_OK);
    save_two();
    ro_context_close(context);
    context = kept;
    expect_old();
    empty_folder();
}

/* What waits is read by its name, also by another way to write it; other contexts see the old. */
static void reading_back(void **state)
{
    (void)state;
    char around[160];
    ro_image read;
    ro_context *other;
    save_two();
    assert_int_equal(symlink("a.pgm", path_to("link.pgm")), 0);
    snprintf(around, sizeof around, "%s/./a.pgm", folder);
    const char *const names[] = {path_to("a.pgm"), path_to("link.pgm"), around};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(ro_image_load(context, names[i], NULL, &read, NULL, NULL), RO_OK);
        assert_int_equal(read.width, WIDTH);
        assert_memory_equal((char *)read.data + read.stride, pixels + WIDTH, WIDTH);
        ro_image_free(&read);
    }
    assert_int_equal(
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1}, &other), RO_OK);
    assert_int_equal(ro_image_load(other, path_to("a.pgm"), NULL, &read, NULL, NULL), RO_E_FORMAT);
    ro_context_close(other);
    ro_commit_drop(context);
    empty_folder();
}

static void a_name_twice(void **state)
{
    (void)state;
    save_two();
    assert_int_equal(symlink("b.txt", path_to("link.txt")), 0);
    assert_int_equal(ro_bytes_save(context, path_to("link.txt"), "x", 1), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "twice"));
    assert_int_equal(ro_commit_all(context), RO_OK);
    expect_file(path_to("b.txt"), "new", 3);
    assert_int_equal(count_files(), 3);
    empty_folder();
}

/* Several names are not one: the message tells how far it came. */
static void a_name_refused(void **state)
{
    (void)state;
    save_two();
    assert_int_equal(unlink(path_to("b.txt")), 0);
    assert_int_equal(mkdir(path_to("b.txt"), 0777), 0);
    assert_int_equal(ro_commit_all(context), RO_E_IO);
    assert_non_null(strstr(ro_context_message(context), "b.txt: cannot be written"));
    assert_non_null(strstr(ro_context_message(context), "a.pgm is written already"));
    expect_file(path_to("a.pgm"), whole, sizeof whole - 1);
    assert_int_equal(count_files(), 2);
    empty_folder();
    save_two();
    assert_int_equal(unlink(path_to("a.pgm")), 0);
    assert_int_equal(mkdir(path_to("a.pgm"), 0777), 0);
    assert_int_equal(ro_commit_all(context), RO_E_IO);
    assert_null(strstr(ro_context_message(context), "already"));
    expect_file(path_to("b.txt"), "old", 3);
    assert_int_equal(count_files(), 2);
    empty_folder();
}

/* Before the names nobody can read more than of the old file. */
static void mode_while_waiting(void **state)
{
    (void)state;
    const char *path = path_to("secret.txt");
    struct stat about;
    mode_t before = umask(0);
    put_file(path, "old", 3);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(ro_commit_begin(context), RO_OK);
    assert_int_equal(ro_bytes_save(context, path, "new", 3), RO_OK);
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    int seen = 0;
    while ((entry = readdir(directory)))
        if (strncmp(entry->d_name, ".secret", 7) == 0) {
            assert_int_equal(fstatat(dirfd(directory), entry->d_name, &about, 0), 0);
            assert_int_equal(about.st_mode & 0777, 0600);
            seen++;
        }
    closedir(directory);
    assert_int_equal(seen, 1);
    assert_int_equal(ro_commit_all(context), RO_OK);
    umask(before);
    empty_folder();
}

static void removed_by_a_handler(void **state)
{
    (void)state;
    save_two();
    ro_temporaries_remove();
    expect_old();
    ro_commit_drop(context);
    expect_old();
    save_two(); /* places are used again */
    assert_int_equal(ro_commit_all(context), RO_OK);
    expect_file(path_to("b.txt"), "new", 3);
    empty_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(together),
        cmocka_unit_test(not_at_all),
        cmocka_unit_test(closed_with_the_context),
        cmocka_unit_test(reading_back),
        cmocka_unit_test(a_name_twice),
        cmocka_unit_test(a_name_refused),
        cmocka_unit_test(mode_while_waiting),
        cmocka_unit_test(removed_by_a_handler),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
