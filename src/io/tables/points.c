/* SPDX-License-Identifier: MIT */
/*
 * Clouds of points: PLY files, text or binary, and lists of numbers (.xyz, .csv), a point a line.
 * Columns and properties are told by their names; a list without a heading has x, y, z, and then an
 * amplitude, an amplitude and a phase, or red, green and blue.
 */
#include "core/checked.h"
#include "core/misuse.h"
#include "core/names.h"
#include "io/bytes/source.h"
#include "io/filters/convert.h"
#include "io/tables/columns.h"
#include "roundoff_io.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30, MOST_COLUMNS = 64 };

enum column { X, Y, Z, AMPLITUDE, INTENSITY, PHASE, DEGREES, RED, GREEN, BLUE, KINDS, OTHER = -1 };

static const struct column_name names[] = {
    {"x", X},
    {"y", Y},
    {"z", Z},
    {"depth", Z},
    {"amplitude", AMPLITUDE},
    {"intensity", INTENSITY},
    {"weight", INTENSITY},
    {"phase", PHASE},
    {"degrees", DEGREES},
    {"red", RED},
    {"green", GREEN},
    {"blue", BLUE},
    {"r", RED},
    {"g", GREEN},
    {"b", BLUE},
    {"diffuse_red", RED},
    {"diffuse_green", GREEN},
    {"diffuse_blue", BLUE},
};

enum type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT, DOUBLE, TYPES };

static const struct {
    const char *name, *other;
    int bytes;
} types[TYPES] = {
    {"char", "int8", 1}, {"uchar", "uint8", 1}, {"short", "int16", 2},   {"ushort", "uint16", 2},
    {"int", "int32", 4}, {"uint", "uint32", 4}, {"float", "float32", 4}, {"double", "float64", 8},
};

struct cloud {
    struct open_file file;
    enum column of[MOST_COLUMNS];
    enum type type[MOST_COLUMNS];
    int columns;
    bool has[KINDS];
    ro_scene_point *points;
    size_t count, room;
};

static void add_column(struct cloud *c, int column, enum type type)
{
    if (column != OTHER && c->has[column])
        column = OTHER; /* the first of two counts */
    if (column != OTHER)
        c->has[column] = true;
    c->type[c->columns] = type;
    c->of[c->columns++] = (enum column)column;
}

