/* SPDX-License-Identifier: MIT */
/* Light there and back, and the iterations between both planes. */
#include "hologram/refine/refine.h"

#include "context/context.h"

#include <string.h>

/* ---- Rows by all threads --------------------------------------------------------------------- */

struct rows {
    struct refiner *f;
    refine_row_fn *run;
    const void *data;
    atomic_uint_fast32_t ticket;
};

static void run_rows(void *data, int thread)
{
    struct rows *rows = data;
    (void)thread;
    for (uint_fast32_t y; (y = atomic_fetch_add(&rows->ticket, 1)) < rows->f->height;)
        rows->run(rows->f, rows->data, (uint32_t)y);
}

void refine_rows(struct refiner *f, refine_row_fn *run, const void *data)
{
    struct rows rows = {.f = f, .run = run, .data = data};
    pool_run(f->context->pool, pool_threads(f->context->pool), run_rows, &rows);
}

/* ---- Numbers and light ----------------------------------------------------------------------- */

static void light_row(struct refiner *f, const void *data, uint32_t y)
{
    const size_t at = (size_t)y * f->width;
    const float *table = data;
    for (uint32_t x = 0; x < f->width; x++)
        refine_lit(f, at + x, table + 2 * f->numbers[at + x], f->q + 2 * (at + x));
}

ro_status refine_light(struct refiner *f, const float *table, int count)
{
    if (f->device)
        return refine_on_cuda->light(f->device, table == f->table ? NULL : table, count);
    refine_rows(f, light_row, table);
    return RO_OK;
}

static int nearest(const struct refiner *f, const float *q)
{
    return hologram_nearest(&f->levels, (int)lrintf(q[0] * HOLOGRAM_ONE),
                            (int)lrintf(q[1] * HOLOGRAM_ONE));
}

/* Of a ring the direction alone counts; where no light falls any level will do. */
static int nearest_of(const struct refiner *f, float *q)
{
    const float size = sqrtf(q[0] * q[0] + q[1] * q[1]);
    if (f->source) {
        q[0] = size > 0 ? q[0] / size : 1;
        q[1] = size > 0 ? q[1] / size : 0;
    }
    return nearest(f, q);
}

static void round_row(struct refiner *f, const void *data, uint32_t y)
{
    const size_t at = (size_t)y * f->width;
    (void)data;
    for (uint32_t x = 0; x < f->width; x++) {
        float q[2] = {f->q[2 * (at + x)], f->q[2 * (at + x) + 1]};
        refine_unlit(f, at + x, q);
        f->numbers[at + x] = (uint8_t)nearest_of(f, q);
    }
}

ro_status refine_round(struct refiner *f)
{
    if (f->device)
        return refine_on_cuda->round(f->device);
    refine_rows(f, round_row, NULL);
    return RO_OK;
}

/* ---- There and back -------------------------------------------------------------------------- */

/* A device is asked for nothing while it works: now and then it is waited for. */
static ro_status go_on(struct refiner *f)
{
    return ro_context_progress(f->context, f->light.phase, f->done);
}

ro_status refine_arrive(struct refiner *f, const float *from)
{
    const struct propagate_filter filter = propagate_filter_of(&f->light, f->o->distance);
    if (f->device) {
        ro_status status = go_on(f);
        return status == RO_OK
                   ? refine_on_cuda->arrive(f->device, from == f->y, &filter, f->light.wraps)
                   : status;
    }
    memcpy(f->r, from, (size_t)f->width * f->height * 2 * sizeof *from);
    f->light.done = f->done;
    return propagation_run(&f->light, f->r, f->o->distance);
}

ro_status refine_back(struct refiner *f)
{
    const struct propagate_filter filter = propagate_filter_of(&f->light, -f->o->distance);
    return f->device ? refine_on_cuda->back(f->device, &filter, f->light.wraps)
                     : propagation_run(&f->light, f->r, -f->o->distance);
}

static void residual_row(struct refiner *f, const void *data, uint32_t y)
{
    float *r = f->r + 2 * (size_t)y * f->width;
    const float *t = f->target + (size_t)y * f->width;
    (void)data;
    f->sums[y] = 0;
    for (uint32_t x = 0; x < f->width; x++, r += 2) {
        if (!refine_inside(f, x, y)) {
            r[0] = r[1] = 0;
            continue;
        }
        const float size = sqrtf(r[0] * r[0] + r[1] * r[1]), off = size - t[x];
        const float part = size > 0 ? off / size : 0;
        f->sums[y] += (double)off * off;
        r[0] = size > 0 ? r[0] * part : off; /* where there is no phase, any will do */
        r[1] = r[1] * part;
    }
}

ro_status refine_residual(struct refiner *f, double *error)
{
    ro_status status = RO_OK;
    if (f->device)
        status = refine_on_cuda->residual(f->device, error ? f->sums : NULL);
    else
        refine_rows(f, residual_row, NULL);
    if (error)
        *error = 0;
    for (uint32_t y = 0; y < f->height && error; y++)
        *error += f->sums[y];
    return status;
}

/* ---- Figures --------------------------------------------------------------------------------- */

static void figures_row(struct refiner *f, const void *data, uint32_t y)
{
    struct refine_sums sums = {0};
    (void)data;
    for (uint32_t x = f->region[0]; x < f->region[0] + f->region[2]; x++) {
        const size_t i = (size_t)y * f->width + x;
        if (!refine_inside(f, x, y))
            break;
        const double t = f->target[i], re = f->r[2 * i], im = f->r[2 * i + 1];
        const double a = sqrt(re * re + im * im);
        sums.peak = fmax(sums.peak, t);
        sums.aa += a * a;
        sums.at += a * t;
        sums.tt += t * t;
    }
    f->figures[y] = sums;
}

