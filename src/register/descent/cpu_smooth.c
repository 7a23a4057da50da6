/* SPDX-License-Identifier: MIT */
/* Smoothing on the CPU: by a V-cycle, or along rows and columns. */
#include "register/descent/cpu.h"

/* ---- A V-cycle --------------------------------------------------------------------------------
 */

static void smooth_by_cycle(struct flow_cpu *cpu, const struct field_filter *filter,
                            float *const from[2], float *const to[2], flow_cpu_told *told)
{
    struct multigrid_cycle *cycle = &cpu->cycle;
    float *own[2][2];
    cycle->stencils = filter->stencils;
    cycle->inverse = filter->inverse;
    cycle->told = told;
    cycle->told_data = cpu;
    for (int p = 0; p < 2; p++) {
        own[p][0] = cycle->b[p][cpu->level];
        own[p][1] = cycle->up[p][cpu->level];
        cycle->b[p][cpu->level] = from[p];
        cycle->up[p][cpu->level] = to[p];
    }
    cycle_run(cycle, cpu->level, false);
    for (int p = 0; p < 2; p++) {
        cycle->b[p][cpu->level] = own[p][0];
        cycle->up[p][cpu->level] = own[p][1];
    }
}

/* ---- Rows and columns ---------------------------------------------------------------------------
 */

struct lines {
    struct flow_cpu *cpu;
    const struct field_filter *filter;
    float *const *from, *const *to; /* for each plane */
    float *const *weight;           /* of columns; or NULL */
    int times;
    flow_cpu_told *told;
};

static struct smooth_plane plane_of(const struct flow_cpu *cpu)
{
    const struct solver_grid *grid = grid_of(cpu);
    return (struct smooth_plane){grid->width, grid->height, grid->stride};
}

/* A part of so many groups of rows or columns, all of `size` but the last. */
static void share_groups(int count, int size, int part, int parts, int *from, int *to)
{
    team_share((count + size - 1) / size, part, parts, from, to);
    *from *= size;
    *to = *to * size < count ? *to * size : count;
}

static void rows_pass(void *data, int part, int parts)
{
    const struct lines *lines = data;
    struct flow_cpu *cpu = lines->cpu;
    const struct smooth_plane plane = plane_of(cpu);
    const int together = cpu->lines->together;
    float *scratch = cpu->cycle.scratch + cpu->cycle.scratch_floats * (size_t)part;
    int from, to;
    share_groups(plane.height, together, part, parts, &from, &to);
    for (int p = 0; p < 2; p++)
        for (int y = from; y < to && goes_on(cpu); y += together) {
            const int last = y + together < to ? y + together : to;
            cpu->lines->rows(&lines->filter->along, &plane, y, last,
                             lines->from[p] + RO_GRID_MARGIN, lines->to[p] + RO_GRID_MARGIN,
                             scratch);
            for (int i = y; lines->told && i < last; i++)
                lines->told(cpu, part, p, i, lines->to[p] + grid_at(grid_of(cpu), i));
        }
}

static void columns_pass(void *data, int part, int parts)
{
    const struct lines *lines = data;
    struct flow_cpu *cpu = lines->cpu;
    const struct smooth_plane plane = plane_of(cpu);
    int from, to;
    share_groups(plane.width, RO_SMOOTH_STRIP, part, parts, &from, &to);
    for (int p = 0; p < 2; p++)
        for (int x = from; x < to && goes_on(cpu); x += RO_SMOOTH_STRIP)
            cpu->lines->columns(&lines->filter->across, &plane, x,
                                x + RO_SMOOTH_STRIP < to ? x + RO_SMOOTH_STRIP : to, lines->times,
                                lines->weight ? lines->weight[p] + RO_GRID_MARGIN : NULL,
                                lines->to[p] + RO_GRID_MARGIN);
}

/* Rows that are finished: their ghosts, and whom it concerns. */
static void finish_pass(void *data, int part, int parts)
{
    const struct lines *lines = data;
    struct flow_cpu *cpu = lines->cpu;
    const struct solver_grid *grid = grid_of(cpu);
    int from, to;
    team_share(grid->height, part, parts, &from, &to);
    for (int p = 0; p < 2; p++)
        for (int y = from; y < to && goes_on(cpu); y++) {
            float *row = lines->to[p] + grid_at(grid, y);
            row[-1] = row[mirror_index(-1, grid->width)];
            row[grid->width] = row[mirror_index(grid->width, grid->width)];
            if (lines->told)
                lines->told(cpu, part, p, y, row);
        }
}

/* ---- Either -------------------------------------------------------------------------------------
 */

void flow_cpu_smooth(struct flow_cpu *cpu, const struct field_filter *filter, float *const from[2],
                     float *const to[2], flow_cpu_told *told)
{
    struct lines lines = {.cpu = cpu, .filter = filter, .from = from, .to = to, .times = 1};
    if (flow_cpu_stopped(cpu))
        return;
    if (!cpu->flow->by_lines) {
        smooth_by_cycle(cpu, filter, from, to, told);
        return;
    }
    flow_cpu_pass(cpu, rows_pass, &lines);
    flow_cpu_pass(cpu, columns_pass, &lines);
    lines.told = told;
    flow_cpu_pass(cpu, finish_pass, &lines);
}

static void weigh_row(void *data, int share, int plane, int y, float *row)
{
    struct flow_cpu *cpu = data;
    (void)share;
    cpu->kernels->weigh(grid_of(cpu)->width, cpu->balance[plane] + grid_at(grid_of(cpu), y), row);
}

void flow_cpu_smooth_twice(struct flow_cpu *cpu, const struct field_filter *filter,
                           float *const from[2], float *const to[2], flow_cpu_told *told)
{
    const bool weighed = cpu->flow->balanced;
    struct lines lines = {.cpu = cpu,
                          .filter = filter,
                          .from = from,
                          .to = cpu->between,
                          .weight = weighed ? cpu->balance : NULL,
                          .times = 2};
    if (flow_cpu_stopped(cpu))
        return;
    if (!cpu->flow->by_lines) {
        smooth_by_cycle(cpu, filter, from, cpu->between, weighed ? weigh_row : NULL);
        smooth_by_cycle(cpu, filter, cpu->between, to, told);
        return;
    }
    flow_cpu_pass(cpu, rows_pass, &lines);
    flow_cpu_pass(cpu, columns_pass, &lines);
    lines.from = cpu->between;
    lines.to = to;
    lines.told = told;
    flow_cpu_pass(cpu, rows_pass, &lines);
}
