/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of registration on rows: the definition, and all its variants; see register.h. The
 * operations on a pixel and their order are the same in cuda/kernels.cuh.
 */
#ifndef RO_REGISTER_DESCENT_ROWS_H
#define RO_REGISTER_DESCENT_ROWS_H

#include "register/descent/corners.h"
#include "register/register.h"
#include "simd/fused.h"
#include "solver/each_node.h"

#include <math.h>
#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))

/* Floats that are not negative have the order of their bits, which lanes can find the largest of.
 */
ALWAYS int32_t float_bits(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

ALWAYS float float_of(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

ALWAYS int32_t larger_of(int32_t a, int32_t b) { return a > b ? a : b; }

/* `drop` is a constant where it matters: 0 costs nothing. */
ALWAYS float round_number(const struct rounder *round, const bool rounds, float x)
{
    if (!rounds)
        return x;
    uint32_t bits = (uint32_t)float_bits(x), half = (1u << (round->drop - 1)) - 1;
    bits += half + (bits >> round->drop & 1);
    bits &= ~((1u << round->drop) - 1);
    float normal = float_of((int32_t)bits);
    float evenly = (x + round->spacing) - round->spacing;
    float value = fabsf(x) < round->least ? evenly : normal;
    value = value > round->limit ? round->limit : value;
    return value < -round->limit ? -round->limit : value;
}

ALWAYS float clamp_to(float x, float end)
{
    x = x < 0 ? 0 : x;
    return x > end ? end : x;
}

/* ---- Places between nodes ----------------------------------------------------------------------
 * A row is taken in pieces: where its places are, the four nodes round each of them, and what is
 * done with these. The first and the last are plain loops; see corners.h for the nodes. */

/* The grid that places lie in. */
struct ground {
    int32_t stride, below; /* below: the distance to the next row, 0 where there is one row only */
    int32_t last_x, last_y;
    float right, bottom;
};

ALWAYS struct ground ground_of(const struct descent_rows *rows)
{
    const int32_t stride = (int32_t)rows->stride;
    return (struct ground){.stride = stride,
                           .below = rows->height > 1 ? stride : 0,
                           .last_x = rows->width > 1 ? rows->width - 2 : 0,
                           .last_y = rows->height > 1 ? rows->height - 2 : 0,
                           .right = rows->end.right,
                           .bottom = rows->end.bottom};
}

enum { PIECE = 256 };
struct piece {
    int32_t at[PIECE];          /* the node before and above each place */
    float fx[PIECE], fy[PIECE]; /* how far it lies behind and below that */
    int32_t weight[PIECE];
    float a[PIECE], b[PIECE], c[PIECE], d[PIECE]; /* the node, its right one, and those below */
};

ALWAYS void place(const struct ground *ground, struct piece *piece, int i, float px, float py)
{
    float x = clamp_to(px, ground->right), y = clamp_to(py, ground->bottom);
    int32_t ix = (int32_t)x, iy = (int32_t)y;
    ix = ix > ground->last_x ? ground->last_x : ix;
    iy = iy > ground->last_y ? ground->last_y : iy;
    piece->fx[i] = x - (float)ix;
    piece->fy[i] = y - (float)iy;
    piece->at[i] = iy * ground->stride + ix;
}

/* What is between the four. */
struct sample {
    float value, dx, dy;
};

ALWAYS struct sample sample_of(const struct piece *piece, int i)
{
    float a = piece->a[i], b = piece->b[i], c = piece->c[i], d = piece->d[i];
    float fx = piece->fx[i], fy = piece->fy[i];
    float top = b - a, low = d - c;
    float upper = fma_f32(fx, top, a), lower = fma_f32(fx, low, c);
    return (struct sample){.value = fma_f32(fy, lower - upper, upper),
                           .dx = fma_f32(fy, low - top, top),
                           .dy = lower - upper};
}

ALWAYS int32_t is_inside(float px, float py, float right, float bottom)
{
    return (px >= 0) & (px <= right) & (py >= 0) & (py <= bottom);
}

/* Whether both images count there: the fixed one at its pixel, the moving one at the node nearest
 * to the place. */
ALWAYS int32_t is_kept(const float *restrict seen, const float *restrict kept, int32_t stride,
                       float right, float bottom, int i, float px, float py)
{
    int32_t x = (int32_t)(clamp_to(px, right) + 0.5f), y = (int32_t)(clamp_to(py, bottom) + 0.5f);
    return (kept[i] != 0) & (seen[y * stride + x] != 0);
}

/* Rows end at the images' border: padding has weight 0. */
ALWAYS int counted(const struct descent_rows *rows, int y)
{
    if ((float)y > rows->end.bottom)
        return 0;
    int count = (int)rows->end.right + 1;
    return count < rows->width ? count : rows->width;
}

ALWAYS void gradient_of(const struct descent_rows *rows, int y, float tau, float *restrict ux,
                        float *restrict uy, const float *restrict dx, const float *restrict dy,
                        const float *restrict fixed, float *restrict gx, float *restrict gy,
                        struct match_sums *sums, const bool rounds, const bool keeps)
{
    const struct rounder round = rows->round;
    const struct ground ground = ground_of(rows);
    const float row = (float)y;
    const int32_t all = !rows->masked;
    const float *restrict seen = rows->seen;
    const float *restrict kept = keeps ? rows->kept + (ptrdiff_t)y * rows->stride : NULL;
    uint8_t *restrict counts = keeps ? rows->counts + (ptrdiff_t)y * rows->stride : NULL;
    const int count = counted(rows, y);
    struct piece piece;
    if (tau != 0) {
        EACH_NODE
        for (int i = 0; i < rows->width; i++) {
            ux[i] = round_number(&round, rounds, fma_f32(-tau, dx[i], ux[i]));
            uy[i] = round_number(&round, rounds, fma_f32(-tau, dy[i], uy[i]));
        }
    }
    int64_t energy = 0;
    int32_t weights = 0, high = float_bits(sums->peak);
    for (int from = 0; from < count; from += PIECE) {
        const int many = count - from < PIECE ? count - from : PIECE;
        EACH_NODE
        for (int j = 0; j < many; j++) {
            const int i = from + j;
            float px = (float)i + ux[i], py = row + uy[i];
            int32_t weight = all | is_inside(px, py, ground.right, ground.bottom);
            if (keeps) {
                weight &=
                    is_kept(seen, kept, ground.stride, ground.right, ground.bottom, i, px, py);
                counts[i] = (uint8_t)weight;
            }
            piece.weight[j] = weight;
            place(&ground, &piece, j, px, py);
        }
        corners(rows->moving, ground.below, many, piece.at, piece.a, piece.b, piece.c, piece.d);
        EACH_NODE
        for (int j = 0; j < many; j++) {
            const int i = from + j;
            struct sample s = sample_of(&piece, j);
            float difference = (float)piece.weight[j] * (s.value - fixed[i]);
            float x = difference * s.dx, y = difference * s.dy;
            gx[i] = x;
            gy[i] = y;
            energy += (int32_t)(difference * difference * 0x1p30f);
            weights += piece.weight[j];
            high = larger_of(high, larger_of(float_bits(fabsf(x)), float_bits(fabsf(y))));
        }
    }
    sums->energy += energy;
    sums->count += weights;
    sums->peak = float_of(high);
    for (int i = count; i < rows->width; i++)
        gx[i] = gy[i] = 0;
    gx[-1] = gx[mirror_index(-1, rows->width)];
    gy[-1] = gy[mirror_index(-1, rows->width)];
    gx[rows->width] = gx[mirror_index(rows->width, rows->width)];
    gy[rows->width] = gy[mirror_index(rows->width, rows->width)];
}

static void gradient(const struct descent_rows *rows, int y, float tau, float *ux, float *uy,
                     const float *dx, const float *dy, const float *fixed, float *gx, float *gy,
                     struct match_sums *sums)
{
    if (rows->kept)
        gradient_of(rows, y, tau, ux, uy, dx, dy, fixed, gx, gy, sums, rows->round.drop, true);
    else if (rows->round.drop)
        gradient_of(rows, y, tau, ux, uy, dx, dy, fixed, gx, gy, sums, true, false);
    else
        gradient_of(rows, y, tau, ux, uy, dx, dy, fixed, gx, gy, sums, false, false);
}

ALWAYS int64_t energy_of(const struct descent_rows *rows, int y, float tau,
                         const float *restrict ux, const float *restrict uy,
                         const float *restrict dx, const float *restrict dy,
                         const float *restrict fixed, const bool rounds, const bool keeps)
{
    const struct rounder round = rows->round;
    const struct ground ground = ground_of(rows);
    const float row = (float)y;
    const int32_t all = !rows->masked;
    const uint8_t *restrict counts = keeps ? rows->counts + (ptrdiff_t)y * rows->stride : NULL;
    const int count = counted(rows, y);
    struct piece piece;
    int64_t energy = 0;
    for (int from = 0; from < count; from += PIECE) {
        const int many = count - from < PIECE ? count - from : PIECE;
        EACH_NODE
        for (int j = 0; j < many; j++) {
            const int i = from + j;
            piece.weight[j] =
                keeps ? counts[i]
                      : all | is_inside((float)i + ux[i], row + uy[i], ground.right, ground.bottom);
            place(&ground, &piece, j,
                  (float)i + round_number(&round, rounds, fma_f32(-tau, dx[i], ux[i])),
                  row + round_number(&round, rounds, fma_f32(-tau, dy[i], uy[i])));
        }
        corners(rows->moving, ground.below, many, piece.at, piece.a, piece.b, piece.c, piece.d);
        EACH_NODE
        for (int j = 0; j < many; j++) {
            float difference =
                (float)piece.weight[j] * (sample_of(&piece, j).value - fixed[from + j]);
            energy += (int32_t)(difference * difference * 0x1p30f);
        }
    }
    return energy;
}

static int64_t energy(const struct descent_rows *rows, int y, float tau, const float *ux,
                      const float *uy, const float *dx, const float *dy, const float *fixed)
{
    if (rows->kept)
        return energy_of(rows, y, tau, ux, uy, dx, dy, fixed, rows->round.drop, true);
    if (rows->round.drop)
        return energy_of(rows, y, tau, ux, uy, dx, dy, fixed, true, false);
    return energy_of(rows, y, tau, ux, uy, dx, dy, fixed, false, false);
}

static void update(const struct descent_rows *rows, float tau, float *restrict ux,
                   float *restrict uy, const float *restrict dx, const float *restrict dy)
{
    const struct rounder round = rows->round;
    for (int i = 0; i < rows->width; i++) {
        ux[i] = round_number(&round, round.drop != 0, fma_f32(-tau, dx[i], ux[i]));
        uy[i] = round_number(&round, round.drop != 0, fma_f32(-tau, dy[i], uy[i]));
    }
}

static void products(int width, float g_scale, float d_scale, const float *restrict gx,
                     const float *restrict gy, const float *restrict dx, const float *restrict dy,
                     struct match_products *sums)
{
    int64_t slope = 0, square = 0;
    EACH_NODE
    for (int i = 0; i < width; i++) {
        float x = d_scale * dx[i], y = d_scale * dy[i];
        slope += (int32_t)(g_scale * gx[i] * x) + (int32_t)(g_scale * gy[i] * y);
        square += (int32_t)(0.25f * x * x) + (int32_t)(0.25f * y * y);
    }
    sums->slope += slope;
    sums->square += square;
}

static float peak(int width, const float *restrict x)
{
    int32_t high = 0;
    for (int i = 0; i < width; i++)
        high = larger_of(high, float_bits(fabsf(x[i])));
    return float_of(high);
}

static void rescale(const struct rounder *round, int width, float by, float *u)
{
    const struct rounder to = *round;
    for (int i = -1; i <= width; i++)
        u[i] = round_number(&to, to.drop != 0, by * u[i]);
}

static void square(int width, const float *restrict x, float *restrict out)
{
    for (int i = -1; i <= width; i++)
        out[i] = x[i] * x[i];
}

static void normalise(int width, float least, bool size, const float *x, const float *mean,
                      const float *mean_square, float *out)
{
    EACH_NODE
    for (int i = -1; i <= width; i++) {
        float variance = fma_f32(-mean[i], mean[i], mean_square[i]);
        variance = variance > 0 ? variance : 0;
        float value = 0.125f * (x[i] - mean[i]) / sqrtf(variance + least);
        value = value > 0.5f ? 0.5f : value;
        out[i] = value < -0.5f ? -0.5f : value;
    }
    for (int i = -1; size && i <= width; i++)
        out[i] = fabsf(out[i]);
}

/* ---- Steepness of the fixed image --------------------------------------------------------------
 */

static void slopes(const struct descent_rows *rows, int y, const float *restrict above,
                   const float *restrict row, const float *restrict below, float *restrict xx,
                   float *restrict yy)
{
    const int count = counted(rows, y);
    const float *restrict kept = rows->kept ? rows->kept + (ptrdiff_t)y * rows->stride : NULL;
    EACH_NODE
    for (int i = 0; i < count; i++) {
        float dx = 0.5f * (row[i + 1] - row[i - 1]), dy = 0.5f * (below[i] - above[i]);
        xx[i] = dx * dx;
        yy[i] = dy * dy;
    }
    for (int i = 0; kept && i < count; i++) {
        xx[i] *= kept[i];
        yy[i] *= kept[i];
    }
    for (int i = count; i < rows->width; i++)
        xx[i] = yy[i] = 0;
    xx[-1] = xx[mirror_index(-1, rows->width)];
    yy[-1] = yy[mirror_index(-1, rows->width)];
    xx[rows->width] = xx[mirror_index(rows->width, rows->width)];
    yy[rows->width] = yy[mirror_index(rows->width, rows->width)];
}

static int64_t total(int width, float scale, const float *restrict x)
{
    int64_t sum = 0;
    EACH_NODE
    for (int i = 0; i < width; i++)
        sum += (int32_t)(scale * (x[i] > 0 ? x[i] : 0));
    return sum;
}

static void balance(int width, float mean, float least, float *restrict x)
{
    EACH_NODE
    for (int i = -1; i <= width; i++)
        x[i] = mean / ((x[i] > 0 ? x[i] : 0) + least);
}

static void weigh(int width, const float *restrict by, float *restrict x)
{
    EACH_NODE
    for (int i = -1; i <= width; i++)
        x[i] *= by[i];
}

static void tones(const struct descent_rows *rows, int y, const float *restrict ux,
                  const float *restrict uy, const float *restrict fixed,
                  int32_t *restrict moving_sum, int32_t *restrict fixed_sum,
                  int32_t *restrict pixels)
{
    const struct ground ground = ground_of(rows);
    const float row = (float)y;
    const float *restrict kept = rows->kept ? rows->kept + (ptrdiff_t)y * rows->stride : NULL;
    const int count = counted(rows, y);
    struct piece piece;
    for (int from = 0; from < count; from += PIECE) {
        const int many = count - from < PIECE ? count - from : PIECE;
        EACH_NODE
        for (int j = 0; j < many; j++) {
            const int i = from + j;
            float px = (float)i + ux[i], py = row + uy[i];
            piece.weight[j] = is_inside(px, py, ground.right, ground.bottom);
            if (kept)
                piece.weight[j] &= is_kept(rows->seen, kept, ground.stride, ground.right,
                                           ground.bottom, i, px, py);
            place(&ground, &piece, j, px, py);
        }
        corners(rows->moving, ground.below, many, piece.at, piece.a, piece.b, piece.c, piece.d);
        EACH_NODE
        for (int j = 0; j < many; j++) {
            const int i = from + j;
            const int32_t weight = piece.weight[j];
            moving_sum[i] += weight * (int32_t)(sample_of(&piece, j).value * 0x1p12f);
            fixed_sum[i] += weight * (int32_t)(fixed[i] * 0x1p12f);
            pixels[i] += weight;
        }
    }
}

#define FLOW_KERNELS                                                                               \
    .gradient = gradient, .energy = energy, .update = update, .products = products, .peak = peak,  \
    .rescale = rescale, .square = square, .normalise = normalise, .slopes = slopes,                \
    .total = total, .balance = balance, .weigh = weigh, .tones = tones

#undef ALWAYS
#endif
