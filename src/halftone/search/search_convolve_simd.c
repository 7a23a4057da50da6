/* SPDX-License-Identifier: MIT */
/*
 * Direct binary search, what comes before the search: the start, e and c_pe = V * e.
 *
 * e = A - 16 (V * b) is a sum of 16-bit numbers. Where the picture is blurred too, 16 S b is taken
 * from A before the sum: 16 (V * b) is a whole number, so that rounding after it is the same.
 *
 * V is the same in all four quadrants and across the diagonal, so the pixels that share a weight
 * are added up first: rows y - dy and y + dy are folded into one, columns x - dx and x + dx are
 * added as they are loaded, and (dx, dy) meets (dy, dx) before the multiplication.
 */
#include "core/random.h"
#include "halftone/search/search.h"
#include "simd/simd.h"

#include <string.h>

enum {
    SHARE = 512, /* columns folded at a time */
    EDGE = DBS_MARGIN,
    FOLD = SHARE + 2 * EDGE,
};

typedef __attribute__((vector_size(RO_VECTOR_BYTES), may_alias)) int16_t shorts;
typedef __attribute__((vector_size(RO_VECTOR_BYTES), may_alias, aligned(2))) int16_t loose_shorts;
typedef __attribute__((vector_size(RO_VECTOR_BYTES), may_alias)) int32_t ints;
typedef __attribute__((vector_size(RO_VECTOR_BYTES), may_alias, aligned(4))) int32_t loose_ints;
typedef __attribute__((vector_size(RO_VECTOR_BYTES), may_alias)) uint32_t words;

/* ---- A weighted sum of rows ----------------------------------------------------------------- */

/* sums[0 .. count - 1] of columns x0 on; rows[w + dy] is the row dy below. */
#define DEFINE_WEIGH(name, element, vector, loose)                                                 \
    RO_INLINE void name(const struct dbs_plan *plan, const element *const *rows, int x0,           \
                        int count, int w, element *sums)                                           \
    {                                                                                              \
        enum { STEP = RO_VECTOR_BYTES / sizeof(element) };                                         \
        _Alignas(64) element folded[DBS_MAX_RADIUS + 1][FOLD];                                     \
        for (int dy = 0; dy <= w; dy++)                                                            \
            for (int i = 0; i < count + 2 * EDGE; i += STEP) {                                     \
                vector sum = *(const loose *)(rows[w - dy] + x0 - EDGE + i);                       \
                if (dy)                                                                            \
                    sum += *(const loose *)(rows[w + dy] + x0 - EDGE + i);                         \
                *(vector *)&folded[dy][i] = sum;                                                   \
            }                                                                                      \
        for (int i = 0; i < count; i += STEP) {                                                    \
            vector total = {0};                                                                    \
            for (int dy = 0; dy <= w; dy++)                                                        \
                for (int dx = dy; dx <= w; dx++) {                                                 \
                    const element *near = &folded[dy][EDGE + i], *far = &folded[dx][EDGE + i];     \
                    vector sum = *(const loose *)(near - dx);                                      \
                    if (dx)                                                                        \
                        sum += *(const loose *)(near + dx);                                        \
                    if (dx != dy) {                                                                \
                        sum += *(const loose *)(far - dy);                                         \
                        if (dy)                                                                    \
                            sum += *(const loose *)(far + dy);                                     \
                    }                                                                              \
                    total += sum * (element)dbs_eye(plan, dx, dy);                                 \
                }                                                                                  \
            *(vector *)(sums + i) = total;                                                         \
        }                                                                                          \
    }
DEFINE_WEIGH(weigh_shorts, int16_t, shorts, loose_shorts)
DEFINE_WEIGH(weigh_ints, int32_t, ints, loose_ints)

/* ---- e and c_pe ----------------------------------------------------------------------------- */

/* A bit row as numbers, margins and all. */
static void expand(const struct dbs_plan *plan, const uint8_t *bits, int16_t *to)
{
    for (size_t x = 0; x < plan->row_pitch; x += 32) {
        uint32_t mask;
        memcpy(&mask, bits + x / 8, 4);
#if defined(RO_SIMD_AVX512)
        _mm512_storeu_si512(to + x, _mm512_maskz_set1_epi16(mask, 1));
#elif defined(RO_SIMD_V128)
        const v_u16 lanes = {1, 2, 4, 8, 16, 32, 64, 128};
        for (int part = 0; part < 4; part++) {
            const v_u16 set = ((v_u16){0} + (uint16_t)(mask >> 8 * part & 255)) & lanes;
            v_store(to + x + 8 * part, (v_all)((v_u16)(set == lanes) >> 15));
        }
#else
        const __m256i lanes = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048,
                                                4096, 8192, 16384, (short)32768);
        for (int half = 0; half < 2; half++) {
            __m256i set = _mm256_and_si256(_mm256_set1_epi16((short)(mask >> 16 * half)), lanes);
            set = _mm256_srli_epi16(_mm256_cmpeq_epi16(set, lanes), 15);
            _mm256_storeu_si256((__m256i *)(void *)(to + x + 16 * half), set);
        }
#endif
    }
}

