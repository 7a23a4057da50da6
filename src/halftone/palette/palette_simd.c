/* SPDX-License-Identifier: MIT */
/*
 * Palettes with rows as lanes of 32 bits, each `skew` columns behind the one above (wave.h has the
 * figure). A step rounds one pixel of every lane: three sums, three divisions, the choice of a
 * colour, three errors.
 *
 * Sums are divided as unsigned numbers: divisor * B is added before and B taken off after, where B
 * is more than any error is below zero.
 */
#include "halftone/palette/palette_region.h"
#include "simd/simd.h"

#include <string.h>

typedef __attribute__((vector_size(RO_VECTOR_BYTES))) int32_t ints;
typedef __attribute__((vector_size(RO_VECTOR_BYTES))) float floats;

enum {
    LANES = RO_VECTOR_BYTES / 4,
    HISTORY = 48,   /* steps an error is kept: dx + skew * dy at most */
    PREFETCH = 512, /* bytes ahead */
};

#if defined(RO_SIMD_AVX512)
typedef __m512i whole;
RO_INLINE ints minimum(ints a, ints b) { return (ints)_mm512_min_epi32((whole)a, (whole)b); }
RO_INLINE ints maximum(ints a, ints b) { return (ints)_mm512_max_epi32((whole)a, (whole)b); }
RO_INLINE ints gather(const void *base, ints index, const int scale)
{
    return scale == 1   ? (ints)_mm512_i32gather_epi32((whole)index, base, 1)
           : scale == 2 ? (ints)_mm512_i32gather_epi32((whole)index, base, 2)
                        : (ints)_mm512_i32gather_epi32((whole)index, base, 4);
}
RO_INLINE ints pick(ints table, ints index)
{
    return (ints)_mm512_permutexvar_epi32((whole)index, (whole)table);
}
RO_INLINE ints chosen(ints yes, ints a, ints b) { return (yes & a) | (~yes & b); }
RO_INLINE ints multiply_pairs(ints a, ints b)
{
    return (ints)_mm512_madd_epi16((whole)a, (whole)b);
}
RO_INLINE ints add_halves(ints a, ints b) { return (ints)_mm512_adds_epi16((whole)a, (whole)b); }
RO_INLINE ints less_halves(ints a, ints b) { return (ints)_mm512_sub_epi16((whole)a, (whole)b); }
RO_INLINE ints cut_halves(ints a, ints least, ints most)
{
    return (ints)_mm512_min_epi16(_mm512_max_epi16((whole)a, (whole)least), (whole)most);
}
RO_INLINE unsigned high_lanes(ints v) { return _mm512_movepi32_mask((whole)v); }
RO_INLINE ints rotate(ints e) { return (ints)_mm512_alignr_epi32((whole)e, (whole)e, LANES - 1); }
RO_INLINE ints insert_first(ints e, const int32_t *first)
{
    return (ints)_mm512_mask_loadu_epi32((whole)e, 1, first);
}
RO_INLINE void store_first(int32_t *to, ints e)
{
    _mm_storeu_si32(to, _mm512_castsi512_si128((whole)e));
}
RO_INLINE ints multiply_high(ints a, uint32_t b, int shift)
{
    whole factor = _mm512_set1_epi64(b);
    whole even = _mm512_srli_epi64(_mm512_mul_epu32((whole)a, factor), (unsigned)shift);
    whole odd = _mm512_mul_epu32(_mm512_srli_epi64((whole)a, 32), factor);
    odd = _mm512_slli_epi64(_mm512_srli_epi64(odd, (unsigned)shift), 32);
    return (ints)_mm512_or_si512(even, odd);
}
#else
typedef __m256i whole;
RO_INLINE ints minimum(ints a, ints b) { return (ints)_mm256_min_epi32((whole)a, (whole)b); }
RO_INLINE ints maximum(ints a, ints b) { return (ints)_mm256_max_epi32((whole)a, (whole)b); }
RO_INLINE ints gather(const void *base, ints index, const int scale)
{
    return scale == 1   ? (ints)_mm256_i32gather_epi32(base, (whole)index, 1)
           : scale == 2 ? (ints)_mm256_i32gather_epi32(base, (whole)index, 2)
                        : (ints)_mm256_i32gather_epi32(base, (whole)index, 4);
}
RO_INLINE ints pick(ints table, ints index)
{
    return (ints)_mm256_permutevar8x32_epi32((whole)table, (whole)index);
}
RO_INLINE ints chosen(ints yes, ints a, ints b)
{
    return (ints)_mm256_blendv_epi8((whole)b, (whole)a, (whole)yes);
}
RO_INLINE ints multiply_pairs(ints a, ints b)
{
    return (ints)_mm256_madd_epi16((whole)a, (whole)b);
}
RO_INLINE ints add_halves(ints a, ints b) { return (ints)_mm256_adds_epi16((whole)a, (whole)b); }
RO_INLINE ints less_halves(ints a, ints b) { return (ints)_mm256_sub_epi16((whole)a, (whole)b); }
RO_INLINE ints cut_halves(ints a, ints least, ints most)
{
    return (ints)_mm256_min_epi16(_mm256_max_epi16((whole)a, (whole)least), (whole)most);
}
RO_INLINE unsigned high_lanes(ints v) { return (unsigned)_mm256_movemask_ps((__m256)v); }
RO_INLINE ints rotate(ints e)
{
    const ints from = {7, 0, 1, 2, 3, 4, 5, 6};
    return (ints)_mm256_permutevar8x32_epi32((whole)e, (whole)from);
}
RO_INLINE ints insert_first(ints e, const int32_t *first)
{
    whole one = _mm256_castsi128_si256(_mm_loadu_si32(first));
    return (ints)_mm256_blend_epi32((whole)e, one, 1);
}
RO_INLINE void store_first(int32_t *to, ints e)
{
    _mm_storeu_si32(to, _mm256_castsi256_si128((whole)e));
}
RO_INLINE ints multiply_high(ints a, uint32_t b, int shift)
{
    whole factor = _mm256_set1_epi64x(b);
    whole even = _mm256_srli_epi64(_mm256_mul_epu32((whole)a, factor), shift);
    whole odd = _mm256_mul_epu32(_mm256_srli_epi64((whole)a, 32), factor);
    odd = _mm256_slli_epi64(_mm256_srli_epi64(odd, shift), 32);
    return (ints)_mm256_or_si256(even, odd);
}
#endif

