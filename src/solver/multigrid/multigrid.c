/* SPDX-License-Identifier: MIT */
/* The multigrid solver as a call of its own. */
#include "roundoff/solver.h"

#include "context/context.h"
#include "core/checked.h"
#include "core/image.h"
#include "core/options.h"
#include "solver/multigrid/multigrid.h"
#include "solver/multigrid/multigrid_cuda.h"
#include "thread/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct solve {
    ro_context *context;
    const ro_image *b, *x;
    ro_multigrid_options options;
    struct multigrid grids;
    struct multigrid_cycle cycle;
    ro_status status;
};

static float *row_of(const ro_image *image, int y)
{
    return (float *)(void *)((char *)image->data + (ptrdiff_t)y * image->stride);
}

static void load(const struct solve *solve, const ro_image *image, float *plane)
{
    const struct solver_grid *grid = &solve->grids.grid[0];
    for (int y = 0; y < grid->height; y++) {
        float *row = plane + grid_at(grid, y);
        memcpy(row, row_of(image, y), (size_t)grid->width * sizeof *row);
        row[-1] = row[mirror_index(-1, grid->width)];
        row[grid->width] = row[mirror_index(grid->width, grid->width)];
    }
}

static void lead(struct thread_team *team, void *data)
{
    struct solve *solve = data;
    struct multigrid_cycle *cycle = &solve->cycle;
    const struct solver_grid *grid = &solve->grids.grid[0];
    cycle->team = team;
    load(solve, solve->b, cycle->b[0][0]);
    if (solve->options.warm)
        load(solve, solve->x, cycle->up[0][0]);
    for (uint32_t i = 0; i < solve->options.cycles && solve->status == RO_OK; i++) {
        cycle_run(cycle, 0, solve->options.warm || i > 0);
        solve->status = ro_context_progress(solve->context, "multigrid",
                                            (double)(i + 1) / solve->options.cycles);
    }
    for (int y = 0; y < grid->height && solve->status == RO_OK; y++)
        memcpy(row_of(solve->x, y), cycle->up[0][0] + grid_at(grid, y),
               (size_t)grid->width * sizeof(float));
}

static ro_status solve_on_cpu(struct solve *solve, const struct stencil *stencils,
                              const float *inverse)
{
    ro_context *context = solve->context;
    solve->cycle = (struct multigrid_cycle){.grids = &solve->grids,
                                            .kernels = grid_kernels_for(context->cpu),
                                            .context = context,
                                            .planes = 1,
                                            .stencils = stencils,
                                            .inverse = inverse};
    size_t floats = cycle_floats(&solve->grids, 1, context->threads);
    float *memory = aligned_alloc(64, (floats * sizeof(float) + 63) / 64 * 64);
    if (!memory)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for the grids of %u x %u pixels",
                               solve->b->width, solve->b->height);
    cycle_place(&solve->cycle, memory, context->threads);
    team_open(context->pool, context->threads, lead, solve);
    free(memory);
    return solve->status;
}

static ro_status check(ro_context *context, const ro_image *b, const ro_image *x,
                       const ro_multigrid_options *o)
{
    ro_status status = image_check(context, b, "right-hand side");
    if (status == RO_OK)
        status = image_check(context, x, "solution");
    if (status != RO_OK)
        return status;
    if (b->format != RO_GREYF || x->format != RO_GREYF)
        return ro_context_fail(context, RO_E_ARGUMENT, "multigrid works on float images");
    if (b->width != x->width || b->height != x->height)
        return ro_context_fail(context, RO_E_SIZE,
                               "the right-hand side is %u x %u but the solution is %u x %u",
                               b->width, b->height, x->width, x->height);
    if (!(o->sigma >= 0 && o->sigma <= 1e6))
        return ro_context_fail(context, RO_E_ARGUMENT, "sigma %g: must be from 0 to 1e6", o->sigma);
    for (int i = 0; i < 1 + (o->warm != 0); i++)
        for (uint32_t y = 0; y < b->height; y++)
            for (uint32_t c = 0; c < b->width; c++)
                if (!isfinite(row_of(i ? x : b, (int)y)[c]))
                    return ro_context_fail(context, RO_E_ARGUMENT,
                                           "the value at column %u, row %u is not a finite number",
                                           c, y);
    return RO_OK;
}

OPTIONS_INIT(ro_multigrid_options, RO_MULTIGRID_OPTIONS)

ro_status ro_multigrid_solve(ro_context *context, const ro_image *b, ro_image *x,
                             const ro_multigrid_options *options)
{
    DEVICE_TURN(context);
    struct solve solve = {.context = context, .b = b, .x = x, .options = RO_MULTIGRID_OPTIONS};
    ro_status status = take_options(context, options, &solve.options, "RO_MULTIGRID_OPTIONS");
    solve.options.cycles += solve.options.cycles == 0;
    if (status == RO_OK)
        status = check(context, b, x, &solve.options);
    if (status == RO_OK)
        status = multigrid_open(context, (int)b->width, (int)b->height, &solve.grids);
    if (status != RO_OK)
        return status;
    const struct solver_grid *last = &solve.grids.grid[solve.grids.levels - 1];
    struct stencil stencils[RO_GRID_LEVELS];
    float *inverse = malloc((size_t)last->width * (size_t)last->height * sizeof *inverse);
    if (!inverse) {
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for a solver");
        goto done;
    }
    multigrid_set(&solve.grids, solve.options.sigma, stencils, inverse);
    ro_report ran = {.method = "multigrid",
                     .width = b->width,
                     .height = b->height,
                     .steps = solve.options.cycles,
                     .threads = 1};
    if (context->options.device == RO_DEVICE_CUDA) {
        ran.schedule = "tiles";
        ran.device = RO_DEVICE_CUDA;
        status = multigrid_on_cuda->solve(context, &solve.grids, stencils, inverse, b, x,
                                          solve.options.cycles, solve.options.warm, &ran.launches);
    } else {
        ran.schedule = "rows";
        ran.device = RO_DEVICE_CPU;
        ran.threads = context->threads;
        status = solve_on_cpu(&solve, stencils, inverse);
        ran.cpu = solve.cycle.kernels->cpu;
    }
    if (status == RO_OK)
        *context_report(context) = ran;
done:
    free(inverse);
    multigrid_close(&solve.grids);
    return status;
}
