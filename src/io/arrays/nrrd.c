/* SPDX-License-Identifier: MIT */
/*
 * Pictures as NRRD. The first axis may be three colours. What the header says beside shape and type
 * is passed on to NRRD files that are written.
 */
#include "io/arrays/nrrd_header.h"
#include "io/filters/convert.h"
#include "io/filters/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ro_status shape_of(struct open_file *file, const struct nrrd *nrrd, struct array_file *array)
{
    const uint64_t *sizes = nrrd->sizes;
    int axes = nrrd->sizes_count;
    array->channels = 1;
    if (nrrd->colour) {
        if (sizes[0] != 3 && sizes[0] != 1)
            return file_fail(file, RO_E_UNSUPPORTED, "pixels of %llu numbers; 1 and 3 are read",
                             (unsigned long long)sizes[0]);
        array->channels = (int)sizes[0];
        sizes++;
        axes--;
    }
    if (axes < 1 || axes - 2 > RO_OUTER_AXES)
        return file_fail(file, RO_E_UNSUPPORTED, "%d axes cannot be read", nrrd->dimensions);
    array->width = sizes[0];
    array->height = axes > 1 ? sizes[1] : 1;
    for (int i = axes - 1; i >= 2; i--)
        array->outer[array->outer_count++] = sizes[i];
    return RO_OK;
}

ro_status nrrd_decode(struct byte_source *source, unsigned page, struct row_stage **stage)
{
    struct nrrd nrrd;
    struct array_file array = {0};
    ro_file_info info = {0};
    ro_status status = nrrd_read_header(source, &nrrd);
    if (status == RO_OK)
        status = shape_of(source->file, &nrrd, &array);
    if (status == RO_OK)
        status = nrrd_open_numbers(source, &nrrd, &array);
    memcpy(info.spacing, nrrd.spacing + nrrd.colour, sizeof info.spacing);
    info.header = nrrd.text;
    info.header_size = nrrd.length;
    if (status == RO_OK)
        status = array_decode(source, &array, page, &info, stage);
    free(nrrd.text);
    return status;
}

/* ---- Rows out ----------------------------------------------------------------------------- */

ro_status nrrd_encode(struct byte_sink *sink, const ro_file_info *info,
                      const ro_write_options *options, struct row_encoder **encoder)
{
    (void)options;
    char text[1024];
    const struct array_file array = array_of(info);
    const bool colour = array.channels == 3;
    const char *type = nrrd_type_name(array.kind, array.bytes);
    int used = 0;
    if (!type)
        return file_fail(sink->file, RO_E_UNSUPPORTED, "a .nrrd file cannot hold %s",
                         sample_name(info->sample));
    const int axes = 2 + array.outer_count + colour;
    used += snprintf(text, sizeof text, "NRRD0004\ntype: %s\ndimension: %d\nsizes:%s %u %u", type,
                     axes, colour ? " 3" : "", info->width, info->height);
    for (int i = array.outer_count - 1; i >= 0; i--)
        used += snprintf(text + used, sizeof text - (size_t)used, " %u", (unsigned)array.outer[i]);
    used +=
        snprintf(text + used, sizeof text - (size_t)used, "\nencoding: raw\nendian: %s\nkinds:%s",
                 little_endian() ? "little" : "big", colour ? " RGB-color" : "");
    for (int i = colour; i < axes; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " domain");
    used += snprintf(text + used, sizeof text - (size_t)used, "\n");
    if (!info->header && info->spacing[0] > 0 && info->spacing[1] > 0) {
        used +=
            snprintf(text + used, sizeof text - (size_t)used, "spacings:%s", colour ? " nan" : "");
        for (int i = 0; i < axes - colour; i++) {
            const double spacing = i < 3 ? info->spacing[i] : 0;
            used += spacing > 0
                        ? snprintf(text + used, sizeof text - (size_t)used, " %.17g", spacing)
                        : snprintf(text + used, sizeof text - (size_t)used, " nan");
        }
        used += snprintf(text + used, sizeof text - (size_t)used, "\n");
    }
    ro_status status = array_encode(sink, info, encoder);
    if (status == RO_OK)
        status = sink_write(sink, text, (size_t)used);
    if (status == RO_OK && info->header)
        status = sink_write(sink, info->header, info->header_size);
    return status == RO_OK ? sink_write(sink, "\n", 1) : status;
}
