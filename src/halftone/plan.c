/* SPDX-License-Identifier: MIT */
/* Halftoning plans, and whole images as runs of them. */
#include "halftone/plan.h"

#include "core/checked.h"
#include "core/image.h"
#include "core/misuse.h"
#include "cuda/cuda.h"
#include "halftone/floats_cuda.h"
#include "halftone/kept_options.h"

#include <stdlib.h>
#include <string.h>

/* ---- Making and freeing --------------------------------------------------------------------- */

ro_status halftone_rows_alloc(const struct halftone_plan *plan, size_t row_bytes, uint32_t rows,
                              unsigned char **memory)
{
    ro_context *context = plan->plan.context;
    void *made = NULL;
    size_t bytes;
    ro_status status = RO_OK;
    if (!size_multiply(row_bytes, rows, &bytes))
        status = RO_E_MEMORY;
    else if (plan->work[0].device == RO_DEVICE_CUDA)
        status = cuda_alloc_pinned(context, bytes, &made);
    else if (!(made = malloc(bytes)))
        status = RO_E_MEMORY;
    *memory = made;
    if (status == RO_E_MEMORY)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for %u rows of %u pixels", rows,
                               plan->shape.width);
    return status;
}

void halftone_rows_free(const struct halftone_plan *plan, unsigned char *memory)
{
    if (plan->work[0].device == RO_DEVICE_CUDA)
        cuda_free_pinned(memory);
    else
        free(memory);
}

ro_status halftone_plan_gather(struct halftone_plan *plan)
{
    if (plan->pending)
        return RO_OK;
    return halftone_rows_alloc(plan, plan->grey_row_bytes * (size_t)plan->count, plan->capacity,
                               &plan->pending);
}

uint32_t halftone_plan_room(const struct halftone_plan *plan)
{
    enum { BYTES_AT_ONCE = 8 << 20, BYTES_FOR_DEVICE = 64 << 20 /* two bands */, EACH = 4 };
    const struct halftoner *work = &plan->work[0];
    const bool device = work->device == RO_DEVICE_CUDA && plan->direct;
    size_t bands =
        (device ? BYTES_FOR_DEVICE : BYTES_AT_ONCE) / plan->grey_row_bytes / work->granularity;
    /* Bands that run side by side come together, and else every thread should have some. */
    const size_t threads = (size_t)work->report.threads;
    size_t least = 1;
    if (work->options.abreast > 1)
        least = (size_t)work->options.abreast * threads;
    else if (EACH * threads * work->granularity * plan->grey_row_bytes <= BYTES_FOR_DEVICE)
        least = EACH * threads;
    return work->granularity * (uint32_t)(bands > least ? bands : least);
}

/* How many rows are gathered: some for every thread; for a device about as many as there are
 * columns, for w columns of n rows take it w + 2.5 n steps, so that few rows take as long as many.
 */
static uint32_t rows_gathered(const struct halftone_plan *plan)
{
    const struct halftoner *work = &plan->work[0];
    const uint32_t width = plan->shape.width, height = plan->shape.height;
    if (work->engine->whole_image)
        return height;
    uint32_t bands = halftone_plan_room(plan) / work->granularity;
    uint32_t each = plan->planes ? 16 : 4;
    if (work->options.abreast > (int)each)
        each = (uint32_t)work->options.abreast;
    uint32_t wanted = each * (uint32_t)work->report.threads;
    if (work->device == RO_DEVICE_CUDA && wanted < width / work->granularity)
        wanted = width / work->granularity;
    uint32_t rows = work->granularity * (bands > wanted ? wanted : bands ? bands : 1);
    return rows < height ? rows : height;
}

/* The planes that the options ask for, their format, and the table of inks they need. */
static ro_status find_planes(struct halftone_plan *plan, const ro_halftone_options *options,
                             ro_format *format)
{
    ro_context *context = plan->plan.context;
    ro_status status = RO_OK;
    plan->count = 1;
    *format = plan->out;
    if (options->channels != RO_CHANNELS_GREY) {
        status = planes_find(context, options, plan->out, &plan->found);
        if (status != RO_OK)
            return status;
        plan->planes = &plan->found;
        plan->count = plan->planes->count;
        *format = plan->planes->format;
    }
    if (options->separation)
        status = ink_table_copy(context, options->separation, &plan->inks);
    else if (options->channels == RO_CHANNELS_INKS)
        status = ink_table_make(context, options->inks, options->ink_count,
                                options->ink_limit / 100, &plan->inks);
    return status;
}

