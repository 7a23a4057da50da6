/* SPDX-License-Identifier: MIT */
/*
 * Hologram error diffusion: Table 3 of Lagrange, Gilles, Heggarty and Fracasso beside ours. They do
 * not say what they timed; 12 x 12 hogels of 2048 (24,576 pixels a side) is inferred from their
 * hologram of 18.4 mm at 750 nm. Fields are random, 8-bit phase, hogels of 2048.
 */
#include "bench/bench.h"
#include "bench/timing.h"

#include "context/context.h"
#include "core/random.h"
#include "cuda/cuda.h"
#include "roundoff/hologram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, TILE = 2048, WHOLE = 24576, FRAME_WIDTH = 4096, FRAME_HEIGHT = 2400 };
static const double BUDGET = 10;

/* Seconds of the paper at 24,576 a side: RTX 2080 Ti; the CPU of reference 8, whose p is not said.
 */
static const struct method {
    const char *weights;
    int taps, p;
    double paper, paper_cpu;
} methods[] = {{"paper", 27, 1, 0.164, 19.24},
               {"paper", 27, 3, 0.304, 19.24},
               {"paper", 27, 6, 0.507, 19.24},
               {"ls", 12, 2, 0, 0}};
enum { METHODS = sizeof methods / sizeof *methods };

static const int sizes[] = {2048, 8192, WHOLE};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* A random tile, repeated. */
static void fill(const ro_field *field)
{
    for (uint32_t y = 0; y < field->height; y++) {
        float *row = (float *)((char *)field->data + (ptrdiff_t)y * field->stride);
        if (y >= TILE) {
            memcpy(row, (const char *)row - TILE * field->stride, (size_t)field->width * 8);
            continue;
        }
        for (uint32_t x = 0; x < 2 * field->width; x++)
            row[x] =
                x < 2 * TILE ? (float)(pixel_hash(1, x, y) >> 8) * 0x1p-23f - 1 : row[x - 2 * TILE];
    }
}

static ro_hologram_options options_of(const struct method *method, uint32_t hogel)
{
    return (ro_hologram_options){RO_HOLOGRAM_DEFAULTS, .weights = method->weights,
                                 .taps = method->taps, .p = method->p,
                                 .hogel = hogel,       .window = {0.2, 0.15, 0.3, 0.3}};
}

struct entry {
    ro_context *context;
    ro_field *field;
    ro_image *out;
    ro_hologram_options options;
};

static bool run_entry(void *data)
{
    struct entry *entry = data;
    return ro_hologram_quantize(entry->context, entry->field, entry->out, &entry->options, NULL) ==
           RO_OK;
}

/* ---- On the CPU ---------------------------------------------------------------------------- */

static bool measure(int size, bool json, bool *first)
{
    ro_context *context;
    ro_field field = {0};
    ro_image out = {0};
    struct entry entries[METHODS];
    struct contender list[METHODS];
    ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU};
    if (ro_context_open(&how, &context) != RO_OK)
        return false;
    bool done =
        ro_field_alloc(context, (uint32_t)size, (uint32_t)size, &field) == RO_OK &&
        ro_image_alloc(context, RO_INDEX8, (uint32_t)size, (uint32_t)size, 255, &out) == RO_OK;
    if (!done) {
        fprintf(stderr, "roundoff: no memory to measure %d x %d\n", size, size);
        goto done;
    }
    fill(&field);
    for (int i = 0; i < METHODS; i++) {
        entries[i] = (struct entry){context, &field, &out, options_of(&methods[i], 0)};
        list[i] = (struct contender){.name = methods[i].weights,
                                     .variant = ro_cpu_name(context->cpu),
                                     .threads = context->threads,
                                     .run = run_entry,
                                     .data = &entries[i]};
    }
    time_in_turns(list, METHODS, size == WHOLE ? 1 : ROUNDS, BUDGET);
    for (int i = 0; i < METHODS; i++) {
        const struct method *m = &methods[i];
        double pixels = (double)size * size;
        if (list[i].failed)
            continue;
        if (json) {
            printf("%s\n  {\"size\": %d, \"weights\": \"%s\", \"taps\": %d, \"p\": %d, "
                   "\"variant\": \"%s\", \"threads\": %d, \"seconds\": %.5f}",
                   *first ? "" : ",", size, m->weights, m->taps, m->p, list[i].variant,
                   list[i].threads, list[i].best);
        } else {
            printf("| %5d | %-5s | %2d | %d | %-7s | %d | %8.4f | %6.2f |", size, m->weights,
                   m->taps, m->p, list[i].variant, list[i].threads, list[i].best,
                   list[i].best / pixels * 1e9);
            if (size == WHOLE && m->paper_cpu > 0)
                printf(" %6.2f s |\n", m->paper_cpu);
            else
                printf("          |\n");
        }
        *first = false;
    }
    fflush(stdout);
