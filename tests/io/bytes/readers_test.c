/* SPDX-License-Identifier: MIT */
/* Long reads by several threads: the bytes of the file, wherever it ends, and its position after.
 */
#include "io/bytes/source.h"
#include "io/io_test.h"
#include "roundoff_io_command.h"

enum { SIZE = 5000000 };

static void reads_are_those_of_one(void **state)
{
    (void)state;
    static const size_t wanted[] = {10, 1 << 20, 3, 1 << 21, 70000, 1 << 22, 5};
    uint8_t *bytes = malloc(SIZE), *got = malloc(SIZE);
    const char *path = path_to("long");
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * i >> 7 ^ i);
    assert_int_equal(ro_bytes_save(context, path, bytes, SIZE), RO_OK);
    for (int threads = 0; threads < 5; threads++) {
        struct open_file file;
        struct byte_source source;
        size_t at = 0, part;
        file_init(&file, context, path, "");
        assert_int_equal(source_open(&source, &file, path), RO_OK);
        source_share(&source, threads);
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
            assert_int_equal(source_read(&source, got, wanted[i], &part), RO_OK);
            assert_int_equal(part, at + wanted[i] > SIZE ? SIZE - at : wanted[i]);
            assert_memory_equal(got, bytes + at, part);
            at += part;
        }
        assert_int_equal(at, SIZE);
        assert_int_equal(source_seek(&source, 1234), RO_OK);
        assert_int_equal(source_read(&source, got, SIZE, &part), RO_OK);
        assert_int_equal(part, SIZE - 1234);
        assert_memory_equal(got, bytes + 1234, part);
        source_close(&source);
    }
    free(bytes);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_are_those_of_one)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