/* A row of a plane before planes are put together. */
static size_t store_row_bytes(const struct halftone_plan *plan)
{
    return ro_format_row_bytes(plan->planes->format, plan->shape.width);
}

/* How long rows are, how many of them wait, and memory for these. */
static ro_status alloc_rows(struct halftone_plan *plan)
{
    const struct grey_form *grey = &plan->work[0].grey;
    ro_status status = RO_OK;
    plan->grey_row_bytes = grey_row_bytes(grey, plan->shape.width);
    plan->out_row_bytes = ro_format_row_bytes(plan->out, plan->shape.width);
    if (plan->planes && !plan->planes->combine)
        plan->out_row_bytes *= (size_t)plan->count;
    plan->direct = grey->direct && !plan->planes && !plan->alpha;
    if (plan->alpha &&
        !(plan->flat = malloc(3 * (size_t)plan->shape.width * (size_t)plan->plan.context->threads)))
        return ro_context_fail(plan->plan.context, RO_E_MEMORY, "no memory for rows of %u pixels",
                               plan->shape.width);
    plan->capacity = rows_gathered(plan);
    /* Pinned memory is expensive, and images that are there already need none. */
    if (!plan->direct && plan->work[0].device != RO_DEVICE_CUDA)
        status = halftone_plan_gather(plan);
    if (status == RO_OK && plan->planes && plan->planes->combine)
        status = halftone_rows_alloc(plan, store_row_bytes(plan) * (size_t)plan->count,
                                     plan->capacity, &plan->store);
    return status;
}

static const struct plan_kind halftone_kind;

/* The plan without its planes, with its own copy of palettes; NULL: there is no memory. */
static struct halftone_plan *alloc_plan(ro_context *context, const ro_image *shape, ro_format out,
                                        ro_halftone_options *options)
{
    static _Alignas(8) unsigned char no_pixels;
    struct halftone_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return NULL;
    plan_init(&plan->plan, &halftone_kind, context);
    if (shape)
        plan->shape = *shape;
    plan->in_row_bytes = ro_format_row_bytes(plan->shape.format, plan->shape.width);
    plan->alpha = plan->shape.format == RO_RGBA8;
    if (plan->alpha)
        plan->shape.format = RO_RGB8;
    plan->shape.data = &no_pixels;
    plan->shape.stride = (ptrdiff_t)ro_format_row_bytes(plan->shape.format, plan->shape.width);
    plan->out = out;
    if (options->palette) {
        plan->palette = *options->palette;
        options->palette = &plan->palette;
    }
    if (options->recolour) {
        plan->recolour = *options->recolour;
        options->recolour = &plan->recolour;
    }
    return plan;
}

ro_status halftone_plan_make(ro_context *context, const ro_image *shape, ro_format out,
                             const ro_halftone_options *options, ro_device device,
                             struct halftone_plan **made)
{
    DEVICE_TURN(context);
    ro_halftone_options own;
    ro_format format = out;
    *made = NULL;
    ro_status status = halftone_read(context, options, &own);
    if (status != RO_OK)
        return status;
    struct halftone_plan *plan = alloc_plan(context, shape, out, &own);
    if (!plan)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for a plan");
    plan->asked = device;
    status = image_check(context, &plan->shape, "input");
    if (status == RO_OK && plan->alpha && ro_image_white(&plan->shape) != UINT8_MAX)
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "a maxval of %u: that of 8-bit RGBA is 255", plan->shape.maxval);
    if (status == RO_OK)
        status = find_planes(plan, &own, &format);
    for (int i = 0; i < plan->count && status == RO_OK; i++) {
        const ro_halftone_options of_plane = planes_options(&own, i);
        status = halftoner_open(&plan->work[i], context, &plan->shape,
                                plan->planes ? plan->planes->plane[i] : PLANE_LUMA, format,
                                &of_plane, device);
        plan->work[i].grey.inks = &plan->inks;
    }
    if (status == RO_OK)
        status = alloc_rows(plan);
    if (status == RO_OK)
        *made = plan;
    else
        ro_plan_free(&plan->plan);
    return status;
}

