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

struct place {
    double x, y;
};

ALWAYS struct place place_of(const double *m, double dx, double dy, double mx, double my)
{
    return (struct place){m[0] * dx + m[1] * dy + m[2] + mx, m[3] * dx + m[4] * dy + m[5] + my};
}

struct tone {
    double value, dx, dy;
};

/* `right` and `below`: the distances of neighbours, 0 where there are none. */
ALWAYS struct tone tone_at(const float *restrict plane, int width, int height, double x, double y)
{
    const int right = width > 1, below = height > 1 ? width : 0;
    int ix = (int)x, iy = (int)y;
    ix -= (ix > 0) & (ix >= width - 1);
    iy -= (iy > 0) & (iy >= height - 1);
    const int at = iy * width + ix;
    const double fx = x - ix, fy = y - iy;
    const double a = (double)plane[at], b = (double)plane[at + right];
    const double c = (double)plane[at + below], d = (double)plane[at + below + right];
    return (struct tone){.value = (a + fx * (b - a)) * (1 - fy) + (c + fx * (d - c)) * fy,
                         .dx = (b - a) * (1 - fy) + (d - c) * fy,
                         .dy = (c - a) * (1 - fx) + (d - b) * fx};
}

ALWAYS void overlap_of(const struct ro_copy *copy, const struct ro_map *map, int y,
                       struct ro_overlap *sum, const bool keeps)
{
    const int width = copy->width, height = copy->height;
    const double mx = 0.5 * (width - 1), my = 0.5 * (height - 1), dy = y - my;
    const double right = width - 1, bottom = height - 1;
    const float *restrict moving = copy->image[0], *restrict seen = copy->keep[0];
    const float *restrict fixed = copy->image[1] + y * width;
    const float *restrict kept = keeps ? copy->keep[1] + y * width : NULL;
    double m[RO_ALIGN_SIDE], f[RO_ALIGN_SIDE];
    int count = 0;
    EACH_NODE
    for (int x = 0; x < width; x++) {
        const struct place at = place_of(map->m, x - mx, dy, mx, my);
        int weight = (at.x >= 0) & (at.x <= right) & (at.y >= 0) & (at.y <= bottom);
        const double ax = weight ? at.x : 0, ay = weight ? at.y : 0;
        if (keeps)
            weight &= (kept[x] > 0) & (seen[(int)(ay + 0.5) * width + (int)(ax + 0.5)] > 0);
        const double value = tone_at(moving, width, height, ax, ay).value;
        m[x] = weight ? value : 0;
        f[x] = weight ? (double)fixed[x] : 0;
        count += weight;
    }
    sum->count += count;
    struct ro_overlap s = *sum;
    for (int x = 0; x < width; x++) {
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
    if (copy->keep[0])
        overlap_of(copy, map, y, sum, true);
    else
        overlap_of(copy, map, y, sum, false);
}

ALWAYS void normal_of(const struct ro_copy *copy, const struct ro_map *map, int y,
                      const struct ro_tones *tones, double sum[6][RO_NORMAL], const bool keeps)
{
    const int width = copy->width, height = copy->height;
    const double mx = 0.5 * (width - 1), my = 0.5 * (height - 1), dy = y - my;
    const double right = width - 1, bottom = height - 1;
    const struct ro_tones to = *tones;
    const float *restrict moving = copy->image[0], *restrict seen = copy->keep[0];
    const float *restrict fixed = copy->image[1] + y * width;
    const float *restrict kept = keeps ? copy->keep[1] + y * width : NULL;
    double column[RO_NORMAL - 1][RO_ALIGN_SIDE];
    lanes row[RO_ALIGN_SIDE], a[6];
    EACH_NODE
    for (int x = 0; x < width; x++) {
        const double dx = x - mx;
        const struct place at = place_of(map->m, dx, dy, mx, my);
        int weight = (at.x >= 0) & (at.x <= right) & (at.y >= 0) & (at.y <= bottom);
        const double ax = weight ? at.x : 0, ay = weight ? at.y : 0;
        if (keeps)
            weight &= (kept[x] > 0) & (seen[(int)(ay + 0.5) * width + (int)(ax + 0.5)] > 0);
        const struct tone tone = tone_at(moving, width, height, ax, ay);
        const double m = (tone.value - to.mean_m) / to.dev_m;
        const double f = ((double)fixed[x] - to.mean_f) / to.dev_f;
        const double gx = weight ? tone.dx / to.dev_m : 0, gy = weight ? tone.dy / to.dev_m : 0;
        column[0][x] = gx * dx;
        column[1][x] = gx * dy;
        column[2][x] = gx;
        column[3][x] = gy * dx;
        column[4][x] = gy * dy;
        column[5][x] = gy;
        column[6][x] = weight ? -(m - f) : 0;
    }
    for (int x = 0; x < width; x++)
        row[x] = (lanes){column[0][x], column[1][x], column[2][x], column[3][x],
                         column[4][x], column[5][x], column[6][x], 0};
    __builtin_memcpy(a, sum, sizeof a);
    for (int x = 0; x < width; x++)
        for (int i = 0; i < 6; i++)
            a[i] += row[x][i] * row[x];
    __builtin_memcpy(sum, a, sizeof a);
}

static void normal(const struct ro_copy *copy, const struct ro_map *map, int y,
                   const struct ro_tones *tones, double sum[6][RO_NORMAL])
{
    if (copy->keep[0])
        normal_of(copy, map, y, tones, sum, true);
    else
        normal_of(copy, map, y, tones, sum, false);
}

static void turn(const struct ro_copy *copy, const struct ro_map *map, int y, float *out)
{
    const int width = copy->width, height = copy->height;
    const double mx = 0.5 * (width - 1), my = 0.5 * (height - 1), dy = y - my;
    const double right = width - 1, bottom = height - 1;
    const float *restrict moving = copy->image[0];
    EACH_NODE
    for (int x = 0; x < width; x++) {
        const struct place at = place_of(map->m, x - mx, dy, mx, my);
        double ax = at.x > 0 ? at.x : 0, ay = at.y > 0 ? at.y : 0;
        ax = ax < right ? ax : right;
        ay = ay < bottom ? ay : bottom;
        out[x] = (float)tone_at(moving, width, height, ax, ay).value;
    }
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
        const float value = (float)(((double)row[x] - mean) / sqrt(spread + LEAST_SPREAD));
        row[x] = sizes ? fabsf(value) : value;
    }
}

#define ALIGN_KERNELS .overlap = overlap, .normal = normal, .turn = turn, .flatten = flatten

#undef ALWAYS
#endif
