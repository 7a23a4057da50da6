/* SPDX-License-Identifier: MIT */
/* Files put together from parts have the bytes of a writer, and rows are found from anywhere. */
#include "io/io_test.h"
#include "roundoff_io_pieces.h"

static uint8_t *noise(size_t size, unsigned most)
{
    uint8_t *bytes = malloc(size);
    uint32_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)((state >> 16) % (most + 1) & (i % 700 < 350 ? 255u : 1u));
    }
    return bytes;
}

/* A file by a writer, and the same by parts of `at_once` times their rows, the last first. */
static void same_bytes(const char *name, const ro_file_info *info, uint32_t at_once)
{
    const size_t row = ro_format_row_bytes(info->format, info->width);
    const unsigned most = info->format == RO_BITS || info->maxval > 255 ? 255 : info->maxval;
    uint8_t *pixels = noise(row * info->height, most);
    ro_writer *writer;
    ro_parts *parts;
    size_t size, tail_size;
    assert_int_equal(ro_writer_open(context, path_to(name), info, NULL, &writer), RO_OK);
    assert_int_equal(ro_writer_rows(writer, pixels, (ptrdiff_t)row, info->height), RO_OK);
    assert_int_equal(ro_writer_commit(writer), RO_OK);
    ro_writer_close(writer);
    uint8_t *whole = get_file(path_to(name), &size);

    assert_int_equal(ro_parts_open(context, path_to(name), info, NULL, &parts), RO_OK);
    const ro_parts_info *about = ro_parts_query(parts);
    uint64_t *sizes = calloc(about->count, sizeof *sizes), ends = size;
    const uint32_t rows = at_once * about->rows;
    const void *bytes, *head, *tail;
    uint32_t first = (info->height - 1) / rows * rows;
    uint8_t **made = calloc(about->count, sizeof *made);
    size_t *lengths = calloc(about->count, sizeof *lengths);
    for (uint32_t y = first;; y -= rows) {
        const uint32_t count = info->height - y < rows ? info->height - y : rows;
        size_t length;
        assert_int_equal(ro_parts_make(parts, pixels + y * row, (ptrdiff_t)row, count, &bytes,
                                       &length, sizes + y / about->rows),
                         RO_OK);
        made[y / rows] = malloc(length);
        memcpy(made[y / rows], bytes, length);
        lengths[y / rows] = length;
        if (y == 0)
            break;
    }
    assert_int_equal(ro_parts_frame(parts, sizes, &head, &tail, &tail_size), RO_OK);
    assert_memory_equal(whole, head, about->head);
    uint64_t at = about->head;
    for (uint32_t i = 0; i <= first / rows; at += lengths[i++]) {
        assert_true(at + lengths[i] <= ends);
        assert_memory_equal(whole + at, made[i], lengths[i]);
        if (about->bytes && i < first / rows)
            assert_int_equal(lengths[i], about->bytes * at_once);
        free(made[i]);
    }
    assert_int_equal(at + tail_size, size);
    assert_memory_equal(whole + at, tail, tail_size);
    ro_parts_close(parts);
    free(made);
    free(lengths);
    free(sizes);
    free(whole);
    free(pixels);
    empty_folder();
}

static void bytes_of_a_writer(void **state)
{
    (void)state;
    static const ro_palette palette = {.count = 3,
                                       .colours = {{0, 0, 0}, {255, 255, 255}, {200, 0, 0}}};
    const ro_file_info infos[] = {
        {.format = RO_BITS, .width = 733, .height = 911, .maxval = 1},
        {.format = RO_BITS, .width = 1, .height = 1, .maxval = 1},
        {.format = RO_INDEX8, .width = 1023, .height = 603, .maxval = 4, .dpi_x = 300},
        {.format = RO_GREY16, .width = 501, .height = 701, .maxval = 65535},
        {.format = RO_RGB8, .width = 301, .height = 600, .maxval = 255},
        {.format = RO_INDEX8, .width = 411, .height = 300, .maxval = 2, .palette = &palette},
    };
    static const char *const names[][3] = {
        {"a.pbm", "a.tif", "a.npy"}, {"a.pbm", "a.tif", NULL},    {"a.pgm", "a.npy", "a.tif"},
        {"a.pgm", "a.npy", "a.tif"}, {"a.ppm", "a.npy", "a.tif"}, {"a.ppm", "a.npy", "a.tif"},
    };
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++)
        for (int k = 0; k < 3 && names[i][k]; k++)
            if (RO_WITH_TIFF || !strstr(names[i][k], ".tif"))
                for (uint32_t at_once = 1; at_once <= 3; at_once += 2)
                    same_bytes(names[i][k], &infos[i], at_once);
}

