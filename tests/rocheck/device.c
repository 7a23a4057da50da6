/* SPDX-License-Identifier: MIT */
/*
 * What only a device can get wrong: batches of images in its memory on a caller's stream, rows that
 * are not aligned, many launches of changing size on one context, past the wrap of the tags that
 * tell launches apart, several jobs on one context, images of floats, plans to denoise, several
 * contexts in threads.
 */
#include "cuda/cuda.h"
#include "rocheck.h"
#include "streams.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH, ODD_ROWS, MANY_LAUNCHES, JOBS, FLOATS, DENOISE, THREADS, CASES };
static const char *const names[CASES] = {"batch",  "odd-rows", "many-launches", "jobs",
                                         "floats", "denoise",  "threads"};

static const char *case_name(int number) { return names[number]; }

static bool supports(int number, const struct variant *variant)
{
    (void)number;
    return variant->device == RO_DEVICE_CUDA;
}

/* A context on the device and one on the CPU, whose result is the one to match. `caller` is another
 * on the device, of which only the stream is used. */
struct pair {
    ro_context *device, *cpu, *caller;
};

static void close_pair(struct pair *pair)
{
    ro_context_close(pair->device);
    ro_context_close(pair->cpu);
    ro_context_close(pair->caller);
}

static bool open_pair(struct pair *pair)
{
    ro_context_options on_device = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CUDA},
                       on_cpu = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU};
    *pair = (struct pair){0};
    return ro_context_open(&on_device, &pair->device) == RO_OK &&
           ro_context_open(&on_device, &pair->caller) == RO_OK &&
           ro_context_open(&on_cpu, &pair->cpu) == RO_OK;
}

static bool fail(struct check *check, const char *what, const ro_context *context)
{
    snprintf(check->failure, sizeof check->failure, "%s: %s", what, ro_context_message(context));
    return false;
}

/* `count` images of one shape in one call, compared with the CPU; NULL: the default method. */
static bool try_batch(struct check *check, struct pair *pair, uint32_t width, uint32_t height,
                      uint32_t count, size_t in_pitch, size_t out_pitch, const char *method)
{
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = method};
    size_t in_bytes = in_pitch * height, out_bytes = out_pitch * height;
    unsigned char *pixels = malloc(in_bytes * count), *got = malloc(out_bytes * count);
    unsigned char *want = calloc(out_bytes, 1);
    ro_image *in = calloc(count, sizeof *in), *out = calloc(count, sizeof *out);
    void *device_in = NULL, *device_out = NULL;
    bool right = false;
    for (size_t i = 0; i < in_bytes * count; i++)
        pixels[i] = (unsigned char)draw(check, 256);
    if (cuda_alloc(pair->device, in_bytes * count, &device_in) != RO_OK ||
        cuda_alloc(pair->device, out_bytes * count, &device_out) != RO_OK ||
        cuda_copy(pair->device, device_in, pixels, in_bytes * count) != RO_OK ||
        cuda_spoil_shared(pair->device) != RO_OK ||
        cuda_fill(pair->device, device_out, 0xa5, out_bytes * count) != RO_OK) {
        fail(check, "memory", pair->device);
        goto done;
    }
    for (uint32_t i = 0; i < count; i++) {
        in[i] = (ro_image){.format = RO_GREY8,
                           .width = width,
                           .height = height,
                           .maxval = 255,
                           .stride = (ptrdiff_t)in_pitch,
                           .data = (unsigned char *)device_in + i * in_bytes};
        out[i] = (ro_image){.format = RO_BITS,
                            .width = width,
                            .height = height,
                            .maxval = 0,
                            .stride = (ptrdiff_t)out_pitch,
                            .data = (unsigned char *)device_out + i * out_bytes};
    }
    if (halftone_there(pair->device, in, out, count, &options, cuda_stream(pair->caller)) !=
            RO_OK ||
        cuda_wait(pair->device) != RO_OK ||
        cuda_copy(pair->device, got, device_out, out_bytes * count) != RO_OK) {
        fail(check, "run", pair->device);
        goto done;
    }
    right = true;
    for (uint32_t i = 0; i < count && right; i++) {
        ro_image host_in = in[i], host_out = out[i];
        host_in.data = pixels + i * in_bytes;
        host_out.data = want;
        if (ro_halftone(pair->cpu, &host_in, &host_out, &options) != RO_OK) {
            right = fail(check, "cpu", pair->cpu);
            break;
        }
        for (uint32_t y = 0; y < height && right; y++)
            if (memcmp(want + y * out_pitch, got + i * out_bytes + y * out_pitch,
                       (width + 7) / 8) != 0) {
                snprintf(check->failure, sizeof check->failure,
                         "%u x %u, image %u of %u differs in row %u", width, height, i, count, y);
                right = false;
            }
    }
