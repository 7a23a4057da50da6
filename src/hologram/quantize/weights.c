/* SPDX-License-Identifier: MIT */
/*
 * The loop is u = g + sum w(k) e(x - k), q the nearest level, e = u - q, and so
 *
 *     q^ - g^ = -(1 - W) e^,   W(nu) = sum w(k) e^{-2 pi i k nu}:
 *
 * noise is rejected where W is near 1. The weights are therefore the *inverse* transform of the
 * region. What Eq. 1 leaves out (half of the plane is not yet rounded, so half of the response is
 * missing) least squares makes up for.
 */
#include "hologram/quantize/weights.h"

#include "hologram/field/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846264338327950;

const struct hologram_taps floyd_steinberg_taps = {
    .count = 4, .p = 2, .shift = 4, .dx = {1, -1, 0, 1}, .dy = {0, 1, 1, 1}, .re = {7, 3, 5, 1}};

/* ---- Regions ------------------------------------------------------------------------------ */

static double within(double x) { return x < -0.5 ? -0.5 : x > 0.5 ? 0.5 : x; }

static struct rectangle cut(double x0, double x1, double y0, double y1)
{
    struct rectangle r = {within(x0), within(x1), within(y0), within(y1), 1};
    return r;
}

static struct rectangle common(struct rectangle a, struct rectangle b)
{
    struct rectangle r = {fmax(a.x0, b.x0), fmin(a.x1, b.x1), fmax(a.y0, b.y0), fmin(a.y1, b.y1),
                          1};
    return r;
}

static void add(struct region *region, struct rectangle r, double sign)
{
    r.sign = sign;
    if (r.x1 > r.x0 && r.y1 > r.y0)
        region->part[region->count++] = r;
}

static struct rectangle rectangle_of(const ro_window *w)
{
    return cut(w->xi - w->width / 2, w->xi + w->width / 2, w->eta - w->height / 2,
               w->eta + w->height / 2);
}

static struct rectangle mirrored(struct rectangle r)
{
    struct rectangle m = {-r.x1, -r.x0, -r.y1, -r.y0, 1};
    return m;
}

struct region region_window(const ro_window *window)
{
    struct region region = {0};
    add(&region, rectangle_of(window), 1);
    return region;
}

struct region region_twin(const ro_window *window)
{
    struct region region = {0};
    struct rectangle a = rectangle_of(window), b = mirrored(a);
    add(&region, a, 1);
    add(&region, b, 1);
    add(&region, common(a, b), -1);
    return region;
}

struct region region_paper(const ro_window *window, double kappa)
{
    struct region region = {.everywhere = 1};
    struct rectangle k = cut(-kappa / 2, kappa / 2, -kappa / 2, kappa / 2);
    struct rectangle a = common(rectangle_of(window), k), b = mirrored(a);
    add(&region, k, -1);
    add(&region, a, 1);
    add(&region, b, 1);
    add(&region, common(a, b), -1);
    return region;
}

void region_add(struct region *region, double x0, double x1, double y0, double y1)
{
    if (region->count < REGION_RECTANGLES)
        add(region, cut(x0, x1, y0, y1), 1);
}

void region_add_mirrors(struct region *region)
{
    const int count = region->count;
    for (int i = 0; i < count && region->count < REGION_RECTANGLES; i++)
        add(region, mirrored(region->part[i]), 1);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count && region->count < REGION_RECTANGLES; k++)
            add(region, common(region->part[i], mirrored(region->part[k])), -1);
}

bool window_meets_its_mirror(const ro_window *window)
{
    const struct rectangle a = rectangle_of(window), both = common(a, mirrored(a));
    return both.x1 > both.x0 && both.y1 > both.y0;
}

static double sinc(double t) { return fabs(t) < 1e-12 ? 1 : sin(t) / t; }

double complex region_transform(const struct region *region, int x, int y)
{
    double complex sum = x == 0 && y == 0 ? region->everywhere : 0;
    for (int i = 0; i < region->count; i++) {
        const struct rectangle *r = &region->part[i];
        double w = r->x1 - r->x0, h = r->y1 - r->y0;
        double size = w * sinc(pi * w * x) * h * sinc(pi * h * y);
        sum += r->sign * size * cexp(I * pi * ((r->x0 + r->x1) * x + (r->y0 + r->y1) * y));
    }
    return sum;
}

