/* SPDX-License-Identifier: MIT */
/*
 * A map from matches, most of which may be wrong, without random numbers. Each match is a
 * similarity by itself: two places, two sizes, two angles. Those with which most other matches go
 * are grown, first to an affine map and then to a homography, by taking in what comes near while
 * what counts as near shrinks.
 */
#include "register/start/start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEEDS = 600, TRIES = 8, CELL = 4, FIRST_GROWTHS = 4, GROWTHS = 7 };

/* Matches that are looked at, split up for the fits. */
struct pool {
    const struct found_start *start;
    int count;
    double diagonal; /* of the moving copy */
    struct point *from, *to;
    double *weight, *off;
    int *votes, *order;
    uint8_t *cells; /* of both copies: one is taken */
};

static double turned(double angle) /* -pi to pi, without a sign */
{
    const double once = fabs(angle - 2 * M_PI * floor(angle / (2 * M_PI) + 0.5));
    return once;
}

static double diagonal_of(const struct found_start *start)
{
    return hypot(start->copy[0].width, start->copy[0].height);
}

double start_tolerance(const struct found_start *start)
{
    return fmax(2.5, 0.008 * diagonal_of(start));
}

double field_tolerance(const struct found_start *start)
{
    return fmax(3, 0.008 * diagonal_of(start));
}

/* ---- Support --------------------------------------------------------------------------------- */

static size_t cells_of(const struct start_copy *copy)
{
    return (size_t)(copy->width / CELL + 1) * (size_t)(copy->height / CELL + 1);
}

/* 1 if the place was free. */
static int take_cell(const struct start_copy *copy, struct point at, uint8_t *cells)
{
    const int x = (int)fmin(fmax(at.x, 0), copy->width) / CELL;
    const int y = (int)fmin(fmax(at.y, 0), copy->height) / CELL;
    uint8_t *cell = cells + (size_t)y * (size_t)(copy->width / CELL + 1) + (size_t)x;
    const int fresh = !*cell;
    *cell = 1;
    return fresh;
}

static int distinct(const struct found_start *start, const double *off, double within,
                    uint8_t *cells)
{
    const size_t first = cells_of(&start->copy[0]);
    int count[2] = {0, 0};
    memset(cells, 0, first + cells_of(&start->copy[1]));
    for (int i = 0; i < start->count; i++)
        if (off[i] < within) {
            count[0] += take_cell(&start->copy[0], start->matches[i].moving, cells);
            count[1] += take_cell(&start->copy[1], start->matches[i].fixed, cells + first);
        }
    return count[0] < count[1] ? count[0] : count[1];
}

int count_support(const struct found_start *start, const double *off, double within)
{
    uint8_t *cells = malloc(cells_of(&start->copy[0]) + cells_of(&start->copy[1]));
    const int count = cells ? distinct(start, off, within, cells) : -1;
    free(cells);
    return count;
}

static double apart(struct point a, struct point b)
{
    const double x = a.x - b.x, y = a.y - b.y;
    return sqrt(x * x + y * y);
}

/* ---- One match, one similarity --------------------------------------------------------------- */

static struct plane_map similarity_of(const struct start_match *match)
{
    const double size = exp2(match->log_size);
    const double c = size * cos(match->turn), s = size * sin(match->turn);
    return (struct plane_map){{c, -s, match->moving.x - c * match->fixed.x + s * match->fixed.y, s,
                               c, match->moving.y - s * match->fixed.x - c * match->fixed.y, 0, 0,
                               1}};
}

/* How far a match may be off a similarity that is exact at another one. */
static double reach_of(const struct pool *pool, const struct start_match *seed, double size,
                       struct point at)
{
    return 0.015 * pool->diagonal + 0.12 * size * hypot(at.x - seed->fixed.x, at.y - seed->fixed.y);
}

static bool goes_with(const struct start_match *seed, const struct start_match *match, double most)
{
    return fabs(match->log_size - seed->log_size) < most && turned(match->turn - seed->turn) < most;
}

static int count_votes(const struct pool *pool, const struct start_match *seed)
{
    const struct plane_map map = similarity_of(seed);
    const double size = exp2(seed->log_size);
    int votes = 0;
    for (int i = 0; i < pool->count; i++) {
        const struct start_match *match = &pool->start->matches[i];
        if (!goes_with(seed, match, 0.6))
            continue;
        const struct point to = map_point(&map, match->fixed);
        votes += apart(to, match->moving) < reach_of(pool, seed, size, match->fixed);
    }
    return votes;
}

/* ---- Growth ---------------------------------------------------------------------------------- */

struct grown {
    struct plane_map map;
    int support; /* 0: none */
    bool homography;
};

static void measure(const struct pool *pool, const struct plane_map *map)
{
    for (int i = 0; i < pool->count; i++) {
        const struct start_match *match = &pool->start->matches[i];
        const struct point to = map_point(map, match->fixed);
        pool->off[i] = apart(to, match->moving);
    }
}

/* What is too far is infinitely far. */
static int gather(const struct pool *pool, const struct start_match *seed, double near, bool first)
{
    const double size = exp2(seed->log_size);
    int taken = 0;
    for (int i = 0; i < pool->count; i++) {
        const struct start_match *match = &pool->start->matches[i];
        const double within = first ? reach_of(pool, seed, size, match->fixed) : near;
        if (!(pool->off[i] < within) || !goes_with(seed, match, 1)) {
            pool->off[i] = INFINITY;
            continue;
        }
        const double part = pool->off[i] / (0.5 * within);
        pool->from[taken] = match->fixed;
        pool->to[taken] = match->moving;
        pool->weight[taken++] = 1 / (1 + part * part);
    }
    return taken;
}

