/* SPDX-License-Identifier: MIT */
/*
 * A line of filters and their transpose, with plain dot products; or with others, where these are
 * defined before:
 *
 *     TARGET, NAME        an attribute of functions, and how their names end
 *     DOT_WORDS(s, a, b)  adds products of two int16_t to lanes of int32_t
 *     DOT_BYTES(s, a, b)  adds products of four uint8_t and int8_t to lanes of int32_t
 *     LOOK_UP             finds bytes in a table of 128
 *     BYTES_IN_PAIRS      bytes are filtered by filter_pairs, else by DOT_BYTES
 */
#include "denoise/trained/trained_lanes.h"

#ifndef TARGET
#define TARGET
#define NAME(name) name
#define DOT_WORDS dot_words
#define DOT_BYTES dot_bytes
#define LOOK_UP look_up
#define BYTES_IN_PAIRS true
#endif

/* Filters `group` of PIXELS pixels: lanes of 32 bits in order give bytes in the order of packing,
 * which interleaving four filters undoes. */
TARGET RO_INLINE void NAME(filter_quads)(const struct trained_line *line, int64_t x, int group,
                                         bool of_bytes, bool uneven, vec q[4])
{
    const int entries = of_bytes ? 7 : 13;
    const int32_t *taps = line->forward + group * entries * 4;
    const vec even = V(set1_epi16)((int16_t)line->slope);
    const vec half = V(set1_epi32)(line->narrow ? 1 << (line->narrow - 1) : 0);
    vec part[4][4 / VECTORS][VECTORS / 2];
    RO_UNROLL
    for (int h = 0; h < 4 / VECTORS; h++) {
        vec z[4][VECTORS];
        RO_UNROLL
        for (int k = 0; k < 4 * VECTORS; k++)
            z[k / VECTORS][k % VECTORS] = half;
        RO_UNROLL
        for (int e = 0; e < entries; e++) {
            const char *from = (const char *)line->entry[e] + 4 * (x + LANES * VECTORS * h);
            vec v[VECTORS];
            RO_UNROLL
            for (int k = 0; k < VECTORS; k++)
                v[k] = load(from + RO_VECTOR_BYTES * k);
            RO_UNROLL
            for (int i = 0; i < 4; i++) {
                const vec tap = V(set1_epi32)(taps[4 * e + i]);
                RO_UNROLL
                for (int k = 0; k < VECTORS; k++)
                    z[i][k] =
                        of_bytes ? DOT_BYTES(z[i][k], v[k], tap) : DOT_WORDS(z[i][k], v[k], tap);
            }
        }
        RO_UNROLL
        for (int i = 0; i < 4; i++)
            RO_UNROLL
        for (int k = 0; k < VECTORS / 2; k++) {
            const vec a = (vec)((lanes32)z[i][2 * k] >> line->narrow);
            const vec b = (vec)((lanes32)z[i][2 * k + 1] >> line->narrow);
            const vec slope =
                uneven ? as_words(line->slopes + x + LANES * (VECTORS * h + 2 * k)) : even;
            part[i][h][k] = V(mulhrs_epi16)(V(packs_epi32)(a, b), slope);
        }
    }
    const int second = VECTORS == 4; /* where the second half lies */
    RO_UNROLL
    for (int i = 0; i < 4; i++)
        q[i] = V(packs_epi16)(part[i][0][0], part[i][!second][second]);
}

/* Makes fluxes of four filters' bytes and stores them pixel by pixel. */
TARGET RO_INLINE void NAME(put_fluxes)(const struct trained_line *line, int64_t x, int group,
                                       bool pairs, const vec q[4])
{
    vec y[4];
    RO_UNROLL
    for (int i = 0; i < 4; i++) {
        const uint8_t *table = line->flux + (group * 4 + i) * TRAINED_FLUXES;
        y[i] = signed_as(q[i], LOOK_UP(table, size_of(q[i])));
    }
    const vec a = V(unpacklo_epi8)(y[0], y[1]), b = V(unpackhi_epi8)(y[0], y[1]);
    const vec c = V(unpacklo_epi8)(y[2], y[3]), d = V(unpackhi_epi8)(y[2], y[3]);
    vec out[4] = {V(unpacklo_epi16)(a, c), V(unpackhi_epi16)(a, c), V(unpacklo_epi16)(b, d),
                  V(unpackhi_epi16)(b, d)};
    if (pairs) {
        in_order(&out[0], &out[1]);
        in_order(&out[2], &out[3]);
    }
    RO_UNROLL
    for (int k = 0; k < 4; k++)
        store(line->quads[group] + x + LANES * k, out[k]);
}

