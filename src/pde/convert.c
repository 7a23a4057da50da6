/* SPDX-License-Identifier: MIT */
/* Pixels to numbers of the working system and back, and the figures that a report is made of. */
#include "core/image.h"
#include "pde/denoise.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

const struct ro_figures ro_figures_none = {.min = INFINITY, .max = -INFINITY};

void ro_figures_add(struct ro_figures *sum, const struct ro_figures *part)
{
    sum->sum += part->sum;
    sum->pixels += part->pixels;
    sum->squares += part->squares;
    sum->float_sum += part->float_sum;
    sum->float_squares += part->float_squares;
    sum->min = part->min < sum->min ? part->min : sum->min;
    sum->max = part->max > sum->max ? part->max : sum->max;
}

static void count(const struct ro_denoiser *work, struct ro_figures *figures, const void *values)
{
    const uint32_t width = work->in.width;
    const bool floating = work->number->floating;
    if (!work->options.report)
        return;
    if (floating) {
        const float *v = values;
        for (uint32_t x = 0; x < width; x++) {
            figures->float_sum += (double)v[x];
            figures->float_squares += (double)v[x] * (double)v[x];
            figures->min = v[x] < figures->min ? (double)v[x] : figures->min;
            figures->max = v[x] > figures->max ? (double)v[x] : figures->max;
        }
        return;
    }
    const int32_t *v = values;
    for (uint32_t x = 0; x < width;) {
        /* 2^16 squares of 24-bit numbers stay below 2^64 */
        uint32_t end = width - x > 65536 ? x + 65536 : width;
        int64_t sum = 0;
        uint64_t squares = 0;
        int32_t min = INT32_MAX, max = INT32_MIN;
        for (; x < end; x++) {
            sum += v[x];
            squares += (uint64_t)((int64_t)v[x] * v[x]);
            min = v[x] < min ? v[x] : min;
            max = v[x] > max ? v[x] : max;
        }
        figures->sum += sum;
        figures->squares += squares;
        figures->min = min < figures->min ? min : figures->min;
        figures->max = max > figures->max ? max : figures->max;
    }
}

/* A value in the float format; for s23e8 the machine rounds. */
static float rounded(const struct ro_denoiser *work, double v)
{
    const struct ro_small_float *real = &work->number->real;
    return (float)(real->mantissa == 23 ? v : ro_small_float_round(real, v, RO_ROUND_NEAREST_EVEN));
}

/* Beyond this a product of two differences overflows. */
static const float most_float = 1e6F;

/* Floats that become integers lie from 0 to 1 and are rounded to 65536 levels. */
static ro_status read_floats(struct ro_denoiser *work, const float *in, uint32_t y, int channel,
                             void *values)
{
    size_t step = (size_t)work->channels;
    for (uint32_t x = 0; x < work->in.width; x++) {
        float v = in[x * step + (size_t)channel];
        if (!isfinite(v))
            return ro_context_fail(work->context, RO_E_ARGUMENT,
                                   "the input has no number at (%u, %u) but %g", x, y, (double)v);
        if (work->number->floating ? fabsf(v) > most_float : v < 0 || v > 1)
            return ro_context_fail(work->context, RO_E_ARGUMENT,
                                   "the input is %g at (%u, %u); white is 1, and %s holds %s",
                                   (double)v, x, y, work->number->name,
                                   work->number->floating ? "a million times that" : "0 to 1");
        if (work->number->floating)
            ((float *)values)[x] = rounded(work, (double)v);
        else
            ((int32_t *)values)[x] =
                (int32_t)ro_scale_number(&work->scale, (uint32_t)lrintf(65535 * v));
    }
    return RO_OK;
}

