/* SPDX-License-Identifier: MIT */
/*
 * Palettes with rows as lanes of 32 bits, each `skew` columns behind the one above (wave.h has the
 * figure). A step rounds one pixel of every lane: three sums, three divisions, the choice of a
 * colour, three errors.
 *
 * Sums are shifted, or divided as unsigned numbers: divisor * B is added before and B taken off
 * after, where B is more than any error is below zero. The usual kernel and rule have a loop of
 * their own, without a product but those of the choice.
 */
#include "halftone/palette/palette_pixels.h"

/* ---- the chain ------------------------------------------------------------------------------- */

/* palette_cell: exponent and three bits of a float that holds u exactly. */
RO_INLINE ints cell_of(ints v)
{
    floats u = __builtin_convertvector(v + PALETTE_OFFSET, floats);
    return ((ints)u >> 20) - ((127 + 14) << 3);
}

/* palette_stretch of both halves of 32 bits. */
RO_INLINE ints stretch(ints u, int32_t least, int32_t most)
{
    const ints zero = {0}, inside = cut_halves(u, zero + least, zero + most);
    ints beyond = less_halves(u, inside);
    RO_UNROLL
    for (int twice = 1; twice < PALETTE_BEYOND; twice *= 2)
        beyond = add_halves(beyond, beyond);
    return add_halves(beyond, inside);
}

RO_INLINE ints score_of(const struct palette_choice *choice, ints pair, ints blue, int k)
{
    const ints zero = {0};
    return multiply_pairs(pair, zero + choice->red_green[k]) +
           (multiply_pairs(blue, zero + choice->blue[k]) - choice->square[k]);
}

/* The best of up to eight colours by a tournament, in which the lower number wins a tie. Past the
 * last colour scores are the lowest. */
RO_INLINE ints best_of(const struct palette_choice *choice, ints pair, ints blue, int first,
                       const int colours, ints *best)
{
    const ints zero = {0};
    ints score[8], number[8];
    RO_UNROLL
    for (int k = 0; k < colours; k++) {
        score[k] = score_of(choice, pair, blue, first + k);
        number[k] = zero + k;
    }
    RO_UNROLL
    for (int apart = 1; apart < colours; apart *= 2)
        RO_UNROLL
    for (int k = 0; k < colours; k += 2 * apart) {
        number[k] = where_more(score[k + apart], score[k], number[k + apart], number[k]);
        score[k] = maximum(score[k + apart], score[k]);
    }
    *best = score[0];
    return number[0] + first;
}

/* palette_nearest, of two, four, eight or sixteen colours; 0: any number. */
RO_INLINE ints nearest_of(const struct palette_choice *choice, const ints v[3], const int colours)
{
    const int32_t *least = choice->least, *most = choice->most;
    ints best;
    _Static_assert(PALETTE_FINE == 8, "green's middle bits become the upper half");
    const ints zero = {0}, both = pair_halves(v[0] >> PALETTE_FINE, v[1] << PALETTE_FINE);
    const int32_t twice = (int32_t)((uint32_t)(-choice->shift & 65535) * 65537u);
    const ints blue = stretch((v[2] >> PALETTE_FINE) + choice->shift, least[2], most[2]);
    const ints pair =
        stretch(less_halves(both, zero + twice), (least[0] & 65535) | least[1] * 65536,
                most[0] | most[1] << 16);
    ints nearest = best_of(choice, pair, blue, 0, colours && colours < 8 ? colours : 8, &best);
    for (int first = 8; first < (colours ? colours : choice->count); first += 8) {
        ints score, number = best_of(choice, pair, blue, first, 8, &score);
        nearest = where_more(score, best, number, nearest);
        best = maximum(score, best);
    }
    return nearest;
}

enum { TABLES = 16 / LANES }; /* of a few colours: 16 */

RO_INLINE ints colour_of(const ints table[TABLES], ints k)
{
    ints colour = pick(table[0], k);
    for (int n = 1; n < TABLES; n++)
        colour = where_more(k, (ints){0} + (n * LANES - 1), pick(table[n], k), colour);
    return colour;
}

