/* SPDX-License-Identifier: MIT */
/*
 * From samples to levels and from levels to tones in lanes of one width (many_levels.h). Included
 * once for each width, after wave_ops.h, with SIZED (by RO_SIMD_JOIN), lane and vector defined for
 * it.
 */

RO_INLINE vector SIZED(line_)(const struct steps_line *line, vector x)
{
    const vector zero = {0};
#if LANE_BITS == 16
    x = high_product16(x << line->up, zero + (lane)line->by);
#else
    x = high_product(x << line->up, zero + (lane)line->by, 0);
#endif
    if (line->plus)
        x += (lane)line->plus;
    if (line->minus)
        x -= SIZED(minimum)(x, zero + (lane)line->minus);
    return SIZED(minimum)(x >> line->down, zero + (lane)line->top);
}

RO_INLINE vector SIZED(level_of_)(const struct diffusion_steps *steps, vector k)
{
    vector level = k * (lane)steps->near;
    if (!steps->uneven)
        return level;
    vector extra = SIZED(line_)(&steps->extra, k);
    return steps->extra_down ? level - extra : level + extra;
}

/* k of T = level(k) + r. Lanes hold the difference of two tones less than half their range apart.
 */
RO_INLINE vector SIZED(level_below_)(const struct diffusion_steps *steps, vector sample)
{
    vector k = SIZED(line_)(&steps->base, sample);
    if (!steps->guess)
        return k;
    vector above = (sample << 4) - SIZED(level_of_)(steps, k + 1);
    k -= (vector)((SIZED(ints))above >= (SIZED(ints))((vector){0} + (lane)steps->least));
    return SIZED(minimum)(k, (vector){0} + (lane)steps->base.top);
}
