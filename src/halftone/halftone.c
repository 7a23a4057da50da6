/* SPDX-License-Identifier: MIT */
/* A halftoning made ready: options checked, the engine opened, rows run. */
#include "halftone/halftone.h"

#include "core/names.h"
#include "halftone/colour_planes.h"
#include "roundoff/library.h"

#include <string.h>

/* The colours that numbers stand for; NULL: they are levels of grey. */
static const ro_palette *colours_of(const struct halftoner *work)
{
    return work->options.palette ? work->options.palette : work->options.recolour;
}

static ro_status check_output(struct halftoner *work)
{
    ro_context *context = work->context;
    const bool deep = work->out == RO_GREY16;
    bool grey = work->out == RO_BITS || work->out == RO_GREY8 || deep;
    if (colours_of(work) && grey)
        return ro_context_fail(context, RO_E_ARGUMENT, "a palette cannot be written as %s",
                               ro_format_name(work->out));
    if (deep && !(work->method->options & OPTION_DEEP))
        return ro_context_fail(context, RO_E_UNSUPPORTED, "%s does not make numbers of 16 bits",
                               work->method->info.name);
    if (!grey && work->out != RO_INDEX8 && !(colours_of(work) && work->out == RO_RGB8))
        return ro_context_fail(context, RO_E_UNSUPPORTED, "a halftone cannot be written as %s",
                               ro_format_name(work->out));
    if (!deep && work->options.levels > 256)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "%s hold 256 levels at most, not %d: 16-bit grey holds them",
                               ro_format_name(work->out), work->options.levels);
    if (work->out == RO_BITS && work->options.levels != 2)
        return ro_context_fail(context, RO_E_ARGUMENT, "packed bits hold 2 levels, not %d",
                               work->options.levels);
    return RO_OK;
}

static ro_status check_options(struct halftoner *work)
{
    ro_context *context = work->context;
    const ro_halftone_options *options = &work->options;
    const struct halftone_method *method = work->method;
    const ro_palette *palette = options->palette;
    if (palette && !method->engine->coloured)
        return ro_context_fail(context, RO_E_ARGUMENT, "%s has no palettes: %s", method->info.name,
                               method->engine->no_palette);
    ro_status status = halftone_rules(context, options, method);
    if (status != RO_OK)
        return status;
    if (palette && (palette->count < 2 || palette->count > 256))
        return ro_context_fail(context, RO_E_ARGUMENT, "a palette has 2 to 256 colours, not %d",
                               palette->count);
    if (!(method->options & OPTION_DEEP) && options->levels > 256)
        return ro_context_fail(context, RO_E_ARGUMENT, "levels %d: %s has 256 at most",
                               options->levels, method->info.name);
    work->grey.black_per_mille = (uint32_t)(1000.5 - 10 * (100 - options->black_ink));
    return check_output(work);
}

/* Levels that colours stand for. */
static ro_status take_colours(struct halftoner *work)
{
    const ro_palette *colours = work->options.recolour;
    ro_halftone_options *options = &work->options;
    if (!colours)
        return RO_OK;
    if (colours->count < 2 || colours->count > 256)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "recolour takes 2 to 256 colours, not %d", colours->count);
    if (options->levels > 2 && options->levels != colours->count)
        return ro_context_fail(work->context, RO_E_ARGUMENT,
                               "recolour has %d colours, but there are %d levels", colours->count,
                               options->levels);
    options->levels = colours->count;
    return RO_OK;
}

