/* SPDX-License-Identifier: MIT */
/*
 * Pixels into the lanes of palettes, moved into the hull, and the numbers of colours out of them.
 * Compiled by wave_simd.c once per instruction set.
 */
#ifndef RO_HALFTONE_PALETTE_DITHER_PIXELS_H
#define RO_HALFTONE_PALETTE_DITHER_PIXELS_H

#include "halftone/palette/cell_regions.h"
#include "halftone/palette/dither/lanes.h"
#include "halftone/palette/hull_offsets.h"

#include <string.h>

/* Part of a row, before rows become lanes. */
struct part {
    const unsigned char *pixel; /* of column 0 */
    int first, last;            /* the columns that lie in the picture */
    int32_t (*light)[PALETTE_CHUNK];
};

RO_INLINE void sample_of(const struct part *part, int q, const int sample_bytes, uint32_t sample[3])
{
    const unsigned char *pixel = part->pixel + 3 * sample_bytes * q;
    for (int c = 0; c < 3; c++)
        sample[c] = sample_bytes == 1 ? pixel[c] : ((const uint16_t *)pixel)[c];
}

/* The light of a part's 16-bit samples. */
RO_INLINE void look_up(const struct palette_plan *plan, const struct part *part)
{
    for (int q = part->first; q < part->last; q++) {
        uint32_t sample[3];
        sample_of(part, q, 2, sample);
        for (int c = 0; c < 3; c++)
            part->light[c][q] = 16 * plan->linear[sample[c]];
    }
}

/* Bits of the lanes whose light lies within the hull for certain. */
RO_INLINE unsigned within_faces(const struct palette_faces *faces, const ints light[3])
{
    const floats zero = {0};
    const floats red = __builtin_convertvector(light[0], floats),
                 green = __builtin_convertvector(light[1], floats),
                 blue = __builtin_convertvector(light[2], floats);
    ints inside = {0};
    if (faces->count == 0)
        return 0;
    inside = ~inside;
    for (int f = 0; f < faces->count; f++) {
        const float *plane = faces->plane[f];
        inside &= plane[0] * red + plane[1] * green + (plane[2] * blue + plane[3]) >= zero;
    }
    return high_lanes(inside);
}

/* One pixel by itself: where its region is not known, or a rounding not certain. */
__attribute__((noinline)) static void move_one(const struct palette_plan *plan,
                                               struct palette_light *known, const struct part *part,
                                               int q)
{
    uint32_t sample[3];
    int32_t to[4];
    sample_of(part, q, 2, sample);
    palette_light_near(plan, known, sample, palette_grid_cell(plan, sample), to);
    for (int c = 0; c < 3; c++)
        part->light[c][q] = to[c];
}

/* Light of all lanes by one region's map; bits of those that may be rounded otherwise. */
RO_INLINE unsigned move_by(const struct palette_region *region, const ints light[3], ints to[3])
{
    const doubles zero = {0};
    half cut[3][2];
    unsigned unsure = 0;
    RO_UNROLL
    for (int h = 0; h < 2; h++) {
        const doubles from[3] = {widen(light[0], h), widen(light[1], h), widen(light[2], h)};
        doubles most = zero, least = 1 - zero;
        RO_UNROLL
        for (int c = 0; c < 3; c++) {
            doubles sum = region->from[3][c] - zero; /* not 0 +, which would be an addition */
            RO_UNROLL
            for (int k = 0; k < 3; k++)
                sum = multiply_add(from[k], region->from[k][c] - zero, sum);
            cut[c][h] = cut_doubles(sum);
            const doubles rest = sum - doubles_of(cut[c][h]);
            most = larger(most, rest);
            least = smaller(least, rest);
        }
        unsure |= high_doubles((most >= 1 - PALETTE_UNSURE) | (least <= PALETTE_UNSURE))
                  << h * LANES / 2;
    }
    for (int c = 0; c < 3; c++)
        to[c] = join(cut[c][0], cut[c][1]);
    return unsure;
}

/* The regions of some columns from q on, as far as they are known; of the others, that they stay.
 */
