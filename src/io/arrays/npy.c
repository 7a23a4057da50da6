/* SPDX-License-Identifier: MIT */
/*
 * NPY, NumPy's file of one array: a header, then the numbers. An image is (h, w), (h, w, 1) or
 * (h, w, 3); whatever axes lie before these are pages. Rows stream through; an array stored by
 * columns is held whole.
 */
#include "io/arrays/array.h"
#include "io/arrays/npy_array.h"
#include "io/filters/convert.h"

#include <stdio.h>
#include <string.h>

static ro_status check_element(struct open_file *file, const struct npy_header *npy)
{
    if (array_knows(npy->kind, npy->bytes))
        return RO_OK;
    if (npy->kind == 'c')
        return file_fail(file, RO_E_UNSUPPORTED,
                         "complex numbers (%s) where real ones are wanted; numpy.abs, "
                         "numpy.angle or .real make some",
                         npy->element);
    return file_fail(file, RO_E_UNSUPPORTED,
                     "elements of type %s; integers of 8 to 64 bits, bool and floats of 16, 32 "
                     "and 64 bits are read",
                     npy->element);
}

/* Reads the header up to the numbers. */
static ro_status open_array(struct byte_source *source, struct npy_header *npy,
                            struct array_file *array)
{
    ro_status status = npy_header(source, npy);
    if (status == RO_OK)
        status = check_element(source->file, npy);
    if (status == RO_OK)
        *array = (struct array_file){.kind = npy->kind,
                                     .bytes = npy->bytes,
                                     .swapped = npy->swapped,
                                     .by_columns = npy->by_columns};
    return status;
}

ro_status npy_decode(struct byte_source *source, unsigned page, struct row_stage **stage)
{
    struct npy_header npy;
    struct array_file array;
    ro_status status = open_array(source, &npy, &array);
    if (status == RO_OK)
        status = array_axes(source->file, npy.sizes, npy.dimensions, npy.shape, &array);
    return status == RO_OK ? array_decode(source, &array, page, NULL, stage) : status;
}

ro_status npy_load_pairs(struct byte_source *source, ro_image *field)
{
    struct npy_header npy;
    struct array_file array;
    ro_status status = open_array(source, &npy, &array);
    if (status != RO_OK)
        return status;
    if (npy.dimensions != 3 || npy.sizes[2] != 2 || npy.kind != 'f' || npy.bytes < 4)
        return file_fail(
            source->file, RO_E_UNSUPPORTED,
            "an array of shape %s of %s is not a field; (h, w, 2) of float32 or float64 is",
            npy.shape, npy.element);
    array.height = npy.sizes[0];
    array.width = npy.sizes[1];
    return array_load_pairs(source, &array, field);
}

/* ---- Rows out ----------------------------------------------------------------------------- */

static ro_status encode(struct byte_sink *sink, const ro_file_info *info, bool pairs,
                        struct row_encoder **encoder)
{
    enum { PREFIX = 10, ALIGNMENT = 64, ROOM = 384 };
    char header[ROOM], shape[160];
    const struct array_file array = array_of(info);
    const char order = array.bytes == 1 ? '|' : little_endian() ? '<' : '>';
    ro_status status = array_encode(sink, info, encoder);
    if (status != RO_OK)
        return status;
    int used = 0;
    for (int i = 0; i < array.outer_count; i++)
        used +=
            snprintf(shape + used, sizeof shape - (size_t)used, "%u, ", (unsigned)array.outer[i]);
    snprintf(shape + used, sizeof shape - (size_t)used, "%u, %u%s", info->height,
             info->width / (pairs ? 2 : 1),
             pairs                 ? ", 2"
             : array.channels == 3 ? ", 3"
                                   : "");

    /* The samples start at a multiple of 64 bytes, blanks and a newline before them. */
    memset(header, ' ', sizeof header);
    int text = snprintf(header + PREFIX, sizeof header - PREFIX,
                        "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (%s), }", order,
                        array_is_truth(info) ? 'b' : array.kind, array.bytes, shape);
    size_t end = PREFIX + (size_t)text;
    size_t size = (end + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    header[end] = ' '; /* over the text's terminating zero */
    header[size - 1] = '\n';
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)((size - PREFIX) & 255);
    header[9] = (char)((size - PREFIX) >> 8);
    return sink_write(sink, header, size);
}

ro_status npy_encode(struct byte_sink *sink, const ro_file_info *info,
                     const ro_write_options *options, struct row_encoder **encoder)
{
    (void)options;
    return encode(sink, info, false, encoder);
}

ro_status npy_encode_pairs(struct byte_sink *sink, const ro_file_info *info,
                           const ro_write_options *options, struct row_encoder **encoder)
{
    (void)options;
    return encode(sink, info, true, encoder);
}
