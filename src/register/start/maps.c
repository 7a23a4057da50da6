/* SPDX-License-Identifier: MIT */
#include "register/start/maps.h"

#include <math.h>

enum { MOST_UNKNOWNS = 8, STEPS = 6 };

struct plane_map map_after(const struct plane_map *b, const struct plane_map *a)
{
    struct plane_map out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out.m[3 * i + j] = b->m[3 * i] * a->m[j] + b->m[3 * i + 1] * a->m[3 + j] +
                               b->m[3 * i + 2] * a->m[6 + j];
    return out;
}

void map_slopes(const struct plane_map *map, struct point at, double slopes[4])
{
    const double *m = map->m, d = m[6] * at.x + m[7] * at.y + m[8];
    const struct point to = map_point(map, at);
    for (int i = 0; i < 2; i++) {
        slopes[i] = (m[i] - to.x * m[6 + i]) / d;
        slopes[2 + i] = (m[3 + i] - to.y * m[6 + i]) / d;
    }
}

bool map_invert(const struct plane_map *map, struct plane_map *inverse)
{
    const double *m = map->m;
    *inverse = (struct plane_map){
        {m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
         m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
         m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]}};
    const double whole = m[0] * inverse->m[0] + m[1] * inverse->m[3] + m[2] * inverse->m[6];
    for (int i = 0; i < 9; i++)
        inverse->m[i] /= whole;
    return isfinite(inverse->m[8]) && fabs(whole) > 1e-12;
}

/* ---- Least squares ---------------------------------------------------------------------------
 */

/* Solves a x = b for a positive definite a, by Cholesky's method; x takes the place of b. */
static bool solve(int n, double a[][MOST_UNKNOWNS], double *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++)
                sum -= a[i][k] * a[j][k];
            if (i > j)
                a[i][j] = sum / a[j][j];
            else if (sum > 1e-12 * fabs(a[i][i]))
                a[i][i] = sqrt(sum);
            else
                return false;
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
    return true;
}

bool fit_similarity(int count, const struct point *from, const struct point *to,
                    const double *weight, bool turns, bool scales, struct plane_map *map)
{
    double sum = 0, square = 0, along = 0, across = 0;
    struct point a = {0, 0}, b = {0, 0};
    for (int i = 0; i < count; i++) {
        const double w = weight[i] * weight[i];
        sum += w;
        a.x += w * from[i].x;
        a.y += w * from[i].y;
        b.x += w * to[i].x;
        b.y += w * to[i].y;
    }
    a = (struct point){a.x / sum, a.y / sum};
    b = (struct point){b.x / sum, b.y / sum};
    for (int i = 0; i < count; i++) {
        const double w = weight[i] * weight[i], x = from[i].x - a.x, y = from[i].y - a.y;
        const double tx = to[i].x - b.x, ty = to[i].y - b.y;
        square += w * (x * x + y * y);
        along += w * (x * tx + y * ty);
        across += w * (x * ty - y * tx);
    }
    const double by = scales ? square : hypot(along, across);
    if (!(sum > 0) || (turns && !(by > 0)))
        return false;
    const double c = turns ? along / by : 1, s = turns ? across / by : 0;
    *map = (struct plane_map){
        {c, -s, b.x - c * a.x + s * a.y, s, c, b.y - s * a.x - c * a.y, 0, 0, 1}};
    return true;
}

bool fit_affine(int count, const struct point *from, const struct point *to, const double *weight,
                struct plane_map *map)
{
    double sum = 0, mx = 0, my = 0;
    for (int i = 0; i < count; i++) {
        sum += weight[i];
        mx += weight[i] * from[i].x;
        my += weight[i] * from[i].y;
    }
    mx /= sum;
    my /= sum;
    double b[2][3] = {{0}};
    for (int k = 0; k < 2; k++) {
        double a[3][MOST_UNKNOWNS] = {{0}};
        for (int i = 0; i < count; i++) {
            const double w = weight[i] * weight[i];
            const double row[3] = {from[i].x - mx, from[i].y - my, 1};
            const double value = k ? to[i].y : to[i].x;
            for (int r = 0; r < 3; r++) {
                for (int c = 0; c <= r; c++)
                    a[r][c] += w * row[r] * row[c];
                b[k][r] += w * row[r] * value;
            }
        }
        if (!solve(3, a, b[k]))
            return false;
    }
    *map = (struct plane_map){{b[0][0], b[0][1], b[0][2] - b[0][0] * mx - b[0][1] * my, b[1][0],
                               b[1][1], b[1][2] - b[1][0] * mx - b[1][1] * my, 0, 0, 1}};
    return true;
}

