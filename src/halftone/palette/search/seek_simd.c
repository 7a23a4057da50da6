/* SPDX-License-Identifier: MIT */
/*
 * Search among colours, a line of sixteen pixels at a time.
 *
 * All changes and exchanges of a line are screened in floats. Those that could lower the error, the
 * rounding of floats allowed for, are looked at once more in whole numbers, one pixel after the
 * other, so the result is that of the definition. After a change the pixels behind it are screened
 * again. A change updates a window of e by a table: F, or for an exchange the difference of two F.
 */
#include "halftone/palette/search/seek.h"
#include "simd/simd.h"

#include <string.h>

typedef __attribute__((vector_size(RO_VECTOR_BYTES))) int32_t ints;
typedef __attribute__((vector_size(RO_VECTOR_BYTES))) float floats;
typedef __attribute__((vector_size(RO_VECTOR_BYTES), aligned(4), may_alias)) int32_t loose_ints;
typedef __attribute__((vector_size(16))) uint8_t bytes;

enum { LANES = RO_VECTOR_BYTES / 4, PARTS = SEEK_LANES / LANES, FEW = 16 };

RO_INLINE ints load(const int32_t *from) { return (ints) * (const loose_ints *)from; }
RO_INLINE void store(int32_t *to, ints a) { *(loose_ints *)to = (loose_ints)a; }
RO_INLINE floats floats_of(ints a) { return __builtin_convertvector(a, floats); }
RO_INLINE floats size_of(floats a) { return (floats)((ints)a & INT32_MAX); }

#if defined(RO_SIMD_AVX512)
typedef __m512i whole;
RO_INLINE floats pick(const float table[FEW], ints index)
{
    return (floats)_mm512_permutexvar_ps((whole)index, _mm512_loadu_ps(table));
}
RO_INLINE floats gather(const float *table, ints index)
{
    return (floats)_mm512_i32gather_ps((whole)index, table, 4);
}
RO_INLINE ints widen(const uint8_t *from)
{
    return (ints)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
}
RO_INLINE ints widen_halves(const int16_t *from)
{
    return (ints)_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)from));
}
RO_INLINE uint32_t mask_more(floats a, floats b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ);
}
RO_INLINE uint32_t mask_more_ints(ints a, ints b)
{
    return _mm512_cmpgt_epi32_mask((whole)a, (whole)b);
}
RO_INLINE ints times_half(ints a, ints b) { return (ints)_mm512_madd_epi16((whole)a, (whole)b); }
/* The neighbours of a line's part h, in it and in the lines beside it. */
RO_INLINE ints left_of(const int32_t *line, const int32_t *left, const int h)
{
    (void)h;
    return (ints)_mm512_alignr_epi32((whole)load(line), (whole)load(left), 15);
}
RO_INLINE ints right_of(const int32_t *line, const int32_t *right, const int h)
{
    (void)h;
    return (ints)_mm512_alignr_epi32((whole)load(right), (whole)load(line), 1);
}
#else
RO_INLINE ints left_of(const int32_t *line, const int32_t *left, const int h)
{
    ints a = load(line + h * LANES - 1);
    if (h == 0)
        a[0] = left[SEEK_LANES - 1];
    return a;
}
RO_INLINE ints right_of(const int32_t *line, const int32_t *right, const int h)
{
    ints a = load(line + h * LANES + 1);
    if (h == PARTS - 1)
        a[LANES - 1] = right[0];
    return a;
}
#if defined(RO_SIMD_AVX2)
typedef __m256i whole;
RO_INLINE floats pick(const float table[FEW], ints index)
{
    const __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), (whole)index);
    const __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + 8), (whole)index);
    return (floats)_mm256_blendv_ps(low, high, (__m256)(index << 28));
}
RO_INLINE floats gather(const float *table, ints index)
{
    return (floats)_mm256_i32gather_ps(table, (whole)index, 4);
}
RO_INLINE ints widen(const uint8_t *from)
{
    return (ints)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
}
RO_INLINE ints widen_halves(const int16_t *from)
{
    return (ints)_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
}
RO_INLINE uint32_t mask_more(floats a, floats b)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_GT_OQ));
}
RO_INLINE uint32_t mask_more_ints(ints a, ints b)
{
    return (uint32_t)_mm256_movemask_ps((__m256)(a > b));
}
RO_INLINE ints times_half(ints a, ints b) { return (ints)_mm256_madd_epi16((whole)a, (whole)b); }
#else
RO_INLINE floats gather(const float *table, ints index)
{
    return (floats){table[index[0]], table[index[1]], table[index[2]], table[index[3]]};
}
RO_INLINE floats pick(const float table[FEW], ints index) { return gather(table, index); }
RO_INLINE ints widen(const uint8_t *from) { return (ints)v_load_8_to_32(from); }
RO_INLINE ints widen_halves(const int16_t *from) { return (ints)v_load_16_to_32(from); }
RO_INLINE uint32_t mask_more(floats a, floats b) { return v_mask32((v_all)(a > b)); }
RO_INLINE uint32_t mask_more_ints(ints a, ints b) { return v_mask32((v_all)(a > b)); }
RO_INLINE ints times_half(ints a, ints b) { return (ints)v_madd_epi16((v_all)a, (v_all)b); }
#endif
#endif

