/* SPDX-License-Identifier: MIT */
/*
 * Registration of drawn pairs whose displacement is known: errors in pixels away from the border
 * (a sixteenth of the side), folding, small number systems, both directions, other tones, large
 * offsets; and the same bits from every instruction set and thread count.
 */
#include "phantoms/moved_pair.h"
#include "register/register.h"
#include "roundoff.h"
#include "roundoff/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { SIDE = 257 };

struct bed {
    ro_context *context;
    ro_image fixed, moving, field;
    ro_register_report report;
};

static void open_bed(struct bed *bed, const struct moved_pair *pair, ro_format format)
{
    ro_context_options with = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 2};
    *bed = (struct bed){0};
    assert_int_equal(ro_context_open(&with, &bed->context), RO_OK);
    ro_image *images[] = {&bed->fixed, &bed->moving};
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            ro_image_alloc(bed->context, format, pair->width, pair->height, 0, images[i]), RO_OK);
    assert_int_equal(
        ro_image_alloc(bed->context, RO_GREYF, 2 * pair->width, pair->height, 0, &bed->field),
        RO_OK);
    draw_pair(pair, &bed->fixed, &bed->moving);
}

static void close_bed(struct bed *bed)
{
    ro_image_free(&bed->fixed);
    ro_image_free(&bed->moving);
    ro_image_free(&bed->field);
    ro_context_close(bed->context);
}

static const float *field_row(const ro_image *field, uint32_t y)
{
    return (const float *)(const void *)((const char *)field->data + (ptrdiff_t)y * field->stride);
}

/* The mean distance to the true displacement, where that stays inside the moving image. */
static double error_of(const struct moved_pair *pair, const ro_image *field)
{
    const uint32_t edge_x = pair->width / 16, edge_y = pair->height / 16;
    double sum = 0, count = 0;
    for (uint32_t y = edge_y; y < pair->height - edge_y; y++)
        for (uint32_t x = edge_x; x < pair->width - edge_x; x++) {
            double u[2];
            pair_field(pair, x, y, u);
            if (x + u[0] < 0 || x + u[0] > pair->width - 1 || y + u[1] < 0 ||
                y + u[1] > pair->height - 1)
                continue;
            sum += hypot(field_row(field, y)[2 * x] - u[0], field_row(field, y)[2 * x + 1] - u[1]);
            count++;
        }
    return sum / count;
}

static double run(struct bed *bed, const struct moved_pair *pair, ro_register_options options)
{
    bed->report.size = sizeof bed->report;
    ro_status status =
        ro_register(bed->context, &bed->fixed, &bed->moving, &bed->field, &options, &bed->report);
    if (status != RO_OK)
        fail_msg("%s", ro_context_message(bed->context));
    return error_of(pair, &bed->field);
}

