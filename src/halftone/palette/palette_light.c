/* SPDX-License-Identifier: MIT */
/*
 * The light that a pixel is diffused with: that of its samples, moved to the nearest point of the
 * palette's hull.
 *
 * Colours that go to the same corner, edge or triangle of the hull fill a convex region, in which
 * the projection is an affine map. Samples are cut into cells. A cell whose eight corners lie in
 * one region lies in it whole, and one map, in doubles whose rounding is checked, moves its colours.
 * Where regions meet, colours are projected one by one and remembered, for neighbours are often
 * alike. Cells become known when a pixel first asks.
 */
#include "halftone/palette/palette.h"

#include <string.h>

enum { CORNERS = PALETTE_GRID + 1 };

void palette_plan_grid(struct palette_plan *plan)
{
    bool rises = true, falls = true;
    plan->grid_shift = 0;
    while (plan->white >> plan->grid_shift >= PALETTE_GRID)
        plan->grid_shift++;
    for (uint32_t a = 0; a < plan->white; a++) {
        rises &= plan->linear[a + 1] >= plan->linear[a];
        falls &= plan->linear[a + 1] <= plan->linear[a];
    }
    plan->monotone = rises || falls;
}

/* The map onto the point, line or plane of a set of corners, in doubles. */
static void make_map(const struct palette_hull *hull, struct palette_region *region)
{
    static const double times[3] = {1, PALETTE_GREEN, 1};
    const struct palette_corners *set = &region->set;
    double p[3][3], u[2][3] = {{0}}, n[3], part[3][3];
    for (int i = 0; i < set->count; i++)
        for (int c = 0; c < 3; c++) {
            p[i][c] = times[c] * hull->colour[set->corner[i]][c];
            if (i > 0)
                u[i - 1][c] = p[i][c] - p[0][c];
        }
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        n[c] = set->count == 3 ? u[0][d] * u[1][e] - u[0][e] * u[1][d] : u[0][c];
    }
    const double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++) {
            const double along = set->count == 1 ? 0 : n[c] * n[d] / square;
            part[c][d] = set->count == 3 ? (c == d) - along : along;
        }
    memset(region->from, 0, sizeof region->from);
    for (int c = 0; c < 3; c++) {
        double rest = p[0][c];
        for (int d = 0; d < 3; d++) {
            rest -= part[c][d] * p[0][d];
            region->from[d][c] = 16 * part[c][d] * times[d] / times[c];
        }
        region->from[3][c] = 16 * rest / times[c] + 0.5;
    }
}

static struct palette_corners in_order(struct palette_corners set)
{
    for (int i = 1; i < set.count; i++)
        for (int j = i; j > 0 && set.corner[j] < set.corner[j - 1]; j--) {
            const uint8_t corner = set.corner[j];
            set.corner[j] = set.corner[j - 1];
            set.corner[j - 1] = corner;
        }
    return set;
}

static bool is_subset(const struct palette_corners *some, const struct palette_corners *all)
{
    int found = 0;
    for (int i = 0; i < some->count; i++)
        for (int j = 0; j < all->count; j++)
            found += some->corner[i] == all->corner[j];
    return found == some->count;
}

/* The number of a set's region. The first two numbers stand for new and inside. */
static int find_region(const struct palette_plan *plan, struct palette_light *known,
                       struct palette_corners corners)
{
    const struct palette_corners set = in_order(corners);
    if (known->regions == 0)
        known->regions = PALETTE_INSIDE + 1;
    if (set.count == 4)
        return PALETTE_INSIDE;
    for (int i = PALETTE_INSIDE + 1; i < known->regions; i++)
        if (known->region[i].set.count == set.count && is_subset(&set, &known->region[i].set))
            return i;
    if (known->regions == PALETTE_REGIONS)
        return PALETTE_MIXED;
    struct palette_region *region = &known->region[known->regions];
    region->set = set;
    make_map(plan->hull, region);
    return known->regions++;
}

