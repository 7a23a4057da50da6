/* SPDX-License-Identifier: MIT */
/*
 * Conjugate gradients by all threads. Sums are taken row by row, in the order of real_ref.c, and
 * added up by one thread, so that the number of threads does not show.
 */
#include "core/checked.h"
#include "parallel/team.h"
#include "pde/implicit/implicit.h"
#include "pde/implicit/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    IMAGES = 9,                                        /* five of weights, and four */
    LINES = 5 + RO_LINE_SCRATCH + 2 * RO_MAX_JOINT + 1 /* of a thread */
};

struct solver {
    ro_context *context;
    const struct ro_conjugate *run;
    const struct ro_line_kernel *kernel;
    int64_t width, height, stride;
    int plane; /* that is solved; weights are made of the planes from it on */
    double *weights[5], *x, *residual, *direction, *product;
    double *lines; /* of all threads */
    double *sums;  /* of each row */
    struct ro_balance *balance;
    int32_t table[2 * RO_LINE_TABLE];
    double step, factor, min, max;
};

bool ro_conjugate_bytes(int64_t width, int64_t height, size_t *bytes)
{
    const size_t stride = (size_t)width + 2 * RO_LINE_MARGIN;
    return ro_size_multiply(stride, (size_t)height + 2, bytes) &&
           ro_size_multiply(*bytes, IMAGES * sizeof(double), bytes);
}

static double *row(const struct solver *s, double *image, int64_t y)
{
    return image + (y + 1) * s->stride + RO_LINE_MARGIN;
}

static struct ro_line_weights weights_of(const struct solver *s, int64_t y)
{
    return (struct ro_line_weights){row(s, s->weights[0], y), row(s, s->weights[1], y),
                                    row(s, s->weights[2], y), row(s, s->weights[3], y),
                                    row(s, s->weights[4], y), NULL};
}

static void load(const struct solver *s, const struct ro_planes *planes, int plane, int64_t y,
                 double *line)
{
    const int64_t at = ((int64_t)plane * s->height + y) * s->width;
    for (int64_t x = 0; x < s->width; x++)
        line[x] = planes->type == RO_PLANE_INTEGERS ? ((const int32_t *)planes->data)[at + x]
                  : planes->type == RO_PLANE_FLOATS ? (double)((const float *)planes->data)[at + x]
                                                    : ((const double *)planes->data)[at + x];
}

static double *line_of(const struct solver *s, int part, int line)
{
    return s->lines + ((int64_t)part * LINES + line) * s->stride + RO_LINE_MARGIN;
}

/* ---- Passes --------------------------------------------------------------------------------- */

/* Elements below row y into the lines of a part; none below the last. */
static void elements(struct solver *s, int part, int64_t y, const struct ro_line_elements *out)
{
    const struct ro_conjugate *run = s->run;
    const double *top[RO_MAX_JOINT], *bottom[RO_MAX_JOINT];
    for (int i = 0; i < 5; i++)
        memset(line_of(s, part, i), 0, i == 4 ? 0 : (size_t)s->width * sizeof(double));
    if (y < 0 || y + 1 >= s->height)
        return;
    for (int c = 0; c < run->diffusion->joint; c++) {
        double *lines[2] = {line_of(s, part, 5 + 2 * c), line_of(s, part, 6 + 2 * c)};
        for (int i = 0; i < 2; i++)
            load(s, &run->guide, s->plane + c, y + i, lines[i]);
        top[c] = lines[0];
        bottom[c] = lines[1];
    }
    s->kernel->elements(run->diffusion, s->table, top, bottom, s->width - 1, out,
                        line_of(s, part, 5 + 2 * RO_MAX_JOINT));
}

static void edge_pass(void *data, int part, int parts)
{
    struct solver *s = data;
    int from, to;
    ro_team_share((int)s->height, part, parts, &from, &to);
    const struct ro_line_elements e = {line_of(s, part, 0), line_of(s, part, 1),
                                       line_of(s, part, 2), line_of(s, part, 3)};
    double *above = line_of(s, part, 4);
    elements(s, part, from - 1, &e);
    for (int64_t y = from; y < to; y++) {
        memcpy(above, e.e, (size_t)s->width * sizeof *above);
        elements(s, part, y, &e);
        const struct ro_line_weights here = weights_of(s, y);
        s->kernel->edges(s->width, above, &e, &here);
        for (int64_t x = 0; x < s->width && s->run->integers; x++) {
            here.e[x] *= 0x1p-16;
            here.s[x] *= 0x1p-16;
            here.se[x] *= 0x1p-16;
            here.sw[x] *= 0x1p-16;
        }
    }
}

