/* SPDX-License-Identifier: MIT */
/*
 * GIF in: any of its frames, as a page, on the screen as it then looks. What no frame has drawn on
 * is transparent. The file is held, as GIF files are small; pixels are unpacked with the first row
 * that is asked for.
 */
#include "io/filters/stage.h"
#include "io/formats/lzw.h"

#include <stdlib.h>
#include <string.h>

enum {
    SCREEN_HEAD = 13,
    LARGEST_FILE = 1 << 30,
    PIXELS_PER_BYTE = 4096, /* no code stands for more */
    SMALL_SCREEN = 1 << 22, /* pixels that are believed whatever the file's size */
};
enum { KEEP_TRANSPARENT = 1, TO_NOTHING = 2, TO_BEFORE = 3 };

struct gif {
    struct row_stage stage; /* first, so that a stage can be cast back */
    uint8_t *bytes;
    size_t size;
    unsigned page;
    const uint8_t *colours; /* of the screen; NULL: none */
    unsigned colours_count;
    size_t first;    /* where blocks begin */
    uint8_t *screen; /* red, green, blue, alpha; NULL: nothing was unpacked yet */
    uint32_t row;
};

/* A frame's place, colours and packed pixels. */
struct frame {
    uint32_t x, y, width, height;
    bool interlaced;
    const uint8_t *colours;
    unsigned colours_count;
    int transparent; /* -1: none */
    int disposal;
    size_t data; /* where the code size lies */
};

static uint32_t get16(const uint8_t *bytes) { return (uint32_t)(bytes[0] | bytes[1] << 8); }

static ro_status improper(struct gif *self, const char *why)
{
    return file_fail(self->stage.file, RO_E_FORMAT, "not a proper GIF file: %s", why);
}

static bool has(const struct gif *self, size_t at, size_t count)
{
    return at <= self->size && self->size - at >= count;
}

/* Past blocks of up to 255 bytes and the empty one behind them; false: the file ends before. */
static bool skip_blocks(const struct gif *self, size_t *at)
{
    while (has(self, *at, 1)) {
        const size_t length = self->bytes[(*at)++];
        if (length == 0)
            return true;
        *at += length;
    }
    return false;
}

static void note_extension(struct gif *self, size_t at)
{
    enum { COMMENT = 0xfe, APPLICATION = 0xff };
    if (self->bytes[at] == COMMENT)
        file_drop(self->stage.file, RO_DROPPED_METADATA, "a comment");
    if (self->bytes[at] != APPLICATION || !has(self, at + 2, 11))
        return;
    if (memcmp(self->bytes + at + 2, "ICCRGBG1", 8) == 0)
        file_drop(self->stage.file, RO_DROPPED_PROFILE,
                  "its ICC profile (colours are taken as sRGB)");
    if (memcmp(self->bytes + at + 2, "XMP Data", 8) == 0)
        file_drop(self->stage.file, RO_DROPPED_METADATA, "XMP data");
}

/* The next frame from *at, which is moved behind it; false: there is none, or not all of it. */
static bool next_frame(struct gif *self, size_t *at, struct frame *frame)
{
    enum { EXTENSION = 0x21, CONTROL = 0xf9, IMAGE = 0x2c };
    *frame = (struct frame){.transparent = -1};
    while (has(self, *at, 2)) {
        const uint8_t *bytes = self->bytes + *at;
        if (bytes[0] == EXTENSION) {
            if (bytes[1] == CONTROL && has(self, *at, 7)) {
                frame->disposal = bytes[3] >> 2 & 7;
                frame->transparent = bytes[3] & KEEP_TRANSPARENT ? bytes[6] : -1;
            }
            note_extension(self, *at + 1);
            *at += 2;
            if (!skip_blocks(self, at))
                return false;
        } else if (bytes[0] == IMAGE && has(self, *at, 11)) {
            frame->x = get16(bytes + 1);
            frame->y = get16(bytes + 3);
            frame->width = get16(bytes + 5);
            frame->height = get16(bytes + 7);
            frame->interlaced = bytes[9] & 0x40;
            frame->colours = self->colours;
            frame->colours_count = self->colours_count;
            *at += 10;
            if (bytes[9] & 0x80) {
                frame->colours_count = 2u << (bytes[9] & 7);
                frame->colours = self->bytes + *at;
                *at += 3 * (size_t)frame->colours_count;
            }
            if (!has(self, *at, 2))
                return false;
            frame->data = (*at)++;
            /* A last frame that is cut short is told when it is unpacked. */
            return skip_blocks(self, at) || (*at = self->size, true);
        } else {
            return false; /* the end, or nothing that is known */
        }
    }
    return false;
}

