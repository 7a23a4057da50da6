/* SPDX-License-Identifier: MIT */
/*
 * The wave for one width of lanes; included by wave_simd.c once for 16 and once for 32 bits.
 *
 * Lanes hold biased errors f = e + bias >= 0, so that all arithmetic is unsigned and a sum of
 * positive weights needs no sign. With two levels and bias = white/2 - 1, f runs from 0 to white-1
 * and rounding is a remainder: y = tone + sum/divisor, f = y mod white = min(y, y - white), for the
 * difference wraps to a huge number where y < white. No comparison stands in the chain from one
 * pixel to the next: multiply, add, shift, add, minimum.
 */

#define SIZED(name) RO_SIMD_JOIN(name, LANE_BITS)
#define lane RO_SIMD_JOIN(RO_SIMD_JOIN(uint, LANE_BITS), _t)
#define vector SIZED(lanes)

enum {
    SIZED(LANES_) = RO_VECTOR_BYTES * 8 / LANE_BITS,
    SIZED(HISTORY_) = 48,   /* steps an error is kept: dx + skew * dy at most */
    SIZED(PREFETCH_) = 512, /* bytes ahead */
};
#define LANES SIZED(LANES_)
#define HISTORY SIZED(HISTORY_)
#define LANE_BYTES (LANE_BITS / 8)
#undef NARROW_NUMBERS
#if LANE_BITS == 16 && defined(WAVE_NUMBERS)
#define NARROW_NUMBERS 1
#include "halftone/error_diffusion/wave/wave_transpose.h"
#else
#define NARROW_NUMBERS 0
#endif

struct SIZED(scratch_) {
    vector tone[WAVE_CHUNK];
#if NARROW_NUMBERS
    vector row[LANES][WAVE_CHUNK / LANES]; /* the same before it is turned */
    struct decided decided;
    /* the levels below samples, a row each */
    __attribute__((aligned(64))) unsigned char number[LANES][2 * WAVE_CHUNK];
#else
    vector level[WAVE_CHUNK];                             /* what was chosen, for byte output */
    uint32_t mask[WAVE_CHUNK];                            /* a bit per lane, newest step first */
    unsigned char plane[(LANES + 7) / 8][2 * WAVE_CHUNK]; /* up to eight lanes a byte, same order */
#endif
    vector history[DIFFUSION_MAX_DY + 1][HISTORY + WAVE_CHUNK]; /* [dy]: moved dy lanes down */
    vector last, carry; /* the error and remainder on the left */
    vector row_hash;    /* of each lane's row, for noise */
};

/*
 * How a chunk is compiled: for two levels without options (small: 8-bit samples, so that errors and
 * quotients stay below 2^15), for anything, or for level numbers without options (many_levels.h).
 *
 * Wide: Floyd-Steinberg in lanes of 16 bits where sums have 17. Half of the sum and of a multiple
 * of 16 is then taken by an average, whose sum has a bit more than a lane; the multiple's sixteenth
 * is taken from the tones beforehand.
 */
#ifndef WAVE_KINDS
#define WAVE_KINDS
enum wave_kind {
    WAVE_FOLD,
    WAVE_FOLD_SMALL,
    WAVE_ANY,
    WAVE_STEPS, /* one step between all levels */
    WAVE_STEPS_WIDE,
    WAVE_UNEVEN, /* steps that differ by one */
    WAVE_UNEVEN_SMALL,
    WAVE_UNEVEN_ODD, /* the longer one is odd; lanes of 16 bits only */
};
enum { SMALL_WHITE = 16 * 255, LARGE_WHITE = 16 * 65535, SMALL_STEP = 1 << 13 };
enum { IN_AHEAD = 4 };                   /* chunks of rows that are fetched meanwhile */
enum { WIDE_OFF = DIFFUSION_WIDE_STEP }; /* of the sums */
#endif

