/* SPDX-License-Identifier: MIT */
/* Rows of the search for a start: the definition, and all its variants; see register_align.h. */
#ifndef RO_PDE_REGISTER_REGISTER_ALIGN_ROWS_H
#define RO_PDE_REGISTER_REGISTER_ALIGN_ROWS_H

#include "pde/register/align/register_align.h"
#include "pde/stencil/each_node.h"

#include <math.h>

#define ALWAYS static inline __attribute__((always_inline))

/* What is flatter stays flat: the square of a 50th of the tones. */
#define LEAST_SPREAD 4e-4

/* Eight sums side by side. */
typedef double lanes __attribute__((vector_size(RO_NORMAL * sizeof(double))));

/* Where the pixels of a row come from: the first of four neighbours and the way to the next, and
 * whether the pixel counts, 1 or 0; what does not count comes from the first pixel. */
struct places {
    double fx[RO_ALIGN_SIDE], fy[RO_ALIGN_SIDE], weight[RO_ALIGN_SIDE];
    int32_t at[RO_ALIGN_SIDE];
};

/* Splits places, which are not negative, into neighbours and the way to them. */
ALWAYS void find_neighbours(const struct ro_copy *copy, struct places *restrict places)
{
    const int32_t width = copy->width, last_x = width - 1, last_y = copy->height - 1;
    EACH_NODE
    for (int x = 0; x < width; x++) {
        int32_t ix = (int32_t)places->fx[x], iy = (int32_t)places->fy[x];
        ix -= (ix > 0) & (ix >= last_x);
        iy -= (iy > 0) & (iy >= last_y);
        places->at[x] = iy * width + ix;
        places->fx[x] = places->fx[x] - (double)ix;
        places->fy[x] = places->fy[x] - (double)iy;
    }
}

ALWAYS void find_places(const struct ro_copy *copy, const struct ro_map *map, int y,
                        struct places *restrict places)
{
    const int width = copy->width;
    const double mx = 0.5 * (width - 1), my = 0.5 * (copy->height - 1), dy = y - my;
    const double right = width - 1, bottom = copy->height - 1;
    const double m0 = map->m[0], m1 = map->m[1], m2 = map->m[2];
    const double m3 = map->m[3], m4 = map->m[4], m5 = map->m[5];
    EACH_NODE
    for (int x = 0; x < width; x++) {
        const double dx = x - mx;
        const double px = m0 * dx + m1 * dy + m2 + mx, py = m3 * dx + m4 * dy + m5 + my;
        double weight = px >= 0 ? 1.0 : 0.0;
        weight = px <= right ? weight : 0.0;
        weight = py >= 0 ? weight : 0.0;
        weight = py <= bottom ? weight : 0.0;
        places->fx[x] = weight != 0 ? px : 0.0;
        places->fy[x] = weight != 0 ? py : 0.0;
        places->weight[x] = weight;
    }
    for (int x = 0; copy->keep[0] && x < width; x++) {
        const int near = (int)(places->fy[x] + 0.5) * width + (int)(places->fx[x] + 0.5);
        if (!(copy->keep[1][y * width + x] > 0) || !(copy->keep[0][near] > 0))
            places->weight[x] = 0;
    }
    find_neighbours(copy, places);
}

struct tone {
    double value, dx, dy;
};

/* `right` and `below`: the distances of neighbours, 0 where there are none. */
ALWAYS struct tone tone_at(const float *restrict plane, int32_t right, int32_t below, int32_t at,
                           double fx, double fy)
{
    const double a = (double)plane[at], b = (double)plane[at + right];
    const double c = (double)plane[at + below], d = (double)plane[at + below + right];
    return (struct tone){.value = (a + fx * (b - a)) * (1 - fy) + (c + fx * (d - c)) * fy,
                         .dx = (b - a) * (1 - fy) + (d - c) * fy,
                         .dy = (c - a) * (1 - fx) + (d - b) * fx};
}

static void overlap_row(const struct ro_copy *copy, const struct ro_map *map, int y,
                        const struct ro_align_line *line)
{
    const int width = copy->width;
    const int32_t right = width > 1, below = copy->height > 1 ? width : 0;
    const float *restrict moving = copy->image[0], *restrict fixed = copy->image[1] + y * width;
    double *restrict m = line->a, *restrict f = line->b, *restrict weights = line->c;
    struct places places;
    find_places(copy, map, y, &places);
    EACH_NODE
    for (int x = 0; x < width; x++) {
        const double fx = places.fx[x], fy = places.fy[x], weight = places.weight[x];
        m[x] = weight * tone_at(moving, right, below, places.at[x], fx, fy).value;
        f[x] = weight * (double)fixed[x];
        weights[x] = weight;
    }
}

static void overlap_add(int width, const struct ro_align_line *line, struct ro_overlap *sum)
{
    const double *m = line->a, *f = line->b;
    struct ro_overlap s = *sum;
    for (int x = 0; x < width; x++) {
        s.count += line->c[x];
        s.m += m[x];
        s.f += f[x];
        s.mm += m[x] * m[x];
        s.ff += f[x] * f[x];
        s.mf += m[x] * f[x];
    }
    *sum = s;
}

