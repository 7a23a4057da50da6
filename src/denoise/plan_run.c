/* SPDX-License-Identifier: MIT */
/* Denoising plans, and whole images as runs of them. */
#include "context/plan.h"
#include "core/image.h"
#include "core/options.h"
#include "denoise/denoise.h"
#include "options/table.h"

#include <stdlib.h>

struct denoise_plan {
    struct ro_plan plan; /* first: the public handle */
    ro_image in, out;    /* shapes, as they were given */
    struct denoiser work;
    bool cuda;
    ro_denoise_options *kept; /* as given, for copies of a plan that the caller holds; or NULL */
};

void denoiser_restart(struct denoiser *work)
{
    ro_denoise_report *report = &work->report;
    work->before = work->after = step_figures_none;
    report->steps = 0;
    report->converged = 0;
    report->device_seconds = report->drift = report->difference = 0;
}

void denoiser_free(struct denoiser *work)
{
    explicit_close(work->ready);
    denoise_resident_close(work);
    free(work->sweep.lines);
    free(work->sweep.figures);
    free(work->sweep.carry);
}

static void free_plan(ro_plan *base)
{
    struct denoise_plan *plan = (struct denoise_plan *)base;
    denoiser_free(&plan->work);
    free(plan->kept);
    free(plan);
}

static void query(const ro_plan *base, ro_plan_info *info)
{
    const struct denoise_plan *plan = (const struct denoise_plan *)base;
    const struct denoiser *work = &plan->work;
    info->method = work->network ? "trained" : model_name(work->parameters.model);
    info->schedule = work->ready     ? explicit_schedule(work)
                     : work->network ? plan->cuda ? "fused" : "rows"
                                     : work->scheme->name;
    info->device = plan->cuda ? RO_DEVICE_CUDA : RO_DEVICE_CPU;
    info->cpu = plan->cuda ? RO_CPU_SCALAR : base->context->cpu;
    info->threads = plan->cuda ? 1 : base->context->threads;
    info->streams = plan->kept && !denoise_no_rows(work);
    info->rows = info->streams ? 1 : work->in.height;
    info->bytes = sizeof *plan + explicit_bytes(work);
}

/* Runs the pixels of two images that have the plan's shapes. */
static ro_status run_images(struct denoise_plan *plan, const ro_image *in, const ro_image *out,
                            ro_denoise_report *report)
{
    struct denoiser *work = &plan->work;
    work->in.data = in->data;
    work->in.stride = in->stride;
    work->out.data = out->data;
    work->out.stride = out->stride;
    work->told = report;
    denoiser_restart(work);
    if (plan->cuda)
        return work->network                           ? denoise_trained_cuda(work)
               : work->scheme->run == denoise_implicit ? denoise_implicit_cuda(work)
                                                       : denoise_explicit_cuda(work);
    ro_status status = step_frames_open(work);
    if (status == RO_OK)
        status = work->scheme->run(work);
    if (status == RO_OK)
        status = step_frames_end(work);
    step_frames_close(work);
    return status;
}

static ro_status check_image(const struct denoise_plan *plan, const ro_image *image,
                             const ro_image *shape, const char *role)
{
    ro_context *context = plan->plan.context;
    ro_status status = image_check(context, image, role);
    if (status == RO_OK && (image->width != shape->width || image->height != shape->height))
        status = ro_context_fail(context, RO_E_SIZE,
                                 "the plan is for %u x %u pixels but the %s is %u x %u",
                                 shape->width, shape->height, role, image->width, image->height);
    if (status == RO_OK &&
        (image->format != shape->format || ro_image_white(image) != ro_image_white(shape)))
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "the plan has %s of maxval %u as its %s, not %s of %u",
                                 ro_format_name(shape->format), ro_image_white(shape), role,
                                 ro_format_name(image->format), ro_image_white(image));
    return status;
}

static const struct plan_kind denoise_kind;

static ro_status run(ro_plan *base, const ro_image *in, const ro_image *out, void *report)
{
    struct denoise_plan *plan = (struct denoise_plan *)base;
    ro_denoise_report full = {.size = sizeof full};
    ro_status status = report_check(base->context, (ro_denoise_report *)report);
    if (status == RO_OK)
        status = check_image(plan, in, &plan->in, "input");
    if (status == RO_OK)
        status = check_image(plan, out, &plan->out, "output");
    if (status != RO_OK)
        return status;
    status = run_images(plan, in, out, report ? &full : NULL);
    report_give((ro_denoise_report *)report, &full);
    return status;
}

static ro_status run_device(ro_plan *base, const ro_image *in, const ro_image *out, uint32_t count,
                            void *stream)
{
    struct denoise_plan *plan = (struct denoise_plan *)base;
    ro_context *context = base->context;
    if (!plan->cuda)
        return ro_context_fail(context, RO_E_ARGUMENT, "the plan runs on the CPU, not on a device");
    ro_status status = RO_OK;
    for (uint32_t i = 0; i < count && status == RO_OK; i++) {
        status = check_image(plan, &in[i], &plan->in, "input");
        if (status == RO_OK)
            status = check_image(plan, &out[i], &plan->out, "output");
    }
    if (status != RO_OK)
        return status;
    plan->work.told = NULL;
    denoiser_restart(&plan->work);
    return denoise_resident(&plan->work, in, out, count, stream);
}

