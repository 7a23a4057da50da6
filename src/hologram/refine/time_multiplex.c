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
#include "core/options.h"
#include "hologram/field/field.h"
#include "hologram/propagate/propagate.h"
#include "hologram/quantize/cuda/diffuse_cuda.h"
#include "hologram/quantize/diffuse.h"
#include "hologram/quantize/quantize.h"
#include "hologram/refine/cuda/time_multiplex_cuda.h"
#include "hologram/refine/frame_pixel.h"
#include "hologram/refine/frames_joint.h"
#include "options/table.h"

#include <stdlib.h>
#include <string.h>

enum { PROJECTIONS = 8, TAPS = 12, SKEW = 2 };

struct frames {
    ro_context *context;
    const ro_frames *o;
    struct hologram_levels levels;
    float table[2 * RO_HOLOGRAM_LEVELS];
    bool amplitude, smooth;
    struct propagation light;
    struct hogel hogel;
    ro_field field; /* of the modulator, for error diffusion */
    uint32_t width, height;
    size_t n;
    float *wanted, *owed, *mean; /* intensities */
    float *phases;               /* of the field there: pairs of modulus 1 */
    float *b, *to;               /* what a frame is to show, t */
    double (*rows)[3];           /* sums */
    double largest, gain;
    struct frames_cuda *device; /* instead of the planes; or NULL */
};

/* ---- Rows ------------------------------------------------------------------------------------ */

struct work;
typedef void row_fn(const struct work *work, uint32_t y);

struct work {
    struct frames *f;
    struct frame_now now;
    const ro_image *out;
    double factor;
    bool modulus;
    row_fn *run;
    atomic_uint_fast32_t ticket;
};

static void run_rows(void *data, int thread)
{
    struct work *work = data;
    (void)thread;
    for (uint_fast32_t y; (y = atomic_fetch_add(&work->ticket, 1)) < work->f->height;)
        work->run(work, (uint32_t)y);
}

static void all_rows(struct work *work, row_fn *run)
{
    struct thread_pool *pool = work->f->context->pool;
    work->run = run;
    atomic_store(&work->ticket, 0);
    pool_run(pool, pool_threads(pool), run_rows, work);
}

static double add_lanes(double sums[FRAME_LANES])
{
    for (int half = FRAME_LANES / 2; half; half /= 2)
        for (int i = 0; i < half; i++)
            sums[i] += sums[i + half];
    return sums[0];
}

static double add_rows(const struct frames *f, int which)
{
    double sum = 0;
    for (uint32_t y = 0; y < f->height; y++)
        sum += f->rows[y][which];
    return sum;
}

static void wanted_row(const struct work *work, uint32_t y)
{
    const struct frames *f = work->f;
    f->rows[y][0] = 0;
    for (size_t i = (size_t)y * f->width, end = i + f->width; i < end; i++) {
        f->wanted[i] = frame_wanted(f->b + 2 * i, f->smooth, f->phases + 2 * i);
        f->rows[y][0] = fmax(f->rows[y][0], f->wanted[i]);
    }
}

static void begin_row(const struct work *work, uint32_t y)
{
    const struct frames *f = work->f;
    double sums[FRAME_LANES] = {0};
    for (uint32_t x = 0; x < f->width; x++) {
        const size_t i = (size_t)y * f->width + x;
        const double t = frame_aim(&work->now, f->wanted[i], f->owed[i]);
        f->to[i] = (float)sqrt(t);
        frame_begin(&work->now, x, y, f->to[i], f->phases + 2 * i, f->b + 2 * i);
        sums[x % FRAME_LANES] += t;
    }
    f->rows[y][0] = add_lanes(sums);
}

static void square_row(const struct work *work, uint32_t y)
{
    const struct frames *f = work->f;
    double sums[FRAME_LANES] = {0};
    for (uint32_t x = 0; x < f->width; x++)
        sums[x % FRAME_LANES] += frame_square(f->b + 2 * ((size_t)y * f->width + x));
    f->rows[y][0] = add_lanes(sums);
}

static void rescale_row(const struct work *work, uint32_t y)
{
    const struct frames *f = work->f;
    for (size_t i = (size_t)y * f->width, end = i + f->width; i < end; i++) {
        if (work->factor > 0)
            frame_scale(work->factor, f->b + 2 * i);
        if (work->modulus)
            frame_modulus(f->to[i], f->b + 2 * i);
    }
}

