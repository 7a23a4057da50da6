/* SPDX-License-Identifier: MIT */
/* Transforms of a panel of lanes; `real` is a vector of them. See dft.h for what is computed. */
#ifndef RO_FFT_DFT_PANEL_H
#define RO_FFT_DFT_PANEL_H

#include "fft/dft.h"
#include "fft/dft_butterfly.h"

#include <string.h>

/* Where a step reads and writes: number i of a transform lies at x[2 * i * in], its imaginary parts
 * behind it. `after`: pairs that the results of the last step are multiplied by, or NULL. */
struct places {
    const real *x;
    size_t in;
    real *y;
    size_t out;
    const float *after;
    /* Or pairs for every lane: the real parts for result i at across + i gap, the imaginary ones
     * half a gap behind. keeps: the first lane is left as it is. */
    const float *across;
    size_t gap;
    bool keeps;
};

enum turned { TURNED_NOT, TURNED_ALIKE, TURNED_ACROSS };

DFT_INLINE void butterfly(int radix, const float *roots, real *re, real *im)
{
    switch (radix) {
    case 2:
        dft_2(re, im);
        break;
    case 3:
        dft_3(re, im);
        break;
    case 4:
        dft_4(re, im);
        break;
    case 5:
        dft_5(re, im);
        break;
    default:
        dft_odd(radix, roots, re, im);
    }
}

DFT_INLINE void turn_lanes(const struct places *at, size_t i, real *re, real *im)
{
    real c, s, x, y;
    memcpy(&c, at->across + i * at->gap, sizeof c);
    memcpy(&s, at->across + i * at->gap + at->gap / 2, sizeof s);
    x = *re * c - *im * s;
    y = *re * s + *im * c;
    if (at->keeps) {
        memcpy(&x, re, sizeof(float));
        memcpy(&y, im, sizeof(float));
    }
    *re = x;
    *im = y;
}

/* One butterfly; turns: NULL, or those of its p. `last`: how results are turned at the end. */
DFT_INLINE void one(int radix, enum turned last, const struct places *at, const float *roots,
                    const float *turns, size_t from, size_t gap, size_t to, size_t s)
{
    real re[DFT_RADIX], im[DFT_RADIX];
    const real *x = at->x + 2 * at->in * from;
    real *y = at->y + 2 * at->out * to;
    DFT_LOOP
    for (int j = 0; j < radix; j++) {
        re[j] = x[2 * at->in * gap * (size_t)j];
        im[j] = x[2 * at->in * gap * (size_t)j + 1];
    }
    butterfly(radix, roots, re, im);
    DFT_LOOP
    for (int k = 0; k < radix; k++) {
        const size_t i = to + s * (size_t)k;
        if (turns && k)
            dft_turn(&re[k], &im[k], turns[2 * (k - 1)], turns[2 * (k - 1) + 1]);
        if (last == TURNED_ALIKE && i)
            dft_turn(&re[k], &im[k], at->after[2 * i], at->after[2 * i + 1]);
        if (last == TURNED_ACROSS && i)
            turn_lanes(at, i, &re[k], &im[k]);
        y[2 * at->out * s * (size_t)k] = re[k];
        y[2 * at->out * s * (size_t)k + 1] = im[k];
    }
}

DFT_INLINE void step_of(int radix, enum turned last, const struct places *place, const float *roots,
                        const float *turns, int m, int s)
{
    const struct places at = *place; /* stores cannot change it */
    for (int q = 0; q < s; q++)
        one(radix, last, &at, roots, NULL, (size_t)q, (size_t)s * (size_t)m, (size_t)q, (size_t)s);
    for (int p = 1; p < m; p++, turns += 2 * (radix - 1))
        for (int q = 0; q < s; q++)
            one(radix, last, &at, roots, turns, (size_t)(q + s * p), (size_t)s * (size_t)m,
                (size_t)(q + s * radix * p), (size_t)s);
}

