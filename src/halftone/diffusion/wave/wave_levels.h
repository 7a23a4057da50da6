/* SPDX-License-Identifier: MIT */
/*
 * Level numbers in and out of the wave in lanes of 16 bits; included by wave_lanes.h for that width
 * alone, so that RO_SIMD_JOIN has no names to make. The level below a sample
 * needs no error, so it stays where it is found, in the order of its row; only what the tone has
 * above it is turned into lanes. What the chain decides comes back as a bit per pixel, which is
 * added to the level: nothing is turned back.
 */

/*
 * Uneven steps. What rounding took off level(k) is
 *
 *     phi(k) = (2 white k + n) mod 2n = 2 white k + n - 2n level(k),   n = levels - 1,
 *
 * which is small, so that 16 bits hold it whatever they lose of the products; the step above k is
 * the longer one where phi(k) and 2 white mod 2n come to 2n. So one level found from the samples
 * tells its step, and, as k may be one too small, the next level and its step. Needs 2n <= 2^15.
 */
struct phases {
    lanes16 rise, turns, middle; /* 2 white and 2n, modulo 2^16, and n */
    lanes16 over;                /* with this the highest bit says: longer */
    lanes16 on, back;            /* 2 white mod 2n, and 2n: from phi(k) to phi(k+1) */
    lanes16 gap, least;
};
RO_INLINE struct phases phases_of(const struct diffusion_plan *plan)
{
    const struct diffusion_steps *steps = &plan->steps;
    const int64_t n = plan->levels - 1, on = 2 * (plan->white % n);
    const lanes16 zero = {0};
    return (struct phases){
        .rise = zero + (uint16_t)(2 * plan->white),
        .turns = zero + (uint16_t)(2 * n),
        .middle = zero + (uint16_t)n,
        .over = zero + (uint16_t)((1 << 15) - (2 * n - on)),
        .on = zero + (uint16_t)on,
        .back = zero + (uint16_t)(2 * n),
        .gap = zero + (uint16_t)steps->gap,
        .least = zero + (uint16_t)steps->least,
    };
}
RO_INLINE bool phases_fit(const struct diffusion_plan *plan) { return plan->levels - 1 <= 1 << 14; }

RO_INLINE lanes16 split_uneven16(const struct diffusion_steps *steps, const struct phases *by,
                                 lanes16 sample, enum wave_kind kind, lanes16 *number)
{
    lanes16 k = line_16(&steps->base, sample), level = level_of_16(steps, k);
    lanes16 rest = (sample << 4) - level;
    lanes16 phi = k * by->rise + by->middle - level * by->turns;
    if (steps->guess) {
        /* all ones where the step is the longer one */
        const lanes16 longer = (lanes16)((ints16)(phi + by->over) >> 15);
        const lanes16 step = by->gap - longer;
        where16 more = at_least16(rest, step + by->least);
        if (kind == WAVE_UNEVEN) /* else white is no more than the highest step above */
            more &= below16(k, (lanes16){0} + (uint16_t)steps->base.top);
        k = plus_where16(k, more, (lanes16){0} + 1);
        rest = minus_where16(rest, more, step);
        phi = plus_where16(phi, more, by->on - (by->back & longer));
    }
    *number = k;
    phi += by->over;
    return rest | ((kind == WAVE_UNEVEN_ODD ? ~phi : phi) & 0x8000);
}

/* What a tone has above the level below it. Of uneven steps the highest bit tells the longer one,
 * or the shorter one where that is what the chain asks for (WAVE_UNEVEN_ODD). */
RO_INLINE lanes16 split16(const struct diffusion_steps *steps, const struct phases *by,
                          lanes16 sample, enum wave_kind kind, lanes16 *number)
{
    if (by && (kind == WAVE_UNEVEN || kind == WAVE_UNEVEN_ODD))
        return split_uneven16(steps, by, sample, kind, number);
    const lanes16 k = level_below_16(steps, sample), level = level_of_16(steps, k);
    lanes16 rest = (sample << 4) - level;
    if (kind == WAVE_UNEVEN || kind == WAVE_UNEVEN_ODD) {
        lanes16 longer = level_of_16(steps, k + 1) - level - (uint16_t)steps->gap;
        if (kind == WAVE_UNEVEN_ODD)
            longer ^= 1;
        rest |= longer << 15;
    }
    if (kind == WAVE_STEPS_WIDE)
        rest -= WIDE_OFF / 16;
    *number = k;
    return rest;
}

/* A vector of samples of a row from column x on; outside the row they are zeros. */
RO_INLINE lanes16 samples_at(const unsigned char *row, int64_t x, int64_t row_bytes, bool edge,
                             int sample_bytes)
{
    if (edge) {
        const whole loaded = load_with_edges_16(row, x * sample_bytes, row_bytes);
        return sample_bytes == 2 ? (lanes16)loaded : widened(loaded);
    }
    if (sample_bytes == 2)
        return (lanes16) * (const loose_bytes *)(row + 2 * x);
    return load_widened(row + x);
}

