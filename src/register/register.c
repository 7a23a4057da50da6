/* SPDX-License-Identifier: MIT */
/* Registration: what was asked for, the plan of its scales, and the report. */
#include "roundoff/register.h"

#include "context/context.h"
#include "core/checked.h"
#include "core/image.h"
#include "core/options.h"
#include "options/table.h"
#include "register/cuda/register_cuda.h"
#include "register/image.h"
#include "register/mask.h"
#include "register/register.h"
#include "register/start/matched.h"
#include "register/start/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the names chose. */
struct choice {
    enum register_scheme scheme;
    enum start_kind start;
    bool falls_back; /* from normalised tones to plain ones */
};

static struct choice choose_names(struct registration *flow)
{
    const ro_option_table *table = &register_table;
    const ro_register_options *o = &flow->options;
    const enum register_scheme scheme = (enum register_scheme)options_word(table, o, scheme);
    const bool automatic = scheme == RO_SCHEME_AUTO;
    const enum match_kind match =
        o->match ? (enum match_kind)options_word(table, o, match) : RO_MATCH_AUTO;
    const struct choice choice = {
        .scheme = scheme,
        .start = o->init     ? (enum start_kind)options_word(table, o, init)
                 : automatic ? RO_START_AFFINE
                             : RO_START_NONE,
        .falls_back = automatic && match == RO_MATCH_AUTO,
    };
    flow->round = rounder_make(&ro_number_find(o->number)->real);
    flow->automatic = flow->by_lines = automatic;
    flow->normalised = match >= RO_MATCH_NCC || choice.falls_back;
    flow->sizes = match == RO_MATCH_NCC_SIZE;
    flow->balanced = automatic && flow->normalised;
    flow->window = automatic ? 3 : 4;
    return choice;
}

static void settle_options(struct registration *flow, struct choice *choice)
{
    ro_register_options *o = &flow->options;
    const double longer = flow->width > flow->height ? flow->width : flow->height;
    *choice = choose_names(flow);
    const bool thesis = choice->scheme == RO_SCHEME_THESIS;
    /* an affine start leaves nothing to the coarsest third */
    flow->skipped = flow->automatic && (choice->start == RO_START_AFFINE || flow->near);
    o->scales = o->scales ? o->scales : flow->skipped ? 10 : 15;
    const double least = longer / 8 < 12 ? longer / 8 : 12; /* noise is not to be followed */
    const double usual = longer / (flow->automatic ? 36 : 32);
    if (o->sigma == 0)
        o->sigma = usual > least ? usual : least;
    const struct registration_constants asked = flow->constants;
    flow->constants = (struct registration_constants){
        .updates = asked.updates     ? asked.updates
                   : flow->automatic ? 40
                                     : 10,
        .trials = 10,
        .cycles = asked.cycles ? asked.cycles
                  : thesis     ? 1
                               : 2,
        .sigma_first = thesis ? o->sigma : 2 * longer,
        .finest = thesis ? 0 : 1,
        .tolerance = 0.01,
    };
    flow->masked = !thesis && flow->width > 1 &&
                   flow->height > 1; /* in one row the least motion across it looks beyond */
    flow->balanced = flow->balanced && flow->constants.cycles == 2;
}

/* ---- Scales --------------------------------------------------------------------------------- */

/* The coarsest grid whose nodes are no further apart than the images are smooth. */
static int level_for(const struct registration *flow, double epsilon)
{
    int level = 0;
    while (level + 1 < flow->grids.levels && flow->grids.grid[level + 1].hx <= epsilon &&
           flow->grids.grid[level + 1].hy <= epsilon)
        level++;
    return level;
}

/* Filters of the images, of the gradient and of the window, scale after scale. */
enum { FILTERS = 3 };

/* Floats of the tables of a scale's filter. */
static size_t filter_floats(const struct registration *flow, int level)
{
    const struct solver_grid *grid = &flow->grids.grid[level];
    const struct solver_grid *last = &flow->grids.grid[flow->grids.levels - 1];
    return flow->by_lines ? chain_floats(grid->width) + chain_floats(grid->height)
                          : (size_t)last->width * (size_t)last->height;
}

