/* SPDX-License-Identifier: MIT */
/* Blobs and edges on a jittered grid, and fields to move them by; see moved_pair.h. */
#include "phantoms/moved_pair.h"

#include "core/random.h"

#include <math.h>

enum { WAVES = 6 };
static const double USUAL_CELL = 30;

static double unit(uint64_t seed, uint32_t x, uint32_t y)
{
    return pixel_hash(seed, x, y) * 0x1p-32;
}

/* What one cell of the texture adds: a soft blob or a shape with an edge of a pixel or two. */
static double cell_tone(uint64_t seed, double cell, int cx, int cy, double x, double y)
{
    const uint32_t column = (uint32_t)cx, row = (uint32_t)cy;
    double dx = x - cell * (cx + unit(seed, column, row));
    double dy = y - cell * (cy + unit(seed + 1, column, row));
    double radius = cell * (0.25 + 0.55 * unit(seed + 2, column, row));
    if (dx * dx + dy * dy > 12 * radius * radius)
        return 0; /* less than a thousandth of a grey level */
    double tone = 0.42 * (unit(seed + 3, column, row) - 0.5);
    double shape = unit(seed + 4, column, row), turn = 2 * M_PI * unit(seed + 5, column, row);
    double along = dx * cos(turn) + dy * sin(turn), across = dy * cos(turn) - dx * sin(turn);
    if (shape < 0.6)
        return tone * exp(-(along * along + 2 * across * across) / (radius * radius));
    double edge = shape < 0.8 ? sqrt(dx * dx + dy * dy) - 0.8 * radius
                              : fmax(fabs(along), 1.6 * fabs(across)) - 0.8 * radius;
    return 0.6 * tone / (1 + exp(edge * 1.8));
}

static double texture(uint64_t seed, double cell, double x, double y)
{
    const int cx = (int)floor(x / cell), cy = (int)floor(y / cell);
    double tone = 0.5;
    for (int j = cy - 2; j <= cy + 2; j++)
        for (int i = cx - 2; i <= cx + 2; i++)
            tone += cell_tone(seed, cell, i, j, x, y);
    return tone < 0 ? 0 : tone > 1 ? 1 : tone;
}

void pair_field(const struct moved_pair *pair, double x, double y, double u[2])
{
    const double w = pair->width, h = pair->height, size = pair->size;
    const double pace = pair->motion == RO_MOTION_FINE      ? 10
                        : pair->motion == RO_MOTION_ELASTIC ? 2.3
                                                            : 1;
    double rx = x - (w - 1) / 2, ry = y - (h - 1) / 2, turn = size * M_PI / 180;
    u[0] = u[1] = 0;
    switch (pair->motion) {
    case RO_MOTION_NONE:
        break;
    case RO_MOTION_SINES:
        u[0] = size / M_SQRT2 * (0.6 * sin(2 * M_PI * x / w) + 0.4 * sin(4 * M_PI * y / h));
        u[1] = size / M_SQRT2 * (0.6 * sin(2 * M_PI * y / h) + 0.4 * sin(4 * M_PI * x / w + 1));
        break;
    case RO_MOTION_SMOOTH:
    case RO_MOTION_ELASTIC:
    case RO_MOTION_FINE:
        for (uint32_t k = 0; k < 2 * WAVES; k++) {
            double fx = 2.2 * pace * (unit(pair->seed + 11, k, 0) - 0.5);
            double fy = 2.2 * pace * (unit(pair->seed + 11, k, 1) - 0.5);
            double phase = unit(pair->seed + 11, k, 2);
            u[k & 1] += size / 4.4 * cos(2 * M_PI * (fx * x / w + fy * y / h + phase));
        }
        {
            double length = sqrt(u[0] * u[0] + u[1] * u[1]); /* bounded, and still smooth */
            double by = length > 0 ? size * tanh(length / size) / length : 1;
            u[0] *= by;
            u[1] *= by;
        }
        break;
    case RO_MOTION_ROTATION:
        u[0] = rx * cos(turn) - ry * sin(turn) - rx;
        u[1] = rx * sin(turn) + ry * cos(turn) - ry;
        break;
    case RO_MOTION_SHIFT:
        u[0] = size / 1.0770329614269007;
        u[1] = 0.4 * u[0];
        break;
    }
}

static void put(const ro_image *image, uint32_t x, uint32_t y, double tone, const double noise,
                uint64_t seed)
{
    /* the sum of four even numbers, of standard deviation 1 */
    double sum =
        unit(seed, x, y) + unit(seed + 1, x, y) + unit(seed + 2, x, y) + unit(seed + 3, x, y) - 2;
    tone += noise / 255 * 1.7320508075688772 * sum;
    char *row = (char *)image->data + (ptrdiff_t)y * image->stride;
    tone = tone < 0 ? 0 : tone > 1 ? 1 : tone;
    if (image->format == RO_GREYF)
        ((float *)(void *)row)[x] = (float)tone;
    else
        ((uint8_t *)row)[x] = (uint8_t)lrint(255 * tone);
}

void draw_pair(const struct moved_pair *pair, const ro_image *fixed, const ro_image *moving)
{
    const double cell = pair->cell > 0 ? pair->cell : USUAL_CELL;
    for (uint32_t y = 0; y < pair->height; y++)
        for (uint32_t x = 0; x < pair->width; x++) {
            double u[2];
            pair_field(pair, x, y, u);
            put(fixed, x, y, texture(pair->seed, cell, x + u[0], y + u[1]), pair->noise,
                pair->seed + 21);
            put(moving, x, y, texture(pair->seed, cell, x, y), pair->noise, pair->seed + 31);
        }
}
