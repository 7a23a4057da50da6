/* SPDX-License-Identifier: MIT */
/* Pages of a file: which ones are read, and what the numbers of all of them span. */
#include "io/files/reader.h"
#include "io/formats/types.h"

#include "io/filters/convert.h"

#include <math.h>
#include <stdlib.h>

ro_status reader_choose_pages(ro_reader *reader)
{
    const struct row_stage *stage = reader->stage;
    const unsigned first = reader->page, pages = stage->info.pages;
    unsigned count = reader->options.pages ? reader->options.pages : 1;
    if (first > pages)
        return file_fail(&reader->file, RO_E_ARGUMENT, "there is no page %u; the last one is %u",
                         first, pages);
    if (count == RO_PAGES_STACK)
        count = stage->stack && first == 1 ? pages : 1;
    if (count == RO_PAGES_ALL)
        count = pages - first + 1;
    if (count > pages - first + 1)
        return file_fail(&reader->file, RO_E_ARGUMENT,
                         "there is no page %u; the file has %u page%s", first + count - 1, pages,
                         pages == 1 ? "" : "s");
    reader->last = first + count - 1;
    const unsigned further = pages - reader->last;
    if (further > 0)
        file_drop(&reader->file, RO_DROPPED_PAGES, "%u further page%s", further,
                  further > 1 ? "s" : "");
    return RO_OK;
}

ro_status reader_reopen(ro_reader *reader, unsigned page)
{
    if (reader->stage)
        reader->stage->close(reader->stage);
    reader->stage = NULL;
    ro_status status = source_seek(&reader->source, 0);
    if (status == RO_OK)
        status = reader->type->decode(&reader->source, page, &reader->stage);
    if (status == RO_OK && page > reader->stage->info.pages) /* of a pipe they are counted on */
        status = file_fail(&reader->file, RO_E_ARGUMENT, "there is no page %u; the last is %u",
                           page, reader->stage->info.pages);
    return status;
}

static ro_status measure_page(ro_reader *reader)
{
    struct row_stage *stage = reader->stage;
    const size_t samples = (size_t)stage->info.width * (size_t)channels_of(stage->info.format);
    const size_t bytes = samples * bytes_of_sample(stage->info.sample);
    void *line = malloc(bytes);
    ro_status status = line ? RO_OK : file_no_memory(&reader->file, bytes);
    for (uint32_t y = 0; y < stage->info.height && status == RO_OK; y++) {
        status = stage->rows(stage, line, 0, 1);
        if (status == RO_OK)
            span_add(&reader->span, stage->info.sample, line, samples);
        if (status == RO_OK)
            status = file_check_stop(&reader->file);
    }
    free(line);
    return status;
}

/* Also over what samples must stand for, as far as 16 bits go. */
static void extend(struct sample_span *span, double least, double largest)
{
    const double low = fmin((double)span->least, floor(least));
    const double high = fmax((double)span->largest, ceil(largest));
    if ((least == 0 && largest == 0) || !(high - low <= 65535))
        return;
    span->least = (int64_t)low;
    span->largest = (int64_t)high;
}

ro_status reader_measure(ro_reader *reader)
{
    const ro_file_info info = reader->stage->info;
    reader->span = RO_SPAN_EMPTY;
    if (!reader->stage->raw || !sample_is_whole(info.sample) || !source_rewinds(&reader->source))
        return RO_OK;
    ro_status status = RO_OK;
    for (unsigned page = reader->page; status == RO_OK; page++) {
        status = measure_page(reader);
        if (page == reader->last || status != RO_OK)
            break;
        status = reader->stage->next ? reader->stage->next(reader->stage)
                                     : reader_reopen(reader, page + 1);
        const ro_file_info *now = status == RO_OK ? &reader->stage->info : &info;
        if (now->sample != info.sample || channels_of(now->format) != channels_of(info.format))
            break; /* who comes to that page refuses it */
    }
    extend(&reader->span, reader->options.least, reader->options.largest);
    return status == RO_OK ? reader_reopen(reader, reader->page) : status;
}
