/* SPDX-License-Identifier: MIT */
/*
 * BMP in: Windows and OS/2 files of 1, 2, 4 and 8 bits with a palette, of 16, 24 and 32 bits as
 * they are or by masks, and runs of 4 and 8 bits. Rows run from the bottom up unless the height is
 * negative: each is fetched from its place. Of a pipe, and of runs, the whole picture is held.
 * Heads of 108 bytes and more state colours, those of 124 an ICC profile, which mostly follows the
 * pixels.
 */
#include "io/bytes/lazy_rows.h"
#include "io/filters/profile.h"
#include "io/filters/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_HEAD = 14,
    CORE_HEAD = 12,
    INFO_HEAD = 40,
    MASKS_HEAD = 52,
    COLOUR_HEAD = 108,
    LARGEST_HEAD = 124,
};
enum { PLAIN = 0, RLE8 = 1, RLE4 = 2, MASKS = 3, ALPHA_MASKS = 6 };
enum { RED, GREEN, BLUE, ALPHA };
/* Runs may leave out any part of a picture: one that is large is believed only of a file that is
 * not tiny. */
enum { SMALL_PICTURE = 1 << 22, RUN_RATIO = 4096 };
enum { HELD_BYTES = 1 << 24 }; /* small files are held: reading backwards is slow */
enum { LARGEST_PROFILE = 1 << 26 };

/* Kinds of colours, four letters each but for the first. */
enum {
    CALIBRATED = 0,
    SRGB = 0x73524742,
    WINDOWS = 0x57696e20,
    LINKED = 0x4c494e4b,
    EMBEDDED = 0x4d424544,
};

static const double metres_per_inch = 0.0254;

struct bmp {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct byte_source *source;
    unsigned bits, compression;
    bool top_down, held, filled;
    uint64_t pixels;  /* where they begin */
    uint64_t profile; /* where that begins; 0: there is none */
    uint32_t profile_size;
    size_t row_bytes; /* of the file */
    struct {
        uint32_t mask, most;
        int shift;
    } of[4];
    struct colour_map palette;
    struct lazy_store store; /* rows of the file, or numbers that runs gave; in the file's order */
    uint8_t *line, *numbers;
    uint32_t row;
};

static uint32_t get16(const uint8_t *bytes) { return (uint32_t)(bytes[0] | bytes[1] << 8); }
static uint32_t get32(const uint8_t *bytes) { return get16(bytes) | get16(bytes + 2) << 16; }

static ro_status improper(struct bmp *self, const char *why)
{
    return file_fail(self->stage.file, RO_E_FORMAT, "not a proper BMP file: %s", why);
}

static bool has_runs(const struct bmp *self)
{
    return self->compression == RLE4 || self->compression == RLE8;
}

/* ---- Opening ------------------------------------------------------------------------------ */

static ro_status set_mask(struct bmp *self, int channel, uint32_t mask)
{
    int shift = 0;
    while (mask && !(mask >> shift & 1))
        shift++;
    const uint32_t most = mask >> shift;
    if (most & (most + 1))
        return improper(self, "a mask with gaps");
    self->of[channel].mask = mask;
    self->of[channel].shift = shift;
    self->of[channel].most = most;
    return RO_OK;
}

static ro_status set_masks(struct bmp *self, const uint8_t *masks, bool alpha)
{
    static const uint32_t usual[2][3] = {{0x7c00, 0x3e0, 0x1f}, {0xff0000, 0xff00, 0xff}};
    ro_status status = RO_OK;
    for (int c = 0; c < 3 && status == RO_OK; c++)
        status = set_mask(self, c, masks ? get32(masks + 4 * c) : usual[self->bits == 32][c]);
    if (status == RO_OK && masks && alpha)
        status = set_mask(self, ALPHA, get32(masks + 12));
    if (self->of[ALPHA].most)
        self->stage.alpha = RO_STRAIGHT_ALPHA;
    return status;
}

