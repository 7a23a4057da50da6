/* SPDX-License-Identifier: MIT */
/*
 * Maps of a plane as text: JSON, a transform of ITK's (.tfm), or the matrix in three lines (.txt).
 * All lead from pixels of the fixed image to those of the moving one, as ITK's do. ITK's have no
 * perspective.
 */
#include "core/misuse.h"
#include "io/json/json.h"
#include "io/tables/columns.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_BYTES = 1 << 16, WRITTEN = 1024 };

static bool ends_in(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ending) == 0;
}

int ro_map_named(const char *path)
{
    return path && (ends_in(path, ".json") || ends_in(path, ".tfm") || ends_in(path, ".txt"));
}

/* ---- Out ------------------------------------------------------------------------------------- */

static void print_json(const char *transform, const double m[9], uint32_t width, uint32_t height,
                       char *text)
{
    snprintf(text, WRITTEN,
             "{\"transform\": \"%s\",\n \"map\": [[%.17g, %.17g, %.17g],\n         [%.17g, %.17g, "
             "%.17g],\n         [%.17g, %.17g, %.17g]],\n \"width\": %u, \"height\": %u}\n",
             transform, m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], width, height);
}

/* The kinds of ITK's transforms, each with its own numbers. */
static void print_itk(const char *transform, const double m[9], char *text)
{
    const double size = hypot(m[0], m[3]), angle = atan2(m[3], m[0]);
    char *at =
        text + snprintf(text, WRITTEN, "#Insight Transform File V1.0\n#Transform 0\nTransform: ");
    if (strcmp(transform, "translation") == 0)
        sprintf(at, "TranslationTransform_double_2_2\nParameters: %.17g %.17g\nFixedParameters:\n",
                m[2], m[5]);
    else if (strcmp(transform, "rigid") == 0)
        sprintf(at, "Euler2DTransform_double_2_2\nParameters: %.17g %.17g %.17g\n", angle, m[2],
                m[5]);
    else if (strcmp(transform, "similarity") == 0)
        sprintf(at, "Similarity2DTransform_double_2_2\nParameters: %.17g %.17g %.17g %.17g\n", size,
                angle, m[2], m[5]);
    else
        sprintf(at, "AffineTransform_double_2_2\nParameters: %.17g %.17g %.17g %.17g %.17g %.17g\n",
                m[0], m[1], m[3], m[4], m[2], m[5]);
    if (strcmp(transform, "translation") != 0)
        strcat(text, "FixedParameters: 0 0\n");
}

ro_status ro_map_accepts(ro_context *context, const char *path, const char *transform)
{
    if (MISSING(context, path, transform))
        return RO_E_ARGUMENT;
    if (strcmp(transform, "dense") == 0)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "%s: a displacement field is no map: write it as .npy, .flo, "
                               ".nrrd or .mha",
                               path);
    if (ends_in(path, ".tfm") && strcmp(transform, "homography") == 0)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "%s: ITK's transforms have no perspective: write it as .json or "
                               ".txt",
                               path);
    return ro_bytes_accepts(context, path);
}

ro_status ro_map_save(ro_context *context, const char *path, const char *transform,
                      const double map[9], uint32_t width, uint32_t height)
{
    char text[WRITTEN];
    const ro_status status =
        MISSING(context, map) ? RO_E_ARGUMENT : ro_map_accepts(context, path, transform);
    if (status != RO_OK)
        return status;
    if (ends_in(path, ".json"))
        print_json(transform, map, width, height, text);
    else if (ends_in(path, ".tfm"))
        print_itk(transform, map, text);
    else
        snprintf(text, sizeof text, "%.17g %.17g %.17g\n%.17g %.17g %.17g\n%.17g %.17g %.17g\n",
                 map[0], map[1], map[2], map[3], map[4], map[5], map[6], map[7], map[8]);
    return ro_bytes_save(context, path, text, strlen(text));
}

/* ---- In -------------------------------------------------------------------------------------- */

