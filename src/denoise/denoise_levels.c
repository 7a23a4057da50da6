/* SPDX-License-Identifier: MIT */
/*
 * The last rounding of a denoising: numbers of the working system become levels of the file. Not
 * the number is rounded but the running sum of all numbers before it and its own, in raster order,
 * each channel for itself:
 *
 *     S(n) = (number 1 + ... + number n) * levels / numbers,  pixel n = R(S(n)) - R(S(n - 1)),
 *
 * R(x) = floor(x + 1/2). So a pixel is its number rounded down or up, one that is a level stays it,
 * and the sum of the file is that of the numbers, rounded once. What a pixel leaves to the next is
 * a remainder; rows need not wait for one another where the sums of the rows are known first.
 */
#include "core/image.h"
#include "denoise/denoise.h"

#include <math.h>

/* Floats become whole numbers of which this many are white. */
static const double float_white = 0x1p32;

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void levels_make(struct level_tables *levels, const struct denoiser *work, bool nearest)
{
    uint64_t white = work->number->floating ? (uint64_t)float_white : (uint64_t)work->scale.white;
    uint64_t divisor = common_divisor(white, work->out_white);
    *levels = (struct level_tables){
        .levels = work->out_white / divisor,
        .numbers = white / divisor,
        .largest = white,
    };
    levels->carried =
        !nearest && levels->numbers > 1 && ro_format_sample_bytes(work->out.format) != 4;
}

uint64_t levels_start(const struct level_tables *levels) { return levels->numbers / 2; }

/* A number as the sum takes it: no scheme but the naive one and floats leaves black to white. */
static inline uint64_t bounded(const struct denoiser *work, const void *values, uint32_t x)
{
    if (work->number->floating) {
        double v = (double)((const float *)values)[x] * float_white;
        return v > 0 ? v < float_white ? (uint64_t)llrint(v) : (uint64_t)float_white : 0;
    }
    int64_t n = ((const int32_t *)values)[x], white = (int64_t)work->levels.largest;
    return (uint64_t)(n < 0 ? 0 : n > white ? white : n);
}

uint64_t levels_row(const struct denoiser *work, const void *values)
{
    const struct level_tables *levels = &work->levels;
    uint64_t sum = 0; /* 2^31 numbers of up to 2^32 stay below 2^64 */
    for (uint32_t x = 0; x < work->out.width; x++)
        sum += bounded(work, values, x);
    return sum % levels->numbers * levels->levels % levels->numbers;
}

/* ---- A row of pixels ------------------------------------------------------------------------ */

static void put(char *row, int bytes, size_t at, uint64_t pixel)
{
    if (bytes == 1)
        ((uint8_t *)row)[at] = (uint8_t)pixel;
    else
        ((uint16_t *)(void *)row)[at] = (uint16_t)pixel;
}

static void round_sum(const struct denoiser *work, char *row, int bytes, size_t first,
                      const void *values, uint64_t *carry)
{
    const struct level_tables *levels = &work->levels;
    const size_t step = (size_t)work->channels;
    uint64_t rest = *carry;
    for (uint32_t x = 0; x < work->out.width; x++) {
        rest += bounded(work, values, x) * levels->levels;
        put(row, bytes, x * step + first, rest / levels->numbers);
        rest %= levels->numbers;
    }
    *carry = rest;
}

/* Where a level is a power of two of numbers, as in s12 and s16 from and to 8 bits, a shift
 * divides. */
static bool shifts(const struct denoiser *work, int bytes)
{
    const struct level_tables *levels = &work->levels;
    return bytes == 1 && !work->number->floating && levels->levels == 1 &&
           (levels->numbers & (levels->numbers - 1)) == 0;
}

static void round_sum_by_shift(const struct denoiser *work, uint8_t *out, const int32_t *in,
                               uint64_t *carry)
{
    const size_t step = (size_t)work->channels;
    const int shift = __builtin_ctzll(work->levels.numbers);
    const uint32_t mask = (uint32_t)work->levels.numbers - 1;
    const int32_t white = (int32_t)work->levels.largest;
    uint32_t rest = (uint32_t)*carry;
    for (uint32_t x = 0; x < work->out.width; x++) {
        int32_t n = in[x] < 0 ? 0 : in[x] > white ? white : in[x];
        uint32_t sum = rest + (uint32_t)n;
        out[x * step] = (uint8_t)(sum >> shift);
        rest = sum & mask;
    }
    *carry = rest;
}

static void round_each_by_shift(const struct denoiser *work, uint8_t *out, const int32_t *in)
{
    const size_t step = (size_t)work->channels;
    const int shift = __builtin_ctzll(work->levels.numbers);
    const int32_t white = (int32_t)work->levels.largest, half = (int32_t)work->levels.numbers / 2;
    for (uint32_t x = 0; x < work->out.width; x++) {
        int32_t n = in[x] < 0 ? 0 : in[x] > white ? white : in[x];
        out[x * step] = (uint8_t)((n + half) >> shift);
    }
}

static void round_each(const struct denoiser *work, char *row, int bytes, size_t first,
                       const void *values)
{
    const size_t step = (size_t)work->channels;
    for (uint32_t x = 0; x < work->out.width; x++) {
        uint64_t pixel;
        if (work->number->floating) {
            double v = (double)((const float *)values)[x] * work->out_white;
            pixel = v > 0 ? v < work->out_white ? (uint64_t)lrint(v) : work->out_white : 0;
        } else {
            pixel = scale_pixel(&work->scale, ((const int32_t *)values)[x], work->out_white);
        }
        put(row, bytes, x * step + first, pixel);
    }
}

void denoiser_write(const struct denoiser *work, char *row, int channel, const void *values,
                    uint64_t *carry, struct step_figures *figures)
{
    const size_t step = (size_t)work->channels, first = (size_t)channel;
    const int bytes = ro_format_sample_bytes(work->out.format);
    figures_count(work, figures, values);
    if (bytes == 4) {
        float *out = (float *)(void *)row + first;
        for (uint32_t x = 0; x < work->out.width; x++)
            out[x * step] =
                work->number->floating
                    ? ((const float *)values)[x]
                    : (float)((double)((const int32_t *)values)[x] / (double)work->scale.white);
        return;
    }
    const bool carried = work->levels.carried;
    if (shifts(work, bytes) && carried)
        round_sum_by_shift(work, (uint8_t *)row + first, values, carry);
    else if (shifts(work, bytes))
        round_each_by_shift(work, (uint8_t *)row + first, values);
    else if (!carried)
        round_each(work, row, bytes, first, values);
    else
        round_sum(work, row, bytes, first, values, carry);
    if (work->told)
        figures->pixels += samples_sum(row, bytes, first, step, work->out.width);
}
