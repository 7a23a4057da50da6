/* SPDX-License-Identifier: MIT */
/*
 * TIFF in, by libtiff. Three ways to the rows, all streaming:
 *
 *     plain     rows that are stored as they are: read by ourselves, so that one strip of many
 *               gigabytes costs nothing
 *     scanline  compressed strips with the channels together: libtiff gives one row at a time
 *     band      tiles, or channels in separate planes: one row of tiles (or one strip of each
 *               plane) is put together at a time
 *
 * What a row then goes through: the channels that count are picked out, and bits, palettes, ink,
 * alpha and inverted greys become grey or RGB.
 */
#include "core/checked.h"
#include "io/filters/convert.h"
#include "io/filters/samples.h"
#include "io/filters/stage.h"
#include "io/formats/tiff/tiff_layout.h"
#include "io/formats/tiff/tiff_profile.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_CHUNK = 1 << 30 };

/* ---- Rows of the file --------------------------------------------------------------------- */

static ro_status allocate(uint8_t **buffer, struct tiff *self, size_t bytes)
{
    if (!*buffer && !(*buffer = calloc(1, bytes)))
        return file_no_memory(self->stage.file, bytes);
    return RO_OK;
}

/* Whether a strip or tile was left out by its writer, as those of sparse files are: it is all 0. */
static bool is_absent(const struct tiff *self, uint32_t number)
{
    if (TIFFGetStrileOffset(self->file.tiff, number) != 0 ||
        TIFFGetStrileByteCount(self->file.tiff, number) != 0)
        return false;
    file_drop(self->stage.file, RO_DROPPED_DAMAGE,
              "tiles or strips that it leaves out (taken as "
              "0)");
    return true;
}

static ro_status plain_row(struct tiff *self, uint8_t *to)
{
    uint32_t strip = self->row / self->chunk_height, in_strip = self->row % self->chunk_height;
    uint64_t start = TIFFGetStrileOffset(self->file.tiff, strip), here;
    if (start == 0 && !self->one_behind && is_absent(self, strip)) {
        memset(to, 0, self->row_bytes);
        return RO_OK;
    }
    if (__builtin_add_overflow(start, (uint64_t)in_strip * self->row_bytes, &here) || start == 0)
        return file_ends_early(self->stage.file);
    if (self->one_behind)
        here += (uint64_t)self->page * self->stage.info.height * self->row_bytes;
    ro_status status = source_seek(self->file.source, here);
    if (status == RO_OK)
        status = source_need(self->file.source, to, self->row_bytes);
    if (status == RO_OK && TIFFIsByteSwapped(self->file.tiff) && self->bits % 8 == 0)
        sample_swap(to, self->bits / 8u, self->row_bytes / (self->bits / 8u));
    return status;
}

/* Puts one tile, or one plane of it, to its place in the band. */
static void place_chunk(struct tiff *self, uint32_t x, uint32_t plane, uint32_t rows)
{
    bool separate = self->planar == PLANARCONFIG_SEPARATE;
    size_t sample = self->bits / 8u, samples = separate ? 1 : self->samples;
    size_t chunk_row = ((size_t)self->chunk_width * self->bits * samples + 7) / 8;
    uint32_t width = self->stage.info.width - x;
    if (width > self->chunk_width)
        width = self->chunk_width;
    if (self->ycbcr.convert && !separate) {
        ycbcr_unpack(&self->ycbcr, self->band + 3 * (size_t)x, self->row_bytes, self->chunk,
                     self->chunk_width, width, rows);
        return;
    }
    for (uint32_t y = 0; y < rows; y++) {
        const uint8_t *from = self->chunk + y * chunk_row;
        uint8_t *row = self->band + y * self->row_bytes;
        if (!separate) {
            size_t at = (size_t)x * self->bits * samples / 8;
            memcpy(row + at, from, ((size_t)width * self->bits * samples + 7) / 8);
            continue;
        }
        uint8_t *to = row + ((size_t)x * self->samples + plane) * sample;
        for (uint32_t i = 0; i < width; i++, to += self->samples * sample, from += sample)
            memcpy(to, from, sample);
    }
}

static ro_status read_chunk(struct tiff *self, uint32_t x, uint32_t y, uint16_t plane, size_t bytes)
{
    TIFF *tiff = self->file.tiff;
    tmsize_t got;
    const uint32_t number =
        self->tiled ? TIFFComputeTile(tiff, x, y, 0, plane) : TIFFComputeStrip(tiff, y, plane);
    if (is_absent(self, number)) {
        memset(self->chunk, 0, bytes);
        return RO_OK;
    }
    if (self->tiled)
        got = TIFFReadEncodedTile(tiff, number, self->chunk, (tmsize_t)bytes);
    else
        got = TIFFReadEncodedStrip(tiff, number, self->chunk, (tmsize_t)bytes);
    return got < 0 ? tiff_failed(&self->file) : tiff_check(&self->file);
}

