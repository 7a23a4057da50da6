/* SPDX-License-Identifier: MIT */
/* Ordered dithering: every method against its definition, rows that are not aligned, screens of any
 * size, and images in device memory. */
#include "halftone/ordered/ordered.h"
#include "cuda/cuda.h"
#include "rocheck.h"
#include "streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const methods[] = {"bayer2",     "bayer4", "bayer8", "bayer16", "clustered-dot",
                                      "blue-noise", "am",     "screen", "random",  "threshold"};
static const enum ordered_rule rules[] = {
    ORDERED_BY_SCREEN, ORDERED_BY_SCREEN, ORDERED_BY_SCREEN, ORDERED_BY_SCREEN, ORDERED_BY_SCREEN,
    ORDERED_BY_SCREEN, ORDERED_BY_SCREEN, ORDERED_BY_SCREEN, ORDERED_BY_HASH,   ORDERED_BY_LIMIT};
enum { METHODS = sizeof methods / sizeof *methods, AM = METHODS - 4 };

static const char *case_name(int number) { return methods[number]; }

static bool supports(int number, const struct variant *variant)
{
    (void)number;
    (void)variant;
    return true;
}

struct trial {
    ro_image in, want, got, values; /* the last is the screen of method screen */
    size_t in_bytes, out_bytes;
    unsigned char *in_memory;
    ro_halftone_options options;
};

static ro_image make_screen(struct check *check, uint32_t width, uint32_t height)
{
    unsigned char *values = malloc((size_t)width * height);
    for (size_t i = 0; i < (size_t)width * height; i++)
        values[i] = (unsigned char)draw(check, 256);
    return (ro_image){.format = RO_GREY8,
                      .width = width,
                      .height = height,
                      .maxval = 255,
                      .stride = (ptrdiff_t)width,
                      .data = values};
}

/* A device makes no numbers of 16 bits. */
static ro_format draw_format(struct check *check)
{
    static const ro_format formats[] = {RO_BITS, RO_BITS, RO_INDEX8, RO_INDEX8, RO_GREY16};
    return formats[draw(check, check->variant->device == RO_DEVICE_CUDA ? 4 : 5)];
}

/* The ones that matter, and any other. */
static int draw_levels(struct check *check, ro_format out, uint32_t white)
{
    static const int common[] = {2, 3, 4, 15, 16, 17, 255, 256, 1024, 4096, 65536};
    const uint32_t most = out == RO_BITS ? 2 : out == RO_INDEX8 ? 256 : 65536;
    const uint32_t held = 16 * white + 1 < most ? 16 * white + 1 : most;
    uint32_t levels =
        draw(check, 3) ? (uint32_t)common[draw(check, 11)] : 2 + draw(check, held - 1);
    return (int)(levels < held ? levels : held);
}

