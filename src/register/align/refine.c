/* SPDX-License-Identifier: MIT */
/*
 * Gauss-Newton steps on a copy. One pass over the pixels gives all that is asked of a map: how
 * alike it leaves the copies, and the equations of the next step. Maps that do not wait for one
 * another share a pass: those of both signs, and the shorter steps where a whole one does not help.
 */
#include "register/align/refine.h"

#include "thread/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double alike(const struct pyramid_copy *copy, const double *s, enum match_sign sign)
{
    const double count = s[RO_SUM_COUNT], m = s[RO_SUM_M], f = s[RO_SUM_F];
    const double share = count / copy->counted;
    if (share < 0.2)
        return -1;
    const double vm = s[RO_SUM_MM] - m * m / count, vf = s[RO_SUM_FF] - f * f / count;
    if (!(vm > 1e-9 * count) || !(vf > 1e-9 * count))
        return -1;
    const double value =
        (s[RO_SUM_MF] - m * f / count) / sqrt(vm * vf) * fmin(1, 0.7 + 0.6 * share);
    return sign == RO_LIKE ? value : -value;
}

static int fours_of(const struct pyramid_copy *copy)
{
    return (copy->height + RO_ALIGN_ROWS - 1) / RO_ALIGN_ROWS;
}

double map_likeness(const struct ro_view *view, const struct affine_map *map, enum match_sign sign)
{
    double sums[RO_SUMS], all[RO_SUM_TONES] = {0};
    for (int four = 0; four < fours_of(view->copy); four++) {
        view->kernels->sum(view->copy, map, four, false, sums);
        for (int i = 0; i < RO_SUM_TONES; i++)
            all[i] += sums[i];
    }
    return alike(view->copy, all, sign);
}

/* ---- Sums of many maps with all threads ------------------------------------------------------ */

enum { SHARE = 16 }; /* a pixel is as much work as this many of a filter */

struct trial {
    struct affine_map map;
    bool slopes;
    double sums[RO_SUMS];
};

struct summing {
    struct thread_team *team;
    const struct ro_view *view;
    int fours, count;
    struct trial trials[RO_MOST_MAPS];
    double (*parts)[RO_SUMS]; /* of each map's fours of rows */
};

static bool open_sums(struct summing *summing, struct thread_team *team, const struct ro_view *view)
{
    *summing = (struct summing){.team = team, .view = view, .fours = fours_of(view->copy)};
    summing->parts = malloc(RO_MOST_MAPS * (size_t)summing->fours * sizeof *summing->parts);
    return summing->parts;
}

static void sum_fours(void *data, int part, int parts)
{
    const struct summing *summing = data;
    int i, to;
    for (team_share(summing->count * summing->fours, part, parts, &i, &to); i < to; i++) {
        const struct trial *trial = &summing->trials[i / summing->fours];
        summing->view->kernels->sum(summing->view->copy, &trial->map, i % summing->fours,
                                    trial->slopes, summing->parts[i]);
    }
}

static void sum_all(struct summing *summing)
{
    const struct pyramid_copy *copy = summing->view->copy;
    const size_t pixels = (size_t)copy->width * (size_t)copy->height;
    team_pass(summing->team, SHARE * (size_t)summing->count * pixels, sum_fours, summing);
    for (int k = 0; k < summing->count; k++) {
        struct trial *trial = &summing->trials[k];
        const int sums = trial->slopes ? RO_SUMS : RO_SUM_TONES;
        memset(trial->sums, 0, sizeof trial->sums);
        for (int four = 0; four < summing->fours; four++)
            for (int i = 0; i < sums; i++)
                trial->sums[i] += summing->parts[k * summing->fours + four][i];
    }
}

bool likenesses(struct thread_team *team, const struct ro_view *view, const struct affine_map *maps,
                int count, enum match_sign sign, double *values)
{
    struct summing summing;
    if (!open_sums(&summing, team, view))
        return false;
    summing.count = count;
    for (int i = 0; i < count; i++)
        summing.trials[i].map = maps[i];
    sum_all(&summing);
    for (int i = 0; i < count; i++)
        values[i] = alike(view->copy, summing.trials[i].sums, sign);
    free(summing.parts);
    return true;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

enum { COLUMNS = 7, PARTS = 3 }; /* of the equations; steps of a half, a quarter and an eighth */

static bool solve6(double a[6][COLUMNS])
{
    for (int k = 0; k < 6; k++) {
        int pivot = k;
        for (int i = k + 1; i < 6; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k]))
                pivot = i;
        if (!(fabs(a[pivot][k]) > 1e-12))
            return false;
        double row[COLUMNS];
        memcpy(row, a[k], sizeof row);
        memcpy(a[k], a[pivot], sizeof row);
        memcpy(a[pivot], row, sizeof row);
        for (int i = 0; i < 6; i++) {
            double by = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; j < 7; j++)
                a[i][j] -= by * a[k][j];
        }
    }
    for (int k = 0; k < 6; k++)
        a[k][6] /= a[k][k];
    return true;
}

/* The step that makes the squared difference of tones least, both brought to the same mean and
 * deviation, to first order; false: there is none. */
