/* SPDX-License-Identifier: MIT */
/*
 * Error diffusion on a device: Table I of Kasagi, Nakano and Ito with ours beside it. Kernel time
 * is the median between events after a warm-up; host to host is best of several, by the clock.
 */
#include "diffusion_cuda.h"
#include "core/cuda.h"
#include "roundoff.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 7, REPEATS = 9 };
static const int sizes[SIZES] = {1024, 2048, 4096, 6144, 8192, 12288, 16384};

static const struct row {
    const char *name;
    double paper[SIZES]; /* GeForce GTX 780 Ti, ms; 0: not in the paper */
} rows[] = {
    {"pwed", {20.89, 42.22, 85.53, 129.52, 189.16, 381.31, 737.34}},
    {"pwec", {20.10, 40.36, 90.27, 145.58, 187.6, 356.98, 650.28}},
    {"bwed", {1.89, 3.94, 7.99, 12.19, 16.45, 29.59, 55.77}},
    {"bwec", {1.85, 3.92, 8.10, 12.01, 16.63, 26.33, 46.75}},
    {"wave", {0}},
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
    bool done = pixels && ro_image_alloc(context, RO_GRAY8, CARD, CARD, 0, &card) == RO_OK &&
                ro_testcard(context, &card) == RO_OK &&
                ro_cuda_alloc(context, in_bytes * (size_t)count, &images->in_memory) == RO_OK &&
                ro_cuda_alloc(context, out_bytes * (size_t)count, &images->out_memory) == RO_OK;
    for (size_t y = 0; y < side && done; y++)
        for (size_t x = 0; x < side; x += CARD)
            memcpy(pixels + y * side + x,
                   (unsigned char *)card.data + (ptrdiff_t)(y % CARD) * card.stride, CARD);
    for (int i = 0; i < count && done; i++) {
        unsigned char *to = (unsigned char *)images->in_memory + in_bytes * (size_t)i;
        done = ro_cuda_copy(context, to, pixels, in_bytes) == RO_OK;
        images->in[i] = (ro_image){RO_GRAY8, (uint32_t)size, (uint32_t)size, 255, size, to};
        images->out[i] = (ro_image){
            RO_BITS, (uint32_t)size, (uint32_t)size,
            0,       size / 8,       (unsigned char *)images->out_memory + out_bytes * (size_t)i};
    }
    free(pixels);
    ro_image_free(&card);
    return done;
}

static void free_images(struct device_images *images)
{
    ro_cuda_free(images->in_memory);
    ro_cuda_free(images->out_memory);
}

/* Median kernel time in ms; 0 when it failed. */
static double kernel_time(ro_context *context, struct device_images *images, int count,
                          const char *schedule)
{
    double times[REPEATS];
    ro_halftone_options options = {.schedule = schedule};
    for (int i = -2; i < REPEATS; i++) {
        double ms;
        if (ro_cuda_timer_start(context) != RO_OK ||
            ro_halftone_device(context, images->in, images->out, (uint32_t)count, &options,
                               ro_cuda_stream(context)) != RO_OK ||
            ro_cuda_timer_stop(context, &ms) != RO_OK) {
            fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
            return 0;
        }
        if (i >= 0)
            times[i] = ms;
    }
    qsort(times, REPEATS, sizeof *times, by_value);
    return times[REPEATS / 2];
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

static void print_kernel_table(ro_context *context, int only_size)
{
    printf("Kernel time, ms (the paper's GTX 780 Ti in brackets)\n\n| size |");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        printf(" %s |", rows[r].name);
    printf(" wave, Gpixel/s |\n| ---: |");
    for (size_t r = 0; r <= sizeof rows / sizeof *rows; r++)
        printf(" ---: |");
    printf("\n");
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
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            ms = kernel_time(context, &images, 1, rows[r].name);
            printf(" %.3f", ms);
            if (rows[r].paper[s] > 0)
                printf(" (%.2f)", rows[r].paper[s]);
            printf(" |");
            fflush(stdout);
        }
        printf(" %.1f |\n", (double)sizes[s] * sizes[s] / ms / 1e6);
        free_images(&images);
    }
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

