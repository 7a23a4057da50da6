/* SPDX-License-Identifier: MIT */
/*
 * Packed pixels as an array of C, to be compiled into the program of a panel:
 *
 *     enum { face_width = 200, face_height = 100, face_bits = 1 };
 *     static const unsigned char face[2500] = {
 *         0xff, ...
 *     };
 *
 * The array has the file's name; what no identifier may hold becomes a low line.
 */
#include "io/panel/bit_packing.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { A_LINE = 12 }; /* bytes */

struct carray {
    struct row_encoder encoder; /* first, so that an encoder can be cast back */
    struct byte_sink *sink;
    struct packing packing;
    uint64_t bytes; /* written so far */
    uint8_t *line;
    char *text;
};

static bool is_keyword(const char *name)
{
    static const char *const words[] = {
        "alignas",  "alignof",  "auto",         "bool",      "break",         "case",     "catch",
        "char",     "class",    "const",        "constexpr", "continue",      "default",  "delete",
        "do",       "double",   "else",         "enum",      "explicit",      "export",   "extern",
        "false",    "float",    "for",          "friend",    "goto",          "if",       "inline",
        "int",      "long",     "main",         "mutable",   "namespace",     "new",      "nullptr",
        "operator", "private",  "protected",    "public",    "register",      "restrict", "return",
        "short",    "signed",   "sizeof",       "static",    "static_assert", "struct",   "switch",
        "template", "this",     "thread_local", "throw",     "true",          "try",      "typedef",
        "typeof",   "typename", "union",        "unsigned",  "using",         "virtual",  "void",
        "volatile", "while",    "and",          "or",        "not",           "xor",      "asm"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return false;
}

static ro_status name_of(struct byte_sink *sink, char *name, size_t size)
{
    const char *path = sink->file->name, *slash = strrchr(path, '/');
    const char *from = !sink->target && !sink->memory ? "picture" : slash ? slash + 1 : path;
    const char *dot = strrchr(from, '.');
    size_t used = 0;
    if (isdigit((unsigned char)*from))
        name[used++] = '_';
    for (; *from && from != dot && used + 1 < size; from++)
        name[used++] = (char)(isalnum((unsigned char)*from) && !(*from & 0x80) ? *from : '_');
    name[used] = '\0';
    if (used == 0 || is_keyword(name))
        return file_fail(sink->file, RO_E_ARGUMENT,
                         "'%s' is no name for an array in C; the file needs another name", name);
    return RO_OK;
}

static ro_status write_rows(struct row_encoder *encoder, const uint8_t *rows, ptrdiff_t stride,
                            uint32_t count)
{
    static const char digits[] = "0123456789abcdef";
    struct carray *self = (struct carray *)encoder;
    const size_t bytes = packing_bytes(&self->packing);
    ro_status status = RO_OK;
    for (uint32_t y = 0; y < count && status == RO_OK; y++, rows += stride) {
        char *to = self->text;
        packing_row(&self->packing, self->line, rows);
        for (size_t i = 0; i < bytes; i++) {
            const bool begins = self->bytes++ % A_LINE == 0;
            memcpy(to, begins ? "\n    0x" : " 0x", begins ? 7 : 3);
            to += begins ? 7 : 3;
            *to++ = digits[self->line[i] >> 4];
            *to++ = digits[self->line[i] & 15];
            *to++ = ',';
        }
        status = sink_write(self->sink, self->text, (size_t)(to - self->text));
    }
    return status;
}

static ro_status finish(struct row_encoder *encoder)
{
    return sink_write(((struct carray *)encoder)->sink, "\n};\n", 4);
}

static void close_writer(struct row_encoder *encoder)
{
    struct carray *self = (struct carray *)encoder;
    free(self->line);
    free(self->text);
    free(self);
}

static ro_status put(struct carray *self, const char *text)
{
    return sink_write(self->sink, text, strlen(text));
}

/* The colours that the numbers stand for, as a comment. */
static ro_status write_palette(struct carray *self, const ro_palette *palette)
{
    char text[48];
    ro_status status = RO_OK;
    for (int i = 0; palette && i < palette->count && status == RO_OK; i++) {
        const uint8_t *rgb = palette->colours[i];
        snprintf(text, sizeof text, "/* %3d is #%02x%02x%02x */\n", self->packing.number[i], rgb[0],
                 rgb[1], rgb[2]);
        status = put(self, text);
    }
    return status;
}

static ro_status write_head(struct carray *self, const ro_file_info *info)
{
    char name[80], text[640];
    ro_status status = name_of(self->sink, name, sizeof name);
    if (status == RO_OK)
        status = write_palette(self, info->palette);
    if (status != RO_OK)
        return status;
    const bool low = self->packing.low_first;
    const uint8_t *number = self->packing.number;
    const char *kind = info->palette || info->inks || info->format != RO_BITS ? ""
                       : number[0] == 1 && number[1] == 0                     ? ", 1 is black"
                       : number[0] == 0 && number[1] == 1                     ? ", 1 is white"
                                                                              : "";
    snprintf(text, sizeof text,
             "/* %" PRIu32 " x %" PRIu32 " pixels of %d bit%s%s, a byte's first pixel in its %s "
             "bits; rows begin at whole bytes. */\n"
             "enum { %s_width = %" PRIu32 ", %s_height = %" PRIu32 ", %s_bits = %d };\n"
             "static const unsigned char %s[%" PRIu64 "] = {",
             info->width, info->height, self->packing.bits, self->packing.bits > 1 ? "s" : "", kind,
             low ? "lowest" : "highest", name, info->width, name, info->height, name,
             self->packing.bits, name, (uint64_t)packing_bytes(&self->packing) * info->height);
    return put(self, text);
}

ro_status carray_encode(struct byte_sink *sink, const ro_file_info *info,
                        const ro_write_options *options, struct row_encoder **encoder)
{
    enum { LONGEST_BYTE = 10 };
    struct carray *self = calloc(1, sizeof *self);
    if (!self)
        return file_no_memory(sink->file, sizeof *self);
    self->encoder =
        (struct row_encoder){.rows = write_rows, .finish = finish, .close = close_writer};
    self->sink = sink;
    *encoder = &self->encoder;
    ro_status status = packing_open(&self->packing, sink->file, info, options);
    if (status != RO_OK)
        return status;
    const size_t bytes = packing_bytes(&self->packing);
    self->line = malloc(bytes);
    self->text = malloc(LONGEST_BYTE * bytes);
    if (!self->line || !self->text)
        return file_no_memory(sink->file, LONGEST_BYTE * bytes);
    return write_head(self, info);
}
