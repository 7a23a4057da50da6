/* SPDX-License-Identifier: MIT */
/*
 * NPY, NumPy's file of one array: a header, then the samples. Only what an image can be is read:
 * (h, w), (h, w, 1) and (h, w, 3) of uint8, uint16, bool, float32 and float64. Rows stream through;
 * an array stored by columns is held whole.
 */
#include "io/formats/npy_array.h"
#include "io/stages/convert.h"
#include "io/stages/stage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct element {
    char kind;
    int bytes; /* in the file */
    ro_format grey, colour;
    uint32_t maxval;
} elements[] = {
    {'u', 1, RO_GRAY8, RO_RGB8, 255}, {'u', 2, RO_GRAY16, RO_RGB16, 65535},
    {'b', 1, RO_GRAY8, RO_RGB8, 1},   {'f', 4, RO_GRAYF, RO_RGBF, 1},
    {'f', 8, RO_GRAYF, RO_RGBF, 1},
};

struct npy {
    struct ro_stage stage; /* first, so that a stage can be cast back */
    struct ro_source *source;
    const struct element *element;
    bool pairs; /* two numbers a pixel, a field; else an image */
    struct ro_npy array;
    struct ro_columns columns; /* of an array stored by columns */
    uint32_t row;
    uint8_t *line; /* a row of float64 */
};

static ro_status find_element(struct npy *npy)
{
    const struct ro_npy *array = &npy->array;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (array->kind == elements[i].kind && array->bytes == elements[i].bytes)
            npy->element = &elements[i];
    if (npy->element)
        return RO_OK;
    return ro_file_fail(npy->stage.file, RO_E_UNSUPPORTED,
                        "elements of type %s; only uint8, uint16, bool, float32 and float64 are "
                        "read",
                        array->element);
}

static ro_status read_shape(struct npy *npy)
{
    struct ro_file *file = npy->stage.file;
    const struct ro_npy *array = &npy->array;
    const int count = array->dimensions;
    uint64_t sizes[3] = {array->sizes[0], array->sizes[1], count == 3 ? array->sizes[2] : 1};
    ro_status status = find_element(npy);
    if (status != RO_OK)
        return status;
    if (npy->pairs && (count != 3 || sizes[2] != 2 || npy->element->grey != RO_GRAYF))
        return ro_file_fail(
            file, RO_E_UNSUPPORTED,
            "an array of shape %s of %s is not a field; (h, w, 2) of float32 or float64 is",
            array->shape, array->element);
    if (npy->pairs) /* as an image twice as wide */
        sizes[1] *= sizes[1] < UINT32_MAX ? 2 : 1, sizes[2] = 1;
    if (count < 2 || (sizes[2] != 1 && sizes[2] != 3))
        return ro_file_fail(
            file, RO_E_UNSUPPORTED,
            "an array of shape %s is not an image; (h, w), (h, w, 1) and (h, w, 3) are",
            array->shape);
    if ((status = ro_stage_check_size(file, sizes[1], sizes[0])) != RO_OK)
        return status;
    npy->stage.info =
        (ro_file_info){.format = sizes[2] == 3 ? npy->element->colour : npy->element->grey,
                       .width = (uint32_t)sizes[1],
                       .height = (uint32_t)sizes[0],
                       .maxval = npy->element->maxval,
                       .pages = 1};
    return RO_OK;
}

/* Samples of a row in the file to samples of the image. */
static void convert_row(const struct npy *npy, void *row, size_t samples)
{
    if (npy->element->maxval == 1 && npy->element->bytes == 1) {
        uint8_t *truth = row;
        for (size_t i = 0; i < samples; i++)
            truth[i] = truth[i] != 0;
    } else if (npy->element->bytes == 2 && npy->array.swapped) {
        ro_swap16(row, samples);
    } else if (npy->element->bytes == 4 && npy->array.swapped) {
        ro_swap32(row, samples);
    } else if (npy->element->bytes == 8) {
        float *values = row;
        for (size_t i = 0; i < samples; i++) {
            uint64_t bits;
            double value;
            memcpy(&bits, npy->line + 8 * i, 8);
            bits = npy->array.swapped ? __builtin_bswap64(bits) : bits;
            memcpy(&value, &bits, 8);
            values[i] = (float)value;
        }
    }
}

/* The array's own third size: of a field that is shown twice as wide it is two. */
static ro_status open_columns(struct npy *npy)
{
    const ro_file_info *info = &npy->stage.info;
    const size_t planes = npy->array.dimensions == 3 ? (size_t)npy->array.sizes[2] : 1;
    return ro_columns_open(&npy->columns, npy->source, (size_t)npy->element->bytes, info->height,
                           (size_t)npy->array.sizes[1], planes);
}

static ro_status read_rows(struct ro_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct npy *npy = (struct npy *)stage;
    size_t samples = (size_t)stage->info.width * (size_t)ro_channels_of(stage->info.format);
    size_t bytes = samples * (size_t)npy->element->bytes;
    if (npy->array.by_columns && !npy->columns.bytes) {
        ro_status status = open_columns(npy);
        if (status != RO_OK)
            return status;
    }
    for (uint32_t y = 0; y < count; y++, rows += stride) {
        uint8_t *to = npy->line ? npy->line : rows;
        ro_status status = RO_OK;
        if (npy->array.by_columns)
            ro_columns_row(&npy->columns, npy->row++, to);
        else
            status = ro_source_need(npy->source, to, bytes);
        if (status != RO_OK)
            return status;
        convert_row(npy, rows, samples);
    }
    return RO_OK;
}

