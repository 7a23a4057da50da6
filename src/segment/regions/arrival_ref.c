/* SPDX-License-Identifier: MIT */
/*
 * The race by its definition. Time goes on by one; at each time every free pixel belongs to the
 * lowest of the fronts that arrive there now. A front goes from a pixel of its own to the eight
 * round it, to those whose intensity is in its window; across a corner only where one of the two
 * pixels beside the way is in the window too. It takes 5 times the cost of the pixel that it
 * enters, 7 times across a corner.
 */
#include "segment/regions/compete.h"

static bool takes(const struct front_race *race, uint32_t front, uint32_t p)
{
    return race_takes(race, &race->fronts[front], p);
}

/* How long a front takes over a way of (dx, dy) to p; 0: it may not go there. */
static uint64_t way(const struct front_race *race, uint32_t front, uint32_t p, int dx, int dy)
{
    const uint32_t across = (uint32_t)(dy * (int)race->plane->pitch);
    if (!takes(race, front, p))
        return 0;
    if (dx && dy && !takes(race, front, p - (uint32_t)dx) && !takes(race, front, p - across))
        return 0;
    return (uint64_t)(dx && dy ? RO_RACE_CORNER : RO_RACE_SIDE) *
           (race->cost ? race->cost[p] : RO_RACE_UNIT);
}

/* The lowest front that arrives at a free pixel at this time; more: one will later. */
static uint64_t arrival_at(const struct front_race *race, uint32_t p, uint64_t time, bool *more)
{
    uint64_t lowest = RO_NEVER;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const uint64_t from = race->arrival[p - (uint32_t)(dy * (int)race->plane->pitch + dx)];
            if (from == RO_NEVER || from == 0)
                continue;
            const uint32_t front = from & ((1U << RO_FRONT_BITS) - 1);
            const uint64_t takes = way(race, front, p, dx, dy);
            const uint64_t arrives = (from >> RO_FRONT_BITS) + takes;
            if (takes && arrives == time && front < lowest)
                lowest = front;
            *more |= takes && arrives > time;
        }
    return lowest;
}

void race_ref(const struct front_race *race)
{
    const struct region_plane *plane = race->plane;
    bool more = true;
    race_clear(race);
    for (uint32_t f = 0; f < race->count; f++)
        for (uint32_t i = 0; i < race->fronts[f].count; i++) {
            uint64_t *arrival = &race->arrival[race->fronts[f].pixels[i]];
            if (takes(race, f, race->fronts[f].pixels[i]) && RO_START + f < *arrival)
                *arrival = RO_START + f;
        }
    for (uint64_t time = (RO_START >> RO_FRONT_BITS) + 1; more; time++) {
        more = false;
        for (uint32_t y = 0; y < plane->height; y++)
            for (uint32_t x = 0; x < plane->width; x++) {
                const uint32_t p = plane_value_at(plane, x, y);
                if (race->arrival[p] != RO_NEVER)
                    continue;
                const uint64_t front = arrival_at(race, p, time, &more);
                if (front == RO_NEVER)
                    continue;
                race->arrival[p] = time << RO_FRONT_BITS | front;
                more = true;
            }
    }
}
