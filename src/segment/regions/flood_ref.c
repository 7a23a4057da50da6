/* SPDX-License-Identifier: MIT */
/* The flood of a seed by its definition: at every level all that is connected to the seed, and all
 * pairs across its outline, anew. */
#include "segment/regions/compete.h"

#include <stdlib.h>
#include <string.h>

static bool may_enter(const struct region_plane *plane, const struct region_front *front,
                      const struct flood_rule *rule, int64_t x, int64_t y)
{
    return x >= 0 && y >= 0 && x < plane->width && y < plane->height &&
           (!rule->nearest ||
            rule->nearest[plane_value_at(plane, (uint32_t)x, (uint32_t)y)] == front->label);
}

/* The level at which an intensity enters: 0 at the quartiles and on their right side. */
static uint32_t level_of(const struct window_start *start, enum ro_region_kind kind, uint16_t grey)
{
    return (window_away(start, kind, grey) + start->unit - 1) / start->unit;
}

/* Adds to `inside` what level `level` has more; true when the flood reached another label's seed,
 * or holds more pixels of seeds than the rule allows. */
static bool fill(const struct region_plane *plane, const struct region_front *front,
                 const struct window_start *start, const struct flood_rule *rule, uint32_t level,
                 unsigned char *inside)
{
    const uint32_t pitch = plane->pitch;
    bool met = false;
    uint64_t seeded = 0;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t y = 0; y < plane->height; y++)
            for (uint32_t x = 0; x < plane->width; x++) {
                const uint32_t p = plane_value_at(plane, x, y);
                if (inside[p] || !may_enter(plane, front, rule, x, y) ||
                    level_of(start, rule->kind, plane->grey[p]) > level)
                    continue;
                if (!(inside[p - 1] || inside[p + 1] || inside[p - pitch] || inside[p + pitch]))
                    continue;
                inside[p] = 1;
                more = true;
                met |= plane->label[p] && plane->label[p] != front->label;
            }
    }
    for (size_t p = 0; p < plane_size(plane); p++)
        seeded += inside[p] && plane->label[p];
    return rule->seeded ? seeded > rule->seeded : met;
}

static struct flood_level count(const struct region_plane *plane, const struct region_front *front,
                                const struct flood_rule *rule, const unsigned char *inside,
                                bool *on_border)
{
    static const int away[8][2] = {{-2, 0},  {2, 0},  {0, -2}, {0, 2},
                                   {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
    const int64_t width = plane->width, height = plane->height;
    struct flood_level now = {0};
    *on_border = false;
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            const uint32_t p = plane_value_at(plane, (uint32_t)x, (uint32_t)y);
            if (!inside[p])
                continue;
            now.area++;
            now.sum += plane->grey[p];
            *on_border |= x == 0 || y == 0 || x + 1 == width || y + 1 == height;
            for (int i = 0; i < 8; i++) {
                const int64_t qx = x + away[i][0], qy = y + away[i][1];
                const uint32_t q = p + (uint32_t)(away[i][1] * (int)plane->pitch + away[i][0]);
                if (inside[q]) { /* once, from the first of both */
                    now.inner += p < q;
                    now.unrest += p < q ? (uint64_t)abs(plane->grey[p] - plane->grey[q]) : 0;
                    continue;
                }
                now.pairs++;
                if (may_enter(plane, front, rule, qx, qy))
                    now.contrast += window_contrast(rule->kind, plane->grey[p], plane->grey[q]);
            }
        }
    return now;
}

void flood_ref(const struct region_plane *plane, const struct region_front *front,
               const struct window_start *start, const struct flood_rule *rule,
               unsigned char *inside, struct window_flood *flood)
{
    memset(inside, 0, plane_size(plane));
    for (uint32_t i = 0; i < front->count; i++)
        inside[front->pixels[i]] = 1;
    flood->count = flood->best = 0;
    flood->cut = false;
    for (uint32_t level = 0; level < RO_WINDOW_LEVELS; level++) {
        bool on_border;
        const bool met = fill(plane, front, start, rule, level, inside);
        const struct flood_level now = count(plane, front, rule, inside, &on_border);
        flood->cut = met || now.area > flood_room(flood, rule, plane) ||
                     (level == 0 && rule->inland && on_border);
        if (flood->cut || !flood_add(flood, &now))
            return;
    }
}
