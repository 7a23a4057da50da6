/* SPDX-License-Identifier: MIT */
/*
 * The three nested loops of the registration (Eq. 2.83), whatever back end touches the pixels.
 *
 * An update is applied when the next gradient is taken, in the same pass over the pixels; the last
 * one of a scale by a pass of its own.
 */
#include "context/context.h"
#include "register/descent/descent.h"
#include "register/register.h"

#include <math.h>

static void record(struct registration *flow, int k, const struct descent_step *step)
{
    const struct scale_plan *scale = &flow->scale[k];
    const struct solver_grid *grid = &flow->grids.grid[scale->level];
    ro_register_report *report = &flow->report;
    report->updates[k]++;
    if (report->record)
        report->record[report->steps] = (ro_register_step){
            .scale = (uint32_t)k,
            .width = (uint32_t)grid->width,
            .height = (uint32_t)grid->height,
            .epsilon = scale->epsilon,
            .sigma = scale->sigma,
            .energy = 0.5 * ldexp((double)step->energy, -RO_ENERGY_BITS) / (double)step->count,
            .change = step->change,
            .trials = step->trials,
        };
    report->steps++;
}

/* The last scales take longest. */
static ro_status progress(struct registration *flow, int k, double part)
{
    return flow->beside
               ? RO_OK
               : ro_context_progress(flow->context, "register", pow((k + part) / flow->scales, 3));
}

static struct descent_rule rule_of(const struct registration *flow, int k)
{
    const struct scale_plan *scale = &flow->scale[k];
    const struct solver_grid *grid = &flow->grids.grid[scale->level];
    const struct field_extent *end = &flow->ends[scale->level];
    const double loud = 64 * flow->noise; /* the noise's share of the energy cannot fall */
    /* finer grids mend what coarser ones leave */
    const bool mended = scale->level > flow->scale[flow->scales - 1].level;
    const double little = (mended ? 0.025 : 0.004) / (1 + loud * loud);
    return (struct descent_rule){
        .little_share = little,
        .nothing_share = little / 2,
        .pixels = ((double)end->right + 1) * ((double)end->bottom + 1),
        .node = sqrt(grid->hx * grid->hy),
        .tolerance = flow->constants.tolerance,
        .updates = flow->constants.updates,
        .trials = flow->constants.trials,
        .automatic = flow->automatic,
    };
}

/* One update after the other, by a back end that does not know how to go on. */
static void step_by_step(struct registration *flow, int k, const struct descent_rule *rule,
                         struct descent_state *descent)
{
    bool ends = false;
    for (uint32_t n = 0; n < rule->updates && !ends; n++) {
        struct descent_probe probe = {0};
        struct descent_length length = {0};
        struct descent_step step;
        flow->backend->probe(flow, (float)descent->pending, &probe);
        descent->pending = 0;
        if (flow->status != RO_OK)
            break;
        enum descent_answer answer = descent_search(rule, descent, &probe, &length);
        while (answer == RO_LENGTH_ASKS)
            answer = length_told(&length, flow->backend->energy(flow, (float)length.asked));
        descent->trials += length.trials;
        if (answer == RO_LENGTH_NONE || flow->status != RO_OK)
            break;
        ends = descent_made(rule, descent, &probe, &length, &step);
        record(flow, k, &step);
        flow->status = progress(flow, k, (n + 1.0) / rule->updates);
    }
    if (descent->pending > 0)
        flow->backend->update(flow, (float)descent->pending);
}

/* Ends all updates of a scale. False where they, on the finest grid, gained so little that a finer
 * scale would follow noise only. */
static bool descended(struct registration *flow)
{
    const int k = flow->k;
    const struct descent_rule rule = rule_of(flow, k);
    struct descent_state descent = {.tau = flow->tau};
    if (flow->backend->descend) {
        const struct descent_step *steps = flow->backend->descended(flow, &descent);
        for (uint32_t i = 0; i < descent.steps && flow->status == RO_OK; i++)
            record(flow, k, &steps[i]);
    } else {
        step_by_step(flow, k, &rule, &descent);
    }
    flow->tau = descent.tau;
    flow->report.trials += descent.trials;
    return flow->scale[k].level > 0 || !flow->automatic || descent_gained(&rule, &descent);
}

/* ---- Agreement --------------------------------------------------------------------
 */

void flow_agree(const int32_t *moving, const int32_t *fixed, const int32_t *count,
                struct match_agreement *sums)
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

double flow_disagreement(const struct registration *flow, const struct match_agreement *sums)
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

/* Whether blocks disagree by more than a share of what they did when u came to the finest grid. */
static bool disagrees(const struct registration *flow, double share)
{
    static const double most = 0.02; /* blocks that agree worse differ by more than noise */
    const double reached = flow_disagreement(flow, &flow->reached);
    const double ended = flow_disagreement(flow, &flow->ended);
    return !flow->negative && ended > share * reached && ended < most;
}

bool flow_astray(const struct registration *flow) { return disagrees(flow, 1); }

bool flow_doubted(const struct registration *flow) { return disagrees(flow, 0.8); }

void flow_start_row(const struct registration *flow, int level, int component, int y, float *row)
{
    const struct solver_grid *grid = &flow->grids.grid[level];
    const double *map = flow->report.start + 3 * component;
    for (int x = 0; x < grid->width; x++) {
        double px = x * grid->hx, py = y * grid->hy;
        double to = map[0] * px + map[1] * py + map[2];
        double nodes = component ? (to - py) / grid->hy : (to - px) / grid->hx;
        row[x] = rounder_round(&flow->round, (float)nodes);
    }
    row[-1] = row[mirror_index(-1, grid->width)];
    row[grid->width] = row[mirror_index(grid->width, grid->width)];
}

void flow_start(struct registration *flow)
{
    flow->tau = 0;
    flow->k = 0;
    flow->level = flow->scale[0].level;
    flow->backend->start(flow, flow->level);
}

void flow_begin_scale(struct registration *flow)
{
    for (; flow->level > flow->scale[flow->k].level; flow->level--) {
        flow->backend->refine(flow, flow->level - 1);
        flow->tau *= 4; /* u counts nodes, twice as many, and gradients are half as steep */
        if (flow->level == 1 && flow->automatic)
            flow->backend->agree(flow, &flow->reached);
    }
    flow->backend->begin(flow, &flow->scale[flow->k]);
    if (flow->backend->descend) {
        const struct descent_rule rule = rule_of(flow, flow->k);
        flow->backend->descend(flow, &rule, flow->tau);
    }
}

bool flow_end_scale(struct registration *flow)
{
    const bool goes_on = descended(flow);
    if (flow->status == RO_OK)
        flow->status = progress(flow, flow->k, 1);
    const bool watched = flow->watched && flow->level == 0 && flow->status == RO_OK;
    if (watched)
        flow->backend->agree(flow, &flow->ended);
    flow->k++;
    return goes_on && flow->status == RO_OK && flow->k < flow->scales &&
           !(watched && flow_astray(flow));
}

void flow_finish(struct registration *flow)
{
    for (; flow->level > 0 && flow->status == RO_OK; flow->level--)
        flow->backend->refine(flow, flow->level - 1);
    if (flow->automatic && flow->status == RO_OK)
        flow->backend->agree(flow, &flow->ended);
}

void flow_run(struct registration *flow)
{
    flow_start(flow);
    if (flow->status == RO_OK)
        do
            flow_begin_scale(flow);
        while (flow_end_scale(flow));
    flow_finish(flow);
}
