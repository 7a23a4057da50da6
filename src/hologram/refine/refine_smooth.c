/* SPDX-License-Identifier: MIT */
/*
 * A start with a smooth phase. Light of random phase has vortices, dark points that its phase turns
 * round, which no iteration removes. So the target is also sent back with the phase of a lens:
 *
 *     modulator   |   |<--- part --->|   |     light at X of the region comes from the place x, so
 *                       \          /           that the middle of the modulator lights the region
 *     target      |      |<region>|      |     evenly
 *
 * at frequencies that the window passes and that lead to the viewing area, if there is one. The
 * given field is the start only if it has no more vortices than a few in a hundred pixels and shows
 * the target better than this, both with pixels that are equally bright.
 */
#include "context/context.h"
#include "hologram/field/field.h"
#include "hologram/refine/refine.h"

#include <stdlib.h>
#include <string.h>

/* Cycles per pixel by which light goes `across` metres on a way of `z`. */
static double bend(double across, double z, double pitch_over_wavelength)
{
    return pitch_over_wavelength * (z < 0 ? -across : across) / sqrt(across * across + z * z);
}

struct span {
    double low, high;
};

static struct span cut(struct span a, struct span b)
{
    const struct span both = {fmax(a.low, b.low), fmin(a.high, b.high)};
    return both.low <= both.high ? both : a;
}

/* The frequencies that light at a place of the target may have. */
static struct span allowed(const struct refiner *f, int axis, double place)
{
    const struct propagation *p = &f->light;
    const struct propagate_filter filter = propagate_filter_of(p, f->o->distance);
    const double n = axis ? f->height : f->width, z = f->o->distance;
    const double middle = (filter.low[axis] + filter.high[axis]) / (4 * n);
    const double half = (filter.high[axis] - filter.low[axis]) / (4 * n);
    struct span span = {middle - 0.9 * half, middle + 0.9 * half};
    const double x = (place - n / 2) * p->pitch[axis], scale = p->pitch[axis] / p->wavelength;
    const double viewer = f->optics->viewer[axis], area = f->optics->viewing_area[axis];
    const double away = -z - f->optics->viewer[2];
    if (f->optics->viewer[2] < 0 && area > 0 && away > 0)
        span = cut(span, (struct span){bend(viewer - 0.45 * area - x, away, scale),
                                       bend(viewer + 0.45 * area - x, away, scale)});
    return span;
}

/* The phase along one direction, in turns. */
static double *lens(const struct refiner *f, int axis)
{
    const int n = (int)(axis ? f->height : f->width);
    const double first = f->region[axis], wide = f->region[axis + 2];
    const double part = f->levels.count >= RO_REFINEMENT_MANY ? 0.6 : 0.85;
    const double pitch = f->light.pitch[axis], scale = pitch / f->light.wavelength;
    double *turns = malloc((size_t)n * sizeof *turns), sum = 0, last = 0;
    for (int i = 0; turns && i < n; i++) {
        const double place = i + 0.5, from = n / 2.0 + ((place - first) / wide - 0.5) * n * part;
        const struct span span = allowed(f, axis, place);
        const double ideal = bend((place - from) * pitch, f->o->distance, scale);
        const double now = fmin(fmax(ideal, span.low), span.high);
        sum += i ? (last + now) / 2 : 0;
        turns[i] = sum = sum - rint(sum);
        last = now;
    }
    return turns;
}

static void fill(struct refiner *f, const double *across, const double *down)
{
    for (uint32_t y = 0; y < f->height; y++)
        for (uint32_t x = 0; x < f->width; x++) {
            const size_t i = (size_t)y * f->width + x;
            float c, s;
            phasor(across[x] + down[y], &c, &s);
            const float t = refine_inside(f, x, y) ? f->target[i] : 0;
            f->y[2 * i] = t * c;
            f->y[2 * i + 1] = t * s;
        }
}

/* Whether the four pixels from i on are bright in the target, and whether r turns round in them. */
static bool is_bright(const struct refiner *f, size_t i)
{
    const float *t = f->target + i;
    return fminf(fminf(t[0], t[1]), fminf(t[f->width], t[f->width + 1])) > 0.25f * f->bright;
}

static bool is_vortex(const struct refiner *f, size_t i)
{
    const size_t corner[5] = {i, i + 1, i + f->width + 1, i + f->width, i};
    int turns = 0;
    for (int k = 0; k < 4; k++) {
        const float *a = f->r + 2 * corner[k], *b = f->r + 2 * corner[k + 1];
        const double side = (double)a[0] * b[1] - (double)a[1] * b[0];
        turns += a[1] <= 0 && b[1] > 0 && side > 0;
        turns -= a[1] > 0 && b[1] <= 0 && side < 0;
    }
    return turns != 0;
}