static void free_plan(ro_plan *base)
{
    DEVICE_TURN(base->context);
    struct halftone_plan *plan = halftone_plan_of(base);
    halftone_stream_free(plan->stream);
    halftone_rows_free(plan, plan->pending);
    halftone_rows_free(plan, plan->store);
    for (int i = 0; i < plan->count; i++)
        halftoner_close(&plan->work[i]);
    ink_table_free(&plan->inks);
    free(plan->flat);
    free(plan->kept);
    free(plan);
}

static ro_status copy(const ro_plan *base, ro_plan **made)
{
    const struct halftone_plan *plan = (const struct halftone_plan *)base;
    struct halftone_plan *other;
    ro_image shape = plan->shape;
    if (plan->alpha)
        shape.format = RO_RGBA8;
    ro_status status =
        halftone_plan_make(base->context, &shape, plan->out, plan->kept, plan->asked, &other);
    if (status == RO_OK)
        *made = &other->plan;
    return status;
}

int halftone_plan_carried(const struct halftone_plan *plan)
{
    const struct halftoner *work = &plan->work[0];
    if (work->engine->whole_image || work->carried < 0)
        return -1;
    return plan->count * work->carried;
}

static void query(const ro_plan *base, ro_plan_info *info)
{
    const struct halftone_plan *plan = (const struct halftone_plan *)base;
    const struct halftoner *work = &plan->work[0];
    const ro_report *report = &work->report;
    info->method = report->method;
    info->schedule = report->schedule;
    info->device = report->device;
    info->cpu = report->cpu;
    info->threads = report->threads;
    info->streams = !work->engine->whole_image;
    info->rows = work->engine->whole_image ? plan->shape.height : work->granularity;
    info->carried = halftone_plan_carried(plan);
    info->bytes = sizeof *plan;
    for (int i = 0; i < plan->count; i++)
        info->bytes += plan->work[i].bytes;
    if (plan->pending)
        info->bytes += plan->capacity * plan->grey_row_bytes * (size_t)plan->count;
    if (plan->store)
        info->bytes += plan->capacity * store_row_bytes(plan) * (size_t)plan->count;
}

/* ---- Rows through a plan -------------------------------------------------------------------- */

ro_status halftone_plan_begin(struct halftone_plan *plan, uint32_t first, uint32_t end,
                              struct wavefront_link *links)
{
    ro_status status = RO_OK;
    plan->pending_rows = 0;
    for (int i = 0; i < plan->count && status == RO_OK; i++)
        status = halftoner_begin(&plan->work[i], first, end, links ? &links[i] : NULL);
    return status;
}

static unsigned char *pending_row(const struct halftone_plan *plan, int plane, uint32_t row)
{
    return plan->pending + ((size_t)plane * plan->capacity + row) * plan->grey_row_bytes;
}

/* Rows to be converted, by ticket. */
struct conversion {
    struct halftone_plan *plan;
    const unsigned char *rows;
    ptrdiff_t stride;
    uint32_t count, at, y; /* how many, and the first one's place in `pending` and in the image */
    atomic_uint ticket;
    atomic_int status; /* of a row that failed */
};

