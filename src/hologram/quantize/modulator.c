/* SPDX-License-Identifier: MIT */
/* A modulator as a device: from level numbers to what it is sent, back, and to its light. */
#include "context/context.h"
#include "core/image.h"
#include "core/misuse.h"
#include "hologram/field/field.h"
#include "hologram/quantize/levels.h"
#include "roundoff/command.h"

#include <string.h>

ro_status ro_modulator_named(ro_context *context, const char *name, ro_modulator *modulator)
{
    if (MISSING(context, name, modulator))
        return RO_E_ARGUMENT;
    *modulator = (ro_modulator){0};
    ro_status status = hologram_levels_named(context, name, modulator->table, &modulator->count);
    for (int k = 0; status == RO_OK && k < modulator->count; k++) {
        modulator->drive[k] = (uint8_t)k;
        if (hologram_levels_are_amplitudes(name))
            modulator->table[2 * k] = (float)k / (float)(modulator->count - 1);
    }
    return status;
}

/* What a sample becomes; -1: nothing. */
static void numbers_of(const ro_modulator *m, bool back, int to[256])
{
    for (int v = 0; v < 256; v++)
        to[v] = -1;
    for (int k = 0; k < m->count; k++)
        to[back ? m->drive[k] : k] = back ? k : m->drive[k];
}

static ro_status check_modulator(ro_context *context, const ro_modulator *m, const ro_image *image)
{
    if (!m || m->count < 2 || m->count > RO_HOLOGRAM_LEVELS)
        return ro_context_fail(context, RO_E_ARGUMENT, "a modulator has 2 to %d levels",
                               RO_HOLOGRAM_LEVELS);
    ro_status status = image_check(context, image, "the image of level numbers");
    if (status == RO_OK && image->format != RO_INDEX8 && image->format != RO_GREY8)
        status = ro_context_fail(context, RO_E_ARGUMENT, "level numbers are %s, not %s",
                                 ro_format_name(RO_INDEX8), ro_format_name(image->format));
    return status;
}

static ro_status no_level(ro_context *context, const ro_modulator *m, uint32_t x, uint32_t y,
                          int value, bool back)
{
    if (back && m->driven)
        return ro_context_fail(context, RO_E_FORMAT,
                               "pixel %u,%u is %d, which is not the drive of any level", x, y,
                               value);
    return ro_context_fail(context, RO_E_FORMAT, "pixel %u,%u is level %d; the last one is %d", x,
                           y, value, m->count - 1);
}

static ro_status exchange(ro_context *context, const ro_modulator *m, const ro_image *image,
                          bool back)
{
    int to[256];
    ro_status status = check_modulator(context, m, image);
    if (status != RO_OK)
        return status;
    numbers_of(m, back, to);
    for (uint32_t y = 0; y < image->height; y++) {
        uint8_t *row = (uint8_t *)image->data + (ptrdiff_t)y * image->stride;
        for (uint32_t x = 0; x < image->width; x++) {
            if (to[row[x]] < 0)
                return no_level(context, m, x, y, row[x], back);
            row[x] = (uint8_t)to[row[x]];
        }
    }
    return RO_OK;
}

ro_status ro_modulator_drive(ro_context *context, const ro_modulator *modulator, ro_image *image)
{
    return exchange(context, modulator, image, false);
}

ro_status ro_modulator_read(ro_context *context, const ro_modulator *modulator, ro_image *image)
{
    return exchange(context, modulator, image, true);
}

ro_status ro_modulator_light(ro_context *context, const ro_modulator *modulator,
                             const ro_image *numbers, ro_field *light)
{
    ro_status status = check_modulator(context, modulator, numbers);
    if (status == RO_OK)
        status = field_check(context, light, "the light");
    if (status != RO_OK)
        return status;
    if (light->width != numbers->width || light->height != numbers->height)
        return ro_context_fail(context, RO_E_SIZE,
                               "the numbers are %u x %u but the light is %u x %u", numbers->width,
                               numbers->height, light->width, light->height);
    for (uint32_t y = 0; y < numbers->height; y++) {
        const uint8_t *from = (const uint8_t *)numbers->data + (ptrdiff_t)y * numbers->stride;
        float *to = field_row(light, y);
        for (uint32_t x = 0; x < numbers->width; x++) {
            if (from[x] >= modulator->count)
                return no_level(context, modulator, x, y, from[x], false);
            memcpy(to + 2 * (size_t)x, modulator->table + 2 * from[x], 2 * sizeof *to);
        }
    }
    return RO_OK;
}