static ro_status read_palette(struct bmp *self, uint32_t colours, size_t entry)
{
    uint8_t bytes[4];
    const uint32_t most = 1u << self->bits;
    if (colours == 0 || colours > most)
        colours = most;
    if (self->pixels == self->source->position) {
        self->pixels += colours * entry;
        file_drop(self->stage.file, RO_DROPPED_METADATA,
                  "its pixel offset, which points to its palette");
    }
    for (uint32_t i = 0; i < colours; i++) {
        /* Some files state more colours than lie before their pixels. */
        if (self->source->position + entry > self->pixels)
            break;
        ro_status status = source_need(self->source, bytes, entry);
        if (status != RO_OK)
            return status;
        for (int c = 0; c < 3; c++)
            self->palette.rgb[i][c] = bytes[2 - c];
    }
    colour_map_finish(&self->palette, colours);
    return RO_OK;
}

static ro_status check_kind(struct bmp *self)
{
    static const unsigned all[] = {1, 2, 4, 8, 16, 24, 32};
    bool known = false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        known = known || self->bits == all[i];
    const unsigned how = self->compression;
    const bool masks = how == MASKS || how == ALPHA_MASKS;
    if (!known ||
        (how != PLAIN && !(how == RLE8 && self->bits == 8) && !(how == RLE4 && self->bits == 4) &&
         !(masks && (self->bits == 16 || self->bits == 32))))
        return file_fail(self->stage.file, RO_E_UNSUPPORTED,
                         "a BMP file of %u bits and compression %u cannot be read", self->bits,
                         how);
    return RO_OK;
}

/* ---- Colours ------------------------------------------------------------------------------ */

static bool near(double value, double wanted, double tolerance)
{
    return fabs(value - wanted) <= tolerance;
}

/* Primaries as X, Y and Z in 2.30 bits, which are chromaticities in most files, and gammas in
 * 16.16. White is not stated and taken as D65. Zeros state nothing. */
static void take_calibrated(struct bmp *self, const uint8_t *primaries, const uint8_t *gammas)
{
    static const double srgb[3][2] = {{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}};
    double xy[4][2] = {{0.3127, 0.3290}}, gamma[3];
    bool given = false, other = false;
    for (int c = 0; c < 3; c++) {
        double at[3];
        for (int i = 0; i < 3; i++)
            at[i] = (int32_t)get32(primaries + 12 * c + 4 * i) * 0x1p-30;
        const double sum = at[0] + at[1] + at[2];
        for (int i = 0; i < 2; i++) {
            given = given || at[i] != 0;
            xy[c + 1][i] = sum > 0 ? at[i] / sum : 0;
            other = other || !near(xy[c + 1][i], srgb[c][i], 0.002);
        }
        gamma[c] = get32(gammas + 4 * c) * 0x1p-16;
        if (gamma[c] > 0 && gamma[c] < 1) /* some programs write that of the file, 1/2.2 */
            gamma[c] = 1 / gamma[c];
    }
    other = other && given;
    const bool alike = near(gamma[0], gamma[1], 0.01) && near(gamma[0], gamma[2], 0.01);
    const bool curved = gamma[0] > 0 && !near(gamma[0], 2.2, 0.022);
    char words[100];
    if (!alike) {
        file_drop(self->stage.file, RO_DROPPED_GAMMA,
                  "its gammas, which differ by channel%s (taken as sRGB)",
                  other ? ", and primaries" : "");
        return;
    }
    if (!curved && !other)
        return;
    if (curved)
        snprintf(words, sizeof words, "its gamma of %.3g%s (taken as sRGB)", gamma[0],
                 other ? " and primaries" : "");
    else
        snprintf(words, sizeof words, "its primaries (taken as sRGB's)");
    profile_take_gamma(&self->stage, curved ? gamma[0] : 0, other ? xy : NULL, words);
}

/* What a head of at least 108 bytes says of colours. */
static void read_colours(struct bmp *self, const uint8_t *head, uint32_t size)
{
    switch (get32(head + 56)) {
    case CALIBRATED:
        take_calibrated(self, head + 60, head + 96);
        break;
    case EMBEDDED:
        if (size < LARGEST_HEAD)
            break;
        self->profile = FILE_HEAD + (uint64_t)get32(head + 112);
        self->profile_size = get32(head + 116);
        break;
    case LINKED:
        file_drop(self->stage.file, RO_DROPPED_PROFILE,
                  "its ICC profile, which is another file (colours are taken as sRGB)");
        break;
    case SRGB:
    case WINDOWS:
        break;
    default:
        file_drop(self->stage.file, RO_DROPPED_GAMMA, "its colour space (taken as sRGB)");
        break;
    }
}