static struct grown grow(const struct pool *pool, const struct start_match *seed)
{
    static const double nears[GROWTHS] = {0.03, 0.02, 0.012, 0.008, 0.02, 0.01, 0.006};
    const struct found_start *start = pool->start;
    struct plane_map map = similarity_of(seed);
    struct grown best = {.support = 0};
    for (int k = 0; k < GROWTHS; k++) {
        const bool homography = k >= FIRST_GROWTHS;
        measure(pool, &map);
        const int taken = gather(pool, seed, fmax(nears[k] * pool->diagonal, 2), k == 0);
        if (distinct(start, pool->off, INFINITY, pool->cells) < (homography ? 10 : 4))
            break;
        if (!(homography ? fit_homography : fit_affine)(taken, pool->from, pool->to, pool->weight,
                                                        &map) ||
            !map_plausible(&map, start->copy[1].width, start->copy[1].height))
            break;
        measure(pool, &map);
        const int support = distinct(start, pool->off, start_tolerance(start), pool->cells);
        if (support >= best.support + (homography && !best.homography ? 2 : 0))
            best = (struct grown){map, support, homography};
    }
    return best;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* The last steps: weights by size, and by how far off a match is. */
static void refit(struct pool *pool, struct grown *best)
{
    static const double parts[] = {1, 0.7, 0.5, 0.5};
    const struct found_start *start = pool->start;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        const double near = parts[k] * start_tolerance(start);
        double most = 0;
        int taken = 0;
        measure(pool, &best->map);
        for (int i = 0; i < pool->count; i++) {
            const struct start_match *match = &start->matches[i];
            if (!(pool->off[i] < near))
                continue;
            const double part = pool->off[i] / (0.4 * near);
            pool->from[taken] = match->fixed;
            pool->to[taken] = match->moving;
            pool->weight[taken] = 1 / ((1 + part * part) * fmax(match->size, 1.6));
            most = fmax(most, pool->weight[taken++]);
        }
        if (taken < (best->homography ? 12 : 6))
            return;
        for (int i = 0; i < taken; i++)
            pool->weight[i] /= most;
        struct plane_map map = best->map;
        if (!(best->homography ? fit_homography : fit_affine)(taken, pool->from, pool->to,
                                                              pool->weight, &map) ||
            !map_plausible(&map, start->copy[1].width, start->copy[1].height))
            return;
        best->map = map;
    }
}

/* Seeds by their votes, the better match first among equals. */
static void put_in_order(const struct pool *pool, int seeds)
{
    for (int i = 0; i < seeds; i++) {
        int at = i;
        for (; at > 0 && pool->votes[pool->order[at - 1]] < pool->votes[i]; at--)
            pool->order[at] = pool->order[at - 1];
        pool->order[at] = i;
    }
}

static struct grown grow_best(struct pool *pool)
{
    const struct found_start *start = pool->start;
    const struct start_copy *fixed = &start->copy[1];
    const struct point middle = {fixed->width / 2.0, fixed->height / 2.0};
    const int seeds = pool->count < MOST_SEEDS ? pool->count : MOST_SEEDS;
    const struct start_match *tried[TRIES];
    struct point went[TRIES];
    struct grown best = {.support = 0};
    int tries = 0;
    for (int i = 0; i < seeds; i++)
        pool->votes[i] = count_votes(pool, &start->matches[i]);
    put_in_order(pool, seeds);
    for (int i = 0; i < seeds && tries < TRIES && pool->votes[pool->order[i]] >= 3; i++) {
        const struct start_match *seed = &start->matches[pool->order[i]];
        const struct plane_map map = similarity_of(seed);
        const struct point to = map_point(&map, middle);
        bool fresh = true;
        for (int k = 0; k < tries && fresh; k++)
            fresh = hypot(to.x - went[k].x, to.y - went[k].y) >= 0.04 * pool->diagonal ||
                    !goes_with(seed, tried[k], 0.2);
        if (!fresh)
            continue;
        tried[tries] = seed;
        went[tries++] = to;
        const struct grown grown = grow(pool, seed);
        if (grown.support > best.support)
            best = grown;
    }
    return best;
}

bool map_from_matches(struct found_start *start)
{
    const size_t count = (size_t)start->count + 1;
    struct pool pool = {
        .start = start,
        .count = start->count,
        .diagonal = diagonal_of(start),
        .from = malloc(count * sizeof *pool.from),
        .to = malloc(count * sizeof *pool.to),
        .weight = malloc(count * sizeof *pool.weight),
        .off = malloc(count * sizeof *pool.off),
        .votes = malloc(count * sizeof *pool.votes),
        .order = malloc(count * sizeof *pool.order),
        .cells = malloc(cells_of(&start->copy[0]) + cells_of(&start->copy[1])),
    };
    const bool good =
        pool.from && pool.to && pool.weight && pool.off && pool.votes && pool.order && pool.cells;
    start->found = false;
    start->support = 0;
    struct grown best = {.support = 0};
    if (good && start->count >= 3)
        best = grow_best(&pool);
    if (best.support >= 4) {
        int near = 0, same = 0;
        measure(&pool, &best.map);
        for (int i = 0; i < start->count; i++)
            if (pool.off[i] < start_tolerance(start)) {
                near++;
                same += start->matches[i].same;
            }
        start->found = true;
        start->support = best.support;
        start->same = (double)same / near;
        refit(&pool, &best);
        start->map = best.map;
    }
    free(pool.from);
    free(pool.to);
    free(pool.weight);
    free(pool.off);
    free(pool.votes);
    free(pool.order);
    free(pool.cells);
    return good;
}
