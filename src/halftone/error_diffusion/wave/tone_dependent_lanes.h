/* SPDX-License-Identifier: MIT */
/*
 * The wave of tone-dependent error diffusion; included by wave_simd.c after its 32-bit lanes, whose
 * way of loading pixels and storing levels it shares.
 *
 * Lanes are doubles, two vectors of them. Errors are whole numbers plus `above`, a number so small
 * that it only decides which way an exact half is rounded (see tone_dependent.c: above * weight /
 * sum is larger than what rounding to a double takes away, and smaller than the distance of any
 * other number from a half). Rounding itself is the addition of 3 * 2^51, whose last bit is worth
 * one.
 */

enum {
    TONAL_LANES = RO_VECTOR_BYTES / 4,
    TONAL_SIDE = TONAL_LANES / 2, /* lanes of a vector */
    TONAL_SKEW = 4,
};

static const double tonal_above = 0x1p-24, tonal_round = 0x1.8p52;

struct tonal_scratch {
    struct scratch_32 pixels;
    doubles in_flow[WAVE_CHUNK + TONAL_SKEW][2]; /* from the row above, at each step */
    doubles right[2], down[2];                   /* shares of the last step */
};

/* Steps k0 .. k0+63, as far as there are any. */
RO_INLINE void tonal_chunk(const struct diffusion_plan *plan, const struct wave_band *band,
                           int64_t k0, bool edge, bool modulated, bool wide, bool many)
{
    const struct tonal_plan *tonal = plan->tonal;
    struct tonal_scratch *s = band->scratch;
    const int count = edge ? wave_count(band, k0) : WAVE_CHUNK;
    const doubles zero = {0};
    const doubles white = zero + plan->white, middle = zero + (plan->white / 2 + 0.5);
    const int32_t *tones = many ? &tonal->tones->above : NULL;
    const bool numbers = !plan->bits_out;
    int32_t *below = (int32_t *)band->below[0] + (k0 - 1 - TONAL_SKEW * (TONAL_LANES - 1));
    const int32_t *above = (const int32_t *)band->above[0] + (k0 - 1 + TONAL_SKEW);
    lanes32 column = {0}, from = {0}, until = {0}, bit = {0};
    for (int i = 0; i < TONAL_LANES; i++) {
        bit[i] = 1u << i;
        int64_t start = (int64_t)TONAL_SKEW * i - k0, end = start + plan->width;
        column[i] = (uint32_t)-start;
        from[i] = (uint32_t)(start < 0 ? 0 : start > WAVE_CHUNK ? WAVE_CHUNK : start);
        until[i] = (uint32_t)(end < 0 ? 0 : end > WAVE_CHUNK ? WAVE_CHUNK : end);
    }
    doubles right[2] = {s->right[0], s->right[1]}, down[2] = {s->down[0], s->down[1]};
    for (int q = 0; q < count; q++) {
        lanes32 tone = s->pixels.tone[q], index = tone >> 4, level = {0};
        doubles threshold[2] = {middle, middle}, step[2] = {white, white}, flow[2];
        const ints32 place = (ints32)index * (int)(sizeof *tonal->tones / sizeof *tones);
        if (many) {
            tone = (lanes32)look_up(tones, place);
            const lanes32 steps = (lanes32)look_up(tones, place + 1);
            for (int h = 0; h < 2; h++) {
                step[h] = side_of(steps, h);
                threshold[h] = side_of(steps >> 1, h) + 0.5;
            }
            index = (lanes32)look_up(tones, place + 2);
            level = (lanes32)look_up(tones, place + 3);
        } else if (wide) {
            index = tonal_indices(tonal, index);
        }
        if (modulated) {
            lanes32 draw = hash_mix(s->pixels.row_hash ^ (column + (uint32_t)q)) & 127;
            lanes32 rise = draw * (lanes32)(many ? look_up(tones, place + 4)
                                                 : look_up(tonal->modulation, (ints32)index)) >>
                           8;
            for (int h = 0; h < 2; h++)
                threshold[h] += side_of(rise, h);
        }
        lanes32 inside = (lanes32)(from <= (uint32_t)q) & (lanes32)(until > (uint32_t)q);
        uint32_t mask = 0;
        RO_UNROLL
        for (int h = 0; h < 2; h++) {
            doubles to_right = look_up_double(tonal->share[0], index, h);
            doubles to_left = look_up_double(tonal->share[1], index, h);
            doubles known = s->in_flow[q][h] + (side_of(tone, h) + tonal_above);
            doubles v = known + right[h], e;
            uint32_t chosen = take_where_above(&e, v, threshold[h], step[h]);
            if (edge)
                e = keep_inside(e, inside, h);
            mask |= chosen << (h * TONAL_SIDE);
            right[h] = fused(e, to_right, zero + tonal_round) - tonal_round;
            doubles left = fused(e, to_left, zero + tonal_round) - tonal_round;
            flow[h] = down[h] + left;
            down[h] = (e - right[h]) - left;
            down[h] = (down[h] + tonal_round) - tonal_round; /* without what stands for halves */
        }
        if (edge)
            mask &= mask_at_least32(inside, ~(lanes32){0});
        s->pixels.mask[WAVE_CHUNK - 1 - q] = mask;
        if (numbers)
            s->pixels.level[q] = level - (lanes32)((bit & mask) == bit);
        lanes_down(flow);
        below[q] = (int32_t)flow[0][0];
        flow[0][0] = above[q];
        s->in_flow[q - 1 + TONAL_SKEW][0] = flow[0];
        s->in_flow[q - 1 + TONAL_SKEW][1] = flow[1];
    }
    no_more_32(&s->pixels, count);
    for (int h = 0; h < 2; h++) {
        s->right[h] = right[h];
        s->down[h] = down[h];
        for (int q = 0; q < TONAL_SKEW - 1; q++)
            s->in_flow[q][h] = s->in_flow[WAVE_CHUNK + q][h];
    }
}

