/* SPDX-License-Identifier: MIT */
/*
 * Diffusion filters: every model on every schedule against the reference, in every number system,
 * with both roundings, guides, colour, until convergence; sizes from a pixel up. Not only pixels
 * are compared but also what the report says. The semi-implicit schemes likewise. Resident: images
 * in the memory of a device.
 */
#include "cuda/cuda.h"
#include "rocheck.h"
#include "streams.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum route { PASSES, STREAM, ROWS, IMPLICIT, CONJUGATE, FUSED, RESIDENT };
static const char *const models[] = {"linear", "perona-malik", "exponential", "anisotropic",
                                     "edge-enhancing"};
static const char *const routes[] = {"passes",    "stream", "rows",    "implicit",
                                     "conjugate", "fused",  "resident"};
enum { EXPONENTIAL = 2, ANISOTROPIC, EDGE_ENHANCING, MODELS, ROUTES = 7, TRIALS = 6 };
enum { DEVICE_TRIALS = RO_ON_DEVICE(60, 12) };

/* "exponential" is Perona-Malik with that diffusivity, which has kernels of its own. */
static void set_model(ro_denoise_options *options, int model)
{
    options->model = models[model == EXPONENTIAL ? EXPONENTIAL - 1 : model];
    options->diffusivity = model == EXPONENTIAL ? models[EXPONENTIAL] : NULL;
}

static const char *case_name(int number)
{
    static char name[64];
    snprintf(name, sizeof name, "%s/%s", models[number / ROUTES], routes[number % ROUTES]);
    return name;
}

static bool supports(int number, const struct variant *variant)
{
    const int route = number % ROUTES;
    return route == IMPLICIT || route == CONJUGATE ||
           ((variant->device == RO_DEVICE_CUDA) == (route >= FUSED) &&
            !(route >= FUSED && number / ROUTES == EDGE_ENHANCING));
}

/* ---- An image and what is done with it ----------------------------------------------------- */

struct trial {
    ro_image in, want, got;
    size_t bytes; /* of an output, guards included */
    ro_denoise_options options;
    ro_denoise_report want_report, got_report;
};

static const struct {
    ro_format format;
    uint32_t white; /* 0: floats */
    int bytes, channels;
} formats[] = {{RO_GREY8, 255, 1, 1},  {RO_GREY8, 100, 1, 1},   {RO_GREY16, 65535, 2, 1},
               {RO_GREY16, 999, 2, 1}, {RO_GREYF, 0, 4, 1},     {RO_RGB8, 255, 1, 3},
               {RO_RGB8, 255, 1, 3},   {RO_RGB16, 65535, 2, 3}, {RO_RGBF, 0, 4, 3}};
enum { FORMATS = sizeof formats / sizeof *formats, GREY_FORMATS = 5 };

/* Sizes of a pixel, of a few, round the widths of strips and vectors, and any. */
static uint32_t draw_side(struct check *check, bool wide)
{
    static const uint32_t odd[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65};
    static const uint32_t strips[] = {119, 120, 121, 124, 128, 239, 240, 241, 248, 256, 361, 720};
    switch (draw(check, wide ? 4 : 3)) {
    case 0:
        return odd[draw(check, sizeof odd / sizeof *odd)];
    case 3:
        return strips[draw(check, sizeof strips / sizeof *strips)];
    default:
        return 1 + draw(check, 90);
    }
}

static void put(const ro_image *image, int bytes, uint32_t x, uint32_t y, double value)
{
    unsigned char *row = (unsigned char *)image->data + (ptrdiff_t)y * image->stride;
    if (bytes == 1)
        row[x] = (unsigned char)value;
    else if (bytes == 2)
        ((uint16_t *)(void *)row)[x] = (uint16_t)value;
    else
        ((float *)(void *)row)[x] = (float)value;
}

