/* SPDX-License-Identifier: MIT */
/*
 * The window of a seed. Water rises from the seed through falling intensities (or rising ones, or
 * away from the seed's on both sides), and of all outlines that it takes on its way the one with
 * the largest mean contrast tells how far the object goes. Contrast is looked at over pairs of
 * pixels two apart, one on either side of the outline:
 *
 *             q                 q is two away from p along a row or a column, or beside it
 *          q  .  q              across a corner
 *       q  .  p  .  q
 *          q  .  q              score = sum of the contrasts / (number of pairs + 96)
 *             q
 *
 * The 96 keep small outlines in noise from winning. All comparisons of quotients are of products of
 * whole numbers.
 */
#include "segment/regions/compete.h"

#include <stdlib.h>

enum {
    PASSED = 2,        /* times the unrest: an outline that ends a flood which never rose to it */
    INSIDE = 3,        /* and one that counts although a stronger one is round it, */
    FAINT = 12,        /* if that has not so many times its contrast */
    ROUND = 2,         /* and so many times its area at once */
    LEAST_FELLOWS = 4, /* seeds that tell of others */
    MOST_TIMES = 64,   /* their areas */
    VAST_TIMES = 3,    /* all of these together */
    SMALL_PART = 8,    /* of most: a click that found less looks again */
    HOME_TIMES = 16,   /* the seed: as much as a doubtful kind may hold at once */
    KEPT = 2, /* a window is kept that has more than so many times the new one's contrast */
    KEPT_BY_SMALL = 4, /* of a click that found less */
    PASSED_SEEDS = 16, /* pixels of other seeds that the flood of a click may pass */
};

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
    return one < two ? -1 : one > two;
}

