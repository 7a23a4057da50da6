/* SPDX-License-Identifier: MIT */
/*
 * PFM, floats in the manner of PNM: "PF" (RGB) or "Pf" (grey), the size, and a scale that is
 * negative where the numbers are little-endian. Rows run from the bottom up.
 */
#include "io/bytes/lazy_rows.h"
#include "io/filters/stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELD_BYTES = 1 << 24 }; /* small files are held: reading backwards is slow */

struct pfm {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct byte_source *source;
    bool swap, filled;
    uint64_t pixels;         /* where they begin */
    struct lazy_store store; /* of a pipe */
    uint32_t row;
};

/* A word between blanks, and the one byte behind it. */
static ro_status next_word(struct pfm *self, char *word, size_t size)
{
    ro_status status = RO_OK;
    size_t used = 0;
    int c = source_byte(self->source, &status);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        c = source_byte(self->source, &status);
    for (; c != -1 && c != ' ' && c != '\t' && c != '\n' && c != '\r';
         c = source_byte(self->source, &status))
        if (used + 1 < size)
            word[used++] = (char)c;
    word[used] = '\0';
    if (status == RO_OK && c == -1)
        status = file_ends_early(self->stage.file);
    return status;
}

static ro_status read_head(struct pfm *self)
{
    char words[4][32];
    ro_status status = RO_OK;
    for (int i = 0; i < 4 && status == RO_OK; i++)
        status = next_word(self, words[i], sizeof words[i]);
    if (status != RO_OK)
        return status;
    uint64_t width = 0, height = 0;
    char *end;
    const double scale = strtod(words[3], &end);
    if (sscanf(words[1], "%10" SCNu64, &width) != 1 ||
        sscanf(words[2], "%10" SCNu64, &height) != 1 || *end || end == words[3] ||
        !(scale < 0 || scale > 0))
        return file_fail(self->stage.file, RO_E_FORMAT, "not a proper PFM file: its head");
    status = stage_check_size(self->stage.file, width, height);
    self->swap = (scale < 0) != little_endian();
    self->pixels = self->source->position;
    self->stage.info = (ro_file_info){.format = words[0][1] == 'F' ? RO_RGBF : RO_GREYF,
                                      .width = (uint32_t)width,
                                      .height = (uint32_t)height,
                                      .maxval = 1,
                                      .pages = 1};
    return status;
}

static ro_status fill_store(struct pfm *self)
{
    const size_t bytes = stage_row_bytes(&self->stage);
    const uint32_t height = self->stage.info.height;
    ro_status status = store_open(&self->store, self->stage.file, bytes, height);
    for (uint32_t y = 0; y < height && status == RO_OK; y++) {
        uint8_t *row = lazy_row(&self->store, y);
        status = row ? source_need(self->source, row, bytes) : RO_E_MEMORY;
    }
    return status;
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct pfm *self = (struct pfm *)stage;
    const size_t bytes = stage_row_bytes(stage);
    const bool held = !self->source->seekable || (uint64_t)bytes * stage->info.height <= HELD_BYTES;
    ro_status status = RO_OK;
    if (held && !self->filled)
        status = fill_store(self);
    self->filled = true;
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride, self->row++) {
        const uint32_t place = stage->info.height - 1 - self->row;
        if (held) {
            memcpy(rows, lazy_row(&self->store, place), bytes);
        } else {
            status = source_seek(self->source, self->pixels + (uint64_t)place * bytes);
            if (status == RO_OK)
                status = source_need(self->source, rows, bytes);
        }
        if (status == RO_OK && self->swap)
            swap32((uint32_t *)(void *)rows, bytes / 4);
    }
    return status;
}

static void close_reader(struct row_stage *stage)
{
    store_close(&((struct pfm *)stage)->store);
    free(stage);
}

ro_status pfm_decode(struct byte_source *source, unsigned page, struct row_stage **stage)
{
    struct pfm *self = calloc(1, sizeof *self);
    (void)page;
    if (!self)
        return file_no_memory(source->file, sizeof *self);
    self->stage =
        (struct row_stage){.file = source->file, .rows = read_rows, .close = close_reader};
    self->source = source;
    ro_status status = read_head(self);
    if (status == RO_OK &&
        source_left(source) / stage_row_bytes(&self->stage) < self->stage.info.height)
        status = file_ends_early(source->file);
    return stage_opened(&self->stage, status, stage);
}
