/* SPDX-License-Identifier: MIT */
/* What every reader is put through: opened from memory, read to its end, then again resized. */
#ifndef RO_READER_FUZZ_H
#define RO_READER_FUZZ_H

#include "io/files/reader.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PIXELS = 1 << 18, ROWS_AT_ONCE = 5, MOST_PAGES = 20 };

static ro_context *fuzz_context;

static void fuzz_once(const uint8_t *bytes, size_t size, const ro_read_options *options)
{
    ro_reader *reader;
    if (reader_open_memory(fuzz_context, bytes, size, options, &reader) != RO_OK) {
        if (reader || ro_context_message(fuzz_context)[0] == '\0')
            abort();
        return;
    }
    const ro_file_info *info = ro_reader_info(reader);
    if ((uint64_t)info->width * info->height <= MOST_PIXELS) {
        size_t stride = ro_format_row_bytes(info->format, info->width);
        uint8_t *rows = malloc(stride * ROWS_AT_ONCE);
        uint32_t got = 0;
        int page = 0;
        do {
            if (ro_reader_rows(reader, rows, (ptrdiff_t)stride, ROWS_AT_ONCE, &got) != RO_OK)
                break;
            if (info->format == RO_GREY8) /* every value that arrives is one that is allowed */
                for (size_t i = 0; i < stride * got; i++)
                    if (rows[i] > info->maxval)
                        abort();
            if (got == 0 && ro_reader_next(reader) == RO_OK && page++ < MOST_PAGES)
                got = 1; /* the rows of the next page */
        } while (got > 0);
        free(rows);
    }
    ro_reader_close(reader);
}

static int fuzz_reader(const char *type, const uint8_t *bytes, size_t size)
{
    if (!fuzz_context &&
        ro_context_open(&(ro_context_options){RO_CONTEXT_DEFAULTS, .threads = 1,
                                              .limits = {.memory = 1 << 28, .pixels = 1 << 22}},
                        &fuzz_context))
        abort();
    fuzz_once(bytes, size, &(ro_read_options){RO_READ_DEFAULTS, .type = type});
    fuzz_once(bytes, size,
              &(ro_read_options){RO_READ_DEFAULTS, .type = type, .pages = RO_PAGES_ALL});
    fuzz_once(bytes, size,
              &(ro_read_options){RO_READ_DEFAULTS, .type = type, .resize_width = 9, .page = 2});
    fuzz_once(bytes, size,
              &(ro_read_options){RO_READ_DEFAULTS, .type = type, .resize_width = 5,
                                 .resize_height = 4, .resize_rule = RO_RESIZE_FILL,
                                 .alpha = RO_ALPHA_KEEP, .profile = RO_PROFILE_APPLY});
    return 0;
}

#define RO_READER_FUZZ(type)                                                                       \
    int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);                                 \
    int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)                                  \
    {                                                                                              \
        return fuzz_reader(type, bytes, size);                                                     \
    }

#endif
