/* SPDX-License-Identifier: MIT */
#include "hdl/models.h"

#include "core/random.h"
#include "denoise/denoise.h"
#include "denoise/diffusion.h"
#include "roundoff.h"
#include "segment/levelset/levelset.h"
#include "segment/segment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ro_context *context_of(void)
{
    static ro_context *context;
    if (!context && ro_context_open(NULL, &context) != RO_OK)
        exit(1);
    return context;
}

static void expect(ro_status status)
{
    if (status == RO_OK)
        return;
    fprintf(stderr, "%s\n", ro_context_message(context_of()));
    exit(1);
}

uint32_t model_random(uint32_t seed, uint32_t x, uint32_t y) { return pixel_hash(seed, x, y); }

struct model_numbers model_levelset_numbers(const char *number, const char *norm)
{
    const struct level_number *n = level_number_find(number);
    const struct level_norm *a = level_norm_find(norm);
    struct model_numbers numbers = {n->min, n->max, 0, 0, n->bits, a->a};
    numbers.fastest = (int32_t)floor(level_bound(a) * (1 << n->bits));
    while (1 << numbers.phi_bits <= n->max - n->min)
        numbers.phi_bits++;
    return numbers;
}

void model_levelset(const struct model_numbers *numbers, uint32_t width, uint32_t height,
                    int16_t *phi, const int16_t *speed, uint32_t steps)
{
    const size_t pitch = width * sizeof *phi, bytes = pitch * height;
    int16_t *other = malloc(bytes);
    struct level_front front = {
        .level = {.width = width,
                  .height = height,
                  .a = numbers->a,
                  .bits = numbers->speed_bits,
                  .min = numbers->min,
                  .max = numbers->max},
        .phi = {{(char *)phi, pitch, NULL}, {(char *)other, pitch, NULL}},
        .speed = {(char *)(uintptr_t)speed, pitch, NULL},
    };
    for (uint32_t i = 0; i < steps; i++)
        level_step_ref(&front);
    if (front.now == 1)
        memcpy(phi, other, bytes);
    free(other);
}

static void move_field(const struct level_front *front, const struct level_field *field,
                       int16_t *pixels, bool in)
{
    const size_t bytes = front->level.width * sizeof *pixels;
    for (uint32_t y = 0; y < front->level.height; y++) {
        char *row = field->data + y * field->pitch;
        int16_t *pixel = pixels + (size_t)y * front->level.width;
        memcpy(in ? (void *)row : (void *)pixel, in ? (void *)pixel : (void *)row, bytes);
    }
    if (in)
        level_field_mirror(&front->level, field);
}

struct model_run model_levelset_run(const char *number, const char *norm, uint32_t width,
                                    uint32_t height, int16_t *phi, int16_t *speed, uint32_t steps)
{
    struct ro_segmentation work = {
        .context = context_of(),
        .options = {RO_SEGMENT_DEFAULTS, .iterations = steps},
        .width = width,
        .height = height,
        .number = level_number_find(number),
        .norm = level_norm_find(norm),
        .scale = {1},
        .report.label = {{.used = 1}},
    };
    struct level_front *front = &work.front[0];
    front->level = (struct front_level){.width = width,
                                        .height = height,
                                        .a = work.norm->a,
                                        .bits = work.number->bits,
                                        .min = work.number->min,
                                        .max = work.number->max};
    struct level_field *const fields[] = {&front->phi[0], &front->phi[1], &front->speed};
    for (int i = 0; i < 3; i++)
        expect(level_field_make(work.context, &front->level, fields[i]));
    move_field(front, &front->phi[0], phi, true);
    move_field(front, &front->speed, speed, true);
    expect(fronts_evolve(&work));
    move_field(front, &front->phi[front->now], phi, false);
    move_field(front, &front->speed, speed, false);
    for (int i = 0; i < 3; i++)
        level_field_free(fields[i]);
    const ro_segment_label *label = &work.report.label[0];
    return (struct model_run){label->steps, label->rescalings, label->ended || label->stalled};
}

/* ---- Diffusion ------------------------------------------------------------------------------- */

void model_diffusion(uint32_t width, uint32_t height, int32_t *numbers, uint32_t time, bool nearest,
                     uint32_t steps)
{
    const size_t size = (size_t)width * height, bytes = size * sizeof *numbers;
    const struct diffusion_parameters parameters = {.width = width,
                                                    .height = height,
                                                    .planes = 1,
                                                    .model = RO_MODEL_LINEAR,
                                                    .nearest = nearest,
                                                    .time = time,
                                                    .kappa = 1};
    struct step_weights *diffusion = malloc(sizeof *diffusion);
    int32_t *out = malloc(bytes), *scratch = malloc(4 * bytes);
    diffusion_make(diffusion, &parameters);
    for (uint32_t i = 0; i < steps; i++) {
        diffusion_step_ref(diffusion, numbers, numbers, out, scratch);
        memcpy(numbers, out, bytes);
    }
    free(diffusion);
    free(out);
    free(scratch);
}

