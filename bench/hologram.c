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
                x < 2 * TILE ? (float)(ro_hash(1, x, y) >> 8) * 0x1p-23f - 1 : row[x - 2 * TILE];
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
    ro_hologram_report report = {0};
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
    bool done = ro_cuda_alloc_pinned(context, (size_t)width * height * 8, &pixels) == RO_OK &&
                ro_cuda_alloc_pinned(context, (size_t)width * height, &numbers) == RO_OK;
    ro_field field = {width, height, 8 * (ptrdiff_t)width, pixels};
    ro_image out = {RO_INDEX8, width, height, 255, (ptrdiff_t)width, numbers};
    if (done)
        fill(&field);
    else
        fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
    for (int i = first; i < METHODS && done; i++)
        done = measure_device(context, width, height, hogel, &methods[i], &field, &out);
    ro_cuda_free_pinned(pixels);
    ro_cuda_free_pinned(numbers);
    return done;
}

/* ---- Light on a device ---------------------------------------------------------------------- */

/* A picture of stripes in the middle half, at a distance. */
static bool draw_target(ro_context *context, uint32_t width, uint32_t height, ro_image *target,
                        ro_field *field)
{
    if (ro_image_alloc(context, RO_GRAYF, width, height, 1, target) != RO_OK ||
        ro_field_alloc(context, width, height, field) != RO_OK)
        return false;
    for (uint32_t y = 0; y < height; y++) {
        float *t = (float *)((char *)target->data + (ptrdiff_t)y * target->stride);
        float *v = (float *)((char *)field->data + (ptrdiff_t)y * field->stride);
        for (uint32_t x = 0; x < width; x++) {
            const bool inside = x - width / 4 < width / 2 && y - height / 4 < height / 2;
            t[x] =
                inside ? 0.2f + 0.1f * (float)((x * x / 512 + y * 3 + x * y / 1024) / 16 % 8) : 0;
            v[2 * x] = t[x];
            v[2 * x + 1] = 0;
        }
    }
    return true;
}

static bool failed(ro_context *context)
{
    fprintf(stderr, "roundoff: %s\n", ro_context_message(context));
    return false;
}

static bool measure_refine(ro_context *context, uint32_t width, uint32_t height, const char *levels)
{
    ro_image target = {0}, out = {0};
    ro_field field = {0};
    ro_refinement_report report = {0};
    const ro_optics optics = {.wavelength = 532e-9, .pitch = 8e-6};
    bool done = draw_target(context, width, height, &target, &field) &&
                ro_image_alloc(context, RO_INDEX8, width, height, 255, &out) == RO_OK &&
                ro_field_propagate(context, &field, &field, &optics, -0.15) == RO_OK;
    const ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = levels, .optics = optics,
                                         .window = {0, 0, 0.5, 0.5}};
    const ro_refinement how = {RO_REFINEMENT_DEFAULTS, .target = target, .distance = 0.15};
    double best = 0;
    for (int i = -1; i < ROUNDS && done; i++) {
        const double start = bench_seconds();
        done = ro_hologram_refine(context, &field, &out, &options, &how, &report) == RO_OK;
        const double took = bench_seconds() - start;
        best = i <= 0 || took < best ? took : best;
    }
    if (done)
        printf("| refine, %s, %u x %u | %.2f | %d iterations, %d passes, %.1f dB, %.1f %% |\n",
               levels, width, height, 1e3 * best, report.iterations, report.passes, report.psnr,
               100 * report.efficiency);
    else
        failed(context);
    fflush(stdout);
    ro_image_free(&target);
    ro_image_free(&out);
    ro_field_free(&field);
    return done;
}

static bool measure_frames(ro_context *context, uint32_t width, uint32_t height, int count,
                           double distance)
{
    ro_image target = {0}, out[24] = {0};
    ro_field field = {0};
    ro_frames_report report = {0};
    bool done = draw_target(context, width, height, &target, &field);
    for (int i = 0; i < count && done; i++)
        done = ro_image_alloc(context, RO_INDEX8, width, height, 255, &out[i]) == RO_OK;
    const ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = "binary",
                                         .optics = {.wavelength = 532e-9, .pitch = 8e-6},
                                         .window = {0.25, 0.25, 0.4, 0.4}};
    const ro_frames how = {RO_FRAMES_DEFAULTS, .count = count, .distance = distance};
    double best = 0;
    for (int i = -1; i < 2 && done; i++) {
        const double start = bench_seconds();
        done = ro_hologram_frames(context, &field, out, &options, &how, &report) == RO_OK;
        const double took = bench_seconds() - start;
        best = i <= 0 || took < best ? took : best;
    }
    if (done)
        printf("| %d binary frames of %u x %u, %g mm away | %.2f | %.1f dB |\n", count, width,
               height, 1e3 * distance, 1e3 * best, report.psnr);
    else
        failed(context);
    fflush(stdout);
    for (int i = 0; i < count; i++)
        ro_image_free(&out[i]);
    ro_image_free(&target);
    ro_field_free(&field);
    return done;
}

