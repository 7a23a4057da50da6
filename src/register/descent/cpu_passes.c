/* SPDX-License-Identifier: MIT */
/* Passes of an update on the CPU, shared out among a team of threads. */
#include "register/descent/cpu.h"

#include <string.h>

struct evaluation {
    struct flow_cpu *cpu;
    float tau, g_scale, d_scale;
};

static void gradient_pass(void *data, int part, int parts)
{
    const struct evaluation *evaluation = data;
    struct flow_cpu *cpu = evaluation->cpu;
    const struct solver_grid *grid = grid_of(cpu);
    const struct descent_rows rows = flow_cpu_rows(cpu);
    struct match_sums sums = {0};
    int from, to;
    team_share(grid->height, part, parts, &from, &to);
    for (int y = from; y < to && goes_on(cpu); y++) {
        size_t at = grid_at(grid, y);
        cpu->kernels->gradient(&rows, y, evaluation->tau, cpu->u[0][cpu->level] + at,
                               cpu->u[1][cpu->level] + at, cpu->d[0] + at, cpu->d[1] + at,
                               cpu->image[1] + at, cpu->g[0] + at, cpu->g[1] + at, &sums);
    }
    cpu->sums[part] = sums;
}

static void gradient(struct registration *flow, float tau, struct match_sums *sums)
{
    struct flow_cpu *cpu = flow->data;
    struct evaluation evaluation = {.cpu = cpu, .tau = tau};
    memset(cpu->sums, 0, sizeof *cpu->sums * (size_t)team_size(cpu->team));
    flow_cpu_pass(cpu, gradient_pass, &evaluation);
    for (int i = 0; i < team_size(cpu->team); i++) {
        sums->energy += cpu->sums[i].energy;
        sums->count += cpu->sums[i].count;
        sums->peak = cpu->sums[i].peak > sums->peak ? cpu->sums[i].peak : sums->peak;
    }
}

void flow_cpu_peak_row(void *data, int share, int plane, int y, float *row)
{
    struct flow_cpu *cpu = data;
    const float peak = cpu->kernels->peak(grid_of(cpu)->width, row);
    (void)plane;
    (void)y;
    if (peak > cpu->sums[share].peak)
        cpu->sums[share].peak = peak;
}

float flow_cpu_peak(const struct flow_cpu *cpu)
{
    float peak = 0;
    for (int i = 0; i < team_size(cpu->team); i++)
        peak = cpu->sums[i].peak > peak ? cpu->sums[i].peak : peak;
    return peak;
}

static float direction(struct registration *flow)
{
    struct flow_cpu *cpu = flow->data;
    const struct field_filter *filter = &cpu->scale->gradient;
    memset(cpu->sums, 0, sizeof *cpu->sums * (size_t)team_size(cpu->team));
    if (flow->constants.cycles == 1)
        flow_cpu_smooth(cpu, filter, cpu->g, cpu->d, flow_cpu_peak_row);
    else
        flow_cpu_smooth_twice(cpu, filter, cpu->g, cpu->d, flow_cpu_peak_row);
    return flow_cpu_peak(cpu);
}

static void products_pass(void *data, int part, int parts)
{
    const struct evaluation *evaluation = data;
    struct flow_cpu *cpu = evaluation->cpu;
    const struct solver_grid *grid = grid_of(cpu);
    struct match_products products = {0};
    int from, to;
    team_share(grid->height, part, parts, &from, &to);
    for (int y = from; y < to && goes_on(cpu); y++) {
        size_t at = grid_at(grid, y);
        cpu->kernels->products(grid->width, evaluation->g_scale, evaluation->d_scale,
                               cpu->g[0] + at, cpu->g[1] + at, cpu->d[0] + at, cpu->d[1] + at,
                               &products);
    }
    cpu->products[part] = products;
}

static void products(struct registration *flow, float g_scale, float d_scale,
                     struct match_products *sums)
{
    struct flow_cpu *cpu = flow->data;
    struct evaluation evaluation = {.cpu = cpu, .g_scale = g_scale, .d_scale = d_scale};
    memset(cpu->products, 0, sizeof *cpu->products * (size_t)team_size(cpu->team));
    flow_cpu_pass(cpu, products_pass, &evaluation);
    for (int i = 0; i < team_size(cpu->team); i++) {
        sums->slope += cpu->products[i].slope;
        sums->square += cpu->products[i].square;
    }
}

void flow_cpu_probe(struct registration *flow, float tau, struct descent_probe *probe)
{
    gradient(flow, tau, &probe->sums);
    if (!(probe->sums.peak > RO_LEAST_PEAK))
        return;
    probe->peak = direction(flow);
    products(flow, scale_to(probe->sums.peak, RO_GRADIENT_BITS),
             scale_to(probe->peak, RO_DIRECTION_BITS), &probe->products);
}

static void energy_pass(void *data, int part, int parts)
{
    const struct evaluation *evaluation = data;
    struct flow_cpu *cpu = evaluation->cpu;
    const struct solver_grid *grid = grid_of(cpu);
    const struct descent_rows rows = flow_cpu_rows(cpu);
    int from, to;
    int64_t energy = 0;
    team_share(grid->height, part, parts, &from, &to);
    for (int y = from; y < to && goes_on(cpu); y++) {
        size_t at = grid_at(grid, y);
        energy += cpu->kernels->energy(&rows, y, evaluation->tau, cpu->u[0][cpu->level] + at,
                                       cpu->u[1][cpu->level] + at, cpu->d[0] + at, cpu->d[1] + at,
                                       cpu->image[1] + at);
    }
    cpu->sums[part].energy = energy;
}

int64_t flow_cpu_energy(struct registration *flow, float tau)
{
    struct flow_cpu *cpu = flow->data;
    struct evaluation evaluation = {.cpu = cpu, .tau = tau};
    int64_t sum = 0;
    memset(cpu->sums, 0, sizeof *cpu->sums * (size_t)team_size(cpu->team));
    flow_cpu_pass(cpu, energy_pass, &evaluation);
    for (int i = 0; i < team_size(cpu->team); i++)
        sum += cpu->sums[i].energy;
    return sum;
}

static void update_pass(void *data, int part, int parts)
{
    const struct evaluation *evaluation = data;
    struct flow_cpu *cpu = evaluation->cpu;
    const struct solver_grid *grid = grid_of(cpu);
    const struct descent_rows rows = flow_cpu_rows(cpu);
    int from, to;
    team_share(grid->height, part, parts, &from, &to);
    for (int y = from; y < to && goes_on(cpu); y++) {
        size_t at = grid_at(grid, y);
        cpu->kernels->update(&rows, evaluation->tau, cpu->u[0][cpu->level] + at,
                             cpu->u[1][cpu->level] + at, cpu->d[0] + at, cpu->d[1] + at);
    }
}

void flow_cpu_update(struct registration *flow, float tau)
{
    struct evaluation evaluation = {.cpu = flow->data, .tau = tau};
    flow_cpu_pass(evaluation.cpu, update_pass, &evaluation);
}
