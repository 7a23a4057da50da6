/* SPDX-License-Identifier: MIT */
/*
 * Diffusion filters on a CUDA device: models and number systems. Kernel time is the median between
 * events round all steps of a call, host to host is the best whole call by the clock, with pixels
 * of 8 bits in pageable memory.
 */
#include "bench/denoise_cuda.h"
#include "bench/timing.h"
#include "cuda/cuda.h"
#include "roundoff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 7 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct measured {
    double kernels, call; /* seconds */
    uint64_t launches;
};

static bool measure(ro_context *context, const ro_image *in, ro_image *out,
                    const ro_denoise_options *options, struct measured *measured)
{
    double times[REPEATS];
    ro_denoise_report report = {.size = sizeof report};
    ro_denoise_options with = *options;
    *measured = (struct measured){.call = 1e9};
    for (int i = -1; i < REPEATS; i++) {
        double start = bench_seconds();
        if (ro_denoise(context, in, out, &with, &report) != RO_OK) {
            fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
            return false;
        }
        double took = bench_seconds() - start;
        if (i < 0) /* the first brings memory and clocks up */
            continue;
        times[i] = report.device_seconds;
        measured->call = took < measured->call ? took : measured->call;
    }
    qsort(times, REPEATS, sizeof *times, by_value);
    measured->kernels = times[REPEATS / 2];
    measured->launches = ro_context_report(context)->launches;
    return true;
}