static void count_row(struct refiner *f, const void *data, uint32_t y)
{
    struct refine_sums sums = {0};
    (void)data;
    for (uint32_t x = f->region[0]; x + 1 < f->region[0] + f->region[2]; x++) {
        const size_t i = (size_t)y * f->width + x;
        if (!refine_inside(f, x, y) || !refine_inside(f, x + 1, y + 1) || !is_bright(f, i))
            continue;
        sums.tt++;
        sums.aa += is_vortex(f, i);
    }
    f->figures[y] = sums;
}

static ro_status has_vortices(struct refiner *f, bool *many)
{
    double bright = 0, vortices = 0;
    field_get(f->field, f->r);
    ro_status status = propagation_run(&f->light, f->r, f->o->distance);
    refine_rows(f, count_row, NULL);
    for (uint32_t y = 0; y < f->height; y++) {
        bright += f->figures[y].tt;
        vortices += f->figures[y].aa;
    }
    *many = vortices > 0.02 * bright;
    return status;
}

static void even_row(struct refiner *f, const void *data, uint32_t y)
{
    const size_t at = 2 * (size_t)y * f->width;
    const float *from = (const float *)data + at;
    float *to = f->r + at;
    for (uint32_t x = 0; x < f->width; x++, from += 2, to += 2) {
        const float re = from[0], im = f->levels.real ? 0 : from[1];
        const float size = sqrtf(re * re + im * im);
        to[0] = size > 0 ? re / size : 1;
        to[1] = size > 0 ? im / size : 0;
        if (f->source) {
            const float *s = f->source + (to - f->r);
            const float bright = sqrtf(s[0] * s[0] + s[1] * s[1]);
            to[0] *= bright;
            to[1] *= bright;
        }
    }
}

/* How well a field shows the target if all pixels are equally bright. */
static ro_status judge(struct refiner *f, const float *field, double *psnr)
{
    double light;
    refine_rows(f, even_row, field);
    ro_status status = propagation_run(&f->light, f->r, f->o->distance);
    return status == RO_OK ? refine_figures(f, psnr, &light) : status;
}

static ro_status compare(struct refiner *f, bool *given)
{
    double psnr[2] = {0};
    bool vortices = false;
    ro_status status = has_vortices(f, &vortices);
    *given = false;
    if (status != RO_OK || vortices)
        return status;
    field_get(f->field, f->q);
    status = judge(f, f->q, &psnr[0]);
    if (status == RO_OK)
        status = judge(f, f->y, &psnr[1]);
    *given = psnr[0] > psnr[1];
    return status;
}

/* y = the target of the plane at hand, sent back. */
static ro_status send_back(struct refiner *f)
{
    double *across = lens(f, 0), *down = lens(f, 1);
    ro_status status = RO_OK;
    if (!across || !down)
        status = ro_context_fail(f->context, RO_E_MEMORY, "no memory for a start");
    else
        fill(f, across, down);
    free(across);
    free(down);
    return status == RO_OK ? propagation_run(&f->light, f->y, -f->o->distance) : status;
}

/* Those of all planes together. */
static ro_status send_all_back(struct refiner *f)
{
    const size_t numbers = (size_t)f->width * f->height * 2;
    ro_status status = RO_OK;
    if (f->planes > 1)
        memset(f->sum, 0, numbers * sizeof *f->sum);
    for (int i = f->planes; i-- > 0 && status == RO_OK;) {
        refine_use(f, i);
        status = send_back(f);
        for (size_t k = 0; k < numbers && f->planes > 1; k++)
            f->y[k] = f->sum[k] += f->y[k];
    }
    return status;
}

ro_status refine_smooth(struct refiner *f)
{
    bool given = false;
    ro_status status = send_all_back(f);
    if (status == RO_OK && f->field)
        status = compare(f, &given);
    if (status != RO_OK || (given && !f->source))
        return status;
    if (given)
        field_get(f->field, f->q);
    else
        memcpy(f->q, f->y, (size_t)f->width * f->height * 2 * sizeof *f->q);
    for (size_t i = 0; f->source && i < (size_t)f->width * f->height; i++)
        refine_unlit(f, i, f->q + 2 * i);
    f->own = (ro_field){f->width, f->height, 8 * (ptrdiff_t)f->width, f->q};
    f->field = &f->own;
    return RO_OK;
}
