/* SPDX-License-Identifier: MIT */
/*
 * TIFF out: bits with white being 0, as fax machines have it, by default packed as CCITT G4, all
 * else deflated; palettes as 8-bit numbers and inks as a bit each; a page after another. A
 * file that could outgrow 4 GB is a BigTIFF from its start.
 */
#include "io/filters/convert.h"
#include "io/filters/samples.h"
#include "io/filters/stage.h"
#include "io/formats/tiff/tiff_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRIP_BYTES = 1 << 18,
    GROWTH = 5, /* fine patterns take more bits as G4 than as bits, less than this */
};

static const uint64_t largest_classic = UINT64_C(3900000000);

struct tiff_encoder {
    struct row_encoder encoder; /* first, so that an encoder can be cast back */
    struct tiff_file file;
    ro_file_info info;
    size_t row_bytes;
    uint16_t compression;
    uint32_t row;  /* of the page */
    bool later;    /* not the first page */
    uint8_t *line; /* libtiff changes the rows it is given */
};

static int inks_of(const ro_file_info *info) { return info->ink_list ? info->ink_count : 4; }

/* As many bits a pixel as there are inks. */
static void pack_inks(uint8_t *to, const uint8_t *inks, uint32_t width, int count)
{
    uint32_t bits = 0;
    int held = 0;
    for (size_t x = 0; x < width; x++) {
        bits = bits << count | (inks[x] & ((1u << count) - 1));
        for (held += count; held >= 8; held -= 8)
            *to++ = (uint8_t)(bits >> (held - 8));
    }
    if (held > 0)
        *to = (uint8_t)(bits << (8 - held));
}

/* Inks of any colour, with their names. */
static void set_inks(TIFF *tiff, const ro_file_info *info)
{
    char names[RO_INKS_MOST * 80];
    size_t size = 0;
    TIFFSetField(tiff, TIFFTAG_INKSET, info->ink_list ? INKSET_MULTIINK : INKSET_CMYK);
    if (!info->ink_list)
        return;
    TIFFSetField(tiff, TIFFTAG_NUMBEROFINKS, info->ink_count);
    for (int i = 0; i < info->ink_count && size + 80 < sizeof names; i++) {
        const char *name = info->ink_list[i].name ? info->ink_list[i].name : "ink";
        size += (size_t)snprintf(names + size, 72, "%s", name) + 1;
    }
    TIFFSetField(tiff, TIFFTAG_INKNAMES, size, names);
}

static void set_palette(TIFF *tiff, const ro_palette *palette)
{
    uint16_t map[3][256] = {{0}};
    for (int i = 0; i < palette->count; i++)
        for (int c = 0; c < 3; c++)
            map[c][i] = (uint16_t)(257 * palette->colours[i][c]);
    TIFFSetField(tiff, TIFFTAG_COLORMAP, map[0], map[1], map[2]);
}

/* What is said once for all pages, and as ImageJ has it the size of pixels. */
static void set_description(struct tiff_encoder *self)
{
    TIFF *tiff = self->file.tiff;
    const ro_file_info *info = &self->info;
    const unsigned pages = info->stack ? info->stack : 1;
    char text[160];
    if (!(info->dpi_x > 0) && info->spacing[0] > 0 && info->spacing[1] > 0) {
        TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE);
        TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 1 / info->spacing[0]);
        TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 1 / info->spacing[1]);
    }
    if (self->later)
        return;
    self->later = true;
    if (info->description) {
        TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, info->description);
    } else if (!(info->dpi_x > 0) && info->spacing[0] > 0) {
        snprintf(text, sizeof text, "ImageJ=1.11a\nimages=%u\nslices=%u\nunit=%s\nspacing=%.17g\n",
                 pages, pages, info->unit[0] ? info->unit : "pixel",
                 info->spacing[2] > 0 ? info->spacing[2] : 1);
        TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, text);
    }
}

static void set_tags(struct tiff_encoder *self)
{
    TIFF *tiff = self->file.tiff;
    const ro_file_info *info = &self->info;
    int channels = info->inks ? inks_of(info) : channels_of(info->format);
    bool bits = info->format == RO_BITS;
    bool real = info->format == RO_GREYF || info->format == RO_RGBF;
    const bool plain = info->sample == RO_SAMPLE_PLAIN;
    size_t sample = bits    ? 0
                    : plain ? ro_format_row_bytes(info->format, 1) / (size_t)channels
                            : bytes_of_sample(info->sample);
    if (!plain)
        real = !sample_is_whole(info->sample);
    const bool negative = !plain && !real && *sample_name(info->sample) == 'i';
    size_t strip = STRIP_BYTES / self->row_bytes;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, info->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, info->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits || info->inks ? 1 : (int)(8 * sample));
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, channels);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT,
                 real       ? SAMPLEFORMAT_IEEEFP
                 : negative ? SAMPLEFORMAT_INT
                            : SAMPLEFORMAT_UINT);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
                 bits            ? PHOTOMETRIC_MINISWHITE
                 : info->inks    ? PHOTOMETRIC_SEPARATED
                 : info->palette ? PHOTOMETRIC_PALETTE
                 : channels == 3 ? PHOTOMETRIC_RGB
                                 : PHOTOMETRIC_MINISBLACK);
    if (info->inks)
        set_inks(tiff, info);
    else if (info->palette)
        set_palette(tiff, info->palette);
    if (info->with_alpha) {
        const uint16_t kind = EXTRASAMPLE_UNASSALPHA;
        TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, channels + 1);
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
    }
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, self->compression);
    /* Floats have no predictor: many programs that read TIFF do not know the one there is. */
    if (!bits && !info->inks && !info->palette && !real && sample <= 4 &&
        tiff_predicts(self->compression))
        TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP,
                 strip < 8              ? 8
                 : strip < info->height ? (uint32_t)strip
                                        : info->height);
    if (info->dpi_x > 0) {
        TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
        TIFFSetField(tiff, TIFFTAG_XRESOLUTION, info->dpi_x);
        TIFFSetField(tiff, TIFFTAG_YRESOLUTION, info->dpi_y);
    }
    set_description(self);
}

