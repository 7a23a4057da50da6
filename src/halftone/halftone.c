/* SPDX-License-Identifier: MIT */
/* Halftoning of whole images, and the preparation that streams share with it. */
#include "halftone/halftone.h"

#include "core/checked.h"
#include "core/image.h"
#include "core/options.h"
#include "cuda/cuda.h"
#include "halftone/planes.h"

#include <stdlib.h>
#include <string.h>

static ro_status check_output(struct halftoner *work)
{
    ro_context *context = work->context;
    bool grey = work->out == RO_BITS || work->out == RO_GRAY8;
    if (work->options.palette && grey)
        return ro_context_fail(context, RO_E_ARGUMENT, "a palette cannot be written as %s",
                               ro_format_name(work->out));
    if (!grey && work->out != RO_INDEX8 && !(work->options.palette && work->out == RO_RGB8))
        return ro_context_fail(context, RO_E_UNSUPPORTED, "a halftone cannot be written as %s",
                               ro_format_name(work->out));
    if (work->out == RO_BITS && work->options.levels != 2)
        return ro_context_fail(context, RO_E_ARGUMENT, "packed bits hold 2 levels, not %d",
                               work->options.levels);
    return RO_OK;
}

static ro_status check_options(struct halftoner *work)
{
    ro_context *context = work->context;
    ro_halftone_options *options = &work->options;
    const struct halftone_method *method = work->method;
    const ro_palette *palette = options->palette;
    unsigned known = method->options;
    if (palette)
        known = (known & (OPTION_PALETTE | OPTION_SCHEDULE)) | OPTION_OVERSHOOT;
    const struct {
        unsigned flag;
        bool set;
        const char *name;
    } given[] = {
        {OPTION_LEVELS, options->levels != 0 && options->levels != 2, "levels"},
        {OPTION_SCHEDULE, options->schedule != NULL, "schedule"},
        {OPTION_STRENGTH, !ro_is_default(options->strength), "strength"},
        {OPTION_NOISE, options->noise != 0, "noise"},
        {OPTION_THRESHOLD, !ro_is_default(options->threshold), "threshold"},
        {OPTION_SERPENTINE, options->serpentine != 0, "serpentine"},
        {OPTION_SEED, options->seed != 0, "seed"},
        {OPTION_CELL, options->cell != 0, "cell"},
        {OPTION_ANGLE, options->angle != 0, "angle"},
        {OPTION_SHAPE, options->shape != NULL, "shape"},
        {OPTION_SCREEN, options->screen != NULL, "screen"},
        {OPTION_PALETTE, palette != NULL, "palette"},
        {OPTION_OVERSHOOT, options->clamp != 0, "clamp"},
        {OPTION_OVERSHOOT, options->overshoot != 0, "overshoot"},
        {OPTION_SEARCH, options->sigma != 0, "sigma"},
        {OPTION_SEARCH, options->distance != 0, "view"},
        {OPTION_SEARCH, options->radius != 0, "radius"},
        {OPTION_SEARCH, options->aim != NULL, "aim"},
        {OPTION_SEARCH, options->order != NULL, "order"},
        {OPTION_SEARCH, options->start || options->first, "start"},
        {OPTION_SEARCH, !ro_is_default(options->rounds), "rounds"},
        {OPTION_SHADOW, options->shadow[0] || options->shadow[1], "shadow"},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].set && !(known & given[i].flag))
            return ro_context_fail(context, RO_E_ARGUMENT, "%s does not apply to %s%s",
                                   given[i].name, method->info.name,
                                   palette && method->options & OPTION_PALETTE ? " with a palette"
                                                                               : "");
    if (palette && (palette->count < 2 || palette->count > 256))
        return ro_context_fail(context, RO_E_ARGUMENT, "a palette has 2 to 256 colours, not %d",
                               palette->count);
    options->clamp |= options->overshoot != 0;
    if (options->overshoot < 0 || options->overshoot > 100)
        return ro_context_fail(context, RO_E_ARGUMENT, "overshoot %d%%: must be from 0%% to 100%%",
                               options->overshoot);
    if (options->levels == 0)
        options->levels = 2;
    if (options->levels < 2 || options->levels > 256)
        return ro_context_fail(context, RO_E_ARGUMENT, "%d levels: must be from 2 to 256",
                               options->levels);
    const struct {
        int value, least, most;
        const char *name;
    } percents[] = {
        {options->strength, 1, 100, "strength"},
        {options->noise, 0, 100, "noise"},
        {options->threshold, 1, 99, "threshold"},
    };
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++)
        if (!ro_is_default(percents[i].value) &&
            (percents[i].value < percents[i].least || percents[i].value > percents[i].most))
            return ro_context_fail(context, RO_E_ARGUMENT, "%s %d%%: must be from %d%% to %d%%",
                                   percents[i].name, percents[i].value, percents[i].least,
                                   percents[i].most);
    if (!ro_is_default(options->rounds) && options->rounds < 1)
        return ro_context_fail(context, RO_E_ARGUMENT, "%d rounds: must not be negative",
                               options->rounds);
    return check_output(work);
}

