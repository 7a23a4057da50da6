/* SPDX-License-Identifier: MIT */
/*
 * The start of a registration from points that match: drawn pairs of known maps, in any size,
 * angle, perspective and sign of contrast; pairs of different drawings, which must not pass for the
 * same; and the same bits from every thread count and instruction set.
 */
#include "core/random.h"
#include "register/start/maps.h"
#include "roundoff.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 240, SPOTS = 260 };

/* A drawing: round spots, light and dark, on a plane that is larger than the pictures. */
struct spot {
    double x, y, size, tone;
};

static void scatter(uint64_t seed, struct spot spots[SPOTS])
{
    for (uint32_t i = 0; i < SPOTS; i++) {
        double at[4];
        for (uint32_t k = 0; k < 4; k++)
            at[k] = pixel_hash(seed, i, k) / 4294967296.0;
        spots[i] = (struct spot){at[0] * 2 * SIDE - SIDE / 2.0, at[1] * 2 * SIDE - SIDE / 2.0,
                                 2 + 10 * at[2] * at[2], at[3] < 0.5 ? 0.35 : -0.35};
    }
}

/* picture(x) = drawing(map(x)). */
static void draw(const struct spot spots[SPOTS], const struct plane_map *map, const ro_image *to)
{
    for (uint32_t y = 0; y < to->height; y++)
        for (uint32_t x = 0; x < to->width; x++) {
            const struct point p = map_point(map, (struct point){x, y});
            double tone = 0.5;
            for (int i = 0; i < SPOTS; i++) {
                const double dx = p.x - spots[i].x, dy = p.y - spots[i].y;
                const double away = (dx * dx + dy * dy) / (2 * spots[i].size * spots[i].size);
                if (away < 8)
                    tone += spots[i].tone * exp(-away);
            }
            tone = tone < 0 ? 0 : tone > 1 ? 1 : tone;
            ((uint8_t *)to->data)[(ptrdiff_t)y * to->stride + x] = (uint8_t)(255 * tone + 0.5);
        }
}

static struct plane_map similarity(double size, double degrees, double dx, double dy)
{
    const double c = size * cos(degrees * M_PI / 180), s = size * sin(degrees * M_PI / 180);
    const double m = (SIDE - 1) / 2.0;
    return (struct plane_map){
        {c, -s, m + dx - c * m + s * m, s, c, m + dy - s * m - c * m, 0, 0, 1}};
}

static const struct plane_map same = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

struct bed {
    ro_context *context;
    ro_image fixed, moving, field;
    ro_register_report report;
};

static void open_bed(struct bed *bed, int threads)
{
    const ro_context_options with = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                     .threads = threads};
    *bed = (struct bed){0};
    assert_int_equal(ro_context_open(&with, &bed->context), RO_OK);
    ro_image *images[] = {&bed->fixed, &bed->moving};
    for (int i = 0; i < 2; i++)
        assert_int_equal(ro_image_alloc(bed->context, RO_GREY8, SIDE, SIDE, 255, images[i]), RO_OK);
    assert_int_equal(ro_image_alloc(bed->context, RO_GREYF, 2 * SIDE, SIDE, 0, &bed->field), RO_OK);
}

static void close_bed(struct bed *bed)
{
    ro_image_free(&bed->fixed);
    ro_image_free(&bed->moving);
    ro_image_free(&bed->field);
    ro_context_close(bed->context);
}

static void run(struct bed *bed)
{
    bed->report = (ro_register_report){.size = sizeof bed->report};
    if (ro_register(bed->context, &bed->fixed, &bed->moving, &bed->field, NULL, &bed->report) !=
        RO_OK)
        fail_msg("%s", ro_context_message(bed->context));
}

