/* SPDX-License-Identifier: MIT */
/*
 * Where a registration starts: a translation, or an affine map, from small copies of the images.
 *
 * The translation is the best of the peaks of a phase correlation. The affine map begins with the
 * best of such translations over a ring of rotations and three sizes, and is refined by
 * Gauss-Newton steps on copies that grow. What is best is told by the correlation of the tones in
 * the part where the images overlap, so that brightness and contrast may differ.
 */
#include "register/align/align.h"
#include "context/context.h"
#include "register/align/phase.h"
#include "register/align/pyramid.h"
#include "register/align/refine.h"
#include "register/image.h"
#include "thread/team.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 3, MOST_TURNS = 72 };

/* How much is tried. */
struct effort {
    int longest;      /* side of the largest copy */
    int turns, steps; /* no turns: only what is alike enough without one */
    bool signs;       /* what is light in one image may be dark in the other */
    double enough;    /* a likeness without a rotation that needs no ring of them; 2: none does */
};
static const struct effort thorough = {256, 72, 20, false, 2}, brief = {128, 36, 10, true, 0.9};
static const struct effort near_by = {128, 0, 10, true, 0.9}; /* translations alone */

static ro_status no_memory(const struct registration *flow)
{
    return ro_context_fail(flow->context, RO_E_MEMORY, "no memory to align images");
}

/* ---- Search ---------------------------------------------------------------------------------- */

static void rotated(double degrees, double size, struct affine_map *map)
{
    double c = size * cos(degrees * M_PI / 180), s = size * sin(degrees * M_PI / 180);
    *map = (struct affine_map){{c, -s, 0, s, c, 0}};
}

/* The best map of each sign. */
struct best {
    double value[2];
    struct affine_map map[2];
};

static void keep_better(struct best *best, enum match_sign sign, double value,
                        const struct affine_map *map)
{
    if (value > best->value[sign]) {
        best->value[sign] = value;
        best->map[sign] = *map;
    }
}

/* What a value at a map says of both signs. */
static void weigh(struct best *best, bool signs, double value, const struct affine_map *map)
{
    keep_better(best, RO_LIKE, value, map);
    if (signs && value > -1)
        keep_better(best, RO_UNLIKE, -value, map);
}

static const struct affine_map still = {{1, 0, 0, 0, 1, 0}};

/* What a search has before it begins: the images as they lie, and how alike they are. */
static struct best where_they_lie(double here, bool signs)
{
    struct best best = {{here, -1}, {still, still}};
    if (signs) {
        best.value[RO_LIKE] = here > 0 ? here : 0;
        best.value[RO_UNLIKE] = here > -1 && here < 0 ? -here : 0;
    }
    return best;
}

static struct affine_map shifted(const struct affine_map *map, const double shift[2])
{
    struct affine_map moved = *map;
    moved.m[2] += map->m[0] * shift[0] + map->m[1] * shift[1];
    moved.m[5] += map->m[3] * shift[0] + map->m[4] * shift[1];
    return moved;
}

static bool open_phase(const struct ro_view *view, struct thread_team *team, int least,
                       struct phase_correlation *phase)
{
    const struct pyramid_copy *copy = view->copy;
    int side = least;
    while (side < copy->width || side < copy->height)
        side *= 2;
    if (!phase_open(phase, view->kernels, side, copy->width, copy->height))
        return false;
    if (phase_fix(phase, team, copy->image[1]))
        return true;
    phase_close(phase);
    return false;
}

/* The best translation, or none; `here` is how alike the images are as they lie. */
static ro_status search_shifts(struct registration *flow, const struct ro_view *view, bool signs,
                               struct best *best, double *here)
{
    double shifts[RO_PHASE_PEAKS][2], values[1 + RO_PHASE_PEAKS];
    struct affine_map maps[1 + RO_PHASE_PEAKS] = {still};
    struct phase_correlation phase;
    if (!open_phase(view, flow->team, 8, &phase))
        return no_memory(flow);
    bool good = phase_shifts_by(&phase, flow->team, view->copy->image[0], signs, shifts);
    for (int i = 0; i < RO_PHASE_PEAKS && good; i++)
        maps[1 + i] = shifted(&still, shifts[i]);
    good = good && likenesses(flow->team, view, maps, 1 + RO_PHASE_PEAKS, RO_LIKE, values);
    phase_close(&phase);
    if (!good)
        return no_memory(flow);
    *here = values[0];
    *best = where_they_lie(values[0], signs);
    for (int i = 1; i <= RO_PHASE_PEAKS; i++)
        weigh(best, signs, values[i], &maps[i]);
    return ro_context_progress(flow->context, "align", 1);
}

