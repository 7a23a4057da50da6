/* SPDX-License-Identifier: MIT */
/*
 * NRRD: lines "field: value" up to an empty one, then numbers, raw or as gzip, the first axis
 * running fastest. The first axis may be three colours. What the header says beside shape and type
 * is passed on to NRRD files that are written.
 */
#include "io/arrays/array.h"
#include "io/bytes/inflate.h"
#include "io/filters/convert.h"
#include "io/filters/samples.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_HEADER = 1 << 15, LONGEST_LINE = 1 << 12, DIMENSIONS = 10 };

static const struct {
    const char *names[4]; /* the first is written */
    char kind;
    int bytes;
} types[] = {
    {{"uint8", "uchar", "unsigned char", "uint8_t"}, 'u', 1},
    {{"int8", "signed char", "int8_t"}, 'i', 1},
    {{"int16", "short", "short int", "int16_t"}, 'i', 2},
    {{"uint16", "ushort", "unsigned short", "uint16_t"}, 'u', 2},
    {{"int32", "int", "signed int", "int32_t"}, 'i', 4},
    {{"uint32", "uint", "unsigned int", "uint32_t"}, 'u', 4},
    {{"int64", "longlong", "long long", "int64_t"}, 'i', 8},
    {{"uint64", "ulonglong", "unsigned long long", "uint64_t"}, 'u', 8},
    {{"float"}, 'f', 4},
    {{"double"}, 'f', 8},
};
enum { TYPES = sizeof types / sizeof *types };

struct nrrd {
    char kind;
    int bytes;
    int dimensions;
    int sizes_count;
    uint64_t sizes[DIMENSIONS];
    double spacing[DIMENSIONS]; /* 0: not stated */
    bool big, colour, gzip;
    bool known_encoding;
    long long skip;
    char *text; /* the lines, to be freed */
    size_t length;
};

static ro_status bad(struct ro_file *file, const char *what, const char *value)
{
    return file_fail(file, RO_E_FORMAT, "not a proper NRRD file: %s %.60s", what, value);
}

static ro_status read_sizes(struct ro_file *file, const char *value, struct nrrd *nrrd)
{
    const char *at = value;
    char *end;
    for (nrrd->sizes_count = 0;; at = end) {
        while (isspace((unsigned char)*at))
            at++;
        if (!*at)
            break;
        const long long size = strtoll(at, &end, 10);
        if (end == at || (*end && !isspace((unsigned char)*end)) || size < 1 ||
            size > INT64_C(1) << 40 || nrrd->sizes_count == DIMENSIONS)
            return bad(file, "sizes", value);
        nrrd->sizes[nrrd->sizes_count++] = (uint64_t)size;
    }
    return nrrd->sizes_count ? RO_OK : bad(file, "sizes", value);
}

/* Numbers, or the lengths of vectors "(1,0,0)"; "none" and "nan" state nothing. */
static void read_spacings(const char *value, struct nrrd *nrrd)
{
    for (int axis = 0; axis < DIMENSIONS && *value; axis++) {
        double sum = 0;
        value += strspn(value, " \t");
        const bool vector = *value == '(';
        value += vector;
        for (;;) {
            char *end;
            const double number = strtod(value, &end);
            if (end == value)
                break;
            sum += number * number;
            value = end + (vector && *end == ',');
            if (!vector)
                break;
        }
        nrrd->spacing[axis] = isfinite(sum) ? sqrt(sum) : 0;
        value += strcspn(value, " \t");
    }
}

