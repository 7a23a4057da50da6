/* SPDX-License-Identifier: MIT */
/* Rows of the search for a start: the definition, and all its variants; see align.h. */
#ifndef RO_REGISTER_ALIGN_ALIGN_ROWS_H
#define RO_REGISTER_ALIGN_ALIGN_ROWS_H

#include "register/align/align.h"
#include "register/register.h"
#include "solver/each_node.h"

#define REAL double
#include "fft/radix2_steps.h"
#undef REAL

#include <math.h>
#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))

/* What is flatter stays flat: the square of a 50th of the tones. */
#define LEAST_SPREAD 4e-4

/* Lanes that are summed at once; how many changes no bit. */
#ifndef RO_VECTOR_BYTES
#define RO_VECTOR_BYTES 16
#endif
typedef double lanes __attribute__((vector_size(RO_VECTOR_BYTES)));
enum { AT_ONCE = RO_VECTOR_BYTES / sizeof(double) };

/* Where the pixels of a row come from: the first of four neighbours and the way to the next, and
 * whether the pixel counts, 1 or 0; what does not count comes from the first pixel. Rows are filled
 * up to whole lanes by pixels that do not count. */
struct places {
    double fx[RO_ALIGN_SIDE], fy[RO_ALIGN_SIDE], weight[RO_ALIGN_SIDE];
    int32_t at[RO_ALIGN_SIDE];
};

ALWAYS int filled_up(int width)
{
    return (width + RO_ALIGN_LANES - 1) / RO_ALIGN_LANES * RO_ALIGN_LANES;
}

/* Splits places, which are not negative, into neighbours and the way to them. */
ALWAYS void find_neighbours(const struct pyramid_copy *copy, struct places *restrict places)
{
    const int32_t width = copy->width, last_x = width - 1, last_y = copy->height - 1;
    const int filled = filled_up(width);
    EACH_NODE
    for (int x = 0; x < filled; x++) {
        int32_t ix = (int32_t)places->fx[x], iy = (int32_t)places->fy[x];
        ix -= (ix > 0) & (ix >= last_x);
        iy -= (iy > 0) & (iy >= last_y);
        places->at[x] = iy * width + ix;
        places->fx[x] = places->fx[x] - (double)ix;
        places->fy[x] = places->fy[x] - (double)iy;
    }
}

ALWAYS void find_places(const struct pyramid_copy *copy, const struct affine_map *map, int y,
                        struct places *restrict places)
{
    const int width = copy->width, filled = filled_up(width);
    const double mx = 0.5 * (width - 1), my = 0.5 * (copy->height - 1), dy = y - my;
    const double right = width - 1, bottom = copy->height - 1;
    const double m0 = map->m[0], m1 = map->m[1], m2 = map->m[2];
    const double m3 = map->m[3], m4 = map->m[4], m5 = map->m[5];
    EACH_NODE
    for (int x = 0; x < filled; x++) {
        const double dx = x - mx;
        const double px = m0 * dx + m1 * dy + m2 + mx, py = m3 * dx + m4 * dy + m5 + my;
        double weight = dx <= mx ? 1.0 : 0.0;
        weight = px >= 0 ? weight : 0.0;
        weight = px <= right ? weight : 0.0;
        weight = py >= 0 ? weight : 0.0;
        weight = py <= bottom ? weight : 0.0;
        places->fx[x] = weight != 0 ? px : 0.0;
        places->fy[x] = weight != 0 ? py : 0.0;
        places->weight[x] = weight;
    }
    if (copy->keep[0]) {
        const float *restrict seen = copy->keep[0], *restrict kept = copy->keep[1] + y * width;
        EACH_NODE
        for (int x = 0; x < filled; x++) {
            const int32_t ix = (int32_t)(places->fx[x] + 0.5), iy = (int32_t)(places->fy[x] + 0.5);
            places->weight[x] *= (double)(kept[x] * seen[iy * width + ix]);
        }
    }
    find_neighbours(copy, places);
}

struct tone {
    double value, dx, dy;
};

/* Two neighbours in a row, read as one number. */
typedef uint64_t neighbours __attribute__((aligned(4), may_alias));

ALWAYS double first_of(uint64_t pair)
{
    const union {
        uint32_t bits;
        float tone;
    } first = {(uint32_t)pair};
    return (double)first.tone;
}

