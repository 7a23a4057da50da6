/* SPDX-License-Identifier: MIT */
/*
 * Pixels come in level by level and unite with the components beside them (Berger et al., Effective
 * component tree computation, 2007). A pair of pixels is inside of all components from the lowest
 * node above both upwards, so what pairs add up to is put there first, and children are then added
 * to their parents. All sums are whole numbers, and no order changes them.
 */
#include "segment/regions/tree.h"

#include <stdlib.h>

struct building {
    const struct region_plane *plane;
    enum ro_region_kind kind;
    uint32_t *order;  /* pixels by level */
    uint32_t *parent; /* of a pixel: one of the same or the next component */
    uint32_t *root;   /* union and find */
    uint32_t *top;    /* of a set: the pixel that came in last */
    uint8_t *level;
};

#define NONE UINT32_MAX

static void sort_pixels(struct building *b)
{
    const struct region_plane *plane = b->plane;
    size_t start[RO_GRID_LEVELS + 1] = {0};
    for (uint32_t y = 0; y < plane->height; y++)
        for (uint32_t x = 0; x < plane->width; x++) {
            const uint32_t p = plane_value_at(plane, x, y);
            b->level[p] = (uint8_t)tree_level(plane, b->kind, plane->grey[p]);
            start[b->level[p] + 1]++;
        }
    for (int i = 0; i < RO_GRID_LEVELS; i++)
        start[i + 1] += start[i];
    for (uint32_t y = 0; y < plane->height; y++)
        for (uint32_t x = 0; x < plane->width; x++) {
            const uint32_t p = plane_value_at(plane, x, y);
            b->order[start[b->level[p]]++] = p;
        }
}

static uint32_t find(uint32_t *root, uint32_t p)
{
    while (root[p] != p)
        p = root[p] = root[root[p]];
    return p;
}

static void unite_pixels(struct building *b, size_t pixels)
{
    const uint32_t pitch = b->plane->pitch;
    for (size_t i = 0; i < plane_size(b->plane); i++)
        b->root[i] = NONE;
    for (size_t i = 0; i < pixels; i++) {
        const uint32_t p = b->order[i];
        const uint32_t beside[4] = {p - pitch, p - 1, p + 1, p + pitch};
        uint32_t own = p;
        b->parent[p] = b->root[p] = b->top[p] = p;
        for (int k = 0; k < 4; k++) {
            if (b->root[beside[k]] == NONE)
                continue;
            const uint32_t other = find(b->root, beside[k]);
            if (other == own)
                continue;
            b->parent[b->top[other]] = p;
            if (own == p) { /* the lone pixel joins the set that was there */
                b->root[own] = other;
                own = other;
            } else {
                b->root[other] = own;
            }
            b->top[own] = p;
        }
    }
}

/* Gives numbers to the pixels that came in last at their level; all others of the component have
 * one of these as parent then. */
static bool number_nodes(struct building *b, size_t pixels, struct component_tree *tree)
{
    uint32_t *parent = b->parent, *number = tree->node_of;
    const uint8_t *level = b->level;
    uint32_t count = 0;
    for (size_t i = pixels; i-- > 0;) {
        const uint32_t p = b->order[i], q = parent[p];
        if (level[parent[q]] == level[q])
            parent[p] = parent[q];
    }
    for (size_t i = 0; i < pixels; i++) {
        const uint32_t p = b->order[i];
        if (parent[p] == p || level[parent[p]] != level[p])
            number[p] = count++;
    }
    tree->count = count;
    tree->nodes = calloc(count, sizeof *tree->nodes);
    tree->parent = malloc(count * sizeof *tree->parent);
    tree->level = malloc(count);
    if (!tree->nodes || !tree->parent || !tree->level)
        return false;
    for (size_t i = 0; i < pixels; i++) {
        const uint32_t p = b->order[i];
        if (parent[p] == p || level[parent[p]] != level[p]) {
            tree->parent[number[p]] = number[parent[p]];
            tree->level[number[p]] = level[p];
        }
    }
    for (size_t i = 0; i < pixels; i++) {
        const uint32_t p = b->order[i];
        if (parent[p] != p && level[parent[p]] == level[p])
            number[p] = number[parent[p]];
    }
    return true;
}

static void join_label(struct tree_node *node, uint32_t label)
{
    if (label)
        node->label = node->label == 0 || node->label == label ? label : RO_TREE_MIXED;
}

/* The lowest component that holds both pixels of a pair. Where one of the pixels between them is no
 * higher than both, it is that of the higher one. */
static uint32_t common_node(const struct component_tree *tree, const uint8_t *level, uint32_t p,
                            uint32_t q, uint32_t between, uint32_t or_between)
{
    uint32_t a = tree->node_of[p], b = tree->node_of[q];
    const uint8_t higher = level[p] > level[q] ? level[p] : level[q];
    if (level[between] <= higher || level[or_between] <= higher)
        return a > b ? a : b;
    while (a != b)
        if (a < b)
            a = tree->parent[a];
        else
            b = tree->parent[b];
    return a;
}

