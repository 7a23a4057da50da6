/* SPDX-License-Identifier: MIT */
/*
 * Error diffusion on a device: Table I of Kasagi, Nakano and Ito with ours beside it. Kernel time
 * is the median between events after a warm-up; host to host is best of several, by the clock. What
 * bounds the wave from below: its steps, one after the other, and the bytes.
 */
#include "bench/halftone/diffusion_cuda.h"
#include "bench/timing.h"
#include "cuda/cuda.h"
#include "halftone/error_diffusion/cuda/diffusion_cuda.h"
#include "roundoff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 7, ROWS = 5, REPEATS = 9 };
static const int sizes[SIZES] = {1024, 2048, 4096, 6144, 8192, 12288, 16384};

static const struct row {
    const char *name;
    double paper[SIZES]; /* GeForce GTX 780 Ti, ms; 0: not in the paper */
    int host_runs;       /* host to host: the best of so many, fewer where they are long */
} rows[ROWS] = {
    {"pwed", {20.89, 42.22, 85.53, 129.52, 189.16, 381.31, 737.34}, 3},
    {"pwec", {20.10, 40.36, 90.27, 145.58, 187.6, 356.98, 650.28}, 3},
    {"bwed", {1.89, 3.94, 7.99, 12.19, 16.45, 29.59, 55.77}, 5},
    {"bwec", {1.85, 3.92, 8.10, 12.01, 16.63, 26.33, 46.75}, 5},
    {"wave", {0}, REPEATS},
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Images on the device, filled with the test card repeated. */
struct device_images {
    ro_image in[64], out[64];
    void *in_memory, *out_memory;
};

static bool make_images(ro_context *context, int size, int count, struct device_images *images)
{
    enum { CARD = 1024 };
    size_t side = (size_t)size, in_bytes = side * side, out_bytes = side / 8 * side;
    ro_image card = {0};
    unsigned char *pixels = malloc(in_bytes);
    *images = (struct device_images){0};
    bool done = pixels && ro_image_alloc(context, RO_GREY8, CARD, CARD, 0, &card) == RO_OK &&
                ro_testcard(context, &card) == RO_OK &&
                cuda_alloc(context, in_bytes * (size_t)count, &images->in_memory) == RO_OK &&
                cuda_alloc(context, out_bytes * (size_t)count, &images->out_memory) == RO_OK;
    for (size_t y = 0; y < side && done; y++)
        for (size_t x = 0; x < side; x += CARD)
            memcpy(pixels + y * side + x,
                   (unsigned char *)card.data + (ptrdiff_t)(y % CARD) * card.stride, CARD);
    for (int i = 0; i < count && done; i++) {
        unsigned char *to = (unsigned char *)images->in_memory + in_bytes * (size_t)i;
        done = cuda_copy(context, to, pixels, in_bytes) == RO_OK;
        images->in[i] = (ro_image){.format = RO_GREY8,
                                   .width = (uint32_t)size,
                                   .height = (uint32_t)size,
                                   .maxval = 255,
                                   .stride = size,
                                   .data = to};
        images->out[i] =
            (ro_image){.format = RO_BITS,
                       .width = (uint32_t)size,
                       .height = (uint32_t)size,
                       .maxval = 0,
                       .stride = size / 8,
                       .data = (unsigned char *)images->out_memory + out_bytes * (size_t)i};
    }
    free(pixels);
    ro_image_free(&card);
    return done;
}

static void free_images(struct device_images *images)
{
    cuda_free(images->in_memory);
    cuda_free(images->out_memory);
}

/* What is timed. */
struct timed {
    const char *method, *schedule;
    int levels;
};

/* Median kernel time in ms; 0 when it failed. */
static double time_images(ro_context *context, const ro_image *in, ro_image *out, int count,
                          const struct timed *timed)
{
    double times[REPEATS];
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = timed->method,
                                   .schedule = timed->schedule, .levels = timed->levels};
    ro_plan *plan;
    const ro_run run = {RO_RUN_DEFAULTS, .count = (uint32_t)count, .on_device = 1,
                        .stream = cuda_stream(context)};
    ro_status status = ro_halftone_plan(context, in, out->format, &options, &plan);
    for (int i = -2; i < REPEATS && status == RO_OK; i++) {
        double ms;
        status = cuda_timer_start(context);
        if (status == RO_OK)
            status = ro_plan_run(plan, in, out, &run);
        if (status == RO_OK)
            status = cuda_timer_stop(context, &ms);
        if (status == RO_OK && i >= 0)
            times[i] = ms;
    }
    ro_plan_free(plan);
    if (status != RO_OK) {
        fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
        return 0;
    }
    qsort(times, REPEATS, sizeof *times, by_value);
    return times[REPEATS / 2];
}

