/* SPDX-License-Identifier: MIT */
/*
 * Direct binary search: the methods `dbs` and `dbs-clipping-free`.
 *
 * The engine turns the public options into a plan's, and the block of rows that holds the whole
 * image into a search. Colour arrives as grey; RO_INDEX8 and RO_GREY8 outputs get the bits as
 * numbers.
 */
#include "halftone/search/search.h"

#include "context/context.h"
#include "core/cpu.h"
#include "core/image.h"
#include "core/names.h"
#include "core/options.h"
#include "halftone/halftone.h"
#include "halftone/search/search_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct dbs_kernels *dbs_kernels_for(ro_cpu cpu)
{
    static const struct dbs_kernels *const kernels[RO_CPUS] = {[RO_CPU_SCALAR] = &dbs_kernels_ref,
                                                               RO_VARIANTS_OF(dbs_kernels)};
    return kernels[cpu];
}

/* ---- The call ------------------------------------------------------------------------------- */

ro_status dbs_halftone(ro_context *context, const struct dbs_options *options, const ro_image *in,
                       const ro_image *out, struct dbs_result *result)
{
    return dbs_halftone_checked(context, options, in, out, result, NULL);
}

ro_status dbs_halftone_checked(ro_context *context, const struct dbs_options *options,
                               const ro_image *in, const ro_image *out, struct dbs_result *result,
                               uint64_t *improving)
{
    struct dbs_state *state = NULL;
    const struct dbs_kernels *kernels = dbs_kernels_for(context->cpu);
    ro_status status = dbs_open(context, options, in, &state);
    if (status == RO_OK)
        status = dbs_begin(context, state, kernels, result);
    if (status == RO_OK)
        status = dbs_search(context, state, kernels, result);
    if (status == RO_OK)
        dbs_finish(context, state, kernels, out, result);
    if (status == RO_OK && improving)
        *improving = dbs_improving(context, state, kernels);
    if (status == RO_OK) /* else what these two left undone would count as done */
        status = ro_context_progress(context, "halftone", 1);
    dbs_close(state);
    return status;
}

/* ---- The engine ----------------------------------------------------------------------------- */

/* What the engine will see: the shape of the input as grey. */
static ro_image grey_shape(const struct halftoner *work)
{
    ro_image shape = work->in;
    shape.format = work->grey.sample_bytes == 1 ? RO_GREY8 : RO_GREY16;
    shape.maxval = work->grey.white;
    return shape;
}

/* What the engine keeps in a halftoner. */
struct dbs_work {
    struct dbs_options options;
    struct dbs_cuda *cuda;  /* NULL: on the CPU */
    struct halftoner first; /* there, what makes the first halftone, if it has a method */
};

/* The eye, in words. */
static void describe(const struct dbs_plan *plan, char *text, size_t size)
{
    const struct dbs_options *options = &plan->options;
    char eye[48];
    if (options->sigma > 0)
        snprintf(eye, sizeof eye, "an eye of %g pixels", options->sigma);
    else
        snprintf(eye, sizeof eye, "%g dpi seen from %g mm", options->dpi, options->distance);
    snprintf(text, size, "%s, radius %d, %.1f%% of its energy cut off", eye, plan->w,
             100 * plan->eye_cut);
}

/* Launches the method of a start. */
static ro_status make_first(void *data, const ro_image *padded, const ro_image *bits, void *stream)
{
    struct halftoner *first = data;
    return first->engine->run_resident(first, padded, bits, 1, stream);
}

static ro_status open_cuda(struct halftoner *work, const struct dbs_plan *plan,
                           const ro_image *shape)
{
    struct dbs_work *made = work->state;
    struct dbs_cuda_start start = {NULL, NULL};
    work->report.device = RO_DEVICE_CUDA;
    if (!plan->random && !made->options.first) {
        ro_image padded = *shape;
        padded.width = (uint32_t)plan->width;
        padded.height = (uint32_t)plan->height;
        const ro_halftone_options given = {RO_HALFTONE_DEFAULTS, .method = plan->options.start,
                                           .seed = made->options.seed};
        ro_halftone_options how;
        ro_status status = halftone_read(work->context, &given, &how);
        if (status == RO_OK)
            status = halftoner_open(&made->first, work->context, &padded, PLANE_LUMA, RO_BITS, &how,
                                    work->device);
        if (status != RO_OK)
            return status;
        start = (struct dbs_cuda_start){make_first, &made->first};
    }
    return dbs_on_cuda->open(work->context, &made->options, shape, &start, &made->cuda);
}

