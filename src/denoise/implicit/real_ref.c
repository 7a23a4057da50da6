/* SPDX-License-Identifier: MIT */
/*
 * The semi-implicit schemes for the float formats, as they are defined: weights and Jacobi in
 * double precision. The order of every sum is part of it, so that results do not depend on the
 * machine. A float image is rounded to its format after every time step.
 */
#include "core/checked.h"
#include "denoise/implicit/implicit.h"
#include "denoise/implicit/real_element.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* (1 + tau L) x at a pixel without its diagonal part, and the diagonal. */
static double row_of(const struct real_system *system, const double *x, int64_t i, double *diagonal)
{
    const int64_t width = system->width;
    const double *const weights[] = {system->e, system->s, system->se, system->sw};
    const int64_t offsets[] = {1, width, width + 1, width - 1};
    double sum = 0, weight = 0;
    for (int k = 0; k < 4; k++) {
        double ahead = weights[k][i], back = i >= offsets[k] ? weights[k][i - offsets[k]] : 0;
        weight += ahead + back;
        if (ahead > 0)
            sum -= ahead * x[i + offsets[k]];
        if (back > 0)
            sum -= back * x[i - offsets[k]];
    }
    *diagonal = 1 + system->time * weight;
    return system->time * sum;
}

static bool stopped(const struct real_system *system)
{
    return system->stop && atomic_load_explicit(system->stop, memory_order_relaxed);
}

void solve_by_jacobi(const struct real_system *system, int sweeps, const double *r, double *x,
                     double *scratch)
{
    const int64_t size = system->width * system->height;
    for (int n = 0; n < sweeps && !stopped(system); n++) {
        for (int64_t i = 0; i < size; i++) {
            double diagonal, rest = row_of(system, x, i, &diagonal);
            scratch[i] = (r[i] - rest) / diagonal;
        }
        memcpy(x, scratch, (size_t)size * sizeof *x);
    }
}

static void apply(const struct real_system *system, const double *x, double *out)
{
    const int64_t size = system->width * system->height;
    for (int64_t i = 0; i < size; i++) {
        double diagonal, rest = row_of(system, x, i, &diagonal);
        out[i] = diagonal * x[i] + rest;
    }
}

/* The largest of |r - (1 + tau L) x|. */
static double residual_of(const struct real_system *system, const double *r, const double *x)
{
    const int64_t size = system->width * system->height;
    double largest = 0;
    for (int64_t i = 0; i < size; i++) {
        double diagonal, rest = row_of(system, x, i, &diagonal);
        const double off = fabs(r[i] - (diagonal * x[i] + rest));
        largest = off > largest ? off : largest;
    }
    return largest;
}

void solve_within(const struct real_system *system, double tolerance, const double *r, double *x,
                  double *scratch)
{
    enum { CHUNK = 16, PATIENCE = 64 };
    double least = INFINITY;
    for (int idle = 0; idle < PATIENCE && !stopped(system); idle++) {
        const double residual = residual_of(system, r, x);
        if (residual <= tolerance)
            return;
        if (residual < least) {
            least = residual;
            idle = 0;
        }
        solve_by_jacobi(system, CHUNK, r, x, scratch);
    }
}

/* ---- The float formats ----------------------------------------------------------------------- */

/* Element weights without a time step. */
static struct real_element element(const struct step_weights *d, const double *const *guide,
                                   int64_t i)
{
    struct real_gradient sum = {0, 0, 0};
    for (int c = 0; c < d->joint; c++) {
        const double *a = guide[c] + i;
        real_gradient_add(&sum, a[d->width + 1] - a[0], a[1] - a[d->width]);
    }
    return real_element_of(d, d->model == RO_MODEL_LINEAR, &sum);
}

/* Edges in the order e, s, se, sw. */
static void assemble(const struct step_weights *d, const double *const *guide, double *edges)
{
    const int64_t width = d->width, height = d->height, size = width * height;
    memset(edges, 0, (size_t)(4 * size) * sizeof *edges);
    for (int64_t y = 0; y + 1 < height; y++)
        for (int64_t x = 0; x + 1 < width; x++) {
            int64_t i = y * width + x;
            const struct real_element w = element(d, guide, i);
            edges[i] += w.e;
            edges[i + width] += w.e;
            edges[size + i] += w.s;
            edges[size + i + 1] += w.s;
            edges[2 * size + i] = w.se;
            edges[3 * size + i + 1] = w.sw;
        }
}

/* `smoothings` explicit linear steps in double precision, in place. */
static void smooth(const struct step_weights *d, const atomic_bool *stop, double *edges,
                   double *image, double *product)
{
    const int64_t size = (int64_t)d->width * d->height;
    struct step_weights linear = *d;
    linear.model = RO_MODEL_LINEAR;
    linear.joint = 1;
    const double *const guide[] = {image};
    struct real_system system = {d->width,
                                 d->height,
                                 -3 * (double)d->weights.smooth_diagonal,
                                 edges,
                                 edges + size,
                                 edges + 2 * size,
                                 edges + 3 * size,
                                 stop};
    for (int n = 0; n < d->smoothings && !stopped(&system); n++) {
        assemble(&linear, guide, edges);
        apply(&system, image, product); /* 1 - tau L: a time step backwards */
        memcpy(image, product, (size_t)size * sizeof *image);
    }
}

