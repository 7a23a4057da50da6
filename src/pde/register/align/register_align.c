/* SPDX-License-Identifier: MIT */
/*
 * Where a registration starts: a translation, or an affine map, from small copies of the images.
 *
 * The translation is the best of the peaks of a phase correlation. The affine map begins with the
 * best of such translations over a ring of rotations and three sizes, and is refined by
 * Gauss-Newton steps on copies that grow. What is best is told by the correlation of the tones in
 * the part where the images overlap, so that brightness and contrast may differ.
 */
#include "context/context.h"
#include "pde/register/register_image.h"
#include "pde/register/align/register_align.h"
#include "pde/register/align/register_phase.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 8, SEARCH_SIDE = 64, SIZES = 3, MOST_TURNS = 72 };

/* How much is tried. */
struct effort {
    int longest; /* side of the largest copy */
    int turns, steps;
    bool signs;    /* what is light in one image may be dark in the other */
    double enough; /* a likeness without a rotation that needs no ring of them; 2: none does */
};
static const struct effort thorough = {256, 72, 20, false, 2}, brief = {128, 36, 10, true, 0.95};

/* Of the images as they are, and with one of them turned to its negative. */
enum sign { LIKE, UNLIKE };

/* Copies of both images and the rows that work on them. */
struct view {
    const struct ro_copy *copy;
    const struct ro_align_kernels *kernels;
};

static struct ro_overlap overlap_of(const struct view *view, const struct ro_map *map)
{
    struct ro_overlap sum = {0};
    for (int y = 0; y < view->copy->height; y++)
        view->kernels->overlap(view->copy, map, y, &sum);
    return sum;
}

/* Correlation of the tones, -1 to 1; less for a small overlap, -1 where it proves nothing. */
static double likeness(const struct view *view, const struct ro_map *map, enum sign sign)
{
    struct ro_overlap s = overlap_of(view, map);
    double share = s.count / view->copy->counted;
    if (share < 0.2)
        return -1;
    double vm = s.mm - s.m * s.m / s.count, vf = s.ff - s.f * s.f / s.count;
    if (!(vm > 1e-9 * s.count) || !(vf > 1e-9 * s.count))
        return -1;
    double value = (s.mf - s.m * s.f / s.count) / sqrt(vm * vf) * fmin(1, 0.7 + 0.6 * share);
    return sign == LIKE ? value : -value;
}

/* ---- Copies --------------------------------------------------------------------------------- */

static void close_copy(struct ro_copy *copy)
{
    for (int p = 0; p < 2; p++) {
        free(copy->image[p]);
        free(copy->keep[p]);
    }
}

/* A plane as it is, or by the mean of two by two. */
struct shrinking {
    const ro_context *context;
    const struct ro_copy *to, *from;
    const float *plane;
    ptrdiff_t stride;
    float *out;
    atomic_int ticket;
};

static void shrink_rows(void *data, int thread)
{
    struct shrinking *shrinking = data;
    const struct ro_copy *to = shrinking->to, *from = shrinking->from;
    const bool halved = to->shrink > from->shrink;
    const ptrdiff_t right = from->width > 1, below = from->height > 1 ? shrinking->stride : 0;
    int y;
    (void)thread;
    while ((y = atomic_fetch_add(&shrinking->ticket, 1)) < to->height &&
           !ro_context_cancelled(shrinking->context)) {
        float *out = shrinking->out + (ptrdiff_t)y * to->width;
        const float *row = shrinking->plane + (halved ? 2 * y : y) * shrinking->stride;
        for (int x = 0; x < to->width; x++) {
            const float *p = halved ? row + 2 * x : row + x;
            out[x] = halved ? 0.25f * ((p[0] + p[right]) + (p[below] + p[below + right])) : *p;
        }
    }
}

