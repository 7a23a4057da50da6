/* SPDX-License-Identifier: MIT */
/*
 * NIfTI-1 in one file: a header of 348 bytes, extensions, numbers with x running fastest. A slice
 * is a page; rows are taken as they are stored. What the header says beside shape and type is
 * passed on to NIfTI files that are written; extensions are not.
 */
#include "io/arrays/array.h"
#include "io/filters/convert.h"
#include "io/filters/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 348,
    DATA = 352, /* where numbers begin: behind the header and four zeros */
    LONGEST_SKIP = 1 << 26,
    DIMENSIONS = 7,
    RGB24 = 128,
    /* Places in the header. */
    AT_DIM = 40,
    AT_TYPE = 70,
    AT_BITS = 72,
    AT_SPACING = 76,
    AT_DATA = 108,
    AT_SLOPE = 112,
    AT_INTERCEPT = 116,
    AT_UNITS = 123,
    AT_MAGIC = 344,
};

static const struct {
    int code;
    char kind;
    int bytes;
} types[] = {
    {2, 'u', 1},   {4, 'i', 2},   {8, 'i', 4},   {16, 'f', 4},   {64, 'f', 8},
    {256, 'i', 1}, {512, 'u', 2}, {768, 'u', 4}, {1024, 'i', 8}, {1280, 'u', 8},
};
enum { TYPES = sizeof types / sizeof *types };

struct nifti {
    uint8_t bytes[HEADER];
    bool swapped;
};

static int16_t short_at(const struct nifti *head, size_t at)
{
    uint16_t value;
    memcpy(&value, head->bytes + at, 2);
    if (head->swapped)
        value = (uint16_t)(value << 8 | value >> 8);
    return (int16_t)value;
}

static float float_at(const struct nifti *head, size_t at)
{
    uint32_t bits;
    float value;
    memcpy(&bits, head->bytes + at, 4);
    bits = head->swapped ? __builtin_bswap32(bits) : bits;
    memcpy(&value, &bits, 4);
    return value;
}

static ro_status read_type(struct ro_file *file, const struct nifti *head, struct ro_array *array)
{
    const int code = short_at(head, AT_TYPE);
    array->swapped = head->swapped;
    array->channels = code == RGB24 ? 3 : 1;
    if (code == RGB24) {
        array->kind = 'u';
        array->bytes = 1;
        return RO_OK;
    }
    for (int i = 0; i < TYPES; i++)
        if (types[i].code == code) {
            array->kind = types[i].kind;
            array->bytes = types[i].bytes;
            return RO_OK;
        }
    if (code == 32 || code == 1792)
        return file_fail(file, RO_E_UNSUPPORTED, "complex numbers where real ones are wanted");
    return file_fail(file, RO_E_UNSUPPORTED, "NIfTI data of type %d cannot be read", code);
}

static ro_status read_shape(struct ro_file *file, const struct nifti *head, struct ro_array *array)
{
    const int count = short_at(head, AT_DIM);
    if (count < 1 || count > DIMENSIONS)
        return file_fail(file, RO_E_FORMAT, "not a proper NIfTI file: it has %d dimensions", count);
    uint64_t sizes[DIMENSIONS];
    int last = 1; /* axes behind it have one element */
    for (int i = 0; i < count; i++) {
        const int size = short_at(head, AT_DIM + 2 * (size_t)(i + 1));
        if (size < 1)
            return file_fail(file, RO_E_FORMAT,
                             "not a proper NIfTI file: dimension %d has the size %d", i + 1, size);
        sizes[i] = (uint64_t)size;
        if (size > 1)
            last = i;
    }
    array->width = sizes[0];
    array->height = count > 1 ? sizes[1] : 1;
    if (last - 1 > RO_OUTER_AXES)
        return file_fail(file, RO_E_UNSUPPORTED, "%d axes are too many", count);
    for (int i = last; i >= 2; i--)
        array->outer[array->outer_count++] = sizes[i];
    return RO_OK;
}

static void read_spacing(const struct nifti *head, ro_file_info *info)
{
    static const char *const units[] = {"", "m", "mm", "um"};
    for (size_t i = 0; i < 3; i++) {
        const double spacing = fabs((double)float_at(head, AT_SPACING + 4 * (i + 1)));
        info->spacing[i] = isfinite(spacing) ? spacing : 0;
    }
    snprintf(info->unit, sizeof info->unit, "%s", units[head->bytes[AT_UNITS] & 3]);
}

/* Goes over the extensions, which precede the numbers if the first of four bytes is not 0: a size
 * in bytes, a code and data each. */
static ro_status skip_extensions(struct ro_source *source, const struct nifti *head, uint64_t start)
{
    uint8_t mark[4], entry[8];
    unsigned count = 0;
    ro_status status = RO_OK;
    if (start >= DATA)
        status = source_need(source, mark, sizeof mark);
    if (start < DATA || status != RO_OK || mark[0] == 0)
        return status == RO_OK ? source_skip(source, start - source->position) : status;
    while (start - source->position >= sizeof entry && status == RO_OK) {
        uint32_t size;
        status = source_need(source, entry, sizeof entry);
        memcpy(&size, entry, sizeof size);
        size = head->swapped ? __builtin_bswap32(size) : size;
        if (status != RO_OK || size < sizeof entry ||
            size - sizeof entry > start - source->position)
            break;
        count++;
        status = source_skip(source, size - sizeof entry);
    }
    if (status == RO_OK && count > 0)
        file_drop(source->file, RO_DROPPED_METADATA, "%u extension%s of its header", count,
                  count > 1 ? "s" : "");
    return status == RO_OK ? source_skip(source, start - source->position) : status;
}