static ro_status take_field(struct ro_file *file, const char *name, const char *value,
                            struct nrrd *nrrd)
{
    if (strcmp(name, "type") == 0) {
        for (int i = 0; i < TYPES; i++)
            for (int k = 0; k < 4 && types[i].names[k]; k++)
                if (strcmp(value, types[i].names[k]) == 0) {
                    nrrd->kind = types[i].kind;
                    nrrd->bytes = types[i].bytes;
                }
        return nrrd->kind ? RO_OK
                          : file_fail(file, RO_E_UNSUPPORTED,
                                      "NRRD data of type %.60s cannot be read", value);
    }
    if (strcmp(name, "dimension") == 0) {
        nrrd->dimensions = atoi(value);
        return nrrd->dimensions >= 1 && nrrd->dimensions <= DIMENSIONS
                   ? RO_OK
                   : bad(file, "dimension", value);
    }
    if (strcmp(name, "sizes") == 0)
        return read_sizes(file, value, nrrd);
    if (strcmp(name, "spacings") == 0 || strcmp(name, "space directions") == 0)
        read_spacings(value, nrrd);
    else if (strcmp(name, "endian") == 0)
        nrrd->big = strcmp(value, "big") == 0;
    else if (strcmp(name, "kinds") == 0)
        nrrd->colour = strncasecmp(value, "RGB-color", 9) == 0 ||
                       strncasecmp(value, "3-color", 7) == 0 ||
                       strncasecmp(value, "vector", 6) == 0;
    else if (strcmp(name, "data file") == 0 || strcmp(name, "datafile") == 0)
        return file_fail(file, RO_E_UNSUPPORTED,
                         "a header whose numbers are in another file; a single .nrrd is read");
    else if (strcmp(name, "byte skip") == 0 || strcmp(name, "byteskip") == 0)
        nrrd->skip = atoll(value);
    else if (strcmp(name, "line skip") == 0 || strcmp(name, "lineskip") == 0)
        return atoll(value) == 0 ? RO_OK
                                 : file_fail(file, RO_E_UNSUPPORTED,
                                             "NRRD data that follow a line skip of %.60s", value);
    else if (strcmp(name, "encoding") == 0) {
        nrrd->gzip = strcmp(value, "gzip") == 0 || strcmp(value, "gz") == 0;
        nrrd->known_encoding = nrrd->gzip || strcmp(value, "raw") == 0;
        if (!nrrd->known_encoding)
            return file_fail(file, RO_E_UNSUPPORTED,
                             "NRRD data as %.60s cannot be read; raw and gzip can", value);
    }
    return RO_OK;
}

/* Reads a line without its end; *last: it is empty, which ends the header. */
static ro_status read_line(struct ro_source *source, char *line, bool *last)
{
    ro_status status = RO_OK;
    size_t length = 0;
    int byte;
    while ((byte = source_byte(source, &status)) >= 0 && byte != '\n') {
        if (length == LONGEST_LINE - 1 || byte == 0)
            return bad(source->file, "a line", "that never ends");
        line[length++] = (char)byte;
    }
    if (length > 0 && line[length - 1] == '\r')
        length--;
    line[length] = '\0';
    *last = length == 0;
    if (status == RO_OK && byte < 0 && length == 0)
        status = file_ends_early(source->file);
    return status;
}

/* Lines that a writer passes on: not those that it states itself. */
static bool is_passed_on(const char *line)
{
    static const char *const own[] = {
        "type:",     "dimension:", "sizes:",    "encoding:", "endian:", "byte skip:",
        "byteskip:", "line skip:", "lineskip:", "kinds:",    "content:"};
    for (size_t i = 0; i < sizeof own / sizeof *own - 1; i++)
        if (strncmp(line, own[i], strlen(own[i])) == 0)
            return false;
    return true;
}

static ro_status keep_line(struct ro_source *source, struct nrrd *nrrd, const char *line)
{
    const size_t length = strlen(line);
    if (!is_passed_on(line))
        return RO_OK;
    if (nrrd->length + length + 2 > LONGEST_HEADER)
        return bad(source->file, "a header", "that is too long");
    char *more = realloc(nrrd->text, nrrd->length + length + 2);
    if (!more)
        return file_no_memory(source->file, length);
    nrrd->text = more;
    memcpy(more + nrrd->length, line, length);
    more[nrrd->length + length] = '\n';
    nrrd->length += length + 1;
    nrrd->text[nrrd->length] = '\0';
    return RO_OK;
}

static ro_status read_header(struct ro_source *source, struct nrrd *nrrd)
{
    char line[LONGEST_LINE];
    bool last = false;
    ro_status status = read_line(source, line, &last);
    if (status == RO_OK && strncmp(line, "NRRD000", 7) != 0)
        return bad(source->file, "version", line);
    for (int i = 0; status == RO_OK; i++) {
        status = read_line(source, line, &last);
        if (status != RO_OK || last)
            break;
        char *colon = strstr(line, ": ");
        if (i > 1000)
            return bad(source->file, "a header", "that is too long");
        if (*line == '#' || (colon && colon > line) || strstr(line, ":="))
            status = keep_line(source, nrrd, line);
        if (status != RO_OK || *line == '#' || !colon)
            continue;
        *colon = '\0';
        const char *value = colon + 2 + strspn(colon + 2, " \t");
        status = take_field(source->file, line, value, nrrd);
    }
    return status;
}

