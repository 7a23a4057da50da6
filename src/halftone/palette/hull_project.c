/* SPDX-License-Identifier: MIT */
/*
 * The light that a pixel is diffused with: that of its samples, moved to the nearest point of the
 * palette's hull.
 *
 * Colours that go to the same corner, edge or triangle of the hull fill a convex region, in which
 * the projection is an affine map; so do those that lie in the same four of its colours. Samples
 * are cut into cells. A cell whose eight corners lie in one region lies in it whole. In one where
 * regions meet a colour is tried against those that were found there before. Cells and regions
 * become known when a pixel first asks for them.
 */
#include "halftone/palette/region.h"

#include <string.h>

struct vector {
    double at[3];
};

static struct vector less(struct vector a, struct vector b)
{
    return (struct vector){{a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]}};
}

static double dot(struct vector a, struct vector b)
{
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static struct vector cross(struct vector a, struct vector b)
{
    return (struct vector){{a.at[1] * b.at[2] - a.at[2] * b.at[1],
                            a.at[2] * b.at[0] - a.at[0] * b.at[2],
                            a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

static const double times[3] = {1, PALETTE_GREEN, 1};

static struct vector colour_of(const struct palette_light *known, int k)
{
    return (struct vector){{known->colour[0][k], known->colour[1][k], known->colour[2][k]}};
}

/* The map onto a set's point, line or plane: what lies along u, or all but what lies along n. */
static void make_map(struct palette_region *region, const struct vector *p, struct vector u,
                     struct vector n)
{
    for (int c = 0; c < 3; c++) {
        double rest = p->at[c];
        for (int d = 0; d < 3; d++) {
            double part = c == d;
            if (region->set.count == 1)
                part = 0;
            else if (region->set.count == 2)
                part = u.at[c] * u.at[d] / dot(u, u);
            else if (region->set.count == 3)
                part -= n.at[c] * n.at[d] / dot(n, n);
            rest -= part * p->at[d];
            region->from[d][c] = 16 * part * times[d] / times[c];
        }
        region->from[3][c] = 16 * rest / times[c] + 0.5;
    }
}

/* A corner's share grows along `slope` from 0 on its opposite side, through `zero`, to 1 at the
 * corner. */
static void make_share(struct palette_region *region, int i, struct vector slope,
                       struct vector corner, struct vector zero)
{
    const double whole = dot(slope, less(corner, zero));
    const double steep = sqrt(dot(slope, slope)) / fabs(whole);
    for (int d = 0; d < 3; d++)
        region->share[d][i] = slope.at[d] * times[d] / whole;
    region->share[3][i] = -dot(slope, zero) / whole - 0x1p-30 * (1 + 0x1p18 * steep);
}

/* Whether a colour lies in the plane, line or point of the set: exact, for all are whole numbers,
 * and their triple product, below 2^56, need only be told from 0. */
static bool lies_level(const struct palette_region *region, const struct vector *p,
                       struct vector colour)
{
    const struct vector away = less(colour, p[0]), u = less(p[1], p[0]);
    const struct vector normal = cross(u, less(p[2], p[0])), aside = cross(away, u);
    int64_t height = 0;
    for (int c = 0; c < 3; c++)
        height += (int64_t)away.at[c] * (int64_t)normal.at[c];
    return region->set.count == 1   ? dot(away, away) == 0
           : region->set.count == 2 ? dot(aside, aside) == 0
                                    : height == 0;
}

static void make_region(const struct palette_light *known, struct palette_region *region)
{
    const int corners = region->set.count;
    struct vector p[4] = {{{0}}};
    for (int i = 0; i < corners; i++)
        p[i] = colour_of(known, region->set.corner[i]);
    const struct vector u = less(p[1], p[0]), n = cross(u, less(p[2], p[0]));
    memset(region->from, 0, sizeof region->from);
    memset(region->share, 0, sizeof region->share);
    region->from[3][3] = 0.5; /* certain to be 0 */
    make_map(region, &p[0], u, n);
    for (int i = 0; i < 4; i++) {
        const struct vector a = p[(i + 1) % corners], b = p[(i + 2) % corners];
        const struct vector c = p[(i + 3) % corners];
        if (i >= corners || corners == 1)
            region->share[3][i] = 1;
        else
            make_share(region, i,
                       corners == 2   ? u
                       : corners == 3 ? cross(less(b, a), n)
                                      : cross(less(b, a), less(c, a)),
                       p[i], a);
    }
    region->level = 0;
    for (int k = 0; k < 4 * known->fours; k++)
        region->level += lies_level(region, p, colour_of(known, k));
}

static struct palette_corners in_order(struct palette_corners from)
{
    struct palette_corners set = {.count = from.count};
    memcpy(set.corner, from.corner, from.count);
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
    if (known->regions == 0) {
        known->regions = PALETTE_INSIDE + 1;
        known->fours = (plan->count + 3) / 4;
        for (int k = 0; k < 4 * known->fours; k++)
            for (int c = 0; c < 3; c++)
                known->colour[c][k] = times[c] * plan->hull->colour[k < plan->count ? k : 0][c];
    }
    for (int i = PALETTE_INSIDE + 1; i < known->regions; i++)
        if (memcmp(&known->region[i].set, &set, sizeof set) == 0)
            return i;
    if (known->regions == PALETTE_REGIONS)
        return PALETTE_MIXED;
    struct palette_region *region = &known->region[known->regions];
    region->set = set;
    make_region(known, region);
    return known->regions++;
}

/* Whether a colour certainly goes to a region, and from outside or in four corners. */
static bool goes_to(const struct palette_light *known, int region, const uint16_t light[3])
{
    if (region <= PALETTE_INSIDE || region == PALETTE_MIXED)
        return false;
    const struct palette_region *here = &known->region[region];
    const double at[3] = {light[0], light[1], light[2]};
    if (!palette_region_holds(known, here, at))
        return false;
    double away = 0;
    for (int c = 0; c < 3; c++) {
        double to = here->from[3][c] - 0.5;
        for (int d = 0; d < 3; d++)
            to += here->from[d][c] * at[d];
        away += fabs(to - 16 * at[c]);
    }
    return here->set.count == 4 || away > 1;
}

/* The last corner's region is tried first: neighbours often go to the same. */
static int find_corner(const struct palette_plan *plan, struct palette_light *known,
                       const uint32_t place[3])
{
    const uint32_t at = place[0] + PALETTE_CORNERS * (place[1] + PALETTE_CORNERS * place[2]);
    if (known->corner[at] == 0) {
        uint16_t light[3];
        int32_t to[3];
        for (int c = 0; c < 3; c++) {
            const uint32_t sample = place[c] << plan->grid_shift;
            light[c] = plan->linear[sample > plan->white ? plan->white : sample];
        }
        if (goes_to(known, known->last, light)) {
            known->in_hull[at] = known->region[known->last].set.count == 4;
        } else {
            known->in_hull[at] = palette_project(plan->hull, light, &known->guess, to);
            known->last = find_region(plan, known, known->guess);
        }
        known->corner[at] = (uint16_t)known->last;
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
    if (region == PALETTE_INSIDE || region == PALETTE_MIXED)
        return region;
    for (int i = 0; i < 8; i++) {
        const int own = known->corner[at[i]];
        if (own != region && (!known->in_hull[at[i]] || own == PALETTE_MIXED ||
                              !is_subset(&known->region[own].set, &known->region[region].set)))
            return PALETTE_MIXED;
    }
    return region;
}

/* Puts a region before those that are tried first. */
static void try_first(uint16_t tries[PALETTE_TRIES], int region)
{
    for (int i = 0; i < PALETTE_TRIES; i++)
        if (tries[i] == region)
            return;
    memmove(tries + 1, tries, (PALETTE_TRIES - 1) * sizeof *tries);
    tries[0] = (uint16_t)region;
}

/* Where regions meet, those of the corners are tried first. */
static int find_cell(const struct palette_plan *plan, struct palette_light *known,
                     const uint32_t sample[3], uint16_t tries[PALETTE_TRIES])
{
    int at[8];
    if (!plan->monotone)
        return PALETTE_MIXED;
    for (uint32_t i = 0; i < 8; i++)
        at[i] = find_corner(plan, known,
                            (uint32_t[3]){(sample[0] >> plan->grid_shift) + (i & 1),
                                          (sample[1] >> plan->grid_shift) + (i >> 1 & 1),
                                          (sample[2] >> plan->grid_shift) + (i >> 2)});
    const int joined = join_corners(known, at);
    for (int i = 0; i < 8 && joined == PALETTE_MIXED; i++)
        if (known->corner[at[i]] != PALETTE_MIXED)
            try_first(tries, known->corner[at[i]]);
    return joined;
}

int palette_light_exact(const struct palette_plan *plan, struct palette_light *known,
                        const uint32_t sample[3], int32_t to[4])
{
    const uint16_t light[3] = {plan->linear[sample[0]], plan->linear[sample[1]],
                               plan->linear[sample[2]]};
    const uint32_t cell = palette_grid_cell(plan, sample);
    if (known->cell[cell] == 0) {
        known->cell[cell] = (uint16_t)find_cell(plan, known, sample, known->tries[cell]);
        if (known->cell[cell] != PALETTE_INSIDE)
            return palette_light_near(plan, known, sample, cell, to);
    }
    const bool stays = palette_project(plan->hull, light, &known->guess, to);
    if (known->cell[cell] != PALETTE_MIXED)
        return known->cell[cell];
    const int region = find_region(plan, known, known->guess);
    if (region != PALETTE_MIXED)
        try_first(known->tries[cell], region);
    return stays && region == PALETTE_MIXED ? PALETTE_INSIDE : region;
}
