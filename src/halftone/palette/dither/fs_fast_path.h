/* SPDX-License-Identifier: MIT */
/*
 * Floyd and Steinberg's kernel with a hull, where all lanes lie in the picture: no product but
 * those of the choice, and the errors of the row above stay in registers. A step's operations wait
 * for one another; those that load the light of later steps fill the time. Compiled by
 * wave_simd.c once per instruction set.
 */
#ifndef RO_HALFTONE_PALETTE_DITHER_FS_FAST_PATH_H
#define RO_HALFTONE_PALETTE_DITHER_FS_FAST_PATH_H

#include "halftone/palette/dither/nearest.h"
#include "halftone/palette/dither/pixels.h"

enum { SKEW = 4, RECENT = 4 };

static bool is_floyd_steinberg(const struct palette_plan *plan)
{
    const struct diffusion_kernel *usual = &diffusion_kernels[KERNEL_FLOYD_STEINBERG];
    bool same = plan->skew == SKEW && plan->kernel.count == usual->count &&
                plan->kernel.divisor == usual->divisor;
    for (int i = 0; i < usual->count && same; i++)
        same = memcmp(&plan->kernel.taps[i], &usual->taps[i], sizeof *usual->taps) == 0;
    return same;
}

/* Loads what the loop does not load itself; how many steps that has to load, each MOVED_COLUMNS
 * after the one that it runs. */
static int load_ahead(const struct palette_plan *plan, const struct palette_band *band,
                      struct scratch *s, int64_t k0, bool last)
{
    const int ahead = last ? PALETTE_CHUNK - MOVED_COLUMNS : PALETTE_CHUNK;
    prefetch_rows(plan, band, k0, 1);
    if (s->loaded < k0 + MOVED_COLUMNS)
        load_moved(plan, band, s, k0, MOVED_COLUMNS);
    s->loaded = k0 + MOVED_COLUMNS + ahead;
    return ahead;
}

/* A channel's errors: on the left and the remainder; of the row above, here, and here and on the
 * left together, and those of the last steps, step k's at k % RECENT. */
struct flow {
    ints last, carry, here, left, recent[RECENT];
    const int32_t *above;
    int32_t *below;
};

/* The weights of the row above are 1, 5 and 3 from left to right, that of the left is 7. The error
 * that arrives, in units of W. */
RO_INLINE ints flow_in(struct flow *flow, int q)
{
    const ints right = flow->recent[(q + 1) % RECENT]; /* of step q - SKEW + 1 */
    const ints sum = flow->here + right, more = flow->here + sum;
    const ints down = (flow->left + right) + (more + more);
    const ints t = (down + flow->carry) + ((flow->last << 3) - flow->last);
    flow->left = sum;
    flow->here = right;
    flow->carry = t & 15;
    return t >> 4;
}

RO_INLINE void flow_out(struct flow *flow, ints error, int q)
{
    flow->last = error;
    error = rotate(error);
    store_first(flow->below + q, error);
    flow->recent[q % RECENT] = insert_first(error, flow->above + q);
}

RO_INLINE void flow_begin(const struct palette_band *band, int64_t k0, int c, struct flow *flow)
{
    const struct scratch *s = band->scratch;
    const ints *error = &s->history[c][1][HISTORY];
    flow->last = s->last[c];
    flow->carry = s->carry[c];
    for (int age = 1; age < SKEW; age++)
        flow->recent[RECENT - age] = error[-age];
    flow->here = error[-SKEW];
    flow->left = error[-SKEW] + error[-SKEW - 1];
    flow->above = band->above[c][0] + k0 + SKEW;
    flow->below = band->below[c][0] + k0 - SKEW * (LANES - 1);
}

RO_INLINE void flow_end(const struct palette_band *band, int c, const struct flow *flow)
{
    struct scratch *s = band->scratch;
    ints *error = &s->history[c][1][HISTORY];
    s->last[c] = flow->last;
    s->carry[c] = flow->carry;
    for (int age = 1; age < SKEW; age++)
        error[-age] = flow->recent[RECENT - age];
    error[-SKEW] = flow->here;
    error[-SKEW - 1] = flow->left - flow->here;
}

RO_INLINE void run_usual_of(const struct palette_plan *plan, const struct palette_band *band,
                            int64_t k0, int ahead, const int colours)
{
    struct scratch *s = band->scratch;
    const ints zero = {0}, least = zero - PALETTE_GUARD;
    const ints most = zero + (PALETTE_WHITE + PALETTE_GUARD);
    ints table[3][TABLES];
    struct flow flow[3];
    RO_UNROLL
    for (int c = 0; c < 3; c++) {
        memcpy(table[c], plan->colour[c], sizeof table[c]);
        flow_begin(band, k0, c, &flow[c]);
    }
    for (int q0 = 0; q0 < PALETTE_CHUNK; q0 += MOVED_COLUMNS) {
        const bool loads = q0 < ahead;
        struct columns columns;
        if (loads)
            find_columns(plan, band, k0 + q0 + MOVED_COLUMNS, &columns);
        for (int q = q0; q < q0 + MOVED_COLUMNS; q++) {
            ints v[3];
            if (loads)
                load_column(s, &columns, q - q0, (q + MOVED_COLUMNS) % PALETTE_CHUNK);
            RO_UNROLL
            for (int c = 0; c < 3; c++)
                v[c] = minimum(maximum(s->tone[c][q] + flow_in(&flow[c], q), least), most);
            const ints k = nearest_of(&plan->choice, &s->few, v, colours);
            s->level[q] = k;
            RO_UNROLL
            for (int c = 0; c < 3; c++)
                flow_out(&flow[c],
                         v[c] - (colours ? colour_of(table[c], k, colours)
                                         : gather(plan->colour[c], k, 4)),
                         q);
        }
        if (loads)
            note_columns(plan, band, s, k0 + q0 + MOVED_COLUMNS, &columns);
    }
    RO_UNROLL
    for (int c = 0; c < 3; c++)
        flow_end(band, c, &flow[c]);
}

static void run_usual(const struct palette_plan *plan, const struct palette_band *band, int64_t k0,
                      int ahead)
{
    const int count = plan->count;
    if (count > 16)
        run_usual_of(plan, band, k0, ahead, 0);
    else if (count > 8)
        run_usual_of(plan, band, k0, ahead, 16);
    else if (count > 7)
        run_usual_of(plan, band, k0, ahead, 8);
    else if (count > 6)
        run_usual_of(plan, band, k0, ahead, 7);
    else if (count > 4)
        run_usual_of(plan, band, k0, ahead, 6);
    else if (count > 2)
        run_usual_of(plan, band, k0, ahead, 4);
    else
        run_usual_of(plan, band, k0, ahead, 2);
}

#endif
