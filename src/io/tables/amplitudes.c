/* SPDX-License-Identifier: MIT */
/* Pictures as amplitudes of light: floats are amplitudes already, other samples are intensities. */
#include "core/misuse.h"
#include "io/bytes/file.h"
#include "roundoff_io.h"
#include "roundoff_io_command.h"

#include <math.h>

static double sample(const ro_image *image, uint32_t x, uint32_t y, int channel, int channels)
{
    const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    const size_t at = (size_t)x * (size_t)channels + (size_t)channel;
    switch (image->format) {
    case RO_GREY8:
    case RO_RGB8:
        return sqrt((double)((const uint8_t *)row)[at] / image->maxval);
    case RO_GREY16:
    case RO_RGB16:
        return sqrt((double)((const uint16_t *)row)[at] / image->maxval);
    default:
        return ((const float *)row)[at];
    }
}

ro_status ro_amplitudes_load(ro_context *context, const char *path, int channel, uint32_t width,
                             uint32_t height, ro_image *amplitudes)
{
    if (MISSING(context, path, amplitudes))
        return RO_E_ARGUMENT;
    ro_image image = {0};
    struct open_file file;
    *amplitudes = (ro_image){0};
    file_init(&file, context, path, "standard input");
    ro_status status = ro_image_load(context, path, NULL, &image, NULL, NULL);
    if (status != RO_OK)
        return status;
    const bool colour =
        image.format == RO_RGB8 || image.format == RO_RGB16 || image.format == RO_RGBF;
    if (!colour && image.format != RO_GREY8 && image.format != RO_GREY16 &&
        image.format != RO_GREYF)
        status = file_fail(&file, RO_E_UNSUPPORTED, "amplitudes are grey or RGB, not %s",
                           ro_format_name(image.format));
    width = width ? width : image.width;
    height = height ? height : image.height;
    if (status == RO_OK && (image.width > width || image.height > height))
        status = file_fail(&file, RO_E_SIZE, "is %u x %u pixels, more than the field's %u x %u",
                           image.width, image.height, width, height);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_GREYF, width, height, 0, amplitudes);
    const uint32_t left = (width - image.width) / 2, top = (height - image.height) / 2;
    for (uint32_t y = 0; status == RO_OK && y < height; y++) {
        float *to = (float *)((char *)amplitudes->data + (ptrdiff_t)y * amplitudes->stride);
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t u = x - left, v = y - top;
            if (u >= image.width || v >= image.height)
                to[x] = 0;
            else if (!colour || channel >= 0)
                to[x] = (float)sample(&image, u, v, colour ? channel : 0, colour ? 3 : 1);
            else { /* the intensity that an eye sees */
                const double r = sample(&image, u, v, 0, 3), g = sample(&image, u, v, 1, 3);
                const double b = sample(&image, u, v, 2, 3);
                to[x] = (float)sqrt(0.2126 * r * r + 0.7152 * g * g + 0.0722 * b * b);
            }
        }
    }
    ro_image_free(&image);
    return status;
}
