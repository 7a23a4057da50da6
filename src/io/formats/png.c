/* SPDX-License-Identifier: MIT */
/*
 * PNG by libpng. Rows stream through in both directions; an interlaced file is held whole, since
 * its first row is complete only at the end.
 *
 * libpng reports errors by longjmp. Each function below that calls into it sets the jump itself and
 * keeps no local variable across it; everything that must survive is in the struct.
 */
#include "io/bytes/lazy_rows.h"
#include "io/filters/convert.h"
#include "io/filters/profile.h"
#include "io/filters/stage.h"
#include "io/formats/exif.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFLATE_RATIO = 1040, /* deflate packs at best 1032 to one */
    LARGEST_CHUNK = 1 << 23,
    IDAT_BYTES = 1 << 16,
    FAST_LEVEL = 3, /* halftones hardly get smaller with more effort */
};

static const double metres_per_inch = 0.0254;

/* What becomes of a row of the file. */
enum kind { AS_IT_IS, WITH_ALPHA, WITH_KEY, WITH_PALETTE };

struct png {
    struct row_stage stage; /* first, so that a stage can be cast back */
    struct byte_source *source;
    png_structp png;
    png_infop info;
    ro_status status; /* what a callback failed with */
    enum kind kind;
    int channels, depth; /* of the file; alpha is a channel */
    bool interlaced, started;
    bool exif_seen;
    struct colour_map palette;
    png_color_16 key; /* the colour that is transparent */
    struct lazy_store store;
    uint8_t *line; /* a row of the file, where it is not the row of the image */
    uint32_t row;
};

static void ignore_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

/* A profile that libpng does not like is dropped as any other; some of sRGB's are known for it. */
static void read_warned(png_structp png, png_const_charp text)
{
    struct png *self = png_get_error_ptr(png);
    if (strstr(text, "sRGB"))
        return;
    if (strncmp(text, "iCCP", 4) == 0)
        file_drop(self->stage.file, RO_DROPPED_PROFILE, RO_PROFILE_WORDS);
    else if (strstr(text, "gAMA") || strstr(text, "cHRM") || strstr(text, "gamma value"))
        file_drop(self->stage.file, RO_DROPPED_GAMMA,
                  "its gamma or primaries, which are damaged (taken as sRGB's)");
}

static void read_failed(png_structp png, png_const_charp text)
{
    struct png *self = png_get_error_ptr(png);
    if (self->status == RO_OK && self->stage.no_memory)
        self->status = file_no_memory(self->stage.file, 1 << 16);
    if (self->status == RO_OK)
        self->status = file_fail(self->stage.file, RO_E_FORMAT, "not a proper PNG file: %s", text);
    png_longjmp(png, 1);
}

/* libpng drops a profile that it has no memory for, and goes on. */
static png_voidp allocate(png_structp png, png_alloc_size_t size)
{
    struct png *self = png_get_mem_ptr(png);
    void *memory = malloc(size);
    self->stage.no_memory |= !memory;
    return memory;
}

