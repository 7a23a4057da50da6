/* SPDX-License-Identifier: MIT */
/* A part of a picture. What is cut off is read too, so that damage in it is not overlooked. */
#include "io/filters/stage.h"

#include <stdlib.h>
#include <string.h>

struct crop {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct row_stage *before;
    uint32_t left, top;
    uint8_t *line; /* a row as it comes */
    uint32_t read; /* rows of it */
};

static ro_status next_row(struct crop *self)
{
    self->read++;
    return self->before->rows(self->before, self->line, (ptrdiff_t)stage_row_bytes(self->before),
                              1);
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct crop *self = (struct crop *)stage;
    const size_t pixel = ro_format_row_bytes(stage->info.format, 1);
    ro_status status = RO_OK;
    while (count > 0 && self->read < self->top && status == RO_OK)
        status = next_row(self);
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride) {
        status = next_row(self);
        memcpy(rows, self->line + self->left * pixel, stage_row_bytes(stage));
    }
    while (self->read >= self->top + stage->info.height && self->read < self->before->info.height &&
           status == RO_OK)
        status = next_row(self);
    return status;
}

static void close_stage(struct row_stage *stage)
{
    struct crop *self = (struct crop *)stage;
    self->before->close(self->before);
    free(self->line);
    free(self);
}

ro_status crop_stage(struct row_stage *before, uint32_t width, uint32_t height,
                     struct row_stage **stage)
{
    const ro_file_info *info = &before->info;
    return crop_at_stage(before, (info->width - width) / 2, (info->height - height) / 2, width,
                         height, stage);
}

ro_status crop_at_stage(struct row_stage *before, uint32_t left, uint32_t top, uint32_t width,
                        uint32_t height, struct row_stage **stage)
{
    struct crop *self = calloc(1, sizeof *self);
    if (self)
        self->line = malloc(stage_row_bytes(before));
    if (!self || !self->line) {
        ro_status status = file_no_memory(before->file, stage_row_bytes(before));
        free(self);
        before->close(before);
        return status;
    }
    self->before = before;
    self->left = left;
    self->top = top;
    self->stage = (struct row_stage){
        .file = before->file, .info = before->info, .rows = read_rows, .close = close_stage};
    self->stage.info.width = width;
    self->stage.info.height = height;
    *stage = &self->stage;
    return RO_OK;
}