static void types_without_parts(void **state)
{
    (void)state;
    const ro_file_info info = {.format = RO_GREY8, .width = 5, .height = 4, .maxval = 255};
    ro_parts *parts;
    assert_int_equal(ro_parts_open(context, path_to("a.bmp"), &info, NULL, &parts),
                     RO_E_UNSUPPORTED);
    assert_null(parts);
    assert_non_null(strstr(ro_context_message(context), "cannot be written in parts"));
    assert_int_equal(ro_parts_open(context, path_to("nothing"), &info, NULL, &parts),
                     RO_E_ARGUMENT);
    empty_folder();
}

/* A file that could outgrow 4 GB, of which there is nothing but its frame. */
static void frame_of_a_large_file(void **state)
{
    (void)state;
    const ro_file_info info = {
        .format = RO_RGB16, .width = 90000, .height = 90001, .maxval = 65535};
    ro_parts *parts;
    if (!RO_WITH_TIFF)
        return;
    assert_int_equal(ro_parts_open(context, path_to("a.tif"), &info, NULL, &parts), RO_OK);
    const ro_parts_info about = *ro_parts_query(parts);
    assert_int_equal(about.head, 16);
    assert_int_equal(about.rows, 8);
    assert_int_equal(about.count, 11251);
    uint64_t *sizes = calloc(about.count, sizeof *sizes);
    for (uint32_t i = 0; i < about.count; i++)
        sizes[i] = 1000000 + i % 3;
    const void *head, *tail;
    size_t size;
    assert_int_equal(ro_parts_frame(parts, sizes, &head, &tail, &size), RO_OK);
    assert_memory_equal(head, "II+", 4);
    uint64_t directory, end = 16;
    memcpy(&directory, (const char *)head + 8, sizeof directory);
    for (uint32_t i = 0; i < about.count; i++)
        end += sizes[i];
    assert_int_equal(directory, (end + 1) & ~UINT64_C(1));
    assert_true(size > 12 * about.count);
    free(sizes);
    ro_parts_close(parts);
    empty_folder();
}

/* Rows read from anywhere are those of one pass. */
static void rows_from_anywhere(void **state)
{
    (void)state;
    static const uint32_t order[] = {600, 3, 4, 0, 299, 601, 17, 600, 601, 1};
    static const char *const names[] = {"a.pgm", "a.npy", "a.tif", "b.pbm", "b.tif"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const bool bits = names[i][0] == 'b';
        if (!RO_WITH_TIFF && strstr(names[i], ".tif"))
            continue;
        ro_image image = {.format = bits ? RO_BITS : RO_GREY8,
                          .width = 1031,
                          .height = 602,
                          .maxval = 0,
                          .stride = 0,
                          .data = NULL};
        image.stride = (ptrdiff_t)ro_format_row_bytes(image.format, image.width);
        image.data = noise((size_t)image.stride * image.height, 255);
        assert_int_equal(ro_image_save(context, path_to(names[i]), &image, NULL), RO_OK);
        free(image.data);
        ro_image all;
        assert_int_equal(ro_image_load(context, path_to(names[i]), NULL, &all, NULL, NULL), RO_OK);
        ro_reader *reader;
        assert_int_equal(ro_reader_open(context, path_to(names[i]), NULL, &reader), RO_OK);
        uint8_t *rows = malloc(2 * 1031);
        for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
            uint32_t got;
            assert_int_equal(ro_reader_seek(reader, order[k]), RO_OK);
            assert_int_equal(ro_reader_rows(reader, rows, 1031, 2, &got), RO_OK);
            assert_int_equal(got, order[k] == 601 ? 1 : 2);
            for (uint32_t y = 0; y < got; y++)
                assert_memory_equal(rows + y * 1031,
                                    (uint8_t *)all.data + (ptrdiff_t)(order[k] + y) * all.stride,
                                    1031);
        }
        assert_int_equal(ro_reader_seek(reader, 603), RO_E_ARGUMENT);
        ro_reader_close(reader);
        ro_image_free(&all);
        free(rows);
    }
    put_file(path_to("plain.pgm"), "P2\n2 2\n3\n0 1 2 3\n", 17);
    ro_reader *reader;
    assert_int_equal(ro_reader_open(context, path_to("plain.pgm"), NULL, &reader), RO_OK);
    assert_int_equal(ro_reader_seek(reader, 1), RO_E_UNSUPPORTED);
    ro_reader_close(reader);
    empty_folder();
}