/* Noise, black and white, a ramp with noise, flat with a dot. */
static void fill(struct check *check, const ro_image *image, int bytes, int channels, double white)
{
    const uint32_t kind = draw(check, 4), dot = draw(check, image->width * image->height);
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width * (uint32_t)channels; x++) {
            double value = kind == 0   ? draw(check, 65536) / 65535.0
                           : kind == 1 ? draw(check, 2)
                           : kind == 2
                               ? 0.9 * x / (image->width * channels) + draw(check, 100) / 1000.0
                               : (y * image->width + x == dot ? 1 : 0.25);
            put(image, bytes, x, y, bytes == 4 ? value : floor(value * white + 0.5));
        }
}

/* Floats of every size and sign, where the working format is one too. */
static void fill_wildly(struct check *check, const ro_image *image, int channels)
{
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width * (uint32_t)channels; x++) {
            const double size = ldexp(1 + draw(check, 65536) / 65536.0, (int)draw(check, 40) - 22);
            put(image, 4, x, y, draw(check, 8) == 0 ? 0 : draw(check, 2) ? -size : size);
        }
}

static ro_image output_of(const ro_image *in, ro_format format, size_t stride, void *data)
{
    return (ro_image){.format = format,
                      .width = in->width,
                      .height = in->height,
                      .maxval = 0,
                      .stride = (ptrdiff_t)stride,
                      .data = data};
}

static void make(struct check *check, int number, struct trial *trial)
{
    static const char *const integers[] = {"s16", "s16", "s9", "u8", "s12", "s17", "s24"};
    static const char *const reals[] = {"s23e8", "s23e8", "s10e5", "s16e7"};
    const bool on_device = check->variant->device == RO_DEVICE_CUDA;
    const int model = number / ROUTES;
    const uint32_t from = draw(check, FORMATS);
    const bool colour = from >= GREY_FORMATS;
    const uint32_t to =
        colour ? GREY_FORMATS + draw(check, FORMATS - GREY_FORMATS) : draw(check, GREY_FORMATS);
    const uint32_t width = draw_side(check, on_device), height = draw_side(check, false);
    const int bytes = formats[from].bytes, channels = formats[from].channels;
    const size_t stride = (size_t)(bytes * channels) * width + 4 * draw(check, 8);
    const size_t out_stride = (size_t)(formats[to].bytes * channels) * width + 4 * draw(check, 8);
    *trial = (struct trial){.options = RO_DENOISE_OPTIONS};
    trial->in = (ro_image){.format = formats[from].format,
                           .width = width,
                           .height = height,
                           .maxval = formats[from].white,
                           .stride = (ptrdiff_t)stride,
                           .data = malloc(stride * height)};
    fill(check, &trial->in, bytes, channels, formats[from].white);
    trial->bytes = out_stride * height + 2 * GUARD;
    trial->want = output_of(&trial->in, formats[to].format, out_stride, malloc(trial->bytes));
    trial->got = output_of(&trial->in, formats[to].format, out_stride, malloc(trial->bytes));
    memset(trial->want.data, POISON, trial->bytes);

    ro_denoise_options *o = &trial->options;
    const bool real = draw(check, 4) == 0;
    set_model(o, model);
    o->scheme = "explicit"; /* unless the route is another */
    o->number = real ? reals[draw(check, 4)] : integers[draw(check, 7)];
    if (real && bytes == 4 && draw(check, 2))
        fill_wildly(check, &trial->in, channels);
    o->iterations = 1 + draw(check, 11);
    if (!real && draw(check, 2))
        o->rounding = "nearest";
    if (formats[to].bytes < 4 && draw(check, 4) == 0)
        o->round = "nearest";
    if (draw(check, 2))
        o->time_step = (1 + draw(check, 3000)) / 16384.0;
    if (model > 0) {
        static const double kappas[] = {0.05, 0.7, 2, 5, 12, 40, 300, 90000};
        static const char *const diffusivities[] = {"perona-malik", "exponential", "decay",
                                                    "lines"};
        o->kappa = kappas[draw(check, 8)];
        if (model != EXPONENTIAL && draw(check, 3) == 0 &&
            !(model == ANISOTROPIC && number % ROUTES >= FUSED))
            o->diffusivity = diffusivities[draw(check, 4)];
        o->independent = colour && draw(check, 3) == 0;
        if (draw(check, 3) == 0)
            o->sigma = (1 + draw(check, 25)) / 10.0;
    }
    if (number % ROUTES == IMPLICIT || number % ROUTES == CONJUGATE) {
        o->scheme = routes[number % ROUTES];
        o->iterations = 1 + draw(check, 3);
        o->seed = draw(check, 5);
        if (number % ROUTES == CONJUGATE)
            o->rounding = NULL;
        else if (strcmp(o->number, "s24") == 0) /* which is for the reference only */
            o->number = "s17";
        if (o->time_step > 0)
            o->time_step = (1 + draw(check, 8 * 16384)) / 16384.0;
    }
    const bool steps = strcmp(o->scheme, "explicit") == 0;
    if (!real && steps && !on_device && draw(check, 8) == 0)
        o->time_step = (6200 + draw(check, 10000)) / 16384.0; /* not stable */
    if (!real && steps && (number % ROUTES == PASSES || on_device) && draw(check, 4) == 0) {
        o->until_converged = 1;
        o->iterations = draw(check, 2) ? 30 + draw(check, 3) : 1 + draw(check, 5);
        o->number = "s9";
    }
}

