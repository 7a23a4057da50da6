/* SPDX-License-Identifier: MIT */
/* The flood of a seed, level by level: pixels that were reached wait for their level. */
#include "segment/regions/compete.h"

#include <stdlib.h>

/* Pixels wait in lists, one a level; a pixel's mark tells whether it waits or is inside, in this
 * flood or, being lower, in one before. Those beside the picture have the highest mark. */
struct flooder {
    const struct region_plane *plane;
    uint32_t *mark, *next;
    uint32_t base;
    uint32_t head[RO_WINDOW_LEVELS];
};

#define NONE UINT32_MAX

static void clear_marks(struct flooder *flooder)
{
    const struct region_plane *plane = flooder->plane;
    for (size_t i = 0; i < plane_size(plane); i++)
        flooder->mark[i] = UINT32_MAX;
    for (uint32_t y = 0; y < plane->height; y++)
        for (uint32_t x = 0; x < plane->width; x++)
            flooder->mark[plane_value_at(plane, x, y)] = 0;
    flooder->base = 0;
}

struct flooder *flooder_open(const struct region_plane *plane)
{
    struct flooder *flooder = calloc(1, sizeof *flooder);
    if (!flooder)
        return NULL;
    flooder->plane = plane;
    flooder->mark = malloc(plane_size(plane) * sizeof *flooder->mark);
    flooder->next = malloc(plane_size(plane) * sizeof *flooder->next);
    if (!flooder->mark || !flooder->next) {
        flooder_close(flooder);
        return NULL;
    }
    clear_marks(flooder);
    return flooder;
}

void flooder_close(struct flooder *flooder)
{
    if (!flooder)
        return;
    free(flooder->mark);
    free(flooder->next);
    free(flooder);
}

struct water {
    struct flooder *flooder;
    const uint16_t *grey, *label;
    const uint16_t *nearest; /* NULL: it may go anywhere */
    uint16_t own;            /* its label */
    struct window_start start;
    uint64_t inverse;       /* 2^32 / unit, rounded up: levels below 2^17/unit are exact */
    uint32_t waits, inside; /* marks */
    int32_t pair[8];        /* to the other pixel */
    int32_t beside[4];
    struct flood_level now;
    uint64_t seeded, most_seeded;
    bool on_border;
};

static inline uint32_t level_of(const struct water *water, enum ro_region_kind kind, uint32_t p)
{
    const uint64_t away = window_away(&water->start, kind, water->grey[p]);
    return (uint32_t)((away + water->start.unit - 1) * water->inverse >> 32);
}

/* A pixel comes in; its neighbours wait for their level, this one or a later. */
static inline void enter(struct water *water, enum ro_region_kind kind, uint32_t p, uint32_t level)
{
    struct flooder *flooder = water->flooder;
    uint32_t *mark = flooder->mark;
    const uint32_t waits = water->waits, inside = water->inside;
    const uint16_t grey = water->grey[p];
    int64_t contrast = 0;
    int pairs = 8;
    /* a seed may lie where it must not go: then no pair has counted its contrast */
    const bool counted = !water->nearest || water->nearest[p] == water->own;
    mark[p] = inside;
    for (int i = 0; i < 8; i++) {
        const uint32_t q = p + (uint32_t)water->pair[i];
        if (mark[q] == inside) { /* no longer a pair: both are inside */
            pairs -= 2;
            water->now.inner++;
            water->now.unrest += (uint64_t)abs((int)water->grey[q] - grey);
            contrast -= counted ? window_contrast(kind, water->grey[q], grey) : 0;
        } else if (mark[q] <= inside && (!water->nearest || water->nearest[q] == water->own)) {
            contrast += window_contrast(kind, grey, water->grey[q]);
        }
    }
    water->now.area++;
    water->now.sum += grey;
    water->seeded += water->label[p] != 0;
    water->now.pairs += (uint64_t)(int64_t)pairs;
    water->now.contrast += contrast;
    for (int i = 0; i < 4; i++) {
        const uint32_t q = p + (uint32_t)water->beside[i];
        if (mark[q] >= waits) {
            water->on_border |= mark[q] > inside;
            continue;
        }
        if (water->nearest && water->nearest[q] != water->own)
            continue;
        uint32_t own = level_of(water, kind, q);
        if (own >= RO_WINDOW_LEVELS)
            continue;
        own = own > level ? own : level;
        mark[q] = waits;
        flooder->next[q] = flooder->head[own];
        flooder->head[own] = q;
    }
}

/* Whether it has more pixels, or pixels of seeds, than it may. */
static inline bool is_over(const struct water *water, uint64_t room)
{
    return water->now.area > room || (water->most_seeded && water->seeded > water->most_seeded);
}

/* Everything that enters at a level; false where the flood must end before it. */
static inline bool rise(struct water *water, enum ro_region_kind kind, uint32_t level,
                        uint64_t room, bool inland)
{
    struct flooder *flooder = water->flooder;
    if (inland && water->on_border)
        return false;
    for (uint32_t p; (p = flooder->head[level]) != NONE;) {
        flooder->head[level] = flooder->next[p];
        if (!water->most_seeded && water->label[p] && water->label[p] != water->own)
            return false;
        enter(water, kind, p, level);
        if (is_over(water, room) || (inland && water->on_border))
            return false;
    }
    return !is_over(water, room);
}

static inline void run_kind(struct water *water, enum ro_region_kind kind,
                            const struct region_front *front, const struct flood_rule *rule,
                            struct window_flood *flood)
{
    for (uint32_t i = 0; i < front->count; i++)
        enter(water, kind, front->pixels[i], 0);
    for (uint32_t level = 0; level < RO_WINDOW_LEVELS; level++) {
        const uint64_t room = flood_room(flood, rule, water->flooder->plane);
        flood->cut = !rise(water, kind, level, room, level == 0 && rule->inland);
        if (flood->cut || !flood_add(flood, &water->now))
            return;
    }
}

void flooder_run(struct flooder *flooder, const struct region_front *front,
                 const struct window_start *start, const struct flood_rule *rule,
                 struct window_flood *flood)
{
    const struct region_plane *plane = flooder->plane;
    const int32_t pitch = (int32_t)plane->pitch;
    if (flooder->base > UINT32_MAX - 8)
        clear_marks(flooder);
    struct water water = {
        .flooder = flooder,
        .grey = plane->grey,
        .label = plane->label,
        .nearest = rule->nearest,
        .own = front->label,
        .most_seeded = rule->seeded,
        .start = *start,
        .inverse = ((UINT64_C(1) << 32) + start->unit - 1) / start->unit,
        .waits = flooder->base + 1,
        .inside = flooder->base + 2,
        .pair = {-2, 2, -2 * pitch, 2 * pitch, -pitch - 1, -pitch + 1, pitch - 1, pitch + 1},
        .beside = {-pitch, -1, 1, pitch},
    };
    flooder->base += 2;
    flood->count = flood->best = 0;
    for (int i = 0; i < RO_WINDOW_LEVELS; i++)
        flooder->head[i] = NONE;
    for (uint32_t i = 0; i < front->count; i++)
        flooder->mark[front->pixels[i]] = water.waits;
    switch (rule->kind) {
    case RO_REGION_BRIGHT:
        run_kind(&water, RO_REGION_BRIGHT, front, rule, flood);
        break;
    case RO_REGION_DARK:
        run_kind(&water, RO_REGION_DARK, front, rule, flood);
        break;
    default:
        run_kind(&water, RO_REGION_BAND, front, rule, flood);
    }
}