static void convert_rows(void *data, int thread)
{
    struct conversion *job = data;
    struct halftone_plan *plan = job->plan;
    ro_context *context = plan->plan.context;
    for (uint32_t i; (i = atomic_fetch_add(&job->ticket, 1)) < job->count;) {
        const void *row = job->rows + (ptrdiff_t)i * job->stride;
        const struct grey_form *forms[PLANES_MOST];
        void *to[PLANES_MOST];
        ro_status status = RO_OK;
        bool done = false;
        for (int k = 0; k < plan->count; k++) {
            forms[k] = &plan->work[k].grey;
            to[k] = pending_row(plan, k, job->at + i);
        }
        if (plan->alpha) {
            uint8_t *flat = plan->flat + 3 * (size_t)plan->shape.width * (size_t)thread;
            done = plan->count == 1 && !plan->work[0].fit &&
                   grey_row_if_opaque(row, plan->shape.width, forms[0], context->cpu, to[0]);
            if (!done)
                lay_over_white(row, plan->shape.width, flat);
            row = flat;
        }
        if (done)
            continue;
        if (plan->work[0].fit)
            status = halftone_fit_row(context, plan->work[0].fit, &plan->shape, row, job->y + i,
                                      thread, to[0]);
        else if (plan->planes || !forms[0]->direct)
            status = grey_rows(context, &plan->shape, row, job->y + i, context->cpu, forms,
                               plan->count, to);
        else
            memcpy(to[0], row, plan->grey_row_bytes);
        if (status != RO_OK)
            atomic_store(&job->status, (int)status);
    }
}

ro_status halftone_plan_take(struct halftone_plan *plan, const void *rows, ptrdiff_t stride,
                             uint32_t count, uint32_t y)
{
    ro_context *context = plan->plan.context;
    struct conversion job = {plan, rows, stride, count, plan->pending_rows, y, 0, RO_OK};
    /* A thread is woken for some hundred microseconds of work. */
    const bool many = (plan->planes || plan->work[0].fit || !plan->work[0].grey.direct) &&
                      (uint64_t)count * plan->shape.width >= 1u << 16;
    if (many)
        pool_run(context->pool, context->threads < (int)count ? context->threads : (int)count,
                 convert_rows, &job);
    else
        convert_rows(&job, 0);
    /* Reports the first bad row, whichever thread failed first. */
    for (uint32_t i = 0; i < count && job.status != RO_OK; i++) {
        struct conversion one = {
            plan, job.rows + (ptrdiff_t)i * stride, stride, 1, job.at + i, y + i, 0, RO_OK};
        convert_rows(&one, 0);
        if (one.status != RO_OK)
            return (ro_status)one.status;
    }
    plan->pending_rows += count;
    return RO_OK;
}

ro_status halftone_plan_flush(struct halftone_plan *plan, void *out, ptrdiff_t out_stride,
                              ptrdiff_t plates)
{
    const uint32_t rows = plan->pending_rows;
    const bool together = plan->planes && plan->planes->combine;
    const size_t row_bytes = together ? store_row_bytes(plan) : 0;
    const size_t apart = plan->capacity * row_bytes; /* planes in the store */
    ro_status status = RO_OK;
    plan->pending_rows = 0;
    for (int i = 0; i < plan->count && status == RO_OK; i++)
        status = halftoner_run(
            &plan->work[i], pending_row(plan, i, 0), (ptrdiff_t)plan->grey_row_bytes,
            together ? plan->store + (size_t)i * apart : (unsigned char *)out + i * plates,
            together ? (ptrdiff_t)row_bytes : out_stride, rows);
    for (uint32_t r = 0; together && r < rows && status == RO_OK; r++)
        plan->planes->combine((unsigned char *)out + (ptrdiff_t)r * out_stride,
                              plan->store + (size_t)r * row_bytes, plan->count, apart,
                              plan->shape.width);
    return status;
}

/* ---- Whole images --------------------------------------------------------------------------- */

/* How many rows to run at once: some tens of millions of pixels, so that progress is shown and
 * cancelling works. */
static uint32_t block_rows(const struct halftone_plan *plan)
{
    const struct halftoner *work = &plan->work[0];
    if (!plan->direct)
        return plan->capacity;
    if (work->engine->whole_image || work->device == RO_DEVICE_CUDA)
        return plan->shape.height; /* a device takes them in bands of its own, one by one */
    uint32_t bands = (uint32_t)((64u << 20) / plan->shape.width / work->granularity);
    return work->granularity * (bands ? bands : 1);
}

/* Rows of the output for each of the input: one for each plate. */
static uint32_t rows_a_row(const struct halftone_plan *plan)
{
    return plan->planes && !plan->planes->combine ? (uint32_t)plan->count : 1;
}

