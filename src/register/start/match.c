/* SPDX-License-Identifier: MIT */
/*
 * Pairs of points that look the same: the nearest descriptor, if the next one somewhere else is
 * clearly further away, and if the pair is the nearest from the other side too. Of a fixed point
 * and its twin the first is enough, because turning both points of a pair by pi changes nothing.
 */
#include "register/start/start.h"
#include "thread/team.h"

#include <math.h>
#include <stdlib.h>

/* The nearest of many, and how near the nearest at another place is. */
struct nearest {
    int at;
    int32_t first, second;
};

struct matching {
    const struct start_kernels *kernels;
    const struct feature_set *from, *to;
    const int *of; /* points of `from` */
    int count;
    struct nearest *nearest;
    int32_t *distances; /* a row for each part */
};

static void find_nearest(void *data, int part, int parts)
{
    const struct matching *m = data;
    const struct feature_set *to = m->to;
    int32_t *distance = m->distances + (size_t)part * (size_t)to->count;
    int i, end;
    for (team_share(m->count, part, parts, &i, &end); i < end; i++) {
        struct nearest nearest = {-1, INT32_MAX, INT32_MAX};
        m->kernels->distances(m->from->bytes + (size_t)m->of[i] * RO_DESCRIPTOR, to->count,
                              to->bytes, distance);
        for (int j = 0; j < to->count; j++)
            if (distance[j] < nearest.first) {
                nearest.first = distance[j];
                nearest.at = j;
            }
        for (int j = 0; j < to->count; j++) {
            if (distance[j] >= nearest.second)
                continue;
            const float dx = to->at[j].x - to->at[nearest.at].x;
            const float dy = to->at[j].y - to->at[nearest.at].y;
            if (dx * dx + dy * dy > 4)
                nearest.second = distance[j];
        }
        m->nearest[i] = nearest;
    }
}

static struct start_match pair_of(const struct feature *f, const struct feature *m, double quality)
{
    return (struct start_match){
        .fixed = {(double)f->x, (double)f->y},
        .moving = {(double)m->x, (double)m->y},
        .log_size = log2((double)m->size / (double)f->size),
        .turn = (double)m->angle - (double)f->angle,
        .size = (double)m->size,
        .quality = quality,
        .same = m->sign == f->sign,
    };
}

static int by_quality(const void *one, const void *other)
{
    const struct start_match *a = one, *b = other;
    if (a->quality != b->quality)
        return a->quality < b->quality ? -1 : 1;
    if (a->fixed.y != b->fixed.y)
        return a->fixed.y < b->fixed.y ? -1 : 1;
    if (a->fixed.x != b->fixed.x)
        return a->fixed.x < b->fixed.x ? -1 : 1;
    return a->turn < b->turn ? -1 : a->turn > b->turn;
}

int match_features(struct thread_team *team, const struct start_kernels *kernels,
                   const struct feature_set *fixed, const struct feature_set *moving,
                   struct start_match **matches)
{
    static const double RATIO = 0.95 * 0.95;
    enum { WORK = 32 }; /* of a distance, in pixels of a filter */
    const int most = fixed->count > moving->count ? fixed->count : moving->count;
    const size_t parts = (size_t)team_size(team), room = (size_t)most + 1;
    int *of = malloc(room * sizeof *of), *other = malloc(room * sizeof *other), count = -1;
    struct nearest *there = malloc(room * sizeof *there), *back = malloc(room * sizeof *back);
    int32_t *distances = malloc(parts * room * sizeof *distances);
    *matches = malloc(room * sizeof **matches);
    if (!of || !other || !there || !back || !distances || !*matches)
        goto done;
    count = 0;
    if (fixed->count < 3 || moving->count < 3)
        goto done;
    struct matching m = {kernels, fixed, moving, of, fixed->count / 2, there, distances};
    for (int i = 0; i < m.count; i++)
        of[i] = 2 * i;
    team_pass(team, (size_t)m.count * (size_t)moving->count * WORK, find_nearest, &m);
    int few = 0;
    for (int i = 0; i < m.count; i++)
        if (there[i].second < INT32_MAX &&
            (double)there[i].first < RATIO * (double)there[i].second) {
            there[few] = there[i];
            of[few] = of[i];
            other[few++] = there[i].at;
        }
    struct matching back_again = {kernels, moving, fixed, other, few, back, distances};
    team_pass(team, (size_t)few * (size_t)fixed->count * WORK, find_nearest, &back_again);
    for (int i = 0; i < few; i++) {
        const struct feature *f = &fixed->at[of[i]], *b = &fixed->at[back[i].at];
        const float dx = b->x - f->x, dy = b->y - f->y;
        const int32_t second = there[i].second > 1 ? there[i].second : 1;
        if (dx * dx + dy * dy < 4)
            (*matches)[count++] =
                pair_of(f, &moving->at[there[i].at], (double)there[i].first / (double)second);
    }
    qsort(*matches, (size_t)count, sizeof **matches, by_quality);
done:
    free(of);
    free(other);
    free(there);
    free(back);
    free(distances);
    return count;
}
