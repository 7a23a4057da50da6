/* SPDX-License-Identifier: MIT */
/*
 * Palettes with rows as lanes of 32 bits, each `skew` columns behind the one above (wave.h has the
 * figure). A step rounds one pixel of every lane: three sums, three divisions, the choice of a
 * colour, three errors.
 *
 * Sums are shifted, or divided as unsigned numbers: divisor * B is added before and B taken off
 * after, where B is more than any error is below zero. The usual kernel and rule have a loop of
 * their own (fs_fast_path.h).
 */
#include "halftone/palette/dither/fs_fast_path.h"
#include "halftone/palette/dither/nearest.h"
#include "halftone/palette/dither/pixels.h"

/* ---- the chain ------------------------------------------------------------------------------- */

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

RO_INLINE void run_chunk(const struct palette_plan *plan, const struct palette_band *band,
                         struct divider divider, int64_t k0, const bool edge, const bool power,
                         const bool few, const int colours)
{
    struct scratch *s = band->scratch;
    const struct diffusion_kernel *kernel = &plan->kernel;
    const int skew = plan->skew, rows_down = plan->rows_down;
    const ints zero = {0};
    const int32_t white = PALETTE_WHITE, over = PALETTE_GUARD;
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
        keeps_own_row |= tap.dy == 0;
    }
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
        ints t[3], v[3];
        RO_UNROLL
        for (int c = 0; c < 3; c++)
            t[c] = carry[c] + divider.divisor * bias;
        for (int i = 0; i < taps; i++) {
            RO_UNROLL
            for (int c = 0; c < 3; c++)
                t[c] += taken[c][i][q] * weight[i];
        }
        RO_UNROLL
        for (int c = 0; c < 3; c++) {
            t[c] += last[c] * next_weight;
            ints quotient = divide(divider, power, t[c]);
            carry[c] = power ? t[c] & (divider.divisor - 1) : t[c] - quotient * divider.divisor;
            v[c] = s->tone[c][q] + (quotient - bias);
            v[c] = minimum(maximum(v[c], zero - over), zero + (white + over));
        }
        ints k = nearest_of(&plan->choice, &s->few, v, colours);
        s->level[q] = k;
        ints started = zero, inside = zero;
        if (edge) {
            started = zero + q >= from;
            inside = started & (zero + q < until);
        }
        RO_UNROLL
        for (int c = 0; c < 3; c++) {
            const ints colour =
                few ? colour_of(table[c], k, colours) : gather(plan->colour[c], k, 4);
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

/* Whether some of a chunk's lanes lie outside the picture. */
static bool is_edge(const struct palette_plan *plan, int64_t k0)
{
    return k0 < plan->skew * (LANES - 1) || k0 + PALETTE_CHUNK >= plan->width;
}

static void load(const struct palette_plan *plan, const struct palette_band *band,
                 struct scratch *s, int64_t k0, bool edge)
{
    if (plan->sample_bytes == 2)
        load_rows(plan, band, s, k0);
    else if (edge || plan->grid_shift != PALETTE_BLOCK_BITS)
        load_moved_edge(plan, band, s, k0);
    else
        load_moved(plan, band, s, k0, PALETTE_CHUNK);
}

/* One loop for each kind of divisor and palette. */
RO_INLINE void run_rule(const struct palette_plan *plan, const struct palette_band *band,
                        struct divider divider, int64_t k0, bool edge, const bool few,
                        const int colours)
{
    if (edge)
        divider.magic ? run_chunk(plan, band, divider, k0, true, false, few, colours)
                      : run_chunk(plan, band, divider, k0, true, true, few, colours);
    else
        divider.magic ? run_chunk(plan, band, divider, k0, false, false, few, colours)
                      : run_chunk(plan, band, divider, k0, false, true, few, colours);
}

static void run(const struct palette_plan *plan, const struct palette_band *band,
                struct divider divider, int64_t k0, bool edge)
{
    if (plan->count > 16)
        run_rule(plan, band, divider, k0, edge, false, 0);
    else
        run_rule(plan, band, divider, k0, edge, true, plan->count > 8 ? 16 : 8);
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
    const bool usual = is_floyd_steinberg(plan) && !band->left[0][0];
    const bool moved = usual && plan->sample_bytes == 1 && plan->grid_shift == PALETTE_BLOCK_BITS;
    for (int64_t k0 = first; k0 < last; k0 += PALETTE_CHUNK) {
        const bool edge = is_edge(plan, k0);
        int ahead = 0;
        if (moved && !edge)
            ahead = load_ahead(plan, band, s, k0, is_edge(plan, k0 + PALETTE_CHUNK));
        else
            load(plan, band, s, k0, edge || !near);
        usual && !edge ? run_usual(plan, band, k0, ahead) : run(plan, band, divider, k0, edge);
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
    s->loaded = 0;
    few_make(&plan->choice, &s->few);
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
