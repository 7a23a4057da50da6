/* SPDX-License-Identifier: MIT */
/* Along a Hilbert curve with a palette: the light of three channels, in the order of curve.h. */
#include "halftone/traversal/curve.h"
#include "halftone/palette/region.h"

#include <stdlib.h>

struct palette_curve {
    struct palette_rule rule;
    struct palette_light known;
    const struct halftone_block *block;
    struct curve_errors errors[3];
};

static void visit(void *data, uint32_t x, uint32_t y)
{
    struct palette_curve *curve = data;
    const struct palette_plan *plan = &curve->rule.plan;
    const struct halftone_block *block = curve->block;
    const int32_t least = -PALETTE_GUARD, most = PALETTE_WHITE + PALETTE_GUARD;
    uint32_t sample[3];
    int32_t light[4], v[3];
    palette_sample(plan, block->in + (ptrdiff_t)y * block->in_stride, x, sample);
    palette_light_of(plan, &curve->known, sample, light);
    for (int c = 0; c < 3; c++) {
        v[c] = light[c] + curve_gather(&curve->errors[c]);
        v[c] = v[c] < least ? least : v[c] > most ? most : v[c];
    }
    const int k = palette_nearest(&plan->choice, v);
    for (int c = 0; c < 3; c++)
        curve_leave(&curve->errors[c], v[c] - plan->colour[c][k]);
    block->out[(ptrdiff_t)y * block->out_stride + x] = (unsigned char)k;
}

static ro_status open_engine(struct halftoner *work)
{
    ro_status status = halftone_scalar_only(work, false);
    if (status != RO_OK)
        return status;
    struct palette_curve *curve = calloc(1, sizeof *curve);
    work->state = curve;
    if (!curve)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for a walk");
    work->bytes += sizeof *curve;
    work->report.schedule = "curve";
    return palette_rule_open(work, &curve->rule);
}

static ro_status begin_engine(struct halftoner *work)
{
    struct palette_curve *curve = work->state;
    for (int c = 0; c < 3; c++)
        curve_begin(&curve->errors[c]);
    return RO_OK;
}

static ro_status run_engine(struct halftoner *work, const struct halftone_block *block)
{
    struct palette_curve *curve = work->state;
    curve->block = block;
    work->report.steps = (uint64_t)work->in.width * work->in.height;
    return curve_walk(work->context, work->in.width, work->in.height, visit, curve);
}

static void close_engine(struct halftoner *work)
{
    struct palette_curve *curve = work->state;
    if (curve)
        palette_rule_close(&curve->rule);
    free(curve);
    work->state = NULL;
}

const struct halftone_engine palette_curve_engine = {
    .open = open_engine,
    .begin = begin_engine,
    .run = run_engine,
    .close = close_engine,
    .whole_image = true,
};
