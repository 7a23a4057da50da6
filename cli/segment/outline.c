/* SPDX-License-Identifier: MIT */
/* Outlines over a picture, with soft edges: a pixel is covered by how near it is to the line. */
#include "cli/segment/outline.h"

#include <math.h>
#include <string.h>

const uint8_t label_colours[RO_LABELS][3] = {
    {255, 48, 48}, {0, 210, 90}, {64, 140, 255}, {255, 200, 0}};

static const double HALF = 0.75; /* of the width */

static double distance(double x, double y, const double *a, const double *b)
{
    double dx = b[0] - a[0], dy = b[1] - a[1], length = dx * dx + dy * dy;
    double t = length > 0 ? ((x - a[0]) * dx + (y - a[1]) * dy) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    x -= a[0] + t * dx;
    y -= a[1] + t * dy;
    return sqrt(x * x + y * y);
}

static void draw_segment(const double *a, const double *b, uint32_t width, uint32_t height,
                         uint8_t *cover)
{
    const double reach = HALF + 0.5;
    double left = fmin(a[0], b[0]) - reach, right = fmax(a[0], b[0]) + reach;
    double top = fmin(a[1], b[1]) - reach, bottom = fmax(a[1], b[1]) + reach;
    int64_t x0 = left > 0 ? (int64_t)ceil(left) : 0, y0 = top > 0 ? (int64_t)ceil(top) : 0;
    for (int64_t y = y0; (double)y <= bottom && y < height; y++)
        for (int64_t x = x0; (double)x <= right && x < width; x++) {
            double share = reach - distance((double)x, (double)y, a, b);
            uint8_t value = (uint8_t)(255 * (share < 0 ? 0 : share > 1 ? 1 : share));
            uint8_t *at = cover + (size_t)y * width + (size_t)x;
            *at = value > *at ? value : *at;
        }
}

void draw_cover(const ro_polyline *lines, size_t count, int label, uint32_t width, uint32_t height,
                uint8_t *cover)
{
    for (size_t i = 0; i < count; i++) {
        const ro_polyline *line = &lines[i];
        if ((line->label - 1) % RO_LABELS != label - 1)
            continue;
        for (size_t k = line->closed || line->count == 1 ? 0 : 1; k < line->count; k++)
            draw_segment(line->points + 2 * (k ? k - 1 : line->count - 1), line->points + 2 * k,
                         width, height, cover);
    }
}

void draw_outlines(const ro_image *image, const ro_polyline *lines, size_t count, uint8_t *cover)
{
    for (int label = 1; label <= RO_LABELS; label++) {
        const uint8_t *colour = label_colours[label - 1];
        memset(cover, 0, (size_t)image->width * image->height);
        draw_cover(lines, count, label, image->width, image->height, cover);
        for (uint32_t y = 0; y < image->height; y++) {
            uint8_t *row = (uint8_t *)image->data + (ptrdiff_t)y * image->stride;
            const uint8_t *share = cover + (size_t)y * image->width;
            for (uint32_t x = 0; x < image->width; x++)
                for (int c = 0; share[x] && c < 3; c++)
                    row[3 * x + (uint32_t)c] =
                        (uint8_t)((row[3 * x + (uint32_t)c] * (255 - share[x]) +
                                   colour[c] * share[x] + 127) /
                                  255);
        }
    }
}