/* Behind a strip's rows of e lie the rows that they are made from, then two rows to make those. */
struct parts {
    int32_t *from;
    uint16_t *values;
    int16_t *bits;
};
static struct parts parts_of(const struct dbs_plan *plan, void *scratch)
{
    struct parts parts = {.from = (int32_t *)scratch +
                                  (DBS_STRIP + 2 * DBS_MAX_RADIUS) * plan->row_pitch};
    parts.values = (uint16_t *)(parts.from + (DBS_STRIP + 4 * DBS_MAX_RADIUS) * plan->row_pitch);
    parts.bits = (int16_t *)parts.values + plan->row_pitch;
    return parts;
}

/* A row of A - 16 S b, zero beyond the padded picture. */
static void differ(struct dbs_state *state, int y, const struct parts *parts, int32_t *to)
{
    const struct dbs_plan *plan = &state->plan;
    memset(to, 0, plan->row_pitch * sizeof *to);
    if (y < 0 || y >= plan->height)
        return;
    dbs_values(state, y, parts->values);
    expand(plan, dbs_bit_row(plan, state->b, y) - DBS_MARGIN / 8, parts->bits);
    for (int x = 0; x < plan->width; x++)
        to[DBS_MARGIN + x] =
            state->target[parts->values[x]] - 16 * DBS_SCALE * parts->bits[DBS_MARGIN + x];
}

RO_INLINE void project_seen(struct dbs_state *state, int y0, int y1, int w, void *scratch)
{
    const struct dbs_plan *plan = &state->plan;
    const size_t pitch = plan->row_pitch;
    const struct parts parts = parts_of(plan, scratch);
    for (int y = y0 - 2 * w; y < y1 + 2 * w; y++)
        differ(state, y, &parts, parts.from + (size_t)(y - y0 + 2 * w) * pitch);
    for (int y = y0 - w; y < y1 + w; y++) {
        int32_t *error = dbs_error_row(plan, scratch, y0 - w, y);
        memset(error - DBS_MARGIN, 0, pitch * sizeof *error);
        if (y < 0 || y >= plan->height)
            continue;
        const int32_t *rows[DBS_EYE];
        for (int i = 0; i <= 2 * w; i++)
            rows[i] = parts.from + (size_t)(y - y0 + w + i) * pitch + DBS_MARGIN;
        for (int x0 = 0; x0 < plan->width; x0 += SHARE) {
            _Alignas(64) int32_t sums[SHARE];
            int count = plan->width - x0 < SHARE ? plan->width - x0 : SHARE;
            weigh_ints(plan, rows, x0, (count + EDGE - 1) / EDGE * EDGE, w, sums);
            for (int i = 0; i < count; i++)
                error[x0 + i] = dbs_divide(sums[i]);
        }
    }
}

RO_INLINE void project_picture(struct dbs_state *state, int y0, int y1, int w, void *scratch)
{
    const struct dbs_plan *plan = &state->plan;
    const size_t pitch = plan->row_pitch;
    const struct parts parts = parts_of(plan, scratch);
    int16_t *b = (int16_t *)parts.from;
    uint16_t *values = parts.values;
    for (int y = y0 - 2 * w; y < y1 + 2 * w; y++)
        expand(plan, dbs_bit_row(plan, state->b, y) - DBS_MARGIN / 8,
               b + (size_t)(y - y0 + 2 * w) * pitch);
    for (int y = y0 - w; y < y1 + w; y++) {
        int32_t *error = dbs_error_row(plan, scratch, y0 - w, y);
        memset(error - DBS_MARGIN, 0, pitch * sizeof *error);
        if (y < 0 || y >= plan->height)
            continue;
        const int16_t *rows[DBS_EYE];
        for (int i = 0; i <= 2 * w; i++)
            rows[i] = b + (size_t)(y - y0 + w + i) * pitch + DBS_MARGIN;
        dbs_values(state, y, values);
        for (int x0 = 0; x0 < plan->width; x0 += SHARE) {
            _Alignas(64) int16_t seen[SHARE];
            int count = plan->width - x0 < SHARE ? plan->width - x0 : SHARE;
            weigh_shorts(plan, rows, x0, (count + EDGE - 1) / EDGE * EDGE, w, seen);
            for (int i = 0; i < count; i++)
                error[x0 + i] = state->target[values[x0 + i]] - 16 * seen[i];
        }
    }
}

RO_INLINE void correlate_rows(struct dbs_state *state, int y0, int y1, int w, void *scratch)
{
    const struct dbs_plan *plan = &state->plan;
    for (int y = y0; y < y1; y++) {
        const int32_t *rows[DBS_EYE];
        for (int i = 0; i <= 2 * w; i++)
            rows[i] = dbs_error_row(plan, scratch, y0 - w, y - w + i);
        for (int x0 = 0; x0 < plan->width; x0 += SHARE) {
            _Alignas(64) int32_t sums[SHARE];
            int count = plan->width - x0 < SHARE ? plan->width - x0 : SHARE;
            weigh_ints(plan, rows, x0, (count + EDGE - 1) / EDGE * EDGE, w, sums);
            for (int i = 0; i < count; i += DBS_LANES)
                memcpy(state->pe + dbs_line(plan, (x0 + i) / DBS_LANES, y) * DBS_LANES, sums + i,
                       DBS_LANES * sizeof *sums);
        }
    }
}