struct scratch {
    ints tone[3][PALETTE_CHUNK];
    ints level[PALETTE_CHUNK];
    ints history[3][DIFFUSION_MAX_DY + 1][HISTORY + PALETTE_CHUNK]; /* [dy]: moved dy lanes down */
    ints last[3], carry[3]; /* the error and the remainder on the left */
    struct palette_light known;
};

/* ---- pixels in, pixels out ------------------------------------------------------------------ */

/* Not inline, so that what is in the hull goes by quickly. */
__attribute__((noinline)) static void move_light(const struct palette_plan *plan,
                                                 struct palette_light *known, uint32_t cell,
                                                 const uint32_t sample[3], int32_t to[4])
{
    palette_light_near(plan, known, sample, cell, to);
}

/* Row by row: at edges, and where light has to be moved, for neighbours often go the same way.
 * Columns outside the picture have no light. */
RO_INLINE void load_rows(const struct palette_plan *plan, const struct palette_band *band,
                         struct scratch *s, int64_t k0, const int sample_bytes)
{
    const uint16_t *linear = plan->linear, *cells = s->known.cell;
    const int shift = plan->grid_shift;
    const bool hull = plan->hull;
    for (int i = 0; i < LANES; i++) {
        const int64_t x0 = k0 - (int64_t)plan->skew * i, left = (int64_t)plan->width - x0;
        const int first = (int)(x0 >= 0 ? 0 : -x0 < PALETTE_CHUNK ? -x0 : PALETTE_CHUNK);
        const int last = (int)(left >= PALETTE_CHUNK ? PALETTE_CHUNK : left > first ? left : first);
        const unsigned char *pixel =
            band->in + (i < band->rows ? i : 0) * band->in_stride + 3 * sample_bytes * (x0 + first);
        int32_t *tone[3] = {(int32_t *)s->tone[0] + i, (int32_t *)s->tone[1] + i,
                            (int32_t *)s->tone[2] + i};
        if (first > 0 || last < PALETTE_CHUNK)
            for (int q = 0; q < PALETTE_CHUNK; q++)
                for (int c = 0; c < 3; c++)
                    tone[c][q * LANES] = 0;
        uint64_t before = UINT64_MAX; /* the colour that went to `light` */
        int32_t light[4];
        for (int q = first; q < last; q++, pixel += 3 * sample_bytes) {
            const uint16_t *wide = (const uint16_t *)pixel;
            const uint32_t red = sample_bytes == 1 ? pixel[0] : wide[0];
            const uint32_t green = sample_bytes == 1 ? pixel[1] : wide[1];
            const uint32_t blue = sample_bytes == 1 ? pixel[2] : wide[2];
            tone[0][q * LANES] = 16 * linear[red];
            tone[1][q * LANES] = 16 * linear[green];
            tone[2][q * LANES] = 16 * linear[blue];
            if (!hull)
                continue;
            const uint32_t cell = red >> shift | green >> shift << PALETTE_GRID_BITS |
                                  blue >> shift << 2 * PALETTE_GRID_BITS;
            if (cells[cell] == PALETTE_INSIDE)
                continue;
            const uint64_t colour = red | (uint64_t)green << 16 | (uint64_t)blue << 32;
            if (colour != before)
                move_light(plan, &s->known, cell, (uint32_t[3]){red, green, blue}, light);
            before = colour;
            for (int c = 0; c < 3; c++)
                tone[c][q * LANES] = light[c];
        }
    }
}