static ro_status open_stream(ro_plan *base, uint32_t first, uint32_t rows, void *report,
                             ro_stream **opened)
{
    const struct denoise_plan *plan = (const struct denoise_plan *)base;
    struct denoise_stream *stream;
    if (first != 0 || rows != ALL_ROWS)
        return ro_context_fail(base->context, RO_E_UNSUPPORTED,
                               "pieces of a picture are denoised by ro_denoise_piece_open");
    ro_status status =
        denoise_stream_open(base->context, &plan->in, &plan->out, plan->kept, &stream, report);
    if (status == RO_OK)
        *opened = (ro_stream *)stream;
    return status;
}

/* Of shapes, or of an input with pixels, which tell the noise. */
static ro_status make_plan(ro_context *context, const ro_image *in, const ro_image *out,
                           const ro_denoise_options *options, struct denoise_plan **made)
{
    *made = NULL;
    if (in->width != out->width || in->height != out->height)
        return ro_context_fail(context, RO_E_SIZE, "the input is %u x %u but the output is %u x %u",
                               in->width, in->height, out->width, out->height);
    struct denoise_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a plan");
    plan_init(&plan->plan, &denoise_kind, context);
    plan->in = *in;
    plan->out = *out;
    struct denoiser *work = &plan->work;
    ro_status status = denoiser_make(work, context, in, out, options);
    const bool watched = denoiser_is_watched(work);
    if (status == RO_OK && watched && context->options.device == RO_DEVICE_CUDA)
        status = ro_context_fail(context, RO_E_UNSUPPORTED,
                                 "figures and frames of every step are taken on the CPU only");
    if (status == RO_OK && work->network && work->options.frame_every)
        status = ro_context_fail(context, RO_E_UNSUPPORTED,
                                 "model trained has no time steps of which there are frames");
    if (status == RO_OK)
        plan->cuda =
            context->options.device == RO_DEVICE_CUDA || (!watched && denoise_prefers_cuda(work));
    if (status == RO_OK && !plan->cuda && work->scheme->run == denoise_explicit)
        status = explicit_open(work);
    if (status != RO_OK) {
        ro_plan_free(&plan->plan);
        return status;
    }
    *made = plan;
    return RO_OK;
}

static ro_status copy(const ro_plan *base, ro_plan **made)
{
    const struct denoise_plan *plan = (const struct denoise_plan *)base;
    struct denoise_plan *other;
    ro_status status = make_plan(base->context, &plan->in, &plan->out, plan->kept, &other);
    if (status == RO_OK)
        *made = &other->plan;
    return status;
}

static const struct plan_kind denoise_kind = {query, run, run_device, open_stream, copy, free_plan};

ro_status ro_denoise_plan(ro_context *context, const ro_image *in, const ro_image *out,
                          const ro_denoise_options *options, ro_plan **plan)
{
    static _Alignas(8) unsigned char no_pixels;
    struct denoise_plan *made;
    if (!plan)
        return RO_E_ARGUMENT;
    *plan = NULL;
    if (!in || !out)
        return ro_context_fail(context, RO_E_ARGUMENT, "a plan needs the shapes of two images");
    ro_image shape[2] = {*in, *out};
    ro_denoise_options taken = RO_DENOISE_OPTIONS;
    ro_status status = take_options(context, options, &taken, "RO_DENOISE_OPTIONS");
    if (status == RO_OK && taken.impulse)
        status = ro_context_fail(context, RO_E_UNSUPPORTED,
                                 "impulse noise is mended in whole images, without a plan");
    for (int i = 0; i < 2 && status == RO_OK; i++) {
        shape[i].data = &no_pixels;
        shape[i].stride = (ptrdiff_t)ro_format_row_bytes(shape[i].format, shape[i].width);
        status = image_check(context, &shape[i], i ? "output" : "input");
        shape[i].data = NULL;
    }
    if (status == RO_OK)
        status = make_plan(context, &shape[0], &shape[1], &taken, &made);
    if (status == RO_OK && !(made->kept = options_keep(&denoise_table, &taken))) {
        ro_plan_free(&made->plan);
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for a plan");
    }
    if (status == RO_OK)
        *plan = &made->plan;
    return status;
}

static ro_status denoise(ro_context *context, const ro_image *in, ro_image *out,
                         const ro_denoise_options *options, ro_denoise_report *report)
{
    struct denoise_plan *plan;
    ro_denoise_options taken = RO_DENOISE_OPTIONS;
    ro_image mended = {0};
    double impulses = 0;
    ro_status status = image_check(context, in, "input");
    if (status == RO_OK)
        status = image_check(context, out, "output");
    if (status == RO_OK)
        status = take_options(context, options, &taken, "RO_DENOISE_OPTIONS");
    if (status == RO_OK && ro_format_sample_bytes(in->format) > 0 && in->format != RO_INDEX8) {
        if (taken.impulse)
            status = impulses_mend(context, in, &mended, &impulses);
        else if (report)
            status = impulses_notice(context, in, &impulses);
    }
    if (mended.data)
        in = &mended;
    if (status == RO_OK)
        status = make_plan(context, in, out, &taken, &plan);
    if (status == RO_OK) {
        status = run_images(plan, in, out, report);
        ro_plan_free(&plan->plan);
    }
    if (status == RO_OK && report)
        report->impulses = impulses;
    ro_image_free(&mended);
    return status;
}

ro_status ro_denoise(ro_context *context, const ro_image *in, ro_image *out,
                     const ro_denoise_options *options, ro_denoise_report *report)
{
    ro_denoise_report full = {.size = sizeof full};
    ro_status status = report_check(context, report);
    if (status != RO_OK)
        return status;
    status = denoise(context, in, out, options, report ? &full : NULL);
    report_give(report, &full);
    return status;
}