static void show_row(const struct work *work, uint32_t y)
{
    const struct frames *f = work->f;
    const uint8_t *numbers = (const uint8_t *)work->out->data + (ptrdiff_t)y * work->out->stride;
    for (uint32_t x = 0; x < f->width; x++)
        memcpy(f->b + 2 * ((size_t)y * f->width + x), f->table + 2 * numbers[x], 2 * sizeof *f->b);
}

static void look_row(const struct work *work, uint32_t y)
{
    const struct frames *f = work->f;
    for (size_t i = (size_t)y * f->width, end = i + f->width; i < end; i++)
        frame_look(&work->now, f->b + 2 * i, f->wanted[i], &f->owed[i], &f->mean[i]);
}

static void figures_row(const struct work *work, uint32_t y)
{
    const struct frames *f = work->f;
    double aa[FRAME_LANES] = {0}, at[FRAME_LANES] = {0}, tt[FRAME_LANES] = {0};
    for (uint32_t x = 0; x < f->width; x++) {
        const size_t i = (size_t)y * f->width + x;
        aa[x % FRAME_LANES] += f->mean[i];
        at[x % FRAME_LANES] += sqrt((double)f->mean[i] * f->wanted[i]);
        tt[x % FRAME_LANES] += f->wanted[i];
    }
    f->rows[y][0] = add_lanes(aa);
    f->rows[y][1] = add_lanes(at);
    f->rows[y][2] = add_lanes(tt);
}

/* ---- A frame --------------------------------------------------------------------------------- */

/* What a device propagates by. */
struct ways {
    struct propagate_filter there, back, project;
};

static struct frames_filters filters_of(const struct frames *f, struct ways *ways)
{
    ways->there = propagate_filter_of(&f->light, f->o->distance);
    ways->back = propagate_filter_of(&f->light, -f->o->distance);
    ways->project = propagate_filter_of(&f->light, 0);
    return (struct frames_filters){&ways->there, &ways->back, &ways->project, f->light.wraps};
}

static struct frame_now now_of(const struct frames *f, int frame)
{
    return (struct frame_now){.number = frame,
                              .count = f->o->count,
                              .seed = f->o->seed,
                              .smooth = f->smooth,
                              .independent = f->o->independent != 0,
                              .largest = f->largest,
                              .part = f->levels.real ? 2 / f->gain : 1 / f->gain};
}

static ro_status send(struct frames *f, float *data, double distance)
{
    return propagation_run(&f->light, data, distance);
}

/* b through the window, scaled to the mean square of t; then with the modulus of t. */
static ro_status project(struct work *work, double power, bool modulus)
{
    struct frames *f = work->f;
    ro_status status = send(f, f->b, 0);
    if (status != RO_OK)
        return status;
    all_rows(work, square_row);
    const double there = add_rows(f, 0) / (double)f->n;
    work->factor = there > 0 ? sqrt(power / there) : 0;
    work->modulus = modulus;
    all_rows(work, rescale_row);
    return RO_OK;
}

static ro_status aim(struct frames *f, int frame)
{
    const int projections = f->smooth ? 0 : PROJECTIONS;
    struct work work = {.f = f, .now = now_of(f, frame)};
    struct ways ways;
    const struct frames_filters filters = filters_of(f, &ways);
    if (f->device)
        return frames_on_cuda->aim(f->device, &work.now, &filters, projections, &f->field.data);
    all_rows(&work, begin_row);
    const double power = add_rows(f, 0) / (double)f->n;
    ro_status status = RO_OK;
    for (int i = 0; i <= projections && status == RO_OK; i++)
        status = project(&work, power, i < projections);
    return status == RO_OK ? send(f, f->b, -f->o->distance) : status;
}

static ro_status diffuse_there(struct frames *f, struct hologram_job *job, double gain)
{
    double rms = 0;
    ro_status status = hologram_on_cuda->load(job, f->levels.real);
    if (status == RO_OK)
        status = hologram_on_cuda->prepare(job);
    if (status == RO_OK)
        status = hologram_on_cuda->rms(job, &rms);
    if (f->gain == 0)
        f->gain = rms > 0 ? gain / rms : 1;
    job->scale = (float)(f->gain * HOLOGRAM_ONE);
    if (status == RO_OK)
        status = hologram_on_cuda->run(job);
    if (status == RO_OK)
        status = hologram_on_cuda->store(job);
    if (status != RO_OK)
        hologram_on_cuda->wait(job);
    return status;
}

