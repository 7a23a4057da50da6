/* SPDX-License-Identifier: MIT */
#include "io/arrays/npy_array.h"

#include "io/filters/convert.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_HEADER = 1 << 15 };

static ro_status bad_header(struct open_file *file)
{
    return file_fail(file, RO_E_FORMAT, "not a proper NPY file: its header cannot be read");
}

/* ---- The header: a Python dictionary of three known keys ------------------------------------- */

/* The text behind 'key': in the header, or NULL. */
static const char *value_of(const char *header, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s'", key);
    const char *at = strstr(header, quoted);
    if (!at)
        return NULL;
    at += strlen(quoted);
    while (isspace((unsigned char)*at))
        at++;
    if (*at++ != ':')
        return NULL;
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* "(h, w)" or "(pages, h, w)"; the number of sizes, 0 where it is no such list. */
static int parse_shape(const char *text, uint64_t sizes[RO_NPY_DIMENSIONS])
{
    int count = 0;
    if (*text++ != '(')
        return 0;
    for (;;) {
        char *end;
        while (isspace((unsigned char)*text))
            text++;
        if (*text == ')')
            return count;
        if (count == RO_NPY_DIMENSIONS || !isdigit((unsigned char)*text))
            return 0;
        sizes[count++] = strtoull(text, &end, 10);
        text = end;
        while (isspace((unsigned char)*text))
            text++;
        if (*text == ',')
            text++;
        else if (*text != ')')
            return 0;
    }
}

static ro_status parse_header(struct open_file *file, const char *header, struct npy_header *array)
{
    const char *element = value_of(header, "descr"), *order = value_of(header, "fortran_order");
    const char *shape = value_of(header, "shape");
    if (!element || !order || !shape || *shape != '(' || !strchr(shape, ')'))
        return bad_header(file);
    array->by_columns = strncmp(order, "True", 4) == 0;
    if (!array->by_columns && strncmp(order, "False", 5) != 0)
        return bad_header(file);
    if (*element != '\'' || strlen(element) < 5)
        return file_fail(file, RO_E_UNSUPPORTED,
                         "an array of records; only plain numbers are read");
    size_t length = strcspn(element + 1, "'") + 2, room = sizeof array->element - 1;
    snprintf(array->element, sizeof array->element, "%.*s", (int)(length < room ? length : room),
             element);
    if (strchr("<>|=", element[1])) {
        char *end;
        long bytes = strtol(element + 3, &end, 10);
        array->kind = element[2];
        array->bytes = *end == '\'' && bytes > 0 && bytes <= 16 ? (int)bytes : 0;
        array->swapped = bytes > 1 && element[1] == (little_endian() ? '>' : '<');
    }
    length = (size_t)(strchr(shape, ')') - shape) + 1;
    room = sizeof array->shape - 1;
    snprintf(array->shape, sizeof array->shape, "%.*s", (int)(length < room ? length : room),
             shape);
    array->dimensions = parse_shape(shape, array->sizes);
    return RO_OK;
}

ro_status npy_header(struct byte_source *source, struct npy_header *array)
{
    uint8_t head[12];
    *array = (struct npy_header){0};
    ro_status status = source_need(source, head, 10);
    if (status != RO_OK)
        return status;
    if (memcmp(head, "\x93NUMPY", 6) != 0)
        return file_fail(source->file, RO_E_FORMAT, "not an NPY file");
    if (head[6] < 1 || head[6] > 3)
        return file_fail(source->file, RO_E_UNSUPPORTED, "NPY version %u; 1, 2 and 3 are read",
                         head[6]);
    size_t length = head[8] | (size_t)head[9] << 8;
    if (head[6] > 1) {
        if ((status = source_need(source, head + 10, 2)) != RO_OK)
            return status;
        length |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
    }
    if (length > LONGEST_HEADER)
        return bad_header(source->file);
    char *header = malloc(length + 1);
    if (!header)
        return file_no_memory(source->file, length);
    status = source_need(source, header, length);
    header[length] = '\0';
    if (status == RO_OK)
        status = parse_header(source->file, header, array);
    free(header);
    return status;
}