/* The head's size, its fields and what follows it: masks or a palette. */
static ro_status read_head(struct bmp *self)
{
    uint8_t file[FILE_HEAD], head[LARGEST_HEAD + 16] = {0};
    struct byte_source *source = self->source;
    ro_file_info *info = &self->stage.info;
    ro_status status = source_need(source, file, sizeof file);
    if (status == RO_OK)
        status = source_need(source, head, 4);
    if (status != RO_OK)
        return status;
    const uint32_t size = get32(head);
    const bool core = size == CORE_HEAD;
    if (file[0] != 'B' || file[1] != 'M' || (!core && (size < 16 || size > LARGEST_HEAD)))
        return improper(self, "a head of an unknown kind");
    if ((status = source_need(source, head + 4, size - 4)) != RO_OK)
        return status;
    const int64_t width = core ? (int32_t)get16(head + 4) : (int32_t)get32(head + 4);
    const int64_t height = core ? (int32_t)get16(head + 6) : (int32_t)get32(head + 8);
    self->bits = get16(head + (core ? 10 : 14));
    self->compression = size >= INFO_HEAD ? get32(head + 16) : PLAIN;
    self->top_down = height < 0;
    self->pixels = get32(file + 10);
    if (width < 0)
        return improper(self, "a negative width");
    status = stage_check_size(self->stage.file, (uint64_t)width,
                              (uint64_t)(height < 0 ? -height : height));
    if (status == RO_OK)
        status = check_kind(self);
    if (status != RO_OK)
        return status;
    *info = (ro_file_info){.format = RO_RGB8,
                           .width = (uint32_t)width,
                           .height = (uint32_t)(height < 0 ? -height : height),
                           .maxval = 255,
                           .pages = 1};
    if (size >= INFO_HEAD) {
        const int32_t x = (int32_t)get32(head + 24), y = (int32_t)get32(head + 28);
        if (x > 0 && y > 0) {
            info->dpi_x = x * metres_per_inch;
            info->dpi_y = y * metres_per_inch;
        }
    }
    if (size >= COLOUR_HEAD)
        read_colours(self, head, size);
    if (self->compression == MASKS || self->compression == ALPHA_MASKS) {
        bool alpha = size >= MASKS_HEAD + 4 || self->compression == ALPHA_MASKS;
        if (size < MASKS_HEAD) /* they follow the head */
            status = source_need(source, head + INFO_HEAD, alpha ? 16 : 12);
        return status == RO_OK ? set_masks(self, head + INFO_HEAD, alpha) : status;
    }
    if (self->bits >= 16)
        return set_masks(self, NULL, false);
    status = read_palette(self, size >= INFO_HEAD ? get32(head + 32) : 0, core ? 3 : 4);
    if (self->palette.grey)
        info->format = RO_GREY8;
    return status;
}

/* ---- Runs --------------------------------------------------------------------------------- */

struct run_place {
    uint32_t x, y; /* y counts rows of the file */
};

static ro_status put_number(struct bmp *self, struct run_place *at, uint8_t number)
{
    const ro_file_info *info = &self->stage.info;
    if (at->y >= info->height || at->x >= (info->width + 3) / 4 * 4)
        return improper(self, "a run leaves the picture");
    if (at->x >= info->width) { /* some programs pack the padding of rows, too */
        at->x++;
        return RO_OK;
    }
    uint8_t *row = lazy_row(&self->store, at->y);
    if (!row)
        return RO_E_MEMORY;
    row[at->x++] = number;
    return RO_OK;
}

/* `count` numbers, as they are or one byte again and again. */
static ro_status put_run(struct bmp *self, struct run_place *at, unsigned count,
                         const uint8_t *bytes, bool again)
{
    ro_status status = RO_OK;
    for (unsigned i = 0; i < count && status == RO_OK; i++) {
        if (self->compression == RLE8)
            status = put_number(self, at, bytes[again ? 0 : i]);
        else
            status =
                put_number(self, at, (uint8_t)(bytes[again ? 0 : i / 2] >> (i % 2 ? 0 : 4) & 15));
    }
    return status;
}

