/* SPDX-License-Identifier: MIT */
/*
 * Level sets: every schedule of a variant against the reference, phi of all labels and the report,
 * on random pictures, seeds, speeds, sizes and depths.
 */
#include "rocheck.h"

#include "segment/segment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *number, *norm;
    bool curved, carried;
} cases[] = {
    {"u8-lin", "u8", "lin", false, false},
    {"u8-euclid", "u8", "euclid", false, false},
    {"u8-mean-error", "u8", "mean-error", false, false},
    {"s12-lin", "s12", "lin", false, false},
    {"s12-volume", "s12", "volume", false, false},
    {"s12-mean-error", "s12", "mean-error", false, false}, /* speeds above a half */
    {"s12-euclid", "s12", "euclid", false, false},
    {"s12-carried", "s12", "lin", false, true},
    {"s16-lin", "s16", "lin", false, false},
    {"s16-euclid", "s16", "euclid", false, false},
    {"s16-curved", "s16", "euclid", true, true},
    {"s16-bent", "s16", "lin", true, false}, /* some labels only */
    {"float-lin", "s23e8", "lin", false, false},
    {"float-euclid", "s23e8", "euclid", false, false},
    {"float-bent", "s23e8", "euclid", true, false},
    {"float-curved", "s23e8", "lin", true, true},
};

static const char *case_name(int number) { return cases[number].name; }

static bool supports(int number, const struct variant *variant)
{
    (void)number, (void)variant;
    return true;
}

struct trial {
    ro_image image;
    ro_seed seeds[6];
    ro_segment_options options;
    float *velocity;
};

static bool make(ro_context *context, struct trial *trial, int number, uint32_t width,
                 uint32_t height, struct check *check)
{
    *trial = (struct trial){0};
    if (ro_image_alloc(context, RO_GREY8, width, height, 255, &trial->image) != RO_OK)
        return false;
    uint32_t grain = 1 + draw(check, 12);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t patch = (x / grain * 7919 + y / grain * 104729) % 251;
            ((uint8_t *)trial->image.data + (ptrdiff_t)y * trial->image.stride)[x] =
                (uint8_t)(draw(check, 8) ? patch : draw(check, 256));
        }
    ro_segment_options *options = &trial->options;
    *options = (ro_segment_options){RO_SEGMENT_DEFAULTS,
                                    .number = cases[number].number,
                                    .norm = cases[number].norm,
                                    .iterations = 1 + draw(check, 60),
                                    .sigma = draw(check, 2),
                                    .seeds = trial->seeds,
                                    .seed_count = 1 + draw(check, 6)};
    for (size_t i = 0; i < options->seed_count; i++)
        trial->seeds[i] = (ro_seed){1 + (int)draw(check, i < 3 ? 1 : 4), draw(check, width),
                                    draw(check, height), 1 + draw(check, 30)};
    for (int i = 0; i < RO_LABELS; i++)
        options->speed[i] =
            (ro_speed){.coefficients = 2,
                       .polynomial = {-0.7 + 0.001 * draw(check, 900), 0.6},
                       .edge = 0.4,
                       .kappa = 20,
                       .curvature = cases[number].curved && draw(check, 3) ? 0.3 : 0};
    if (cases[number].carried) {
        trial->velocity = malloc(2 * sizeof(float) * width * height);
        for (size_t i = 0; trial->velocity && i < 2 * (size_t)width * height; i++)
            trial->velocity[i] = (float)draw(check, 200) / 100 - 1;
        options->velocity = trial->velocity;
    }
    return true;
}

static ro_segmentation *run(ro_context *context, struct trial *trial, const char *schedule,
                            uint32_t depth, ro_segment_report *report)
{
    ro_segmentation *result;
    ro_segment_options options = trial->options;
    options.schedule = schedule;
    return segment_in_depth(context, &trial->image, &options, depth, &result, report) == RO_OK
               ? result
               : NULL;
}