/* ---- Opening ------------------------------------------------------------------------------ */

static ro_status read_screen(struct gif *self)
{
    const uint8_t *head = self->bytes;
    if (!has(self, 0, SCREEN_HEAD))
        return file_ends_early(self->stage.file);
    self->stage.info.width = get16(head + 6);
    self->stage.info.height = get16(head + 8);
    self->first = SCREEN_HEAD;
    if (head[10] & 0x80) {
        self->colours_count = 2u << (head[10] & 7);
        self->colours = self->bytes + SCREEN_HEAD;
        self->first += 3 * (size_t)self->colours_count;
        if (!has(self, 0, self->first))
            return file_ends_early(self->stage.file);
    }
    return RO_OK;
}

static bool is_grey(const struct frame *frame)
{
    for (unsigned i = 0; i < frame->colours_count; i++) {
        const uint8_t *rgb = frame->colours + 3 * (size_t)i;
        if (rgb[0] != rgb[1] || rgb[1] != rgb[2])
            return false;
    }
    return true;
}

/* Counts the frames. All of them say whether the pages are grey, because pages of one stack have
 * one format; those up to the page say what alpha it has. */
static ro_status read_frames(struct gif *self)
{
    ro_file_info *info = &self->stage.info;
    struct frame frame;
    bool grey = true, holes = false;
    unsigned count = 0;
    for (size_t at = self->first; next_frame(self, &at, &frame);) {
        grey = grey && (!frame.colours || is_grey(&frame));
        if (++count > self->page)
            continue;
        if (info->width == 0 || info->height == 0) { /* some programs leave it out */
            info->width = frame.x + frame.width;
            info->height = frame.y + frame.height;
        }
        if (!frame.colours)
            return improper(self, "its palette is missing");
        holes = holes || frame.disposal == TO_NOTHING ||
                (count == 1 && (frame.transparent >= 0 || frame.x || frame.y ||
                                frame.width < info->width || frame.height < info->height));
    }
    if (count == 0)
        return file_ends_early(self->stage.file);
    info->format = grey ? RO_GREY8 : RO_RGB8;
    info->maxval = 255;
    info->pages = count;
    self->stage.alpha = holes ? RO_STRAIGHT_ALPHA : RO_NO_ALPHA;
    ro_status status = stage_check_size(self->stage.file, info->width, info->height);
    const uint64_t pixels = (uint64_t)info->width * info->height;
    if (status == RO_OK && pixels > SMALL_SCREEN &&
        !stage_plausible(self->size, pixels, PIXELS_PER_BYTE))
        status = file_ends_early(self->stage.file);
    return status;
}

/* ---- Pixels ------------------------------------------------------------------------------- */

/* Rows of an interlaced frame come in four passes. */
static uint32_t row_of(const struct frame *frame, uint32_t number)
{
    static const uint32_t starts[4] = {0, 4, 2, 1}, steps[4] = {8, 8, 4, 2};
    if (!frame->interlaced)
        return number;
    for (int pass = 0; pass < 4; pass++) {
        const uint32_t rows =
            frame->height > starts[pass] ? (frame->height - starts[pass] - 1) / steps[pass] + 1 : 0;
        if (number < rows)
            return starts[pass] + number * steps[pass];
        number -= rows;
    }
    return 0;
}

static void draw_row(struct gif *self, const struct frame *frame, uint32_t number,
                     const uint8_t *numbers)
{
    const ro_file_info *info = &self->stage.info;
    const uint32_t y = frame->y + row_of(frame, number);
    if (y >= info->height)
        return;
    for (uint32_t i = 0; i < frame->width && frame->x + i < info->width; i++) {
        const unsigned colour = numbers[i];
        if ((int)colour == frame->transparent)
            continue;
        uint8_t *to = self->screen + 4 * ((size_t)y * info->width + frame->x + i);
        if (colour < frame->colours_count)
            memcpy(to, frame->colours + 3 * (size_t)colour, 3);
        else
            memset(to, 0, 3);
        to[3] = 255;
    }
}