/* The picture fitted to the palette, which is 16-bit sRGB to the engine. */
static ro_status open_fit(struct halftoner *work)
{
    const ro_tone none = {0};
    ro_status status =
        halftone_fit_open(work->context, &work->grey, work->in.width, work->context->threads,
                          work->options.palette, &work->tone, &work->fit);
    if (status != RO_OK)
        return status;
    tone_free(&work->tone);
    work->grey.sample_bytes = 2;
    work->grey.white = UINT16_MAX;
    work->grey.direct = false;
    return tone_make(work->context, &none, true, UINT16_MAX, &work->tone);
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

/* Whether samples become light. A dot gain is that of light, but shares of inks stay shares. */
static bool in_light(const struct halftoner *work)
{
    const ro_halftone_options *options = &work->options;
    const bool inks =
        options->channels == RO_CHANNELS_CMYK || options->channels == RO_CHANNELS_INKS;
    return options->palette || options->tone.linear || (options->tone.dot_gain > 0 && !inks);
}

const struct halftone_method *halftone_method_of(ro_context *context,
                                                 const ro_halftone_options *options)
{
    return options->kernel ? &halftone_own_kernel
           : options->like ? halftone_like_find(context, options)
                           : halftone_method_named(options->method);
}

ro_status halftoner_open(struct halftoner *work, ro_context *context, const ro_image *in,
                         enum grey_plane plane, ro_format out, const ro_halftone_options *options,
                         ro_device device)
{
    *work = (struct halftoner){.context = context, .in = *in, .out = out};
    work->options = *options;
    const ro_palette *palette = work->options.palette;
    work->grey = (struct grey_form){.plane = palette ? PLANE_COLOUR : plane, .tone = &work->tone};
    work->plate = planes_plate(work->grey.plane);
    work->seed = planes_seed(work->options.seed, work->plate);
    work->method = halftone_method_of(context, &work->options);
    if (!work->method)
        return RO_E_ARGUMENT;
    if (work->options.like && ro_name_equal(work->options.like, "pillow") &&
        work->grey.plane == PLANE_LUMA)
        work->grey.plane = PLANE_LUMA_601;
    work->engine = work->method->engine;
    if (palette && work->engine->coloured)
        work->engine = work->engine->coloured;
    ro_status status = take_colours(work);
    if (status == RO_OK)
        status = check_options(work);
    if (status == RO_OK)
        status = tone_range_of(context, in, &work->options, &work->grey.range);
    if (status == RO_OK && work->grey.range.white > 0) /* else grey_form_of says what is wrong */
        status = tone_make(context, &work->options.tone, in_light(work), work->grey.range.white,
                           &work->tone);
    if (status == RO_OK)
        status = grey_form_of(context, in, &work->grey);
    if (status == RO_OK && halftone_is_fitted(&work->options))
        status = open_fit(work);
    if (status != RO_OK)
        return status;
    int levels = work->options.levels;
    if (levels - 1 > 16 * (int64_t)work->grey.white)
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "%d levels are more than %u, the most of a picture whose white is "
                               "%u: some would be the same",
                               levels, 16 * work->grey.white + 1, work->grey.white);
    for (int k = 0; k < levels && levels <= 256; k++)
        work->shown[k] = ro_level_tone(levels, k, work->options.tone.linear);
    work->granularity = 1;
    work->carried = -1;
    /* From host memory the bus costs more than an error diffusion, so only who asks gets it. */
    if (device == RO_DEVICE_AUTO)
        device = context->options.device;
    work->device = device == RO_DEVICE_CUDA ? RO_DEVICE_CUDA : RO_DEVICE_CPU;
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

ro_status halftoner_begin(struct halftoner *work, uint32_t first_row, uint32_t end_row,
                          struct wavefront_link *link)
{
    work->first_row = work->rows_done = first_row;
    work->end_row = end_row;
    work->link = link;
    work->report.steps = work->report.launches = 0;
    return work->engine->begin ? work->engine->begin(work) : RO_OK;
}

void halftoner_close(struct halftoner *work)
{
    if (work->engine)
        work->engine->close(work);
    halftone_fit_close(work->fit);
    tone_free(&work->tone);
}

/* Numbers as what they stand for, in place: the last first, for colours are wider. */
static void show(const struct halftoner *work, unsigned char *row)
{
    const uint32_t width = work->in.width;
    if (work->out == RO_GREY8)
        for (uint32_t x = 0; x < width; x++)
            row[x] = work->shown[row[x]];
    else
        for (size_t x = width; x-- > 0;)
            memcpy(row + 3 * x, colours_of(work)->colours[row[x]], 3);
}

ro_status halftoner_run(struct halftoner *work, const void *grey, ptrdiff_t grey_stride, void *out,
                        ptrdiff_t out_stride, uint32_t rows)
{
    struct halftone_block block = {
        .in = grey,
        .in_stride = grey_stride,
        .out = out,
        .out_stride = out_stride,
        .rows = rows,
        .first_row = work->rows_done,
    };
    ro_status status = work->engine->run(work, &block);
    if (status != RO_OK)
        return status;
    work->rows_done += rows;
    *context_report(work->context) = work->report;
    const bool shown_as_is = work->out == RO_GREY8 && work->options.levels == 256;
    if ((work->out == RO_GREY8 && !shown_as_is) || work->out == RO_RGB8)
        for (uint32_t r = 0; r < rows; r++)
            show(work, (unsigned char *)out + (ptrdiff_t)r * out_stride);
    return RO_OK;
}
