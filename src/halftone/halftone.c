/* SPDX-License-Identifier: MIT */
/* Halftoning of whole images, and the preparation that streams share with it. */
#include "halftone/halftone.h"

#include "core/context.h"
#include "core/image.h"
#include "core/names.h"
#include "halftone/methods.h"

#include <stdlib.h>
#include <string.h>

/* Whether the schedule asked for can run as the context wants it; `auto` is the wave. */
static ro_status choose_schedule(struct halftoner *work, const char *name)
{
    ro_context *context = work->context;
    const ro_context_options *asked = &context->options;
    work->run.cpu = context->cpu;
    work->run.threads = context->threads;
    if (!name || ro_name_equal(name, "auto")) {
        work->schedule = &diffusion_wave;
    } else {
        work->schedule = diffusion_schedule_find(name);
        if (!work->schedule)
            return ro_context_fail(context, RO_E_ARGUMENT,
                                   "there is no schedule '%s' on the CPU; it has ed, ec, wave",
                                   name);
    }
    if (work->schedule->sequential) {
        if (asked->threads > 1)
            return ro_context_fail(context, RO_E_UNSUPPORTED,
                                   "schedule %s is sequential and cannot use %d threads",
                                   work->schedule->name, asked->threads);
        if (asked->cpu > RO_CPU_SCALAR)
            return ro_context_fail(context, RO_E_UNSUPPORTED,
                                   "schedule %s is sequential and cannot use %s",
                                   work->schedule->name, ro_cpu_name(asked->cpu));
        work->run.cpu = RO_CPU_SCALAR;
        work->run.threads = 1;
    } else if (!diffusion_wave_vectorised(&work->plan, work->run.cpu)) {
        if (asked->cpu > RO_CPU_SCALAR)
            return ro_context_fail(context, RO_E_UNSUPPORTED,
                                   "the sums of this kernel and depth do not fit the lanes of %s",
                                   ro_cpu_name(asked->cpu));
        work->run.cpu = RO_CPU_SCALAR;
    }
    return RO_OK;
}

static ro_status check_options(ro_context *context, ro_format out,
                               const ro_halftone_options *options, int *levels)
{
    *levels = options->levels ? options->levels : 2;
    if (*levels < 2 || *levels > DIFFUSION_MAX_LEVELS)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "%d levels cannot be made; 2 to 256 are possible", *levels);
    if (out != RO_BITS && out != RO_INDEX8 && out != RO_GRAY8)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "a halftone cannot be written as %s",
                               ro_format_name(out));
    if (out == RO_BITS && *levels != 2)
        return ro_context_fail(context, RO_E_ARGUMENT, "packed bits hold 2 levels, not %d",
                               *levels);
    return RO_OK;
}

ro_status halftoner_open(struct halftoner *work, ro_context *context, const ro_image *in,
                         ro_format out, const ro_halftone_options *options)
{
    static const ro_halftone_options defaults;
    int levels;
    *work = (struct halftoner){.context = context, .in = *in, .out = out};
    if (!options)
        options = &defaults;
    const struct halftone_method *method = halftone_method_find(context, options->method);
    if (!method)
        return RO_E_ARGUMENT;
    work->method = method->info.name;
    ro_status status = check_options(context, out, options, &levels);
    if (status == RO_OK)
        status = grey_form_of(context, in, &work->grey);
    if (status != RO_OK)
        return status;

    diffusion_plan_make(&work->plan, &(struct diffusion_request){
                                         .kernel = &diffusion_kernels[method->kernel],
                                         .kernel_id = method->kernel,
                                         .width = in->width,
                                         .maxval = work->grey.white,
                                         .sample_bytes = work->grey.sample_bytes,
                                         .levels = levels,
                                         .bits_out = out == RO_BITS,
                                     });
    status = choose_schedule(work, options->schedule);
    if (status != RO_OK)
        return status;

    struct diffusion_run *run = &work->run;
    run->plan = &work->plan;
    run->pool = context->pool;
    size_t bytes = work->schedule->state_bytes(&work->plan, run->cpu, run->threads);
    if (posix_memalign(&run->state, 64, bytes) != 0) {
        run->state = NULL;
        return ro_context_fail(context, RO_E_MEMORY, "no memory for rows of %u pixels", in->width);
    }
    memset(run->state, 0, bytes);
    work->granularity = (uint32_t)work->schedule->granularity(&work->plan, run->cpu);
    for (int k = 0; k < levels; k++)
        work->tone[k] = (unsigned char)((2 * 255 * k + levels - 1) / (2 * (levels - 1)));
    return RO_OK;
}