/* The file of parts: nobody else's, gone after a failure, kept for another run, or committed. */
static void files_of_parts(void **state)
{
    (void)state;
    const ro_file_info info = {.format = RO_GREY8, .width = 3, .height = 2, .maxval = 255};
    const char *out = path_to("a.pgm"), *name = NULL, *second = NULL;
    char kept[200];
    struct stat about;
    ro_parts *parts, *others;
    put_file(out, "old", 3);
    assert_int_equal(chmod(out, 04640), 0);
    assert_int_equal(ro_parts_open(context, out, &info, NULL, &parts), RO_OK);
    assert_int_equal(ro_parts_commit(parts), RO_E_STATE);
    assert_int_equal(ro_parts_begin(parts, 0, NULL, &name), RO_OK);
    assert_int_equal(ro_parts_begin(parts, 0, NULL, &second), RO_E_STATE);
    assert_int_equal(stat(name, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
    assert_int_equal(ro_parts_open(context, out, &info, NULL, &others), RO_OK);
    assert_int_equal(ro_parts_begin(others, 1, NULL, &second), RO_OK);
    assert_string_not_equal(name, second);
    snprintf(kept, sizeof kept, "%s", strrchr(second, '/') + 1);
    put_file(second, "kept", 4);
    ro_parts_close(parts);
    ro_parts_close(others);
    assert_int_equal(count_files(), 2); /* the old one, and the one that was kept */
    const char *const wrong[] = {"../a.pgm", "a.pgm", ".none", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(ro_parts_open(context, out, &info, NULL, &parts), RO_OK);
        assert_int_not_equal(ro_parts_begin(parts, 1, wrong[i], &name), RO_OK);
        ro_parts_close(parts);
    }
    assert_int_equal(ro_parts_open(context, out, &info, NULL, &parts), RO_OK);
    assert_int_equal(ro_parts_begin(parts, 1, kept, &name), RO_OK);
    assert_int_equal(ro_parts_commit(parts), RO_OK);
    ro_parts_close(parts);
    size_t size;
    uint8_t *bytes = get_file(out, &size);
    assert_int_equal(size, 4);
    assert_memory_equal(bytes, "kept", 4);
    free(bytes);
    assert_int_equal(count_files(), 1);
    empty_folder();
}

/* Of two runs to one name the first that is complete wins, and the other is told. */
static void runs_to_one_name(void **state)
{
    (void)state;
    const ro_file_info info = {.format = RO_GREY8, .width = 3, .height = 2, .maxval = 255};
    const char *out = path_to("a.pgm"), *name[2];
    for (int old = 0; old < 2; old++) {
        ro_parts *parts[2];
        if (old)
            put_file(out, "before", 6);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(ro_parts_open(context, out, &info, NULL, &parts[i]), RO_OK);
            assert_int_equal(ro_parts_begin(parts[i], 0, NULL, &name[i]), RO_OK);
            put_file(name[i], i ? "second" : "first.", 6);
        }
        assert_int_equal(ro_parts_commit(parts[1]), RO_OK);
        assert_int_equal(ro_parts_commit(parts[0]), RO_E_STATE);
        assert_non_null(strstr(ro_context_message(context), "another run has written it"));
        ro_parts_close(parts[0]);
        ro_parts_close(parts[1]);
        size_t size;
        uint8_t *bytes = get_file(out, &size);
        assert_int_equal(size, 6);
        assert_memory_equal(bytes, "second", 6);
        free(bytes);
        assert_int_equal(count_files(), 1);
        empty_folder();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_a_writer),     cmocka_unit_test(types_without_parts),
        cmocka_unit_test(frame_of_a_large_file), cmocka_unit_test(rows_from_anywhere),
        cmocka_unit_test(files_of_parts),        cmocka_unit_test(runs_to_one_name),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
