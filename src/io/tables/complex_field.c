/* SPDX-License-Identifier: MIT */
/*
 * Fields of holograms: .npy of complex numbers or phases, and what is known of their physics in a
 * sidecar of JSON, all in metres:
 *
 *     {"wavelength": 6.35e-07, "pitch": 7.5e-07, "viewer": [0, 0, -0.036],
 *      "viewing_area": [0.0092, 0.0092], "depth": 0.091, "hogel": 2048}
 */
#include "core/checked.h"
#include "core/misuse.h"
#include "io/arrays/columns.h"
#include "io/arrays/npy_array.h"
#include "io/bytes/commit.h"
#include "io/bytes/sink.h"
#include "io/bytes/source.h"
#include "io/filters/convert.h"
#include "io/filters/stage.h"
#include "io/tables/json_file.h"
#include "roundoff_io_command.h"
#include "roundoff_io_pieces.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Sidecars ------------------------------------------------------------------------------ */

/* The name with .json for its ending; NULL without memory. */
static char *sidecar_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    int stem = dot ? (int)(dot - path) : (int)strlen(path);
    size_t size = (size_t)stem + 6;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s.json", stem, path);
    return name;
}

static void read_list(struct json_parser *json, double *values, int count)
{
    json_expect(json, '[');
    for (int i = 0; i < count; i++) {
        if (i)
            json_expect(json, ',');
        values[i] = json_read_number(json);
    }
    json_expect(json, ']');
}

static double read_length(struct json_parser *json, double most, const char *what)
{
    double length = json_read_number(json);
    if (!json->failed && !(length >= 1e-9 && length <= most))
        json_fail(json, what);
    return length;
}

/* One for both directions, or a list of two. */
static void read_pitch(struct json_parser *json, ro_optics *optics)
{
    static const char what[] = "the pitch is in metres, from 1e-9 to 1e-2";
    const bool two = json_take(json, '[');
    optics->pitch = read_length(json, 1e-2, what);
    if (two) {
        json_expect(json, ',');
        optics->pitch_y = read_length(json, 1e-2, what);
        json_expect(json, ']');
    }
}

static void read_member(struct json_parser *json, const char *name, ro_optics *optics, bool *report)
{
    if (strcmp(name, "wavelength") == 0) {
        optics->wavelength =
            read_length(json, 1e-3, "the wavelength is in metres, from 1e-9 to 1e-3");
    } else if (strcmp(name, "pitch") == 0) {
        read_pitch(json, optics);
    } else if (strcmp(name, "viewer") == 0) {
        read_list(json, optics->viewer, 3);
    } else if (strcmp(name, "viewing_area") == 0) {
        read_list(json, optics->viewing_area, 2);
    } else if (strcmp(name, "depth") == 0) {
        optics->depth = json_read_number(json);
    } else if (strcmp(name, "hogel") == 0) {
        double hogel = json_read_number(json);
        if (!(hogel >= 8 && hogel <= 1 << 20 && hogel == rint(hogel)))
            json_fail(json, "a hogel is a whole number of pixels, 8 or more");
        else
            optics->hogel = (uint32_t)hogel;
    } else if (strcmp(name, "command") == 0) {
        *report = true; /* or a certificate: what a run said, not what a field is */
        json_skip(json);
    } else {
        json_skip(json); /* whatever else a laboratory keeps there */
    }
}

static void read_optics(struct json_parser *json, ro_optics *optics, bool *report)
{
    char name[64];
    json_expect(json, '{');
    if (json->failed)
        return;
    if (!json_take(json, '}')) {
        do {
            json_read_text(json, name, sizeof name);
            json_expect(json, ':');
            if (json->failed)
                return;
            read_member(json, name, optics, report);
        } while (json_take(json, ','));
        json_expect(json, '}');
    }
    if (!json->failed && json_next(json) != '\0')
        json_fail(json, "something follows the object");
    if (!json->failed && optics->viewer[2] > 0)
        json_fail(json, "the viewer is in front of the hologram: its z must be negative");
    if (!json->failed && !(optics->viewing_area[0] >= 0 && optics->viewing_area[1] >= 0))
        json_fail(json, "the viewing area cannot be negative");
}

/* What is known already goes before what a sidecar says. */
static void fill_in(ro_optics *optics, const ro_optics *found)
{
    if (optics->wavelength == 0)
        optics->wavelength = found->wavelength;
    if (optics->pitch == 0) {
        optics->pitch = found->pitch;
        optics->pitch_y = found->pitch_y;
    }
    if (optics->viewer[2] == 0)
        memcpy(optics->viewer, found->viewer, sizeof found->viewer);
    if (optics->viewing_area[0] == 0)
        memcpy(optics->viewing_area, found->viewing_area, sizeof found->viewing_area);
    if (optics->depth == 0)
        optics->depth = found->depth;
    if (optics->hogel == 0)
        optics->hogel = found->hogel;
}