static ro_status diffuse_here(struct frames *f, struct hologram_job *job, double gain)
{
    if (f->gain == 0) {
        double rms;
        ro_status status = field_rms(f->context, &f->field, f->levels.real, &rms);
        if (status != RO_OK)
            return status;
        f->gain = rms > 0 ? gain / rms : 1;
    }
    job->scale = (float)(f->gain * HOLOGRAM_ONE);
    const struct band_kernel *kernel = hologram_band_kernel(f->context);
    int threads;
    return kernel ? hologram_run_bands(job, kernel, &threads) : hologram_run_reference(job);
}

/* What arrives, in the units of the wanted intensity: of real levels half of the amplitude does. */
static ro_status look(struct frames *f, struct hologram_job *job, const ro_image *out, int frame)
{
    struct work work = {.f = f, .now = now_of(f, frame), .out = out};
    struct ways ways;
    const struct frames_filters filters = filters_of(f, &ways);
    if (f->device)
        return frames_on_cuda->look(f->device, job, &work.now, &filters);
    all_rows(&work, show_row);
    ro_status status = send(f, f->b, f->o->distance);
    if (status == RO_OK)
        all_rows(&work, look_row);
    return status;
}

static ro_status make_frame(struct frames *f, const ro_image *out, double gain, int frame)
{
    struct hologram_job job = {.context = f->context,
                               .field = &f->field,
                               .out = out->data,
                               .out_stride = out->stride,
                               .levels = &f->levels,
                               .hogels = &f->hogel,
                               .count = 1};
    ro_status status = ro_context_progress(f->context, "frames", (double)frame / f->o->count);
    if (status == RO_OK)
        status = aim(f, frame);
    if (status == RO_OK)
        status = f->device ? diffuse_there(f, &job, gain) : diffuse_here(f, &job, gain);
    return status == RO_OK ? look(f, &job, out, frame) : status;
}

/* Amplitudes of the mean, scaled to fit; *light: the mean intensity, in the units of the wanted. */
static ro_status figures(struct frames *f, double *psnr, double *light)
{
    struct work work = {.f = f};
    ro_status status = RO_OK;
    if (f->device)
        status = frames_on_cuda->figures(f->device, f->rows);
    else
        all_rows(&work, figures_row);
    const double aa = add_rows(f, 0), at = add_rows(f, 1), tt = add_rows(f, 2);
    const double error = aa > 0 ? tt - at * at / aa : tt;
    *light = aa / (double)f->n;
    *psnr = 10 * log10(f->largest * (double)f->n / fmax(error, 1e-20 * tt));
    return status;
}

/* Sweeps of the search, and what arrives then. */
static ro_status search(struct frames *f, const ro_image *out)
{
    const double part = f->levels.real ? 2 / f->gain : 1 / f->gain;
    const struct joint_frames joint = {.context = f->context,
                                       .refinement = {.distance = f->o->distance},
                                       .levels = &f->levels,
                                       .table = f->table,
                                       .light = &f->light,
                                       .width = f->width,
                                       .height = f->height,
                                       .count = f->o->count,
                                       .sweeps = f->o->refine,
                                       .wanted = f->wanted,
                                       .unit = 1 / (part * part)};
    ro_status status = frames_search(&joint, out);
    memset(f->mean, 0, f->n * sizeof *f->mean);
    for (int i = 0; i < f->o->count && status == RO_OK; i++)
        status = look(f, NULL, &out[i], i);
    return status;
}

static ro_status run(struct frames *f, const ro_image *out, double gain, ro_frames_report *report)
{
    double light = 0;
    ro_status status = RO_OK;
    for (int i = 0; i < f->o->count && status == RO_OK; i++) {
        f->light.done = (double)i / f->o->count;
        status = make_frame(f, &out[i], gain, i);
        if (status == RO_OK && i == 0)
            status = figures(f, &report->first_psnr, &light);
    }
    if (status == RO_OK && f->o->refine)
        status = search(f, out);
    if (status == RO_OK)
        status = figures(f, &report->psnr, &light);
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
    if (o->count < 1)
        return ro_context_fail(context, RO_E_ARGUMENT, "the number of frames is missing");
    for (int i = 0; i < o->count && status == RO_OK; i++) {
        status = image_check(context, &out[i], "a frame");
        if (status == RO_OK && (out[i].format != RO_INDEX8 || out[i].width != in->width ||
                                out[i].height != in->height))
            status = ro_context_fail(context, RO_E_ARGUMENT, "a frame is %s of %u x %u",
                                     ro_format_name(RO_INDEX8), in->width, in->height);
    }
    if (status != RO_OK)
        return status;
    status = hologram_check_window(context, w);
    if (status != RO_OK)
        return status;
    if (!(w->width > 0))
        return ro_context_fail(context, RO_E_ARGUMENT,
                               "frames need a window, such as 0.25,0.25,0.4,0.4");
    if (o->refine && context->options.device == RO_DEVICE_CUDA)
        return ro_context_fail(context, RO_E_UNSUPPORTED, "frames are refined on the CPU only");
    if (options->gain == RO_GAIN_AUTO)
        return ro_context_fail(context, RO_E_ARGUMENT, "gain auto does not apply to frames");
    return o->distance != 0 ? field_check_physics(context, &options->optics) : RO_OK;
}