static bool find_step(const double s[RO_SUMS], enum match_sign sign, double step[6])
{
    static const int by[3] = {1, 2, 0}, by_two[3][3] = {{3, 4, 1}, {4, 5, 2}, {1, 2, 0}};
    const double count = s[RO_SUM_COUNT];
    const double mean_m = s[RO_SUM_M] / count, mean_f = s[RO_SUM_F] / count;
    const double dev_m = sqrt(s[RO_SUM_MM] / count - mean_m * mean_m);
    const double dev_f = sqrt(s[RO_SUM_FF] / count - mean_f * mean_f);
    if (!(dev_m > 0) || !(dev_f > 0))
        return false;
    const double scale = sign == RO_LIKE ? dev_m / dev_f : -dev_m / dev_f;
    double a[6][COLUMNS];
    for (int i = 0; i < 6; i++) {
        const double *g = s + RO_SUM_SLOPES + 9 * (i / 3) + by[i % 3];
        for (int j = 0; j < 6; j++)
            a[i][j] =
                s[RO_SUM_PRODUCTS + 6 * (i / 3 + j / 3) + by_two[i % 3][j % 3]] / (dev_m * dev_m);
        a[i][6] = (scale * (g[6] - mean_f * g[0]) - (g[3] - mean_m * g[0])) / (dev_m * dev_m);
    }
    if (!solve6(a))
        return false;
    for (int i = 0; i < 6; i++)
        step[i] = a[i][6];
    return true;
}

/* What a climb waits for. */
enum wait { FOR_SUMS, FOR_WHOLE_STEP, FOR_PARTS, FOR_NOTHING };

struct climbing {
    struct map_climb *climb;
    enum wait wait;
    int steps; /* left */
    double step[6];
    int first; /* of its trials */
};

static void add_trial(struct summing *summing, const struct climbing *climbing, double by,
                      bool slopes)
{
    struct trial *trial = &summing->trials[summing->count++];
    trial->map = climbing->climb->map;
    for (int i = 0; by > 0 && i < 6; i++)
        trial->map.m[i] += by * climbing->step[i];
    trial->slopes = slopes;
}

static void ask(struct summing *summing, struct climbing *climbing)
{
    climbing->first = summing->count;
    if (climbing->wait == FOR_SUMS)
        add_trial(summing, climbing, 0, true);
    if (climbing->wait == FOR_WHOLE_STEP)
        add_trial(summing, climbing, 1, true);
    for (int i = 0; climbing->wait == FOR_PARTS && i < PARTS; i++)
        add_trial(summing, climbing, 0.5 / (1 << i), false);
}

static void plan_step(struct climbing *climbing, const double sums[RO_SUMS])
{
    struct map_climb *climb = climbing->climb;
    climbing->wait = FOR_NOTHING;
    if (climbing->steps == 0)
        return;
    climb->settled = !find_step(sums, climb->sign, climbing->step);
    if (!climb->settled)
        climbing->wait = FOR_WHOLE_STEP;
}

/* Goes where it is better, if it is. */
static bool take(const struct summing *summing, struct climbing *climbing, int which)
{
    struct map_climb *climb = climbing->climb;
    const struct trial *trial = &summing->trials[climbing->first + which];
    const double value = alike(summing->view->copy, trial->sums, climb->sign);
    if (!(value > climb->value + 1e-7))
        return false;
    climb->map = trial->map;
    climb->value = value;
    climbing->steps--;
    return true;
}

static void answer(const struct summing *summing, struct climbing *climbing)
{
    struct map_climb *climb = climbing->climb;
    const struct trial *first = &summing->trials[climbing->first];
    bool better = false;
    switch (climbing->wait) {
    case FOR_SUMS:
        climb->value = alike(summing->view->copy, first->sums, climb->sign);
        plan_step(climbing, first->sums);
        break;
    case FOR_WHOLE_STEP:
        if (take(summing, climbing, 0))
            plan_step(climbing, first->sums);
        else
            climbing->wait = FOR_PARTS;
        break;
    case FOR_PARTS:
        for (int i = 0; i < PARTS && !better; i++)
            better = take(summing, climbing, i);
        climb->settled = !better;
        climbing->wait = better && climbing->steps > 0 ? FOR_SUMS : FOR_NOTHING;
        break;
    case FOR_NOTHING:
        break;
    }
}

bool refine_maps(struct thread_team *team, const struct ro_view *view, struct map_climb *climbs,
                 int count, int steps)
{
    struct summing summing;
    struct climbing climbing[RO_CLIMBS];
    if (!open_sums(&summing, team, view))
        return false;
    for (int i = 0; i < count; i++) {
        climbs[i].settled = false;
        climbing[i] = (struct climbing){.climb = &climbs[i], .steps = steps};
    }
    do {
        summing.count = 0;
        for (int i = 0; i < count; i++)
            ask(&summing, &climbing[i]);
        if (summing.count > 0)
            sum_all(&summing);
        for (int i = 0; i < count; i++)
            answer(&summing, &climbing[i]);
    } while (summing.count > 0);
    free(summing.parts);
    return true;
}