static void set_filter(const struct registration *flow, int level, double sigma, float *tables,
                       struct field_filter *filter)
{
    const struct solver_grid *grid = &flow->grids.grid[level];
    const double half = sigma * sigma / 2;
    if (flow->by_lines) {
        filter->along = chain_make(grid->width, half / (grid->hx * grid->hx), tables);
        filter->across = chain_make(grid->height, half / (grid->hy * grid->hy),
                                    tables + chain_floats(grid->width));
    } else {
        filter->inverse = tables;
        multigrid_set(&flow->grids, sigma, filter->stencils, tables);
    }
}

static void set_filters(void *data, int part, int parts)
{
    struct registration *flow = data;
    int i, to;
    for (team_share(FILTERS * flow->scales, part, parts, &i, &to); i < to; i++) {
        struct scale_plan *scale = &flow->scale[i / FILTERS];
        const struct solver_grid *grid = &flow->grids.grid[scale->level];
        const double node = grid->hx > grid->hy ? grid->hx : grid->hy;
        const double window = scale->epsilon > node ? scale->epsilon : node;
        const double sigmas[FILTERS] = {scale->epsilon, scale->sigma, flow->window * window};
        struct field_filter *const filters[FILTERS] = {&scale->image, &scale->gradient,
                                                       &scale->window};
        const size_t own = (size_t)(i % FILTERS) * filter_floats(flow, scale->level);
        set_filter(flow, scale->level, sigmas[i % FILTERS], flow->tables + scale->tables + own,
                   filters[i % FILTERS]);
    }
}

/* Scales geometric from an eighth of the longer side to the finest, 0 coming after 1; sigma
 * geometric. Those left out come before the first. */
static ro_status plan_scales(struct registration *flow)
{
    const ro_register_options *o = &flow->options;
    const double longer = (flow->width > flow->height ? flow->width : flow->height) - 1;
    const struct registration_constants *fixed = &flow->constants;
    const double finest = fixed->finest > 0 ? fixed->finest : 1;
    const double coarsest = longer / 8 > finest ? longer / 8 : finest;
    const int left_out = flow->skipped ? (int)o->scales / 2 : 0;
    const int all = left_out + (int)o->scales;
    const double steps = (double)all - (fixed->finest > 0 ? 1 : 2);
    const double noise = 10 * flow->noise * flow->noise; /* what is flatter than noise stays flat */
    flow->scales = (int)o->scales;
    for (int k = 0; k < flow->scales; k++) {
        struct scale_plan *scale = &flow->scale[k];
        double down = steps > 0 ? (left_out + k) / steps : 1;
        double along = all > 1 ? (left_out + k) / (all - 1.0) : 1;
        scale->epsilon = down > 1 ? 0 : coarsest * pow(finest / coarsest, down);
        scale->sigma = fixed->sigma_first * pow(o->sigma / fixed->sigma_first, along);
        scale->level = level_for(flow, scale->epsilon);
        scale->least = (float)((2e-5 + noise) / (1 + 2 * scale->epsilon * scale->epsilon));
        scale->tables = flow->table_floats;
        flow->table_floats += FILTERS * filter_floats(flow, scale->level);
    }
    flow->tables = malloc((flow->table_floats + 1) * sizeof *flow->tables);
    if (!flow->tables)
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory for %u scales", o->scales);
    enum { SHARE = 8 }; /* an entry is as much work as this many pixels of a filter */
    register_pass(flow, SHARE * flow->table_floats, set_filters, flow);
    return RO_OK;
}

static double larger(double a, double b) { return a > b ? a : b; }

static ro_status open_flow(struct registration *flow, const ro_image *fixed, const ro_image *moving)
{
    /* for V-cycles, thin images are padded by their last row or column, which does not count */
    int width = flow->width, height = flow->height;
    while (!flow->by_lines && !multigrid_fits(width, height)) {
        int *shorter = width < height ? &width : &height;
        *shorter = *shorter * 5 / 4 + 1;
    }
    ro_status status = multigrid_fits(width, height)
                           ? multigrid_open(flow->context, width, height, &flow->grids)
                           : multigrid_open_grids(flow->context, width, height, &flow->grids);
    if (status != RO_OK)
        return status;
    for (int l = 0; l < flow->grids.levels; l++) {
        const struct solver_grid *grid = &flow->grids.grid[l];
        flow->ends[l] = (struct field_extent){(float)((flow->width - 1) / grid->hx),
                                              (float)((flow->height - 1) / grid->hy)};
    }
    status = register_load_images(flow, fixed, moving);
    if (status == RO_OK)
        status = register_mask(flow, flow->automatic);
    if (status == RO_OK && flow->automatic)
        flow->noise = register_noise(flow);
    if (status == RO_OK)
        status = register_heard(flow);
    return status == RO_OK ? plan_scales(flow) : status;
}

