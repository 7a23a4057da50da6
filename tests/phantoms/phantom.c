/* SPDX-License-Identifier: MIT */
/*
 * The head phantom of Shepp and Logan (1974) with the contrast of Toft (1996): ten ellipses whose
 * tones add up. Sums are integers in hundredths of white; edges are smoothed by 4 x 4 points a
 * pixel.
 */
#include "phantoms/phantom.h"

#include "core/image.h"

/* Centre and half axes on a square from -1 to 1, y up; the direction of the first axis. */
static const struct ellipse {
    double x, y, a, b, cosine, sine;
    int tone;
} ellipses[] = {
    {0, 0, 0.69, 0.92, 1, 0, 100},
    {0, -0.0184, 0.6624, 0.874, 1, 0, -80},
    {0.22, 0, 0.11, 0.31, 0.9510565162951535, -0.3090169943749474, -20},
    {-0.22, 0, 0.16, 0.41, 0.9510565162951535, 0.3090169943749474, -20},
    {0, 0.35, 0.21, 0.25, 1, 0, 10},
    {0, 0.1, 0.046, 0.046, 1, 0, 10},
    {0, -0.1, 0.046, 0.046, 1, 0, 10},
    {-0.08, -0.605, 0.046, 0.023, 1, 0, 10},
    {0, -0.605, 0.023, 0.023, 1, 0, 10},
    {0.06, -0.605, 0.023, 0.046, 1, 0, 10},
};

enum { POINTS = 4 };

static int tone_at(double x, double y)
{
    int tone = 0;
    for (size_t i = 0; i < sizeof ellipses / sizeof *ellipses; i++) {
        const struct ellipse *e = &ellipses[i];
        double dx = x - e->x, dy = y - e->y;
        double u = (dx * e->cosine + dy * e->sine) / e->a;
        double v = (dy * e->cosine - dx * e->sine) / e->b;
        if (u * u + v * v <= 1)
            tone += e->tone;
    }
    return tone < 0 ? 0 : tone;
}

void draw_phantom(const ro_image *image)
{
    uint32_t side = image->width < image->height ? image->width : image->height;
    uint64_t white = ro_image_white(image), full = (uint64_t)POINTS * POINTS * 100;
    double scale = 2.0 / (POINTS * (double)side);
    double left = (double)image->width * POINTS / 2, top = (double)image->height * POINTS / 2;
    for (uint32_t y = 0; y < image->height; y++) {
        char *row = (char *)image->data + (ptrdiff_t)y * image->stride;
        for (uint32_t x = 0; x < image->width; x++) {
            uint64_t sum = 0;
            for (int j = 0; j < POINTS; j++)
                for (int i = 0; i < POINTS; i++)
                    sum += (uint64_t)tone_at(((double)x * POINTS + i + 0.5 - left) * scale,
                                             (top - (double)y * POINTS - j - 0.5) * scale);
            uint32_t value = (uint32_t)((sum * white + full / 2) / full);
            if (image->format == RO_GREY16)
                ((uint16_t *)row)[x] = (uint16_t)value;
            else
                ((uint8_t *)row)[x] = (uint8_t)value;
        }
    }
}