static void test_known_displacements(void **state)
{
    (void)state;
    static const struct {
        struct moved_pair pair;
        double bound;
    } cases[] = {
        {{SIDE, SIDE, RO_MOTION_SINES, 4.5, 0, 16, 1}, 0.10},
        {{SIDE, SIDE, RO_MOTION_SMOOTH, 10, 0, 16, 2}, 0.15},
        {{SIDE, SIDE, RO_MOTION_ROTATION, 10, 0, 16, 3}, 0.15},
        {{SIDE, SIDE, RO_MOTION_SHIFT, 20, 0, 16, 4}, 0.10},
        {{300, 200, RO_MOTION_SMOOTH, 6, 1, 16, 5}, 0.15},
        {{190, 331, RO_MOTION_SINES, 4.5, 0, 16, 6}, 0.10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bed bed;
        open_bed(&bed, &cases[i].pair, i % 2 ? RO_GREYF : RO_GREY8);
        static const char *const schemes[] = {"auto", "annealed"};
        for (int k = 0; k < 2; k++) {
            double error = run(&bed, &cases[i].pair,
                               (ro_register_options){RO_REGISTER_DEFAULTS, .scheme = schemes[k]});
            if (!(error <= cases[i].bound))
                fail_msg("case %zu, %s: mean error %.3f px, more than %.2f", i, schemes[k], error,
                         cases[i].bound);
            assert_true(bed.report.jacobian > 0);
            assert_int_equal(bed.report.folds, 0);
            assert_int_equal(bed.report.useless, 0);
            assert_true(bed.report.energy_after < bed.report.energy_before / 10);
        }
        close_bed(&bed);
    }
}

static void test_bench_pair(void **state)
{
    (void)state;
    const struct moved_pair pair = {513, 513, RO_MOTION_SMOOTH, 8, 1, 0, 100};
    struct bed bed;
    open_bed(&bed, &pair, RO_GREY8);
    double error = run(&bed, &pair, (ro_register_options)RO_REGISTER_OPTIONS);
    if (!(error <= 0.05))
        fail_msg("mean error %.3f px", error);
    close_bed(&bed);
}

/* Local tones bring the blocks of these nearer by a twentieth only: plain ones do better. */
static void test_hardly_nearer(void **state)
{
    (void)state;
    const struct moved_pair pair = {513, 513, RO_MOTION_ELASTIC, 10, 1, 16, 100};
    struct bed bed;
    open_bed(&bed, &pair, RO_GREY8);
    const double error = run(&bed, &pair, (ro_register_options)RO_REGISTER_OPTIONS);
    assert_string_equal(bed.report.match, "ssd");
    const double local =
        run(&bed, &pair, (ro_register_options){RO_REGISTER_DEFAULTS, .match = "ncc"});
    if (!(error <= 0.06) || !(error < local))
        fail_msg("mean error %.3f px, by local tones %.3f", error, local);
    close_bed(&bed);
}

static void test_identical(void **state)
{
    (void)state;
    const struct moved_pair pair = {120, 90, RO_MOTION_NONE, 0, 0, 16, 7};
    static const char *const inits[] = {"none", "translation", "affine"};
    for (int i = 0; i < 3; i++) {
        struct bed bed;
        open_bed(&bed, &pair, RO_GREY8);
        memset(bed.field.data, 0xff, (size_t)bed.field.stride * bed.field.height);
        run(&bed, &pair, (ro_register_options){RO_REGISTER_DEFAULTS, .init = inits[i]});
        for (uint32_t y = 0; y < pair.height; y++)
            for (uint32_t x = 0; x < 2 * pair.width; x++)
                assert_true(field_row(&bed.field, y)[x] == 0);
        assert_true(bed.report.energy_after == 0);
        close_bed(&bed);
    }
}

static void test_small_floats(void **state)
{
    (void)state;
    for (uint64_t seed = 11; seed < 13; seed++) {
        const struct moved_pair pair = {SIDE, SIDE, RO_MOTION_SMOOTH, 8, 1, 16, seed};
        struct bed bed;
        open_bed(&bed, &pair, RO_GREY8);
        run(&bed, &pair, (ro_register_options)RO_REGISTER_OPTIONS);
        double whole = bed.report.energy_after;
        run(&bed, &pair, (ro_register_options){RO_REGISTER_DEFAULTS, .number = "s10e5"});
        assert_true(bed.report.energy_after <= 1.1 * whole);
        for (uint32_t x = 0; x < 2 * pair.width; x++) {
            float u = field_row(&bed.field, 100)[x];
            const struct ro_small_float half = {10, 5};
            assert_true((double)u == ro_small_float_round(&half, (double)u, RO_ROUND_NEAREST_EVEN));
        }
        run(&bed, &pair, (ro_register_options){RO_REGISTER_DEFAULTS, .number = "s16e7"});
        assert_true(bed.report.energy_after <= 1.05 * whole);
        close_bed(&bed);
    }
}

static void test_rounding(void **state)
{
    (void)state;
    static const struct ro_small_float formats[] = {{10, 5}, {16, 7}, {23, 8}};
    for (size_t f = 0; f < 3; f++) {
        struct rounder round = rounder_make(&formats[f]);
        uint32_t bits = 12345;
        for (int i = 0; i < 200000; i++) {
            float x;
            bits = bits * 1664525u + 1013904223u;
            uint32_t pattern = bits;
            if (i % 3 == 0) /* ties and near them */
                pattern = (bits & 0xfffff000u) | (bits >> 9 & 1 ? 0x1000u : 0xfffu);
            if (i % 4 == 0) /* sizes of displacements, down to denormalized halves */
                pattern = (pattern & 0x80ffffffu) | (0x3c000000u - (bits >> 7 & 31) * 0x00800000u);
            memcpy(&x, &pattern, sizeof x);
            if (!isfinite(x) || fabsf(x) < 1e-30f)
                continue;
            double want = ro_small_float_round(&formats[f], (double)x, RO_ROUND_NEAREST_EVEN);
            if ((double)rounder_round(&round, x) != want)
                fail_msg("s%de%d: %a becomes %a instead of %a", formats[f].mantissa,
                         formats[f].exponent, (double)x, (double)rounder_round(&round, x), want);
        }
    }
}

/* There and back again: u(x) + v(x + u(x)) is small. */
static void test_inverse(void **state)
{
    (void)state;
    const struct moved_pair pair = {SIDE, SIDE, RO_MOTION_SMOOTH, 8, 0, 16, 14};
    struct bed bed;
    ro_image back = {0};
    open_bed(&bed, &pair, RO_GREY8);
    assert_int_equal(ro_image_alloc(bed.context, RO_GREYF, 2 * SIDE, SIDE, 0, &back), RO_OK);
    run(&bed, &pair, (ro_register_options)RO_REGISTER_OPTIONS);
    assert_int_equal(ro_register(bed.context, &bed.moving, &bed.fixed, &back, NULL, NULL), RO_OK);
    double sum = 0, count = 0;
    for (uint32_t y = 16; y < SIDE - 16; y++)
        for (uint32_t x = 16; x < SIDE - 16; x++) {
            double ux = field_row(&bed.field, y)[2 * x], uy = field_row(&bed.field, y)[2 * x + 1];
            double px = x + ux, py = y + uy;
            if (px < 16 || py < 16 || px > SIDE - 17 || py > SIDE - 17)
                continue;
            uint32_t ix = (uint32_t)lrint(px), iy = (uint32_t)lrint(py);
            sum += hypot(ux + field_row(&back, iy)[2 * ix], uy + field_row(&back, iy)[2 * ix + 1]);
            count++;
        }
    if (!(sum / count < 0.2)) /* half a pixel's change of the field included */
        fail_msg("back again is %.3f px away", sum / count);
    ro_image_free(&back);
    close_bed(&bed);
}

static void test_thesis(void **state)
{
    (void)state;
    const struct moved_pair pair = {SIDE, SIDE, RO_MOTION_SINES, 4.5, 0, 16, 1};
    struct bed bed;
    open_bed(&bed, &pair, RO_GREY8);
    double error =
        run(&bed, &pair, (ro_register_options){RO_REGISTER_DEFAULTS, .scheme = "thesis"});
    assert_true(error < 1.5); /* it misses by more than the default, as published */
    assert_true(bed.report.energy_after < bed.report.energy_before / 3);
    const ro_register_options annealed = {RO_REGISTER_DEFAULTS, .scheme = "annealed"};
    assert_int_equal(register_limited(bed.context, &bed.fixed, &bed.moving, &bed.field, &annealed,
                                      3, 1, &bed.report),
                     RO_OK); /* the gradient smoothed once */
    for (uint32_t i = 0; i < bed.report.scales; i++)
        assert_in_range(bed.report.updates[i], 0, 3);
    assert_true(error_of(&pair, &bed.field) < 0.31);
    close_bed(&bed);
}

/* The moving image in other tones: brighter, flatter, shaded. */
static void test_other_tones(void **state)
{
    (void)state;
    const struct moved_pair pair = {SIDE, SIDE, RO_MOTION_SMOOTH, 6, 0, 16, 15};
    struct bed bed;
    open_bed(&bed, &pair, RO_GREYF);
    for (uint32_t y = 0; y < SIDE; y++) {
        float *row = (float *)(void *)((char *)bed.moving.data + (ptrdiff_t)y * bed.moving.stride);
        for (uint32_t x = 0; x < SIDE; x++)
            row[x] = 0.2f + (0.35f + 0.3f * (float)x / SIDE) * row[x] + 0.2f * (float)y / SIDE;
    }
    double plain =
        run(&bed, &pair, (ro_register_options){RO_REGISTER_DEFAULTS, .scheme = "annealed"});
    double local =
        run(&bed, &pair,
            (ro_register_options){RO_REGISTER_DEFAULTS, .scheme = "annealed", .match = "ncc"});
    double chosen = run(&bed, &pair, (ro_register_options)RO_REGISTER_OPTIONS);
    if (!(local < 0.25) || !(local < plain / 2) || !(chosen < 0.2))
        fail_msg("ncc is %.3f px away, ssd %.3f, auto %.3f", local, plain, chosen);
    close_bed(&bed);
}

static float *float_row(const ro_image *image, uint32_t y)
{
    return (float *)(void *)((char *)image->data + (ptrdiff_t)y * image->stride);
}

/* What is light in one image is dark in the other: the sign is found, and not where there is
 * none. */
static void test_negative(void **state)
{
    (void)state;
    const struct moved_pair pair = {SIDE, SIDE, RO_MOTION_ROTATION, 25, 1, 16, 31};
    struct bed bed;
    open_bed(&bed, &pair, RO_GREYF);
    double same = run(&bed, &pair, (ro_register_options)RO_REGISTER_OPTIONS);
    assert_false(bed.report.negative);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            float_row(&bed.moving, y)[x] = 0.9f - 0.7f * float_row(&bed.moving, y)[x];
    double turned = run(&bed, &pair, (ro_register_options)RO_REGISTER_OPTIONS);
    assert_true(bed.report.negative);
    assert_string_equal(bed.report.match, "ncc");
    if (!(same < 0.15) || !(turned < 0.3))
        fail_msg("%.3f px, of the negative %.3f", same, turned);
    close_bed(&bed);
}

/* Light is dark in one half only. */
static void test_negative_in_places(void **state)
{
    (void)state;
    const struct moved_pair pair = {SIDE, SIDE, RO_MOTION_SMOOTH, 5, 1, 16, 34};
    struct bed bed;
    open_bed(&bed, &pair, RO_GREYF);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            float *at = &float_row(&bed.moving, y)[x], part = ((float)x - 0.4f * SIDE) / 30;
            part = part < 0 ? 0 : part > 1 ? 1 : part;
            *at += part * (1 - 2 * *at);
        }
    double error =
        run(&bed, &pair, (ro_register_options){RO_REGISTER_DEFAULTS, .match = "ncc-size"});
    assert_string_equal(bed.report.match, "ncc-size");
    if (!(error < 0.5))
        fail_msg("%.3f px", error);
    close_bed(&bed);
}

