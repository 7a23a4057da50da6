/* SPDX-License-Identifier: MIT */
/*
 * Frames in time. The eye sees the mean of the frames' intensities, so their errors may be carried
 * from frame to frame as well as from pixel to pixel. With I the wanted intensity in its plane and
 * C what is still owed,
 *
 *     t = sqrt(clamp(I + C, 0, 3 max I))         what this frame is to show
 *     b = P(t e^{i phase}), then eight times b = P(t b/|b|), each scaled to the mean of t^2
 *     q = error diffusion of b sent back to the modulator;   r = what arrives of q
 *     C = clamp(C + I - |r|^2, +-2 max I)
 *
 * P keeps the window's frequencies.
 */
#include "context/context.h"
#include "core/image.h"
#include "core/names.h"
#include "core/options.h"
#include "core/random.h"
#include "hologram/field/field.h"
#include "hologram/propagate/propagate.h"
#include "hologram/quantize/diffuse.h"

#include <stdlib.h>
#include <string.h>

enum { PROJECTIONS = 8, MOST_FRAMES = 1024, TAPS = 12, SKEW = 2 };

struct frames {
    ro_context *context;
    const ro_frames *o;
    struct hologram_levels levels;
    float table[2 * RO_HOLOGRAM_LEVELS];
    bool amplitude, smooth;
    struct propagation light;
    struct hogel hogel;
    ro_field field; /* of the modulator, for error diffusion */
    size_t n;
    float *wanted, *owed, *mean; /* intensities */
    float *phases;               /* of the field there: pairs of modulus 1 */
    float *b, *to;               /* what a frame is to show, t */
    double largest, gain;
};

/* ---- Light there and back -------------------------------------------------------------------- */

static ro_status send(struct frames *f, float *data, double distance)
{
    return propagation_run(&f->light, data, distance);
}

static double mean_square(const float *data, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < 2 * n; i++)
        sum += (double)data[i] * data[i];
    return sum / (double)n;
}

static void scale_by(float *data, size_t n, double factor)
{
    for (size_t i = 0; i < 2 * n; i++)
        data[i] = (float)(data[i] * factor);
}

/* b through the window, scaled to the mean square of t. */
static ro_status project(struct frames *f, double power)
{
    ro_status status = send(f, f->b, 0);
    const double now = status == RO_OK ? mean_square(f->b, f->n) : 0;
    if (now > 0)
        scale_by(f->b, f->n, sqrt(power / now));
    return status;
}

static void set_phase(struct frames *f, int frame)
{
    for (size_t i = 0; i < f->n; i++) {
        float c, s, *b = f->b + 2 * i;
        const float *phase = f->phases + 2 * i;
        const uint32_t x = (uint32_t)(i % f->field.width), y = (uint32_t)(i / f->field.width);
        phasor(f->smooth ? 0.6180339887498949 * frame
                         : ro_hash(f->o->seed + (uint64_t)frame, x, y) * 0x1p-32,
               &c, &s);
        b[0] = f->to[i] * (phase[0] * c - phase[1] * s);
        b[1] = f->to[i] * (phase[0] * s + phase[1] * c);
    }
}

static void take_modulus(struct frames *f)
{
    for (size_t i = 0; i < f->n; i++) {
        float *b = f->b + 2 * i;
        const float size = sqrtf(b[0] * b[0] + b[1] * b[1]);
        b[0] = size > 0 ? f->to[i] * (b[0] / size) : f->to[i];
        b[1] = size > 0 ? f->to[i] * (b[1] / size) : 0;
    }
}

/* ---- A frame --------------------------------------------------------------------------------- */

static ro_status aim(struct frames *f, int frame)
{
    double power = 0;
    for (size_t i = 0; i < f->n; i++) {
        const double sum = (double)f->wanted[i] + f->owed[i];
        const double t = fmin(fmax(sum, 0), 3 * f->largest);
        f->to[i] = (float)sqrt(t);
        power += t;
    }
    power /= (double)f->n;
    set_phase(f, frame);
    ro_status status = project(f, power);
    for (int i = 0; i < PROJECTIONS && !f->smooth && status == RO_OK; i++) {
        take_modulus(f);
        status = project(f, power);
    }
    return status == RO_OK ? send(f, f->b, -f->o->distance) : status;
}

static ro_status diffuse(struct frames *f, const ro_image *out, double gain)
{
    struct hologram_job job = {.context = f->context,
                               .field = &f->field,
                               .out = out->data,
                               .out_stride = out->stride,
                               .levels = &f->levels,
                               .hogels = &f->hogel,
                               .count = 1};
    if (f->gain == 0) {
        double rms;
        ro_status status = field_rms(f->context, &f->field, f->levels.real, &rms);
        if (status != RO_OK)
            return status;
        f->gain = rms > 0 ? gain / rms : 1;
    }
    job.scale = (float)(f->gain * HOLOGRAM_ONE);
    const struct band_kernel *kernel = hologram_band_kernel(f->context);
    int threads;
    return kernel ? hologram_run_bands(&job, kernel, &threads) : hologram_run_reference(&job);
}