static ro_status open_engine(struct halftoner *work)
{
    ro_context *context = work->context;
    const ro_halftone_options *asked = &work->options;
    struct dbs_work *made = calloc(1, sizeof *made);
    work->state = made;
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for direct binary search");
    made->options = (struct dbs_options){
        .sigma = asked->sigma,
        .dpi = asked->dpi,
        .distance = asked->distance,
        .aim = strcmp(asked->aim, "picture") == 0 ? DBS_PICTURE : DBS_SEEN,
        .start = asked->first ? NULL : asked->start,
        .first = asked->first,
        .rounds = is_default(asked->rounds) ? 0 : asked->rounds,
        .seed = asked->seed,
        .clipping_free = work->method->variant == DBS_CLIPPING_FREE,
        .screen = asked->screen,
    };
    struct dbs_plan plan;
    ro_image shape = grey_shape(work);
    ro_status status = dbs_plan_make(context, &made->options, &shape, &plan);
    if (status != RO_OK)
        return status;
    made->options.seed = dbs_start_draws(&plan.options) ? work->seed : 0;
    work->report.schedule = "groups";
    describe(&plan, work->report.detail, sizeof work->report.detail);
    if (work->device == RO_DEVICE_CUDA)
        return open_cuda(work, &plan, &shape);
    work->report.cpu = context->cpu;
    work->report.threads = context->threads;
    return RO_OK;
}

ro_status dbs_audit(struct halftoner *work, const ro_image *grey, const ro_image *bits,
                    ro_halftone_audit *audit)
{
    const struct dbs_work *made = work->state;
    struct dbs_result result = {0};
    ro_status status =
        dbs_halftone_checked(work->context, &made->options, grey, bits, &result, &audit->improving);
    audit->searched = 1;
    audit->error = result.error;
    audit->rounds = result.rounds;
    audit->changes = result.changes;
    return status;
}

static void count_launches(struct halftoner *work)
{
    const struct dbs_work *made = work->state;
    work->report.launches =
        (uint64_t)dbs_on_cuda->launches(made->cuda) + made->first.report.launches;
}

static ro_status run_cuda(struct halftoner *work, const ro_image *in, const ro_image *out,
                          struct dbs_result *result)
{
    struct dbs_work *made = work->state;
    ro_image own = {0};
    ro_status status = RO_OK;
    if (made->options.first)
        status = dbs_own_bits(work->context, made->options.first, &own);
    if (status == RO_OK)
        status = dbs_on_cuda->run(made->cuda, in, own.data ? &own : NULL, out, result);
    ro_image_free(&own);
    count_launches(work);
    return status;
}

static ro_status run_cpu(struct halftoner *work, const ro_image *in, const ro_image *out,
                         struct dbs_result *result)
{
    const struct dbs_work *made = work->state;
    ro_context *context = work->context;
    if (out->format == RO_BITS)
        return dbs_halftone(context, &made->options, in, out, result);
    ro_image bits;
    ro_status status = ro_image_alloc(context, RO_BITS, in->width, in->height, 0, &bits);
    if (status == RO_OK)
        status = dbs_halftone(context, &made->options, in, &bits, result);
    for (uint32_t y = 0; y < in->height && status == RO_OK; y++) {
        const uint8_t *from = (const uint8_t *)bits.data + (ptrdiff_t)y * bits.stride;
        uint8_t *to = (uint8_t *)out->data + (ptrdiff_t)y * out->stride;
        for (uint32_t x = 0; x < in->width; x++)
            to[x] = from[x / 8] >> (7 - x % 8) & 1;
    }
    ro_image_free(&bits);
    return status;
}

static ro_status run_engine(struct halftoner *work, const struct halftone_block *block)
{
    const struct dbs_work *made = work->state;
    struct dbs_result result = {0};
    ro_image in = grey_shape(work);
    in.data = (void *)(uintptr_t)block->in;
    in.stride = block->in_stride;
    ro_image out = {.format = work->out == RO_BITS ? RO_BITS : RO_INDEX8,
                    .width = in.width,
                    .height = in.height,
                    .maxval = 0,
                    .stride = block->out_stride,
                    .data = block->out};
    ro_status status =
        made->cuda ? run_cuda(work, &in, &out, &result) : run_cpu(work, &in, &out, &result);
    work->report.steps = result.rounds;
    return status;
}

static ro_status run_resident(struct halftoner *work, const ro_image *in, const ro_image *out,
                              uint32_t images, void *stream)
{
    struct dbs_work *made = work->state;
    if (made->options.first)
        return ro_context_fail(work->context, RO_E_UNSUPPORTED,
                               "a given start needs the image in host memory");
    ro_status status = dbs_on_cuda->run_resident(made->cuda, in, out, images, stream);
    count_launches(work);
    return status;
}

static void close_engine(struct halftoner *work)
{
    struct dbs_work *made = work->state;
    if (made) {
        if (made->cuda)
            dbs_on_cuda->close(made->cuda);
        halftoner_close(&made->first);
    }
    free(made);
    work->state = NULL;
}

const struct halftone_engine dbs_engine = {
    .open = open_engine,
    .run = run_engine,
    .close = close_engine,
    .whole_image = true,
    .run_resident = run_resident,
    .no_palette = "it searches among dots of two tones",
};
