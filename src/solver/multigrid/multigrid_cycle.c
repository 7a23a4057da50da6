/* SPDX-License-Identifier: MIT */
/*
 * V-cycles on the CPU. On each grid one pass goes down and one up, and each does all its Jacobi
 * steps in one stream over the rows, a step a row behind the one before it, so that a row is still
 * in the cache when it is needed again:
 *
 *     row y     x1 = s b              row y     x + prolonged correction
 *     row y-1   x2 = relax x1         row y-1   relax              (x1 is made of b as it is used)
 *     row y-2   x3 = relax x2         row y-2   relax
 *     row y-3   b - A x3, restricted  row y-3   relax
 *
 * Threads take planes where there are no more threads than planes, and on grids too small to share;
 * elsewhere bands of rows, and redo the few rows on both sides of them that they need. Nothing is
 * waited for inside a pass, and every row comes out the same.
 */
#include "roundoff/library.h"
#include "solver/multigrid/multigrid.h"
#include "thread/team.h"

#include <string.h>

enum { RING = 4, LINES = 2 }; /* rows kept of each step; rows of scratch for transfers */
enum { SHARED = 1 << 17 };    /* nodes of all planes that are worth sharing row by row */

static size_t scratch_floats(const struct multigrid *grids)
{
    size_t rows = (size_t)grids->grid[0].stride * ((RO_GRID_SWEEPS + 2) * RING + LINES);
    const struct solver_grid *last = &grids->grid[grids->levels - 1];
    size_t direct = 2 * (size_t)last->width * (size_t)last->height;
    return ((rows > direct ? rows : direct) + 15) / 16 * 16;
}

size_t cycle_floats(const struct multigrid *grids, int planes, int threads)
{
    size_t floats = scratch_floats(grids) * (size_t)threads;
    for (int l = 0; l < grids->levels; l++)
        floats += grids->grid[l].floats * 3 * (size_t)planes;
    return floats;
}

void cycle_place(struct multigrid_cycle *cycle, float *memory, int threads)
{
    cycle->scratch = memory;
    cycle->scratch_floats = scratch_floats(cycle->grids);
    memory += cycle->scratch_floats * (size_t)threads;
    for (int l = 0; l < cycle->grids->levels; l++)
        for (int p = 0; p < cycle->planes; p++) {
            float **planes[] = {&cycle->b[p][l], &cycle->down[p][l], &cycle->up[p][l]};
            for (int i = 0; i < 3; i++) {
                *planes[i] = memory;
                memory += cycle->grids->grid[l].floats;
            }
        }
}

static bool goes_on(const struct multigrid_cycle *cycle)
{
    return !cycle->context || !ro_context_cancelled(cycle->context);
}

/* One pass over one grid. */
struct pass {
    struct multigrid_cycle *cycle;
    int level;
    bool warm;
    bool told; /* of rows that are finished */
    int share; /* of the team: the part that works on it */
};

static float *ring_row(const struct solver_grid *grid, float *rings, int step, int y)
{
    return rings + (size_t)(step * RING + (y & (RING - 1))) * (size_t)grid->stride + RO_GRID_MARGIN;
}

/* Row y of step `step` from three rows of the step before. */
static void relax_row(const struct pass *pass, int plane, float *rings, int step, int y, float *out)
{
    const struct multigrid_cycle *cycle = pass->cycle;
    const struct solver_grid *grid = &cycle->grids->grid[pass->level];
    cycle->kernels->relax(&cycle->stencils[pass->level], grid->width,
                          ring_row(grid, rings, step - 1, mirror_index(y - 1, grid->height)),
                          ring_row(grid, rings, step - 1, y),
                          ring_row(grid, rings, step - 1, mirror_index(y + 1, grid->height)),
                          cycle->b[plane][pass->level] + grid_at(grid, y), out);
}

static bool within(int y, int from, int to) { return y >= from && y < to; }

/* The first sweep of a row from what is there. */
static void warm_row(const struct pass *pass, int plane, int row, float *out)
{
    const struct multigrid_cycle *cycle = pass->cycle;
    const struct solver_grid *grid = &cycle->grids->grid[pass->level];
    const float *x = cycle->up[plane][pass->level];
    cycle->kernels->relax(&cycle->stencils[pass->level], grid->width,
                          x + grid_at(grid, mirror_index(row - 1, grid->height)),
                          x + grid_at(grid, row),
                          x + grid_at(grid, mirror_index(row + 1, grid->height)),
                          cycle->b[plane][pass->level] + grid_at(grid, row), out);
}

/* The first two sweeps of a row from nothing. */
static void cold_row(const struct pass *pass, int plane, int row, float *out)
{
    const struct multigrid_cycle *cycle = pass->cycle;
    const struct solver_grid *grid = &cycle->grids->grid[pass->level];
    const float *b = cycle->b[plane][pass->level];
    cycle->kernels->begin(&cycle->stencils[pass->level], grid->width,
                          b + grid_at(grid, mirror_index(row - 1, grid->height)),
                          b + grid_at(grid, row),
                          b + grid_at(grid, mirror_index(row + 1, grid->height)), out);
}

