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
    HOME_TIMES = 16,   /* the seed: as much as a doubtful kind may hold at once */
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

struct window_start window_start(const struct region_plane *plane, const struct region_front *front,
                                 uint16_t *scratch)
{
    const uint32_t n = front->count;
    for (uint32_t i = 0; i < n; i++)
        scratch[i] = plane->grey[front->pixels[i]];
    qsort(scratch, n, sizeof *scratch, compare_greys);
    const uint32_t range = (uint32_t)plane->most - plane->least;
    const uint32_t unit = (range + RO_WINDOW_LEVELS - 1) / RO_WINDOW_LEVELS;
    return (struct window_start){scratch[n / 4], scratch[n - 1 - n / 4], unit ? unit : 1};
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
 */
static int choose_level(const struct window_flood *flood)
{
    const struct flood_level *level = flood->level;
    int first = 0;
    while (first < flood->best &&
           compare(&level[first], &level[flood->best], RO_WINDOW_MARGIN, 11, 16) < 0)
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
static struct choice best_of_kinds(const struct region_front *front,
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
        if (only && kinds[i] != only)
            continue;
        rule.kind = kinds[i];
        flood(data, front, start, &rule, &water);
        cut |= water.cut;
        if (water.count == 0 || ((doubtful >> kinds[i] & 1) &&
                                 water.level[0].area > (uint64_t)HOME_TIMES * front->count))
            continue;
        with_level |= 1U << kinds[i];
        const int level = choose_level(&water);
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

static struct choice decide(const struct region_plane *plane, const struct region_front *front,
                            const struct window_start *start, const struct seed_fellows *fellows,
                            const uint16_t *nearest, flood_fn *flood, void *data)
{
    const uint64_t pixels = (uint64_t)plane->width * plane->height;
    const uint64_t most = fellows->most ? fellows->most : pixels;
    struct flood_rule rule = {
        .most = most < pixels / 2 ? most : pixels / 2,
        .leap = RO_WINDOW_LEAP,
        .inland = true,
    };
    struct choice chosen = best_of_kinds(front, start, rule, fellows->kind, 0, flood, data);
    const bool weak =
        chosen.any && chosen.at.contrast * 32 * (chosen.kind == RO_REGION_BAND ? 3 : 4) <
                          (int64_t)(4 * chosen.at.pairs * plane->spread);
    if (!chosen.any || weak) {
        rule.most = most;
        rule.inland = false;
        const bool cut = chosen.cut;
        const struct choice again =
            best_of_kinds(front, start, rule, fellows->kind, 0, flood, data);
        if (again.any)
            chosen = again;
        chosen.cut |= cut;
    }
    if (chosen.cut && nearest) {
        const unsigned doubtful = chosen.any ? ~chosen.kinds : 0;
        rule.nearest = nearest;
        const struct choice at_home =
            best_of_kinds(front, start, rule, fellows->kind, doubtful, flood, data);
        if (at_home.any && (!chosen.any || is_better(&at_home, &chosen, 5, 4)))
            chosen = at_home;
    }
    return chosen;
}

static void take(struct region_front *front, const struct window_start *start,
                 const struct choice *chosen)
{
    const uint32_t reach = chosen->any ? (uint32_t)chosen->level * start->unit : 0;
    const uint32_t low = start->low > reach ? start->low - reach : 0, high = start->high + reach;
    front->at = chosen->at;
    front->kind = chosen->any ? chosen->kind : RO_REGION_BAND;
    front->low = front->kind == RO_REGION_DARK ? 0 : (uint16_t)low;
    front->high =
        front->kind == RO_REGION_BRIGHT || high > UINT16_MAX ? UINT16_MAX : (uint16_t)high;
}

void window_decide(const struct region_plane *plane, struct region_front *front,
                   const struct window_start *start, const uint16_t *nearest, flood_fn *flood,
                   void *data)
{
    const struct seed_fellows none = {0};
    const struct choice chosen = decide(plane, front, start, &none, nearest, flood, data);
    take(front, start, &chosen);
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
           (fellows->most && front->at.area > fellows->most && front->at.area <= fellows->vast);
}

void window_decide_again(const struct region_plane *plane, struct region_front *front,
                         const struct window_start *start, const struct seed_fellows *fellows,
                         const uint16_t *nearest, flood_fn *flood, void *data)
{
    const struct choice before = {.any = front->at.pairs > 0, .kind = front->kind, .at = front->at};
    const struct choice again = decide(plane, front, start, fellows, nearest, flood, data);
    const bool leaked =
        fellows->kind && front->kind != fellows->kind && front->at.area > fellows->most;
    if (again.any && (leaked || !before.any || is_better(&again, &before, 1, 2))) {
        take(front, start, &again);
    } else if (leaked) {
        front->kind = fellows->kind;
        front->low = fellows->low;
        front->high = fellows->high;
        front->at = (struct flood_level){0};
    }
}

/* ---- The flood ------------------------------------------------------------------------------- */

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

/* Everything that enters at a level; false where the flood must end before it. */
static inline bool rise(struct water *water, enum ro_region_kind kind, uint32_t level,
                        uint64_t room, bool inland)
{
    struct flooder *flooder = water->flooder;
    if (inland && water->on_border)
        return false;
    for (uint32_t p; (p = flooder->head[level]) != NONE;) {
        flooder->head[level] = flooder->next[p];
        if (water->label[p] && water->label[p] != water->own)
            return false;
        enter(water, kind, p, level);
        if (water->now.area > room || (inland && water->on_border))
            return false;
    }
    return water->now.area <= room;
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
