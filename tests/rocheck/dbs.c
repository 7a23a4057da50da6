/* SPDX-License-Identifier: MIT */
/* Direct binary search: both methods in both orders, every radius, sizes from a pixel up. */
#include "context/context.h"
#include "cuda/cuda.h"
#include "halftone/search/search.h"
#include "rocheck.h"
#include "streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *method;
    struct dbs_options options;
} cases[] = {
    {"dbs/groups", "dbs", {.order = DBS_GROUPS}},
    {"dbs/raster", "dbs", {.order = DBS_RASTER}},
    {"dbs-clipping-free/groups", "dbs-clipping-free", {.order = DBS_GROUPS, .clipping_free = true}},
    {"dbs-clipping-free/raster", "dbs-clipping-free", {.order = DBS_RASTER, .clipping_free = true}},
};

static const char *case_name(int number) { return cases[number].name; }

static bool supports(int number, const struct variant *variant)
{
    return variant->device == RO_DEVICE_CPU || cases[number].options.order == DBS_GROUPS;
}

struct trial {
    ro_image in, want, got;
    ro_image first; /* a start of one's own */
    size_t out_bytes;
    struct dbs_options options;
    bool refused; /* by the device, whose shared memory is too little for the radius */
};

/* A start of every kind: drawn, by methods that run on each device, a halftone that is given. */
static void make_start(struct check *check, struct trial *trial)
{
    static const char *const starts[] = {NULL, "random", "floyd-steinberg", "blue-noise",
                                         "ostromoukhov"};
    const bool on_device = check->variant->device == RO_DEVICE_CUDA;
    struct dbs_options *options = &trial->options;
    const uint32_t kind = draw(check, 6);
    trial->first = (ro_image){0};
    if (kind < 5) {
        options->start = starts[kind];
        if (on_device && kind == 4)
            options->start = "jarvis-judice-ninke"; /* the other runs on the CPU only */
        options->seed = kind == 1 ? draw(check, 1000) : 0;
        return;
    }
    const ptrdiff_t stride = (trial->in.width + 7) / 8 + (ptrdiff_t)draw(check, 5);
    const size_t bytes = (size_t)stride * trial->in.height;
    uint8_t *bits = malloc(bytes);
    for (size_t i = 0; i < bytes; i++)
        bits[i] = (uint8_t)draw(check, 256);
    trial->first = (ro_image){.format = RO_BITS,
                              .width = trial->in.width,
                              .height = trial->in.height,
                              .maxval = 0,
                              .stride = stride,
                              .data = bits};
    options->first = &trial->first;
}

static void make(struct check *check, int number, struct trial *trial)
{
    static const uint32_t whites[] = {255, 255, 255, 1, 100, 65535, 65535, 1000};
    const uint32_t width = 1 + draw(check, draw(check, 4) ? 90 : 6);
    const uint32_t height = 1 + draw(check, draw(check, 4) ? 70 : 6);
    const uint32_t white = whites[draw(check, sizeof whites / sizeof *whites)];
    const uint32_t flat = draw(check, white + 1), kind = draw(check, 4);
    const bool wide = white > 255;
    const size_t stride = ((size_t)width << wide) + 2 * draw(check, 20);
    const size_t out_stride = (width + 7) / 8 + draw(check, 20);
    uint8_t *pixels = malloc(stride * height);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t value = kind == 0   ? draw(check, white + 1)
                             : kind == 1 ? flat
                             : kind == 2 ? (uint32_t)((uint64_t)x * white / width)
                                         : draw(check, 2) * white;
            if (wide)
                ((uint16_t *)(void *)(pixels + y * stride))[x] = (uint16_t)value;
            else
                pixels[y * stride + x] = (uint8_t)value;
        }
    trial->in = (ro_image){.format = wide ? RO_GREY16 : RO_GREY8,
                           .width = width,
                           .height = height,
                           .maxval = white,
                           .stride = (ptrdiff_t)stride,
                           .data = pixels};
    trial->out_bytes = out_stride * height + 2 * GUARD;
    trial->want = (ro_image){.format = RO_BITS,
                             .width = width,
                             .height = height,
                             .maxval = 0,
                             .stride = (ptrdiff_t)out_stride,
                             .data = malloc(trial->out_bytes)};
    trial->got = trial->want;
    trial->got.data = malloc(trial->out_bytes);
    memset(trial->want.data, POISON, trial->out_bytes);
    memset(trial->got.data, POISON, trial->out_bytes);

    trial->refused = false;
    trial->options = cases[number].options;
    const bool inner = check->variant->device == RO_DEVICE_CPU && draw(check, 3);
    if (inner || draw(check, 2)) {
        trial->options.radius = inner ? 1 + (int)draw(check, DBS_MAX_RADIUS) : 0;
        trial->options.sigma = 0.3 * (2 + draw(check, 12));
    } else {
        trial->options.dpi = 100 * (1 + draw(check, 12));
        trial->options.distance = 300;
    }
    trial->options.aim = draw(check, 2) ? DBS_PICTURE : DBS_SEEN;
    trial->options.rounds = (int)draw(check, 3);
    make_start(check, trial);
    if (trial->options.clipping_free && inner) {
        trial->options.shadow_numerator = 1 + draw(check, 9);
        trial->options.shadow_denominator = 255;
    }
}

static void discard(struct trial *trial)
{
    free(trial->in.data);
    free(trial->first.data);
    free(trial->want.data);
    free(trial->got.data);
}

