/* SPDX-License-Identifier: MIT */
/*
 * Level numbers in and out of the wave in lanes of 16 bits; included by wave_lanes.h for that width
 * alone, so that RO_SIMD_JOIN has no names to make. The level below a sample
 * needs no error, so it stays where it is found, in the order of its row; only what the tone has
 * above it is turned into lanes. What the chain decides comes back as a bit per pixel, which is
 * added to the level: nothing is turned back.
 */

enum { AHEAD_16 = 256 }; /* bytes of a row that are brought nearest; they are near already */

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

RO_INLINE lanes16 split_phased16(const struct diffusion_steps *steps, const struct phases *by,
                                 lanes16 sample, lanes16 *number)
{
    lanes16 k = line_16(&steps->base, sample), level = level_of_16(steps, k);
    lanes16 rest = (sample << 4) - level;
    lanes16 phi = k * by->rise + by->middle - level * by->turns;
    if (steps->guess) {
        /* all ones where the step is the longer one */
        const lanes16 longer = (lanes16)((ints16)(phi + by->over) >> 15);
        const lanes16 step = by->gap - longer;
        where16 more = at_least16(rest, step + by->least);
        if (!steps->limit) /* else white is no more than the highest step above */
            more &= below16(k, (lanes16){0} + (uint16_t)steps->base.top);
        k = plus_where16(k, more, (lanes16){0} + 1);
        rest = minus_where16(rest, more, step);
        phi = plus_where16(phi, more, by->on - (by->back & longer));
    }
    *number = k;
    phi += by->over;
    return rest | ((steps->limit ? ~phi : phi) & 0x8000);
}

/* The same by two levels, where there are too many for phases. */
RO_INLINE lanes16 split_both16(const struct diffusion_steps *steps, lanes16 sample, lanes16 *number)
{
    const lanes16 k = level_below_16(steps, sample), level = level_of_16(steps, k);
    const lanes16 longer = level_of_16(steps, k + 1) - level - (uint16_t)steps->gap;
    *number = k;
    return ((sample << 4) - level) | (steps->limit ? longer ^ 1 : longer) << 15;
}

/* How samples are split: even steps; uneven ones whose levels a product turns over; any others. */
enum split { SPLIT_EVEN, SPLIT_TURN, SPLIT_ANY };

/* What a tone has above the level below it. Of uneven steps the highest bit tells the longer one,
 * or the shorter one where that is what the chain asks for (WAVE_UNEVEN_ODD). `plain`: the level
 * below is a product and a shift. */