ro_status refine_figures(struct refiner *f, double *psnr, double *light)
{
    struct refine_sums all = {0};
    ro_status status = RO_OK;
    if (f->device)
        status = refine_on_cuda->figures(f->device, f->figures);
    else
        refine_rows(f, figures_row, NULL);
    if (status != RO_OK)
        return status;
    for (uint32_t y = 0; y < f->height; y++) {
        all.peak = fmax(all.peak, f->figures[y].peak);
        all.aa += f->figures[y].aa;
        all.at += f->figures[y].at;
        all.tt += f->figures[y].tt;
    }
    const double n = (double)f->region[2] * f->region[3];
    const double error = all.aa > 0 ? all.tt - all.at * all.at / all.aa : all.tt;
    *light = all.aa / f->incident;
    *psnr = 10 * log10(all.peak * all.peak * n / fmax(error, 1e-20 * all.tt));
    return RO_OK;
}

/* ---- Iterations ------------------------------------------------------------------------------ */

/* As bright as the source. */
static void shine(const struct refiner *f, size_t at, float *u)
{
    const float *s = f->source + 2 * at, size = sqrtf(s[0] * s[0] + s[1] * s[1]);
    u[0] *= size;
    u[1] *= size;
}

/* Light that is near to that of a level becomes it. */
static void settle(const struct refiner *f, size_t at, float stay, float *u)
{
    float free[2] = {u[0], u[1]};
    refine_unlit(f, at, free);
    const float *level = f->table + 2 * nearest_of(f, free);
    if (free[0] * level[0] + free[1] * level[1] >= stay)
        refine_lit(f, at, level, u);
}

static void step_row(struct refiner *f, const void *data, uint32_t row)
{
    const struct refine_step *step = data;
    const size_t at = 2 * (size_t)row * f->width;
    float *q = f->q + at, *y = f->y + at;
    const float *d = f->r + at;
    for (uint32_t x = 0; x < f->width; x++, q += 2, y += 2, d += 2) {
        const float re = y[0] - step->eta * d[0], im = y[1] - step->eta * d[1];
        const float size = sqrtf(re * re + im * im);
        float u[2] = {size > 0 ? re / size : 1, size > 0 ? im / size : 0};
        if (f->source)
            shine(f, at / 2 + x, u);
        if (step->stay <= 1)
            settle(f, at / 2 + x, step->stay, u);
        for (int i = 0; i < 2; i++) {
            y[i] = u[i] + step->momentum * (u[i] - q[i]);
            q[i] = u[i];
        }
    }
}

/* Few levels: a fifth of the iterations without them, then the angle grows to half a step. */
static struct refine_step step_of(const struct refiner *f, int i, int n)
{
    const int without = n / 5;
    if (f->levels.count >= RO_REFINEMENT_MANY)
        return (struct refine_step){1, 0.8f, 2};
    if (i < without)
        return (struct refine_step){2, 0.5f, 2};
    const double part = sqrt((double)(i - without + 1) / (n - without));
    double c, s;
    phasor_double(part / (2 * f->levels.count), &c, &s);
    return (struct refine_step){2, (float)(0.5 * (1 - part)), i + 1 < n ? (float)c : -2};
}

static ro_status move(struct refiner *f, const struct refine_step *step)
{
    if (f->device)
        return refine_on_cuda->step(f->device, step);
    refine_rows(f, step_row, step);
    return RO_OK;
}

static void add_row(struct refiner *f, const void *data, uint32_t y)
{
    const size_t at = 2 * (size_t)y * f->width;
    const float part = *(const float *)data;
    for (uint32_t i = 0; i < 2 * f->width; i++)
        f->sum[at + i] += part * f->r[at + i];
}

/* D of y; of several planes their mean. */
static ro_status find_change(struct refiner *f)
{
    const size_t bytes = (size_t)f->width * f->height * 2 * sizeof *f->r;
    const float part = 1.0f / (float)f->planes;
    ro_status status = RO_OK;
    if (f->planes > 1)
        memset(f->sum, 0, bytes);
    for (int i = 0; i < f->planes && status == RO_OK; i++) {
        if (f->planes > 1)
            refine_use(f, i);
        status = refine_arrive(f, f->y);
        if (status == RO_OK)
            status = refine_residual(f, NULL);
        if (status == RO_OK)
            status = refine_back(f);
        if (f->planes > 1)
            refine_rows(f, add_row, &part);
    }
    if (f->planes > 1) {
        memcpy(f->r, f->sum, bytes);
        refine_use(f, 0);
    }
    return status;
}

ro_status refine_iterate(struct refiner *f)
{
    const double before = f->done;
    ro_status status = RO_OK;
    if (f->device)
        status = refine_on_cuda->begin(f->device);
    else
        memcpy(f->y, f->q, (size_t)f->width * f->height * 2 * sizeof *f->y);
    for (int i = 0; i < f->iterations && status == RO_OK; i++) {
        const struct refine_step step = step_of(f, i, f->iterations);
        f->done = before + f->share * i / f->iterations;
        status = find_change(f);
        if (status == RO_OK)
            status = move(f, &step);
    }
    return status;
}