DFT_INLINE void step_as(enum turned last, int radix, const struct places *at, const float *roots,
                        const float *turns, int m, int s)
{
    switch (radix) {
    case 2:
        step_of(2, last, at, roots, turns, m, s);
        break;
    case 3:
        step_of(3, last, at, roots, turns, m, s);
        break;
    case 4:
        step_of(4, last, at, roots, turns, m, s);
        break;
    case 5:
        step_of(5, last, at, roots, turns, m, s);
        break;
    default:
        step_of(radix, last, at, roots, turns, m, s);
    }
}

static inline void step(int radix, const struct places *at, const float *roots, const float *turns,
                        int m, int s)
{
    if (at->across)
        step_as(TURNED_ACROSS, radix, at, roots, turns, m, s);
    else if (at->after)
        step_as(TURNED_ALIKE, radix, at, roots, turns, m, s);
    else
        step_as(TURNED_NOT, radix, at, roots, turns, m, s);
}

/* The steps between go to and fro between two buffers. */
static inline void run_short(const struct dft_short *plan, struct places at, real *buffers[2])
{
    struct places here = {.x = at.x, .in = at.in};
    for (int i = 0, m = plan->n, s = 1; i < plan->steps; s *= plan->radix[i++]) {
        const bool last = i + 1 == plan->steps;
        here.y = last ? at.y : buffers[i % 2];
        here.out = last ? at.out : 1;
        here.after = last ? at.after : NULL;
        here.across = last ? at.across : NULL;
        here.gap = at.gap;
        here.keeps = at.keeps;
        m /= plan->radix[i];
        step(plan->radix[i], &here, plan->roots[i], plan->turns[i], m, s);
        here.x = here.y;
        here.in = 1;
    }
}

static inline void run_plain(const struct dft *plan, real *x, real *spare)
{
    const size_t n1 = (size_t)plan->first.n, n2 = (size_t)plan->second.n;
    real *buffers[2] = {spare + 2 * (size_t)plan->n, spare + 2 * (size_t)plan->n + 2 * DFT_SHORT};
    if (plan->n == 1)
        return;
    if (n1 == 1) {
        run_short(&plan->second, (struct places){.x = x, .in = 1, .y = spare, .out = 1}, buffers);
        memcpy(x, spare, 2 * n2 * sizeof *x);
        return;
    }
    for (size_t p = 0; p < n2; p++)
        run_short(&plan->first,
                  (struct places){.x = x + 2 * p,
                                  .in = n2,
                                  .y = spare + 2 * p,
                                  .out = n2,
                                  .after = p ? plan->between + 2 * n1 * p : NULL},
                  buffers);
    for (size_t k = 0; k < n1; k++)
        run_short(&plan->second,
                  (struct places){.x = spare + 2 * n2 * k, .in = 1, .y = x + 2 * k, .out = n1},
                  buffers);
}

/* ---- Bluestein ------------------------------------------------------------------------------ */

/* Times a list of pairs, then real and imaginary parts exchanged. */
static inline void turn_and_swap(real *x, const float *by, int count)
{
    for (int i = 0; i < count; i++) {
        real re = x[2 * i], im = x[2 * i + 1];
        dft_turn(&re, &im, by[2 * i], by[2 * i + 1]);
        x[2 * i] = im;
        x[2 * i + 1] = re;
    }
}

static inline void run_panel(const struct dft *plan, float *panel, float *spare)
{
    real *x = (real *)panel;
    if (!plan->padded) {
        run_plain(plan, x, (real *)spare);
        return;
    }
    const int n = plan->n, padded = plan->padded->n;
    for (int i = 0; i < n; i++)
        dft_turn(&x[2 * i], &x[2 * i + 1], plan->chirp[2 * i], plan->chirp[2 * i + 1]);
    memset(x + 2 * n, 0, 2 * (size_t)(padded - n) * sizeof *x);
    run_plain(plan->padded, x, (real *)spare);
    turn_and_swap(x, plan->filter, padded);
    run_plain(plan->padded, x, (real *)spare);
    for (int i = 0; i < n; i++) {
        real re = x[2 * i + 1], im = x[2 * i];
        dft_turn(&re, &im, plan->chirp[2 * i], plan->chirp[2 * i + 1]);
        x[2 * i] = re;
        x[2 * i + 1] = im;
    }
}

#endif