static double method_time(ro_context *context, struct device_images *images, int count,
                          const char *method, const char *schedule)
{
    const struct timed timed = {method, schedule, 2};
    return time_images(context, images->in, images->out, count, &timed);
}

static double kernel_time(ro_context *context, struct device_images *images, int count,
                          const char *schedule)
{
    return method_time(context, images, count, "floyd-steinberg", schedule);
}

/* A card that idles has low clocks: half a second of work brings them up. */
static void warm_up(ro_context *context)
{
    struct device_images images;
    double start = bench_seconds();
    if (make_images(context, 4096, 1, &images))
        while (bench_seconds() - start < 0.5 && kernel_time(context, &images, 1, "wave") > 0)
            ;
    free_images(&images);
}

/* Steps of the wave that follow one another: a row starts 2.5 columns after the one above. */
static double wave_steps(int size) { return size + 2.5 * size; }

/* Columns of numbers: the size, the schedules, and those that are named. */
static void print_head(const char *const *more, int count)
{
    printf("| size |");
    for (int r = 0; r < ROWS; r++)
        printf(" %s |", rows[r].name);
    for (int i = 0; i < count; i++)
        printf(" %s |", more[i]);
    printf("\n|");
    for (int i = 0; i < 1 + ROWS + count; i++)
        printf(" ---: |");
    printf("\n");
}

static void print_kernel_table(ro_context *context, int only_size, double chain)
{
    static const char *const more[] = {"wave, Gpixel/s", "floor: (w + 2.5 h) steps of the chain"};
    printf("Kernel time, ms (the paper's GTX 780 Ti in brackets)\n\n");
    print_head(more, 2);
    for (int s = 0; s < SIZES; s++) {
        struct device_images images;
        if (only_size && sizes[s] != only_size)
            continue;
        if (!make_images(context, sizes[s], 1, &images)) {
            free_images(&images);
            continue;
        }
        printf("| %d² |", sizes[s]);
        double ms = 0;
        for (int r = 0; r < ROWS; r++) {
            ms = kernel_time(context, &images, 1, rows[r].name);
            printf(" %.3f", ms);
            if (rows[r].paper[s] > 0)
                printf(" (%.2f)", rows[r].paper[s]);
            printf(" |");
            fflush(stdout);
        }
        printf(" %.1f | %.3f |\n", (double)sizes[s] * sizes[s] / ms / 1e6,
               wave_steps(sizes[s]) * chain / 1e6);
        free_images(&images);
    }
}

/* The wave of other methods. Images of 16 bits are what two of 8 hold. */
static void print_methods(ro_context *context, int only_size)
{
    static const char *const methods[] = {"jarvis-judice-ninke", "acuity"};
    printf(
        "\nThe wave of other methods, kernel time, ms (and Gpixel/s)\n\n"
        "| size | jarvis-judice-ninke | acuity | jarvis-judice-ninke, 16 bit | acuity, 16 bit |\n"
        "| ---: | ---: | ---: | ---: | ---: |\n");
    for (int s = 0; s < SIZES; s++) {
        struct device_images images;
        if (only_size && sizes[s] != only_size)
            continue;
        if (make_images(context, sizes[s], 2, &images)) {
            printf("| %d² |", sizes[s]);
            for (int i = 0; i < 4; i++) {
                if (i == 2)
                    images.in[0] = (ro_image){.format = RO_GREY16,
                                              .width = (uint32_t)sizes[s],
                                              .height = (uint32_t)sizes[s],
                                              .maxval = 65535,
                                              .stride = 2 * sizes[s],
                                              .data = images.in_memory};
                double ms = method_time(context, &images, 1, methods[i % 2], "wave");
                printf(" %.3f (%.1f) |", ms, (double)sizes[s] * sizes[s] / ms / 1e6);
                fflush(stdout);
            }
            printf("\n");
        }
        free_images(&images);
    }
}

/* Many levels. Four images of 8 bits have room for one of 16 and what comes of it. */
static void print_levels(ro_context *context, int only_size)
{
    static const struct {
        const char *method;
        int from, to;
    } rows[] = {{"floyd-steinberg", 16, 8},  {"floyd-steinberg", 16, 10},
                {"floyd-steinberg", 16, 16}, {"floyd-steinberg", 8, 4},
                {"floyd-steinberg", 8, 2},   {"jarvis-judice-ninke", 16, 8}};
    const int size = only_size ? only_size : 16384;
    struct device_images images;
    printf("\nMany levels, kernel time of the wave, %d²\n\n"
           "| method | from | to | ms | Gpixel/s |\n| --- | ---: | ---: | ---: | ---: |\n",
           size);
    if (make_images(context, size, 4, &images))
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const uint32_t side = (uint32_t)size;
            const bool deep = rows[i].from > 8, wide = rows[i].to > 8;
            ro_image in = {.format = deep ? RO_GREY16 : RO_GREY8,
                           .width = side,
                           .height = side,
                           .maxval = (1u << rows[i].from) - 1,
                           .stride = deep ? 2 * size : size,
                           .data = images.in_memory};
            ro_image out = {.format = wide ? RO_GREY16 : RO_INDEX8,
                            .width = side,
                            .height = side,
                            .maxval = 0,
                            .stride = wide ? 2 * size : size,
                            .data = (unsigned char *)images.in_memory + (size_t)2 * side * side};
            const struct timed timed = {rows[i].method, "wave", 1 << rows[i].to};
            double ms = time_images(context, &in, &out, 1, &timed);
            printf("| %s | %d | %d | %.3f | %.1f |\n", rows[i].method, rows[i].from, rows[i].to, ms,
                   (double)size * size / ms / 1e6);
            fflush(stdout);
        }
    free_images(&images);
}

