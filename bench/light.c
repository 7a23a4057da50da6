/* SPDX-License-Identifier: MIT */
/* Light on a device: refinement, frames in time, frames of a scene, whole holograms. */
#include "bench.h"
#include "timing.h"

#include "cuda/cuda.h"
#include "roundoff/hologram.h"

#include <stdio.h>

enum { ROUNDS = 5, WHOLE = 24576, FRAME_WIDTH = 4096, FRAME_HEIGHT = 2400 };

/* A picture of stripes in the middle half, at a distance. */
static bool draw_target(ro_context *context, uint32_t width, uint32_t height, ro_image *target,
                        ro_field *field)
{
    if (ro_image_alloc(context, RO_GREYF, width, height, 1, target) != RO_OK ||
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
    ro_refinement_report report = {.size = sizeof report};
    const ro_optics optics = {.wavelength = 532e-9, .pitch = 8e-6};
    bool done = draw_target(context, width, height, &target, &field) &&
                ro_image_alloc(context, RO_INDEX8, width, height, 255, &out) == RO_OK &&
                ro_field_propagate(context, &field, &field, &optics, -0.15) == RO_OK;
    const ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .levels = levels, .optics = optics,
                                         .window = {0, 0, 0.5, 0.5}};
    const ro_refinement how = {RO_REFINEMENT_DEFAULTS, .target = target, .distance = 0.15};
    ro_refinement start_alone = how;
    start_alone.iterations = start_alone.passes = 0;
    double best = 0, alone = 0;
    for (int i = -1; i < ROUNDS && done; i++) {
        const double start = bench_seconds();
        done = ro_hologram_refine(context, &field, &out, &options, &start_alone, NULL) == RO_OK;
        const double middle = bench_seconds();
        done = done && ro_hologram_refine(context, &field, &out, &options, &how, &report) == RO_OK;
        const double took = bench_seconds() - middle;
        alone = i <= 0 || middle - start < alone ? middle - start : alone;
        best = i <= 0 || took < best ? took : best;
    }
    if (done)
        printf("| refine, %s, %u x %u | %.2f | %d iterations, %d passes, %.1f dB, %.1f %%; the "
               "start alone %.2f ms |\n",
               levels, width, height, 1e3 * best, report.iterations, report.passes, report.psnr,
               100 * report.efficiency, 1e3 * alone);
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
    ro_frames_report report = {.size = sizeof report};
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
    const ro_hologram_scene scene = {RO_HOLOGRAM_SCENE_DEFAULTS, .view_specific = view_specific};
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
                cuda_alloc(context, pixels * 4, &amplitude) == RO_OK &&
                cuda_alloc(context, pixels * 4, &depths) == RO_OK &&
                cuda_alloc(context, pixels * 8, &light) == RO_OK &&
                cuda_alloc_pinned(context, pixels, &numbers) == RO_OK;
    for (uint32_t y = 0; y < height && done; y++) {
        float *row = (float *)((char *)target.data + (ptrdiff_t)y * target.stride);
        done = cuda_copy(context, (float *)amplitude + (size_t)y * width, row, width * 4) == RO_OK;
        for (uint32_t x = 0; x < width; x++)
            row[x] = 0.2f + 0.02f * (float)((x + y) % 1000) / 1000;
        done &= cuda_copy(context, (float *)depths + (size_t)y * width, row, width * 4) == RO_OK;
    }
    const ptrdiff_t stride = 4 * (ptrdiff_t)width;
    const ro_scene_picture picture = {.amplitude = {.format = RO_GREYF,
                                                    .width = width,
                                                    .height = height,
                                                    .maxval = 1,
                                                    .stride = stride,
                                                    .data = amplitude},
                                      .depths = {.format = RO_GREYF,
                                                 .width = width,
                                                 .height = height,
                                                 .maxval = 1,
                                                 .stride = stride,
                                                 .data = depths}};
    const ro_picture_scene scene = {RO_PICTURE_SCENE_DEFAULTS, .pictures = &picture, .count = 1,
                                    .layers = layers,
                                    .optics = {.wavelength = 532e-9, .pitch = 3.74e-6}};
    ro_field field = {width, height, 8 * (ptrdiff_t)width, light};
    ro_image out = ro_image_view(RO_INDEX8, width, height, numbers);
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
    cuda_free(amplitude);
    cuda_free(depths);
    cuda_free(light);
    cuda_free_pinned(numbers);
    ro_image_free(&target);
    ro_field_free(&drawn);
    return done;
}

static bool measure(ro_context *context, uint32_t side)
{
    if (side)
        return measure_refine(context, side, side, "phase:256") &&
               measure_make(context, side, false) && measure_make(context, side, true);
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

static int run(const struct bench_options *options)
{
    if (!options->cuda) {
        fprintf(stderr, "roundoff: bench light measures a CUDA device: --device cuda\n");
        return 1;
    }
    ro_context *context = bench_device();
    if (!context)
        return 1;
    printf("Light on the device. ");
    print_machine();
    printf("Best of %d host to host (frames and `make`: of 2).\n\n"
           "| what | ms | |\n| ---- | ---: | ---- |\n",
           ROUNDS);
    const bool done = measure(context, (uint32_t)options->size);
    ro_context_close(context);
    return done ? 0 : 1;
}

const struct bench bench_light = {
    .name = "light",
    .summary = "holograms made, refined and shown in frames by a CUDA device",
    .cuda = true,
    .alone = true,
    .run = run,
};
