/* SPDX-License-Identifier: MIT */
/* The level-set step as it is defined, pixel by pixel. Everything else must give the same bits. */
#include "segment/levelset/levelset.h"

static uint32_t inside(int64_t at, uint32_t size)
{
    return at < 0 ? 0 : at >= size ? size - 1 : (uint32_t)at;
}

static const void *sample(const struct level_front *front, const struct level_field *field,
                          int64_t x, int64_t y)
{
    size_t bytes = front->level.real ? sizeof(float) : sizeof(int16_t);
    return field->data + inside(y, front->level.height) * field->pitch +
           inside(x, front->level.width) * bytes;
}

static int32_t whole(const struct level_front *front, const struct level_field *field, int64_t x,
                     int64_t y)
{
    return field->data ? *(const int16_t *)sample(front, field, x, y) : 0;
}

static float real(const struct level_front *front, const struct level_field *field, int64_t x,
                  int64_t y)
{
    return field->data ? *(const float *)sample(front, field, x, y) : 0;
}

static unsigned step_whole(struct level_front *front, int64_t x, int64_t y)
{
    const struct level_field *phi = &front->phi[front->now];
    const struct level_window w = {
        .p = whole(front, phi, x, y),
        .l = whole(front, phi, x - 1, y),
        .r = whole(front, phi, x + 1, y),
        .u = whole(front, phi, x, y - 1),
        .d = whole(front, phi, x, y + 1),
        .lu = whole(front, phi, x - 1, y - 1),
        .ru = whole(front, phi, x + 1, y - 1),
        .ld = whole(front, phi, x - 1, y + 1),
        .rd = whole(front, phi, x + 1, y + 1),
    };
    int32_t next = level_step(&front->level, &w, whole(front, &front->speed, x, y),
                              whole(front, &front->vx, x, y), whole(front, &front->vy, x, y));
    *(int16_t *)sample(front, &front->phi[1 - front->now], x, y) = (int16_t)next;
    return (next != w.p ? LEVEL_MOVED : 0) | ((next ^ w.p) < 0 ? LEVEL_CROSSED : 0);
}

static unsigned step_real(struct level_front *front, int64_t x, int64_t y)
{
    const struct level_field *phi = &front->phi[front->now];
    const struct level_window_real w = {
        .p = real(front, phi, x, y),
        .l = real(front, phi, x - 1, y),
        .r = real(front, phi, x + 1, y),
        .u = real(front, phi, x, y - 1),
        .d = real(front, phi, x, y + 1),
        .lu = real(front, phi, x - 1, y - 1),
        .ru = real(front, phi, x + 1, y - 1),
        .ld = real(front, phi, x - 1, y + 1),
        .rd = real(front, phi, x + 1, y + 1),
    };
    float next = level_step_real(&front->level, &w, real(front, &front->speed, x, y),
                                 real(front, &front->vx, x, y), real(front, &front->vy, x, y));
    *(float *)sample(front, &front->phi[1 - front->now], x, y) = next;
    return next != w.p ? LEVEL_MOVED : 0;
}

unsigned level_step_ref(struct level_front *front)
{
    unsigned moves = 0;
    for (int64_t y = 0; y < front->level.height; y++)
        for (int64_t x = 0; x < front->level.width; x++)
            moves |= front->level.real ? step_real(front, x, y) : step_whole(front, x, y);
    front->now = 1 - front->now;
    return moves;
}