/* A fixed image with a corner of one tone, and with junk under a mask: neither may matter. */
static void test_pixels_that_do_not_count(void **state)
{
    (void)state;
    const struct moved_pair pair = {SIDE, SIDE, RO_MOTION_SMOOTH, 7, 1, 16, 32};
    struct bed bed;
    ro_image mask = {0};
    open_bed(&bed, &pair, RO_GREYF);
    assert_int_equal(ro_image_alloc(bed.context, RO_GREY8, SIDE, SIDE, 0, &mask), RO_OK);
    double plain = run(&bed, &pair, (ro_register_options)RO_REGISTER_OPTIONS);
    assert_true(bed.report.counted == 1);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            if (x + y < 90)
                float_row(&bed.fixed, y)[x] = -0.5f;
    double filled = run(&bed, &pair, (ro_register_options)RO_REGISTER_OPTIONS);
    assert_true(bed.report.counted < 0.95 && bed.report.counted > 0.9);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            const bool junk = x > 100 && x < 150 && y > 90 && y < 140;
            ((uint8_t *)mask.data)[(ptrdiff_t)y * mask.stride + x] = junk ? 0 : 255;
            if (junk)
                float_row(&bed.fixed, y)[x] = (float)((x * 7 + y * 13) % 5) / 4;
        }
    double spoiled = run(&bed, &pair, (ro_register_options)RO_REGISTER_OPTIONS);
    double masked =
        run(&bed, &pair, (ro_register_options){RO_REGISTER_DEFAULTS, .fixed_mask = &mask});
    if (!(filled < plain + 0.1) || !(masked < plain + 0.15) || !(masked < spoiled / 2))
        fail_msg("%.3f px, with a filled corner %.3f, with junk %.3f, masked %.3f", plain, filled,
                 spoiled, masked);
    mask.width = SIDE - 1;
    ro_register_options options = {RO_REGISTER_DEFAULTS, .moving_mask = &mask};
    assert_int_equal(ro_register(bed.context, &bed.fixed, &bed.moving, &bed.field, &options, NULL),
                     RO_E_SIZE);
    mask.width = SIDE;
    memset(mask.data, 0, (size_t)mask.stride * SIDE);
    assert_int_equal(ro_register(bed.context, &bed.fixed, &bed.moving, &bed.field, &options, NULL),
                     RO_E_ARGUMENT);
    ro_image_free(&mask);
    close_bed(&bed);
}

