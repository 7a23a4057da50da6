/* SPDX-License-Identifier: MIT */
/*
 * Direct binary search, trials of a whole line at a time.
 *
 * A line's sixteen pixels are screened at once: the toggle and the eight swaps of each, the
 * smallest change and which it is. The first lane that gains is accepted; its window of c_pe is
 * updated and the lanes after it are screened again, which is raster order. Since c_pe is s c_pe(m)
 * away from each change, a swap costs two additions: with s1 = -s0,
 *
 *     change / 32 = 16 (c_pp(0) - c_pp(d)) - s0 c_pe(m0) + s0 c_pe(m1)
 *
 * A line is skipped while nothing within 2w + 1 of its pixels has changed since all of them failed:
 * each accepted change marks the lines near it as stale.
 */
#include "halftone/search/search.h"
#include "simd/simd.h"

#include <string.h>

void RO_SIMD_NAME(dbs_start)(struct dbs_state *state, int y0, int y1, void *scratch);
void RO_SIMD_NAME(dbs_project)(struct dbs_state *state, int y0, int y1, void *scratch);
void RO_SIMD_NAME(dbs_correlate)(struct dbs_state *state, int y0, int y1, void *scratch);

/* ---- Lines of sixteen ----------------------------------------------------------------------- */

#if defined(RO_SIMD_AVX512)

typedef __m512i line;
typedef __mmask16 lane_mask;
struct choice {
    line change, which;
};

RO_INLINE line load(const int32_t *from) { return _mm512_load_si512(from); }
RO_INLINE line load_loose(const int32_t *from) { return _mm512_loadu_si512(from); }
RO_INLINE line load_where(uint32_t mask, const int32_t *from)
{
    return _mm512_maskz_loadu_epi32((lane_mask)mask, from);
}
RO_INLINE void store(int32_t *to, line a) { _mm512_store_si512(to, a); }
RO_INLINE line splat(int32_t a) { return _mm512_set1_epi32(a); }
RO_INLINE line add(line a, line b) { return _mm512_add_epi32(a, b); }
RO_INLINE line subtract(line a, line b) { return _mm512_sub_epi32(a, b); }
RO_INLINE line exclusive(line a, line b) { return _mm512_xor_si512(a, b); }
RO_INLINE line from_left(line left, line a) { return _mm512_alignr_epi32(a, left, 15); }
RO_INLINE line from_right(line a, line right) { return _mm512_alignr_epi32(right, a, 1); }
RO_INLINE line spread(uint32_t mask) { return _mm512_movm_epi32((lane_mask)mask); }
/* a + b in the lanes of the mask, 0 in the others */
RO_INLINE line add_where(uint32_t mask, line a, line b)
{
    return _mm512_maskz_add_epi32((lane_mask)mask, a, b);
}

/* The smaller change, the first among equals. */
RO_INLINE struct choice better(struct choice a, struct choice b)
{
    lane_mask second = _mm512_cmplt_epi32_mask(b.change, a.change);
    return (struct choice){_mm512_min_epi32(a.change, b.change),
                           _mm512_mask_mov_epi32(a.which, second, b.which)};
}
RO_INLINE uint32_t gaining(struct choice a, uint32_t among)
{
    return _mm512_mask_cmplt_epi32_mask((lane_mask)among, a.change, _mm512_setzero_si512());
}
/* The lowest lane of a mask that is not empty. */
RO_INLINE int32_t lane_of(line a, uint32_t mask)
{
    return _mm_cvtsi128_si32(
        _mm512_castsi512_si128(_mm512_maskz_compress_epi32((lane_mask)mask, a)));
}
#elif defined(RO_SIMD_V128)

typedef struct {
    v_all part[4];
} line;
struct choice {
    line change, which;
};
#define EACH(expression)                                                                           \
    line result;                                                                                   \
    RO_UNROLL                                                                                      \
    for (int i = 0; i < 4; i++)                                                                    \
        result.part[i] = expression;                                                               \
    return result
