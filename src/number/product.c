/* SPDX-License-Identifier: MIT */
/*
 * Products of matrices and vectors of few bits, whose sum can be kept exactly (Strzodka, section
 * 2.2.3): what a pixel gets from another, A_ij (v_j - v_i), is what the other gets from it with the
 * sign turned, so that by an odd rounding both cancel whatever was rounded. Numbers of a system
 * whose `step` is 2 differ by even numbers, and fluxes are rounded to even numbers.
 */
#include "core/misuse.h"
#include "roundoff/number.h"

#include <stdlib.h>

enum { MOST_ONE = 1 << 24, MOST_SCALE = 1 << 15 };

/* n/d for numbers up to 2^100; d is positive. */
static __int128 round_quotient(__int128 n, __int128 d, ro_rounding rounding)
{
    __int128 below = n / d, rest = n % d;
    if (rest < 0) {
        below--;
        rest += d;
    }
    if (rest == 0)
        return below;
    const bool negative = n < 0;
    switch (rounding) {
    case RO_ROUND_ZERO:
        return below + negative;
    case RO_ROUND_AWAY:
        return below + !negative;
    case RO_ROUND_DOWN:
        return below;
    case RO_ROUND_UP:
        return below + 1;
    default:
        break;
    }
    if (2 * rest != d)
        return below + (2 * rest > d);
    switch (rounding) {
    case RO_ROUND_NEAREST_UP:
        return below + 1;
    case RO_ROUND_NEAREST_DOWN:
        return below;
    case RO_ROUND_NEAREST_EVEN:
        return below + (below & 1);
    default:
        return below + !negative;
    }
}

/* ---- One row -------------------------------------------------------------------------------- */

struct product {
    const ro_fixed *q;
    ro_product product;
    ro_rounding rounding;
    int64_t one;
    int32_t times, over; /* the row's scale is times/over */
};

struct row_sum {
    __int128 weights; /* of the row, with the diagonal */
    __int128 products;
};

/* A_ij s x as a multiple of the system's step. */
static __int128 term(const struct product *p, int64_t weight, int64_t x)
{
    const __int128 step = p->q->step;
    return step *
           round_quotient((__int128)weight * p->times * x, step * p->one * p->over, p->rounding);
}

static void add_entry(const struct product *p, struct row_sum *sum, int64_t weight, int32_t own,
                      int32_t other, bool diagonal)
{
    sum->weights += weight;
    if (p->product == RO_PRODUCT_NATURAL)
        sum->products += term(p, weight, other);
    else if (!diagonal)
        sum->products += term(p, weight, (int64_t)other - own);
}

/* Counts of all rows. */
struct totals {
    __int128 in, out;
    uint64_t saturated;
};

static int32_t saturated(const ro_fixed *q, __int128 n, struct totals *totals)
{
    const __int128 cut = n < q->min ? q->min : n > q->max ? q->max : n;
    totals->saturated += cut != n;
    return (int32_t)cut;
}

/* n/d as a number of the system, before it is cut to the range. Odd numbers are counted from the
 * least one, and what is toward zero depends on the side. */
static __int128 in_system(const struct product *p, __int128 n, __int128 d)
{
    static const ro_rounding below[RO_ROUNDINGS] = {
        RO_ROUND_UP,           RO_ROUND_DOWN,       RO_ROUND_DOWN,         RO_ROUND_UP,
        RO_ROUND_NEAREST_DOWN, RO_ROUND_NEAREST_UP, RO_ROUND_NEAREST_DOWN, RO_ROUND_NEAREST_EVEN};
    static const ro_rounding above[RO_ROUNDINGS] = {
        RO_ROUND_DOWN,       RO_ROUND_UP,         RO_ROUND_DOWN,         RO_ROUND_UP,
        RO_ROUND_NEAREST_UP, RO_ROUND_NEAREST_UP, RO_ROUND_NEAREST_DOWN, RO_ROUND_NEAREST_EVEN};
    const __int128 step = p->q->step, min = p->q->min;
    if (step == 1)
        return round_quotient(n, d, p->rounding);
    return min + step * round_quotient(n - d * min, step * d, (n < 0 ? below : above)[p->rounding]);
}

