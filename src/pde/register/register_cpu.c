/* SPDX-License-Identifier: MIT */
/* The registration's back end on the CPU: planes, and passes over them by a team of threads. */
#include "context/context.h"
#include "parallel/team.h"
#include "pde/register/register.h"

#include <stdlib.h>
#include <string.h>

struct cpu {
    struct ro_flow *flow;
    const struct ro_flow_kernels *kernels;
    struct ro_cycle cycle;
    struct ro_team *team;
    float *memory;
    float *base[2][RO_GRID_LEVELS]; /* the images on every grid: moving, fixed */
    float *u[2][RO_GRID_LEVELS];
    float *g[2], *d[2], *smooth[2], *normal[2]; /* of the present grid */
    const float *image[2];                      /* of the present scale */
    int level;
    const struct ro_scale_plan *scale;
    struct ro_sums sums[RO_MAX_THREADS];
    struct ro_products products[RO_MAX_THREADS];
};

static const struct ro_grid *grid_of(const struct cpu *cpu)
{
    return &cpu->flow->grids.grid[cpu->level];
}

static size_t work_of(const struct cpu *cpu) { return grid_of(cpu)->floats; }

/* ---- Images of a scale ---------------------------------------------------------------------- */

/* Smooths two planes; the cycle's own planes on the present grid are lent to it by the caller. */
static void smooth(struct cpu *cpu, const struct ro_filter *filter, float *const from[2],
                   float *const to[2])
{
    struct ro_cycle *cycle = &cpu->cycle;
    float *own[2][2];
    cycle->stencils = filter->stencils;
    cycle->inverse = filter->inverse;
    for (int p = 0; p < 2; p++) {
        own[p][0] = cycle->b[p][cpu->level];
        own[p][1] = cycle->up[p][cpu->level];
        cycle->b[p][cpu->level] = from[p];
        cycle->up[p][cpu->level] = to[p];
    }
    ro_cycle_run(cycle, cpu->level, false);
    for (int p = 0; p < 2; p++) {
        cycle->b[p][cpu->level] = own[p][0];
        cycle->up[p][cpu->level] = own[p][1];
    }
}

static void square_pass(void *data, int part, int parts)
{
    struct cpu *cpu = data;
    const struct ro_grid *grid = grid_of(cpu);
    int from, to;
    ro_team_share(grid->height, part, parts, &from, &to);
    for (int p = 0; p < 2; p++)
        for (int y = from; y < to; y++)
            cpu->kernels->square(grid->width, cpu->image[p] + ro_grid_at(grid, y),
                                 cpu->g[p] + ro_grid_at(grid, y));
}

static void normalise_pass(void *data, int part, int parts)
{
    struct cpu *cpu = data;
    const struct ro_grid *grid = grid_of(cpu);
    int from, to;
    ro_team_share(grid->height, part, parts, &from, &to);
    for (int p = 0; p < 2; p++)
        for (int y = from; y < to; y++) {
            size_t at = ro_grid_at(grid, y);
            cpu->kernels->normalise(grid->width, cpu->scale->least, cpu->image[p] + at,
                                    cpu->normal[p] + at, cpu->d[p] + at, cpu->normal[p] + at);
        }
}

static void begin(struct ro_flow *flow, const struct ro_scale_plan *scale)
{
    struct cpu *cpu = flow->data;
    cpu->level = scale->level;
    cpu->scale = scale;
    float *base[2] = {cpu->base[0][cpu->level], cpu->base[1][cpu->level]};
    if (scale->epsilon > 0)
        smooth(cpu, &scale->image, base, cpu->smooth);
    for (int p = 0; p < 2; p++)
        cpu->image[p] = scale->epsilon > 0 ? cpu->smooth[p] : base[p];
    if (!flow->normalised)
        return;
    float *image[2] = {(float *)cpu->image[0], (float *)cpu->image[1]};
    smooth(cpu, &scale->window, image, cpu->normal);
    ro_team_pass(cpu->team, work_of(cpu), square_pass, cpu);
    smooth(cpu, &scale->window, cpu->g, cpu->d);
    ro_team_pass(cpu->team, work_of(cpu), normalise_pass, cpu);
    cpu->image[0] = cpu->normal[0];
    cpu->image[1] = cpu->normal[1];
}

/* ---- The displacement ----------------------------------------------------------------------- */

static void start(struct ro_flow *flow, int level)
{
    struct cpu *cpu = flow->data;
    const struct ro_grid *grid = &flow->grids.grid[level];
    for (int y = 0; y < grid->height; y++)
        for (int p = 0; p < 2; p++)
            ro_flow_start_row(flow, level, p, y, cpu->u[p][level] + ro_grid_at(grid, y));
}