/* A pixel of every lane by one load of four bytes (two for 16-bit samples), then its light by the
 * table. The byte after the last sample of a row is read: never called for a row's last pixel. */
RO_INLINE void load_inner(const struct palette_plan *plan, const struct palette_band *band,
                          struct scratch *s, int64_t k0, const int sample_bytes)
{
    const int chunk_bytes = 3 * sample_bytes * PALETTE_CHUNK;
    ints at = {0};
    for (int i = 0; i < LANES; i++) {
        at[i] = (int32_t)((i < band->rows ? i : 0) * band->in_stride -
                          3 * sample_bytes * (int64_t)plan->skew * i);
        /* More rows than the hardware follows by itself. */
        for (int ahead = PREFETCH; ahead < PREFETCH + chunk_bytes; ahead += 64)
            __builtin_prefetch(band->in + 3 * sample_bytes * k0 + at[i] + ahead);
    }
    const unsigned char *base = band->in + 3 * sample_bytes * k0;
    for (int q = 0; q < PALETTE_CHUNK; q++, base += 3 * sample_bytes) {
        ints first = gather(base, at, 1), sample[3];
        if (sample_bytes == 1) {
            sample[0] = first & 255;
            sample[1] = first >> 8 & 255;
            sample[2] = first >> 16 & 255;
        } else {
            ints second = gather(base + 2, at, 1);
            sample[0] = first & 65535;
            sample[1] = second & 65535;
            sample[2] = second >> 16 & 65535;
        }
        for (int c = 0; c < 3; c++)
            s->tone[c][q] = (gather(plan->linear, sample[c], 2) & 65535) << 4;
    }
}

