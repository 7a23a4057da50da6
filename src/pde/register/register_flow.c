/* SPDX-License-Identifier: MIT */
/*
 * The three nested loops of the registration (Eq. 2.83), whatever back end touches the pixels.
 *
 * An update is applied when the next gradient is taken, in the same pass over the pixels; the last
 * one of a scale by a pass of its own.
 */
#include "context/context.h"
#include "pde/register/register.h"

#include <math.h>

static const double ARMIJO = 0.25;

struct search {
    double tau, slope; /* slope: of the energy along d, in its units, for tau = 1 */
    int64_t energy;    /* at tau */
    uint32_t trials;
};

static bool falls_enough(int64_t before, int64_t after, double tau, double slope)
{
    return 0.5 * (double)(before - after) >= ARMIJO * tau * slope;
}

/* From the last length on: doubled while that is better, else halved until Armijo's rule holds. */
static bool find_length(struct ro_flow *flow, int64_t before, double longest, struct search *search)
{
    const uint32_t most = flow->options.trials;
    double tau = search->tau < longest ? search->tau : longest;
    search->trials = 1;
    int64_t energy = flow->backend->energy(flow, (float)tau);
    if (falls_enough(before, energy, tau, search->slope)) {
        while (search->trials < most && 2 * tau <= longest) {
            int64_t further = flow->backend->energy(flow, (float)(2 * tau));
            search->trials++;
            if (further >= energy || !falls_enough(before, further, 2 * tau, search->slope))
                break;
            tau *= 2;
            energy = further;
        }
    } else {
        do {
            if (search->trials >= most)
                return false;
            tau /= 2;
            energy = flow->backend->energy(flow, (float)tau);
            search->trials++;
        } while (!falls_enough(before, energy, tau, search->slope));
    }
    search->tau = tau;
    search->energy = energy;
    return true;
}

static void record(struct ro_flow *flow, int k, int64_t count, double change,
                   const struct search *search)
{
    const struct ro_scale_plan *scale = &flow->scale[k];
    const struct ro_grid *grid = &flow->grids.grid[scale->level];
    ro_register_report *report = &flow->report;
    report->updates[k]++;
    if (report->record)
        report->record[report->steps] = (ro_register_step){
            .scale = (uint32_t)k,
            .width = (uint32_t)grid->width,
            .height = (uint32_t)grid->height,
            .epsilon = scale->epsilon,
            .sigma = scale->sigma,
            .energy = 0.5 * ldexp((double)search->energy, -RO_ENERGY_BITS) / (double)count,
            .change = change,
            .trials = search->trials,
        };
    report->steps++;
}

/* The last scales take longest. */
static ro_status progress(struct ro_flow *flow, int k, double part)
{
    return ro_context_progress(flow->context, "register", pow((k + part) / flow->scales, 3));
}

/* All updates of a scale; *tau is the last length, and the first to try. */
static void descend(struct ro_flow *flow, int k, double *tau)
{
    enum { LONGEST = 4, LEAST_SHARE = 4 }; /* nodes that one update may move by; see below */
    const struct ro_scale_plan *scale = &flow->scale[k];
    const struct ro_grid *grid = &flow->grids.grid[scale->level];
    const double pixels = ((double)flow->ends[scale->level].right + 1) *
                          ((double)flow->ends[scale->level].bottom + 1);
    double pending = 0;
    for (uint32_t n = 0; n < flow->options.updates; n++) {
        struct ro_probe probe = {0};
        flow->backend->probe(flow, (float)pending, &probe);
        pending = 0;
        if (!(probe.peak > RO_LEAST_PEAK) || !isfinite(probe.peak) || flow->status != RO_OK)
            break;
        if (probe.sums.energy == 0)
            break; /* it cannot be less */
        if ((double)probe.sums.count * LEAST_SHARE < pixels)
            break; /* it has lost the image: what is left proves nothing */
        double d_scale = (double)ro_scale_to(probe.peak, RO_DIRECTION_BITS);
        double g_scale = (double)ro_scale_to(probe.sums.peak, RO_GRADIENT_BITS);
        struct search search = {.tau = *tau > 0 ? *tau : 1 / (double)probe.peak};
        search.slope = ldexp((double)probe.products.slope / g_scale / d_scale, RO_ENERGY_BITS);
        bool found = probe.products.slope > 0 &&
                     find_length(flow, probe.sums.energy, LONGEST / (double)probe.peak, &search);
        flow->report.trials += search.trials;
        if (!found || flow->status != RO_OK)
            break;
        *tau = search.tau;
        pending = search.tau;
        double change = search.tau * sqrt(4 * (double)probe.products.square / pixels) / d_scale;
        change *= sqrt(grid->hx * grid->hy);
        record(flow, k, probe.sums.count, change, &search);
        flow->status = progress(flow, k, (n + 1.0) / flow->options.updates);
        if (change < flow->options.tolerance)
            break;
    }
    if (pending > 0)
        flow->backend->update(flow, (float)pending);
}

void ro_flow_start_row(const struct ro_flow *flow, int level, int component, int y, float *row)
{
    const struct ro_grid *grid = &flow->grids.grid[level];
    const double *map = flow->report.start + 3 * component;
    for (int x = 0; x < grid->width; x++) {
        double px = x * grid->hx, py = y * grid->hy;
        double to = map[0] * px + map[1] * py + map[2];
        double nodes = component ? (to - py) / grid->hy : (to - px) / grid->hx;
        row[x] = ro_rounder_round(&flow->round, (float)nodes);
    }
    row[-1] = row[ro_mirror(-1, grid->width)];
    row[grid->width] = row[ro_mirror(grid->width, grid->width)];
}

void ro_flow_run(struct ro_flow *flow)
{
    double tau = 0;
    int level = flow->scale[0].level;
    flow->backend->start(flow, level);
    for (int k = 0; k < flow->scales && flow->status == RO_OK; k++) {
        for (; level > flow->scale[k].level; level--) {
            flow->backend->refine(flow, level - 1);
            tau *= 4; /* u counts nodes, twice as many, and gradients are half as steep */
        }
        flow->backend->begin(flow, &flow->scale[k]);
        descend(flow, k, &tau);
        if (flow->status == RO_OK)
            flow->status =
                ro_context_progress(flow->context, "register", pow((k + 1.0) / flow->scales, 3));
    }
    for (; level > 0 && flow->status == RO_OK; level--)
        flow->backend->refine(flow, level - 1);
}