RO_INLINE line load_loose(const int32_t *from) { EACH(v_load(from + 4 * i)); }
RO_INLINE line load(const int32_t *from) { return load_loose(from); }
RO_INLINE void store(int32_t *to, line a)
{
    for (int i = 0; i < 4; i++)
        v_store(to + 4 * i, a.part[i]);
}
RO_INLINE line splat(int32_t a) { EACH(v_set1_epi32(a)); }
RO_INLINE line add(line a, line b) { EACH(v_add_epi32(a.part[i], b.part[i])); }
RO_INLINE line subtract(line a, line b) { EACH(v_sub_epi32(a.part[i], b.part[i])); }
RO_INLINE line exclusive(line a, line b) { EACH(a.part[i] ^ b.part[i]); }
RO_INLINE v_all up(v_all before, v_all a)
{
    return (v_all)__builtin_shufflevector((v_i32)before, (v_i32)a, 3, 4, 5, 6);
}
RO_INLINE v_all down(v_all a, v_all after)
{
    return (v_all)__builtin_shufflevector((v_i32)a, (v_i32)after, 1, 2, 3, 4);
}
RO_INLINE line from_left(line left, line a)
{
    EACH(up(i ? a.part[i ? i - 1 : 0] : left.part[3], a.part[i]));
}
RO_INLINE line from_right(line a, line right)
{
    EACH(down(a.part[i], i < 3 ? a.part[i < 3 ? i + 1 : 3] : right.part[0]));
}
RO_INLINE line spread(uint32_t mask)
{
    const v_i32 bit = {1, 2, 4, 8}, bits = (v_i32){0} + (int32_t)mask;
    EACH((v_all)((bits >> (4 * i) & bit) == bit));
}
RO_INLINE line masked(line a, line b) { EACH(a.part[i] & b.part[i]); }
RO_INLINE line load_where(uint32_t mask, const int32_t *from)
{
    /* What the mask leaves out may be outside the array. */
    const line lanes = spread(mask);
    line result;
    for (int i = 0; i < 4; i++)
        if (mask >> (4 * i) & 15)
            result.part[i] = v_load(from + 4 * i) & lanes.part[i];
        else
            result.part[i] = (v_all){0};
    return result;
}
RO_INLINE line add_where(uint32_t mask, line a, line b) { return masked(spread(mask), add(a, b)); }
RO_INLINE struct choice better(struct choice a, struct choice b)
{
    struct choice best;
    RO_UNROLL
    for (int i = 0; i < 4; i++) {
        const v_all second = v_cmpgt_epi32(a.change.part[i], b.change.part[i]);
        best.change.part[i] = v_min_epi32(a.change.part[i], b.change.part[i]);
        best.which.part[i] = v_chosen(second, b.which.part[i], a.which.part[i]);
    }
    return best;
}
RO_INLINE uint32_t gaining(struct choice a, uint32_t among)
{
    uint32_t all = 0;
    RO_UNROLL
    for (int i = 0; i < 4; i++)
        all |= v_mask32(a.change.part[i]) << (4 * i);
    return all & among;
}
RO_INLINE int32_t lane_of(line a, uint32_t mask)
{
    _Alignas(32) int32_t lanes[DBS_LANES];
    store(lanes, a);
    return lanes[__builtin_ctz(mask)];
}
#undef EACH

#else

typedef struct {
    __m256i low, high;
} line;
struct choice {
    line change, which;
};

#define BOTH(call, a, b) ((line){call((a).low, (b).low), call((a).high, (b).high)})
RO_INLINE __m256i load_half(const int32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}
RO_INLINE line load_loose(const int32_t *from)
{
    return (line){load_half(from), load_half(from + 8)};
}
RO_INLINE line load(const int32_t *from) { return load_loose(from); }
RO_INLINE void store(int32_t *to, line a)
{
    _mm256_store_si256((__m256i *)(void *)to, a.low);
    _mm256_store_si256((__m256i *)(void *)(to + 8), a.high);
}
RO_INLINE line splat(int32_t a) { return (line){_mm256_set1_epi32(a), _mm256_set1_epi32(a)}; }
RO_INLINE line add(line a, line b) { return BOTH(_mm256_add_epi32, a, b); }
RO_INLINE line subtract(line a, line b) { return BOTH(_mm256_sub_epi32, a, b); }
RO_INLINE line exclusive(line a, line b) { return BOTH(_mm256_xor_si256, a, b); }
/* Eight lanes of a pair, one lane before the second and one after the first. */
RO_INLINE __m256i up(__m256i before, __m256i a)
{
    return _mm256_alignr_epi8(a, _mm256_permute2x128_si256(before, a, 0x21), 12);
}
RO_INLINE __m256i down(__m256i a, __m256i after)
{
    return _mm256_alignr_epi8(_mm256_permute2x128_si256(a, after, 0x21), a, 4);
}
RO_INLINE line from_left(line left, line a)
{
    return (line){up(left.high, a.low), up(a.low, a.high)};
}
RO_INLINE line from_right(line a, line right)
{
    return (line){down(a.low, a.high), down(a.high, right.low)};
}
RO_INLINE line spread(uint32_t mask)
{
    const __m256i low = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i high = _mm256_slli_epi32(low, 8), bits = _mm256_set1_epi32((int32_t)mask);
    return (line){_mm256_cmpeq_epi32(_mm256_and_si256(bits, low), low),
                  _mm256_cmpeq_epi32(_mm256_and_si256(bits, high), high)};
}
RO_INLINE line load_where(uint32_t mask, const int32_t *from)
{
    line lanes = spread(mask);
    return (line){_mm256_maskload_epi32(from, lanes.low),
                  _mm256_maskload_epi32(from + 8, lanes.high)};
}
RO_INLINE line add_where(uint32_t mask, line a, line b)
{
    return BOTH(_mm256_and_si256, spread(mask), add(a, b));
}
RO_INLINE struct choice better(struct choice a, struct choice b)
{
    line second = BOTH(_mm256_cmpgt_epi32, a.change, b.change);
    return (struct choice){
        BOTH(_mm256_min_epi32, a.change, b.change),
        {_mm256_blendv_epi8(a.which.low, b.which.low, second.low),
         _mm256_blendv_epi8(a.which.high, b.which.high, second.high)},
    };
}
RO_INLINE uint32_t gaining(struct choice a, uint32_t among)
{
    uint32_t low = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(a.change.low));
    uint32_t high = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(a.change.high));
    return (low | high << 8) & among;
}
RO_INLINE int32_t lane_of(line a, uint32_t mask)
{
    _Alignas(32) int32_t lanes[DBS_LANES];
    store(lanes, a);
    return lanes[__builtin_ctz(mask)];
}
#endif

