/* SPDX-License-Identifier: MIT */
/*
 * Which components are things. One may be if the contrast of its outline is well above what pixels
 * of the ground differ by and not far below that of the others. Components lie in one another, and
 * of a component and those in it the larger sum of values wins:
 *
 *     value = contrast^2 * area^(5/8)      a word is worth less than its letters, which have
 *                                          more contrast; a coin more than its relief
 *
 * What the ground is and what contrast is usual follow from the things, so there are three rounds.
 */
#include "segment/regions/find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 3,
    LEAST_AREA = 6,
    TIMES_GROUND = 4, /* contrast of an outline, in differences of the ground */
    USUAL_SHARE = 4,  /* and at least this part of the usual one */
    MARGIN = 96,      /* pairs that are added to those of an outline, against noise */
    VALUE_MARGIN = 8, /* the same for its value */
    GREYS = 65536,
};

struct finding {
    const struct component_tree *tree;
    struct things *things;
    double *below; /* of a node: the best value of what lies in it */
    bool *taken;
    double *contrast; /* of things, to be sorted */
    uint32_t *differences;
};

static uint64_t pairs_of(const struct tree_node *node)
{
    return 8 * (uint64_t)node->area - 2 * node->inner;
}

static double contrast_of(const struct tree_node *node, int margin)
{
    return (double)node->contrast / (double)(pairs_of(node) - node->beside + (uint64_t)margin);
}

static bool may_be(const struct finding *finding, const struct tree_node *node, double usual)
{
    const struct region_plane *plane = finding->tree->plane;
    const uint64_t pairs = pairs_of(node), inner = pairs - node->beside;
    const uint64_t unrest = TIMES_GROUND * (uint64_t)finding->things->unrest;
    const double contrast = contrast_of(node, MARGIN);
    return node->area >= LEAST_AREA &&
           2 * (uint64_t)node->area <= (uint64_t)plane->width * plane->height &&
           2 * node->beside <= pairs && (node->sides & 3) != 3 && (node->sides & 12) != 12 &&
           node->contrast > 0 && (uint64_t)node->contrast >= unrest * inner &&
           2 * contrast >= (double)unrest && USUAL_SHARE * contrast >= usual;
}

static uint32_t thing_at(const struct finding *finding, uint32_t pixel)
{
    return finding->things->of_node[finding->tree->node_of[pixel]];
}

/* The median difference of pairs in the ground, at least a step of the grid. */
static void look_at_ground(struct finding *finding)
{
    static const int away[4][2] = {{2, 0}, {0, 2}, {1, 1}, {-1, 1}};
    const struct region_plane *plane = finding->tree->plane;
    const int64_t width = plane->width, height = plane->height;
    uint64_t all = 0, below = 0;
    memset(finding->differences, 0, GREYS * sizeof *finding->differences);
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            const uint32_t p = plane_value_at(plane, (uint32_t)x, (uint32_t)y);
            if (thing_at(finding, p) != RO_NO_THING)
                continue;
            for (int i = 0; i < 4; i++) {
                const int64_t qx = x + away[i][0], qy = y + away[i][1];
                if (qx < 0 || qx >= width || qy >= height)
                    continue;
                const uint32_t q = p + (uint32_t)(away[i][1] * (int)plane->pitch + away[i][0]);
                if (thing_at(finding, q) != RO_NO_THING)
                    continue;
                finding->differences[abs(plane->grey[p] - plane->grey[q])]++;
                all++;
            }
        }
    uint32_t middle = 0;
    while (middle + 1 < GREYS && 2 * (below += finding->differences[middle]) < all)
        middle++;
    const uint32_t step = plane_step(plane);
    finding->things->unrest = middle > step ? middle : step;
}

static void choose(struct finding *finding, double usual)
{
    const struct component_tree *tree = finding->tree;
    struct things *things = finding->things;
    memset(finding->below, 0, tree->count * sizeof *finding->below);
    for (uint32_t i = 0; i < tree->count; i++) { /* children come first */
        const struct tree_node *node = &tree->nodes[i];
        double value = 0;
        if (may_be(finding, node, usual)) {
            const double contrast = contrast_of(node, VALUE_MARGIN);
            const double root = sqrt(node->area);
            value = contrast * contrast * root * sqrt(sqrt(root)); /* area to the 5/8 */
        }
        finding->taken[i] = value > 0 && value >= finding->below[i];
        if (tree->parent[i] != i)
            finding->below[tree->parent[i]] += finding->taken[i] ? value : finding->below[i];
    }
    things->count = 0;
    for (uint32_t i = tree->count; i-- > 0;) { /* and parents: the highest that is taken */
        const uint32_t parent = tree->parent[i];
        things->of_node[i] = parent == i ? RO_NO_THING : things->of_node[parent];
        if (things->of_node[i] != RO_NO_THING || !finding->taken[i])
            continue;
        things->nodes[things->count] = i;
        things->of_node[i] = things->count++;
    }
}

static int compare_falling(const void *a, const void *b)
{
    const double one = *(const double *)a, two = *(const double *)b;
    return one > two ? -1 : one < two;
}

/* The middle one of the contrasts. */
static double usual_contrast(struct finding *finding)
{
    const struct things *things = finding->things;
    for (uint32_t i = 0; i < things->count; i++)
        finding->contrast[i] = contrast_of(&finding->tree->nodes[things->nodes[i]], MARGIN);
    qsort(finding->contrast, things->count, sizeof *finding->contrast, compare_falling);
    return things->count ? finding->contrast[things->count / 2] : 0;
}

bool things_find(const struct component_tree *tree, struct things *things)
{
    const size_t count = tree->count;
    struct finding finding = {
        .tree = tree,
        .things = things,
        .below = malloc(count * sizeof *finding.below),
        .taken = malloc(count * sizeof *finding.taken),
        .contrast = malloc(count * sizeof *finding.contrast),
        .differences = malloc(GREYS * sizeof *finding.differences),
    };
    *things = (struct things){.of_node = malloc(count * sizeof *things->of_node),
                              .nodes = malloc(count * sizeof *things->nodes)};
    const bool made = finding.below && finding.taken && finding.contrast && finding.differences &&
                      things->of_node && things->nodes;
    double usual = 0;
    for (size_t i = 0; i < count && made; i++)
        things->of_node[i] = RO_NO_THING;
    for (int round = 0; round < ROUNDS && made; round++) {
        look_at_ground(&finding);
        choose(&finding, usual);
        usual = usual_contrast(&finding);
    }
    for (uint32_t i = 0; i < things->count; i++) {
        const struct tree_node *node = &tree->nodes[things->nodes[i]];
        const double contrast = contrast_of(node, MARGIN);
        things->weight += contrast * contrast * node->area;
    }
    free(finding.below);
    free(finding.taken);
    free(finding.contrast);
    free(finding.differences);
    if (!made)
        things_drop(things);
    return made;
}

void things_drop(struct things *things)
{
    free(things->of_node);
    free(things->nodes);
    *things = (struct things){0};
}