/* Four neighbouring columns of a row to a word, then words along the rows. */
static void store_levels(const struct palette_plan *plan, const struct palette_band *band,
                         const struct scratch *s, int64_t k0)
{
    ints words[PALETTE_CHUNK / 4];
    for (int g = 0; g < PALETTE_CHUNK / 4; g++) {
        const ints *level = s->level + 4 * g;
        words[g] = level[0] | level[1] << 8 | level[2] << 16 | level[3] << 24;
    }
    for (int i = 0; i < band->rows; i++) {
        uint32_t line[PALETTE_CHUNK / 4];
        for (int g = 0; g < PALETTE_CHUNK / 4; g++)
            line[g] = ((const uint32_t *)&words[g])[i];
        int64_t first = k0 - (int64_t)plan->skew * i, last = first + PALETTE_CHUNK;
        int64_t from = first < 0 ? 0 : first, to = last > plan->width ? plan->width : last;
        unsigned char *row = band->out + i * band->out_stride;
        if (from == first && to == last)
            memcpy(row + first, line, PALETTE_CHUNK);
        else if (from < to)
            memcpy(row + from, (unsigned char *)line + (from - first), (size_t)(to - from));
    }
}

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

/* The best of eight colours by a tournament, in which the lower number wins a tie. Past the last
 * colour scores are the lowest. */
RO_INLINE ints nearest_of_eight(const struct palette_choice *choice, ints pair, ints blue,
                                int first, ints *best)
{
    const ints zero = {0};
    ints score[8], number[8];
    RO_UNROLL
    for (int k = 0; k < 8; k++) {
        score[k] = score_of(choice, pair, blue, first + k);
        number[k] = zero + k;
    }
    RO_UNROLL
    for (int apart = 1; apart < 8; apart *= 2)
        RO_UNROLL
    for (int k = 0; k < 8; k += 2 * apart) {
        number[k] = chosen(score[k + apart] > score[k], number[k + apart], number[k]);
        score[k] = maximum(score[k + apart], score[k]);
    }
    *best = score[0];
    return number[0] + first;
}

/* palette_nearest of few colours: all of them. */
RO_INLINE ints nearest_of_few(const struct palette_choice *choice, const ints u[3],
                              const bool eight)
{
    const int32_t *least = choice->least, *most = choice->most;
    const ints blue = stretch(u[2], least[2], most[2]);
    const ints pair =
        stretch((u[0] & 65535) | u[1] << 16, least[0] | least[1] << 16, most[0] | most[1] << 16);
    ints best, nearest = nearest_of_eight(choice, pair, blue, 0, &best);
    for (int first = 8; first < choice->count && !eight; first += 8) {
        ints score, number = nearest_of_eight(choice, pair, blue, first, &score);
        nearest = chosen(score > best, number, nearest);
        best = maximum(score, best);
    }
    return nearest;
}

/* Cells of choices are half as many an octave as those of cell_of. */
RO_INLINE ints choice_cell_of(ints v)
{
    const ints zero = {0};
    ints below = minimum(maximum(v >> PALETTE_CHOICE_WIDE, zero - PALETTE_CHOICE_BELOW), zero);
    return (cell_of(minimum(maximum(v, zero), zero + PALETTE_CHOICE_HIGHEST)) >> 1) +
           (below + PALETTE_CHOICE_BELOW);
}

/* Of many: those that the cell names. */
RO_INLINE ints nearest_of_many(const struct palette_choice *choice, const ints v[3])
{
    ints cell = choice_cell_of(v[0]) | choice_cell_of(v[1]) << PALETTE_CHOICE_BITS |
                choice_cell_of(v[2]) << 2 * PALETTE_CHOICE_BITS;
    ints nearest = gather(choice->cells, cell, 4);
    for (unsigned several = high_lanes(255 - nearest); several; several &= several - 1) {
        const int i = __builtin_ctz(several);
        const uint8_t *list = choice->lists + ((uint32_t)nearest[i] >> 8);
        const int32_t of[3] = {palette_stretch(choice, 0, v[0][i]),
                               palette_stretch(choice, 1, v[1][i]),
                               palette_stretch(choice, 2, v[2][i])};
        int32_t best = INT32_MIN;
        for (int j = 1; j <= list[0] + 1; j++) {
            const int32_t score = palette_score(choice, list[j], of);
            nearest[i] = score > best ? list[j] : nearest[i];
            best = score > best ? score : best;
        }
    }
    return nearest;
}