void RO_SIMD_NAME(dbs_project)(struct dbs_state *state, int y0, int y1, void *scratch)
{
    const bool seen = state->plan.options.aim == DBS_SEEN;
    if (seen && state->plan.w == 4)
        project_seen(state, y0, y1, 4, scratch);
    else if (seen)
        project_seen(state, y0, y1, state->plan.w, scratch);
    else if (state->plan.w == 4)
        project_picture(state, y0, y1, 4, scratch);
    else
        project_picture(state, y0, y1, state->plan.w, scratch);
}

void RO_SIMD_NAME(dbs_correlate)(struct dbs_state *state, int y0, int y1, void *scratch)
{
    if (state->plan.w == 4)
        correlate_rows(state, y0, y1, 4, scratch);
    else
        correlate_rows(state, y0, y1, state->plan.w, scratch);
}

/* ---- The start ------------------------------------------------------------------------------ */

/* A bit for each true lane of a comparison. */
RO_INLINE uint32_t mask_of(ints truth)
{
#if defined(RO_SIMD_AVX512)
    return _mm512_movepi32_mask((__m512i)truth);
#elif defined(RO_SIMD_V128)
    return v_mask32((v_all)truth);
#else
    return (uint32_t)_mm256_movemask_ps((__m256)truth);
#endif
}

RO_INLINE ints look_up(const void *table, ints index)
{
#if defined(RO_SIMD_AVX512)
    return (ints)_mm512_i32gather_epi32((__m512i)index, table, 4);
#elif defined(RO_SIMD_V128)
    return (ints)v_gather32(table, (v_all)index, 4);
#else
    return (ints)_mm256_i32gather_epi32(table, (__m256i)index, 4);
#endif
}

/* Sixteen pixels of packed bits, the first lowest. */
RO_INLINE uint32_t first_sixteen(const uint8_t *packed)
{
    uint32_t bits = (uint32_t)packed[0] | (uint32_t)packed[1] << 8;
    bits = (bits & 0xaaaa) >> 1 | (bits & 0x5555) << 1;
    bits = (bits & 0xcccc) >> 2 | (bits & 0x3333) << 2;
    return (bits & 0xf0f0) >> 4 | (bits & 0x0f0f) << 4;
}

/* Sixteen pixels, in one vector or two; all numbers are below 2^31, so that signed comparisons do.
 */
void RO_SIMD_NAME(dbs_start)(struct dbs_state *state, int y0, int y1, void *scratch)
{
    enum { STEP = RO_VECTOR_BYTES / sizeof(int32_t) };
    const struct dbs_plan *plan = &state->plan;
    const uint32_t m = plan->screen_size;
    uint16_t *values = scratch;
    ints count;
    for (int i = 0; i < STEP; i++)
        count[i] = i;
    for (int y = y0; y < y1; y++) {
        uint8_t *b = dbs_bit_row(plan, state->b, y), *open = dbs_bit_row(plan, state->open, y);
        const uint32_t *ranks =
            m ? state->ranks + (size_t)((uint32_t)y % m) * (m + DBS_LANES) : NULL;
        const uint32_t row_hash = hash_of_row(plan->options.seed, (uint32_t)y);
        const uint8_t *given =
            state->first.data ? (uint8_t *)state->first.data + y * state->first.stride : NULL;
        dbs_values(state, y, values);
        for (int x = 0, at = 0; x < plan->width; x += DBS_LANES) {
            uint32_t white = 0, determined = 0, minority = 0;
            for (int i = 0; i < DBS_LANES; i += STEP) {
                ints value;
                for (int k = 0; k < STEP; k++)
                    value[k] = values[x + i + k];
                words hash = (words)(count + (x + i)) ^ row_hash;
                hash = (hash ^ hash >> 16) * 0x7feb352du;
                hash = (hash ^ hash >> 15) * 0x846ca68bu;
                hash ^= hash >> 16;
                white |= mask_of((ints)(hash & 0xffffff) < look_up(state->chance, value)) << i;
                if (ranks) {
                    ints rank = (ints)(*(const loose_ints *)(ranks + at + i) & 0x7fffffff);
                    determined |= mask_of(rank < look_up(state->limit, value)) << i;
                    minority |= mask_of(2 * value < (int32_t)plan->white) << i;
                }
            }
            if (given)
                white = first_sixteen(given + x / 8);
            if (ranks && (at += DBS_LANES) >= (int)m)
                at -= (int)m;
            uint32_t inside = plan->width - x >= DBS_LANES ? 0xffff : (1u << (plan->width - x)) - 1;
            uint16_t colour =
                (uint16_t)(((white & ~determined) | (minority & determined)) & inside);
            uint16_t left_open = (uint16_t)(~determined & inside);
            memcpy(b + x / 8, &colour, 2);
            memcpy(open + x / 8, &left_open, 2);
        }
    }
}