/* What a band of fewer rows than lanes hands on: it has moved to the lane below its last. */
static void tonal_leave_lines(const struct wave_band *band, const struct tonal_scratch *s,
                              int64_t k0)
{
    const int at = band->rows / TONAL_SIDE, in = band->rows % TONAL_SIDE;
    int32_t *below = (int32_t *)band->left[0] + (k0 - 1 - TONAL_SKEW * (band->rows - 1));
    for (int q = 0; q < wave_count(band, k0); q++)
        below[q] = (int32_t)s->in_flow[q - 1 + TONAL_SKEW][at][in];
}

static void tonal_steps(const struct diffusion_plan *plan, struct wave_band *band, int64_t first,
                        int64_t last)
{
    struct tonal_scratch *s = band->scratch;
    const bool wide = plan->white != DIFFUSION_TABLE_WHITE;
    for (int64_t k0 = first; k0 < last; k0 += WAVE_CHUNK) {
        bool edge = k0 < TONAL_SKEW * (TONAL_LANES - 1) || k0 + WAVE_CHUNK > plan->width;
        load_chunk_32(plan, band, &s->pixels, TONAL_SKEW, k0, edge);
        if (plan->tonal->tones)
            tonal_chunk(plan, band, k0, true, plan->tonal->modulated, false, true);
        else if (edge || wide)
            tonal_chunk(plan, band, k0, true, plan->tonal->modulated, wide, false);
        else if (plan->tonal->modulated)
            tonal_chunk(plan, band, k0, false, true, false, false);
        else
            tonal_chunk(plan, band, k0, false, false, false, false);
        if (band->left[0])
            tonal_leave_lines(band, s, k0);
        if (plan->bits_out) {
            store_bits_32(plan, band, &s->pixels, TONAL_SKEW, k0);
            continue;
        }
        store_levels_32(plan, band, &s->pixels, TONAL_SKEW, k0, edge);
    }
}

static void tonal_begin(const struct diffusion_plan *plan, struct wave_band *band)
{
    struct tonal_scratch *s = band->scratch;
    memset(s, 0, sizeof *s);
    for (int q = 0; q < TONAL_SKEW - 1; q++)
        s->in_flow[q][0][0] = ((const int32_t *)band->above[0])[q];
    for (int i = 0; i < TONAL_LANES; i++)
        s->pixels.row_hash[i] = hash_of_row(plan->seed, band->first_row + (uint32_t)i);
}

const struct wave_code RO_SIMD_NAME(wave_tonal) = {
    .lanes = TONAL_LANES,
    .scratch_bytes = sizeof(struct tonal_scratch),
    .begin = tonal_begin,
    .steps = tonal_steps,
};