/* ---- Trials --------------------------------------------------------------------------------- */

/* Adds a table to the window of a move; `at` is the window's first line. */
RO_INLINE void update(const struct dbs_plan *plan, const int32_t *table, int lines, int32_t *at,
                      int w)
{
    const int rows = dbs_update_rows(w), pitch = dbs_update_pitch(w);
    for (int i = 0; i < lines; i++) {
        RO_UNROLL
        for (int r = 0; r < rows; r++) {
            int32_t *to = at + r * DBS_LANES;
            store(to, add(load(to), load_loose(table + r * pitch)));
        }
        at += plan->pitch * DBS_LANES;
        table += DBS_LANES;
    }
}

/* Marks the lines round (panel, y) that the changes of some lanes concern. */
RO_INLINE void mark_stale(struct dbs_state *state, int panel, int y, uint32_t lanes, int w)
{
    static const uint64_t ones = 0x0101010101010101;
    const int reach = 2 * w + 2, rows = 2 * reach + 1;
    const int first = panel * DBS_LANES + __builtin_ctz(lanes) - reach;
    const int last = panel * DBS_LANES + 31 - __builtin_clz(lanes) + reach;
    for (int p = first >> 4; p <= last >> 4; p++) {
        uint8_t *to = state->stale + dbs_line(&state->plan, p, y - reach);
        for (int r = 0; r + 8 < rows; r += 8)
            memcpy(to + r, &ones, 8);
        memcpy(to + rows - 8, &ones, 8);
    }
}

/* Pixels 16 panel - 8 .. 16 panel + 23 of a bit row: the line's own from bit 8 on. Two blocks of a
 * group are never so near that such words overlap. */
enum { OWN = 8 };
RO_INLINE uint32_t read_bits(const uint8_t *row, int panel)
{
    uint32_t bits;
    memcpy(&bits, row + 2 * panel - 1, sizeof bits);
    return bits;
}

/* The lanes whose neighbour, dx away in a row of bits, is open and unequal. */
RO_INLINE uint32_t unequal(uint32_t white, uint32_t b, uint32_t open, int dx)
{
    return ((white << (OWN + dx) ^ b) & open) >> (OWN + dx);
}

