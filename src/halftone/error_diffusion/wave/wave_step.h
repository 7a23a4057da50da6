/* SPDX-License-Identifier: MIT */
/*
 * One step of the wave from the errors that come over the taps to the error that is left, for one
 * width of lanes (RO_SIMD_JOIN makes the names); included by wave_lanes.h. Nothing here looks at a
 * lane by its number, so that a vector may be a single number too: tests/proofs holds this against
 * the scalar step.
 */

/* Division by multiplication: the high half of t * magic, shifted (Granlund and Montgomery). It is
 * exact for t below 2^31, and where t stays below 2^32 / (magic * divisor - 2^32) without a shift.
 */
struct SIZED(divider_) {
    int shift;
    uint32_t magic; /* 0: the divisor is a power of two */
};
RO_INLINE struct SIZED(divider_) SIZED(divider_of_)(uint32_t divisor, uint64_t limit)
{
    if ((divisor & (divisor - 1)) == 0)
        return (struct SIZED(divider_)){__builtin_ctz(divisor), 0};
    const uint64_t one = (uint64_t)1 << 32;
    uint64_t magic = (one + divisor - 1) / divisor;
    if (limit <= UINT32_MAX && limit * (magic * divisor - one) < one)
        return (struct SIZED(divider_)){0, (uint32_t)magic};
    int shift = 31 - __builtin_clz(divisor - 1);
    return (struct SIZED(divider_)){shift, (uint32_t)(((one << shift) + divisor - 1) / divisor)};
}

RO_INLINE vector SIZED(times_)(vector a, int weight, bool small)
{
#if LANE_BITS == 32
    if (small && (weight & (weight - 1)) != 0)
        return times_small(a, (vector){0} + (lane)weight);
#endif
    (void)small;
    return a * (lane)weight;
}

/* The errors of the rows above and of the row itself but for the newest, whose weight is told. */
RO_INLINE vector SIZED(early_)(vector early, const struct diffusion_kernel *kernel, int factor,
                               const vector history[][HISTORY + WAVE_CHUNK], int now, int skew,
                               bool small, int *next_weight)
{
    *next_weight = 0;
    RO_UNROLL
    for (int i = 0; i < kernel->count; i++) {
        struct diffusion_tap tap = kernel->taps[i];
        if (tap.dy == 0 && tap.dx == 1)
            *next_weight = tap.weight / factor;
        else
            early += SIZED(times_)(history[tap.dy][now - tap.dx - skew * tap.dy],
                                   tap.weight / factor, small);
    }
    return early;
}

/* Floyd-Steinberg's 3, 5 and 1 times the errors above right, above and above left, and
 * of two neighbours' sums, a pair, one that is kept: four times the pair on the right and the
 * pair on the left have one of the right too many. */
RO_INLINE bool SIZED(is_floyd_)(const struct diffusion_kernel *kernel)
{
    static const struct diffusion_tap floyd[] = {{1, 0, 7}, {-1, 1, 3}, {0, 1, 5}, {1, 1, 1}};
    bool same = kernel->count == 4 && kernel->divisor == 16;
    RO_UNROLL
    for (int i = 0; i < 4; i++)
        same = same && kernel->taps[i].dx == floyd[i].dx && kernel->taps[i].dy == floyd[i].dy &&
               kernel->taps[i].weight == floyd[i].weight;
    return same;
}
RO_INLINE vector SIZED(floyd_early_)(vector early, vector right, vector above, vector *pair)
{
    const vector sum = right + above, left = *pair;
    *pair = sum;
    return early + (((sum << 2) + left) - right);
}

RO_INLINE vector SIZED(sum_)(vector t, vector last, int next_weight, bool small)
{
    if (next_weight == 7)
        return (t - last) + (last << 3); /* one operation fewer in the chain */
    return t + SIZED(times_)(last, next_weight, small);
}

/* The quotient, and the remainder for the next pixel. */
RO_INLINE vector SIZED(divide_)(vector t, int divisor, struct SIZED(divider_) divider, bool small,
                                vector *carry)
{
#if LANE_BITS == 32
    if (divider.magic) {
        const vector zero = {0};
        vector quotient = high_product(t, zero + divider.magic, divider.shift);
        *carry = t - SIZED(times_)(quotient, divisor, small);
        return quotient;
    }
#endif
    (void)small;
    *carry = t & (lane)(divisor - 1);
    return t >> divider.shift;
}

#if LANE_BITS == 16 && defined(WAVE_NUMBERS)
/* Floyd-Steinberg's 7 * last added and 16 divided by where the sum has 17 bits: half of it and of
 * WIDE_OFF is an average, whose own sum has a bit more than a lane. `t` comes with WIDE_OFF - 1
 * added. The quotient is WIDE_OFF / 16 too large. */
RO_INLINE vector divide_wide(vector t, vector last, vector *carry)
{
    vector rest = t - last, eighths = last << 3;
    *carry = (eighths + rest + 1) & 15;
    return average16(eighths, rest) >> 3;
}
#endif

/* Two levels: the biased error is the remainder. */
RO_INLINE vector SIZED(fold_)(vector y, vector white) { return SIZED(minimum)(y, y - white); }
