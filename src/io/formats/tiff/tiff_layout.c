/* SPDX-License-Identifier: MIT */
/* What the tags of a page of a TIFF file say. */
#include "io/formats/tiff/tiff_layout.h"

#include "core/checked.h"
#include "io/filters/samples.h"
#include "io/formats/tiff/tiff_profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ro_status unsupported(struct tiff *self, const char *what, unsigned value)
{
    return file_fail(self->stage.file, RO_E_UNSUPPORTED, "a TIFF file with %s %u cannot be read",
                     what, value);
}

/* ---- What the file holds ------------------------------------------------------------------ */

static ro_status no_palette(struct tiff *self)
{
    return file_fail(self->stage.file, RO_E_FORMAT,
                     "not a proper TIFF file: its palette is missing");
}

static ro_status read_palette(struct tiff *self)
{
    uint16_t *map[3];
    unsigned colours = 1u << self->bits, shift = 0;
    if (!TIFFGetField(self->file.tiff, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2]))
        return no_palette(self);
    for (unsigned i = 0; i < colours; i++) /* some programs write 8 bits where 16 should be */
        for (int c = 0; c < 3; c++)
            if (map[c][i] > 255)
                shift = 8;
    for (unsigned i = 0; i < colours; i++)
        for (int c = 0; c < 3; c++)
            self->palette.rgb[i][c] = (uint8_t)(map[c][i] >> shift);
    colour_map_finish(&self->palette, colours);
    return RO_OK;
}

/* How many channels make the colour; those behind them may hold alpha. */
static ro_status read_channels(struct tiff *self)
{
    TIFF *tiff = self->file.tiff;
    uint16_t extra_count = 0, *extra = NULL;
    ro_status status = RO_OK;
    ycbcr_close(&self->ycbcr);
    switch (self->photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_PALETTE:
        self->channels = 1;
        break;
    case PHOTOMETRIC_YCBCR:
        self->channels = 3;
        if (self->compression == COMPRESSION_JPEG && self->planar == PLANARCONFIG_CONTIG) {
            TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
            break;
        }
        if (self->bits != 8 || self->samples != 3)
            return unsupported(self, "YCbCr of bits", self->bits);
        status = ycbcr_open(&self->ycbcr, &self->file, self->planar == PLANARCONFIG_SEPARATE);
        break;
    case PHOTOMETRIC_RGB:
        self->channels = 3;
        break;
    case PHOTOMETRIC_SEPARATED:
        if (self->bits != 8 && self->bits != 16 && self->bits != 1)
            return unsupported(self, "CMYK of bits", self->bits);
        self->channels = 4;
        break;
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
        if (self->bits != 8 && self->bits != 16)
            return unsupported(self, "Lab of bits", self->bits);
        self->channels = 3;
        status = profile_take_lab(&self->stage);
        break;
    default:
        return unsupported(self, "colours of kind", self->photometric);
    }
    if (status != RO_OK)
        return status;
    if (self->samples < self->channels)
        return file_fail(self->stage.file, RO_E_FORMAT,
                         "not a proper TIFF file: %u channels where %d are needed", self->samples,
                         self->channels);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extra_count, &extra);
    if (extra_count > 0 && self->samples > self->channels && self->channels != 4 && !self->real &&
        !self->stage.raw && !is_odd(self))
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

/* The kind of colours of a file that does not state it, as libtiff has it: faxes are black on
 * white, and a set of inks means CMYK. */
