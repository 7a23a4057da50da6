/* SPDX-License-Identifier: MIT */
/* Contours as text: SVG for a picture, GeoJSON for programs that measure. */
#include "io/bytes/sink.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct text {
    struct open_file file;
    struct byte_sink sink;
    ro_status status;
};

#define print(text, ...) sink_print(&(text)->sink, &(text)->status, __VA_ARGS__)

static const char *const colours[] = {"#ff3030", "#00d25a", "#408cff", "#ffc800"};

static void write_svg(struct text *text, const ro_polyline *lines, size_t count, uint32_t width,
                      uint32_t height)
{
    print(text,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
          "viewBox=\"0 0 %u %u\" fill=\"none\">\n",
          width, height, width, height);
    for (size_t i = 0; i < count; i++) {
        print(text, "<path class=\"label%d\" stroke=\"%s\" d=\"M", lines[i].label,
              colours[((unsigned)lines[i].label - 1) & 3]);
        for (size_t k = 0; k < lines[i].count; k++)
            print(text, "%s%.3f %.3f", k ? k % 8 ? "L" : "\nL" : "", lines[i].points[2 * k] + 0.5,
                  lines[i].points[2 * k + 1] + 0.5);
        print(text, "%s\"/>\n", lines[i].closed ? "Z" : "");
    }
    print(text, "</svg>\n");
}

/* ---- GeoJSON: a label is a MultiPolygon, holes and all --------------------------------------- */

/* Backwards: the rule is counterclockwise for outlines where y points up. */
static void print_ring(struct text *text, const ro_polyline *line, const char *before)
{
    print(text, "%s[", before);
    for (size_t k = 0; k <= line->count; k++) {
        const double *point = line->points + 2 * ((2 * line->count - 1 - k) % line->count);
        print(text, "%s[%.4f, %.4f]", k ? k % 6 ? ", " : ",\n" : "", point[0], point[1]);
    }
    print(text, "]");
}

/* Is negative for outlines and positive for holes. */
static double area_of(const ro_polyline *line)
{
    double sum = 0;
    for (size_t k = 0; k < line->count; k++) {
        const double *a = line->points + 2 * k, *b = line->points + 2 * ((k + 1) % line->count);
        sum += a[0] * b[1] - b[0] * a[1];
    }
    return sum / 2;
}

/* Whether a way from the point to the right crosses the line an odd number of times. */
static bool holds(const ro_polyline *line, const double *point)
{
    bool inside = false;
    for (size_t k = 0; k < line->count; k++) {
        const double *a = line->points + 2 * k, *b = line->points + 2 * ((k + 1) % line->count);
        if ((a[1] > point[1]) != (b[1] > point[1]) &&
            point[0] < a[0] + (point[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
            inside = !inside;
    }
    return inside;
}

/* The smallest outline round a hole, of lines of one label; -1: there is none. */
static ptrdiff_t outline_of(const ro_polyline *hole, const ro_polyline *const *lines,
                            const double *areas, size_t count)
{
    ptrdiff_t found = -1;
    for (size_t i = 0; i < count; i++)
        if (areas[i] < 0 && (found < 0 || areas[i] > areas[found]) && holds(lines[i], hole->points))
            found = (ptrdiff_t)i;
    return found;
}

static void print_polygons(struct text *text, const ro_polyline *const *lines, size_t count)
{
    double *areas = malloc(count * sizeof *areas);
    ptrdiff_t *outline = malloc(count * sizeof *outline);
    if (!areas || !outline)
        text->status = file_fail(&text->file, RO_E_MEMORY, "no memory for polygons");
    for (size_t i = 0; i < count && text->status == RO_OK; i++)
        areas[i] = area_of(lines[i]);
    for (size_t i = 0; i < count && text->status == RO_OK; i++)
        outline[i] = areas[i] < 0 ? -1 : outline_of(lines[i], lines, areas, count);
    print(text, "{\"type\": \"Feature\", \"properties\": {\"label\": %d}, ", lines[0]->label);
    print(text, "\"geometry\": {\"type\": \"MultiPolygon\", \"coordinates\": [");
    const char *between = "";
    for (size_t i = 0; i < count && text->status == RO_OK; i++) {
        if (areas[i] >= 0)
            continue;
        print(text, "%s[", between);
        print_ring(text, lines[i], "");
        for (size_t k = 0; k < count; k++)
            if (outline[k] == (ptrdiff_t)i)
                print_ring(text, lines[k], ",\n");
        print(text, "]");
        between = ",\n";
    }
    print(text, "]}}");
    free(areas);
    free(outline);
}

/* By label, and of equal labels as they came. */
static int compare_lines(const void *a, const void *b)
{
    const ro_polyline *p = *(const ro_polyline *const *)a, *q = *(const ro_polyline *const *)b;
    return p->label != q->label ? (p->label < q->label ? -1 : 1) : p < q ? -1 : p > q;
}

static void write_geojson(struct text *text, const ro_polyline *lines, size_t count, uint32_t width,
                          uint32_t height)
{
    const ro_polyline **sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted) {
        text->status = file_fail(&text->file, RO_E_MEMORY, "no memory for polygons");
        return;
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = &lines[i];
    qsort(sorted, count, sizeof *sorted, compare_lines);
    print(text, "{\"type\": \"FeatureCollection\", \"bbox\": [-0.5, -0.5, %.1f, %.1f], ",
          width - 0.5, height - 0.5);
    print(text, "\"features\": [");
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && sorted[next]->label == sorted[i]->label; next++)
            ;
        print(text, i ? ",\n" : "\n");
        print_polygons(text, sorted + i, next - i);
    }
    print(text, "\n]}\n");
    free(sorted);
}

/* Polygons are made of closed lines of at least three points. */
static ro_status check_polygons(struct open_file *file, const ro_polyline *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!lines[i].closed || lines[i].count < 3)
            return file_fail(file, RO_E_ARGUMENT,
                             "line %zu is no polygon: it is open or has fewer than 3 points", i);
    return RO_OK;
}