/* `below`: the distance of the next row, 0 where there is none. A pixel is followed by another,
 * which `right` tells to be its neighbour. */
ALWAYS struct tone tone_at(const float *restrict plane, bool right, int32_t below, int32_t at,
                           double fx, double fy)
{
    const uint64_t upper = *(const neighbours *)(plane + at);
    const uint64_t lower = *(const neighbours *)(plane + at + below);
    const double a = first_of(upper), b = first_of(right ? upper >> 32 : upper);
    const double c = first_of(lower), d = first_of(right ? lower >> 32 : lower);
    const double along = b - a, along_below = d - c;
    const double top = a + fx * along, low = c + fx * along_below;
    return (struct tone){
        .value = top + fy * (low - top), .dx = along + fy * (along_below - along), .dy = low - top};
}

/* The pixels of a row: tones, slopes and whether they count, 0 where they do not. */
struct line {
    double m[RO_ALIGN_SIDE], f[RO_ALIGN_SIDE], gx[RO_ALIGN_SIDE], gy[RO_ALIGN_SIDE];
    struct places places;
};

ALWAYS void find_tones(const struct pyramid_copy *copy, const struct affine_map *map, int y,
                       bool slopes, struct line *restrict line)
{
    const int width = copy->width, filled = filled_up(width);
    const int32_t below = copy->height > 1 ? width : 0;
    const float *restrict moving = copy->image[0], *restrict fixed = copy->image[1] + y * width;
    struct places *restrict places = &line->places;
    find_places(copy, map, y, places);
    EACH_NODE
    for (int x = 0; x < filled; x++) {
        const double weight = places->weight[x];
        const struct tone tone =
            tone_at(moving, width > 1, below, places->at[x], places->fx[x], places->fy[x]);
        line->m[x] = weight * tone.value;
        line->f[x] = weight * (double)fixed[x];
        if (slopes) {
            line->gx[x] = weight * tone.dx;
            line->gy[x] = weight * tone.dy;
        }
    }
}

/* ---- Sums over a row ------------------------------------------------------------------------- */

ALWAYS lanes load(const double *from)
{
    lanes at;
    memcpy(&at, from, sizeof at);
    return at;
}

ALWAYS void store(double to[RO_ALIGN_LANES], int lane, lanes sum)
{
    memcpy(to + lane, &sum, sizeof sum);
}