ro_status ro_optics_load(ro_context *context, const char *path, const char *sidecar,
                         ro_optics *optics)
{
    if (MISSING(context, path, optics))
        return RO_E_ARGUMENT;
    char *beside = sidecar ? NULL : sidecar_of(path);
    if (!sidecar && !beside)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a file name");
    ro_status status = RO_OK;
    const char *place = beside ? commit_place(context, beside) : NULL;
    if (sidecar || !place || access(place, F_OK) == 0) {
        struct json_parser json;
        char *text;
        ro_optics found = {0};
        bool report = false;
        status = json_load(context, sidecar ? sidecar : beside, &json, &text);
        if (status == RO_OK) {
            read_optics(&json, &found, &report);
            status = json.failed && !report ? RO_E_FORMAT : RO_OK;
        }
        if (status == RO_OK && report && sidecar)
            status = ro_context_fail(context, RO_E_FORMAT,
                                     "%s: is the report of a run, not the sidecar of a field",
                                     json.path);
        if (status == RO_OK && !report)
            fill_in(optics, &found);
        if (status == RO_OK && !report && (optics->wavelength == 0 || optics->pitch == 0))
            status = ro_context_fail(context, RO_E_FORMAT, "%s: %s is missing", json.path,
                                     optics->wavelength == 0 ? "wavelength" : "pitch");
        free(text);
    }
    free(beside);
    return status;
}

/* ---- Arrays -------------------------------------------------------------------------------- */

enum { LONGEST_SIDE = 1 << 20 };

static ro_status read_header(struct byte_source *source, struct npy_header *array)
{
    size_t have;
    ro_status status = source_peek(source, 6, &have);
    if (status != RO_OK)
        return status;
    if (have < 6 || memcmp(source->bytes + source->begin, "\x93NUMPY", 6) != 0)
        return file_fail(source->file, RO_E_FORMAT,
                         "is not a .npy file; a field is .npy of complex numbers or phases; to "
                         "reconstruct level numbers give levels");
    if ((status = npy_header(source, array)) != RO_OK)
        return status;
    if (!((array->kind == 'c' && (array->bytes == 8 || array->bytes == 16)) ||
          (array->kind == 'f' && (array->bytes == 4 || array->bytes == 8))))
        return file_fail(source->file, RO_E_UNSUPPORTED,
                         "a field is complex64 or complex128, or phases of float32 or float64; "
                         "level numbers need levels");
    const uint64_t *sizes = array->sizes;
    if (array->dimensions != 2 || !sizes[0] || !sizes[1] || sizes[0] > LONGEST_SIDE ||
        sizes[1] > LONGEST_SIDE)
        return file_fail(source->file, RO_E_UNSUPPORTED,
                         "a field has the shape (h, w), with sides from 1 to %d; this is %s",
                         LONGEST_SIDE, array->shape);
    return RO_OK;
}

static double element(const uint8_t *bytes, int size, bool swapped)
{
    uint64_t wide;
    uint32_t narrow;
    double value;
    float single;
    if (size == 4) {
        memcpy(&narrow, bytes, 4);
        narrow = swapped ? __builtin_bswap32(narrow) : narrow;
        memcpy(&single, &narrow, 4);
        return single;
    }
    memcpy(&wide, bytes, 8);
    wide = swapped ? __builtin_bswap64(wide) : wide;
    memcpy(&value, &wide, 8);
    return value;
}

static void convert_row(const struct npy_header *array, const uint8_t *from, float *to)
{
    const bool complex = array->kind == 'c';
    const int part = complex ? array->bytes / 2 : array->bytes;
    for (size_t x = 0; x < array->sizes[1]; x++, from += array->bytes) {
        double a = element(from, part, array->swapped);
        double b = complex ? element(from + part, part, array->swapped) : 0;
        to[2 * x] = (float)(complex ? a : cos(a));
        to[2 * x + 1] = (float)(complex ? b : sin(a));
    }
}

/* From where the source is on; by columns: all of them. */
static ro_status read_rows(struct byte_source *source, const struct npy_header *array,
                           const ro_field *field)
{
    struct column_reader columns = {0};
    size_t bytes = (size_t)array->bytes, row = (size_t)field->width * bytes;
    bool plain = array->kind == 'c' && bytes == 8 && !array->swapped;
    ro_status status = RO_OK;
    uint8_t *line = plain ? NULL : malloc(row);
    if (!plain && !line)
        return file_no_memory(source->file, row);
    if (array->by_columns)
        status = columns_open(&columns, source, bytes, 1, field->height, field->width, 1);
    for (uint32_t y = 0; y < field->height && status == RO_OK; y++) {
        float *to = (float *)((char *)field->data + (ptrdiff_t)y * field->stride);
        uint8_t *from = plain ? (uint8_t *)to : line;
        if (array->by_columns)
            columns_row(&columns, y, from);
        else
            status = source_need(source, from, row);
        if (status == RO_OK && !plain)
            convert_row(array, line, to);
        if (status == RO_OK && y % 64 == 0)
            status = file_check_stop(source->file);
    }
    columns_close(&columns);
    free(line);
    return status;
}