static void refine_pass(void *data, int part, int parts)
{
    struct cpu *cpu = data;
    const struct ro_grid *fine = &cpu->flow->grids.grid[cpu->level], *coarse = fine + 1;
    float *line = cpu->cycle.scratch + cpu->cycle.scratch_floats * (size_t)part + RO_GRID_MARGIN;
    const float by[2] = {(float)(coarse->hx / fine->hx), (float)(coarse->hy / fine->hy)};
    int from, to;
    ro_team_share(fine->height, part, parts, &from, &to);
    for (int p = 0; p < 2; p++)
        for (int y = from; y < to; y++) {
            int low = fine->y.low[y], high = low + 1 < coarse->height ? low + 1 : low;
            const float *u = cpu->u[p][cpu->level + 1];
            float *out = cpu->u[p][cpu->level] + ro_grid_at(fine, y);
            cpu->cycle.kernels->prolong_row(&fine->x, u + ro_grid_at(coarse, low),
                                            u + ro_grid_at(coarse, high), fine->y.part[y], NULL,
                                            line, out);
            cpu->kernels->rescale(&cpu->flow->round, fine->width, by[p], out);
        }
}

static void refine(struct ro_flow *flow, int level)
{
    struct cpu *cpu = flow->data;
    const struct ro_grid *coarse = &flow->grids.grid[level + 1];
    for (int p = 0; p < 2; p++) /* updates leave the ghosts behind */
        for (int y = 0; y < coarse->height; y++) {
            float *row = cpu->u[p][level + 1] + ro_grid_at(coarse, y);
            row[coarse->width] = row[ro_mirror(coarse->width, coarse->width)];
        }
    cpu->level = level;
    ro_team_pass(cpu->team, work_of(cpu), refine_pass, cpu);
}

/* ---- Passes of an update -------------------------------------------------------------------- */

static struct ro_flow_rows rows_of(const struct cpu *cpu)
{
    const struct ro_grid *grid = grid_of(cpu);
    return (struct ro_flow_rows){.width = grid->width,
                                 .height = grid->height,
                                 .stride = grid->stride,
                                 .moving = cpu->image[0] + RO_GRID_MARGIN,
                                 .end = cpu->flow->ends[cpu->level],
                                 .masked = cpu->flow->masked,
                                 .round = cpu->flow->round};
}

struct evaluation {
    struct cpu *cpu;
    float tau, g_scale, d_scale;
};

static void gradient_pass(void *data, int part, int parts)
{
    const struct evaluation *evaluation = data;
    struct cpu *cpu = evaluation->cpu;
    const struct ro_grid *grid = grid_of(cpu);
    const struct ro_flow_rows rows = rows_of(cpu);
    struct ro_sums sums = {0};
    int from, to;
    ro_team_share(grid->height, part, parts, &from, &to);
    for (int y = from; y < to; y++) {
        size_t at = ro_grid_at(grid, y);
        cpu->kernels->gradient(&rows, y, evaluation->tau, cpu->u[0][cpu->level] + at,
                               cpu->u[1][cpu->level] + at, cpu->d[0] + at, cpu->d[1] + at,
                               cpu->image[1] + at, cpu->g[0] + at, cpu->g[1] + at, &sums);
    }
    cpu->sums[part] = sums;
}

static void gradient(struct ro_flow *flow, float tau, struct ro_sums *sums)
{
    struct cpu *cpu = flow->data;
    struct evaluation evaluation = {.cpu = cpu, .tau = tau};
    memset(cpu->sums, 0, sizeof *cpu->sums * (size_t)ro_team_size(cpu->team));
    ro_team_pass(cpu->team, work_of(cpu), gradient_pass, &evaluation);
    for (int i = 0; i < ro_team_size(cpu->team); i++) {
        sums->energy += cpu->sums[i].energy;
        sums->count += cpu->sums[i].count;
        sums->peak = cpu->sums[i].peak > sums->peak ? cpu->sums[i].peak : sums->peak;
    }
}

static void peak_pass(void *data, int part, int parts)
{
    struct cpu *cpu = data;
    const struct ro_grid *grid = grid_of(cpu);
    int from, to;
    ro_team_share(grid->height, part, parts, &from, &to);
    float peak = 0;
    for (int y = from; y < to; y++) {
        size_t at = ro_grid_at(grid, y);
        float row = cpu->kernels->peak(grid->width, cpu->d[0] + at, cpu->d[1] + at);
        peak = row > peak ? row : peak;
    }
    cpu->sums[part].peak = peak;
}