/* Makes fluxes of four filters' bytes, scales them and stores them in pairs, pixel by pixel. */
TARGET RO_INLINE void NAME(put_scaled)(const struct trained_line *line, int64_t x, int group,
                                       const vec q[4])
{
    const vec scale[2] = {as_words(line->spreads + x), as_words(line->spreads + x + 2 * LANES)};
    const vec zero = {0};
    vec y[4][2];
    RO_UNROLL
    for (int i = 0; i < 4; i++) {
        const uint8_t *table = line->flux + (group * 4 + i) * TRAINED_FLUXES;
        const vec more = LOOK_UP(table, size_of(q[i])); /* 128 more, which wraps */
        const vec flux = signed_as(q[i], V(sub_epi8)(more, V(set1_epi8)(-128)));
        y[i][0] = V(mulhrs_epi16)(V(unpacklo_epi8)(zero, flux), scale[0]);
        y[i][1] = V(mulhrs_epi16)(V(unpackhi_epi8)(zero, flux), scale[1]);
    }
    RO_UNROLL
    for (int k = 0; k < 4; k++) { /* two pairs, two halves */
        const vec a = y[k & 2][k & 1], b = y[(k & 2) + 1][k & 1];
        uint32_t *to = line->quads[2 * group + k / 2] + x + 2 * LANES * (k & 1);
        store(to, V(unpacklo_epi16)(a, b));
        store(to + LANES, V(unpackhi_epi16)(a, b));
    }
}

TARGET RO_INLINE void NAME(spread)(const struct trained_line *line, bool uneven, int64_t from,
                                   int64_t to)
{
    for (int64_t x = from; x < to; x += LANES * VECTORS) {
        vec sum[TRAINED_SIDE][VECTORS];
        RO_UNROLL
        for (int r = 0; r < TRAINED_SIDE; r++)
            RO_UNROLL
        for (int k = 0; k < VECTORS; k++)
            sum[r][k] =
                uneven ? load(line->sum[r] + x + LANES * k)
                       : add32(load(line->sum[r] + x + LANES * k), V(set1_epi32)(line->bias[r]));
        for (int group = 0; group < line->groups << uneven; group++) {
            const int32_t *taps = line->back + group * TRAINED_TAPS;
            const uint32_t *quads = line->quads[group] + x + (TRAINED_SIDE / 2) * line->distance;
            RO_UNROLL
            for (int column = 0; column < TRAINED_SIDE; column++) {
                vec y[VECTORS];
                RO_UNROLL
                for (int k = 0; k < VECTORS; k++)
                    y[k] = load(quads - (ptrdiff_t)column * line->distance + LANES * k);
                RO_UNROLL
                for (int r = 0; r < TRAINED_SIDE; r++) {
                    const vec tap = V(set1_epi32)(taps[TRAINED_SIDE * r + column]);
                    RO_UNROLL
                    for (int k = 0; k < VECTORS; k++)
                        sum[r][k] = uneven ? DOT_WORDS(sum[r][k], y[k], tap)
                                           : DOT_BYTES(sum[r][k], y[k], tap);
                }
            }
        }
        RO_UNROLL
        for (int r = 0; r < TRAINED_SIDE; r++)
            RO_UNROLL
        for (int k = 0; k < VECTORS; k++)
            store(line->sum[r] + x + LANES * k, sum[r][k]);
    }
}

TARGET RO_INLINE void NAME(run)(const struct trained_line *line, bool of_bytes, bool uneven)
{
    const int64_t width = line->width, reach = (TRAINED_SIDE / 2) * line->distance;
    const bool pairs = of_bytes && BYTES_IN_PAIRS;
    for (int64_t x = 0; x < width; x += PIXELS)
        for (int group = 0; group < line->groups; group++) {
            vec q[4];
            if (pairs)
                filter_pairs(line, x, group, q);
            else
                NAME(filter_quads)(line, x, group, of_bytes, uneven, q);
            if (uneven)
                NAME(put_scaled)(line, x, group, q);
            else
                NAME(put_fluxes)(line, x, group, pairs, q);
        }
    for (int group = 0; group < line->groups << uneven; group++) /* no flux beyond the picture */
        for (int64_t x = width; x < width + 2 * reach; x++)
            line->quads[group][x] = uneven ? 0 : 0x80808080;
    NAME(spread)(line, uneven, -RESTING, width + reach);
}

TARGET static inline void NAME(words)(const struct trained_line *line)
{
    NAME(run)(line, false, false);
}
TARGET static inline void NAME(bytes)(const struct trained_line *line)
{
    NAME(run)(line, true, false);
}
TARGET static inline void NAME(uneven)(const struct trained_line *line)
{
    NAME(run)(line, false, true);
}

#undef TARGET
#undef NAME
#undef DOT_WORDS
#undef DOT_BYTES
#undef LOOK_UP
#undef BYTES_IN_PAIRS