static int find_corner(const struct palette_plan *plan, struct palette_light *known,
                       const uint32_t place[3])
{
    const uint32_t at = place[0] + CORNERS * (place[1] + CORNERS * place[2]);
    if (known->corner[at] == 0) {
        uint16_t light[3];
        int32_t to[3];
        for (int c = 0; c < 3; c++) {
            const uint32_t sample = place[c] << plan->grid_shift;
            light[c] = plan->linear[sample > plan->white ? plan->white : sample];
        }
        known->in_hull[at] = palette_project(plan->hull, light, &known->guess, to);
        known->corner[at] = (uint8_t)find_region(plan, known, known->guess);
    }
    return (int)at;
}

/* A corner in the hull counts to the region of the others if it lies in the part of the hull that
 * they go to. */
static int join_corners(const struct palette_light *known, const int at[8])
{
    int region = PALETTE_INSIDE;
    for (int i = 0; i < 8; i++)
        if (!known->in_hull[at[i]])
            region = known->corner[at[i]];
    if (region == PALETTE_MIXED)
        return region;
    for (int i = 0; i < 8; i++) {
        const int own = known->corner[at[i]];
        const bool in_hull = known->in_hull[at[i]];
        if (region == PALETTE_INSIDE ? in_hull : !in_hull && own == region)
            continue;
        if (!in_hull || own == PALETTE_INSIDE || own == PALETTE_MIXED ||
            !is_subset(&known->region[own].set, &known->region[region].set))
            return PALETTE_MIXED;
    }
    return region;
}

int palette_find_cell(const struct palette_plan *plan, struct palette_light *known,
                      const uint32_t sample[3])
{
    const uint32_t cell = palette_grid_cell(plan, sample);
    if (known->cell[cell])
        return known->cell[cell];
    int at[8], found = PALETTE_MIXED;
    for (uint32_t i = 0; i < 8 && plan->monotone; i++)
        at[i] = find_corner(plan, known,
                            (uint32_t[3]){(sample[0] >> plan->grid_shift) + (i & 1),
                                          (sample[1] >> plan->grid_shift) + (i >> 1 & 1),
                                          (sample[2] >> plan->grid_shift) + (i >> 2)});
    if (plan->monotone)
        found = join_corners(known, at);
    known->cell[cell] = (uint8_t)found;
    return found;
}

void palette_light_exact(const struct palette_plan *plan, struct palette_light *known,
                         const uint32_t sample[3], int32_t to[3])
{
    const uint16_t light[3] = {plan->linear[sample[0]], plan->linear[sample[1]],
                               plan->linear[sample[2]]};
    const uint64_t key = 1 + (light[0] | (uint64_t)light[1] << 16 | (uint64_t)light[2] << 32);
    const uint64_t mixed = key * 0x9e3779b97f4a7c15u;
    struct palette_memory *memory = &known->known[mixed >> (64 - PALETTE_MEMO_BITS)];
    if (memory->key != key) {
        palette_project(plan->hull, light, &known->guess, memory->light);
        memory->key = key;
    }
    memcpy(to, memory->light, sizeof memory->light);
}

void palette_light_of(const struct palette_plan *plan, struct palette_light *known,
                      const uint32_t sample[3], int32_t to[3])
{
    const int cell = plan->hull ? palette_find_cell(plan, known, sample) : PALETTE_INSIDE;
    const uint16_t red = plan->linear[sample[0]], green = plan->linear[sample[1]],
                   blue = plan->linear[sample[2]];
    if (cell == PALETTE_INSIDE) {
        to[0] = 16 * red;
        to[1] = 16 * green;
        to[2] = 16 * blue;
    } else if (cell == PALETTE_MIXED ||
               !palette_region_light(&known->region[cell], red, green, blue, to)) {
        palette_light_exact(plan, known, sample, to);
    }
}
