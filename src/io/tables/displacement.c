/* SPDX-License-Identifier: MIT */
/*
 * Displacement fields: NPY of shape (h, w, 2), the .flo files of the Middlebury benchmark (the
 * float 202021.25, which spells PIEH, then width and height and pairs of floats, little-endian),
 * and vector images for ITK.
 */
#include "core/image.h"
#include "core/misuse.h"
#include "io/arrays/array.h"
#include "io/arrays/npy_array.h"
#include "io/filters/convert.h"
#include "io/filters/stage.h"
#include "io/tables/itk_field.h"
#include "roundoff_io_command.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_flo(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".flo") == 0;
}

static bool is_npy(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".npy") == 0;
}

/* ---- In ------------------------------------------------------------------------------------- */

static uint32_t little(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static ro_status load_flo(struct byte_source *source, ro_image *field)
{
    uint8_t head[12] = {0};
    ro_status status = source_need(source, head, sizeof head);
    const struct array_file pairs = {.kind = 'f',
                                     .bytes = 4,
                                     .swapped = !little_endian(),
                                     .width = little(head + 4),
                                     .height = little(head + 8)};
    return status == RO_OK ? array_load_pairs(source, &pairs, field) : status;
}

ro_status ro_displacement_load(ro_context *context, const char *path, ro_image *field)
{
    if (MISSING(context, path, field))
        return RO_E_ARGUMENT;
    struct open_file file;
    struct byte_source source = {.fd = -1};
    size_t have = 0;
    *field = (ro_image){0};
    file_init(&file, context, path, "standard input");
    ro_status status = source_open(&source, &file, path);
    if (status == RO_OK)
        status = source_peek(&source, 6, &have);
    if (status == RO_OK) {
        const uint8_t *head = source.bytes + source.begin;
        if (have >= 6 && memcmp(head, "\x93NUMPY", 6) == 0)
            status = npy_load_pairs(&source, field);
        else if (have >= 4 && memcmp(head, "PIEH", 4) == 0)
            status = load_flo(&source, field);
        else if (itk_begins(head, have) != RO_ITK_NONE)
            status = itk_load(&source, itk_begins(head, have), field);
        else
            status = file_fail(&file, RO_E_FORMAT,
                               "not a displacement field: neither .npy, .flo, .nrrd nor .mha");
    }
    source_close(&source);
    if (status != RO_OK)
        ro_image_free(field);
    return status;
}

/* ---- Out ------------------------------------------------------------------------------------ */

static ro_status put_flo_head(struct byte_sink *sink, const ro_image *field)
{
    uint8_t head[12] = {'P', 'I', 'E', 'H'};
    uint32_t sizes[2] = {field->width / 2, field->height};
    for (int i = 0; i < 8; i++)
        head[4 + i] = (uint8_t)(sizes[i / 4] >> 8 * (i % 4));
    return sink_write(sink, head, sizeof head);
}

/* Floats with the least significant byte first, after a head. */
static ro_status put_plain(struct byte_sink *sink, const char *path, const ro_image *field)
{
    ro_status status =
        is_flo(path) ? put_flo_head(sink, field) : itk_put_head(sink, itk_type_of(path), field);
    for (uint32_t y = 0; y < field->height && status == RO_OK; y++) {
        const char *row = (const char *)field->data + (ptrdiff_t)y * field->stride;
        for (uint32_t x = 0; x < field->width && status == RO_OK; x++) {
            uint32_t bits;
            uint8_t bytes[4];
            memcpy(&bits, row + 4 * (size_t)x, sizeof bits);
            for (int i = 0; i < 4; i++)
                bytes[i] = (uint8_t)(bits >> 8 * i);
            status = sink_write(sink, bytes, sizeof bytes);
        }
    }
    return status;
}

static ro_status put_npy(struct byte_sink *sink, const ro_image *field)
{
    const ro_file_info info = {
        .format = RO_GREYF, .width = field->width, .height = field->height, .maxval = 1};
    struct row_encoder *encoder = NULL;
    ro_status status = npy_encode_pairs(sink, &info, NULL, &encoder);
    if (status == RO_OK)
        status = encoder->rows(encoder, field->data, field->stride, field->height);
    if (encoder)
        encoder->close(encoder);
    return status;
}

ro_status ro_displacement_accepts(ro_context *context, const char *path)
{
    if (file_named(context, path) != RO_OK)
        return RO_E_ARGUMENT;
    struct open_file file;
    file_init(&file, context, path, "standard output");
    if (!is_npy(path) && !is_flo(path) && itk_type_of(path) == RO_ITK_NONE)
        return file_fail(&file, RO_E_UNSUPPORTED,
                         "a displacement field is written as .npy, .flo, .nrrd or .mha");
    return sink_check(&file, path);
}

ro_status ro_displacement_save(ro_context *context, const char *path, const ro_image *field)
{
    if (MISSING(context, path, field))
        return RO_E_ARGUMENT;
    struct open_file file;
    struct byte_sink sink = {.fd = -1};
    ro_status status = image_check(context, field, "displacement");
    if (status == RO_OK && (field->format != RO_GREYF || field->width % 2 != 0))
        status = ro_context_fail(context, RO_E_ARGUMENT, "a field holds two floats per pixel");
    if (status == RO_OK)
        status = ro_displacement_accepts(context, path);
    if (status != RO_OK)
        return status;
    file_init(&file, context, path, "standard output");
    status = sink_open(&sink, &file, path);
    if (status == RO_OK)
        status = is_npy(path) ? put_npy(&sink, field) : put_plain(&sink, path, field);
    if (status == RO_OK)
        status = sink_commit(&sink);
    sink_close(&sink);
    return status;
}