done:
    cuda_free(device_in);
    cuda_free(device_out);
    free(pixels);
    free(got);
    free(want);
    free(in);
    free(out);
    return right;
}

/* Launches of changing size without looking, on two streams in turn and by both forms of the wave,
 * then one that is looked at, again and again. */
static bool try_many(struct check *check, struct pair *pair)
{
    enum { LAUNCHES = RO_ON_DEVICE(70000, 210), LOOKS = RO_ON_DEVICE(70, 21) };
    enum { SIDE = RO_ON_DEVICE(512, 96) };
    void *in = NULL, *out = NULL;
    bool right = cuda_alloc(pair->device, SIDE * SIDE, &in) == RO_OK &&
                 cuda_alloc(pair->device, SIDE * SIDE, &out) == RO_OK &&
                 cuda_fill(pair->device, in, 0x5a, SIDE * SIDE) == RO_OK;
    void *streams[2] = {cuda_stream(pair->device), cuda_stream(pair->caller)};
    const ro_halftone_options rows_apart = {RO_HALFTONE_DEFAULTS, .method = "stucki"};
    for (int i = 0; i < LAUNCHES && right; i++) {
        uint32_t width = 1 + draw(check, SIDE), height = 1 + draw(check, SIDE);
        ro_image view_in = {.format = RO_GREY8,
                            .width = width,
                            .height = height,
                            .maxval = 255,
                            .stride = SIDE,
                            .data = in};
        ro_image view_out = {.format = RO_BITS,
                             .width = width,
                             .height = height,
                             .maxval = 0,
                             .stride = SIDE / 8,
                             .data = out};
        right =
            halftone_there(pair->device, &view_in, &view_out, 1, NULL, streams[i & 1]) == RO_OK &&
            halftone_there(pair->device, &view_in, &view_out, 1, &rows_apart,
                           streams[i >> 1 & 1]) == RO_OK;
        if (right && i % (LAUNCHES / LOOKS) == 0)
            right = try_batch(check, pair, width, height, 1, (width + 15) / 16 * 16,
                              (width + 31) / 32 * 4, NULL);
    }
    if (!right && !check->failure[0])
        fail(check, "launch", pair->device);
    cuda_free(in);
    cuda_free(out);
    return right;
}

/* One of several pictures that go through the same context by turns. */
struct job {
    ro_halftone_options options;
    ro_format format;
    ro_image in, out, want;
    ro_plan *plan;
    ro_stream *stream;
    uint32_t taken, given;
};

static bool open_job(struct check *check, struct pair *pair, struct job *job, uint32_t width,
                     uint32_t height)
{
    if (ro_image_alloc(pair->cpu, RO_GREY8, width, height, 0, &job->in) != RO_OK ||
        ro_image_alloc(pair->cpu, job->format, width, height, 0, &job->out) != RO_OK ||
        ro_image_alloc(pair->cpu, job->format, width, height, 0, &job->want) != RO_OK)
        return fail(check, "memory", pair->cpu);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            ((unsigned char *)job->in.data + (ptrdiff_t)y * job->in.stride)[x] =
                (unsigned char)draw(check, 256);
    ro_halftone_options on_cpu = job->options;
    on_cpu.schedule = NULL;
    if (ro_halftone(pair->cpu, &job->in, &job->want, &on_cpu) != RO_OK)
        return fail(check, "cpu", pair->cpu);
    if (open_halftone(pair->device, &job->in, job->format, &job->options, &job->plan,
                      &job->stream) != RO_OK)
        return fail(check, "open", pair->device);
    return true;
}