/* The mean distance to the map, where that leads into the moving image. */
static double error_of(const struct bed *bed, const struct plane_map *map)
{
    double sum = 0, count = 0;
    for (uint32_t y = 0; y < SIDE; y++) {
        const float *u = (const float *)(const void *)((const char *)bed->field.data +
                                                       (ptrdiff_t)y * bed->field.stride);
        for (uint32_t x = 0; x < SIDE; x++) {
            const struct point to = map_point(map, (struct point){x, y});
            if (to.x < 0 || to.y < 0 || to.x > SIDE - 1 || to.y > SIDE - 1)
                continue;
            sum += hypot(x + (double)u[2 * x] - to.x, y + (double)u[2 * x + 1] - to.y);
            count++;
        }
    }
    return sum / count;
}

/* The fixed picture is the drawing, and the moving one is drawn through the inverse of the map. */
static void draw_pair(struct bed *bed, uint64_t seed, const struct plane_map *map)
{
    struct spot spots[SPOTS];
    struct plane_map back;
    scatter(seed, spots);
    assert_true(map_invert(map, &back));
    draw(spots, &same, &bed->fixed);
    draw(spots, &back, &bed->moving);
}

static void negate(const ro_image *image)
{
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++) {
            uint8_t *at = (uint8_t *)image->data + (ptrdiff_t)y * image->stride + x;
            *at = (uint8_t)(255 - *at);
        }
}

static void test_known_maps(void **state)
{
    (void)state;
    struct plane_map leaning = similarity(0.9, 20, 5, -8);
    leaning.m[6] = 0.0006;
    leaning.m[7] = -0.0004;
    struct plane_map squeezed = similarity(1, 65, 0, 4);
    squeezed.m[0] *= 0.75;
    squeezed.m[1] *= 0.75;
    squeezed.m[2] = squeezed.m[2] * 0.75 + 25;
    const struct {
        const char *name;
        struct plane_map map;
        bool negative;
        double bound;
    } cases[] = {
        {"half the size", similarity(0.5, 0, 0, 0), false, 0.1},
        {"twice the size, turned", similarity(2, 75, 10, 20), false, 0.1},
        {"upside down, smaller", similarity(0.7, 180, -10, 3), false, 0.1},
        {"squeezed", squeezed, false, 0.15},
        {"in perspective", leaning, false, 0.15},
        {"far away", similarity(1, 8, 110, -60), false, 0.2},
        {"a negative", similarity(1.5, 200, 0, 0), true, 0.15},
    };
    struct bed bed;
    open_bed(&bed, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        draw_pair(&bed, 40 + i, &cases[i].map);
        if (cases[i].negative)
            negate(&bed.moving);
        run(&bed);
        const double error = error_of(&bed, &cases[i].map);
        if (!(error < cases[i].bound))
            fail_msg("%s: mean error %.3f px, support %u of %u", cases[i].name, error,
                     bed.report.support, bed.report.matches);
        if (bed.report.useless || !(bed.report.confidence >= 0.5))
            fail_msg("%s: refused (%u) with a confidence of %.2f", cases[i].name,
                     bed.report.useless, bed.report.confidence);
        assert_int_equal(bed.report.negative, cases[i].negative);
    }
    close_bed(&bed);
}

/* Nothing in common but what they are drawn with; noise; a corner in common. */
static void test_impossible(void **state)
{
    (void)state;
    struct spot spots[SPOTS];
    struct bed bed;
    open_bed(&bed, 2);
    for (uint64_t seed = 60; seed < 66; seed++) {
        const struct plane_map corner = similarity(1, 0, 0.85 * SIDE, 0.85 * SIDE);
        if (seed % 3 == 0) {
            draw_pair(&bed, seed, &same);
            scatter(seed + 100, spots);
            draw(spots, &same, &bed.moving);
        } else if (seed % 3 == 1) {
            draw_pair(&bed, seed, &corner);
        } else {
            for (uint32_t y = 0; y < SIDE; y++)
                for (uint32_t x = 0; x < SIDE; x++)
                    ((uint8_t *)bed.moving.data)[(ptrdiff_t)y * bed.moving.stride + x] =
                        (uint8_t)(pixel_hash(seed, x, y) >> 24);
        }
        run(&bed);
        if (!bed.report.useless)
            fail_msg("pair %u is accepted, support %u of %u, confidence %.2f", (unsigned)seed,
                     bed.report.support, bed.report.matches, bed.report.confidence);
    }
    close_bed(&bed);
}

