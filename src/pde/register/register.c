/* SPDX-License-Identifier: MIT */
/* Registration: what was asked for, the plan of its scales, and the report. */
#include "roundoff/register.h"

#include "context/context.h"
#include "core/checked.h"
#include "core/image.h"
#include "core/names.h"
#include "core/options.h"
#include "cuda/cuda.h"
#include "pde/register/register.h"
#include "pde/register/register_cuda.h"
#include "pde/register/register_image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

RO_CUDA_NONE(register_cuda_calls, register_on_cuda);

/* Finds `name` in a list that NULL ends; the first is the default. */
static ro_status choose(ro_context *context, const char *what, const char *name,
                        const char *const *list, int *choice)
{
    *choice = 0;
    if (!name)
        return RO_OK;
    size_t count = 0;
    for (; list[count]; count++)
        if (ro_name_equal(name, list[count])) {
            *choice = (int)count;
            return RO_OK;
        }
    const char *nearest = ro_name_nearest(name, list, count);
    return ro_context_fail(context, RO_E_ARGUMENT, "unknown %s %s, did you mean %s?", what, name,
                           nearest ? nearest : list[0]);
}

static ro_status in_range(ro_context *context, const char *what, double value, double low,
                          double high)
{
    if (value >= low && value <= high)
        return RO_OK;
    return ro_context_fail(context, RO_E_ARGUMENT, "%s %g: must be from %g to %g", what, value, low,
                           high);
}

static ro_status settle_options(struct ro_flow *flow, bool *align, bool *affine)
{
    static const char *const schemes[] = {"annealed", "thesis", NULL};
    static const char *const matches[] = {"ssd", "ncc", NULL};
    static const char *const inits[] = {"none", "translation", "affine", NULL};
    static const char *const numbers[] = {"s23e8", "s16e7", "s10e5", NULL};
    ro_context *context = flow->context;
    ro_register_options *o = &flow->options;
    const double longer = flow->width > flow->height ? flow->width : flow->height;
    int scheme, match, init, number;
    ro_status status = choose(context, "scheme", o->scheme, schemes, &scheme);
    if (status == RO_OK)
        status = choose(context, "match", o->match, matches, &match);
    if (status == RO_OK)
        status = choose(context, "init", o->init, inits, &init);
    if (status == RO_OK)
        status = choose(context, "number system", o->number, numbers, &number);
    if (status != RO_OK)
        return status;
    const bool thesis = scheme == 1;
    o->scheme = schemes[scheme];
    o->number = numbers[number];
    o->scales = o->scales ? o->scales : 15;
    o->updates = o->updates ? o->updates : 10;
    o->trials = o->trials ? o->trials : 10;
    o->smooth = o->smooth ? o->smooth : thesis ? 1 : 2;
    o->finest = !ro_is_default(o->finest) ? o->finest : thesis ? 0 : 1;
    o->tolerance = !ro_is_default(o->tolerance) ? o->tolerance : 0.01;
    const double least = longer / 8 < 12 ? longer / 8 : 12; /* noise is not to be followed */
    if (o->sigma == 0)
        o->sigma = longer / 32 > least ? longer / 32 : least;
    if (o->sigma_first == 0)
        o->sigma_first = thesis ? o->sigma : 2 * longer;
    if (thesis && o->sigma_first != o->sigma)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "scheme thesis has one sigma, but %g and %g were given",
                               o->sigma_first, o->sigma);
    status = in_range(context, "scales", o->scales, 1, RO_REGISTER_SCALES);
    if (status == RO_OK)
        status = in_range(context, "updates", o->updates, 1, 10000);
    if (status == RO_OK)
        status = in_range(context, "trials", o->trials, 1, 100);
    if (status == RO_OK)
        status = in_range(context, "smooth", o->smooth, 1, 2);
    if (status == RO_OK)
        status = in_range(context, "sigma", o->sigma, 1e-3, 1e6);
    if (status == RO_OK)
        status = in_range(context, "first sigma", o->sigma_first, 1e-3, 1e6);
    if (status == RO_OK)
        status = in_range(context, "finest scale", o->finest, 0, 1000);
    if (status == RO_OK)
        status = in_range(context, "tolerance", o->tolerance, 0, 1e6);
    flow->masked = !thesis && flow->width > 1 &&
                   flow->height > 1; /* in one row the least motion across it looks beyond */
    flow->normalised = match == 1;
    flow->round = ro_rounder_make(&ro_number_find(o->number)->real);
    *align = init > 0;
    *affine = init == 2;
    return status;
}

/* ---- Scales --------------------------------------------------------------------------------- */

static void add_filter(struct ro_flow *flow, double sigma, struct ro_filter *filter)
{
    float *inverse = flow->inverses + flow->inverse_count++ * flow->inverse_floats;
    filter->inverse = inverse;
    ro_multigrid_set(&flow->grids, sigma, filter->stencils, inverse);
}

/* The coarsest grid whose nodes are no further apart than the images are smooth. */
static int level_for(const struct ro_flow *flow, double epsilon)
{
    int level = 0;
    while (level + 1 < flow->grids.levels && flow->grids.grid[level + 1].hx <= epsilon &&
           flow->grids.grid[level + 1].hy <= epsilon)
        level++;
    return level;
}

/* Scales geometric from an eighth of the longer side to the finest, 0 coming after 1; sigma
 * geometric. */