ro_status nifti_decode(struct ro_source *source, unsigned page, struct ro_stage **stage)
{
    struct nifti head;
    struct ro_array array = {0};
    ro_file_info info = {0};
    struct ro_file *file = source->file;
    ro_status status = source_need(source, head.bytes, HEADER);
    if (status != RO_OK)
        return status;
    if (memcmp(head.bytes + 4, "n+2", 3) == 0 || memcmp(head.bytes + 4, "ni2", 3) == 0)
        return file_fail(file, RO_E_UNSUPPORTED, "a NIfTI-2 file; NIfTI-1 is read");
    const char *magic = (const char *)head.bytes + AT_MAGIC;
    head.swapped = head.bytes[little_endian() ? 0 : 3] != 0x5c;
    if (memcmp(magic, "ni1", 4) == 0)
        return file_fail(file, RO_E_UNSUPPORTED,
                         "a header whose numbers are in another file (.img); a single .nii is "
                         "read");
    if (memcmp(magic, "n+1", 4) != 0)
        return file_fail(file, RO_E_FORMAT, "not a proper NIfTI-1 file");
    status = read_type(file, &head, &array);
    if (status == RO_OK)
        status = read_shape(file, &head, &array);
    const float start = float_at(&head, AT_DATA);
    if (status == RO_OK && !(start >= HEADER && start <= LONGEST_SKIP))
        status = file_fail(file, RO_E_FORMAT, "not a proper NIfTI file: its numbers begin at %g",
                           (double)start);
    if (status == RO_OK)
        status = skip_extensions(source, &head, (uint64_t)start);
    if (status != RO_OK)
        return status;
    read_spacing(&head, &info);
    const float slope = float_at(&head, AT_SLOPE), intercept = float_at(&head, AT_INTERCEPT);
    if (slope != 0 && (slope != 1 || intercept != 0)) {
        info.slope = (double)slope;
        info.intercept = (double)intercept;
    }
    info.header = head.swapped ? NULL : head.bytes;
    info.header_size = head.swapped ? 0 : HEADER;
    return array_decode(source, &array, page, &info, stage);
}

/* ---- Rows out ----------------------------------------------------------------------------- */

static void put_short(uint8_t *head, size_t at, int value)
{
    const int16_t number = (int16_t)value;
    memcpy(head + at, &number, 2);
}

static void put_float(uint8_t *head, size_t at, double value)
{
    const float number = (float)value;
    memcpy(head + at, &number, 4);
}

static void make_header(uint8_t *head, const ro_file_info *info)
{
    const int32_t size = HEADER;
    memcpy(head, &size, 4);
    head[38] = 'r'; /* as Analyze wanted it */
    for (size_t i = 0; i < 3; i++)
        put_float(head, AT_SPACING + 4 * (i + 1), info->spacing[i] > 0 ? info->spacing[i] : 1);
    put_float(head, AT_SPACING, 1);
    head[AT_UNITS] = strcmp(info->unit, "m") == 0    ? 1
                     : strcmp(info->unit, "mm") == 0 ? 2
                     : strcmp(info->unit, "um") == 0 ? 3
                                                     : 0;
    put_float(head, AT_SLOPE, info->slope);
    put_float(head, AT_INTERCEPT, info->intercept);
}

ro_status nifti_encode(struct ro_sink *sink, const ro_file_info *info,
                       const ro_write_options *options, struct ro_encoder **encoder)
{
    (void)options;
    uint8_t head[DATA] = {0};
    const struct ro_array array = array_of(info);
    int code = RGB24, axes = 2 + array.outer_count;
    if (array.width > INT16_MAX || array.height > INT16_MAX)
        return file_fail(sink->file, RO_E_SIZE,
                         "a NIfTI file holds sides of 32767 at most, not %u x %u", info->width,
                         info->height);
    if (info->header && info->header_size == HEADER)
        memcpy(head, info->header, HEADER);
    else
        make_header(head, info);
    for (int i = 0; i < TYPES && array.channels == 1; i++)
        if (types[i].kind == array.kind && types[i].bytes == array.bytes)
            code = types[i].code;
    if (code == RGB24 && (array.channels != 3 || array.bytes != 1))
        return file_fail(sink->file, RO_E_UNSUPPORTED, "a .nii file cannot hold %s of %d bytes%s",
                         array.kind == 'f' ? "floats" : "integers", array.bytes,
                         array.channels == 3 ? " in colour" : "");
    memset(head + AT_DIM, 0, 16);
    put_short(head, AT_DIM, axes);
    put_short(head, AT_DIM + 2, (int)array.width);
    put_short(head, AT_DIM + 4, (int)array.height);
    for (int i = 0; i < DIMENSIONS - 2; i++) {
        const uint64_t size = i < array.outer_count ? array.outer[array.outer_count - 1 - i] : 1;
        if (size > INT16_MAX || array.outer_count > DIMENSIONS - 2)
            return file_fail(sink->file, RO_E_SIZE, "a NIfTI file holds 32767 pages at most");
        put_short(head, AT_DIM + 6 + 2 * (size_t)i, (int)size);
    }
    put_short(head, AT_TYPE, code);
    put_short(head, AT_BITS, 8 * array.bytes * array.channels);
    put_float(head, AT_DATA, DATA);
    memcpy(head + AT_MAGIC, "n+1", 4);
    ro_status status = array_encode(sink, info, encoder);
    return status == RO_OK ? sink_write(sink, head, DATA) : status;
}
