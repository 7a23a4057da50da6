/* SPDX-License-Identifier: MIT */
/* Whole segmentations: fronts where geometry says they are, merging, splitting, vanishing, few bits
 * against floats, seeds and defaults, and what is refused. */
#include "core/random.h"
#include "phantoms/phantom.h"
#include "roundoff.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ro_context *context;
static ro_segment_report report = {.size = sizeof report};

static ro_image blank(uint32_t width, uint32_t height, int grey)
{
    ro_image image;
    assert_int_equal(ro_image_alloc(context, RO_GREY8, width, height, 255, &image), RO_OK);
    for (uint32_t y = 0; y < height; y++)
        memset((uint8_t *)image.data + (ptrdiff_t)y * image.stride, grey, width);
    return image;
}

static uint8_t *pixel(const ro_image *image, uint32_t x, uint32_t y)
{
    return (uint8_t *)image->data + (ptrdiff_t)y * image->stride + x;
}

static ro_segmentation *run(const ro_image *image, ro_segment_options options)
{
    ro_segmentation *result;
    ro_status status = ro_segment(context, image, &options, &result, &report);
    if (status != RO_OK)
        fail_msg("%s", ro_context_message(context));
    return result;
}

/* The labels as an image that the caller frees; the result is freed. */
static ro_image labels_of(ro_segmentation *result, uint32_t width, uint32_t height)
{
    ro_image labels = blank(width, height, 9);
    assert_int_equal(ro_segmentation_labels(result, &labels), RO_OK);
    ro_segmentation_free(result);
    return labels;
}

static ro_image mask_of(const ro_image *image, ro_segment_options options)
{
    return labels_of(run(image, options), image->width, image->height);
}

static double dice(const ro_image *a, const ro_image *b)
{
    uint64_t both = 0, sum = 0;
    for (uint32_t y = 0; y < a->height; y++)
        for (uint32_t x = 0; x < a->width; x++) {
            both += *pixel(a, x, y) && *pixel(b, x, y);
            sum += (*pixel(a, x, y) != 0) + (*pixel(b, x, y) != 0);
        }
    return sum ? 2.0 * (double)both / (double)sum : 1;
}

/* ---- Fronts of constant speed ---------------------------------------------------------------- */

static void grows_as_a_disc(void **state)
{
    (void)state;
    static const struct {
        const char *number;
        double within;
    } cases[] = {{"s23e8", 1}, {"s16", 1}, {"s12", 1.5}, {"u8", 100}};
    ro_image image = blank(280, 280, 100);
    for (size_t i = 0; i < 4; i++) {
        const ro_seed seed = {1, 139.5, 140, 20};
        const ro_segment_options options = {
            RO_SEGMENT_DEFAULTS, .number = cases[i].number,    .norm = "euclid", .iterations = 200,
            .time_step = 1,      .speed = {{.constant = 0.5}}, .seeds = &seed,   .seed_count = 1};
        ro_segmentation *result = run(&image, options);
        const ro_polyline *lines;
        size_t count;
        assert_int_equal(ro_segmentation_contours(result, &lines, &count), RO_OK);
        double worst = 0, sum = 0;
        size_t points = 0;
        for (size_t l = 0; l < count; l++)
            for (size_t k = 0; k < lines[l].count; k++, points++) {
                const double *p = lines[l].points + 2 * k;
                double off = hypot(p[0] - seed.x, p[1] - seed.y) - 120;
                worst = fabs(off) > worst ? fabs(off) : worst;
                sum += off;
            }
        print_message("%s, euclid: radius 120 %+.2f, worst point %.2f away\n", cases[i].number,
                      sum / (double)points, worst);
        assert_true(points > 500);
        assert_true(worst <= cases[i].within);
        assert_int_equal(report.label[0].steps, 200);
        assert_true(fabs(report.label[0].time - 200) < 1e-9);
        ro_segmentation_free(result);
    }
    ro_image_free(&image);
}

