/* SPDX-License-Identifier: MIT */
/*
 * The stage that makes text of a page sharp: bands of rows are done with as many rows around them
 * as the rule depends on.
 *
 *     kept rows     | context |  band  | context |
 *     given                    (band)
 *
 * It gives 8-bit grey; colours count as the luma that halftones have.
 */
#include "core/image.h"
#include "io/filters/page_rule.h"
#include "io/filters/stage.h"

#include <stdlib.h>
#include <string.h>

enum {
    CONTEXT = PAGE_REACH * PAGE_CELL,
    BAND = 32 * PAGE_CELL,
    KEPT = 2 * CONTEXT + BAND,
};

struct page {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct row_stage *before;
    uint8_t *line; /* a row as it comes */
    uint8_t *kept; /* rows `top` to `read` - 1 as grey */
    uint8_t *done; /* the band */
    uint32_t top, read;
    uint32_t first, end; /* rows of the band */
    uint32_t row;        /* the next one that is given */
};

static uint32_t sample_of(const ro_file_info *info, const uint8_t *line, size_t at)
{
    const bool wide = info->format == RO_GREY16 || info->format == RO_RGB16;
    if (info->format == RO_GREYF || info->format == RO_RGBF) {
        const float v = ((const float *)(const void *)line)[at];
        return v > 0 ? v < 1 ? (uint32_t)(65535 * v + 0.5f) : 65535 : 0;
    }
    return wide ? ((const uint16_t *)(const void *)line)[at] : line[at];
}

static void to_grey(const ro_file_info *info, const uint8_t *line, uint8_t *to)
{
    const bool real = info->format == RO_GREYF || info->format == RO_RGBF;
    const uint64_t white = real ? 65535 : info->maxval;
    for (size_t x = 0; x < info->width; x++) {
        uint64_t grey;
        if (channels_of(info->format) == 3) {
            const uint64_t luma = 13933 * (uint64_t)sample_of(info, line, 3 * x) +
                                  46871 * (uint64_t)sample_of(info, line, 3 * x + 1) +
                                  4732 * (uint64_t)sample_of(info, line, 3 * x + 2);
            grey = (luma + 32768) >> 16;
        } else {
            grey = sample_of(info, line, x);
        }
        grey = grey < white ? grey : white;
        to[x] = (uint8_t)((510 * grey + white) / (2 * white));
    }
}

static ro_status read_row(struct page *self)
{
    struct row_stage *before = self->before;
    const ro_status status =
        before->rows(before, self->line, (ptrdiff_t)stage_row_bytes(before), 1);
    if (status == RO_OK)
        to_grey(&before->info, self->line,
                self->kept + (size_t)(self->read++ - self->top) * before->info.width);
    return status;
}

static ro_status next_band(struct page *self)
{
    const uint32_t width = self->stage.info.width, height = self->stage.info.height;
    self->first = self->end;
    self->end = height - self->first < BAND ? height : self->first + BAND;
    const uint32_t top = self->first < CONTEXT ? 0 : self->first - CONTEXT;
    const uint32_t last = height - self->end < CONTEXT ? height : self->end + CONTEXT;
    memmove(self->kept, self->kept + (size_t)(top - self->top) * width,
            (size_t)(self->read - top) * width);
    self->top = top;
    while (self->read < last) {
        const ro_status status = read_row(self);
        if (status != RO_OK)
            return status;
    }
    const struct page_window window = {self->kept, width, last - top};
    if (!page_rule(&window, self->first - top, self->end - top, self->done))
        return file_no_memory(self->stage.file, (uint64_t)width * KEPT);
    return RO_OK;
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct page *self = (struct page *)stage;
    const uint32_t width = stage->info.width;
    for (uint32_t y = 0; y < count; y++, rows += stride, self->row++) {
        const ro_status status = self->row == self->end ? next_band(self) : RO_OK;
        if (status != RO_OK)
            return status;
        memcpy(rows, self->done + (size_t)(self->row - self->first) * width, width);
    }
    return RO_OK;
}

static void close_stage(struct row_stage *stage)
{
    struct page *self = (struct page *)stage;
    self->before->close(self->before);
    free(self->line);
    free(self->kept);
    free(self->done);
    free(self);
}

ro_status page_stage(struct row_stage *before, struct row_stage **stage)
{
    struct page *self = calloc(1, sizeof *self);
    const uint32_t width = before->info.width;
    if (self) {
        self->line = malloc(stage_row_bytes(before));
        self->kept = malloc((size_t)width * KEPT);
        self->done = malloc((size_t)width * BAND);
    }
    if (!self || !self->line || !self->kept || !self->done) {
        const ro_status status = file_no_memory(before->file, (uint64_t)width * KEPT);
        if (self) {
            free(self->line);
            free(self->kept);
            free(self->done);
        }
        free(self);
        before->close(before);
        return status;
    }
    self->before = before;
    self->stage = (struct row_stage){
        .file = before->file, .info = before->info, .rows = read_rows, .close = close_stage};
    self->stage.info.format = RO_GREY8;
    self->stage.info.maxval = 255;
    *stage = &self->stage;
    return RO_OK;
}
