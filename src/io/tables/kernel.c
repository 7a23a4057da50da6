/* SPDX-License-Identifier: MIT */
/*
 * Kernels of error diffusion from JSON: an object of known names, whole numbers, lists of lists of
 * numbers, and nothing else.
 */
#include "core/misuse.h"
#include "io/bytes/file.h"
#include "io/tables/json_file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 32, MOST_COLUMNS = 32 };

struct table {
    int rows, columns[MOST_ROWS];
    int values[MOST_ROWS][MOST_COLUMNS];
};

static int read_number(struct json_parser *json)
{
    char c = json_next(json);
    if (c != '-' && (c < '0' || c > '9')) {
        json_fail(json, "a whole number is missing");
        return 0;
    }
    char *end;
    long value = strtol(json->at, &end, 10);
    if (end == json->at || value < -1000000 || value > 1000000 || *end == '.' || *end == 'e' ||
        *end == 'E') {
        json_fail(json, "a whole number from -1000000 to 1000000 is needed");
        return 0;
    }
    json->at = end;
    return (int)value;
}

static void read_table(struct json_parser *json, struct table *table)
{
    *table = (struct table){0};
    json_expect(json, '[');
    do {
        if (table->rows == MOST_ROWS) {
            json_fail(json, "there are too many rows");
            return;
        }
        int row = table->rows++, *columns = &table->columns[row];
        json_expect(json, '[');
        do {
            if (*columns == MOST_COLUMNS) {
                json_fail(json, "the row is too long");
                return;
            }
            table->values[row][(*columns)++] = read_number(json);
        } while (json_take(json, ','));
        json_expect(json, ']');
    } while (json_take(json, ','));
    json_expect(json, ']');
}

static void add_tap(struct json_parser *json, ro_kernel *kernel, int dx, int dy, int weight)
{
    if (kernel->count == RO_KERNEL_TAPS) {
        json_fail(json, "there are more than 24 taps");
        return;
    }
    int i = kernel->count++;
    kernel->taps[i].dx = dx;
    kernel->taps[i].dy = dy;
    kernel->taps[i].weight = weight;
}

static void taps_of_list(struct json_parser *json, const struct table *table, ro_kernel *kernel)
{
    for (int i = 0; i < table->rows && !json->failed; i++) {
        const int *tap = table->values[i];
        if (table->columns[i] != 3)
            json_fail(json, "a tap is [dx, dy, weight]");
        else
            add_tap(json, kernel, tap[0], tap[1], tap[2]);
    }
}

static void taps_of_matrix(struct json_parser *json, const struct table *table, ro_kernel *kernel)
{
    int first = 0;
    while (first < table->columns[0] && table->values[0][first] == 0)
        first++;
    if (first == 0 || first == table->columns[0]) {
        json_fail(json, "the first row of a matrix is zeros, the last of them for the pixel, then "
                        "weights");
        return;
    }
    for (int y = 0; y < table->rows; y++)
        for (int x = 0; x < table->columns[y]; x++)
            if (table->values[y][x] != 0)
                add_tap(json, kernel, x - (first - 1), y, table->values[y][x]);
}

static void read_kernel(struct json_parser *json, ro_kernel *kernel)
{
    char name[32], text[256];
    struct table table;
    bool divisor = false, taps = false;
    *kernel = (ro_kernel){0};
    json_expect(json, '{');
    do {
        json_read_text(json, name, sizeof name);
        json_expect(json, ':');
        if (json->failed)
            return;
        bool list = strcmp(name, "taps") == 0, matrix = strcmp(name, "matrix") == 0;
        if (strcmp(name, "name") == 0) {
            json_read_text(json, text, sizeof text);
        } else if (strcmp(name, "divisor") == 0 && !divisor) {
            kernel->divisor = read_number(json);
            divisor = true;
        } else if ((list || matrix) && !taps) {
            read_table(json, &table);
            if (!json->failed)
                (list ? taps_of_list : taps_of_matrix)(json, &table, kernel);
            taps = true;
        } else {
            json_fail(json, "a kernel has one name, one divisor, and taps or a matrix");
        }
    } while (json_take(json, ','));
    json_expect(json, '}');
    if (!json->failed && json_next(json) != '\0')
        json_fail(json, "something follows the kernel");
    if (!json->failed && !(divisor && taps))
        json_fail(json, "a kernel needs a divisor, and taps or a matrix");
}

ro_status ro_kernel_read(ro_context *context, const char *path, ro_kernel *kernel)
{
    if (MISSING(context, path, kernel))
        return RO_E_ARGUMENT;
    struct json_parser json;
    char *text;
    ro_status status = json_load(context, path, &json, &text);
    if (status == RO_OK) {
        read_kernel(&json, kernel);
        if (json.failed)
            status = RO_E_FORMAT;
    }
    free(text);
    return status;
}
