/* SPDX-License-Identifier: MIT */
/*
 * Rows on their way. Between rows and columns a field lies in blocks of LANES columns, which are
 * panels (dft.h), one row below the other: `slots` says which block of a row lies in which, -1
 * where nothing passes and none is kept. Rows in between have room for LANES numbers behind them.
 */
#ifndef RO_HOLOGRAM_PROPAGATE_PROPAGATE_PANEL_H
#define RO_HOLOGRAM_PROPAGATE_PROPAGATE_PANEL_H

#include "fft/dft_lanes.h"

#include "fft/dft_butterfly.h"
#include "hologram/propagate/propagate.h"

#include <string.h>

/* Panels times the same for all lanes. */
static inline void turn_panel(float *panel, int n, const float *along)
{
    real *x = (real *)panel;
    for (int i = 0; i < n; i++)
        dft_turn(&x[2 * i], &x[2 * i + 1], along[2 * i], along[2 * i + 1]);
}

/* ---- Rows turned to a kind of frequencies and back ------------------------------------------- */

/* Numbers from i on of a row of n. */
DFT_INLINE void take(const float *row, int i, int n, real *re, real *im)
{
    float some[2 * LANES] = {0};
    const float *at = row + 2 * (size_t)i;
    if (n - i < LANES)
        at = memcpy(some, at, (size_t)(n - i) * 2 * sizeof *some);
    split(at, re, im);
}

DFT_INLINE void put(float *row, int i, int n, real re, real im)
{
    float some[2 * LANES];
    float *at = row + 2 * (size_t)i;
    join(n - i < LANES ? some : at, re, im);
    if (n - i < LANES)
        memcpy(at, some, (size_t)(n - i) * 2 * sizeof *some);
}

DFT_INLINE void turn_lanes(real *re, real *im, int i, const float *along, const float *down)
{
    real c = {0}, s = {0};
    if (along)
        split(along + 2 * (size_t)i, &c, &s);
    if (along && down) {
        const real dc = (real){0} + down[0], ds = (real){0} + down[1];
        const real x = dc * c - ds * s, y = dc * s + ds * c;
        c = x;
        s = y;
    } else if (down) {
        c = (real){0} + down[0];
        s = (real){0} + down[1];
    }
    const real x = *re * c - *im * s, y = *re * s + *im * c;
    *re = x;
    *im = y;
}

static inline void turn_row(float *to, const float *from, int n, const float *along,
                            const float *down)
{
    if (!along && !down) {
        memcpy(to, from, (size_t)n * 2 * sizeof *to);
        return;
    }
    for (int i = 0; i < n; i += LANES) {
        real re, im;
        take(from, i, n, &re, &im);
        turn_lanes(&re, &im, i, along, down);
        join(to + 2 * (size_t)i, re, im);
    }
}

/* Parts have changed places in `row`, so that turning forth turns back. */
static inline void add_row(float *to, const float *sum, const float *row, int n, const float *along,
                           const float *down)
{
    for (int i = 0; i < n; i += LANES) {
        real re, im, x, y;
        split(row + 2 * (size_t)i, &re, &im);
        if (along || down)
            turn_lanes(&re, &im, i, along, down);
        if (sum) {
            take(sum, i, n, &x, &y);
            re = y + re;
            im = x + im;
        }
        put(to, i, n, im, re);
    }
}

/* ---- Rows to blocks and back ----------------------------------------------------------------- */

static inline void row_to_blocks(const float *row, float *blocks, const int *slots, int count,
                                 size_t size)
{
    for (int i = 0; i < count; i++)
        if (slots[i] >= 0) {
            real *to = (real *)(blocks + (size_t)slots[i] * size);
            split(row + 2 * LANES * (size_t)i, to, to + 1);
        }
}

static inline void blocks_to_row(float *row, const float *blocks, const int *slots, int count,
                                 size_t size)
{
    for (int i = 0; i < count; i++) {
        const real *from = (const real *)(blocks + (size_t)slots[i] * size);
        const real zero = {0};
        if (slots[i] >= 0)
            join(row + 2 * LANES * (size_t)i, from[0], from[1]);
        else
            join(row + 2 * LANES * (size_t)i, zero, zero);
    }
}

#endif
