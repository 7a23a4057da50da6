/* SPDX-License-Identifier: MIT */
/* One call of each kind, with a hash of everything that it makes: threads that share a context, and
 * hosts that lend theirs, must not change a bit. */
#ifndef TESTS_CONTEXT_CALLS_H
#define TESTS_CONTEXT_CALLS_H

#include "roundoff.h"
#include "roundoff/solver.h"
#include "streams.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 110, HEIGHT = 91 };

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    return hash;
}

static uint64_t hash_image(const ro_image *image)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    const size_t bytes = ro_format_row_bytes(image->format, image->width);
    for (uint32_t y = 0; y < image->height; y++)
        hash = hash_bytes(hash, (char *)image->data + y * image->stride, bytes);
    return hash;
}

/* An input, an output, and what the call returned. */
struct work {
    ro_context *context;
    ro_image in, out;
    ro_status status;
};

static struct work begin(ro_context *context, ro_format in, ro_format out, uint32_t out_maxval)
{
    struct work work = {.context = context};
    work.status = ro_image_alloc(context, in, WIDTH, HEIGHT, 255, &work.in);
    if (work.status == RO_OK)
        work.status = ro_image_alloc(context, out, WIDTH, HEIGHT, out_maxval, &work.out);
    if (work.status == RO_OK)
        work.status = ro_testcard(context, &work.in);
    return work;
}

/* Returns 0 after a failure. */
static uint64_t end(struct work *work)
{
    const uint64_t hash = work->status == RO_OK ? hash_image(&work->out) : 0;
    ro_image_free(&work->in);
    ro_image_free(&work->out);
    return hash;
}

static uint64_t halftone_by(ro_context *context, const char *method)
{
    ro_halftone_options options = RO_HALFTONE_OPTIONS;
    options.method = method;
    struct work work = begin(context, RO_GREY8, RO_BITS, 0);
    if (work.status == RO_OK)
        work.status = ro_halftone(context, &work.in, &work.out, &options);
    return end(&work);
}

static uint64_t floyd_steinberg(ro_context *c) { return halftone_by(c, "floyd-steinberg"); }
static uint64_t ostromoukhov(ro_context *c) { return halftone_by(c, "ostromoukhov"); }
static uint64_t acuity(ro_context *c) { return halftone_by(c, "acuity"); }
static uint64_t bayer(ro_context *c) { return halftone_by(c, "bayer"); }
static uint64_t dots(ro_context *c) { return halftone_by(c, "dot-diffusion"); }
static uint64_t search(ro_context *c) { return halftone_by(c, "dbs"); }

static uint64_t palette(ro_context *context)
{
    ro_halftone_options options = RO_HALFTONE_OPTIONS;
    ro_palette colours;
    struct work work = begin(context, RO_RGB8, RO_INDEX8, 6);
    if (work.status == RO_OK)
        work.status = ro_palette_parse(context, "7-colour", &colours);
    options.palette = &colours;
    options.fit = RO_FIT_FULL;
    if (work.status == RO_OK)
        work.status = ro_halftone(context, &work.in, &work.out, &options);
    return end(&work);
}

static uint64_t inks(ro_context *context)
{
    ro_halftone_options options = RO_HALFTONE_OPTIONS;
    options.channels = RO_CHANNELS_CMYK;
    struct work work = begin(context, RO_RGB8, RO_INDEX8, 15);
    if (work.status == RO_OK)
        work.status = ro_halftone(context, &work.in, &work.out, &options);
    return end(&work);
}

static uint64_t denoise_by(ro_context *context, const char *scheme, ro_format format)
{
    ro_denoise_options options = RO_DENOISE_OPTIONS;
    options.scheme = scheme;
    options.iterations = 9;
    struct work work = begin(context, format, format, 255);
    if (work.status == RO_OK)
        work.status = ro_denoise(context, &work.in, &work.out, &options, NULL);
    return end(&work);
}

static uint64_t explicit_steps(ro_context *c) { return denoise_by(c, "explicit", RO_GREY8); }
static uint64_t colour_steps(ro_context *c) { return denoise_by(c, "explicit", RO_RGB8); }
static uint64_t implicit_steps(ro_context *c) { return denoise_by(c, "implicit", RO_GREY8); }
static uint64_t conjugate_steps(ro_context *c) { return denoise_by(c, "conjugate", RO_GREY8); }

static uint64_t denoised_rows(ro_context *context)
{
    ro_denoise_options options = RO_DENOISE_OPTIONS;
    ro_plan *plan = NULL;
    ro_stream *stream = NULL;
    uint32_t taken, given = 0;
    options.iterations = 9;
    options.kappa = 5;
    struct work work = begin(context, RO_GREY8, RO_GREY8, 255);
    if (work.status == RO_OK)
        work.status = open_denoise(context, &work.in, &work.out, &options, &plan, &stream, NULL);
    for (uint32_t in = 0, out = 0; work.status == RO_OK && out < HEIGHT;) {
        work.status = ro_stream_push(stream, (char *)work.in.data + in * work.in.stride,
                                     work.in.stride, HEIGHT - in, &taken);
        in += taken;
        if (work.status == RO_OK)
            work.status = ro_stream_pull(stream, (char *)work.out.data + out * work.out.stride,
                                         work.out.stride, HEIGHT - out, &given);
        out += given;
    }
    close_stream(plan, stream);
    return end(&work);
}

