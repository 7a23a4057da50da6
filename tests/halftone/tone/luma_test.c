/* SPDX-License-Identifier: MIT */
/* Vectors make the luma that docs/numerics.md defines, of every width, and touch nothing else. */
#include "core/random.h"
#include "halftone/tone/luma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDEST = 150, GUARD = 0xa5 };

static luma_row_fn *const rows[RO_CPUS] = {RO_VARIANTS_OF(luma_row)};

static uint8_t luma(const uint8_t *c)
{
    return (uint8_t)((13933u * c[0] + 46871u * c[1] + 4732u * c[2] + 32768) >> 16);
}

static void check(luma_row_fn *row, const uint8_t *rgb, uint32_t width)
{
    uint8_t grey[WIDEST + 64];
    uint8_t *exact = malloc(3 * (size_t)width); /* a sanitizer sees a read behind it */
    memcpy(exact, rgb, 3 * (size_t)width);
    memset(grey, GUARD, sizeof grey);
    row(exact, width, grey);
    for (uint32_t x = 0; x < width; x++)
        if (grey[x] != luma(rgb + 3 * (size_t)x))
            fail_msg("column %u of %u: %u, not %u", x, width, grey[x], luma(rgb + 3 * (size_t)x));
    for (size_t x = width; x < sizeof grey; x++)
        assert_int_equal(grey[x], GUARD);
    free(exact);
}

static void every_width(void **state)
{
    (void)state;
    uint8_t rgb[3 * WIDEST];
    for (int cpu = 0; cpu < RO_CPUS; cpu++)
        for (uint32_t width = 1; rows[cpu] && (ro_cpu)cpu <= cpu_best() && width <= WIDEST; width++)
            for (uint32_t trial = 0; trial < 20; trial++) {
                for (uint32_t i = 0; i < sizeof rgb; i++) {
                    const uint64_t hash = pixel_hash(trial, i, width);
                    rgb[i] = (uint8_t)(trial % 4 ? hash >> 24 : hash & 1 ? 255 : 0);
                }
                check(rows[cpu], rgb, width);
            }
}

static void greys_stay(void **state)
{
    (void)state;
    uint8_t rgb[3 * 128];
    for (int cpu = 0; cpu < RO_CPUS; cpu++)
        for (int half = 0; rows[cpu] && (ro_cpu)cpu <= cpu_best() && half < 2; half++) {
            uint8_t grey[128];
            for (int i = 0; i < 128; i++)
                memset(rgb + 3 * i, 128 * half + i, 3);
            rows[cpu](rgb, 128, grey);
            for (int i = 0; i < 128; i++)
                assert_int_equal(grey[i], 128 * half + i);
        }
}

static void alpha_is_noticed(void **state)
{
    (void)state;
    static luma_opaque_row_fn *const opaque[RO_CPUS] = {RO_VARIANTS_OF(luma_opaque_row)};
    uint8_t rgba[4 * WIDEST], rgb[3 * WIDEST], grey[WIDEST], right[WIDEST];
    for (uint32_t i = 0; i < sizeof rgba; i++)
        rgba[i] = (uint8_t)(i % 4 == 3 ? 255 : pixel_hash(5, i, 0) >> 24);
    for (uint32_t x = 0; x < WIDEST; x++) {
        memcpy(rgb + 3 * (size_t)x, rgba + 4 * (size_t)x, 3);
        right[x] = luma(rgb + 3 * (size_t)x);
    }
    for (int cpu = 0; cpu < RO_CPUS; cpu++)
        for (uint32_t width = 1; opaque[cpu] && (ro_cpu)cpu <= cpu_best() && width <= WIDEST;
             width += 7) {
            assert_true(opaque[cpu](rgba, width, grey));
            assert_memory_equal(grey, right, width);
            for (uint32_t x = 0; x < width; x += 5) {
                rgba[4 * x + 3] = 254;
                assert_false(opaque[cpu](rgba, width, grey));
                rgba[4 * x + 3] = 255;
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_width), cmocka_unit_test(greys_stay),
                                       cmocka_unit_test(alpha_is_noticed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
