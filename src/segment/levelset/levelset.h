/* SPDX-License-Identifier: MIT */
/*
 * Fronts that move with a given speed along their normal, in few bits: the upwind scheme for
 *
 *     phi_t + F |grad phi| + V . grad phi = c_k kappa |grad phi|
 *
 * with the flux of Engquist and Osher (Strzodka, sections 2.1.2, 2.4, 4.1.3 and 4.2.3). The contour
 * is where phi changes its sign, negative inside. A pixel looks at its four neighbours q; only the
 * differences that point against the motion count:
 *
 *         u        X = (p - q)+ where the speed is positive (the front grows),
 *       l p r      X = (q - p)+ where it is negative;
 *         d        N = a sum(X) + (128 - a) max(X), or floor(128 |X|): the norm in 1/128
 *
 * phi' = (phi 2^k - F N + 2^(k-1) - 1) >> k: nothing is rounded but the result.
 */
#ifndef RO_SEGMENT_LEVELSET_LEVELSET_H
#define RO_SEGMENT_LEVELSET_LEVELSET_H

#include "core/shared.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number system as the level sets use it: phi from `min` to `max`, `slope` units a pixel, speeds
 * in 1/2^bits pixels a step. Floats have a slope of 1. */
struct level_number {
    const char *name;
    bool real;
    int32_t min, max, slope;
    int bits;
};
const struct level_number *level_number_find(const char *name); /* NULL: there is none */

/* The norm of the four differences: a/128 of the sum and the rest of the maximum, or Euclidean. */
struct level_norm {
    const char *name;
    int a; /* 0: Euclidean */
};
const struct level_norm *level_norm_find(const char *name);
const struct level_norm *level_norm_at(int index); /* NULL past the end */

/* The largest product of time step and speed for which phi obeys an extremum principle. */
double level_bound(const struct level_norm *norm);

/* What a step needs beside pixels. */
struct front_level {
    uint32_t width, height;
    bool real;
    int a;    /* of the norm */
    int bits; /* of speeds */
    int32_t min, max;
    double curvature;    /* time step times c_k; 0: none */
    bool moved_by_field; /* there is a velocity field */
};

/* The nine pixels round one, those outside the image being copies of its border. */
struct level_window {
    int32_t p, l, r, u, d;
    int32_t lu, ru, ld, rd;
};
struct level_window_real {
    float p, l, r, u, d;
    float lu, ru, ld, rd;
};

/* ---- The definition -------------------------------------------------------------------------- */

/* floor(sqrt(n)), n < 2^50: the double root is right within one unit in the last place, and no
 * square less one is so near to a square. */
RO_SHARED int64_t level_root(int64_t n) { return (int64_t)sqrt((double)n); }

RO_SHARED int32_t level_positive(int32_t x) { return x > 0 ? x : 0; }

/* The norm of the differences against the motion, in 1/128. */
RO_SHARED int64_t level_size(const struct level_window *w, bool grows, int a)
{
    int32_t l = level_positive(grows ? w->p - w->l : w->l - w->p);
    int32_t r = level_positive(grows ? w->p - w->r : w->r - w->p);
    int32_t u = level_positive(grows ? w->p - w->u : w->u - w->p);
    int32_t d = level_positive(grows ? w->p - w->d : w->d - w->p);
    if (a == 0) {
        int64_t squares = (int64_t)l * l + (int64_t)r * r + (int64_t)u * u + (int64_t)d * d;
        return level_root(squares << 14);
    }
    int32_t lr = l > r ? l : r, ud = u > d ? u : d, largest = lr > ud ? lr : ud;
    return (int64_t)a * (l + r + u + d) + (int64_t)(128 - a) * largest;
}

/* kappa |grad phi| from central differences: both parts are exact in doubles. */
RO_SHARED double level_bend(double p, double l, double r, double u, double d, double lu, double ru,
                            double ld, double rd)
{
    double x = r - l, y = d - u;
    double xx = (r + l) - 2 * p, yy = (d + u) - 2 * p, xy = (rd + lu) - (ru + ld);
    double length = x * x + y * y; /* where it is 0, so is what is divided */
    return ((xx * (y * y) + yy * (x * x)) - (x * y) * xy * 0.5) / (length > 0 ? length : 1);
}

