/* SPDX-License-Identifier: MIT */
/* The two kernels, for whatever vectors the file that includes this is compiled for. */
#include "hologram/lens/spot_rows.h"

#include <string.h>

typedef float spot_lanes __attribute__((vector_size(SPOT_LANES * sizeof(float))));
typedef float spot_lanes_at
    __attribute__((vector_size(SPOT_LANES * sizeof(float)), aligned(4), may_alias));
#define TAKE(from) (*(const spot_lanes_at *)(from))

static void gather(const struct spot_columns *c, const float *weights, float *re, float *im)
{
    for (size_t x = 0; x < c->width; x += SPOT_LANES) {
        spot_lanes sum_re = {0}, sum_im = {0};
        for (size_t k = 0; k < c->count; k++) {
            const float *f = c->factors + 2 * k * c->width + x;
            const spot_lanes a = TAKE(f), b = TAKE(f + c->width);
            const float wr = weights[2 * k], wi = weights[2 * k + 1];
            sum_re += a * wr + b * wi;
            sum_im += a * wi - b * wr;
        }
        memcpy(re + x, &sum_re, sizeof sum_re);
        memcpy(im + x, &sum_im, sizeof sum_im);
    }
}

/* Lanes are added in halves. */
static float add_lanes(const spot_lanes *v)
{
    float part[SPOT_LANES];
    memcpy(part, v, sizeof part);
    for (int half = SPOT_LANES / 2; half; half /= 2)
        for (int i = 0; i < half; i++)
            part[i] += part[i + half];
    return part[0];
}

static void project(const struct spot_columns *c, const float *re, const float *im, float *sums)
{
    for (size_t k = 0; k < c->count; k++) {
        const float *f = c->factors + 2 * k * c->width;
        spot_lanes sum_re = {0}, sum_im = {0};
        for (size_t x = 0; x < c->width; x += SPOT_LANES) {
            const spot_lanes a = TAKE(f + x), b = TAKE(f + c->width + x);
            const spot_lanes p = TAKE(re + x), q = TAKE(im + x);
            sum_re += p * a - q * b;
            sum_im += p * b + q * a;
        }
        sums[2 * k] = add_lanes(&sum_re);
        sums[2 * k + 1] = add_lanes(&sum_im);
    }
}