RO_INLINE void load_rows16(const struct diffusion_plan *plan, const struct wave_band *band,
                              struct scratch_16 *s, int skew, int64_t k0, bool edge,
                              int sample_bytes, enum wave_kind kind, bool phased)
{
    const struct diffusion_steps steps = plan->steps;
    const struct phases phases = phases_of(plan);
    const int64_t row_bytes = (int64_t)plan->width * sample_bytes;
    for (int i = 0; i < LANES; i++) {
        const unsigned char *row = band->in + (i < band->rows ? i : 0) * band->in_stride;
        const int64_t x = k0 - (int64_t)skew * i;
        lanes16 number[WAVE_CHUNK / LANES];
        for (int part = 0; part < WAVE_CHUNK / LANES; part++) {
            /* more rows than the hardware follows by itself */
            if (!edge)
                __builtin_prefetch(row + (x + part * LANES) * sample_bytes + PREFETCH_16);
            const lanes16 sample =
                samples_at(row, x + part * LANES, row_bytes, edge, sample_bytes);
            s->tone[part * LANES + i] = split16(&steps, phased ? &phases : NULL, sample, kind, &number[part]);
        }
        if (plan->number_bytes == 1)
            for (int part = 0; part < WAVE_CHUNK / LANES; part += 2)
                ((bytes *)s->number[i])[part / 2] = narrowed(number[part], number[part + 1]);
        else
            for (int part = 0; part < WAVE_CHUNK / LANES; part++)
                ((lanes16 *)s->number[i])[part] = number[part];
    }
    for (int part = 0; part < WAVE_CHUNK; part += LANES)
        transpose16((whole *)s->tone + part);
}

/* These do not depend on the kernel, of which there are many: not inlined, they are compiled once. */
RO_INLINE void load_kind16(const struct diffusion_plan *plan, const struct wave_band *band,
                           struct scratch_16 *s, int skew, int64_t k0, bool edge,
                           enum wave_kind kind, bool phased)
{
    if (edge && plan->sample_bytes == 1)
        load_rows16(plan, band, s, skew, k0, true, 1, kind, phased);
    else if (edge)
        load_rows16(plan, band, s, skew, k0, true, 2, kind, phased);
    else if (plan->sample_bytes == 1)
        load_rows16(plan, band, s, skew, k0, false, 1, kind, phased);
    else
        load_rows16(plan, band, s, skew, k0, false, 2, kind, phased);
}
static __attribute__((noinline)) void
load_numbers16(const struct diffusion_plan *plan, const struct wave_band *band,
               struct scratch_16 *s, int skew, int64_t k0, bool edge, enum wave_kind kind)
{
    if (kind == WAVE_STEPS)
        load_kind16(plan, band, s, skew, k0, edge, WAVE_STEPS, false);
    else if (kind == WAVE_STEPS_WIDE)
        load_kind16(plan, band, s, skew, k0, edge, WAVE_STEPS_WIDE, false);
    else if (kind == WAVE_UNEVEN && phases_fit(plan))
        load_kind16(plan, band, s, skew, k0, edge, WAVE_UNEVEN, true);
    else if (kind == WAVE_UNEVEN)
        load_kind16(plan, band, s, skew, k0, edge, WAVE_UNEVEN, false);
    else if (phases_fit(plan))
        load_kind16(plan, band, s, skew, k0, edge, WAVE_UNEVEN_ODD, true);
    else
        load_kind16(plan, band, s, skew, k0, edge, WAVE_UNEVEN_ODD, false);
}

/* Numbers of a row with the chain's bits added. */
RO_INLINE void store_rows16(const struct diffusion_plan *plan, const struct wave_band *band,
                               struct scratch_16 *s, int skew, int64_t k0, bool edge,
                               int number_bytes)
{
    for (int p = 0; p < LANES / 8; p++)
        for (int q = 0; q < WAVE_CHUNK; q++)
            s->plane[p][q] = (unsigned char)(s->mask[q] >> (8 * p * MASK_BYTE_16));
    for (int i = 0; i < band->rows; i++) {
        const int64_t x = k0 - (int64_t)skew * i;
        const uint64_t up = gather_bit(s->plane[i / 8], i % 8);
        unsigned char *row = band->out + i * band->out_stride;
        unsigned char inside[2 * WAVE_CHUNK];
        unsigned char *to = edge ? inside : row + x * number_bytes;
        if (number_bytes == 1)
            add_bits8(to, s->number[i], up);
        else
            add_bits16(to, s->number[i], up);
        if (!edge) {
            for (int line = 0; line < number_bytes; line++)
                __builtin_prefetch(to + 64 * (2 * number_bytes + line), 1);
            continue;
        }
        const int64_t from = x < 0 ? 0 : x;
        const int64_t end = x + WAVE_CHUNK > plan->width ? plan->width : x + WAVE_CHUNK;
        if (from < end)
            memcpy(row + from * number_bytes, inside + (from - x) * number_bytes,
                   (size_t)((end - from) * number_bytes));
    }
}

static __attribute__((noinline)) void store_numbers16(const struct diffusion_plan *plan,
                                                      const struct wave_band *band,
                                                      struct scratch_16 *s, int skew, int64_t k0,
                                                      bool edge)
{
    if (edge && plan->number_bytes == 1)
        store_rows16(plan, band, s, skew, k0, true, 1);
    else if (edge)
        store_rows16(plan, band, s, skew, k0, true, 2);
    else if (plan->number_bytes == 1)
        store_rows16(plan, band, s, skew, k0, false, 1);
    else
        store_rows16(plan, band, s, skew, k0, false, 2);
}