/* The linear norm makes an octagon: the disc plus one with the vertices (1, c), (c, 1), ... */
static void grows_as_an_octagon(void **state)
{
    (void)state;
    static const struct {
        const char *number;
        double one, within;
    } cases[] = {{"s23e8", 0, 1.5}, {"s16", 32768, 1.5}, {"s12", 2048, 1.5}, {"u8", 256, 3.5}};
    ro_image image = blank(280, 280, 100);
    for (size_t i = 0; i < 4; i++) {
        const ro_seed seed = {1, 140, 140, 20};
        const ro_segment_options options = {
            RO_SEGMENT_DEFAULTS, .number = cases[i].number,    .norm = "lin",
            .iterations = 200,   .speed = {{.constant = 0.5}}, .seeds = &seed,
            .seed_count = 1};
        ro_segmentation *result = run(&image, options);
        const ro_polyline *lines;
        size_t count;
        const double c = 43.0 / 128, way = 200 * report.label[0].fastest;
        assert_int_equal(ro_segmentation_contours(result, &lines, &count), RO_OK);
        double worst = 0;
        size_t points = 0;
        for (size_t l = 0; l < count; l++)
            for (size_t k = 0; k < lines[l].count; k++, points++) {
                double x = lines[l].points[2 * k] - 140, y = lines[l].points[2 * k + 1] - 140;
                double distance = -1e9; /* to the sum, by its support function */
                for (int a = 0; a < 720; a++) {
                    double u = fabs(cos(a * 0.00872664626)), v = fabs(sin(a * 0.00872664626));
                    double support = 20 + way * fmax(u + c * v, c * u + v);
                    double d = fabs(x) * u + fabs(y) * v - support;
                    distance = d > distance ? d : distance;
                }
                worst = fabs(distance) > worst ? fabs(distance) : worst;
            }
        print_message("%s, lin: %.1f px, worst point %.2f away\n", cases[i].number, way, worst);
        assert_true(points > 500);
        assert_true(worst <= cases[i].within);
        ro_segmentation_free(result);
    }
    ro_image_free(&image);
}

/* u8 starts steep enough for the shape that s16 has. */
static void eight_bits_grow_the_same_octagon(void **state)
{
    (void)state;
    ro_image image = blank(200, 200, 100);
    uint64_t areas[2];
    for (int i = 0; i < 2; i++) {
        const ro_seed seed = {1, 100, 100, 5};
        ro_segmentation_free(
            run(&image, (ro_segment_options){RO_SEGMENT_DEFAULTS, .number = i ? "s16" : "u8",
                                             .iterations = 150, .speed = {{.constant = 1}},
                                             .seeds = &seed, .seed_count = 1}));
        areas[i] = report.label[0].area;
        assert_int_equal(report.steps, 150);
    }
    print_message("150 steps: u8 %llu pixels, s16 %llu\n", (unsigned long long)areas[0],
                  (unsigned long long)areas[1]);
    assert_true(fabs((double)areas[0] / (double)areas[1] - 1) < 0.03);
    ro_image_free(&image);
}

/* Fronts stop only where their speed is zero, or rounds to it: a region of speed 1 beside a slow
 * one, nothing round them. `turned`: the front retracts, from a hole in the fast region. */
static void fronts_stop_only_at_zero(void **state)
{
    (void)state;
    enum { WIDTH = 150, HEIGHT = 90 };
    static const double slow[] = {0.05, 0.01, 0.003};
    static const char *const norms[] = {"lin", "euclid", "volume"};
    static const char *const schedules[] = {"active", "reference", "passes", "stream"};
    static const struct {
        const char *number;
        double one;
    } cases[] = {{"u8", 256}, {"s12", 2048}, {"s16", 32768}, {"s23e8", 0}};
    ro_image image, distance;
    assert_int_equal(ro_image_alloc(context, RO_GREYF, WIDTH, HEIGHT, 0, &image), RO_OK);
    assert_int_equal(ro_image_alloc(context, RO_GREYF, WIDTH, HEIGHT, 0, &distance), RO_OK);
    for (size_t n = 0; n < 36; n++) {
        const double one = cases[n / 9].one;
        const size_t s = n % 3, norm = n / 3 % 3;
        if (one == 0 && n % 9 > 1) /* floats creep as long as the speed says */
            continue;
        for (int turned = 0; turned < 2; turned++) {
            for (uint32_t y = 0; y < HEIGHT; y++)
                for (uint32_t x = 0; x < WIDTH; x++) {
                    const bool there = x >= 10 && x < 130 && y >= 10 && y < 80;
                    float *speed = (float *)((char *)image.data + (ptrdiff_t)y * image.stride);
                    float *phi = (float *)((char *)distance.data + (ptrdiff_t)y * distance.stride);
                    speed[x] = (float)(there ? x < 70 ? 1 : slow[s] : 0);
                    phi[x] = (float)((turned ? -1 : 1) * (hypot(x - 40.0, y - 45.0) - 5.5));
                }
            ro_segment_options options = {RO_SEGMENT_DEFAULTS,   .number = cases[n / 9].number,
                                          .norm = norms[norm],   .schedule = schedules[n % 4],
                                          .distance = &distance, .iterations = 20000};
            options.speed[0] = (ro_speed){.coefficients = 2, .polynomial = {0, turned ? -1 : 1}};
            ro_segmentation_free(run(&image, options));
            const ro_segment_label *label = &report.label[0];
            const uint64_t got = turned ? WIDTH * HEIGHT - label->area : label->area;
            /* of floats all speeds count, of integers those from half a unit on */
            const double units = slow[s] * report.time_step * one, fast = report.time_step;
            const bool zero = one > 0 && rint(units) == 0;
            if (got != (zero ? 60u : 120u) * 70)
                fail_msg("%s, %s, %g, turned %d: %llu pixels after %u steps", options.number,
                         options.norm, slow[s], turned, (unsigned long long)got, label->steps);
            assert_int_equal(label->stalled, zero);
            assert_int_equal(label->ended, !zero);
            assert_int_equal(label->held, zero ? 70 : 0);
            if (one > 0 && norm == 0)
                assert_true(label->steps < 32 * (WIDTH + HEIGHT)); /* the default's most */
            assert_true(label->slowest == (one > 0 ? 1 / (one * fast) : 0));
        }
    }
    ro_image_free(&image);
    ro_image_free(&distance);
}