/* The share of grey that goes to black. */
static ro_status black_share(struct halftoner *work)
{
    double kept = work->options.grey_in_colour;
    if (!(kept >= 0 && kept <= 100))
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "%g %% of grey in coloured inks: must be from 0 to 100", kept);
    if (kept != 0 && work->grey.plane < PLANE_CYAN)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "the share of black applies to CMYK separations only");
    work->grey.black_per_mille = (uint32_t)(1000.5 - 10 * kept);
    return RO_OK;
}

ro_status halftone_scalar_only(struct halftoner *work, bool threaded)
{
    const ro_context_options *asked = &work->context->options;
    if (asked->cpu > RO_CPU_SCALAR)
        return ro_context_fail(work->context, RO_E_UNSUPPORTED, "%s has no code for %s",
                               work->method->info.name, ro_cpu_name(asked->cpu));
    if (!threaded && asked->threads > 1)
        return ro_context_fail(work->context, RO_E_UNSUPPORTED,
                               "%s works pixel by pixel and cannot use %d threads",
                               work->method->info.name, asked->threads);
    return RO_OK;
}

ro_status halftoner_open(struct halftoner *work, ro_context *context, const ro_image *in,
                         enum grey_plane plane, ro_format out, const ro_halftone_options *options)
{
    *work = (struct halftoner){.context = context, .in = *in, .out = out};
    work->options = *options;
    const ro_palette *palette = work->options.palette;
    work->grey = (struct grey_form){.plane = palette ? PLANE_COLOUR : plane, .tone = &work->tone};
    work->plate = work->options.same_phases ? 0 : planes_plate(work->grey.plane);
    work->seed = planes_seed(work->options.seed, work->plate);
    if (work->options.kernel && work->options.method)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "a kernel of its own takes the place of method %s; give one of them",
                               work->options.method);
    if (work->options.kernel && work->options.like)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "--like %s takes no kernel other than its own", work->options.like);
    if (work->options.kernel)
        work->method = &halftone_own_kernel;
    else if (work->options.like)
        work->method = halftone_like_find(context, &work->options);
    else
        work->method = halftone_method_find(context, work->options.method);
    if (!work->method)
        return RO_E_ARGUMENT;
    work->engine = palette ? &palette_engine : work->method->engine;
    ro_status status = check_options(work);
    if (status == RO_OK)
        status = black_share(work);
    if (status == RO_OK && grey_input_white(in) > 0) /* else grey_form_of says what is wrong */
        status = tone_make(context, &work->options.tone, palette || work->options.tone.linear,
                           grey_input_white(in), &work->tone);
    if (status == RO_OK)
        status = grey_form_of(context, in, &work->grey);
    if (status != RO_OK)
        return status;
    int levels = work->options.levels;
    for (int k = 0; k < levels; k++)
        work->shown[k] = (unsigned char)((2 * 255 * k + levels - 1) / (2 * (levels - 1)));
    work->granularity = 1;
    /* From host memory the bus costs more than an error diffusion, so only who asks gets it. */
    work->device = context->options.device == RO_DEVICE_CUDA ? RO_DEVICE_CUDA : RO_DEVICE_CPU;
    if (work->device == RO_DEVICE_CUDA && !work->engine->run_resident)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "%s%s does not run on CUDA",
                               work->method->info.name, palette ? " with a palette" : "");
    work->report = (ro_report){
        .method = work->method->info.name,
        .width = in->width,
        .height = in->height,
        .device = RO_DEVICE_CPU,
        .cpu = RO_CPU_SCALAR,
        .threads = 1,
    };
    return work->engine->open(work);
}