/* ---- A ring of rotations, shared out among threads ------------------------------------------- */

struct ring {
    const ro_context *context;
    const struct ro_view *view;
    struct phase_correlation phase;
    bool signs;
    int turns;
    struct best best[MOST_TURNS * SIZES];
    atomic_int ticket, failed;
};

static void try_turn(struct ring *ring, int i, const struct phase_work *work, float *turned)
{
    static const double sizes[SIZES] = {1, 0.8, 1.25};
    const struct pyramid_copy *copy = ring->view->copy;
    double shifts[RO_PHASE_PEAKS][2];
    struct affine_map map;
    rotated(360.0 * (i / SIZES) / ring->turns, sizes[i % SIZES], &map);
    for (int y = 0; y < copy->height; y++)
        ring->view->kernels->turn(copy, &map, y, turned + y * copy->width);
    phase_shifts(&ring->phase, work, turned, ring->signs, shifts);
    for (int k = 0; k < RO_PHASE_PEAKS; k++) {
        const struct affine_map moved = shifted(&map, shifts[k]);
        weigh(&ring->best[i], ring->signs, map_likeness(ring->view, &moved, RO_LIKE), &moved);
    }
}

/* Parts take the next turn in one of the sizes, until there is none. */
static void try_turns(void *data, int part, int parts)
{
    struct ring *ring = data;
    const struct pyramid_copy *copy = ring->view->copy;
    struct phase_work work = {0};
    float *turned = malloc((size_t)copy->width * (size_t)copy->height * sizeof *turned);
    int i;
    (void)part;
    (void)parts;
    if (turned && phase_work_open(&ring->phase, &work))
        while ((i = atomic_fetch_add(&ring->ticket, 1)) < ring->turns * SIZES &&
               !ro_context_cancelled(ring->context))
            try_turn(ring, i, &work, turned);
    else
        atomic_store(&ring->failed, 1);
    phase_work_close(&work);
    free(turned);
}

/* The best over all turns and sizes, in their order. */
static ro_status search_turns(struct registration *flow, const struct ro_view *view,
                              const struct effort *effort, struct best *best)
{
    struct ring *ring = malloc(sizeof *ring);
    if (!ring || !open_phase(view, flow->team, RO_SMALLEST_COPY, &ring->phase)) {
        free(ring);
        return no_memory(flow);
    }
    ring->context = flow->context;
    ring->view = view;
    ring->signs = effort->signs;
    ring->turns = effort->turns;
    atomic_init(&ring->ticket, 0);
    atomic_init(&ring->failed, 0);
    for (int i = 0; i < effort->turns * SIZES; i++)
        ring->best[i] = *best;
    team_pass(flow->team, SIZE_MAX, try_turns, ring);
    for (int i = 0; i < effort->turns * SIZES; i++)
        for (int sign = RO_LIKE; sign <= RO_UNLIKE; sign++)
            keep_better(best, (enum match_sign)sign, ring->best[i].value[sign],
                        &ring->best[i].map[sign]);
    const ro_status status = atomic_load(&ring->failed)
                                 ? no_memory(flow)
                                 : ro_context_progress(flow->context, "align", 1);
    phase_close(&ring->phase);
    free(ring);
    return status;
}

/* ---- Affine maps ----------------------------------------------------------------------------- */

/* Which sign is better once both maps are refined; the images as they are have the benefit of the
 * doubt. */
static ro_status settle_sign(const struct registration *flow, const struct ro_view *view, int steps,
                             const struct best *best, struct map_climb *found)
{
    struct map_climb climbs[2];
    for (int i = RO_LIKE; i <= RO_UNLIKE; i++)
        climbs[i] = (struct map_climb){.map = best->map[i], .sign = (enum match_sign)i};
    if (!refine_maps(flow->team, view, climbs, 2, steps))
        return no_memory(flow);
    *found = climbs[climbs[RO_UNLIKE].value > climbs[RO_LIKE].value + 0.05];
    return RO_OK;
}

