/* SPDX-License-Identifier: MIT */
/* roundoff hologram --source: the light that leaves a modulator whose levels are all 1. */
#include "cli/hologram/hologram.h"
#include "roundoff_io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double tau = 6.283185307179586476925286766559;

static float *row_of(const ro_field *field, uint32_t y)
{
    return (float *)((char *)field->data + (ptrdiff_t)y * field->stride);
}

static void times(float *pixel, double re, double im)
{
    const float a = pixel[0], b = pixel[1];
    pixel[0] = (float)(a * re - b * im);
    pixel[1] = (float)(a * im + b * re);
}

/* A tilt (x and y in cycles per pixel) or a lens (its focal length) in front of the modulator. */
static void bend(ro_field *source, const ro_optics *o, const double tilt[2], double focal)
{
    const double pitch[2] = {o->pitch, o->pitch_y != 0 ? o->pitch_y : o->pitch};
    for (uint32_t y = 0; y < source->height; y++)
        for (uint32_t x = 0; x < source->width; x++) {
            const double t = x + 0.5 - source->width / 2.0, s = y + 0.5 - source->height / 2.0;
            const double square = pow(t * pitch[0], 2) + pow(s * pitch[1], 2);
            const double turns =
                tilt[0] * t + tilt[1] * s - (focal != 0 ? square / (2 * o->wavelength * focal) : 0);
            times(row_of(source, y) + 2 * (size_t)x, cos(tau * turns), sin(tau * turns));
        }
}

static ro_status fits(ro_context *context, const char *name, uint32_t width, uint32_t height,
                      const ro_field *source)
{
    return width == source->width && height == source->height
               ? RO_OK
               : ro_context_fail(context, RO_E_SIZE, "%s is %u x %u pixels, the modulator %u x %u",
                                 name, width, height, source->width, source->height);
}

static ro_status take_field(ro_context *context, const char *name, ro_field *source)
{
    ro_field field = {0};
    ro_status status = ro_hologram_load(context, name, NULL, &field, NULL);
    if (status == RO_OK)
        status = fits(context, name, field.width, field.height, source);
    for (uint32_t y = 0; y < source->height && status == RO_OK; y++)
        for (uint32_t x = 0; x < 2 * source->width; x += 2)
            times(row_of(source, y) + x, row_of(&field, y)[x], row_of(&field, y)[x + 1]);
    ro_field_free(&field);
    return status;
}

static ro_status take_picture(ro_context *context, const char *name, ro_field *source)
{
    ro_image phases = {0};
    ro_status status = hologram_load_map(context, name, 0, tau, false, &phases);
    if (status == RO_OK)
        status = fits(context, name, phases.width, phases.height, source);
    for (uint32_t y = 0; y < source->height && status == RO_OK; y++) {
        const float *from =
            (const float *)((const char *)phases.data + (ptrdiff_t)y * phases.stride);
        for (uint32_t x = 0; x < source->width; x++)
            times(row_of(source, y) + 2 * (size_t)x, cos(from[x]), sin(from[x]));
    }
    ro_image_free(&phases);
    return status;
}

static ro_status take(ro_context *context, const char *text, const ro_optics *optics,
                      ro_field *source)
{
    double number[2] = {0};
    int count = 0;
    const char *dot = strrchr(text, '.');
    if (strncmp(text, "lens:", 5) == 0) {
        if (!hologram_numbers(text + 5, "", true, number, 1, &count) || number[0] == 0)
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "source %s: must be a focal length, such as lens:500mm", text);
        bend(source, optics, (const double[2]){0}, number[0]);
        return RO_OK;
    }
    if (strncmp(text, "tilt:", 5) == 0) {
        if (!hologram_numbers(text + 5, ",", false, number, 2, &count) || count != 2)
            return ro_context_fail(
                context, RO_E_ARGUMENT,
                "source %s: must be two frequencies in cycles per pixel, such as "
                "tilt:0.1,0",
                text);
        bend(source, optics, number, 0);
        return RO_OK;
    }
    return dot && strcmp(dot, ".npy") == 0 ? take_field(context, text, source)
                                           : take_picture(context, text, source);
}

ro_status hologram_source(ro_context *context, const struct hologram_values *values,
                          const ro_optics *optics, uint32_t width, uint32_t height,
                          ro_field *source)
{
    if (values->source.count == 0)
        return RO_OK;
    ro_status status = ro_field_alloc(context, width, height, source);
    for (uint32_t y = 0; y < height && status == RO_OK; y++)
        for (uint32_t x = 0; x < width; x++) {
            row_of(source, y)[2 * x] = 1;
            row_of(source, y)[2 * x + 1] = 0;
        }
    for (int i = 0; i < values->source.count && status == RO_OK; i++)
        status = take(context, values->source.text[i], optics, source);
    return status;
}
