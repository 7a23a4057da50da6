/* SPDX-License-Identifier: MIT */
/*
 * The components of all thresholds of a picture, as a tree. Floods that start at single pixels,
 * rise through falling intensities (or through rising ones) and are not kept at home pass through
 * these components only, so one tree answers for all seeds.
 *
 *     intensity                a node is a component at the lowest level where it is what it is;
 *      ^   __                  its children are those that it united
 *      |  /  \   _
 *      | /    \_/ \   level 3: two nodes
 *      |/          \  level 5: one node, their parent
 */
#ifndef RO_SEGMENT_REGIONS_TREE_H
#define RO_SEGMENT_REGIONS_TREE_H

#include "segment/regions/compete.h"

struct tree_node {
    uint32_t area;
    uint32_t seeded; /* pixels of seeds */
    uint32_t label;  /* of these; RO_TREE_MIXED: of several labels */
    uint64_t inner;  /* pairs of which both pixels are inside */
    uint64_t unrest; /* their differences, summed */
    uint64_t beside; /* pairs whose other pixel is beside the picture */
    uint64_t sum;    /* of the intensities */
    int64_t contrast;
    uint8_t sides; /* of the picture that it touches: bits for left, right, top, bottom */
};
enum { RO_TREE_MIXED = 65536 };

struct component_tree {
    const struct region_plane *plane;
    enum ro_region_kind kind; /* bright or dark */
    uint32_t *node_of;        /* of a pixel: the smallest component that holds it */
    uint32_t *parent;         /* of a node, which has a lower number; of the whole picture itself */
    uint8_t *level;           /* of a node */
    struct tree_node *nodes;
    uint32_t count;
};

/* The level of an intensity, 0 to RO_GRID_LEVELS - 1: how far it is from the brightest, or darkest,
 * of the picture. */
static inline uint32_t tree_level(const struct region_plane *plane, enum ro_region_kind kind,
                                  uint16_t grey)
{
    const uint32_t away =
        kind == RO_REGION_BRIGHT ? (uint32_t)plane->most - grey : (uint32_t)grey - plane->least;
    return away / plane_step(plane);
}

/* False: no memory. */
bool tree_open(const struct region_plane *plane, enum ro_region_kind kind,
               struct component_tree *tree);
void tree_close(struct component_tree *tree);

/* The component of a level that holds a pixel: `node` is it, or one of its children. */
static inline uint32_t tree_up(const struct component_tree *tree, uint32_t node, uint32_t level)
{
    for (uint32_t up; (up = tree->parent[node]) != node && tree->level[up] <= level;)
        node = up;
    return node;
}

/* The same levels as those of a flood from the only pixel of a front; the start is on the grid. */
void tree_flood(const struct component_tree *tree, const struct region_front *front,
                const struct window_start *start, const struct flood_rule *rule,
                struct window_flood *flood);

#endif