double region_area(const struct region *region) { return creal(region_transform(region, 0, 0)); }

/* ---- Taps --------------------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
    const struct candidate *p = a, *q = b;
    if (p->rank != q->rank)
        return p->rank > q->rank ? -1 : 1;
    return p->dy != q->dy ? p->dy - q->dy : p->dx - q->dx;
}

void candidates_sort(struct candidate *list, int count)
{
    qsort(list, (size_t)count, sizeof *list, by_rank);
}

int candidates_of(int p, struct candidate *list)
{
    int count = 0;
    for (int dy = 0; dy <= REACH_Y; dy++)
        for (int dx = -REACH_X; dx <= REACH_X; dx++)
            if (dx + p * dy > 0 && (dy > 0 || dx > 0))
                list[count++] = (struct candidate){.dx = dx, .dy = dy};
    return count;
}

void taps_keep(struct hologram_taps *taps, const struct candidate *list, int count, int p)
{
    *taps = (struct hologram_taps){.count = count, .p = p};
    for (int i = 0; i < count; i++) {
        taps->dx[i] = (int8_t)list[i].dx;
        taps->dy[i] = (int8_t)list[i].dy;
    }
}

int weights_shift(const double complex *w, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fmax(fabs(creal(w[i])), fabs(cimag(w[i]))));
    int shift = 0;
    while (shift < 14 && most * (2 << shift) <= 127)
        shift++;
    return shift;
}

double weight_rounded(double x) { return x < -127 ? -127 : x > 127 ? 127 : rint(x); }

/* ---- Least squares -------------------------------------------------------------------------- */

typedef double complex matrix[RO_HOLOGRAM_TAPS][RO_HOLOGRAM_TAPS];

/* Cholesky: a is replaced by its factor; false where it is not positive. */
static bool solve(int n, matrix a, const double complex *r, double complex *w)
{
    for (int j = 0; j < n; j++) {
        double d = creal(a[j][j]);
        for (int k = 0; k < j; k++)
            d -= creal(a[j][k] * conj(a[j][k]));
        if (!(d > 0))
            return false;
        a[j][j] = sqrt(d);
        for (int i = j + 1; i < n; i++) {
            double complex s = a[i][j];
            for (int k = 0; k < j; k++)
                s -= a[i][k] * conj(a[j][k]);
            a[i][j] = s / creal(a[j][j]);
        }
    }
    for (int i = 0; i < n; i++) {
        double complex s = r[i];
        for (int k = 0; k < i; k++)
            s -= a[i][k] * w[k];
        w[i] = s / creal(a[i][i]);
    }
    for (int i = n; i-- > 0;) {
        double complex s = w[i];
        for (int k = i + 1; k < n; k++)
            s -= conj(a[k][i]) * w[k];
        w[i] = s / creal(a[i][i]);
    }
    return true;
}

/* Rounds weights one after another, each to the best for what the others are, until none moves:
 * eight bits then lose next to nothing. */
static void round_together(int n, matrix a, const double complex *r, double complex *w,
                           struct hologram_taps *taps)
{
    enum { SWEEPS = 50 };
    const double unit = ldexp(1, taps->shift);
    for (int i = 0; i < n; i++)
        w[i] = weight_rounded(creal(w[i]) * unit) / unit +
               I * weight_rounded(cimag(w[i]) * unit) / unit;
    bool moved = true;
    for (int sweep = 0; sweep < SWEEPS && moved; sweep++) {
        moved = false;
        for (int i = 0; i < n; i++) {
            double complex s = r[i];
            for (int k = 0; k < n; k++)
                if (k != i)
                    s -= a[i][k] * w[k];
            s = s / creal(a[i][i]) * unit;
            double complex next =
                weight_rounded(creal(s)) / unit + I * weight_rounded(cimag(s)) / unit;
            moved |= next != w[i];
            w[i] = next;
        }
    }
    for (int i = 0; i < n; i++) {
        taps->re[i] = (int8_t)lrint(creal(w[i]) * unit);
        taps->im[i] = (int8_t)lrint(cimag(w[i]) * unit);
    }
}

void weights_least_squares(const struct region *region, int count, int p, double rho,
                           struct hologram_taps *taps)
{
    struct candidate list[CANDIDATES];
    int all = candidates_of(p, list);
    for (int i = 0; i < all; i++)
        list[i].rank = -(double)(list[i].dx * list[i].dx + list[i].dy * list[i].dy);
    candidates_sort(list, all);
    int n = count < all ? count : all;
    taps_keep(taps, list, n, p);