static void close_reader(struct ro_stage *stage)
{
    struct npy *npy = (struct npy *)stage;
    ro_columns_close(&npy->columns);
    free(npy->line);
    free(npy);
}

static ro_status decode(struct ro_source *source, bool pairs, struct ro_stage **stage)
{
    struct npy *npy = calloc(1, sizeof *npy);
    if (!npy)
        return ro_file_no_memory(source->file, sizeof *npy);
    npy->stage = (struct ro_stage){.file = source->file, .rows = read_rows, .close = close_reader};
    npy->source = source;
    npy->pairs = pairs;
    ro_status status = ro_npy_header(source, &npy->array);
    if (status == RO_OK)
        status = read_shape(npy);
    if (status != RO_OK)
        goto failed;
    const ro_file_info *info = &npy->stage.info;
    uint64_t row = (uint64_t)info->width * (uint64_t)ro_channels_of(info->format) *
                   (uint64_t)npy->element->bytes;
    if (row * info->height > ro_source_left(source)) {
        status = ro_file_fail(source->file, RO_E_FORMAT,
                              "the file ends early: its array takes %" PRIu64 " bytes, %" PRIu64
                              " are there",
                              row * info->height, ro_source_left(source));
        goto failed;
    }
    if (ro_source_left(source) != RO_SIZE_UNKNOWN && ro_source_left(source) > row * info->height)
        ro_file_drop(source->file, RO_DROPPED_PAGES, "what follows the array");
    if (npy->element->bytes == 8 && !(npy->line = malloc(row))) {
        status = ro_file_no_memory(source->file, row);
        goto failed;
    }
    *stage = &npy->stage;
    return RO_OK;
failed:
    close_reader(&npy->stage);
    return status;
}

ro_status ro_npy_decode(struct ro_source *source, unsigned page, struct ro_stage **stage)
{
    (void)page;
    return decode(source, false, stage);
}

ro_status ro_npy_decode_pairs(struct ro_source *source, unsigned page, struct ro_stage **stage)
{
    (void)page;
    return decode(source, true, stage);
}

/* ---- Rows out ----------------------------------------------------------------------------- */

struct npy_encoder {
    struct ro_encoder encoder; /* first, so that an encoder can be cast back */
    struct ro_sink *sink;
    size_t row;
};

static ro_status write_rows(struct ro_encoder *encoder, const uint8_t *rows, ptrdiff_t stride,
                            uint32_t count)
{
    struct npy_encoder *npy = (struct npy_encoder *)encoder;
    if (stride == (ptrdiff_t)npy->row)
        return ro_sink_write(npy->sink, rows, npy->row * count);
    for (uint32_t y = 0; y < count; y++, rows += stride) {
        ro_status status = ro_sink_write(npy->sink, rows, npy->row);
        if (status != RO_OK)
            return status;
    }
    return RO_OK;
}

static ro_status finish_writer(struct ro_encoder *encoder)
{
    (void)encoder;
    return RO_OK;
}

static void close_writer(struct ro_encoder *encoder) { free(encoder); }

static const char *element_of(ro_format format)
{
    switch (format) {
    case RO_GRAY16:
    case RO_RGB16:
        return ro_little_endian() ? "<u2" : ">u2";
    case RO_GRAYF:
    case RO_RGBF:
        return ro_little_endian() ? "<f4" : ">f4";
    default:
        return "|u1";
    }
}

static ro_status encode(struct ro_sink *sink, const ro_file_info *info, bool pairs,
                        struct ro_encoder **encoder)
{
    enum { PREFIX = 10, ALIGNMENT = 64 };
    char header[3 * ALIGNMENT];
    struct npy_encoder *npy = calloc(1, sizeof *npy);
    if (!npy)
        return ro_file_no_memory(sink->file, sizeof *npy);
    *npy = (struct npy_encoder){{write_rows, finish_writer, close_writer},
                                sink,
                                ro_format_row_bytes(info->format, info->width)};
    *encoder = &npy->encoder;

    /* The samples start at a multiple of 64 bytes, blanks and a newline before them. */
    memset(header, ' ', sizeof header);
    int text = snprintf(header + PREFIX, sizeof header - PREFIX,
                        "{'descr': '%s', 'fortran_order': False, 'shape': (%u, %u%s), }",
                        element_of(info->format), info->height, info->width / (pairs ? 2 : 1),
                        pairs                               ? ", 2"
                        : ro_channels_of(info->format) == 3 ? ", 3"
                                                            : "");
    size_t used = PREFIX + (size_t)text;
    size_t size = (used + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    header[used] = ' '; /* over the text's terminating zero */
    header[size - 1] = '\n';
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)((size - PREFIX) & 255);
    header[9] = (char)((size - PREFIX) >> 8);
    return ro_sink_write(sink, header, size);
}

ro_status ro_npy_encode(struct ro_sink *sink, const ro_file_info *info,
                        const ro_write_options *options, struct ro_encoder **encoder)
{
    (void)options;
    return encode(sink, info, false, encoder);
}

ro_status ro_npy_encode_pairs(struct ro_sink *sink, const ro_file_info *info,
                              const ro_write_options *options, struct ro_encoder **encoder)
{
    (void)options;
    return encode(sink, info, true, encoder);
}
