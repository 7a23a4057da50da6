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
#include "io/formats/tiff_file.h"
#include "io/formats/tiff_pages.h"
#include "io/formats/tiff_profile.h"
#include "io/stages/convert.h"
#include "io/stages/samples.h"
#include "io/stages/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_CHUNK = 1 << 30 };

enum way { PLAIN, SCANLINE, BAND };

struct tiff {
    struct ro_stage stage; /* first, so that a stage can be cast back */
    struct ro_tiff file;
    uint16_t bits, samples, photometric, planar, compression;
    bool real;    /* floating point */
    int channels; /* that count, alpha not among them */
    enum way way;
    bool tiled;
    uint32_t chunk_width, chunk_height; /* a tile, or a strip of the whole width */
    struct ro_colour_map palette;
    size_t row_bytes;            /* of the file, channels together */
    uint8_t *line;               /* such a row */
    uint8_t *band;               /* chunk_height of them */
    uint8_t *chunk;              /* one tile or strip as libtiff gives it */
    uint8_t *indices;            /* a row of a small palette, a byte each */
    uint32_t band_at, band_rows; /* which rows the band holds */
    uint32_t row;
    struct ro_tiff_pages pages;
    unsigned page;   /* from 0 */
    bool one_behind; /* pages lie one behind another, and only the first has a directory */
    char *description;
};

static ro_status unsupported(struct tiff *self, const char *what, unsigned value)
{
    return ro_file_fail(self->stage.file, RO_E_UNSUPPORTED, "a TIFF file with %s %u cannot be read",
                        what, value);
}

/* Samples of 9 to 15 bits, packed without gaps but for the end of a row. */
static bool is_odd(const struct tiff *self) { return self->bits > 8 && self->bits < 16; }

/* ---- What the file holds ------------------------------------------------------------------ */

static ro_status read_palette(struct tiff *self)
{
    uint16_t *map[3];
    unsigned colours = 1u << self->bits, shift = 0;
    if (!TIFFGetField(self->file.tiff, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2]))
        return ro_file_fail(self->stage.file, RO_E_FORMAT,
                            "not a proper TIFF file: its palette is missing");
    for (unsigned i = 0; i < colours; i++) /* some programs write 8 bits where 16 should be */
        for (int c = 0; c < 3; c++)
            if (map[c][i] > 255)
                shift = 8;
    for (unsigned i = 0; i < colours; i++)
        for (int c = 0; c < 3; c++)
            self->palette.rgb[i][c] = (uint8_t)(map[c][i] >> shift);
    ro_colour_map_finish(&self->palette, colours);
    return RO_OK;
}

/* How many channels make the colour; those behind them may hold alpha. */
static ro_status read_channels(struct tiff *self)
{
    TIFF *tiff = self->file.tiff;
    uint16_t extra_count = 0, *extra = NULL;
    switch (self->photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_PALETTE:
        self->channels = 1;
        break;
    case PHOTOMETRIC_YCBCR:
        if (self->compression != COMPRESSION_JPEG || self->planar != PLANARCONFIG_CONTIG)
            return unsupported(self, "YCbCr colours and compression", self->compression);
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        self->channels = 3;
        break;
    case PHOTOMETRIC_RGB:
        self->channels = 3;
        break;
    case PHOTOMETRIC_SEPARATED:
        if (self->bits != 8 && self->bits != 1)
            return unsupported(self, "CMYK of bits", self->bits);
        self->channels = 4;
        break;
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
        if (self->bits != 8 && self->bits != 16)
            return unsupported(self, "Lab of bits", self->bits);
        self->channels = 3;
        ro_status status = ro_profile_take_lab(&self->stage);
        if (status != RO_OK)
            return status;
        break;
    default:
        return unsupported(self, "colours of kind", self->photometric);
    }
    if (self->samples < self->channels)
        return ro_file_fail(self->stage.file, RO_E_FORMAT,
                            "not a proper TIFF file: %u channels where %d are needed",
                            self->samples, self->channels);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extra_count, &extra);
    if (extra_count > 0 && self->samples > self->channels && self->channels != 4 && !self->real &&
        !self->stage.raw && !is_odd(self) && self->photometric != PHOTOMETRIC_PALETTE)
        self->stage.alpha = extra[0] == EXTRASAMPLE_ASSOCALPHA   ? RO_MULTIPLIED_ALPHA
                            : extra[0] == EXTRASAMPLE_UNASSALPHA ? RO_STRAIGHT_ALPHA
                                                                 : RO_NO_ALPHA;
    return RO_OK;
}