static void discard(struct trial *trial)
{
    free(trial->in.data);
    free(trial->want.data);
    free(trial->got.data);
}

/* ---- Running it ---------------------------------------------------------------------------- */

static bool fails(struct check *check, const struct trial *trial, const char *what)
{
    const ro_denoise_options *o = &trial->options;
    snprintf(check->failure, sizeof check->failure,
             "%u x %u, format %d to %d, %s %s, %u steps, kappa %g, sigma %g%s%s: %s",
             trial->in.width, trial->in.height, (int)trial->in.format, (int)trial->got.format,
             o->number, o->rounding ? o->rounding : "zero", o->iterations, o->kappa, o->sigma,
             o->independent ? ", independent" : "", o->until_converged ? ", converged" : "", what);
    return false;
}

static ro_image behind_guard(const ro_image *image)
{
    ro_image view = *image;
    view.data = (unsigned char *)view.data + GUARD;
    return view;
}

static ro_status run_rows(ro_context *context, struct trial *trial, const ro_image *out,
                          const ro_denoise_options *options)
{
    ro_plan *plan;
    ro_stream *stream;
    const uint32_t height = trial->in.height;
    ro_status status =
        open_denoise(context, &trial->in, out, options, &plan, &stream, &trial->got_report);
    for (uint32_t in = 0, done = 0; done < height && status == RO_OK;) {
        uint32_t taken = 0, given = 0, left = height - in;
        status = ro_stream_push(stream, (char *)trial->in.data + (ptrdiff_t)in * trial->in.stride,
                                trial->in.stride, left < 7 ? left : 7, &taken);
        if (status == RO_OK)
            status = ro_stream_pull(stream, (char *)out->data + (ptrdiff_t)done * out->stride,
                                    out->stride, height - done, &given);
        in += taken;
        done += given;
    }
    close_stream(plan, stream);
    return status;
}

/* A picture twice in one batch, in memory of the device; its rows may lie there upside down. Both
 * results must be the same, so that nothing is left from one to the next. */
struct resident {
    void *in, *out[2]; /* on the device */
    unsigned char *second;
};

