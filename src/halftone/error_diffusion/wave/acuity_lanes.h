/* SPDX-License-Identifier: MIT */
/*
 * The wave of acuity for one width of lanes; included by wave_simd.c after wave_lanes.h of the same
 * width, whose way of loading pixels and storing levels it shares.
 *
 * Lanes hold what is on its way, counted from the pixel at hand: shares for the next two columns of
 * the row itself, for the row below, and for the row after that. What flows into the row below is
 * complete two columns behind and goes one lane down, joined there by what the lane above it has
 * sent to the row after its own, which is complete one column behind. Tables are looked up by the
 * pixel alone, so the chain from pixel to pixel is a sum, a comparison, a difference, two bounds
 * and a product.
 *
 * The variant is known where code is made of it: taps that it lacks cost nothing, and without a
 * third row there is no line of shares past the row below.
 */

#define SIZED(name) RO_SIMD_JOIN(name, LANE_BITS)
#define lane RO_SIMD_JOIN(RO_SIMD_JOIN(int, LANE_BITS), _t)
#define vector SIZED(ints)
#define entry RO_SIMD_JOIN(RO_SIMD_JOIN(uint, LANE_BITS), _t)

enum { SIZED(ACUITY_LANES_) = RO_VECTOR_BYTES * 8 / LANE_BITS };
#define LANES SIZED(ACUITY_LANES_)

struct SIZED(acuity_scratch_) {
    struct SIZED(scratch_) pixels;
    vector in_flow[WAVE_CHUNK + 2]; /* into the row at each step, */
    vector passed[WAVE_CHUNK + 5];  /* and past it into the row below, less than is complete */
    vector right, next;             /* for the next two columns */
    vector below[4], after[2];      /* for columns -1 to 2 of the row below, 0 and 1 of the next */
};

/* What a vector of pixels needs of the tables. */
#if LANE_BITS == 16
struct acuity_pixels_16 {
    ints16 above, step, threshold, most;
    struct acuity_classes classes;
};

/* The threshold t s / 4096, rounded down, without a division: s = 4080, t s / 4096 = t - t / 256,
 * and of a bright tone, whose t is 4096 less that of its dark twin, 4080 - (t - t / 256). */
RO_INLINE struct acuity_pixels_16 acuity_pixels_16(const struct diffusion_plan *plan, lanes16 tone)
{
    const struct acuity_plan *acuity = plan->acuity;
    const ints16 zero = {0};
    const ints16 sample = (ints16)(tone >> 4), bright = sample > 127;
    const ints16 dark = sample ^ (bright & 255), black = dark == 0;
    const struct acuity_classes classes = acuity_classes_of((lanes16)dark >> 2);
    const ints16 first = acuity_look_up(acuity, &classes, ACUITY_FIRST_HIGH) |
                         (ints16)((lanes16)acuity_look_up(acuity, &classes, ACUITY_FIRST_LOW) >> 8);
    ints16 t = first + (dark & 3) * (acuity_look_up(acuity, &classes, ACUITY_RISE) >> 8);
    t = (black & ACUITY_BLACK) | (~black & t);
    return (struct acuity_pixels_16){
        .above = (ints16)tone,
        .step = zero + DIFFUSION_TABLE_WHITE,
        .threshold =
            (bright & (DIFFUSION_TABLE_WHITE - t + (t >> 8))) | (~bright & (t - ((t + 255) >> 8))),
        .most = zero + 5 * DIFFUSION_TABLE_WHITE / 4,
        .classes = classes,
    };
}

RO_INLINE ints16 acuity_share_16(const struct acuity_plan *acuity,
                                 const struct acuity_pixels_16 *pixels, int tap, ints16 e)
{
    return rounded_product(e, acuity_look_up(acuity, &pixels->classes, tap));
}
#else
struct acuity_pixels_32 {
    ints32 above, step, threshold, most, level;
    ints32 weights[3]; /* of four taps each */
};