#include "halftone/error_diffusion/wave/wave_pixels.h"
#if NARROW_NUMBERS
#include "halftone/error_diffusion/wave/wave_levels.h"
#endif

/* ---- the chain ------------------------------------------------------------------------------- */

#if LANE_BITS == 32
/* The nearest level, ties to the darker, where levels are many tones apart: a guess in floating
 * point, off by one at most, put right by the thresholds on either side of it. */
RO_INLINE lanes32 nearest_level(const struct diffusion_plan *plan, ints32 v)
{
    const int32_t top = plan->levels - 1;
    floats guess = __builtin_convertvector(v, floats) * plan->levels_per_tone + 0.5f;
    ints32 k = __builtin_convertvector(guess, ints32);
    k &= k > 0;
    ints32 over = k > top;
    k = (over & top) | (~over & k);
    k -= v > look_up(plan->middle, k); /* a true comparison is -1 */
    k += v <= look_up(plan->below, k);
    return (lanes32)k;
}

RO_INLINE lanes32 hash_mix(lanes32 x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/* The noise of sixteen pixels (diffusion_seen): the remainder of a division whose quotient is at
 * most one too small. */
RO_INLINE ints32 noise_at(const struct diffusion_plan *plan, lanes32 row_hash, lanes32 column)
{
    const uint32_t range = 2 * (uint32_t)plan->noise + 1;
    const lanes32 zero = {0};
    lanes32 hash = hash_mix(row_hash ^ column);
    lanes32 left = hash - high_product(hash, zero + UINT32_MAX / range, 0) * range;
    return (ints32)minimum32(left, left - range) - plan->noise;
}

/* diffusion_kept of sixteen errors. */
RO_INLINE ints32 kept_of(const struct diffusion_plan *plan, ints32 e)
{
    const lanes32 hundredth = (lanes32){0} + 1374389535u; /* 2^37 / 100, rounded up */
    ints32 negative = e < 0;
    lanes32 size = (lanes32)((e ^ negative) - negative) * (uint32_t)plan->strength;
    return ((ints32)high_product(size, hundredth, 5) ^ negative) - negative;
}

/* What the chain comes to in general: any levels, any options. From v + bias to the biased error;
 * `level` is the number of the level chosen. */
RO_INLINE lanes32 round_any(const struct diffusion_plan *plan, lanes32 y, lanes32 tone,
                            lanes32 row_hash, lanes32 column, lanes32 *level)
{
    ints32 v = (ints32)(y - (uint32_t)plan->bias), seen = v + plan->shift, e;
    if (plan->balance) /* lanes outside the image hold anything */
        seen += look_up(plan->balanced, (ints32)(tone >> 4 & 255));
    if (plan->noise)
        seen += noise_at(plan, row_hash, column);
    if (plan->levels == 2) {
        ints32 chosen = seen > plan->middle[0];
        e = v - (chosen & plan->white);
        *level = (lanes32)-chosen;
    } else if (plan->white <= DIFFUSION_TABLE_WHITE) {
        ints32 last = (ints32){0} + (plan->white + 1);
        seen &= seen > 0;
        seen = (ints32)minimum32((lanes32)seen, (lanes32)last);
        lanes32 entry = (lanes32)look_up((const int32_t *)plan->choice, seen);
        *level = entry >> 24;
        e = v - (ints32)(entry & 0xffffff);
    } else {
        *level = nearest_level(plan, seen);
        e = v - look_up(plan->level, (ints32)*level);
    }
    if (plan->strength != 100)
        e = kept_of(plan, e);
    return (lanes32)e + (uint32_t)plan->bias;
}
#endif

#include "halftone/error_diffusion/wave/wave_step.h"

/* Steps k0 .. k0+63, as far as there are any. `kernel` is a constant where this is compiled for a
 * kernel of the table. */
RO_INLINE void SIZED(chunk_)(const struct diffusion_plan *plan,
                             const struct diffusion_kernel *kernel, const struct wave_band *band,
                             int64_t k0, bool edge, enum wave_kind kind)
{
    const int count = edge ? wave_count(band, k0) : WAVE_CHUNK;
    const bool small = kind == WAVE_FOLD_SMALL || kind == WAVE_UNEVEN_SMALL;
    const bool uneven = kind == WAVE_UNEVEN || kind == WAVE_UNEVEN_SMALL || kind == WAVE_UNEVEN_ODD;
    struct SIZED(scratch_) *s = band->scratch;
    const int skew = diffusion_skew(kernel);
    const int factor = diffusion_common_factor(kernel), divisor = kernel->divisor / factor;
    const uint64_t largest = kind == WAVE_UNEVEN_SMALL ? SMALL_STEP
                             : small                   ? SMALL_WHITE
                                                       : LARGE_WHITE;
    const uint64_t limit = kind == WAVE_ANY ? UINT64_MAX : (uint64_t)divisor * (largest + 1);
    const struct SIZED(divider_) divider = SIZED(divider_of_)((uint32_t)divisor, limit);
    int rows_down = 0, weight_sum = 0;
    bool keeps_own_row = false;
    RO_UNROLL
    for (int i = 0; i < kernel->count; i++) {
        rows_down = kernel->taps[i].dy > rows_down ? kernel->taps[i].dy : rows_down;
        weight_sum += kernel->taps[i].weight / factor;
        keeps_own_row |= kernel->taps[i].dy == 0 && kernel->taps[i].dx > 1;
    }
    const lane shortfall = (lane)(plan->bias * (divisor - weight_sum));
    const vector zero = {0};
    const vector bias = zero + (lane)plan->bias;
    const vector white =
        zero +
        (lane)(kind == WAVE_STEPS || kind == WAVE_STEPS_WIDE ? plan->steps.gap : plan->white);
    const vector odd = zero + (lane)(plan->steps.limit != 0), gap = zero + (lane)plan->steps.gap;

    /* Lanes whose column lies in the image run from step `from` of this chunk to step `until`. */
    vector from, until;
    if (edge)
        for (int i = 0; i < LANES; i++) {
            int64_t start = (int64_t)skew * i - k0, end = start + plan->width;
            from[i] = (lane)(start < 0 ? 0 : start > WAVE_CHUNK ? WAVE_CHUNK : start);
            until[i] = (lane)(end < 0 ? 0 : end > WAVE_CHUNK ? WAVE_CHUNK : end);
        }

    lane *below[DIFFUSION_MAX_DY] = {0};
    const lane *above[DIFFUSION_MAX_DY] = {0};
    RO_UNROLL
    for (int dy = 1; dy <= rows_down; dy++) {
        below[dy - 1] = (lane *)band->below[dy - 1] + (k0 - skew * (LANES - dy));
        above[dy - 1] = (const lane *)band->above[dy - 1] + (k0 + skew * dy);
    }
#if LANE_BITS == 32
    vector column = zero; /* of each lane at the chunk's first step */
    for (int i = 0; i < LANES && kind == WAVE_ANY; i++)
        column[i] = (lane)(k0 - (int64_t)skew * i);
#endif
    const struct wave_ahead in_ahead =
        wave_ahead_of(band, band->in, band->in_stride, plan->sample_bytes, LANES, skew,
                      k0 + IN_AHEAD * WAVE_CHUNK, plan->width);
#if NARROW_NUMBERS
    const struct wave_ahead out_ahead =
        wave_ahead_of(band, band->out, band->out_stride, plan->number_bytes, LANES, skew,
                      k0 + WAVE_CHUNK, plan->width);
#endif
    const bool floyd = LANE_BITS == 16 && skew == 4 && SIZED(is_floyd_)(kernel);
    const lane start = shortfall + (kind == WAVE_STEPS_WIDE ? WIDE_OFF - 1 : 0);
    /* Floyd-Steinberg's last errors stay in registers, from which they are had sooner. */
    const vector *past = s->history[1] + HISTORY;
    vector h1 = past[-1], h2 = past[-2], right = past[-3], above_it = past[-4];
    vector pair = above_it + past[-5];
    vector last = s->last, carry = s->carry;
    for (int q = 0; q < count; q++) {
        int next_weight = 7; /* of the pixel to the left, added last: it is the newest */
        vector early;
        __builtin_prefetch(wave_ahead_at(&in_ahead, q, LANES), 0, 2);
#if NARROW_NUMBERS
        __builtin_prefetch(wave_ahead_at(&out_ahead, q, LANES), 1);
#endif
        if (floyd)
            early = SIZED(floyd_early_)(zero + start, right, above_it, &pair);
        else
            early = SIZED(early_)(zero + start, kernel, factor, s->history, HISTORY + q, skew,
                                  small, &next_weight);
        /* What is known early is summed before what is not: the remainder is, and the error last.
         */
        RO_KEEP(early);
        vector known = early + carry, quotient;
        RO_KEEP(known);
#if NARROW_NUMBERS
        if (kind == WAVE_STEPS_WIDE)
            quotient = divide_wide(known, last, &carry);
        else
#endif
            quotient = SIZED(divide_)(SIZED(sum_)(known, last, next_weight, small), divisor,
                                      divider, small, &carry);
        vector tone = s->tone[q], longer = tone >> (LANE_BITS - 1), f;
        if (uneven)
            tone &= (lane)((lane)-1 >> 1);
        vector y = tone + quotient, inside = ~zero;
        uint32_t mask = 0;
        if (edge) { /* outside, y is what leaves no error and chooses the darker level */
            const SIZED(ints) now = (SIZED(ints))(zero + (lane)q);
            const vector started = (vector)(now >= (SIZED(ints))from);
            inside = started & (vector)((SIZED(ints))until > now);
            y = (y & inside) | (bias & ~inside);
            carry = (carry & started) | ((lane)(divisor / 2) & ~started);
        }
#if NARROW_NUMBERS
        /* Of an odd longer step the shorter one is taken off from the longer one on: its
         * difference wraps where that is not reached, and one more must not take it round. */
        const vector reached = kind == WAVE_UNEVEN       ? gap + longer
                               : kind == WAVE_UNEVEN_ODD ? gap + 1
                                                         : white;
        vector below_it = tone - reached; /* known early too */
        RO_KEEP(below_it);
        vector less = edge ? y - reached : below_it + quotient;
        if (kind == WAVE_UNEVEN_ODD)
            less = saturated_sum16(less, longer);
        f = minimum16(y, less);
        decide(&s->decided, q, f, less);
        (void)odd;
        (void)mask;
#else
        if (uneven) {
            vector up = (vector)((SIZED(ints))y > (SIZED(ints))((longer | odd) + gap - 1));
            f = y - ((gap + longer) & up);
            s->level[q] -= up;
        } else if (kind == WAVE_STEPS || kind == WAVE_STEPS_WIDE) {
            vector less = y - white;
            f = SIZED(minimum)(y, less);
            s->level[q] -= (vector)(f == less);
#if LANE_BITS == 32
        } else if (kind == WAVE_ANY) {
            f = round_any(plan, y, s->tone[q], s->row_hash, column + (lane)q, &s->level[q]);
            if (edge) { /* noise or a threshold may choose another level outside */
                f = (f & inside) | (bias & ~inside);
                s->level[q] &= inside;
            }
            mask = mask_at_least32(s->level[q], zero + 1);
#endif
        } else {
            f = SIZED(fold_)(y, white);
            mask = SIZED(mask_at_least)(y, white);
        }
#endif
#if !NARROW_NUMBERS
        s->mask[WAVE_CHUNK - 1 - q] = mask;
#endif
        last = f;
        if (keeps_own_row)
            s->history[0][HISTORY + q] = f;

        vector moved = f;
        RO_UNROLL
        for (int dy = 1; dy <= rows_down; dy++) {
            moved = SIZED(lanes_down)(moved, below[dy - 1] + q, above[dy - 1] + q);
            if (!floyd || edge)
                s->history[dy][HISTORY + q] = moved;
        }
        above_it = right;
        right = h2;
        h2 = h1;
        h1 = moved;
    }
#if NARROW_NUMBERS
    no_more_decided(&s->decided, count);
#else
    SIZED(no_more_)(s, count);
#endif
    s->carry = carry;
    s->last = last;
    if (floyd && !edge) {
        vector *past = s->history[1] + HISTORY;
        past[-1] = h1;
        past[-2] = h2;
        past[-3] = right;
        past[-4] = above_it;
        past[-5] = pair - above_it;
        return;
    }
    for (int dy = keeps_own_row ? 0 : 1; dy <= rows_down; dy++)
        for (int age = 1; age <= skew * dy + DIFFUSION_MAX_DX; age++)
            s->history[dy][HISTORY - age] = s->history[dy][HISTORY + WAVE_CHUNK - age];
}

/* What a band of fewer rows than lanes hands on. The history of dy holds in lane i the errors of
 * row i - dy; those of rows above the band it hands on as they are. */
static void SIZED(leave_lines_)(const struct diffusion_plan *plan, const struct wave_band *band,
                                const struct SIZED(scratch_) * s, int skew, int64_t k0)
{
    for (int dy = 1; dy <= plan->rows_down; dy++) {
        lane *left = band->left[dy - 1];
        if (dy > band->rows) {
            const lane *above = band->above[dy - band->rows - 1];
            memcpy(left + k0, above + k0, WAVE_CHUNK * sizeof *left);
            continue;
        }
        for (int q = 0; q < wave_count(band, k0); q++)
            left[k0 + q - (int64_t)skew * (band->rows - dy)] =
                s->history[dy][HISTORY + q][band->rows];
    }
}

#ifdef WAVE_NUMBERS

RO_INLINE void SIZED(run_steps_)(const struct diffusion_plan *plan,
                                 const struct diffusion_kernel *kernel, struct wave_band *band,
                                 int64_t first, int64_t last, enum wave_kind kind)
{
    struct SIZED(scratch_) *s = band->scratch;
    const int skew = diffusion_skew(kernel);
    for (int64_t k0 = first; k0 < last; k0 += WAVE_CHUNK) {
        bool edge = k0 < skew * (LANES - 1) || k0 + WAVE_CHUNK > plan->width || band->left[0];
#if LANE_BITS == 16
        load_numbers16(plan, band, s, skew, k0, edge);
#else
        load_chunk_32(plan, band, s, skew, k0, edge);
#endif
        if (edge)
            SIZED(chunk_)(plan, kernel, band, k0, true, kind);
        else
            SIZED(chunk_)(plan, kernel, band, k0, false, kind);
        if (band->left[0])
            SIZED(leave_lines_)(plan, band, s, skew, k0);
#if LANE_BITS == 16
        store_numbers16(plan, band, s, skew, k0, edge);
#else
        store_levels_32(plan, band, s, skew, k0, edge);
#endif
    }
}

/* For each kernel. Lanes of 32 bits take even steps for uneven ones. */
RO_INLINE void SIZED(run_any_steps_)(const struct diffusion_plan *plan,
                                     const struct diffusion_kernel *kernel, struct wave_band *band,
                                     int64_t first, int64_t last)
{
#if LANE_BITS == 32
    if (plan->steps.gap < SMALL_STEP)
        SIZED(run_steps_)(plan, kernel, band, first, last, WAVE_UNEVEN_SMALL);
    else
        SIZED(run_steps_)(plan, kernel, band, first, last, WAVE_UNEVEN);
#else
    if (plan->steps.uneven && plan->steps.limit)
        SIZED(run_steps_)(plan, kernel, band, first, last, WAVE_UNEVEN_ODD);
    else if (plan->steps.uneven)
        SIZED(run_steps_)(plan, kernel, band, first, last, WAVE_UNEVEN);
    else
        SIZED(run_steps_)(plan, kernel, band, first, last, WAVE_STEPS);
#endif
}

static void SIZED(steps_own_)(const struct diffusion_plan *plan, struct wave_band *band,
                              int64_t first, int64_t last)
{
    SIZED(run_any_steps_)(plan, &plan->kernel, band, first, last);
}

/* Wide lanes are for kernels that do not divide by shifting; of the others, which come here with
 * few levels of 16-bit samples only, Floyd-Steinberg has code of its own. */
#define COMPILE(id)                                                                                \
    static void RO_SIMD_JOIN(SIZED(steps_), _##id)(                                                \
        const struct diffusion_plan *plan, struct wave_band *band, int64_t first, int64_t last)    \
    {                                                                                              \
        const struct diffusion_kernel *kernel = &diffusion_kernels[id];                            \
        if (LANE_BITS == 16 && plan->steps.wide) {                                                 \
            if (id == KERNEL_FLOYD_STEINBERG)                                                      \
                SIZED(run_steps_)(plan, kernel, band, first, last, WAVE_STEPS_WIDE);               \
        } else if ((LANE_BITS == 16) == diffusion_shifts(kernel) ||                                \
                   id == KERNEL_FLOYD_STEINBERG) {                                                 \
            SIZED(run_any_steps_)(plan, kernel, band, first, last);                                \
        } else {                                                                                   \
            SIZED(steps_own_)(plan, band, first, last);                                            \
        }                                                                                          \
    }
FOR_EACH_DIFFUSION_KERNEL(COMPILE)
#undef COMPILE

static void SIZED(steps_)(const struct diffusion_plan *plan, struct wave_band *band, int64_t first,
                          int64_t last)
{
    typedef void steps_fn(const struct diffusion_plan *, struct wave_band *, int64_t, int64_t);
#define ENTRY(id) [id] = RO_SIMD_JOIN(SIZED(steps_), _##id),
    static steps_fn *const compiled[] = {FOR_EACH_DIFFUSION_KERNEL(ENTRY)[DIFFUSION_KERNELS] =
                                             SIZED(steps_own_)};
#undef ENTRY
    compiled[plan->kernel_id](plan, band, first, last);
}

#else

RO_INLINE void SIZED(run_steps_)(const struct diffusion_plan *plan,
                                 const struct diffusion_kernel *kernel, struct wave_band *band,
                                 int64_t first, int64_t last, enum wave_kind kind)
{
    struct SIZED(scratch_) *s = band->scratch;
    const int skew = diffusion_skew(kernel);
    for (int64_t k0 = first; k0 < last; k0 += WAVE_CHUNK) {
        bool edge = k0 < skew * (LANES - 1) || k0 + WAVE_CHUNK > plan->width || band->left[0];
        SIZED(load_chunk_)(plan, band, s, skew, k0, edge);
        if (edge)
            SIZED(chunk_)(plan, kernel, band, k0, true, kind);
        else
            SIZED(chunk_)(plan, kernel, band, k0, false, kind);
        if (band->left[0])
            SIZED(leave_lines_)(plan, band, s, skew, k0);
        if (plan->bits_out) {
            SIZED(store_bits_)(plan, band, s, skew, k0);
            continue;
        }
        SIZED(store_levels_)(plan, band, s, skew, k0, edge);
    }
}

/* For each kernel of the table, two levels and no options. Lanes of 16 bits hold small values by
 * themselves; a kernel that fits them has no other use for small values. */
#define COMPILE(id)                                                                                \
    static void RO_SIMD_JOIN(SIZED(steps_), _##id)(                                                \
        const struct diffusion_plan *plan, struct wave_band *band, int64_t first, int64_t last)    \
    {                                                                                              \
        const struct diffusion_kernel *kernel = &diffusion_kernels[id];                            \
        if (LANE_BITS == 32 && plan->sample_bytes == 1 && !diffusion_fits_16(kernel))              \
            SIZED(run_steps_)(plan, kernel, band, first, last, WAVE_FOLD_SMALL);                   \
        else if (LANE_BITS == 32 || diffusion_fits_16(kernel))                                     \
            SIZED(run_steps_)(plan, kernel, band, first, last, WAVE_FOLD);                         \
    }
FOR_EACH_DIFFUSION_KERNEL(COMPILE)
#undef COMPILE

static void SIZED(steps_any_)(const struct diffusion_plan *plan, struct wave_band *band,
                              int64_t first, int64_t last)
{
    if (plan->fold)
        SIZED(run_steps_)(plan, &plan->kernel, band, first, last, WAVE_FOLD);
#if LANE_BITS == 32
    else if (plan->kernel_id == KERNEL_FLOYD_STEINBERG)
        SIZED(run_steps_)
    (plan, &diffusion_kernels[KERNEL_FLOYD_STEINBERG], band, first, last, WAVE_ANY);
    else SIZED(run_steps_)(plan, &plan->kernel, band, first, last, WAVE_ANY);
#endif
}

static void SIZED(steps_)(const struct diffusion_plan *plan, struct wave_band *band, int64_t first,
                          int64_t last)
{
    typedef void steps_fn(const struct diffusion_plan *, struct wave_band *, int64_t, int64_t);
#define ENTRY(id) [id] = RO_SIMD_JOIN(SIZED(steps_), _##id),
    static steps_fn *const compiled[] = {FOR_EACH_DIFFUSION_KERNEL(ENTRY)[DIFFUSION_KERNELS] =
                                             SIZED(steps_any_)};
#undef ENTRY
    compiled[plan->fold ? plan->kernel_id : DIFFUSION_KERNELS](plan, band, first, last);
}

#endif

static void SIZED(begin_)(const struct diffusion_plan *plan, struct wave_band *band)
{
    struct SIZED(scratch_) *s = band->scratch;
    const vector zero = {0};
    /* No error is asked for that is older than this. What lane 0 will ask of the rows above from
     * columns left of where it starts are the line's own entries, for the steps before the first
     * would have put them there. */
    for (int dy = 0; dy <= plan->rows_down; dy++)
        for (int q = HISTORY - plan->skew * dy - DIFFUSION_MAX_DX; q < HISTORY; q++)
            s->history[dy][q] = zero + (lane)plan->bias;
    for (int dy = 1; dy <= plan->rows_down; dy++)
        for (int q = HISTORY - plan->skew * dy - DIFFUSION_MAX_DX; q < HISTORY; q++)
            for (int i = 0; i < dy; i++)
                s->history[dy][q][i] =
                    ((const lane *)band->above[dy - 1 - i])[q - HISTORY + plan->skew * (dy - i)];
    s->last = zero + (lane)plan->bias;
    s->carry = zero + (lane)(plan->kernel.divisor / 2);
#if !NARROW_NUMBERS
    memset(s->plane, 0, sizeof s->plane);
#endif
#if LANE_BITS == 32
    for (int i = 0; i < LANES; i++)
        s->row_hash[i] = hash_of_row(plan->seed, band->first_row + (uint32_t)i);
#endif
}

#ifdef WAVE_NUMBERS
const struct wave_code RO_SIMD_NAME(SIZED(wave_numbers_)) = {
#else
const struct wave_code RO_SIMD_NAME(SIZED(wave_)) = {
#endif
    .lanes = LANES,
    .scratch_bytes = sizeof(struct SIZED(scratch_)),
    .begin = SIZED(begin_),
    .steps = SIZED(steps_),
};

#undef LANES
#undef HISTORY
#undef LANE_BYTES
#undef vector
#undef lane
#undef SIZED