/* ---- What the eye sees of a row -------------------------------------------------------------- */

enum { CHUNK = 128, SPARE = 16 };

/* seek_eye, places of the same weight together. */
RO_INLINE ints weigh(int32_t sum[SEEK_EYE + 1][CHUNK + 2 * SPARE], int x)
{
#define AT(dy, dx) ((dx) ? load(&sum[dy][x - (dx)]) + load(&sum[dy][x + (dx)]) : load(&sum[dy][x]))
    return 21 * AT(0, 0) + 15 * (AT(0, 1) + AT(1, 0)) + 11 * AT(1, 1) + 7 * (AT(0, 2) + AT(2, 0)) +
           6 * (AT(1, 2) + AT(2, 1)) + 4 * AT(2, 2) +
           3 * (AT(0, 3) + AT(3, 0) + AT(1, 3) + AT(3, 1)) +
           2 * (AT(0, 4) + AT(4, 0) + AT(1, 4) + AT(4, 1) + AT(2, 3) + AT(3, 2)) +
           (AT(3, 3) + AT(3, 4) + AT(4, 3) + AT(4, 4) + AT(2, 4) + AT(4, 2));
#undef AT
}

static void blur(const int32_t *const rows[2 * SEEK_EYE + 1], int32_t *to, int first, int last)
{
    int32_t sum[SEEK_EYE + 1][CHUNK + 2 * SPARE];
    for (int x0 = first & -SEEK_LANES; x0 < last; x0 += CHUNK) {
        const int left = ((last + SEEK_LANES - 1) & -SEEK_LANES) - x0;
        const int count = left < CHUNK ? left : CHUNK;
        for (int x = -SEEK_EYE; x < count + SEEK_EYE; x += LANES) {
            store(&sum[0][x + SPARE], load(rows[SEEK_EYE] + x0 + x));
            for (int dy = 1; dy <= SEEK_EYE; dy++)
                store(&sum[dy][x + SPARE],
                      load(rows[SEEK_EYE - dy] + x0 + x) + load(rows[SEEK_EYE + dy] + x0 + x));
        }
        for (int x = 0; x < count; x += LANES)
            store(to + x0 + x, weigh(sum, x + SPARE));
    }
}

/* ---- Pixels that are held -------------------------------------------------------------------- */

RO_INLINE int64_t dot_of(const struct seek_tables *tables, int j, int k)
{
    int64_t sum = 0;
    for (int c = 0; c < tables->channels; c++)
        sum += (int64_t)tables->colour[c][j] * tables->colour[c][k];
    return sum;
}