/* Looking up takes the time, so what two levels have in common is not looked up. */
RO_INLINE struct acuity_pixels_32 acuity_pixels_32(const struct diffusion_plan *plan, lanes32 tone)
{
    const struct acuity_plan *acuity = plan->acuity;
    const int32_t *table = &acuity->tones->above;
    const ints32 place = (ints32)(tone >> 4) * (int32_t)(sizeof(struct acuity_tone) / 4);
    const ints32 numbers = look_up(table, place + 3), class = numbers & 0xff;
    struct acuity_pixels_32 pixels = {
        .above = (ints32)tone,
        .step = (ints32){0} + plan->white,
        .threshold = look_up(table, place + 2),
        .weights = {look_up(acuity->fours[0], class), look_up(acuity->fours[1], class),
                    look_up(acuity->fours[2], class)},
    };
    if (plan->levels != 2) {
        pixels.above = look_up(table, place);
        pixels.step = look_up(table, place + 1);
        pixels.level = numbers >> 8 & 0xff;
    }
    pixels.most = 5 * pixels.step >> 2;
    return pixels;
}

RO_INLINE ints32 acuity_share_32(const struct acuity_plan *acuity,
                                 const struct acuity_pixels_32 *pixels, int tap, ints32 e)
{
    (void)acuity;
    const ints32 weight = pixels->weights[tap / 4] << (24 - 8 * (tap % 4)) >> 24;
    return (weight * e + ACUITY_ONE / 2) >> 7;
}
#endif

/* Steps k0 .. k0+63, as far as there are any. */
RO_INLINE void SIZED(acuity_chunk_)(const struct diffusion_plan *plan, const struct wave_band *band,
                                    int64_t k0, bool edge, enum acuity_variant variant)
{
    const bool third = variant == ACUITY_TEN; /* row */
    struct SIZED(acuity_scratch_) *s = band->scratch;
    const int count = edge ? wave_count(band, k0) : WAVE_CHUNK;
    entry *below = (entry *)band->below[0] + (k0 - 2 - ACUITY_SKEW * (LANES - 1));
    entry *after = third ? (entry *)band->below[1] + (k0 - 1 - ACUITY_SKEW * (LANES - 1)) : NULL;
    const entry *in_flow = (const entry *)band->above[0] + (k0 - 2 + ACUITY_SKEW);
    const entry *passed = third ? (const entry *)band->above[1] + (k0 - 1 + ACUITY_SKEW) : NULL;
    vector from = {0}, until = {0};
    for (int i = 0; i < LANES && edge; i++) {
        int64_t start = (int64_t)ACUITY_SKEW * i - k0, end = start + plan->width;
        from[i] = (lane)(start < 0 ? 0 : start > WAVE_CHUNK ? WAVE_CHUNK : start);
        until[i] = (lane)(end < 0 ? 0 : end > WAVE_CHUNK ? WAVE_CHUNK : end);
    }
    vector right = s->right, next = s->next, below0 = s->below[0], below1 = s->below[1];
    vector below2 = s->below[2], below3 = s->below[3], after0 = s->after[0], after1 = s->after[1];
    for (int q = 0; q < count; q++) {
        const struct SIZED(acuity_pixels_) pixels = SIZED(acuity_pixels_)(plan, s->pixels.tone[q]);
        vector known = pixels.above + s->in_flow[q];
        RO_KEEP(known); /* all that is known early is summed before what is not */
        vector v = known + right, up = v > pixels.threshold;
        vector e = SIZED(acuity_within_)(v - (up & pixels.step), pixels.most);
        if (edge) {
            const vector now = (vector){0} + (lane)q, inside = (now >= from) & (now < until);
            e &= inside;
            up &= inside;
        }
        vector share[ACUITY_TAPS], rest = e;
        RO_UNROLL
        for (int i = 0; i < ACUITY_TAPS; i++)
            if (!acuity_has(variant, i))
                share[i] = (vector){0};
            else if (i != ACUITY_DOWN)
                rest -= share[i] = SIZED(acuity_share_)(plan->acuity, &pixels, i, e);
        right = next + share[0];
        next = share[1];
        vector flow = below0 + share[2];
        if (third)
            flow += s->passed[q];
        below0 = below1 + share[3];
        below1 = below2 + rest;
        below2 = below3 + share[5];
        below3 = share[6];
        vector later = after0 + share[7];
        after0 = after1 + share[8];
        after1 = share[9];

        s->pixels.mask[WAVE_CHUNK - 1 - q] =
            SIZED(mask_at_least)((SIZED(lanes))up, ~(SIZED(lanes)){0});
#if LANE_BITS == 32
        s->pixels.level[q] = (lanes32)(pixels.level - up);
#endif
        SIZED(lanes) moved = SIZED(rotate)((SIZED(lanes))flow);
        SIZED(store_first)(below + q, moved);
        s->in_flow[q + 2] = (vector)SIZED(insert)(moved, in_flow + q);
        if (!third)
            continue;
        moved = SIZED(rotate)((SIZED(lanes))later);
        SIZED(store_first)(after + q, moved);
        s->passed[q + 5] = (vector)SIZED(insert)(moved, passed + q);
    }
    SIZED(no_more_)(&s->pixels, count);
    s->right = right, s->next = next;
    s->below[0] = below0, s->below[1] = below1, s->below[2] = below2, s->below[3] = below3;
    s->after[0] = after0, s->after[1] = after1;
    for (int q = 0; q < 2; q++)
        s->in_flow[q] = s->in_flow[WAVE_CHUNK + q];
    for (int q = 0; q < 5 && third; q++)
        s->passed[q] = s->passed[WAVE_CHUNK + q];
}