static void test_same_bits(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 5};
    const struct plane_map map = similarity(0.6, 100, 4, 4);
    struct bed first;
    open_bed(&first, 1);
    draw_pair(&first, 77, &map);
    run(&first);
    assert_true(first.report.support >= 15);
    for (int cpu = RO_CPU_SCALAR; cpu <= RO_CPU_AVX512; cpu++)
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            const ro_context_options with = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                             .cpu = (ro_cpu)cpu, .threads = threads[t]};
            struct bed bed = first;
            if (ro_context_open(&with, &bed.context) != RO_OK)
                continue;
            assert_int_equal(ro_image_alloc(bed.context, RO_GREYF, 2 * SIDE, SIDE, 0, &bed.field),
                             RO_OK);
            run(&bed);
            assert_int_equal(bed.report.support, first.report.support);
            for (uint32_t y = 0; y < SIDE; y++)
                assert_memory_equal((char *)bed.field.data + (ptrdiff_t)y * bed.field.stride,
                                    (char *)first.field.data + (ptrdiff_t)y * first.field.stride,
                                    2 * SIDE * sizeof(float));
            ro_image_free(&bed.field);
            ro_context_close(bed.context);
        }
    close_bed(&first);
}

/* Points of a known map give it back; pairs that leave it open are refused. */
static void test_fits(void **state)
{
    (void)state;
    enum { COUNT = 30 };
    const struct plane_map affine = {{1.2, -0.3, 14, 0.4, 0.9, -7, 0, 0, 1}};
    const struct plane_map leaning = {{1.2, -0.3, 14, 0.4, 0.9, -7, 0.0007, -0.0005, 1}};
    struct point from[COUNT], to[2][COUNT], line[COUNT];
    double weight[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        from[i] = (struct point){pixel_hash(1, i, 0) >> 23, pixel_hash(1, i, 1) >> 23};
        line[i] = (struct point){from[i].x, 2 * from[i].x};
        to[0][i] = map_point(&affine, from[i]);
        to[1][i] = map_point(&leaning, from[i]);
        weight[i] = 0.2 + (pixel_hash(1, i, 2) >> 24) / 256.0;
    }
    struct plane_map got = same;
    assert_true(fit_affine(COUNT, from, to[0], weight, &got));
    for (int i = 0; i < 9; i++)
        assert_true(fabs(got.m[i] - affine.m[i]) < 1e-9);
    assert_true(fit_homography(COUNT, from, to[1], weight, &got));
    for (int i = 0; i < 9; i++)
        assert_true(fabs(got.m[i] - leaning.m[i]) < 1e-4 * (i % 3 == 2 ? 100 : 1));
    assert_false(fit_affine(COUNT, line, line, weight, &got));
    assert_false(fit_affine(2, from, to[0], weight, &got));
    assert_true(map_plausible(&affine, SIDE, SIDE));
    assert_false(map_plausible(&(struct plane_map){{-1, 0, SIDE, 0, 1, 0, 0, 0, 1}}, SIDE, SIDE));
    assert_false(map_plausible(&(struct plane_map){{0.2, 0, 0, 0, 0.2, 0, 0, 0, 1}}, SIDE, SIDE));
    assert_false(map_plausible(&(struct plane_map){{3, 0, 0, 0, 0.6, 0, 0, 0, 1}}, SIDE, SIDE));
    assert_false(
        map_plausible(&(struct plane_map){{1, 0, 0, 0, 1, 0, -1.0 / SIDE, 0, 1}}, SIDE, SIDE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_maps),
        cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