static bool measure_make(ro_context *context, uint32_t size, bool view_specific)
{
    ro_field field = {0};
    const ro_hologram_scene scene = {RO_HOLOGRAM_SCENE_DEFAULTS, .scaled = 1,
                                     .view_specific = view_specific};
    bool done = ro_field_alloc(context, size, size, &field) == RO_OK;
    double best = 0;
    for (int i = -1; i < 2 && done; i++) {
        const double start = bench_seconds();
        done = ro_hologram_make(context, &scene, &field, NULL) == RO_OK;
        const double took = bench_seconds() - start;
        best = i <= 0 || took < best ? took : best;
    }
    if (done)
        printf("| make, dice, %u x %u, %s | %.1f | into host memory |\n", size, size,
               view_specific ? "view-specific" : "whole planes", 1e3 * best);
    else
        failed(context);
    fflush(stdout);
    ro_field_free(&field);
    return done;
}

/* A picture with depths, 4 or 16 layers, that lies on the device: made, rounded, and the level
 * numbers copied to pinned memory, as somebody who feeds a modulator does. */
static bool measure_frame(ro_context *context, int layers)
{
    const uint32_t width = FRAME_WIDTH, height = FRAME_HEIGHT;
    const size_t pixels = (size_t)width * height;
    ro_image target = {0};
    ro_field drawn = {0};
    void *amplitude = NULL, *depths = NULL, *light = NULL, *numbers = NULL;
    bool done = draw_target(context, width, height, &target, &drawn) &&
                ro_cuda_alloc(context, pixels * 4, &amplitude) == RO_OK &&
                ro_cuda_alloc(context, pixels * 4, &depths) == RO_OK &&
                ro_cuda_alloc(context, pixels * 8, &light) == RO_OK &&
                ro_cuda_alloc_pinned(context, pixels, &numbers) == RO_OK;
    for (uint32_t y = 0; y < height && done; y++) {
        float *row = (float *)((char *)target.data + (ptrdiff_t)y * target.stride);
        done =
            ro_cuda_copy(context, (float *)amplitude + (size_t)y * width, row, width * 4) == RO_OK;
        for (uint32_t x = 0; x < width; x++)
            row[x] = 0.2f + 0.02f * (float)((x + y) % 1000) / 1000;
        done &= ro_cuda_copy(context, (float *)depths + (size_t)y * width, row, width * 4) == RO_OK;
    }
    const ptrdiff_t stride = 4 * (ptrdiff_t)width;
    const ro_scene_picture picture = {.amplitude = {RO_GRAYF, width, height, 1, stride, amplitude},
                                      .depths = {RO_GRAYF, width, height, 1, stride, depths}};
    const ro_picture_scene scene = {RO_PICTURE_SCENE_DEFAULTS, .pictures = &picture, .count = 1,
                                    .layers = layers,
                                    .optics = {.wavelength = 532e-9, .pitch = 3.74e-6}};
    ro_field field = {width, height, 8 * (ptrdiff_t)width, light};
    ro_image out = {RO_INDEX8, width, height, 255, (ptrdiff_t)width, numbers};
    double best = 0, best_make = 0;
    for (int i = -1; i < ROUNDS && done; i++) {
        ro_hologram_options how = {RO_HOLOGRAM_DEFAULTS, .levels = "phase:256"};
        const double start = bench_seconds();
        done = ro_hologram_pictures(context, &scene, &field, &how.optics) == RO_OK;
        const double made = bench_seconds() - start;
        done = done && ro_hologram_quantize(context, &field, &out, &how, NULL) == RO_OK;
        const double took = bench_seconds() - start;
        best_make = i <= 0 || made < best_make ? made : best_make;
        best = i <= 0 || took < best ? took : best;
    }
    if (done)
        printf("| a frame, %d layers, %u x %u | %.2f | make %.2f; make, quantize and copy: %.1f "
               "frames a second |\n",
               layers, width, height, 1e3 * best, 1e3 * best_make, 1 / best);
    else
        failed(context);
    fflush(stdout);
    ro_cuda_free(amplitude);
    ro_cuda_free(depths);
    ro_cuda_free(light);
    ro_cuda_free_pinned(numbers);
    ro_image_free(&target);
    ro_field_free(&drawn);
    return done;
}

static bool measure_light(ro_context *context)
{
    printf("\nLight on the device: best of %d host to host (frames and `make`: of 2).\n\n"
           "| what | ms | |\n| ---- | ---: | ---- |\n",
           ROUNDS);
    bool done = measure_refine(context, 512, 512, "phase:256") &&
                measure_refine(context, 512, 512, "phase:4") &&
                measure_refine(context, 512, 512, "binary") &&
                measure_refine(context, 3840, 2160, "phase:256") &&
                measure_refine(context, 3840, 2160, "phase:4");
    done = done && measure_frames(context, 1920, 1080, 24, 0) &&
           measure_frames(context, 1920, 1080, 24, 0.2);
    done = done && measure_frame(context, 4) && measure_frame(context, 16);
    for (int seen = 0; seen < 2; seen++)
        for (uint32_t size = 8192; size <= WHOLE && done; size *= 3)
            done = measure_make(context, size, seen);
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
    if (done && !size)
        done = measure_light(context);
    ro_context_close(context);
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
