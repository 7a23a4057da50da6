/* SPDX-License-Identifier: MIT */
/*
 * Points through a displacement field, and the field that leads back.
 *
 * There: x + u(x), u interpolated between four pixels and, beyond the border, that of the nearest
 * one. Back: the x with x + u(x) = y by Newton's method, from where the affine map nearest to the
 * field would have it; a step that does not lead nearer is halved.
 */
#include "context/context.h"
#include "core/image.h"
#include "core/misuse.h"
#include "roundoff/register.h"

#include <math.h>
#include <stdatomic.h>

struct place {
    double x, y;
};

/* The field, and the affine map nearest to x + u(x): x' = m0 x + m1 y + m2, y' = m3 ... */
struct way {
    const ro_image *field;
    double width, height, m[6];
};

static const float *row_of(const ro_image *field, int64_t y)
{
    return (const float *)(const void *)((const char *)field->data + y * field->stride);
}

/* u at a place, and how it changes to the right (d[0], d[1]) and down. */
static struct place displacement(const struct way *way, struct place at, double d[4])
{
    const double x = fmin(fmax(at.x, 0), way->width - 1), y = fmin(fmax(at.y, 0), way->height - 1);
    const int64_t ix = (int64_t)fmin(floor(x), fmax(way->width - 2, 0));
    const int64_t iy = (int64_t)fmin(floor(y), fmax(way->height - 2, 0));
    const int64_t right = way->width > 1, below = way->height > 1;
    const float *a = row_of(way->field, iy) + 2 * ix, *c = row_of(way->field, iy + below) + 2 * ix;
    const double fx = x - (double)ix, fy = y - (double)iy;
    double u[2];
    for (int k = 0; k < 2; k++) {
        const double p = (double)a[k], q = (double)a[2 * right + k];
        const double r = (double)c[k], s = (double)c[2 * right + k];
        const double top = p + fx * (q - p), low = r + fx * (s - r);
        u[k] = top + fy * (low - top);
        d[k] = at.x == x ? (q - p) + fy * ((s - r) - (q - p)) : 0; /* constant beyond the border */
        d[2 + k] = at.y == y ? low - top : 0;
    }
    return (struct place){u[0], u[1]};
}

static struct place there(const struct way *way, struct place at)
{
    double d[4];
    const struct place u = displacement(way, at, d);
    return (struct place){at.x + u.x, at.y + u.y};
}

/* Newton's method; NaN where it does not arrive. */
static struct place back(const struct way *way, struct place to)
{
    enum { STEPS = 40 };
    static const double NEAR = 1e-4; /* pixels */
    const double *m = way->m, whole = m[0] * m[4] - m[1] * m[3];
    struct place at = to;
    if (fabs(whole) > 1e-6) {
        const double x = to.x - m[2], y = to.y - m[5];
        at = (struct place){(m[4] * x - m[1] * y) / whole, (m[0] * y - m[3] * x) / whole};
    }
    for (int step = 0; step < STEPS; step++) {
        double d[4];
        const struct place u = displacement(way, at, d);
        const double rx = at.x + u.x - to.x, ry = at.y + u.y - to.y, away = hypot(rx, ry);
        if (away < NEAR)
            return at;
        const double det = (1 + d[0]) * (1 + d[3]) - d[2] * d[1];
        if (!(fabs(det) > 1e-6))
            break;
        const double sx = ((1 + d[3]) * rx - d[2] * ry) / det;
        const double sy = ((1 + d[0]) * ry - d[1] * rx) / det;
        double by = 1;
        struct place next;
        for (; by > 1e-3; by /= 2) {
            next = (struct place){at.x - by * sx, at.y - by * sy};
            const struct place got = there(way, next);
            if (hypot(got.x - to.x, got.y - to.y) < away)
                break;
        }
        if (!(by > 1e-3))
            break;
        at = next;
    }
    return (struct place){NAN, NAN};
}