static ro_status fill_band(struct tiff *self)
{
    TIFF *tiff = self->file.tiff;
    const ro_file_info *info = &self->stage.info;
    uint32_t rows = info->height - self->row, planes = 1;
    size_t band, chunk = (size_t)(self->tiled ? TIFFTileSize64(tiff) : TIFFStripSize64(tiff));
    if (rows > self->chunk_height)
        rows = self->chunk_height;
    if (self->planar == PLANARCONFIG_SEPARATE)
        planes = (uint32_t)self->channels + (self->stage.alpha != RO_NO_ALPHA);
    uint64_t least;
    if (self->ycbcr.convert && planes == 1)
        least = ycbcr_chunk_bytes(&self->ycbcr, self->chunk_width, self->chunk_height);
    else
        least = ((uint64_t)self->chunk_width * self->bits *
                     (self->planar == PLANARCONFIG_SEPARATE ? 1u : self->samples) +
                 7) /
                8 * self->chunk_height;
    if (chunk > LARGEST_CHUNK || chunk < least ||
        !size_multiply(self->row_bytes, self->chunk_height, &band) ||
        band > memory_limit(self->stage.file))
        return file_fail(self->stage.file, RO_E_SIZE, "tiles or strips of %u x %u are too large",
                         self->chunk_width, self->chunk_height);
    ro_status status = allocate(&self->chunk, self, chunk);
    if (status == RO_OK)
        status = allocate(&self->band, self, band);
    for (uint32_t x = 0; x < info->width && status == RO_OK;) {
        for (uint32_t plane = 0; plane < planes && status == RO_OK; plane++) {
            status = read_chunk(self, x, self->row, (uint16_t)plane, chunk);
            if (status == RO_OK)
                place_chunk(self, x, plane, rows);
        }
        if (info->width - x <= self->chunk_width)
            break;
        x += self->chunk_width;
    }
    self->band_at = self->row;
    self->band_rows = rows;
    return status;
}

/* The next row of the file; `to` is where it is put, or points to it already. */
static ro_status file_row(struct tiff *self, uint8_t **to)
{
    ro_status status = RO_OK;
    if (self->way == PLAIN) {
        status = plain_row(self, *to);
    } else if (self->way == SCANLINE) {
        if (is_absent(self, self->row / self->chunk_height))
            memset(*to, 0, self->row_bytes);
        else if (TIFFReadScanline(self->file.tiff, *to, self->row, 0) < 0)
            status = tiff_failed(&self->file);
        else
            status = tiff_check(&self->file);
    } else {
        if (self->row >= self->band_at + self->band_rows)
            status = fill_band(self);
        if (status == RO_OK)
            *to = self->band + (self->row - self->band_at) * self->row_bytes;
    }
    self->row++;
    return status;
}

/* ---- Rows of the image -------------------------------------------------------------------- */

/* Drops the channels that do not count, in place. */
static void pick_channels(const struct tiff *self, uint8_t *row)
{
    size_t sample = self->bits / 8u, from = self->samples * sample;
    size_t to = ((size_t)self->channels + (self->stage.alpha != RO_NO_ALPHA)) * sample;
    if (from == to)
        return;
    for (size_t x = 1; x < self->stage.info.width; x++)
        memmove(row + x * to, row + x * from, to);
}

/* Turns black and white round: one grey per pixel, alpha behind it left alone. */
static void invert(const struct tiff *self, void *row)
{
    uint32_t width = self->stage.info.width;
    size_t step = self->stage.alpha != RO_NO_ALPHA ? 2 : 1;
    for (size_t x = 0; x < width; x++)
        if (self->real)
            ((float *)row)[x * step] = 1 - ((float *)row)[x * step];
        else if (self->bits == 16)
            ((uint16_t *)row)[x * step] ^= 65535;
        else
            ((uint8_t *)row)[x * step] ^= 255;
}

/* The channels that count of a row of packed samples. */
static void convert_odd(const struct tiff *self, uint16_t *row, const uint8_t *from)
{
    const size_t bits = self->bits, channels = (size_t)self->channels;
    const unsigned all = (1u << bits) - 1;
    const unsigned flip = self->photometric == PHOTOMETRIC_MINISWHITE ? all : 0;
    for (size_t x = 0; x < self->stage.info.width; x++)
        for (size_t c = 0; c < channels; c++) {
            const size_t at = (x * self->samples + c) * bits, end = at + bits;
            uint32_t value = 0; /* the two or three bytes that it touches */
            for (size_t i = at / 8; i <= (end - 1) / 8; i++)
                value = value << 8 | from[i];
            *row++ = (uint16_t)((value >> (7 - (end - 1) % 8) & all) ^ flip);
        }
}