static void hold(const struct seek_tables *tables, const int32_t *const target[SEEK_CHANNELS],
                 int width, uint16_t *held)
{
    if (tables->count > FEW || tables->channels != SEEK_CHANNELS) {
        seek_kernels_ref.hold(tables, target, width, held);
        return;
    }
    const int64_t all = (int64_t)SEEK_EYE_SUM * SEEK_EYE_SUM;
    const int64_t own = 2 * (int64_t)tables->bell[SEEK_REACH][SEEK_REACH] << SEEK_FINE_BITS;
    const int count = tables->count;
    int32_t square[FEW], beyond[FEW][FEW];
    for (int k = 0; k < count; k++) {
        square[k] = (int32_t)(2 * dot_of(tables, k, k));
        for (int j = 0; j < count; j++) {
            const int64_t apart =
                dot_of(tables, k, k) - 2 * dot_of(tables, j, k) + dot_of(tables, j, j);
            const int64_t least = (own * apart + all - 1) / all;
            const int64_t shift = 4 * (dot_of(tables, j, k) - dot_of(tables, k, k));
            beyond[k][j] = apart > 0 ? (int32_t)(least + shift) : INT32_MAX;
        }
    }
    for (int x0 = 0; x0 < width; x0 += SEEK_LANES) {
        uint32_t mask = 0;
        for (int h = 0; h < PARTS; h++) {
            const int x = x0 + h * LANES;
            const ints luma = load(target[0] + x), red = load(target[1] + x),
                       blue = load(target[2] + x);
            ints dot[FEW], best = {0}, nearest = {0};
            for (int k = 0; k < count; k++) {
                dot[k] = luma * tables->colour[0][k] + red * tables->colour[1][k] +
                         blue * tables->colour[2][k];
                const ints score = dot[k] - square[k];
                const ints more = k ? score > best : ~(ints){0};
                best = (more & score) | (~more & best);
                nearest = (more & k) | (~more & nearest);
            }
            ints away = {0};
            for (int k = 0; k < count; k++) {
                const ints here = nearest == k;
                ints far = {0};
                for (int j = 0; j < count; j++)
                    far |= dot[j] - dot[k] >= beyond[k][j];
                away |= here & far;
            }
            mask |= mask_more_ints(away + 1, (ints){0}) << h * LANES;
        }
        held[x0 / SEEK_LANES] = (uint16_t)mask;
    }
}

/* ---- Screening ------------------------------------------------------------------------------- */

/* A line and what lies round it. */
struct line {
    const int32_t *e[3]; /* of the rows above, here and below: the first channel */
    ptrdiff_t beside;    /* from there to the line of the next panel */
    uint8_t own[SEEK_LANES], near[SEEK_NEIGHBOURS][SEEK_LANES]; /* colours */
    uint32_t valid[SEEK_NEIGHBOURS];                            /* neighbours in the picture */
    uint32_t free; /* lanes that may change by themselves */
};

/* Lanes of part h whose pixel gains by d, the step to another colour: 2 d e > cost d d, e being
 * less that of a neighbour. The share `unsure` of all terms is more than what floats may be off. */
RO_INLINE uint32_t gains(const floats d[SEEK_CHANNELS], const ints e[SEEK_CHANNELS], float cost,
                         const int channels)
{
    const float unsure = 0x1p-20f;
    floats square = {0}, sum = {0}, size = {0};
    RO_UNROLL
    for (int c = 0; c < channels; c++) {
        const floats product = d[c] * floats_of(e[c]);
        square += d[c] * d[c];
        sum += product;
        size += size_of(product);
    }
    return mask_more(2 * sum + 2 * unsure * size, cost * (1 - unsure) * square);
}

RO_INLINE uint32_t screen_part(const struct seek_tables *tables, const struct line *line,
                               const int h, const int channels, const bool few)
{
    const float straight = (float)(2 * tables->apart[0]), across = (float)(2 * tables->apart[1]);
    const ints number = widen(line->own + h * LANES);
    floats own[SEEK_CHANNELS];
    ints here[SEEK_CHANNELS];
    uint32_t found = 0;
    RO_UNROLL
    for (int c = 0; c < channels; c++) {
        own[c] = few ? pick(tables->shown[c], number) : gather(tables->shown[c], number);
        here[c] = load(line->e[1] + c * SEEK_LANES + h * LANES);
    }
    RO_UNROLL
    for (int i = 0; i < SEEK_NEIGHBOURS; i++) {
        const int row = i < 3 ? 0 : i < 5 ? 1 : 2, dx = (i + (i > 3)) % 3 - 1;
        const ints other = widen(line->near[i] + h * LANES);
        floats d[SEEK_CHANNELS];
        ints e[SEEK_CHANNELS];
        RO_UNROLL
        for (int c = 0; c < channels; c++) {
            const int32_t *from = line->e[row] + c * SEEK_LANES;
            const ints there = dx < 0   ? left_of(from, from - line->beside, h)
                               : dx > 0 ? right_of(from, from + line->beside, h)
                                        : load(from + h * LANES);
            d[c] = (few ? pick(tables->shown[c], other) : gather(tables->shown[c], other)) - own[c];
            e[c] = here[c] - there;
        }
        found |=
            gains(d, e, row != 1 && dx ? across : straight, channels) & line->valid[i] >> h * LANES;
    }
    const float alone = (float)tables->bell[SEEK_REACH][SEEK_REACH];
    uint32_t changed = 0;
    for (int k = 0; k < tables->count && line->free >> h * LANES; k++) {
        floats d[SEEK_CHANNELS];
        RO_UNROLL
        for (int c = 0; c < channels; c++)
            d[c] = tables->shown[c][k] - own[c];
        changed |= gains(d, here, alone, channels);
    }
    return found | (changed & line->free >> h * LANES);
}