/* A part of the moving image is enough, and may be the larger of the two. */
static void test_sizes_that_differ(void **state)
{
    (void)state;
    const struct moved_pair pair = {SIDE, SIDE, RO_MOTION_SHIFT, 9, 1, 16, 33};
    struct bed bed;
    open_bed(&bed, &pair, RO_GREY8);
    bed.moving.height = SIDE - 40; /* what is seen of it is less */
    double shorter = run(&bed, &pair, (ro_register_options)RO_REGISTER_OPTIONS);
    bed.moving.height = SIDE;
    bed.fixed.width = SIDE - 60;
    bed.field.width = 2 * (SIDE - 60);
    struct moved_pair part = pair;
    part.width = SIDE - 60;
    double narrower = run(&bed, &part, (ro_register_options)RO_REGISTER_OPTIONS);
    if (!(shorter < 0.2) || !(narrower < 0.2))
        fail_msg("%.3f px of a shorter moving image, %.3f of a narrower fixed one", shorter,
                 narrower);
    bed.fixed.width = SIDE;
    bed.field.width = 2 * SIDE;
    close_bed(&bed);
}

static void test_large_offsets(void **state)
{
    (void)state;
    const struct {
        struct moved_pair pair;
        const char *init;
    } cases[] = {
        {{SIDE, SIDE, RO_MOTION_SHIFT, 90, 1, 16, 16}, "translation"},
        {{SIDE, 200, RO_MOTION_SHIFT, 60, 1, 16, 17}, "affine"},
        {{SIDE, SIDE, RO_MOTION_ROTATION, 37, 1, 16, 18}, "affine"},
        {{SIDE, SIDE, RO_MOTION_ROTATION, 122, 1, 16, 19}, "affine"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bed bed;
        open_bed(&bed, &cases[i].pair, RO_GREY8);
        double error = run(&bed, &cases[i].pair,
                           (ro_register_options){RO_REGISTER_DEFAULTS, .scheme = "annealed",
                                                 .init = cases[i].init});
        double chosen = run(&bed, &cases[i].pair, (ro_register_options)RO_REGISTER_OPTIONS);
        if (!(error < 0.15) || !(chosen < 0.15))
            fail_msg("case %zu: mean error %.3f px, auto %.3f", i, error, chosen);
        close_bed(&bed);
    }
}

/* A row of 100,000 pixels: its memory is that of so many pixels, not of a plane 64 times as wide as
 * it is high, which were 10 GB. */
static void test_thin(void **state)
{
    (void)state;
    const struct moved_pair pair = {100000, 1, RO_MOTION_NONE, 0, 1, 16, 35};
    struct bed bed;
    struct rusage before, after;
    open_bed(&bed, &pair, RO_GREY8);
    getrusage(RUSAGE_SELF, &before);
    const double error = run(&bed, &pair, (ro_register_options)RO_REGISTER_OPTIONS);
    getrusage(RUSAGE_SELF, &after);
    if (!(error < 0.3))
        fail_msg("mean error %.3f px", error);
    assert_true(after.ru_maxrss < before.ru_maxrss + (256 << 10)); /* KiB */
    close_bed(&bed);
}

static void test_same_bits(void **state)
{
    (void)state;
    static const struct {
        struct moved_pair pair;
        const char *number, *scheme, *match;
    } cases[] = {
        {{129, 129, RO_MOTION_SMOOTH, 5, 1, 16, 20}, "s23e8", "annealed", "ssd"},
        {{150, 97, RO_MOTION_SMOOTH, 5, 1, 16, 21}, "s10e5", "annealed", "ncc"},
        {{200, 2, RO_MOTION_SMOOTH, 1, 1, 16, 22}, "s16e7", "annealed", "ssd"},
        {{1, 77, RO_MOTION_SMOOTH, 1, 1, 16, 23}, "s23e8", "annealed", "ssd"},
        {{129, 140, RO_MOTION_SMOOTH, 5, 3, 8, 24}, "s23e8", NULL, NULL},
        {{181, 97, RO_MOTION_ROTATION, 40, 1, 0, 25}, "s10e5", NULL, NULL},
        {{200, 2, RO_MOTION_SMOOTH, 1, 1, 16, 26}, "s23e8", NULL, NULL},
        {{3, 77, RO_MOTION_SMOOTH, 1, 1, 16, 27}, "s23e8", NULL, NULL},
        {{1, 77, RO_MOTION_SMOOTH, 1, 1, 16, 28}, "s23e8", NULL, NULL},
        {{77, 1, RO_MOTION_SMOOTH, 1, 1, 16, 29}, "s23e8", NULL, NULL},
    };
    static const int threads[] = {1, 2, 3, 5, 16};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bed bed;
        ro_image got = {0};
        const struct moved_pair *pair = &cases[i].pair;
        open_bed(&bed, pair, RO_GREY8);
        for (uint32_t y = 0; !cases[i].scheme && y < pair->height / 4; y++) /* a mask too */
            memset((char *)bed.fixed.data + (ptrdiff_t)y * bed.fixed.stride, 0, pair->width / 2);
        assert_int_equal(
            ro_image_alloc(bed.context, RO_GREYF, 2 * pair->width, pair->height, 0, &got), RO_OK);
        ro_register_options options = {RO_REGISTER_DEFAULTS, .scheme = cases[i].scheme,
                                       .number = cases[i].number, .match = cases[i].match};
        bool first = true;
        for (int cpu = RO_CPU_SCALAR; cpu <= RO_CPU_AVX512; cpu++)
            for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
                ro_context_options with = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                           .cpu = (ro_cpu)cpu, .threads = threads[t]};
                ro_context *context;
                if (ro_context_open(&with, &context) != RO_OK)
                    continue;
                ro_image *to = first ? &bed.field : &got;
                if (register_limited(context, &bed.fixed, &bed.moving, to, &options, 2, 0, NULL) !=
                    RO_OK)
                    fail_msg("%s", ro_context_message(context));
                assert_int_equal(ro_context_report(context)->cpu, cpu);
                for (uint32_t y = 0; y < pair->height && !first; y++)
                    assert_memory_equal(field_row(&got, y), field_row(&bed.field, y),
                                        2 * pair->width * sizeof(float));
                first = false;
                ro_context_close(context);
            }
        ro_image_free(&got);
        close_bed(&bed);
    }
}