static void convert_small(const struct tiff *self, uint8_t *row, const uint8_t *from)
{
    uint32_t width = self->stage.info.width;
    if (self->photometric == PHOTOMETRIC_PALETTE) {
        unpack_bits(self->indices, from, width, self->bits, 0);
        colour_map_apply(&self->palette, row, self->indices, width);
    } else if (self->photometric == PHOTOMETRIC_SEPARATED) {
        for (size_t i = 0; i < 4 * (size_t)width; i++)
            self->indices[i] = from[i / 8] >> (7 - i % 8) & 1 ? 255 : 0;
        cmyk_to_rgb(row, self->indices, width, false);
    } else {
        uint8_t all = (uint8_t)((1 << self->bits) - 1);
        unpack_bits(row, from, width, self->bits,
                    self->photometric == PHOTOMETRIC_MINISWHITE ? all : 0);
    }
}

/* Colours of a row of numbers, which may have alpha behind them. */
static void apply_palette(const struct tiff *self, uint8_t *row, const uint8_t *from)
{
    const struct colour_map *palette = &self->palette;
    const size_t channels = palette->grey ? 1 : 3;
    if (self->stage.alpha == RO_NO_ALPHA)
        colour_map_apply(palette, row, from, self->stage.info.width);
    else
        for (uint32_t x = 0; x < self->stage.info.width; x++, from += 2, row += channels + 1) {
            const uint8_t alpha = from[1];
            memcpy(row, palette->rgb[from[0]], channels);
            row[channels] = alpha;
        }
}

/* Bytes of a row that is given. */
static size_t given_bytes(const struct tiff *self)
{
    return self->stage.raw
               ? (size_t)self->stage.info.width * (size_t)self->channels * (self->bits / 8u)
               : stage_row_bytes(&self->stage);
}

static void convert_row(const struct tiff *self, uint8_t *row, uint8_t *from)
{
    uint32_t width = self->stage.info.width;
    pick_channels(self, from);
    if (self->photometric == PHOTOMETRIC_MINISWHITE && !self->stage.raw)
        invert(self, from);
    if (self->photometric == PHOTOMETRIC_PALETTE)
        apply_palette(self, row, from);
    else if (self->photometric == PHOTOMETRIC_SEPARATED && self->stage.profile)
        memcpy(row, from, 4 * (size_t)width * (self->bits / 8u));
    else if (self->photometric == PHOTOMETRIC_SEPARATED && self->bits == 16)
        cmyk16_to_rgb((uint16_t *)(void *)row, (const uint16_t *)(const void *)from, width);
    else if (self->photometric == PHOTOMETRIC_SEPARATED)
        cmyk_to_rgb(row, from, width, false);
    else if (self->ycbcr.convert)
        ycbcr_to_rgb(&self->ycbcr, row, from, width);
    else if (row != from)
        memcpy(row, from, given_bytes(self));
    if (self->photometric == PHOTOMETRIC_CIELAB || self->photometric == PHOTOMETRIC_ICCLAB)
        tiff_lab(row, width, self->photometric, self->bits,
                 given_bytes(self) / width / (self->bits / 8u));
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct tiff *self = (struct tiff *)stage;
    size_t bytes = self->row_bytes;
    ro_status status = RO_OK;
    if (self->way == SCANLINE) {
        size_t scanline = (size_t)TIFFScanlineSize64(self->file.tiff);
        bytes = scanline > bytes ? scanline : bytes;
    }
    bool direct = bytes == given_bytes(self) && self->bits % 8 == 0 && self->way != BAND;
    if (!direct && self->way != BAND)
        status = allocate(&self->line, self, bytes);
    if (status == RO_OK && self->bits < 8)
        status = allocate(&self->indices, self, (size_t)self->samples * stage->info.width);
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride) {
        uint8_t *from = direct ? rows : self->line;
        status = file_row(self, &from);
        if (status == RO_OK && self->bits < 8)
            convert_small(self, rows, from);
        else if (status == RO_OK && is_odd(self))
            convert_odd(self, (uint16_t *)(void *)rows, from);
        else if (status == RO_OK)
            convert_row(self, rows, from);
    }
    return status;
}

