/* SPDX-License-Identifier: MIT */
/*
 * Direct binary search: the methods `dbs` and `dbs-clipping-free`.
 *
 * The engine turns the public options into a plan's, and the block of rows that holds the whole
 * image into a search. Colour arrives as grey; RO_INDEX8 and RO_GRAY8 outputs get the bits as
 * numbers.
 */
#include "halftone/dbs/dbs.h"

#include "context/context.h"
#include "core/cpu.h"
#include "core/image.h"
#include "core/names.h"
#include "cuda/cuda.h"
#include "halftone/dbs/dbs_cuda.h"
#include "halftone/halftone.h"

#include <stdlib.h>

RO_CUDA_NONE(dbs_cuda_calls, dbs_on_cuda);

const struct dbs_kernels *dbs_kernels_for(ro_cpu cpu)
{
    static const struct dbs_kernels *const kernels[RO_CPUS] = {[RO_CPU_SCALAR] = &dbs_kernels_ref,
                                                               RO_VARIANTS_OF(dbs_kernels)};
    return kernels[cpu];
}

/* ---- The start from error diffusion -----------------------------------------------------------
 */

/* Floyd-Steinberg of the padded picture, as packed bits. */
static ro_status diffuse(ro_context *context, const struct dbs_state *state, ro_image *bits)
{
    const struct dbs_plan *plan = &state->plan;
    const uint32_t width = (uint32_t)plan->width, height = (uint32_t)plan->height;
    ro_image padded;
    ro_status status =
        ro_image_alloc(context, state->in->format, width, height, plan->white, &padded);
    if (status == RO_OK)
        status = ro_image_alloc(context, RO_BITS, width, height, 0, bits);
    for (int y = 0; y < plan->height && status == RO_OK; y++) {
        uint8_t *row = (uint8_t *)padded.data + y * padded.stride;
        for (int x = 0; x < plan->width; x++)
            if (padded.format == RO_GRAY8)
                row[x] = (uint8_t)dbs_value(state, x, y);
            else
                ((uint16_t *)(void *)row)[x] = (uint16_t)dbs_value(state, x, y);
    }
    if (status == RO_OK)
        status = ro_halftone(context, &padded, bits, NULL);
    ro_image_free(&padded);
    return status;
}

/* ---- The call ---------------------------------------------------------------------------------
 */

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
    ro_image first = {0};
    const struct dbs_kernels *kernels = dbs_kernels_for(context->cpu);
    ro_status status = dbs_open(context, options, in, &state);
    if (status == RO_OK && options->start == DBS_FLOYD_STEINBERG) {
        status = diffuse(context, state, &first);
        state->first = &first;
    }
    if (status == RO_OK) {
        dbs_begin(context, state, kernels, result);
        status = dbs_search(context, state, kernels, result);
    }
    if (status == RO_OK)
        dbs_finish(context, state, kernels, out, result);
    if (status == RO_OK && improving)
        *improving = dbs_improving(context, state, kernels);
    if (status == RO_OK) /* else what these two left undone would count as done */
        status = ro_context_progress(context, "halftone", 1);
    dbs_close(state);
    ro_image_free(&first);
    return status;
}

/* ---- The engine -------------------------------------------------------------------------------
 */

struct choice {
    const char *name, *alias;
};
static const struct choice aims[2] = {
    [DBS_SEEN] = {"seen", NULL}, [DBS_PICTURE] = {"picture", NULL}};
static const struct choice orders[2] = {
    [DBS_GROUPS] = {"groups", NULL}, [DBS_RASTER] = {"raster", NULL}};
static const struct choice starts[2] = {
    [DBS_RANDOM] = {"random", NULL}, [DBS_FLOYD_STEINBERG] = {"floyd-steinberg", "fs"}};

/* The place of a name, 0 for NULL; -1 and a message when it is neither. */
static int place_of(ro_context *context, const char *what, const char *name,
                    const struct choice choices[2])
{
    for (int i = 0; i < 2; i++)
        if (!name || ro_name_equal(name, choices[i].name) ||
            (choices[i].alias && ro_name_equal(name, choices[i].alias)))
            return i;
    ro_context_fail(context, RO_E_ARGUMENT, "there is no %s '%s'; it is %s or %s", what, name,
                    choices[0].name, choices[1].name);
    return -1;
}

