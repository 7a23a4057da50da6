/* SPDX-License-Identifier: MIT */
/* The images of a scale on the CPU, what directions are weighed by, and how far the images agree.
 */
#include "register/descent/cpu.h"

#include "context/context.h"

#include <string.h>

bool flow_cpu_stopped(struct flow_cpu *cpu)
{
    struct registration *flow = cpu->flow;
    if (flow->status == RO_OK && ro_context_cancelled(flow->context))
        flow->status = ro_context_fail(flow->context, RO_E_CANCELLED, "cancelled");
    return flow->status != RO_OK;
}

void flow_cpu_pass(struct flow_cpu *cpu, pass_task_fn *pass, void *data)
{
    if (!flow_cpu_stopped(cpu))
        team_pass(cpu->team, work_of(cpu), pass, data);
}

struct descent_rows flow_cpu_rows(const struct flow_cpu *cpu)
{
    const struct solver_grid *grid = grid_of(cpu);
    const float *seen = cpu->keep[0][cpu->level], *kept = cpu->keep[1][cpu->level];
    return (struct descent_rows){.width = grid->width,
                                 .height = grid->height,
                                 .stride = grid->stride,
                                 .moving = cpu->image[0] + RO_GRID_MARGIN,
                                 .end = cpu->flow->ends[cpu->level],
                                 .masked = cpu->flow->masked,
                                 .seen = seen ? seen + RO_GRID_MARGIN : NULL,
                                 .kept = kept ? kept + RO_GRID_MARGIN : NULL,
                                 .round = cpu->flow->round,
                                 .counts = cpu->counts};
}

/* ---- Images of a scale ------------------------------------------------------------------------
 */

static void square_pass(void *data, int part, int parts)
{
    struct flow_cpu *cpu = data;
    const struct solver_grid *grid = grid_of(cpu);
    int from, to;
    team_share(grid->height, part, parts, &from, &to);
    for (int p = 0; p < 2; p++)
        for (int y = from; y < to && goes_on(cpu); y++)
            cpu->kernels->square(grid->width, cpu->image[p] + grid_at(grid, y),
                                 cpu->g[p] + grid_at(grid, y));
}

static void normalise_pass(void *data, int part, int parts)
{
    struct flow_cpu *cpu = data;
    const struct solver_grid *grid = grid_of(cpu);
    int from, to;
    team_share(grid->height, part, parts, &from, &to);
    for (int p = 0; p < 2; p++)
        for (int y = from; y < to && goes_on(cpu); y++) {
            size_t at = grid_at(grid, y);
            cpu->kernels->normalise(grid->width, cpu->scale->least, cpu->flow->sizes,
                                    cpu->image[p] + at, cpu->between[p] + at, cpu->d[p] + at,
                                    cpu->smooth[p] + at);
        }
}

/* ---- How the direction is weighed --------------------------------------------------------------
 * Where the fixed image is steep, differences tell more and their gradient is larger than it should
 * be: it is divided by the mean square of the slope round it, for each direction by itself. */

static void slopes_pass(void *data, int part, int parts)
{
    struct flow_cpu *cpu = data;
    const struct solver_grid *grid = grid_of(cpu);
    const struct descent_rows rows = flow_cpu_rows(cpu);
    const float *image = cpu->image[1];
    int from, to;
    team_share(grid->height, part, parts, &from, &to);
    for (int y = from; y < to && goes_on(cpu); y++) {
        size_t at = grid_at(grid, y);
        cpu->kernels->slopes(&rows, y, image + grid_at(grid, mirror_index(y - 1, grid->height)),
                             image + at, image + grid_at(grid, mirror_index(y + 1, grid->height)),
                             cpu->g[0] + at, cpu->g[1] + at);
    }
}

struct balancing {
    struct flow_cpu *cpu;
    float scale, mean, least;
};

static void total_pass(void *data, int part, int parts)
{
    const struct balancing *of = data;
    struct flow_cpu *cpu = of->cpu;
    const struct solver_grid *grid = grid_of(cpu);
    int from, to;
    int64_t sum = 0;
    team_share(grid->height, part, parts, &from, &to);
    for (int p = 0; p < 2; p++)
        for (int y = from; y < to && goes_on(cpu); y++)
            sum += cpu->kernels->total(grid->width, of->scale, cpu->balance[p] + grid_at(grid, y));
    cpu->sums[part].energy = sum;
}

