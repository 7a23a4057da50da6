/* SPDX-License-Identifier: MIT */
/* Search among colours: palettes of every size and levels, sizes from a pixel up. */
#include "context/context.h"
#include "rocheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int least, most; /* colours; 0: levels of grey */
} cases[] = {
    {"levels", 0, 0},
    {"palette-few", 2, 16},
    {"palette-many", 17, 256},
};

static const char *case_name(int number) { return cases[number].name; }

static bool supports(int number, const struct variant *variant)
{
    (void)number;
    return variant->device == RO_DEVICE_CPU;
}

struct trial {
    ro_image in, want, got;
    size_t out_bytes;
    ro_palette palette;
    ro_halftone_options options;
};

/* Colours anywhere, or near each other, or some of them twice. */
static void make_palette(struct check *check, int number, ro_palette *palette)
{
    const uint32_t kind = draw(check, 3);
    palette->count = cases[number].least +
                     (int)draw(check, (uint32_t)(cases[number].most - cases[number].least + 1));
    for (int k = 0; k < palette->count; k++)
        for (int c = 0; c < 3; c++)
            palette->colours[k][c] = (uint8_t)(kind == 1        ? 100 + draw(check, 20)
                                               : draw(check, 2) ? draw(check, 256)
                                                                : 255 * draw(check, 2));
    if (kind == 2)
        memcpy(palette->colours[palette->count - 1], palette->colours[0], 3);
    palette->colours[0][0] ^= 255; /* two differ */
}

static void make(struct check *check, int number, struct trial *trial)
{
    static const char *const starts[] = {NULL, "floyd-steinberg", "blue-noise", "bayer"};
    const bool colour = cases[number].least > 0, wide = draw(check, 3) == 0;
    const uint32_t width = 1 + draw(check, draw(check, 4) ? 90 : 20);
    const uint32_t height = 1 + draw(check, draw(check, 4) ? 70 : 6);
    const uint32_t kind = draw(check, 4), flat = draw(check, 256), each = colour ? 3 : 1;
    const size_t stride = ((size_t)width * each << wide) + 2 * draw(check, 20);
    const size_t out_stride = width + draw(check, 20);
    uint8_t *pixels = malloc(stride * height);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width * each; x++) {
            const uint32_t value = kind == 0   ? draw(check, 256)
                                   : kind == 1 ? flat
                                   : kind == 2 ? x * 255 / (width * each)
                                               : draw(check, 2) * 255;
            if (wide)
                ((uint16_t *)(void *)(pixels + y * stride))[x] = (uint16_t)(257 * value);
            else
                pixels[y * stride + x] = (uint8_t)value;
        }
    *trial = (struct trial){.out_bytes = out_stride * height + 2 * GUARD};
    trial->in = (ro_image){.format = colour ? wide ? RO_RGB16 : RO_RGB8
                                     : wide ? RO_GREY16
                                            : RO_GREY8,
                           .width = width,
                           .height = height,
                           .maxval = 0,
                           .stride = (ptrdiff_t)stride,
                           .data = pixels};
    trial->want = (ro_image){.format = RO_INDEX8,
                             .width = width,
                             .height = height,
                             .maxval = 0,
                             .stride = (ptrdiff_t)out_stride,
                             .data = malloc(trial->out_bytes)};
    trial->got = trial->want;
    trial->got.data = malloc(trial->out_bytes);
    memset(trial->want.data, POISON, trial->out_bytes);
    memset(trial->got.data, POISON, trial->out_bytes);
    trial->options = (ro_halftone_options){RO_HALFTONE_DEFAULTS, .method = "search"};
    trial->options.swaps = draw(check, 3) == 0;
    if (draw(check, 2))
        trial->options.rounds = 1 + (int)draw(check, 3);
    if (colour) {
        make_palette(check, number, &trial->palette);
        trial->options.fit = draw(check, 3) == 0 ? RO_FIT_FULL : RO_FIT_NONE;
        trial->options.start = starts[draw(check, 4)];
    } else {
        trial->options.levels = 2 + (int)draw(check, draw(check, 2) ? 15 : 255);
    }
}

static void discard(struct trial *trial)
{
    free(trial->in.data);
    free(trial->want.data);
    free(trial->got.data);
}

static bool fails(struct check *check, const struct trial *trial, const char *what)
{
    snprintf(check->failure, sizeof check->failure,
             "%u x %u, %d colours, %d levels, %d rounds%s: %s", trial->in.width, trial->in.height,
             trial->palette.count, trial->options.levels, trial->options.rounds,
             trial->options.swaps ? ", swaps" : "", what);
    return false;
}

static bool run(ro_context *context, struct trial *trial, const ro_image *out, ro_cpu cpu,
                struct check *check)
{
    ro_image image = *out;
    image.data = (uint8_t *)image.data + GUARD;
    if (trial->palette.count)
        trial->options.palette = &trial->palette;
    if (ro_halftone(context, &trial->in, &image, &trial->options) != RO_OK)
        return fails(check, trial, ro_context_message(context));
    if (ro_context_report(context)->cpu != cpu)
        return fails(check, trial, "another variant ran than was asked for");
    return true;
}

static bool test(int number, struct check *check)
{
    static const struct variant plain = {"scalar", RO_DEVICE_CPU, RO_CPU_SCALAR};
    ro_context *scalar = open_variant(&plain, 1);
    bool right = scalar != NULL;
    for (int threads = 1; threads <= 3 && right; threads++) {
        ro_context *context = open_variant(check->variant, threads);
        right = context != NULL;
        for (int i = 0; i < 16 && right; i += check->few) {
            struct trial trial;
            char where[WHERE_BYTES];
            make(check, number, &trial);
            right = run(scalar, &trial, &trial.want, RO_CPU_SCALAR, check);
            for (int r = 0; r < check->repeats && right; r++)
                right = run(context, &trial, &trial.got, check->variant->cpu, check) &&
                        (same_bytes(&trial.want, &trial.got, trial.out_bytes, where) ||
                         fails(check, &trial, where));
            discard(&trial);
        }
        ro_context_close(context);
    }
    ro_context_close(scalar);
    return right;
}

static double bench(int number, const struct variant *variant, int threads)
{
    const ro_halftone_options options = {RO_HALFTONE_DEFAULTS, .method = "search"};
    return cases[number].least ? 0 : halftone_speed(variant, threads, 1024, &options);
}

const struct suite seek_suite = {
    .name = "colour-search",
    .cases = sizeof cases / sizeof *cases,
    .case_name = case_name,
    .supports = supports,
    .test = test,
    .bench = bench,
};
