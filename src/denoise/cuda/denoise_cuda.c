/* SPDX-License-Identifier: MIT */
/* Denoising of whole images on a CUDA device. Pixels of 8 or 16 bits travel as they are and become
 * 16-bit numbers there, by tables that are filled here; all else is converted here. Images that lie
 * on the device stay there, whatever they are. */
#include "core/checked.h"
#include "core/image.h"
#include "denoise/cuda/diffusion_cuda.h"
#include "denoise/denoise.h"

#include <stdlib.h>
#include <string.h>

/* Starting the device takes some tenths of a second, in which a thread does about this much. */
static const double WORTH_STARTING = 1 << 27; /* pixel-steps, */
enum { SOLVER_STEPS = 32 };                   /* and what a system takes in these */

static bool uses_tables(const struct denoiser *work)
{
    return !work->number->floating && work->scale.white <= UINT16_MAX &&
           ro_format_sample_bytes(work->in.format) < 4 &&
           ro_format_sample_bytes(work->out.format) < 4;
}

/* Two tables, and numbers that saturate, are not there. */
static bool has_kernels(const struct denoiser *work)
{
    return work->scheme->run != denoise_explicit ||
           (work->diffusion.model != RO_MODEL_TENSOR && !work->diffusion.ceiling);
}

bool denoise_prefers_cuda(const struct denoiser *work)
{
    const ro_context *context = work->context;
    if (context->options.device != RO_DEVICE_AUTO || context->options.cpu ||
        context->options.threads || work->options.schedule ||
        (work->scheme->run != denoise_explicit && work->scheme->run != denoise_implicit) ||
        !has_kernels(work))
        return false;
    const bool implicit = work->scheme->run == denoise_implicit;
    const double passes = implicit ? SOLVER_STEPS : 1 + work->diffusion.smoothings;
    const double steps = (double)work->in.width * work->in.height * work->channels * passes *
                         work->options.iterations;
    ro_device_info info = {.size = sizeof info};
    if ((!context->cuda && steps < WORTH_STARTING * context->threads) ||
        ro_device_at(1, &info) != RO_OK)
        return false;
    const uint64_t memory = info.memory - info.memory / 8;
    if (implicit)
        return implicit_fits_cuda(work, memory);
    return flow_on_cuda->bytes(&work->diffusion, work->scale.white, work->options.until_converged,
                               uses_tables(work)) < memory;
}

/* Both tables, one behind the other. */
struct tables {
    uint32_t *numbers, *pixels; /* of pixels, and of numbers */
    uint32_t values, count;
};

static ro_status make_tables(struct denoiser *work, struct tables *tables)
{
    tables->values = ro_format_sample_bytes(work->in.format) == 1 ? 256 : 65536;
    tables->count = 65536;
    tables->numbers = malloc((tables->values + tables->count) * sizeof *tables->numbers);
    if (!tables->numbers)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for tables of numbers");
    tables->pixels = tables->numbers + tables->values;
    for (uint32_t i = 0; i < tables->values; i++)
        tables->numbers[i] = (uint32_t)scale_number(&work->scale, i);
    for (uint32_t i = 0; i < tables->count; i++)
        tables->pixels[i] = scale_pixel(&work->scale, i, work->out_white);
    return RO_OK;
}

static ro_status store_sums(struct denoiser *work, struct diffusion_device *device)
{
    const struct level_tables *levels = &work->levels;
    uint64_t totals[3] = {0};
    ro_status status = flow_on_cuda->store_sums(device, &work->out, (uint32_t)levels->levels,
                                                (uint32_t)levels->numbers, totals);
    for (int c = 0; c < work->channels; c++)
        work->after.pixels +=
            ((unsigned __int128)totals[c] * levels->levels + levels_start(levels)) /
            levels->numbers;
    return status;
}

static ro_status take_figures(struct denoiser *work, struct diffusion_device *device,
                              const struct tables *tables, bool pixels,
                              struct step_figures *figures)
{
    struct diffusion_figures taken;
    if (!work->told)
        return RO_OK;
    ro_status status =
        flow_on_cuda->figures(device, pixels ? tables->pixels : NULL, tables->count, &taken);
    if (status != RO_OK)
        return status;
    figures->sum = (__int128)taken.sum;
    figures->pixels = (__int128)taken.pixels;
    figures->squares = (unsigned __int128)taken.squares_high << 64 | taken.squares_low;
    figures->min = taken.min;
    figures->max = taken.max;
    return RO_OK;
}

static ro_status run_tables(struct denoiser *work, struct diffusion_device *device,
                            struct diffusion_run *run)
{
    struct tables tables = {0};
    uint64_t pixels = 0;
    ro_status status = make_tables(work, &tables);
    if (status == RO_OK)
        status = flow_on_cuda->load(device, &work->in, tables.numbers, tables.values,
                                    work->told ? &pixels : NULL);
    if (status == RO_OK)
        status = take_figures(work, device, &tables, false, &work->before);
    work->before.pixels = (__int128)pixels;
    if (status == RO_OK)
        status = flow_on_cuda->run(device, work->options.iterations, run);
    if (status == RO_OK)
        status = take_figures(work, device, &tables, !work->levels.carried, &work->after);
    if (status == RO_OK && work->levels.carried)
        status = store_sums(work, device);
    else if (status == RO_OK)
        status = flow_on_cuda->store(device, &work->out, tables.pixels, tables.count);
    free(tables.numbers);
    return status;
}