RO_INLINE ints nearest_of(const struct palette_choice *choice, const ints v[3], const bool eight)
{
    ints u[3];
    for (int c = 0; c < 3; c++)
        u[c] = (v[c] >> PALETTE_FINE) + choice->shift;
    return !eight && choice->cells ? nearest_of_many(choice, v) : nearest_of_few(choice, u, eight);
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

RO_INLINE void run_chunk(const struct palette_plan *plan, const struct palette_band *band,
                         struct divider divider, int64_t k0, const bool edge, const bool power,
                         const bool few, const bool hull)
{
    struct scratch *s = band->scratch;
    const struct diffusion_kernel *kernel = &plan->kernel;
    const int skew = plan->skew, rows_down = plan->rows_down;
    const ints zero = {0};
    const int32_t white = PALETTE_WHITE, over = plan->overshoot, bias = white + over + 1;
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
    ints from = zero, until = zero, table[3] = {zero, zero, zero};
    if (edge)
        for (int i = 0; i < LANES; i++) {
            int64_t start = (int64_t)skew * i - k0, end = start + plan->width;
            from[i] = (int32_t)(start < 0 ? 0 : start > PALETTE_CHUNK ? PALETTE_CHUNK : start);
            until[i] = (int32_t)(end < 0 ? 0 : end > PALETTE_CHUNK ? PALETTE_CHUNK : end);
        }
    if (few)
        for (int c = 0; c < 3; c++)
            memcpy(&table[c], plan->colour[c], sizeof table[c]);

    ints last[3] = {s->last[0], s->last[1], s->last[2]};
    ints carry[3] = {s->carry[0], s->carry[1], s->carry[2]};
    for (int q = 0; q < PALETTE_CHUNK; q++) {
        ints t[3], v[3], cell = zero;
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
            carry[c] = t[c] - quotient * divider.divisor;
            v[c] = s->tone[c][q] + (quotient - bias);
            v[c] = minimum(maximum(v[c], zero - over), zero + (white + over));
            if (!hull)
                cell |= cell_of(minimum(maximum(v[c], zero), zero + white)) << (c * PALETTE_SHIFT);
        }
        ints k = hull ? nearest_of(&plan->choice, v, few && LANES == 8)
                      : gather(plan->nearest, cell, 1) & 255;
        s->level[q] = k;
        ints started = zero, inside = zero;
        if (edge) {
            started = zero + q >= from;
            inside = started & (zero + q < until);
        }
        RO_UNROLL
        for (int c = 0; c < 3; c++) {
            ints e = v[c] - (few ? pick(table[c], k) : gather(plan->colour[c], k, 4));
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
    const bool bytes = plan->sample_bytes == 1;
    if (edge || plan->hull)
        bytes ? load_rows(plan, band, s, k0, 1) : load_rows(plan, band, s, k0, 2);
    else
        bytes ? load_inner(plan, band, s, k0, 1) : load_inner(plan, band, s, k0, 2);
}

/* One loop for each kind of divisor and palette; at edges, where speed does not count, one less. */
RO_INLINE void run_rule(const struct palette_plan *plan, const struct palette_band *band,
                        struct divider divider, int64_t k0, bool edge, const bool hull)
{
    const bool few = plan->count <= LANES;
    if (edge)
        divider.magic ? run_chunk(plan, band, divider, k0, true, false, false, hull)
                      : run_chunk(plan, band, divider, k0, true, true, false, hull);
    else if (divider.magic)
        few ? run_chunk(plan, band, divider, k0, false, false, true, hull)
            : run_chunk(plan, band, divider, k0, false, false, false, hull);
    else
        few ? run_chunk(plan, band, divider, k0, false, true, true, hull)
            : run_chunk(plan, band, divider, k0, false, true, false, hull);
}

static void run(const struct palette_plan *plan, const struct palette_band *band,
                struct divider divider, int64_t k0, bool edge)
{
    if (plan->hull)
        run_rule(plan, band, divider, k0, edge, true);
    else
        run_rule(plan, band, divider, k0, edge, false);
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
