/* SPDX-License-Identifier: MIT */
/* Pixels to numbers of the working system and back, and the figures that a report is made of. */
#include "core/image.h"
#include "core/options.h"
#include "denoise/denoise.h"

#include <math.h>

const struct step_figures step_figures_none = {.min = INFINITY, .max = -INFINITY};

void figures_add(struct step_figures *sum, const struct step_figures *part)
{
    sum->sum += part->sum;
    sum->pixels += part->pixels;
    sum->squares += part->squares;
    sum->float_sum += part->float_sum;
    sum->float_squares += part->float_squares;
    sum->min = part->min < sum->min ? part->min : sum->min;
    sum->max = part->max > sum->max ? part->max : sum->max;
}

void figures_count(const struct denoiser *work, struct step_figures *figures, const void *values)
{
    const uint32_t width = work->in.width;
    const bool floating = work->number->floating;
    if (!work->told)
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

uint64_t samples_sum(const char *row, int bytes, size_t first, size_t step, uint32_t width)
{
    const uint8_t *in8 = (const uint8_t *)row + first;
    const uint16_t *in16 = (const uint16_t *)(const void *)row + first;
    uint64_t sum = 0;
    for (uint32_t x = 0; x < width; x++)
        sum += bytes == 1 ? in8[x * step] : in16[x * step];
    return sum;
}

float denoiser_round(const struct denoiser *work, double v)
{
    const struct ro_small_float *real = &work->number->real;
    if (real->mantissa == 23)
        return (float)v;
    return (float)ro_small_float_round(real, v, RO_ROUND_NEAREST_EVEN) + 0.0F; /* -0 becomes 0 */
}

/* Beyond this a product of two differences overflows. */
static const float most_float = 1e6F;

/* Floats that become integers lie from 0 to 1 and are rounded to 65536 levels. */
static ro_status read_floats(struct denoiser *work, const float *in, uint32_t y, int channel,
                             void *values)
{
    size_t step = (size_t)work->channels;
    for (uint32_t x = 0; x < work->in.width; x++) {
        float v = in[x * step + (size_t)channel];
        if (!isfinite(v))
            return ro_context_fail(work->context, RO_E_ARGUMENT,
                                   "the input at (%u, %u) is %g, not a finite number", x, y,
                                   (double)v);
        if (work->number->floating ? fabsf(v) > most_float : v < 0 || v > 1)
            return ro_context_fail(work->context, RO_E_ARGUMENT,
                                   "the input is %g at (%u, %u); white is 1, and %s holds %s",
                                   (double)v, x, y, work->number->name,
                                   work->number->floating ? "a million times that" : "0 to 1");
        if (work->number->floating)
            ((float *)values)[x] = denoiser_round(work, (double)v);
        else
            ((int32_t *)values)[x] =
                (int32_t)scale_number(&work->scale, (uint32_t)lrintf(65535 * v));
    }
    return RO_OK;
}

ro_status denoiser_read(struct denoiser *work, const char *row, uint32_t y, int channel,
                        void *values, struct step_figures *figures)
{
    const size_t step = (size_t)work->channels, first = (size_t)channel;
    const uint32_t width = work->in.width;
    const int bytes = ro_format_sample_bytes(work->in.format);
    const uint8_t *in8 = (const uint8_t *)row + first;
    const uint16_t *in16 = (const uint16_t *)(const void *)row + first;
    int32_t *out = values;
    if (work->options.white && bytes != 4)
        for (uint32_t x = 0; x < width; x++)
            if ((bytes == 1 ? in8[x * step] : in16[x * step]) > work->in_white)
                return ro_context_fail(
                    work->context, RO_E_ARGUMENT, "white is %u but the input is %u at (%u, %u)",
                    work->in_white, bytes == 1 ? in8[x * step] : in16[x * step], x, y);
    if (bytes == 4) {
        ro_status status = read_floats(work, (const float *)(const void *)row, y, channel, values);
        if (status != RO_OK)
            return status;
    } else if (work->number->floating) {
        for (uint32_t x = 0; x < width; x++) {
            double v = (bytes == 1 ? in8[x * step] : in16[x * step]) / (double)work->in_white;
            ((float *)values)[x] = denoiser_round(work, v);
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
                (int32_t)scale_number(&work->scale, bytes == 1 ? in8[x * step] : in16[x * step]);
    }
    figures_count(work, figures, values);
    if (work->told && bytes != 4)
        figures->pixels += samples_sum(row, bytes, first, step, width);
    return RO_OK;
}

/* Of the file's sum: from the result it was rounded from, and from the file that came in. */
static void report_levels(struct denoiser *work)
{
    ro_denoise_report *report = &work->report;
    const struct step_figures *before = &work->before, *after = &work->after;
    const double pixels = (double)after->pixels;
    if (work->number->floating)
        report->drift = pixels - after->float_sum * work->out_white;
    else
        report->drift = (double)(after->pixels * work->scale.white - after->sum * work->out_white) /
                        (double)work->scale.white;
    if (ro_format_sample_bytes(work->in.format) != 4)
        report->difference =
            (double)(after->pixels * work->in_white - before->pixels * work->out_white) /
            work->in_white;
    else
        report->difference = pixels - report->sum_before / report->white * work->out_white;
}

void denoiser_report(struct denoiser *work, const char *schedule, ro_cpu cpu, int threads)
{
    ro_denoise_report *report = &work->report;
    const struct step_figures *before = &work->before, *after = &work->after;
    bool floating = work->number->floating;
    report->sum_before = floating ? before->float_sum : (double)before->sum;
    report->sum_after = floating ? after->float_sum : (double)after->sum;
    report->energy_before = floating ? before->float_squares : (double)before->squares;
    report->energy_after = floating ? after->float_squares : (double)after->squares;
    report->min_before = before->min;
    report->max_before = before->max;
    report->min_after = after->min;
    report->max_after = after->max;
    if (ro_format_sample_bytes(work->out.format) != 4)
        report_levels(work);
    report_give(work->told, report);
    *context_report(work->context) = (ro_report){
        .method = model_name(work->parameters.model),
        .schedule = schedule,
        .width = work->in.width,
        .height = work->in.height,
        .device = RO_DEVICE_CPU,
        .cpu = cpu,
        .threads = threads,
        .steps = report->steps,
    };
}
