/* SPDX-License-Identifier: MIT */
/*
 * Palettes from files, told by their first bytes, or by their name where there is nothing to tell:
 *
 *     .gpl        GIMP Palette            three numbers a line
 *     .pal        JASC-PAL                a version, how many, three numbers a line
 *     .pal        RIFF .... PAL data      Microsoft's: red, green, blue and a byte each
 *     .act        768 or 772 bytes        Adobe's: three bytes each, then how many of them count
 *     .hex, .txt  text                    a colour a line: rrggbb, #rrggbb, AARRGGBB (paint.net) or
 *                                         three numbers; after ; or in a line with # nothing counts
 *     others      pictures                their colours, in order of first appearance
 */
#include "core/misuse.h"
#include "core/names.h"
#include "io/tables/columns.h"
#include "io/tables/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, LOOK = 4096, ACT_BYTES = 768, ACT_LONG = 772 };

struct palette_file {
    struct open_file *file;
    const uint8_t *bytes;
    size_t size;
    ro_palette *palette;
    int count; /* found, more than fit too */
};

static void add(struct palette_file *from, const uint8_t rgb[3])
{
    if (from->count++ < 256)
        memcpy(from->palette->colours[from->palette->count++], rgb, 3);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Three numbers from 0 to 255, whatever comes after them. */
static bool read_numbers(const char *line, uint8_t rgb[3])
{
    unsigned value[3];
    int used = 0;
    if (sscanf(line, "%3u%*[ \t,]%3u%*[ \t,]%3u%n", &value[0], &value[1], &value[2], &used) != 3 ||
        isdigit((unsigned char)line[used]))
        return false;
    for (int c = 0; c < 3; c++) {
        if (value[c] > 255)
            return false;
        rgb[c] = (uint8_t)value[c];
    }
    return true;
}

/* Six digits, or eight of which the first two say how opaque it is. */
static bool read_hex(const char *line, uint8_t rgb[3])
{
    const size_t digits = strspn(line, "0123456789abcdefABCDEF");
    unsigned value;
    if ((digits != 6 && digits != 8) || !strchr(" \t\r;,", line[digits]) ||
        sscanf(line + digits - 6, "%6x", &value) != 1)
        return false;
    for (int c = 0; c < 3; c++)
        rgb[c] = (uint8_t)(value >> (16 - 8 * c));
    return true;
}

enum text_kind { TEXT_GIMP, TEXT_JASC, TEXT_LIST };

/* A line that says nothing of colours. */
static bool is_heading(enum text_kind kind, const char *line, int number)
{
    switch (kind) {
    case TEXT_GIMP:
        return number == 1 || *line == '#' || isalpha((unsigned char)*line); /* Name:, Columns: */
    case TEXT_JASC:
        return number <= 3;
    default:
        return *line == ';' || (*line == '#' && !isxdigit((unsigned char)line[1]));
    }
}

static ro_status read_text(struct palette_file *from, enum text_kind kind)
{
    struct lines lines = lines_of((char *)from->bytes, true);
    for (char *line; (line = lines_next(&lines));) {
        uint8_t rgb[3];
        line += strspn(line, " \t\r");
        if (!*line || is_heading(kind, line, lines.number))
            continue;
        const bool hex = kind == TEXT_LIST && read_hex(line + (*line == '#'), rgb);
        if (!hex && !read_numbers(line, rgb))
            return file_fail(from->file, RO_E_FORMAT,
                             kind == TEXT_LIST
                                 ? "line %d is not a colour such as #c00000 or 192 0 0"
                                 : "line %d is not a colour of three numbers from 0 to 255",
                             lines.number);
        add(from, rgb);
    }
    return RO_OK;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static ro_status read_act(struct palette_file *from)
{
    int count = 256;
    if (from->size != ACT_BYTES && from->size != ACT_LONG)
        return file_fail(from->file, RO_E_FORMAT,
                         "an Adobe colour table has 768 or 772 bytes, not %zu", from->size);
    if (from->size == ACT_LONG)
        count = from->bytes[ACT_BYTES] << 8 | from->bytes[ACT_BYTES + 1];
    if (count > 256)
        return file_fail(from->file, RO_E_FORMAT, "a colour table has no %d colours", count);
    for (int i = 0; i < count; i++)
        add(from, from->bytes + 3 * i);
    return RO_OK;
}

/* A chunk "data": its size, a version, how many, then four bytes each. */
static ro_status read_riff(struct palette_file *from)
{
    const uint8_t *b = from->bytes;
    for (size_t at = 12; at + 12 <= from->size;) {
        const size_t size =
            b[at + 4] | (size_t)b[at + 5] << 8 | (size_t)b[at + 6] << 16 | (size_t)b[at + 7] << 24;
        if (memcmp(b + at, "data", 4) != 0) {
            at += 8 + size + size % 2;
            continue;
        }
        const size_t count = b[at + 10] | (size_t)b[at + 11] << 8;
        if (at + 12 + 4 * count > from->size)
            return file_fail(from->file, RO_E_FORMAT, "ends before its %zu colours", count);
        for (size_t i = 0; i < count; i++)
            add(from, b + at + 12 + 4 * i);
        return RO_OK;
    }
    return file_fail(from->file, RO_E_FORMAT, "has no colours in it");
}

/* ---- pictures -------------------------------------------------------------------------------- */

static bool has_colour(const ro_palette *palette, const uint8_t rgb[3])
{
    for (int i = 0; i < palette->count; i++)
        if (memcmp(palette->colours[i], rgb, 3) == 0)
            return true;
    return false;
}

static ro_status read_picture(struct palette_file *from, const char *path)
{
    ro_image image;
    ro_status status = ro_image_load(from->file->context, path, NULL, &image, NULL, NULL);
    if (status != RO_OK)
        return status;
    bool grey = image.format == RO_GREY8;
    uint32_t white = image.maxval ? image.maxval : 255;
    const bool eight = grey || image.format == RO_RGB8;
    for (uint32_t y = 0; y < image.height && eight && from->count <= 256; y++) {
        const uint8_t *row = (const uint8_t *)image.data + (ptrdiff_t)y * image.stride;
        for (size_t x = 0; x < image.width && from->count <= 256; x++) {
            uint8_t rgb[3];
            for (size_t c = 0; c < 3; c++)
                rgb[c] = (uint8_t)((510 * row[grey ? x : 3 * x + c] + white) / (2 * white));
            if (!has_colour(from->palette, rgb))
                add(from, rgb);
        }
    }
    if (!eight || from->count > 256) {
        status = ro_palette_adapt(from->file->context, &image, NULL, 256, from->palette);
        from->count = from->palette->count;
    }
    ro_image_free(&image);
    return status;
}

/* ---- which it is ----------------------------------------------------------------------------- */

enum kind { KIND_PICTURE, KIND_GIMP, KIND_JASC, KIND_RIFF, KIND_ACT, KIND_LIST };

static bool ends_in(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    return dot && ro_name_equal(dot + 1, extension);
}

static bool begins(const uint8_t *bytes, size_t have, const char *with)
{
    return have >= strlen(with) && memcmp(bytes, with, strlen(with)) == 0;
}

/* Text whose first line is a colour, or a remark. PNM has a letter first. */
static bool is_list(const uint8_t *bytes, size_t have)
{
    size_t at = begins(bytes, have, "\xef\xbb\xbf") ? 3 : 0;
    while (at < have && isspace(bytes[at]))
        at++;
    if (at == have || !(isxdigit(bytes[at]) || bytes[at] == '#' || bytes[at] == ';'))
        return false;
    for (size_t i = at; i < have; i++)
        if (bytes[i] < ' ' && !isspace(bytes[i]))
            return false;
    return true;
}

static enum kind kind_of(const char *path, const uint8_t *bytes, size_t have)
{
    if (begins(bytes, have, "GIMP Palette"))
        return KIND_GIMP;
    if (begins(bytes, have, "JASC-PAL"))
        return KIND_JASC;
    if (begins(bytes, have, "RIFF") && have >= 12 && memcmp(bytes + 8, "PAL ", 4) == 0)
        return KIND_RIFF;
    if (ends_in(path, "act"))
        return KIND_ACT;
    return ends_in(path, "hex") || is_list(bytes, have) ? KIND_LIST : KIND_PICTURE;
}

static ro_status check(struct palette_file *from)
{
    const ro_palette *palette = from->palette;
    if (from->count < 2 || from->count > 256)
        return file_fail(from->file, RO_E_FORMAT, "a palette has 2 to 256 colours, not %s%d",
                         from->count > 256 ? "more than " : "",
                         from->count > 256 ? 256 : from->count);
    for (int i = 1; i < palette->count; i++)
        if (memcmp(palette->colours[i], palette->colours[0], 3) != 0)
            return RO_OK;
    return file_fail(from->file, RO_E_FORMAT, "all %d colours of the palette are the same",
                     palette->count);
}

static ro_status read_kind(struct palette_file *from, enum kind kind, const char *path)
{
    switch (kind) {
    case KIND_GIMP:
        return read_text(from, TEXT_GIMP);
    case KIND_JASC:
        return read_text(from, TEXT_JASC);
    case KIND_LIST:
        return read_text(from, TEXT_LIST);
    case KIND_RIFF:
        return read_riff(from);
    case KIND_ACT:
        return read_act(from);
    default:
        return read_picture(from, path);
    }
}

ro_status ro_palette_load(ro_context *context, const char *path, ro_palette *palette)
{
    if (MISSING(context, path, palette))
        return RO_E_ARGUMENT;
    struct open_file file;
    struct byte_source source;
    struct palette_file from = {.file = &file, .palette = palette};
    char *bytes = NULL;
    size_t have = 0;
    enum kind kind = KIND_PICTURE;
    *palette = (ro_palette){0};
    file_init(&file, context, path, "standard input");
    ro_status status = source_open(&source, &file, path);
    if (status == RO_OK)
        status = source_peek(&source, LOOK, &have);
    if (status == RO_OK)
        kind = kind_of(path, source.bytes + source.begin, have);
    const bool text = kind == KIND_GIMP || kind == KIND_JASC || kind == KIND_LIST;
    if (status == RO_OK && kind == KIND_PICTURE && !source.seekable)
        status = file_fail(&file, RO_E_UNSUPPORTED,
                           "a picture whose colours are wanted cannot come through a pipe");
    if (status == RO_OK && text) {
        status = text_read(&source, MOST_BYTES, &bytes);
        from.size = bytes ? strlen(bytes) : 0;
    } else if (status == RO_OK && kind != KIND_PICTURE) {
        bytes = malloc(LOOK);
        status =
            bytes ? source_read(&source, bytes, LOOK, &from.size) : file_no_memory(&file, LOOK);
    }
    source_close(&source);
    from.bytes = (const uint8_t *)bytes;
    if (status == RO_OK)
        status = read_kind(&from, kind, path);
    if (status == RO_OK)
        status = check(&from);
    free(bytes);
    return status;
}
