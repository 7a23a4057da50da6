/* SPDX-License-Identifier: MIT */
/* Apart from image.c because libroundoff_io has a copy. */
#include "core/image.h"

ro_status image_check(ro_context *context, const ro_image *image, const char *role)
{
    if (context && image && image->format == RO_RGBA8)
        return ro_context_fail(
            context, RO_E_UNSUPPORTED,
            "the %s image has alpha, which only the input of a halftone may have", role);
    return image_check_with_alpha(context, image, role);
}

ro_status image_check_with_alpha(ro_context *context, const ro_image *image, const char *role)
{
    if (!context)
        return RO_E_ARGUMENT;
    if (!image || ro_format_row_bytes(image->format, 1) == 0)
        return ro_context_fail(context, RO_E_ARGUMENT, "the %s image has no format", role);
    const size_t sample = (size_t)ro_format_sample_bytes(image->format);
    if (image->width == 0 || image->height == 0)
        return ro_context_fail(context, RO_E_SIZE, "the %s image is empty (%u x %u)", role,
                               image->width, image->height);
    if (image->width > RO_MAX_SIDE || image->height > RO_MAX_SIDE)
        return ro_context_fail(context, RO_E_SIZE, "the %s image is too large (%u x %u)", role,
                               image->width, image->height);
    if (image->maxval > ro_image_white(&(ro_image){.format = image->format}))
        return ro_context_fail(context, RO_E_ARGUMENT, "maxval %u of the %s image does not fit %s",
                               image->maxval, role, ro_format_name(image->format));
    if (!image->data)
        return ro_context_fail(context, RO_E_ARGUMENT, "the %s image has no pixels", role);
    size_t row = ro_format_row_bytes(image->format, image->width);
    size_t stride = image->stride < 0 ? -(size_t)image->stride : (size_t)image->stride;
    if (stride > PTRDIFF_MAX / image->height)
        return ro_context_fail(context, RO_E_SIZE,
                               "the stride of the %s image, %td bytes, is too long", role,
                               image->stride);
    if (row == 0 || stride < row)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the stride of the %s image, %td bytes, is shorter than a row, %zu",
                               role, image->stride, row);
    if (sample > 1 && ((uintptr_t)image->data % sample != 0 || stride % sample != 0))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "rows of the %s image do not begin at a multiple of %d bytes", role,
                               ro_format_sample_bytes(image->format));
    return RO_OK;
}
