/* SPDX-License-Identifier: MIT */
#include "io/arrays/nrrd_header.h"

#include "io/bytes/inflate.h"
#include "io/filters/convert.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_HEADER = 1 << 15, LONGEST_LINE = 1 << 12 };

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

const char *nrrd_type_name(char kind, int bytes)
{
    for (int i = 0; i < TYPES; i++)
        if (types[i].kind == kind && types[i].bytes == bytes)
            return types[i].names[0];
    return NULL;
}

static ro_status bad(struct open_file *file, const char *what, const char *value)
{
    return file_fail(file, RO_E_FORMAT, "not a proper NRRD file: %s %.60s", what, value);
}

static ro_status read_sizes(struct open_file *file, const char *value, struct nrrd *nrrd)
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
            size > INT64_C(1) << 40 || nrrd->sizes_count == NRRD_DIMENSIONS)
            return bad(file, "sizes", value);
        nrrd->sizes[nrrd->sizes_count++] = (uint64_t)size;
    }
    return nrrd->sizes_count ? RO_OK : bad(file, "sizes", value);
}

/* Reads numbers or vectors "(1,0,0)", one per axis; "none" and "nan" state nothing. */
static void read_spacings(const char *value, struct nrrd *nrrd)
{
    int place = 0; /* of the axis in space */
    for (int axis = 0; axis < NRRD_DIMENSIONS && *value; axis++) {
        double sum = 0;
        value += strspn(value, " \t");
        const bool vector = *value == '(';
        value += vector;
        for (int i = 0;; i++) {
            char *end;
            const double number = strtod(value, &end);
            if (end == value)
                break;
            sum += number * number;
            nrrd->turned |= vector && i != place ? number != 0 : number <= 0;
            value = end + (vector && *end == ',');
            if (!vector)
                break;
        }
        place += vector;
        nrrd->spacing[axis] = isfinite(sum) ? sqrt(sum) : 0;
        value += strcspn(value, " \t");
    }
}

static ro_status take_field(struct open_file *file, const char *name, const char *value,
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
        return nrrd->dimensions >= 1 && nrrd->dimensions <= NRRD_DIMENSIONS
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
        return atoll(value) == 0
                   ? RO_OK
                   : file_fail(file, RO_E_UNSUPPORTED,
                               "NRRD data behind a line skip of %.60s cannot be read", value);
    else if (strcmp(name, "encoding") == 0) {
        nrrd->gzip = strcmp(value, "gzip") == 0 || strcmp(value, "gz") == 0;
        nrrd->known_encoding = nrrd->gzip || strcmp(value, "raw") == 0;
        if (!nrrd->known_encoding)
            return file_fail(file, RO_E_UNSUPPORTED,
                             "NRRD data as %.60s cannot be read; raw and gzip can", value);
    }
    return RO_OK;
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

static ro_status keep_line(struct byte_source *source, struct nrrd *nrrd, const char *line)
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

ro_status nrrd_read_header(struct byte_source *source, struct nrrd *nrrd)
{
    char line[LONGEST_LINE];
    *nrrd = (struct nrrd){0};
    ro_status status = source_line(source, line, sizeof line);
    if (status == RO_OK && strncmp(line, "NRRD000", 7) != 0)
        return bad(source->file, "version", line);
    for (int i = 0; status == RO_OK; i++) {
        status = source_line(source, line, sizeof line);
        if (status != RO_OK || !*line)
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
    if (status == RO_OK && (!nrrd->kind || !nrrd->known_encoding || nrrd->sizes_count == 0 ||
                            nrrd->sizes_count != nrrd->dimensions))
        return bad(source->file, "type, dimension, sizes or encoding",
                   "is missing, or they do not fit each other");
    return status;
}

ro_status nrrd_open_numbers(struct byte_source *source, const struct nrrd *nrrd,
                            struct array_file *array)
{
    ro_status status = RO_OK;
    array->kind = nrrd->kind;
    array->bytes = nrrd->bytes;
    array->swapped = nrrd->bytes > 1 && nrrd->big == little_endian();
    if (nrrd->gzip)
        status = source_unpack_from(source, RO_GZIP_WITHIN, source->position, RO_SIZE_UNKNOWN,
                                    RO_SIZE_UNKNOWN);
    if (status == RO_OK && nrrd->skip < 0)
        status = bad(source->file, "byte skip", "below 0");
    if (status == RO_OK && nrrd->skip > 0)
        status = source_skip(source, (uint64_t)nrrd->skip);
    return status;
}
