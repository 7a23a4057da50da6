/* SPDX-License-Identifier: MIT */
/*
 * Six pictures of a registration, after the figures of Strzodka's thesis, with the grid that the
 * displacement bends, and squared differences (ten times, so that something can be seen).
 */
#include "cli/register/pictures.h"

#include <math.h>

/* A pixel as grey, white being 1; the nearest one where images differ in size. */
static double grey_at(const ro_image *image, uint32_t x, uint32_t y)
{
    x = x < image->width ? x : image->width - 1;
    y = y < image->height ? y : image->height - 1;
    const char *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    const int channels = ro_format_is_colour(image->format) ? 3 : 1;
    double sample[3], white = 1;
    for (int c = 0; c < channels; c++) {
        size_t at = (size_t)x * (size_t)channels + (size_t)c;
        switch (ro_format_sample_bytes(image->format)) {
        case 1:
            sample[c] = ((const uint8_t *)row)[at];
            white = ro_image_white(image);
            break;
        case 2:
            sample[c] = ((const uint16_t *)(const void *)row)[at];
            white = ro_image_white(image);
            break;
        default:
            sample[c] = (double)((const float *)(const void *)row)[at];
            break;
        }
    }
    if (channels == 1)
        return sample[0] / white;
    return (13933 * sample[0] + 46871 * sample[1] + 4732 * sample[2]) / 65536 / white;
}

static const float *field_at(const ro_image *field, uint32_t x, uint32_t y)
{
    const char *row = (const char *)field->data + (ptrdiff_t)y * field->stride;
    return (const float *)(const void *)row + 2 * (size_t)x;
}

static void put(const ro_image *out, uint32_t x, uint32_t y, double tone)
{
    tone = !(tone > 0) ? 0 : tone > 1 ? 1 : tone;
    ((uint8_t *)out->data)[(ptrdiff_t)y * out->stride + x] = (uint8_t)lrint(255 * tone);
}

/* How far a place is from the nearest line of one direction, in pixels of the picture. */
static double line_distance(double place, double spacing, double next, double below)
{
    double slope = hypot(next - place, below - place);
    double away = fabs(place - spacing * rint(place / spacing));
    return slope > 0.05 ? away / slope : away / 0.05;
}

static void draw_grid(const struct pictures *of, const ro_image *out)
{
    const uint32_t longer = out->width > out->height ? out->width : out->height;
    const double spacing = longer > 256 ? longer / 32.0 : 8;
    for (uint32_t y = 0; y < out->height; y++)
        for (uint32_t x = 0; x < out->width; x++) {
            uint32_t right = x + 1 < out->width ? x + 1 : x, low = y + 1 < out->height ? y + 1 : y;
            const float *u = field_at(of->field, x, y), *e = field_at(of->field, right, y);
            const float *s = field_at(of->field, x, low);
            double across =
                line_distance(x + (double)u[0], spacing, right + (double)e[0], x + (double)s[0]);
            double down =
                line_distance(y + (double)u[1], spacing, y + (double)e[1], low + (double)s[1]);
            put(out, x, y, fmin(across, down) - 0.25);
        }
}

static void draw_difference(const ro_image *a, const ro_image *b, const ro_image *out)
{
    for (uint32_t y = 0; y < out->height; y++)
        for (uint32_t x = 0; x < out->width; x++) {
            double difference = grey_at(a, x, y) - grey_at(b, x, y);
            put(out, x, y, 10 * difference * difference);
        }
}

static void draw_grey(const ro_image *image, const ro_image *out)
{
    for (uint32_t y = 0; y < out->height; y++)
        for (uint32_t x = 0; x < out->width; x++)
            put(out, x, y, grey_at(image, x, y));
}

void draw_figure(const struct pictures *of, const ro_image *out)
{
    const uint32_t width = of->fixed->width, height = of->fixed->height;
    for (uint32_t y = 0; y < out->height; y++)
        for (uint32_t x = 0; x < out->width; x++)
            put(out, x, y, 1);
    for (uint32_t i = 0; i < 6; i++) {
        ro_image tile = {.format = RO_GREY8,
                         .width = width,
                         .height = height,
                         .maxval = 255,
                         .stride = out->stride,
                         .data = NULL};
        uint32_t x = FIGURE_GAP + i % 3 * (width + FIGURE_GAP);
        uint32_t y = FIGURE_GAP + i / 3 * (height + FIGURE_GAP);
        tile.data = (uint8_t *)out->data + (ptrdiff_t)y * out->stride + x;
        const ro_image *plain[6] = {of->moving, of->fixed, NULL, NULL, of->warped, NULL};
        if (plain[i])
            draw_grey(plain[i], &tile);
        else if (i == 2)
            draw_difference(of->moving, of->fixed, &tile);
        else if (i == 3)
            draw_grid(of, &tile);
        else
            draw_difference(of->warped, of->fixed, &tile);
    }
}