/* Coarse row `to`, once `row` is the last row of residuals there is; false: it needs more. */
static bool restrict_row(const struct pass *pass, int plane, float *rings, float *line, int row,
                         int to)
{
    const struct multigrid_cycle *cycle = pass->cycle;
    const struct solver_grid *grid = &cycle->grids->grid[pass->level], *coarse = grid + 1;
    const float *rows[4];
    float weights[4];
    int last = 0;
    for (int k = 0; k < 4; k++) {
        weights[k] = grid->y.weight[k][to];
        int at = mirror_index(grid->y.first[to] + k, grid->height);
        rows[k] = ring_row(grid, rings, 0, at);
        last = (k < 3 || weights[k] != 0) && at > last ? at : last;
    }
    if (last > row)
        return false;
    cycle->kernels->restrict_row(&grid->x, rows, weights, line,
                                 cycle->b[plane][pass->level + 1] + grid_at(coarse, to));
    return true;
}

static void go_down(const struct pass *pass, int plane, float *rings, int part, int parts)
{
    const struct multigrid_cycle *cycle = pass->cycle;
    const int level = pass->level, steps = RO_GRID_SWEEPS;
    const struct solver_grid *grid = &cycle->grids->grid[level];
    const struct solver_grid *coarse = &cycle->grids->grid[level + 1];
    float *line = ring_row(grid, rings, steps + 1, 0) + RING * grid->stride;
    int own0, own1, coarse0, coarse1;
    team_share(grid->height, part, parts, &own0, &own1);
    team_share(coarse->height, part, parts, &coarse0, &coarse1);
    /* residuals that the coarse rows take, and smoothed rows for them and for this band */
    int res0 = own0, res1 = own0; /* none where threads outnumber coarse rows */
    if (coarse0 < coarse1) {
        res0 = grid->y.first[coarse0];
        res1 = grid->y.first[coarse1 - 1] + 4;
    }
    res0 = res0 < 0 ? 0 : res0;
    res1 = res1 > grid->height ? grid->height : res1;
    int low = own0 < res0 - 1 ? own0 : res0 - 1, high = own1 > res1 + 1 ? own1 : res1 + 1;
    int next = coarse0;
    for (int y = low - steps; y < high + steps + 2 && goes_on(cycle); y++) {
        for (int step = pass->warm ? 1 : 2; step <= steps; step++) {
            int row = y - (step - 1), reach = steps - step;
            if (!within(row, low - reach, high + reach) || !within(row, 0, grid->height))
                continue;
            float *out = ring_row(grid, rings, step, row);
            if (step == steps && within(row, own0, own1))
                out = cycle->down[plane][level] + grid_at(grid, row);
            if (step == 1)
                warm_row(pass, plane, row, out);
            else if (step == 2 && !pass->warm)
                cold_row(pass, plane, row, out);
            else
                relax_row(pass, plane, rings, step, row, out);
        }
        int row = y - steps;
        if (!within(row, res0, res1))
            continue;
        const float *smoothed[3]; /* those of this band are in their place */
        for (int k = 0; k < 3; k++) {
            const int at = mirror_index(row + k - 1, grid->height);
            smoothed[k] = within(at, own0, own1) ? cycle->down[plane][level] + grid_at(grid, at)
                                                 : ring_row(grid, rings, steps, at);
        }
        cycle->kernels->residual(&cycle->stencils[level], grid->width, smoothed[0], smoothed[1],
                                 smoothed[2], cycle->b[plane][level] + grid_at(grid, row),
                                 ring_row(grid, rings, 0, row));
        while (next < coarse1 && restrict_row(pass, plane, rings, line, row, next))
            next++;
    }
}

static void go_up(const struct pass *pass, int plane, float *rings, int part, int parts)
{
    const struct multigrid_cycle *cycle = pass->cycle;
    const int level = pass->level, steps = RO_GRID_SWEEPS;
    const struct solver_grid *grid = &cycle->grids->grid[level];
    const struct solver_grid *coarse = &cycle->grids->grid[level + 1];
    const float *correction = cycle->up[plane][level + 1];
    float *line = ring_row(grid, rings, steps + 1, 0) + RING * grid->stride;
    int own0, own1;
    team_share(grid->height, part, parts, &own0, &own1);
    for (int y = own0 - steps; y < own1 + steps && goes_on(cycle); y++)
        for (int step = 0; step <= steps; step++) {
            int row = y - step, reach = steps - step;
            if (!within(row, own0 - reach, own1 + reach) || !within(row, 0, grid->height))
                continue;
            float *out = step == steps ? cycle->up[plane][level] + grid_at(grid, row)
                                       : ring_row(grid, rings, step, row);
            if (step > 0) {
                relax_row(pass, plane, rings, step, row, out);
                if (step == steps && pass->told && cycle->told)
                    cycle->told(cycle->told_data, pass->share, plane, row, out);
                continue;
            }
            int low = grid->y.low[row], high = low + 1 < coarse->height ? low + 1 : low;
            cycle->kernels->prolong_row(&grid->x, correction + grid_at(coarse, low),
                                        correction + grid_at(coarse, high), grid->y.part[row],
                                        cycle->down[plane][level] + grid_at(grid, row), line, out);
        }
}