/* A factor slows a front down, and one of 0 keeps it in a region. */
static void a_factor_slows_fronts(void **state)
{
    (void)state;
    static const char *const numbers[] = {"u8", "s12", "s16", "s23e8"};
    static const ro_format formats[] = {RO_GREY8, RO_GREY16, RO_GREYF, RO_GREY8};
    ro_image image = blank(120, 90, 100);
    for (size_t i = 0; i < 4; i++) {
        ro_image factor;
        assert_int_equal(ro_image_alloc(context, formats[i], 120, 90, 0, &factor), RO_OK);
        for (uint32_t y = 0; y < 90; y++)
            for (uint32_t x = 0; x < 120; x++) { /* 1 to the left, 2/5 to the right, 0 round it */
                const bool inside = x >= 10 && x < 110 && y >= 10 && y < 80;
                const double share = !inside ? 0 : x <= 60 ? 1 : 0.4;
                char *row = (char *)factor.data + (ptrdiff_t)y * factor.stride;
                if (formats[i] == RO_GREY8)
                    ((uint8_t *)row)[x] = (uint8_t)(255 * share);
                else if (formats[i] == RO_GREY16)
                    ((uint16_t *)(void *)row)[x] = (uint16_t)(65535 * share);
                else
                    ((float *)(void *)row)[x] = (float)share;
            }
        const ro_seed seed = {1, 60, 45, 5};
        ro_segment_options options = {
            RO_SEGMENT_DEFAULTS, .number = numbers[i], .norm = "euclid", .speed = {{.constant = 1}},
            .iterations = 60,    .factor = &factor,    .seeds = &seed,   .seed_count = 1};
        ro_segmentation *result = run(&image, options);
        ro_image labels = labels_of(result, 120, 90);
        uint32_t left = 0, right = 0;
        for (uint32_t x = 0; x < 120; x++) {
            left += x < 60 && *pixel(&labels, x, 45);
            right += x > 60 && *pixel(&labels, x, 45);
        }
        print_message("%s: %u pixels to the left, %u to the right\n", numbers[i], left, right);
        assert_true(left >= 33 && left <= 36);
        assert_true(right >= 15 && right <= 18);
        ro_image_free(&labels);
        options.iterations = RO_DEFAULT;
        ro_segmentation_free(run(&image, options));
        assert_int_equal(report.label[0].area, 100 * 70);
        assert_true(report.label[0].ended);
        ro_image_free(&factor);
    }
    ro_image_free(&image);
}

static void two_discs_merge(void **state)
{
    (void)state;
    ro_image image = blank(120, 80, 100);
    const ro_seed seeds[] = {{1, 35, 40, 10}, {1, 85, 40, 10}};
    ro_segment_options options = {RO_SEGMENT_DEFAULTS, .number = "s12",
                                  .norm = "euclid",    .iterations = 1,
                                  .time_step = 1,      .speed = {{.constant = 0.5}},
                                  .seeds = seeds,      .seed_count = 2};
    const ro_polyline *lines;
    size_t count;
    ro_segmentation *result = run(&image, options);
    assert_int_equal(ro_segmentation_contours(result, &lines, &count), RO_OK);
    assert_int_equal(count, 2);
    ro_segmentation_free(result);
    options.iterations = 40;
    result = run(&image, options);
    assert_int_equal(ro_segmentation_contours(result, &lines, &count), RO_OK);
    assert_int_equal(count, 1);
    assert_true(lines[0].closed);
    ro_segmentation_free(result);
    ro_image_free(&image);
}

static void one_splits_round_a_hole(void **state)
{
    (void)state;
    ro_image image = blank(120, 120, 200);
    for (uint32_t y = 0; y < 120; y++)
        for (uint32_t x = 0; x < 120; x++)
            if (hypot(x - 60.0, y - 60.0) < 15)
                *pixel(&image, x, y) = 20;
    const ro_seed seed = {1, 20, 60, 8};
    ro_segment_options options = {RO_SEGMENT_DEFAULTS, .number = "s12",
                                  .speed = {{.window = 1, .low = 150, .high = 255}}, .seeds = &seed,
                                  .seed_count = 1};
    ro_segmentation *result = run(&image, options);
    const ro_polyline *lines;
    size_t count;
    assert_int_equal(ro_segmentation_contours(result, &lines, &count), RO_OK);
    assert_int_equal(count, 2); /* the border of the image and the hole */
    assert_int_equal(lines[0].count, 4);
    assert_true(lines[0].closed && lines[1].closed);
    ro_image labels = labels_of(result, 120, 120);
    for (uint32_t y = 0; y < 120; y++)
        for (uint32_t x = 0; x < 120; x++)
            assert_int_equal(*pixel(&labels, x, y), hypot(x - 60.0, y - 60.0) >= 15);
    assert_true(report.label[0].ended);
    ro_image_free(&labels);
    ro_image_free(&image);
}