/* The whole picture; pixels that are jumped over are of colour 0. */
static ro_status read_runs(struct bmp *self)
{
    enum { LINE = 0, END = 1, JUMP = 2 };
    struct run_place at = {0, 0};
    uint8_t pair[2], bytes[256];
    for (uint64_t codes = 0;; codes++) {
        ro_status status = codes % 4096 == 0 ? file_check_stop(self->stage.file) : RO_OK;
        if (status == RO_OK)
            status = source_need(self->source, pair, 2);
        if (status != RO_OK)
            return status;
        if (pair[0] > 0) {
            status = put_run(self, &at, pair[0], pair + 1, true);
        } else if (pair[1] == END) {
            return RO_OK;
        } else if (pair[1] == LINE) {
            at = (struct run_place){0, at.y + 1};
            if (at.y > self->stage.info.height)
                return improper(self, "a run leaves the picture");
        } else if (pair[1] == JUMP) {
            status = source_need(self->source, bytes, 2);
            at.x += bytes[0];
            at.y += bytes[1];
            if (status == RO_OK &&
                (at.y >= self->stage.info.height || at.x > (self->stage.info.width + 3) / 4 * 4))
                return improper(self, "a jump leaves the picture");
        } else {
            const size_t used = self->compression == RLE8 ? pair[1] : (pair[1] + 1u) / 2;
            status = source_need(self->source, bytes, used + used % 2);
            if (status == RO_OK)
                status = put_run(self, &at, pair[1], bytes, false);
        }
        if (status != RO_OK)
            return status;
    }
}

/* ---- Rows --------------------------------------------------------------------------------- */

static ro_status fill_store(struct bmp *self)
{
    const ro_file_info *info = &self->stage.info;
    self->filled = true;
    ro_status status = store_open(&self->store, self->stage.file,
                                  has_runs(self) ? info->width : self->row_bytes, info->height);
    if (status == RO_OK && has_runs(self))
        return read_runs(self);
    for (uint32_t y = 0; y < info->height && status == RO_OK; y++) {
        uint8_t *row = lazy_row(&self->store, y);
        status = row ? source_need(self->source, row, self->row_bytes) : RO_E_MEMORY;
    }
    return status;
}

static uint8_t scaled(const struct bmp *self, int channel, uint32_t pixel)
{
    const uint64_t most = self->of[channel].most;
    if (most == 0)
        return channel == ALPHA ? 255 : 0;
    const uint64_t value = (pixel & self->of[channel].mask) >> self->of[channel].shift;
    return (uint8_t)((510 * value + most) / (2 * most));
}

static void convert_row(struct bmp *self, uint8_t *row, const uint8_t *from)
{
    const uint32_t width = self->stage.info.width;
    const int given = self->stage.alpha == RO_NO_ALPHA ? 3 : 4;
    if (self->bits <= 8) {
        const uint8_t *numbers = from;
        if (self->bits < 8 && !has_runs(self)) {
            unpack_bits(self->numbers, from, width, (int)self->bits, 0);
            numbers = self->numbers;
        }
        colour_map_apply(&self->palette, row, numbers, width);
    } else if (self->bits == 24) {
        for (uint32_t x = 0; x < width; x++, from += 3, row += 3) {
            const uint8_t blue = from[0], green = from[1], red = from[2];
            row[0] = red, row[1] = green, row[2] = blue;
        }
    } else {
        for (uint32_t x = 0; x < width; x++, row += given) {
            const uint32_t pixel = self->bits == 16 ? get16(from + 2 * (size_t)x) //
                                                    : get32(from + 4 * (size_t)x);
            for (int c = 0; c < given; c++)
                row[c] = scaled(self, c, pixel);
        }
    }
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct bmp *self = (struct bmp *)stage;
    ro_status status = RO_OK;
    if (self->held && !self->filled)
        status = fill_store(self);
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride, self->row++) {
        const uint32_t place = self->top_down ? self->row : stage->info.height - 1 - self->row;
        const uint8_t *from = self->line;
        if (self->held) {
            from = lazy_row(&self->store, place);
            status = from ? RO_OK : RO_E_MEMORY;
        } else {
            if (self->source->seekable)
                status =
                    source_seek(self->source, self->pixels + (uint64_t)place * self->row_bytes);
            if (status == RO_OK)
                status = source_need(self->source, self->line, self->row_bytes);
        }
        if (status == RO_OK)
            convert_row(self, rows, from);
    }
    return status;
}