static void balance_pass(void *data, int part, int parts)
{
    const struct balancing *of = data;
    const struct solver_grid *grid = grid_of(of->cpu);
    int from, to;
    team_share(grid->height, part, parts, &from, &to);
    for (int p = 0; p < 2; p++)
        for (int y = from; y < to && goes_on(of->cpu); y++)
            of->cpu->kernels->balance(grid->width, of->mean, of->least,
                                      of->cpu->balance[p] + grid_at(grid, y));
}

static void balance(struct flow_cpu *cpu)
{
    struct balancing of = {.cpu = cpu};
    int64_t sum = 0;
    flow_cpu_pass(cpu, slopes_pass, cpu);
    memset(cpu->sums, 0, sizeof *cpu->sums * (size_t)team_size(cpu->team));
    flow_cpu_smooth(cpu, &cpu->scale->gradient, cpu->g, cpu->balance, flow_cpu_peak_row);
    of.scale = scale_to(flow_cpu_peak(cpu), RO_SLOPE_BITS);
    flow_cpu_pass(cpu, total_pass, &of);
    for (int i = 0; i < team_size(cpu->team); i++)
        sum += cpu->sums[i].energy;
    of.mean = mean_slope(of.scale, sum, (double)grid_of(cpu)->width * grid_of(cpu)->height);
    of.least = RO_LEAST_SLOPE * of.mean;
    flow_cpu_pass(cpu, balance_pass, &of);
}

void flow_cpu_begin(struct registration *flow, const struct scale_plan *scale)
{
    struct flow_cpu *cpu = flow->data;
    cpu->level = scale->level;
    cpu->scale = scale;
    float *base[2] = {cpu->base[0][cpu->level], cpu->base[1][cpu->level]};
    if (scale->epsilon > 0)
        flow_cpu_smooth(cpu, &scale->image, base, cpu->smooth, NULL);
    for (int p = 0; p < 2; p++)
        cpu->image[p] = scale->epsilon > 0 ? cpu->smooth[p] : base[p];
    if (flow->normalised) {
        float *image[2] = {(float *)cpu->image[0], (float *)cpu->image[1]};
        flow_cpu_pass(cpu, square_pass, cpu);
        flow_cpu_smooth(cpu, &scale->window, cpu->g, cpu->d, NULL);
        flow_cpu_smooth(cpu, &scale->window, image, cpu->between, NULL);
        flow_cpu_pass(cpu, normalise_pass, cpu);
        cpu->image[0] = cpu->smooth[0];
        cpu->image[1] = cpu->smooth[1];
    }
    if (flow->balanced)
        balance(cpu);
}

/* ---- How far the images agree -------------------------------------------------------------------
 */

static void agree_pass(void *data, int part, int parts)
{
    struct flow_cpu *cpu = data;
    const struct solver_grid *grid = grid_of(cpu);
    struct descent_rows rows = flow_cpu_rows(cpu);
    struct match_agreement sums = {0};
    const int width = cpu->flow->width / RO_BLOCK * RO_BLOCK;
    int32_t *line =
        (int32_t *)(void *)(cpu->cycle.scratch + cpu->cycle.scratch_floats * (size_t)part);
    int32_t *moving = line, *fixed = line + grid->stride, *count = fixed + grid->stride;
    int from, to;
    rows.moving = cpu->base[0][0] + RO_GRID_MARGIN;
    team_share(cpu->flow->height / RO_BLOCK, part, parts, &from, &to);
    for (int block = from; block < to && goes_on(cpu); block++) {
        memset(line, 0, 3 * (size_t)grid->stride * sizeof *line);
        for (int y = RO_BLOCK * block; y < RO_BLOCK * (block + 1); y++) {
            size_t at = grid_at(grid, y);
            cpu->kernels->tones(&rows, y, cpu->u[0][0] + at, cpu->u[1][0] + at,
                                cpu->base[1][0] + at, moving, fixed, count);
        }
        for (int x = 0; x < width; x += RO_BLOCK)
            flow_agree(moving + x, fixed + x, count + x, &sums);
    }
    cpu->agreements[part] = sums;
}

void flow_cpu_agree(struct registration *flow, struct match_agreement *sums)
{
    struct flow_cpu *cpu = flow->data;
    *sums = (struct match_agreement){0};
    memset(cpu->agreements, 0, sizeof *cpu->agreements * (size_t)team_size(cpu->team));
    flow_cpu_pass(cpu, agree_pass, cpu);
    for (int i = 0; i < team_size(cpu->team); i++) {
        const struct match_agreement *add = &cpu->agreements[i];
        sums->blocks += add->blocks;
        sums->moving += add->moving;
        sums->fixed += add->fixed;
        sums->moving_square += add->moving_square;
        sums->fixed_square += add->fixed_square;
        sums->product += add->product;
    }
}