static struct ro_line_sweep at_row(const struct solver *s, const struct ro_line_weights *here,
                                   const struct ro_line_weights *above, double *x, int64_t y)
{
    return (struct ro_line_sweep){
        .width = s->width,
        .here = here,
        .above = above,
        .x = row(s, x, y),
        .x_above = row(s, x, y - 1),
        .x_below = row(s, x, y + 1),
        .next = row(s, s->product, y),
        .time = s->run->time,
    };
}

/* The sums of weights, and where to start: x = r. */
static void start_pass(void *data, int part, int parts)
{
    struct solver *s = data;
    struct ro_balance *balance = &s->balance[part];
    int from, to;
    ro_team_share((int)s->height, part, parts, &from, &to);
    for (int64_t y = from; y < to; y++) {
        const struct ro_line_weights here = weights_of(s, y), above = weights_of(s, y - 1);
        double *x = row(s, s->x, y);
        s->kernel->sums(s->width, &above, &here);
        load(s, &s->run->in, s->plane, y, x);
        for (int64_t i = 0; i < s->width && s->run->integers; i++) {
            balance->defect += (int64_t)x[i];
            balance->min = x[i] < balance->min ? (int32_t)x[i] : balance->min;
            balance->max = x[i] > balance->max ? (int32_t)x[i] : balance->max;
        }
    }
}

static void residual_pass(void *data, int part, int parts)
{
    struct solver *s = data;
    int from, to;
    ro_team_share((int)s->height, part, parts, &from, &to);
    for (int64_t y = from; y < to; y++) {
        const struct ro_line_weights here = weights_of(s, y), above = weights_of(s, y - 1);
        const struct ro_line_sweep sweep = at_row(s, &here, &above, s->x, y);
        double *residual = row(s, s->residual, y), *direction = row(s, s->direction, y);
        s->kernel->apply_real(&sweep);
        for (int64_t i = 0; i < s->width; i++)
            residual[i] = direction[i] = sweep.x[i] - sweep.next[i];
        s->sums[y] = s->kernel->dot(residual, residual, s->width);
        s->sums[s->height + y] = s->kernel->dot(sweep.x, sweep.x, s->width);
    }
}

static void product_pass(void *data, int part, int parts)
{
    struct solver *s = data;
    int from, to;
    ro_team_share((int)s->height, part, parts, &from, &to);
    for (int64_t y = from; y < to; y++) {
        const struct ro_line_weights here = weights_of(s, y), above = weights_of(s, y - 1);
        const struct ro_line_sweep sweep = at_row(s, &here, &above, s->direction, y);
        s->kernel->apply_real(&sweep);
        s->sums[y] = s->kernel->dot(sweep.x, sweep.next, s->width);
    }
}

static void advance_pass(void *data, int part, int parts)
{
    struct solver *s = data;
    int from, to;
    ro_team_share((int)s->height, part, parts, &from, &to);
    for (int64_t y = from; y < to; y++)
        s->sums[y] = s->kernel->advance(s->step, row(s, s->direction, y), row(s, s->product, y),
                                        row(s, s->x, y), row(s, s->residual, y), s->width);
}

static void redirect_pass(void *data, int part, int parts)
{
    struct solver *s = data;
    int from, to;
    ro_team_share((int)s->height, part, parts, &from, &to);
    for (int64_t y = from; y < to; y++)
        s->kernel->redirect(s->factor, row(s, s->residual, y), row(s, s->direction, y), s->width);
}