RO_SHARED int32_t level_step(const struct front_level *level, const struct level_window *w,
                             int32_t speed, int32_t vx, int32_t vy)
{
    const int k = level->bits + 7;
    int64_t flux = speed * level_size(w, speed >= 0, level->a);
    if (level->moved_by_field) {
        int64_t along = (int64_t)vx * (vx > 0 ? w->p - w->l : w->r - w->p);
        int64_t down = (int64_t)vy * (vy > 0 ? w->p - w->u : w->d - w->p);
        flux += 128 * (along + down);
    }
    int64_t next =
        ((((int64_t)w->p * ((int64_t)1 << k)) - flux + ((int64_t)1 << (k - 1)) - 1) >> k);
    if (level->curvature > 0)
        next += (int32_t)rint(level->curvature *
                              level_bend(w->p, w->l, w->r, w->u, w->d, w->lu, w->ru, w->ld, w->rd));
    return (int32_t)(next < level->min ? level->min : next > level->max ? level->max : next);
}

RO_SHARED float level_positive_real(float x) { return x > 0 ? x : 0; }

/* Sums are paired so that turning and mirroring the picture swaps equals only. */
RO_SHARED float level_size_real(const struct level_window_real *w, bool grows, int a)
{
    float l = level_positive_real(grows ? w->p - w->l : w->l - w->p);
    float r = level_positive_real(grows ? w->p - w->r : w->r - w->p);
    float u = level_positive_real(grows ? w->p - w->u : w->u - w->p);
    float d = level_positive_real(grows ? w->p - w->d : w->d - w->p);
    if (a == 0)
        return sqrtf((l * l + r * r) + (u * u + d * d));
    float lr = l > r ? l : r, ud = u > d ? u : d, largest = lr > ud ? lr : ud;
    return (float)a / 128 * ((l + r) + (u + d)) + (float)(128 - a) / 128 * largest;
}

RO_SHARED float level_step_real(const struct front_level *level, const struct level_window_real *w,
                                float speed, float vx, float vy)
{
    float flux = speed * level_size_real(w, speed >= 0, level->a);
    if (level->moved_by_field) {
        float along = vx * (vx > 0 ? w->p - w->l : w->r - w->p);
        float down = vy * (vy > 0 ? w->p - w->u : w->d - w->p);
        flux = flux + (along + down);
    }
    float next = w->p - flux;
    if (level->curvature > 0)
        next = next + (float)(level->curvature *
                              level_bend(w->p, w->l, w->r, w->u, w->d, w->lu, w->ru, w->ld, w->rd));
    float min = (float)level->min, max = (float)level->max;
    return next < min ? min : next > max ? max : next;
}

/* ---- Fields ---------------------------------------------------------------------------------- */

/* An image of int16_t or float. A row has RO_LEVEL_PAD bytes before its first pixel, where the
 * column beside the image is, and room for a vector more behind its last; both are zero where
 * nothing else is said. */
struct level_field {
    char *data; /* of pixel (0, 0), on 64 bytes; NULL: there is none */
    size_t pitch;
    void *memory; /* that is freed */
};

enum { RO_LEVEL_PAD = 64 };

/* What one front is made of. `vx` and `vy` are empty without a velocity field. */
struct level_front {
    struct front_level level;
    struct level_field phi[2]; /* the last step is in phi[now], */
    int now;                   /* and the one before it in the other after a single step */
    struct level_field speed, vx, vy;
};

/* What steps report, as bits. Crossings are those of integers with neither curvature nor a field,
 * where a pixel changes its sign at most once. */
enum {
    LEVEL_MOVED = 1,   /* a pixel changed in the last step */
    LEVEL_CROSSED = 2, /* a pixel changed its sign in one of the steps */
};

/* One step by the definition, from phi[now] to the other; gives LEVEL_ bits. */
unsigned level_step_ref(struct level_front *front);

#endif