static ro_status check_image(const struct halftone_plan *plan, const ro_image *image,
                             const char *role)
{
    const bool input = *role == 'i';
    const ro_image *shape = &plan->shape;
    const bool alpha = input && plan->alpha;
    const ro_format format = alpha ? RO_RGBA8 : input ? shape->format : plan->out;
    ro_context *context = plan->plan.context;
    ro_status status =
        alpha ? image_check_with_alpha(context, image, role) : image_check(context, image, role);
    if (status != RO_OK)
        return status;
    const uint32_t height = shape->height * (input ? 1 : rows_a_row(plan));
    if (image->width != shape->width || image->height != height)
        return ro_context_fail(context, RO_E_SIZE,
                               "the plan is for %u x %u pixels but the %s is %u x %u", shape->width,
                               height, role, image->width, image->height);
    if (image->format != format)
        return ro_context_fail(context, RO_E_ARGUMENT, "the plan has %s as its %s, not %s",
                               ro_format_name(format), role, ro_format_name(image->format));
    const uint32_t white = alpha ? ro_image_white(image) : grey_input_white(image);
    if (input && white != grey_input_white(shape))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the plan is for a maxval of %u but the input has %u",
                               grey_input_white(shape), white);
    return RO_OK;
}

static ro_status run_image(struct halftone_plan *plan, const ro_image *in, const ro_image *out)
{
    const uint32_t height = plan->shape.height, block = block_rows(plan);
    const ptrdiff_t out_stride = out->stride * (ptrdiff_t)rows_a_row(plan);
    ro_status status = plan->direct ? RO_OK : halftone_plan_gather(plan);
    if (status == RO_OK)
        status = halftone_plan_begin(plan, 0, height, NULL);
    for (uint32_t y = 0; y < height && status == RO_OK; y += block) {
        const uint32_t count = height - y < block ? height - y : block;
        const unsigned char *from = (const unsigned char *)in->data + (ptrdiff_t)y * in->stride;
        unsigned char *to = (unsigned char *)out->data + (ptrdiff_t)y * out_stride;
        if (plan->direct) {
            status = halftoner_run(&plan->work[0], from, in->stride, to, out_stride, count);
        } else {
            status = halftone_plan_take(plan, from, in->stride, count, y);
            if (status == RO_OK)
                status = halftone_plan_flush(plan, to, out_stride, out->stride);
        }
        if (status == RO_OK)
            status =
                ro_context_progress(plan->plan.context, "halftone", (double)(y + count) / height);
    }
    return status;
}

static ro_status run(ro_plan *base, const ro_image *in, const ro_image *out, void *report)
{
    DEVICE_TURN(base->context);
    struct halftone_plan *plan = halftone_plan_of(base);
    ro_status status = plan_has_no_report(base, report);
    if (status == RO_OK)
        status = check_image(plan, in, "input");
    if (status == RO_OK)
        status = check_image(plan, out, "output");
    if (status == RO_OK)
        status = run_image(plan, in, out);
    return status;
}

/* ---- Images on a device --------------------------------------------------------------------- */

/* All views of a batch are as the plan says, and their rows lie in ascending order, alike. */
static ro_status check_batch(const struct halftone_plan *plan, const ro_image *in,
                             const ro_image *out, uint32_t count)
{
    ro_context *context = plan->plan.context;
    for (uint32_t i = 0; i < count; i++) {
        ro_status status = check_image(plan, &in[i], "input");
        if (status == RO_OK)
            status = check_image(plan, &out[i], "output");
        if (status != RO_OK)
            return status;
        if (in[i].stride != in->stride || out[i].stride != out->stride)
            return ro_context_fail(context, RO_E_SIZE,
                                   "image %u of the batch has a different shape from the first", i);
        if (in[i].stride < 0 || out[i].stride < 0)
            return ro_context_fail(context, RO_E_UNSUPPORTED,
                                   "images on a device must have rows in ascending order");
    }
    return RO_OK;
}