RO_INLINE lanes16 split16(const struct diffusion_steps *steps, const struct phases *by,
                          lanes16 sample, enum split split, bool plain, lanes16 *number)
{
    const lanes16 zero = {0};
    if (split == SPLIT_ANY)
        return by ? split_phased16(steps, by, sample, number) : split_both16(steps, sample, number);
    const lanes16 k =
        plain ? high_product16(sample, zero + (uint16_t)steps->base.by) >> steps->base.down
              : level_below_16(steps, sample);
    const lanes16 rest = (sample << 4) - k * (uint16_t)steps->near;
    *number = k;
    if (split == SPLIT_EVEN)
        return rest - (uint16_t)(steps->wide ? WIDE_OFF / 16 : 0);
    const lanes16 at = (k << steps->turn.up) + (uint16_t)steps->turn.plus;
    const lanes16 extra = high_product16(at, zero + (uint16_t)steps->turn.by);
    const lanes16 turned =
        average16(at * (uint16_t)steps->turn.low, zero + (uint16_t)steps->turn.middle);
    return (steps->extra_down ? rest + extra : rest - extra) | (turned & 0x8000);
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

/* Numbers and rests of each row as it lies, then the rests to lanes. */
RO_INLINE void load_rows16(const struct diffusion_plan *plan, const struct wave_band *band,
                           struct scratch_16 *s, int skew, int64_t k0, bool edge, int sample_bytes,
                           enum split split, bool plain)
{
    const struct diffusion_steps steps = plan->steps;
    const struct phases phases = phases_of(plan);
    const struct phases *by = phases_fit(plan) ? &phases : NULL;
    const int64_t row_bytes = (int64_t)plan->width * sample_bytes;
    const bool narrow = plan->number_bytes == 1;
    for (int i = 0; i < LANES; i++) {
        const unsigned char *row = band->in + (i < band->readable ? i : 0) * band->in_stride;
        const int64_t x = k0 - (int64_t)skew * i;
        lanes16 number[WAVE_CHUNK / LANES];
        for (int part = 0; part < WAVE_CHUNK / LANES; part++) {
            /* more rows than the hardware follows by itself */
            if (!edge && part * LANES * sample_bytes % 64 == 0)
                __builtin_prefetch(row + (x + part * LANES) * sample_bytes + AHEAD_16);
            const lanes16 sample = samples_at(row, x + part * LANES, row_bytes, edge, sample_bytes);
            s->row[i][part] = split16(&steps, by, sample, split, plain, &number[part]);
        }
        for (int part = 0; part < WAVE_CHUNK / LANES; part += 2)
            if (narrow) {
                ((bytes *)s->number[i])[part / 2] = narrowed(number[part], number[part + 1]);
            } else {
                ((lanes16 *)s->number[i])[part] = number[part];
                ((lanes16 *)s->number[i])[part + 1] = number[part + 1];
            }
    }
    turn_rows16((whole *)s->tone, (const unsigned char *)s->row);
}

/* These do not depend on the kernel, of which there are many: not inlined, they are compiled once.
 */
static __attribute__((noinline)) void load_numbers16(const struct diffusion_plan *plan,
                                                     const struct wave_band *band,
                                                     struct scratch_16 *s, int skew, int64_t k0,
                                                     bool edge)
{
    const struct diffusion_steps *steps = &plan->steps;
    const bool one = plan->sample_bytes == 1;
    if (!steps->uneven && steps->base.plain)
        load_rows16(plan, band, s, skew, k0, edge, 2, SPLIT_EVEN, true);
    else if (!steps->uneven && one)
        load_rows16(plan, band, s, skew, k0, edge, 1, SPLIT_EVEN, false);
    else if (!steps->uneven)
        load_rows16(plan, band, s, skew, k0, edge, 2, SPLIT_EVEN, false);
    else if (steps->turn.by && steps->base.plain)
        load_rows16(plan, band, s, skew, k0, edge, 2, SPLIT_TURN, true);
    else if (steps->turn.by && one)
        load_rows16(plan, band, s, skew, k0, edge, 1, SPLIT_TURN, false);
    else if (steps->turn.by)
        load_rows16(plan, band, s, skew, k0, edge, 2, SPLIT_TURN, false);
    else if (one)
        load_rows16(plan, band, s, skew, k0, edge, 1, SPLIT_ANY, false);
    else
        load_rows16(plan, band, s, skew, k0, edge, 2, SPLIT_ANY, false);
}

/* Numbers of a row with the chain's decisions added. */
RO_INLINE void store_rows16(const struct diffusion_plan *plan, const struct wave_band *band,
                            struct scratch_16 *s, int skew, int64_t k0, bool edge, int number_bytes)
{
    turn_decided(&s->decided);
    for (int i = 0; i < band->rows; i++) {
        const int64_t x = k0 - (int64_t)skew * i;
        const decided_row up = decided_of(&s->decided, i);
        unsigned char *row = band->out + i * band->out_stride;
        unsigned char inside[2 * WAVE_CHUNK];
        unsigned char *to = edge ? inside : row + x * number_bytes;
        if (number_bytes == 1)
            add_decided8(to, s->number[i], up);
        else
            add_decided16(to, s->number[i], up);
        if (!edge)
            continue;
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
    if (plan->number_bytes == 1)
        store_rows16(plan, band, s, skew, k0, edge, 1);
    else
        store_rows16(plan, band, s, skew, k0, edge, 2);
}
