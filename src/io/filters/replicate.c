/* SPDX-License-Identifier: MIT */
/* Every pixel n x n times, as it is: for pixel art, and for devices that cannot make small dots. */
#include "core/image.h"
#include "io/filters/stage.h"

#include <stdlib.h>
#include <string.h>

struct enlarge {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct row_stage *before;
    uint32_t times;
    size_t pixel;   /* bytes */
    uint8_t *line;  /* a row as it comes */
    uint8_t *wide;  /* the same, enlarged */
    uint32_t again; /* how often it is still to be given */
};

static void widen(struct enlarge *self)
{
    const uint8_t *from = self->line;
    uint8_t *to = self->wide;
    for (uint32_t x = 0; x < self->before->info.width; x++, from += self->pixel)
        for (uint32_t i = 0; i < self->times; i++, to += self->pixel)
            memcpy(to, from, self->pixel);
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct enlarge *self = (struct enlarge *)stage;
    for (uint32_t y = 0; y < count; y++, rows += stride) {
        if (self->again == 0) {
            ro_status status = self->before->rows(self->before, self->line,
                                                  (ptrdiff_t)stage_row_bytes(self->before), 1);
            if (status != RO_OK)
                return status;
            widen(self);
            self->again = self->times;
        }
        memcpy(rows, self->wide, stage_row_bytes(stage));
        self->again--;
    }
    return RO_OK;
}

static void close_stage(struct row_stage *stage)
{
    struct enlarge *self = (struct enlarge *)stage;
    self->before->close(self->before);
    free(self->line);
    free(self->wide);
    free(self);
}

ro_status replicate_stage(struct row_stage *before, uint32_t times, struct row_stage **stage)
{
    ro_file_info info = before->info;
    ro_status status = RO_OK;
    if ((uint64_t)info.width * times > RO_MAX_SIDE || (uint64_t)info.height * times > RO_MAX_SIDE)
        status = file_fail(before->file, RO_E_SIZE,
                           "%u x %u pixels, each %u times, are too many; a side has at most %d",
                           info.width, info.height, times, RO_MAX_SIDE);
    struct enlarge *self = status == RO_OK ? calloc(1, sizeof *self) : NULL;
    if (self) {
        info.width *= times;
        info.height *= times;
        stage_scale_resolution(&info, times, times);
        self->before = before;
        self->times = times;
        self->pixel = ro_format_row_bytes(info.format, 1);
        self->stage = (struct row_stage){
            .file = before->file, .info = info, .rows = read_rows, .close = close_stage};
        self->line = malloc(stage_row_bytes(before));
        self->wide = malloc(stage_row_bytes(&self->stage));
        *stage = &self->stage;
        if (self->line && self->wide)
            return RO_OK;
        *stage = NULL;
        free(self->line);
        free(self->wide);
        free(self);
    }
    if (status == RO_OK)
        status = file_no_memory(before->file, (uint64_t)info.width * sizeof(float));
    before->close(before);
    return status;
}