static void close_reader(struct row_stage *stage)
{
    struct bmp *self = (struct bmp *)stage;
    store_close(&self->store);
    profile_free(stage);
    free(self->line);
    free(self->numbers);
    free(self);
}

static ro_status open_rows(struct bmp *self)
{
    const ro_file_info *info = &self->stage.info;
    self->row_bytes = (size_t)(((uint64_t)info->width * self->bits + 31) / 32 * 4);
    const uint64_t all = (uint64_t)self->row_bytes * info->height, left = self->source->size;
    if (self->pixels < self->source->position)
        return improper(self, "its pixels begin inside its head");
    if (!has_runs(self) && left != RO_SIZE_UNKNOWN &&
        (left < self->pixels || left - self->pixels < all))
        return file_ends_early(self->stage.file);
    const uint64_t pixels = (uint64_t)info->width * info->height;
    if (has_runs(self) && pixels > SMALL_PICTURE && !stage_plausible(left, pixels, RUN_RATIO))
        return file_ends_early(self->stage.file);
    self->held = has_runs(self) ||
                 (!self->top_down && (!self->source->seekable || all <= HELD_BYTES)) ||
                 (self->profile && !self->source->seekable);
    self->line = malloc(self->row_bytes);
    self->numbers = malloc(info->width);
    if (!self->line || !self->numbers)
        return file_no_memory(self->stage.file, self->row_bytes);
    return RO_OK;
}

/* Goes to the profile, for which the pixels of a pipe must be read first if they precede it.
 * Returns false if it is not there. */
static bool find_profile(struct bmp *self, ro_status *status)
{
    struct byte_source *source = self->source;
    const uint64_t end = self->profile + self->profile_size;
    if (self->profile_size == 0 || self->profile_size > LARGEST_PROFILE ||
        (source->size != RO_SIZE_UNKNOWN && end > source->size) ||
        self->profile < source->position || (self->profile < self->pixels && end > self->pixels))
        return false;
    if (!source->seekable && self->profile > self->pixels) {
        *status = source_skip(source, self->pixels - source->position);
        if (*status == RO_OK)
            *status = fill_store(self);
    }
    if (*status != RO_OK || self->profile < source->position)
        return false;
    *status = source_skip(source, self->profile - source->position);
    return *status == RO_OK;
}

static ro_status read_profile(struct bmp *self)
{
    ro_status status = RO_OK;
    size_t got = 0;
    if (!self->profile)
        return RO_OK;
    uint8_t *bytes = NULL;
    if (find_profile(self, &status)) {
        if (!(bytes = malloc(self->profile_size)))
            return file_no_memory(self->stage.file, self->profile_size);
        status = source_read(self->source, bytes, self->profile_size, &got);
    }
    if (status == RO_OK && got == self->profile_size && got > 0)
        profile_take(&self->stage, bytes, got);
    else if (status == RO_OK)
        file_drop(self->stage.file, RO_DROPPED_PROFILE,
                  "its ICC profile, which is not there (colours are taken as sRGB)");
    free(bytes);
    return status;
}

/* Goes to the pixels, unless they were read before the profile. */
static ro_status find_pixels(struct bmp *self)
{
    struct byte_source *source = self->source;
    if (self->filled)
        return RO_OK;
    return source->seekable ? source_seek(source, self->pixels)
                            : source_skip(source, self->pixels - source->position);
}

ro_status bmp_decode(struct byte_source *source, unsigned page, struct row_stage **stage)
{
    struct bmp *self = calloc(1, sizeof *self);
    (void)page;
    if (!self)
        return file_no_memory(source->file, sizeof *self);
    self->stage =
        (struct row_stage){.file = source->file, .rows = read_rows, .close = close_reader};
    self->source = source;
    ro_status status = read_head(self);
    if (status == RO_OK)
        status = open_rows(self);
    if (status == RO_OK)
        status = read_profile(self);
    if (status == RO_OK)
        status = find_pixels(self);
    return stage_opened(&self->stage, status, stage);
}
