/* SPDX-License-Identifier: MIT */
/* A run of the semi-implicit schemes on vectors and threads; see implicit.h. */
#include "denoise/implicit/implicit.h"

#include "core/checked.h"
#include "core/huge_pages.h"
#include "denoise/implicit/lines.h"

#include <stdlib.h>

struct run {
    struct denoiser *work;
    struct step_weights stiffness; /* weights of L alone; of floats as they are */
    struct number_planes now, next, guide[2];
    void *conjugate; /* memory of conjugate gradients */
};

/* Smoothed copies of the image, eight linear steps in a pass; the image itself without any. */
static ro_status smooth(struct run *run, struct number_planes *smoothed)
{
    struct denoiser *work = run->work;
    struct step_weights linear = run->stiffness;
    linear.model = RO_MODEL_LINEAR;
    linear.constant = run->stiffness.smoothing;
    linear.joint = 1;
    *smoothed = run->now;
    ro_status status = RO_OK;
    for (int done = 0, i = 0; done < run->stiffness.smoothings && status == RO_OK; i++) {
        const int left = run->stiffness.smoothings - done;
        const struct plane_sweeps pass = {
            .diffusion = &linear,
            .count = left < RO_SWEEPS ? left : RO_SWEEPS,
            .time = -3 * (double)linear.weights.smooth_diagonal, /* 1 - tau L: backwards */
            .nearest = linear.nearest,
            .channels = work->channels,
            .in = *smoothed,
            .guide = *smoothed,
            .out = run->guide[i % 2],
        };
        status = sweeps_run(work->context, &pass);
        *smoothed = pass.out;
        done += pass.count;
    }
    return status;
}

static ro_status solve(struct run *run, const struct number_planes *guide,
                       struct edge_balance *balance)
{
    struct denoiser *work = run->work;
    const bool floating = work->number->floating;
    const struct ro_small_float *real =
        floating && work->number->real.mantissa < 23 ? &work->number->real : NULL;
    if (work->scheme->conjugate) {
        const struct conjugate pass = {
            .diffusion = &run->stiffness,
            .integers = !floating,
            .time = work->report.time_step,
            .enough = conjugate_enough(work->number),
            .channels = work->channels,
            .in = run->now,
            .guide = *guide,
            .out = run->next,
            .real = real,
            .balance = balance,
            .memory = run->conjugate,
        };
        return conjugate_run(work->context, &pass);
    }
    const struct plane_sweeps pass = {
        .diffusion = &run->stiffness,
        .jacobi = true,
        .count = RO_SWEEPS,
        .time = floating ? work->report.time_step : work->parameters.time,
        .nearest = work->rounding == RO_ROUND_NEAREST,
        .channels = work->channels,
        .in = run->now,
        .guide = *guide,
        .out = run->next,
        .real = real,
        .balance = floating ? NULL : balance,
    };
    return sweeps_run(work->context, &pass);
}

static ro_status step(struct run *run)
{
    struct denoiser *work = run->work;
    const size_t size = (size_t)work->in.width * work->in.height;
    struct edge_balance balance[RO_MAX_JOINT];
    struct number_planes guide;
    ro_status status = smooth(run, &guide);
    if (status == RO_OK)
        status = solve(run, &guide, balance);
    for (int plane = 0; plane < work->channels && status == RO_OK && !work->number->floating &&
                        !ro_context_cancelled(work->context);
         plane++)
        status = dither_run(work->context, (int32_t *)run->next.data + (size_t)plane * size,
                            work->in.width, work->in.height, &balance[plane],
                            dither_seed(work, work->report.steps, plane));
    const struct number_planes last = run->now;
    run->now = run->next;
    run->next = last;
    return status;
}

static ro_status open_run(struct run *run)
{
    struct denoiser *work = run->work;
    const bool floating = work->number->floating;
    implicit_stiffness(work, &run->stiffness);
    const size_t all = (size_t)work->in.width * work->in.height * (size_t)work->channels;
    size_t bytes = 0;
    const enum plane_type type = floating ? RO_PLANE_FLOATS : RO_PLANE_INTEGERS;
    bool there = size_multiply(all, sizeof(double), &bytes);
    struct number_planes *planes[] = {&run->now, &run->next, &run->guide[0], &run->guide[1]};
    for (int i = 0; i < (run->stiffness.smoothings ? 4 : 2) && there; i++) {
        const bool doubles = i >= 2 && floating;
        planes[i]->type = doubles ? RO_PLANE_DOUBLES : type;
        planes[i]->data = malloc(doubles ? bytes : bytes / 2);
        there = planes[i]->data;
    }
    if (there && work->scheme->conjugate) {
        there = conjugate_bytes(work->in.width, work->in.height, &bytes);
        run->conjugate = there ? calloc(1, bytes) : NULL;
        there = run->conjugate;
        if (there)
            pages_enlarge(run->conjugate, bytes);
    }
    return there
               ? RO_OK
               : ro_context_fail(work->context, RO_E_MEMORY, "no memory to denoise %u x %u pixels",
                                 work->in.width, work->in.height);
}

void implicit_stiffness(const struct denoiser *work, struct step_weights *stiffness)
{
    struct diffusion_parameters parameters = work->parameters;
    if (!work->number->floating)
        parameters.time = RO_TIME_ONE;
    diffusion_make(stiffness, &parameters);
}

bool implicit_has_vectors(const struct denoiser *work)
{
    return !(work->options.tolerance > 0) &&
           work->parameters.time <= RO_LONGEST_IN_LINES * RO_TIME_ONE &&
           (work->scheme->conjugate || work->number->floating ||
            work->number->fixed.max <= UINT16_MAX);
}

ro_status denoise_implicit(struct denoiser *work)
{
    if (work->schedule == RO_SCHEDULE_REFERENCE || !implicit_has_vectors(work))
        return implicit_reference(work);
    struct run run = {.work = work};
    ro_status status = open_run(&run);
    if (status == RO_OK)
        status = denoiser_load(work, run.now.data);
    if (status == RO_OK)
        denoiser_trace(work, run.now.data);
    while (work->report.steps < work->options.iterations && !stop_is_over(work->watch) &&
           status == RO_OK) {
        status = step(&run);
        work->report.steps++;
        if (status == RO_OK)
            denoiser_trace(work, run.now.data);
        if (status == RO_OK)
            status = denoiser_progress(work);
    }
    if (status == RO_OK)
        status = denoiser_store(work, run.now.data);
    if (status == RO_OK)
        denoiser_report(work, work->scheme->conjugate ? "passes" : "tiles", work->context->cpu,
                        pool_threads(work->context->pool));
    free(run.now.data);
    free(run.next.data);
    free(run.guide[0].data);
    free(run.guide[1].data);
    free(run.conjugate);
    return status;
}
