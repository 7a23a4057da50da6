/* SPDX-License-Identifier: MIT */
/* Files of several pages through the public functions, which are called on after a failure: every
 * further call must give it again. */
#define _GNU_SOURCE /* memfd_create */
#include "roundoff_io.h"
#include "roundoff_io_pieces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_PIXELS = 1 << 16, MOST_PAGES = 20, ROWS_AT_ONCE = 5 };

static ro_context *context;

static void check(int holds)
{
    if (!holds)
        abort();
}

static void check_failed(ro_reader *reader, ro_status status, uint8_t *rows, size_t stride)
{
    for (int times = 0; times < 2; times++) {
        uint32_t got = 1;
        check(ro_reader_rows(reader, rows, (ptrdiff_t)stride, 1, &got) == status && got == 0);
        check(ro_reader_next(reader) == status);
        check(ro_reader_seek(reader, 0) == status);
        check(*ro_context_message(context) != '\0');
    }
}

/* All pages, and back to the first row of each where that is possible. */
static void read_pages(const char *path, const ro_read_options *options)
{
    ro_reader *reader;
    ro_status status = ro_reader_open(context, path, options, &reader);
    if (status != RO_OK) {
        check(!reader && *ro_context_message(context) != '\0');
        return;
    }
    const ro_file_info *info = ro_reader_info(reader);
    const size_t stride = ro_format_row_bytes(info->format, info->width);
    uint8_t *rows =
        (uint64_t)info->width * info->height <= MOST_PIXELS ? malloc(stride * ROWS_AT_ONCE) : NULL;
    for (unsigned page = 0; rows && page < MOST_PAGES && status == RO_OK; page++) {
        uint32_t got = 1;
        while (got > 0 && status == RO_OK)
            status = ro_reader_rows(reader, rows, (ptrdiff_t)stride, ROWS_AT_ONCE, &got);
        if (status == RO_OK && ro_reader_seek(reader, 0) == RO_OK)
            status = ro_reader_rows(reader, rows, (ptrdiff_t)stride, 1, &got);
        if (status == RO_OK && page % 2)
            ro_reader_next(reader); /* rows may be left: then it is refused, and nothing is lost */
        while (got > 0 && status == RO_OK)
            status = ro_reader_rows(reader, rows, (ptrdiff_t)stride, ROWS_AT_ONCE, &got);
        if (page + 1 == info->stack)
            break;
        if (status == RO_OK)
            status = ro_reader_next(reader);
    }
    if (status != RO_OK && status != RO_E_STATE)
        check_failed(reader, status, rows, stride);
    check(strlen(ro_reader_dropped(reader)->text) < sizeof(ro_dropped));
    free(rows);
    ro_reader_close(reader);
}

/* A whole image of a file of `size` bytes, whose texts outlive the reader. */
static void load_image(const char *path, size_t size, unsigned page)
{
    const ro_read_options options = {RO_READ_DEFAULTS, .page = page};
    ro_reader *reader;
    ro_image image;
    ro_file_info info;
    if (ro_reader_open(context, path, &options, &reader) != RO_OK)
        return;
    const uint64_t pixels =
        (uint64_t)ro_reader_info(reader)->width * ro_reader_info(reader)->height;
    ro_reader_close(reader);
    if (pixels > MOST_PIXELS ||
        ro_image_load(context, path, &options, &image, &info, NULL) != RO_OK)
        return;
    check(!info.description || strlen(info.description) <= size);
    size_t zeros = 0;
    for (size_t i = 0; info.header && i < info.header_size; i++)
        zeros += ((const uint8_t *)info.header)[i] == 0;
    check(zeros <= info.header_size);
    ro_image_free(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[64];
    if (!context &&
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1,
                                              .limits = {.memory = 1 << 28, .pixels = 1 << 22}},
                        &context))
        abort();
    const int file = memfd_create("fuzz", 0);
    check(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    read_pages(path, &(ro_read_options){RO_READ_DEFAULTS, .pages = RO_PAGES_ALL});
    read_pages(path, &(ro_read_options){RO_READ_DEFAULTS, .pages = RO_PAGES_ALL, .strict = 1,
                                        .alpha = RO_ALPHA_KEEP});
    read_pages(path, &(ro_read_options){RO_READ_DEFAULTS, .pages = RO_PAGES_ALL, .resize_width = 7,
                                        .resize_height = 5, .profile = RO_PROFILE_APPLY});
    read_pages(path, &(ro_read_options){RO_READ_DEFAULTS, .page = 2, .pages = RO_PAGES_ALL,
                                        .alpha = RO_ALPHA_ONLY});
    load_image(path, size, 0);
    load_image(path, size, 2);
    close(file);
    return 0;
}
