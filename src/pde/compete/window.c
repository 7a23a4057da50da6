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
#include "pde/compete/compete.h"

#include <stdlib.h>

static int compare_greys(const void *a, const void *b)
{
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

struct ro_window_start ro_window_start(const struct ro_plane *plane, const struct ro_front *front,
                                       uint16_t *scratch)
{
    const uint32_t n = front->count;
    for (uint32_t i = 0; i < n; i++)
        scratch[i] = plane->grey[front->pixels[i]];
    qsort(scratch, n, sizeof *scratch, compare_greys);
    const uint32_t range = (uint32_t)plane->most - plane->least;
    const uint32_t unit = (range + RO_WINDOW_LEVELS - 1) / RO_WINDOW_LEVELS;
    return (struct ro_window_start){scratch[n / 4], scratch[n - 1 - n / 4], unit ? unit : 1};
}

/* Below 0, 0, above 0: of a's score and b's times up/down. */
static int compare(const struct ro_flood_level *a, const struct ro_flood_level *b, uint32_t margin,
                   int up, int down)
{
    const __int128 left = (__int128)a->contrast * down * (int64_t)(b->pairs + margin);
    const __int128 right = (__int128)b->contrast * up * (int64_t)(a->pairs + margin);
    return left < right ? -1 : left > right;
}

bool ro_flood_add(struct ro_flood *flood, const struct ro_flood_level *now)
{
    const struct ro_flood_level *best = &flood->level[flood->best];
    if (flood->count > 0 && best->contrast > 0 && compare(now, best, RO_WINDOW_MARGIN, 3, 4) < 0)
        return false;
    if (flood->count > 0 && compare(now, best, RO_WINDOW_MARGIN, 1, 1) > 0)
        flood->best = flood->count;
    flood->level[flood->count++] = *now;
    return true;
}

/* The first outline that is nearly the best begins a run of levels without a leap in area; the best
 * of that run counts. So a leak into what lies behind does not win, even where its border is
 * sharp. */
static int choose_level(const struct ro_flood *flood)
{
    const struct ro_flood_level *level = flood->level;
    int first = 0;
    while (compare(&level[first], &level[flood->best], RO_WINDOW_MARGIN, 11, 16) < 0)
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
    enum ro_region_kind kind;
    int level;
    struct ro_flood_level at;
};

/* Whether a's mean contrast is above b's times up/down; that of a band counts three quarters. */
static bool is_better(const struct choice *a, const struct choice *b, int up, int down)
{
    const int worth_a = a->kind == RO_REGION_BAND ? 3 : 4,
              worth_b = b->kind == RO_REGION_BAND ? 3 : 4;
    return compare(&a->at, &b->at, 0, up * worth_b, down * worth_a) > 0;
}

static struct choice best_of_kinds(const struct ro_front *front,
                                   const struct ro_window_start *start, struct ro_flood_rule rule,
                                   ro_flood_fn *flood, void *data)
{
    static const enum ro_region_kind kinds[] = {RO_REGION_BRIGHT, RO_REGION_DARK, RO_REGION_BAND};
    struct choice best = {0};
    bool cut = false;
    for (int i = 0; i < RO_WINDOW_KINDS; i++) {
        struct ro_flood water = {0};
        rule.kind = kinds[i];
        flood(data, front, start, &rule, &water);
        cut |= water.cut;
        if (water.count == 0)
            continue;
        struct choice now = {true, false, kinds[i], choose_level(&water), {0}};
        now.at = water.level[now.level];
        if (!best.any || is_better(&now, &best, 1, 1))
            best = now;
    }
    best.cut = cut;
    return best;
}

void ro_window_decide(const struct ro_plane *plane, struct ro_front *front,
                      const struct ro_window_start *start, const uint16_t *nearest,
                      ro_flood_fn *flood, void *data)
{
    const uint64_t pixels = (uint64_t)plane->width * plane->height;
    struct ro_flood_rule rule = {.most = pixels / 2, .inland = true};
    struct choice chosen = best_of_kinds(front, start, rule, flood, data);
    const bool weak =
        chosen.any && chosen.at.contrast * 32 * (chosen.kind == RO_REGION_BAND ? 3 : 4) <
                          (int64_t)(4 * chosen.at.pairs * plane->spread);
    if (!chosen.any || weak) {
        rule = (struct ro_flood_rule){.most = pixels};
        const bool cut = chosen.cut;
        const struct choice again = best_of_kinds(front, start, rule, flood, data);
        if (again.any)
            chosen = again;
        chosen.cut |= cut;
    }
    if (chosen.cut && nearest) {
        rule.nearest = nearest;
        const struct choice at_home = best_of_kinds(front, start, rule, flood, data);
        if (at_home.any && (!chosen.any || is_better(&at_home, &chosen, 5, 4)))
            chosen = at_home;
    }
    const uint32_t reach = chosen.any ? (uint32_t)chosen.level * start->unit : 0;
    const uint32_t low = start->low > reach ? start->low - reach : 0, high = start->high + reach;
    front->kind = chosen.any ? chosen.kind : RO_REGION_BAND;
    front->low = front->kind == RO_REGION_DARK ? 0 : (uint16_t)low;
    front->high =
        front->kind == RO_REGION_BRIGHT || high > UINT16_MAX ? UINT16_MAX : (uint16_t)high;
}

/* ---- The flood ------------------------------------------------------------------------------- */

/* Pixels wait in lists, one a level; a pixel's mark tells whether it waits or is inside, in this
 * flood or, being lower, in one before. */
struct ro_flooder {
    const struct ro_plane *plane;
    uint32_t *mark, *next;
    uint32_t base;
    uint32_t head[RO_WINDOW_LEVELS];
};

static const uint32_t NONE = UINT32_MAX;

struct ro_flooder *ro_flooder_open(const struct ro_plane *plane)
{
    const size_t pixels = (size_t)plane->width * plane->height;
    struct ro_flooder *flooder = calloc(1, sizeof *flooder);
    if (!flooder)
        return NULL;
    flooder->plane = plane;
    flooder->mark = calloc(pixels, sizeof *flooder->mark);
    flooder->next = malloc(pixels * sizeof *flooder->next);
    if (flooder->mark && flooder->next)
        return flooder;
    ro_flooder_close(flooder);
    return NULL;
}

void ro_flooder_close(struct ro_flooder *flooder)
{
    if (!flooder)
        return;
    free(flooder->mark);
    free(flooder->next);
    free(flooder);
}

struct water {
    struct ro_flooder *flooder;
    const struct ro_front *front;
    const struct ro_window_start *start;
    const struct ro_flood_rule *rule;
    uint32_t waits, inside; /* marks */
    struct ro_flood_level now;
    bool on_border;
};

static bool is_open(const struct water *water, uint32_t p)
{
    const uint16_t *nearest = water->rule->nearest;
    return !nearest || nearest[p] == water->front->label;
}

static void wait(struct water *water, uint32_t p, uint32_t level)
{
    struct ro_flooder *flooder = water->flooder;
    flooder->mark[p] = water->waits;
    flooder->next[p] = flooder->head[level];
    flooder->head[level] = p;
}

/* One pair of p, which comes in, and q. */
static inline void look(struct water *water, uint32_t p, uint32_t q)
{
    const uint16_t *grey = water->flooder->plane->grey;
    struct ro_flood_level *now = &water->now;
    if (!is_open(water, q)) {
        now->pairs++;
    } else if (water->flooder->mark[q] == water->inside) {
        now->pairs--;
        now->contrast -= ro_window_contrast(water->rule->kind, grey[q], grey[p]);
    } else {
        now->pairs++;
        now->contrast += ro_window_contrast(water->rule->kind, grey[p], grey[q]);
    }
}

static void look_round(struct water *water, uint32_t p, uint32_t x, uint32_t y)
{
    static const int away[8][2] = {{-2, 0},  {2, 0},  {0, -2}, {0, 2},
                                   {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
    const struct ro_plane *plane = water->flooder->plane;
    const uint32_t width = plane->width, height = plane->height;
    if (x >= 2 && y >= 2 && x + 2 < width && y + 2 < height) {
        for (int i = 0; i < 8; i++)
            look(water, p, p + (uint32_t)(away[i][1] * (int)width + away[i][0]));
        return;
    }
    for (int i = 0; i < 8; i++) {
        const uint32_t qx = x + (uint32_t)away[i][0], qy = y + (uint32_t)away[i][1];
        if (qx < width && qy < height)
            look(water, p, qy * width + qx);
        else
            water->now.pairs++;
    }
}

/* A pixel comes in; its neighbours wait for their level, this one or a later. */
static void enter(struct water *water, uint32_t p, uint32_t level)
{
    struct ro_flooder *flooder = water->flooder;
    const struct ro_plane *plane = flooder->plane;
    const uint32_t width = plane->width, height = plane->height, x = p % width, y = p / width;
    const uint32_t beside[4] = {p - width, p - 1, p + 1, p + width};
    const bool there[4] = {y > 0, x > 0, x + 1 < width, y + 1 < height};
    flooder->mark[p] = water->inside;
    water->now.area++;
    water->on_border |= !(there[0] && there[1] && there[2] && there[3]);
    look_round(water, p, x, y);
    for (int i = 0; i < 4; i++) {
        const uint32_t q = beside[i];
        if (!there[i] || flooder->mark[q] >= water->waits || !is_open(water, q))
            continue;
        const uint32_t own = ro_window_level(water->start, water->rule->kind, plane->grey[q]);
        if (own < RO_WINDOW_LEVELS)
            wait(water, q, own > level ? own : level);
    }
}

/* Everything that enters at a level; false where the flood must end before it. */
static bool rise(struct water *water, uint32_t level)
{
    struct ro_flooder *flooder = water->flooder;
    const uint16_t *label = flooder->plane->label;
    for (uint32_t p; (p = flooder->head[level]) != NONE;) {
        flooder->head[level] = flooder->next[p];
        if (label[p] && label[p] != water->front->label)
            return false;
        enter(water, p, level);
        if (water->now.area > water->rule->most)
            return false;
    }
    return true;
}

void ro_flooder_run(struct ro_flooder *flooder, const struct ro_front *front,
                    const struct ro_window_start *start, const struct ro_flood_rule *rule,
                    struct ro_flood *flood)
{
    const size_t pixels = (size_t)flooder->plane->width * flooder->plane->height;
    if (flooder->base > UINT32_MAX - 4) {
        for (size_t i = 0; i < pixels; i++)
            flooder->mark[i] = 0;
        flooder->base = 0;
    }
    struct water water = {.flooder = flooder, .front = front, .start = start, .rule = rule};
    water.waits = flooder->base + 1;
    water.inside = flooder->base + 2;
    flooder->base += 2;
    flood->count = flood->best = 0;
    flood->cut = false;
    for (int i = 0; i < RO_WINDOW_LEVELS; i++)
        flooder->head[i] = NONE;
    for (uint32_t i = 0; i < front->count; i++)
        flooder->mark[front->pixels[i]] = water.waits;
    for (uint32_t i = 0; i < front->count; i++)
        enter(&water, front->pixels[i], 0);
    for (uint32_t level = 0; level < RO_WINDOW_LEVELS; level++) {
        flood->cut = !rise(&water, level);
        if (flood->cut || (level == 0 && rule->inland && water.on_border) ||
            !ro_flood_add(flood, &water.now))
            return;
    }
}