/* Four inks, of a bit each as --separate cmyk-tiff writes them, or of 8. */
static bool is_inked(const struct tiff *self)
{
    return self->photometric == PHOTOMETRIC_SEPARATED && self->samples == 4 &&
           self->planar == PLANARCONFIG_CONTIG;
}

static ro_status read_format(struct tiff *self)
{
    TIFF *tiff = self->file.tiff;
    uint16_t sample_format;
    ro_file_info *info = &self->stage.info;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &self->bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &self->samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &self->planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &self->compression);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &sample_format);
    if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &self->photometric))
        self->photometric = self->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    if (self->samples == 1)
        self->planar = PLANARCONFIG_CONTIG;
    if (self->photometric == PHOTOMETRIC_CIELAB)
        sample_format = SAMPLEFORMAT_UINT; /* a and b have a sign, whatever the tag says */
    if (sample_format == SAMPLEFORMAT_COMPLEXINT || sample_format == SAMPLEFORMAT_COMPLEXIEEEFP)
        return ro_file_fail(self->stage.file, RO_E_UNSUPPORTED,
                            "complex numbers where real ones are wanted");
    if (sample_format != SAMPLEFORMAT_UINT && sample_format != SAMPLEFORMAT_VOID &&
        sample_format != SAMPLEFORMAT_INT && sample_format != SAMPLEFORMAT_IEEEFP)
        return unsupported(self, "samples of format", sample_format);
    self->real = sample_format == SAMPLEFORMAT_IEEEFP;
    bool palette = self->photometric == PHOTOMETRIC_PALETTE;
    bool small = self->bits == 1 || self->bits == 2 || self->bits == 4;
    bool odd = is_odd(self) && self->planar == PLANARCONFIG_CONTIG;
    info->sample = ro_sample_of(self->real                          ? 'f'
                                : sample_format == SAMPLEFORMAT_INT ? 'i'
                                                                    : 'u',
                                self->bits % 8 ? 0 : self->bits / 8);
    self->stage.raw = info->sample != RO_SAMPLE_PLAIN;
    bool known = self->stage.raw ? !palette
                 : self->real    ? self->bits == 32 && !palette
                                 : (small && self->samples == 1) || self->bits == 8 ||
                                    (self->bits == 1 && is_inked(self)) ||
                                    ((self->bits == 16 || odd) && !palette);
    if (sample_format == SAMPLEFORMAT_INT && !self->stage.raw)
        known = false;
    if (!known)
        return unsupported(self, self->real ? "floating point samples of bits" : "samples of bits",
                           self->bits);
    ro_status status = read_channels(self);
    if (status == RO_OK && palette)
        status = read_palette(self);
    if (status != RO_OK)
        return status;
    bool colour = palette ? !self->palette.grey : self->channels >= 3;
    if (self->real)
        info->format = colour ? RO_RGBF : RO_GRAYF;
    else if (self->bits == 16 || odd)
        info->format = colour ? RO_RGB16 : RO_GRAY16;
    else
        info->format = colour ? RO_RGB8 : RO_GRAY8;
    if (self->stage.raw && self->channels == 4)
        return unsupported(self, "CMYK of bits", self->bits);
    if (odd)
        info->sample = RO_SAMPLE_UINT16;
    info->maxval = self->real                                      ? 1
                   : self->bits == 16                              ? 65535
                   : (small || odd) && !palette && !is_inked(self) ? (1u << self->bits) - 1
                                                                   : 255;
    return RO_OK;
}

static ro_status read_layout(struct tiff *self)
{
    TIFF *tiff = self->file.tiff;
    const ro_file_info *info = &self->stage.info;
    size_t bits;
    self->tiled = TIFFIsTiled(tiff);
    self->chunk_width = info->width;
    if (self->tiled) {
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &self->chunk_width);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &self->chunk_height);
    } else {
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &self->chunk_height);
        if (self->chunk_height > info->height)
            self->chunk_height = info->height;
    }
    if (self->chunk_width == 0 || self->chunk_height == 0)
        return ro_file_fail(self->stage.file, RO_E_FORMAT,
                            "not a proper TIFF file: empty tiles or strips");
    if (!ro_size_multiply(info->width, (size_t)self->bits * self->samples, &bits))
        return ro_file_too_large(self->stage.file, info->width, info->height);
    self->row_bytes = bits / 8 + (bits % 8 != 0);

    uint16_t fill_order;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_FILLORDER, &fill_order);
    if (self->tiled || self->planar == PLANARCONFIG_SEPARATE)
        self->way = BAND;
    else if (self->compression == COMPRESSION_NONE && fill_order == FILLORDER_MSB2LSB)
        self->way = PLAIN;
    else
        self->way = SCANLINE;
    if (self->way == BAND && (size_t)self->chunk_width * self->bits % 8 != 0 && self->tiled)
        return unsupported(self, "tiles of width", self->chunk_width);
    return RO_OK;
}

