/* SPDX-License-Identifier: MIT */
/*
 * Conjugate gradients by all threads. An iteration is one pass over eight images: a row goes a step
 * further, and the product of the row above it follows, whose neighbours are there by then. Only
 * the first and the last row of a thread's band wait until all bands are done. Sums are taken row
 * by row, in the order of conjugate_ref.c, and added up by one thread, so that the number of
 * threads does not show.
 */
#include "core/checked.h"
#include "denoise/implicit/conjugate_lines.h"
#include "denoise/implicit/implicit.h"
#include "thread/team.h"

#include <stdlib.h>
#include <string.h>

enum {
    IMAGES = 8, /* four of weights, and four */
    /* of a thread: elements below a row and their E above it, edges, guides and what elements need
     */
    LINES = 5 + 4 + 2 * RO_MAX_JOINT + RO_LINE_SCRATCH,
    SINGLES = 3, /* rows of the image in single precision */
    ALIGNED = 64
};

struct solver {
    ro_context *context;
    const struct conjugate *run;
    const struct line_kernel *lines_of;
    const struct conjugate_kernel *kernel;
    int64_t width, height, stride, line_stride;
    int plane; /* that is solved; weights are made of the planes from it on */
    float *weights[4], *x, *residual, *direction, *product;
    double *lines;  /* of all threads */
    float *singles; /* of all threads */
    struct conjugate_sums *sums;
    double *squares; /* of the image's rows */
    struct edge_balance *balance;
    int32_t table[2 * RO_LINE_TABLE];
    struct conjugate_steps steps;
    double min, max;
};

static int64_t stride_of(int64_t width)
{
    const int64_t lanes = RO_CONJUGATE_LANES;
    return (width + lanes - 1) / lanes * lanes + lanes;
}

bool conjugate_bytes(int64_t width, int64_t height, size_t *bytes)
{
    return size_multiply((size_t)stride_of(width), (size_t)height + 2, bytes) &&
           size_multiply(*bytes, IMAGES * sizeof(float), bytes) &&
           size_add(*bytes, 2 * ALIGNED, bytes);
}

static float *row(const struct solver *s, float *image, int64_t y)
{
    return image + (y + 1) * s->stride;
}

static struct conjugate_weights weights_of(const struct solver *s, int64_t y)
{
    return (struct conjugate_weights){row(s, s->weights[0], y), row(s, s->weights[1], y),
                                      row(s, s->weights[2], y), row(s, s->weights[3], y)};
}

static double *line_of(const struct solver *s, int part, int line)
{
    return s->lines + ((int64_t)part * LINES + line) * s->line_stride + RO_LINE_MARGIN;
}

static float *single_of(const struct solver *s, int part, int64_t y)
{
    return s->singles + ((int64_t)part * SINGLES + (y + SINGLES) % SINGLES) * s->stride;
}

/* ---- Weights -------------------------------------------------------------------------------- */

static void load_guide(const struct solver *s, int plane, int64_t y, double *line)
{
    const struct number_planes *guide = &s->run->guide;
    const int64_t at = ((int64_t)plane * s->height + y) * s->width;
    const int32_t *integers = (const int32_t *)guide->data + at;
    const float *floats = (const float *)guide->data + at;
    if (guide->type == RO_PLANE_DOUBLES)
        memcpy(line, (const double *)guide->data + at, (size_t)s->width * sizeof *line);
    for (int64_t x = 0; x < s->width && guide->type == RO_PLANE_INTEGERS; x++)
        line[x] = integers[x];
    for (int64_t x = 0; x < s->width && guide->type == RO_PLANE_FLOATS; x++)
        line[x] = (double)floats[x];
}

/* Elements below row y into the lines of a part; none below the last. */
static void elements(struct solver *s, int part, int64_t y, bool first,
                     const struct line_elements *out)
{
    const struct conjugate *run = s->run;
    const double *top[RO_MAX_JOINT], *bottom[RO_MAX_JOINT];
    if (y < 0 || y + 1 >= s->height) {
        for (int i = 0; i < 4; i++)
            memset(line_of(s, part, i), 0, (size_t)s->width * sizeof(double));
        return;
    }
    for (int c = 0; c < run->diffusion->joint; c++) {
        double *lines[2] = {line_of(s, part, 9 + 2 * c + (int)(y % 2)),
                            line_of(s, part, 9 + 2 * c + (int)((y + 1) % 2))};
        if (first)
            load_guide(s, s->plane + c, y, lines[0]);
        load_guide(s, s->plane + c, y + 1, lines[1]);
        top[c] = lines[0];
        bottom[c] = lines[1];
    }
    s->lines_of->elements(run->diffusion, s->table, top, bottom, s->width - 1, out,
                          line_of(s, part, 9 + 2 * RO_MAX_JOINT));
}