static void make(struct check *check, int number, struct trial *trial)
{
    static const uint32_t whites[] = {255, 255, 255, 1, 100, 65535, 65535, 1000};
    const bool on_device = check->variant->device == RO_DEVICE_CUDA;
    const uint32_t width = 1 + draw(check, draw(check, 3) ? 300 : on_device ? 20000 : 2000);
    const uint32_t height = 1 + draw(check, draw(check, 3) ? 90 : 700);
    const uint32_t white = whites[draw(check, sizeof whites / sizeof *whites)];
    const bool wide = white > 255, aligned = draw(check, 2);
    const ro_format out = draw_format(check);
    *trial = (struct trial){0};
    if (number == METHODS - 3 && draw(check, 8) == 0) /* a large one */
        trial->values = make_screen(check, 1 + draw(check, 2000), 1 + draw(check, 100));
    else
        trial->values = make_screen(check, 1 + draw(check, 40), 1 + draw(check, 40));
    trial->options = (ro_halftone_options){RO_HALFTONE_DEFAULTS, .method = methods[number]};
    if (number == METHODS - 3)
        trial->options.screen = &trial->values;
    if (number == METHODS - 2)
        trial->options.seed = 1 + draw(check, 1000);
    if (number == METHODS - 1)
        trial->options.threshold = 1 + (int)draw(check, 99);
    if (number == AM) {
        trial->options.dpi = 300 + draw(check, 300);
        trial->options.lpi = 30 + draw(check, 100);
        trial->options.angle = draw(check, 360);
    }
    trial->options.levels = draw_levels(check, out, white);
    size_t stride = ((size_t)width << wide) + 2 * draw(check, 20);
    size_t out_stride = ro_format_row_bytes(out, width) + 2 * draw(check, 10);
    if (aligned) {
        stride = (stride + 15) / 16 * 16;
        out_stride = (out_stride + 15) / 16 * 16;
    }
    trial->in_bytes = stride * height;
    trial->in_memory = malloc(trial->in_bytes);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t value =
                draw(check, 16) ? draw(check, white + 1) : draw(check, 2) * white;
            if (wide)
                ((uint16_t *)(void *)(trial->in_memory + y * stride))[x] = (uint16_t)value;
            else
                trial->in_memory[y * stride + x] = (unsigned char)value;
        }
    trial->in = (ro_image){.format = wide ? RO_GREY16 : RO_GREY8,
                           .width = width,
                           .height = height,
                           .maxval = white,
                           .stride = (ptrdiff_t)stride,
                           .data = trial->in_memory};
    trial->out_bytes = out_stride * height + 2 * GUARD;
    trial->want = (ro_image){.format = out,
                             .width = width,
                             .height = height,
                             .maxval = out == RO_GREY16 ? 65535 : 0,
                             .stride = (ptrdiff_t)out_stride,
                             .data = malloc(trial->out_bytes)};
    trial->got = trial->want;
    trial->got.data = malloc(trial->out_bytes);
    memset(trial->want.data, POISON, trial->out_bytes);
}

static void discard(struct trial *trial)
{
    free(trial->in_memory);
    free(trial->want.data);
    free(trial->got.data);
    free(trial->values.data);
}

static bool fails(struct check *check, const struct trial *trial, const char *what)
{
    snprintf(check->failure, sizeof check->failure, "%u x %u, maxval %u, %d levels, %s: %s",
             trial->in.width, trial->in.height, trial->in.maxval, trial->options.levels,
             ro_format_name(trial->got.format), what);
    return false;
}

/* The definition, with the screen that the public call makes. */
static bool run_reference(ro_context *plain, int number, const struct trial *trial)
{
    struct ordered_plan plan = {
        .width = trial->in.width,
        .maxval = trial->in.maxval,
        .sample_bytes = trial->in.format == RO_GREY16 ? 2 : 1,
        .levels = trial->options.levels,
        .bits_out = trial->want.format == RO_BITS,
        .deep = trial->want.format == RO_GREY16,
        .percent = rules[number] == ORDERED_BY_LIMIT ? trial->options.threshold : 0,
        .rule = rules[number],
        .seed = trial->options.seed};
    static const uint32_t sizes[] = {2, 4, 8, 16, 0, 64, 0};
    ro_status status = RO_OK;
    if (number < METHODS - 3)
        status = screen_make(plain,
                             &(ro_screen_options){RO_SCREEN_DEFAULTS,
                                                  .kind = number < 4    ? "bayer"
                                                          : number == 5 ? "void-and-cluster"
                                                                        : methods[number],
                                                  .cell = sizes[number], .lpi = trial->options.lpi,
                                                  .angle = trial->options.angle,
                                                  .dpi = trial->options.dpi},
                             false, &plan.screen);
    else if (number == METHODS - 3)
        status = screen_rank(plain, &trial->values, &plan.screen);
    else
        plan.screen =
            (struct screen){.width = 1, .height = 1, .ranks = calloc(1, sizeof(uint32_t))};
    plan.cells = plan.rule == ORDERED_BY_HASH ? 1u << ORDERED_RANDOM_BITS
                                              : plan.screen.width * plan.screen.height;
    for (uint32_t y = 0; y < trial->in.height && status == RO_OK; y++)
        ordered_row_reference(
            &plan, trial->in_memory + (size_t)y * (size_t)trial->in.stride,
            (unsigned char *)trial->want.data + GUARD + (size_t)y * (size_t)trial->want.stride, y);
    screen_free(&plan.screen);
    return status == RO_OK;
}