static void shrinks_to_nothing(void **state)
{
    (void)state;
    static const char *const numbers[] = {"u8", "s12", "s16", "s23e8"};
    ro_image image = blank(90, 90, 100);
    for (size_t i = 0; i < 4; i++) {
        const ro_seed seed = {1, 45, 45, 25};
        ro_segment_options options = {RO_SEGMENT_DEFAULTS, .number = numbers[i],
                                      .speed = {{.constant = -1}}, .seeds = &seed, .seed_count = 1};
        ro_segmentation_free(run(&image, options));
        assert_int_equal(report.label[0].area, 0);
        assert_true(report.label[0].perimeter == 0);
        assert_true(report.label[0].ended);
        assert_int_equal(report.label[0].useless, RO_LABEL_NOTHING);
    }
    const ro_seed seed = {1, 45, 45, 25}; /* it is like everything round it */
    ro_segmentation_free(
        run(&image, (ro_segment_options){RO_SEGMENT_DEFAULTS, .seeds = &seed, .seed_count = 1}));
    assert_int_equal(report.label[0].useless, RO_LABEL_EVERYTHING);
    assert_int_equal(report.label[1].useless, 0);
    ro_image_free(&image);
}

/* Two chambers and a gap of three pixels in the wall between them. */
static void curvature_closes_a_gap(void **state)
{
    (void)state;
    static const char *const numbers[] = {"u8", "s12", "s16", "s23e8"};
    ro_image image = blank(120, 80, 200);
    for (uint32_t y = 0; y < 80; y++)
        for (uint32_t x = 58; x < 62; x++)
            if (y < 39 || y > 41)
                *pixel(&image, x, y) = 20;
    for (size_t i = 0; i < 4; i++)
        for (int curved = 0; curved < 2; curved++) {
            const ro_seed seed = {1, 30, 40, 8};
            ro_segment_options options = {
                RO_SEGMENT_DEFAULTS,
                .number = numbers[i],
                .norm = "euclid",
                .iterations = 2000,
                .speed = {{.window = 1, .low = 150, .high = 255, .curvature = curved ? 3 : 0}},
                .seeds = &seed,
                .seed_count = 1};
            ro_image labels = mask_of(&image, options);
            assert_int_equal(*pixel(&labels, 45, 40), 1);
            assert_int_equal(*pixel(&labels, 100, 40), !curved);
            ro_image_free(&labels);
        }
    ro_image_free(&image);
}

/* ---- Few bits against floats ----------------------------------------------------------------- */

/* A five-lobed shape on another tone, with noise. */
static ro_image lobes(uint32_t size, double radius, double noise, uint64_t seed)
{
    ro_image image = blank(size, size, 0);
    for (uint32_t y = 0; y < size; y++)
        for (uint32_t x = 0; x < size; x++) {
            double dx = x - 0.5 * size, dy = y - 0.5 * size;
            double edge = radius * (1 + 0.25 * cos(5 * atan2(dy, dx)));
            double sum = 0;
            for (uint32_t i = 0; i < 4; i++)
                sum += pixel_hash(seed + i, x, y) * 0x1p-32 - 0.5;
            double value = (hypot(dx, dy) < edge ? 160 : 80) + noise * sum * 1.7;
            *pixel(&image, x, y) = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : lrint(value));
        }
    return image;
}