static void print_batch(ro_context *context)
{
    enum { SIDE = 2048, COUNT = 64 };
    struct device_images images;
    if (make_images(context, SIDE, COUNT, &images)) {
        double ms = kernel_time(context, &images, COUNT, "wave");
        printf("\nbatch of %d images of %d² in one call: %.3f ms, %.2f Tpixel/s\n", COUNT, SIDE, ms,
               (double)COUNT * SIDE * SIDE / ms / 1e9);
    }
    free_images(&images);
}

/* Images in host memory, and room on the device for their bytes. */
struct host_images {
    bool pinned;
    ro_image in, out;
    size_t in_bytes, out_bytes;
    void *device;
};

static bool make_host(ro_context *context, int size, bool pinned, struct host_images *host)
{
    const uint32_t side = (uint32_t)size;
    *host = (struct host_images){
        .pinned = pinned,
        .in = {.format = RO_GREY8,
               .width = side,
               .height = side,
               .maxval = 255,
               .stride = size,
               .data = NULL},
        .out = {.format = RO_BITS,
                .width = side,
                .height = side,
                .maxval = 0,
                .stride = size / 8,
                .data = NULL},
        .in_bytes = (size_t)side * side,
        .out_bytes = (size_t)side / 8 * side,
    };
    if (cuda_alloc(context, host->in_bytes, &host->device) != RO_OK)
        return false;
    if (!pinned) {
        host->in.data = malloc(host->in_bytes);
        host->out.data = malloc(host->out_bytes);
    } else if (cuda_alloc_pinned(context, host->in_bytes, &host->in.data) != RO_OK ||
               cuda_alloc_pinned(context, host->out_bytes, &host->out.data) != RO_OK) {
        return false;
    }
    if (!host->in.data || !host->out.data)
        return false;
    memset(host->in.data, 100, host->in_bytes);
    memset(host->out.data, 0, host->out_bytes);
    return true;
}

static void free_host(struct host_images *host)
{
    cuda_free(host->device);
    if (host->pinned) {
        cuda_free_pinned(host->in.data);
        cuda_free_pinned(host->out.data);
    } else {
        free(host->in.data);
        free(host->out.data);
    }
}

/* The whole call, or without a schedule a plain copy of the bytes there and back; best of `runs` in
 * ms, 0 when it failed. */
static double host_time(ro_context *context, struct host_images *host, const char *schedule,
                        int runs)
{
    double best = 0;
    ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = "floyd-steinberg",
                                   .schedule = schedule};
    for (int i = 0; i < runs; i++) {
        double start = bench_seconds();
        bool done =
            schedule
                ? ro_halftone(context, &host->in, &host->out, &options) == RO_OK
                : cuda_copy(context, host->device, host->in.data, host->in_bytes) == RO_OK &&
                      cuda_copy(context, host->out.data, host->device, host->out_bytes) == RO_OK &&
                      cuda_wait(context) == RO_OK;
        double took = (bench_seconds() - start) * 1e3;
        if (!done) {
            fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
            return 0;
        }
        best = i == 0 || took < best ? took : best;
    }
    return best;
}

static void print_host_table(ro_context *context, int only_size)
{
    static const char *const more[] = {"copying the bytes", "wave / copying", "pageable: wave",
                                       "copying", "wave / copying"};
    printf("\nHost to host, ms, pinned memory, best of %d (pwed, pwec %d; bwed, bwec %d)\n\n",
           rows[4].host_runs, rows[0].host_runs, rows[2].host_runs);
    print_head(more, 5);
    for (int s = 0; s < SIZES; s++) {
        if (only_size && sizes[s] != only_size)
            continue;
        struct host_images host[2] = {0};
        if (make_host(context, sizes[s], true, &host[0]) &&
            make_host(context, sizes[s], false, &host[1])) {
            printf("| %d² |", sizes[s]);
            for (int i = 0; i < 2; i++) {
                double wave = 0;
                for (int r = host[i].pinned ? 0 : ROWS - 1; r < ROWS; r++) {
                    wave = host_time(context, &host[i], rows[r].name, rows[r].host_runs);
                    printf(" %.3f |", wave);
                    fflush(stdout);
                }
                double copy = host_time(context, &host[i], NULL, REPEATS);
                printf(" %.3f | %.2f |", copy, wave / copy);
            }
            printf("\n");
        } else {
            fprintf(stderr, "roundoff: no memory for %d x %d pixels\n", sizes[s], sizes[s]);
        }
        for (int i = 0; i < 2; i++)
            free_host(&host[i]);
    }
}

