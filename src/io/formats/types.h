/* SPDX-License-Identifier: MIT */
/* The table of file types: how each is told, read and written, and what it can hold. */
#ifndef RO_IO_FORMATS_TYPES_H
#define RO_IO_FORMATS_TYPES_H

#include "io/filters/stage.h"

struct file_type {
    const char *name;  /* as ro_file_info says it: "png" */
    const char *label; /* as messages say it: "PNG" */
    bool (*matches)(const uint8_t *head, size_t size);
    bool left_out; /* known, but not part of this build */
    decode_fn *decode;
    encode_fn *encode; /* NULL: cannot be written */
    /* Of an archive: whether the file, which would be replaced, holds nothing but that member; else
     * a failure that names others. NULL: it is no archive. */
    ro_status (*alone)(struct byte_source *source, const char *member);
};

enum { RO_TYPE_HEAD = 16 }; /* bytes that `matches` looks at */

/* What a file can hold, by its extension. */
enum {
    RO_HOLDS_BITS = 1,
    RO_HOLDS_GREY = 2,
    RO_HOLDS_COLOUR = 4,
    RO_HOLDS_FLOAT = 8,
    RO_KEEPS_MAXVAL = 16, /* states any largest value; else tones are scaled to all bits set */
    RO_KEEPS_LEVELS = 32, /* numbers of levels stay numbers */
    RO_SMALL_DEPTHS = 64, /* 4 and 16 levels are its own samples of 2 and 4 bits */
    RO_HOLDS_PALETTE = 128,
    RO_HOLDS_INKS = 256, /* four samples of a bit each */
    RO_ONLY_BYTES = 512, /* no more than 8 bits a sample */
    RO_HOLDS_RESOLUTION = 1024,
    RO_HOLDS_PAGES = 2048,
    RO_HOLDS_NUMBERS = 4096, /* integers and floats of other sizes than samples of ours */
    RO_TAKES_COMPRESSION = 8192,
    RO_TAKES_PACKING = 16384, /* order and number of bits */
    RO_HOLDS_SPACING = 32768,
    RO_HOLDS_DESCRIPTION = 65536,
    RO_HOLDS_ALPHA = 131072,
    RO_HOLDS_CLEAR = 262144, /* a number of the palette that is transparent */
    RO_HOLDS_TRUTH = 524288, /* two values are false and true */
};

struct file_extension {
    const char *name; /* "tif" */
    const struct file_type *type;
    unsigned holds;
};

/* By content; NULL: none. */
const struct file_type *file_type_of(const uint8_t *head, size_t size);

/* By name or extension ("tif", "tiff", "TIFF"), case and a leading dot not counting; NULL: none. */
const struct file_extension *file_extension_of(const char *name);

/* What can be read, "PNM, PNG or TIFF", and what can be written, ".pbm, .pgm or .png" with `dot`
 * before each name; for messages. */
enum { RO_TYPES_TEXT = 160 };
const char *types_read(char *text, size_t size);
const char *types_written(char *text, size_t size, const char *dot);

/* "this build has no TIFF support", RO_E_UNSUPPORTED. */
ro_status type_left_out(struct open_file *file, const struct file_type *type);

/* How an image is handed to the encoder: format and maxval of `info` become those of the file. Only
 * the message of `file` tells why it cannot. */
ro_status extension_layout(struct open_file *file, const struct file_extension *extension,
                           const ro_file_info *info, ro_file_info *layout);

/* The same for an image that comes with alpha, from the layout that it has without. */
ro_status extension_alpha(struct open_file *file, const struct file_extension *extension,
                          ro_file_info *layout);

#endif
