/* SPDX-License-Identifier: MIT */
/* Looks at fronts between steps: whether signs changed, how much moved, and phi or speeds doubled.
 */
#include "segment/segment.h"

#include <stdlib.h>

static int16_t *row_of(const struct level_field *field, uint32_t y)
{
    return (int16_t *)(void *)(field->data + y * field->pitch);
}

void level_double(const struct front_level *level, const struct level_field *field)
{
    for (uint32_t y = 0; y < level->height; y++) {
        int16_t *row = row_of(field, y);
        for (uint32_t x = 0; x < level->width; x++) {
            int32_t twice = 2 * row[x];
            row[x] = (int16_t)(twice < level->min   ? level->min
                               : twice > level->max ? level->max
                                                    : twice);
        }
    }
}

int32_t level_largest(const struct front_level *level, const struct level_field *field)
{
    int32_t largest = 0;
    for (uint32_t y = 0; y < level->height; y++) {
        const int16_t *row = row_of(field, y);
        for (uint32_t x = 0; x < level->width; x++) {
            const int32_t size = row[x] < 0 ? -row[x] : row[x];
            largest = size > largest ? size : largest;
        }
    }
    return largest;
}

bool level_same_signs(const struct front_level *level, const struct level_field *one,
                      const struct level_field *other)
{
    for (uint32_t y = 0; y < level->height; y++) {
        const int16_t *a = row_of(one, y), *b = row_of(other, y);
        int differ = 0;
        for (uint32_t x = 0; x < level->width; x++)
            differ |= a[x] ^ b[x];
        if ((int16_t)differ < 0)
            return false;
    }
    return true;
}

/* Pixels with a neighbour on the other side, and those of them outside with a speed above zero or
 * inside with one below: sign bits. */
struct tally {
    uint32_t beside, held;
};

static void tally_pixel(struct tally *tally, int32_t phi, int32_t speed, int32_t left,
                        int32_t right, int32_t above, int32_t below)
{
    const int32_t beside = (phi ^ left) | (phi ^ right) | (phi ^ above) | (phi ^ below);
    tally->beside += (uint32_t)beside >> 31;
    tally->held += (uint32_t)(beside & ((~phi & -speed) | (phi & speed))) >> 31;
}

uint64_t level_held(const struct level_front *front, uint64_t *beside)
{
    const struct level_field *phi = &front->phi[front->now];
    const uint32_t last = front->level.width - 1, height = front->level.height;
    uint64_t held = 0;
    *beside = 0;
    for (uint32_t y = 0; y < height; y++) {
        const int16_t *row = row_of(phi, y), *speed = row_of(&front->speed, y);
        const int16_t *above = row_of(phi, y ? y - 1 : y);
        const int16_t *below = row_of(phi, y + 1 < height ? y + 1 : y);
        struct tally tally = {0};
        tally_pixel(&tally, row[0], speed[0], row[0], row[last ? 1 : 0], above[0], below[0]);
        for (uint32_t x = 1; x < last; x++)
            tally_pixel(&tally, row[x], speed[x], row[x - 1], row[x + 1], above[x], below[x]);
        if (last)
            tally_pixel(&tally, row[last], speed[last], row[last - 1], row[last], above[last],
                        below[last]);
        *beside += tally.beside;
        held += tally.held;
    }
    return held;
}

void level_signs(const struct front_level *level, const struct level_field *phi, uint32_t y,
                 unsigned char *signs)
{
    const char *row = phi->data + y * phi->pitch;
    if (level->real)
        for (uint32_t x = 0; x < level->width; x++)
            signs[x] = ((const float *)(const void *)row)[x] < 0;
    else
        for (uint32_t x = 0; x < level->width; x++)
            signs[x] = ((const int16_t *)(const void *)row)[x] < 0;
}

/* Rows of signs take turns; `edge` is where the contour runs between a pixel and a neighbour. */
bool level_change(const struct level_front *front, double *rms)
{
    const struct front_level *level = &front->level;
    const struct level_field *now = &front->phi[front->now], *before = &front->phi[1 - front->now];
    const size_t width = level->width;
    unsigned char *memory = malloc(4 * (width + 2)), *rows[3], *edge = memory + 3 * (width + 2);
    double sum = 0;
    uint64_t count = 0;
    *rms = 0;
    if (!memory)
        return false;
    for (int i = 0; i < 3; i++)
        rows[i] = memory + (size_t)i * (width + 2) + 1;
    for (uint32_t y = 0; y < level->height; y++) {
        unsigned char *here = rows[y % 3], *below = rows[(y + 1) % 3];
        const unsigned char *above = y ? rows[(y + 2) % 3] : here;
        if (y == 0)
            level_signs(level, now, y, here);
        if (y + 1 < level->height)
            level_signs(level, now, y + 1, below);
        else
            memcpy(below, here, width);
        here[-1] = here[0];
        here[width] = here[width - 1];
        for (size_t x = 0; x < width; x++)
            edge[x] = (unsigned char)((here[x] ^ here[x - 1]) | (here[x] ^ here[x + 1]) |
                                      (here[x] ^ above[x]) | (here[x] ^ below[x]));
        for (const unsigned char *at = edge; (at = memchr(at, 1, width - (size_t)(at - edge)));
             at++) {
            const uint32_t x = (uint32_t)(at - edge);
            const double change = level_value(level, now, x, y) - level_value(level, before, x, y);
            sum += change * change;
            count++;
        }
    }
    free(memory);
    *rms = count ? sqrt(sum / (double)count) : 0;
    return true;
}