/* Rows of a compressed strip are found from its beginning only. */
static ro_status seek_row(struct row_stage *stage, uint32_t row)
{
    struct tiff *self = (struct tiff *)stage;
    const uint32_t first = row - row % self->chunk_height;
    ro_status status = RO_OK;
    if (self->way == PLAIN) {
        self->row = row;
    } else if (self->way == SCANLINE) {
        size_t bytes = (size_t)TIFFScanlineSize64(self->file.tiff);
        status = allocate(&self->line, self, bytes > self->row_bytes ? bytes : self->row_bytes);
        if (self->row > row || self->row < first)
            self->row = first;
        for (uint8_t *to = self->line; self->row < row && status == RO_OK;)
            status = file_row(self, &to);
    } else {
        self->row = first; /* a band is made from its first row on */
        if (row >= self->band_at + self->band_rows || row < self->band_at || !self->band)
            status = fill_band(self);
        self->row = row;
    }
    return status;
}

/* ---- Opening ------------------------------------------------------------------------------ */

static void free_buffers(struct tiff *self)
{
    uint8_t **const buffers[] = {&self->line, &self->band, &self->chunk, &self->indices};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        free(*buffers[i]);
        *buffers[i] = NULL;
    }
    self->row = self->band_at = self->band_rows = 0;
}

static void close_reader(struct row_stage *stage)
{
    struct tiff *self = (struct tiff *)stage;
    tiff_close(&self->file);
    tiff_pages_free(&self->pages);
    profile_free(stage);
    ycbcr_close(&self->ycbcr);
    free_buffers(self);
    free(self->description);
    free(self);
}

/* What the page of the current directory holds. */
/* ImageJ writes a stack above 4 GB as one page that says how many there are; their rows follow. */
static ro_status find_pages_behind(struct tiff *self)
{
    const char *text = NULL, *line;
    const ro_file_info *info = &self->stage.info;
    if (self->pages.count != 1 || self->way != PLAIN || TIFFNumberOfStrips(self->file.tiff) != 1 ||
        !TIFFGetField(self->file.tiff, TIFFTAG_IMAGEDESCRIPTION, &text) || !text ||
        strncmp(text, "ImageJ=", 7) != 0 || !(line = strstr(text, "\nimages=")))
        return RO_OK;
    const unsigned long pages = strtoul(line + 8, NULL, 10);
    const uint64_t start = TIFFGetStrileOffset(self->file.tiff, 0), end = self->file.source->size;
    size_t page, all;
    if (pages < 2 || pages > INT32_MAX)
        return RO_OK;
    if (!size_multiply(self->row_bytes, info->height, &page) || !size_multiply(page, pages, &all) ||
        start > end || all > end - start)
        return file_fail(self->stage.file, RO_E_FORMAT,
                         "the file ends early: it does not hold the %lu pages that it names",
                         pages);
    self->stage.info.pages = (unsigned)pages;
    self->stage.stack = self->one_behind = true;
    return RO_OK;
}

static ro_status open_page(struct tiff *self, unsigned page)
{
    ro_file_info *info = &self->stage.info;
    ro_status status = tiff_open(&self->file, false);
    if (status == RO_OK)
        status = tiff_pages_find(&self->pages, self->file.source);
    if (status != RO_OK)
        return status;
    info->pages = self->pages.count;
    self->stage.stack = self->pages.alike;
    self->page = page - 1;
    tiff_description(self);
    if (page > 1 && page <= info->pages)
        status = tiff_go(&self->file, self->pages.offsets[page - 1]);
    if (status != RO_OK)
        return status;
    status = tiff_layout(self); /* of the first, where there is no such page: the reader says so */
    return status == RO_OK ? find_pages_behind(self) : status;
}

static ro_status next_page(struct row_stage *stage)
{
    struct tiff *self = (struct tiff *)stage;
    self->page++;
    self->row = 0;
    if (self->one_behind)
        return RO_OK;
    free_buffers(self);
    const ro_status status = tiff_go(&self->file, self->pages.offsets[self->page]);
    return status == RO_OK ? tiff_layout(self) : status;
}

ro_status tiff_decode(struct byte_source *source, unsigned page, struct row_stage **stage)
{
    struct tiff *self = calloc(1, sizeof *self);
    if (!self)
        return file_no_memory(source->file, sizeof *self);
    self->stage = (struct row_stage){.file = source->file,
                                     .rows = read_rows,
                                     .seek = seek_row,
                                     .close = close_reader,
                                     .next = next_page};
    self->file = (struct tiff_file){.file = source->file, .source = source};
    ro_status status = open_page(self, page);
    return stage_opened(&self->stage, status, stage);
}