static void add_noise(const ro_image *image)
{
    uint32_t state = 1;
    for (uint32_t y = 0; y < image->height; y++) {
        unsigned char *row = (unsigned char *)image->data + (ptrdiff_t)y * image->stride;
        for (uint32_t x = 0; x < image->width; x++) {
            state = state * 1664525u + 1013904223u;
            int value = row[x] + (int)(state >> 26) - 32;
            row[x] = (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
    }
}

/* The test card, repeated where it would take long to draw. */
static bool draw_image(ro_context *context, int size, ro_image *image)
{
    enum { CARD = 1024 };
    ro_image card = {0};
    const uint32_t side = (uint32_t)size, drawn = side < CARD ? side : CARD;
    bool done = ro_image_alloc(context, RO_GREY8, side, side, 0, image) == RO_OK &&
                ro_image_alloc(context, RO_GREY8, drawn, drawn, 0, &card) == RO_OK &&
                ro_testcard(context, &card) == RO_OK;
    for (uint32_t y = 0; y < side && done; y++) {
        unsigned char *row = (unsigned char *)image->data + (ptrdiff_t)y * image->stride;
        const unsigned char *from =
            (unsigned char *)card.data + (ptrdiff_t)(y % drawn) * card.stride;
        for (uint32_t x = 0; x < side; x += drawn)
            memcpy(row + x, from, side - x < drawn ? side - x : drawn);
    }
    if (done)
        add_noise(image);
    ro_image_free(&card);
    return done;
}

struct sizes {
    int size;
    bool json, *first;
    ro_image in, out;
};

/* `passes`: over the picture, in a step; of Jacobi its sweeps. */
static void time_case(ro_context *context, struct sizes *s, const char *scheme, const char *model,
                      const char *number, uint32_t steps, uint32_t passes)
{
    const ro_denoise_options options = {RO_DENOISE_DEFAULTS,
                                        .model = model,
                                        .scheme = scheme,
                                        .number = number,
                                        .kappa = strcmp(model, "linear") == 0 ? 0 : 10,
                                        .iterations = steps};
    struct measured measured;
    if (!measure(context, &s->in, &s->out, &options, &measured))
        return;
    steps *= passes;
    const double work = (double)s->size * s->size * steps * 1e-9;
    if (s->json)
        printf("%s\n  {\"size\": %d, \"scheme\": \"%s\", \"model\": \"%s\", \"number\": "
               "\"%s\", \"steps\": %u, \"launches\": %llu, \"kernel_ms\": %.4f, \"call_ms\": "
               "%.4f, \"gpixel_steps_per_s\": %.1f}",
               *s->first ? "" : ",", s->size, scheme, model, number, steps,
               (unsigned long long)measured.launches, 1e3 * measured.kernels, 1e3 * measured.call,
               work / measured.kernels);
    else
        printf("| %5d | %-9s | %-12s | %-6s | %4u | %9.3f | %8.3f | %7.1f | %9.3f |\n", s->size,
               scheme, model, number, steps, 1e3 * measured.kernels, 1e6 * measured.kernels / steps,
               work / measured.kernels, 1e3 * measured.call);
    *s->first = false;
    fflush(stdout);
}

static void time_size(ro_context *context, int size, bool json, bool *first)
{
    static const char *const models[] = {"linear", "perona-malik", "edge-enhancing", "anisotropic"};
    static const char *const numbers[] = {"s9", "s16", "s24", "s23e8"};
    static const char *const solved[] = {"s9", "s16", "s23e8"};
    const uint32_t steps = size < 1024 ? 1000 : size < 4096 ? 200 : 64;
    struct sizes s = {size, json, first, {0}, {0}};
    if (!draw_image(context, size, &s.in) ||
        ro_image_alloc(context, RO_GREY8, s.in.width, s.in.height, 0, &s.out) != RO_OK) {
        fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
    } else {
        for (int m = 0; m < 4; m++)
            for (int n = 0; n < 4; n++)
                time_case(context, &s, "explicit", models[m], numbers[n], steps, 1);
        for (int n = 0; n < 3; n++) {
            time_case(context, &s, "implicit", "linear", solved[n], steps / 8, 8);
            time_case(context, &s, "implicit", "anisotropic", solved[n], steps / 8, 8);
        }
        for (int n = 1; n < 3; n++)
            time_case(context, &s, "conjugate", "anisotropic", solved[n], 4, 1);
    }
    ro_image_free(&s.in);
    ro_image_free(&s.out);
}

/* Each pass over memory reads and writes two bytes a pixel of 16 bits. */
static void print_floor(ro_context *context)
{
    const size_t bytes = (size_t)8192 * 8192 * 2;
    void *from = NULL, *to = NULL;
    double best = 1e9;
    bool done = cuda_alloc(context, bytes, &from) == RO_OK &&
                cuda_alloc(context, bytes, &to) == RO_OK &&
                cuda_fill(context, from, 1, bytes) == RO_OK;
    for (int i = 0; i < 9 && done; i++) {
        double start = bench_seconds();
        done = cuda_copy(context, to, from, bytes) == RO_OK && cuda_wait(context) == RO_OK;
        double took = bench_seconds() - start;
        best = took < best ? took : best;
    }
    if (done)
        printf("\ncopying the numbers of 8192² in s16 on the device takes %.3f ms, %.0f Gpixel/s: "
               "the limit of a filter that does one step a pass\n",
               1e3 * best, 8192.0 * 8192 / best * 1e-9);
    cuda_free(from);
    cuda_free(to);
}

int bench_denoise_cuda(const struct bench_options *options)
{
    static const int sizes[] = {256, 512, 2048, 8192};
    ro_context *context = bench_device();
    ro_device_info info = {.size = sizeof info};
    bool first = true;
    if (!context)
        return 1;
    if (options->json)
        printf("[");
    else if (ro_device_at(1, &info) == RO_OK)
        printf(
            "Diffusion filters on the device, noisy test card, 8 bits in and out. %s, %s\n"
            "Kernel time is the median of %d between events, host to host the best of %d. Steps\n"
            "of the implicit scheme are Jacobi sweeps, eight in a time step.\n\n"
            "|  size | scheme    | model        | number | steps | kernels ms | us a step | "
            "Gpixel-steps/s | host to host ms |\n"
            "| ----: | --------- | ------------ | ------ | ---: | ---: | ---: | ---: | ---: |\n",
            info.name, info.detail, REPEATS, REPEATS);
    for (int i = 0; i < (options->size ? 1 : 4); i++)
        time_size(context, options->size ? options->size : sizes[i], options->json, &first);
    if (options->json)
        printf("\n]\n");
    else if (!options->size)
        print_floor(context);
    ro_context_close(context);
    return 0;
}
