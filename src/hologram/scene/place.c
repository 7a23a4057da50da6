/* SPDX-License-Identifier: MIT */
/*
 * Where a picture lies in a field: its middle in the middle, as large as it fits, so large that it
 * fills the field, or pixel by pixel. Scenes and targets are placed alike.
 */
#include "context/context.h"
#include "core/image.h"
#include "core/misuse.h"
#include "hologram/field/field.h"
#include "hologram/scene/picture_light.h"
#include "roundoff/command.h"

#include <stdlib.h>
#include <string.h>

static const float *row_of(const ro_image *image, uint32_t y)
{
    return (const float *)((const char *)image->data + (ptrdiff_t)y * image->stride);
}

/* Square pixels of metres; 1 where the pitch is not known. */
static void pitch_of(const ro_optics *optics, double pitch[2])
{
    field_pitch(optics, pitch);
    if (!(pitch[0] > 0 && pitch[1] > 0))
        pitch[0] = pitch[1] = 1;
}

/* ---- Shrinking ------------------------------------------------------------------------------- */

/* Adds `weight` times the intensities of a row, each result being the mean of what it covers. */
static void add_row(double *sums, uint32_t n, const float *from, uint32_t count, double weight)
{
    const double step = (double)count / n;
    for (uint32_t x = 0; x < n; x++) {
        const double first = x * step, end = fmin((x + 1) * step, count);
        double sum = 0;
        for (uint32_t i = (uint32_t)first; i < end; i++)
            sum += (double)from[i] * from[i] * (fmin(i + 1.0, end) - fmax(i, first));
        sums[x] += weight * sum / step;
    }
}

static ro_status shrink(ro_context *context, ro_image *picture, uint32_t width, uint32_t height)
{
    ro_image small = {0};
    double *sums = malloc(width * sizeof *sums);
    ro_status status = sums ? ro_image_alloc(context, RO_GREYF, width, height, 0, &small)
                            : ro_context_fail(context, RO_E_MEMORY, "no memory for a picture");
    const double step = (double)picture->height / height;
    for (uint32_t y = 0; y < height && status == RO_OK; y++) {
        const double first = y * step, end = fmin((y + 1) * step, picture->height);
        float *to = (float *)((char *)small.data + (ptrdiff_t)y * small.stride);
        for (uint32_t x = 0; x < width; x++)
            sums[x] = 0;
        for (uint32_t i = (uint32_t)first; i < end; i++)
            add_row(sums, width, row_of(picture, i), picture->width,
                    (fmin(i + 1.0, end) - fmax(i, first)) / step);
        for (uint32_t x = 0; x < width; x++)
            to[x] = (float)sqrt(sums[x]);
    }
    free(sums);
    if (status != RO_OK)
        return status;
    ro_image_free(picture);
    *picture = small;
    return RO_OK;
}

/* ---- Cutting off ----------------------------------------------------------------------------- */

/* Pixels of n that fit a side, the middle staying where it is. */
static uint32_t fitting(uint32_t n, double side, double pixel)
{
    const double most = floor(side / pixel + 1e-6);
    if (most >= n)
        return n;
    const uint32_t count = most < 1 ? 1 : (uint32_t)most;
    return count > 1 && (n - count) % 2 ? count - 1 : count;
}

static ro_status crop(ro_context *context, ro_image *picture, uint32_t width, uint32_t height)
{
    const uint32_t left = (picture->width - width) / 2, top = (picture->height - height) / 2;
    ro_image part = {0};
    ro_status status = ro_image_alloc(context, RO_GREYF, width, height, 0, &part);
    for (uint32_t y = 0; y < height && status == RO_OK; y++)
        memcpy((char *)part.data + (ptrdiff_t)y * part.stride, row_of(picture, top + y) + left,
               width * sizeof(float));
    if (status != RO_OK)
        return status;
    ro_image_free(picture);
    *picture = part;
    return RO_OK;
}

/* ---- The public calls ------------------------------------------------------------------------ */

static ro_status check(ro_context *context, const ro_image *picture, uint32_t width,
                       uint32_t height)
{
    ro_status status = image_check(context, picture, "the picture");
    if (status == RO_OK && picture->format != RO_GREYF)
        status = ro_context_fail(context, RO_E_ARGUMENT, "amplitudes are %s, not %s",
                                 ro_format_name(RO_GREYF), ro_format_name(picture->format));
    if (status == RO_OK && (!width || !height))
        status =
            ro_context_fail(context, RO_E_ARGUMENT, "a field of %u x %u is empty", width, height);
    return status;
}

/* The pixels of a field from a picture of this width. */
static ro_status lay(ro_context *context, ro_image *picture, double wide, uint32_t width,
                     uint32_t height, const double pitch[2])
{
    ro_image field = {0};
    ro_status status = ro_image_alloc(context, RO_GREYF, width, height, 0, &field);
    const double pixel = wide / picture->width;
    for (uint32_t y = 0; y < height && status == RO_OK; y++) {
        const double down = (y + 0.5 - height / 2.0) * pitch[1];
        const int64_t v = picture_place(down, pixel, picture->height);
        float *to = (float *)((char *)field.data + (ptrdiff_t)y * field.stride);
        for (uint32_t x = 0; x < width; x++) {
            const double right = (x + 0.5 - width / 2.0) * pitch[0];
            const int64_t u = v < 0 ? -1 : picture_place(right, pixel, picture->width);
            to[x] = u < 0 ? 0 : row_of(picture, (uint32_t)v)[u];
        }
    }
    if (status != RO_OK)
        return status;
    ro_image_free(picture);
    *picture = field;
    return RO_OK;
}

ro_status ro_picture_place(ro_context *context, ro_image *picture, uint32_t width, uint32_t height,
                           const ro_optics *optics, int place, double *wide)
{
    if (MISSING(context, picture, optics))
        return RO_E_ARGUMENT;
    ro_status status = check(context, picture, width, height);
    if (status != RO_OK)
        return status;
    double pitch[2];
    pitch_of(optics, pitch);
    const uint32_t w = picture->width, h = picture->height;
    const double across = width * pitch[0] / w, down = height * pitch[1] / h;
    const double size = place == RO_PLACE_FIT    ? fmin(across, down)
                        : place == RO_PLACE_FILL ? fmax(across, down)
                                                 : pitch[0];
    if (place == RO_PLACE_CENTRE && size > fmin(across, down) * (1 + 1e-9))
        return ro_context_fail(context, RO_E_SIZE,
                               "the picture of %u x %u pixels is larger than the field of %u x %u: "
                               "place it by fit or fill",
                               w, h, width, height);
    const double finer = fmin(pitch[0], pitch[1]); /* a picture's pixels are square */
    const uint32_t less[2] = {(uint32_t)fmax(1, rint(size * w / finer)),
                              (uint32_t)fmax(1, rint(size * h / finer))};
    if (less[0] < w && less[1] < h)
        status = shrink(context, picture, less[0], less[1]);
    const double pixel = size * w / picture->width;
    const uint32_t part[2] = {fitting(picture->width, width * pitch[0], pixel),
                              fitting(picture->height, height * pitch[1], pixel)};
    if (status == RO_OK && (part[0] < picture->width || part[1] < picture->height))
        status = crop(context, picture, part[0], part[1]);
    if (wide)
        *wide = pixel * picture->width;
    return status == RO_OK && !wide
               ? lay(context, picture, pixel * picture->width, width, height, pitch)
               : status;
}
