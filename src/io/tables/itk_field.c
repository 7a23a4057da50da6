/* SPDX-License-Identifier: MIT */
/*
 * Fields for ITK and back. Its displacements are vectors from a fixed to a moving point in physical
 * units; with a spacing of one and no rotation, which is what is written here, these are pixels, x
 * to the right and y down, as everywhere in this library. What is read is divided by its spacing;
 * its axes must not be turned.
 */
#include "io/tables/itk_field.h"

#include "io/filters/convert.h"
#include "io/filters/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_LINES = 200, MOST_LENGTH = 500 };

enum ro_itk_type itk_type_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".nrrd") == 0  ? RO_ITK_NRRD
           : dot && strcasecmp(dot, ".mha") == 0 ? RO_ITK_META
                                                 : RO_ITK_NONE;
}

enum ro_itk_type itk_begins(const uint8_t *head, size_t have)
{
    if (have >= 4 && memcmp(head, "NRRD", 4) == 0)
        return RO_ITK_NRRD;
    return have >= 6 && memcmp(head, "Object", 6) == 0 ? RO_ITK_META : RO_ITK_NONE;
}

/* What a header says of the numbers behind it. */
struct header {
    uint64_t width, height;
    int floats; /* bytes of each: 4 or 8; 0: unknown */
    bool vectors, raw, big;
    bool turned;       /* its axes are not those of rows and columns */
    double spacing[2]; /* of pixels, along x and y */
};

static void take_spacing(struct header *head, double x, double y)
{
    head->turned |= !(x > 0 && y > 0 && x < HUGE_VAL && y < HUGE_VAL);
    head->spacing[0] = x;
    head->spacing[1] = y;
}

/* Where pixels to the right and below lie: (x,0) and (0,y) unless the axes are turned. */
static void take_directions(struct header *head, const double to[4])
{
    head->turned |= to[1] != 0 || to[2] != 0;
    take_spacing(head, to[0], to[3]);
}

static void take_nrrd(const char *name, const char *value, struct header *head)
{
    unsigned long long channels, width, height;
    double to[4];
    if (strcmp(name, "type") == 0)
        head->floats = strcmp(value, "float") == 0 ? 4 : strcmp(value, "double") == 0 ? 8 : 0;
    else if (strcmp(name, "sizes") == 0 &&
             sscanf(value, "%llu %llu %llu", &channels, &width, &height) == 3) {
        head->vectors = channels == 2;
        head->width = width;
        head->height = height;
    } else if (strcmp(name, "encoding") == 0)
        head->raw = strcmp(value, "raw") == 0;
    else if (strcmp(name, "space directions") == 0) {
        head->turned |=
            sscanf(value, "none (%lf,%lf) (%lf,%lf)", &to[0], &to[1], &to[2], &to[3]) != 4;
        if (!head->turned)
            take_directions(head, to);
    } else if (strcmp(name, "spacings") == 0 && sscanf(value, "%*s %lf %lf", &to[0], &to[1]) == 2)
        take_spacing(head, to[0], to[1]);
    else if (strcmp(name, "endian") == 0)
        head->big = strcmp(value, "big") == 0;
}

static void take_meta(const char *name, const char *value, struct header *head)
{
    unsigned long long width, height;
    double to[4];
    if (strcmp(name, "ElementType") == 0)
        head->floats = strstr(value, "FLOAT") ? 4 : strstr(value, "DOUBLE") ? 8 : 0;
    else if (strcmp(name, "DimSize") == 0 && sscanf(value, "%llu %llu", &width, &height) == 2) {
        head->width = width;
        head->height = height;
    } else if (strcmp(name, "ElementNumberOfChannels") == 0)
        head->vectors = atoi(value) == 2;
    else if (strcmp(name, "ElementSpacing") == 0 && sscanf(value, "%lf %lf", &to[0], &to[1]) == 2)
        take_spacing(head, to[0], to[1]);
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

/* A line without its end; false at the end of the file or where it is too long. */
static bool read_line(struct ro_source *source, char line[MOST_LENGTH], ro_status *status)
{
    size_t length = 0;
    int byte;
    while ((byte = source_byte(source, status)) >= 0 && byte != '\n')
        if (length + 1 < MOST_LENGTH && byte != '\r')
            line[length++] = (char)byte;
    line[length] = '\0';
    return byte >= 0 && length + 1 < MOST_LENGTH;
}

static ro_status read_header(struct ro_source *source, enum ro_itk_type type, struct header *head)
{
    char line[MOST_LENGTH];
    ro_status status = RO_OK;
    *head = (struct header){.raw = true, .spacing = {1, 1}};
    for (int i = 0; i < MOST_LINES && read_line(source, line, &status); i++) {
        if (type == RO_ITK_NRRD && !*line)
            return RO_OK;
        char *mark = strchr(line, type == RO_ITK_NRRD ? ':' : '=');
        if (!mark || *line == '#')
            continue;
        char *value = mark + 1 + strspn(mark + 1, " =");
        *mark = '\0';
        if (type == RO_ITK_META)
            line[strcspn(line, " ")] = '\0';
        (type == RO_ITK_NRRD ? take_nrrd : take_meta)(line, value, head);
        if (type == RO_ITK_META && strcmp(line, "ElementDataFile") == 0)
            return RO_OK;
    }
    return status == RO_OK ? file_fail(source->file, RO_E_FORMAT, "its header has no end") : status;
}

ro_status itk_load(struct ro_source *source, enum ro_itk_type type, ro_image *field)
{
    struct ro_file *file = source->file;
    struct header head;
    ro_status status = read_header(source, type, &head);
    if (status != RO_OK)
        return status;
    if (!head.vectors || !head.raw || !head.floats)
        return file_fail(file, RO_E_UNSUPPORTED,
                         "a field is a 2-D image of two floats a pixel, raw, in one file");
    if (head.turned)
        return file_fail(file, RO_E_UNSUPPORTED,
                         "a field whose axes are turned or mirrored cannot be read");
    if ((status = stage_check_size(file, 2 * head.width, head.height)) != RO_OK)
        return status;
    const uint64_t line = 2 * head.width * (uint64_t)head.floats;
    if (source_left(source) != RO_SIZE_UNKNOWN && line * head.height > source_left(source))
        return file_ends_early(file);
    status = ro_image_alloc(file->context, RO_GRAYF, (uint32_t)(2 * head.width),
                            (uint32_t)head.height, 0, field);
    uint8_t *bytes = malloc(line);
    if (status == RO_OK && !bytes)
        status = file_fail(file, RO_E_MEMORY, "no memory for a row");
    for (uint64_t y = 0; y < head.height && status == RO_OK; y++) {
        float *row = (float *)(void *)((char *)field->data + (ptrdiff_t)y * field->stride);
        status = source_need(source, bytes, line);
        for (uint64_t x = 0; x < 2 * head.width && status == RO_OK; x++) {
            uint64_t bits = 0;
            for (int i = 0; i < head.floats; i++)
                bits |= (uint64_t)bytes[x * (uint64_t)head.floats + (uint64_t)i]
                        << 8 * (head.big ? head.floats - 1 - i : i);
            const uint32_t low = (uint32_t)bits;
            double number;
            memcpy(&number, &bits, sizeof number);
            if (head.floats == 4)
                memcpy(&row[x], &low, sizeof low);
            else
                row[x] = (float)number;
            if (head.spacing[x & 1] != 1)
                row[x] = (float)(row[x] / head.spacing[x & 1]);
        }
    }
    free(bytes);
    return status;
}

ro_status itk_put_head(struct ro_sink *sink, enum ro_itk_type type, const ro_image *field)
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