static void test_warp(void **state)
{
    (void)state;
    ro_context *context;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    uint8_t pixels[6] = {10, 20, 30, 40, 50, 60}, out[6];
    float u[12] = {0.5f, 0, 1, 0, -9, 0, 0, 0, 0.75f, -1, 0, 0.5f};
    ro_image image = ro_image_view(RO_GREY8, 3, 2, pixels), to = ro_image_view(RO_GREY8, 3, 2, out);
    ro_image field = ro_image_view(RO_GREYF, 6, 2, u);
    assert_int_equal(ro_warp(context, &image, &field, &to, RO_SAMPLE_BILINEAR), RO_OK);
    const uint8_t smooth[6] = {15, 30, 10, 40, 28, 60}; /* 27.5 to even */
    assert_memory_equal(out, smooth, 6);
    assert_int_equal(ro_warp(context, &image, &field, &to, RO_SAMPLE_NEAREST), RO_OK);
    const uint8_t nearest[6] = {20, 30, 10, 40, 30, 60};
    assert_memory_equal(out, nearest, 6);
    field.width = 4;
    assert_int_equal(ro_warp(context, &image, &field, &to, RO_SAMPLE_NEAREST), RO_E_SIZE);
    field.width = 3;
    assert_int_equal(ro_warp(context, &image, &field, &to, RO_SAMPLE_NEAREST), RO_E_ARGUMENT);
    ro_context_close(context);
}

