/* SPDX-License-Identifier: MIT */
/* What the tests of files share: a context, a folder that is removed, files in memory. */
#ifndef RO_IO_TEST_H
#define RO_IO_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/files/reader.h"
#include "roundoff_io.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

static ro_context *context;
static char folder[64];

static UNUSED int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/roundoff-io.XXXXXX",
             getenv("TMPDIR") && strlen(getenv("TMPDIR")) < 40 ? getenv("TMPDIR") : "/tmp");
    assert_non_null(mkdtemp(folder));
    return ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 2}, &context) !=
           RO_OK;
}

/* The files in the folder; temporary ones would be found here. */
static UNUSED int count_files(void)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    int count = 0;
    while ((entry = readdir(directory)))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

static UNUSED void empty_folder(void)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    char path[400];
    while ((entry = readdir(directory))) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove(path);
    }
    closedir(directory);
}

static UNUSED int tear_down(void **state)
{
    (void)state;
    empty_folder();
    rmdir(folder);
    ro_context_close(context);
    return 0;
}

/* A path in the folder; valid until 16 calls later. */
static UNUSED const char *path_to(const char *name)
{
    static char paths[16][128];
    static unsigned next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static UNUSED void put_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The bytes of a file, to be freed; NULL where there is none. */
static UNUSED uint8_t *get_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    *size = 0;
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* Reads a file in memory to its end, `at_once` rows at a time, rows lying without gaps; *pixels is
 * to be freed. */
static UNUSED ro_dropped was_dropped; /* of what read_memory read last */

static UNUSED ro_status read_memory(const void *bytes, size_t size, const ro_read_options *options,
                                    uint32_t at_once, ro_file_info *info, uint8_t **pixels)
{
    ro_reader *reader;
    *pixels = NULL;
    ro_status status = reader_open_memory(context, bytes, size, options, &reader);
    if (status != RO_OK) {
        assert_null(reader);
        return status;
    }
    *info = *ro_reader_info(reader);
    size_t row = ro_format_row_bytes(info->format, info->width);
    *pixels = malloc(row * info->height);
    for (uint32_t y = 0, got; y < info->height && status == RO_OK; y += got)
        status = ro_reader_rows(reader, *pixels + y * row, (ptrdiff_t)row, at_once, &got);
    was_dropped = *ro_reader_dropped(reader);
    ro_reader_close(reader);
    if (status != RO_OK) {
        free(*pixels);
        *pixels = NULL;
    }
    return status;
}

/* A text as a file: fails with the status, and the message has the words in it. */
static UNUSED void expect_failure(const void *bytes, size_t size, const ro_read_options *options,
                                  ro_status status, const char *words)
{
    ro_file_info info;
    uint8_t *pixels;
    assert_int_equal(read_memory(bytes, size, options, 3, &info, &pixels), status);
    assert_non_null(strstr(ro_context_message(context), words));
    assert_null(strchr(ro_context_message(context), '\n'));
}

#endif
