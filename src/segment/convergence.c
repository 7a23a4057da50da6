/* SPDX-License-Identifier: MIT */
/* Looks at fronts between steps: whether signs changed, what is held, how much moved; and phi or
 * speeds doubled. */
#include "segment/segment.h"

#include <stdlib.h>

static int16_t *row_of(const struct level_field *field, uint32_t y)
{
    return (int16_t *)(void *)(field->data + y * field->pitch);
}

bool level_double(const struct front_level *level, const struct level_field *field, int32_t min,
                  int32_t max)
{
    int changed = 0;
    for (uint32_t y = 0; y < level->height; y++) {
        int16_t *row = row_of(field, y);
        for (uint32_t x = 0; x < level->width; x++) {
            const int32_t once = row[x], twice = 2 * once;
            const int32_t next = twice < min ? min : twice > max ? max : twice;
            row[x] = (int16_t)next;
            changed |= next ^ once;
        }
    }
    return changed != 0;
}

bool level_double_real(const struct front_level *level, const struct level_field *field,
                       float largest)
{
    bool changed = false;
    for (uint32_t y = 0; y < level->height; y++) {
        float *row = (float *)(void *)row_of(field, y);
        for (uint32_t x = 0; x < level->width; x++) {
            const float once = row[x], twice = 2 * once;
            row[x] = twice < -largest ? -largest : twice > largest ? largest : twice;
            changed |= row[x] != once;
        }
    }
    return changed;
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

/* Rows of phi, of speeds and of the signs of those that were rounded to zero, if there are any. */
struct held_rows {
    const char *phi, *above, *below, *speed;
    const int8_t *faint;
};

static inline __attribute__((always_inline)) int sign_of(const char *row, ptrdiff_t x,
                                                         const bool real)
{
    const float value = real ? ((const float *)(const void *)row)[x] : 0;
    const int16_t whole = real ? 0 : ((const int16_t *)(const void *)row)[x];
    return real ? (value > 0) - (value < 0) : (whole > 0) - (whole < 0);
}

/* Pixels `from` to `to` - 1, whose neighbours are so far to the left and right. */
static inline __attribute__((always_inline)) void
held_pixels(const struct held_rows *rows, const bool real, ptrdiff_t from, ptrdiff_t to,
            ptrdiff_t left, ptrdiff_t right, struct level_held *held)
{
    uint32_t beside = 0, carried = 0, faint = 0;
    for (ptrdiff_t x = from; x < to; x++) {
        const int inside = sign_of(rows->phi, x, real) < 0;
        const int near = (inside ^ (sign_of(rows->phi, x - left, real) < 0)) |
                         (inside ^ (sign_of(rows->phi, x + right, real) < 0)) |
                         (inside ^ (sign_of(rows->above, x, real) < 0)) |
                         (inside ^ (sign_of(rows->below, x, real) < 0));
        const int across = inside ? -1 : 1; /* the sign of a speed that carries the pixel across */
        beside += (uint32_t)near;
        carried += (uint32_t)(near & (sign_of(rows->speed, x, real) == across));
        faint += (uint32_t)(near & (rows->faint ? rows->faint[x] == across : 0));
    }
    held->beside += beside;
    held->carried += carried;
    held->faint += faint;
}

static inline __attribute__((always_inline)) void
held_row(const struct held_rows *rows, const bool real, uint32_t width, struct level_held *held)
{
    const ptrdiff_t last = (ptrdiff_t)width - 1;
    held_pixels(rows, real, 0, 1, 0, last > 0, held);
    held_pixels(rows, real, 1, last, 1, 1, held);
    if (last > 0)
        held_pixels(rows, real, last, last + 1, 1, 0, held);
}

struct level_held level_held(const struct level_front *front, const int8_t *faint)
{
    const struct level_field *phi = &front->phi[front->now];
    const uint32_t width = front->level.width, height = front->level.height;
    struct level_held held = {0};
    for (uint32_t y = 0; y < height; y++) {
        const struct held_rows rows = {
            .phi = phi->data + y * phi->pitch,
            .above = phi->data + (y ? y - 1 : y) * phi->pitch,
            .below = phi->data + (y + 1 < height ? y + 1 : y) * phi->pitch,
            .speed = front->speed.data + y * front->speed.pitch,
            .faint = faint ? faint + (size_t)y * width : NULL,
        };
        if (front->level.real)
            held_row(&rows, true, width, &held);
        else
            held_row(&rows, false, width, &held);
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
