/* SPDX-License-Identifier: MIT */
/* The definition of trained diffusion: what it keeps for any picture and any noise, and its bits.
 */
#include "denoise/trained/trained.h"

#include "core/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct trained_network *const networks[] = {&trained_best, &trained_fast};

struct picture {
    uint32_t width, height;
    int32_t high; /* numbers go from 0 to here */
    int kind;
};

static int32_t number_at(const struct picture *picture, uint32_t x, uint32_t y)
{
    const uint32_t random = pixel_hash(7, x, y);
    const int64_t high = picture->high;
    switch (picture->kind) {
    case 0: /* noise, */
        return (int32_t)(random % (uint32_t)(high + 1));
    case 1: /* black and white, */
        return random & 1 ? picture->high : 0;
    case 2: /* a ramp with an edge and a little noise, */
        return (int32_t)((high * x / picture->width + (y > picture->height / 2 ? high / 2 : 0) +
                          (int64_t)(random % 16) * high / 255) /
                         3);
    default: /* one grey */
        return picture->high / 3;
    }
}

/* Levels of uneven noise, all of them. */
static uint8_t level_at(size_t i) { return (uint8_t)(1 + pixel_hash(8, (uint32_t)i, 0) % 255); }

/* D of a picture to which `more` is added. */
static int32_t *changes_of(const struct trained_plan *plan, const struct picture *picture,
                           int32_t more)
{
    const size_t size = (size_t)picture->width * picture->height;
    int16_t *seen = malloc(size * sizeof *seen);
    int32_t *change = malloc(size * sizeof *change);
    uint8_t *levels = malloc(size);
    assert_true(seen && change && levels);
    for (size_t i = 0; i < size; i++)
        levels[i] = level_at(i);
    for (uint32_t y = 0; y < picture->height; y++)
        for (uint32_t x = 0; x < picture->width; x++)
            seen[(size_t)y * picture->width + x] =
                trained_seen(plan, number_at(picture, x, y) + more);
    assert_true(trained_ref(plan, picture->width, picture->height, seen, levels, change));
    free(seen);
    free(levels);
    return change;
}

static const uint32_t sizes[][2] = {{1, 1}, {1, 2},  {2, 1},  {1, 70},  {70, 1},
                                    {3, 3}, {17, 5}, {9, 31}, {64, 20}, {33, 33}};
enum { SIZES = sizeof sizes / sizeof *sizes };
static const int32_t highs[] = {1, 15, 255, 4095, 65535, 3 * 65535};
enum { HIGHS = sizeof highs / sizeof *highs };
static const double noises[] = {0x1p-12, 0.01, 0.3, 2, 25, 255, 1000, 65535, 8.0 * 65535};
enum { NOISES = sizeof noises / sizeof *noises };

static void sums_are_zero(void **state)
{
    int moved = 0;
    (void)state;
    for (int i = 0; i < SIZES * HIGHS * NOISES * 3; i++) {
        const struct picture picture = {sizes[i % SIZES][0], sizes[i % SIZES][1],
                                        highs[i / SIZES % HIGHS], i % 3};
        struct trained_plan plan;
        const bool uneven = i / SIZES / HIGHS / NOISES & 1;
        if (!(uneven ? trained_make_uneven : trained_make)(&plan, networks[i & 1], 0, picture.high,
                                                           noises[i / SIZES / HIGHS % NOISES]))
            continue;
        int32_t *change = changes_of(&plan, &picture, 0);
        int64_t sum = 0;
        for (size_t k = 0; k < (size_t)picture.width * picture.height; k++) {
            assert_in_range(llabs(change[k]), 0, 1 << 30);
            sum += change[k];
            moved += change[k] != 0;
        }
        assert_true(sum == 0);
        free(change);
    }
    assert_true(moved > 10000);
}

static void constants_stay(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * SIZES * NOISES; i++) {
        const struct picture picture = {sizes[i % SIZES][0], sizes[i % SIZES][1], 255, 3};
        struct trained_plan plan;
        if (!(i & 2 ? trained_make_uneven : trained_make)(&plan, networks[i & 1], 0, 255,
                                                          noises[i / SIZES % NOISES]))
            continue;
        int32_t *change = changes_of(&plan, &picture, 0);
        for (size_t k = 0; k < (size_t)picture.width * picture.height; k++)
            assert_int_equal(change[k], 0);
        free(change);
    }
}

/* Greys in the middle of a wide range, so that nothing is clamped. */
static void a_constant_commutes(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const struct picture picture = {40, 30, 255, 2};
        struct trained_plan plan;
        assert_true(trained_make(&plan, networks[i & 1], 0, i < 2 ? 4095 : 65535, 5));
        int32_t *here = changes_of(&plan, &picture, 1000),
                *there = changes_of(&plan, &picture, 1017);
        assert_memory_equal(here, there, sizeof *here * 40 * 30);
        assert_true(here[40 * 15 + 20] != 0);
        free(here);
        free(there);
    }
}

