/* SPDX-License-Identifier: MIT */
/*
 * The map of a kind that is nearest to a displacement: least squares over places that lie evenly on
 * the image. Those that are far off count less, because the descent misses in flat places and at
 * the border.
 */
#include "register/start/transform.h"
#include "context/context.h"
#include "core/image.h"
#include "core/misuse.h"
#include "options/table.h"
#include "register/image.h"
#include "register/start/maps.h"
#include "roundoff/command.h"

#include <math.h>
#include <stdlib.h>

enum { ACROSS = 64, ROUNDS = 8 };

struct places {
    int count;
    struct point from[ACROSS * ACROSS], to[ACROSS * ACROSS];
    double weight[ACROSS * ACROSS], off[ACROSS * ACROSS], sorted[ACROSS * ACROSS];
};

static float *row_of(const ro_image *field, int y)
{
    return (float *)(void *)((char *)field->data + (ptrdiff_t)y * field->stride);
}

static bool is_kept(const struct registration *flow, int p, double x, double y)
{
    const float *keep = flow->keep[p];
    return x >= 0 && y >= 0 && x <= flow->size[p].width - 1 && y <= flow->size[p].height - 1 &&
           (!keep || keep[grid_at(&flow->grids.grid[0], (int)(y + 0.5)) + (size_t)(x + 0.5)] != 0);
}

/* Places that count in both images. */
static void gather(const struct registration *flow, const ro_image *field, struct places *places)
{
    const int width = flow->size[1].width, height = flow->size[1].height;
    const int nx = width < ACROSS ? width : ACROSS, ny = height < ACROSS ? height : ACROSS;
    places->count = 0;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            const int x = (int)((int64_t)(2 * i + 1) * width / (2 * nx));
            const int y = (int)((int64_t)(2 * j + 1) * height / (2 * ny));
            const float *u = row_of(field, y) + 2 * (ptrdiff_t)x;
            const struct point to = {x + (double)u[0], y + (double)u[1]};
            if (!is_kept(flow, 1, x, y) || !is_kept(flow, 0, to.x, to.y))
                continue;
            places->from[places->count] = (struct point){x, y};
            places->to[places->count++] = to;
        }
}

static bool fit(enum transform_kind kind, const struct places *places, struct plane_map *map)
{
    const struct point *from = places->from, *to = places->to;
    switch (kind) {
    case RO_TRANSFORM_TRANSLATION:
    case RO_TRANSFORM_RIGID:
    case RO_TRANSFORM_SIMILARITY:
        return fit_similarity(places->count, from, to, places->weight,
                              kind != RO_TRANSFORM_TRANSLATION, kind == RO_TRANSFORM_SIMILARITY,
                              map);
    case RO_TRANSFORM_AFFINE:
        return fit_affine(places->count, from, to, places->weight, map);
    default:
        return fit_homography(places->count, from, to, places->weight, map);
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* How far each place is off, and the median. */
static double measure(struct places *places, const struct plane_map *map)
{
    for (int i = 0; i < places->count; i++) {
        const struct point at = map_point(map, places->from[i]);
        places->off[i] = hypot(at.x - places->to[i].x, at.y - places->to[i].y);
        places->sorted[i] = places->off[i];
    }
    qsort(places->sorted, (size_t)places->count, sizeof *places->sorted, by_size);
    return places->sorted[places->count / 2];
}

static bool fit_robustly(enum transform_kind kind, struct places *places, struct plane_map *map,
                         double *residual)
{
    for (int i = 0; i < places->count; i++)
        places->weight[i] = 1;
    if (kind == RO_TRANSFORM_HOMOGRAPHY && !fit(RO_TRANSFORM_AFFINE, places, map))
        return false;
    for (int round = 0; round < ROUNDS; round++) {
        if (places->count == 0 || !fit(kind, places, map))
            return false;
        *residual = measure(places, map);
        for (int i = 0; i < places->count; i++) {
            const double part = places->off[i] / (2 * *residual + 0.01);
            places->weight[i] = 1 / (1 + part * part);
        }
    }
    return true;
}

static void write_row(const struct plane_map *map, const struct rounder *round, int y,
                      const ro_image *field)
{
    float *u = row_of(field, y);
    for (uint32_t x = 0; x < field->width / 2; x++) {
        const struct point to = map_point(map, (struct point){x, y});
        u[2 * x] = (float)(to.x - x);
        u[2 * x + 1] = (float)(to.y - y);
        for (int k = 0; k < 2 && round; k++)
            u[2 * x + (uint32_t)k] = rounder_round(round, u[2 * x + (uint32_t)k]);
    }
}

ro_status register_simplify(struct registration *flow, const ro_image *field)
{
    const enum transform_kind kind =
        (enum transform_kind)options_word(&register_table, &flow->options, transform);
    struct plane_map map = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    flow->report.transform = flow->options.transform;
    if (kind == RO_TRANSFORM_DENSE)
        return RO_OK;
    struct places *places = malloc(sizeof *places);
    if (!places)
        return ro_context_fail(flow->context, RO_E_MEMORY, "no memory to fit a map");
    gather(flow, field, places);
    const bool good = fit_robustly(kind, places, &map, &flow->report.residual);
    free(places);
    if (!good)
        return ro_context_fail(flow->context, RO_E_ARGUMENT,
                               "too little is seen in both images to fit a map: transform %s",
                               flow->options.transform);
    for (int i = 0; i < 9; i++)
        flow->report.map[i] = map.m[i];
    for (int y = 0; y < (int)field->height && !ro_context_cancelled(flow->context); y++)
        write_row(&map, &flow->round, y, field);
    return register_heard(flow);
}

/* ---- Maps that were found before ------------------------------------------------------------- */

static ro_status take_map(ro_context *context, const double given[9], int inverse,
                          struct plane_map *map)
{
    struct plane_map there, back;
    for (int i = 0; i < 9; i++)
        there.m[i] = given[i];
    if (!map_invert(&there, &back))
        return ro_context_fail(context, RO_E_ARGUMENT, "the map has no inverse");
    *map = inverse ? back : there;
    return RO_OK;
}

ro_status ro_map_points(ro_context *context, const double map[9], int inverse, size_t count,
                        const double *points, double *moved)
{
    struct plane_map way;
    if (!context || MISSING(context, map) || (count > 0 && MISSING(context, points, moved)))
        return RO_E_ARGUMENT;
    const ro_status status = take_map(context, map, inverse, &way);
    for (size_t i = 0; i < count && status == RO_OK; i++) {
        const struct point to = map_point(&way, (struct point){points[2 * i], points[2 * i + 1]});
        moved[2 * i] = to.x;
        moved[2 * i + 1] = to.y;
    }
    return status;
}

ro_status ro_map_field(ro_context *context, const double map[9], int inverse, const ro_image *field)
{
    struct plane_map way;
    if (!context || MISSING(context, map))
        return RO_E_ARGUMENT;
    ro_status status = image_check(context, field, "field");
    if (status == RO_OK && (field->format != RO_GREYF || field->width % 2))
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "a field has two floats for each pixel, u_x and u_y");
    if (status == RO_OK)
        status = take_map(context, map, inverse, &way);
    for (int y = 0; status == RO_OK && y < (int)field->height; y++) {
        write_row(&way, NULL, y, field);
        for (uint32_t x = 0; x < field->width && status == RO_OK; x++)
            if (!isfinite(row_of(field, y)[x]))
                status = ro_context_fail(context, RO_E_ARGUMENT,
                                         "the map leads to nowhere from (%u, %d)", x / 2, y);
    }
    return status;
}