void halftoner_close(struct halftoner *work)
{
    if (work->engine)
        work->engine->close(work);
    tone_free(&work->tone);
}

/* Numbers as what they stand for, in place: the last first, for colours are wider. */
static void show(const struct halftoner *work, unsigned char *row)
{
    const uint32_t width = work->in.width;
    if (work->out == RO_GRAY8)
        for (uint32_t x = 0; x < width; x++)
            row[x] = work->shown[row[x]];
    else
        for (size_t x = width; x-- > 0;)
            memcpy(row + 3 * x, work->options.palette->colours[row[x]], 3);
}

ro_status halftoner_run(struct halftoner *work, const void *grey, ptrdiff_t grey_stride, void *out,
                        ptrdiff_t out_stride, uint32_t rows)
{
    struct halftone_block block = {grey, grey_stride, out, out_stride, rows, work->rows_done};
    ro_status status = work->engine->run(work, &block);
    if (status != RO_OK)
        return status;
    work->rows_done += rows;
    work->context->report = work->report;
    if (work->out == RO_GRAY8 || work->out == RO_RGB8)
        for (uint32_t r = 0; r < rows; r++)
            show(work, (unsigned char *)out + (ptrdiff_t)r * out_stride);
    return RO_OK;
}

/* How many rows to run at once: some tens of millions of pixels, so that progress is shown and
 * cancelling works, and fewer where they are converted on the way. */
static uint32_t block_rows(const struct halftoner *work)
{
    uint32_t bands = (uint32_t)((64u << 20) / work->in.width / work->granularity);
    uint32_t few = (uint32_t)work->report.threads * 4;
    if (work->engine->whole_image || (work->device == RO_DEVICE_CUDA && work->grey.direct))
        return work->in.height; /* a device takes them in bands of its own, one after the other */
    if (!work->grey.direct && bands > few)
        bands = few;
    return work->granularity * (bands ? bands : 1);
}

ro_status halftone_image(ro_context *context, const ro_image *in, enum grey_plane plane,
                         const ro_image *out, const ro_halftone_options *options)
{
    struct halftoner work = {0};
    unsigned char *rows = NULL;
    ro_status status = halftoner_open(&work, context, in, plane, out->format, options);
    if (status != RO_OK)
        goto done;

    uint32_t block = block_rows(&work);
    size_t row_bytes = grey_row_bytes(&work.grey, in->width);
    if (!work.grey.direct) {
        size_t bytes;
        rows = ro_size_multiply(row_bytes, block, &bytes) ? malloc(bytes) : NULL;
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
            status = halftoner_run(&work, from, in->stride, to, out->stride, count);
        } else {
            for (uint32_t r = 0; r < count && status == RO_OK; r++)
                status = grey_row(context, in, from + (ptrdiff_t)r * in->stride, y + r, &work.grey,
                                  rows + r * row_bytes);
            if (status == RO_OK)
                status = halftoner_run(&work, rows, (ptrdiff_t)row_bytes, to, out->stride, count);
        }
        if (status == RO_OK)
            status = ro_context_progress(context, "halftone", (double)(y + count) / in->height);
    }