static void noise_has_limits(void **state)
{
    struct trained_plan plan;
    (void)state;
    assert_true(trained_make(&plan, &trained_best, 0, 255, 1));
    assert_true(trained_make(&plan, &trained_best, -255, 255, 0x1p-12));
    assert_false(trained_make(&plan, &trained_best, 0, 255, 0));
    assert_false(trained_make(&plan, &trained_best, 0, 255, 8.1 * 255));
    assert_false(trained_make(&plan, &trained_best, 0, 255, (double)NAN));
    assert_false(trained_make(&plan, &trained_best, 5, 5, 1));
    assert_false(trained_make(&plan, &trained_best, 0, 1 << 19, 1));
}

/* The root of the mean square of the difference of changes. */
static double distance(const int32_t *a, int fraction_a, const int32_t *b, int fraction_b, int size)
{
    double sum = 0;
    for (int i = 0; i < size; i++)
        sum += pow(ldexp(a[i], -fraction_a) - ldexp(b[i], -fraction_b), 2);
    return sqrt(sum / size);
}

/* The highest level is even noise, but for finer fluxes and coarser changes. */
static void uneven_noise(void **state)
{
    const struct picture picture = {40, 30, 255, 2};
    enum { SIZE = 40 * 30 };
    struct trained_plan even, uneven;
    int16_t seen[SIZE];
    uint8_t levels[SIZE];
    int32_t one[SIZE], other[SIZE];
    (void)state;
    assert_true(trained_make(&even, &trained_best, 0, 255, 20));
    assert_true(trained_make_uneven(&uneven, &trained_best, 0, 255, 20));
    assert_true(uneven.fraction < even.fraction && !uneven.bytes);
    for (int i = 0; i < SIZE; i++)
        seen[i] = trained_seen(&even, number_at(&picture, (uint32_t)i % 40, (uint32_t)i / 40));
    memset(levels, 255, SIZE);
    assert_true(trained_ref(&even, 40, 30, seen, NULL, one));
    assert_true(trained_ref(&uneven, 40, 30, seen, levels, other));
    assert_true(distance(one, even.fraction, other, uneven.fraction, SIZE) < 0.3);
    /* and a level is that much noise */
    assert_true(trained_make_uneven(&uneven, &trained_best, 0, 255, 20 * 255 / 51.0));
    memset(levels, 51, SIZE);
    assert_true(trained_ref(&uneven, 40, 30, seen, levels, other));
    assert_true(distance(one, even.fraction, other, uneven.fraction, SIZE) < 0.6);
}

/* Bytes where they are enough, and words. */
static void forms(void **state)
{
    struct trained_plan plan;
    (void)state;
    assert_true(trained_make(&plan, &trained_fast, 0, 255, 10));
    assert_true(plan.bytes && plan.bits == 0 && plan.most == 255);
    assert_true(trained_make(&plan, &trained_fast, 0, 256, 10));
    assert_false(plan.bytes);
    assert_true(trained_make(&plan, &trained_best, 0, 255, 10));
    assert_true(!plan.bytes && plan.bits == 6 && plan.middle == 128);
    assert_true(trained_make(&plan, &trained_best, -65535, 65535, 10));
    assert_true(plan.bits == -1 && plan.middle == 0);
}

/* The bits of the definition. They change only with it, or with the networks. */
static void golden(void **state)
{
    static const struct {
        int network;
        int32_t high;
        double noise;
        uint32_t hash;
        bool uneven;
    } known[] = {{0, 255, 25, 0x703348f6, false}, {0, 65535, 900, 0x28884fb7, false},
                 {1, 255, 25, 0xeb869fa1, false}, {1, 65535, 900, 0xd17f4add, false},
                 {0, 255, 40, 0x909cc036, true},  {1, 65535, 9000, 0x465a8e85, true}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct picture picture = {61, 47, known[i].high, 2};
        struct trained_plan plan;
        assert_true((known[i].uneven ? trained_make_uneven : trained_make)(
            &plan, networks[known[i].network], 0, known[i].high, known[i].noise));
        int32_t *change = changes_of(&plan, &picture, 0);
        uint32_t hash = 0;
        for (size_t k = 0; k < (size_t)picture.width * picture.height; k++)
            hash = pixel_hash(hash, (uint32_t)k, (uint32_t)change[k]);
        if (hash != known[i].hash)
            print_message("hash %zu is 0x%08x\n", i, hash);
        assert_int_equal(hash, known[i].hash);
        free(change);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_zero),
        cmocka_unit_test(constants_stay),
        cmocka_unit_test(a_constant_commutes),
        cmocka_unit_test(noise_has_limits),
        cmocka_unit_test(uneven_noise),
        cmocka_unit_test(forms),
        cmocka_unit_test(golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