static void release(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

static void read_bytes(png_structp png, png_bytep bytes, size_t size)
{
    struct png *self = png_get_io_ptr(png);
    self->status = source_need(self->source, bytes, size);
    if (self->status != RO_OK)
        png_error(png, "reading failed");
}

/* ---- What is dropped ---------------------------------------------------------------------- */

static void note_more_exif(struct png *self)
{
    file_drop(self->stage.file, RO_DROPPED_METADATA, "EXIF data");
}

/* Chunks that libpng is told to leave alone, and those it does not know. */
static int on_chunk(png_structp png, png_unknown_chunkp chunk)
{
    static const struct {
        const char *name, *words; /* NULL: of no account */
    } known[] = {{"tEXt", "text"}, {"zTXt", "text"}, {"iTXt", "text"}, {"tIME", "its date"},
                 {"fcTL", NULL},   {"fdAT", NULL},   {"iDOT", NULL}};
    struct png *self = png_get_user_chunk_ptr(png);
    const char *name = (const char *)chunk->name, *words = "data of unknown kinds";
    if (memcmp(name, "acTL", 4) == 0 && chunk->size >= 4) {
        const png_uint_32 frames = png_get_uint_32(chunk->data);
        if (frames > 1)
            file_drop(self->stage.file, RO_DROPPED_PAGES, "%u further frames", frames - 1);
        return 1;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (memcmp(name, known[i].name, 4) == 0)
            words = known[i].words;
    if (words)
        file_drop(self->stage.file, RO_DROPPED_METADATA, "%s", words);
    return 1; /* dealt with */
}

static bool near(png_fixed_point value, png_fixed_point wanted, png_fixed_point tolerance)
{
    return value >= wanted - tolerance && value <= wanted + tolerance;
}

static void note_colours(struct png *self)
{
    static const png_fixed_point srgb[8] = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
    png_fixed_point gamma, at[8];
    double xy[4][2];
    png_charp name;
    png_bytep profile;
    png_uint_32 size;
    int number;
    if (png_get_iCCP(self->png, self->info, &name, &number, &profile, &size)) {
        profile_take(&self->stage, profile, size);
        return;
    }
    if (png_get_sRGB(self->png, self->info, &number))
        return;
    bool other_gamma =
        png_get_gAMA_fixed(self->png, self->info, &gamma) && !near(gamma, 45455, 455);
    bool other_primaries = false;
    if (png_get_cHRM_fixed(self->png, self->info, &at[0], &at[1], &at[2], &at[3], &at[4], &at[5],
                           &at[6], &at[7]))
        for (int i = 0; i < 8; i++) {
            other_primaries = other_primaries || !near(at[i], srgb[i], 200);
            xy[i / 2][i % 2] = at[i] / 1e5;
        }
    if (!other_gamma && !other_primaries)
        return;
    char words[100];
    if (other_gamma)
        snprintf(words, sizeof words, "its gamma of %.3g%s (taken as sRGB)", gamma / 1e5,
                 other_primaries ? " and primaries" : "");
    else
        snprintf(words, sizeof words, "its primaries (taken as sRGB's)");
    profile_take_gamma(&self->stage, other_gamma ? 1e5 / gamma : 0, other_primaries ? xy : NULL,
                       words);
}

/* ---- Opening ------------------------------------------------------------------------------ */

static void read_palette(struct png *self)
{
    png_colorp colours;
    png_bytep alphas = NULL;
    int count = 0, alpha_count = 0;
    if (!png_get_PLTE(self->png, self->info, &colours, &count) || count > 256)
        png_error(self->png, "a palette is missing");
    png_get_tRNS(self->png, self->info, &alphas, &alpha_count, NULL);
    for (int i = 0; i < count; i++) {
        memcpy(self->palette.rgb[i], &colours[i], 3);
        self->palette.alpha[i] = alphas && i < alpha_count ? alphas[i] : 255;
        self->palette.holes = self->palette.holes || self->palette.alpha[i] < 255;
    }
    colour_map_finish(&self->palette, (unsigned)count);
}

static void read_resolution(struct png *self)
{
    png_uint_32 x, y;
    int unit;
    ro_file_info *info = &self->stage.info;
#ifdef PNG_eXIf_SUPPORTED
    png_uint_32 exif_size;
    png_bytep exif_bytes;
    if (png_get_eXIf_1(self->png, self->info, &exif_size, &exif_bytes)) {
        struct exif_data exif = exif_read(exif_bytes, exif_size);
        self->stage.orientation = exif.orientation;
        info->dpi_x = exif.dpi_x;
        info->dpi_y = exif.dpi_y;
        self->exif_seen = true;
        if (exif.more)
            note_more_exif(self);
    }
#endif
    if (png_get_pHYs(self->png, self->info, &x, &y, &unit) && unit == PNG_RESOLUTION_METER) {
        info->dpi_x = x * metres_per_inch;
        info->dpi_y = y * metres_per_inch;
    }
}

static void choose_kind(struct png *self, int colour_type)
{
    png_color_16p key;
    if (colour_type == PNG_COLOR_TYPE_PALETTE) {
        self->kind = WITH_PALETTE;
        read_palette(self);
    } else if (colour_type & PNG_COLOR_MASK_ALPHA) {
        self->kind = WITH_ALPHA;
    } else if (png_get_tRNS(self->png, self->info, NULL, NULL, &key)) {
        self->kind = WITH_KEY;
        self->key = *key;
    }
}

static ro_status read_info(struct png *self)
{
    png_uint_32 width, height;
    int colour_type, interlace;
    if (setjmp(png_jmpbuf(self->png)))
        return self->status;
    png_set_read_fn(self->png, self, read_bytes);
    png_set_user_limits(self->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(self->png, LARGEST_CHUNK);
#ifdef PNG_READ_USER_CHUNKS_SUPPORTED
    png_set_read_user_chunk_fn(self->png, self, on_chunk);
    png_set_keep_unknown_chunks(self->png, PNG_HANDLE_CHUNK_ALWAYS,
                                (png_const_bytep) "tEXt\0zTXt\0iTXt\0tIME", 4);
#endif
    png_read_info(self->png, self->info);
    png_get_IHDR(self->png, self->info, &width, &height, &self->depth, &colour_type, &interlace,
                 NULL, NULL);
    self->status = stage_check_size(self->stage.file, width, height);
    if (self->status != RO_OK)
        return self->status;
    self->interlaced = interlace != PNG_INTERLACE_NONE;
    self->channels = png_get_channels(self->png, self->info);
    choose_kind(self, colour_type);
    bool wide = self->depth == 16;
    bool colour = self->kind == WITH_PALETTE ? !self->palette.grey
                                             : (colour_type & PNG_COLOR_MASK_COLOR) != 0;
    bool small = self->depth < 8 && self->kind != WITH_PALETTE;
    self->stage.info = (ro_file_info){.format = colour ? (wide ? RO_RGB16 : RO_RGB8)
                                                       : (wide ? RO_GREY16 : RO_GREY8),
                                      .width = width,
                                      .height = height,
                                      .maxval = wide    ? 65535
                                                : small ? (1u << self->depth) - 1
                                                        : 255,
                                      .pages = 1};
    const bool holes = self->kind == WITH_PALETTE ? self->palette.holes : self->kind != AS_IT_IS;
    self->stage.alpha = holes ? RO_STRAIGHT_ALPHA : RO_NO_ALPHA;
    read_resolution(self);
    note_colours(self);
    png_set_packing(self->png); /* a byte for each sample of 1, 2 or 4 bits */
    if (wide && little_endian())
        png_set_swap(self->png);
    return RO_OK;
}

/* ---- Rows in ------------------------------------------------------------------------------ */

static size_t file_row_bytes(const struct png *self)
{
    return (size_t)self->stage.info.width * (size_t)self->channels * (self->depth == 16 ? 2 : 1);
}

/* What the compressed data holds, or a little less. */
static uint64_t unpacked_bytes(const struct png *self)
{
    size_t row = file_row_bytes(self);
    if (self->depth < 8)
        row = row / 8 * (size_t)self->depth;
    return (uint64_t)row * self->stage.info.height;
}

/* Decoding starts with the first row that is asked for: only then is memory taken. */
static ro_status start(struct png *self)
{
    if (self->interlaced) {
        self->status = store_open(&self->store, self->stage.file, file_row_bytes(self),
                                  self->stage.info.height);
        if (self->status != RO_OK)
            return self->status;
    }
    if (self->kind == WITH_KEY || self->kind == WITH_PALETTE) {
        self->line = malloc(file_row_bytes(self));
        if (!self->line)
            return file_no_memory(self->stage.file, file_row_bytes(self));
    }
    if (setjmp(png_jmpbuf(self->png)))
        return self->status;
    png_set_interlace_handling(self->png);
    png_read_update_info(self->png, self->info);
    if (png_get_rowbytes(self->png, self->info) != file_row_bytes(self))
        png_error(self->png, "rows of an unexpected size");
    self->started = true;
    return RO_OK;
}

static ro_status read_file_row(struct png *self, uint8_t *to)
{
    if (setjmp(png_jmpbuf(self->png)))
        return self->status;
    png_read_row(self->png, to, NULL);
    return RO_OK;
}

/* Checks what follows the pixels, so that a file that was cut short there is noticed too. */
static ro_status read_end(struct png *self)
{
    if (setjmp(png_jmpbuf(self->png)))
        return self->status;
    png_read_end(self->png, self->info);
#ifdef PNG_eXIf_SUPPORTED
    png_uint_32 size;
    png_bytep bytes;
    if (!self->exif_seen && png_get_eXIf_1(self->png, self->info, &size, &bytes))
        note_more_exif(self); /* too late even for which way is up */
#endif
    return RO_OK;
}

static ro_status fill_store(struct png *self)
{
    enum { PASSES = 7 };
    ro_status status = RO_OK;
    for (int pass = 0; pass < PASSES; pass++)
        for (uint32_t y = 0; y < self->stage.info.height && status == RO_OK; y++) {
            uint8_t *row = lazy_row(&self->store, y);
            status = row ? read_file_row(self, row) : RO_E_MEMORY;
        }
    return status;
}

/* Puts alpha behind every pixel: none where it has the colour of the key. */
static void add_alpha(struct png *self, uint8_t *row)
{
    const uint16_t rgb[3] = {self->key.red, self->key.green, self->key.blue}, grey = self->key.gray;
    const uint16_t *key = self->channels == 3 ? rgb : &grey;
    const size_t channels = (size_t)self->channels;
    const uint16_t *from16 = (const uint16_t *)(const void *)self->line;
    uint16_t *to16 = (uint16_t *)(void *)row;
    for (size_t x = 0; x < self->stage.info.width; x++) {
        const size_t from = x * channels, to = x * (channels + 1);
        bool same = true;
        for (size_t c = 0; c < channels; c++) {
            const uint16_t sample = self->depth == 16 ? from16[from + c] : self->line[from + c];
            same = same && sample == key[c];
            if (self->depth == 16)
                to16[to + c] = sample;
            else
                row[to + c] = (uint8_t)sample;
        }
        const uint32_t alpha = same ? 0 : self->stage.info.maxval;
        if (self->depth == 16)
            to16[to + channels] = (uint16_t)alpha;
        else
            row[to + channels] = (uint8_t)alpha;
    }
}

static void convert_row(struct png *self, uint8_t *row)
{
    if (self->kind == WITH_PALETTE)
        colour_map_apply(&self->palette, row, self->line, self->stage.info.width);
    else if (self->kind == WITH_KEY)
        add_alpha(self, row);
}

static ro_status read_rows(struct row_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct png *self = (struct png *)stage;
    ro_status status = RO_OK;
    if (!self->started) {
        status = start(self);
        if (status == RO_OK && self->interlaced)
            status = fill_store(self);
    }
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride, self->row++) {
        uint8_t *to = self->line ? self->line : rows;
        if (self->interlaced)
            memcpy(to, lazy_row(&self->store, self->row), file_row_bytes(self));
        else
            status = read_file_row(self, to);
        if (status == RO_OK)
            convert_row(self, rows);
    }
    if (status == RO_OK && self->row == stage->info.height)
        status = read_end(self);
    return status;
}

static void close_reader(struct row_stage *stage)
{
    struct png *self = (struct png *)stage;
    png_destroy_read_struct(&self->png, &self->info, NULL);
    profile_free(stage);
    store_close(&self->store);
    free(self->line);
    free(self);
}

ro_status png_decode(struct byte_source *source, unsigned page, struct row_stage **stage)
{
    struct png *self = calloc(1, sizeof *self);
    (void)page;
    if (!self)
        return file_no_memory(source->file, sizeof *self);
    self->stage =
        (struct row_stage){.file = source->file, .rows = read_rows, .close = close_reader};
    self->source = source;
    self->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, self, read_failed, read_warned,
                                         self, allocate, release);
    if (self->png)
        self->info = png_create_info_struct(self->png);
    ro_status status = self->info ? read_info(self) : file_no_memory(source->file, 1 << 16);
    if (status == RO_OK && !stage_plausible(source->size, unpacked_bytes(self), DEFLATE_RATIO))
        status = file_ends_early(source->file);
    return stage_opened(&self->stage, status, stage);
}

/* ---- Rows out ----------------------------------------------------------------------------- */

struct png_encoder {
    struct row_encoder encoder; /* first, so that an encoder can be cast back */
    struct byte_sink *sink;
    png_structp png;
    png_infop info;
    ro_status status; /* what a callback failed with */
};

static void write_failed(png_structp png, png_const_charp text)
{
    struct png_encoder *self = png_get_error_ptr(png);
    if (self->status == RO_OK)
        self->status = file_fail(self->sink->file, RO_E_IO, "cannot be written as PNG: %s", text);
    png_longjmp(png, 1);
}

static void write_bytes(png_structp png, png_bytep bytes, size_t size)
{
    struct png_encoder *self = png_get_io_ptr(png);
    self->status = sink_write(self->sink, bytes, size);
    if (self->status != RO_OK)
        png_error(png, "writing failed");
}

static void flush_nothing(png_structp png) { (void)png; }

static int depth_of(const ro_file_info *info)
{
    const int colours = info->palette ? info->palette->count + (info->with_alpha != 0) : 0;
    if (info->palette)
        return colours <= 2 ? 1 : colours <= 4 ? 2 : colours <= 16 ? 4 : 8;
    static const struct {
        uint32_t maxval;
        int depth;
    } depths[] = {{1, 1}, {3, 2}, {15, 4}, {255, 8}};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        if (info->maxval == depths[i].maxval)
            return depths[i].depth;
    return 16;
}

static ro_status write_info(struct png_encoder *self, const ro_file_info *info)
{
    if (setjmp(png_jmpbuf(self->png)))
        return self->status;
    int depth = depth_of(info);
    bool colour = channels_of(info->format) == 3;
    png_set_write_fn(self->png, self, write_bytes, flush_nothing);
    png_set_user_limits(self->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(self->png, self->info, info->width, info->height, depth,
                 info->palette ? PNG_COLOR_TYPE_PALETTE
                               : (colour ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY) |
                                     (info->with_alpha ? PNG_COLOR_MASK_ALPHA : 0),
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (info->palette) {
        png_color colours[256];
        for (int i = 0; i < info->palette->count; i++)
            memcpy(&colours[i], info->palette->colours[i], 3);
        int count = info->palette->count;
        if (info->with_alpha) { /* the number behind them is transparent */
            png_byte alphas[256];
            memset(alphas, 255, sizeof alphas);
            alphas[count] = 0;
            memset(&colours[count++], 255, sizeof *colours);
            png_set_tRNS(self->png, self->info, alphas, count, NULL);
        }
        png_set_PLTE(self->png, self->info, colours, count);
        png_set_filter(self->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    }
    if (info->dpi_x > 0 && info->dpi_x < 1e7 && info->dpi_y > 0 && info->dpi_y < 1e7)
        png_set_pHYs(self->png, self->info, (png_uint_32)(info->dpi_x / metres_per_inch + 0.5),
                     (png_uint_32)(info->dpi_y / metres_per_inch + 0.5), PNG_RESOLUTION_METER);
    png_set_compression_buffer_size(self->png, IDAT_BYTES);
    if (depth < 8) {
        png_set_compression_level(self->png, FAST_LEVEL);
        png_set_filter(self->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    }
    png_write_info(self->png, self->info);
    if (depth < 8 && info->format != RO_BITS)
        png_set_packing(self->png);
    if (depth == 16 && little_endian())
        png_set_swap(self->png);
    return RO_OK;
}

static ro_status write_row(struct png_encoder *self, const uint8_t *row)
{
    if (setjmp(png_jmpbuf(self->png)))
        return self->status;
    png_write_row(self->png, row);
    return RO_OK;
}

static ro_status write_rows(struct row_encoder *encoder, const uint8_t *rows, ptrdiff_t stride,
                            uint32_t count)
{
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride)
        status = write_row((struct png_encoder *)encoder, rows);
    return status;
}

static ro_status finish_writer(struct row_encoder *encoder)
{
    struct png_encoder *self = (struct png_encoder *)encoder;
    if (setjmp(png_jmpbuf(self->png)))
        return self->status;
    png_write_end(self->png, NULL);
    return RO_OK;
}

static void close_writer(struct row_encoder *encoder)
{
    struct png_encoder *self = (struct png_encoder *)encoder;
    png_destroy_write_struct(&self->png, &self->info);
    free(self);
}

ro_status png_encode(struct byte_sink *sink, const ro_file_info *info,
                     const ro_write_options *options, struct row_encoder **encoder)
{
    (void)options;
    struct png_encoder *self = calloc(1, sizeof *self);
    if (!self)
        return file_no_memory(sink->file, sizeof *self);
    self->encoder =
        (struct row_encoder){.rows = write_rows, .finish = finish_writer, .close = close_writer};
    self->sink = sink;
    *encoder = &self->encoder;
    self->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, self, write_failed, ignore_warning);
    if (self->png)
        self->info = png_create_info_struct(self->png);
    return self->info ? write_info(self, info) : file_no_memory(sink->file, 1 << 16);
}