ro_status ro_denoiser_read(struct ro_denoiser *work, const char *row, uint32_t y, int channel,
                           void *values, struct ro_figures *figures)
{
    const size_t step = (size_t)work->channels, first = (size_t)channel;
    const uint32_t width = work->in.width;
    const int bytes = ro_format_sample_bytes(work->in.format);
    const uint8_t *in8 = (const uint8_t *)row + first;
    const uint16_t *in16 = (const uint16_t *)(const void *)row + first;
    int32_t *out = values;
    if (bytes == 4) {
        ro_status status = read_floats(work, (const float *)(const void *)row, y, channel, values);
        if (status != RO_OK)
            return status;
    } else if (work->number->floating) {
        for (uint32_t x = 0; x < width; x++) {
            double v = (bytes == 1 ? in8[x * step] : in16[x * step]) / (double)work->in_white;
            ((float *)values)[x] = rounded(work, v);
        }
    } else if (work->scale.factor) {
        const int32_t factor = (int32_t)work->scale.factor;
        if (bytes == 1 && step == 1)
            for (uint32_t x = 0; x < width; x++)
                out[x] = factor * in8[x];
        else if (bytes == 1)
            for (uint32_t x = 0; x < width; x++)
                out[x] = factor * in8[x * step];
        else
            for (uint32_t x = 0; x < width; x++)
                out[x] = factor * in16[x * step];
    } else {
        for (uint32_t x = 0; x < width; x++)
            out[x] =
                (int32_t)ro_scale_number(&work->scale, bytes == 1 ? in8[x * step] : in16[x * step]);
    }
    count(work, figures, values);
    return RO_OK;
}

static uint32_t pixel_of(const struct ro_denoiser *work, const void *values, uint32_t x)
{
    if (!work->number->floating)
        return ro_scale_pixel(&work->scale, ((const int32_t *)values)[x], work->out_white);
    double v = (double)((const float *)values)[x] * work->out_white;
    return v > 0 ? v < work->out_white ? (uint32_t)lrint(v) : work->out_white : 0;
}

void ro_denoiser_write(const struct ro_denoiser *work, char *row, int channel, const void *values,
                       struct ro_figures *figures)
{
    const size_t step = (size_t)work->channels, first = (size_t)channel;
    const uint32_t width = work->out.width;
    const int bytes = ro_format_sample_bytes(work->out.format);
    uint64_t pixels = 0;
    count(work, figures, values);
    if (bytes == 4) {
        float *out = (float *)(void *)row + first;
        for (uint32_t x = 0; x < width; x++)
            out[x * step] =
                work->number->floating
                    ? ((const float *)values)[x]
                    : (float)((double)((const int32_t *)values)[x] / (double)work->scale.white);
        return;
    }
    /* Where a level is a power of two of numbers, as in s16 from and to 8 bits, a shift rounds. */
    const int64_t factor = work->scale.factor;
    bool shifts = !work->number->floating && factor > 0 && (factor & (factor - 1)) == 0 &&
                  work->out_white == work->in_white;
    int shift = shifts ? __builtin_ctzll((uint64_t)factor) : 0;
    int32_t half = shift ? 1 << (shift - 1) : 0;
    uint8_t *out8 = (uint8_t *)row + first;
    uint16_t *out16 = (uint16_t *)(void *)row + first;
    if (shifts && bytes == 1) {
        const int32_t *in = values;
        if (step == 1)
            for (uint32_t x = 0; x < width; x++)
                out8[x] = (uint8_t)((in[x] + half) >> shift);
        else
            for (uint32_t x = 0; x < width; x++)
                out8[x * step] = (uint8_t)((in[x] + half) >> shift);
    } else if (bytes == 1) {
        for (uint32_t x = 0; x < width; x++)
            out8[x * step] = (uint8_t)pixel_of(work, values, x);
    } else {
        for (uint32_t x = 0; x < width; x++)
            out16[x * step] = (uint16_t)pixel_of(work, values, x);
    }
    for (uint32_t x = 0; x < width && work->options.report; x++)
        pixels += bytes == 1 ? out8[x * step] : out16[x * step];
    figures->pixels += pixels;
}

/* ---- Whole images, rows shared out among the threads ---------------------------------------- */

enum { BLOCK = 16 }; /* rows taken at a time */

