/* SPDX-License-Identifier: MIT */
/*
 * Where a thing is several that touch: at necks. d is the distance to what is not the thing, its
 * holes filled; pixels come in by falling d, and parts that meet at a pixel stay apart if d there
 * is well below the lower one of their peaks:
 *
 *        ____    ____
 *      /   d'\__/    \         d at the neck <= 0.88 d' of the smaller part
 *      \_____/  \____/
 *
 * A thing whose parts are no discs, as a letter, stays one.
 */
#include "segment/regions/find.h"

#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 5,
    CORNER = 7,
    FAR = 1 << 30,
    LEAST_PEAK = 15, /* three pixels */
    NECK = 88,       /* hundredths */
};

struct splitting {
    const struct region_plane *plane;
    const struct component_tree *tree;
    const struct things *things;
    uint32_t *thing;    /* of a pixel */
    int32_t *depth;     /* in the thing with its holes filled */
    int32_t *own_depth; /* in the thing as it is */
    uint32_t *order;    /* pixels of things by falling depth */
    uint32_t *root;     /* union and find; the root is the part's peak */
    uint32_t count;
};

#define BESIDE UINT32_MAX /* a pixel beside the picture */

/* Distances by two passes, of steps of 5 and 7. Beyond the picture things go on. */
static void measure_depth(const struct splitting *s, int32_t *depth)
{
    const int64_t width = s->plane->width, height = s->plane->height, pitch = s->plane->pitch;
    const int64_t pixels = width * height;
    for (int pass = 0; pass < 2; pass++) {
        const int64_t sign = pass ? 1 : -1;
        const int64_t beside[4] = {sign, sign * (pitch + 1), sign * pitch, sign * (pitch - 1)};
        static const int32_t step[4] = {SIDE, CORNER, SIDE, CORNER};
        for (int64_t i = 0; i < pixels; i++) {
            const int64_t at = pass ? pixels - 1 - i : i;
            const uint32_t p =
                plane_value_at(s->plane, (uint32_t)(at % width), (uint32_t)(at / width));
            if (s->thing[p] == RO_NO_THING) {
                depth[p] = 0;
                continue;
            }
            int32_t least = pass ? depth[p] : FAR;
            for (int k = 0; k < 4; k++) {
                const uint32_t q = (uint32_t)(p + beside[k]);
                if (depth[q] < 0)
                    continue; /* beside the picture */
                const int32_t way = s->thing[q] == s->thing[p] ? depth[q] + step[k] : step[k];
                least = way < least ? way : least;
            }
            depth[p] = least;
        }
    }
}

/* What one thing encloses belongs to it if it is at most half as large. */
static void fill_holes(struct splitting *s, uint32_t *list, uint8_t *seen)
{
    const struct region_plane *plane = s->plane;
    const uint32_t pitch = plane->pitch;
    for (uint32_t y = 0; y < plane->height; y++)
        for (uint32_t x = 0; x < plane->width; x++) {
            const uint32_t first = plane_value_at(plane, x, y);
            if (s->thing[first] != RO_NO_THING || seen[first])
                continue;
            uint32_t count = 0, round = RO_NO_THING;
            bool open = false;
            list[count++] = first;
            seen[first] = 1;
            for (uint32_t i = 0; i < count; i++) {
                const uint32_t p = list[i], beside[4] = {p - 1, p + 1, p - pitch, p + pitch};
                for (int k = 0; k < 4; k++) {
                    const uint32_t q = beside[k];
                    if (s->depth[q] < 0) {
                        open = true;
                    } else if (s->thing[q] != RO_NO_THING) {
                        open |= round != RO_NO_THING && round != s->thing[q];
                        round = s->thing[q];
                    } else if (!seen[q]) {
                        seen[q] = 1;
                        list[count++] = q;
                    }
                }
            }
            if (open || round == RO_NO_THING ||
                2 * (uint64_t)count > s->tree->nodes[s->things->nodes[round]].area)
                continue;
            for (uint32_t i = 0; i < count; i++)
                s->thing[list[i]] = round;
        }
}

/* By falling depth, in raster order where it is the same. */
static bool sort_by_depth(struct splitting *s)
{
    const struct region_plane *plane = s->plane;
    int32_t most = 0;
    for (size_t p = 0; p < plane_size(plane); p++)
        most = s->depth[p] < FAR && s->depth[p] > most ? s->depth[p] : most;
    uint32_t *start = calloc((size_t)most + 2, sizeof *start);
    if (!start)
        return false;
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t y = 0; y < plane->height; y++)
            for (uint32_t x = 0; x < plane->width; x++) {
                const uint32_t p = plane_value_at(plane, x, y);
                if (s->thing[p] == RO_NO_THING)
                    continue;
                const int32_t depth = s->depth[p] < most ? s->depth[p] : most;
                uint32_t *place = &start[most - depth + (fill ? 0 : 1)];
                if (fill)
                    s->order[*place] = p;
                else
                    s->count++;
                ++*place;
            }
        for (int32_t i = 0; i <= most && !fill; i++)
            start[i + 1] += start[i];
    }
    free(start);
    return true;
}

static uint32_t find(uint32_t *root, uint32_t p)
{
    while (root[p] != p)
        p = root[p] = root[root[p]];
    return p;
}