/* Floats become samples of 16 bits there. */
static ro_status run_floats(struct halftone_plan *plan, const ro_image *in, const ro_image *out,
                            uint32_t count, void *stream)
{
    struct halftoner *work = &plan->work[0];
    const struct tone_range *range = &work->grey.range;
    ro_context *context = plan->plan.context;
    ro_image *samples = calloc(count, sizeof *samples);
    if (!samples)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for %u images", count);
    ro_status status = floats_on_cuda->to_samples(context, in, count, range->cuts, range->low,
                                                  range->width, stream, samples);
    if (status == RO_OK)
        status = work->engine->run_resident(work, samples, out, count, stream);
    free(samples);
    return status;
}

static ro_status run_device(ro_plan *base, const ro_image *in, const ro_image *out, uint32_t count,
                            void *stream)
{
    DEVICE_TURN_IF(base->context, true);
    struct halftone_plan *plan = halftone_plan_of(base);
    struct halftoner *work = &plan->work[0];
    ro_context *context = base->context;
    if (work->device != RO_DEVICE_CUDA)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "the context was opened for the CPU, not for a device");
    const bool floats = plan->shape.format == RO_GREYF;
    if (plan->shape.format != RO_GREY8 && plan->shape.format != RO_GREY16 && !floats)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "%s images cannot be halftoned on a device",
                               ro_format_name(plan->shape.format));
    if (plan->out == RO_GREY8 && work->options.levels != 256)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "a device gives packed bits or level numbers, not tones");
    if (plan->planes)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "a device halftones grey only");
    if (work->tone.channel)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "tone options do not apply to images on a device");
    if (work->grey.range.cuts && !floats)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "ranges do not apply to images on a device but those of floats");
    ro_status status = check_batch(plan, in, out, count);
    if (status == RO_OK)
        status = halftone_plan_begin(plan, 0, plan->shape.height, NULL);
    if (status == RO_OK)
        status = floats ? run_floats(plan, in, out, count, stream)
                        : work->engine->run_resident(work, in, out, count, stream);
    if (status == RO_OK)
        *context_report(context) = work->report;
    return status;
}

static const struct plan_kind halftone_kind = {query, run,      run_device, halftone_stream_open,
                                               copy,  free_plan};

/* ---- The public calls ----------------------------------------------------------------------- */

bool halftone_plan_is(const ro_plan *plan) { return plan->kind == &halftone_kind; }

ro_status ro_halftone_plan(ro_context *context, const ro_image *shape, ro_format out,
                           const ro_halftone_options *options, ro_plan **plan)
{
    struct halftone_plan *made;
    if (!plan)
        return RO_E_ARGUMENT;
    ro_halftone_options own;
    ro_status status = halftone_read(context, options, &own);
    if (status == RO_OK)
        status = halftone_plan_make(context, shape, out, &own, RO_DEVICE_AUTO, &made);
    if (status == RO_OK && !(made->kept = halftone_options_keep(&own))) {
        ro_plan_free(&made->plan);
        status = ro_context_fail(context, RO_E_MEMORY, "no memory for a plan");
    }
    *plan = status == RO_OK ? &made->plan : NULL;
    return status;
}

ro_status ro_halftone(ro_context *context, const ro_image *in, ro_image *out,
                      const ro_halftone_options *options)
{
    DEVICE_TURN(context);
    struct halftone_plan *plan;
    ro_status status = image_check_with_alpha(context, in, "input");
    if (status == RO_OK)
        status = image_check(context, out, "output");
    if (status == RO_OK)
        status = halftone_plan_make(context, in, out->format, options, RO_DEVICE_AUTO, &plan);
    if (status != RO_OK)
        return status;
    const uint32_t rows = rows_a_row(plan);
    if (in->width != out->width || in->height * rows != out->height)
        status = ro_context_fail(
            context, RO_E_SIZE, "the input is %u x %u but the output is %u x %u%s", in->width,
            in->height, out->width, out->height, rows > 1 ? ": it has a row for each ink" : "");
    if (status == RO_OK)
        status = run_image(plan, in, out);
    ro_plan_free(&plan->plan);
    return status;
}