static int compare_greys(const void *a, const void *b)
{
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

static void find_quartiles(uint16_t *greys, uint32_t count, struct window_start *start)
{
    qsort(greys, count, sizeof *greys, compare_greys);
    start->low = greys[count / 4];
    start->high = greys[count - 1 - count / 4];
}

struct window_start window_start(const struct region_plane *plane, const struct region_front *front,
                                 uint16_t *scratch)
{
    for (uint32_t i = 0; i < front->count; i++)
        scratch[i] = plane->grey[front->pixels[i]];
    const uint32_t range = (uint32_t)plane->most - plane->least;
    const uint32_t unit = (range + RO_WINDOW_LEVELS - 1) / RO_WINDOW_LEVELS;
    struct window_start start = {.unit = unit ? unit : 1};
    find_quartiles(scratch, front->count, &start);
    return start;
}

/* Widens a start to whole levels of the grid. */
static struct window_start on_grid(const struct region_plane *plane, uint16_t low, uint16_t high)
{
    const uint32_t step = plane_step(plane);
    const uint32_t below = ((uint32_t)plane->most - low) / step * step + step - 1;
    const uint32_t above = plane->least + ((uint32_t)high - plane->least) / step * step + step - 1;
    return (struct window_start){.low = (uint16_t)(below < plane->most ? plane->most - below : 0),
                                 .high = (uint16_t)(above < UINT16_MAX ? above : UINT16_MAX),
                                 .unit = RO_GRID_STEPS * step};
}

struct window_start window_start_click(const struct region_plane *plane, uint32_t pixel)
{
    return on_grid(plane, plane->grey[pixel], plane->grey[pixel]);
}

/* The quartiles of the disc round a click, and its own intensity. */
static struct window_start start_of_disc(const struct region_plane *plane, uint32_t pixel)
{
    uint16_t greys[(2 * RO_CLICK_RADIUS + 1) * (2 * RO_CLICK_RADIUS + 1)];
    const int64_t cx = pixel % plane->pitch - RO_PLANE_MARGIN;
    const int64_t cy = pixel / plane->pitch - RO_PLANE_MARGIN;
    const uint16_t own = plane->grey[pixel];
    struct window_start start;
    uint32_t count = 0;
    for (int64_t y = cy - RO_CLICK_RADIUS; y <= cy + RO_CLICK_RADIUS; y++)
        for (int64_t x = cx - RO_CLICK_RADIUS; x <= cx + RO_CLICK_RADIUS; x++)
            if (x >= 0 && y >= 0 && x < plane->width && y < plane->height &&
                (x - cx) * (x - cx) + (y - cy) * (y - cy) < RO_CLICK_RADIUS * RO_CLICK_RADIUS)
                greys[count++] = plane->grey[plane_value_at(plane, (uint32_t)x, (uint32_t)y)];
    find_quartiles(greys, count, &start);
    return on_grid(plane, start.low < own ? start.low : own, start.high > own ? start.high : own);
}

/* Below 0, 0, above 0: of a's score and b's times up/down. */
static int compare(const struct flood_level *a, const struct flood_level *b, uint32_t margin,
                   int up, int down)
{
    const __int128 left = (__int128)a->contrast * down * (int64_t)(b->pairs + margin);
    const __int128 right = (__int128)b->contrast * up * (int64_t)(a->pairs + margin);
    return left < right ? -1 : left > right;
}

/* Whether an outline has this many times the contrast that is usual inside of it, as far as that
 * can be told: with as many pairs inside as across it. */
static bool stands_out(const struct flood_level *at, int times)
{
    return at->inner >= at->pairs && (__int128)at->contrast * (int64_t)at->inner >=
                                         (__int128)times * (int64_t)at->unrest * (int64_t)at->pairs;
}

/* An outline has been passed if the score fell by a quarter, and contrast had risen by as much on
 * the way to it, or it stands out. On a soft spot contrast falls from the start. */
static bool is_passed(const struct window_flood *flood, const struct flood_level *now)
{
    const struct flood_level *best = &flood->level[flood->best];
    return best->contrast > 0 && compare(now, best, RO_WINDOW_MARGIN, 3, 4) < 0 &&
           (compare(&flood->level[0], best, 0, 3, 4) < 0 || stands_out(best, PASSED));
}

bool flood_add(struct window_flood *flood, const struct flood_level *now)
{
    const struct flood_level *best = &flood->level[flood->best];
    if (flood->count > 0 && is_passed(flood, now))
        return false;
    if (flood->count > 0 && compare(now, best, RO_WINDOW_MARGIN, 1, 1) > 0)
        flood->best = flood->count;
    flood->level[flood->count++] = *now;
    return true;
}

uint64_t flood_room(const struct window_flood *flood, const struct flood_rule *rule,
                    const struct region_plane *plane)
{
    if (flood->count == 0)
        return rule->most;
    const struct flood_level *best = &flood->level[flood->best];
    const bool clear =
        8 * best->contrast >= (int64_t)(plane->spread * (best->pairs + RO_WINDOW_MARGIN));
    const uint64_t leap = 4 * flood->level[flood->count - 1].area + rule->leap;
    return clear && leap < rule->most ? leap : rule->most;
}

/* The first outline that is nearly the best begins a run of levels without a leap in area; the best
 * of that run counts. So a leak into what lies behind does not win, even where its border is
 * sharp. Where even the best has a contrast below 0, none is nearly as good, and it begins there.
 * Levels below a least area do not count; `count`: none does. */
static int choose_level(const struct window_flood *flood, uint64_t least)
{
    const struct flood_level *level = flood->level;
    int first = 0;
    while (first < flood->count && level[first].area < least)
        first++;
    int best = flood->best > first ? flood->best : first;
    for (int k = first; k < flood->count && best != flood->best; k++)
        if (compare(&level[k], &level[best], RO_WINDOW_MARGIN, 1, 1) > 0)
            best = k;
    while (first < best && compare(&level[first], &level[best], RO_WINDOW_MARGIN, 11, 16) < 0)
        first++;
    int chosen = first;
    for (int k = first + 1; k < flood->count; k++) {
        const uint64_t before = level[k - 1].area;
        if (level[k].area - before > before / 4 + 50)
            break;
        if (compare(&level[k], &level[chosen], RO_WINDOW_MARGIN, 1, 1) > 0)
            chosen = k;
    }
    return chosen;
}

/* ---- Three hypotheses ------------------------------------------------------------------------ */

struct choice {
    bool any, cut;
    bool home;      /* its flood stayed there */
    bool inland;    /* its floods had to stay off the border and in half of the picture */
    unsigned kinds; /* bits of those with a level */
    enum ro_region_kind kind;
    int level;
    uint64_t first; /* pixels at level 0 */
    struct flood_level at;
};

/* Whether a's mean contrast is above b's times up/down; that of a band counts three quarters. */
static bool is_better(const struct choice *a, const struct choice *b, int up, int down)
{
    const int worth_a = a->kind == RO_REGION_BAND ? 3 : 4,
              worth_b = b->kind == RO_REGION_BAND ? 3 : 4;
    return compare(&a->at, &b->at, 0, up * worth_b, down * worth_a) > 0;
}

/* A faint thing in a strong border: a kind whose first level went over all of it never saw its
 * outline. */
static bool is_inside(const struct choice *inner, const struct choice *outer)
{
    return ROUND * inner->at.area <= outer->first && stands_out(&inner->at, INSIDE) &&
           compare(&inner->at, &outer->at, 0, 1, FAINT) > 0;
}

/* Whether its contrast is below 1/32 of the picture's. */
static bool is_weak(const struct region_plane *plane, const struct choice *choice)
{
    return choice->at.contrast * 32 * (choice->kind == RO_REGION_BAND ? 3 : 4) <
           (int64_t)(4 * choice->at.pairs * plane->spread);
}

static struct choice best_of(const struct choice *all, int count)
{
    struct choice best = {0};
    for (int i = 0; i < count; i++)
        if (!best.any || is_better(&all[i], &best, 1, 1))
            best = all[i];
    for (const struct choice *inner = &best; inner;) {
        best = *inner;
        inner = NULL;
        for (int i = 0; i < count; i++)
            if (is_inside(&all[i], &best) && (!inner || is_better(&all[i], inner, 1, 1)))
                inner = &all[i];
    }
    return best;
}

/* Of all kinds, or of one; doubtful kinds, as bits, not where they hold many times the seed at
 * once.
 */
static struct choice best_of_kinds(const struct region_plane *plane,
                                   const struct region_front *front,
                                   const struct window_start *start, struct flood_rule rule,
                                   enum ro_region_kind only, unsigned doubtful, flood_fn *flood,
                                   void *data)
{
    static const enum ro_region_kind kinds[] = {RO_REGION_BRIGHT, RO_REGION_DARK, RO_REGION_BAND};
    struct choice all[RO_WINDOW_KINDS];
    int count = 0;
    bool cut = false;
    unsigned with_level = 0;
    for (int i = 0; i < RO_WINDOW_KINDS; i++) {
        struct window_flood water = {0};
        if ((only && kinds[i] != only) || (rule.seeded && kinds[i] == RO_REGION_BAND))
            continue;
        /* of what a click has found, a band can be a part only */
        const struct choice better = best_of(all, count);
        const bool in_part =
            front->click && kinds[i] == RO_REGION_BAND && better.any && !is_weak(plane, &better);
        if (in_part && better.at.area < rule.most)
            rule.most = better.at.area;
        rule.kind = kinds[i];
        flood(data, front, start, &rule, &water);
        cut |= water.cut && !in_part;
        if (water.count == 0 || ((doubtful >> kinds[i] & 1) &&
                                 water.level[0].area > (uint64_t)HOME_TIMES * front->count))
            continue;
        const int level = choose_level(&water, rule.least);
        if (level == water.count)
            continue;
        with_level |= 1U << kinds[i];
        all[count++] = (struct choice){.any = true,
                                       .kind = kinds[i],
                                       .level = level,
                                       .first = water.level[0].area,
                                       .at = water.level[level]};
    }
    struct choice best = best_of(all, count);
    best.cut = cut;
    best.kinds = with_level;
    return best;
}

static struct flood_rule rule_for(const struct region_plane *plane,
                                  const struct region_front *front,
                                  const struct seed_fellows *fellows, bool inland)
{
    const uint64_t pixels = (uint64_t)plane->width * plane->height;
    const uint64_t most = fellows->most ? fellows->most : pixels;
    return (struct flood_rule){.least = front->click ? fellows->least : 0,
                               .most = inland && most > pixels / 2 ? pixels / 2 : most,
                               .leap = RO_WINDOW_LEAP,
                               .inland = inland};
}

/* Floods that may go anywhere; those of clicks past other seeds too. */
static struct choice decide_anywhere(const struct region_plane *plane,
                                     const struct region_front *front,
                                     const struct window_start *start,
                                     const struct seed_fellows *fellows, bool several,
                                     flood_fn *flood, void *data)
{
    const struct flood_rule inland = rule_for(plane, front, fellows, true);
    struct choice chosen =
        best_of_kinds(plane, front, start, inland, fellows->kind, 0, flood, data);
    bool cut = chosen.cut;
    const bool is_inland = chosen.any && !is_weak(plane, &chosen);
    if (!is_inland) {
        const struct flood_rule all = rule_for(plane, front, fellows, false);
        const struct choice again =
            best_of_kinds(plane, front, start, all, fellows->kind, 0, flood, data);
        cut |= again.cut;
        if (again.any)
            chosen = again;
    }
    if (cut && several && front->click) {
        struct flood_rule past = inland;
        past.seeded = front->own + PASSED_SEEDS;
        const struct choice over =
            best_of_kinds(plane, front, start, past, fellows->kind, 0, flood, data);
        if (over.any && (!chosen.any || is_better(&over, &chosen, 5, 4)))
            chosen = over;
    }
    chosen.cut = cut;
    chosen.inland = is_inland;
    return chosen;
}

/* A click has a second start, the disc round it. Floods that were cut stay at home the next time. A
 * kind that had no outline before is doubted there: it ran over all the picture at once, and walls
 * alone do not make a thing of that. */
static struct choice decide(const struct region_plane *plane, struct region_front *front,
                            const struct seed_fellows *fellows, const uint16_t *nearest,
                            flood_fn *flood, void *data)
{
    struct choice chosen =
        decide_anywhere(plane, front, &front->start, fellows, nearest, flood, data);
    if (front->click) {
        const struct window_start disc = start_of_disc(plane, front->pixels[0]);
        const struct choice wider =
            decide_anywhere(plane, front, &disc, fellows, nearest, flood, data);
        if (wider.any && (!chosen.any || is_better(&wider, &chosen, 9, 8))) {
            chosen = wider;
            front->start = disc;
        }
    }
    if (chosen.cut && nearest && !(front->click && chosen.any)) {
        struct flood_rule home = rule_for(plane, front, fellows, chosen.inland);
        home.nearest = nearest;
        const unsigned doubtful = chosen.any ? ~chosen.kinds : 0;
        const struct choice at_home =
            best_of_kinds(plane, front, &front->start, home, fellows->kind, doubtful, flood, data);
        if (at_home.any && (!chosen.any || is_better(&at_home, &chosen, 5, 4))) {
            chosen = at_home;
            chosen.home = true;
        }
    }
    return chosen;
}

static void take(struct region_front *front, const struct choice *chosen)
{
    const struct window_start *start = &front->start;
    const uint32_t reach = chosen->any ? (uint32_t)chosen->level * start->unit : 0;
    const uint32_t low = start->low > reach ? start->low - reach : 0, high = start->high + reach;
    front->at = chosen->at;
    front->kind = chosen->any ? chosen->kind : RO_REGION_BAND;
    front->home = front->click && chosen->home;
    front->low = front->kind == RO_REGION_DARK ? 0 : (uint16_t)low;
    front->high =
        front->kind == RO_REGION_BRIGHT || high > UINT16_MAX ? UINT16_MAX : (uint16_t)high;
}

void window_decide(const struct region_plane *plane, struct region_front *front,
                   const uint16_t *nearest, flood_fn *flood, void *data)
{
    const struct seed_fellows none = {0};
    const struct choice chosen = decide(plane, front, &none, nearest, flood, data);
    take(front, &chosen);
}

/* ---- Seeds of one label -------------------------------------------------------------------------
 * They lie in things of one sort: where most of these are brighter than what is round them, or
 * darker, so are the others, and none is many times as large as most, unless it is so large that
 * theirs are a small part of it. A seed near the edge of its thing, whose flood found a way round,
 * is set right by this. */

struct seed_fellows window_fellows(const struct region_front *const *fronts, size_t count,
                                   uint64_t *scratch)
{
    size_t of[RO_REGION_BAND + 1] = {0};
    struct seed_fellows fellows = {0};
    if (count < LEAST_FELLOWS)
        return fellows;
    for (size_t i = 0; i < count; i++) {
        of[fronts[i]->kind]++;
        scratch[i] = fronts[i]->at.area;
    }
    for (int kind = RO_REGION_BRIGHT; kind <= RO_REGION_DARK; kind++)
        if (3 * of[kind] >= 2 * count)
            fellows.kind = (enum ro_region_kind)kind;
    qsort(scratch, count, sizeof *scratch, compare_numbers);
    fellows.most = MOST_TIMES * scratch[count / 2];
    fellows.least = scratch[count / 2] / SMALL_PART;
    for (size_t i = 0; i < count && scratch[i] <= fellows.most; i++)
        fellows.vast += VAST_TIMES * scratch[i];
    if (fellows.kind) {
        const bool dark = fellows.kind == RO_REGION_DARK;
        size_t alike = 0;
        for (size_t i = 0; i < count; i++)
            if (fronts[i]->kind == fellows.kind)
                scratch[alike++] = dark ? fronts[i]->high : fronts[i]->low;
        qsort(scratch, alike, sizeof *scratch, compare_numbers);
        fellows.low = dark ? 0 : (uint16_t)scratch[alike / 2];
        fellows.high = dark ? (uint16_t)scratch[alike / 2] : UINT16_MAX;
    }
    return fellows;
}

bool window_odd(const struct region_front *front, const struct seed_fellows *fellows)
{
    return (fellows->kind && front->kind != fellows->kind) ||
           (front->click && front->at.area < fellows->least) ||
           (fellows->most && front->at.area > fellows->most && front->at.area <= fellows->vast);
}

void window_decide_again(const struct region_plane *plane, struct region_front *front,
                         const struct seed_fellows *fellows, const uint16_t *nearest,
                         flood_fn *flood, void *data)
{
    const struct choice before = {.any = front->at.pairs > 0, .kind = front->kind, .at = front->at};
    const struct choice again = decide(plane, front, fellows, nearest, flood, data);
    const bool leaked =
        front->at.area > fellows->most && ((fellows->kind && front->kind != fellows->kind) ||
                                           (front->click && front->at.area <= fellows->vast));
    const bool small = front->click && front->at.area < fellows->least;
    const int share = small ? KEPT_BY_SMALL : KEPT;
    if (again.any && (leaked || !before.any || is_better(&again, &before, 1, share))) {
        take(front, &again);
    } else if (leaked && fellows->kind) {
        front->kind = fellows->kind;
        front->low = fellows->low;
        front->high = fellows->high;
        front->home = false;
        front->at = (struct flood_level){0};
    }
}
