/* SPDX-License-Identifier: MIT */
/*
 * Gauss-Newton steps on a copy. Threads look at rows side by side; sums run over pixels in their
 * order, each of them on one thread.
 */
#include "pde/register/align/register_refine.h"

#include "context/context.h"
#include "parallel/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double alike(const struct ro_view *view, const struct ro_overlap *s, enum ro_sign sign)
{
    double share = s->count / view->copy->counted;
    if (share < 0.2)
        return -1;
    double vm = s->mm - s->m * s->m / s->count, vf = s->ff - s->f * s->f / s->count;
    if (!(vm > 1e-9 * s->count) || !(vf > 1e-9 * s->count))
        return -1;
    double value = (s->mf - s->m * s->f / s->count) / sqrt(vm * vf) * fmin(1, 0.7 + 0.6 * share);
    return sign == RO_LIKE ? value : -value;
}

double ro_likeness(const struct ro_view *view, const struct ro_map *map, enum ro_sign sign)
{
    struct ro_overlap sum = {0};
    for (int y = 0; y < view->copy->height; y++)
        view->kernels->overlap(view->copy, map, y, &sum);
    return alike(view, &sum, sign);
}

/* ---- With all threads -------------------------------------------------------------------------
 */

struct refining {
    const struct ro_view *view;
    struct ro_map *map;
    enum ro_sign sign;
    int steps;
    struct ro_team *team;
    double *numbers; /* of all pixels: three planes */
    double value;
    /* what a pass works on */
    struct ro_map at;
    struct ro_tones tones;
    double (*normal)[RO_NORMAL];
};

enum { SHARE = 16 }; /* a pixel is as much work as this many of a filter */

static struct ro_align_line line_of(const struct refining *refining, int y)
{
    const struct ro_copy *copy = refining->view->copy;
    const size_t plane = (size_t)copy->width * (size_t)copy->height;
    double *first = refining->numbers + (size_t)y * (size_t)copy->width;
    return (struct ro_align_line){first, first + plane, first + 2 * plane};
}

static void overlap_rows(void *data, int part, int parts)
{
    struct refining *refining = data;
    const struct ro_view *view = refining->view;
    int y, to;
    for (ro_team_share(view->copy->height, part, parts, &y, &to); y < to; y++) {
        const struct ro_align_line line = line_of(refining, y);
        view->kernels->overlap_row(view->copy, &refining->at, y, &line);
    }
}

static void normal_rows(void *data, int part, int parts)
{
    struct refining *refining = data;
    const struct ro_view *view = refining->view;
    int y, to;
    for (ro_team_share(view->copy->height, part, parts, &y, &to); y < to; y++) {
        const struct ro_align_line line = line_of(refining, y);
        view->kernels->normal_row(view->copy, &refining->at, y, &refining->tones, &line);
    }
}

/* Each of the six equations is one thread's. */
static void normal_sums(void *data, int part, int parts)
{
    struct refining *refining = data;
    const struct ro_view *view = refining->view;
    int i, to;
    for (ro_team_share(6, part, parts, &i, &to); i < to; i++)
        for (int y = 0; y < view->copy->height; y++) {
            const struct ro_align_line line = line_of(refining, y);
            view->kernels->normal_add(view->copy, y, &line, i, refining->normal[i]);
        }
}

static void pass(struct refining *refining, ro_pass_fn *fn)
{
    const struct ro_copy *copy = refining->view->copy;
    ro_team_pass(refining->team, SHARE * (size_t)copy->width * (size_t)copy->height, fn, refining);
}

static struct ro_overlap overlap_of(struct refining *refining, const struct ro_map *map)
{
    struct ro_overlap sum = {0};
    refining->at = *map;
    pass(refining, overlap_rows);
    for (int y = 0; y < refining->view->copy->height; y++) {
        const struct ro_align_line line = line_of(refining, y);
        refining->view->kernels->overlap_add(refining->view->copy->width, &line, &sum);
    }
    return sum;
}

static bool solve6(double a[6][RO_NORMAL])
{
    for (int k = 0; k < 6; k++) {
        int pivot = k;
        for (int i = k + 1; i < 6; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k]))
                pivot = i;
        if (!(fabs(a[pivot][k]) > 1e-12))
            return false;
        double row[RO_NORMAL];
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

/* One Gauss-Newton step for the squared difference of tones, both brought to the same mean and
 * deviation; false where it does not help. `s` is of the map, before and after. */
static bool step(struct refining *refining, struct ro_overlap *s)
{
    struct ro_tones tones = {.mean_m = s->m / s->count, .mean_f = s->f / s->count};
    tones.dev_m = sqrt(s->mm / s->count - tones.mean_m * tones.mean_m);
    tones.dev_f = sqrt(s->ff / s->count - tones.mean_f * tones.mean_f);
    if (!(tones.dev_m > 0) || !(tones.dev_f > 0))
        return false;
    if (refining->sign == RO_UNLIKE)
        tones.dev_f = -tones.dev_f;
    double a[6][RO_NORMAL] = {{0}};
    refining->at = *refining->map;
    refining->tones = tones;
    refining->normal = a;
    pass(refining, normal_rows);
    pass(refining, normal_sums);
    if (!solve6(a))
        return false;
    for (double by = 1; by > 0.1; by /= 2) {
        struct ro_map next = *refining->map;
        for (int i = 0; i < 6; i++)
            next.m[i] += by * a[i][6];
        const struct ro_overlap there = overlap_of(refining, &next);
        const double now = alike(refining->view, &there, refining->sign);
        if (now > refining->value + 1e-7) {
            refining->value = now;
            *refining->map = next;
            *s = there;
            return true;
        }
    }
    return false;
}

static void lead(struct ro_team *team, void *data)
{
    struct refining *refining = data;
    refining->team = team;
    struct ro_overlap s = overlap_of(refining, refining->map);
    refining->value = alike(refining->view, &s, refining->sign);
    for (int i = 0; i < refining->steps && step(refining, &s); i++)
        ;
}

ro_status ro_refine(ro_context *context, const struct ro_view *view, struct ro_map *map,
                    enum ro_sign sign, int steps, double *value)
{
    struct refining refining = {.view = view, .map = map, .sign = sign, .steps = steps};
    const size_t pixels = (size_t)view->copy->width * (size_t)view->copy->height;
    refining.numbers = malloc(3 * pixels * sizeof *refining.numbers);
    if (!refining.numbers)
        return ro_context_fail(context, RO_E_MEMORY, "no memory to align images");
    ro_team_open(context->pool, context->threads, lead, &refining);
    free(refining.numbers);
    *value = refining.value;
    return RO_OK;
}