/* Division by multiplication, exact for sums below 2^31 (Granlund and Montgomery). */
struct divider {
    int divisor, shift;
    uint32_t magic; /* 0: the divisor is a power of two */
};

static struct divider divider_of(int divisor)
{
    if ((divisor & (divisor - 1)) == 0)
        return (struct divider){divisor, __builtin_ctz((unsigned)divisor), 0};
    int shift = 31 + 32 - __builtin_clz((unsigned)divisor - 1);
    uint64_t magic = (((uint64_t)1 << shift) + (uint64_t)divisor - 1) / (uint64_t)divisor;
    return (struct divider){divisor, shift, (uint32_t)magic};
}

RO_INLINE ints divide(struct divider divider, bool power, ints t)
{
    return power ? t >> divider.shift : multiply_high(t, divider.magic, divider.shift);
}

/* Floyd and Steinberg's weights of the row above, 1, 5 and 3 from left to right. */
RO_INLINE ints flow_down(const ints *above)
{
    const ints twice = above[0] + above[0] + above[1];
    return (above[-1] + above[0]) + above[1] + (twice + twice);
}

static bool is_floyd_steinberg(const struct palette_plan *plan)
{
    const struct diffusion_kernel *usual = &diffusion_kernels[KERNEL_FLOYD_STEINBERG];
    bool same = plan->kernel.count == usual->count && plan->kernel.divisor == usual->divisor;
    for (int i = 0; i < usual->count && same; i++)
        same = memcmp(&plan->kernel.taps[i], &usual->taps[i], sizeof *usual->taps) == 0;
    return same;
}