/* From device memory to device memory; `shift` bytes off the alignment of the memory. */
static ro_status run_resident(ro_context *context, const struct trial *trial, const ro_image *got,
                              size_t shift)
{
    const size_t out_bytes = (size_t)got->stride * got->height;
    void *in_memory = NULL, *out_memory = NULL;
    ro_image in = trial->in, out = *got;
    ro_status status = cuda_alloc(context, trial->in_bytes + shift, &in_memory);
    if (status == RO_OK)
        status = cuda_alloc(context, out_bytes + shift, &out_memory);
    in.data = (char *)in_memory + shift;
    out.data = (char *)out_memory + shift;
    if (status == RO_OK)
        status = cuda_copy(context, in.data, trial->in_memory, trial->in_bytes);
    if (status == RO_OK)
        status = cuda_copy(context, out.data, got->data, out_bytes);
    if (status == RO_OK)
        status = halftone_there(context, &in, &out, 1, &trial->options, cuda_stream(context));
    if (status == RO_OK)
        status = cuda_wait(context);
    if (status == RO_OK)
        status = cuda_copy(context, got->data, out.data, out_bytes);
    cuda_free(in_memory);
    cuda_free(out_memory);
    return status;
}

static bool run_public(ro_context *context, const struct trial *trial, struct check *check)
{
    const bool on_device = check->variant->device == RO_DEVICE_CUDA;
    ro_image got = trial->got;
    got.data = (unsigned char *)got.data + GUARD;
    memset(trial->got.data, POISON, trial->out_bytes);
    ro_status status = on_device && draw(check, 2)
                           ? run_resident(context, trial, &got, 2 * draw(check, 2))
                           : ro_halftone(context, &trial->in, &got, &trial->options);
    if (status != RO_OK)
        return fails(check, trial, ro_context_message(context));
    const ro_report *report = ro_context_report(context);
    if (report->device != check->variant->device ||
        (on_device ? report->launches == 0 : report->cpu != check->variant->cpu))
        return fails(check, trial, "another variant ran than was asked for");
    char where[WHERE_BYTES];
    return same_bytes(&trial->want, &trial->got, trial->out_bytes, where) ||
           fails(check, trial, where);
}

static bool test(int number, struct check *check)
{
    const ro_context_options simple = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                       .cpu = RO_CPU_SCALAR, .threads = 1};
    const ro_context_options how = {RO_CONTEXT_DEFAULTS, .device = check->variant->device,
                                    .cpu = check->variant->cpu, .threads = 2};
    ro_context *plain = NULL, *context = NULL;
    bool right =
        ro_context_open(&simple, &plain) == RO_OK && ro_context_open(&how, &context) == RO_OK;
    for (int i = 0; i < 25 && right; i += check->few) {
        struct trial trial;
        make(check, number, &trial);
        right = run_reference(plain, number, &trial);
        for (int r = 0; r < check->repeats && right; r++)
            right = run_public(context, &trial, check);
        discard(&trial);
    }
    ro_context_close(context);
    ro_context_close(plain);
    return right;
}

static double bench(int number, const struct variant *variant, int threads)
{
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = methods[number]};
    if (number == METHODS - 3) /* it needs a screen */
        return 0;
    return halftone_speed(variant, threads, 4096, &options);
}

const struct suite ordered_suite = {
    .name = "ordered",
    .cases = METHODS,
    .case_name = case_name,
    .supports = supports,
    .test = test,
    .bench = bench,
};