static float *shrunk(const struct ro_flow *flow, const struct ro_copy *to,
                     const struct ro_copy *from, const float *plane, ptrdiff_t stride)
{
    enum { LEAST_ROWS = 256 }; /* fewer are not worth waking threads for */
    struct shrinking shrinking = {
        .context = flow->context, .to = to, .from = from, .plane = plane, .stride = stride};
    shrinking.out = malloc((size_t)to->width * (size_t)to->height * sizeof *shrinking.out);
    if (shrinking.out && to->height < LEAST_ROWS)
        shrink_rows(&shrinking, 0);
    else if (shrinking.out)
        ro_pool_run(flow->context->pool, flow->context->threads, shrink_rows, &shrinking);
    return shrinking.out;
}

/* Pixels count where all they were made of does. */
static void count_kept(struct ro_copy *copy)
{
    const int pixels = copy->width * copy->height;
    copy->counted = 0;
    for (int i = 0; i < pixels; i++) {
        for (int p = 0; copy->keep[0] && p < 2; p++)
            copy->keep[p][i] = copy->keep[p][i] > RO_WHOLE ? 1 : 0;
        copy->counted += !copy->keep[1] || copy->keep[1][i] > 0;
    }
    copy->counted = copy->counted > 0 ? copy->counted : 1;
}

/* Sums over all above and to the left, a row and a column of zeros first. */
static void sum_up(const float *plane, int width, int height, bool squares, double *sums)
{
    for (int x = 0; x <= width; x++)
        sums[x] = 0;
    for (int y = 0; y < height; y++) {
        double *row = sums + (y + 1) * (width + 1), line = 0;
        row[0] = 0;
        for (int x = 0; x < width; x++) {
            const double tone = (double)plane[y * width + x];
            line += squares ? tone * tone : tone;
            row[x + 1] = row[x - width] + line;
        }
    }
}

/* A pixel less the mean, by the deviation, of an eighth of the side all round: shading tells
 * nothing, and one strong edge does not say it all. */
static bool flatten(struct ro_copy *copy, const struct ro_align_kernels *kernels, bool sizes)
{
    const int width = copy->width, height = copy->height;
    const int reach = (width > height ? width : height) / 8;
    const size_t cells = (size_t)(width + 1) * (size_t)(height + 1);
    double *sums = malloc(2 * cells * sizeof *sums);
    for (int p = 0; sums && p < 2; p++) {
        sum_up(copy->image[p], width, height, false, sums);
        sum_up(copy->image[p], width, height, true, sums + cells);
        for (int y = 0; y < height; y++)
            kernels->flatten(width, height, reach, y, sizes, sums, sums + cells,
                             copy->image[p] + y * width);
    }
    const bool good = sums;
    free(sums);
    return good;
}

/* Halves until the longer side fits, by the mean of two by two pixels. copies[0] is the largest. */
static ro_status make_copies(struct ro_flow *flow, int longest, struct ro_copy copies[COPIES],
                             int *count)
{
    const struct ro_grid *grid = &flow->grids.grid[0];
    *count = 0;
    struct ro_copy last = {.width = flow->width, .height = flow->height, .shrink = 1};
    const int side = last.width > last.height ? last.width : last.height;
    for (;;) {
        struct ro_copy next = {.width = last.width, .height = last.height, .shrink = last.shrink};
        const ptrdiff_t stride = last.image[0] ? last.width : grid->stride;
        bool good = true;
        if (last.image[0] || side > longest) { /* a large image is never copied as it is */
            next.width = last.width / 2 + (last.width < 2);
            next.height = last.height / 2 + (last.height < 2);
            next.shrink = 2 * last.shrink;
        }
        for (int p = 0; p < 2; p++) {
            const float *image = last.image[0] ? last.image[p] : flow->images[p] + RO_GRID_MARGIN;
            next.image[p] = shrunk(flow, &next, &last, image, stride);
            if (flow->keep[p]) {
                const float *keep = last.image[0] ? last.keep[p] : flow->keep[p] + RO_GRID_MARGIN;
                next.keep[p] = shrunk(flow, &next, &last, keep, stride);
            }
            good = good && next.image[p] && (!flow->keep[p] || next.keep[p]);
        }
        const ro_status heard = ro_register_heard(flow);
        if (good && heard == RO_OK)
            count_kept(&next);
        if (last.image[0] && (*count == 0 || copies[*count - 1].image[0] != last.image[0]))
            close_copy(&last);
        if (!good || heard != RO_OK) {
            close_copy(&next);
            return heard != RO_OK
                       ? heard
                       : ro_context_fail(flow->context, RO_E_MEMORY, "no memory to align images");
        }
        int longer = next.width > next.height ? next.width : next.height;
        if (longer <= longest || *count > 0) {
            copies[(*count)++] = next;
            if (longer <= SEARCH_SIDE || *count == COPIES)
                return RO_OK;
        }
        last = next;
    }
}