/* The bytes over the measured bandwidth. */
static void print_bytes(ro_context *context)
{
    const size_t bytes = (size_t)1 << 30;
    void *from = NULL, *to = NULL;
    double best = 1e9;
    bool done =
        cuda_alloc(context, bytes, &from) == RO_OK && cuda_alloc(context, bytes, &to) == RO_OK;
    for (int i = 0; i < 5 && done; i++) {
        double start = bench_seconds();
        done = cuda_copy(context, to, from, bytes) == RO_OK && cuda_wait(context) == RO_OK;
        double took = bench_seconds() - start;
        best = took < best ? took : best;
    }
    if (done)
        printf("\ncopy on the device: %.2f TB/s read and written; the bytes of 16384² alone take "
               "%.3f ms\n",
               2.0 * (double)bytes / best / 1e12,
               (16384.0 * 16384 * 1.125) / (2.0 * (double)bytes / best) * 1e3);
    cuda_free(from);
    cuda_free(to);
}

/* Where the wave's time goes: the time of a step where rows are long, of one band of 64 rows and of
 * the four that share a multiprocessor; and what 256 rows more add where they are short. A band
 * starts 176 steps after the one above: 160 of skew, 16 of a chunk. */
static void print_anatomy(ro_context *context, double chain)
{
    enum { LONG = 65536, SHORT = 4096, SHAPES = 4 };
    static const uint32_t shapes[SHAPES][2] = {
        {LONG, 64}, {LONG, 256}, {SHORT, 256}, {SHORT, 2048}};
    double ms[SHAPES] = {0};
    struct device_images images = {0};
    bool done = cuda_alloc(context, (size_t)LONG * 256, &images.in_memory) == RO_OK &&
                cuda_alloc(context, (size_t)LONG / 8 * 256, &images.out_memory) == RO_OK &&
                cuda_fill(context, images.in_memory, 100, (size_t)LONG * 256) == RO_OK;
    for (int i = 0; i < SHAPES && done; i++) {
        const uint32_t width = shapes[i][0], height = shapes[i][1];
        images.in[0] = (ro_image){.format = RO_GREY8,
                                  .width = width,
                                  .height = height,
                                  .maxval = 255,
                                  .stride = width,
                                  .data = images.in_memory};
        images.out[0] = (ro_image){.format = RO_BITS,
                                   .width = width,
                                   .height = height,
                                   .maxval = 0,
                                   .stride = width / 8,
                                   .data = images.out_memory};
        ms[i] = kernel_time(context, &images, 1, "wave");
    }
    free_images(&images);
    if (!done)
        return;
    double step = ms[0] / (LONG + 160) * 1e6, of_four = ms[1] / (LONG + 3 * 176 + 160) * 1e6;
    double block = (ms[3] - ms[2]) / 7 * 1e3;
    printf(
        "\nthe chain alone takes %.2f ns a step; 16384² is (16384 + 2.5 * 16384) steps, at least "
        "%.3f ms\n",
        chain, wave_steps(16384) * chain / 1e6);
    printf("a step of the wave takes %.1f ns (65536 x 64 in %.3f ms), %.1f ns with four bands on a "
           "multiprocessor; at that pace 16384² takes %.3f ms\n",
           step, ms[0], of_four, wave_steps(16384) * of_four / 1e6);
    printf("256 rows more add %.2f us, which is 4 x 176 steps of %.1f ns\n", block,
           block / (4 * 176) * 1e3);
}

int bench_diffusion_cuda(const struct bench_options *options)
{
    ro_context *context = bench_device();
    ro_device_info info = {.size = sizeof info};
    if (!context)
        return 1;
    printf("Error diffusion, Floyd-Steinberg, 8 bit to packed bits. ");
    if (ro_device_at(1, &info) == RO_OK)
        printf("%s, %s\n\n", info.name, info.detail);
    warm_up(context);
    double chain;
    if (diffusion_on_cuda->chain(context, &chain) != RO_OK)
        fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
    print_kernel_table(context, options->size, chain);
    print_anatomy(context, chain);
    print_methods(context, options->size);
    print_levels(context, options->size);
    print_batch(context);
    print_host_table(context, options->size);
    print_bytes(context);
    ro_context_close(context);
    return 0;
}
