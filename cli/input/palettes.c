/* SPDX-License-Identifier: MIT */
#include "cli/input/palettes.h"

#include <string.h>

bool names_a_file(const char *text)
{
    return strpbrk(text, "./") != NULL || strcmp(text, "-") == 0;
}

ro_status palette_read(ro_context *context, const char *text, ro_palette *palette)
{
    return names_a_file(text) ? ro_palette_load(context, text, palette)
                              : ro_palette_parse(context, text, palette);
}

static bool has_colour(const ro_palette *palette, const uint8_t rgb[3])
{
    for (int k = 0; k < palette->count; k++)
        if (memcmp(palette->colours[k], rgb, 3) == 0)
            return true;
    return false;
}

static bool holds(const ro_palette *palette, const ro_image *image)
{
    const uint8_t *last = NULL;
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *row = (const uint8_t *)image->data + (ptrdiff_t)y * image->stride;
        for (size_t x = 0; x < image->width; x++) {
            const uint8_t *rgb = row + 3 * x;
            if ((!last || memcmp(last, rgb, 3) != 0) && !has_colour(palette, rgb))
                return false;
            last = rgb;
        }
    }
    return true;
}

const char *palette_of_panel(ro_context *context, const ro_image *image, ro_palette *palette)
{
    const ro_palette_info *info;
    if (image->format != RO_RGB8)
        return NULL;
    for (int i = 0; (info = ro_palette_at(i)); i++)
        if (ro_palette_parse(context, info->name, palette) == RO_OK && palette->panel &&
            holds(palette, image))
            return info->name;
    return NULL;
}