static const struct kind {
    const char *ending;
    void (*write)(struct text *text, const ro_polyline *lines, size_t count, uint32_t width,
                  uint32_t height);
} kinds[] = {{"svg", write_svg}, {"geojson", write_geojson}, {"json", write_geojson}};

static ro_status find_kind(struct open_file *file, const char *path, const struct kind **kind)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
        if (strcasecmp(dot + 1, kinds[i].ending) == 0) {
            *kind = &kinds[i];
            return RO_OK;
        }
    return file_fail(file, RO_E_ARGUMENT, "contours are written as .svg or .geojson");
}

ro_status ro_contours_accepts(ro_context *context, const char *path)
{
    if (file_named(context, path) != RO_OK)
        return RO_E_ARGUMENT;
    struct open_file file;
    const struct kind *kind;
    file_init(&file, context, path, "standard output");
    ro_status status = find_kind(&file, path, &kind);
    return status == RO_OK ? sink_check(&file, path) : status;
}

static ro_status check_lines(ro_context *context, const ro_polyline *lines, size_t count)
{
    const double most = 1e10; /* beyond any picture */
    if (count && !lines)
        return ro_context_fail(context, RO_E_ARGUMENT, "contours: there are no lines");
    for (size_t i = 0; i < count; i++) {
        if (lines[i].count == 0 || !lines[i].points)
            return ro_context_fail(context, RO_E_ARGUMENT, "contours: line %zu has no points", i);
        for (size_t k = 0; k < 2 * lines[i].count; k++)
            if (!(fabs(lines[i].points[k]) <= most))
                return ro_context_fail(context, RO_E_ARGUMENT,
                                       "contours: line %zu has a point at %g, which is in no image",
                                       i, lines[i].points[k]);
    }
    return RO_OK;
}

ro_status ro_contours_save(ro_context *context, const char *path, const ro_polyline *lines,
                           size_t count, uint32_t width, uint32_t height)
{
    if (file_named(context, path) != RO_OK)
        return RO_E_ARGUMENT;
    const ro_status checked = check_lines(context, lines, count);
    if (checked != RO_OK)
        return checked;
    struct text text = {.sink = {.fd = -1}};
    const struct kind *kind = NULL;
    file_init(&text.file, context, path, "standard output");
    text.status = find_kind(&text.file, path, &kind);
    if (text.status == RO_OK && kind->write == write_geojson)
        text.status = check_polygons(&text.file, lines, count);
    if (text.status == RO_OK)
        text.status = sink_open(&text.sink, &text.file, path);
    if (text.status == RO_OK)
        kind->write(&text, lines, count, width, height);
    if (text.status == RO_OK)
        text.status = sink_commit(&text.sink);
    sink_close(&text.sink);
    return text.status;
}
