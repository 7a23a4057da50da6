/* SPDX-License-Identifier: MIT */
/*
 * Holograms of points. Points are cut by depth into slabs of equal thickness. Each slab lights a
 * plane a little nearer to the hologram, by the Rayleigh-Sommerfeld kernel of every point inside
 * the cone that the pixels carry; planes then go on as those of any scene, hiding nothing.
 *
 *      slab            plane
 *       .  \            |
 *     .     > cones --> |  ------ propagation ------> hologram
 *       .  /            |
 *
 * A plane so near that its cones are a few pixels wide would carry little but their edges, so it is
 * CONE pixels of the cone away. Towards the edges of cone and plane light fades to nothing.
 */
#include "context/context.h"
#include "core/misuse.h"
#include "core/random.h"
#include "hologram/field/field.h"
#include "hologram/scene/layers.h"
#include "hologram/scene/picture_light.h"
#include "hologram/scene/viewer.h"
#include "options/table.h"
#include "roundoff/command.h"

#include <stdlib.h>
#include <string.h>

enum { CONE = 64, MOST_SLABS = 64, PIXEL_COST = 50 };
static const double fade = 0.75; /* of the cone */

struct point {
    double x, y, z, amplitude, turns;
    uint32_t number;
};

struct slab {
    size_t first, end;   /* of its points, from the top */
    double plane, reach; /* of its widest cone, downwards */
};

struct points {
    struct point *point;
    size_t count;
    struct slab slabs[MOST_SLABS]; /* from the back */
    int used;
    double wavelength, area, slope[2]; /* of a pixel of the hologram; of the cone */
    double nearest, reach[2];          /* of all points */
};

/* ---- Light ----------------------------------------------------------------------------------- */

static double depth_of(const void *scene, int plane)
{
    return ((const struct points *)scene)->slabs[plane].plane;
}

static void place_of(const void *data, int place, double *depth, double reach[2])
{
    const struct points *p = data;
    (void)place;
    *depth = p->nearest;
    reach[0] = p->reach[0];
    reach[1] = p->reach[1];
}

/* From 0 to 1 without an edge. */
static double soft(double t)
{
    return t >= 1 ? 1 : t <= 0 ? 0 : t * t * t * (10 - t * (15 - 6 * t));
}

/* 1 inside the cone, falling to 0 at its edge; q: the square of the place in it. */
static double in_cone(double q) { return q <= fade * fade ? 1 : soft((1 - sqrt(q)) / (1 - fade)); }

/* Light that is to arrive inside the grid crosses a plane, `part` of the way, well inside too:
 * between there and the edge it falls to 0. */
static double in_grid(double place, double from, double half, double part)
{
    const double room = place < from ? from + half : half - from;
    const double left = place < from ? place + half : half - place;
    return part >= 1 ? 1 : soft(left / (room * (1 - part)));
}

static void light_row(const struct points *p, const struct point *point, double away,
                      const struct light_grid *grid, double y, float *light)
{
    const double dy = y - point->y, v = dy / (p->slope[1] * away);
    const double half = p->slope[0] * away * sqrt(fmax(1 - v * v, 0)), k = 1 / p->wavelength;
    const double part = away / point->z, side = grid->width * grid->pitch[0] / 2;
    const double row = point->amplitude * p->area * away *
                       in_grid(y, point->y, grid->height * grid->pitch[1] / 2, part);
    const double middle = point->x / grid->pitch[0] + grid->width / 2.0 - 0.5;
    const double wide = half / grid->pitch[0];
    const double from = fmax(ceil(middle - wide), 0), to = fmin(middle + wide, grid->width - 1.0);
    for (double column = from; column <= to; column++) {
        const double dx = (column - middle) * grid->pitch[0], u = dx / (p->slope[0] * away);
        const double q = u * u + v * v;
        if (q >= 1)
            continue;
        const double rr = dx * dx + dy * dy + away * away, r = sqrt(rr);
        const double size = row / rr * in_cone(q) * in_grid(point->x + dx, point->x, side, part);
        float c, s;
        phasor(r * k + point->turns, &c, &s);
        /* (1 / r - i k) e^{i k r} / (2 pi), k being 2 pi over the wavelength */
        const double a = size / (PHASOR_TAU * r), b = size * k;
        float *at = light + 2 * (size_t)column;
        at[0] += (float)(a * c + b * s);
        at[1] += (float)(a * s - b * c);
    }
}