/* Gives a job up to `rows` rows and takes what has come out. */
static bool advance(struct check *check, struct pair *pair, struct job *job, uint32_t rows)
{
    const char *from = (const char *)job->in.data + (ptrdiff_t)job->taken * job->in.stride;
    char *to = (char *)job->out.data + (ptrdiff_t)job->given * job->out.stride;
    uint32_t left = job->in.height - job->taken, count = 0;
    if (left > 0 && ro_stream_push(job->stream, from, job->in.stride, rows < left ? rows : left,
                                   &count) != RO_OK)
        return fail(check, "push", pair->device);
    job->taken += count;
    if (ro_stream_pull(job->stream, to, job->out.stride, job->in.height - job->given, &count) !=
        RO_OK)
        return fail(check, "pull", pair->device);
    job->given += count;
    return true;
}

/* Pictures with other levels, screens and schedules, some rows of each in turn. */
static bool try_jobs(struct check *check, struct pair *pair)
{
    struct job jobs[] = {
        {.options = {RO_HALFTONE_DEFAULTS, .levels = 2}, .format = RO_BITS},
        {.options = {RO_HALFTONE_DEFAULTS, .levels = 2}, .format = RO_BITS},
        {.options = {RO_HALFTONE_DEFAULTS, .levels = 5}, .format = RO_INDEX8},
        {.options = {RO_HALFTONE_DEFAULTS, .levels = 17, .method = "stucki"}, .format = RO_INDEX8},
        {.options = {RO_HALFTONE_DEFAULTS, .method = "floyd-steinberg", .schedule = "bwec"},
         .format = RO_BITS},
        {.options = {RO_HALFTONE_DEFAULTS, .method = "acuity"}, .format = RO_BITS},
        {.options = {RO_HALFTONE_DEFAULTS, .method = "acuity", .levels = 5}, .format = RO_INDEX8},
        {.options = {RO_HALFTONE_DEFAULTS, .method = "bayer8"}, .format = RO_BITS},
        {.options = {RO_HALFTONE_DEFAULTS, .method = "blue-noise", .levels = 3},
         .format = RO_INDEX8},
    };
    const size_t count = sizeof jobs / sizeof *jobs;
    bool right = true, more = true;
    for (size_t i = 0; i < count && right; i++)
        right = open_job(check, pair, &jobs[i],
                         RO_ON_DEVICE(200, 40) + draw(check, RO_ON_DEVICE(300, 60)),
                         RO_ON_DEVICE(700, 560) + draw(check, RO_ON_DEVICE(400, 100)));
    while (more && right) {
        more = false;
        for (size_t i = 0; i < count && right; i++)
            if (jobs[i].given < jobs[i].in.height) {
                right = advance(check, pair, &jobs[i], 1 + draw(check, 300));
                more = true;
            }
    }
    for (size_t i = 0; i < count; i++) {
        const struct job *job = &jobs[i];
        for (uint32_t y = 0; y < job->in.height && right; y++)
            if (memcmp((char *)job->out.data + (ptrdiff_t)y * job->out.stride,
                       (char *)job->want.data + (ptrdiff_t)y * job->want.stride,
                       ro_format_row_bytes(job->format, job->in.width)) != 0) {
                snprintf(check->failure, sizeof check->failure, "job %zu of %zu differs in row %u",
                         i, count, y);
                right = false;
            }
    }
    for (size_t i = 0; i < count; i++) {
        close_stream(jobs[i].plan, jobs[i].stream);
        ro_image_free(&jobs[i].in);
        ro_image_free(&jobs[i].out);
        ro_image_free(&jobs[i].want);
    }
    return right;
}

/* Up to ten tickets a block; widths at which a word is full. */
static bool try_batches(struct check *check, struct pair *pair)
{
    static const struct {
        uint32_t width, height, count;
        size_t in_pitch, out_pitch;
    } batches[] = {
        {2048, RO_ON_DEVICE(300, 130), RO_ON_DEVICE(64, 3), 2048, 256},
        {2048, RO_ON_DEVICE(2048, 40), RO_ON_DEVICE(32, 2), 2048, 256},
        {32, RO_ON_DEVICE(5000, 1100), RO_ON_DEVICE(64, 6), 32, 4},
        {33, RO_ON_DEVICE(5000, 700), RO_ON_DEVICE(64, 6), 48, 8},
        {63, 300, RO_ON_DEVICE(64, 8), 64, 8},
        {64, 300, RO_ON_DEVICE(64, 8), 64, 8},
        {224, RO_ON_DEVICE(5000, 200), RO_ON_DEVICE(16, 2), 224, 28},
        {100, RO_ON_DEVICE(1000, 150), RO_ON_DEVICE(70, 10), 112, 16},
        {333, 129, 3, 336, 44},
    };
    bool right = true;
    for (size_t i = 0; right && i < sizeof batches / sizeof *batches; i += (size_t)check->few)
        right = try_batch(check, pair, batches[i].width, batches[i].height, batches[i].count,
                          batches[i].in_pitch, batches[i].out_pitch, NULL);
    return right;
}

