/* SPDX-License-Identifier: MIT */
/*
 * The race by its definition. Time goes on by one; at each time every free pixel belongs to the
 * lowest of the fronts that arrive there now. A front goes from a pixel of its own to the eight
 * round it, to those whose intensity is in its window; across a corner only where one of the two
 * pixels beside the way is in the window too. It takes 5 times the cost of the pixel that it
 * enters, 7 times across a corner.
 */
#include "pde/compete/compete.h"

static bool takes(const struct ro_race *race, uint32_t front, int64_t p)
{
    const struct ro_front *f = &race->fronts[front];
    return race->grey[p] >= f->low && race->grey[p] <= f->high && (!race->cost || race->cost[p]);
}

/* Whether a front may go from q to p, and how long it takes; 0: no. */
static uint64_t way(const struct ro_race *race, uint32_t front, int64_t qx, int64_t qy, int64_t px,
                    int64_t py)
{
    const int64_t width = race->width, p = py * width + px;
    if (!takes(race, front, p))
        return 0;
    const bool corner = qx != px && qy != py;
    if (corner && !takes(race, front, py * width + qx) && !takes(race, front, qy * width + px))
        return 0;
    return (uint64_t)(corner ? RO_RACE_CORNER : RO_RACE_SIDE) *
           (race->cost ? race->cost[p] : RO_RACE_UNIT);
}

/* The lowest front that arrives at a free pixel at this time; more: one will later. */
static uint64_t arrival_at(const struct ro_race *race, int64_t x, int64_t y, uint64_t time,
                           bool *more)
{
    uint64_t lowest = RO_NEVER;
    for (int64_t qy = y - 1; qy <= y + 1; qy++)
        for (int64_t qx = x - 1; qx <= x + 1; qx++) {
            if (qx < 0 || qy < 0 || qx >= race->width || qy >= race->height)
                continue;
            const uint64_t from = race->arrival[qy * race->width + qx];
            if (from == RO_NEVER || (qx == x && qy == y))
                continue;
            const uint32_t front = from & ((1U << RO_FRONT_BITS) - 1);
            const uint64_t takes = way(race, front, qx, qy, x, y);
            const uint64_t arrives = (from >> RO_FRONT_BITS) + takes;
            if (takes && arrives == time && front < lowest)
                lowest = front;
            *more |= takes && arrives > time;
        }
    return lowest;
}

void ro_race_ref(const struct ro_race *race)
{
    const int64_t width = race->width, height = race->height;
    for (int64_t p = 0; p < width * height; p++)
        race->arrival[p] = RO_NEVER;
    for (uint32_t f = 0; f < race->count; f++)
        for (uint32_t i = 0; i < race->fronts[f].count; i++) {
            const uint32_t p = race->fronts[f].pixels[i];
            if (takes(race, f, p) && f < race->arrival[p])
                race->arrival[p] = f;
        }
    bool more = true;
    for (uint64_t time = 1; more; time++) {
        more = false;
        for (int64_t y = 0; y < height; y++)
            for (int64_t x = 0; x < width; x++) {
                uint64_t *arrival = &race->arrival[y * width + x];
                if (*arrival != RO_NEVER)
                    continue;
                const uint64_t front = arrival_at(race, x, y, time, &more);
                if (front == RO_NEVER)
                    continue;
                *arrival = time << RO_FRONT_BITS | front;
                more = true;
            }
    }
}