/* All that comes before the flow, with threads that are woken once. */
struct opening {
    struct registration *flow;
    const ro_image *fixed, *moving;
    enum start_kind start;
    struct found_start *found;
    ro_status status;
};

/* Where images are not alike enough at once, points that match are looked for; only where these
 * lead nowhere all turns are tried. */
static ro_status find_start(struct registration *flow, enum start_kind start,
                            struct found_start *found)
{
    struct field_evidence *evidence = &flow->evidence;
    const bool judged = flow->automatic && start == RO_START_AFFINE && start_has_room(flow);
    double alike = 0;
    ro_status status = RO_OK;
    if (judged) {
        status = register_align(flow, start, true, &alike);
        *evidence = (struct field_evidence){
            .judged = true, .fast = alike >= RO_ALIKE, .alike = alike, .directions = -1};
        if (status == RO_OK && !evidence->fast)
            status = start_find(flow, found);
        evidence->matches = found->count;
    }
    return status != RO_OK || evidence->fast || start_leads(found)
               ? status
               : register_align(flow, start, false, &alike);
}

static void make_ready(struct thread_team *team, void *data)
{
    struct opening *opening = data;
    struct registration *flow = opening->flow;
    flow->team = team;
    opening->status = open_flow(flow, opening->fixed, opening->moving);
    if (opening->status == RO_OK && opening->start != RO_START_NONE)
        opening->status = find_start(flow, opening->start, opening->found);
    flow->team = NULL;
}

static ro_status check(ro_context *context, const ro_image *fixed, const ro_image *moving,
                       const ro_image *field)
{
    enum { MOST_PIXELS = 1 << 28 };
    ro_status status = image_check(context, fixed, "fixed image");
    if (status == RO_OK)
        status = image_check(context, moving, "moving image");
    if (status == RO_OK)
        status = image_check(context, field, "field");
    if (status != RO_OK)
        return status;
    const uint64_t width = fixed->width > moving->width ? fixed->width : moving->width;
    const uint64_t height = fixed->height > moving->height ? fixed->height : moving->height;
    if (width > MOST_PIXELS || width * height > MOST_PIXELS)
        return ro_context_fail(context, RO_E_SIZE,
                               "%llu x %llu pixels are too many to register, the most is %d",
                               (unsigned long long)width, (unsigned long long)height, MOST_PIXELS);
    if (field->format != RO_GREYF || field->width != 2 * fixed->width ||
        field->height != fixed->height)
        return ro_context_fail(context, RO_E_SIZE,
                               "the field must be float and %u x %u for images of %u x %u",
                               2 * fixed->width, fixed->height, fixed->width, fixed->height);
    return RO_OK;
}

ro_status flow_anywhere(struct registration *flow, const ro_image *field, ro_report *ran)
{
    if (!flow->on_device)
        return flow_on_cpu(flow, field, ran);
    ro_status status = register_on_cuda->run(flow, ran);
    return status == RO_OK ? flow_fetch(flow, field) : status;
}

ro_status ro_register(ro_context *context, const ro_image *fixed, const ro_image *moving,
                      ro_image *field, const ro_register_options *options,
                      ro_register_report *report)
{
    ro_register_report full = {.size = sizeof full};
    ro_status status = report_check(context, report);
    if (status != RO_OK)
        return status;
    status = register_limited(context, fixed, moving, field, options, 0, 0, report ? &full : NULL);
    report_give(report, &full);
    return status;
}

