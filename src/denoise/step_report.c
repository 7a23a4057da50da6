/* SPDX-License-Identifier: MIT */
/* What a filter does to the image step by step: sum, extremes, energy and change, and the image
 * itself as the output would be, told to who listens. */
#include "core/checked.h"
#include "core/image.h"
#include "denoise/denoise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct step_frames {
    ro_image image;    /* what the output would be; without data if it is not asked for */
    uint64_t carry[3]; /* of the last rounding, a channel each */
    int32_t
        *before;  /* the numbers of the step before, plane by plane, or floats; NULL: not needed */
    bool stopped; /* the caller wants no more */
};

ro_status step_frames_open(struct denoiser *work)
{
    const ro_denoise_options *options = &work->options;
    const size_t row = work->in.width * sizeof(int32_t) * (size_t)work->channels;
    size_t bytes;
    if (work->network || (!options->on_step && !options->frame_every))
        return RO_OK;
    struct step_frames *frames = work->frames = calloc(1, sizeof *frames);
    ro_status status = RO_OK;
    if (frames && options->frame_every)
        status = ro_image_alloc(work->context, work->out.format, work->out.width, work->out.height,
                                work->out.maxval, &frames->image);
    if (frames && options->on_step && size_multiply(row, work->in.height, &bytes))
        frames->before = malloc(bytes);
    if (status == RO_OK && (!frames || (options->on_step && !frames->before)))
        status = ro_context_fail(work->context, RO_E_MEMORY, "no memory to watch steps");
    return status;
}

void step_frames_close(struct denoiser *work)
{
    if (!work->frames)
        return;
    ro_image_free(&work->frames->image);
    free(work->frames->before);
    free(work->frames);
    work->frames = NULL;
}

static bool frame_is_due(const struct denoiser *work)
{
    return work->frames && work->options.frame_every &&
           work->report.steps % work->options.frame_every == 0;
}

static ro_status stopped(const struct denoiser *work)
{
    return ro_context_fail(work->context, RO_E_CANCELLED, "stopped at step %u", work->report.steps);
}

ro_status step_frames_end(struct denoiser *work)
{
    const ro_denoise_options *options = &work->options;
    if (!work->frames || !options->frame_every)
        return RO_OK;
    if (!frame_is_due(work))
        work->frames->stopped =
            options->frame(options->frame_data, &work->out, work->report.steps) != 0;
    return work->frames->stopped ? stopped(work) : RO_OK;
}

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

/* Squares of what changed since the step before, of which a copy is kept. */
static void add_changes(struct step_trace *trace, const struct denoiser *work, void *before,
                        const void *values)
{
    const size_t count = work->in.width;
    for (size_t i = 0; work->report.steps > 0 && i < count; i++) {
        if (work->number->floating) {
            const double d = (double)((const float *)values)[i] - (double)((float *)before)[i];
            trace->real_changes += d * d;
        } else {
            const int64_t d = (int64_t)((const int32_t *)values)[i] - ((int32_t *)before)[i];
            trace->changes += (uint64_t)(d * d);
        }
    }
    memcpy(before, values, count * sizeof(int32_t));
}

void trace_add(struct step_trace *trace, const struct denoiser *work, uint32_t y, int channel,
               const void *values)
{
    const size_t count = work->in.width;
    struct step_frames *frames = work->frames;
    if (work->watch)
        stop_see(work->watch, work->report.steps, values);
    if (frame_is_due(work)) {
        struct step_figures figures = step_figures_none;
        if (y == 0)
            frames->carry[channel] = levels_start(&work->levels);
        denoiser_write(work, (char *)frames->image.data + (ptrdiff_t)y * frames->image.stride,
                       channel, values, &frames->carry[channel], &figures);
    }
    if (!work->options.on_step)
        return;
    add_changes(trace, work, frames->before + ((size_t)channel * work->in.height + y) * count,
                values);
    if (work->number->floating)
        add_floats(trace, values, count);
    else
        add_integers(trace, values, count);
    trace->any = true;
}

void trace_tell(const struct step_trace *trace, const struct denoiser *work)
{
    const ro_denoise_options *options = &work->options;
    if (work->watch)
        stop_weigh(work->watch, work->report.steps);
    if (frame_is_due(work) &&
        options->frame(options->frame_data, &work->frames->image, work->report.steps) != 0)
        work->frames->stopped = true;
    if (!options->on_step)
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
        .change = sqrt((work->number->floating ? trace->real_changes : (double)trace->changes) /
                       ((double)work->in.width * work->in.height * work->channels)),
    };
    work->options.on_step(work->options.on_step_data, &step);
}

bool denoiser_is_watched(const struct denoiser *work)
{
    return work->options.on_step || work->options.frame_every || work->watch;
}

ro_status denoiser_progress(const struct denoiser *work)
{
    if (work->frames && work->frames->stopped)
        return stopped(work);
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
    const size_t width = work->in.width;
    const int32_t *row = planes;
    struct step_trace trace = {0};
    if (!denoiser_is_watched(work))
        return;
    for (int c = 0; c < work->channels; c++)
        for (uint32_t y = 0; y < work->in.height; y++, row += width)
            trace_add(&trace, work, y, c, row);
    trace_tell(&trace, work);
}