/* `usual`: Floyd and Steinberg's kernel, whose divisor is a power of two. */
RO_INLINE void run_chunk(const struct palette_plan *plan, const struct palette_band *band,
                         struct divider divider, int64_t k0, const bool edge, const bool power,
                         const bool few, const bool hull, const int colours, const bool usual)
{
    struct scratch *s = band->scratch;
    const struct diffusion_kernel *kernel = &plan->kernel;
    const int skew = plan->skew, rows_down = usual ? 1 : plan->rows_down;
    const ints zero = {0};
    const int32_t white = PALETTE_WHITE, over = plan->overshoot;
    const int32_t bias = power ? 0 : white + over + 1; /* shifts need none */
    int32_t next_weight = 0;
    const ints *taken[3][DIFFUSION_MAX_TAPS];
    int32_t weight[DIFFUSION_MAX_TAPS];
    int taps = 0;
    bool keeps_own_row = false;
    for (int i = 0; i < kernel->count; i++) {
        struct diffusion_tap tap = kernel->taps[i];
        if (tap.dy == 0 && tap.dx == 1) {
            next_weight = tap.weight;
            continue;
        }
        for (int c = 0; c < 3; c++)
            taken[c][taps] = &s->history[c][tap.dy][HISTORY - tap.dx - skew * tap.dy];
        weight[taps++] = tap.weight;
        keeps_own_row |= tap.dy == 0 && !usual;
    }
    const ints *above[3];
    for (int c = 0; c < 3; c++)
        above[c] = &s->history[c][1][HISTORY - skew];
    /* Lanes whose column lies in the image run from step `from` of this chunk to step `until`. */
    ints from = zero, until = zero, table[3][TABLES] = {{zero}};
    if (edge)
        for (int i = 0; i < LANES; i++) {
            int64_t start = (int64_t)skew * i - k0, end = start + plan->width;
            from[i] = (int32_t)(start < 0 ? 0 : start > PALETTE_CHUNK ? PALETTE_CHUNK : start);
            until[i] = (int32_t)(end < 0 ? 0 : end > PALETTE_CHUNK ? PALETTE_CHUNK : end);
        }
    if (few)
        for (int c = 0; c < 3; c++)
            memcpy(table[c], plan->colour[c], sizeof table[c]);

    ints last[3] = {s->last[0], s->last[1], s->last[2]};
    ints carry[3] = {s->carry[0], s->carry[1], s->carry[2]};
    for (int q = 0; q < PALETTE_CHUNK; q++) {
        ints t[3], v[3], cell = zero;
        RO_UNROLL
        for (int c = 0; c < 3; c++) {
            t[c] = carry[c] + divider.divisor * bias;
            t[c] += usual ? flow_down(above[c] + q) : zero;
        }
        for (int i = 0; i < taps && !usual; i++) {
            RO_UNROLL
            for (int c = 0; c < 3; c++)
                t[c] += taken[c][i][q] * weight[i];
        }
        RO_UNROLL
        for (int c = 0; c < 3; c++) {
            t[c] += usual ? (last[c] << 3) - last[c] : last[c] * next_weight;
            ints quotient = divide(divider, power, t[c]);
            carry[c] = power ? t[c] & (divider.divisor - 1) : t[c] - quotient * divider.divisor;
            v[c] = s->tone[c][q] + (quotient - bias);
            v[c] = minimum(maximum(v[c], zero - over), zero + (white + over));
            if (!hull)
                cell |= cell_of(minimum(maximum(v[c], zero), zero + white)) << (c * PALETTE_SHIFT);
        }
        ints k =
            hull ? nearest_of(&plan->choice, v, colours) : gather(plan->nearest, cell, 1) & 255;
        s->level[q] = k;
        ints started = zero, inside = zero;
        if (edge) {
            started = zero + q >= from;
            inside = started & (zero + q < until);
        }
        RO_UNROLL
        for (int c = 0; c < 3; c++) {
            const ints colour = !few               ? gather(plan->colour[c], k, 4)
                                : colours <= LANES ? pick(table[c][0], k)
                                                   : colour_of(table[c], k);
            ints e = v[c] - colour;
            if (edge) {
                e &= inside;
                carry[c] = (carry[c] & started) | ((divider.divisor / 2) & ~started);
            }
            last[c] = e;
            if (keeps_own_row)
                s->history[c][0][HISTORY + q] = e;
            for (int dy = 1; dy <= rows_down; dy++) {
                e = rotate(e);
                store_first(band->below[c][dy - 1] + k0 - skew * (LANES - dy) + q, e);
                e = insert_first(e, band->above[c][dy - 1] + k0 + skew * dy + q);
                s->history[c][dy][HISTORY + q] = e;
            }
        }
    }
    for (int c = 0; c < 3; c++) {
        s->last[c] = last[c];
        s->carry[c] = carry[c];
        for (int dy = keeps_own_row ? 0 : 1; dy <= rows_down; dy++)
            for (int age = 1; age <= skew * dy + DIFFUSION_MAX_DX; age++)
                s->history[c][dy][HISTORY - age] = s->history[c][dy][HISTORY + PALETTE_CHUNK - age];
    }
}

static void load(const struct palette_plan *plan, const struct palette_band *band,
                 struct scratch *s, int64_t k0, bool edge)
{
    const bool bytes = plan->sample_bytes == 1, eights = plan->grid_shift == PALETTE_BLOCK_BITS;
    if (plan->hull && bytes)
        edge || !eights ? load_moved_edge(plan, band, s, k0) : load_moved(plan, band, s, k0);
    else if (plan->hull)
        load_rows(plan, band, s, k0, 2, true);
    else if (edge)
        bytes ? load_rows(plan, band, s, k0, 1, false) : load_rows(plan, band, s, k0, 2, false);
    else
        bytes ? load_inner(plan, band, s, k0, 1) : load_inner(plan, band, s, k0, 2);
}

