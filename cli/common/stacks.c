/* SPDX-License-Identifier: MIT */
#include "cli/common/stacks.h"
#include "roundoff/library.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROWS = 64, MOST_PAGES = 1 << 30 };

static bool read_number(const char **text, unsigned *number)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    const unsigned long value = strtoul(*text, &end, 10);
    *text = end;
    *number = (unsigned)value;
    return value >= 1 && value <= MOST_PAGES;
}

bool stack_pages(const char *text, ro_read_options *read)
{
    unsigned first, last;
    if (!text || ro_name_equal(text, "all")) {
        read->page = 0;
        read->pages = text ? RO_PAGES_ALL : RO_PAGES_STACK;
        return true;
    }
    if (!read_number(&text, &first))
        return false;
    last = first;
    if (*text == '-') {
        text++;
        if (!read_number(&text, &last))
            return false;
    }
    read->page = first;
    read->pages = last - first + 1;
    return !*text && last >= first;
}

int stack_check(const struct command *command, const char *text)
{
    ro_read_options read = RO_READ_OPTIONS;
    if (stack_pages(text, &read))
        return 0;
    return usage_error(command, "--page %s: must be a page such as 3, pages such as 2-9, or all",
                       text);
}

ro_status stack_save(ro_context *context, const char *path, const ro_image *image,
                     const ro_file_info *info)
{
    ro_writer *writer = NULL;
    ro_status status = ro_writer_open(context, path, info, NULL, &writer);
    if (status == RO_OK)
        status = stack_write(writer, image);
    if (status == RO_OK)
        status = ro_writer_commit(writer);
    ro_writer_close(writer);
    return status;
}

bool stack_can_look(const char *path)
{
    struct stat about;
    if (strcmp(path, "-") == 0)
        return false;
    return stat(path, &about) != 0 ||
           S_ISREG(about.st_mode); /* else the reader says what is wrong */
}

ro_status stack_look(ro_context *context, const char *path, const ro_read_options *read,
                     ro_file_info *info)
{
    ro_reader *reader;
    ro_status status = ro_reader_open(context, path, read, &reader);
    if (status == RO_OK)
        *info = *ro_reader_info(reader);
    ro_reader_close(reader);
    info->description = NULL; /* gone with the reader */
    info->header = NULL;
    return status;
}

unsigned stack_count(const ro_file_info *info) { return info->stack ? info->stack : 1; }

ro_status stack_read(ro_reader *reader, unsigned number, ro_image *image)
{
    ro_status status = number ? ro_reader_next(reader) : RO_OK;
    for (uint32_t y = 0, got = 0; y < image->height && status == RO_OK; y += got)
        status = ro_reader_rows(reader, (char *)image->data + (ptrdiff_t)y * image->stride,
                                image->stride, ROWS, &got);
    return status;
}

ro_status stack_write(ro_writer *writer, const ro_image *image)
{
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < image->height && status == RO_OK; y += ROWS)
        status = ro_writer_rows(writer, (const char *)image->data + (ptrdiff_t)y * image->stride,
                                image->stride, image->height - y < ROWS ? image->height - y : ROWS);
    return status;
}

ro_status stack_failed(ro_context *context, ro_status status, const ro_file_info *info,
                       unsigned number, unsigned first)
{
    char said[512];
    if (status == RO_OK || stack_count(info) == 1)
        return status;
    snprintf(said, sizeof said, "%s", ro_context_message(context));
    return ro_context_fail(context, status, "page %u: %s", (first ? first : 1) + number, said);
}

/* ---- Numbers wider than 16 bits ------------------------------------------------------------- */

bool stack_is_wide(const ro_file_info *info)
{
    return (info->format == RO_GREYF || info->format == RO_RGBF) &&
           info->sample >= RO_SAMPLE_UINT32 && info->sample <= RO_SAMPLE_INT64;
}

static size_t floats_of_row(const ro_image *image)
{
    return (size_t)image->width * (ro_format_is_colour(image->format) ? 3 : 1);
}

static float *row_of(const ro_image *image, uint32_t y)
{
    return (float *)(void *)((char *)image->data + (ptrdiff_t)y * image->stride);
}

double stack_unit(const ro_image *image)
{
    double unit = 256;
    for (uint32_t y = 0; y < image->height; y++)
        for (size_t i = 0; i < floats_of_row(image); i++) {
            const double size = fabs((double)row_of(image, y)[i]);
            while (size > unit && isfinite(size))
                unit *= 2;
        }
    return unit;
}

double stack_scale(ro_image *image, double scale, double zero)
{
    double sum = 0;
    for (uint32_t y = 0; y < image->height; y++) {
        float *row = row_of(image, y);
        for (size_t i = 0; i < floats_of_row(image); i++) {
            row[i] = (float)(scale * (double)row[i] + zero);
            sum += (double)row[i];
        }
    }
    return sum;
}