static void xpp24_of(uint32_t width, uint32_t height, uint32_t time, double kappa, double sigma,
                     struct xpp24 *xpp)
{
    const struct diffusion_parameters parameters = {.width = width,
                                                    .height = height,
                                                    .planes = 1,
                                                    .model = RO_MODEL_PERONA_MALIK,
                                                    .time = time,
                                                    .kappa = kappa,
                                                    .sigma = sigma};
    xpp24_make(xpp, &parameters);
}

static void xpp24_run(uint32_t width, uint32_t height, const int32_t *numbers,
                      const struct xpp24 *xpp, int32_t *words, int32_t *out)
{
    const size_t bytes = (size_t)width * height * sizeof *numbers;
    int32_t *scratch = malloc(3 * bytes);
    xpp24_step(xpp, numbers, out, scratch);
    memcpy(words, scratch, bytes);
    free(scratch);
}

void model_xpp24(uint32_t width, uint32_t height, const int32_t *numbers, uint32_t time,
                 int32_t *words, int32_t *out)
{
    struct xpp24 xpp;
    xpp24_of(width, height, time, 200000, 0.5, &xpp);
    xpp24_run(width, height, numbers, &xpp, words, out);
}

void model_xpp24_words(uint32_t width, uint32_t height, const int32_t *numbers, uint32_t time,
                       double kappa, int32_t *words)
{
    struct xpp24 xpp;
    int32_t *out = malloc((size_t)width * height * sizeof *out);
    xpp24_of(width, height, time, kappa, 0, &xpp);
    xpp24_run(width, height, numbers, &xpp, words, out);
    free(out);
}

void model_xpp24_scale(double kappa, int *shift, uint32_t *factor)
{
    struct xpp24 xpp;
    xpp24_of(1, 1, RO_TIME_ONE, kappa, 0, &xpp);
    *shift = xpp.diffusion.shift;
    *factor = xpp.diffusion.factor;
}

void model_xpp24_iterate(uint32_t width, uint32_t height, const int32_t *words, uint32_t time,
                         const int32_t *r, int32_t *x, uint32_t iterations)
{
    const size_t bytes = (size_t)width * height * sizeof *x;
    int32_t *next = malloc(bytes);
    for (uint32_t i = 0; i < iterations; i++) {
        xpp24_iterate(words, width, height, time, r, x, next);
        memcpy(x, next, bytes);
    }
    free(next);
}

/* ---- Halftones ------------------------------------------------------------------------------- */

struct halftone {
    ro_image in, out;
    ro_halftone_options options;
};

static struct halftone halftone_of(const char *method, int levels, uint32_t maxval, uint32_t width,
                                   uint32_t height, const uint16_t *samples, uint8_t *out)
{
    return (struct halftone){
        .in = {.format = RO_GREY16,
               .width = width,
               .height = height,
               .maxval = maxval,
               .stride = (ptrdiff_t)(2 * width),
               .data = (void *)(uintptr_t)samples},
        .out = {.format = RO_INDEX8,
                .width = width,
                .height = height,
                .maxval = (uint32_t)(levels - 1),
                .stride = (ptrdiff_t)width,
                .data = out},
        .options = {RO_HALFTONE_DEFAULTS, .method = method, .levels = levels},
    };
}

void model_halftone(const char *method, int levels, uint32_t maxval, uint32_t width,
                    uint32_t height, const uint16_t *samples, uint8_t *out)
{
    struct halftone work = halftone_of(method, levels, maxval, width, height, samples, out);
    expect(ro_halftone(context_of(), &work.in, &work.out, &work.options));
}

void model_ordered(uint32_t screen_width, uint32_t screen_height, const uint16_t *ranks, int levels,
                   uint32_t maxval, uint32_t width, uint32_t height, const uint16_t *samples,
                   uint8_t *out)
{
    const ro_image screen = {.format = RO_GREY16,
                             .width = screen_width,
                             .height = screen_height,
                             .maxval = UINT16_MAX,
                             .stride = (ptrdiff_t)(2 * screen_width),
                             .data = (void *)(uintptr_t)ranks};
    struct halftone work = halftone_of("screen", levels, maxval, width, height, samples, out);
    work.options.screen = &screen;
    expect(ro_halftone(context_of(), &work.in, &work.out, &work.options));
}

bool model_halftone_is_exact(const char *method, int levels, uint32_t maxval, uint32_t width,
                             uint32_t height, const uint16_t *samples, uint8_t *out)
{
    struct halftone work = halftone_of(method, levels, maxval, width, height, samples, out);
    ro_halftone_audit audit = {.size = sizeof audit};
    expect(ro_halftone_audit_of(context_of(), &work.in, &work.out, &work.options, &audit));
    return audit.unlike == 0 && audit.divisor * audit.tone_in == audit.divisor * audit.tone_out +
                                                                     audit.border + audit.carried +
                                                                     audit.lost;
}