static float *scratch_of(const struct multigrid_cycle *cycle, int part)
{
    return cycle->scratch + cycle->scratch_floats * (size_t)part;
}

static void pass_down(void *data, int part, int parts)
{
    const struct pass *pass = data;
    for (int plane = 0; plane < pass->cycle->planes; plane++)
        go_down(pass, plane, scratch_of(pass->cycle, part), part, parts);
}

static void pass_up(void *data, int part, int parts)
{
    struct pass pass = *(const struct pass *)data;
    pass.share = part;
    for (int plane = 0; plane < pass.cycle->planes; plane++)
        go_up(&pass, plane, scratch_of(pass.cycle, part), part, parts);
}

/* To cosines, divided by the eigenvalues, and back. */
static void solve_directly(const struct multigrid_cycle *cycle, int plane, float *scratch)
{
    const int level = cycle->grids->levels - 1;
    const struct solver_grid *grid = &cycle->grids->grid[level];
    const struct direct_system *direct = &cycle->grids->direct;
    const struct grid_kernels *k = cycle->kernels;
    const int nx = grid->width, ny = grid->height;
    float *one = scratch, *two = one + nx * ny;
    const float *b = cycle->b[plane][level] + RO_GRID_MARGIN;
    float *x = cycle->up[plane][level] + RO_GRID_MARGIN;
    k->product(ny, ny, nx, direct->forward_y, ny, b, grid->stride, one, nx);
    k->product(ny, nx, nx, one, nx, direct->forward_x, nx, two, nx);
    for (int i = 0; i < nx * ny; i++)
        two[i] *= cycle->inverse[i];
    k->product(ny, ny, nx, direct->back_y, ny, two, nx, one, nx);
    k->product(ny, nx, nx, one, nx, direct->back_x, nx, x, grid->stride);
    for (int y = 0; y < ny; y++, x += grid->stride) {
        x[-1] = x[mirror_index(-1, nx)];
        x[nx] = x[mirror_index(nx, nx)];
    }
}

/* Of the coarsest grid, where all rows are finished at once. */
static void tell_all(const struct multigrid_cycle *cycle, int plane, int share)
{
    const int level = cycle->grids->levels - 1;
    const struct solver_grid *grid = &cycle->grids->grid[level];
    for (int y = 0; y < grid->height; y++)
        cycle->told(cycle->told_data, share, plane, y, cycle->up[plane][level] + grid_at(grid, y));
}

/* A cycle from the pass's grid on, a plane after the other. */
static void whole_planes(void *data, int part, int parts)
{
    const struct pass *from = data;
    struct multigrid_cycle *cycle = from->cycle;
    const int last = cycle->grids->levels - 1;
    float *scratch = scratch_of(cycle, part);
    for (int plane = part; plane < cycle->planes; plane += parts) {
        for (int l = from->level; l < last && goes_on(cycle); l++) {
            struct pass pass = {.cycle = cycle, .level = l, .warm = from->warm && l == from->level};
            go_down(&pass, plane, scratch, 0, 1);
        }
        if (goes_on(cycle))
            solve_directly(cycle, plane, scratch);
        for (int l = last - 1; l >= from->level && goes_on(cycle); l--) {
            struct pass pass = {
                .cycle = cycle, .level = l, .told = from->told && l == from->level, .share = part};
            go_up(&pass, plane, scratch, 0, 1);
        }
        if (from->level == last && from->told && cycle->told)
            tell_all(cycle, plane, part);
    }
}

void cycle_run(struct multigrid_cycle *cycle, int level, bool warm)
{
    const int last = cycle->grids->levels - 1;
    const size_t planes = (size_t)cycle->planes;
    const struct solver_grid *grids = cycle->grids->grid;
    int whole = level; /* the first grid whose planes are not cut */
    if (team_size(cycle->team) > cycle->planes)
        while (whole < last && grids[whole].floats * planes > SHARED)
            whole++;
    for (int l = level; l < whole && goes_on(cycle); l++) {
        struct pass pass = {.cycle = cycle, .level = l, .warm = warm && l == level};
        team_pass(cycle->team, grids[l].floats * planes, pass_down, &pass);
    }
    struct pass rest = {
        .cycle = cycle, .level = whole, .warm = warm && whole == level, .told = whole == level};
    const size_t passes = 8; /* over the first of these grids, about */
    if (goes_on(cycle))
        team_pass(cycle->team, planes > 1 ? grids[whole].floats * planes * passes : 0, whole_planes,
                  &rest);
    for (int l = whole - 1; l >= level && goes_on(cycle); l--) {
        struct pass pass = {.cycle = cycle, .level = l, .told = l == level};
        team_pass(cycle->team, grids[l].floats * planes, pass_up, &pass);
    }
}