static void add_pixel(struct component_tree *tree, const uint8_t *level, uint32_t x, uint32_t y)
{
    static const int away[8][2] = {{2, 0},  {0, 2},  {-1, 1},  {1, 1},
                                   {-2, 0}, {0, -2}, {-1, -1}, {1, -1}};
    const struct region_plane *plane = tree->plane;
    const uint32_t pitch = plane->pitch, width = plane->width, height = plane->height;
    const uint16_t *grey = plane->grey;
    struct tree_node *nodes = tree->nodes;
    const uint32_t p = plane_value_at(plane, x, y);
    struct tree_node *node = &nodes[tree->node_of[p]];
    int sum = 0, beside = 0;
    for (int i = 0; i < 8; i++) {
        const int64_t qx = (int64_t)x + away[i][0], qy = (int64_t)y + away[i][1];
        if (qx < 0 || qy < 0 || qx >= width || qy >= height) {
            beside++;
            continue;
        }
        const uint32_t q = p + (uint32_t)(away[i][1] * (int)pitch + away[i][0]);
        sum += grey[p] - grey[q];
        if (i >= 4)
            continue; /* the pair is q's */
        const uint32_t between = p + (i == 0 ? 1 : pitch);
        const uint32_t or_between = i < 2 ? between : p + (uint32_t)away[i][0];
        struct tree_node *both = &nodes[common_node(tree, level, p, q, between, or_between)];
        both->inner++;
        both->unrest += (uint64_t)abs(grey[p] - grey[q]);
    }
    node->area++;
    node->sum += grey[p];
    node->beside += (uint64_t)beside;
    node->contrast += tree->kind == RO_REGION_BRIGHT ? sum : -sum;
    node->sides |=
        (uint8_t)((x == 0) | (x + 1 == width) << 1 | (y == 0) << 2 | (y + 1 == height) << 3);
    if (plane->label && plane->label[p]) {
        node->seeded++;
        join_label(node, plane->label[p]);
    }
}

static void sum_up(struct component_tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct tree_node *node = &tree->nodes[i];
        if (tree->parent[i] == i)
            continue;
        struct tree_node *parent = &tree->nodes[tree->parent[i]];
        parent->area += node->area;
        parent->sum += node->sum;
        parent->seeded += node->seeded;
        parent->inner += node->inner;
        parent->unrest += node->unrest;
        parent->beside += node->beside;
        parent->contrast += node->contrast;
        parent->sides |= node->sides;
        join_label(parent, node->label);
    }
}

bool tree_open(const struct region_plane *plane, enum ro_region_kind kind,
               struct component_tree *tree)
{
    const size_t size = plane_size(plane), pixels = (size_t)plane->width * plane->height;
    struct building b = {
        .plane = plane,
        .kind = kind,
        .order = malloc(pixels * sizeof *b.order),
        .parent = malloc(size * sizeof *b.parent),
        .root = malloc(size * sizeof *b.root),
        .top = malloc(size * sizeof *b.top),
        .level = malloc(size),
    };
    *tree = (struct component_tree){.plane = plane, .kind = kind};
    tree->node_of = malloc(size * sizeof *tree->node_of);
    bool made = b.order && b.parent && b.root && b.top && b.level && tree->node_of;
    if (made) {
        sort_pixels(&b);
        unite_pixels(&b, pixels);
        made = number_nodes(&b, pixels, tree);
    }
    if (made) {
        for (uint32_t y = 0; y < plane->height; y++)
            for (uint32_t x = 0; x < plane->width; x++)
                add_pixel(tree, b.level, x, y);
        sum_up(tree);
    } else {
        tree_close(tree);
    }
    free(b.order);
    free(b.parent);
    free(b.root);
    free(b.top);
    free(b.level);
    return made;
}

void tree_close(struct component_tree *tree)
{
    free(tree->node_of);
    free(tree->parent);
    free(tree->level);
    free(tree->nodes);
    *tree = (struct component_tree){0};
}

void tree_flood(const struct component_tree *tree, const struct region_front *front,
                const struct window_start *start, const struct flood_rule *rule,
                struct window_flood *flood)
{
    const bool bright = tree->kind == RO_REGION_BRIGHT;
    const uint32_t first = tree_level(tree->plane, tree->kind, bright ? start->low : start->high);
    uint32_t at = tree->node_of[front->pixels[0]];
    flood->count = flood->best = 0;
    flood->cut = false;
    for (uint32_t level = 0; level < RO_WINDOW_LEVELS; level++) {
        at = tree_up(tree, at, first + RO_GRID_STEPS * level);
        const struct tree_node *node = &tree->nodes[at];
        const struct flood_level now = {.area = node->area,
                                        .pairs = 8 * (uint64_t)node->area - 2 * node->inner,
                                        .contrast = node->contrast,
                                        .inner = node->inner,
                                        .unrest = node->unrest,
                                        .sum = node->sum};
        const bool met =
            rule->seeded ? node->seeded > rule->seeded : node->label && node->label != front->label;
        flood->cut = met || now.area > flood_room(flood, rule, tree->plane) ||
                     (level == 0 && rule->inland && node->sides);
        if (flood->cut || !flood_add(flood, &now))
            return;
    }
}