static ro_status next_page(struct tiff_encoder *self)
{
    self->row = 0;
    if (!TIFFWriteDirectory(self->file.tiff))
        return tiff_failed(&self->file);
    set_tags(self);
    return tiff_check(&self->file);
}

static ro_status write_rows(struct row_encoder *encoder, const uint8_t *rows, ptrdiff_t stride,
                            uint32_t count)
{
    struct tiff_encoder *self = (struct tiff_encoder *)encoder;
    const ro_file_info *info = &self->info;
    for (uint32_t y = 0; y < count; y++, rows += stride) {
        ro_status status = self->row == info->height ? next_page(self) : RO_OK;
        if (status != RO_OK)
            return status;
        if (info->inks)
            pack_inks(self->line, rows, info->width, inks_of(info));
        else if (info->sample != RO_SAMPLE_PLAIN)
            samples_pack(info, self->line, rows,
                         (size_t)info->width * (size_t)channels_of(info->format));
        else if (info->format == RO_BITS)
            for (size_t i = 0; i < self->row_bytes; i++)
                self->line[i] = (uint8_t)~rows[i];
        else
            memcpy(self->line, rows, self->row_bytes);
        if (TIFFWriteScanline(self->file.tiff, self->line, self->row++, 0) < 0)
            return tiff_failed(&self->file);
    }
    return RO_OK;
}

static ro_status finish_writer(struct row_encoder *encoder)
{
    struct tiff_encoder *self = (struct tiff_encoder *)encoder;
    return TIFFWriteDirectory(self->file.tiff) ? RO_OK : tiff_failed(&self->file);
}

static uint32_t strip_rows(const struct row_encoder *encoder)
{
    uint32_t rows = 1;
    TIFFGetField(((const struct tiff_encoder *)encoder)->file.tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    return rows;
}

static ro_status strip_sizes(struct row_encoder *encoder, uint64_t *sizes)
{
    struct tiff_encoder *self = (struct tiff_encoder *)encoder;
    if (!TIFFFlushData(self->file.tiff))
        return tiff_failed(&self->file);
    for (uint32_t i = 0; i < TIFFNumberOfStrips(self->file.tiff); i++)
        sizes[i] = TIFFGetStrileByteCount(self->file.tiff, i);
    return RO_OK;
}

/* libtiff is given nothing of the right length for each strip. */
static ro_status take_sizes(struct row_encoder *encoder, const uint64_t *sizes)
{
    struct tiff_encoder *self = (struct tiff_encoder *)encoder;
    const uint32_t count = TIFFNumberOfStrips(self->file.tiff);
    uint64_t most = 1;
    for (uint32_t i = 0; i < count; i++)
        most = sizes[i] > most ? sizes[i] : most;
    uint8_t *nothing = most < SIZE_MAX / 2 ? calloc(1, (size_t)most) : NULL;
    ro_status status = nothing ? RO_OK : file_no_memory(self->file.file, most);
    for (uint32_t i = 0; i < count && status == RO_OK; i++)
        if (TIFFWriteRawStrip(self->file.tiff, i, nothing, (tmsize_t)sizes[i]) < 0)
            status = tiff_failed(&self->file);
    free(nothing);
    return status;
}

const struct packed_groups tiff_groups = {strip_rows, strip_sizes, take_sizes};

static void close_writer(struct row_encoder *encoder)
{
    struct tiff_encoder *self = (struct tiff_encoder *)encoder;
    /* Closing would write a directory, of whatever is there of it after a failure: libtiff crashes.
     */
    if (self->file.tiff)
        (void)TIFFSetMode(self->file.tiff, O_RDONLY);
    tiff_close(&self->file);
    free(self->line);
    free(self);
}

ro_status tiff_encode(struct byte_sink *sink, const ro_file_info *info,
                      const ro_write_options *options, struct row_encoder **encoder)
{
    struct tiff_encoder *self = calloc(1, sizeof *self);
    if (!self)
        return file_no_memory(sink->file, sizeof *self);
    self->encoder =
        (struct row_encoder){.rows = write_rows, .finish = finish_writer, .close = close_writer};
    self->file = (struct tiff_file){.file = sink->file, .sink = sink};
    self->info = *info;
    self->row_bytes = ro_format_row_bytes(info->format, info->width);
    if (info->sample != RO_SAMPLE_PLAIN)
        self->row_bytes =
            (size_t)info->width * (size_t)channels_of(info->format) * bytes_of_sample(info->sample);
    if (info->with_alpha)
        self->row_bytes += self->row_bytes / (size_t)channels_of(info->format);
    *encoder = &self->encoder;
    self->line = malloc(self->row_bytes);
    if (!self->line)
        return file_no_memory(sink->file, self->row_bytes);
    ro_status status = tiff_compression(sink->file, options->compression, info->format == RO_BITS,
                                        &self->compression);
    if (status != RO_OK)
        return status;
    uint64_t most = (uint64_t)self->row_bytes * info->height * (info->stack ? info->stack : 1);
    if (self->compression != COMPRESSION_NONE && info->format == RO_BITS)
        most *= GROWTH;
    status = tiff_open(&self->file, most > largest_classic);
    if (status != RO_OK)
        return status;
    set_tags(self);
    return tiff_check(&self->file);
}
