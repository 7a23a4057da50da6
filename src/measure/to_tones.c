/* SPDX-License-Identifier: MIT */
/* Rows of any format as tones: 0 black, 1 white; colour by the luma that halftoning uses. */
#include "core/image.h"
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

static double light_of(double x)
{
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

ro_status measure_tones_open(ro_context *context, const ro_image *image, bool linear,
                             struct measure_tones *tones)
{
    const uint32_t white = image->format == RO_BITS ? 1 : ro_image_white(image);
    *tones = (struct measure_tones){
        .image = image, .linear = linear, .white = white, .scale = 1 / (float)white};
    if (image->format == RO_GREYF || image->format == RO_RGBF) {
        tones->scale = 1;
        return RO_OK;
    }
    tones->table = malloc(((size_t)white + 1) * sizeof *tones->table);
    if (!tones->table)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a table of %u tones",
                               white + 1);
    for (uint32_t i = 0; i <= white; i++) {
        double x = (double)i / white;
        tones->table[i] = (float)(linear ? light_of(x) : x);
    }
    return RO_OK;
}

void measure_tones_close(struct measure_tones *tones)
{
    free(tones->table);
    tones->table = NULL;
}

/* A value above maxval counts as white. */
static inline float tone_of(const struct measure_tones *tones, uint32_t value)
{
    return tones->table[value < tones->white ? value : tones->white];
}

static inline float luma_of(float r, float g, float b)
{
    return (13933 * r + 46871 * g + 4732 * b) / 65536;
}

static float clamp(const struct measure_tones *tones, float x)
{
    x = x > 0 ? x < 1 ? x : 1 : 0; /* NaN becomes 0 */
    return tones->linear ? (float)light_of((double)x) : x;
}

void measure_tones_row(const struct measure_tones *tones, uint32_t x, uint32_t y, uint32_t count,
                       float *to)
{
    const ro_image *image = tones->image;
    const uint8_t *bytes = (const uint8_t *)image->data + (ptrdiff_t)y * image->stride;
    const uint16_t *words = (const uint16_t *)(const void *)bytes;
    const float *floats = (const float *)(const void *)bytes;
    const size_t from = x, end = from + count;
    switch (image->format) {
    case RO_GREY8:
    case RO_INDEX8:
        if (tones->white == 255)
            for (size_t i = from; i < end; i++)
                *to++ = tones->table[bytes[i]];
        else
            for (size_t i = from; i < end; i++)
                *to++ = tone_of(tones, bytes[i]);
        break;
    case RO_GREY16:
        for (size_t i = from; i < end; i++)
            *to++ = tone_of(tones, words[i]);
        break;
    case RO_GREYF:
        for (size_t i = from; i < end; i++)
            *to++ = clamp(tones, floats[i]);
        break;
    case RO_RGB8:
        for (size_t i = 3 * from; i < 3 * end; i += 3)
            *to++ = luma_of(tone_of(tones, bytes[i]), tone_of(tones, bytes[i + 1]),
                            tone_of(tones, bytes[i + 2]));
        break;
    case RO_RGB16:
        for (size_t i = 3 * from; i < 3 * end; i += 3)
            *to++ = luma_of(tone_of(tones, words[i]), tone_of(tones, words[i + 1]),
                            tone_of(tones, words[i + 2]));
        break;
    case RO_RGBF:
        for (size_t i = 3 * from; i < 3 * end; i += 3)
            *to++ = luma_of(clamp(tones, floats[i]), clamp(tones, floats[i + 1]),
                            clamp(tones, floats[i + 2]));
        break;
    case RO_BITS:
        for (size_t i = from; i < end; i++)
            *to++ = (float)(bytes[i / 8] >> (7 - i % 8) & 1);
        break;
    case RO_FORMAT_NONE:
    case RO_RGBA8: /* was refused */
        break;
    }
}

static uint32_t mirror(int64_t place, uint32_t size)
{
    const int64_t period = 2 * (int64_t)size;
    place %= period;
    if (place < 0)
        place += period;
    return (uint32_t)(place < size ? place : period - 1 - place);
}

void measure_tones_mirrored(const struct measure_tones *tones, int64_t x, int64_t y, uint32_t count,
                            float *to)
{
    const uint32_t row = mirror(y, tones->image->height), width = tones->image->width;
    uint32_t done = 0;
    while (done < count) {
        const int64_t here = x + done;
        uint32_t run = 1, column = mirror(here, width);
        if (here >= 0 && here < width) {
            run = width - column;
            run = run < count - done ? run : count - done;
        }
        measure_tones_row(tones, column, row, run, to + done);
        done += run;
    }
}