/* ---- Search --------------------------------------------------------------------------------- */

static void rotated(double degrees, double size, struct ro_map *map)
{
    double c = size * cos(degrees * M_PI / 180), s = size * sin(degrees * M_PI / 180);
    *map = (struct ro_map){{c, -s, 0, s, c, 0}};
}

/* The best map of each sign. */
struct best {
    double value[2];
    struct ro_map map[2];
};

static void keep_better(struct best *best, enum sign sign, double value, const struct ro_map *map)
{
    if (value > best->value[sign]) {
        best->value[sign] = value;
        best->map[sign] = *map;
    }
}

/* The best translations on top of `map`, as far as they beat what there is. */
static void try_shifts(const struct view *view, struct ro_phase *phase, const struct ro_map *map,
                       bool signs, float *turned, struct best *best)
{
    const struct ro_copy *copy = view->copy;
    double shifts[RO_PHASE_PEAKS][2];
    for (int y = 0; y < copy->height; y++)
        view->kernels->turn(copy, map, y, turned + y * copy->width);
    ro_phase_shifts(phase, turned, copy->width, copy->height, signs, shifts);
    for (int i = 0; i < RO_PHASE_PEAKS; i++) {
        struct ro_map moved = *map;
        moved.m[2] += map->m[0] * shifts[i][0] + map->m[1] * shifts[i][1];
        moved.m[5] += map->m[3] * shifts[i][0] + map->m[4] * shifts[i][1];
        double value = likeness(view, &moved, LIKE);
        keep_better(best, LIKE, value, &moved);
        if (signs && value > -1)
            keep_better(best, UNLIKE, -value, &moved);
    }
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
 * deviation; false where it does not help. */
static bool refine(const struct view *view, struct ro_map *map, enum sign sign, double *value)
{
    struct ro_overlap s = overlap_of(view, map);
    struct ro_tones tones = {.mean_m = s.m / s.count, .mean_f = s.f / s.count};
    tones.dev_m = sqrt(s.mm / s.count - tones.mean_m * tones.mean_m);
    tones.dev_f = sqrt(s.ff / s.count - tones.mean_f * tones.mean_f);
    if (!(tones.dev_m > 0) || !(tones.dev_f > 0))
        return false;
    if (sign == UNLIKE)
        tones.dev_f = -tones.dev_f;
    double a[6][RO_NORMAL] = {{0}};
    for (int y = 0; y < view->copy->height; y++)
        view->kernels->normal(view->copy, map, y, &tones, a);
    if (!solve6(a))
        return false;
    for (double by = 1; by > 0.1; by /= 2) {
        struct ro_map next = *map;
        for (int i = 0; i < 6; i++)
            next.m[i] += by * a[i][6];
        double now = likeness(view, &next, sign);
        if (now > *value + 1e-7) {
            *value = now;
            *map = next;
            return true;
        }
    }
    return false;
}

/* Refines a map, and tells how alike it leaves the copies. */
static double refine_often(const struct view *view, struct ro_map *map, enum sign sign, int steps)
{
    double value = likeness(view, map, sign);
    for (int step = 0; step < steps && refine(view, map, sign, &value); step++)
        ;
    return value;
}

/* ---- A ring of rotations, shared out among threads
 * -----------------------------------------------
 */

struct ring {
    const ro_context *context;
    const struct view *view;
    const struct effort *effort;
    int to, side; /* turns to try; of the transforms */
    struct best best[MOST_TURNS];
    atomic_int ticket, failed;
};

static const struct ro_map still = {{1, 0, 0, 0, 1, 0}};

/* What a search has before it begins: the images as they lie. */
static struct best where_they_lie(const struct view *view, const struct effort *effort)
{
    const double here = likeness(view, &still, LIKE);
    struct best best = {{here, -1}, {still, still}};
    if (effort->signs) {
        best.value[LIKE] = here > 0 ? here : 0;
        best.value[UNLIKE] = here > -1 && here < 0 ? -here : 0;
    }
    return best;
}

static void try_turns(void *data, int thread)
{
    static const double sizes[SIZES] = {1, 0.8, 1.25};
    struct ring *ring = data;
    const struct ro_copy *copy = ring->view->copy;
    struct ro_phase phase;
    float *turned = malloc((size_t)copy->width * (size_t)copy->height * sizeof *turned);
    int turn;
    (void)thread;
    if (!turned || !ro_phase_open(&phase, ring->side)) {
        free(turned);
        atomic_store(&ring->failed, 1);
        return;
    }
    ro_phase_fix(&phase, copy->image[1], copy->width, copy->height);
    while ((turn = atomic_fetch_add(&ring->ticket, 1)) < ring->to &&
           !ro_context_cancelled(ring->context)) {
        const bool alone = ring->to == 1; /* a translation only */
        for (int i = 0; i < (alone ? 1 : SIZES); i++) {
            struct ro_map turned_by;
            rotated(360.0 * turn / ring->effort->turns, sizes[i], &turned_by);
            try_shifts(ring->view, &phase, &turned_by, ring->effort->signs, turned, &ring->best[turn]);
        }
    }
    ro_phase_close(&phase);
    free(turned);
}

/* The best over the first turns, in their order. */
static ro_status search_turns(struct ro_flow *flow, const struct view *view,
                              const struct effort *effort, int turns, struct best *best)
{
    struct ring *ring = malloc(sizeof *ring);
    if (!ring)
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory to align images");
    ring->context = flow->context;
    ring->view = view;
    ring->effort = effort;
    ring->to = turns;
    ring->side = turns == 1 ? 8 : SEARCH_SIDE;
    while (ring->side < view->copy->width || ring->side < view->copy->height)
        ring->side *= 2;
    atomic_init(&ring->ticket, 0);
    atomic_init(&ring->failed, 0);
    for (int i = 0; i < turns; i++)
        ring->best[i] = *best;
    ro_pool_run(flow->context->pool,
                turns < flow->context->threads ? turns : flow->context->threads, try_turns, ring);
    for (int i = 0; i < turns; i++)
        for (int sign = LIKE; sign <= UNLIKE; sign++)
            keep_better(best, (enum sign)sign, ring->best[i].value[sign], &ring->best[i].map[sign]);
    ro_status status = atomic_load(&ring->failed) ? ro_context_fail(flow->context, RO_E_MEMORY,
                                                                    "no memory to align images")
                                                  : ro_context_progress(flow->context, "align", 1);
    free(ring);
    return status;
}

/* Which sign is better once both maps are refined; the images as they are have the benefit of the
 * doubt. */
static enum sign settle_sign(const struct view *view, int steps, struct best *best)
{
    for (int sign = LIKE; sign <= UNLIKE; sign++)
        best->value[sign] = refine_often(view, &best->map[sign], (enum sign)sign, steps);
    return best->value[UNLIKE] > best->value[LIKE] + 0.05 ? UNLIKE : LIKE;
}

/* The best affine map on the smallest copy. */
static ro_status search_affine(struct ro_flow *flow, const struct view *view,
                               const struct effort *effort, struct ro_map *map, enum sign *sign)
{
    struct best best = where_they_lie(view, effort);
    ro_status status = RO_OK;
    bool found = false;
    *sign = LIKE;
    if (effort->signs) {
        struct best near = best;
        status = search_turns(flow, view, effort, 1, &near);
        *sign = settle_sign(view, effort->steps, &near);
        found = near.value[*sign] >= effort->enough;
        *map = near.map[*sign];
    }
    if (found || status != RO_OK)
        return status;
    status = search_turns(flow, view, effort, effort->turns, &best);
    if (effort->signs)
        *sign = settle_sign(view, effort->steps, &best);
    *map = best.map[*sign];
    return status;
}

static ro_status align_shift(struct ro_flow *flow, const struct view *view, struct ro_map *map)
{
    struct best best = where_they_lie(view, &thorough);
    ro_status status = search_turns(flow, view, &thorough, 1, &best);
    *map = best.map[LIKE];
    return status;
}

static ro_status align_affine(struct ro_flow *flow, const struct view *views, int count,
                              const struct effort *effort, struct ro_map *map)
{
    enum sign sign = LIKE;
    ro_status status = search_affine(flow, &views[count - 1], effort, map, &sign);
    for (int i = count - 1; i >= 0 && status == RO_OK; i--) {
        const double value = refine_often(&views[i], map, sign, effort->steps);
        if (i == 0 && effort->signs && value < likeness(&views[0], &still, sign))
            *map = still;
        if (i > 0) { /* halves cut off an odd last pixel: the middle may lie apart */
            map->m[2] *= 2;
            map->m[5] *= 2;
        }
    }
    flow->negative = sign == UNLIKE;
    return status;
}

/* Light becomes dark in the fixed image. */
static void turn_negative(struct ro_flow *flow)
{
    const struct ro_grid *grid = &flow->grids.grid[0];
    for (int y = 0; y < grid->height && !ro_context_cancelled(flow->context); y++) {
        float *row = flow->images[1] + ro_grid_at(grid, y) - RO_GRID_MARGIN;
        for (ptrdiff_t x = 0; x < grid->stride; x++)
            row[x] = 1 - row[x];
    }
}

ro_status ro_register_align(struct ro_flow *flow, enum ro_start start)
{
    const struct ro_align_kernels *kernels = ro_align_kernels_for(flow->context->cpu);
    struct ro_copy copies[COPIES] = {{0}};
    struct view views[COPIES];
    int count = 0;
    struct ro_map map = still;
    const bool affine = start == RO_START_AFFINE;
    const struct effort *effort = flow->automatic && affine ? &brief : &thorough;
    ro_status status = make_copies(flow, effort->longest, copies, &count);
    for (int i = 0; i < COPIES; i++)
        views[i] = (struct view){&copies[i], kernels};
    for (int i = 0; i < count && status == RO_OK && effort->signs; i++)
        if (!flatten(&copies[i], kernels, flow->sizes))
            status = ro_context_fail(flow->context, RO_E_MEMORY, "no memory to align images");
    if (status == RO_OK)
        status = affine ? align_affine(flow, views, count, effort, &map)
                        : align_shift(flow, &views[0], &map);
    if (status == RO_OK) {
        /* from the middle of the copy to that of the images' first pixel */
        const struct ro_copy *copy = &copies[0];
        double mx = (0.5 * (copy->width - 1) + 0.5) * copy->shrink - 0.5;
        double my = (0.5 * (copy->height - 1) + 0.5) * copy->shrink - 0.5;
        double *to = flow->report.start;
        memcpy(to, map.m, sizeof map.m);
        to[2] = map.m[2] * copy->shrink + mx - map.m[0] * mx - map.m[1] * my;
        to[5] = map.m[5] * copy->shrink + my - map.m[3] * mx - map.m[4] * my;
        if (flow->negative) {
            turn_negative(flow);
            status = ro_register_heard(flow);
        }
    }
    for (int i = 0; i < count; i++)
        close_copy(&copies[i]);
    return status;
}