done:
    free(rows);
    halftoner_close(&work);
    return status;
}

ro_status ro_halftone(ro_context *context, const ro_image *in, const ro_image *out,
                      const ro_halftone_options *options)
{
    ro_halftone_options full = RO_HALFTONE_OPTIONS;
    ro_status status = ro_options_take(context, options, &full, "RO_HALFTONE_OPTIONS");
    if (status == RO_OK)
        status = ro_image_check(context, in, "input");
    if (status == RO_OK)
        status = ro_image_check(context, out, "output");
    if (status == RO_OK && (in->width != out->width || in->height != out->height))
        status =
            ro_context_fail(context, RO_E_SIZE, "the input is %u x %u but the output is %u x %u",
                            in->width, in->height, out->width, out->height);
    if (status != RO_OK)
        return status;
    if (full.channels != RO_CHANNELS_GREY)
        return planes_image(context, in, out, &full);
    return halftone_image(context, in, PLANE_LUMA, out, &full);
}

/* All views of a batch have one shape, and rows in ascending order. */
static ro_status check_batch(ro_context *context, const ro_image *in, const ro_image *out,
                             uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ro_status status = ro_image_check(context, &in[i], "input");
        if (status == RO_OK)
            status = ro_image_check(context, &out[i], "output");
        if (status != RO_OK)
            return status;
        if (in[i].width != in->width || in[i].height != in->height || in[i].format != in->format ||
            in[i].maxval != in->maxval || in[i].stride != in->stride || out[i].width != in->width ||
            out[i].height != in->height || out[i].format != out->format ||
            out[i].stride != out->stride)
            return ro_context_fail(context, RO_E_SIZE,
                                   "image %u of the batch has another shape than the first", i);
        if (in[i].stride < 0 || out[i].stride < 0)
            return ro_context_fail(context, RO_E_UNSUPPORTED,
                                   "images on a device have rows in ascending order");
    }
    return RO_OK;
}

ro_status ro_halftone_device(ro_context *context, const ro_image *in, const ro_image *out,
                             uint32_t count, const ro_halftone_options *options, void *stream)
{
    if (count == 0)
        return ro_context_fail(context, RO_E_ARGUMENT, "a batch of no images");
    ro_halftone_options full = RO_HALFTONE_OPTIONS;
    ro_status status = ro_options_take(context, options, &full, "RO_HALFTONE_OPTIONS");
    if (status == RO_OK)
        status = check_batch(context, in, out, count);
    if (status != RO_OK)
        return status;
    if (in->format != RO_GRAY8 && in->format != RO_GRAY16)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "%s is not halftoned on a device",
                               ro_format_name(in->format));
    if (out->format == RO_GRAY8)
        return ro_context_fail(context, RO_E_UNSUPPORTED,
                               "a device gives packed bits or level numbers, not tones");
    if (full.channels != RO_CHANNELS_GREY)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "a device halftones grey only");
    struct halftoner work = {0};
    ro_device asked = context->options.device;
    char why[160];
    if (asked == RO_DEVICE_AUTO && ro_cuda_count(why, sizeof why) == 0)
        return ro_context_fail(context, RO_E_DEVICE, "%s", why);
    if (asked == RO_DEVICE_AUTO)
        context->options.device = RO_DEVICE_CUDA; /* the pixels are there already */
    status = halftoner_open(&work, context, in, PLANE_LUMA, out->format, &full);
    context->options.device = asked;
    if (status == RO_OK && work.tone.channel)
        status = ro_context_fail(context, RO_E_UNSUPPORTED,
                                 "tones of images on a device are halftoned as they are");
    if (status == RO_OK && work.device != RO_DEVICE_CUDA)
        status = ro_context_fail(context, RO_E_ARGUMENT,
                                 "the context was opened for the CPU, not for a device");
    if (status == RO_OK)
        status = work.engine->run_resident(&work, in, out, count, stream);
    if (status == RO_OK)
        context->report = work.report;
    halftoner_close(&work);
    return status;
}