    static const matrix none;
    matrix a, factor;
    memcpy(a, none, sizeof a);
    double complex r[RO_HOLOGRAM_TAPS], w[RO_HOLOGRAM_TAPS] = {0};
    double area = region_area(region);
    for (int i = 0; i < n; i++) {
        r[i] = region_transform(region, list[i].dx, list[i].dy);
        for (int k = 0; k < n; k++)
            a[i][k] = region_transform(region, list[i].dx - list[k].dx, list[i].dy - list[k].dy);
        a[i][i] += rho * area;
    }
    memcpy(factor, a, sizeof factor);
    if (area <= 0 || !solve(n, factor, r, w))
        return; /* nothing to reject, or nothing that can be: no weights */
    taps->shift = weights_shift(w, n);
    round_together(n, a, r, w, taps);
}

/* ---- Figures --------------------------------------------------------------------------------- */

static double complex weight_of(const struct hologram_taps *taps, int i)
{
    return ldexp(taps->re[i], -taps->shift) + I * ldexp(taps->im[i], -taps->shift);
}

static double response(const struct hologram_taps *taps, double u, double v)
{
    double complex w = 1;
    for (int i = 0; i < taps->count; i++)
        w += weight_of(taps, i) * cexp(-2 * I * pi * (u * taps->dx[i] + v * taps->dy[i]));
    return creal(w * conj(w));
}

/* In the middles of 24 x 24 cells of each rectangle. */
static double rejection_against_field(const struct hologram_taps *taps, const struct region *region)
{
    enum { CELLS = 24 };
    double sum = 0, area = 0;
    for (int i = 0; i < region->count; i++) {
        const struct rectangle *r = &region->part[i];
        const double part = r->sign * (r->x1 - r->x0) * (r->y1 - r->y0);
        area += part;
        for (int k = 0; k < CELLS * CELLS; k++) {
            const double u = r->x0 + (k % CELLS + 0.5) / CELLS * (r->x1 - r->x0);
            const double v = r->y0 + (k / CELLS + 0.5) / CELLS * (r->y1 - r->y0);
            sum += part / (CELLS * CELLS) / fmax(response(taps, u, v), 1e-12);
        }
    }
    return area > 0 ? sum / area : 1;
}

double weights_rejection(const struct hologram_taps *taps, const struct region *region)
{
    if (taps->against_field)
        return rejection_against_field(taps, region);
    double area = region_area(region);
    double complex sum = area;
    for (int i = 0; i < taps->count; i++) {
        double complex w = weight_of(taps, i);
        sum -= 2 * creal(conj(w) * region_transform(region, taps->dx[i], taps->dy[i]));
        for (int k = 0; k < taps->count; k++)
            sum += conj(w) * weight_of(taps, k) *
                   region_transform(region, taps->dx[i] - taps->dx[k], taps->dy[i] - taps->dy[k]);
    }
    return area > 0 ? creal(sum) / area : 1;
}

void weights_sums(const struct hologram_taps *taps, double *sum, double *norm)
{
    *sum = *norm = 0;
    for (int i = 0; i < taps->count; i++) {
        double w = cabs(weight_of(taps, i));
        *sum += w;
        *norm += w * w;
    }
}

/* ---- Geometry -------------------------------------------------------------------------------- */

/* A ray that leaves along (dx, dy, dz) has the frequency pitch / lambda * dx / length. The window
 * is the smallest rectangle round the rays to the area's edges. */
ro_window window_of_hogel(const ro_optics *o, double x, double y)
{
    double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9}, pitch[2];
    field_pitch(o, pitch);
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
            double dx = o->viewer[0] + i * o->viewing_area[0] / 2 - x;
            double dy = o->viewer[1] + j * o->viewing_area[1] / 2 - y;
            double length = sqrt(dx * dx + dy * dy + o->viewer[2] * o->viewer[2]);
            double f[2] = {pitch[0] / o->wavelength * dx / length,
                           pitch[1] / o->wavelength * dy / length};
            for (int c = 0; c < 2; c++) {
                low[c] = fmin(low[c], f[c]);
                high[c] = fmax(high[c], f[c]);
            }
        }
    ro_window window = {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, high[0] - low[0],
                        high[1] - low[1]};
    return window;
}