static bool try_odd_rows(struct check *check, struct pair *pair, int times)
{
    bool right = true;
    for (int i = 0; right && i < times; i += check->few) {
        uint32_t width = 1 + draw(check, 400), height = 1 + draw(check, 300);
        right = try_batch(check, pair, width, height, 1 + draw(check, 3), width + draw(check, 7),
                          (width + 7) / 8 + draw(check, 5), i % 2 ? "acuity" : NULL);
    }
    return right;
}

/* ---- Images of floats ----------------------------------------------------------------------- */

/* Two images of floats round a range, one behind the other; with a pixel that is not a number the
 * device says what the CPU says. */
static bool try_floats_of(struct check *check, struct pair *pair,
                          const ro_halftone_options *options, ro_format format, bool wrong)
{
    enum { COUNT = 2 };
    const uint32_t width = 1 + draw(check, 500), height = 1 + draw(check, 200);
    const size_t in_pitch = 4 * ((size_t)width + draw(check, 3));
    const size_t out_pitch = ro_format_row_bytes(format, width) + 2 * draw(check, 2);
    const size_t in_bytes = in_pitch * height, out_bytes = out_pitch * height;
    float *pixels = calloc(COUNT, in_bytes);
    unsigned char *got = malloc(COUNT * out_bytes), *want = malloc(out_bytes);
    ro_image in[COUNT], out[COUNT];
    void *there_in = NULL, *there_out = NULL;
    bool right = false;
    for (size_t i = 0; i < COUNT * in_bytes / 4; i++)
        pixels[i] = (float)((double)draw(check, 1 << 20) / (1 << 19) - 0.5);
    if (wrong)
        pixels[in_pitch / 4 * draw(check, height) + draw(check, width)] = (float)NAN;
    if (cuda_alloc(pair->device, COUNT * in_bytes, &there_in) != RO_OK ||
        cuda_alloc(pair->device, COUNT * out_bytes, &there_out) != RO_OK ||
        cuda_copy(pair->device, there_in, pixels, COUNT * in_bytes) != RO_OK ||
        cuda_fill(pair->device, there_out, 0xa5, COUNT * out_bytes) != RO_OK) {
        fail(check, "memory", pair->device);
        goto done;
    }
    for (int i = 0; i < COUNT; i++) {
        in[i] = (ro_image){.format = RO_GREYF,
                           .width = width,
                           .height = height,
                           .maxval = 0,
                           .stride = (ptrdiff_t)in_pitch,
                           .data = (char *)there_in + (size_t)i * in_bytes};
        out[i] = (ro_image){.format = format,
                            .width = width,
                            .height = height,
                            .maxval = 0,
                            .stride = (ptrdiff_t)out_pitch,
                            .data = (char *)there_out + (size_t)i * out_bytes};
    }
    const ro_status ran =
        halftone_there(pair->device, in, out, COUNT, options, cuda_stream(pair->caller));
    right = true;
    for (int i = 0; i < COUNT && right; i++) {
        ro_image host_in = in[i], host_out = out[i];
        host_in.data = (char *)pixels + (size_t)i * in_bytes;
        host_out.data = want;
        const ro_status known = ro_halftone(pair->cpu, &host_in, &host_out, options);
        if (wrong) {
            right = ran == RO_E_FORMAT && known == ran &&
                    strcmp(ro_context_message(pair->cpu), ro_context_message(pair->device)) == 0;
            if (!right)
                fail(check, "not a number", pair->device);
            break;
        }
        if (ran != RO_OK || known != RO_OK || cuda_wait(pair->device) != RO_OK ||
            cuda_copy(pair->device, got, there_out, COUNT * out_bytes) != RO_OK) {
            right = fail(check, "run", ran != RO_OK ? pair->device : pair->cpu);
            break;
        }
        for (uint32_t y = 0; y < height && right; y++)
            if (memcmp(want + y * out_pitch, got + (size_t)i * out_bytes + y * out_pitch,
                       ro_format_row_bytes(format, width)) != 0) {
                snprintf(check->failure, sizeof check->failure,
                         "%s, %u x %u floats, image %d differs in row %u",
                         options->method ? options->method : "default", width, height, i, y);
                right = false;
            }
    }
done:
    cuda_free(there_in);
    cuda_free(there_out);
    free(pixels);
    free(got);
    free(want);
    return right;
}