/* The best affine map on the smallest copy. */
static ro_status search_affine(struct registration *flow, const struct ro_view *view,
                               const struct effort *effort, struct map_climb *found)
{
    struct best best;
    ro_status status = RO_OK;
    double here = 0;
    if (effort->signs) {
        status = search_shifts(flow, view, true, &best, &here);
        if (status == RO_OK)
            status = settle_sign(flow, view, effort->steps, &best, found);
        if (status != RO_OK || found->value >= effort->enough || effort->turns == 0)
            return status;
    } else {
        here = map_likeness(view, &still, RO_LIKE);
    }
    best = where_they_lie(here, effort->signs);
    status = search_turns(flow, view, effort, &best);
    *found = (struct map_climb){.map = best.map[RO_LIKE]};
    if (effort->signs && status == RO_OK)
        status = settle_sign(flow, view, effort->steps, &best, found);
    return status;
}

static ro_status align_shift(struct registration *flow, const struct ro_view *view,
                             struct affine_map *map)
{
    struct best best;
    double here;
    ro_status status = search_shifts(flow, view, false, &best, &here);
    if (status == RO_OK)
        *map = best.map[RO_LIKE];
    return status;
}

static ro_status align_affine(struct registration *flow, const struct ro_view *views, int count,
                              const struct effort *effort, struct affine_map *map, double *alike)
{
    struct map_climb climb;
    ro_status status = search_affine(flow, &views[count - 1], effort, &climb);
    *alike = climb.value;
    if (effort->turns == 0 && climb.value < effort->enough)
        return status;
    for (int i = count - 1; i >= 0 && status == RO_OK; i--) {
        if (!climb.settled && !refine_maps(flow->team, &views[i], &climb, 1, effort->steps))
            return no_memory(flow);
        climb.settled = false;
        if (i > 0) { /* halves cut off an odd last pixel: the middle may lie apart */
            climb.map.m[2] *= 2;
            climb.map.m[5] *= 2;
        }
    }
    if (status != RO_OK)
        return status;
    double here = -1;
    if (effort->signs && !likenesses(flow->team, views, &still, 1, climb.sign, &here))
        return no_memory(flow);
    *map = effort->signs && climb.value < here ? still : climb.map;
    *alike = effort->signs && climb.value < here ? here : climb.value;
    if (effort->turns > 0 || *alike >= effort->enough)
        flow->negative = climb.sign == RO_UNLIKE;
    return RO_OK;
}

/* Light becomes dark in the fixed image. */
static void turn_negative(void *data, int part, int parts)
{
    const struct registration *flow = data;
    const struct solver_grid *grid = &flow->grids.grid[0];
    int y, to;
    for (team_share(grid->height, part, parts, &y, &to);
         y < to && !ro_context_cancelled(flow->context); y++) {
        float *row = flow->images[1] + grid_at(grid, y) - RO_GRID_MARGIN;
        for (ptrdiff_t x = 0; x < grid->stride; x++)
            row[x] = 1 - row[x];
    }
}

ro_status register_negate(struct registration *flow)
{
    register_pass(flow, flow->grids.grid[0].floats, turn_negative, flow);
    return register_heard(flow);
}

/* From the middle of a copy to that of the images' first pixel. */
static void tell_start(struct registration *flow, const struct pyramid_copy *copy,
                       const struct affine_map *map)
{
    const double mx = (0.5 * (copy->width - 1) + 0.5) * copy->shrink - 0.5;
    const double my = (0.5 * (copy->height - 1) + 0.5) * copy->shrink - 0.5;
    double *to = flow->report.start;
    memcpy(to, map->m, sizeof map->m);
    to[2] = map->m[2] * copy->shrink + mx - map->m[0] * mx - map->m[1] * my;
    to[5] = map->m[5] * copy->shrink + my - map->m[3] * mx - map->m[4] * my;
}

ro_status register_align(struct registration *flow, enum start_kind start, bool near, double *alike)
{
    const struct align_kernels *kernels = align_kernels_for(flow->context->cpu);
    struct pyramid_copies copies;
    struct ro_view views[RO_COPIES];
    struct affine_map map = still;
    const bool affine = start == RO_START_AFFINE;
    const struct effort *effort = !(flow->automatic && affine) ? &thorough
                                  : near                       ? &near_by
                                                               : &brief;
    ro_status status = copies_open(flow, kernels, effort->longest, effort->signs, &copies);
    for (int i = 0; i < copies.count; i++)
        views[i] = (struct ro_view){&copies.copy[i], kernels};
    if (status == RO_OK)
        status = affine ? align_affine(flow, views, copies.count, effort, &map, alike)
                        : align_shift(flow, &views[0], &map);
    if (status == RO_OK && (effort->turns > 0 || *alike >= effort->enough))
        tell_start(flow, &copies.copy[0], &map);
    if (status == RO_OK && flow->negative)
        status = register_negate(flow);
    copies_close(&copies);
    return status;
}
