/* SPDX-License-Identifier: MIT */
/* The registration's back end on the CPU: planes, and passes over them by a team of threads. */
#include "register/descent/cpu.h"

#include "context/context.h"
#include "core/huge_pages.h"

#include <stdlib.h>
#include <string.h>

/* ---- The displacement -------------------------------------------------------------------------
 */

static void start(struct registration *flow, int level)
{
    struct flow_cpu *cpu = flow->data;
    const struct solver_grid *grid = &flow->grids.grid[level];
    for (int y = 0; y < grid->height && !flow_cpu_stopped(cpu); y++)
        for (int p = 0; p < 2; p++)
            flow_start_row(flow, level, p, y, cpu->u[p][level] + grid_at(grid, y));
}

static void refine_pass(void *data, int part, int parts)
{
    struct flow_cpu *cpu = data;
    const struct solver_grid *fine = &cpu->flow->grids.grid[cpu->level], *coarse = fine + 1;
    float *line = cpu->cycle.scratch + cpu->cycle.scratch_floats * (size_t)part + RO_GRID_MARGIN;
    const float by[2] = {(float)(coarse->hx / fine->hx), (float)(coarse->hy / fine->hy)};
    int from, to;
    team_share(fine->height, part, parts, &from, &to);
    for (int p = 0; p < 2; p++)
        for (int y = from; y < to && goes_on(cpu); y++) {
            int low = fine->y.low[y], high = low + 1 < coarse->height ? low + 1 : low;
            const float *u = cpu->u[p][cpu->level + 1];
            float *out = cpu->u[p][cpu->level] + grid_at(fine, y);
            cpu->cycle.kernels->prolong_row(&fine->x, u + grid_at(coarse, low),
                                            u + grid_at(coarse, high), fine->y.part[y], NULL, line,
                                            out);
            cpu->kernels->rescale(&cpu->flow->round, fine->width, by[p], out);
        }
}

static void refine(struct registration *flow, int level)
{
    struct flow_cpu *cpu = flow->data;
    const struct solver_grid *coarse = &flow->grids.grid[level + 1];
    for (int p = 0; p < 2; p++) /* updates leave the ghosts behind */
        for (int y = 0; y < coarse->height; y++) {
            float *row = cpu->u[p][level + 1] + grid_at(coarse, y);
            row[coarse->width] = row[mirror_index(coarse->width, coarse->width)];
        }
    cpu->level = level;
    flow_cpu_pass(cpu, refine_pass, cpu);
}

static const struct registration_backend backend = {
    .begin = flow_cpu_begin,
    .start = start,
    .refine = refine,
    .probe = flow_cpu_probe,
    .energy = flow_cpu_energy,
    .update = flow_cpu_update,
    .agree = flow_cpu_agree,
};

/* ---- Opening and closing -------------------------------------------------------------------- */

/* A plane on all grids. */
static void make_pyramid(struct flow_cpu *cpu, float *const planes[RO_GRID_LEVELS])
{
    const struct multigrid *grids = &cpu->flow->grids;
    float *line = cpu->cycle.scratch + RO_GRID_MARGIN;
    for (int l = 0; l + 1 < grids->levels; l++) {
        const struct solver_grid *fine = &grids->grid[l], *coarse = fine + 1;
        for (int y = 0; y < coarse->height && !flow_cpu_stopped(cpu); y++) {
            const float *rows[4];
            float weights[4];
            for (int k = 0; k < 4; k++) {
                weights[k] = fine->y.weight[k][y];
                int at = mirror_index(fine->y.first[y] + k, fine->height);
                rows[k] = planes[l] + grid_at(fine, at);
            }
            cpu->cycle.kernels->restrict_row(&fine->x, rows, weights, line,
                                             planes[l + 1] + grid_at(coarse, y));
        }
    }
}

/* A node counts where all that it was made of does. */
static void keep_whole(struct flow_cpu *cpu, float *const planes[RO_GRID_LEVELS])
{
    const struct multigrid *grids = &cpu->flow->grids;
    for (int l = 1; l < grids->levels; l++)
        for (int y = 0; y < grids->grid[l].height && !flow_cpu_stopped(cpu); y++) {
            float *row = planes[l] + grid_at(&grids->grid[l], y);
            for (int x = 0; x < grids->grid[l].width; x++)
                row[x] = row[x] > RO_WHOLE ? 1 : 0;
        }
}

/* Each thread's scratch where smoothing goes by lines: for some rows, and for what else needs
 * three. */
static size_t line_scratch(const struct flow_cpu *cpu)
{
    const struct solver_grid *grid = &cpu->flow->grids.grid[0];
    const size_t rows = smooth_scratch(grid->width), others = 3 * (size_t)grid->stride;
    return ((rows > others ? rows : others) + 15) / 16 * 16;
}

static size_t smoothing_floats(const struct flow_cpu *cpu, int threads)
{
    const struct multigrid *grids = &cpu->flow->grids;
    return cpu->flow->by_lines ? line_scratch(cpu) * (size_t)threads + 2 * grids->grid[0].floats
                               : cycle_floats(grids, 2, threads);
}