static void emit(const void *data, int plane, const struct light_grid *grid, uint32_t row,
                 float *light, light_row_fn *write)
{
    const struct points *p = data;
    (void)write;
    const struct slab *slab = &p->slabs[plane];
    const double y = light_grid_y(grid, row);
    size_t low = slab->first, high = slab->end;
    while (low < high) { /* the first that may reach this row */
        const size_t middle = low + (high - low) / 2;
        if (p->point[middle].y < y - slab->reach)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < slab->end && p->point[i].y <= y + slab->reach; i++) {
        const double away = p->point[i].z - slab->plane;
        if (fabs(p->point[i].y - y) < p->slope[1] * away)
            light_row(p, &p->point[i], away, grid, y, light);
    }
}

/* ---- Slabs ----------------------------------------------------------------------------------- */

static int by_depth(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    if (p->z != q->z)
        return p->z > q->z ? -1 : 1;
    return p->number < q->number ? -1 : 1;
}

static int by_row(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return p->number < q->number ? -1 : 1;
}

/* As many slabs as cost least: each is a propagation, and thick ones have wide cones. */
static int slabs_of(const struct points *p, const struct light_grid *grid, double least,
                    double range)
{
    double best = INFINITY;
    int found = 1;
    for (int n = 1; n <= MOST_SLABS; n++) {
        const double across = (least + range / n / 2) * p->slope[0] / grid->pitch[0];
        const double down = (least + range / n / 2) * p->slope[1] / grid->pitch[1];
        const double cost = n * (double)grid->width * grid->height * PIXEL_COST +
                            (double)p->count * 3 * across * down;
        if (cost < best) {
            best = cost;
            found = n;
        }
    }
    return range > 0 ? found : 1;
}

static void cut(struct points *p, const struct light_grid *grid)
{
    double least = 0;
    for (int i = 0; i < 2; i++) {
        const double sine = fmin(p->wavelength / (2 * grid->pitch[i]), 0.99);
        p->slope[i] = sine / sqrt(1 - sine * sine);
        least = fmax(least, CONE * grid->pitch[i] / p->slope[i]);
    }
    qsort(p->point, p->count, sizeof *p->point, by_depth);
    const double far = p->point[0].z, near = p->point[p->count - 1].z;
    const int n = slabs_of(p, grid, least, far - near);
    size_t at = 0;
    for (int i = 0; i < n && at < p->count; i++) {
        const double end = i + 1 < n ? far - (far - near) * (i + 1) / n : -INFINITY;
        struct slab slab = {.first = at};
        double deepest = p->point[at].z;
        while (at < p->count && p->point[at].z >= end)
            at++;
        slab.end = at;
        if (slab.end == slab.first)
            continue;
        slab.plane = fmax(p->point[at - 1].z - least, 0);
        slab.reach = (deepest - slab.plane) * p->slope[1];
        qsort(p->point + slab.first, slab.end - slab.first, sizeof *p->point, by_row);
        p->slabs[p->used++] = slab;
    }
}

/* ---- Options --------------------------------------------------------------------------------- */

static ro_status take_points(ro_context *context, const ro_point_scene *scene,
                             const ro_optics *optics, struct points *p)
{
    const int64_t phase = options_word(&points_table, scene, phase);
    if (!scene->points || scene->count < 1 || scene->count > UINT32_MAX)
        return ro_context_fail(context, RO_E_ARGUMENT, "a scene of %zu points: must be from 1 on",
                               scene->count);
    p->point = malloc(scene->count * sizeof *p->point);
    if (!p->point)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for %zu points", scene->count);
    p->count = scene->count;
    p->nearest = INFINITY;
    for (size_t i = 0; i < p->count; i++) {
        const ro_scene_point *s = &scene->points[i];
        const double dx = s->x - optics->viewer[0], dy = s->y - optics->viewer[1];
        if (!(s->depth > 0 && s->depth <= 100) || !isfinite(s->x + s->y) ||
            !(fabs(s->amplitude) <= 1e6) || !(fabs(s->phase) <= 1e6))
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "point %zu at %g,%g m and a depth of %g m with an amplitude of "
                                   "%g: depths must be above 0, behind the hologram, and at most "
                                   "100",
                                   i + 1, s->x, s->y, s->depth, s->amplitude);
        const double away = s->depth - optics->viewer[2], across = dx * dx + dy * dy;
        const double turns =
            phase == PICTURE_RANDOM      ? pixel_hash(scene->seed, (uint32_t)i, 0) * 0x1p-32
            : phase == PICTURE_GIVEN     ? s->phase / PHASOR_TAU
            : phase == PICTURE_SMOOTH    ? -across / (2 * away * optics->wavelength)
            : phase == PICTURE_SPHERICAL ? -sqrt(across + away * away) / optics->wavelength
                                         : 0;
        p->point[i] = (struct point){s->x, s->y, s->depth, s->amplitude, turns, (uint32_t)i};
        p->nearest = fmin(p->nearest, s->depth);
        p->reach[0] = fmax(p->reach[0], fabs(s->x));
        p->reach[1] = fmax(p->reach[1], fabs(s->y));
    }
    return RO_OK;
}