static ro_status shape_of(struct ro_file *file, const struct nrrd *nrrd, struct ro_array *array)
{
    const uint64_t *sizes = nrrd->sizes;
    int axes = nrrd->sizes_count;
    if (!nrrd->kind || !nrrd->known_encoding || axes == 0 || axes != nrrd->dimensions)
        return bad(file, "type, dimension, sizes or encoding",
                   "is missing, or they do not fit each other");
    array->channels = 1;
    if (nrrd->colour) {
        if (sizes[0] != 3 && sizes[0] != 1)
            return file_fail(file, RO_E_UNSUPPORTED, "pixels of %llu numbers; 1 and 3 are read",
                             (unsigned long long)sizes[0]);
        array->channels = (int)sizes[0];
        sizes++;
        axes--;
    }
    if (axes < 1 || axes - 2 > RO_OUTER_AXES)
        return file_fail(file, RO_E_UNSUPPORTED, "%d axes cannot be read", nrrd->dimensions);
    array->kind = nrrd->kind;
    array->bytes = nrrd->bytes;
    array->swapped = nrrd->bytes > 1 && nrrd->big == little_endian();
    array->width = sizes[0];
    array->height = axes > 1 ? sizes[1] : 1;
    for (int i = axes - 1; i >= 2; i--)
        array->outer[array->outer_count++] = sizes[i];
    return RO_OK;
}

ro_status nrrd_decode(struct ro_source *source, unsigned page, struct ro_stage **stage)
{
    struct nrrd nrrd = {0};
    struct ro_array array = {0};
    ro_file_info info = {0};
    ro_status status = read_header(source, &nrrd);
    if (status == RO_OK)
        status = shape_of(source->file, &nrrd, &array);
    if (status == RO_OK && nrrd.gzip)
        status = source_unpack_from(source, RO_GZIP_WITHIN, source->position, RO_SIZE_UNKNOWN,
                                    RO_SIZE_UNKNOWN);
    if (status == RO_OK && nrrd.skip < 0)
        status = bad(source->file, "byte skip", "below 0");
    if (status == RO_OK && nrrd.skip > 0)
        status = source_skip(source, (uint64_t)nrrd.skip);
    memcpy(info.spacing, nrrd.spacing + nrrd.colour, sizeof info.spacing);
    info.header = nrrd.text;
    info.header_size = nrrd.length;
    if (status == RO_OK)
        status = array_decode(source, &array, page, &info, stage);
    free(nrrd.text);
    return status;
}

/* ---- Rows out ----------------------------------------------------------------------------- */

ro_status nrrd_encode(struct ro_sink *sink, const ro_file_info *info,
                      const ro_write_options *options, struct ro_encoder **encoder)
{
    (void)options;
    char text[1024];
    const struct ro_array array = array_of(info);
    const bool colour = array.channels == 3;
    const char *type = NULL;
    int used = 0;
    for (int i = 0; i < TYPES; i++)
        if (types[i].kind == array.kind && types[i].bytes == array.bytes)
            type = types[i].names[0];
    if (!type)
        return file_fail(sink->file, RO_E_UNSUPPORTED, "a .nrrd file cannot hold %s",
                         ro_sample_name(info->sample));
    const int axes = 2 + array.outer_count + colour;
    used += snprintf(text, sizeof text, "NRRD0004\ntype: %s\ndimension: %d\nsizes:%s %u %u", type,
                     axes, colour ? " 3" : "", info->width, info->height);
    for (int i = array.outer_count - 1; i >= 0; i--)
        used += snprintf(text + used, sizeof text - (size_t)used, " %u", (unsigned)array.outer[i]);
    used +=
        snprintf(text + used, sizeof text - (size_t)used, "\nencoding: raw\nendian: %s\nkinds:%s",
                 little_endian() ? "little" : "big", colour ? " RGB-color" : "");
    for (int i = colour; i < axes; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " domain");
    used += snprintf(text + used, sizeof text - (size_t)used, "\n");
    if (!info->header && info->spacing[0] > 0 && info->spacing[1] > 0) {
        used +=
            snprintf(text + used, sizeof text - (size_t)used, "spacings:%s", colour ? " nan" : "");
        for (int i = 0; i < axes - colour; i++) {
            const double spacing = i < 3 ? info->spacing[i] : 0;
            used += spacing > 0
                        ? snprintf(text + used, sizeof text - (size_t)used, " %.17g", spacing)
                        : snprintf(text + used, sizeof text - (size_t)used, " nan");
        }
        used += snprintf(text + used, sizeof text - (size_t)used, "\n");
    }
    ro_status status = array_encode(sink, info, encoder);
    if (status == RO_OK)
        status = sink_write(sink, text, (size_t)used);
    if (status == RO_OK && info->header)
        status = sink_write(sink, info->header, info->header_size);
    return status == RO_OK ? sink_write(sink, "\n", 1) : status;
}
