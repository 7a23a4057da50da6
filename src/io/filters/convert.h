/* SPDX-License-Identifier: MIT */
/* Samples from one form to another, row by row; shared by all file types. */
#ifndef RO_IO_FILTERS_CONVERT_H
#define RO_IO_FILTERS_CONVERT_H

#include "roundoff/halftone.h"

#include <stdbool.h>

/* Unpacks samples of 1, 2 or 4 bits, most significant first, to a byte each. `flip` is XORed to
 * every sample (a mask of the depth turns black and white round). */
void unpack_bits(uint8_t *samples, const uint8_t *packed, uint32_t width, int depth, uint8_t flip);

void swap16(uint16_t *samples, size_t count);
void swap32(uint32_t *samples, size_t count);
bool little_endian(void);

/* The largest sample; for files whose values must not be above their maxval. */
uint8_t largest8(const uint8_t *samples, size_t count);
uint16_t largest16(const uint16_t *samples, size_t count);

/* Ink to light: (255-C)*(255-K)/255, rounded; `inverted` samples already hold 255-C. `to` may be
 * `from`. */
void cmyk_to_rgb(uint8_t *to, const uint8_t *from, uint32_t width, bool inverted);
void cmyk16_to_rgb(uint16_t *to, const uint16_t *from, uint32_t width);

/* A palette as rows become it: grey if all its colours are, else RGB, with alpha behind them where
 * `holes` says so. */
struct colour_map {
    bool grey, holes;
    uint8_t rgb[256][3];
    uint8_t alpha[256]; /* set it and `holes` together */
};
void colour_map_finish(struct colour_map *palette, unsigned colours);
void colour_map_apply(const struct colour_map *palette, uint8_t *to, const uint8_t *indices,
                      uint32_t width);

/* From what a caller has to what a file holds: bits and levels to tones, tones to the file's white;
 * of N levels, level k is the tone (2*white*k + N-1) / (2*(N-1)). */
struct row_conversion {
    ro_format from, to;
    uint32_t from_white, to_white;
    uint8_t table[256];
    bool as_light;             /* levels stand for light: their tones are sRGB of it */
    const ro_palette *palette; /* from numbers of its colours to RGB */
};
void conversion_init(struct row_conversion *conversion, ro_format from, uint32_t from_white,
                     ro_format to, uint32_t to_white);
void conversion_as_light(struct row_conversion *conversion);
bool conversion_needed(const struct row_conversion *conversion);
void conversion_row(const struct row_conversion *conversion, void *to, const void *from,
                    uint32_t width);

/* maxval, or all bits set where it is 0. */
uint32_t white_of(ro_format format, uint32_t maxval);
int channels_of(ro_format format);

#endif
