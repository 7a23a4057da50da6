/* SPDX-License-Identifier: MIT */
#include "io/arrays/columns.h"

#include "core/checked.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROWTH = 1 << 24, /* of what a pipe only claims to bring */
    BAND_ROWS = 64,
};

static ro_status read_all(struct column_reader *columns, struct byte_source *source, size_t size)
{
    const bool known = source_left(source) != RO_SIZE_UNKNOWN;
    for (size_t done = 0; done < size;) {
        size_t part = known || size - done < GROWTH ? size - done : GROWTH;
        uint8_t *more = realloc(columns->bytes, done + part);
        if (!more)
            return file_no_memory(source->file, size);
        columns->bytes = more;
        ro_status status = source_need(source, columns->bytes + done, part);
        if (status != RO_OK)
            return status;
        done += part;
    }
    return RO_OK;
}

ro_status columns_open(struct column_reader *columns, struct byte_source *source, size_t element,
                       size_t pages, uint32_t height, size_t width, size_t planes)
{
    size_t row, size, band;
    *columns = (struct column_reader){
        .element = element, .width = width, .planes = planes, .pages = pages, .height = height};
    if (!size_multiply(width, planes * element, &row) || !size_multiply(row, height, &size) ||
        !size_multiply(size, pages, &size) || !size_multiply(row, BAND_ROWS, &band) ||
        size > memory_limit(source->file))
        return file_fail(
            source->file, RO_E_MEMORY,
            "the array is stored by columns (fortran_order) and must be held in memory, but this "
            "machine has too little; numpy.ascontiguousarray stores it by rows");
    if (size > source_left(source))
        return file_ends_early(source->file);
    ro_status status = read_all(columns, source, size);
    if (status == RO_OK && !(columns->band = malloc(height < BAND_ROWS ? row * height : band)))
        status = file_no_memory(source->file, band);
    if (status != RO_OK)
        columns_close(columns);
    return status;
}

static void fill_band(struct column_reader *columns, uint32_t y)
{
    const size_t element = columns->element, samples = columns->width * columns->planes;
    const uint32_t left = columns->height - y, rows = left < BAND_ROWS ? left : BAND_ROWS;
    columns->band_at = y;
    columns->band_rows = rows;
    for (size_t plane = 0; plane < columns->planes; plane++)
        for (size_t x = 0; x < columns->width; x++) {
            const uint8_t *from =
                columns->bytes +
                (((plane * columns->width + x) * columns->height + (size_t)y) * columns->pages +
                 columns->page) *
                    element;
            uint8_t *to = columns->band + (x * columns->planes + plane) * element;
            for (uint32_t i = 0; i < rows;
                 i++, from += columns->pages * element, to += samples * element)
                memcpy(to, from, element);
        }
}

void columns_page(struct column_reader *columns, size_t page)
{
    columns->page = page;
    columns->band_at = columns->band_rows = 0;
}

void columns_row(struct column_reader *columns, uint32_t y, uint8_t *row)
{
    const size_t bytes = columns->width * columns->planes * columns->element;
    if (y < columns->band_at || y - columns->band_at >= columns->band_rows)
        fill_band(columns, y);
    memcpy(row, columns->band + (y - columns->band_at) * bytes, bytes);
}

void columns_close(struct column_reader *columns)
{
    free(columns->bytes);
    free(columns->band);
    *columns = (struct column_reader){0};
}
