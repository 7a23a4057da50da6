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

/* Whether the energy fell by less than a share of it. */
static bool fell_little(int64_t before, int64_t after, double share)
{
    return (double)(before - after) < share * (double)before;
}

/* All updates of a scale; *tau is the last length, and the first to try. False where they, on the
 * finest grid, gained so little that a finer scale would follow noise only. */
static bool descend(struct ro_flow *flow, int k, double *tau)
{
    /* of an update, of a scale; the noise's share of the energy cannot fall */
    const double loud = 64 * flow->noise, little_share = 0.004 / (1 + loud * loud);
    const double nothing_share = little_share / 2;
    enum { MOST_LITTLE = 2 };
    enum { LONGEST = 4, LEAST_SHARE = 4 }; /* nodes that one update may move by; see below */
    const struct ro_scale_plan *scale = &flow->scale[k];
    const struct ro_grid *grid = &flow->grids.grid[scale->level];
    const double pixels = ((double)flow->ends[scale->level].right + 1) *
                          ((double)flow->ends[scale->level].bottom + 1);
    double pending = 0;
    int64_t first = 0, last = 0;
    int little = 0; /* updates in a row that gained little */
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
        first = n == 0 ? probe.sums.energy : first;
        last = search.energy;
        little = fell_little(probe.sums.energy, last, little_share) ? little + 1 : 0;
        if (change < flow->options.tolerance || (flow->automatic && little == MOST_LITTLE))
            break;
    }
    if (pending > 0)
        flow->backend->update(flow, (float)pending);
    return scale->level > 0 || !flow->automatic || !fell_little(first, last, nothing_share);
}

/* ---- Agreement --------------------------------------------------------------------
 */

void ro_flow_agree(const int32_t *moving, const int32_t *fixed, const int32_t *count,
                   struct ro_agreement *sums)
{
    int64_t t = 0, r = 0, n = 0;
    for (int i = 0; i < RO_BLOCK; i++) {
        t += moving[i];
        r += fixed[i];
        n += count[i];
    }
    if (n < RO_BLOCK * RO_BLOCK)
        return;
    sums->blocks++;
    sums->moving += t;
    sums->fixed += r;
    sums->moving_square += t * t;
    sums->fixed_square += r * r;
    sums->product += t * r;
}

double ro_flow_disagreement(const struct ro_flow *flow, const struct ro_agreement *sums)
{
    const double blocks = (double)(flow->width / RO_BLOCK) * (flow->height / RO_BLOCK);
    const double n = (double)sums->blocks, t = (double)sums->moving, r = (double)sums->fixed;
    if (!(n >= 0.2 * blocks) || n < 2)
        return 2;
    const double tt = (double)sums->moving_square - t * t / n;
    const double rr = (double)sums->fixed_square - r * r / n;
    const double c = tt > 0 && rr > 0 ? ((double)sums->product - t * r / n) / sqrt(tt * rr) : -1;
    return 1 - c * fabs(c);
}

bool ro_flow_astray(const struct ro_flow *flow)
{
    static const double most = 0.02; /* blocks that agree worse differ by more than noise */
    const double reached = ro_flow_disagreement(flow, &flow->reached);
    const double ended = ro_flow_disagreement(flow, &flow->ended);
    return !flow->negative && ended > reached && ended < most;
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
            if (level == 1 && flow->automatic)
                flow->backend->agree(flow, &flow->reached);
        }
        flow->backend->begin(flow, &flow->scale[k]);
        const bool goes_on = descend(flow, k, &tau);
        if (flow->status == RO_OK)
            flow->status =
                ro_context_progress(flow->context, "register", pow((k + 1.0) / flow->scales, 3));
        if (flow->watched && level == 0 && flow->status == RO_OK)
            flow->backend->agree(flow, &flow->ended);
        if (!goes_on || (flow->watched && level == 0 && ro_flow_astray(flow)))
            break;
    }
    for (; level > 0 && flow->status == RO_OK; level--)
        flow->backend->refine(flow, level - 1);
    if (flow->automatic && flow->status == RO_OK)
        flow->backend->agree(flow, &flow->ended);
}
