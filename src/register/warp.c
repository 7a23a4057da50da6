/* SPDX-License-Identifier: MIT */
/* Images pulled through a displacement field. */
#include "context/context.h"
#include "core/image.h"
#include "roundoff/register.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

struct warp {
    const ro_context *context;
    const ro_image *image, *field, *out;
    ro_sampling sampling;
    int channels, bytes; /* of a sample */
    atomic_int ticket;
};

static double value_of(const struct warp *warp, int64_t x, int64_t y, int channel)
{
    const char *row = (const char *)warp->image->data + y * warp->image->stride;
    int64_t at = x * warp->channels + channel;
    switch (warp->bytes) {
    case 1:
        return ((const uint8_t *)row)[at];
    case 2:
        return ((const uint16_t *)(const void *)row)[at];
    default:
        return (double)((const float *)(const void *)row)[at];
    }
}

static void store(const struct warp *warp, char *row, int64_t at, double value)
{
    switch (warp->bytes) {
    case 1:
        ((uint8_t *)row)[at] = (uint8_t)lrint(value);
        break;
    case 2:
        ((uint16_t *)(void *)row)[at] = (uint16_t)lrint(value);
        break;
    default:
        ((float *)(void *)row)[at] = (float)value;
        break;
    }
}

static double clamp_to(double x, double last) { return !(x > 0) ? 0 : x > last ? last : x; }

static void warp_pixel(const struct warp *warp, double px, double py, char *row, int64_t x)
{
    const int64_t width = warp->image->width, height = warp->image->height;
    px = clamp_to(px, (double)width - 1);
    py = clamp_to(py, (double)height - 1);
    if (warp->sampling == RO_SAMPLE_NEAREST) {
        int64_t ix = (int64_t)floor(px + 0.5), iy = (int64_t)floor(py + 0.5);
        for (int c = 0; c < warp->channels; c++)
            store(warp, row, x * warp->channels + c, value_of(warp, ix, iy, c));
        return;
    }
    int64_t ix = (int64_t)px, iy = (int64_t)py;
    int64_t right = ix + 1 < width ? ix + 1 : ix, below = iy + 1 < height ? iy + 1 : iy;
    double fx = px - (double)ix, fy = py - (double)iy;
    for (int c = 0; c < warp->channels; c++) {
        double a = value_of(warp, ix, iy, c), b = value_of(warp, right, iy, c);
        double d = value_of(warp, ix, below, c), e = value_of(warp, right, below, c);
        double top = a + fx * (b - a), low = d + fx * (e - d);
        store(warp, row, x * warp->channels + c, top + fy * (low - top));
    }
}

static void warp_rows(void *data, int thread)
{
    struct warp *warp = data;
    int y;
    (void)thread;
    while ((y = atomic_fetch_add(&warp->ticket, 1)) < (int)warp->out->height &&
           !ro_context_cancelled(warp->context)) {
        const char *line = (const char *)warp->field->data + (ptrdiff_t)y * warp->field->stride;
        const float *u = (const float *)(const void *)line;
        char *row = (char *)warp->out->data + (ptrdiff_t)y * warp->out->stride;
        for (uint32_t x = 0; x < warp->out->width; x++)
            warp_pixel(warp, x + (double)u[2 * x], y + (double)u[2 * x + 1], row, x);
    }
}

ro_status ro_warp(ro_context *context, const ro_image *image, const ro_image *field, ro_image *out,
                  ro_sampling sampling)
{
    ro_status status = image_check(context, image, "image");
    if (status == RO_OK)
        status = image_check(context, field, "field");
    if (status == RO_OK)
        status = image_check(context, out, "output");
    if (status != RO_OK)
        return status;
    if (image->format == RO_BITS)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "packed bits cannot be warped");
    if (out->format != image->format || ro_image_white(out) != ro_image_white(image))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the output of a warp must have the format of the image");
    if (field->format != RO_GREYF || field->width % 2)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a field has two floats for each pixel, u_x and u_y");
    if (2 * (uint64_t)out->width != field->width || out->height != field->height)
        return ro_context_fail(context, RO_E_SIZE,
                               "the field is for pictures of %u x %u but the output is %u x %u",
                               field->width / 2, field->height, out->width, out->height);
    for (uint32_t y = 0; y < field->height && !ro_context_cancelled(context); y++) {
        const char *line = (const char *)field->data + (ptrdiff_t)y * field->stride;
        const float *u = (const float *)(const void *)line;
        for (uint32_t x = 0; x < field->width; x++)
            if (!isfinite(u[x]))
                return ro_context_fail(context, RO_E_ARGUMENT,
                                       "the field at (%u, %u) is not a finite number", x / 2, y);
    }
    if (ro_format_sample_bytes(image->format) == 4)
        for (uint32_t y = 0; y < image->height && !ro_context_cancelled(context); y++) {
            const char *line = (const char *)image->data + (ptrdiff_t)y * image->stride;
            const uint32_t samples = image->width * (ro_format_is_colour(image->format) ? 3 : 1);
            for (uint32_t x = 0; x < samples; x++)
                if (!isfinite(((const float *)(const void *)line)[x]))
                    return ro_context_fail(
                        context, RO_E_ARGUMENT,
                        "row %u of the image holds a value that is not a finite number", y);
        }
    struct warp warp = {.context = context,
                        .image = image,
                        .field = field,
                        .out = out,
                        .sampling = sampling,
                        .channels = ro_format_is_colour(image->format) ? 3 : 1,
                        .bytes = ro_format_sample_bytes(image->format)};
    pool_run(context->pool, context->threads, warp_rows, &warp);
    if (ro_context_cancelled(context))
        return ro_context_fail(context, RO_E_CANCELLED, "cancelled");
    *context_report(context) = (ro_report){.method = "warp",
                                           .schedule = "rows",
                                           .width = out->width,
                                           .height = out->height,
                                           .device = RO_DEVICE_CPU,
                                           .cpu = RO_CPU_SCALAR,
                                           .threads = context->threads};
    return RO_OK;
}