static ro_status add_point(struct cloud *c, const double *numbers)
{
    double of[KINDS] = {[AMPLITUDE] = 1};
    if (c->count == c->room) {
        const size_t room = c->room ? 2 * c->room : 1024;
        ro_scene_point *more = realloc(c->points, room * sizeof *more);
        if (!more)
            return file_no_memory(&c->file, room * sizeof *more);
        c->points = more;
        c->room = room;
    }
    for (int i = 0; i < c->columns; i++)
        if (c->of[i] != OTHER)
            of[c->of[i]] = numbers[i];
    for (int i = 0; i < KINDS; i++)
        if (!isfinite(of[i]))
            return file_fail(&c->file, RO_E_FORMAT, "point %zu holds a number that is none",
                             c->count + 1);
    if (c->has[INTENSITY] && !c->has[AMPLITUDE])
        of[AMPLITUDE] = sqrt(fmax(of[INTENSITY], 0));
    else if (c->has[RED] && c->has[GREEN] && c->has[BLUE] && !c->has[AMPLITUDE])
        of[AMPLITUDE] =
            sqrt(fmax(0.2126 * of[RED] + 0.7152 * of[GREEN] + 0.0722 * of[BLUE], 0) / 255);
    c->points[c->count++] = (ro_scene_point){
        of[X], of[Y], of[Z], of[AMPLITUDE],
        c->has[DEGREES] ? of[DEGREES] * (3.14159265358979323846 / 180) : of[PHASE]};
    return RO_OK;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* Names of columns with x, y and z among them. */
static bool read_heading(struct cloud *c, const char *line)
{
    int of[MOST_COLUMNS];
    const int count = columns_read(line, names, sizeof names / sizeof *names, of, MOST_COLUMNS);
    for (int i = 0; i < count; i++)
        add_column(c, of[i], DOUBLE);
    return count > 0 && c->has[X] && c->has[Y] && c->has[Z];
}

static bool usual_columns(struct cloud *c, int count)
{
    static const enum column usual[] = {X, Y, Z, AMPLITUDE, PHASE};
    static const enum column colours[] = {X, Y, Z, RED, GREEN, BLUE};
    if (count < 3 || count > 6)
        return false;
    for (int i = 0; i < count; i++)
        add_column(c, count == 6 ? colours[i] : usual[i], DOUBLE);
    return true;
}

static ro_status read_list(struct cloud *c, char *text)
{
    ro_status status = RO_OK;
    struct lines lines = lines_of(text, false);
    double numbers[MOST_COLUMNS] = {0};
    for (const char *line; status == RO_OK && (line = lines_next_row(&lines));) {
        if (c->columns == 0 && isalpha((unsigned char)*line)) {
            if (!read_heading(c, line))
                return file_fail(&c->file, RO_E_FORMAT,
                                 "line %d is not a heading with x, y and z among its columns",
                                 lines.number);
            continue;
        }
        const int count = numbers_read(line, numbers, MOST_COLUMNS);
        if (c->columns == 0 && !usual_columns(c, count))
            return file_fail(&c->file, RO_E_FORMAT,
                             "line %d is not a point: x, y, z, then an amplitude and a phase, "
                             "or red, green and blue",
                             lines.number);
        if (count != c->columns)
            return file_fail(&c->file, RO_E_FORMAT, "line %d is not a point of %d numbers",
                             lines.number, c->columns);
        status = add_point(c, numbers);
        if (status == RO_OK && lines.number % 4096 == 0)
            status = file_check_stop(&c->file);
    }
    return status;
}

/* ---- PLY ------------------------------------------------------------------------------------- */

struct ply {
    bool text, swapped;
    unsigned long long vertices;
};

static ro_status read_property(struct cloud *c, const char *line)
{
    char type[16], name[64];
    int found = 0;
    if (sscanf(line, "property %15s %63s", type, name) != 2 || ro_name_equal(type, "list"))
        return file_fail(&c->file, RO_E_UNSUPPORTED, "a vertex has a list: \"%.60s\"", line);
    while (found < TYPES && !ro_name_equal(type, types[found].name) &&
           !ro_name_equal(type, types[found].other))
        found++;
    if (found == TYPES || c->columns == MOST_COLUMNS)
        return file_fail(&c->file, RO_E_UNSUPPORTED, "cannot read the property \"%.60s\"", line);
    add_column(c, column_named(name, names, sizeof names / sizeof *names), (enum type)found);
    return RO_OK;
}

static ro_status read_header(struct cloud *c, struct lines *lines, struct ply *ply)
{
    char format[32] = "";
    bool vertex = false, before = true;
    ro_status status = RO_OK;
    for (char *line; status == RO_OK && (line = lines_next(lines));) {
        line += strspn(line, " \t\r");
        line[strcspn(line, "\r")] = '\0';
        if (strncmp(line, "format ", 7) == 0) {
            sscanf(line, "format %31s", format);
        } else if (strncmp(line, "element ", 8) == 0) {
            vertex = before && sscanf(line, "element vertex %llu", &ply->vertices) == 1;
            if (before && !vertex)
                status = file_fail(&c->file, RO_E_UNSUPPORTED,
                                   "the first element must be the vertices, not \"%.60s\"", line);
            before = false;
        } else if (vertex && strncmp(line, "property ", 9) == 0) {
            status = read_property(c, line);
        } else if (strcmp(line, "end_header") == 0) {
            ply->text = strcmp(format, "ascii") == 0;
            ply->swapped =
                strcmp(format, "binary_big_endian") == 0 ? little_endian() : !little_endian();
            if (!ply->text && strncmp(format, "binary_", 7) != 0)
                return file_fail(&c->file, RO_E_UNSUPPORTED, "has the unknown format %s", format);
            if (!c->has[X] || !c->has[Y] || !c->has[Z])
                return file_fail(&c->file, RO_E_FORMAT, "its vertices have no x, y and z");
            return RO_OK;
        }
    }
    return status == RO_OK ? file_fail(&c->file, RO_E_FORMAT, "its header does not end") : status;
}

static double sample(const char *bytes, enum type type, bool swapped)
{
    uint64_t whole = 0;
    const int size = types[type].bytes;
    for (int i = 0; i < size; i++) { /* the least significant byte first */
        const int at = swapped == little_endian() ? size - 1 - i : i;
        whole |= (uint64_t)(uint8_t)bytes[at] << (8 * i);
    }
    const uint32_t half = (uint32_t)whole;
    float single;
    double wide;
    memcpy(&single, &half, sizeof single);
    memcpy(&wide, &whole, sizeof wide);
    switch (type) {
    case INT8:
        return (int8_t)whole;
    case INT16:
        return (int16_t)whole;
    case INT32:
        return (int32_t)whole;
    case FLOAT:
        return single;
    case DOUBLE:
        return wide;
    default:
        return (double)whole;
    }
}

static ro_status read_vertices(struct cloud *c, struct lines *lines, const char *end,
                               const struct ply *ply)
{
    const char *text = lines->next;
    size_t bytes = 0;
    ro_status status = RO_OK;
    for (int i = 0; i < c->columns; i++)
        bytes += (size_t)types[c->type[i]].bytes;
    if (!ply->text && ply->vertices > (size_t)(end - text) / bytes)
        return file_ends_early(&c->file);
    double numbers[MOST_COLUMNS] = {0};
    for (unsigned long long k = 0; k < ply->vertices && status == RO_OK; k++) {
        if (ply->text) {
            const char *line = lines_next(lines);
            if (!line)
                return file_ends_early(&c->file);
            if (numbers_read(line + strspn(line, " \t\r"), numbers, MOST_COLUMNS) != c->columns)
                return file_fail(&c->file, RO_E_FORMAT, "vertex %llu is not %d numbers", k + 1,
                                 c->columns);
        }
        for (int i = 0; i < c->columns && !ply->text; i++) {
            numbers[i] = sample(text, c->type[i], ply->swapped);
            text += types[c->type[i]].bytes;
        }
        status = add_point(c, numbers);
        if (status == RO_OK && k % 4096 == 0)
            status = file_check_stop(&c->file);
    }
    return status;
}

/* ---- Files ----------------------------------------------------------------------------------- */

ro_status ro_points_load(ro_context *context, const char *path, ro_scene_point **points,
                         size_t *count, int *phases)
{
    if (points)
        *points = NULL;
    if (MISSING(context, path, points, count, phases))
        return RO_E_ARGUMENT;
    *count = 0;
    struct cloud c = {0};
    struct byte_source source = {.fd = -1};
    char *bytes = NULL;
    size_t size = 0;
    file_init(&c.file, context, path, "standard input");
    ro_status status = source_open(&source, &c.file, path);
    if (status == RO_OK)
        status = source_all(&source, MOST_BYTES, &bytes, &size);
    source_close(&source);
    const bool is_ply =
        status == RO_OK && (strncmp(bytes, "ply\n", 4) == 0 || strncmp(bytes, "ply\r", 4) == 0);
    if (is_ply) {
        struct ply ply = {0};
        struct lines lines = lines_of(bytes, false);
        status = read_header(&c, &lines, &ply);
        if (status == RO_OK)
            status = read_vertices(&c, &lines, bytes + size, &ply);
    } else if (status == RO_OK) {
        status = memchr(bytes, 0, size) ? file_fail(&c.file, RO_E_FORMAT, "is not text")
                                        : read_list(&c, bytes);
    }
    if (status == RO_OK && c.count == 0)
        status = file_fail(&c.file, RO_E_FORMAT, "has no points");
    free(bytes);
    if (status != RO_OK) {
        free(c.points);
        return status;
    }
    *points = c.points;
    *count = c.count;
    *phases = c.has[PHASE] || c.has[DEGREES];
    return RO_OK;
}