/* The same system in single precision; `singles` has room for nine images. */
static void solve_conjugate(const struct denoiser *work, const double *edges, const double *r,
                            double *x, float *singles)
{
    const int64_t size = (int64_t)work->in.width * work->in.height;
    float *right = singles + 4 * size, *way = right + size;
    for (int64_t i = 0; i < 4 * size; i++)
        singles[i] = (float)(work->report.time_step * edges[i]);
    for (int64_t i = 0; i < size; i++)
        right[i] = (float)r[i];
    const struct conjugate_step system = {work->in.width,
                                          work->in.height,
                                          singles,
                                          singles + size,
                                          singles + 2 * size,
                                          singles + 3 * size,
                                          &work->context->cancelled,
                                          conjugate_enough(work->number)};
    solve_by_conjugates(&system, right, way, way + size);
    for (int64_t i = 0; i < size; i++)
        x[i] = r[i] + (double)way[i];
}

/* Sweeps, as many as are asked for; a tolerance counts in 1/255 of white, which is 1. */
static void sweep(const struct denoiser *work, const struct real_system *system, const double *r,
                  double *x, double *scratch)
{
    if (work->options.tolerance > 0)
        solve_within(system, work->options.tolerance / 255, r, x, scratch);
    else
        solve_by_jacobi(system, RO_SWEEPS, r, x, scratch);
}

/* One time step of all planes. `edges` has room for four images, `scratch` for what a solver
 * needs. */
static void step(struct denoiser *work, const struct step_weights *d, double *u, double *guide,
                 double *edges, double *x, double *scratch)
{
    const int64_t size = (int64_t)work->in.width * work->in.height, all = size * work->channels;
    memcpy(guide, u, (size_t)all * sizeof *u);
    for (int plane = 0; plane < work->channels; plane++)
        smooth(d, &work->context->cancelled, edges, guide + plane * size, scratch);
    for (int plane = 0; plane < work->channels; plane++) {
        double *r = u + plane * size;
        const double *guides[RO_MAX_JOINT];
        for (int c = 0; c < d->joint; c++)
            guides[c] = guide + (plane + c) * size;
        if (plane % d->joint == 0)
            assemble(d, guides, edges);
        const struct real_system system = {
            work->in.width, work->in.height,  work->report.time_step, edges,
            edges + size,   edges + 2 * size, edges + 3 * size,       &work->context->cancelled};
        memcpy(x, r, (size_t)size * sizeof *x);
        if (work->scheme->conjugate)
            solve_conjugate(work, edges, r, x, (float *)scratch);
        else
            sweep(work, &system, r, x, scratch);
        for (int64_t i = 0; i < size; i++)
            r[i] = ro_small_float_round(&work->number->real, x[i], RO_ROUND_NEAREST_EVEN);
    }
}

ro_status implicit_real_reference(struct denoiser *work)
{
    struct step_weights d;
    diffusion_make(&d, &work->parameters);
    const int64_t size = (int64_t)work->in.width * work->in.height, all = size * work->channels;
    size_t bytes = 0, images = 11 + 2 * (size_t)work->channels;
    double *memory = NULL;
    float *values = NULL;
    ro_status status = RO_OK;
    if (size_multiply((size_t)size, images * sizeof *memory, &bytes)) {
        memory = malloc(bytes);
        values = malloc((size_t)all * sizeof *values);
    }
    if (!memory || !values) {
        status = ro_context_fail(work->context, RO_E_MEMORY, "no memory to denoise %u x %u pixels",
                                 work->in.width, work->in.height);
        goto done;
    }
    double *u = memory, *guide = u + all, *edges = guide + all, *x = edges + 4 * size;
    double *scratch = x + size;
    status = denoiser_load(work, values);
    for (int64_t i = 0; i < all && status == RO_OK; i++)
        u[i] = (double)values[i];
    if (status == RO_OK)
        denoiser_trace(work, values);
    while (work->report.steps < work->options.iterations && !stop_is_over(work->watch) &&
           status == RO_OK) {
        step(work, &d, u, guide, edges, x, scratch);
        work->report.steps++;
        for (int64_t i = 0; i < all && denoiser_is_watched(work); i++)
            values[i] = (float)u[i];
        denoiser_trace(work, values);
        status = denoiser_progress(work);
    }
    if (status == RO_OK) {
        for (int64_t i = 0; i < all; i++)
            values[i] = (float)u[i];
        status = denoiser_store(work, values);
    }
    if (status == RO_OK)
        denoiser_report(work, "reference", RO_CPU_SCALAR, 1);
done:
    free(memory);
    free(values);
    return status;
}