ro_status ro_hologram_load(ro_context *context, const char *path, const char *sidecar,
                           ro_field *field, ro_optics *optics)
{
    if (MISSING(context, path, field))
        return RO_E_ARGUMENT;
    struct open_file file;
    struct byte_source source = {.fd = -1};
    struct npy_header array = {0};
    *field = (ro_field){0};
    file_init(&file, context, path, "standard input");
    ro_status status = source_open(&source, &file, path);
    if (status == RO_OK)
        status = read_header(&source, &array);
    if (status == RO_OK) {
        const uint64_t pixels = array.sizes[0] * array.sizes[1];
        if (pixels * (uint64_t)array.bytes > source_left(&source))
            status = file_ends_early(&file);
        else if (pixels * 8 > memory_limit(&file))
            status = file_no_memory(&file, pixels * 8);
    }
    if (status == RO_OK)
        status = ro_field_alloc(context, (uint32_t)array.sizes[1], (uint32_t)array.sizes[0], field);
    if (status == RO_OK)
        status = read_rows(&source, &array, field);
    if (status == RO_OK && optics)
        status = ro_optics_load(context, path, sidecar, optics);
    source_close(&source);
    if (status != RO_OK)
        ro_field_free(field);
    return status;
}

/* ---- Rows from anywhere ---------------------------------------------------------------------- */

struct ro_field_reader {
    struct open_file file;
    struct byte_source source;
    struct npy_header array;
    uint64_t first; /* where the rows begin */
};

ro_status ro_field_reader_open(ro_context *context, const char *path, ro_field *shape,
                               ro_field_reader **reader)
{
    if (reader)
        *reader = NULL;
    if (MISSING(context, path, shape, reader))
        return RO_E_ARGUMENT;
    ro_field_reader *made = calloc(1, sizeof *made);
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to read %s", path);
    made->source.fd = -1;
    file_init(&made->file, context, path, "standard input");
    ro_status status = source_open(&made->source, &made->file, path);
    if (status == RO_OK)
        status = read_header(&made->source, &made->array);
    if (status == RO_OK && (made->array.by_columns || !made->source.seekable))
        status = file_fail(&made->file, RO_E_UNSUPPORTED,
                           "only a file whose rows lie one after another can be read from "
                           "anywhere");
    const uint64_t *sizes = made->array.sizes;
    if (status == RO_OK &&
        sizes[0] * sizes[1] * (uint64_t)made->array.bytes > source_left(&made->source))
        status = file_ends_early(&made->file);
    if (status != RO_OK) {
        ro_field_reader_close(made);
        return status;
    }
    made->first = made->source.position;
    *shape = (ro_field){.width = (uint32_t)sizes[1], .height = (uint32_t)sizes[0]};
    *reader = made;
    return RO_OK;
}

ro_status ro_field_reader_rows(ro_field_reader *reader, uint32_t y, const ro_field *rows)
{
    if (ABSENT(reader, rows) || MISSING(reader->file.context, rows->data))
        return RO_E_ARGUMENT;
    const struct npy_header *array = &reader->array;
    if (rows->width != array->sizes[1] || (uint64_t)y + rows->height > array->sizes[0])
        return file_fail(&reader->file, RO_E_SIZE, "has no rows %u to %llu of %u numbers", y,
                         (unsigned long long)y + rows->height, rows->width);
    const uint64_t row = array->sizes[1] * (uint64_t)array->bytes;
    const ro_status status = source_seek(&reader->source, reader->first + y * row);
    return status == RO_OK ? read_rows(&reader->source, array, rows) : status;
}

void ro_field_reader_close(ro_field_reader *reader)
{
    if (reader)
        source_close(&reader->source);
    free(reader);
}

/* ---- Saving -------------------------------------------------------------------------------- */

struct ro_field_writer {
    struct open_file file;
    struct byte_sink sink;
    uint32_t width, height, rows; /* that have come */
    char *path;
    bool own;         /* the commit is ours */
    ro_status status; /* of the first row that could not be written */
};

static ro_status write_header(struct byte_sink *sink, uint32_t width, uint32_t height)
{
    enum { PREFIX = 10, HEADER = 128 };
    char header[HEADER];
    memset(header, ' ', sizeof header);
    int used = snprintf(header + PREFIX, sizeof header - PREFIX,
                        "{'descr': '%cc8', 'fortran_order': False, 'shape': (%u, %u), }",
                        little_endian() ? '<' : '>', height, width);
    header[PREFIX + used] = ' ';
    header[HEADER - 1] = '\n';
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(HEADER - PREFIX);
    header[9] = 0;
    return sink_write(sink, header, sizeof header);
}

