/* SPDX-License-Identifier: MIT */
/* Rows on their way: turned to a kind of frequencies and back, and added up. */
#ifndef RO_HOLOGRAM_PROPAGATE_PROPAGATE_PANEL_H
#define RO_HOLOGRAM_PROPAGATE_PROPAGATE_PANEL_H

#include "hologram/propagate/propagate.h"
#include "transform/dft_butterfly.h"

static inline void turn_rows(float *panel, int n, const float *along, const float *down)
{
    enum { SIDE = sizeof(real) / sizeof(float) };
    real *x = (real *)panel, dc = {0}, ds = {0};
    if (!along && !down)
        return;
    for (int l = 0; down && l < SIDE; l++) {
        ((float *)&dc)[l] = down[2 * l];
        ((float *)&ds)[l] = down[2 * l + 1];
    }
    for (int i = 0; i < n; i++) {
        real c = dc, s = ds;
        if (along && down) {
            dft_turn(&c, &s, along[2 * i], along[2 * i + 1]);
        } else if (along) {
            c = (real){0} + along[2 * i];
            s = (real){0} + along[2 * i + 1];
        }
        const real re = x[2 * i] * c - x[2 * i + 1] * s, im = x[2 * i] * s + x[2 * i + 1] * c;
        x[2 * i] = re;
        x[2 * i + 1] = im;
    }
}

static inline void add_rows(float *panel, const float *other, int n)
{
    real *x = (real *)panel;
    const real *y = (const real *)other;
    for (int i = 0; i < 2 * n; i++)
        x[i] = y[i] + x[i];
}

#endif