static void read_resolution(struct tiff *self)
{
    TIFF *tiff = self->file.tiff;
    float x = 0, y = 0;
    uint16_t unit = RESUNIT_INCH, orientation = ORIENTATION_TOPLEFT;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
    if (TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x) &&
        TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y) && unit != RESUNIT_NONE && x > 0 && y > 0) {
        double scale = unit == RESUNIT_CENTIMETER ? 2.54 : 1;
        self->stage.info.dpi_x = x * scale;
        self->stage.info.dpi_y = y * scale;
    }
    self->stage.orientation = orientation;
}

/* The first page has it for all. ImageJ gives pixels per unit and says in the description what the
 * unit is. */
static void read_description(struct tiff *self)
{
    TIFF *tiff = self->file.tiff;
    ro_file_info *info = &self->stage.info;
    const char *text = NULL, *line;
    uint16_t unit = RESUNIT_INCH;
    float x = 0, y = 0;
    if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) && text && *text)
        info->description = self->description = strdup(text); /* libtiff frees it with the page */
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (unit != RESUNIT_NONE || !info->description ||
        strncmp(info->description, "ImageJ=", 7) != 0 ||
        !TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x) ||
        !TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y) || !(x > 0) || !(y > 0))
        return;
    info->spacing[0] = 1 / (double)x;
    info->spacing[1] = 1 / (double)y;
    if ((line = strstr(info->description, "\nspacing=")))
        info->spacing[2] = fmax(0, strtod(line + 9, NULL));
    if ((line = strstr(info->description, "\nunit=")))
        snprintf(info->unit, sizeof info->unit, "%.*s", (int)strcspn(line + 6, "\n"), line + 6);
    if (strcmp(info->unit, "micron") == 0)
        strcpy(info->unit, "um");
}

/* ---- What is dropped ---------------------------------------------------------------------- */