RO_INLINE ints regions_of(const struct palette_plan *plan, const struct palette_light *known,
                          const struct part *part, int q, unsigned columns)
{
    union {
        ints all;
        int32_t of[LANES];
    } region = {.all = (ints){0} + PALETTE_INSIDE};
    for (; columns; columns &= columns - 1) {
        uint32_t sample[3];
        const int i = __builtin_ctz(columns);
        sample_of(part, q + i, 2, sample);
        const int found = known->cell[palette_grid_cell(plan, sample)];
        region.of[i] = found == PALETTE_MIXED ? 0 : found;
    }
    return region.all;
}

/* What is not in the hull. Neighbours often go to the same part of it. */
RO_INLINE void move_part(const struct palette_plan *plan, struct palette_light *known,
                         const struct part *part)
{
    const ints zero = {0};
    for (int q = part->first & -LANES; q < part->last; q += LANES) {
        const int first = part->first > q ? part->first - q : 0;
        const int last = part->last - q < LANES ? part->last - q : LANES;
        ints *row[3], light[3];
        for (int c = 0; c < 3; c++) {
            row[c] = (ints *)(part->light[c] + q);
            light[c] = *row[c] >> 4;
        }
        unsigned open = (1u << last) - (1u << first);
        open &= ~within_faces(&plan->faces, light);
        if (!open)
            continue;
        const ints here = regions_of(plan, known, part, q, open);
        unsigned alone = high_lanes(here == zero);
        for (open = high_lanes(here != zero + PALETTE_INSIDE) & ~alone; open;) {
            ints to[3];
            const int number = here[__builtin_ctz(open)];
            const ints same = here == zero + number;
            const unsigned lanes = high_lanes(same);
            alone |= move_by(&known->region[number], light, to) & lanes;
            for (int c = 0; c < 3; c++)
                *row[c] = chosen(same, to[c], *row[c]);
            open &= ~lanes;
        }
        for (; alone; alone &= alone - 1)
            move_one(plan, known, part, q + __builtin_ctz(alone));
    }
}

/* A lane's pixel at step k0. */
RO_INLINE const unsigned char *row_of(const struct palette_plan *plan,
                                      const struct palette_band *band, int i, int64_t k0,
                                      const int sample_bytes)
{
    return band->in + (i < band->rows ? i : 0) * band->in_stride +
           3 * sample_bytes * (k0 - (int64_t)plan->skew * i);
}

/* The part of a lane's row from step k0 on. */
RO_INLINE struct part part_of(const struct palette_plan *plan, const struct palette_band *band,
                              int i, int64_t k0, const int columns, const int sample_bytes)
{
    const int64_t x0 = k0 - (int64_t)plan->skew * i, left = (int64_t)plan->width - x0;
    struct part part = {
        .pixel = row_of(plan, band, i, k0, sample_bytes),
        .first = (int)(x0 >= 0         ? 0
                       : -x0 < columns ? -x0
                                       : columns),
    };
    part.last = (int)(left >= columns ? columns : left > part.first ? left : part.first);
    return part;
}

/* 16-bit samples, row by row, then turned. Columns outside the picture have no light. */
RO_INLINE void load_rows(const struct palette_plan *plan, const struct palette_band *band,
                         struct scratch *s, int64_t k0)
{
    for (int i = 0; i < LANES; i++) {
        struct part part = part_of(plan, band, i, k0, PALETTE_CHUNK, 2);
        part.light = s->light[i];
        if (part.first > 0 || part.last < PALETTE_CHUNK)
            memset(part.light, 0, sizeof s->light[i]);
        look_up(plan, &part);
        move_part(plan, &s->known, &part);
    }
    for (int c = 0; c < 3; c++)
        for (int q = 0; q < PALETTE_CHUNK; q += LANES) {
            for (int i = 0; i < LANES; i++)
                s->tone[c][q + i] = *(const ints *)(s->light[i][c] + q);
            turn(&s->tone[c][q]);
        }
}

/* More rows than the hardware follows by itself. */
RO_INLINE void prefetch_rows(const struct palette_plan *plan, const struct palette_band *band,
                             int64_t k0, const int sample_bytes)
{
    for (int i = 0; i < band->rows; i++) {
        const unsigned char *row = row_of(plan, band, i, k0, sample_bytes);
        for (int ahead = 0; ahead < 3 * sample_bytes * PALETTE_CHUNK; ahead += 64)
            __builtin_prefetch(row + PREFETCH + ahead, 0, 2);
    }
}