static ro_status run_batch(ro_context *context, struct trial *trial, struct resident *memory,
                           const ro_denoise_options *options, bool flipped, void *stream)
{
    const ptrdiff_t stride = trial->in.stride;
    const size_t in_bytes = (size_t)stride * trial->in.height;
    ro_image in[2] = {trial->in, trial->in}, out[2] = {trial->got, trial->got};
    ro_plan *plan = NULL;
    ro_report report = {0};
    ro_status status = cuda_alloc(context, in_bytes, &memory->in);
    for (uint32_t y = 0; y < trial->in.height && status == RO_OK; y++)
        status = cuda_copy(context,
                           (char *)memory->in + stride * (flipped ? trial->in.height - 1 - y : y),
                           (char *)trial->in.data + stride * y, (size_t)stride);
    for (int i = 0; i < 2 && status == RO_OK; i++) {
        in[i].data = (char *)memory->in + (flipped ? stride * (trial->in.height - 1) : 0);
        in[i].stride = flipped ? -stride : stride;
        status = cuda_alloc(context, trial->bytes, &memory->out[i]);
        if (status == RO_OK)
            status = cuda_fill(context, memory->out[i], POISON, trial->bytes);
        out[i].data = (char *)memory->out[i] + GUARD;
    }
    if (status == RO_OK)
        status = ro_denoise_plan(context, &trial->in, &trial->got, options, &plan);
    if (status == RO_OK)
        status =
            ro_plan_run(plan, in, out,
                        &(ro_run){RO_RUN_DEFAULTS, .count = 2, .on_device = 1, .stream = stream});
    if (status == RO_OK)
        report = *ro_context_report(context);
    if (status == RO_OK)
        status = cuda_wait(context);
    ro_plan_free(plan);
    if (status == RO_OK)
        status = cuda_copy(context, trial->got.data, memory->out[0], trial->bytes);
    if (status == RO_OK)
        status = cuda_copy(context, memory->second, memory->out[1], trial->bytes);
    trial->got_report = trial->want_report; /* figures are not taken there */
    trial->got_report.steps = report.steps;
    return status;
}

static ro_status run_resident(ro_context *context, struct trial *trial, struct check *check,
                              const ro_denoise_options *options)
{
    struct resident memory = {.second = malloc(trial->bytes)};
    void *stream = draw(check, 2) ? cuda_stream(context) : NULL;
    ro_status status = run_batch(context, trial, &memory, options, draw(check, 2) != 0, stream);
    if (status == RO_OK && memcmp(trial->got.data, memory.second, trial->bytes) != 0)
        memset(trial->got.data, 0, trial->bytes); /* never right: the guards are gone */
    cuda_free(memory.in);
    cuda_free(memory.out[0]);
    cuda_free(memory.out[1]);
    free(memory.second);
    return status;
}

/* RO_E_UNSUPPORTED: this number system has no code of the variant. */
static ro_status run_public(ro_context *context, int number, struct trial *trial,
                            struct check *check)
{
    const int route = number % ROUTES;
    ro_denoise_options options = trial->options;
    ro_image out = behind_guard(&trial->got);
    if (route == PASSES || route == STREAM)
        options.schedule = routes[route];
    if (route == STREAM)
        options.steps_at_once = 1 + draw(check, 9);
    memset(trial->got.data, POISON, trial->bytes);
    if (route == RESIDENT)
        return run_resident(context, trial, check, &options);
    return route == ROWS ? run_rows(context, trial, &out, &options)
                         : ro_denoise(context, &trial->in, &out, &options, &trial->got_report);
}

static bool same(struct check *check, const struct trial *trial)
{
    const ro_denoise_report *want = &trial->want_report, *got = &trial->got_report;
    char where[WHERE_BYTES];
    if (!same_bytes(&trial->want, &trial->got, trial->bytes, where))
        return fails(check, trial, where);
    if (want->steps != got->steps || want->converged != got->converged)
        return fails(check, trial, "another number of steps");
    const double differences[] = {want->sum_before - got->sum_before,
                                  want->sum_after - got->sum_after,
                                  want->min_before - got->min_before,
                                  want->min_after - got->min_after,
                                  want->max_before - got->max_before,
                                  want->max_after - got->max_after,
                                  want->energy_before - got->energy_before,
                                  want->energy_after - got->energy_after,
                                  want->drift - got->drift,
                                  want->difference - got->difference};
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (differences[i] != 0)
            return fails(check, trial, "another report");
    return true;
}