/* What brings points to the middle of 0 and near 1. */
static struct plane_map normaliser(int count, const struct point *at)
{
    double mx = 0, my = 0, square = 0;
    for (int i = 0; i < count; i++) {
        mx += at[i].x / count;
        my += at[i].y / count;
    }
    for (int i = 0; i < count; i++)
        square += (at[i].x - mx) * (at[i].x - mx) + (at[i].y - my) * (at[i].y - my);
    const double wide = sqrt(square / (2 * count)), by = 1 / (wide > 1e-6 ? wide : 1e-6);
    return (struct plane_map){{by, 0, -by * mx, 0, by, -by * my, 0, 0, 1}};
}

/* Adds what a pair says of the change of the eight numbers. */
static void add_pair(const struct plane_map *g, struct point x, struct point y, double weight,
                     double a[][MOST_UNKNOWNS], double *b)
{
    const double w = weight * weight, d = g->m[6] * x.x + g->m[7] * x.y + 1;
    const struct point p = map_point(g, x);
    const double u = x.x / d, v = x.y / d, one = 1 / d;
    const double rows[2][MOST_UNKNOWNS] = {{u, v, one, 0, 0, 0, -p.x * u, -p.x * v},
                                           {0, 0, 0, u, v, one, -p.y * u, -p.y * v}};
    const double left[2] = {y.x - p.x, y.y - p.y};
    for (int k = 0; k < 2; k++)
        for (int r = 0; r < MOST_UNKNOWNS; r++) {
            for (int c = 0; c <= r; c++)
                a[r][c] += w * rows[k][r] * rows[k][c];
            b[r] += w * rows[k][r] * left[k];
        }
}

bool fit_homography(int count, const struct point *from, const struct point *to,
                    const double *weight, struct plane_map *map)
{
    const struct plane_map n = normaliser(count, from), n2 = normaliser(count, to);
    struct plane_map back, back2;
    if (!map_invert(&n, &back) || !map_invert(&n2, &back2))
        return false;
    struct plane_map g = map_after(&n2, map);
    g = map_after(&g, &back);
    for (int i = 0; i < 9; i++)
        g.m[i] /= i < 8 ? g.m[8] : 1;
    g.m[8] = 1;
    for (int step = 0; step < STEPS; step++) {
        double a[MOST_UNKNOWNS][MOST_UNKNOWNS] = {{0}}, b[MOST_UNKNOWNS] = {0};
        for (int i = 0; i < count; i++)
            add_pair(&g, map_point(&n, from[i]), map_point(&n2, to[i]), weight[i], a, b);
        for (int i = 0; i < MOST_UNKNOWNS; i++)
            a[i][i] += 1e-6;
        if (!solve(MOST_UNKNOWNS, a, b))
            return false;
        for (int i = 0; i < MOST_UNKNOWNS; i++)
            g.m[i] += b[i];
    }
    g = map_after(&back2, &g);
    *map = map_after(&g, &n);
    for (int i = 0; i < 9; i++)
        map->m[i] /= i < 8 ? map->m[8] : 1;
    map->m[8] = 1;
    return true;
}

/* ---- Sense ----------------------------------------------------------------------------------- */

bool map_plausible(const struct plane_map *map, int width, int height)
{
    const double w = width - 1, h = height - 1;
    const struct point corners[4] = {{0, 0}, {w, 0}, {w, h}, {0, h}};
    struct point at[4];
    double area = 0;
    for (int i = 0; i < 9; i++)
        if (!isfinite(map->m[i]))
            return false;
    for (int i = 0; i < 4; i++) {
        if (!(map->m[6] * corners[i].x + map->m[7] * corners[i].y + map->m[8] > 0.2))
            return false;
        at[i] = map_point(map, corners[i]);
    }
    for (int i = 0; i < 4; i++) {
        const struct point a = at[i], b = at[(i + 1) % 4], c = at[(i + 2) % 4];
        if (!((b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x) > 0))
            return false;
        area += 0.5 * (a.x * b.y - b.x * a.y);
    }
    const double size = sqrt(area / ((double)width * height));
    double s[4];
    map_slopes(map, (struct point){w / 2, h / 2}, s);
    /* of the singular values p + q and |p - q| */
    const double p = hypot(s[0] + s[3], s[2] - s[1]), q = hypot(s[0] - s[3], s[2] + s[1]);
    return size > 0.3 && size < 3.4 && p + q < 4 * fabs(p - q);
}