static ro_status plan_scales(struct ro_flow *flow)
{
    const ro_register_options *o = &flow->options;
    const double longer = (flow->width > flow->height ? flow->width : flow->height) - 1;
    const double finest = o->finest > 0 ? o->finest : 1;
    const double coarsest = longer / 8 > finest ? longer / 8 : finest;
    const double steps = (double)o->scales - (o->finest > 0 ? 1 : 2);
    const struct ro_grid *last = &flow->grids.grid[flow->grids.levels - 1];
    flow->scales = (int)o->scales;
    flow->inverse_floats = (size_t)last->width * (size_t)last->height;
    size_t floats = flow->inverse_floats * 3 * o->scales;
    flow->inverses = malloc(floats * sizeof *flow->inverses);
    if (!flow->inverses)
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory for %u scales", o->scales);
    for (int k = 0; k < flow->scales; k++) {
        struct ro_scale_plan *scale = &flow->scale[k];
        double down = steps > 0 ? k / steps : 1;
        double along = flow->scales > 1 ? k / (flow->scales - 1.0) : 1;
        scale->epsilon = down > 1 ? 0 : coarsest * pow(finest / coarsest, down);
        scale->sigma = o->sigma_first * pow(o->sigma / o->sigma_first, along);
        scale->level = level_for(flow, scale->epsilon);
        const struct ro_grid *grid = &flow->grids.grid[scale->level];
        double node = grid->hx > grid->hy ? grid->hx : grid->hy;
        scale->least = (float)(2e-5 / (1 + 2 * scale->epsilon * scale->epsilon));
        double window = scale->epsilon > node ? scale->epsilon : node;
        add_filter(flow, scale->epsilon, &scale->image);
        add_filter(flow, scale->sigma, &scale->gradient);
        add_filter(flow, RO_WINDOW * window, &scale->window);
    }
    return RO_OK;
}

static ro_status open_flow(struct ro_flow *flow, const ro_image *fixed, const ro_image *moving)
{
    /* thin images are padded by their last row or column, which does not count */
    int width = flow->width, height = flow->height;
    while (!ro_multigrid_fits(width, height)) {
        int *shorter = width < height ? &width : &height;
        *shorter = *shorter * 5 / 4 + 1;
    }
    ro_status status = ro_multigrid_open(flow->context, width, height, &flow->grids);
    if (status != RO_OK)
        return status;
    for (int l = 0; l < flow->grids.levels; l++) {
        const struct ro_grid *grid = &flow->grids.grid[l];
        flow->ends[l] = (struct ro_extent){(float)((flow->width - 1) / grid->hx),
                                           (float)((flow->height - 1) / grid->hy)};
    }
    status = ro_register_load(flow, fixed, moving);
    return status == RO_OK ? plan_scales(flow) : status;
}

static ro_status check(ro_context *context, const ro_image *fixed, const ro_image *moving,
                       const ro_image *field)
{
    enum { MOST_PIXELS = 1 << 28 };
    ro_status status = ro_image_check(context, fixed, "fixed image");
    if (status == RO_OK)
        status = ro_image_check(context, moving, "moving image");
    if (status == RO_OK)
        status = ro_image_check(context, field, "field");
    if (status != RO_OK)
        return status;
    if (fixed->width != moving->width || fixed->height != moving->height)
        return ro_context_fail(context, RO_E_SIZE,
                               "the fixed image is %u x %u but the moving one is %u x %u",
                               fixed->width, fixed->height, moving->width, moving->height);
    if ((uint64_t)fixed->width * fixed->height > MOST_PIXELS)
        return ro_context_fail(context, RO_E_SIZE,
                               "%u x %u pixels are too many to register; the limit is %d",
                               fixed->width, fixed->height, MOST_PIXELS);
    if (field->format != RO_GRAYF || field->width != 2 * fixed->width ||
        field->height != fixed->height)
        return ro_context_fail(context, RO_E_SIZE,
                               "the field must be float and %u x %u for images of %u x %u",
                               2 * fixed->width, fixed->height, fixed->width, fixed->height);
    return RO_OK;
}

ro_status ro_register(ro_context *context, const ro_image *fixed, const ro_image *moving,
                      const ro_image *field, const ro_register_options *options)
{
    ro_register_options full = RO_REGISTER_OPTIONS;
    ro_status status = ro_options_take(context, options, &full, "RO_REGISTER_OPTIONS");
    if (status == RO_OK)
        status = check(context, fixed, moving, field);
    if (status != RO_OK)
        return status;
    bool align = false, affine = false;
    ro_report ran = {0};
    struct ro_flow *flow = calloc(1, sizeof *flow);
    if (!flow)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a registration");
    flow->context = context;
    flow->width = (int)fixed->width;
    flow->height = (int)fixed->height;
    flow->options = full;
    flow->report.start[0] = flow->report.start[4] = 1;
    status = settle_options(flow, &align, &affine);
    if (status == RO_OK)
        status = open_flow(flow, fixed, moving);
    if (status == RO_OK && align)
        status = ro_register_align(flow, affine);
    if (status == RO_OK)
        status = context->options.device == RO_DEVICE_CUDA
                     ? register_on_cuda->run(flow, field, &ran)
                     : ro_flow_on_cpu(flow, field, &ran);
    if (status == RO_OK) {
        ran.method = flow->options.scheme;
        ran.width = fixed->width;
        ran.height = fixed->height;
        ran.steps = flow->report.steps;
        context->report = ran;
        if (flow->options.report)
            status = ro_register_describe(flow, field);
    }
    free(flow->inverses);
    free(flow->images[0]);
    free(flow->images[1]);
    ro_multigrid_close(&flow->grids);
    free(flow);
    return status;
}
