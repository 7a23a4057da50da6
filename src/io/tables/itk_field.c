/* SPDX-License-Identifier: MIT */
/*
 * Fields for ITK and back. Its displacements are vectors from a fixed to a moving point in physical
 * units; with a spacing of one and no rotation, which is what is written here, these are pixels, x
 * to the right and y down, as everywhere in this library. What is read is divided by its spacing;
 * its axes must not be turned.
 */
#include "io/tables/itk_field.h"

#include "io/arrays/nrrd_header.h"
#include "io/filters/convert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_LINES = 200, MOST_LENGTH = 500 };

enum itk_type itk_type_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".nrrd") == 0  ? RO_ITK_NRRD
           : dot && strcasecmp(dot, ".mha") == 0 ? RO_ITK_META
                                                 : RO_ITK_NONE;
}

enum itk_type itk_begins(const uint8_t *head, size_t have)
{
    if (have >= 4 && memcmp(head, "NRRD", 4) == 0)
        return RO_ITK_NRRD;
    return have >= 6 && memcmp(head, "Object", 6) == 0 ? RO_ITK_META : RO_ITK_NONE;
}

struct header {
    struct array_file array; /* of pairs */
    bool vectors, raw, big;
    bool turned;       /* its axes are not those of rows and columns */
    double spacing[2]; /* of pixels, along x and y */
};

static ro_status not_a_field(struct open_file *file)
{
    return file_fail(file, RO_E_UNSUPPORTED,
                     "a field is a 2-D image of two floats per pixel, in one file");
}

static ro_status read_nrrd(struct byte_source *source, struct header *head)
{
    struct nrrd nrrd;
    ro_status status = nrrd_read_header(source, &nrrd);
    free(nrrd.text);
    if (status != RO_OK)
        return status;
    if (nrrd.dimensions != 3 || nrrd.sizes[0] != 2 || nrrd.kind != 'f')
        return not_a_field(source->file);
    head->array.width = nrrd.sizes[1];
    head->array.height = nrrd.sizes[2];
    head->turned = nrrd.turned;
    for (int axis = 0; axis < 2; axis++)
        if (nrrd.spacing[1 + axis] > 0)
            head->spacing[axis] = nrrd.spacing[1 + axis];
    return nrrd_open_numbers(source, &nrrd, &head->array);
}

static void take_meta(const char *name, const char *value, struct header *head)
{
    unsigned long long width, height;
    double to[4];
    if (strcmp(name, "ElementType") == 0) {
        head->array.kind = 'f';
        head->array.bytes = strstr(value, "FLOAT") ? 4 : strstr(value, "DOUBLE") ? 8 : 0;
    } else if (strcmp(name, "DimSize") == 0 && sscanf(value, "%llu %llu", &width, &height) == 2) {
        head->array.width = width;
        head->array.height = height;
    } else if (strcmp(name, "ElementNumberOfChannels") == 0)
        head->vectors = atoi(value) == 2;
    else if (strcmp(name, "ElementSpacing") == 0 && sscanf(value, "%lf %lf", &to[0], &to[1]) == 2)
        for (int axis = 0; axis < 2; axis++) {
            head->turned |= !(to[axis] > 0 && to[axis] < HUGE_VAL);
            head->spacing[axis] = to[axis];
        }
    else if (strcmp(name, "TransformMatrix") == 0 || strcmp(name, "Rotation") == 0 ||
             strcmp(name, "Orientation") == 0)
        head->turned |= sscanf(value, "%lf %lf %lf %lf", &to[0], &to[1], &to[2], &to[3]) != 4 ||
                        to[0] != 1 || to[1] != 0 || to[2] != 0 || to[3] != 1;
    else if (strcmp(name, "ElementDataFile") == 0)
        head->raw = head->raw && strcmp(value, "LOCAL") == 0;
    else if (strcmp(name, "CompressedData") == 0)
        head->raw = strcasecmp(value, "False") == 0;
    else if (strcmp(name, "BinaryDataByteOrderMSB") == 0 ||
             strcmp(name, "ElementByteOrderMSB") == 0)
        head->big = strcasecmp(value, "True") == 0;
}

/* Reads lines "Name = value" up to ElementDataFile. */
static ro_status read_meta(struct byte_source *source, struct header *head)
{
    char line[MOST_LENGTH] = "";
    ro_status status = RO_OK;
    head->raw = true;
    for (int i = 0; status == RO_OK && strcmp(line, "ElementDataFile") != 0; i++) {
        if (i == MOST_LINES)
            return file_fail(source->file, RO_E_FORMAT, "its header has no end");
        status = source_line(source, line, sizeof line);
        char *mark = status == RO_OK ? strchr(line, '=') : NULL;
        if (!mark)
            continue;
        const char *value = mark + 1 + strspn(mark + 1, " ");
        *mark = '\0';
        line[strcspn(line, " ")] = '\0';
        take_meta(line, value, head);
    }
    head->array.swapped = head->big == little_endian();
    return status != RO_OK || (head->vectors && head->raw && head->array.bytes)
               ? status
               : not_a_field(source->file);
}

ro_status itk_load(struct byte_source *source, enum itk_type type, ro_image *field)
{
    struct header head = {.spacing = {1, 1}};
    ro_status status = (type == RO_ITK_NRRD ? read_nrrd : read_meta)(source, &head);
    if (status == RO_OK && head.turned)
        return file_fail(source->file, RO_E_UNSUPPORTED,
                         "a field whose axes are turned or mirrored cannot be read");
    if (status == RO_OK)
        status = array_load_pairs(source, &head.array, field);
    for (uint32_t y = 0; y < field->height && status == RO_OK; y++) {
        float *row = (float *)(void *)((char *)field->data + (ptrdiff_t)y * field->stride);
        for (uint32_t x = 0; x < field->width; x++)
            if (head.spacing[x & 1] != 1)
                row[x] = (float)(row[x] / head.spacing[x & 1]);
    }
    return status;
}

ro_status itk_put_head(struct byte_sink *sink, enum itk_type type, const ro_image *field)
{
    static const char *const forms[] = {
        [RO_ITK_NRRD] = "NRRD0004\ntype: float\ndimension: 3\nspace dimension: 2\n"
                        "sizes: 2 %u %u\nspace directions: none (1,0) (0,1)\n"
                        "kinds: vector domain domain\nendian: little\nencoding: raw\n"
                        "space origin: (0,0)\n\n",
        [RO_ITK_META] = "ObjectType = Image\nNDims = 2\nBinaryData = True\n"
                        "BinaryDataByteOrderMSB = False\nCompressedData = False\n"
                        "TransformMatrix = 1 0 0 1\nOffset = 0 0\nCenterOfRotation = 0 0\n"
                        "ElementSpacing = 1 1\nDimSize = %u %u\nElementNumberOfChannels = 2\n"
                        "ElementType = MET_FLOAT\nElementDataFile = LOCAL\n",
    };
    char head[MOST_LENGTH];
    snprintf(head, sizeof head, forms[type], field->width / 2, field->height);
    return sink_write(sink, head, strlen(head));
}
