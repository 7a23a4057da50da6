/* SPDX-License-Identifier: MIT */
#include "io/filters/convert.h"
#include "roundoff/library.h"

#include <string.h>

void unpack_bits(uint8_t *samples, const uint8_t *packed, uint32_t width, int depth, uint8_t flip)
{
    uint32_t per_byte = 8 / (uint32_t)depth, whole = width / per_byte;
    uint8_t mask = (uint8_t)((1 << depth) - 1);
    if (depth == 1) {
        for (uint32_t i = 0; i < whole; i++)
            for (int bit = 0; bit < 8; bit++)
                samples[8 * (size_t)i + (size_t)bit] = ((packed[i] >> (7 - bit)) & 1) ^ flip;
    } else {
        for (uint32_t i = 0; i < whole * per_byte; i++)
            samples[i] =
                ((packed[i / per_byte] >> (8 - depth - depth * (int)(i % per_byte))) & mask) ^ flip;
    }
    for (uint32_t i = whole * per_byte; i < width; i++)
        samples[i] = ((packed[whole] >> (8 - depth - depth * (int)(i % per_byte))) & mask) ^ flip;
}

static void pack_bits(uint8_t *bits, const uint8_t *samples, uint32_t width,
                      const uint8_t table[256])
{
    for (uint32_t i = 0; i < width / 8; i++) {
        unsigned byte = 0;
        for (int bit = 0; bit < 8; bit++)
            byte = byte << 1 | table[samples[8 * (size_t)i + (size_t)bit]];
        bits[i] = (uint8_t)byte;
    }
    if (width % 8) {
        unsigned byte = 0;
        for (uint32_t i = width / 8 * 8; i < width; i++)
            byte |= (unsigned)table[samples[i]] << (7 - i % 8);
        bits[width / 8] = (uint8_t)byte;
    }
}

void swap16(uint16_t *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        samples[i] = (uint16_t)(samples[i] << 8 | samples[i] >> 8);
}

void swap32(uint32_t *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        samples[i] = __builtin_bswap32(samples[i]);
}

bool little_endian(void) { return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__; }

uint8_t largest8(const uint8_t *samples, size_t count)
{
    uint8_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = samples[i] > largest ? samples[i] : largest;
    return largest;
}

uint16_t largest16(const uint16_t *samples, size_t count)
{
    uint16_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = samples[i] > largest ? samples[i] : largest;
    return largest;
}

void cmyk_to_rgb(uint8_t *to, const uint8_t *from, uint32_t width, bool inverted)
{
    unsigned flip = inverted ? 0 : 255;
    for (uint32_t x = 0; x < width; x++, from += 4, to += 3) {
        unsigned light = from[3] ^ flip;
        for (int c = 0; c < 3; c++)
            to[c] = (uint8_t)(((from[c] ^ flip) * light + 127) / 255);
    }
}

void cmyk16_to_rgb(uint16_t *to, const uint16_t *from, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, from += 4, to += 3) {
        const uint64_t light = 65535u - from[3];
        for (int c = 0; c < 3; c++)
            to[c] = (uint16_t)(((65535u - from[c]) * light + 32767) / 65535);
    }
}

void colour_map_finish(struct colour_map *palette, unsigned colours)
{
    palette->grey = true;
    for (unsigned i = 0; i < colours; i++) {
        const uint8_t *rgb = palette->rgb[i];
        palette->grey = palette->grey && rgb[0] == rgb[1] && rgb[1] == rgb[2];
    }
    memset(palette->rgb[colours], 0, sizeof palette->rgb - colours * sizeof palette->rgb[0]);
    memset(palette->alpha + colours, 255, sizeof palette->alpha - colours);
}

void colour_map_apply(const struct colour_map *palette, uint8_t *to, const uint8_t *indices,
                      uint32_t width)
{
    if (palette->holes)
        for (uint32_t x = 0; x < width; x++) {
            const size_t channels = palette->grey ? 1 : 3;
            memcpy(to, palette->rgb[indices[x]], channels);
            to[channels] = palette->alpha[indices[x]];
            to += channels + 1;
        }
    else if (palette->grey)
        for (uint32_t x = 0; x < width; x++)
            to[x] = palette->rgb[indices[x]][0];
    else
        for (uint32_t x = 0; x < width; x++)
            memcpy(to + 3 * (size_t)x, palette->rgb[indices[x]], 3);
}

uint32_t white_of(ro_format format, uint32_t maxval)
{
    if (maxval)
        return maxval;
    switch (format) {
    case RO_GREY16:
    case RO_RGB16:
        return 65535;
    case RO_GREYF:
    case RO_RGBF:
    case RO_BITS:
        return 1;
    default:
        return 255;
    }
}

int channels_of(ro_format format)
{
    return format == RO_RGB8 || format == RO_RGB16 || format == RO_RGBF ? 3 : 1;
}

static bool is_wide(ro_format format) { return format == RO_GREY16 || format == RO_RGB16; }

void conversion_init(struct row_conversion *conversion, ro_format from, uint32_t from_white,
                     ro_format to, uint32_t to_white)
{
    *conversion = (struct row_conversion){from, to, from_white, to_white, {0}, false, NULL};
    for (uint32_t k = 0; k < 256; k++) {
        uint32_t level = k < from_white ? k : from_white;
        conversion->table[k] = (uint8_t)((2 * to_white * level + from_white) / (2 * from_white));
    }
}

void conversion_as_light(struct row_conversion *conversion)
{
    const int levels = (int)conversion->from_white + 1;
    conversion->as_light = true;
    for (int k = 0; k < levels; k++)
        conversion->table[k] = ro_level_tone(levels, k, 1);
}

bool conversion_needed(const struct row_conversion *conversion)
{
    bool packing = (conversion->from == RO_BITS) != (conversion->to == RO_BITS);
    return packing || conversion->palette || conversion->as_light ||
           conversion->from_white != conversion->to_white;
}

void conversion_row(const struct row_conversion *conversion, void *to, const void *from,
                    uint32_t width)
{
    size_t samples = (size_t)width * (size_t)channels_of(conversion->from);
    if (conversion->palette) {
        for (size_t x = 0; x < width; x++)
            memcpy((uint8_t *)to + 3 * x, conversion->palette->colours[((const uint8_t *)from)[x]],
                   3);
    } else if (is_wide(conversion->from)) {
        const uint16_t *in = from;
        uint16_t *out = to;
        uint64_t white = conversion->from_white, scale = 2 * (uint64_t)conversion->to_white;
        for (size_t i = 0; i < samples; i++)
            out[i] = (uint16_t)(((in[i] < white ? in[i] : white) * scale + white) / (2 * white));
    } else if (conversion->to == RO_BITS) {
        pack_bits(to, from, width, conversion->table);
    } else if (conversion->from == RO_BITS) {
        uint8_t *out = to;
        unpack_bits(out, from, width, 1, 0);
        for (size_t i = 0; i < samples; i++)
            out[i] = conversion->table[out[i]];
    } else {
        const uint8_t *in = from;
        uint8_t *out = to;
        for (size_t i = 0; i < samples; i++)
            out[i] = conversion->table[in[i]];
    }
}
