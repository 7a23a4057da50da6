/* SPDX-License-Identifier: MIT */
#include "halftone/planes.h"

static void combine_rgb(unsigned char *to, const unsigned char *planes, size_t apart,
                        uint32_t width)
{
    for (size_t x = 0; x < width; x++)
        for (size_t c = 0; c < 3; c++)
            to[3 * x + c] = planes[c * apart + x];
}

static void combine_deep_rgb(unsigned char *to, const unsigned char *planes, size_t apart,
                             uint32_t width)
{
    for (size_t c = 0; c < 3; c++) {
        const uint16_t *from = (const uint16_t *)(const void *)(planes + c * apart);
        for (size_t x = 0; x < width; x++)
            ((uint16_t *)(void *)to)[3 * x + c] = from[x];
    }
}

/* A plane's white is paper; a bit that is set is ink. */
static void combine_inks(unsigned char *to, const unsigned char *planes, size_t apart,
                         uint32_t width)
{
    for (size_t x = 0; x < width; x++)
        to[x] = (unsigned char)((planes[x] << 3 | planes[apart + x] << 2 |
                                 planes[2 * apart + x] << 1 | planes[3 * apart + x]) ^
                                15);
}

static const struct planes deep_rgb = {
    3, {PLANE_RED, PLANE_GREEN, PLANE_BLUE}, RO_GRAY16, RO_RGB16, combine_deep_rgb};
static const struct planes all[] = {
    [RO_CHANNELS_RGB] = {3, {PLANE_RED, PLANE_GREEN, PLANE_BLUE}, RO_GRAY8, RO_RGB8, combine_rgb},
    [RO_CHANNELS_CMYK] = {4,
                          {PLANE_CYAN, PLANE_MAGENTA, PLANE_YELLOW, PLANE_BLACK},
                          RO_INDEX8,
                          RO_INDEX8,
                          combine_inks},
};

ro_status planes_find(ro_context *context, const ro_halftone_options *options, ro_format out,
                      const struct planes **planes)
{
    unsigned channels = options->channels;
    if (channels >= sizeof all / sizeof *all)
        return ro_context_fail(context, RO_E_ARGUMENT, "there is no choice of channels %u",
                               channels);
    if (options->palette)
        return ro_context_fail(context, RO_E_ARGUMENT, "a palette and channels cannot be combined");
    if (channels == RO_CHANNELS_CMYK && options->levels != 0 && options->levels != 2)
        return ro_context_fail(context, RO_E_ARGUMENT, "inks are halftoned to 2 levels, not %d",
                               options->levels);
    *planes = &all[channels];
    if (channels == RO_CHANNELS_RGB && out == RO_RGB16)
        *planes = &deep_rgb;
    if (out != (*planes)->out)
        return ro_context_fail(context, RO_E_ARGUMENT, "these channels are written as %s, not %s",
                               ro_format_name((*planes)->out), ro_format_name(out));
    return RO_OK;
}

int planes_plate(enum grey_plane plane)
{
    switch (plane) {
    case PLANE_GREEN:
    case PLANE_BLACK:
        return 1;
    case PLANE_RED:
    case PLANE_CYAN:
        return 2;
    case PLANE_BLUE:
    case PLANE_MAGENTA:
        return 3;
    case PLANE_YELLOW:
        return 4;
    default:
        return 0;
    }
}

uint64_t planes_seed(uint64_t seed, int plate)
{
    return plate > 1 ? seed + (uint64_t)(plate - 1) * 0x9e3779b97f4a7c15u : seed;
}