static void weights_pass(void *data, int part, int parts)
{
    struct solver *s = data;
    int from, to;
    team_share((int)s->height, part, parts, &from, &to);
    const struct line_elements e = {line_of(s, part, 0), line_of(s, part, 1), line_of(s, part, 2),
                                    line_of(s, part, 3)};
    const struct line_weights edges = {line_of(s, part, 5),
                                       line_of(s, part, 6),
                                       line_of(s, part, 7),
                                       line_of(s, part, 8),
                                       NULL,
                                       NULL};
    double *above = line_of(s, part, 4);
    elements(s, part, from - 1, true, &e);
    for (int64_t y = from; y < to; y++) {
        memcpy(above, e.e, (size_t)s->width * sizeof *above);
        elements(s, part, y, y == 0, &e);
        const struct conjugate_weights here = weights_of(s, y);
        s->lines_of->edges(s->width, above, &e, &edges);
        s->kernel->weights(s->width, s->run->integers ? s->run->time * 0x1p-16 : s->run->time,
                           &edges, &here);
    }
}

/* ---- Iterations ----------------------------------------------------------------------------- */

static struct conjugate_row row_at(const struct solver *s, int64_t y, const float *up,
                                   const float *at, const float *down)
{
    return (struct conjugate_row){s->width, weights_of(s, y), weights_of(s, y - 1), up, at, down};
}

static void multiply(const struct solver *s, int64_t y)
{
    const struct conjugate_row here = row_at(s, y, row(s, s->direction, y - 1),
                                             row(s, s->direction, y), row(s, s->direction, y + 1));
    s->kernel->multiply(&here, row(s, s->residual, y), row(s, s->product, y), &s->sums[y]);
}

/* Row y of the image in single precision; beyond the last it is zero. */
static void load_single(const struct solver *s, int part, int64_t y)
{
    float *line = single_of(s, part, y);
    if (y < 0 || y >= s->height) {
        memset(line, 0, (size_t)s->width * sizeof *line);
        return;
    }
    const int64_t at = ((int64_t)s->plane * s->height + y) * s->width;
    const int32_t *integers = (const int32_t *)s->run->in.data + at;
    if (s->run->integers)
        for (int64_t x = 0; x < s->width; x++)
            line[x] = (float)integers[x];
    else
        memcpy(line, (const float *)s->run->in.data + at, (size_t)s->width * sizeof *line);
}

static void add_balance(const struct solver *s, int64_t y, struct edge_balance *balance)
{
    const int32_t *line =
        (const int32_t *)s->run->in.data + ((int64_t)s->plane * s->height + y) * s->width;
    int64_t sum = 0;
    int32_t min = balance->min, max = balance->max;
    for (int64_t x = 0; x < s->width; x++) {
        sum += line[x];
        min = line[x] < min ? line[x] : min;
        max = line[x] > max ? line[x] : max;
    }
    *balance = (struct edge_balance){balance->defect + sum, min, max};
}

static void start_pass(void *data, int part, int parts)
{
    struct solver *s = data;
    int from, to;
    team_share((int)s->height, part, parts, &from, &to);
    load_single(s, part, from - 1);
    load_single(s, part, from);
    for (int64_t y = from; y < to; y++) {
        load_single(s, part, y + 1);
        const struct conjugate_row here = row_at(s, y, single_of(s, part, y - 1),
                                                 single_of(s, part, y), single_of(s, part, y + 1));
        s->squares[y] = s->kernel->start(&here, row(s, s->residual, y), row(s, s->direction, y));
        memset(row(s, s->x, y), 0, (size_t)s->width * sizeof *s->x);
        if (y - 1 > from)
            multiply(s, y - 1);
        if (s->run->integers)
            add_balance(s, y, &s->balance[part]);
    }
}

static void advance_pass(void *data, int part, int parts)
{
    struct solver *s = data;
    int from, to;
    team_share((int)s->height, part, parts, &from, &to);
    for (int64_t y = from; y < to; y++) {
        s->kernel->advance(&s->steps, s->width, row(s, s->product, y), row(s, s->x, y),
                           row(s, s->residual, y), row(s, s->direction, y));
        if (y - 1 > from)
            multiply(s, y - 1);
    }
}

/* The products that had to wait. */
static void border_pass(void *data, int part, int parts)
{
    struct solver *s = data;
    int from, to;
    team_share((int)s->height, part, parts, &from, &to);
    if (from < to)
        multiply(s, from);
    if (from + 1 < to)
        multiply(s, to - 1);
}

