/* SPDX-License-Identifier: MIT */
/*
 * Jacobi iterations of the profile xpp24 on vectors, the bits of xpp24_iterate. Everything is exact
 * in doubles but for the product P of the pull (below 2^41) and the time (at most 2^17), of which
 * there are two parts, and its quotient by D = 6 2^26: q = (int)(P/D) is right within one, and the
 * rest P - q D, which an fma gives exactly, corrects it toward zero. |q| is below 2^30.
 */
#ifndef RO_PAPERS_XPP24_ROWS_H
#define RO_PAPERS_XPP24_ROWS_H

#include "simd/variants.h"

#include <math.h>
#include <stdint.h>

struct xpp24_kernels {
    void (*iterate)(const int32_t *words, int64_t width, int64_t height, uint32_t time,
                    const int32_t *r, const int32_t *x, int32_t *next);
};
RO_VARIANTS_DECLARE(const struct xpp24_kernels, xpp24_kernels);

/* The fields of an iteration. */
struct xpp24_fields {
    const int32_t *words, *r, *x;
    int64_t width;
    double time;
};

static inline __attribute__((always_inline)) int32_t xpp24_quotient(double pull, double time)
{
    const double divisor = 6.0 * 16384 * 4096, share = 1 / divisor;
    const double high = pull * time, low = fma(pull, time, -high);
    const int32_t near = (int32_t)(high * share);
    const double rest = fma(-(double)near, divisor, high) + low;
    const int32_t over = (int32_t)(rest * share);
    const double left = rest - over * divisor;
    const int32_t side = (pull > 0) - (pull < 0), turned = (left < 0) - (left > 0);
    return near + over - (turned * side > 0 ? side : 0);
}

/* Pixel i, of which some neighbours are there. */
static inline __attribute__((always_inline)) int32_t
xpp24_pixel(const struct xpp24_fields *f, int64_t i, const bool has_left, const bool has_right,
            const bool has_up, const bool has_down)
{
    const int32_t *words = f->words + i, *x = f->x + i, p = *x;
    const int64_t l = has_left ? -1 : 0, r = has_right ? 1 : 0;
    const int64_t u = has_up ? -f->width : 0, d = has_down ? f->width : 0;
    const double lu = has_left && has_up ? (uint32_t)words[l + u] >> 12 : 0;
    const double ru = has_right && has_up ? (uint32_t)words[u] >> 12 : 0;
    const double ld = has_left && has_down ? (uint32_t)words[l] >> 12 : 0;
    const double rd = has_right && has_down ? (uint32_t)words[0] >> 12 : 0;
    const int32_t left = x[l] - p, right = x[r] - p, up = x[u] - p, down = x[d] - p;
    const double pull =
        (lu * (2 * (x[l + u] - p) + left + up) + ru * (2 * (x[r + u] - p) + right + up)) +
        (ld * (2 * (x[l + d] - p) + left + down) + rd * (2 * (x[r + d] - p) + right + down));
    const double target = (double)(f->r[i] - p) + xpp24_quotient(pull, f->time);
    return p + (int32_t)(target * (words[0] & 4095) * (1.0 / 4096));
}

static inline __attribute__((always_inline)) void xpp24_row(const struct xpp24_fields *f,
                                                            int64_t first, const bool has_up,
                                                            const bool has_down,
                                                            int32_t *restrict next)
{
    const int64_t width = f->width;
    const struct xpp24_fields fields = *f; /* which no store here changes */
    next[first] = xpp24_pixel(&fields, first, false, width > 1, has_up, has_down);
    for (int64_t i = first + 1; i < first + width - 1; i++)
        next[i] = xpp24_pixel(&fields, i, true, true, has_up, has_down);
    if (width > 1)
        next[first + width - 1] =
            xpp24_pixel(&fields, first + width - 1, true, false, has_up, has_down);
}

static inline void xpp24_rows(const int32_t *words, int64_t width, int64_t height, uint32_t time,
                              const int32_t *r, const int32_t *x, int32_t *next)
{
    const struct xpp24_fields fields = {words, r, x, width, time};
    if (height == 1) {
        xpp24_row(&fields, 0, false, false, next);
        return;
    }
    xpp24_row(&fields, 0, false, true, next);
    for (int64_t y = 1; y + 1 < height; y++)
        xpp24_row(&fields, y * width, true, true, next);
    xpp24_row(&fields, (height - 1) * width, true, false, next);
}

#endif
