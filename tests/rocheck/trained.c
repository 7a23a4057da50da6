/* SPDX-License-Identifier: MIT */
/*
 * Model trained of a denoising: both networks on pictures of every format, against the reference
 * schedule; sizes from a pixel up, several threads.
 */
#include "rocheck.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    ro_format format;
    uint32_t white; /* 0: floats */
    int bytes, channels;
    bool counts; /* noise that grows with the tone, which is found */
} forms[] = {
    {"grey", RO_GREY8, 255, 1, 1, false},       {"few-levels", RO_GREY8, 90, 1, 1, false},
    {"deep", RO_GREY16, 65535, 2, 1, false},    {"float", RO_GREYF, 0, 4, 1, false},
    {"colour", RO_RGB8, 255, 1, 3, false},      {"deep-colour", RO_RGB16, 65535, 2, 3, false},
    {"counts", RO_GREY16, 2047, 2, 1, true},    {"float-counts", RO_GREYF, 0, 4, 1, true},
    {"colour-counts", RO_RGB8, 255, 1, 3, true}};
enum { FORMS = sizeof forms / sizeof *forms, TRIALS = 8 };

static const char *case_name(int number)
{
    static char name[32];
    snprintf(name, sizeof name, "%s/%s", forms[number / 2].name, number % 2 ? "best" : "fast");
    return name;
}

static bool supports(int number, const struct variant *variant)
{
    (void)number;
    (void)variant;
    return true;
}

static uint32_t draw_side(struct check *check)
{
    static const uint32_t odd[] = {1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129};
    return draw(check, 2) ? odd[draw(check, 16)] : 1 + draw(check, 150);
}

/* A ramp from dark to bright, in parts of white, with noise whose variance grows along it. */
static double counts_at(struct check *check, double share)
{
    const double tone = 0.05 + 0.7 * share, deviation = 0.06 * sqrt(tone);
    double sum = -2;
    for (int k = 0; k < 4; k++)
        sum += draw(check, 65536) / 65536.0;
    return tone + sqrt(3) * deviation * sum;
}

/* Noise, black and white, or a ramp with noise. */
static void fill(struct check *check, const ro_image *image, int number)
{
    const uint32_t kind = draw(check, 3);
    const bool counts = forms[number / 2].counts;
    const size_t samples = (size_t)image->width * (size_t)forms[number / 2].channels;
    const double white = forms[number / 2].white;
    for (uint32_t y = 0; y < image->height; y++) {
        char *row = (char *)image->data + (ptrdiff_t)y * image->stride;
        for (size_t i = 0; i < samples; i++) {
            const double v = counts      ? counts_at(check, (double)i / (double)samples)
                             : kind == 0 ? draw(check, 65536) / 65535.0
                             : kind == 1
                                 ? draw(check, 2)
                                 : 0.8 * (double)i / (double)samples + draw(check, 200) / 1000.0;
            if (forms[number / 2].bytes == 1)
                ((uint8_t *)row)[i] = (uint8_t)(v * white);
            else if (forms[number / 2].bytes == 2)
                ((uint16_t *)(void *)row)[i] = (uint16_t)(v * white);
            else
                ((float *)(void *)row)[i] = (float)(v * 3 - 1);
        }
    }
}