/* The intensity and phases of the field where they count. */
static ro_status find_wanted(struct frames *f, const ro_field *in)
{
    struct work work = {.f = f};
    struct ways ways;
    const struct frames_filters filters = filters_of(f, &ways);
    ro_status status;
    if (f->device) {
        status = frames_on_cuda->wanted(f->device, in, &filters, f->smooth, &f->largest);
    } else {
        field_get(in, f->b);
        status = send(f, f->b, f->o->distance);
        if (status == RO_OK)
            all_rows(&work, wanted_row);
        for (uint32_t y = 0; y < f->height && status == RO_OK; y++)
            f->largest = fmax(f->largest, f->rows[y][0]);
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
    f->field = (ro_field){in->width, in->height, 8 * (ptrdiff_t)in->width, NULL};
    f->rows = calloc(in->height, sizeof *f->rows);
    bool made = f->rows != NULL;
    if (made && f->light.device)
        return frames_on_cuda->open(context, f->light.device, in->width, in->height, f->table,
                                    f->levels.count, &f->device);
    float **planes[] = {&f->wanted, &f->owed, &f->mean, &f->to};
    for (int i = 0; i < 4; i++)
        made &= (*planes[i] = calloc(f->n, sizeof **planes[i])) != NULL;
    f->phases = dft_alloc(context, in->width, in->height);
    f->b = dft_alloc(context, in->width, in->height);
    if (!made || !f->phases || !f->b)
        return ro_context_fail(context, RO_E_MEMORY, "no memory for frames of %u x %u pixels",
                               in->width, in->height);
    f->field.data = f->b;
    return RO_OK;
}

static void close_frames(struct frames *f)
{
    if (f->device)
        frames_on_cuda->close(f->device);
    propagation_close(&f->light);
    free(f->wanted);
    free(f->owed);
    free(f->mean);
    free(f->to);
    free(f->phases);
    free(f->b);
    free(f->rows);
    free(f);
}

static ro_status multiplex(ro_context *context, const ro_field *in, ro_image *out,
                           const ro_hologram_options *options, const ro_frames *frames,
                           ro_frames_report *told)
{
    DEVICE_TURN(context);
    double rms;
    ro_frames_report report = {0};
    static const char *const taken[] = {"levels", "table",   "table_count", "optics",
                                        "window", "measure", "gain",        NULL};
    ro_hologram_options all;
    ro_frames wanted;
    ro_status status = hologram_read(context, options, &all);
    if (status == RO_OK)
        status = options_read(context, &frames_table, frames, &wanted);
    if (status == RO_OK)
        status = hologram_takes_only(context, &all, "frames", taken);
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
    f->width = in->width;
    f->height = in->height;
    f->n = (size_t)in->width * in->height;
    f->smooth = options_word(&frames_table, &wanted, phase) == 1;
    status = open_frames(f, in, &all);
    if (status == RO_OK)
        status = find_wanted(f, in);
    if (status == RO_OK)
        status = run(f, out, all.gain, &report);
    if (status == RO_OK && told)
        *told = report;
    *context_report(context) = (ro_report){.method = "frames",
                                           .schedule = "bands",
                                           .width = in->width,
                                           .height = in->height,
                                           .device = f->device ? RO_DEVICE_CUDA : RO_DEVICE_CPU,
                                           .cpu = context->cpu,
                                           .threads = pool_threads(context->pool),
                                           .steps = f->n * (uint64_t)wanted.count};
    close_frames(f);
    return status;
}

ro_status ro_hologram_frames(ro_context *context, const ro_field *in, ro_image *out,
                             const ro_hologram_options *options, const ro_frames *frames,
                             ro_frames_report *told)
{
    ro_frames_report full = {.size = sizeof full};
    ro_status status = report_check(context, told);
    if (status != RO_OK)
        return status;
    status = multiplex(context, in, out, options, frames, told ? &full : NULL);
    report_give(told, &full);
    return status;
}