/* What the engine will see: the shape of the input as grey. */
static ro_image grey_shape(const struct halftoner *work)
{
    ro_image shape = work->in;
    shape.format = work->grey.sample_bytes == 1 ? RO_GRAY8 : RO_GRAY16;
    shape.maxval = work->grey.white;
    return shape;
}

/* What the engine keeps in a halftoner. */
struct dbs_work {
    struct dbs_options options;
    struct dbs_cuda *cuda; /* NULL: on the CPU */
};

static ro_status open_engine(struct halftoner *work)
{
    ro_context *context = work->context;
    const ro_halftone_options *asked = &work->options;
    struct dbs_work *made = calloc(1, sizeof *made);
    work->state = made;
    if (!made)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for direct binary search");
    int aim = place_of(context, "aim", asked->aim, aims);
    int order = place_of(context, "order", asked->order, orders);
    int start = place_of(context, "start", asked->start, starts);
    if (aim < 0 || order < 0 || start < 0)
        return RO_E_ARGUMENT;
    made->options = (struct dbs_options){
        .sigma = asked->sigma,
        .radius = asked->radius,
        .aim = (enum dbs_aim)aim,
        .order = (enum dbs_order)order,
        .start = (enum dbs_start)start,
        .rounds = asked->rounds,
        .seed = work->seed,
        .clipping_free = work->method->variant == DBS_CLIPPING_FREE,
        .shadow_numerator = asked->shadow[0],
        .shadow_denominator = asked->shadow[1],
        .screen = asked->screen,
    };
    struct dbs_plan plan;
    ro_image shape = grey_shape(work);
    ro_status status = dbs_plan_make(context, &made->options, &shape, &plan);
    if (status != RO_OK)
        return status;
    work->report.schedule = orders[order].name;
    if (work->device == RO_DEVICE_CUDA) {
        work->report.device = RO_DEVICE_CUDA;
        return dbs_on_cuda->open(context, &made->options, &shape, &made->cuda);
    }
    if (order == DBS_RASTER && context->options.threads > 1)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "order raster tries one pixel after another and cannot use %d "
                               "threads",
                               context->options.threads);
    work->report.cpu = context->cpu;
    work->report.threads = order == DBS_RASTER ? 1 : context->threads;
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

/* The start of a search on the device may come from error diffusion on the device. */
static ro_status run_cuda(struct halftoner *work, const ro_image *in, const ro_image *out,
                          struct dbs_result *result)
{
    struct dbs_work *made = work->state;
    struct dbs_state *tables = NULL;
    ro_image first = {0};
    ro_status status = RO_OK;
    const bool diffused = made->options.start == DBS_FLOYD_STEINBERG;
    if (diffused)
        status = dbs_open_tables(work->context, &made->options, in, &tables);
    if (status == RO_OK && diffused)
        status = diffuse(work->context, tables, &first);
    if (status == RO_OK)
        status = dbs_on_cuda->run(made->cuda, in, diffused ? &first : NULL, out, result);
    dbs_close(tables);
    ro_image_free(&first);
    work->report.launches = (uint64_t)dbs_on_cuda->launches(made->cuda);
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
    ro_image out = {work->out == RO_BITS ? RO_BITS : RO_INDEX8,
                    in.width,
                    in.height,
                    0,
                    block->out_stride,
                    block->out};
    ro_status status =
        made->cuda ? run_cuda(work, &in, &out, &result) : run_cpu(work, &in, &out, &result);
    work->report.steps = result.rounds;
    return status;
}

static ro_status run_resident(struct halftoner *work, const ro_image *in, const ro_image *out,
                              uint32_t images, void *stream)
{
    struct dbs_work *made = work->state;
    if (made->options.start == DBS_FLOYD_STEINBERG)
        return ro_context_fail(work->context, RO_E_UNSUPPORTED,
                               "a start from floyd-steinberg needs the image in host memory");
    ro_status status = dbs_on_cuda->run_resident(made->cuda, in, out, images, stream);
    work->report.launches = (uint64_t)dbs_on_cuda->launches(made->cuda);
    return status;
}

static void close_engine(struct halftoner *work)
{
    struct dbs_work *made = work->state;
    if (made && made->cuda)
        dbs_on_cuda->close(made->cuda);
    free(made);
    work->state = NULL;
}

const struct halftone_engine dbs_engine = {
    .open = open_engine,
    .run = run_engine,
    .close = close_engine,
    .whole_image = true,
    .run_resident = run_resident,
};