static void place_smoothing(struct flow_cpu *cpu, int threads)
{
    const size_t plane = cpu->flow->grids.grid[0].floats;
    if (cpu->flow->by_lines) {
        cpu->cycle.scratch = cpu->memory;
        cpu->cycle.scratch_floats = line_scratch(cpu);
        cpu->between[0] = cpu->memory + cpu->cycle.scratch_floats * (size_t)threads;
        cpu->between[1] = cpu->between[0] + plane;
        return;
    }
    cycle_place(&cpu->cycle, cpu->memory, threads);
    cpu->between[0] = cpu->cycle.up[0][0];
    cpu->between[1] = cpu->cycle.up[1][0];
}

static bool allocate(struct flow_cpu *cpu, int threads)
{
    const struct multigrid *grids = &cpu->flow->grids;
    const size_t plane = grids->grid[0].floats;
    const size_t first = smoothing_floats(cpu, threads);
    size_t floats = first;
    const size_t own = cpu->flow->balanced ? 8 : 6;
    const size_t each = cpu->flow->keep[0] ? 6 : 4;
    floats += plane * (own + 2) + (cpu->flow->keep[0] ? plane / sizeof(float) : 0);
    for (int l = 1; l < grids->levels; l++)
        floats += grids->grid[l].floats * each;
    cpu->memory = pages_alloc(floats * sizeof(float));
    if (!cpu->memory)
        return false;
    place_smoothing(cpu, threads);
    float *next = cpu->memory + first;
    float **planes[] = {&cpu->g[0],      &cpu->g[1],      &cpu->d[0],       &cpu->d[1],
                        &cpu->smooth[0], &cpu->smooth[1], &cpu->balance[0], &cpu->balance[1]};
    for (size_t i = 0; i < own; i++, next += plane)
        *planes[i] = next;
    for (int p = 0; p < 2; p++)
        for (int l = 0; l < grids->levels; l++) {
            float **each_of[] = {&cpu->u[p][l], &cpu->base[p][l], &cpu->keep[p][l]};
            float *finest[] = {NULL, cpu->flow->images[p], cpu->flow->keep[p]};
            for (int i = 0; i < (cpu->flow->keep[p] ? 3 : 2); i++) {
                const bool there = l == 0 && finest[i];
                *each_of[i] = there ? finest[i] : next;
                next += there ? 0 : grids->grid[l].floats;
            }
        }
    cpu->counts = cpu->flow->keep[0] ? (uint8_t *)next : NULL;
    return true;
}

static void lead(struct thread_team *team, void *data)
{
    struct flow_cpu *cpu = data;
    cpu->team = team;
    cpu->cycle.team = team;
    for (int p = 0; p < 2; p++) {
        make_pyramid(cpu, cpu->base[p]);
        if (cpu->keep[p][0]) {
            make_pyramid(cpu, cpu->keep[p]);
            keep_whole(cpu, cpu->keep[p]);
        }
    }
    if (!flow_cpu_stopped(cpu))
        flow_run(cpu->flow);
    flow_cpu_stopped(cpu); /* the last passes may have been left out */
}

ro_status flow_on_cpu(struct registration *flow, const ro_image *field, ro_report *ran)
{
    ro_context *context = flow->context;
    struct flow_cpu *cpu = calloc(1, sizeof *cpu);
    ro_status status = RO_E_MEMORY;
    if (!cpu)
        goto done;
    cpu->flow = flow;
    cpu->kernels = flow_kernels_for(context->cpu);
    cpu->lines = smooth_kernels_for(context->cpu);
    cpu->cycle = (struct multigrid_cycle){.grids = &flow->grids,
                                          .kernels = grid_kernels_for(context->cpu),
                                          .context = context,
                                          .planes = 2};
    if (!allocate(cpu, context->threads))
        goto done;
    flow->backend = &backend;
    flow->data = cpu;
    team_open(context->pool, context->threads, lead, cpu);
    status = flow->status;
    for (int y = 0; y < flow->size[1].height && status == RO_OK; y++) {
        float *to = (float *)(void *)((char *)field->data + (ptrdiff_t)y * field->stride);
        size_t at = grid_at(&flow->grids.grid[0], y);
        if (ro_context_cancelled(context))
            status = ro_context_fail(context, RO_E_CANCELLED, "cancelled");
        for (int x = 0; x < flow->size[1].width; x++) {
            to[2 * x] = cpu->u[0][0][at + (size_t)x];
            to[2 * x + 1] = cpu->u[1][0][at + (size_t)x];
        }
    }
    *ran = (ro_report){.schedule = "rows",
                       .device = RO_DEVICE_CPU,
                       .cpu = cpu->kernels->cpu,
                       .threads = context->threads};
done:
    if (status == RO_E_MEMORY)
        ro_context_fail(context, status, "no memory to register %d x %d pixels", flow->width,
                        flow->height);
    if (cpu)
        free(cpu->memory);
    free(cpu);
    return status;
}