static void note_tag(struct tiff *self, uint32_t tag)
{
    enum { FIRST_PRIVATE = 32768 };
    static const struct {
        uint32_t tag;
        unsigned what;
        const char *words;
    } known[] = {
        {TIFFTAG_XMLPACKET, RO_DROPPED_METADATA, "XMP data"},
        {TIFFTAG_RICHTIFFIPTC, RO_DROPPED_METADATA, "IPTC data"},
        {TIFFTAG_PHOTOSHOP, RO_DROPPED_METADATA, "Photoshop data"},
        {TIFFTAG_EXIFIFD, RO_DROPPED_METADATA, "EXIF data"},
        {TIFFTAG_GPSIFD, RO_DROPPED_METADATA, "EXIF data"},
        {TIFFTAG_ARTIST, RO_DROPPED_METADATA, "text"},
        {TIFFTAG_COPYRIGHT, RO_DROPPED_METADATA, "text"},
        {TIFFTAG_SOFTWARE, RO_DROPPED_METADATA, "text"},
        {TIFFTAG_DATETIME, RO_DROPPED_METADATA, "its date"},
        {TIFFTAG_MAKE, RO_DROPPED_METADATA, "text"},
        {TIFFTAG_MODEL, RO_DROPPED_METADATA, "text"},
        {TIFFTAG_HOSTCOMPUTER, RO_DROPPED_METADATA, "text"},
        {TIFFTAG_DOCUMENTNAME, RO_DROPPED_METADATA, "text"},
        {TIFFTAG_PAGENAME, RO_DROPPED_METADATA, "text"},
        {TIFFTAG_WHITEPOINT, RO_DROPPED_GAMMA, "its primaries (taken as sRGB's)"},
        {TIFFTAG_PRIMARYCHROMATICITIES, RO_DROPPED_GAMMA, "its primaries (taken as sRGB's)"},
        {TIFFTAG_TRANSFERFUNCTION, RO_DROPPED_GAMMA, "its transfer function (taken as sRGB's)"},
    };
    struct ro_file *file = self->stage.file;
    uint32_t size = 0;
    void *bytes = NULL;
    if (tag == TIFFTAG_ICCPROFILE) {
        if (TIFFGetField(self->file.tiff, tag, &size, &bytes) && bytes)
            ro_tiff_profile(&self->stage, bytes, size, self->photometric, self->bits);
        return;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (tag == known[i].tag) {
            ro_file_drop(file, known[i].what, "%s", known[i].words);
            return;
        }
    if (tag >= FIRST_PRIVATE)
        ro_file_drop(file, RO_DROPPED_METADATA, "data of unknown kinds");
}

/* Tags that are no part of the picture, and channels that no picture of ours has. */
static void note_dropped(struct tiff *self)
{
    TIFF *tiff = self->file.tiff;
    const int used = self->channels + (self->stage.alpha != RO_NO_ALPHA),
              more = self->samples - used;
    uint16_t *curves[3];
    if (more > 0)
        ro_file_drop(self->stage.file, RO_DROPPED_CHANNELS, "%d further channel%s", more,
                     more > 1 ? "s" : "");
    for (int i = 0; i < TIFFGetTagListCount(tiff); i++)
        note_tag(self, TIFFGetTagListEntry(tiff, i));
    if (TIFFGetField(tiff, TIFFTAG_TRANSFERFUNCTION, &curves[0], &curves[1], &curves[2]))
        note_tag(self, TIFFTAG_TRANSFERFUNCTION);
}

/* ---- Rows of the file --------------------------------------------------------------------- */

static ro_status allocate(uint8_t **buffer, struct tiff *self, size_t bytes)
{
    if (!*buffer && !(*buffer = calloc(1, bytes)))
        return ro_file_no_memory(self->stage.file, bytes);
    return RO_OK;
}

static ro_status plain_row(struct tiff *self, uint8_t *to)
{
    uint32_t strip = self->row / self->chunk_height, in_strip = self->row % self->chunk_height;
    uint64_t start = TIFFGetStrileOffset(self->file.tiff, strip), here;
    if (__builtin_add_overflow(start, (uint64_t)in_strip * self->row_bytes, &here) || start == 0)
        return ro_file_ends_early(self->stage.file);
    if (self->one_behind)
        here += (uint64_t)self->page * self->stage.info.height * self->row_bytes;
    ro_status status = ro_source_seek(self->file.source, here);
    if (status == RO_OK)
        status = ro_source_need(self->file.source, to, self->row_bytes);
    if (status == RO_OK && TIFFIsByteSwapped(self->file.tiff) && self->bits % 8 == 0)
        ro_sample_swap(to, self->bits / 8u, self->row_bytes / (self->bits / 8u));
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
    if (self->tiled)
        got = TIFFReadEncodedTile(tiff, TIFFComputeTile(tiff, x, y, 0, plane), self->chunk,
                                  (tmsize_t)bytes);
    else
        got = TIFFReadEncodedStrip(tiff, TIFFComputeStrip(tiff, y, plane), self->chunk,
                                   (tmsize_t)bytes);
    return got < 0 ? ro_tiff_failed(&self->file) : ro_tiff_check(&self->file);
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
    uint64_t least = ((uint64_t)self->chunk_width * self->bits *
                          (self->planar == PLANARCONFIG_SEPARATE ? 1u : self->samples) +
                      7) /
                     8 * self->chunk_height;
    if (chunk > LARGEST_CHUNK || chunk < least ||
        !ro_size_multiply(self->row_bytes, self->chunk_height, &band) || band > ro_memory_limit())
        return ro_file_fail(self->stage.file, RO_E_SIZE, "tiles or strips of %u x %u are too large",
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
        if (TIFFReadScanline(self->file.tiff, *to, self->row, 0) < 0)
            status = ro_tiff_failed(&self->file);
        else
            status = ro_tiff_check(&self->file);
    } else {
        if (self->row >= self->band_at + self->band_rows)
            status = fill_band(self);
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
        ro_unpack(self->indices, from, width, self->bits, 0);
        ro_colour_map_apply(&self->palette, row, self->indices, width);
    } else if (self->photometric == PHOTOMETRIC_SEPARATED) {
        for (size_t i = 0; i < 4 * (size_t)width; i++)
            self->indices[i] = from[i / 8] >> (7 - i % 8) & 1 ? 255 : 0;
        ro_cmyk_to_rgb(row, self->indices, width, false);
    } else {
        uint8_t all = (uint8_t)((1 << self->bits) - 1);
        ro_unpack(row, from, width, self->bits,
                  self->photometric == PHOTOMETRIC_MINISWHITE ? all : 0);
    }
}

/* Bytes of a row that is given. */
static size_t given_bytes(const struct tiff *self)
{
    return self->stage.raw
               ? (size_t)self->stage.info.width * (size_t)self->channels * (self->bits / 8u)
               : ro_stage_row_bytes(&self->stage);
}

static void convert_row(const struct tiff *self, uint8_t *row, uint8_t *from)
{
    uint32_t width = self->stage.info.width;
    pick_channels(self, from);
    if (self->photometric == PHOTOMETRIC_MINISWHITE && !self->stage.raw)
        invert(self, from);
    if (self->photometric == PHOTOMETRIC_PALETTE)
        ro_colour_map_apply(&self->palette, row, from, width);
    else if (self->photometric == PHOTOMETRIC_CIELAB)
        ro_tiff_lab(row, from, width, self->bits, given_bytes(self) / width / (self->bits / 8u));
    else if (self->photometric == PHOTOMETRIC_SEPARATED && self->stage.profile)
        memcpy(row, from, 4 * (size_t)width);
    else if (self->photometric == PHOTOMETRIC_SEPARATED)
        ro_cmyk_to_rgb(row, from, width, false);
    else if (row != from)
        memcpy(row, from, given_bytes(self));
}

static ro_status read_rows(struct ro_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
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
static ro_status seek_row(struct ro_stage *stage, uint32_t row)
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

static void close_reader(struct ro_stage *stage)
{
    struct tiff *self = (struct tiff *)stage;
    ro_tiff_close(&self->file);
    ro_tiff_pages_free(&self->pages);
    ro_profile_free(stage);
    free_buffers(self);
    free(self->description);
    free(self);
}

/* What the page of the current directory holds. */
static ro_status read_page(struct tiff *self)
{
    TIFF *tiff = self->file.tiff;
    ro_file_info *info = &self->stage.info;
    info->width = info->height = 0;
    self->stage.alpha = RO_NO_ALPHA;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &info->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &info->height);
    ro_status status = ro_stage_check_size(self->stage.file, info->width, info->height);
    if (status == RO_OK)
        status = read_format(self);
    if (status == RO_OK)
        status = read_layout(self);
    if (status == RO_OK)
        read_resolution(self);
    if (status == RO_OK)
        note_dropped(self);
    self->file.text[0] = '\0'; /* complaints about tags that do not matter */
    return status;
}

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
    if (!ro_size_multiply(self->row_bytes, info->height, &page) ||
        !ro_size_multiply(page, pages, &all) || start > end || all > end - start)
        return ro_file_fail(self->stage.file, RO_E_FORMAT,
                            "the file ends early: it does not hold the %lu pages that it names",
                            pages);
    self->stage.info.pages = (unsigned)pages;
    self->stage.stack = self->one_behind = true;
    return RO_OK;
}