static int32_t finish(const struct product *p, const struct row_sum *sum, int32_t own,
                      struct totals *totals)
{
    const __int128 step = p->q->step;
    const __int128 scaled =
        step * round_quotient(sum->products * p->over, step * p->times, p->rounding);
    const __int128 kept = sum->weights == p->one ? own : in_system(p, sum->weights * own, p->one);
    const int32_t result = saturated(
        p->q, p->product == RO_PRODUCT_NATURAL ? in_system(p, scaled, 1) : kept + scaled, totals);
    totals->in += kept;
    totals->out += result;
    return result;
}

/* ---- What is asked for ---------------------------------------------------------------------- */

static bool take_options(const ro_product_options *options, struct product *p)
{
    if (options &&
        (options->size < sizeof *options || (unsigned)options->rounding >= RO_ROUNDINGS ||
         (unsigned)options->product > RO_PRODUCT_NATURAL))
        return false;
    p->product = options ? options->product : RO_PRODUCT_MASS_EXACT;
    p->rounding = options ? options->rounding : RO_ROUND_ZERO;
    return true;
}

static bool take_scale(const ro_product_options *options, size_t row, struct product *p)
{
    int32_t scale = options ? options->scales ? options->scales[row] : options->scale : 1;
    scale = scale || (options && options->scales) ? scale : 1;
    if (scale == 0 || scale > MOST_SCALE || scale < -MOST_SCALE)
        return false;
    p->times = scale > 0 ? scale : 1;
    p->over = scale > 0 ? 1 : -scale;
    return true;
}

static void give_report(const struct totals *totals, ro_product_report *report)
{
    if (report)
        *report = (ro_product_report){.size = report->size,
                                      .sum = (int64_t)totals->out,
                                      .defect = (int64_t)(totals->out - totals->in),
                                      .saturated = totals->saturated};
}

static bool is_matrix(const ro_matrix *a)
{
    if (a->one < 1 || a->one > MOST_ONE || !a->starts || a->rows > UINT32_MAX || a->starts[0] != 0)
        return false;
    for (size_t i = 0; i < a->rows; i++)
        if (a->starts[i + 1] < a->starts[i])
            return false;
    const size_t entries = a->starts[a->rows];
    if (entries > 0 && (!a->columns || !a->weights))
        return false;
    for (size_t k = 0; k < entries; k++)
        if (a->columns[k] >= a->rows)
            return false;
    return true;
}

/* ---- Sparse matrices ------------------------------------------------------------------------ */

/* The entry of a row in a column; false: there is none, and its weight is 0. */
static bool find_entry(const ro_matrix *a, size_t row, uint32_t column, int32_t *weight)
{
    *weight = 0;
    for (size_t k = a->starts[row]; k < a->starts[row + 1]; k++)
        if (a->columns[k] == column) {
            *weight = a->weights[k];
            return true;
        }
    return false;
}

ro_status ro_matrix_check(const ro_matrix *a, bool *symmetric, bool *unit)
{
    bool same = true, ones = true;
    if (ABSENT(a) || !is_matrix(a))
        return RO_E_ARGUMENT;
    for (size_t i = 0; i < a->rows; i++) {
        int64_t sum = 0;
        for (size_t k = a->starts[i]; k < a->starts[i + 1]; k++) {
            int32_t other = a->weights[k];
            sum += other;
            if (same && a->columns[k] != i) {
                find_entry(a, a->columns[k], (uint32_t)i, &other);
                same = other == a->weights[k];
            }
        }
        ones &= sum == a->one;
    }
    if (symmetric)
        *symmetric = same;
    if (unit)
        *unit = ones;
    return RO_OK;
}