static float direction(struct ro_flow *flow)
{
    struct cpu *cpu = flow->data;
    float peak = 0;
    float *between[2] = {cpu->cycle.up[0][cpu->level], cpu->cycle.up[1][cpu->level]};
    if (flow->options.smooth == 1) {
        smooth(cpu, &cpu->scale->gradient, cpu->g, cpu->d);
    } else {
        smooth(cpu, &cpu->scale->gradient, cpu->g, between);
        smooth(cpu, &cpu->scale->gradient, between, cpu->d);
    }
    memset(cpu->sums, 0, sizeof *cpu->sums * (size_t)ro_team_size(cpu->team));
    ro_team_pass(cpu->team, work_of(cpu), peak_pass, cpu);
    for (int i = 0; i < ro_team_size(cpu->team); i++)
        peak = cpu->sums[i].peak > peak ? cpu->sums[i].peak : peak;
    return peak;
}

static void products_pass(void *data, int part, int parts)
{
    const struct evaluation *evaluation = data;
    struct cpu *cpu = evaluation->cpu;
    const struct ro_grid *grid = grid_of(cpu);
    struct ro_products products = {0};
    int from, to;
    ro_team_share(grid->height, part, parts, &from, &to);
    for (int y = from; y < to; y++) {
        size_t at = ro_grid_at(grid, y);
        cpu->kernels->products(grid->width, evaluation->g_scale, evaluation->d_scale,
                               cpu->g[0] + at, cpu->g[1] + at, cpu->d[0] + at, cpu->d[1] + at,
                               &products);
    }
    cpu->products[part] = products;
}

static void products(struct ro_flow *flow, float g_scale, float d_scale, struct ro_products *sums)
{
    struct cpu *cpu = flow->data;
    struct evaluation evaluation = {.cpu = cpu, .g_scale = g_scale, .d_scale = d_scale};
    memset(cpu->products, 0, sizeof *cpu->products * (size_t)ro_team_size(cpu->team));
    ro_team_pass(cpu->team, work_of(cpu), products_pass, &evaluation);
    for (int i = 0; i < ro_team_size(cpu->team); i++) {
        sums->slope += cpu->products[i].slope;
        sums->square += cpu->products[i].square;
    }
}

static void probe(struct ro_flow *flow, float tau, struct ro_probe *probe)
{
    gradient(flow, tau, &probe->sums);
    if (!(probe->sums.peak > RO_LEAST_PEAK))
        return;
    probe->peak = direction(flow);
    products(flow, ro_scale_to(probe->sums.peak, RO_GRADIENT_BITS),
             ro_scale_to(probe->peak, RO_DIRECTION_BITS), &probe->products);
}

static void energy_pass(void *data, int part, int parts)
{
    const struct evaluation *evaluation = data;
    struct cpu *cpu = evaluation->cpu;
    const struct ro_grid *grid = grid_of(cpu);
    const struct ro_flow_rows rows = rows_of(cpu);
    int from, to;
    int64_t energy = 0;
    ro_team_share(grid->height, part, parts, &from, &to);
    for (int y = from; y < to; y++) {
        size_t at = ro_grid_at(grid, y);
        energy += cpu->kernels->energy(&rows, y, evaluation->tau, cpu->u[0][cpu->level] + at,
                                       cpu->u[1][cpu->level] + at, cpu->d[0] + at, cpu->d[1] + at,
                                       cpu->image[1] + at);
    }
    cpu->sums[part].energy = energy;
}

static int64_t energy(struct ro_flow *flow, float tau)
{
    struct cpu *cpu = flow->data;
    struct evaluation evaluation = {.cpu = cpu, .tau = tau};
    int64_t sum = 0;
    memset(cpu->sums, 0, sizeof *cpu->sums * (size_t)ro_team_size(cpu->team));
    ro_team_pass(cpu->team, work_of(cpu), energy_pass, &evaluation);
    for (int i = 0; i < ro_team_size(cpu->team); i++)
        sum += cpu->sums[i].energy;
    return sum;
}

static void update_pass(void *data, int part, int parts)
{
    const struct evaluation *evaluation = data;
    struct cpu *cpu = evaluation->cpu;
    const struct ro_grid *grid = grid_of(cpu);
    const struct ro_flow_rows rows = rows_of(cpu);
    int from, to;
    ro_team_share(grid->height, part, parts, &from, &to);
    for (int y = from; y < to; y++) {
        size_t at = ro_grid_at(grid, y);
        cpu->kernels->update(&rows, evaluation->tau, cpu->u[0][cpu->level] + at,
                             cpu->u[1][cpu->level] + at, cpu->d[0] + at, cpu->d[1] + at);
    }
}