static void test_refusals(void **state)
{
    (void)state;
    ro_context *context;
    assert_int_equal(ro_context_open(NULL, &context), RO_OK);
    float a[64], b[64], u[128];
    for (int i = 0; i < 64; i++)
        a[i] = b[i] = (float)i;
    ro_image fixed = ro_image_view(RO_GREYF, 8, 8, a), moving = ro_image_view(RO_GREYF, 8, 8, b);
    ro_image field = ro_image_view(RO_GREYF, 16, 8, u);
    assert_int_equal(ro_register(context, &fixed, &moving, &field, NULL, NULL), RO_OK);
    field.width = 14;
    assert_int_equal(ro_register(context, &fixed, &moving, &field, NULL, NULL), RO_E_SIZE);
    assert_non_null(strstr(ro_context_message(context), "8 x 8"));
    field.width = 16;
    a[9] = NAN;
    assert_int_equal(ro_register(context, &fixed, &moving, &field, NULL, NULL), RO_E_ARGUMENT);
    for (int i = 0; i < 64; i++)
        a[i] = 3;
    assert_int_equal(ro_register(context, &fixed, &moving, &field, NULL, NULL), RO_E_ARGUMENT);
    assert_non_null(strstr(ro_context_message(context), "constant"));
    a[0] = 1;
    static const ro_register_options bad[] = {
        {RO_REGISTER_DEFAULTS, .scheme = "these"}, {RO_REGISTER_DEFAULTS, .match = "mi"},
        {RO_REGISTER_DEFAULTS, .init = "rigid"},   {RO_REGISTER_DEFAULTS, .number = "s9"},
        {RO_REGISTER_DEFAULTS, .scales = 65},      {RO_REGISTER_DEFAULTS, .sigma = -1},
        {RO_REGISTER_DEFAULTS, .sigma = NAN},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ro_register(context, &fixed, &moving, &field, &bad[i], NULL),
                         RO_E_ARGUMENT);
    ro_context_close(context);
}

