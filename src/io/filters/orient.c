/* SPDX-License-Identifier: MIT */
/*
 * Turns an image upright. Orientation is a number from 1 to 8, the same in EXIF and TIFF, and tells
 * how an upright letter F was stored:
 *
 *      1       2       3       4        5         6         7         8
 *     FFF     FFF       F     F       FFFFF     F             F     FFFFF
 *     F         F       F     F       F F       F F         F F       F F
 *     FF       FF      FF     FF      F         FFFFF     FFFFF         F
 *     F         F       F     F
 *     F         F     FFF     FFF
 *
 * A mirror image (2) is turned row by row; the others need the whole image before their first row.
 */
#include "io/bytes/lazy_rows.h"
#include "io/filters/stage.h"

#include <stdlib.h>
#include <string.h>

/* Where the pixel (x, y) of the upright image is stored. */
static const struct turn {
    bool exchange; /* x and y change places first */
    bool flip_x, flip_y;
} turns[9] = {
    [2] = {false, true, false}, [3] = {false, true, true}, [4] = {false, false, true},
    [5] = {true, false, false}, [6] = {true, false, true}, [7] = {true, true, true},
    [8] = {true, true, false},
};

struct orient {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct row_stage *before;
    struct turn turn;
    size_t pixel;
    bool stored;
    struct lazy_store store;
    uint32_t row;
};

static ro_status fill_store(struct orient *orient)
{
    struct row_stage *before = orient->before;
    size_t row = stage_row_bytes(before);
    ro_status status = store_open(&orient->store, before->file, row, before->info.height);
    for (uint32_t y = 0; y < before->info.height && status == RO_OK; y++) {
        uint8_t *to = lazy_row(&orient->store, y);
        status = to ? before->rows(before, to, (ptrdiff_t)row, 1) : RO_E_MEMORY;
    }
    orient->stored = status == RO_OK;
    return status;
}

static void reverse_row(uint8_t *row, uint32_t width, size_t pixel)
{
    for (uint32_t left = 0, right = width - 1; left < right; left++, right--)
        for (size_t i = 0; i < pixel; i++) {
            uint8_t kept = row[left * pixel + i];
            row[left * pixel + i] = row[right * pixel + i];
            row[right * pixel + i] = kept;
        }
}

static void turned_row(struct orient *orient, uint8_t *row)
{
    const ro_file_info *from = &orient->before->info;
    uint32_t y = orient->row++, width = orient->stage.info.width;
    struct turn turn = orient->turn;
    size_t pixel = orient->pixel;
    if (!turn.exchange) {
        memcpy(row, lazy_row(&orient->store, turn.flip_y ? from->height - 1 - y : y),
               width * pixel);
        if (turn.flip_x)
            reverse_row(row, width, pixel);
        return;
    }
    size_t column = (turn.flip_x ? from->width - 1 - y : y) * pixel;
    for (uint32_t x = 0; x < width; x++)
        memcpy(row + x * pixel,
               lazy_row(&orient->store, turn.flip_y ? from->height - 1 - x : x) + column, pixel);
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct orient *orient = (struct orient *)stage;
    ro_status status = RO_OK;
    if (!orient->turn.exchange && !orient->turn.flip_y) {
        status = orient->before->rows(orient->before, rows, stride, count);
        for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride)
            reverse_row(rows, stage->info.width, orient->pixel);
        return status;
    }
    if (!orient->stored && (status = fill_store(orient)) != RO_OK)
        return status;
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride) {
        turned_row(orient, rows);
        status = file_check_stop(stage->file);
    }
    return status;
}

static void close_stage(struct row_stage *stage)
{
    struct orient *orient = (struct orient *)stage;
    orient->before->close(orient->before);
    store_close(&orient->store);
    free(orient);
}

ro_status orient_stage(struct row_stage *before, struct row_stage **stage)
{
    struct orient *orient = calloc(1, sizeof *orient);
    if (!orient) {
        ro_status status = file_no_memory(before->file, sizeof *orient);
        before->close(before);
        return status;
    }
    ro_file_info info = before->info;
    orient->before = before;
    orient->turn = turns[before->orientation];
    orient->pixel = ro_format_row_bytes(info.format, 1);
    if (orient->turn.exchange) {
        info.width = before->info.height;
        info.height = before->info.width;
        info.dpi_x = before->info.dpi_y;
        info.dpi_y = before->info.dpi_x;
    }
    orient->stage = (struct row_stage){
        .file = before->file, .info = info, .rows = read_rows, .close = close_stage};
    *stage = &orient->stage;
    return RO_OK;
}