static void overlap(const struct ro_copy *copy, const struct ro_map *map, int y,
                    struct ro_overlap *sum)
{
    double m[RO_ALIGN_SIDE], f[RO_ALIGN_SIDE], weights[RO_ALIGN_SIDE];
    const struct ro_align_line line = {m, f, weights};
    overlap_row(copy, map, y, &line);
    overlap_add(copy->width, &line, sum);
}

static void normal_row(const struct ro_copy *copy, const struct ro_map *map, int y,
                       const struct ro_tones *tones, const struct ro_align_line *line)
{
    const int width = copy->width;
    const int32_t right = width > 1, below = copy->height > 1 ? width : 0;
    const struct ro_tones to = *tones;
    const float *restrict moving = copy->image[0], *restrict fixed = copy->image[1] + y * width;
    double *restrict gx = line->a, *restrict gy = line->b, *restrict off = line->c;
    struct places places;
    find_places(copy, map, y, &places);
    EACH_NODE
    for (int x = 0; x < width; x++) {
        const double fx = places.fx[x], fy = places.fy[x], weight = places.weight[x];
        const struct tone tone = tone_at(moving, right, below, places.at[x], fx, fy);
        const double m = (tone.value - to.mean_m) / to.dev_m;
        const double f = ((double)fixed[x] - to.mean_f) / to.dev_f;
        gx[x] = weight * (tone.dx / to.dev_m);
        gy[x] = weight * (tone.dy / to.dev_m);
        off[x] = weight * -(m - f);
    }
}

static void normal_add(const struct ro_copy *copy, int y, const struct ro_align_line *line, int i,
                       double sum[RO_NORMAL])
{
    const int width = copy->width;
    const double mx = 0.5 * (width - 1), dy = y - 0.5 * (copy->height - 1);
    const double *gx = line->a, *gy = line->b, *off = line->c;
    lanes a;
    __builtin_memcpy(&a, sum, sizeof a);
    for (int x = 0; x < width; x++) {
        const double dx = x - mx;
        const double own = i < 3 ? gx[x] : gy[x];
        const double by = i % 3 == 0 ? own * dx : i % 3 == 1 ? own * dy : own;
        const lanes row = {gx[x] * dx, gx[x] * dy, gx[x], gy[x] * dx, gy[x] * dy, gy[x], off[x], 0};
        a += by * row;
    }
    __builtin_memcpy(sum, &a, sizeof a);
}

static void turn(const struct ro_copy *copy, const struct ro_map *map, int y, float *out)
{
    const int width = copy->width;
    const int32_t right = width > 1, below = copy->height > 1 ? width : 0;
    const double mx = 0.5 * (width - 1), my = 0.5 * (copy->height - 1), dy = y - my;
    const double last_x = width - 1, last_y = copy->height - 1;
    const double m0 = map->m[0], m1 = map->m[1], m2 = map->m[2];
    const double m3 = map->m[3], m4 = map->m[4], m5 = map->m[5];
    const float *restrict moving = copy->image[0];
    struct places places;
    EACH_NODE
    for (int x = 0; x < width; x++) {
        const double dx = x - mx;
        const double px = m0 * dx + m1 * dy + m2 + mx, py = m3 * dx + m4 * dy + m5 + my;
        const double ax = px > 0 ? px : 0, ay = py > 0 ? py : 0;
        places.fx[x] = ax < last_x ? ax : last_x;
        places.fy[x] = ay < last_y ? ay : last_y;
    }
    find_neighbours(copy, &places);
    EACH_NODE
    for (int x = 0; x < width; x++)
        out[x] =
            (float)tone_at(moving, right, below, places.at[x], places.fx[x], places.fy[x]).value;
}

static void flatten(int width, int height, int reach, int y, bool sizes,
                    const double *restrict sums, const double *restrict squares,
                    float *restrict row)
{
    const int y0 = y > reach ? y - reach : 0, y1 = y + reach < height ? y + reach + 1 : height;
    const int top = y0 * (width + 1), low = y1 * (width + 1);
    EACH_NODE
    for (int x = 0; x < width; x++) {
        const int x0 = x > reach ? x - reach : 0, x1 = x + reach < width ? x + reach + 1 : width;
        const double n = (double)(x1 - x0) * (y1 - y0);
        const double mean =
            ((sums[low + x1] - sums[low + x0]) - (sums[top + x1] - sums[top + x0])) / n;
        const double square = ((squares[low + x1] - squares[low + x0]) -
                               (squares[top + x1] - squares[top + x0])) /
                              n;
        const double spread = square > mean * mean ? square - mean * mean : 0;
        row[x] = (float)(((double)row[x] - mean) / sqrt(spread + LEAST_SPREAD));
    }
    for (int x = 0; sizes && x < width; x++)
        row[x] = fabsf(row[x]);
}

#define ALIGN_KERNELS                                                                              \
    .overlap = overlap, .overlap_row = overlap_row, .overlap_add = overlap_add,                    \
    .normal_row = normal_row, .normal_add = normal_add, .turn = turn, .flatten = flatten

#undef ALWAYS
#endif