static ro_status run_planes(struct denoiser *work, struct diffusion_device *device,
                            struct diffusion_run *run)
{
    size_t size = (size_t)work->in.width * work->in.height, bytes;
    void *planes = NULL;
    if (size_multiply(size, (size_t)work->channels * sizeof(int32_t), &bytes))
        planes = malloc(bytes);
    if (!planes)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory to denoise %u x %u pixels",
                               work->in.width, work->in.height);
    ro_status status = denoiser_load(work, planes);
    if (status == RO_OK)
        status = flow_on_cuda->load_planes(device, planes);
    if (status == RO_OK)
        status = flow_on_cuda->run(device, work->options.iterations, run);
    if (status == RO_OK)
        status = flow_on_cuda->store_planes(device, planes);
    if (status == RO_OK)
        status = denoiser_store(work, planes);
    free(planes);
    return status;
}

static ro_status check_runs(const struct denoiser *work)
{
    ro_context *context = work->context;
    if (work->scheme->run != denoise_explicit)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               work->network ? "model %s takes images of the host, not on a device"
                               : work->scheme->run == denoise_implicit
                                   ? "scheme %s takes images of the host; those on a device have "
                                     "the explicit one"
                                   : "scheme %s runs on the CPU only; CUDA has explicit, implicit "
                                     "and conjugate",
                               work->scheme->name);
    if (!has_kernels(work))
        return ro_context_fail(
            context, RO_E_UNSUPPORTED,
            work->diffusion.ceiling ? "time steps that are not stable run on the CPU only"
                                    : "the %s model with diffusivity %s runs on the CPU only",
            model_name(work->parameters.model), diffusivity_name(work->parameters.diffusivity));
    if (work->options.schedule && work->schedule != RO_SCHEDULE_AUTO)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "schedule %s runs on the CPU only; CUDA has its own",
                               work->options.schedule);
    return RO_OK;
}

static void report(struct denoiser *work, const struct diffusion_run *run, uint64_t launches)
{
    work->report.steps = run->steps;
    work->report.converged = run->converged;
    work->report.device_seconds = run->seconds;
    denoiser_report(work, "fused", RO_CPU_AUTO, 1);
    context_report(work->context)->device = RO_DEVICE_CUDA;
    context_report(work->context)->launches = launches;
}

ro_status denoise_explicit_cuda(struct denoiser *work)
{
    DEVICE_TURN_IF(work->context, true);
    ro_context *context = work->context;
    struct diffusion_device *device;
    struct diffusion_run run;
    const bool tables = uses_tables(work);
    ro_status status = check_runs(work);
    if (status == RO_OK)
        status = flow_on_cuda->open(context, &work->diffusion, work->scale.white,
                                    work->options.until_converged, tables, false, &device);
    if (status != RO_OK)
        return status;
    status = tables ? run_tables(work, device, &run) : run_planes(work, device, &run);
    flow_on_cuda->close(device);
    if (status == RO_OK)
        report(work, &run, run.launches);
    return status;
}

/* ---- Images on the device ------------------------------------------------------------------- */

/* The word of the field for every pixel, or for every one of 65536 levels of floats. What is above
 * white is white. */
static ro_status send_numbers(const struct denoiser *work, struct diffusion_device *device)
{
    const uint32_t count = ro_format_sample_bytes(work->in.format) == 1 ? 256 : 65536;
    uint32_t *words = malloc(count * sizeof *words);
    if (!words)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory for tables of numbers");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t pixel = i < work->in_white ? i : work->in_white;
        const float real = denoiser_round(work, pixel / (double)work->in_white);
        if (work->number->floating)
            memcpy(&words[i], &real, sizeof real);
        else
            words[i] = (uint32_t)scale_number(&work->scale, pixel);
    }
    ro_status status = flow_on_cuda->prepare_resident(device, words, count);
    free(words);
    return status;
}

static ro_status open_resident(struct denoiser *work)
{
    struct diffusion_device *device;
    ro_status status = flow_on_cuda->open(work->context, &work->diffusion, work->scale.white,
                                          work->options.until_converged, true, true, &device);
    if (status != RO_OK)
        return status;
    status = send_numbers(work, device);
    if (status == RO_OK)
        work->resident = device;
    else
        flow_on_cuda->close(device);
    return status;
}

void denoise_resident_close(struct denoiser *work)
{
    if (work->resident)
        flow_on_cuda->close(work->resident);
}

ro_status denoise_resident(struct denoiser *work, const ro_image *in, const ro_image *out,
                           uint32_t count, void *stream)
{
    DEVICE_TURN_IF(work->context, true);
    const struct diffusion_rounding rounding = {
        .white = work->scale.white,
        .out_white = work->out_white,
        .carried = work->levels.carried,
        .levels = work->levels.levels,
        .numbers = work->levels.numbers,
    };
    struct diffusion_run run = {0};
    uint64_t launches = 0;
    ro_status status = check_runs(work);
    if (status == RO_OK && !work->resident)
        status = open_resident(work);
    for (uint32_t i = 0; i < count && status == RO_OK; i++) {
        status = flow_on_cuda->run_resident(work->resident, &rounding, &in[i], &out[i],
                                            work->options.iterations, stream, &run);
        launches += run.launches;
        if (status == RO_OK)
            status = ro_context_progress(work->context, "denoise", (i + 1.0) / count);
    }
    if (status == RO_OK)
        report(work, &run, launches);
    return status;
}