static void few_bits_find_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *number;
        double least;
    } cases[] = {{"s16", 0.99}, {"s12", 0.99}, {"u8", 0.98}};
    static const char *const norms[] = {"lin", "euclid"};
    for (int shape = 0; shape < 3; shape++) {
        ro_image image = shape == 0 ? blank(256, 256, 0) : lobes(200, 60, shape == 1 ? 8 : 20, 3);
        ro_seed seed = {1, 100, 100, 8};
        ro_segment_options options = {RO_SEGMENT_DEFAULTS, .smooth = shape == 2 ? 1.5 : 0,
                                      .seed_count = 1};
        options.seeds = &seed;
        options.speed[0] = (ro_speed){.window = 1, .low = 120, .high = 220};
        if (shape == 0) {
            draw_phantom(&image);
            seed = (ro_seed){1, 128, 225, 5};
            /* a speed of many values: towards the tissue's tone, slower at edges */
            options.speed[0] = (ro_speed){.constant = -0.6,
                                          .gaussian = 1,
                                          .mean = 51,
                                          .deviation = 12,
                                          .edge = 0.2,
                                          .kappa = 10};
            options.sigma = 0.7;
        }
        for (int n = 0; n < 2; n++) {
            options.norm = norms[n];
            options.number = "s23e8";
            ro_image want = mask_of(&image, options);
            print_message("shape %d, %s, floats: %u steps, rms %g, area %llu\n", shape, norms[n],
                          report.steps, report.rms, (unsigned long long)report.label[0].area);
            assert_true(report.label[0].ended);
            for (size_t i = 0; i < 3; i++) {
                options.number = cases[i].number;
                ro_image got = mask_of(&image, options);
                double likeness = dice(&want, &got);
                print_message("shape %d, %s, %s: dice %.4f, %u steps, %d rescalings, area %llu\n",
                              shape, norms[n], cases[i].number, likeness, report.steps,
                              report.label[0].rescalings, (unsigned long long)report.label[0].area);
                assert_true(likeness >= cases[i].least);
                assert_true(report.label[0].ended);
                ro_image_free(&got);
            }
            ro_image_free(&want);
        }
        ro_image_free(&image);
    }
}

/* What a plain threshold cannot do: leave out what has no seed, and be small at first. */
static void only_what_has_a_seed(void **state)
{
    (void)state;
    ro_image image = blank(300, 140, 60);
    for (uint32_t y = 0; y < 140; y++)
        for (uint32_t x = 0; x < 300; x++)
            if (hypot(x - 80.0, y - 70.0) < 50 || hypot(x - 220.0, y - 70.0) < 50)
                *pixel(&image, x, y) = 180;
    const ro_seed seed = {0, 80, 70, 0};
    ro_segment_options options = {RO_SEGMENT_DEFAULTS, .seeds = &seed, .seed_count = 1,
                                  .iterations = 20};
    ro_image labels = mask_of(&image, options);
    assert_true(report.label[0].area < 1000);
    ro_image_free(&labels);
    options.iterations = RO_DEFAULT;
    labels = mask_of(&image, options);
    for (uint32_t y = 0; y < 140; y++)
        for (uint32_t x = 0; x < 300; x++)
            assert_int_equal(*pixel(&labels, x, y), hypot(x - 80.0, y - 70.0) < 50);
    assert_true(report.label[0].ended);
    assert_int_equal(report.label[0].rescalings, 0); /* no speed would carry a pixel across */
    assert_true(report.label[0].low > 100 && report.label[0].high < 255);
    assert_true(fabs(report.label[0].perimeter - 2 * 3.14159 * 50) < 0.1 * 314);
    ro_image_free(&labels);
    ro_image_free(&image);
}

/* A clean object on a textured ground, from a seed alone. */
static void defaults_find_an_object(void **state)
{
    (void)state;
    ro_image image = blank(220, 200, 0), truth = blank(220, 200, 0);
    for (uint32_t y = 0; y < 200; y++)
        for (uint32_t x = 0; x < 220; x++) {
            double dx = (x - 110.0) / 60, dy = (y - 90.0) / 40;
            bool object = dx * dx + dy * dy < 1;
            uint32_t h = pixel_hash(4, x, y);
            double texture = 90 + 40 * sin(0.9 * x) * cos(0.7 * y + 0.3 * x) + h % 41;
            *pixel(&image, x, y) = (uint8_t)(object ? 190 + h % 9 : texture);
            *pixel(&truth, x, y) = object;
        }
    const ro_seed seed = {0, 100, 95, 0};
    ro_image labels =
        mask_of(&image, (ro_segment_options){RO_SEGMENT_DEFAULTS, .seeds = &seed, .seed_count = 1});
    assert_true(dice(&labels, &truth) > 0.99);
    ro_image_free(&labels);
    ro_image_free(&truth);
    ro_image_free(&image);
}

/* ---- Symmetry -------------------------------------------------------------------------------- */

enum { SIDE = 90 };

static void turned_at(int turn, uint32_t x, uint32_t y, uint32_t *u, uint32_t *v)
{
    *u = turn & 1 ? SIDE - 1 - x : x;
    *v = turn & 2 ? SIDE - 1 - y : y;
    if (turn & 4) {
        uint32_t swap = *u;
        *u = *v;
        *v = swap;
    }
}