/* A pixel of 8-bit samples by itself. */
__attribute__((noinline)) static void note_one(const struct palette_plan *plan,
                                               const struct palette_band *band, struct scratch *s,
                                               int64_t k, int lane)
{
    const struct part part = {.pixel = row_of(plan, band, lane, k, 1)};
    uint32_t sample[3];
    int32_t to[4];
    sample_of(&part, 0, 1, sample);
    const uint32_t cell = palette_grid_cell(plan, sample);
    const int region = palette_light_near(plan, &s->known, sample, cell, to);
    uint8_t *block = palette_note(plan, &s->known, &s->moves, sample, region);
    if (block && plan->grid_shift == PALETTE_BLOCK_BITS)
        fill_block(plan, &s->known, &s->known.region[region], cell,
                   (uint8_t)s->moves.move_of[region], block);
    for (int c = 0; c < 3; c++)
        s->tone[c][k % PALETTE_CHUNK][lane] = to[c];
}

enum { MOVED_COLUMNS = 16 };

/* Sums of a few columns of a row, `apart` from each other. */
RO_INLINE void sum_part(const struct palette_plan *plan, const struct palette_moves *moves,
                        const struct part *part, palette_sums *to, const int apart)
{
    const int32_t half = 1 << (PALETTE_MOVE_BITS - 1); /* of no light, certainly */
    for (int q = 0; q < MOVED_COLUMNS; q++)
        to[q * apart] = (palette_sums){half, half, half};
    for (int q = part->first; q < part->last; q++) {
        const unsigned char *sample = part->pixel + 3 * q;
        const size_t move =
            palette_move(moves, plan->place[0][sample[0]] | plan->place[1][sample[1]] |
                                    plan->place[2][sample[2]]);
        to[q * apart] = moves->move[move][0][sample[0]] + moves->move[move][1][sample[1]] +
                        moves->move[move][2][sample[2]];
    }
}

/* Sums of a column of all lanes. In four of them the lanes 4n + i stand at i, so that the four
 * numbers of a pixel become lanes within 16 bytes. */
union sums {
    palette_sums sum[LANES];
    ints lanes[4];
};

/* The light of a column; lanes of which it is not certain. */
RO_INLINE unsigned light_of(const ints lanes[4], ints *red, ints *green, ints *blue)
{
    const ints zero = {0}, fine = zero + ((1 << PALETTE_MOVE_BITS) - 1);
    const ints low = low_pairs(lanes[0], lanes[1]), high = low_pairs(lanes[2], lanes[3]);
    const ints sum[3] = {low_fours(low, high), high_fours(low, high),
                         low_fours(high_pairs(lanes[0], lanes[1]), high_pairs(lanes[2], lanes[3]))};
    const ints least = minimum(minimum(sum[0] & fine, sum[1] & fine), sum[2] & fine);
    *red = (ints)((whole_lanes)sum[0] >> PALETTE_MOVE_BITS);
    *green = (ints)((whole_lanes)sum[1] >> PALETTE_MOVE_BITS);
    *blue = (ints)((whole_lanes)sum[2] >> PALETTE_MOVE_BITS);
    return below_lanes(least, PALETTE_MOVE_UNSURE);
}

/* 8-bit samples with a hull: sums of all lanes, a few columns at a time, then light. */
static void load_moved_edge(const struct palette_plan *plan, const struct palette_band *band,
                            struct scratch *s, int64_t k0)
{
    union sums column[MOVED_COLUMNS];
    for (int q0 = 0; q0 < PALETTE_CHUNK; q0 += MOVED_COLUMNS) {
        for (int i = 0; i < LANES; i++) {
            const struct part part = part_of(plan, band, i, k0 + q0, MOVED_COLUMNS, 1);
            sum_part(plan, &s->moves, &part, column[0].sum + i % 4 * (LANES / 4) + i / 4, LANES);
        }
        for (int q = 0; q < MOVED_COLUMNS; q++)
            for (unsigned open = light_of(column[q].lanes, &s->tone[0][q0 + q], &s->tone[1][q0 + q],
                                          &s->tone[2][q0 + q]);
                 open; open &= open - 1)
                note_one(plan, band, s, k0 + q0 + q, __builtin_ctz(open));
    }
}

