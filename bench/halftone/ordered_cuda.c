/* SPDX-License-Identifier: MIT */
/*
 * Ordered dithering on a CUDA device, from device memory to device memory: the median between
 * events, beside the time that the same bytes take to be copied.
 */
#include "bench/halftone/ordered_cuda.h"
#include "bench/timing.h"
#include "cuda/cuda.h"
#include "roundoff.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 9 };

static const struct {
    const char *method;
    int levels, depth;
    double lpi, degrees, dpi;
} rows[] = {
    {"threshold", 2, 8, 0, 0, 0},  {"bayer8", 2, 8, 0, 0, 0},    {"clustered-dot", 2, 8, 0, 0, 0},
    {"blue-noise", 2, 8, 0, 0, 0}, {"am", 2, 8, 133, 15, 2400},  {"random", 2, 8, 0, 0, 0},
    {"blue-noise", 4, 8, 0, 0, 0}, {"am", 2, 16, 133, 15, 2400}, {"blue-noise", 2, 16, 0, 0, 0},
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times)
{
    qsort(times, REPEATS, sizeof *times, by_value);
    return times[REPEATS / 2];
}

/* Milliseconds of one image; 0 when it failed. Several images share a call. */
static double time_method(ro_context *context, int row, const ro_image *in, const ro_image *out)
{
    enum { IMAGES = 8 };
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS,       .method = rows[row].method,
                                         .levels = rows[row].levels, .lpi = rows[row].lpi,
                                         .angle = rows[row].degrees, .dpi = rows[row].dpi};
    ro_plan *plan = NULL;
    ro_status status = ro_halftone_plan(context, in, out->format, &options, &plan);
    ro_image ins[IMAGES], outs[IMAGES];
    double times[REPEATS];
    for (int i = 0; i < IMAGES; i++) {
        ins[i] = *in;
        outs[i] = *out;
    }
    for (int i = -2; i < REPEATS && status == RO_OK; i++) {
        double ms = 0;
        status = cuda_timer_start(context);
        if (status == RO_OK)
            status = ro_plan_run(plan, ins, outs,
                                 &(ro_run){RO_RUN_DEFAULTS, .count = IMAGES, .on_device = 1,
                                           .stream = cuda_stream(context)});
        if (status == RO_OK)
            status = cuda_timer_stop(context, &ms);
        if (i >= 0)
            times[i] = ms / IMAGES;
    }
    ro_plan_free(plan);
    if (status == RO_OK)
        return median(times);
    fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
    return 0;
}

/* Bytes read and written a second by a copy on the device. */
static double copy_speed(ro_context *context, void *to, const void *from, size_t bytes)
{
    double best = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        double start = bench_seconds();
        if (cuda_copy(context, to, from, bytes) != RO_OK || cuda_wait(context) != RO_OK)
            return 0;
        double took = bench_seconds() - start;
        best = took < best ? took : best;
    }
    return 2 * (double)bytes / best;
}

static int run_size(ro_context *context, int size, bool json)
{
    const size_t side = (size_t)size, bytes = 2 * side * side;
    void *in = NULL, *out = NULL;
    unsigned char *pixels = malloc(bytes);
    bool done = pixels && cuda_alloc(context, bytes, &in) == RO_OK &&
                cuda_alloc(context, bytes, &out) == RO_OK;
    uint32_t state = 1;
    for (size_t i = 0; i < bytes && done; i++)
        pixels[i] = (unsigned char)((state = state * 1664525u + 1013904223u) >> 24);
    done = done && cuda_copy(context, in, pixels, bytes) == RO_OK;
    const double speed = done ? copy_speed(context, out, in, bytes) : 0;
    for (int i = 0; done && i < (int)(sizeof rows / sizeof *rows); i++) {
        const bool bits = rows[i].levels == 2;
        const size_t row_in = side * (size_t)rows[i].depth / 8, row_out = bits ? side / 8 : side;
        const ro_image from = {.format = rows[i].depth == 8 ? RO_GREY8 : RO_GREY16,
                               .width = (uint32_t)size,
                               .height = (uint32_t)size,
                               .maxval = 0,
                               .stride = (ptrdiff_t)row_in,
                               .data = in};
        const ro_image to = {.format = bits ? RO_BITS : RO_INDEX8,
                             .width = (uint32_t)size,
                             .height = (uint32_t)size,
                             .maxval = 0,
                             .stride = (ptrdiff_t)row_out,
                             .data = out};
        const double ms = time_method(context, i, &from, &to);
        const double floor = 1e3 * (double)((row_in + row_out) * side) / speed;
        if (ms == 0)
            continue;
        if (json)
            printf("%s\n  {\"size\": %d, \"depth\": %d, \"method\": \"%s\", \"levels\": %d, "
                   "\"ms\": %.4f, \"copy_ms\": %.4f}",
                   i ? "," : "", size, rows[i].depth, rows[i].method, rows[i].levels, ms, floor);
        else
            printf("| %5d | %2d | %-13s | %d | %7.4f | %7.1f | %7.4f | %5.2f |\n", size,
                   rows[i].depth, rows[i].method, rows[i].levels, ms,
                   1e-6 * (double)(side * side) / ms, floor, ms / floor);
    }
    if (!done)
        fprintf(stderr, "roundoff: no memory to measure %d x %d\n", size, size);
    cuda_free(in);
    cuda_free(out);
    free(pixels);
    return done ? 0 : 1;
}

int bench_ordered_cuda(const struct bench_options *options)
{
    ro_context *context = bench_device();
    ro_device_info info = {.size = sizeof info};
    if (!context)
        return 1;
    if (options->json)
        printf("[");
    else if (ro_device_at(1, &info) == RO_OK)
        printf("Ordered dithering in device memory, noise. %s, %s\nMedian of %d; the floor is the "
               "bytes over the speed of a copy.\n\n"
               "|  size | bit | method        | levels | ms | Gpixel/s | floor ms | ratio |\n"
               "| ----: | -: | ------------- | -: | ---: | ---: | ---: | ---: |\n",
               info.name, info.detail, REPEATS);
    /* rows of whole groups */
    const int size = options->size ? (options->size + 31) / 32 * 32 : 16384;
    int result = run_size(context, size, options->json);
    if (options->json)
        printf("\n]\n");
    ro_context_close(context);
    return result;
}