/* Least squares over the field's pixels; coordinates about the middle are orthogonal. */
static void fit(const ro_context *context, struct way *way)
{
    const double mx = (way->width - 1) / 2, my = (way->height - 1) / 2;
    double sum[2] = {0}, by_x[2] = {0}, by_y[2] = {0}, xx = 0, yy = 0;
    for (int64_t y = 0; y < (int64_t)way->height && !ro_context_cancelled(context); y++)
        for (int64_t x = 0; x < (int64_t)way->width; x++) {
            const float *u = row_of(way->field, y) + 2 * x;
            const double dx = (double)x - mx, dy = (double)y - my;
            xx += dx * dx;
            yy += dy * dy;
            for (int k = 0; k < 2; k++) {
                sum[k] += (double)u[k];
                by_x[k] += dx * (double)u[k];
                by_y[k] += dy * (double)u[k];
            }
        }
    for (int k = 0; k < 2; k++) {
        double *m = way->m + 3 * k;
        m[0] = (k == 0) + (xx > 0 ? by_x[k] / xx : 0);
        m[1] = (k == 1) + (yy > 0 ? by_y[k] / yy : 0);
        m[2] = sum[k] / (way->width * way->height) + (k ? my : mx) - m[0] * mx - m[1] * my;
    }
}

static ro_status open_way(ro_context *context, const ro_image *field, struct way *way)
{
    ro_status status = image_check(context, field, "field");
    if (status != RO_OK)
        return status;
    if (field->format != RO_GREYF || field->width % 2)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a field has two floats for each pixel, u_x and u_y");
    *way = (struct way){.field = field, .width = field->width / 2, .height = field->height};
    for (uint32_t y = 0; y < field->height && !ro_context_cancelled(context); y++)
        for (uint32_t x = 0; x < field->width; x++)
            if (!isfinite(row_of(field, y)[x]))
                return ro_context_fail(context, RO_E_ARGUMENT,
                                       "the field at (%u, %u) is not a finite number", x / 2, y);
    fit(context, way);
    return ro_context_cancelled(context) ? ro_context_fail(context, RO_E_CANCELLED, "cancelled")
                                         : RO_OK;
}

ro_status ro_displacement_points(ro_context *context, const ro_image *field, int inverse,
                                 size_t count, const double *points, double *moved)
{
    if (!context || (count > 0 && MISSING(context, points, moved)))
        return RO_E_ARGUMENT;
    struct way way;
    ro_status status = open_way(context, field, &way);
    for (size_t i = 0; i < count && status == RO_OK; i++) {
        const struct place at = {points[2 * i], points[2 * i + 1]};
        const struct place to = inverse ? back(&way, at) : there(&way, at);
        moved[2 * i] = to.x;
        moved[2 * i + 1] = to.y;
    }
    return status;
}

struct inversion {
    const ro_context *context;
    struct way way;
    const ro_image *out;
    atomic_int ticket, missed;
};

static void invert_rows(void *data, int thread)
{
    struct inversion *of = data;
    int y;
    (void)thread;
    while ((y = atomic_fetch_add(&of->ticket, 1)) < (int)of->out->height &&
           !ro_context_cancelled(of->context)) {
        float *row = (float *)(void *)((char *)of->out->data + (ptrdiff_t)y * of->out->stride);
        struct place last = {0, 0}; /* of the pixel before, for one that is not reached */
        for (uint32_t x = 0; x < of->out->width / 2; x++) {
            const struct place from = back(&of->way, (struct place){x, y});
            if (isnan(from.x))
                atomic_fetch_add(&of->missed, 1);
            else
                last = (struct place){from.x - x, from.y - y};
            row[2 * x] = (float)last.x;
            row[2 * x + 1] = (float)last.y;
        }
    }
}

ro_status ro_displacement_inverse(ro_context *context, const ro_image *field,
                                  const ro_image *inverse, uint64_t *missed)
{
    struct inversion of = {.context = context, .out = inverse};
    ro_status status = image_check(context, inverse, "inverse");
    if (status == RO_OK && (inverse->format != RO_GREYF || inverse->width % 2))
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "a field has two floats for each pixel, u_x and u_y");
    if (status == RO_OK)
        status = open_way(context, field, &of.way);
    if (status != RO_OK)
        return status;
    pool_run(context->pool, context->threads, invert_rows, &of);
    if (ro_context_cancelled(context))
        return ro_context_fail(context, RO_E_CANCELLED, "cancelled");
    if (missed)
        *missed = (uint64_t)atomic_load(&of.missed);
    return RO_OK;
}