/* Where the parts of a pixel's sums lie: cell, place within it, and bytes from a row's first. */
struct whereabouts {
    uint32_t place[MOVED_COLUMNS], red[MOVED_COLUMNS], green[MOVED_COLUMNS], blue[MOVED_COLUMNS];
};

RO_INLINE void find_parts(const unsigned char *pixel, struct whereabouts *at)
{
    _Static_assert(PALETTE_GRID_BITS == 5 && PALETTE_BLOCK_BITS == 3, "shifts of bits");
    _Static_assert(sizeof(palette_sums) == 16, "bytes of a part");
    for (int n = 0; n < MOVED_COLUMNS; n += LANES) {
        const ints p = pixels_of(pixel + 3 * n);
        *(ints *)(at->red + n) = p << 4 & 255 << 4;
        *(ints *)(at->green + n) = p >> 4 & 255 << 4;
        *(ints *)(at->blue + n) = p >> 12 & 255 << 4;
        *(ints *)(at->place + n) = (p >> 3 & 31) | (p >> 6 & 31 << 5) | (p >> 9 & 31 << 10) |
                                   ((p & 7) | (p >> 5 & 7 << 3) | (p >> 10 & 7 << 6)) << 15;
    }
}

RO_INLINE sum128 sum_of(const struct palette_moves *moves, const struct whereabouts *at, int q)
{
    const palette_sums(*move)[PALETTE_MOVE_ROW] = moves->move[palette_move(moves, at->place[q])];
    const char *parts[3] = {(const char *)move[0], (const char *)move[1], (const char *)move[2]};
    return (sum128)(*(const palette_sums *)(parts[0] + at->red[q]) +
                    *(const palette_sums *)(parts[1] + at->green[q]) +
                    *(const palette_sums *)(parts[2] + at->blue[q]));
}

/* Where the parts of the next few columns lie, of all lanes; and of each column the lanes whose
 * light is not certain. */
struct columns {
    _Alignas(64) struct whereabouts at[LANES];
    unsigned open[MOVED_COLUMNS];
};

RO_INLINE void find_columns(const struct palette_plan *plan, const struct palette_band *band,
                            int64_t k, struct columns *columns)
{
    for (int i = 0; i < LANES; i++)
        find_parts(row_of(plan, band, i, k, 1), &columns->at[i]);
    asm("" : "+m"(*columns)); /* not lane by lane */
}

/* Column q of those found, as step `to` of `tone`: where all lie in the picture and the samples of
 * a cell are eight. Sums go from registers to lanes: a store of each would hold up the look-ups
 * behind it that end in the same twelve bits of an address. */
RO_INLINE void load_column(struct scratch *s, struct columns *columns, int q, int to)
{
    ints lanes[4];
    RO_UNROLL
    for (int i = 0; i < 4; i++) {
        sum128 sum[LANES / 4];
        RO_UNROLL
        for (int n = 0; n < LANES / 4; n++)
            sum[n] = sum_of(&s->moves, &columns->at[4 * n + i], q);
        lanes[i] = join_sums(sum);
    }
    columns->open[q] = light_of(lanes, &s->tone[0][to], &s->tone[1][to], &s->tone[2][to]);
}

/* Finds what is left open from step k on. */
RO_INLINE void note_columns(const struct palette_plan *plan, const struct palette_band *band,
                            struct scratch *s, int64_t k, const struct columns *columns)
{
    for (int q = 0; q < MOVED_COLUMNS; q++)
        for (unsigned open = columns->open[q]; open; open &= open - 1)
            note_one(plan, band, s, k + q, __builtin_ctz(open));
}

/* Steps k0 to k0 + count - 1 of these. */
static void load_moved(const struct palette_plan *plan, const struct palette_band *band,
                       struct scratch *s, int64_t k0, int count)
{
    struct columns columns;
    for (int64_t k = k0; k < k0 + count; k += MOVED_COLUMNS) {
        find_columns(plan, band, k, &columns);
        for (int q = 0; q < MOVED_COLUMNS; q++)
            load_column(s, &columns, q, (int)(k % PALETTE_CHUNK) + q);
        note_columns(plan, band, s, k, &columns);
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

#endif