RO_INLINE uint32_t screen(const struct seek_tables *tables, const struct line *line,
                          const int channels, const bool few)
{
    uint32_t found = 0;
    for (int h = 0; h < PARTS; h++)
        found |= (screen_part(tables, line, h, channels, few) & ((1 << LANES) - 1)) << h * LANES;
    return found;
}

/* ---- Changes --------------------------------------------------------------------------------- */

static const uint8_t update_of[SEEK_NEIGHBOURS] = {SEEK_SOUTH_EAST, SEEK_SOUTH,     SEEK_SOUTH_WEST,
                                                   SEEK_EAST,       SEEK_EAST,      SEEK_SOUTH_WEST,
                                                   SEEK_SOUTH,      SEEK_SOUTH_EAST};

/* Adds a table, times the steps of colour, to the window round a pixel. */
RO_INLINE void update(struct seek_state *state, int kind, int x, int y,
                      const int32_t step[SEEK_CHANNELS], const int channels)
{
    const int lane = x % SEEK_LANES, panel = x / SEEK_LANES;
    const size_t apart = (size_t)channels * SEEK_LANES;
    ints times[SEEK_CHANNELS];
    for (int c = 0; c < channels; c++)
        times[c] = (ints){0} + (step[c] & 0xffff);
    const int first = lane - SEEK_REACH - 1 < 0 ? -1 : 0;
    const int last = lane + SEEK_REACH + 1 >= SEEK_LANES ? 1 : 0;
    for (int p = first; p <= last; p++) {
        int32_t *to = state->pe + seek_line(state, panel + p, y - SEEK_REACH) * apart;
        const int16_t *from =
            &state->tables.update[kind][0][SEEK_UPDATE_MIDDLE + p * SEEK_LANES - lane];
        for (int row = 0; row < SEEK_UPDATE_ROWS; row++) {
            RO_UNROLL
            for (int h = 0; h < PARTS; h++) {
                const ints value = widen_halves(from + h * LANES);
                RO_UNROLL
                for (int c = 0; c < channels; c++) {
                    int32_t *at = to + c * SEEK_LANES + h * LANES;
                    store(at, load(at) - times_half(value, times[c]));
                }
            }
            to += apart;
            from += SEEK_UPDATE_COLUMNS;
        }
    }
}