static uint16_t usual_photometric(const struct tiff *self)
{
    uint16_t inks;
    switch (self->compression) {
    case COMPRESSION_CCITTRLE:
    case COMPRESSION_CCITTRLEW:
    case COMPRESSION_CCITTFAX3:
    case COMPRESSION_CCITTFAX4:
        return PHOTOMETRIC_MINISWHITE;
    default:
        break;
    }
    if (self->samples >= 4 && TIFFGetField(self->file.tiff, TIFFTAG_INKSET, &inks))
        return PHOTOMETRIC_SEPARATED;
    return self->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
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
        self->photometric = usual_photometric(self);
    if (self->samples == 1)
        self->planar = PLANARCONFIG_CONTIG;
    if (self->photometric == PHOTOMETRIC_CIELAB)
        sample_format = SAMPLEFORMAT_UINT; /* a and b have a sign, whatever the tag says */
    if (sample_format == SAMPLEFORMAT_COMPLEXINT || sample_format == SAMPLEFORMAT_COMPLEXIEEEFP)
        return file_fail(self->stage.file, RO_E_UNSUPPORTED,
                         "complex numbers where real ones are wanted");
    if (sample_format != SAMPLEFORMAT_UINT && sample_format != SAMPLEFORMAT_VOID &&
        sample_format != SAMPLEFORMAT_INT && sample_format != SAMPLEFORMAT_IEEEFP)
        return unsupported(self, "samples of format", sample_format);
    self->real = sample_format == SAMPLEFORMAT_IEEEFP;
    bool palette = self->photometric == PHOTOMETRIC_PALETTE;
    if (self->file.no_palette)
        return no_palette(self);
    bool small = self->bits == 1 || self->bits == 2 || self->bits == 4;
    bool odd = is_odd(self) && self->planar == PLANARCONFIG_CONTIG;
    info->sample = sample_type_of(self->real                          ? 'f'
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
    if (is_odd(self) && self->planar == PLANARCONFIG_SEPARATE)
        return unsupported(self, "channels in separate planes and samples of bits", self->bits);
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
        info->format = colour ? RO_RGBF : RO_GREYF;
    else if (self->bits == 16 || odd)
        info->format = colour ? RO_RGB16 : RO_GREY16;
    else
        info->format = colour ? RO_RGB8 : RO_GREY8;
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
        return file_fail(self->stage.file, RO_E_FORMAT,
                         "not a proper TIFF file: empty tiles or strips");
    if (!size_multiply(info->width, (size_t)self->bits * self->samples, &bits))
        return file_too_large(self->stage.file, info->width, info->height);
    self->row_bytes = bits / 8 + (bits % 8 != 0);

    uint16_t fill_order;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_FILLORDER, &fill_order);
    if (self->tiled || self->planar == PLANARCONFIG_SEPARATE || self->ycbcr.convert)
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
void tiff_description(struct tiff *self)
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

/* Whether a tag about colours asks for nothing: a profile tells more, or it says what sRGB is. */
static bool says_nothing(TIFF *tiff, uint32_t tag)
{
    static const float white[] = {0.3127f, 0.329f};
    static const float primaries[] = {0.64f, 0.33f, 0.3f, 0.6f, 0.15f, 0.06f};
    uint32_t size = 0;
    const void *profile = NULL;
    const float *own = NULL;
    if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &size, &profile) && profile)
        return true;
    const bool is_white = tag == TIFFTAG_WHITEPOINT;
    if ((!is_white && tag != TIFFTAG_PRIMARYCHROMATICITIES) || !TIFFGetField(tiff, tag, &own) ||
        !own)
        return false;
    for (int i = 0; i < (is_white ? 2 : 6); i++)
        if (!(fabsf(own[i] - (is_white ? white : primaries)[i]) < 0.001f))
            return false;
    return true;
}

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
    struct open_file *file = self->stage.file;
    uint32_t size = 0;
    void *bytes = NULL;
    if (tag == TIFFTAG_ICCPROFILE) {
        if (TIFFGetField(self->file.tiff, tag, &size, &bytes) && bytes)
            tiff_profile(&self->stage, bytes, size, self->photometric, self->bits);
        return;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (tag == known[i].tag) {
            if (known[i].what != RO_DROPPED_GAMMA || !says_nothing(self->file.tiff, tag))
                file_drop(file, known[i].what, "%s", known[i].words);
            return;
        }
    if (tag >= FIRST_PRIVATE)
        file_drop(file, RO_DROPPED_METADATA, "data of unknown kinds");
}

/* Tags that are no part of the picture, and channels that no picture of ours has. */
static void note_dropped(struct tiff *self)
{
    TIFF *tiff = self->file.tiff;
    const int used = self->channels + (self->stage.alpha != RO_NO_ALPHA),
              more = self->samples - used;
    uint16_t *curves[3];
    if (more > 0)
        file_drop(self->stage.file, RO_DROPPED_CHANNELS, "%d further channel%s", more,
                  more > 1 ? "s" : "");
    for (int i = 0; i < TIFFGetTagListCount(tiff); i++)
        note_tag(self, TIFFGetTagListEntry(tiff, i));
    if (TIFFGetField(tiff, TIFFTAG_TRANSFERFUNCTION, &curves[0], &curves[1], &curves[2]))
        note_tag(self, TIFFTAG_TRANSFERFUNCTION);
}

/* ---- A page ------------------------------------------------------------------------------- */

ro_status tiff_layout(struct tiff *self)
{
    TIFF *tiff = self->file.tiff;
    ro_file_info *info = &self->stage.info;
    info->width = info->height = 0;
    self->stage.alpha = RO_NO_ALPHA;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &info->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &info->height);
    ro_status status = stage_check_size(self->stage.file, info->width, info->height);
    if (status == RO_OK)
        status = read_format(self);
    if (status == RO_OK)
        status = read_layout(self);
    if (status == RO_OK)
        read_resolution(self);
    if (status == RO_OK)
        note_dropped(self);
    if (status == RO_OK && self->file.no_memory)
        status = tiff_failed(&self->file);
    self->file.text[0] = '\0'; /* complaints about tags that do not matter */
    return status;
}
