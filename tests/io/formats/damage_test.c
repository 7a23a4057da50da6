/* SPDX-License-Identifier: MIT */
/*
 * The small files of tests/fuzz/seeds: each is read, and then damaged in every way that is quick to
 * try. Cut short, a file is an error, never a short image; with a bit changed, it is an error or an
 * image, never a crash.
 */
#include "io/io_test.h"

static uint8_t *seed, *pixels;
static size_t seed_size;
static ro_file_info seed_info;
static const char *seed_type;

static const char *seeds_folder(void)
{
    static char path[400];
    const char *source = getenv("SOURCE_DIR");
    snprintf(path, sizeof path, "%s/tests/fuzz/seeds", source ? source : ".");
    return path;
}

static size_t pixels_size(const ro_file_info *info)
{
    return ro_format_row_bytes(info->format, info->width) * info->height;
}

static void cut_short(const char *name)
{
    for (size_t size = 0; size < seed_size; size++) {
        ro_file_info info;
        uint8_t *got, *copy = malloc(size + 1); /* its own block, so that reading past it shows */
        memcpy(copy, seed, size);
        ro_status status = read_memory(copy, size, NULL, 2, &info, &got);
        /* Only what lies behind the pixels may be missing: a second page, tags of no concern. */
        if (status == RO_OK && (pixels_size(&info) != pixels_size(&seed_info) ||
                                memcmp(got, pixels, pixels_size(&info)) != 0))
            fail_msg("%s cut to %zu of %zu bytes gives another image", name, size, seed_size);
        if (status == RO_OK && (strcmp(seed_type, "png") == 0 || strcmp(seed_type, "jpeg") == 0))
            fail_msg("%s cut to %zu of %zu bytes is no error", name, size, seed_size);
        if (status != RO_OK)
            assert_true(ro_context_message(context)[0] != '\0');
        free(got);
        free(copy);
    }
}

static void bits_changed(void)
{
    for (size_t i = 0; i < 8 * seed_size; i++) {
        ro_file_info info;
        ro_reader *reader;
        seed[i / 8] ^= (uint8_t)(1 << i % 8);
        if (reader_open_memory(context, seed, seed_size, NULL, &reader) == RO_OK) {
            info = *ro_reader_info(reader);
            ro_reader_close(reader);
            uint8_t *got = NULL;
            if (pixels_size(&info) < 1 << 20)
                read_memory(seed, seed_size, NULL, 3, &info, &got);
            free(got);
        }
        seed[i / 8] ^= (uint8_t)(1 << i % 8);
    }
}

static void every_seed(void **state)
{
    const char *type = *state;
    char path[800], list[500];
    struct dirent *entry;
    int count = 0;
    seed_type = type;
    snprintf(list, sizeof list, "%s/%s", seeds_folder(), type);
    DIR *directory = opendir(list);
    if (!directory)
        fail_msg("%s cannot be read", list);
    while ((entry = readdir(directory))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", list, entry->d_name);
        seed = get_file(path, &seed_size);
        if (read_memory(seed, seed_size, NULL, 100, &seed_info, &pixels) != RO_OK)
            fail_msg("%s: %s", path, ro_context_message(context));
        assert_string_equal(seed_info.type, strcmp(type, "archives") == 0 ? "npy" : type);
        cut_short(path);
        bits_changed();
        free(pixels);
        free(seed);
        count++;
    }
    closedir(directory);
    assert_true(count >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_seed, "pnm"),
        cmocka_unit_test_prestate(every_seed, "npy"),
        cmocka_unit_test_prestate(every_seed, "nifti"),
#if RO_WITH_ZLIB
        cmocka_unit_test_prestate(every_seed, "nrrd"),
        cmocka_unit_test_prestate(every_seed, "archives"),
#endif
        cmocka_unit_test_prestate(every_seed, "bmp"),
        cmocka_unit_test_prestate(every_seed, "gif"),
        cmocka_unit_test_prestate(every_seed, "pam"),
        cmocka_unit_test_prestate(every_seed, "pfm"),
#if RO_WITH_WEBP
        cmocka_unit_test_prestate(every_seed, "webp"),
#endif
#if RO_WITH_PNG
        cmocka_unit_test_prestate(every_seed, "png"),
#endif
#if RO_WITH_TIFF
        cmocka_unit_test_prestate(every_seed, "tiff"),
#endif
#if RO_WITH_JPEG
        cmocka_unit_test_prestate(every_seed, "jpeg"),
#endif
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
