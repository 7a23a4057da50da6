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
#include "pde/register/align/register_refine.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 8, SEARCH_SIDE = 64, SIZES = 3, MOST_TURNS = 72, HALVINGS = 40 };

/* How much is tried. */
struct effort {
    int longest; /* side of the largest copy */
    int turns, steps;
    bool signs;    /* what is light in one image may be dark in the other */
    double enough; /* a likeness without a rotation that needs no ring of them; 2: none does */
};
static const struct effort thorough = {256, 72, 20, false, 2}, brief = {128, 36, 10, true, 0.95};

/* ---- Copies --------------------------------------------------------------------------------- */

static int halved(int count) { return count / 2 + (count < 2); }

static void close_copy(struct ro_copy *copy)
{
    for (int p = 0; p < 2; p++) {
        free(copy->image[p]);
        free(copy->keep[p]);
    }
}

/* A plane as it is, or halved by the mean of two by two, many times in one go: what lies between
 * is never a plane of its own. */
struct shrinking {
    const ro_context *context;
    const float *plane;
    ptrdiff_t stride;
    int halvings;
    int width[HALVINGS], height[HALVINGS]; /* after so many of them */
    bool whole; /* a mask: 1 where all it is made of is */
    float *out;
    atomic_int ticket, failed;
};

/* A row after some halvings; scratch for two rows of what comes before, and of what that needs. */
static const float *shrunk_row(const struct shrinking *shrinking, int halvings, int y,
                               float *scratch, float *out)
{
    if (halvings == 0)
        return shrinking->plane + y * shrinking->stride;
    const int before = shrinking->width[halvings - 1], width = shrinking->width[halvings];
    const int right = before > 1, below = shrinking->height[halvings - 1] > 1;
    float *const rest = scratch + 2 * before;
    const float *a = shrunk_row(shrinking, halvings - 1, 2 * y, rest, scratch);
    const float *b = shrunk_row(shrinking, halvings - 1, 2 * y + below, rest, scratch + before);
    for (int x = 0; x < width; x++) {
        const float mean =
            0.25f * ((a[2 * x] + a[2 * x + right]) + (b[2 * x] + b[2 * x + right]));
        out[x] = !shrinking->whole ? mean : mean > RO_WHOLE ? 1 : 0;
    }
    return out;
}

static void shrink_rows(void *data, int thread)
{
    struct shrinking *shrinking = data;
    const int width = shrinking->width[shrinking->halvings];
    float *scratch = malloc(4 * (size_t)(shrinking->width[0] + HALVINGS) * sizeof *scratch);
    int y;
    (void)thread;
    if (!scratch)
        atomic_store(&shrinking->failed, 1);
    while (scratch &&
           (y = atomic_fetch_add(&shrinking->ticket, 1)) < shrinking->height[shrinking->halvings] &&
           !ro_context_cancelled(shrinking->context)) {
        float *out = shrinking->out + (ptrdiff_t)y * width;
        const float *row = shrunk_row(shrinking, shrinking->halvings, y, scratch, out);
        if (row != out)
            memcpy(out, row, (size_t)width * sizeof *out);
    }
    free(scratch);
}

/* A plane of a copy from one of the copy `from`, or from the image where that has none. */
static float *shrunk(const struct ro_flow *flow, const struct ro_copy *to,
                     const struct ro_copy *from, const float *plane, ptrdiff_t stride, bool whole)
{
    struct shrinking shrinking = {
        .context = flow->context, .plane = plane, .stride = stride, .whole = whole};
    shrinking.width[0] = from->width;
    shrinking.height[0] = from->height;
    for (double shrink = from->shrink; shrink < to->shrink; shrink *= 2) {
        const int i = shrinking.halvings++;
        shrinking.width[i + 1] = halved(shrinking.width[i]);
        shrinking.height[i + 1] = halved(shrinking.height[i]);
    }
    shrinking.out = malloc((size_t)to->width * (size_t)to->height * sizeof *shrinking.out);
    if (shrinking.out)
        ro_pool_run(flow->context->pool,
                    ro_register_threads(flow, (size_t)from->width * (size_t)from->height),
                    shrink_rows, &shrinking);
    if (!atomic_load(&shrinking.failed))
        return shrinking.out;
    free(shrinking.out);
    return NULL;
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
    struct ro_copy last = {.width = flow->width, .height = flow->height, .shrink = 1};
    for (*count = 0; *count < COPIES;) {
        struct ro_copy *next = &copies[*count];
        *next = (struct ro_copy){.width = last.width, .height = last.height, .shrink = last.shrink};
        const bool first = *count == 0;
        const ptrdiff_t stride = first ? grid->stride : last.width;
        while (next->width > longest || next->height > longest ||
               (!first && next->shrink == last.shrink)) {
            next->width = halved(next->width);
            next->height = halved(next->height);
            next->shrink *= 2;
        }
        bool good = true;
        for (int p = 0; p < 2; p++) {
            const float *image = first ? flow->images[p] + RO_GRID_MARGIN : last.image[p];
            next->image[p] = shrunk(flow, next, &last, image, stride, false);
            if (flow->keep[p]) {
                const float *keep = first ? flow->keep[p] + RO_GRID_MARGIN : last.keep[p];
                next->keep[p] = shrunk(flow, next, &last, keep, stride, true);
            }
            good = good && next->image[p] && (!flow->keep[p] || next->keep[p]);
        }
        ++*count; /* closed by whoever asked */
        if (!good)
            return ro_context_fail(flow->context, RO_E_MEMORY, "no memory to align images");
        const ro_status heard = ro_register_heard(flow);
        if (heard != RO_OK)
            return heard;
        count_kept(next);
        if (next->width <= SEARCH_SIDE && next->height <= SEARCH_SIDE)
            break;
        last = *next;
    }
    return RO_OK;
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

static void keep_better(struct best *best, enum ro_sign sign, double value, const struct ro_map *map)
{
    if (value > best->value[sign]) {
        best->value[sign] = value;
        best->map[sign] = *map;
    }
}

/* The best translations on top of `map`, as far as they beat what there is. */
static void try_shifts(const struct ro_view *view, struct ro_phase *phase, const struct ro_map *map,
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
        double value = ro_likeness(view, &moved, RO_LIKE);
        keep_better(best, RO_LIKE, value, &moved);
        if (signs && value > -1)
            keep_better(best, RO_UNLIKE, -value, &moved);
    }
}

