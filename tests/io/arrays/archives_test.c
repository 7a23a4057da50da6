/* SPDX-License-Identifier: MIT */
/* NPZ archives written and read back; HDF5 files by their bytes, which h5py reads. */
#include "fixture.h"
#include "io/files/names.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { W = 11, H = 7 };
static uint16_t samples[W * H];
static const ro_image image = {.format = RO_GREY16,
                               .width = W,
                               .height = H,
                               .maxval = 65535,
                               .stride = 2 * W,
                               .data = samples};
static char folder[] = "/tmp/roundoff-archives-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void npz(void **state)
{
    (void)state;
    static const char *const names[] = {"a.npz", "a.npz:pic", "a.NPZ:deep/er.npy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ro_image back;
        assert_int_equal(ro_image_save(context, in_folder(names[i]), &image, NULL), RO_OK);
        assert_int_equal(ro_image_load(context, in_folder(names[i]), NULL, &back, NULL, NULL),
                         RO_OK);
        /* only the same member again */
        assert_int_equal(ro_image_save(context, in_folder(names[i]), &image, NULL), RO_OK);
        assert_int_equal(ro_image_save(context, in_folder("a.npz:new"), &image, NULL),
                         i < 2 ? RO_E_ARGUMENT : RO_OK);
        assert_int_equal(back.width, W);
        for (int y = 0; y < H; y++)
            assert_memory_equal((char *)back.data + y * back.stride, samples + y * W, 2 * W);
        ro_image_free(&back);
        if (i < 2)
            unlink(in_folder("a.npz"));
    }
    ro_image none;
    assert_int_equal(ro_image_load(context, in_folder("a.npz:other"), NULL, &none, NULL, NULL),
                     RO_E_ARGUMENT);
}

/* FNV-1a of all bytes. */
static uint64_t hash_of(const char *path, size_t *size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (int byte; (byte = getc(file)) != EOF; ++*size)
        hash = (hash ^ (uint64_t)byte) * 0x100000001b3u;
    fclose(file);
    return hash;
}

static void hdf5(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t size;
        uint64_t hash;
    } files[] = {{"a.h5", 346, 0x6db868e5cad2386u}, {"a.h5:/scan/1/raw", 474, 0x210b8039ba0bf103u}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t size = 0;
        assert_int_equal(ro_image_save(context, in_folder(files[i].name), &image, NULL), RO_OK);
        assert_int_equal(hash_of(in_folder("a.h5"), &size), files[i].hash);
        assert_int_equal(size, files[i].size);
        assert_int_equal(ro_image_save(context, in_folder(files[i].name), &image, NULL), RO_OK);
        assert_int_equal(ro_image_save(context, in_folder("a.h5:scan/2/raw"), &image, NULL),
                         RO_E_ARGUMENT);
        unlink(in_folder("a.h5"));
    }
}

/* Files are not lost by names and types that hide what they are. */
static void kept(void **state)
{
    (void)state;
    const ro_write_options others[] = {{RO_WRITE_DEFAULTS, .type = "npy"},
                                       {RO_WRITE_DEFAULTS, .type = "h5"}};
    uint8_t block[1024] = "somebody else's bytes, and behind them";
    memcpy(block + 512, "\x89HDF\r\n\x1a\n", 8);
    FILE *file = fopen(in_folder("a.h5"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(block, sizeof block, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(ro_image_save(context, in_folder("a.h5"), &image, NULL), RO_E_ARGUMENT);
    unlink(in_folder("a.h5"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(ro_image_save(context, in_folder("a.npz:b"), &image, &others[i]),
                         RO_E_ARGUMENT);
}

static void names(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t file, stem;
    } of[] = {
        {"a.png", 5, 1},     {"a", 1, 1},          {"a.b/c", 5, 5},        {"a.b/c.nii.gz", 12, 5},
        {"a.h5:/b.c", 4, 1}, {"a.NPZ:b/c", 5, 1},  {"x:y.h5:/b", 6, 3},    {"a.png:b", 7, 1},
        {"a.npz:", 6, 1},    {"a.b.hdf5:c", 8, 3}, {"d/a.h5.gz:b", 11, 6}, {"", 0, 0},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        assert_int_equal(path_file(of[i].path), of[i].file);
        assert_int_equal(ro_path_stem(of[i].path), of[i].stem);
    }
    assert_int_equal(ro_type_keeps_levels("npy"), 1);
    assert_int_equal(ro_type_keeps_levels("nifti"), 1);
    assert_int_equal(ro_type_keeps_levels("png"), 0);
    assert_int_equal(ro_type_keeps_levels("no such"), 0);
}

static void refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "b.h5:/",  "b.h5:a//b",  "b.h5:a/",  "b.mat",     "b.npz.gz",
        "b.h5.gz", "b.npz:../x", "b.npz:/x", "b.h5:a\\b", "b.h5:1/2/3/4/5/6/7/8/9"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_not_equal(ro_image_save(context, in_folder(names[i]), &image, NULL), RO_OK);
        assert_int_not_equal(access(in_folder("b.h5"), F_OK), 0);
    }
}

static int open_folder(void **state)
{
    for (int i = 0; i < W * H; i++)
        samples[i] = (uint16_t)(i * 811);
    return mkdtemp(folder) ? fixture_open(state) : -1;
}

static int close_folder(void **state)
{
    static const char *const names[] = {"a.npz", "a.NPZ", "a.h5"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_folder(names[i]));
    rmdir(folder);
    return fixture_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(npz), cmocka_unit_test(hdf5),
                                       cmocka_unit_test(refused), cmocka_unit_test(kept),
                                       cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