static bool try_floats(struct check *check, struct pair *pair)
{
    static const char *const methods[] = {
        "floyd-steinberg", "stucki", "sierra-lite", "atkinson", "jarvis-judice-ninke",
        "acuity",          "bayer8", "blue-noise",  "random"};
    static const struct {
        int levels;
        ro_format format;
    } outputs[] = {{2, RO_BITS}, {5, RO_INDEX8}, {256, RO_INDEX8}, {1024, RO_GREY16}};
    bool right = true;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t o = 0; o < sizeof outputs / sizeof *outputs && right; o++) {
            ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = methods[m],
                                           .levels = outputs[o].levels};
            if ((m + o) % 2) {
                options.black = -0.25;
                options.white = 1.5;
            }
            if (m >= 5 && outputs[o].levels > 5)
                continue; /* many levels are for fixed kernels */
            right = try_floats_of(check, pair, &options, outputs[o].format, false);
        }
    const ro_halftone_options options = RO_HALFTONE_OPTIONS;
    for (int i = 0; i < 4 && right; i++)
        right = try_floats_of(check, pair, &options, RO_BITS, true);
    return right;
}

/* ---- Plans to denoise ----------------------------------------------------------------------- */

/* A plan with a picture of its own on the device. */
struct denoising {
    ro_format from, to;
    ro_denoise_options options;
    ro_image in, want, got; /* on the host */
    ro_image there_in, there_out;
    size_t in_bytes, out_bytes;
    ro_plan *plan;
};

static bool open_denoising(struct check *check, struct pair *pair, struct denoising *work,
                           uint32_t width, uint32_t height)
{
    if (ro_image_alloc(pair->cpu, work->from, width, height, 0, &work->in) != RO_OK ||
        ro_image_alloc(pair->cpu, work->to, width, height, 0, &work->want) != RO_OK ||
        ro_image_alloc(pair->cpu, work->to, width, height, 0, &work->got) != RO_OK ||
        ro_testcard(pair->cpu, &work->in) != RO_OK ||
        ro_denoise(pair->cpu, &work->in, &work->want, &work->options, NULL) != RO_OK)
        return fail(check, "cpu", pair->cpu);
    work->in_bytes = (size_t)work->in.stride * height;
    work->out_bytes = (size_t)work->want.stride * height;
    work->there_in = work->in;
    work->there_out = work->got;
    if (cuda_alloc(pair->device, work->in_bytes, &work->there_in.data) != RO_OK ||
        cuda_alloc(pair->device, work->out_bytes, &work->there_out.data) != RO_OK ||
        cuda_copy(pair->device, work->there_in.data, work->in.data, work->in_bytes) != RO_OK ||
        ro_denoise_plan(pair->device, &work->in, &work->want, &work->options, &work->plan) != RO_OK)
        return fail(check, "plan", pair->device);
    return true;
}

static void close_denoising(struct denoising *work)
{
    ro_plan_free(work->plan);
    cuda_free(work->there_in.data);
    cuda_free(work->there_out.data);
    ro_image_free(&work->in);
    ro_image_free(&work->want);
    ro_image_free(&work->got);
}

static bool look(struct check *check, struct pair *pair, struct denoising *work)
{
    if (cuda_copy(pair->device, work->got.data, work->there_out.data, work->out_bytes) != RO_OK)
        return fail(check, "copy", pair->device);
    for (uint32_t y = 0; y < work->got.height; y++)
        if (memcmp((char *)work->got.data + (ptrdiff_t)y * work->got.stride,
                   (char *)work->want.data + (ptrdiff_t)y * work->want.stride,
                   ro_format_row_bytes(work->to, work->got.width)) != 0) {
            snprintf(check->failure, sizeof check->failure, "%s to %s differs in row %u",
                     ro_format_name(work->from), ro_format_name(work->to), y);
            return false;
        }
    return true;
}

/* Several plans of one context by turns, on two streams and in host memory between, without a look
 * until the end. */