/* ---- A ring of rotations, shared out among threads
 * -----------------------------------------------
 */

struct ring {
    const ro_context *context;
    const struct ro_view *view;
    const struct effort *effort;
    int to, side; /* turns to try; of the transforms */
    struct best best[MOST_TURNS];
    atomic_int ticket, failed;
};

static const struct ro_map still = {{1, 0, 0, 0, 1, 0}};

/* What a search has before it begins: the images as they lie. */
static struct best where_they_lie(const struct ro_view *view, const struct effort *effort)
{
    const double here = ro_likeness(view, &still, RO_LIKE);
    struct best best = {{here, -1}, {still, still}};
    if (effort->signs) {
        best.value[RO_LIKE] = here > 0 ? here : 0;
        best.value[RO_UNLIKE] = here > -1 && here < 0 ? -here : 0;
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
static ro_status search_turns(struct ro_flow *flow, const struct ro_view *view,
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
        for (int sign = RO_LIKE; sign <= RO_UNLIKE; sign++)
            keep_better(best, (enum ro_sign)sign, ring->best[i].value[sign], &ring->best[i].map[sign]);
    ro_status status = atomic_load(&ring->failed) ? ro_context_fail(flow->context, RO_E_MEMORY,
                                                                    "no memory to align images")
                                                  : ro_context_progress(flow->context, "align", 1);
    free(ring);
    return status;
}

/* Which sign is better once both maps are refined; the images as they are have the benefit of the
 * doubt. */
static ro_status settle_sign(const struct ro_flow *flow, const struct ro_view *view, int steps,
                             struct best *best, enum ro_sign *sign)
{
    ro_status status = RO_OK;
    for (int i = RO_LIKE; i <= RO_UNLIKE && status == RO_OK; i++)
        status = ro_refine(flow->context, view, &best->map[i], (enum ro_sign)i, steps,
                           &best->value[i]);
    *sign = best->value[RO_UNLIKE] > best->value[RO_LIKE] + 0.05 ? RO_UNLIKE : RO_LIKE;
    return status;
}

/* The best affine map on the smallest copy. */
static ro_status search_affine(struct ro_flow *flow, const struct ro_view *view,
                               const struct effort *effort, struct ro_map *map, enum ro_sign *sign)
{
    struct best best = where_they_lie(view, effort);
    ro_status status = RO_OK;
    bool found = false;
    *sign = RO_LIKE;
    if (effort->signs) {
        struct best near = best;
        status = search_turns(flow, view, effort, 1, &near);
        if (status == RO_OK)
            status = settle_sign(flow, view, effort->steps, &near, sign);
        found = near.value[*sign] >= effort->enough;
        *map = near.map[*sign];
    }
    if (found || status != RO_OK)
        return status;
    status = search_turns(flow, view, effort, effort->turns, &best);
    if (effort->signs && status == RO_OK)
        status = settle_sign(flow, view, effort->steps, &best, sign);
    *map = best.map[*sign];
    return status;
}

static ro_status align_shift(struct ro_flow *flow, const struct ro_view *view, struct ro_map *map)
{
    struct best best = where_they_lie(view, &thorough);
    ro_status status = search_turns(flow, view, &thorough, 1, &best);
    *map = best.map[RO_LIKE];
    return status;
}

static ro_status align_affine(struct ro_flow *flow, const struct ro_view *views, int count,
                              const struct effort *effort, struct ro_map *map)
{
    enum ro_sign sign = RO_LIKE;
    ro_status status = search_affine(flow, &views[count - 1], effort, map, &sign);
    for (int i = count - 1; i >= 0 && status == RO_OK; i--) {
        double value = -1;
        status = ro_refine(flow->context, &views[i], map, sign, effort->steps, &value);
        if (i == 0 && effort->signs && value < ro_likeness(&views[0], &still, sign))
            *map = still;
        if (i > 0) { /* halves cut off an odd last pixel: the middle may lie apart */
            map->m[2] *= 2;
            map->m[5] *= 2;
        }
    }
    flow->negative = sign == RO_UNLIKE;
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
    struct ro_view views[COPIES];
    int count = 0;
    struct ro_map map = still;
    const bool affine = start == RO_START_AFFINE;
    const struct effort *effort = flow->automatic && affine ? &brief : &thorough;
    ro_status status = make_copies(flow, effort->longest, copies, &count);
    for (int i = 0; i < COPIES; i++)
        views[i] = (struct ro_view){&copies[i], kernels};
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
