/* SPDX-License-Identifier: MIT */
/* The stages that change a picture before it is halftoned, in their order. */
#include "io/filters/stage.h"

/* As EXIF counts them, by quarter turns, and then mirrored or not. */
static const int orientations[4][2] = {{1, 2}, {6, 5}, {3, 4}, {8, 7}};

static ro_status cut(struct row_stage *last, const ro_read_options *options,
                     struct row_stage **stage)
{
    const ro_file_info *info = &last->info;
    if (options->crop_height > 0 &&
        (uint64_t)options->crop_left + options->crop_width <= info->width &&
        (uint64_t)options->crop_top + options->crop_height <= info->height)
        return crop_at_stage(last, options->crop_left, options->crop_top, options->crop_width,
                             options->crop_height, stage);
    const ro_status status =
        file_fail(last->file, RO_E_ARGUMENT, "%u x %u pixels at (%u, %u) are not in %u x %u",
                  options->crop_width, options->crop_height, options->crop_left, options->crop_top,
                  info->width, info->height);
    last->close(last);
    return status;
}

ro_status shape_stages(struct row_stage **stage, const ro_read_options *options)
{
    struct open_file *file = (*stage)->file;
    const bool resize =
        options->resize_width || options->resize_height || options->resize_percent != 0;
    ro_status status = RO_OK;
    if (resize && options->enlarge)
        return file_fail(file, RO_E_ARGUMENT, "resizing takes a size or a whole factor, not both");
    if (options->turns < 0 || options->turns > 3)
        return file_fail(file, RO_E_ARGUMENT, "cannot be turned %d times", options->turns);
    struct row_stage *last = *stage;
    *stage = NULL; /* each owns the one before, also where it fails */
    if (options->crop_width)
        status = cut(last, options, &last);
    if (status == RO_OK && (options->turns || options->mirror)) {
        last->orientation = orientations[options->turns][options->mirror != 0];
        status = orient_stage(last, &last);
    }
    if (resize && status == RO_OK)
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