/* One loop for each kind of divisor and palette. */
RO_INLINE void run_rule(const struct palette_plan *plan, const struct palette_band *band,
                        struct divider divider, int64_t k0, bool edge, const bool few,
                        const bool hull, const int colours)
{
    if (edge)
        divider.magic ? run_chunk(plan, band, divider, k0, true, false, few, hull, colours, false)
                      : run_chunk(plan, band, divider, k0, true, true, few, hull, colours, false);
    else if (divider.magic)
        run_chunk(plan, band, divider, k0, false, false, few, hull, colours, false);
    else if (hull && is_floyd_steinberg(plan))
        run_chunk(plan, band, (struct divider){16, 4, 0}, k0, false, true, few, true, colours, true);
    else
        run_chunk(plan, band, divider, k0, false, true, few, hull, colours, false);
}

static void run(const struct palette_plan *plan, const struct palette_band *band,
                struct divider divider, int64_t k0, bool edge)
{
    if (!plan->hull)
        plan->count <= LANES ? run_rule(plan, band, divider, k0, edge, true, false, LANES)
                             : run_rule(plan, band, divider, k0, edge, false, false, 0);
    else if (plan->count > 16)
        run_rule(plan, band, divider, k0, edge, false, true, 0);
    else if (plan->count > 8)
        run_rule(plan, band, divider, k0, edge, true, true, 16);
    else if (plan->count > 4)
        run_rule(plan, band, divider, k0, edge, true, true, 8);
    else
        plan->count > 2 ? run_rule(plan, band, divider, k0, edge, true, true, 4)
                        : run_rule(plan, band, divider, k0, edge, true, true, 2);
}

/* What a band of fewer rows than lanes hands on. The history of dy holds in lane i the errors of
 * row i - dy; those of rows above the band it hands on as they are. */
static void leave_lines(const struct palette_plan *plan, const struct palette_band *band,
                        int64_t k0)
{
    const struct scratch *s = band->scratch;
    for (int c = 0; c < 3; c++)
        for (int dy = 1; dy <= plan->rows_down; dy++) {
            int32_t *left = band->left[c][dy - 1] + k0;
            if (dy > band->rows) {
                memcpy(left, band->above[c][dy - band->rows - 1] + k0,
                       PALETTE_CHUNK * sizeof *left);
                continue;
            }
            for (int q = 0; q < PALETTE_CHUNK; q++)
                left[q - plan->skew * (band->rows - dy)] =
                    s->history[c][dy][HISTORY + q][band->rows];
        }
}

static void steps(const struct palette_plan *plan, struct palette_band *band, int64_t first,
                  int64_t last)
{
    struct scratch *s = band->scratch;
    const struct divider divider = divider_of(plan->kernel.divisor);
    const ptrdiff_t stride = band->in_stride < 0 ? -band->in_stride : band->in_stride;
    const bool near = stride < (1 << 30) / LANES; /* offsets of lanes are 32 bits wide */
    for (int64_t k0 = first; k0 < last; k0 += PALETTE_CHUNK) {
        bool edge = k0 < plan->skew * (LANES - 1) || k0 + PALETTE_CHUNK >= plan->width;
        load(plan, band, s, k0, edge || !near);
        run(plan, band, divider, k0, edge);
        if (band->left[0][0])
            leave_lines(plan, band, k0);
        store_levels(plan, band, s, k0);
    }
}

static void begin(const struct palette_plan *plan, struct palette_band *band)
{
    struct scratch *s = band->scratch;
    const ints zero = {0};
    memset(s->history, 0, sizeof s->history);
    /* What the first lanes will ask of the rows above from columns left of where they start. */
    for (int c = 0; c < 3; c++) {
        for (int dy = 1; dy <= plan->rows_down; dy++)
            for (int q = 0; q < HISTORY; q++)
                for (int i = 0; i < dy; i++)
                    s->history[c][dy][q][i] =
                        band->above[c][dy - 1 - i][q - HISTORY + plan->skew * (dy - i)];
        s->last[c] = zero;
        s->carry[c] = zero + plan->kernel.divisor / 2;
    }
}

const struct palette_code RO_SIMD_NAME(palette_code) = {
    .lanes = LANES,
    .scratch_bytes = sizeof(struct scratch),
    .begin = begin,
    .steps = steps,
};