/* What a band of fewer rows than lanes hands on: it has moved to the lane below its last. */
static void SIZED(acuity_leave_lines_)(const struct wave_band *band,
                                       const struct SIZED(acuity_scratch_) * s, int64_t k0)
{
    const int64_t column = k0 - ACUITY_SKEW * (band->rows - 1);
    entry *below = (entry *)band->left[0] + (column - 2);
    for (int q = 0; q < wave_count(band, k0); q++)
        below[q] = (entry)s->in_flow[q + 2][band->rows];
    if (!band->left[1]) /* no third row */
        return;
    entry *after = (entry *)band->left[1] + (column - 1);
    for (int q = 0; q < wave_count(band, k0); q++)
        after[q] = (entry)s->passed[q + 5][band->rows];
}

RO_INLINE void SIZED(acuity_steps_)(const struct diffusion_plan *plan, struct wave_band *band,
                                    int64_t first, int64_t last, enum acuity_variant variant)
{
    struct SIZED(acuity_scratch_) *s = band->scratch;
    for (int64_t k0 = first; k0 < last; k0 += WAVE_CHUNK) {
        bool edge = k0 < ACUITY_SKEW * (LANES - 1) || k0 + WAVE_CHUNK > plan->width;
        SIZED(load_chunk_)(plan, band, &s->pixels, ACUITY_SKEW, k0, edge);
        if (edge)
            SIZED(acuity_chunk_)(plan, band, k0, true, variant);
        else
            SIZED(acuity_chunk_)(plan, band, k0, false, variant);
        if (band->left[0])
            SIZED(acuity_leave_lines_)(band, s, k0);
        if (plan->bits_out) {
            SIZED(store_bits_)(plan, band, &s->pixels, ACUITY_SKEW, k0);
            continue;
        }
#if LANE_BITS == 16
        SIZED(levels_of_masks_)(&s->pixels);
#endif
        SIZED(store_levels_)(plan, band, &s->pixels, ACUITY_SKEW, k0, edge);
    }
}

static void SIZED(acuity_begin_)(const struct diffusion_plan *plan, struct wave_band *band)
{
    struct SIZED(acuity_scratch_) *s = band->scratch;
    memset(s, 0, sizeof *s);
    /* What the steps before the first would have brought to lane 0. */
    for (int q = 0; q < 2; q++)
        s->in_flow[q][0] = ((const lane *)band->above[0])[q];
    for (int q = 2; q < 5 && plan->rows_down == 2; q++)
        s->passed[q][0] = ((const lane *)band->above[1])[q - 2];
}

#define VARIANT(name, variant)                                                                     \
    static void SIZED(name##_steps_)(const struct diffusion_plan *plan, struct wave_band *band,    \
                                     int64_t first, int64_t last)                                  \
    {                                                                                              \
        SIZED(acuity_steps_)(plan, band, first, last, variant);                                    \
    }                                                                                              \
    const struct wave_code RO_SIMD_NAME(SIZED(wave_##name##_)) = {                                 \
        .lanes = LANES,                                                                            \
        .scratch_bytes = sizeof(struct SIZED(acuity_scratch_)),                                    \
        .begin = SIZED(acuity_begin_),                                                             \
        .steps = SIZED(name##_steps_),                                                             \
    }

VARIANT(acuity_ten, ACUITY_TEN);
VARIANT(acuity_six, ACUITY_SIX);
#if LANE_BITS == 16
VARIANT(acuity_four, ACUITY_FOUR);
#endif

#undef VARIANT
#undef LANES
#undef entry
#undef vector
#undef lane
#undef SIZED
