/* SPDX-License-Identifier: MIT */
/*
 * Kernels of error diffusion from JSON. The reader knows the few forms it needs and nothing else:
 * an object of known names, whole numbers, text without escapes, lists of lists of numbers.
 */
#include "roundoff_io.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 16, MOST_ROWS = 32, MOST_COLUMNS = 32 };

struct table {
    int rows, columns[MOST_ROWS];
    int values[MOST_ROWS][MOST_COLUMNS];
};

struct json {
    ro_context *context;
    const char *path;
    const char *text, *at; /* at: where the reader stands */
    bool failed;
};

static void fail(struct json *json, const char *what)
{
    int line = 1;
    for (const char *c = json->text; c < json->at; c++)
        line += *c == '\n';
    if (!json->failed)
        ro_context_fail(json->context, RO_E_FORMAT, "%s: line %d: %s", json->path, line, what);
    json->failed = true;
}

static char next(struct json *json)
{
    json->at += strspn(json->at, " \t\r\n");
    return *json->at;
}

static bool take(struct json *json, char wanted)
{
    if (json->failed || next(json) != wanted)
        return false;
    json->at++;
    return true;
}

static void expect(struct json *json, char wanted)
{
    char what[] = "'?' is missing";
    what[1] = wanted;
    if (!take(json, wanted))
        fail(json, what);
}

static int read_number(struct json *json)
{
    char c = next(json);
    if (c != '-' && (c < '0' || c > '9')) {
        fail(json, "a whole number is missing");
        return 0;
    }
    char *end;
    long value = strtol(json->at, &end, 10);
    if (end == json->at || value < -1000000 || value > 1000000 || *end == '.' || *end == 'e' ||
        *end == 'E') {
        fail(json, "a whole number from -1000000 to 1000000 is needed");
        return 0;
    }
    json->at = end;
    return (int)value;
}

static void read_text(struct json *json, char *text, size_t size)
{
    expect(json, '"');
    size_t length = strcspn(json->at, "\"\\\n");
    if (json->failed || json->at[length] != '"' || length >= size) {
        fail(json, "a short text in quotes, without escapes, is needed");
        return;
    }
    memcpy(text, json->at, length);
    text[length] = '\0';
    json->at += length + 1;
}

static void read_table(struct json *json, struct table *table)
{
    *table = (struct table){0};
    expect(json, '[');
    do {
        if (table->rows == MOST_ROWS) {
            fail(json, "there are too many rows");
            return;
        }
        int row = table->rows++, *columns = &table->columns[row];
        expect(json, '[');
        do {
            if (*columns == MOST_COLUMNS) {
                fail(json, "the row is too long");
                return;
            }
            table->values[row][(*columns)++] = read_number(json);
        } while (take(json, ','));
        expect(json, ']');
    } while (take(json, ','));
    expect(json, ']');
}

static void add_tap(struct json *json, ro_kernel *kernel, int dx, int dy, int weight)
{
    if (kernel->count == RO_KERNEL_TAPS) {
        fail(json, "there are more than 24 taps");
        return;
    }
    int i = kernel->count++;
    kernel->taps[i].dx = dx;
    kernel->taps[i].dy = dy;
    kernel->taps[i].weight = weight;
}

static void taps_of_list(struct json *json, const struct table *table, ro_kernel *kernel)
{
    for (int i = 0; i < table->rows && !json->failed; i++) {
        const int *tap = table->values[i];
        if (table->columns[i] != 3)
            fail(json, "a tap is [dx, dy, weight]");
        else
            add_tap(json, kernel, tap[0], tap[1], tap[2]);
    }
}

static void taps_of_matrix(struct json *json, const struct table *table, ro_kernel *kernel)
{
    int first = 0;
    while (first < table->columns[0] && table->values[0][first] == 0)
        first++;
    if (first == 0 || first == table->columns[0]) {
        fail(json, "the first row of a matrix is zeros, the last of them for the pixel, then "
                   "weights");
        return;
    }
    for (int y = 0; y < table->rows; y++)
        for (int x = 0; x < table->columns[y]; x++)
            if (table->values[y][x] != 0)
                add_tap(json, kernel, x - (first - 1), y, table->values[y][x]);
}

static void read_kernel(struct json *json, ro_kernel *kernel)
{
    char name[32], text[256];
    struct table table;
    bool divisor = false, taps = false;
    *kernel = (ro_kernel){0};
    expect(json, '{');
    do {
        read_text(json, name, sizeof name);
        expect(json, ':');
        if (json->failed)
            return;
        bool list = strcmp(name, "taps") == 0, matrix = strcmp(name, "matrix") == 0;
        if (strcmp(name, "name") == 0) {
            read_text(json, text, sizeof text);
        } else if (strcmp(name, "divisor") == 0 && !divisor) {
            kernel->divisor = read_number(json);
            divisor = true;
        } else if ((list || matrix) && !taps) {
            read_table(json, &table);
            if (!json->failed)
                (list ? taps_of_list : taps_of_matrix)(json, &table, kernel);
            taps = true;
        } else {
            fail(json, "a kernel has one name, one divisor, and taps or a matrix");
        }
    } while (take(json, ','));
    expect(json, '}');
    if (!json->failed && next(json) != '\0')
        fail(json, "something follows the kernel");
    if (!json->failed && !(divisor && taps))
        fail(json, "a kernel needs a divisor, and taps or a matrix");
}

ro_status ro_kernel_read(ro_context *context, const char *path, ro_kernel *kernel)
{
    static const char too_large[] = "is larger than a kernel can be";
    char *text = calloc(1, MOST_BYTES + 1);
    if (!text)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a kernel");
    ro_status status = RO_OK;
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(text, 1, MOST_BYTES, file) : 0;
    if (!file || ferror(file))
        status = ro_context_fail(context, RO_E_IO, "%s: cannot be read: %s", path, strerror(errno));
    else if (length == MOST_BYTES || strlen(text) != length)
        status = ro_context_fail(context, RO_E_FORMAT, "%s: %s", path,
                                 length == MOST_BYTES ? too_large : "is not text");
    if (status == RO_OK) {
        struct json json = {.context = context, .path = path, .text = text, .at = text};
        read_kernel(&json, kernel);
        if (json.failed)
            status = RO_E_FORMAT;
    }
    if (file)
        fclose(file);
    free(text);
    return status;
}
