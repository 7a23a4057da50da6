/* SPDX-License-Identifier: MIT */
/*
 * Direct binary search: the eye V, as integers, and what follows from it.
 *
 * A Gaussian of sigma pixels, or Naesaenen's eye for dots of a size seen from a distance. That one
 * passes exp(-f / c) of a pattern of f cycles a degree (c = 0.525 ln L + 3.91, L = 11 cd/m^2); in
 * the plane it is a bell with long skirts, (1 + (r / rho)^2)^(-3/2). Cut off nearer than 2 rho they
 * leave an eye that is blind to some patterns, and a search finds those; such skirts are let down
 * to 0 at r = w + 1 by a parabola.
 */
#include "context/context.h"
#include "halftone/search/search.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double CYCLES_A_DEGREE = 5.168895018219144; /* c */
static const double USUAL_SIGMA = 1.2, USUAL_DPI = 300, USUAL_DISTANCE = 300, MOST_DPI = 400;
enum { USUAL_RADIUS = 4, LEAST_RADIUS = 2 /* of Naesaenen's eye */ };

static bool is_gaussian(const struct dbs_options *options) { return options->sigma > 0; }

/* rho in pixels. */
static double bell_width(const struct dbs_options *options)
{
    const double pixels_a_degree = options->dpi * options->distance / 25.4 * PI / 180;
    return pixels_a_degree / (2 * PI * CYCLES_A_DEGREE);
}

/* The eye at a distance, before it is cut off. Only operations that every machine rounds alike,
 * but for exp. */
static double bell(const struct dbs_options *options, int dx, int dy)
{
    const double square = (double)(dx * dx + dy * dy);
    if (is_gaussian(options))
        return exp(-square / (2 * options->sigma * options->sigma));
    const double rho = bell_width(options), flat = 1 + square / (rho * rho);
    return 1 / (flat * sqrt(flat));
}

static double kept(const struct dbs_plan *plan, int dx, int dy)
{
    const double value = bell(&plan->options, dx, dy), edge = plan->w + 1;
    if (is_gaussian(&plan->options) || plan->w >= 2 * bell_width(&plan->options))
        return value;
    const double left = 1 - (double)(dx * dx + dy * dy) / (edge * edge);
    return left > 0 ? value * left : 0;
}

/* How much of the sum of squares is lost by the cut, over as far as eyes reach. */
static double energy_cut(const struct dbs_plan *plan)
{
    enum { FAR = 64 };
    const int w = plan->w;
    double all = 0, lost = 0;
    for (int dy = 0; dy <= FAR; dy++)
        for (int dx = 0; dx <= FAR; dx++) {
            const double value = bell(&plan->options, dx, dy), times = (dx ? 2 : 1) * (dy ? 2 : 1);
            const double rest = dx <= w && dy <= w ? value - kept(plan, dx, dy) : value;
            all += times * value * value;
            lost += times * rest * rest;
        }
    return lost / all;
}

static void make_weights(struct dbs_plan *plan)
{
    const int w = plan->w;
    double total = 0;
    for (int dy = -w; dy <= w; dy++)
        for (int dx = -w; dx <= w; dx++)
            total += kept(plan, dx, dy);
    int32_t sum = 0;
    for (int dy = -w; dy <= w; dy++)
        for (int dx = -w; dx <= w; dx++) {
            const int32_t weight = (int32_t)lrint(DBS_SCALE * (kept(plan, dx, dy) / total));
            plan->eye[(dy + DBS_MAX_RADIUS) * DBS_EYE + dx + DBS_MAX_RADIUS] = weight;
            sum += weight;
        }
    plan->eye[DBS_MAX_RADIUS * DBS_EYE + DBS_MAX_RADIUS] += DBS_SCALE - sum;
}

/* V is the same in all four quadrants, and so is c_pp. */
static void make_products(struct dbs_plan *plan)
{
    const int w = plan->w;
    int32_t *centre = plan->pp + 2 * DBS_MAX_RADIUS * DBS_PP + 2 * DBS_MAX_RADIUS;
    for (int y = 0; y <= 2 * w; y++)
        for (int x = 0; x <= 2 * w; x++) {
            int32_t product = 0;
            for (int dy = -w; dy <= w - y; dy++)
                for (int dx = -w; dx <= w - x; dx++)
                    product += dbs_eye(plan, dx, dy) * dbs_eye(plan, dx + x, dy + y);
            centre[y * DBS_PP + x] = centre[y * DBS_PP - x] = product;
            centre[-y * DBS_PP + x] = centre[-y * DBS_PP - x] = product;
        }
    plan->toggle_cost = 8 * dbs_pp(plan, 0, 0);
    for (int k = 0; k < 8; k++)
        plan->swap_cost[k] =
            16 * (dbs_pp(plan, 0, 0) - dbs_pp(plan, dbs_neighbours[k].dx, dbs_neighbours[k].dy));
}

/* The paper's aim has the paper's eye; dots that are seen have a size and a distance. Where no
 * distance was asked for, the eye follows the size within bounds: a narrower eye would leave many
 * tones to the array, a wider one is worse from near and hardly better from afar. */
static void fill_in(struct dbs_options *options)
{
    const bool viewed = options->distance != 0 || options->aim == DBS_SEEN;
    if (options->sigma == 0 && !viewed)
        options->sigma = USUAL_SIGMA;
    if (options->dpi == 0)
        options->dpi = USUAL_DPI;
    if (options->distance == 0) {
        options->distance = USUAL_DISTANCE;
        options->dpi = fmin(fmax(options->dpi, USUAL_DPI), MOST_DPI);
    }
}

ro_status dbs_eye_make(ro_context *context, struct dbs_plan *plan)
{
    struct dbs_options *options = &plan->options;
    fill_in(options);
    if (options->radius == 0 && is_gaussian(options))
        options->radius = USUAL_RADIUS;
    if (options->radius == 0) {
        const double twice = ceil(2 * bell_width(options));
        options->radius = twice < LEAST_RADIUS     ? LEAST_RADIUS
                          : twice > DBS_MAX_RADIUS ? DBS_MAX_RADIUS
                                                   : (int)twice;
    }
    if (options->radius < 1 || options->radius > DBS_MAX_RADIUS)
        return ro_context_fail(context, RO_E_ARGUMENT, "radius %d is not between 1 and %d",
                               options->radius, DBS_MAX_RADIUS);
    plan->w = options->radius;
    make_weights(plan);
    make_products(plan);
    plan->eye_cut = energy_cut(plan);
    return RO_OK;
}