/* To the nearest number in the range of r, or to a float. */
static void store_pass(void *data, int part, int parts)
{
    struct solver *s = data;
    const struct conjugate *run = s->run;
    int from, to;
    team_share((int)s->height, part, parts, &from, &to);
    for (int64_t y = from; y < to; y++) {
        const float *x = row(s, s->x, y), *direction = row(s, s->direction, y);
        const int64_t at = ((int64_t)s->plane * s->height + y) * s->width;
        if (run->integers) {
            int32_t *out = (int32_t *)run->out.data + at;
            int64_t sum = 0;
            s->kernel->store_integers(s->steps.step, s->width, (const int32_t *)run->in.data + at,
                                      x, direction, s->min, s->max, out);
            for (int64_t i = 0; i < s->width; i++)
                sum += out[i];
            s->balance[part].defect -= sum;
            continue;
        }
        const float *r = (const float *)run->in.data + at;
        float *out = (float *)run->out.data + at;
        if (!run->real)
            s->kernel->store_floats(s->steps.step, s->width, r, x, direction, out);
        for (int64_t i = 0; i < s->width && run->real; i++) {
            const float way = x[i] + s->steps.step * direction[i];
            out[i] = (float)ro_small_float_round(run->real, (double)r[i] + (double)way,
                                                 RO_ROUND_NEAREST_EVEN);
        }
    }
}

/* ---- The method ----------------------------------------------------------------------------- */

static struct conjugate_sums total(const struct solver *s)
{
    struct conjugate_sums sum = {0, 0, 0};
    for (int64_t y = 0; y < s->height; y++) {
        sum.square += s->sums[y].square;
        sum.along += s->sums[y].along;
        sum.length += s->sums[y].length;
    }
    return sum;
}

static void solve(struct thread_team *team, struct solver *s)
{
    const size_t size = (size_t)(s->width * s->height);
    double square = 0;
    team_pass(team, size, start_pass, s);
    team_pass(team, size, border_pass, s);
    for (int64_t y = 0; y < s->height; y++)
        square += s->squares[y];
    s->steps = (struct conjugate_steps){.enough = s->run->enough * square};
    struct conjugate_sums sums = total(s);
    while (conjugate_next(&s->steps, &sums) &&
           !atomic_load_explicit(&s->context->cancelled, memory_order_relaxed)) {
        team_pass(team, size, advance_pass, s);
        team_pass(team, size, border_pass, s);
        sums = total(s);
    }
}

static void lead(struct thread_team *team, void *data)
{
    struct solver *s = data;
    const struct conjugate *run = s->run;
    const size_t size = (size_t)(s->width * s->height);
    const int parts = team_size(team);
    for (s->plane = 0; s->plane < run->channels; s->plane++) {
        if (s->plane % run->diffusion->joint == 0)
            team_pass(team, size, weights_pass, s);
        for (int i = 0; i < parts; i++)
            s->balance[i] = (struct edge_balance){0, INT32_MAX, INT32_MIN};
        solve(team, s);
        struct edge_balance range = s->balance[0];
        for (int i = 1; i < parts; i++) {
            range.min = s->balance[i].min < range.min ? s->balance[i].min : range.min;
            range.max = s->balance[i].max > range.max ? s->balance[i].max : range.max;
        }
        s->min = range.min;
        s->max = range.max;
        team_pass(team, size, store_pass, s);
        range.defect = 0;
        for (int i = 0; i < parts; i++)
            range.defect += s->balance[i].defect;
        if (run->integers)
            run->balance[s->plane] = range;
    }
}

ro_status conjugate_run(ro_context *context, const struct conjugate *run)
{
    const struct step_weights *d = run->diffusion;
    const size_t threads = (size_t)pool_threads(context->pool);
    struct solver s = {
        .context = context,
        .run = run,
        .lines_of = line_kernel_of(context->cpu),
        .kernel = conjugate_kernel_of(context->cpu),
        .width = d->width,
        .height = d->height,
        .stride = stride_of(d->width),
        .line_stride = d->width + 2 * RO_LINE_MARGIN,
    };
    char *const memory = run->memory;
    float *image = (float *)(void *)(memory + ALIGNED + (ALIGNED - (uintptr_t)memory % ALIGNED));
    float **const images[IMAGES] = {&s.weights[0], &s.weights[1], &s.weights[2], &s.weights[3],
                                    &s.x,          &s.residual,   &s.direction,  &s.product};
    for (int i = 0; i < IMAGES; i++, image += s.stride * (s.height + 2))
        *images[i] = image;
    line_tables(d, s.table);
    s.lines = calloc(threads * LINES * (size_t)s.line_stride, sizeof *s.lines);
    const size_t single_bytes = threads * SINGLES * (size_t)s.stride * sizeof *s.singles;
    char *singles = calloc(1, single_bytes + 3 * ALIGNED);
    s.singles = (float *)(void *)(singles + ALIGNED + (ALIGNED - (uintptr_t)singles % ALIGNED));
    s.sums = calloc((size_t)s.height, sizeof *s.sums);
    s.squares = calloc((size_t)s.height, sizeof *s.squares);
    s.balance = calloc(threads, sizeof *s.balance);
    ro_status status = RO_OK;
    if (s.lines && singles && s.sums && s.squares && s.balance)
        team_open(context->pool, (int)threads, lead, &s);
    else
        status = ro_context_fail(context, RO_E_MEMORY, "no memory to denoise %u x %u pixels",
                                 d->width, d->height);
    free(s.lines);
    free(singles);
    free(s.sums);
    free(s.squares);
    free(s.balance);
    return status;
}
