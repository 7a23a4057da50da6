/* SPDX-License-Identifier: MIT */
/*
 * NPY, NumPy's file of one array: a magic, a version, a header that is a Python dictionary of
 * three known keys, then the samples. Only what an image can be is read: (h, w), (h, w, 1) and
 * (h, w, 3) of uint8, uint16, bool, float32 and float64.
 */
#include "io/convert.h"
#include "io/stage.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_HEADER = 1 << 15 };

static const struct element {
    const char *name; /* without the byte order */
    int bytes;        /* in the file */
    ro_format grey, colour;
    uint32_t maxval;
} elements[] = {
    {"u1", 1, RO_GRAY8, RO_RGB8, 255}, {"u2", 2, RO_GRAY16, RO_RGB16, 65535},
    {"b1", 1, RO_GRAY8, RO_RGB8, 1},   {"f4", 4, RO_GRAYF, RO_RGBF, 1},
    {"f8", 8, RO_GRAYF, RO_RGBF, 1},
};

struct npy {
    struct ro_stage stage; /* first, so that a stage can be cast back */
    struct ro_source *source;
    const struct element *element;
    bool pairs; /* two numbers a pixel, a field; else an image */
    bool swapped;
    uint8_t *line; /* a row of float64 */
};

static ro_status bad_header(struct ro_file *file)
{
    return ro_file_fail(file, RO_E_FORMAT, "not a proper NPY file: its header cannot be read");
}

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

/* "(h, w)" or "(h, w, channels)"; the number of sizes, 0 where it is none of them. */
static int parse_shape(const char *text, uint64_t sizes[3])
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
        if (count == 3 || !isdigit((unsigned char)*text))
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

static ro_status parse_element(struct npy *npy, const char *text)
{
    struct ro_file *file = npy->stage.file;
    if (*text != '\'' || strlen(text) < 5)
        return ro_file_fail(file, RO_E_UNSUPPORTED,
                            "an array of records; only plain numbers are read");
    char order = text[1];
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (strncmp(text + 2, elements[i].name, 2) == 0 && text[4] == '\'')
            npy->element = &elements[i];
    if (!npy->element || !strchr("<>|=", order))
        return ro_file_fail(file, RO_E_UNSUPPORTED,
                            "elements of type %.*s; only uint8, uint16, bool, float32 and float64 "
                            "are read",
                            (int)(strcspn(text + 1, "'") < 16 ? strcspn(text + 1, "'") + 2 : 18),
                            text);
    npy->swapped = npy->element->bytes > 1 && order == (ro_little_endian() ? '>' : '<');
    return RO_OK;
}

static ro_status parse_header(struct npy *npy, const char *header)
{
    struct ro_file *file = npy->stage.file;
    const char *element = value_of(header, "descr"), *order = value_of(header, "fortran_order");
    const char *shape = value_of(header, "shape");
    uint64_t sizes[3] = {0, 0, 1};
    if (!element || !order || !shape || *shape != '(' || !strchr(shape, ')'))
        return bad_header(file);
    ro_status status = parse_element(npy, element);
    if (status != RO_OK)
        return status;
    if (strncmp(order, "False", 5) != 0)
        return ro_file_fail(file, RO_E_UNSUPPORTED,
                            "the array is stored by columns (fortran_order); save it with "
                            "numpy.ascontiguousarray");
    int count = parse_shape(shape, sizes);
    if (npy->pairs && (count != 3 || sizes[2] != 2 || npy->element->grey != RO_GRAYF)) {
        int length = (int)(strchr(shape, ')') - shape) + 1;
        return ro_file_fail(file, RO_E_UNSUPPORTED,
                            "an array of shape %.*s of %s is no field; (h, w, 2) of float32 or "
                            "float64 is",
                            length < 64 ? length : 64, shape, npy->element->name);
    }
    if (npy->pairs) /* as an image twice as wide */
        sizes[1] *= sizes[1] < UINT32_MAX ? 2 : 1, sizes[2] = 1;
    if (count < 2 || (sizes[2] != 1 && sizes[2] != 3)) {
        int length = (int)(strchr(shape, ')') - shape) + 1;
        return ro_file_fail(file, RO_E_UNSUPPORTED,
                            "an array of shape %.*s is no image; (h, w), (h, w, 1) and (h, w, 3) "
                            "are",
                            length < 64 ? length : 64, shape);
    }
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
    } else if (npy->element->bytes == 2 && npy->swapped) {
        ro_swap16(row, samples);
    } else if (npy->element->bytes == 4 && npy->swapped) {
        ro_swap32(row, samples);
    } else if (npy->element->bytes == 8) {
        float *values = row;
        for (size_t i = 0; i < samples; i++) {
            uint64_t bits;
            double value;
            memcpy(&bits, npy->line + 8 * i, 8);
            bits = npy->swapped ? __builtin_bswap64(bits) : bits;
            memcpy(&value, &bits, 8);
            values[i] = (float)value;
        }
    }
}

static ro_status read_rows(struct ro_stage *stage, uint8_t *rows, ptrdiff_t stride, uint32_t count)
{
    struct npy *npy = (struct npy *)stage;
    size_t samples = (size_t)stage->info.width * (size_t)ro_channels_of(stage->info.format);
    size_t bytes = samples * (size_t)npy->element->bytes;
    for (uint32_t y = 0; y < count; y++, rows += stride) {
        ro_status status = ro_source_need(npy->source, npy->line ? npy->line : rows, bytes);
        if (status != RO_OK)
            return status;
        convert_row(npy, rows, samples);
    }
    return RO_OK;
}

static void close_reader(struct ro_stage *stage)
{
    free(((struct npy *)stage)->line);
    free(stage);
}

static ro_status read_header(struct npy *npy)
{
    uint8_t head[12];
    ro_status status = ro_source_need(npy->source, head, 10);
    if (status != RO_OK)
        return status;
    if (memcmp(head, "\x93NUMPY", 6) != 0)
        return ro_file_fail(npy->stage.file, RO_E_FORMAT, "not an NPY file");
    if (head[6] < 1 || head[6] > 3)
        return ro_file_fail(npy->stage.file, RO_E_UNSUPPORTED,
                            "NPY version %u; 1, 2 and 3 are read", head[6]);
    size_t length = head[8] | (size_t)head[9] << 8;
    if (head[6] > 1) {
        if ((status = ro_source_need(npy->source, head + 10, 2)) != RO_OK)
            return status;
        length |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
    }
    if (length > LONGEST_HEADER)
        return bad_header(npy->stage.file);
    char *header = malloc(length + 1);
    if (!header)
        return ro_file_no_memory(npy->stage.file, length);
    status = ro_source_need(npy->source, header, length);
    header[length] = '\0';
    if (status == RO_OK)
        status = parse_header(npy, header);
    free(header);
    return status;
}

static ro_status decode(struct ro_source *source, bool pairs, struct ro_stage **stage)
{
    struct npy *npy = calloc(1, sizeof *npy);
    if (!npy)
        return ro_file_no_memory(source->file, sizeof *npy);
    npy->stage = (struct ro_stage){.file = source->file, .rows = read_rows, .close = close_reader};
    npy->source = source;
    npy->pairs = pairs;
    ro_status status = read_header(npy);
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

ro_status ro_npy_encode(struct ro_sink *sink, const ro_file_info *info, struct ro_encoder **encoder)
{
    return encode(sink, info, false, encoder);
}

ro_status ro_npy_encode_pairs(struct ro_sink *sink, const ro_file_info *info,
                              struct ro_encoder **encoder)
{
    return encode(sink, info, true, encoder);
}