static uint64_t level_set(ro_context *context)
{
    const ro_seed seed = {1, 40, 40, 5};
    ro_segment_options options = RO_SEGMENT_OPTIONS;
    ro_segmentation *found = NULL;
    options.seeds = &seed;
    options.seed_count = 1;
    options.speed[0].constant = 1;
    options.speed[0].edge = -1;
    options.speed[0].kappa = 5;
    options.sigma = 1;
    options.iterations = 60;
    struct work work = begin(context, RO_GREY8, RO_INDEX8, 255);
    if (work.status == RO_OK)
        work.status = ro_segment(context, &work.in, &options, &found, NULL);
    if (work.status == RO_OK)
        work.status = ro_segmentation_labels(found, &work.out);
    ro_segmentation_free(found);
    return end(&work);
}

static uint64_t regions(ro_context *context)
{
    const ro_seed seeds[3] = {{1, 16, 16, 4}, {2, 90, 40, 4}, {3, 60, 70, 4}};
    ro_regions_options options = RO_REGIONS_OPTIONS;
    ro_regions *found = NULL;
    options.seeds = seeds;
    options.seed_count = 3;
    struct work work = begin(context, RO_GREY8, RO_INDEX8, 255);
    if (work.status == RO_OK)
        work.status = ro_regions_grow(context, &work.in, &options, &found, NULL);
    if (work.status == RO_OK)
        work.status = ro_regions_labels(found, &work.out);
    ro_regions_free(found);
    return end(&work);
}

static uint64_t registration(ro_context *context)
{
    struct work work = begin(context, RO_GREY8, RO_GREY8, 255);
    ro_image field = {0};
    if (work.status == RO_OK)
        work.status = ro_image_alloc(context, RO_GREYF, 2 * WIDTH, HEIGHT, 0, &field);
    for (uint32_t y = 0; work.status == RO_OK && y < HEIGHT; y++) /* moved by two pixels */
        memcpy((char *)work.out.data + y * work.out.stride,
               (char *)work.in.data + y * work.in.stride + 2, WIDTH - 2);
    if (work.status == RO_OK)
        work.status = ro_register(context, &work.in, &work.out, &field, NULL, NULL);
    ro_image_free(&work.out);
    work.out = field;
    return end(&work);
}

static uint64_t hologram(ro_context *context)
{
    ro_hologram_scene scene = RO_HOLOGRAM_SCENE;
    ro_hologram_options options = RO_HOLOGRAM_OPTIONS;
    ro_field light = {0};
    struct work work = begin(context, RO_GREY8, RO_INDEX8, 255);
    options.levels = "phase:16";
    options.hogel = 64;
    if (work.status == RO_OK)
        work.status = ro_field_alloc(context, WIDTH, HEIGHT, &light);
    if (work.status == RO_OK)
        work.status = ro_hologram_make(context, &scene, &light, &options.optics);
    if (work.status == RO_OK)
        work.status = ro_hologram_quantize(context, &light, &work.out, &options, NULL);
    ro_field_free(&light);
    return end(&work);
}

static uint64_t smoothing(ro_context *context)
{
    ro_multigrid_options options = RO_MULTIGRID_OPTIONS;
    ro_image b = {0};
    options.sigma = 9;
    struct work work = begin(context, RO_GREY8, RO_GREYF, 0);
    if (work.status == RO_OK)
        work.status = ro_image_alloc(context, RO_GREYF, WIDTH, HEIGHT, 0, &b);
    for (uint32_t y = 0; work.status == RO_OK && y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            ((float *)(void *)((char *)b.data + y * b.stride))[x] =
                ((unsigned char *)work.in.data)[y * work.in.stride + x];
    if (work.status == RO_OK)
        work.status = ro_multigrid_solve(context, &b, &work.out, &options);
    ro_image_free(&b);
    return end(&work);
}

static uint64_t figures(ro_context *context)
{
    ro_measure_report report = {.size = sizeof report};
    uint64_t hash = 0;
    struct work work = begin(context, RO_GREY8, RO_BITS, 0);
    if (work.status == RO_OK)
        work.status = ro_halftone(context, &work.in, &work.out, NULL);
    if (work.status == RO_OK)
        work.status = ro_measure(context, &work.in, &work.out, NULL, &report);
    if (work.status == RO_OK) {
        hash = hash_bytes(1, &report.gaussian, sizeof report.gaussian);
        hash = hash_bytes(hash, report.spectrum, sizeof report.spectrum);
        ro_free(report.fields);
    }
    end(&work);
    return hash;
}

static const struct call {
    const char *name;
    uint64_t (*run)(ro_context *context);
} calls[] = {
    {"floyd-steinberg", floyd_steinberg},
    {"ostromoukhov", ostromoukhov},
    {"acuity", acuity},
    {"bayer", bayer},
    {"dot diffusion", dots},
    {"direct binary search", search},
    {"palette", palette},
    {"inks", inks},
    {"explicit steps", explicit_steps},
    {"colour steps", colour_steps},
    {"implicit steps", implicit_steps},
    {"conjugate gradients", conjugate_steps},
    {"denoised rows", denoised_rows},
    {"level set", level_set},
    {"regions", regions},
    {"registration", registration},
    {"hologram", hologram},
    {"smoothing", smoothing},
    {"figures", figures},
};
enum { CALLS = sizeof calls / sizeof *calls };

#endif
