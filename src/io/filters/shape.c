/* SPDX-License-Identifier: MIT */
/* The stages that change a picture before it is halftoned, in their order. */
#include "io/filters/stage.h"

ro_status shape_stages(struct row_stage **stage, const ro_read_options *options)
{
    struct open_file *file = (*stage)->file;
    const bool resize =
        options->resize_width || options->resize_height || options->resize_percent != 0;
    ro_status status = RO_OK;
    if (resize && options->enlarge)
        return file_fail(file, RO_E_ARGUMENT, "resizing takes a size or a whole factor, not both");
    struct row_stage *last = *stage;
    *stage = NULL; /* each owns the one before, also where it fails */
    if (resize)
        status = resize_stage(last, options, &last);
    if (resize && status == RO_OK && options->resize_rule == RO_RESIZE_FILL)
        status = crop_stage(last, options->resize_width, options->resize_height, &last);
    if (status == RO_OK && options->enlarge > 1)
        status = replicate_stage(last, options->enlarge, &last);
    if (status == RO_OK && options->content == RO_CONTENT_PAGE)
        status = page_stage(last, &last);
    if (status == RO_OK)
        *stage = last;
    return status;
}