struct sweep {
    struct ro_denoiser *work;
    char *planes;
    bool load;
    struct ro_figures *figures; /* a row each; NULL: none are taken */
    atomic_uint_fast32_t ticket;
    atomic_int status;
};

static void sweep_row(struct sweep *sweep, uint32_t y)
{
    struct ro_denoiser *work = sweep->work;
    const size_t plane = (size_t)work->in.width * work->in.height * sizeof(int32_t);
    char *values = sweep->planes + (size_t)y * work->in.width * sizeof(int32_t);
    struct ro_figures figures = ro_figures_none;
    const char *in = (const char *)work->in.data + (ptrdiff_t)y * work->in.stride;
    char *out = (char *)work->out.data + (ptrdiff_t)y * work->out.stride;
    for (int c = 0; c < work->channels; c++, values += plane) {
        if (!sweep->load) {
            ro_denoiser_write(work, out, c, values, &figures);
            continue;
        }
        ro_status status = ro_denoiser_read(work, in, y, c, values, &figures);
        if (status != RO_OK)
            atomic_store(&sweep->status, (int)status);
    }
    if (sweep->figures)
        sweep->figures[y] = figures;
}

static void sweep_rows(void *data, int thread)
{
    struct sweep *sweep = data;
    const uint64_t height = sweep->work->in.height;
    (void)thread;
    for (uint64_t block; (block = atomic_fetch_add(&sweep->ticket, 1)) * BLOCK < height;)
        for (uint64_t y = block * BLOCK; y < (block + 1) * BLOCK && y < height; y++)
            sweep_row(sweep, (uint32_t)y);
}

static ro_status run_sweep(struct ro_denoiser *work, char *planes, bool load,
                           struct ro_figures *sum)
{
    struct sweep sweep = {.work = work, .planes = planes, .load = load};
    const uint32_t height = work->in.height;
    if (work->options.report) {
        sweep.figures = malloc(height * sizeof *sweep.figures);
        if (!sweep.figures)
            return ro_context_fail(work->context, RO_E_MEMORY, "no memory for figures of %u rows",
                                   height);
    }
    ro_pool_run(work->context->pool, ro_pool_threads(work->context->pool), sweep_rows, &sweep);
    for (uint32_t y = 0; sweep.figures && y < height; y++)
        ro_figures_add(sum, &sweep.figures[y]);
    free(sweep.figures);
    return (ro_status)atomic_load(&sweep.status);
}

ro_status ro_denoiser_load(struct ro_denoiser *work, void *planes)
{
    return run_sweep(work, planes, true, &work->before);
}

ro_status ro_denoiser_store(struct ro_denoiser *work, const void *planes)
{
    return run_sweep(work, (char *)planes, false, &work->after);
}

void ro_denoiser_report(struct ro_denoiser *work, const char *schedule, ro_cpu cpu, int threads)
{
    ro_denoise_report *report = &work->report;
    const struct ro_figures *before = &work->before, *after = &work->after;
    bool floating = work->number->floating;
    report->sum_before = floating ? before->float_sum : (double)before->sum;
    report->sum_after = floating ? after->float_sum : (double)after->sum;
    report->energy_before = floating ? before->float_squares : (double)before->squares;
    report->energy_after = floating ? after->float_squares : (double)after->squares;
    report->min_before = before->min;
    report->max_before = before->max;
    report->min_after = after->min;
    report->max_after = after->max;
    if (ro_format_sample_bytes(work->out.format) != 4) {
        if (floating)
            report->drift = (double)after->pixels - after->float_sum * work->out_white;
        else
            report->drift =
                (double)(after->pixels * work->scale.white - after->sum * work->out_white) /
                (double)work->scale.white;
    }
    if (work->options.report)
        *work->options.report = *report;
    work->context->report = (ro_report){
        .method = ro_model_name(work->parameters.model),
        .schedule = schedule,
        .width = work->in.width,
        .height = work->in.height,
        .device = RO_DEVICE_CPU,
        .cpu = cpu,
        .threads = threads,
        .steps = report->steps,
    };
}