RO_INLINE void search_line(struct dbs_state *state, int panel, int y, struct dbs_tally *tally,
                           int w)
{
    const struct dbs_plan *plan = &state->plan;
    const size_t beside = plan->pitch * DBS_LANES;
    int32_t *const here = state->pe + dbs_line(plan, panel, y) * DBS_LANES;
    uint8_t *rows = dbs_bit_row(plan, state->b, y);
    const uint8_t *open_rows = dbs_bit_row(plan, state->open, y);
    uint32_t b[3], open[3];
    line pe[3][3]; /* rows above, here, below; lines left, here, right */
    for (int i = 0; i < 3; i++) {
        b[i] = read_bits(rows + (i - 1) * (ptrdiff_t)plan->bit_pitch, panel);
        open[i] = read_bits(open_rows + (i - 1) * (ptrdiff_t)plan->bit_pitch, panel);
        for (int j = 0; j < 3; j++)
            pe[i][j] = load(here + (i - 1) * DBS_LANES + (j - 1) * (ptrdiff_t)beside);
    }
    uint32_t active = open[1] >> OWN & 0xffff, changed = 0;
    while (active) {
        const uint32_t white = b[1] >> OWN & 0xffff;
        const line sign = spread(white);
        const line signed_own = subtract(exclusive(pe[1][1], sign), sign);
        const line rest = add(signed_own, sign);
        const line straight = subtract(splat(plan->swap_cost[1]), rest);
        const line diagonal = subtract(splat(plan->swap_cost[0]), rest);
#define SWAP(k, i, dx, value, base)                                                                \
    (struct choice)                                                                                \
    {                                                                                              \
        add_where(unequal(white, b[i], open[i], dx), exclusive(value, sign), base),                \
            splat((k)*DBS_LANES)                                                                   \
    }
#define LEFT(i) from_left(pe[i][0], pe[i][1])
#define RIGHT(i) from_right(pe[i][1], pe[i][2])
        const struct choice toggle = {subtract(splat(plan->toggle_cost), signed_own), splat(0)};
        const struct choice best =
            better(better(better(better(toggle, SWAP(1, 0, -1, LEFT(0), diagonal)),
                                 better(SWAP(2, 0, 0, pe[0][1], straight),
                                        SWAP(3, 0, 1, RIGHT(0), diagonal))),
                          better(better(SWAP(4, 1, -1, LEFT(1), straight),
                                        SWAP(5, 1, 1, RIGHT(1), straight)),
                                 better(SWAP(6, 2, -1, LEFT(2), diagonal),
                                        SWAP(7, 2, 0, pe[2][1], straight)))),
                   SWAP(8, 2, 1, RIGHT(2), diagonal));
#undef SWAP
        const uint32_t gains = gaining(best, active);
        if (!gains)
            break;
        const int lane = __builtin_ctz(gains);
        const struct dbs_move *move = &state->moves[lane_of(best.which, gains) + lane];
        const int32_t *table = state->updates + move->table[white >> lane & 1];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                pe[i][j] = add(pe[i][j], load_where(move->near[j], table + move->beside +
                                                                       i * dbs_update_pitch(w) +
                                                                       (j - 1) * DBS_LANES));
        update(plan, table, move->lines, here + move->window, w);
        tally->changes++;
        tally->gain += lane_of(best.change, gains);
        changed |= 1u << lane;
        active &= (uint32_t)-2 << lane;
        /* One pixel, or two. No branches here: they could not be foretold. */
        const uint32_t own = 1u << (OWN + lane), other = own << 1 >> (1 - move->dx);
        b[0] ^= other & (uint32_t)move->flip[0];
        b[1] ^= own ^ (other & (uint32_t)move->flip[1]);
        b[2] ^= other & (uint32_t)move->flip[2];
    }
    if (!changed)
        return;
    for (int i = 0; i < 3; i++)
        memcpy(rows + (i - 1) * (ptrdiff_t)plan->bit_pitch + 2 * panel - 1, &b[i], sizeof b[i]);
    mark_stale(state, panel, y, changed, w);
}

RO_INLINE void search_lines(struct dbs_state *state, const struct dbs_area *area,
                            struct dbs_tally *tally, int w)
{
    const struct dbs_plan *plan = &state->plan;
    const int first = area->x0 / DBS_LANES, last = (area->x1 + DBS_LANES - 1) / DBS_LANES;
    for (int y = area->y0; y < area->y1; y++)
        for (int panel = first; panel < last; panel++) {
            uint8_t *stale = &state->stale[dbs_line(plan, panel, y)];
            if (*stale) {
                *stale = 0;
                search_line(state, panel, y, tally, w);
            }
        }
}

static void search(struct dbs_state *state, const struct dbs_area *area, struct dbs_tally *tally)
{
    if (state->plan.w == 4)
        search_lines(state, area, tally, 4);
    else
        search_lines(state, area, tally, state->plan.w);
}

const struct dbs_kernels RO_SIMD_NAME(dbs_kernels) = {
    .name = RO_SIMD_SET,
    .start = RO_SIMD_NAME(dbs_start),
    .project = RO_SIMD_NAME(dbs_project),
    .correlate = RO_SIMD_NAME(dbs_correlate),
    .search = search,
};