static bool ran_as_asked(const struct check *check, const ro_context *context)
{
    const ro_report *report = ro_context_report(context);
    return report->device == check->variant->device &&
           (report->device == RO_DEVICE_CUDA ? report->launches > 0
                                             : report->cpu == check->variant->cpu);
}

static bool try_one(struct check *check, int number, ro_context *plain, ro_context *context)
{
    struct trial trial;
    make(check, number, &trial);
    trial.want_report.size = trial.got_report.size = sizeof trial.got_report;
    bool right = true;
    ro_denoise_options options = trial.options;
    ro_image want = behind_guard(&trial.want);
    options.schedule = "reference";
    if (ro_denoise(plain, &trial.in, &want, &options, &trial.want_report) != RO_OK)
        right = fails(check, &trial, ro_context_message(plain));
    for (int r = 0; r < check->repeats && right; r++) {
        ro_status status = run_public(context, number, &trial, check);
        if (status == RO_E_UNSUPPORTED && check->variant->device == RO_DEVICE_CPU)
            break;
        if (status != RO_OK)
            right = fails(check, &trial, ro_context_message(context));
        else if (!ran_as_asked(check, context))
            right = fails(check, &trial, "another variant ran than was asked for");
        else
            right = same(check, &trial);
    }
    discard(&trial);
    return right;
}

static bool test(int number, struct check *check)
{
    const bool on_device = check->variant->device == RO_DEVICE_CUDA;
    const ro_context_options simple = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                       .cpu = RO_CPU_SCALAR, .threads = 1};
    ro_context *plain;
    bool right = ro_context_open(&simple, &plain) == RO_OK;
    for (int threads = 1; threads <= (on_device ? 1 : 3) && right; threads++) {
        const ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = check->variant->device,
                                        .cpu = check->variant->cpu, .threads = threads};
        ro_context *context;
        if (ro_context_open(&how, &context) != RO_OK) {
            snprintf(check->failure, sizeof check->failure, "no context with %d threads", threads);
            right = false;
            break;
        }
        for (int i = 0; i < (on_device ? DEVICE_TRIALS : TRIALS) && right; i += check->few)
            right = try_one(check, number, plain, context);
        ro_context_close(context);
    }
    ro_context_close(plain);
    return right;
}

/* ---- Speed --------------------------------------------------------------------------------- */

struct denoising {
    ro_context *context;
    ro_image image;
    ro_denoise_options options;
};

static bool run_denoising(void *data)
{
    struct denoising *work = data;
    return ro_denoise(work->context, &work->image, &work->image, &work->options, NULL) == RO_OK;
}

static double bench(int number, const struct variant *variant, int threads)
{
    enum { SIZE = 1024, STEPS = 16 };
    const int route = number % ROUTES;
    struct denoising work = {.options = {RO_DENOISE_DEFAULTS, .kappa = number / ROUTES ? 10 : 0,
                                         .schedule = route < ROWS ? routes[route] : NULL,
                                         .iterations = STEPS}};
    set_model(&work.options, number / ROUTES);
    if (route == IMPLICIT || route == CONJUGATE)
        work.options.scheme = routes[route];
    double best = 0;
    if (route == ROWS || route == RESIDENT || !(work.context = open_variant(variant, threads)))
        return 0;
    if (ro_image_alloc(work.context, RO_GREY8, SIZE, SIZE, 0, &work.image) == RO_OK &&
        ro_testcard(work.context, &work.image) == RO_OK)
        best = best_speed(3, (double)SIZE * SIZE * STEPS, run_denoising, &work);
    ro_image_free(&work.image);
    ro_context_close(work.context);
    return best;
}

const struct suite denoise_suite = {
    .name = "denoise",
    .cases = MODELS * ROUTES,
    .case_name = case_name,
    .supports = supports,
    .test = test,
    .bench = bench,
};
