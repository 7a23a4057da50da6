/* SPDX-License-Identifier: MIT */
/*
 * NIfTI in one file: a header of 348 bytes (version 1) or 540 (version 2), extensions, numbers with
 * x running fastest. A slice is a page; rows are taken as they are stored. What the header says
 * beside shape and type is passed on, as a header of version 1, to NIfTI files that are written;
 * extensions are not.
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
    HEADER_2 = 540,
    DATA = HEADER + 4, /* where numbers of a file that is written begin: behind four zeros */
    LONGEST_SKIP = 1 << 26,
    DIMENSIONS = 7,
    RGB24 = 128,
    AT_MAGIC = 344, /* in version 1; 4 in version 2 */
};

/* Fields of the header: their types (c int8, s int16, i int32, l int64, f float, d double), places
 * and lengths in versions 1 and 2. Those without a name are only carried over. */
enum { DIM, TYPE, BITS, SPACING, START, SLOPE, INTERCEPT, UNITS, NAMED };
static const struct field {
    char type[2];
    uint16_t at[2];
    uint16_t count;
} fields[] = {
    [DIM] = {{'s', 'l'}, {40, 16}, 8},
    [TYPE] = {{'s', 's'}, {70, 12}, 1},
    [BITS] = {{'s', 's'}, {72, 14}, 1},
    [SPACING] = {{'f', 'd'}, {76, 104}, 8},
    [START] = {{'f', 'l'}, {108, 168}, 1},
    [SLOPE] = {{'f', 'd'}, {112, 176}, 1},
    [INTERCEPT] = {{'f', 'd'}, {116, 184}, 1},
    [UNITS] = {{'c', 'i'}, {123, 500}, 1},
    [NAMED] = {{'f', 'd'}, {56, 80}, 3}, /* parameters of the intent */
    {{'s', 'i'}, {68, 504}, 1},          /* its code */
    {{'c', 'c'}, {328, 508}, 16},        /* its name */
    {{'s', 'l'}, {74, 224}, 1},          /* slices: the first */
    {{'s', 'l'}, {120, 232}, 1},         /* the last */
    {{'c', 'i'}, {122, 496}, 1},         /* their order */
    {{'f', 'd'}, {124, 192}, 4},         /* range of display, times */
    {{'c', 'c'}, {148, 240}, 80},        /* description */
    {{'c', 'c'}, {228, 320}, 24},        /* another file */
    {{'s', 'i'}, {252, 344}, 1},         /* space: kind of the rotation */
    {{'s', 'i'}, {254, 348}, 1},         /* kind of the matrix */
    {{'f', 'd'}, {256, 352}, 18},        /* rotation, shift, matrix */
    {{'c', 'c'}, {39, 524}, 1},          /* which axis is which */
};
enum { FIELDS = sizeof fields / sizeof *fields };

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
    uint8_t bytes[HEADER_2];
    uint8_t first[HEADER]; /* the same as a header of version 1 in the machine's byte order */
    int version;           /* 0: 1, 1: 2 */
    bool swapped;
};

static size_t bytes_of(char type)
{
    return type == 'c' ? 1 : type == 's' ? 2 : type == 'i' || type == 'f' ? 4 : 8;
}

/* The number `i` of a field as the file has it. */
static double number_at(const struct nifti *head, int field, size_t i)
{
    const struct field *place = &fields[field];
    const char type = place->type[head->version];
    const size_t bytes = bytes_of(type);
    union {
        int8_t c;
        int16_t s;
        int32_t i;
        int64_t l;
        float f;
        double d;
    } number = {.l = 0};
    memcpy(&number, head->bytes + place->at[head->version] + i * bytes, bytes);
    if (head->swapped)
        sample_swap(&number, bytes, 1);
    return type == 'c'   ? number.c
           : type == 's' ? number.s
           : type == 'i' ? number.i
           : type == 'l' ? (double)number.l
           : type == 'f' ? (double)number.f
                         : number.d;
}

/* Puts a number into a header of version 1; one that is too large for a whole number is left out.
 */
static void put_number(uint8_t *head, int field, size_t i, double value)
{
    uint8_t *to = head + fields[field].at[0] + i * bytes_of(fields[field].type[0]);
    const float real = (float)value;
    const int16_t small = fabs(value) <= INT16_MAX ? (int16_t)value : 0;
    if (fields[field].type[0] == 'f')
        memcpy(to, &real, 4);
    else if (fields[field].type[0] == 's')
        memcpy(to, &small, 2);
    else
        *to = (uint8_t)small;
}

/* What is to be passed on. */
static void make_first(struct nifti *head)
{
    const int32_t size = HEADER;
    if (head->version == 0 && !head->swapped) {
        memcpy(head->first, head->bytes, HEADER);
        return;
    }
    memcpy(head->first, &size, 4);
    head->first[38] = 'r'; /* as Analyze wanted it */
    for (int field = 0; field < FIELDS; field++)
        for (size_t i = 0; i < fields[field].count; i++)
            put_number(head->first, field, i, number_at(head, field, i));
}