/* What arrives, in the units of the wanted intensity: of real levels half of the amplitude does. */
static ro_status look(struct frames *f, const ro_image *out)
{
    const double part = f->levels.real ? 2 / f->gain : 1 / f->gain;
    for (size_t i = 0; i < f->n; i++) {
        const size_t x = i % f->field.width, y = i / f->field.width;
        const int k = ((const uint8_t *)out->data)[(ptrdiff_t)y * out->stride + (ptrdiff_t)x];
        memcpy(f->b + 2 * i, f->table + 2 * k, 2 * sizeof *f->b);
    }
    ro_status status = send(f, f->b, f->o->distance);
    for (size_t i = 0; i < f->n && status == RO_OK; i++) {
        const double re = part * f->b[2 * i], im = part * f->b[2 * i + 1], seen = re * re + im * im;
        const double owed = (double)f->owed[i] + f->wanted[i] - seen, most = 2 * f->largest;
        f->mean[i] = (float)(f->mean[i] + seen / f->o->count);
        f->owed[i] = f->o->independent ? 0 : (float)fmin(fmax(owed, -most), most);
    }
    return status;
}

/* Amplitudes, scaled to fit; *light: the mean intensity, in the units of the wanted one. */
static double psnr_of(const struct frames *f, const float *seen, double *light)
{
    double aa = 0, at = 0, tt = 0;
    for (size_t i = 0; i < f->n; i++) {
        aa += seen[i];
        at += sqrt((double)seen[i] * f->wanted[i]);
        tt += f->wanted[i];
    }
    *light = aa / (double)f->n;
    const double error = aa > 0 ? tt - at * at / aa : tt;
    return 10 * log10(f->largest * (double)f->n / fmax(error, 1e-20 * tt));
}

static ro_status run(struct frames *f, const ro_image *out, double gain, ro_frames_report *report)
{
    double light;
    ro_status status = RO_OK;
    for (int i = 0; i < f->o->count && status == RO_OK; i++) {
        f->light.done = (double)i / f->o->count;
        status = aim(f, i);
        if (status == RO_OK)
            status = diffuse(f, &out[i], gain);
        if (status == RO_OK)
            status = look(f, &out[i]);
        if (i == 0)
            report->first_psnr = psnr_of(f, f->mean, &light);
    }
    report->psnr = psnr_of(f, f->mean, &light);
    const double part = f->levels.real ? 2 / f->gain : 1 / f->gain;
    report->efficiency = light / (part * part) / (f->amplitude ? 4 : 1);
    return status;
}

/* ---- What was asked for ---------------------------------------------------------------------- */

static ro_status check(ro_context *context, const ro_field *in, const ro_image *out,
                       const ro_hologram_options *options, const ro_frames *o)
{
    const ro_window *w = &options->window;
    ro_status status = field_check(context, in, "the field");
    if (status != RO_OK)
        return status;
    if (o->count < 1 || o->count > MOST_FRAMES)
        return ro_context_fail(context, RO_E_ARGUMENT, "%d frames: must be from 1 to %d", o->count,
                               MOST_FRAMES);
    for (int i = 0; i < o->count && status == RO_OK; i++) {
        status = ro_image_check(context, &out[i], "a frame");
        if (status == RO_OK && (out[i].format != RO_INDEX8 || out[i].width != in->width ||
                                out[i].height != in->height))
            status = ro_context_fail(context, RO_E_ARGUMENT, "a frame is %s of %u x %u",
                                     ro_format_name(RO_INDEX8), in->width, in->height);
    }
    if (status != RO_OK)
        return status;
    if (!(w->width > 0 && w->width <= 1 && w->height > 0 && w->height <= 1 && fabs(w->xi) <= 0.5 &&
          fabs(w->eta) <= 0.5))
        return ro_context_fail(
            context, RO_E_ARGUMENT,
            "frames need a window: its centre from -0.5 to 0.5, its size at most 1");
    status = hologram_check_gain(context, options->gain);
    if (status != RO_OK)
        return status;
    if (!(fabs(o->distance) <= 100))
        return ro_context_fail(context, RO_E_ARGUMENT, "a distance of %g m: must be at most 100",
                               o->distance);
    if (o->phase && !ro_name_equal(o->phase, "random") && !ro_name_equal(o->phase, "smooth"))
        return ro_context_fail(context, RO_E_ARGUMENT, "unknown phase %s: must be random or smooth",
                               o->phase);
    if (context->options.device == RO_DEVICE_CUDA)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "frames run on the CPU only");
    return o->distance != 0 ? field_check_physics(context, &options->optics) : RO_OK;
}