static void turned_inputs_give_turned_results(void **state)
{
    (void)state;
    static const char *const numbers[] = {"u8", "s12", "s16", "s23e8"};
    static const char *const norms[] = {"lin", "euclid"};
    ro_image image = lobes(SIDE, 28, 14, 8), other = blank(SIDE, SIDE, 0);
    for (size_t n = 0; n < 8; n++)
        for (int turn = 1; turn < 8; turn++) {
            ro_seed seed = {1, 40, 47, 7};
            ro_segment_options options = {RO_SEGMENT_DEFAULTS,  .number = numbers[n / 2],
                                          .norm = norms[n % 2], .iterations = 70,
                                          .sigma = 1.2,         .smooth = 0.8,
                                          .seeds = &seed,       .seed_count = 1};
            options.speed[0] = (ro_speed){.constant = -0.2,
                                          .gaussian = 1,
                                          .mean = 160,
                                          .deviation = 30,
                                          .edge = 0.3,
                                          .kappa = 10,
                                          .curvature = turn % 2 ? 0.2 : 0};
            ro_image want, got;
            assert_int_equal(ro_image_alloc(context, RO_GREYF, SIDE, SIDE, 0, &want), RO_OK);
            assert_int_equal(ro_image_alloc(context, RO_GREYF, SIDE, SIDE, 0, &got), RO_OK);
            ro_segmentation *result = run(&image, options);
            assert_int_equal(ro_segmentation_phi(result, 1, &want), RO_OK);
            ro_segmentation_free(result);
            for (uint32_t y = 0; y < SIDE; y++)
                for (uint32_t x = 0; x < SIDE; x++) {
                    uint32_t u, v;
                    turned_at(turn, x, y, &u, &v);
                    *pixel(&other, u, v) = *pixel(&image, x, y);
                }
            uint32_t u, v;
            turned_at(turn, 40, 47, &u, &v);
            seed.x = u;
            seed.y = v;
            result = run(&other, options);
            assert_int_equal(ro_segmentation_phi(result, 1, &got), RO_OK);
            ro_segmentation_free(result);
            for (uint32_t y = 0; y < SIDE; y++)
                for (uint32_t x = 0; x < SIDE; x++) {
                    turned_at(turn, x, y, &u, &v);
                    float a = ((float *)((char *)want.data + (ptrdiff_t)y * want.stride))[x];
                    float b = ((float *)((char *)got.data + (ptrdiff_t)v * got.stride))[u];
                    if (a != b)
                        fail_msg("%s, %s, turn %d: (%u, %u) %g and %g", options.number,
                                 options.norm, turn, x, y, (double)a, (double)b);
                }
            ro_image_free(&want);
            ro_image_free(&got);
        }
    ro_image_free(&image);
    ro_image_free(&other);
}

/* ---- Seeds, labels, fields, ends ------------------------------------------------------------- */

static void labels_evolve_apart(void **state)
{
    (void)state;
    ro_image image = blank(200, 200, 30);
    for (uint32_t y = 0; y < 200; y++)
        for (uint32_t x = 0; x < 200; x++)
            if (x % 100 >= 15 && x % 100 < 85 && y % 100 >= 15 && y % 100 < 85)
                *pixel(&image, x, y) = (uint8_t)(100 + 40 * (x / 100 + 2 * (y / 100)));
    const ro_seed seeds[] = {{1, 50, 50, 0}, {2, 150, 50, 0}, {3, 50, 150, 0}, {4, 150, 150, 0}};
    ro_image labels =
        mask_of(&image, (ro_segment_options){RO_SEGMENT_DEFAULTS, .seeds = seeds, .seed_count = 4});
    for (uint32_t y = 0; y < 200; y++)
        for (uint32_t x = 0; x < 200; x++)
            assert_int_equal(*pixel(&labels, x, y),
                             *pixel(&image, x, y) == 30 ? 0 : 1 + x / 100 + 2 * (y / 100));
    for (int i = 0; i < 4; i++) {
        assert_true(report.label[i].used);
        assert_int_equal(report.label[i].area, 70 * 70);
    }
    /* one alone gives what it gave among four */
    ro_image one = mask_of(
        &image, (ro_segment_options){RO_SEGMENT_DEFAULTS, .seeds = seeds + 2, .seed_count = 1});
    assert_int_equal(report.label[2].area, 70 * 70);
    assert_false(report.label[0].used);
    ro_image_free(&one);
    ro_image_free(&labels);
    ro_image_free(&image);
}