static ro_status save_optics(ro_context *context, const char *path, const ro_optics *o)
{
    char pitch[64], view[256] = "", depth[64] = "", hogel[32] = "", text[512];
    char *name = sidecar_of(path);
    if (!name)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a file name");
    if (o->pitch_y != 0 && o->pitch_y != o->pitch)
        snprintf(pitch, sizeof pitch, "[%.9g, %.9g]", o->pitch, o->pitch_y);
    else
        snprintf(pitch, sizeof pitch, "%.9g", o->pitch);
    if (o->viewer[2] < 0)
        snprintf(view, sizeof view,
                 ", \"viewer\": [%.9g, %.9g, %.9g],\n \"viewing_area\": [%.9g, %.9g]", o->viewer[0],
                 o->viewer[1], o->viewer[2], o->viewing_area[0], o->viewing_area[1]);
    if (o->depth != 0)
        snprintf(depth, sizeof depth, ", \"depth\": %.9g", o->depth);
    if (o->hogel)
        snprintf(hogel, sizeof hogel, ", \"hogel\": %u", o->hogel);
    int size = snprintf(text, sizeof text, "{\"wavelength\": %.9g, \"pitch\": %s%s%s%s}\n",
                        o->wavelength, pitch, view, depth, hogel);
    ro_status status = ro_bytes_save(context, name, text, (size_t)size);
    free(name);
    return status;
}

ro_status ro_field_writer_open(ro_context *context, const char *path, uint32_t width,
                               uint32_t height, ro_field_writer **writer)
{
    if (writer)
        *writer = NULL;
    if (MISSING(context, path, writer))
        return RO_E_ARGUMENT;
    const char *dot = strrchr(path, '.');
    if (!dot || strcmp(dot, ".npy") != 0)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "%s: a field must be written as .npy",
                               path);
    ro_field_writer *w = calloc(1, sizeof *w);
    char *copy = strdup(path);
    if (!w || !copy) {
        free(w);
        free(copy);
        return ro_context_fail(context, RO_E_MEMORY, "no memory to write a field");
    }
    w->path = copy;
    w->width = width;
    w->height = height;
    file_init(&w->file, context, w->path, "standard output");
    ro_status status = commit_own_begin(context, &w->own);
    if (status == RO_OK) {
        status = sink_open(&w->sink, &w->file, w->path);
        if (status == RO_OK)
            status = write_header(&w->sink, width, height);
        if (status == RO_OK) {
            *writer = w;
            return RO_OK;
        }
        sink_close(&w->sink);
        status = commit_own_end(context, w->own, status);
    }
    free(w->path);
    free(w);
    return status;
}

ro_status ro_field_writer_row(ro_field_writer *w, const float *row)
{
    if (ABSENT(w, row))
        return RO_E_ARGUMENT;
    if (w->status != RO_OK)
        return ro_context_fail(w->file.context, w->status, "%s", w->file.message);
    if (w->rows == w->height)
        return file_fail(&w->file, RO_E_ARGUMENT, "has all of its %u rows", w->height);
    w->rows++;
    return w->status = sink_write(&w->sink, row, (size_t)w->width * 8);
}

ro_status ro_field_writer_close(ro_field_writer *w, const ro_optics *optics, ro_status status)
{
    if (!w)
        return status;
    ro_context *context = w->file.context;
    if (status == RO_OK && w->status != RO_OK)
        status = ro_context_fail(context, w->status, "%s", w->file.message);
    if (status == RO_OK && w->rows < w->height)
        status = file_fail(&w->file, RO_E_ARGUMENT, "has %u of its %u rows", w->rows, w->height);
    if (status == RO_OK)
        status = sink_commit(&w->sink);
    sink_close(&w->sink);
    if (status == RO_OK && optics)
        status = save_optics(context, w->path, optics);
    status = commit_own_end(context, w->own, status);
    free(w->path);
    free(w);
    return status;
}

ro_status ro_hologram_save(ro_context *context, const char *path, const ro_field *field,
                           const ro_optics *optics)
{
    if (MISSING(context, path, field))
        return RO_E_ARGUMENT;
    ro_field_writer *writer;
    ro_status status = ro_field_writer_open(context, path, field->width, field->height, &writer);
    for (uint32_t y = 0; y < field->height && status == RO_OK; y++)
        status = ro_field_writer_row(
            writer, (const float *)((const char *)field->data + (ptrdiff_t)y * field->stride));
    return ro_field_writer_close(writer, optics, status);
}