static void update(struct ro_flow *flow, float tau)
{
    struct evaluation evaluation = {.cpu = flow->data, .tau = tau};
    ro_team_pass(evaluation.cpu->team, work_of(evaluation.cpu), update_pass, &evaluation);
}

static const struct ro_flow_backend backend = {
    .begin = begin,
    .start = start,
    .refine = refine,
    .probe = probe,
    .energy = energy,
    .update = update,
};

/* ---- Opening and closing -------------------------------------------------------------------- */

/* Both images on all grids. */
static void make_pyramid(struct cpu *cpu)
{
    const struct ro_multigrid *grids = &cpu->flow->grids;
    float *line = cpu->cycle.scratch + RO_GRID_MARGIN;
    for (int p = 0; p < 2; p++)
        for (int l = 0; l + 1 < grids->levels; l++) {
            const struct ro_grid *fine = &grids->grid[l], *coarse = fine + 1;
            for (int y = 0; y < coarse->height; y++) {
                const float *rows[4];
                float weights[4];
                for (int k = 0; k < 4; k++) {
                    weights[k] = fine->y.weight[k][y];
                    int at = ro_mirror(fine->y.first[y] + k, fine->height);
                    rows[k] = cpu->base[p][l] + ro_grid_at(fine, at);
                }
                cpu->cycle.kernels->restrict_row(&fine->x, rows, weights, line,
                                                 cpu->base[p][l + 1] + ro_grid_at(coarse, y));
            }
        }
}

static bool allocate(struct cpu *cpu, int threads)
{
    const struct ro_multigrid *grids = &cpu->flow->grids;
    const size_t plane = grids->grid[0].floats;
    size_t floats = ro_cycle_floats(grids, 2, threads);
    const size_t own = cpu->flow->normalised ? 8 : 6;
    floats += plane * own;
    for (int l = 0; l < grids->levels; l++)
        floats += grids->grid[l].floats * 4;
    cpu->memory = aligned_alloc(64, floats * sizeof(float));
    if (!cpu->memory)
        return false;
    ro_cycle_place(&cpu->cycle, cpu->memory, threads);
    float *next = cpu->memory + ro_cycle_floats(grids, 2, threads);
    float **planes[] = {&cpu->g[0],      &cpu->g[1],      &cpu->d[0],      &cpu->d[1],
                        &cpu->smooth[0], &cpu->smooth[1], &cpu->normal[0], &cpu->normal[1]};
    for (size_t i = 0; i < own; i++, next += plane)
        *planes[i] = next;
    for (int p = 0; p < 2; p++)
        for (int l = 0; l < grids->levels; l++) {
            cpu->base[p][l] = next;
            next += grids->grid[l].floats;
            cpu->u[p][l] = next;
            next += grids->grid[l].floats;
        }
    for (int p = 0; p < 2; p++)
        memcpy(cpu->base[p][0], cpu->flow->images[p], grids->grid[0].floats * sizeof(float));
    return true;
}

static void lead(struct ro_team *team, void *data)
{
    struct cpu *cpu = data;
    cpu->team = team;
    cpu->cycle.team = team;
    make_pyramid(cpu);
    ro_flow_run(cpu->flow);
}

ro_status ro_flow_on_cpu(struct ro_flow *flow, const ro_image *field, ro_report *ran)
{
    ro_context *context = flow->context;
    struct cpu *cpu = calloc(1, sizeof *cpu);
    ro_status status = RO_E_MEMORY;
    if (!cpu)
        goto done;
    cpu->flow = flow;
    cpu->kernels = ro_flow_kernels_for(context->cpu);
    cpu->cycle = (struct ro_cycle){
        .grids = &flow->grids, .kernels = ro_grid_kernels_for(context->cpu), .planes = 2};
    if (!allocate(cpu, context->threads))
        goto done;
    flow->backend = &backend;
    flow->data = cpu;
    ro_team_open(context->pool, context->threads, lead, cpu);
    status = flow->status;
    for (int y = 0; y < flow->height && status == RO_OK; y++) {
        float *to = (float *)(void *)((char *)field->data + (ptrdiff_t)y * field->stride);
        size_t at = ro_grid_at(&flow->grids.grid[0], y);
        for (int x = 0; x < flow->width; x++) {
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
