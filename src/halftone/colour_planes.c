/* SPDX-License-Identifier: MIT */
#include "halftone/colour_planes.h"

static void combine_rgb(unsigned char *to, const unsigned char *planes, int count, size_t apart,
                        uint32_t width)
{
    (void)count;
    for (size_t x = 0; x < width; x++)
        for (size_t c = 0; c < 3; c++)
            to[3 * x + c] = planes[c * apart + x];
}

static void combine_deep_rgb(unsigned char *to, const unsigned char *planes, int count,
                             size_t apart, uint32_t width)
{
    (void)count;
    for (size_t c = 0; c < 3; c++) {
        const uint16_t *from = (const uint16_t *)(const void *)(planes + c * apart);
        for (size_t x = 0; x < width; x++)
            ((uint16_t *)(void *)to)[3 * x + c] = from[x];
    }
}

/* A plane's white is paper; a bit that is set is ink. */
static void combine_inks(unsigned char *to, const unsigned char *planes, int count, size_t apart,
                         uint32_t width)
{
    for (size_t x = 0; x < width; x++) {
        unsigned bits = 0;
        for (int i = 0; i < count; i++)
            bits = bits << 1 | !planes[(size_t)i * apart + x];
        to[x] = (unsigned char)bits;
    }
}

static const struct planes deep_rgb = {
    3, {PLANE_RED, PLANE_GREEN, PLANE_BLUE}, RO_GREY16, RO_RGB16, combine_deep_rgb};
static const struct planes all[] = {
    [RO_CHANNELS_RGB] = {3, {PLANE_RED, PLANE_GREEN, PLANE_BLUE}, RO_GREY8, RO_RGB8, combine_rgb},
    [RO_CHANNELS_CMYK] = {4,
                          {PLANE_CYAN, PLANE_MAGENTA, PLANE_YELLOW, PLANE_BLACK},
                          RO_INDEX8,
                          RO_INDEX8,
                          combine_inks},
    [RO_CHANNELS_INKS] = {0,
                          {PLANE_INK, PLANE_INK + 1, PLANE_INK + 2, PLANE_INK + 3, PLANE_INK + 4,
                           PLANE_INK + 5, PLANE_INK + 6, PLANE_INK + 7},
                          RO_INDEX8,
                          RO_INDEX8,
                          combine_inks},
};

static ro_status check_inks(ro_context *context, const ro_halftone_options *options)
{
    const bool own = options->channels == RO_CHANNELS_INKS;
    const int least = own ? 1 : 4, most = own ? RO_INKS_MOST : 4;
    if ((own || options->inks) &&
        (options->ink_count < least || options->ink_count > most || !options->inks))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               own ? "%d inks: must be from 1 to %d"
                                   : "screens of %d inks: CMYK has %d",
                               options->ink_count, most);
    const ro_separation *given = options->separation;
    const int count = own ? options->ink_count : 4;
    if (given && (!given->shares || given->inks != count))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a separation into %d inks, but there are %d", given->inks, count);
    return RO_OK;
}

ro_status planes_find(ro_context *context, const ro_halftone_options *options, ro_format out,
                      struct planes *planes)
{
    const ro_channels channels = options->channels;
    const bool inks = channels == RO_CHANNELS_CMYK || channels == RO_CHANNELS_INKS;
    ro_status status = inks ? check_inks(context, options) : RO_OK;
    if (status != RO_OK)
        return status;
    *planes = all[channels];
    if (channels == RO_CHANNELS_RGB && out == RO_RGB16)
        *planes = deep_rgb;
    if (channels == RO_CHANNELS_INKS)
        planes->count = options->ink_count;
    for (int i = 0; i < planes->count && inks && options->separation; i++)
        planes->plane[i] = PLANE_INK + (enum grey_plane)i;
    if (inks && out == RO_BITS) {
        planes->format = planes->out = RO_BITS;
        planes->combine = NULL;
    }
    if (out != planes->out)
        return ro_context_fail(context, RO_E_ARGUMENT, "these channels are written as %s, not %s",
                               ro_format_name(planes->out), ro_format_name(out));
    return RO_OK;
}

ro_halftone_options planes_options(const ro_halftone_options *options, int plane)
{
    static const double cmyk[4] = {15, 75, 0, 45};
    ro_halftone_options own = *options;
    const ro_ink *ink = options->inks ? &options->inks[plane] : NULL;
    if (options->channels == RO_CHANNELS_CMYK && !ink && options->lpi > 0)
        own.angle = options->angle + cmyk[plane];
    if (ink && (ink->lpi > 0 || options->lpi > 0))
        own.angle = ink->degrees;
    if (ink && ink->lpi > 0)
        own.lpi = ink->lpi;
    if (ink && ink->shape)
        own.shape = ink->shape;
    if (ink && ink->curve_points) {
        own.tone.dot_gain = 0;
        own.tone.curve = ink->curve;
        own.tone.curve_points = ink->curve_points;
    }
    return own;
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
        return plane >= PLANE_INK ? 1 + (int)(plane - PLANE_INK) : 0;
    }
}

uint64_t planes_seed(uint64_t seed, int plate)
{
    return plate > 1 ? seed + (uint64_t)(plate - 1) * 0x9e3779b97f4a7c15u : seed;
}