ALWAYS double joined(const double s[RO_ALIGN_LANES])
{
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

ALWAYS void add_tones(int filled, const struct line *line, double sums[RO_SUMS])
{
    double all[RO_SUM_TONES][RO_ALIGN_LANES];
    for (int lane = 0; lane < RO_ALIGN_LANES; lane += AT_ONCE) {
        lanes count = {0}, sm = {0}, sf = {0}, mm = {0}, ff = {0}, mf = {0};
        for (int x = lane; x < filled; x += RO_ALIGN_LANES) {
            const lanes m = load(line->m + x), f = load(line->f + x);
            count += load(line->places.weight + x);
            sm += m;
            sf += f;
            mm += m * m;
            ff += f * f;
            mf += m * f;
        }
        store(all[RO_SUM_COUNT], lane, count);
        store(all[RO_SUM_M], lane, sm);
        store(all[RO_SUM_F], lane, sf);
        store(all[RO_SUM_MM], lane, mm);
        store(all[RO_SUM_FF], lane, ff);
        store(all[RO_SUM_MF], lane, mf);
    }
    for (int i = 0; i < RO_SUM_TONES; i++)
        sums[i] += joined(all[i]);
}

/* x of the lanes from column `x` on. */
ALWAYS lanes distances(int x, double mx)
{
    double dx[AT_ONCE];
    for (int i = 0; i < (int)AT_ONCE; i++)
        dx[i] = x + i - mx;
    return load(dx);
}

/* One product of slopes. */
ALWAYS void add_product(int filled, double mx, double dy, const double *restrict g,
                        const double *restrict h, double sums[6])
{
    double all[3][RO_ALIGN_LANES];
    for (int lane = 0; lane < RO_ALIGN_LANES; lane += AT_ONCE) {
        lanes one = {0}, x1 = {0}, x2 = {0}, dx = distances(lane, mx);
        for (int x = lane; x < filled; x += RO_ALIGN_LANES) {
            const lanes gh = load(g + x) * load(h + x), by = gh * dx;
            one += gh;
            x1 += by;
            x2 += by * dx;
            dx += RO_ALIGN_LANES;
        }
        store(all[0], lane, one);
        store(all[1], lane, x1);
        store(all[2], lane, x2);
    }
    const double one = joined(all[0]), x = joined(all[1]), xx = joined(all[2]);
    const double row[6] = {one, x, one * dy, xx, x * dy, one * dy * dy};
    for (int i = 0; i < 6; i++)
        sums[i] += row[i];
}

/* A slope, and its products with tones. */
ALWAYS void add_slope(int filled, double mx, double dy, const double *restrict g,
                      const struct line *restrict line, double sums[9])
{
    double all[6][RO_ALIGN_LANES];
    for (int lane = 0; lane < RO_ALIGN_LANES; lane += AT_ONCE) {
        lanes g0 = {0}, m0 = {0}, f0 = {0}, g1 = {0}, m1 = {0}, f1 = {0};
        lanes dx = distances(lane, mx);
        for (int x = lane; x < filled; x += RO_ALIGN_LANES) {
            const lanes at = load(g + x), gm = at * load(line->m + x), gf = at * load(line->f + x);
            g0 += at;
            m0 += gm;
            f0 += gf;
            g1 += at * dx;
            m1 += gm * dx;
            f1 += gf * dx;
            dx += RO_ALIGN_LANES;
        }
        store(all[0], lane, g0);
        store(all[1], lane, m0);
        store(all[2], lane, f0);
        store(all[3], lane, g1);
        store(all[4], lane, m1);
        store(all[5], lane, f1);
    }
    for (int i = 0; i < 3; i++) {
        const double one = joined(all[i]);
        sums[3 * i] += one;
        sums[3 * i + 1] += joined(all[i + 3]);
        sums[3 * i + 2] += one * dy;
    }
}

static void sum(const struct pyramid_copy *copy, const struct affine_map *map, int four,
                bool slopes, double sums[RO_SUMS])
{
    const int first = four * RO_ALIGN_ROWS, after = first + RO_ALIGN_ROWS;
    const int last = after < copy->height ? after : copy->height;
    const int filled = filled_up(copy->width);
    const double mx = 0.5 * (copy->width - 1), my = 0.5 * (copy->height - 1);
    struct line line;
    memset(sums, 0, RO_SUMS * sizeof *sums);
    for (int y = first; y < last; y++) {
        if (!slopes) {
            find_tones(copy, map, y, false, &line);
            add_tones(filled, &line, sums);
            continue;
        }
        find_tones(copy, map, y, true, &line);
        add_tones(filled, &line, sums);
        double *products = sums + RO_SUM_PRODUCTS, *with = sums + RO_SUM_SLOPES;
        add_product(filled, mx, y - my, line.gx, line.gx, products);
        add_product(filled, mx, y - my, line.gx, line.gy, products + 6);
        add_product(filled, mx, y - my, line.gy, line.gy, products + 12);
        add_slope(filled, mx, y - my, line.gx, &line, with);
        add_slope(filled, mx, y - my, line.gy, &line, with + 9);
    }
}

static void turn(const struct pyramid_copy *copy, const struct affine_map *map, int y, float *out)
{
    const int width = copy->width, filled = filled_up(width);
    const int32_t below = copy->height > 1 ? width : 0;
    const double mx = 0.5 * (width - 1), my = 0.5 * (copy->height - 1), dy = y - my;
    const double last_x = width - 1, last_y = copy->height - 1;
    const double m0 = map->m[0], m1 = map->m[1], m2 = map->m[2];
    const double m3 = map->m[3], m4 = map->m[4], m5 = map->m[5];
    const float *restrict moving = copy->image[0];
    struct places places;
    EACH_NODE
    for (int x = 0; x < filled; x++) {
        const double dx = x - mx;
        const double px = m0 * dx + m1 * dy + m2 + mx, py = m3 * dx + m4 * dy + m5 + my;
        const double ax = px > 0 ? px : 0, ay = py > 0 ? py : 0;
        places.fx[x] = ax < last_x ? ax : last_x;
        places.fy[x] = ay < last_y ? ay : last_y;
    }
    find_neighbours(copy, &places);
    EACH_NODE
    for (int x = 0; x < width; x++)
        out[x] = (float)tone_at(moving, width > 1, below, places.at[x], places.fx[x], places.fy[x])
                     .value;
}

/* Sums over the rows of a square, up to each column, and as at the ends beyond them. */
ALWAYS void between_rows(int width, int reach, const double *restrict low,
                         const double *restrict top, double *restrict out)
{
    EACH_NODE
    for (int x = 0; x <= width; x++)
        out[reach + x] = low[x] - top[x];
    for (int x = 0; x < reach; x++) {
        out[x] = out[reach];
        out[reach + width + 1 + x] = out[reach + width];
    }
}

static void flatten(int width, int height, int reach, int y, bool sizes,
                    const double *restrict sums, const double *restrict squares,
                    float *restrict row)
{
    enum { MOST = RO_ALIGN_SIDE + 1 + 2 * (RO_ALIGN_SIDE / 8) };
    double tones[MOST], powers[MOST];
    const int y0 = y > reach ? y - reach : 0, y1 = y + reach < height ? y + reach + 1 : height;
    const int top = y0 * (width + 1), low = y1 * (width + 1), across = 2 * reach + 1;
    between_rows(width, reach, sums + low, sums + top, tones);
    between_rows(width, reach, squares + low, squares + top, powers);
    EACH_NODE
    for (int x = 0; x < width; x++) {
        const int x0 = x > reach ? x - reach : 0, x1 = x + reach < width ? x + reach + 1 : width;
        const double n = (double)((x1 - x0) * (y1 - y0));
        const double mean = (tones[x + across] - tones[x]) / n;
        const double square = (powers[x + across] - powers[x]) / n;
        const double spread = square > mean * mean ? square - mean * mean : 0;
        row[x] = (float)(((double)row[x] - mean) / sqrt(spread + LEAST_SPREAD));
    }
    for (int x = 0; sizes && x < width; x++)
        row[x] = fabsf(row[x]);
}

static double total(int width, const float *row)
{
    double all[RO_ALIGN_LANES] = {0};
    for (int x = 0; x < width; x++)
        all[x % RO_ALIGN_LANES] += (double)row[x];
    return joined(all);
}

static void keep_phase(int count, double weight, const double *restrict weights,
                       const double *restrict fr, const double *restrict fi, double *restrict re,
                       double *restrict im)
{
    EACH_NODE
    for (int i = 0; i < count; i++) {
        const double r = fr[i] * re[i] + fi[i] * im[i], s = fi[i] * re[i] - fr[i] * im[i];
        const double size = sqrt(r * r + s * s);
        const double by = size > 0 ? weight * weights[i] / size : 0;
        re[i] = by * r;
        im[i] = by * s;
    }
}

static void transform(const struct radix2_double *plan, double *re, double *im, size_t step,
                      size_t next, uint32_t lanes, double *scratch)
{
    if (lanes == RADIX2_LANES && next == 1)
        radix2_double_lanes(plan, re, im, step, 1, RADIX2_LANES, scratch);
    else if (lanes == RADIX2_LANES && step == 1)
        radix2_double_lanes(plan, re, im, 1, next, RADIX2_LANES, scratch);
    else
        radix2_double_lanes(plan, re, im, step, next, lanes, scratch);
}

static void halve(const float *restrict a, const float *restrict b, int before, bool whole,
                  float *restrict out)
{
    const int width = before / 2;
    if (before == 1)
        out[0] = 0.25f * ((a[0] + a[0]) + (b[0] + b[0]));
    EACH_NODE
    for (int x = 0; x < width; x++)
        out[x] = 0.25f * ((a[2 * x] + a[2 * x + 1]) + (b[2 * x] + b[2 * x + 1]));
    for (int x = 0; whole && x < width + (before == 1); x++)
        out[x] = out[x] > RO_WHOLE ? 1 : 0;
}

#define ALIGN_KERNELS                                                                              \
    .sum = sum, .turn = turn, .flatten = flatten, .total = total, .keep_phase = keep_phase,        \
    .transform = transform, .halve = halve

#undef ALWAYS
#endif