static ro_status draw_frame(struct gif *self, const struct frame *frame)
{
    struct lzw_state lzw;
    ro_status status = RO_OK;
    uint8_t *numbers = malloc((size_t)frame->width + 1);
    if (!numbers)
        return file_no_memory(self->stage.file, frame->width);
    if (!lzw_begin(&lzw, self->bytes + frame->data, self->size - frame->data))
        status = improper(self, "an unknown code size");
    for (uint32_t y = 0; y < frame->height && status == RO_OK; y++) {
        const size_t got = lzw_read(&lzw, numbers, frame->width);
        status = got == frame->width ? file_check_stop(self->stage.file)
                 : lzw.ended         ? file_ends_early(self->stage.file)
                                     : improper(self, "its codes make no sense");
        if (status == RO_OK)
            draw_row(self, frame, y, numbers);
    }
    free(numbers);
    return status;
}

static void clear_frame(struct gif *self, const struct frame *frame)
{
    const ro_file_info *info = &self->stage.info;
    const uint32_t left = frame->x < info->width ? info->width - frame->x : 0;
    const uint32_t width = frame->width < left ? frame->width : left;
    for (uint32_t y = frame->y; y < frame->y + frame->height && y < info->height; y++)
        memset(self->screen + 4 * ((size_t)y * info->width + frame->x), 0, 4 * (size_t)width);
}

static ro_status draw(struct gif *self)
{
    const ro_file_info *info = &self->stage.info;
    const size_t bytes = 4 * (size_t)info->width * info->height;
    uint8_t *before = NULL;
    struct frame frame;
    size_t at = self->first;
    ro_status status = RO_OK;
    if (bytes > memory_limit(self->stage.file) || !(self->screen = calloc(1, bytes)))
        return file_no_memory(self->stage.file, bytes);
    self->stage.file->quiet = true; /* what is dropped was told before */
    for (unsigned i = 1; i <= self->page && next_frame(self, &at, &frame); i++) {
        const bool last = i == self->page;
        self->stage.file->quiet = false;
        if (!last && frame.disposal == TO_BEFORE) {
            if (!before && !(before = malloc(bytes)))
                status = file_no_memory(self->stage.file, bytes);
            else
                memcpy(before, self->screen, bytes);
        }
        if (status == RO_OK)
            status = draw_frame(self, &frame);
        if (status != RO_OK)
            break;
        if (!last && frame.disposal == TO_NOTHING)
            clear_frame(self, &frame);
        if (!last && frame.disposal == TO_BEFORE)
            memcpy(self->screen, before, bytes);
        self->stage.file->quiet = true;
    }
    self->stage.file->quiet = false;
    free(before);
    return status;
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct gif *self = (struct gif *)stage;
    const size_t channels = (size_t)channels_of(stage->info.format);
    const size_t given = channels + (stage->alpha != RO_NO_ALPHA);
    ro_status status = self->screen ? RO_OK : draw(self);
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride, self->row++) {
        const uint8_t *from = self->screen + 4 * (size_t)self->row * stage->info.width;
        uint8_t *to = rows;
        for (uint32_t x = 0; x < stage->info.width; x++, from += 4, to += given) {
            memcpy(to, from, channels);
            if (given > channels)
                to[channels] = from[3];
        }
    }
    return status;
}

static void close_reader(struct row_stage *stage)
{
    struct gif *self = (struct gif *)stage;
    free(self->bytes);
    free(self->screen);
    free(self);
}

ro_status gif_decode(struct byte_source *source, unsigned page, struct row_stage **stage)
{
    struct gif *self = calloc(1, sizeof *self);
    if (!self)
        return file_no_memory(source->file, sizeof *self);
    self->stage =
        (struct row_stage){.file = source->file, .rows = read_rows, .close = close_reader};
    self->page = page;
    char *bytes = NULL;
    ro_status status = source_all(source, LARGEST_FILE, &bytes, &self->size);
    self->bytes = (uint8_t *)bytes;
    if (status == RO_OK)
        status = read_screen(self);
    if (status == RO_OK)
        status = read_frames(self);
    return stage_opened(&self->stage, status, stage);
}