void halftoner_close(struct halftoner *work)
{
    free(work->run.state);
    work->run.state = NULL;
}

void halftoner_run(struct halftoner *work, const void *grey, ptrdiff_t grey_stride, void *out,
                   ptrdiff_t out_stride, uint32_t rows)
{
    struct diffusion_block block = {grey, grey_stride, out, out_stride, rows, work->rows_done};
    work->schedule->run(&work->run, &block);
    work->rows_done += rows;
    if (work->out != RO_GRAY8)
        return;
    for (uint32_t r = 0; r < rows; r++) {
        unsigned char *row = (unsigned char *)out + (ptrdiff_t)r * out_stride;
        for (uint32_t x = 0; x < work->in.width; x++)
            row[x] = work->tone[row[x]];
    }
}

void halftoner_report(const struct halftoner *work)
{
    work->context->report = (ro_report){
        .method = work->method,
        .schedule = work->schedule->name,
        .width = work->in.width,
        .height = work->in.height,
        .device = RO_DEVICE_CPU,
        .cpu = work->run.cpu,
        .threads = work->run.threads,
        .steps = work->run.steps,
    };
}

ro_status ro_halftone(ro_context *context, const ro_image *in, const ro_image *out,
                      const ro_halftone_options *options)
{
    struct halftoner work = {0};
    unsigned char *rows = NULL;
    ro_status status = ro_image_check(context, in, "input");
    if (status == RO_OK)
        status = ro_image_check(context, out, "output");
    if (status == RO_OK && (in->width != out->width || in->height != out->height))
        status =
            ro_context_fail(context, RO_E_SIZE, "the input is %u x %u but the output is %u x %u",
                            in->width, in->height, out->width, out->height);
    if (status == RO_OK)
        status = halftoner_open(&work, context, in, out->format, options);
    if (status != RO_OK)
        goto done;

    /* Blocks of some millions of pixels, so that progress is shown and cancelling works. */
    uint32_t block = (uint32_t)((64u << 20) / in->width / work.granularity);
    block = work.granularity * (block ? block : 1);
    size_t grey_row_bytes = (size_t)in->width * (size_t)work.grey.sample_bytes;
    if (!work.grey.direct) {
        uint32_t smaller = work.granularity * (uint32_t)work.run.threads * 4;
        block = block < smaller ? block : smaller;
        rows = malloc(grey_row_bytes * block);
        if (!rows) {
            status = ro_context_fail(context, RO_E_MEMORY, "no memory for %u rows of %u pixels",
                                     block, in->width);
            goto done;
        }
    }
    for (uint32_t y = 0; y < in->height && status == RO_OK; y += block) {
        uint32_t count = in->height - y < block ? in->height - y : block;
        const unsigned char *from = (const unsigned char *)in->data + (ptrdiff_t)y * in->stride;
        unsigned char *to = (unsigned char *)out->data + (ptrdiff_t)y * out->stride;
        if (work.grey.direct) {
            halftoner_run(&work, from, in->stride, to, out->stride, count);
        } else {
            for (uint32_t r = 0; r < count && status == RO_OK; r++)
                status = grey_row(context, in, from + (ptrdiff_t)r * in->stride, y + r, &work.grey,
                                  rows + r * grey_row_bytes);
            if (status == RO_OK)
                halftoner_run(&work, rows, (ptrdiff_t)grey_row_bytes, to, out->stride, count);
        }
        if (status == RO_OK)
            status = ro_context_progress(context, "halftone", (double)(y + count) / in->height);
    }
    if (status == RO_OK)
        halftoner_report(&work);
done:
    free(rows);
    halftoner_close(&work);
    return status;
}