/* To the nearest number in the range of r, or to a float. */
static void store_pass(void *data, int part, int parts)
{
    struct solver *s = data;
    const struct ro_conjugate *run = s->run;
    int from, to;
    ro_team_share((int)s->height, part, parts, &from, &to);
    for (int64_t y = from; y < to; y++) {
        const double *x = row(s, s->x, y);
        const int64_t at = ((int64_t)s->plane * s->height + y) * s->width;
        if (run->integers) {
            int32_t *out = (int32_t *)run->out.data + at;
            for (int64_t i = 0; i < s->width; i++) {
                out[i] = (int32_t)lrint(x[i] < s->min ? s->min : x[i] > s->max ? s->max : x[i]);
                s->balance[part].defect -= out[i];
            }
            continue;
        }
        float *out = (float *)run->out.data + at;
        for (int64_t i = 0; i < s->width; i++)
            out[i] = run->real ? (float)ro_small_float_round(run->real, x[i], RO_ROUND_NEAREST_EVEN)
                               : (float)x[i];
    }
}

/* ---- The method ----------------------------------------------------------------------------- */

static double total(const struct solver *s, const double *sums)
{
    double sum = 0;
    for (int64_t y = 0; y < s->height; y++)
        sum += sums[y];
    return sum;
}

static void solve(struct ro_team *team, struct solver *s)
{
    const size_t size = (size_t)(s->width * s->height);
    ro_team_pass(team, size, residual_pass, s);
    double square = total(s, s->sums), enough = s->run->enough * total(s, s->sums + s->height);
    for (int n = 0; n < RO_CONJUGATE_ITERATIONS && square > enough &&
                    !atomic_load_explicit(&s->context->cancelled, memory_order_relaxed);
         n++) {
        ro_team_pass(team, size, product_pass, s);
        s->step = square / total(s, s->sums);
        ro_team_pass(team, size, advance_pass, s);
        const double next = total(s, s->sums);
        s->factor = next / square;
        ro_team_pass(team, size, redirect_pass, s);
        square = next;
    }
}

static void lead(struct ro_team *team, void *data)
{
    struct solver *s = data;
    const struct ro_conjugate *run = s->run;
    const size_t size = (size_t)(s->width * s->height);
    const int parts = ro_team_size(team);
    for (s->plane = 0; s->plane < run->channels; s->plane++) {
        if (s->plane % run->diffusion->joint == 0)
            ro_team_pass(team, size, edge_pass, s);
        for (int i = 0; i < parts; i++)
            s->balance[i] = (struct ro_balance){0, INT32_MAX, INT32_MIN};
        ro_team_pass(team, size, start_pass, s);
        struct ro_balance range = s->balance[0];
        for (int i = 1; i < parts; i++) {
            range.min = s->balance[i].min < range.min ? s->balance[i].min : range.min;
            range.max = s->balance[i].max > range.max ? s->balance[i].max : range.max;
        }
        s->min = range.min;
        s->max = range.max;
        solve(team, s);
        ro_team_pass(team, size, store_pass, s);
        range.defect = 0;
        for (int i = 0; i < parts; i++)
            range.defect += s->balance[i].defect;
        if (run->integers)
            run->balance[s->plane] = range;
    }
}

ro_status ro_conjugate_run(ro_context *context, const struct ro_conjugate *run)
{
    const struct ro_diffusion *d = run->diffusion;
    const size_t threads = (size_t)ro_pool_threads(context->pool);
    struct solver s = {
        .context = context,
        .run = run,
        .kernel = ro_line_kernel_of(context->cpu),
        .width = d->width,
        .height = d->height,
        .stride = d->width + 2 * RO_LINE_MARGIN,
    };
    const int64_t image = s.stride * (s.height + 2);
    double *images[IMAGES];
    for (int i = 0; i < IMAGES; i++)
        images[i] = (double *)run->memory + i * image;
    memcpy(s.weights, images, sizeof s.weights);
    s.x = images[5];
    s.residual = images[6];
    s.direction = images[7];
    s.product = images[8];
    ro_line_tables(d, s.table);
    s.lines = calloc(threads * LINES * (size_t)s.stride, sizeof *s.lines);
    s.sums = calloc(2 * (size_t)s.height, sizeof *s.sums);
    s.balance = calloc(threads, sizeof *s.balance);
    ro_status status = RO_OK;
    if (s.lines && s.sums && s.balance)
        ro_team_open(context->pool, (int)threads, lead, &s);
    else
        status = ro_context_fail(context, RO_E_MEMORY, "no memory to denoise %u x %u pixels",
                                 d->width, d->height);
    free(s.lines);
    free(s.sums);
    free(s.balance);
    return status;
}