/* The best change of a pixel that may have one, made; false: there is none. */
RO_INLINE bool change_pixel(struct seek_state *state, int x, int y, struct seek_tally *tally,
                            const int channels)
{
    const struct seek_tables *tables = &state->tables;
    int colour = 0, neighbour, x0 = x, y0 = y, kind = SEEK_TOGGLE;
    const int64_t gain = seek_best(state, x, y, &colour, &neighbour);
    if (gain >= 0)
        return false;
    uint8_t *own = &state->colour[seek_at(state, x, y)];
    int32_t step[SEEK_CHANNELS];
    for (int c = 0; c < channels; c++)
        step[c] = tables->colour[c][colour] - tables->colour[c][*own];
    if (neighbour >= 0) {
        const struct seek_step to = seek_neighbours[neighbour];
        state->colour[seek_at(state, x + to.dx, y + to.dy)] = *own;
        kind = update_of[neighbour];
        if (neighbour < SEEK_NEIGHBOURS / 2) {
            x0 += to.dx;
            y0 += to.dy;
            for (int c = 0; c < channels; c++)
                step[c] = -step[c];
        }
    }
    *own = (uint8_t)colour;
    update(state, kind, x0, y0, step, channels);
    tally->changes++;
    tally->gain += gain;
    return true;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

RO_INLINE bytes load_bytes(const uint8_t *from)
{
    bytes a;
    memcpy(&a, from, sizeof a);
    return a;
}

/* Colours of a line's neighbours. */
RO_INLINE void look_round(const struct seek_state *state, int panel, int y, struct line *line)
{
    const size_t beside = state->pitch * SEEK_LANES;
    int n = 0;
    for (int row = 0; row < 3; row++) {
        const uint8_t *at = state->colour + seek_line(state, panel, y + row - 1) * SEEK_LANES;
        const bytes own = load_bytes(at), before = load_bytes(at - beside),
                    after = load_bytes(at + beside);
        const bytes shifted[3] = {__builtin_shufflevector(before, own, 15, 16, 17, 18, 19, 20, 21,
                                                          22, 23, 24, 25, 26, 27, 28, 29, 30),
                                  own,
                                  __builtin_shufflevector(own, after, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                                          11, 12, 13, 14, 15, 16)};
        for (int i = 0; i < 3; i++)
            memcpy(row == 1 && i == 1 ? line->own : line->near[n++], &shifted[i], sizeof own);
    }
}

RO_INLINE void search_line(struct seek_state *state, int panel, int y, struct seek_tally *tally,
                           const int channels, const bool few)
{
    const int x0 = panel * SEEK_LANES, left = state->width - x0;
    const uint32_t whole = (1 << SEEK_LANES) - 1;
    const uint32_t inside = left >= SEEK_LANES ? whole : whole >> (SEEK_LANES - left);
    const uint32_t right = left > SEEK_LANES ? whole : inside >> 1;
    const uint32_t across[3] = {x0 > 0 ? inside : inside & ~1u, inside, right};
    const size_t number = seek_line(state, panel, y), apart = (size_t)channels * SEEK_LANES;
    struct line line;
    line.beside = (ptrdiff_t)(state->pitch * apart);
    line.free = state->swaps ? 0 : inside & ~(uint32_t)state->held[number];
    for (int row = 0; row < 3; row++)
        line.e[row] = state->pe + (number + (size_t)row - 1) * apart;
    for (int i = 0; i < SEEK_NEIGHBOURS; i++) {
        const int below = y + seek_neighbours[i].dy;
        line.valid[i] = below < 0 || below >= state->height ? 0 : across[seek_neighbours[i].dx + 1];
    }
    uint32_t active = inside, changed = 0;
    while (active) {
        look_round(state, panel, y, &line);
        uint32_t found = screen(&state->tables, &line, channels, few) & active;
        bool again = false;
        for (; found && !again; found &= found - 1) {
            const int lane = __builtin_ctz(found);
            active &= (uint32_t)-2 << lane;
            again = change_pixel(state, x0 + lane, y, tally, channels);
            changed |= (uint32_t)again << lane;
        }
        if (!again)
            break;
    }
    if (changed) {
        seek_mark(state, x0 + __builtin_ctz(changed), y);
        seek_mark(state, x0 + 31 - __builtin_clz(changed), y);
    }
}

RO_INLINE void search_lines(struct seek_state *state, const struct seek_area *area,
                            struct seek_tally *tally, const int channels, const bool few)
{
    const int first = area->x0 / SEEK_LANES, last = (area->x1 + SEEK_LANES - 1) / SEEK_LANES;
    for (int y = area->y0; y < area->y1; y++)
        for (int panel = first; panel < last; panel++) {
            uint8_t *stale = &state->stale[seek_line(state, panel, y)];
            if (*stale) {
                *stale = 0;
                search_line(state, panel, y, tally, channels, few);
            }
        }
}

static void search(struct seek_state *state, const struct seek_area *area, struct seek_tally *tally)
{
    const bool few = state->tables.count <= FEW;
    if (state->tables.channels == 1)
        few ? search_lines(state, area, tally, 1, true)
            : search_lines(state, area, tally, 1, false);
    else
        few ? search_lines(state, area, tally, SEEK_CHANNELS, true)
            : search_lines(state, area, tally, SEEK_CHANNELS, false);
}

const struct seek_kernels RO_SIMD_NAME(seek_kernels) = {RO_SIMD_SET, blur, hold, search};
