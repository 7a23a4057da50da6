/* SPDX-License-Identifier: MIT */
/*
 * Images in device memory: batches on the caller's stream, rows that are not aligned, and many
 * launches of changing size on one context, past the wrap of the tag that tells launches apart.
 */
#include "core/cuda.h"
#include "rocheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"batch", "odd-rows", "many-launches"};

static const char *case_name(int number) { return names[number]; }

static bool supports(int number, const struct variant *variant)
{
    (void)number;
    return variant->device == RO_DEVICE_CUDA;
}

/* A context on the device and one on the CPU, whose result is the one to match. */
struct pair {
    ro_context *device, *cpu;
};

static bool fail(struct check *check, const char *what, const ro_context *context)
{
    snprintf(check->failure, sizeof check->failure, "%s: %s", what, ro_context_message(context));
    return false;
}

/* `count` images of one shape in one call, compared with the CPU. */
static bool try_batch(struct check *check, struct pair *pair, uint32_t width, uint32_t height,
                      uint32_t count, size_t in_pitch, size_t out_pitch, bool compare)
{
    size_t in_bytes = in_pitch * height, out_bytes = out_pitch * height;
    unsigned char *pixels = malloc(in_bytes * count), *got = malloc(out_bytes * count);
    unsigned char *want = calloc(out_bytes, 1);
    ro_image *in = calloc(count, sizeof *in), *out = calloc(count, sizeof *out);
    void *device_in = NULL, *device_out = NULL;
    bool right = false;
    for (size_t i = 0; i < in_bytes * count; i++)
        pixels[i] = (unsigned char)draw(check, 256);
    if (ro_cuda_alloc(pair->device, in_bytes * count, &device_in) != RO_OK ||
        ro_cuda_alloc(pair->device, out_bytes * count, &device_out) != RO_OK ||
        ro_cuda_copy(pair->device, device_in, pixels, in_bytes * count) != RO_OK ||
        ro_cuda_fill(pair->device, device_out, 0xa5, out_bytes * count) != RO_OK) {
        fail(check, "memory", pair->device);
        goto done;
    }
    for (uint32_t i = 0; i < count; i++) {
        in[i] = (ro_image){RO_GRAY8,
                           width,
                           height,
                           255,
                           (ptrdiff_t)in_pitch,
                           (unsigned char *)device_in + i * in_bytes};
        out[i] = (ro_image){RO_BITS,
                            width,
                            height,
                            0,
                            (ptrdiff_t)out_pitch,
                            (unsigned char *)device_out + i * out_bytes};
    }
    if (ro_halftone_device(pair->device, in, out, count, NULL, ro_cuda_stream(pair->device)) !=
            RO_OK ||
        ro_cuda_wait(pair->device) != RO_OK ||
        ro_cuda_copy(pair->device, got, device_out, out_bytes * count) != RO_OK) {
        fail(check, "run", pair->device);
        goto done;
    }
    right = true;
    for (uint32_t i = 0; i < count && right && compare; i++) {
        ro_image host_in = in[i], host_out = out[i];
        host_in.data = pixels + i * in_bytes;
        host_out.data = want;
        if (ro_halftone(pair->cpu, &host_in, &host_out, NULL) != RO_OK) {
            right = fail(check, "cpu", pair->cpu);
            break;
        }
        for (uint32_t y = 0; y < height && right; y++)
            if (memcmp(want + y * out_pitch, got + i * out_bytes + y * out_pitch,
                       (width + 7) / 8) != 0) {
                snprintf(check->failure, sizeof check->failure,
                         "%u x %u, image %u of %u differs in row %u", width, height, i, count, y);
                right = false;
            }
    }
done:
    ro_cuda_free(device_in);
    ro_cuda_free(device_out);
    free(pixels);
    free(got);
    free(want);
    free(in);
    free(out);
    return right;
}

/* Launches of changing size without looking, then one that is looked at, again and again. */
static bool try_many(struct check *check, struct pair *pair)
{
    enum { LAUNCHES = 70000, LOOKS = 70, SIDE = 512 };
    void *in = NULL, *out = NULL;
    bool right = ro_cuda_alloc(pair->device, SIDE * SIDE, &in) == RO_OK &&
                 ro_cuda_alloc(pair->device, SIDE * SIDE, &out) == RO_OK &&
                 ro_cuda_fill(pair->device, in, 0x5a, SIDE * SIDE) == RO_OK;
    void *stream = ro_cuda_stream(pair->device);
    for (int i = 0; i < LAUNCHES && right; i++) {
        uint32_t width = 1 + draw(check, SIDE), height = 1 + draw(check, SIDE);
        ro_image view_in = {RO_GRAY8, width, height, 255, SIDE, in};
        ro_image view_out = {RO_BITS, width, height, 0, SIDE / 8, out};
        right = ro_halftone_device(pair->device, &view_in, &view_out, 1, NULL, stream) == RO_OK;
        if (right && i % (LAUNCHES / LOOKS) == 0)
            right = try_batch(check, pair, width, height, 1, (width + 15) / 16 * 16,
                              (width + 31) / 32 * 4, true);
    }
    if (!right && !check->failure[0])
        fail(check, "launch", pair->device);
    ro_cuda_free(in);
    ro_cuda_free(out);
    return right;
}

static bool test(int number, struct check *check)
{
    struct pair pair = {0};
    ro_context_options on_device = {.device = RO_DEVICE_CUDA}, on_cpu = {.device = RO_DEVICE_CPU};
    if (ro_context_open(&on_device, &pair.device) != RO_OK ||
        ro_context_open(&on_cpu, &pair.cpu) != RO_OK) {
        snprintf(check->failure, sizeof check->failure, "no context");
        return false;
    }
    bool right = true;
    if (number == 0)
        right = try_batch(check, &pair, 2048, 300, 64, 2048, 256, true) &&
                try_batch(check, &pair, 100, 1000, 70, 112, 16, true) &&
                try_batch(check, &pair, 333, 129, 3, 336, 44, true);
    for (int i = 0; number == 1 && right && i < 40; i++) {
        uint32_t width = 1 + draw(check, 400), height = 1 + draw(check, 300);
        right = try_batch(check, &pair, width, height, 1 + draw(check, 3), width + draw(check, 7),
                          (width + 7) / 8 + draw(check, 5), true);
    }
    if (number == 2)
        right = try_many(check, &pair);
    ro_context_close(pair.device);
    ro_context_close(pair.cpu);
    return right;
}

static double bench(int number, const struct variant *variant, int threads)
{
    (void)number, (void)variant, (void)threads;
    return 0;
}

static void steps(int number, const struct variant *variant) { (void)number, (void)variant; }

const struct suite device_suite = {
    .name = "device",
    .cases = sizeof names / sizeof *names,
    .case_name = case_name,
    .supports = supports,
    .test = test,
    .bench = bench,
    .steps = steps,
};