static bool same(ro_context *context, struct check *check, const ro_segmentation *want,
                 const ro_segmentation *got, const ro_segment_report *reports,
                 const ro_image *shape, const char *schedule)
{
    ro_image a, b;
    bool right = true;
    if (ro_image_alloc(context, RO_GREYF, shape->width, shape->height, 0, &a) != RO_OK ||
        ro_image_alloc(context, RO_GREYF, shape->width, shape->height, 0, &b) != RO_OK)
        return false;
    for (int label = 1; label <= RO_LABELS && right; label++) {
        if (!reports[0].label[label - 1].used)
            continue;
        ro_segmentation_phi(want, label, &a);
        ro_segmentation_phi(got, label, &b);
        for (uint32_t y = 0; y < shape->height && right; y++)
            for (uint32_t x = 0; x < shape->width && right; x++) {
                float u = ((float *)((char *)a.data + (ptrdiff_t)y * a.stride))[x];
                float v = ((float *)((char *)b.data + (ptrdiff_t)y * b.stride))[x];
                if (u != v) {
                    snprintf(check->failure, sizeof check->failure,
                             "%u x %u, %s, %u steps, label %d: (%u, %u) is %g, not %g",
                             shape->width, shape->height, schedule, reports[0].steps, label, x, y,
                             (double)v, (double)u);
                    right = false;
                }
            }
    }
    if (right && (memcmp(reports[0].label, reports[1].label, sizeof reports[0].label) != 0 ||
                  reports[0].rms != reports[1].rms)) {
        snprintf(check->failure, sizeof check->failure, "%u x %u, %s: the reports differ",
                 shape->width, shape->height, schedule);
        right = false;
    }
    ro_image_free(&a);
    ro_image_free(&b);
    return right;
}

static bool try_one(int number, struct check *check, ro_context *plain, ro_context *fast,
                    uint32_t width, uint32_t height)
{
    static const char *const on_cpu[] = {"active", "stream", "passes", NULL};
    static const char *const on_cuda[] = {"fused", NULL};
    const char *const *schedules = check->variant->device == RO_DEVICE_CUDA ? on_cuda : on_cpu;
    struct trial trial;
    ro_segment_report reports[2] = {{.size = sizeof *reports}, {.size = sizeof *reports}};
    bool right = make(plain, &trial, number, width, height, check);
    ro_segmentation *want = right ? run(plain, &trial, "reference", 0, &reports[0]) : NULL;
    if (!want) {
        snprintf(check->failure, sizeof check->failure, "reference: %s", ro_context_message(plain));
        right = false;
    }
    for (int i = 0; right && schedules[i]; i++) {
        uint32_t depth = strcmp(schedules[i], "passes") == 0 ? 0 : 1 + draw(check, 16);
        memset(&reports[1], 0, sizeof reports[1]);
        reports[1].size = sizeof reports[1];
        ro_segmentation *got = run(fast, &trial, schedules[i], depth, &reports[1]);
        const ro_report *ran = ro_context_report(fast);
        if (!got) {
            snprintf(check->failure, sizeof check->failure, "%s: %s", schedules[i],
                     ro_context_message(fast));
            right = false;
        } else if (ran->device != check->variant->device ||
                   (ran->device == RO_DEVICE_CPU && ran->cpu != check->variant->cpu)) {
            snprintf(check->failure, sizeof check->failure, "%s ran on %s", schedules[i],
                     ro_cpu_name(ran->cpu));
            right = false;
        } else {
            right = same(plain, check, want, got, reports, &trial.image, schedules[i]);
        }
        ro_segmentation_free(got);
    }
    ro_segmentation_free(want);
    ro_image_free(&trial.image);
    free(trial.velocity);
    return right;
}

static bool test(int number, struct check *check)
{
    ro_context *plain = NULL, *fast = NULL;
    const ro_context_options on_plain = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                         .threads = 1};
    const ro_context_options on_fast = {RO_CONTEXT_DEFAULTS, .device = check->variant->device,
                                        .cpu = check->variant->cpu, .threads = 2};
    if (ro_context_open(&on_plain, &plain) != RO_OK || ro_context_open(&on_fast, &fast) != RO_OK) {
        snprintf(check->failure, sizeof check->failure, "no context");
        ro_context_close(plain);
        return false;
    }
    bool right = true;
    for (int i = 0; i < 4 * check->repeats && right; i++)
        right = try_one(number, check, plain, fast, 1 + draw(check, i % 2 ? 40 : 300),
                        1 + draw(check, i % 3 ? 200 : 20));
    ro_context_close(plain);
    ro_context_close(fast);
    return right;
}

static double bench(int number, const struct variant *variant, int threads)
{
    struct check check = {.variant = variant};
    struct trial trial;
    ro_context *context = open_variant(variant, threads);
    double best = 0;
    if (!context)
        return 0;
    if (make(context, &trial, number, 1024, 1024, &check)) {
        trial.options.iterations = 100;
        for (int i = 0; i < 3; i++) {
            double start = seconds_now();
            ro_segment_report report = {.size = sizeof report};
            ro_segmentation_free(run(context, &trial, NULL, 0, &report));
            double speed = 1024.0 * 1024 * report.steps / (seconds_now() - start) / 1e6;
            best = speed > best ? speed : best;
        }
    }
    free(trial.velocity);
    ro_image_free(&trial.image);
    ro_context_close(context);
    return best;
}

const struct suite segment_suite = {
    .name = "segment",
    .cases = sizeof cases / sizeof *cases,
    .case_name = case_name,
    .supports = supports,
    .test = test,
    .bench = bench,
};