static bool try_one(int number, struct check *check, ro_context *plain, ro_context *context)
{
    static const double noises[] = {0.02, 1, 5, 25, 80, 900};
    const bool counts = forms[number / 2].counts;
    const uint32_t width = counts ? 250 + draw(check, 60) : draw_side(check),
                   height = counts ? 250 + draw(check, 60) : draw_side(check);
    const size_t stride = ro_format_row_bytes(forms[number / 2].format, width);
    const size_t bytes = stride * height + 2 * GUARD;
    ro_image in = {.format = forms[number / 2].format,
                   .width = width,
                   .height = height,
                   .maxval = forms[number / 2].white,
                   .stride = (ptrdiff_t)stride,
                   .data = malloc(stride * height)};
    unsigned char *want = malloc(bytes), *got = malloc(bytes);
    ro_image out = in, guarded = in, result = in;
    ro_denoise_options options = {
        RO_DENOISE_DEFAULTS, .model = "trained", .quality = number % 2 ? "best" : "fast",
        .noise_level = counts ? RO_DEFAULT : noises[draw(check, 6)], .schedule = "reference"};
    ro_denoise_report report = {.size = sizeof report};
    char where[WHERE_BYTES];
    bool right = true;
    fill(check, &in, number);
    memset(want, POISON, bytes);
    out.data = want + GUARD;
    if (ro_denoise(plain, &in, &out, &options, &report) != RO_OK) {
        snprintf(check->failure, sizeof check->failure, "%s", ro_context_message(plain));
        right = false;
    } else if (counts && !(report.noise_dark < 0.6 * report.noise)) {
        snprintf(check->failure, sizeof check->failure, "noise of %g to %g was found",
                 report.noise_dark, report.noise);
        right = false;
    }
    options.schedule = NULL;
    out.data = got + GUARD;
    guarded.data = want;
    result.data = got;
    for (int r = 0; r < check->repeats && right; r++) {
        memset(got, POISON, bytes);
        right = ro_denoise(context, &in, &out, &options, NULL) == RO_OK;
        if (!right)
            snprintf(check->failure, sizeof check->failure, "%s", ro_context_message(context));
        else if (ro_context_report(context)->device != check->variant->device ||
                 (check->variant->device == RO_DEVICE_CPU &&
                  ro_context_report(context)->cpu != check->variant->cpu))
            right = !snprintf(check->failure, sizeof check->failure, "another variant ran");
        else if (!same_bytes(&guarded, &result, bytes, where))
            right = !snprintf(check->failure, sizeof check->failure, "%u x %u, noise %g: %s", width,
                              height, options.noise_level, where);
    }
    free(in.data);
    free(want);
    free(got);
    return right;
}

static bool test(int number, struct check *check)
{
    const struct variant scalar = {"scalar", RO_DEVICE_CPU, RO_CPU_SCALAR};
    ro_context *plain = open_variant(&scalar, 1);
    bool right = plain != NULL;
    for (int threads = 1; threads <= 3 && right; threads++) {
        ro_context *context = open_variant(check->variant, threads);
        right = context != NULL;
        for (int i = 0; i < (forms[number / 2].counts ? 1 : TRIALS) && right; i += check->few)
            right = try_one(number, check, plain, context);
        ro_context_close(context);
    }
    ro_context_close(plain);
    return right;
}

struct work {
    ro_context *context;
    ro_image image;
    ro_denoise_options options;
};

static bool run(void *data)
{
    struct work *work = data;
    return ro_denoise(work->context, &work->image, &work->image, &work->options, NULL) == RO_OK;
}

static double bench(int number, const struct variant *variant, int threads)
{
    enum { SIDE = 1024 };
    struct work work = {.options = {RO_DENOISE_DEFAULTS, .model = "trained", .noise_level = 20,
                                    .quality = number % 2 ? "best" : "fast"}};
    double best = 0;
    if (variant->cpu == RO_CPU_SCALAR || forms[number / 2].white == 0 ||
        !(work.context = open_variant(variant, threads)))
        return 0;
    if (ro_image_alloc(work.context, forms[number / 2].format, SIDE, SIDE, forms[number / 2].white,
                       &work.image) == RO_OK &&
        ro_testcard(work.context, &work.image) == RO_OK)
        best = best_speed(3, (double)SIDE * SIDE, run, &work);
    ro_image_free(&work.image);
    ro_context_close(work.context);
    return best;
}

const struct suite trained_suite = {
    .name = "trained",
    .cases = 2 * FORMS,
    .case_name = case_name,
    .supports = supports,
    .test = test,
    .bench = bench,
};