/* The intensity and phases of the field where they count. */
static ro_status find_wanted(struct frames *f, const ro_field *in)
{
    field_get(in, f->b);
    ro_status status = send(f, f->b, f->o->distance);
    for (size_t i = 0; i < f->n && status == RO_OK; i++) {
        const float re = f->b[2 * i], im = f->b[2 * i + 1], size = sqrtf(re * re + im * im);
        f->wanted[i] = re * re + im * im;
        f->largest = fmax(f->largest, f->wanted[i]);
        f->phases[2 * i] = f->smooth && size > 0 ? re / size : 1;
        f->phases[2 * i + 1] = f->smooth && size > 0 ? im / size : 0;
    }
    if (status == RO_OK && !(f->largest > 0))
        status = ro_context_fail(f->context, RO_E_ARGUMENT, "the field has no light in the window");
    return status;
}

static ro_status open_frames(struct frames *f, const ro_field *in,
                             const ro_hologram_options *options)
{
    static const double unit[2] = {1e-6, 1e-6};
    ro_context *context = f->context;
    double pitch[2];
    const bool far = f->o->distance != 0;
    field_pitch(&options->optics, pitch);
    ro_status status = hologram_levels_of(context, options, f->table, &f->levels, &f->amplitude);
    if (status == RO_OK)
        status = propagation_open(&f->light, context, in->width, in->height,
                                  far ? options->optics.wavelength : 1e-7, far ? pitch : unit);
    if (status != RO_OK)
        return status;
    f->light.window = options->window;
    f->light.wraps = !far;
    f->light.phase = "frames";
    f->light.share = 0;
    struct region region =
        f->levels.real ? region_twin(&options->window) : region_window(&options->window);
    f->hogel = (struct hogel){.width = in->width, .height = in->height};
    weights_least_squares(&region, TAPS, SKEW, f->levels.count == 2 ? 0.03 : 0.01, &f->hogel.taps);
    for (int i = 0; i < f->hogel.taps.count && f->levels.real; i++)
        f->hogel.taps.im[i] = 0;
    float **planes[] = {&f->wanted, &f->owed, &f->mean, &f->to};
    for (int i = 0; i < 4; i++)
        *planes[i] = calloc(f->n, sizeof **planes[i]);
    f->phases = dft_alloc(context, in->width, in->height);
    f->b = dft_alloc(context, in->width, in->height);
    if (!f->wanted || !f->owed || !f->mean || !f->to || !f->phases || !f->b)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for frames of %u x %u pixels",
                               in->width, in->height);
    f->field = (ro_field){in->width, in->height, 8 * (ptrdiff_t)in->width, f->b};
    return RO_OK;
}

ro_status ro_hologram_frames(ro_context *context, const ro_field *in, ro_image *out,
                             const ro_hologram_options *options, const ro_frames *frames,
                             ro_frames_report *told)
{
    double rms;
    ro_frames_report report = {0};
    ro_hologram_options all = RO_HOLOGRAM_OPTIONS;
    ro_frames wanted = RO_FRAMES;
    ro_status status = ro_options_take(context, options, &all, "RO_HOLOGRAM_OPTIONS");
    if (status == RO_OK)
        status = ro_options_take(context, frames, &wanted, "RO_FRAMES");
    if (status == RO_OK)
        status = check(context, in, out, &all, &wanted);
    if (status == RO_OK)
        status = field_rms(context, in, false, &rms);
    if (status != RO_OK)
        return status;
    struct frames *f = calloc(1, sizeof *f);
    if (!f)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for frames");
    f->context = context;
    f->o = &wanted;
    f->n = (size_t)in->width * in->height;
    f->smooth = wanted.phase && ro_name_equal(wanted.phase, "smooth");
    status = open_frames(f, in, &all);
    if (status == RO_OK)
        status = find_wanted(f, in);
    if (status == RO_OK)
        status = run(f, out, hologram_gain(all.gain), &report);
    if (status == RO_OK && told)
        *told = report;
    context->report = (ro_report){.method = "frames",
                                  .schedule = "bands",
                                  .width = in->width,
                                  .height = in->height,
                                  .device = RO_DEVICE_CPU,
                                  .cpu = context->cpu,
                                  .threads = ro_pool_threads(context->pool),
                                  .steps = f->n * (uint64_t)wanted.count};
    propagation_close(&f->light);
    free(f->wanted);
    free(f->owed);
    free(f->mean);
    free(f->to);
    free(f->phases);
    free(f->b);
    free(f);
    return status;
}