static int cancel(void *data, const char *phase, double done)
{
    (void)phase;
    (void)done;
    return ++*(int *)data > 3;
}

static void test_cancel(void **state)
{
    (void)state;
    int calls = 0;
    ro_context_options with = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .progress = cancel,
                               .user = &calls};
    ro_context *context;
    const struct moved_pair pair = {SIDE, SIDE, RO_MOTION_SMOOTH, 8, 0, 16, 14};
    struct bed bed;
    open_bed(&bed, &pair, RO_GREY8);
    assert_int_equal(ro_context_open(&with, &context), RO_OK);
    assert_int_equal(ro_register(context, &bed.fixed, &bed.moving, &bed.field, NULL, NULL),
                     RO_E_CANCELLED);
    ro_context_close(context);
    close_bed(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_displacements),
        cmocka_unit_test(test_bench_pair),
        cmocka_unit_test(test_hardly_nearer),
        cmocka_unit_test(test_identical),
        cmocka_unit_test(test_small_floats),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_thesis),
        cmocka_unit_test(test_other_tones),
        cmocka_unit_test(test_negative),
        cmocka_unit_test(test_negative_in_places),
        cmocka_unit_test(test_pixels_that_do_not_count),
        cmocka_unit_test(test_sizes_that_differ),
        cmocka_unit_test(test_large_offsets),
        cmocka_unit_test(test_thin),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_warp),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