/* Host to host: the whole call, beside a plain copy of the bytes there and back. */
static void print_host_table(ro_context *context)
{
    printf(
        "\nHost to host, ms, best of %d\n\n| size | memory | wave | copying the bytes | ratio |\n"
        "| ---: | --- | ---: | ---: | ---: |\n",
        REPEATS);
    for (int s = 2; s < SIZES; s += 4)
        for (int pinned = 1; pinned >= 0; pinned--) {
            size_t side = (size_t)sizes[s], in_bytes = side * side, out_bytes = side / 8 * side;
            void *in = NULL, *out = NULL, *device = NULL;
            bool done = pinned ? ro_cuda_alloc_pinned(context, in_bytes, &in) == RO_OK &&
                                     ro_cuda_alloc_pinned(context, out_bytes, &out) == RO_OK
                               : (in = malloc(in_bytes)) && (out = malloc(out_bytes));
            done = done && ro_cuda_alloc(context, in_bytes, &device) == RO_OK;
            double best = 1e9, copy = 1e9;
            if (done) {
                memset(in, 100, in_bytes);
                memset(out, 0, out_bytes);
            }
            for (int i = 0; i < REPEATS && done; i++) {
                ro_image from = {RO_GRAY8, (uint32_t)side,  (uint32_t)side,
                                 255,      (ptrdiff_t)side, in};
                ro_image to = {RO_BITS, (uint32_t)side,      (uint32_t)side,
                               0,       (ptrdiff_t)side / 8, out};
                double start = bench_seconds();
                done = ro_halftone(context, &from, &to, NULL) == RO_OK;
                double took = bench_seconds() - start;
                best = took < best ? took : best;
                start = bench_seconds();
                done = done && ro_cuda_copy(context, device, in, in_bytes) == RO_OK &&
                       ro_cuda_copy(context, out, device, out_bytes) == RO_OK &&
                       ro_cuda_wait(context) == RO_OK;
                took = bench_seconds() - start;
                copy = took < copy ? took : copy;
            }
            if (done)
                printf("| %d² | %s | %.3f | %.3f | %.2f |\n", sizes[s],
                       pinned ? "pinned" : "pageable", best * 1e3, copy * 1e3, best / copy);
            else
                fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
            ro_cuda_free(device);
            if (pinned) {
                ro_cuda_free_pinned(in);
                ro_cuda_free_pinned(out);
            } else {
                free(in);
                free(out);
            }
        }
}

/* What bounds it from below: the bytes over the measured bandwidth. */
static void print_floor(ro_context *context)
{
    const size_t bytes = (size_t)1 << 30;
    void *from = NULL, *to = NULL;
    double best = 1e9;
    bool done = ro_cuda_alloc(context, bytes, &from) == RO_OK &&
                ro_cuda_alloc(context, bytes, &to) == RO_OK;
    for (int i = 0; i < 5 && done; i++) {
        double start = bench_seconds();
        done = ro_cuda_copy(context, to, from, bytes) == RO_OK && ro_cuda_wait(context) == RO_OK;
        double took = bench_seconds() - start;
        best = took < best ? took : best;
    }
    if (done)
        printf("\ncopy on the device: %.2f TB/s read and written; the bytes of 16384² alone take "
               "%.3f ms\n",
               2.0 * (double)bytes / best / 1e12,
               (16384.0 * 16384 * 1.125) / (2.0 * (double)bytes / best) * 1e3);
    ro_cuda_free(from);
    ro_cuda_free(to);
}

/* Where the wave's time goes: the time of a step where rows are long, of one band of 64 rows and of
 * the four that share a multiprocessor; and what 256 rows more add where they are short. A band
 * starts 176 steps after the one above: 160 of skew, 16 of a chunk. */
static void print_anatomy(ro_context *context)
{
    enum { LONG = 65536, SHORT = 4096, SHAPES = 4 };
    static const uint32_t shapes[SHAPES][2] = {
        {LONG, 64}, {LONG, 256}, {SHORT, 256}, {SHORT, 2048}};
    double ms[SHAPES] = {0};
    struct device_images images = {0};
    bool done = ro_cuda_alloc(context, (size_t)LONG * 256, &images.in_memory) == RO_OK &&
                ro_cuda_alloc(context, (size_t)LONG / 8 * 256, &images.out_memory) == RO_OK &&
                ro_cuda_fill(context, images.in_memory, 100, (size_t)LONG * 256) == RO_OK;
    for (int i = 0; i < SHAPES && done; i++) {
        const uint32_t width = shapes[i][0], height = shapes[i][1];
        images.in[0] = (ro_image){RO_GRAY8, width, height, 255, width, images.in_memory};
        images.out[0] = (ro_image){RO_BITS, width, height, 0, width / 8, images.out_memory};
        ms[i] = kernel_time(context, &images, 1, "wave");
    }
    free_images(&images);
    if (!done)
        return;
    double step = ms[0] / (LONG + 160) * 1e6, of_four = ms[1] / (LONG + 3 * 176 + 160) * 1e6;
    double block = (ms[3] - ms[2]) / 7 * 1e3;
    printf("\na step of the wave: %.1f ns (65536 x 64 in %.3f ms), %.1f ns with four bands on a "
           "multiprocessor; 256 rows more add %.2f us, 4 x 176 steps of %.1f ns\nso 16384 x 16384 "
           "cannot take less than %.3f ms: (16384 + 2.5 * 16384) steps\n",
           step, ms[0], of_four, block, block / (4 * 176) * 1e3, 16384 * 3.5 * step / 1e6);
}

int bench_diffusion_cuda(const struct bench_options *options)
{
    ro_context *context;
    ro_device_info info;
    ro_context_options how = {.device = RO_DEVICE_CUDA};
    if (ro_context_open(&how, &context) != RO_OK) {
        char why[160];
        ro_cuda_count(why, sizeof why);
        fprintf(stderr, "roundoff: %s\n", why);
        return 1;
    }
    printf("Error diffusion, Floyd-Steinberg, 8 bit to packed bits. ");
    if (ro_device_at(1, &info) == RO_OK)
        printf("%s, %s\n\n", info.name, info.detail);
    warm_up(context);
    print_kernel_table(context, options->size);
    print_anatomy(context);
    print_batch(context);
    print_host_table(context);
    print_floor(context);
    ro_context_close(context);
    return 0;
}
