/* SPDX-License-Identifier: MIT */
/*
 * A picture too large to store, halftoned and hashed: 10^6 x 10^6 pixels unless told otherwise, by
 * Floyd-Steinberg to bits (bench/terapixel/made.h says what it shows and what
 * the hash is). Each thread makes the pixels it halftones and hashes their bits; on a device both
 * are done in the kernel.
 */
#include "bench/bench.h"
#include "bench/terapixel/made_wave.h"
#include "bench/timing.h"
#include "context/context.h"
#include "halftone/error_diffusion/cuda/diffusion_cuda.h"
#include "roundoff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 1000000 };

static void print(const struct bench_options *options, uint32_t side, const char *schedule,
                  const char *where, int threads, uint64_t hash, double took)
{
    const double pixels = (double)side * side;
    char more[32] = "";
    if (options->json) {
        if (threads)
            snprintf(more, sizeof more, "\"threads\": %d, ", threads);
        printf("{\"side\": %u, \"hash\": \"%016" PRIx64 "\", \"%s\": \"%s\", %s"
               "\"seconds\": %.3f, \"gpixels_per_s\": %.3f}\n",
               side, hash, threads ? "cpu" : "device", where, more, took, pixels / took * 1e-9);
        return;
    }
    if (threads)
        snprintf(more, sizeof more, ", %d threads", threads);
    printf("%u x %u pixels, made where they are used, halftoned by floyd-steinberg (%s/%s%s) and "
           "hashed: %016" PRIx64 ", %.3f s, %.2f Gpixel/s\n",
           side, side, schedule, where, more, hash, took, pixels / took * 1e-9);
}

/* The time is that of the whole call, memory for the lines between rows made anew; a small picture
 * comes first, so that the device is awake and has loaded its code. */
static int run_cuda(const struct bench_options *options, uint32_t side)
{
    enum { FIRST = 4096 };
    ro_context *context = bench_device();
    uint64_t hash;
    double ms;
    if (!context)
        return EXIT_FAILURE;
    ro_status status = diffusion_on_cuda->made(context, FIRST, &hash, &ms);
    const double start = bench_seconds();
    if (status == RO_OK)
        status = diffusion_on_cuda->made(context, side, &hash, &ms);
    const double took = bench_seconds() - start;
    if (status != RO_OK)
        fprintf(stderr, "roundoff bench: %s\n", ro_context_message(context));
    else
        print(options, side, "wave", "cuda", 0, hash, took);
    ro_context_close(context);
    return status == RO_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_cpu(const struct bench_options *options, uint32_t side)
{
    ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU};
    ro_context *context;
    uint64_t hash;
    if (ro_context_open(&how, &context) != RO_OK)
        return EXIT_FAILURE;
    const double start = bench_seconds();
    ro_status status = diffusion_made(context, side, &hash);
    const double took = bench_seconds() - start;
    if (status != RO_OK)
        fprintf(stderr, "roundoff bench: %s\n", ro_context_message(context));
    else
        print(options, side, "wave", ro_cpu_name(context->cpu), context->threads, hash, took);
    ro_context_close(context);
    return status == RO_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run(const struct bench_options *options)
{
    const uint32_t side = options->size ? (uint32_t)options->size : SIDE;
    return options->cuda ? run_cuda(options, side) : run_cpu(options, side);
}

const struct bench bench_terapixel = {
    .name = "terapixel",
    .summary = "10^12 pixels that are nowhere stored, halftoned and hashed",
    .run = run,
    .cuda = true,
    .alone = true,
};