static ro_status open_page(struct tiff *self, unsigned page)
{
    ro_file_info *info = &self->stage.info;
    ro_status status = ro_tiff_open(&self->file, false);
    if (status == RO_OK)
        status = ro_tiff_pages_find(&self->pages, self->file.source);
    if (status != RO_OK)
        return status;
    info->pages = self->pages.count;
    self->stage.stack = self->pages.alike;
    self->page = page - 1;
    read_description(self);
    if (page > 1 && page <= info->pages &&
        !TIFFSetSubDirectory(self->file.tiff, self->pages.offsets[page - 1]))
        return ro_tiff_failed(&self->file);
    status = read_page(self); /* of the first, where there is no such page: the reader says so */
    return status == RO_OK ? find_pages_behind(self) : status;
}

static ro_status next_page(struct ro_stage *stage)
{
    struct tiff *self = (struct tiff *)stage;
    self->page++;
    self->row = 0;
    if (self->one_behind)
        return RO_OK;
    const enum ro_row_alpha alpha = stage->alpha;
    free_buffers(self);
    if (!TIFFSetSubDirectory(self->file.tiff, self->pages.offsets[self->page]))
        return ro_tiff_failed(&self->file);
    ro_status status = read_page(self);
    if (status == RO_OK && stage->alpha != alpha)
        status = ro_file_fail(stage->file, RO_E_FORMAT, "page %u has alpha and others have not",
                              self->page + 1);
    return status;
}

ro_status ro_tiff_decode(struct ro_source *source, unsigned page, struct ro_stage **stage)
{
    struct tiff *self = calloc(1, sizeof *self);
    if (!self)
        return ro_file_no_memory(source->file, sizeof *self);
    self->stage = (struct ro_stage){.file = source->file,
                                    .rows = read_rows,
                                    .seek = seek_row,
                                    .close = close_reader,
                                    .next = next_page};
    self->file = (struct ro_tiff){.file = source->file, .source = source};
    ro_status status = open_page(self, page);
    if (status != RO_OK) {
        close_reader(&self->stage);
        return status;
    }
    *stage = &self->stage;
    return RO_OK;
}