ro_status ro_hologram_points(ro_context *context, const ro_point_scene *options, ro_field *field,
                             ro_optics *optics)
{
    if (MISSING(context, options, field))
        return RO_E_ARGUMENT;
    DEVICE_TURN(context);
    ro_point_scene scene;
    ro_status status = options_read(context, &points_table, options, &scene);
    if (status == RO_OK)
        status = field_check_out(context, field, scene.view_specific && scene.rows);
    if (status == RO_OK)
        status = field_check_physics(context, &scene.optics);
    if (status != RO_OK)
        return status;
    ro_optics seen = scene.optics;
    viewer_fit(field->width, field->height, &seen);
    status = viewer_check(context, field->width, field->height, &seen);
    double pitch[2];
    field_pitch(&seen, pitch);
    struct points p = {.wavelength = seen.wavelength, .area = pitch[0] * pitch[1]};
    struct layers layers = {
        .scene = &p, .depth = depth_of, .emit = emit, .places = 1, .place = place_of};
    if (status == RO_OK)
        status = take_points(context, &scene, &seen, &p);
    if (status == RO_OK) {
        const struct light_grid grid =
            layers_grid(&layers, &seen, field->width, field->height, scene.view_specific);
        for (int i = 0; i < 2 && status == RO_OK; i++) {
            const double half = (i ? field->height : field->width) * pitch[i] / 2;
            if (p.reach[i] > half * (1 + 1e-9))
                status = ro_context_fail(
                    context, RO_E_ARGUMENT,
                    "a point %.4g mm from the axis does not fit a hologram of %.4g mm",
                    1e3 * p.reach[i], 2e3 * half);
        }
        cut(&p, &grid);
        layers.count = p.used;
    }
    if (status == RO_OK)
        status = layers_make(context, &layers, &seen, 0, scene.view_specific,
                             &(struct layers_out){field, scene.rows, scene.rows_to});
    if (status == RO_OK && optics) {
        double sum = 0;
        for (size_t i = 0; i < p.count; i++)
            sum += p.point[i].z;
        *optics = seen;
        optics->depth = sum / (double)p.count;
        optics->hogel = viewer_hogel(field->width > field->height ? field->width : field->height);
    }
    free(p.point);
    return status;
}

/* ---- Clouds of any size ---------------------------------------------------------------------- */

ro_status ro_points_fit(ro_context *context, ro_scene_point *points, size_t count, double width,
                        double height, double near, double far)
{
    if (!context || (count > 0 && MISSING(context, points)))
        return RO_E_ARGUMENT;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (!(width > 0 && height > 0 && near > 0 && far > 0))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "points can fit a size above 0 and depths above 0 only");
    for (size_t i = 0; i < count; i++) {
        const double place[3] = {points[i].x, points[i].y, points[i].depth};
        for (int k = 0; k < 3; k++) {
            if (!isfinite(place[k]))
                return ro_context_fail(context, RO_E_ARGUMENT, "point %zu is nowhere", i + 1);
            low[k] = fmin(low[k], place[k]);
            high[k] = fmax(high[k], place[k]);
        }
    }
    const double wide = high[0] - low[0], tall = high[1] - low[1], deep = high[2] - low[2];
    double scale = INFINITY;
    if (wide > 0)
        scale = 0.9 * width / wide;
    if (tall > 0)
        scale = fmin(scale, 0.9 * height / tall);
    for (size_t i = 0; i < count; i++) {
        ro_scene_point *p = &points[i];
        p->x = isfinite(scale) ? (p->x - (low[0] + high[0]) / 2) * scale : 0;
        p->y = isfinite(scale) ? (p->y - (low[1] + high[1]) / 2) * scale : 0;
        p->depth = near + (deep > 0 ? (p->depth - low[2]) / deep : 0) * (far - near);
    }
    return RO_OK;
}