static void masks_and_distances_are_seeds(void **state)
{
    (void)state;
    ro_image image = blank(100, 90, 100), mask = blank(100, 90, 0), distance;
    assert_int_equal(ro_image_alloc(context, RO_GREYF, 100, 90, 0, &distance), RO_OK);
    for (uint32_t y = 0; y < 90; y++)
        for (uint32_t x = 0; x < 100; x++) {
            double d = hypot(x - 50.0, y - 45.0) - 20.5;
            *pixel(&mask, x, y) = d < 0;
            ((float *)((char *)distance.data + (ptrdiff_t)y * distance.stride))[x] = (float)d;
        }
    ro_segment_options options = {RO_SEGMENT_DEFAULTS,        .iterations = 1, .time_step = 1e-6,
                                  .speed = {{.constant = 1}}, .mask = &mask,   .number = "s23e8"};
    ro_segmentation *result = run(&image, options);
    ro_image phi;
    assert_int_equal(ro_image_alloc(context, RO_GREYF, 100, 90, 0, &phi), RO_OK);
    assert_int_equal(ro_segmentation_phi(result, 1, &phi), RO_OK);
    ro_segmentation_free(result);
    for (uint32_t y = 0; y < 90; y++)
        for (uint32_t x = 0; x < 100; x++) {
            float a = ((float *)((char *)distance.data + (ptrdiff_t)y * distance.stride))[x];
            float b = ((float *)((char *)phi.data + (ptrdiff_t)y * phi.stride))[x];
            assert_true(fabsf(a - b) < 1); /* the mask's outline is the disc's within a pixel */
            assert_int_equal(a < 0, b < 0);
        }
    options.mask = NULL;
    options.distance = &distance;
    result = run(&image, options);
    const ro_polyline *lines;
    size_t count;
    assert_int_equal(ro_segmentation_contours(result, &lines, &count), RO_OK);
    assert_int_equal(count, 1);
    for (size_t i = 0; i < lines[0].count; i++) /* lines run between pixels */
        assert_true(fabs(hypot(lines[0].points[2 * i] - 50, lines[0].points[2 * i + 1] - 45) -
                         20.5) < 0.02);
    ro_segmentation_free(result);
    ro_image labels = mask_of(&image, options);
    assert_true(dice(&labels, &mask) == 1);
    ro_image_free(&labels);
    ro_image_free(&phi);
    ro_image_free(&distance);
    ro_image_free(&mask);
    ro_image_free(&image);
}

/* A disc in a wind is carried along. */
static void a_field_carries_the_contour(void **state)
{
    (void)state;
    static const char *const numbers[] = {"u8", "s12", "s16", "s23e8"};
    ro_image image = blank(120, 100, 100);
    float *velocity = malloc(2 * 120 * 100 * sizeof *velocity);
    for (size_t i = 0; i < 120 * 100; i++) {
        velocity[2 * i] = 0.5f;
        velocity[2 * i + 1] = -0.25f;
    }
    for (size_t n = 0; n < 4; n++) {
        const ro_seed seed = {1, 40, 60, 15};
        ro_segment_options options = {RO_SEGMENT_DEFAULTS, .number = numbers[n], .iterations = 80,
                                      .time_step = 1,      .velocity = velocity, .seeds = &seed,
                                      .seed_count = 1};
        ro_image labels = mask_of(&image, options);
        double x_sum = 0, y_sum = 0, count = 0;
        for (uint32_t y = 0; y < 100; y++)
            for (uint32_t x = 0; x < 120; x++)
                if (*pixel(&labels, x, y)) {
                    x_sum += x;
                    y_sum += y;
                    count++;
                }
        print_message("%s: carried to (%.2f, %.2f), area %.0f\n", numbers[n], x_sum / count,
                      y_sum / count, count);
        assert_true(fabs(x_sum / count - 80) < 1.5 && fabs(y_sum / count - 40) < 1.5);
        ro_image_free(&labels);
    }
    free(velocity);
    ro_image_free(&image);
}

static int count_frames(void *data, ro_segmentation *now, uint32_t step)
{
    uint32_t *frames = data;
    (void)now;
    assert_int_equal(step, 7 * *frames);
    ++*frames;
    return 0;
}

static void ends_and_frames(void **state)
{
    (void)state;
    ro_image image = lobes(140, 40, 0, 1);
    const ro_seed seed = {1, 70, 70, 8};
    ro_segment_options options = {RO_SEGMENT_DEFAULTS, .number = "u8", .seeds = &seed,
                                  .seed_count = 1};
    /* the shape's tone pulls slowly: in 8 bits only with phi and the speed doubled in turn */
    options.speed[0] = (ro_speed){.coefficients = 2, .polynomial = {-120.0 / 255, 1}};
    options.time_step = 0.2;
    ro_image labels = mask_of(&image, options);
    assert_true(report.label[0].ended);
    assert_true(report.label[0].rescalings > 1);
    assert_int_equal(report.label[0].speed_scale[0], 1);
    assert_int_equal(report.label[0].rescaled_at[0] % 20, 0);
    uint32_t frames = 0;
    options.frame_every = 7;
    options.frame = count_frames;
    options.frame_data = &frames;
    ro_image again = mask_of(&image, options);
    assert_int_equal(frames, 1 + report.steps / 7);
    assert_true(dice(&labels, &again) == 1);
    ro_image_free(&labels);
    ro_image_free(&again);
    ro_image_free(&image);
}

