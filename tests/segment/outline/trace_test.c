/* SPDX-License-Identifier: MIT */
/* Outlines of small maps: which pixels they keep together, where they are, and their area. */
#include "segment/outline/trace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static double area_of(const ro_polyline *line)
{
    double sum = 0;
    for (size_t k = 0; k < line->count; k++) {
        const double *a = line->points + 2 * k, *b = line->points + 2 * ((k + 1) % line->count);
        sum += b[0] * a[1] - a[0] * b[1];
    }
    return sum / 2;
}

static double at(const void *data, uint32_t x, uint32_t y, int side)
{
    (void)x, (void)y, (void)side;
    return *(const double *)data;
}

static bool yes(const void *data, uint32_t x, uint32_t y)
{
    (void)data;
    assert_true(x == 1 && y == 1); /* the only corner where pixels touch */
    return true;
}

static bool no(const void *data, uint32_t x, uint32_t y)
{
    (void)data, (void)x, (void)y;
    return false;
}

/* Traces 4 by 4 pixels, a digit each; every crossing is at the same place. */
static struct outline_set trace(const char *pixels, double place,
                                bool (*joined)(const void *, uint32_t, uint32_t))
{
    uint16_t *labels = outline_labels(4, 4);
    struct outline_set outlines = {0};
    assert_non_null(labels);
    for (uint32_t i = 0; i < 16; i++)
        labels[outline_at(4, i % 4, i / 4)] = (uint16_t)(pixels[i] - '0');
    assert_true(outlines_add(&outlines, &(struct outline_map){.width = 4,
                                                              .height = 4,
                                                              .labels = labels,
                                                              .highest = 9,
                                                              .data = &place,
                                                              .place = at,
                                                              .joined = joined}));
    free(labels);
    return outlines;
}

static void corners_join_where_asked(void **state)
{
    (void)state;
    static const char *const pixels[] = {"0000010000100000", "0000001001000000"};
    for (int i = 0; i < 2; i++) {
        struct outline_set apart = trace(pixels[i], 0.5, NULL), also = trace(pixels[i], 0.5, no);
        struct outline_set together = trace(pixels[i], 0.5, yes);
        assert_int_equal(apart.count, 2);
        assert_int_equal(also.count, 2);
        assert_int_equal(together.count, 1);
        assert_int_equal(together.lines[0].count, 8);
        assert_true(fabs(area_of(&apart.lines[0]) + area_of(&apart.lines[1]) - 2) < 0.26);
        assert_true(fabs(area_of(&together.lines[0]) - 2) < 0.26);
        outlines_drop(&apart);
        outlines_drop(&also);
        outlines_drop(&together);
    }
}

/* Wherever crossings are asked for, a quarter of a pixel or a 64th is what may be missing. */
static void areas_are_those_of_pixels(void **state)
{
    (void)state;
    static const double places[] = {-3, 0, 0.2, 0.5, 0.9, 1, 5, (double)NAN};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct outline_set spot = trace("0000010000000000", places[i], NULL);
        assert_int_equal(spot.count, 1);
        assert_true(fabs(area_of(&spot.lines[0]) - 1) < 0.251);
        outlines_drop(&spot);
        struct outline_set two = trace("2222212221122222", places[i], NULL);
        double sum[3] = {0};
        for (size_t k = 0; k < two.count; k++)
            sum[two.lines[k].label] += area_of(&two.lines[k]);
        assert_true(fabs(sum[1] - 3) < 0.251 && fabs(sum[2] - 13) < 0.251);
        assert_int_equal(two.count, 3); /* 2 has a hole */
        outlines_drop(&two);
    }
}

static void the_border_is_straight(void **state)
{
    (void)state;
    static const double whole[] = {-0.5, -0.5, -0.5, 3.5, 3.5, 3.5, 3.5, -0.5};
    struct outline_set outlines = trace("3333333333333333", 0.5, NULL);
    assert_int_equal(outlines.count, 1);
    assert_int_equal(outlines.lines[0].count, 4);
    assert_memory_equal(outlines.points, whole, sizeof whole);
    outlines_drop(&outlines);
    outlines = trace("1100110011001100", 0.52, NULL); /* half of it: 0.08 pixels more may stay */
    assert_int_equal(outlines.count, 1);
    assert_true(fabs(area_of(&outlines.lines[0]) - 8.08) < 1e-9);
    outlines_drop(&outlines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_join_where_asked),
        cmocka_unit_test(areas_are_those_of_pixels),
        cmocka_unit_test(the_border_is_straight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