/* A search before it begins; NULL: no memory. */
static struct registration *open_search(ro_context *context, const ro_image *fixed,
                                        const ro_image *moving, const ro_register_options *options,
                                        bool near, const struct registration_constants *asked,
                                        struct choice *choice)
{
    struct registration *flow = calloc(1, sizeof *flow);
    if (!flow)
        return NULL;
    flow->context = context;
    flow->on_device = context->options.device == RO_DEVICE_CUDA;
    flow->near = near;
    flow->size[0].width = (int)moving->width;
    flow->size[0].height = (int)moving->height;
    flow->size[1].width = (int)fixed->width;
    flow->size[1].height = (int)fixed->height;
    flow->width = (int)larger(fixed->width, moving->width);
    flow->height = (int)larger(fixed->height, moving->height);
    flow->options = *options;
    flow->constants = *asked;
    flow->report.start[0] = flow->report.start[4] = 1;
    settle_options(flow, choice);
    if (flow->options.record) {
        flow->report.record = calloc((size_t)flow->options.scales * flow->constants.updates,
                                     sizeof(ro_register_step));
        if (!flow->report.record) {
            free(flow);
            return NULL;
        }
    }
    return flow;
}

static void close_search(struct registration *flow)
{
    free(flow->tables);
    for (int p = 0; p < 2 && !flow->on_device; p++)
        free(flow->images[p]);
    free(flow->keep[0]);
    free(flow->keep[1]);
    multigrid_close(&flow->grids);
    free(flow);
}

static ro_status no_memory(ro_context *context)
{
    return ro_context_fail(context, RO_E_MEMORY, "no memory for a registration");
}

/* The start and the flow. */
static ro_status run_search(struct registration *flow, const struct choice *choice,
                            const ro_image *fixed, const ro_image *moving, const ro_image *field,
                            ro_report *ran)
{
    struct found_start found = {.count = 0};
    struct opening opening = {flow, fixed, moving, choice->start, &found, RO_OK};
    team_open(flow->context->pool, flow->context->threads, make_ready, &opening);
    ro_status status = opening.status;
    if (status == RO_OK && start_leads(&found))
        status = register_matched(flow, &found, fixed, moving, field, ran);
    else if (status == RO_OK)
        status = choice->falls_back ? register_auto(flow, fixed, moving, field, ran)
                                    : flow_anywhere(flow, field, ran);
    const bool led = start_leads(&found), maps = strcmp(flow->options.transform, "dense") != 0;
    if (status == RO_OK)
        status = register_simplify(flow, field);
    if (status == RO_OK && flow->evidence.judged && !flow->evidence.fast && (!led || maps))
        status = register_judge(flow, &found, field);
    start_close(&found);
    return status;
}

ro_status register_near(struct registration *flow, const ro_image *fixed, const ro_image *moving,
                        const ro_register_options *options, const ro_image *field, ro_report *ran)
{
    struct choice choice = {0};
    struct registration *near =
        open_search(flow->context, fixed, moving, options, true, &flow->constants, &choice);
    if (!near)
        return no_memory(flow->context);
    const ro_status status = run_search(near, &choice, fixed, moving, field, ran);
    const ro_register_report *from = &near->report;
    ro_register_report *to = &flow->report;
    flow->scales = near->scales;
    memcpy(to->updates, from->updates, sizeof to->updates);
    to->steps = from->steps;
    to->trials = from->trials;
    free(to->record);
    to->record = from->record;
    flow->normalised = near->normalised;
    flow->sizes = near->sizes;
    close_search(near);
    return status;
}

ro_status register_limited(ro_context *context, const ro_image *fixed, const ro_image *moving,
                           ro_image *field, const ro_register_options *options, uint32_t updates,
                           uint32_t cycles, ro_register_report *report)
{
    DEVICE_TURN(context);
    ro_register_options full;
    ro_status status = options_read(context, &register_table, options, &full);
    if (status == RO_OK)
        status = check(context, fixed, moving, field);
    if (status != RO_OK)
        return status;
    struct choice choice = {0};
    ro_report ran = {0};
    full.record = full.record && report;
    const struct registration_constants asked = {.updates = updates, .cycles = cycles};
    struct registration *flow = open_search(context, fixed, moving, &full, false, &asked, &choice);
    if (!flow)
        return no_memory(context);
    status = run_search(flow, &choice, fixed, moving, field, &ran);
    if (status == RO_OK) {
        ran.method = flow->options.scheme;
        ran.width = fixed->width;
        ran.height = fixed->height;
        ran.steps = flow->report.steps;
        *context_report(context) = ran;
        if (report)
            status = register_describe(flow, field);
        if (report && status == RO_OK)
            *report = flow->report;
    }
    if (status != RO_OK)
        free(flow->report.record);
    close_search(flow);
    return status;
}
