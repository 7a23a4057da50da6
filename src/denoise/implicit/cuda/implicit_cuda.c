/* SPDX-License-Identifier: MIT */
/* The semi-implicit schemes of whole images on a CUDA device; numbers are made and pixels rounded
 * by the host. */
#include "denoise/implicit/cuda/implicit_cuda.h"
#include "core/checked.h"
#include "denoise/implicit/implicit.h"

#include <stdlib.h>

_Static_assert((int)RO_DEVICE_SWEEPS == (int)RO_SWEEPS, "sweeps of a time step");

static ro_status check_runs(const struct denoiser *work)
{
    if (work->options.schedule && work->schedule != RO_SCHEDULE_AUTO)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "schedule %s runs on the CPU only; CUDA has its own",
                               work->options.schedule);
    if (!implicit_has_vectors(work))
        return ro_context_fail(work->context, RO_E_UNSUPPORTED,
                               "scheme %s in %s runs on the CPU only", work->scheme->name,
                               work->number->name);
    return RO_OK;
}

bool implicit_fits_cuda(const struct denoiser *work, uint64_t memory)
{
    struct step_weights stiffness;
    implicit_stiffness(work, &stiffness);
    return implicit_has_vectors(work) &&
           implicit_on_cuda->bytes(&stiffness, work->scheme->conjugate) < memory;
}

ro_status denoise_implicit_cuda(struct denoiser *work)
{
    DEVICE_TURN_IF(work->context, true);
    struct step_weights stiffness;
    struct implicit_job job = {
        .context = work->context,
        .stiffness = &stiffness,
        .conjugate = work->scheme->conjugate,
        .nearest = work->rounding == RO_ROUND_NEAREST,
        .time = work->parameters.time,
        .time_step = work->report.time_step,
        .enough = conjugate_enough(work->number),
        .seed = dither_seed(work, 0, 0),
        .steps = work->options.iterations,
    };
    ro_status status = check_runs(work);
    if (status != RO_OK)
        return status;
    implicit_stiffness(work, &stiffness);
    const size_t size = (size_t)work->in.width * work->in.height;
    size_t bytes;
    if (size_multiply(size, (size_t)work->channels * sizeof(int32_t), &bytes))
        job.planes = malloc(bytes);
    if (!job.planes)
        return ro_context_fail(work->context, RO_E_MEMORY, "no memory to denoise %u x %u pixels",
                               work->in.width, work->in.height);
    status = denoiser_load(work, job.planes);
    if (status == RO_OK)
        status = implicit_on_cuda->run(&job);
    if (status == RO_OK)
        status = denoiser_store(work, job.planes);
    free(job.planes);
    if (status != RO_OK)
        return status;
    work->report.steps = job.steps;
    work->report.device_seconds = job.seconds;
    denoiser_report(work, work->scheme->conjugate || stiffness.real ? "passes" : "tiles",
                    RO_CPU_AUTO, 1);
    context_report(work->context)->device = RO_DEVICE_CUDA;
    context_report(work->context)->launches = job.launches;
    return RO_OK;
}
