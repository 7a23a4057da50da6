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

/* D of a picture to which `more` is added. */
static int32_t *changes_of(const struct trained_plan *plan, const struct picture *picture,
                           int32_t more)
{
    const size_t size = (size_t)picture->width * picture->height;
    int16_t *seen = malloc(size * sizeof *seen);
    int32_t *change = malloc(size * sizeof *change);
    assert_true(seen && change);
    for (uint32_t y = 0; y < picture->height; y++)
        for (uint32_t x = 0; x < picture->width; x++)
            seen[(size_t)y * picture->width + x] =
                trained_seen(plan, number_at(picture, x, y) + more);
    assert_true(trained_ref(plan, picture->width, picture->height, seen, change));
    free(seen);
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
        if (!trained_make(&plan, networks[i & 1], 0, picture.high,
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
        if (!trained_make(&plan, networks[i & 1], 0, 255, noises[i / SIZES % NOISES]))
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
    } known[] = {{0, 255, 25, 0x703348f6},
                 {0, 65535, 900, 0x28884fb7},
                 {1, 255, 25, 0xeb869fa1},
                 {1, 65535, 900, 0xd17f4add}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct picture picture = {61, 47, known[i].high, 2};
        struct trained_plan plan;
        assert_true(
            trained_make(&plan, networks[known[i].network], 0, known[i].high, known[i].noise));
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
        cmocka_unit_test(forms),
        cmocka_unit_test(golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
