/* SPDX-License-Identifier: MIT */
/* Objects that nobody has clicked on: which components of a tree are things (find.c), and where a
 * thing is several that touch (split.c). */
#ifndef RO_SEGMENT_REGIONS_FIND_H
#define RO_SEGMENT_REGIONS_FIND_H

#include "segment/regions/tree.h"

enum { RO_NO_THING = UINT32_MAX };

/* The things of one kind. */
struct things {
    uint32_t *of_node; /* the number of the thing that a component is or lies in, or RO_NO_THING */
    uint32_t *nodes;   /* of things */
    uint32_t count;
    uint32_t unrest; /* median difference of pairs of pixels outside of them */
    double weight;   /* of all together */
};
/* False: no memory. */
bool things_find(const struct component_tree *tree, struct things *things);
void things_drop(struct things *things);

/* A pixel in each part of the things, in raster order. */
struct part_list {
    struct part {
        uint32_t pixel, thing;
    } * parts;
    uint32_t count;
};
bool things_split(const struct component_tree *tree, const struct things *things,
                  struct part_list *list);

#endif