static ro_status read_type(struct open_file *file, const struct nifti *head,
                           struct array_file *array)
{
    const int code = (int)number_at(head, TYPE, 0);
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

static ro_status read_shape(struct open_file *file, const struct nifti *head,
                            struct array_file *array)
{
    const double stated = number_at(head, DIM, 0);
    const int count = stated >= 1 && stated <= DIMENSIONS ? (int)stated : 0;
    if (count == 0)
        return file_fail(file, RO_E_FORMAT, "not a proper NIfTI file: it has %.0f dimensions",
                         stated);
    uint64_t sizes[DIMENSIONS] = {0};
    int last = 1; /* axes behind it have one element */
    for (int i = 0; i < count; i++) {
        const double size = number_at(head, DIM, (size_t)i + 1);
        if (!(size >= 1 && size < 0x1p53))
            return file_fail(file, RO_E_FORMAT,
                             "not a proper NIfTI file: dimension %d has the size %.0f", i + 1,
                             size);
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
        const double spacing = fabs(number_at(head, SPACING, i + 1));
        info->spacing[i] = isfinite(spacing) ? spacing : 0;
    }
    snprintf(info->unit, sizeof info->unit, "%s", units[(int)number_at(head, UNITS, 0) & 3]);
}

/* Goes over the extensions, which precede the numbers if the first of four bytes is not 0: a size
 * in bytes, a code and data each. */
static ro_status skip_extensions(struct byte_source *source, const struct nifti *head,
                                 uint64_t start)
{
    uint8_t mark[4], entry[8];
    const uint64_t least = source->position + sizeof mark;
    unsigned count = 0;
    ro_status status = RO_OK;
    if (start >= least)
        status = source_need(source, mark, sizeof mark);
    if (start < least || status != RO_OK || mark[0] == 0)
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

ro_status nifti_decode(struct byte_source *source, unsigned page, struct row_stage **stage)
{
    struct nifti head = {.version = 0};
    struct array_file array = {0};
    ro_file_info info = {0};
    struct open_file *file = source->file;
    ro_status status = source_need(source, head.bytes, HEADER);
    if (status != RO_OK)
        return status;
    const int low = head.bytes[0] | head.bytes[3]; /* of the header's size, in either byte order */
    head.version = low == (HEADER_2 & 255);
    head.swapped = head.bytes[little_endian() ? 0 : 3] != low;
    if (head.version)
        status = source_need(source, head.bytes + HEADER, HEADER_2 - HEADER);
    if (status != RO_OK)
        return status;
    const char *magic = (const char *)head.bytes + (head.version ? 4 : AT_MAGIC);
    if (memcmp(magic, head.version ? "ni2" : "ni1", 4) == 0)
        return file_fail(file, RO_E_UNSUPPORTED,
                         "a header whose numbers are in another file (.img); a single .nii is "
                         "read");
    if (memcmp(magic, head.version ? "n+2" : "n+1", 4) != 0)
        return file_fail(file, RO_E_FORMAT, "not a proper NIfTI-%d file", head.version + 1);
    status = read_type(file, &head, &array);
    if (status == RO_OK)
        status = read_shape(file, &head, &array);
    const double start = number_at(&head, START, 0);
    if (status == RO_OK && !(start >= (double)source->position && start <= LONGEST_SKIP))
        status =
            file_fail(file, RO_E_FORMAT, "not a proper NIfTI file: its numbers begin at %g", start);
    if (status == RO_OK)
        status = skip_extensions(source, &head, (uint64_t)start);
    if (status != RO_OK)
        return status;
    read_spacing(&head, &info);
    const double slope = number_at(&head, SLOPE, 0), intercept = number_at(&head, INTERCEPT, 0);
    if (slope != 0 && (slope != 1 || intercept != 0)) {
        info.slope = slope;
        info.intercept = intercept;
    }
    make_first(&head);
    info.header = head.first;
    info.header_size = HEADER;
    return array_decode(source, &array, page, &info, stage);
}

/* ---- Rows out ----------------------------------------------------------------------------- */

static void make_header(uint8_t *head, const ro_file_info *info)
{
    const int32_t size = HEADER;
    memcpy(head, &size, 4);
    head[38] = 'r'; /* as Analyze wanted it */
    for (size_t i = 0; i < 3; i++)
        put_number(head, SPACING, i + 1, info->spacing[i] > 0 ? info->spacing[i] : 1);
    put_number(head, SPACING, 0, 1);
    put_number(head, UNITS, 0,
               strcmp(info->unit, "m") == 0    ? 1
               : strcmp(info->unit, "mm") == 0 ? 2
               : strcmp(info->unit, "um") == 0 ? 3
                                               : 0);
    put_number(head, SLOPE, 0, info->slope);
    put_number(head, INTERCEPT, 0, info->intercept);
}

ro_status nifti_encode(struct byte_sink *sink, const ro_file_info *info,
                       const ro_write_options *options, struct row_encoder **encoder)
{
    (void)options;
    uint8_t head[DATA] = {0};
    const struct array_file array = array_of(info);
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
    memset(head + fields[DIM].at[0], 0, 16);
    put_number(head, DIM, 0, axes);
    put_number(head, DIM, 1, (double)array.width);
    put_number(head, DIM, 2, (double)array.height);
    for (int i = 0; i < DIMENSIONS - 2; i++) {
        const uint64_t size = i < array.outer_count ? array.outer[array.outer_count - 1 - i] : 1;
        if (size > INT16_MAX || array.outer_count > DIMENSIONS - 2)
            return file_fail(sink->file, RO_E_SIZE, "a NIfTI file holds 32767 pages at most");
        put_number(head, DIM, (size_t)i + 3, (double)size);
    }
    put_number(head, TYPE, 0, code);
    put_number(head, BITS, 0, 8 * array.bytes * array.channels);
    put_number(head, START, 0, DATA);
    memcpy(head + AT_MAGIC, "n+1", 4);
    ro_status status = array_encode(sink, info, encoder);
    return status == RO_OK ? sink_write(sink, head, DATA) : status;
}