static bool try_denoise(struct check *check, struct pair *pair)
{
    struct denoising works[] = {
        {.from = RO_GREY8,
         .to = RO_GREY8,
         .options = {RO_DENOISE_DEFAULTS, .kappa = 8, .iterations = 20}},
        {.from = RO_GREY16,
         .to = RO_GREYF,
         .options = {RO_DENOISE_DEFAULTS, .model = "linear", .iterations = 7}},
        {.from = RO_RGB8,
         .to = RO_RGB8,
         .options = {RO_DENOISE_DEFAULTS, .kappa = 5, .sigma = 1, .iterations = 9}},
        {.from = RO_GREY8,
         .to = RO_GREY16,
         .options = {RO_DENOISE_DEFAULTS, .kappa = 5, .number = "s24", .iterations = 3}},
        {.from = RO_GREY8,
         .to = RO_GREY8,
         .options = {RO_DENOISE_DEFAULTS, .kappa = 3, .number = "s10e5"}},
    };
    enum { COUNT = sizeof works / sizeof *works, ROUNDS = RO_ON_DEVICE(6, 2) };
    void *streams[2] = {cuda_stream(pair->device), cuda_stream(pair->caller)};
    bool right = true;
    for (int i = 0; i < COUNT && right; i++)
        right = open_denoising(check, pair, &works[i],
                               RO_ON_DEVICE(200, 100) + draw(check, RO_ON_DEVICE(300, 100)),
                               100 + draw(check, RO_ON_DEVICE(400, 50)));
    for (int i = 0; i < COUNT * ROUNDS && right; i++) {
        struct denoising *work = &works[i % COUNT];
        if (ro_plan_run(work->plan, &work->there_in, &work->there_out,
                        &(ro_run){RO_RUN_DEFAULTS, .count = 1, .on_device = 1,
                                  .stream = streams[i & 1]}) != RO_OK ||
            (i == COUNT * ROUNDS / 2 &&
             ro_plan_run(work->plan, &work->in, &work->got, NULL) != RO_OK))
            right = fail(check, "run", pair->device);
    }
    right = right && (cuda_wait(pair->device) == RO_OK || fail(check, "wait", pair->device));
    for (int i = 0; i < COUNT && right; i++)
        right = look(check, pair, &works[i]);
    for (int i = 0; i < COUNT; i++)
        close_denoising(&works[i]);
    return right;
}

/* A thread with contexts of its own. */
static void *run_thread(void *data)
{
    struct check *check = data;
    struct pair pair;
    if (!open_pair(&pair))
        snprintf(check->failure, sizeof check->failure, "no context");
    else if (try_odd_rows(check, &pair, RO_ON_DEVICE(20, 4)))
        try_jobs(check, &pair);
    close_pair(&pair);
    return NULL;
}

static bool try_threads(struct check *check)
{
    enum { COUNT = RO_ON_DEVICE(4, 2) };
    struct check checks[COUNT];
    pthread_t threads[COUNT];
    int started = 0;
    for (; started < COUNT; started++) {
        checks[started] = *check;
        checks[started].seed += (uint64_t)started;
        if (pthread_create(&threads[started], NULL, run_thread, &checks[started]) != 0)
            break;
    }
    bool right = started == COUNT;
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        if (checks[i].failure[0]) {
            memcpy(check->failure, checks[i].failure, sizeof check->failure);
            right = false;
        }
    }
    return right;
}

static bool test(int number, struct check *check)
{
    struct pair pair;
    bool right = open_pair(&pair);
    if (!right)
        snprintf(check->failure, sizeof check->failure, "no context");
    else if (number == BATCH)
        right = try_batches(check, &pair);
    else if (number == ODD_ROWS)
        right = try_odd_rows(check, &pair, RO_ON_DEVICE(40, 8));
    else if (number == MANY_LAUNCHES)
        right = try_many(check, &pair);
    else if (number == JOBS)
        right = try_jobs(check, &pair);
    else if (number == FLOATS)
        right = try_floats(check, &pair);
    else if (number == DENOISE)
        right = try_denoise(check, &pair);
    else
        right = try_threads(check);
    close_pair(&pair);
    return right;
}

const struct suite device_suite = {
    .name = "device",
    .cases = CASES,
    .case_name = case_name,
    .supports = supports,
    .test = test,
};