/* Pixels join the part of a neighbour; parts that meet there become one unless it is a neck. */
static void join_parts(struct splitting *s)
{
    const uint32_t pitch = s->plane->pitch;
    for (size_t p = 0; p < plane_size(s->plane); p++)
        s->root[p] = BESIDE;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint32_t p = s->order[i];
        const uint32_t beside[8] = {p - 1,         p + 1,         p - pitch,     p + pitch,
                                    p - pitch - 1, p - pitch + 1, p + pitch - 1, p + pitch + 1};
        s->root[p] = p;
        for (int k = 0; k < 8; k++) {
            const uint32_t q = beside[k];
            if (s->root[q] == BESIDE || s->thing[q] != s->thing[p])
                continue;
            uint32_t low = find(s->root, p), high = find(s->root, q);
            if (low == high)
                continue;
            if (s->depth[low] > s->depth[high] || (s->depth[low] == s->depth[high] && low < high)) {
                const uint32_t other = low;
                low = high;
                high = other;
            }
            if (low != p && s->depth[low] >= LEAST_PEAK &&
                100 * (int64_t)s->depth[p] <= NECK * (int64_t)s->depth[low])
                continue;
            s->root[low] = high;
        }
    }
}

/* The discs in the parts of a thing must fill three tenths of it: pi r^2 with r = d / 5. */
static bool join_what_is_no_disc(struct splitting *s)
{
    const uint32_t count = s->things->count;
    uint64_t *squares = calloc(count + 1, sizeof *squares);
    uint32_t *area = calloc(count + 1, sizeof *area);
    uint32_t *peak = malloc((count + 1) * sizeof *peak);
    const bool made = squares && area && peak;
    for (uint32_t i = 0; i < count && made; i++)
        peak[i] = BESIDE;
    for (uint32_t i = 0; i < s->count && made; i++) {
        const uint32_t p = s->order[i], thing = s->thing[p];
        area[thing]++;
        if (s->root[p] != p)
            continue;
        squares[thing] += (uint64_t)s->depth[p] * (uint64_t)s->depth[p];
        if (peak[thing] == BESIDE)
            peak[thing] = p; /* the deepest comes first */
    }
    for (uint32_t i = 0; i < s->count && made; i++) {
        const uint32_t p = s->order[i], thing = s->thing[p];
        if (s->root[p] == p && 314 * squares[thing] < 750 * (uint64_t)area[thing])
            s->root[p] = peak[thing];
    }
    free(squares);
    free(area);
    free(peak);
    return made;
}

static int compare_parts(const void *a, const void *b)
{
    const uint32_t one = ((const struct part *)a)->pixel, two = ((const struct part *)b)->pixel;
    return one < two ? -1 : one > two;
}

/* The pixel of each part that is farthest from what is not the thing itself, holes included. */
static bool list_parts(struct splitting *s, struct part_list *list)
{
    uint32_t *number = malloc(plane_size(s->plane) * sizeof *number);
    uint32_t parts = 0;
    if (!number)
        return false;
    for (uint32_t i = 0; i < s->count; i++)
        parts += s->root[s->order[i]] == s->order[i];
    list->parts = malloc((parts + 1) * sizeof *list->parts);
    uint32_t *best = malloc((parts + 1) * sizeof *best);
    const bool made = list->parts && best;
    parts = 0;
    for (uint32_t i = 0; i < s->count && made; i++) /* roots are deepest, so they come first */
        if (s->root[s->order[i]] == s->order[i]) {
            number[s->order[i]] = parts;
            best[parts++] = s->order[i];
        }
    for (uint32_t i = 0; i < s->count && made; i++) {
        uint32_t *place = &best[number[find(s->root, s->order[i])]];
        if (s->own_depth[s->order[i]] > s->own_depth[*place])
            *place = s->order[i];
    }
    list->count = 0;
    for (uint32_t i = 0; i < parts && made; i++)
        if (s->own_depth[best[i]] > 0)
            list->parts[list->count++] = (struct part){best[i], s->thing[best[i]]};
    if (made)
        qsort(list->parts, list->count, sizeof *list->parts, compare_parts);
    free(best);
    free(number);
    return made;
}

bool things_split(const struct component_tree *tree, const struct things *things,
                  struct part_list *list)
{
    const struct region_plane *plane = tree->plane;
    const size_t size = plane_size(plane);
    struct splitting s = {
        .plane = plane,
        .tree = tree,
        .things = things,
        .thing = malloc(size * sizeof *s.thing),
        .depth = malloc(size * sizeof *s.depth),
        .own_depth = malloc(size * sizeof *s.own_depth),
        .order = malloc(size * sizeof *s.order),
        .root = malloc(size * sizeof *s.root),
    };
    uint8_t *seen = calloc(size, 1);
    *list = (struct part_list){0};
    bool made = s.thing && s.depth && s.own_depth && s.order && s.root && seen;
    if (made) {
        for (size_t p = 0; p < size; p++) {
            s.thing[p] = RO_NO_THING;
            s.depth[p] = s.own_depth[p] = -1; /* beside the picture */
        }
        for (uint32_t y = 0; y < plane->height; y++)
            for (uint32_t x = 0; x < plane->width; x++) {
                const uint32_t p = plane_value_at(plane, x, y);
                s.thing[p] = things->of_node[tree->node_of[p]];
                s.depth[p] = s.own_depth[p] = 0;
            }
        measure_depth(&s, s.own_depth);
        fill_holes(&s, s.order, seen);
        measure_depth(&s, s.depth);
        made = sort_by_depth(&s);
    }
    if (made) {
        join_parts(&s);
        made = join_what_is_no_disc(&s) && list_parts(&s, list);
    }
    free(s.thing);
    free(s.depth);
    free(s.own_depth);
    free(s.order);
    free(s.root);
    free(seen);
    if (!made) {
        free(list->parts);
        *list = (struct part_list){0};
    }
    return made;
}