static ro_status read_json(ro_context *context, const char *path, const char *text, double map[9],
                           uint32_t size[2])
{
    struct json_parser json = json_of(context, path, text);
    bool found = false;
    json_expect(&json, '{');
    do {
        char name[32] = "";
        json_read_text(&json, name, sizeof name);
        json_expect(&json, ':');
        if (strcmp(name, "map") == 0) {
            for (int i = 0; i < 9; i++) {
                json_expect(&json, i == 0 ? '[' : ',');
                if (i % 3 == 0)
                    json_expect(&json, '[');
                map[i] = json_read_number(&json);
                if (i % 3 == 2)
                    json_expect(&json, ']');
            }
            json_expect(&json, ']');
            found = true;
        } else if (strcmp(name, "width") == 0 || strcmp(name, "height") == 0) {
            const double value = json_read_number(&json);
            if (!(value >= 1 && value <= 1 << 28 && value == rint(value)))
                json_fail(&json, "a size is a whole number from 1 on");
            else
                size[*name == 'h'] = (uint32_t)value;
        } else {
            json_skip(&json);
        }
    } while (!json.failed && json_take(&json, ','));
    json_expect(&json, '}');
    if (!json.failed && !found)
        json_fail(&json, "there is no \"map\"");
    return json.failed ? RO_E_FORMAT : RO_OK;
}

/* The numbers behind a word at the beginning of a line; -1: there is no such line. */
static int numbers_of(const char *text, const char *word, double *numbers, int most)
{
    for (const char *at = text; (at = strstr(at, word)); at++) {
        char line[512];
        if (at > text && at[-1] != '\n')
            continue;
        at += strlen(word);
        const size_t length = strcspn(at, "\r\n");
        if (length >= sizeof line)
            return -1;
        memcpy(line, at, length);
        line[length] = '\0';
        const char *first = line + strspn(line, " \t");
        return *first ? numbers_read(first, numbers, most) : 0;
    }
    return -1;
}

/* x' = A (x - c) + c + t. */
static bool read_itk(const char *text, double map[9])
{
    static const struct {
        const char *name;
        int numbers;
    } kinds[] = {{"Transform: TranslationTransform_double_2_2", 2},
                 {"Transform: Euler2DTransform_double_2_2", 3},
                 {"Transform: Rigid2DTransform_double_2_2", 3},
                 {"Transform: Similarity2DTransform_double_2_2", 4},
                 {"Transform: AffineTransform_double_2_2", 6},
                 {"Transform: MatrixOffsetTransformBase_double_2_2", 6}};
    double p[8] = {0}, c[8] = {0};
    const int count = numbers_of(text, "Parameters:", p, 8);
    const int centre = numbers_of(text, "FixedParameters:", c, 8);
    const char *second = strstr(text, "#Transform 1");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !second; k++) {
        if (!strstr(text, kinds[k].name) || count != kinds[k].numbers ||
            !(centre == 2 || (centre == 0 && count == 2)))
            continue;
        const double size = count == 4 ? p[0] : 1, angle = count == 4 ? p[1] : p[0];
        double a[4] = {1, 0, 0, 1};
        if (count == 6)
            memcpy(a, p, sizeof a);
        else if (count > 2) {
            a[0] = a[3] = size * cos(angle);
            a[2] = size * sin(angle);
            a[1] = -a[2];
        }
        const double *t = p + count - 2;
        map[0] = a[0];
        map[1] = a[1];
        map[2] = t[0] + c[0] - a[0] * c[0] - a[1] * c[1];
        map[3] = a[2];
        map[4] = a[3];
        map[5] = t[1] + c[1] - a[2] * c[0] - a[3] * c[1];
        return true;
    }
    return false;
}

static bool read_matrix(char *text, double map[9])
{
    struct lines lines = lines_of(text, true);
    int rows = 0;
    for (const char *line; (line = lines_next_row(&lines)); rows++)
        if (rows == 3 || numbers_read(line, map + 3 * rows, 3) != 3)
            return false;
    return rows == 3 || rows == 2;
}

ro_status ro_map_load(ro_context *context, const char *path, double map[9], uint32_t size[2])
{
    if (MISSING(context, path, map, size))
        return RO_E_ARGUMENT;
    struct open_file file;
    char *text = NULL;
    static const double still[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(map, still, sizeof still);
    size[0] = size[1] = 0;
    file_init(&file, context, path, "standard input");
    ro_status status = text_load(&file, path, MOST_BYTES, &text);
    if (status == RO_OK) {
        const char *first = text + strspn(text, " \t\r\n");
        if (*first == '{')
            status = read_json(context, path, text, map, size);
        else if (strncmp(first, "#Insight", 8) == 0 ? !read_itk(text, map)
                                                    : !read_matrix(text, map))
            status = file_fail(&file, RO_E_FORMAT,
                               "not a map: neither JSON with a \"map\", a transform of ITK's in "
                               "two dimensions, nor a matrix of three rows");
    }
    for (int i = 0; i < 9 && status == RO_OK; i++)
        if (!isfinite(map[i]))
            status = file_fail(&file, RO_E_FORMAT, "a number of the map is not finite");
    free(text);
    return status;
}
