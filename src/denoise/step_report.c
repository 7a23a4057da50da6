/* SPDX-License-Identifier: MIT */
/* What a filter does to the image step by step: sum, extremes and energy, told to who listens. */
#include "denoise/denoise.h"

static void add_integers(struct step_trace *trace, const int32_t *values, size_t count)
{
    int64_t sum = 0, min = values[0], max = values[0];
    uint64_t squares = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t v = values[i];
        sum += v;
        squares += (uint64_t)(v * v);
        min = v < min ? v : min;
        max = v > max ? v : max;
        if (squares >> 62) { /* a long row of wide numbers */
            trace->squares += squares;
            squares = 0;
        }
    }
    trace->sum += sum;
    trace->squares += squares;
    trace->min = trace->any && trace->min < min ? trace->min : min;
    trace->max = trace->any && trace->max > max ? trace->max : max;
}

static void add_floats(struct step_trace *trace, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double v = (double)values[i];
        const bool first = !trace->any && i == 0;
        trace->real_sum += v;
        trace->real_squares += v * v;
        trace->real_min = first || v < trace->real_min ? v : trace->real_min;
        trace->real_max = first || v > trace->real_max ? v : trace->real_max;
    }
}

void trace_add(struct step_trace *trace, const struct denoiser *work, const void *values,
               size_t count)
{
    if (work->watch)
        stop_see(work->watch, work->report.steps, values);
    if (!work->options.on_step)
        return;
    if (work->number->floating)
        add_floats(trace, values, count);
    else
        add_integers(trace, values, count);
    trace->any = true;
}

void trace_tell(const struct step_trace *trace, const struct denoiser *work)
{
    if (work->watch)
        stop_weigh(work->watch, work->report.steps);
    if (!work->options.on_step)
        return;
    const ro_denoise_step step = {
        .step = work->report.steps,
        .exact = !work->number->floating,
        .sum = (int64_t)trace->sum,
        .min = trace->min,
        .max = trace->max,
        .energy_high = (uint64_t)(trace->squares >> 64),
        .energy_low = (uint64_t)trace->squares,
        .real_sum = trace->real_sum,
        .real_min = trace->real_min,
        .real_max = trace->real_max,
        .real_energy = trace->real_squares,
    };
    work->options.on_step(work->options.on_step_data, &step);
}

bool denoiser_is_watched(const struct denoiser *work)
{
    return work->options.on_step || work->watch;
}

ro_status denoiser_progress(const struct denoiser *work)
{
    if (!work->watch)
        return ro_context_progress(work->context, "denoise",
                                   (double)work->report.steps / work->options.iterations);
    return ro_context_cancelled(work->context)
               ? ro_context_fail(work->context, RO_E_CANCELLED, "cancelled")
               : RO_OK;
}

ro_status denoiser_no_code(const struct denoiser *work, ro_cpu asked)
{
    return ro_context_fail(work->context, RO_E_UNSUPPORTED,
                           work->report.saturating
                               ? "there is no %s code for time steps that are not stable in %s"
                               : "there is no %s code for this filter in %s",
                           ro_cpu_name(asked), work->number->name);
}

void denoiser_trace(const struct denoiser *work, const void *planes)
{
    const size_t width = work->in.width, rows = (size_t)work->in.height * (size_t)work->channels;
    struct step_trace trace = {0};
    if (!denoiser_is_watched(work))
        return;
    for (size_t y = 0; y < rows; y++)
        trace_add(&trace, work, (const int32_t *)planes + y * width, width);
    trace_tell(&trace, work);
}