done:
    ro_image_free(&out);
    ro_field_free(&field);
    ro_context_close(context);
    return done;
}

static int run_cpu(const struct bench_options *options)
{
    bool done = true, first = true;
    if (options->json) {
        printf("[");
    } else {
        printf("Hologram error diffusion, random field to 8-bit phase, memory to memory. ");
        print_machine();
        printf("Best of %d in turns, one at %d. The paper's CPU time is its whole hologram, whose "
               "size is inferred.\n\n",
               ROUNDS, WHOLE);
        printf(
            "|  size | weights | taps | p | variant | threads | seconds | ns a pixel | paper's "
            "CPU |\n| ----: | ----- | -: | -: | ------- | -: | -------: | -----: | -------: |\n");
    }
    for (int i = 0; i < SIZES && done; i++)
        if (!options->size || i == 0)
            done = measure(options->size ? options->size : sizes[i], options->json, &first);
    if (options->json)
        printf("\n]\n");
    return done ? 0 : 1;
}

/* ---- On a device --------------------------------------------------------------------------- */

static bool measure_device(ro_context *context, uint32_t width, uint32_t height, uint32_t hogel,
                           const struct method *method, const ro_field *field, ro_image *out)
{
    ro_hologram_report report = {.size = sizeof report};
    ro_hologram_options options = options_of(method, hogel);
    double best = 0, kernel = 0;
    for (int i = -1; i < ROUNDS; i++) {
        double start = bench_seconds();
        if (ro_hologram_quantize(context, field, out, &options, &report) != RO_OK) {
            fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
            return false;
        }
        double took = bench_seconds() - start;
        if (i <= 0 || took < best)
            best = took;
        if (i <= 0 || report.kernel_ms < kernel)
            kernel = report.kernel_ms;
        ro_free(report.hogel);
    }
    printf("| %5u x %-5u | %5u | %-5s | %2d | %d | %8.3f | %7.1f | %8.2f | %7.1f |", width, height,
           hogel, method->weights, method->taps, method->p, kernel,
           (double)width * height / kernel * 1e-6, best * 1e3, 1 / best);
    if (width == WHOLE && method->paper > 0)
        printf(" %5.0f |\n", method->paper * 1e3);
    else
        printf("       |\n");
    fflush(stdout);
    return true;
}

/* Pinned memory, as a program that feeds a modulator has. */
static bool measure_size(ro_context *context, uint32_t width, uint32_t height, uint32_t hogel,
                         int first)
{
    void *pixels = NULL, *numbers = NULL;
    bool done = cuda_alloc_pinned(context, (size_t)width * height * 8, &pixels) == RO_OK &&
                cuda_alloc_pinned(context, (size_t)width * height, &numbers) == RO_OK;
    ro_field field = {width, height, 8 * (ptrdiff_t)width, pixels};
    ro_image out = ro_image_view(RO_INDEX8, width, height, numbers);
    if (done)
        fill(&field);
    else
        fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
    for (int i = first; i < METHODS && done; i++)
        done = measure_device(context, width, height, hogel, &methods[i], &field, &out);
    cuda_free_pinned(pixels);
    cuda_free_pinned(numbers);
    return done;
}

static int run_cuda(const struct bench_options *options)
{
    ro_context *context = bench_device();
    if (!context)
        return 1;
    printf("Hologram error diffusion on the device, random field to 8-bit phase. ");
    print_machine();
    printf("Best of %d; kernel time between events, host to host with pinned memory and the search "
           "for the gain. The paper's GPU (RTX 2080 Ti) timed a whole hologram, whose size is "
           "inferred.\n\n",
           ROUNDS);
    printf(
        "|          size | hogel | weights | taps | p | kernel ms | Gpixel/s | host to host ms | "
        "frames a second | paper's GPU ms |\n| ------------: | ----: | ----- | -: | -: | -------: "
        "| ------: | -------: | ------: | ----: |\n");
    bool done = true;
    uint32_t size = (uint32_t)options->size;
    if (size)
        done = measure_size(context, size, size, TILE, 0);
    for (int i = 0; i < SIZES && done && !size; i++)
        done = measure_size(context, (uint32_t)sizes[i], (uint32_t)sizes[i], TILE, 0);
    for (uint32_t hogel = TILE; hogel >= 512 && done && !size; hogel /= 4)
        done = measure_size(context, FRAME_WIDTH, FRAME_HEIGHT, hogel, 0);
    ro_context_close(context);
    if (done && !size) {
        printf("\n");
        return bench_light.run(options);
    }
    return done ? 0 : 1;
}

static int run(const struct bench_options *options)
{
    return options->cuda ? run_cuda(options) : run_cpu(options);
}

const struct bench bench_hologram = {
    .name = "hologram",
    .summary = "hologram error diffusion beside the paper's CPU and GPU",
    .cuda = true,
    .run = run,
};