static void schedules_agree(void **state)
{
    (void)state;
    static const char *const schedules[] = {"reference", "passes", "stream", "active"};
    ro_image image = lobes(150, 50, 10, 2);
    const ro_seed seeds[] = {{1, 75, 75, 6}, {2, 10, 10, 6}};
    for (int number = 0; number < 2; number++) {
        ro_image want = {0};
        ro_segment_report first = {.size = sizeof first};
        for (size_t i = 0; i < 4; i++) {
            ro_segment_options options = {RO_SEGMENT_DEFAULTS, .number = number ? "s12" : "u8",
                                          .schedule = schedules[i], .seeds = seeds,
                                          .seed_count = 2};
            ro_image got = mask_of(&image, options);
            assert_string_equal(ro_context_report(context)->schedule, schedules[i]);
            if (i == 0) {
                want = got;
                first = report;
                assert_false(report.label[0].border);
                assert_true(report.label[1].border); /* the ground */
                continue;
            }
            for (uint32_t y = 0; y < 150; y++)
                assert_memory_equal(pixel(&want, 0, y), pixel(&got, 0, y), 150);
            assert_memory_equal(first.label, report.label, sizeof first.label);
            ro_image_free(&got);
        }
        ro_image_free(&want);
    }
    ro_image_free(&image);
}

static void refused(const ro_image *image, ro_segment_options options, const char *words)
{
    ro_segmentation *result;
    assert_int_not_equal(ro_segment(context, image, &options, &result, NULL), RO_OK);
    assert_null(result);
    if (!strstr(ro_context_message(context), words))
        fail_msg("'%s' does not say '%s'", ro_context_message(context), words);
}

static void bad_options(void **state)
{
    (void)state;
    ro_image image = blank(40, 30, 100), small = blank(20, 30, 0), five = blank(40, 30, 5);
    ro_seed seed = {1, 10, 10, 5};
    ro_segment_options good = {RO_SEGMENT_DEFAULTS, .seeds = &seed, .seed_count = 1};
    refused(&image, (ro_segment_options)RO_SEGMENT_OPTIONS, "no seed");
    seed.x = 40;
    refused(&image, good, "the seed (40, 10) is outside the image of 40 x 30");
    seed = (ro_seed){5, 10, 10, 5};
    refused(&image, good, "label 5: labels go from 1 to 4");
    seed.label = 1;
    ro_segment_options bad = good;
    bad.mask = &small;
    refused(&image, bad, "the mask is 20 x 30 but the image is 40 x 30");
    bad.mask = &five;
    refused(&image, bad, "label 5 in the mask at (0, 0)");
    bad = good;
    bad.speed[0] = (ro_speed){.coefficients = 2, .polynomial = {0, 0}};
    refused(&image, bad, "the speed of label 1 is zero everywhere");
    bad.speed[0] = (ro_speed){.constant = NAN};
    refused(&image, bad, "not a number");
    bad.speed[0] = (ro_speed){.window = 1, .low = 9, .high = 3};
    refused(&image, bad, "empty");
    bad = good;
    bad.number = "s9";
    refused(&image, bad, "number s9: must be u8, s12, s16 or s23e8");
    bad = good;
    bad.factor = &small;
    refused(&image, bad, "the factor is 20 x 30 but the image is 40 x 30");
    bad = good;
    bad.norm = "cubic";
    refused(&image, bad, "norm cubic: must be");
    bad = good;
    bad.schedule = "fast";
    refused(&image, bad, "schedule fast: must be");
    bad = good;
    bad.time_step = 0.6;
    bad.speed[0].constant = 1;
    refused(&image, bad, "a time step of 0.6 is not monotone; the largest monotone one is 0.498");
    ro_image_free(&image);
    ro_image_free(&small);
    ro_image_free(&five);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_as_a_disc),
        cmocka_unit_test(grows_as_an_octagon),
        cmocka_unit_test(eight_bits_grow_the_same_octagon),
        cmocka_unit_test(fronts_stop_only_at_zero),
        cmocka_unit_test(a_factor_slows_fronts),
        cmocka_unit_test(two_discs_merge),
        cmocka_unit_test(one_splits_round_a_hole),
        cmocka_unit_test(shrinks_to_nothing),
        cmocka_unit_test(curvature_closes_a_gap),
        cmocka_unit_test(few_bits_find_the_same),
        cmocka_unit_test(only_what_has_a_seed),
        cmocka_unit_test(defaults_find_an_object),
        cmocka_unit_test(turned_inputs_give_turned_results),
        cmocka_unit_test(labels_evolve_apart),
        cmocka_unit_test(masks_and_distances_are_seeds),
        cmocka_unit_test(a_field_carries_the_contour),
        cmocka_unit_test(ends_and_frames),
        cmocka_unit_test(schedules_agree),
        cmocka_unit_test(bad_options),
    };
    const ro_context_options on_cpu = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 2};
    if (ro_context_open(&on_cpu, &context) != RO_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ro_context_close(context);
    return failed;
}