ro_status ro_matrix_split(const ro_matrix *a, int64_t *sums, int64_t *zero)
{
    if (ABSENT(a, sums, zero) || !is_matrix(a))
        return RO_E_ARGUMENT;
    for (size_t i = 0; i < a->rows; i++) {
        sums[i] = 0;
        for (size_t k = a->starts[i]; k < a->starts[i + 1]; k++)
            sums[i] += a->weights[k];
        for (size_t k = a->starts[i]; k < a->starts[i + 1]; k++)
            zero[k] = a->weights[k] - (a->columns[k] == i ? sums[i] : 0);
    }
    return RO_OK;
}

ro_status ro_matrix_product(const ro_fixed *q, const ro_matrix *a,
                            const ro_product_options *options, const int32_t *v, int32_t *out,
                            ro_product_report *report)
{
    struct product p = {.q = q};
    struct totals totals = {0};
    if (ABSENT(q, a) || !is_matrix(a) || (a->rows > 0 && ABSENT(v, out)) ||
        !take_options(options, &p) || (report && report->size < sizeof *report))
        return RO_E_ARGUMENT;
    p.one = a->one;
    for (size_t i = 0; i < a->rows; i++) {
        struct row_sum sum = {0};
        if (!take_scale(options, i, &p))
            return RO_E_ARGUMENT;
        for (size_t k = a->starts[i]; k < a->starts[i + 1]; k++)
            add_entry(&p, &sum, a->weights[k], v[i], v[a->columns[k]], a->columns[k] == i);
        out[i] = finish(&p, &sum, v[i], &totals);
    }
    give_report(&totals, report);
    return RO_OK;
}

/* ---- Stencils ------------------------------------------------------------------------------- */

static bool is_stencil(const ro_stencil *a)
{
    if (a->one < 1 || a->one > MOST_ONE || (a->count > 0 && !a->taps))
        return false;
    for (size_t k = 0; k < a->count; k++)
        if (a->taps[k].dx == 0 && a->taps[k].dy == 0)
            return false;
    return true;
}

/* A pixel's row of the matrix; the diagonal is what is missing to 1. */
static void add_taps(const struct product *p, const ro_stencil *a, int64_t x, int64_t y,
                     const int32_t *v, struct row_sum *sum)
{
    const int32_t own = v[y * a->width + x];
    for (size_t k = 0; k < 2 * a->count; k++) {
        const ro_stencil_tap *tap = &a->taps[k / 2];
        const int64_t side = k % 2 ? -1 : 1, u = x + side * tap->dx, w = y + side * tap->dy;
        if (u >= 0 && u < a->width && w >= 0 && w < a->height)
            add_entry(p, sum, tap->weight, own, v[w * a->width + u], false);
    }
    add_entry(p, sum, (int64_t)(p->one - sum->weights), own, own, true);
}

ro_status ro_stencil_product(const ro_fixed *q, const ro_stencil *a,
                             const ro_product_options *options, const int32_t *v, int32_t *out,
                             ro_product_report *report)
{
    struct product p = {.q = q};
    struct totals totals = {0};
    if (ABSENT(q, a) || !is_stencil(a) || ABSENT(v, out) || !take_options(options, &p) ||
        (report && report->size < sizeof *report))
        return RO_E_ARGUMENT;
    p.one = a->one;
    for (size_t y = 0; y < a->height; y++)
        for (size_t x = 0; x < a->width; x++) {
            const size_t i = y * a->width + x;
            struct row_sum sum = {0};
            if (!take_scale(options, i, &p))
                return RO_E_ARGUMENT;
            add_taps(&p, a, (int64_t)x, (int64_t)y, v, &sum);
            out[i] = finish(&p, &sum, v[i], &totals);
        }
    give_report(&totals, report);
    return RO_OK;
}