static bool fails(struct check *check, const struct trial *trial, const char *what)
{
    const struct dbs_options *o = &trial->options;
    snprintf(check->failure, sizeof check->failure,
             "%u x %u, maxval %u, w %d, sigma %g, dpi %g, from %s%s: %s", trial->in.width,
             trial->in.height, trial->in.maxval, o->radius, o->sigma, o->dpi,
             o->first   ? "a halftone"
             : o->start ? o->start
                        : "the default start",
             o->aim == DBS_PICTURE ? ", aim picture" : "", what);
    return false;
}

/* The search by itself, with all of its options, into the bits after a guard. */
static ro_status run_search(ro_context *context, const struct trial *trial, const ro_image *out)
{
    struct dbs_result result;
    ro_image bits = *out;
    bits.data = (uint8_t *)bits.data + GUARD;
    return dbs_halftone(context, &trial->options, &trial->in, &bits, &result);
}

/* Whether the public call has these options. */
static bool is_public(const struct dbs_options *options)
{
    return options->order == DBS_GROUPS && options->radius == 0 && !options->shadow_denominator;
}

/* The same from device memory to device memory. */
static ro_status run_resident(ro_context *context, const struct trial *trial, const ro_image *got,
                              const ro_halftone_options *options)
{
    const size_t in_bytes = (size_t)trial->in.stride * trial->in.height;
    const size_t out_bytes = (size_t)got->stride * got->height;
    ro_image in = trial->in, out = *got;
    in.data = out.data = NULL;
    ro_status status = cuda_alloc(context, in_bytes, &in.data);
    if (status == RO_OK)
        status = cuda_alloc(context, out_bytes, &out.data);
    if (status == RO_OK)
        status = cuda_copy(context, in.data, trial->in.data, in_bytes);
    if (status == RO_OK)
        status = cuda_copy(context, out.data, got->data, out_bytes);
    if (status == RO_OK)
        status = halftone_there(context, &in, &out, 1, options, cuda_stream(context));
    if (status == RO_OK)
        status = cuda_wait(context);
    if (status == RO_OK)
        status = cuda_copy(context, got->data, out.data, out_bytes);
    cuda_free(in.data);
    cuda_free(out.data);
    return status;
}

static bool run_variant(ro_context *context, int number, struct trial *trial, int threads,
                        struct check *check)
{
    const bool on_device = check->variant->device == RO_DEVICE_CUDA;
    const struct dbs_options *o = &trial->options;
    ro_halftone_options options = {
        RO_HALFTONE_DEFAULTS,
        .method = cases[number].method,
        .seed = o->seed,
        .sigma = o->sigma,
        .dpi = o->dpi,
        .distance = o->distance,
        .aim = o->aim == DBS_PICTURE ? "picture" : NULL,
        .start = o->start,
        .first = o->first,
        .rounds = o->rounds ? o->rounds : RO_DEFAULT,
    };
    ro_image got = trial->got;
    if (!is_public(o))
        return run_search(context, trial, &got) == RO_OK ||
               fails(check, trial, ro_context_message(context));
    got.data = (uint8_t *)got.data + GUARD;
    const bool resident = on_device && !o->first && draw(check, 2);
    ro_status status = resident ? run_resident(context, trial, &got, &options)
                                : ro_halftone(context, &trial->in, &got, &options);
    trial->refused = on_device && status == RO_E_UNSUPPORTED &&
                     strstr(ro_context_message(context), "too little shared memory for radius");
    if (trial->refused)
        return true;
    if (status != RO_OK)
        return fails(check, trial, ro_context_message(context));
    const ro_report *report = ro_context_report(context);
    if (report->device != check->variant->device ||
        (!on_device && (report->cpu != check->variant->cpu || report->threads != threads)))
        return fails(check, trial, "another variant ran than was asked for");
    return true;
}

static bool same(struct check *check, const struct trial *trial)
{
    char where[WHERE_BYTES];
    return same_bytes(&trial->want, &trial->got, trial->out_bytes, where) ||
           fails(check, trial, where);
}

static bool test(int number, struct check *check)
{
    const bool alone =
        check->variant->device == RO_DEVICE_CUDA || cases[number].options.order == DBS_RASTER;
    const int most = alone ? 1 : 3;
    bool right = true;
    ro_context *scalar;
    ro_context_options plain = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .cpu = RO_CPU_SCALAR,
                                .threads = 1};
    if (ro_context_open(&plain, &scalar) != RO_OK)
        return false;
    for (int threads = 1; threads <= most && right; threads++) {
        ro_context *context;
        ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = check->variant->device,
                                  .cpu = check->variant->cpu, .threads = threads};
        if (ro_context_open(&how, &context) != RO_OK) {
            snprintf(check->failure, sizeof check->failure, "no context with %d threads", threads);
            right = false;
            break;
        }
        bool any = false;
        for (int i = 0; i < 24 && right; i += check->few) {
            struct trial trial;
            make(check, number, &trial);
            if (run_search(scalar, &trial, &trial.want) != RO_OK)
                right = fails(check, &trial, ro_context_message(scalar));
            for (int r = 0; r < check->repeats && right; r++)
                right = run_variant(context, number, &trial, threads, check) &&
                        (trial.refused || same(check, &trial));
            any = any || !trial.refused;
            discard(&trial);
        }
        if (right && !any) {
            snprintf(check->failure, sizeof check->failure, "the device refuses every radius");
            right = false;
        }
        ro_context_close(context);
    }
    ro_context_close(scalar);
    return right;
}

static double bench(int number, const struct variant *variant, int threads)
{
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = cases[number].method};
    if (cases[number].options.order == DBS_RASTER)
        return 0; /* `bench dbs` measures it */
    return halftone_speed(variant, threads, 1024, &options);
}

const struct suite dbs_suite = {
    .name = "search",
    .cases = sizeof cases / sizeof *cases,
    .case_name = case_name,
    .supports = supports,
    .test = test,
    .bench = bench,
};
