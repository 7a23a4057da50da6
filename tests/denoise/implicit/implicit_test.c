/* SPDX-License-Identifier: MIT */
/* The semi-implicit schemes across the borders of tiles, and the dither by several threads, against
 * their definitions; rocheck has the small images. */
#include "core/random.h"
#include "denoise/implicit/implicit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ro_context *open_threads(int threads)
{
    ro_context *context;
    const ro_context_options options = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU,
                                        .threads = threads};
    assert_int_equal(ro_context_open(&options, &context), RO_OK);
    return context;
}

/* Wider than two tiles, and so high that three threads have several. */
static void tiles_meet(void **state)
{
    (void)state;
    enum { W = 1100, H = 150 };
    static uint8_t in[W * H], want[W * H], got[W * H];
    for (uint32_t i = 0; i < W * H; i++)
        in[i] = (uint8_t)(100 + 60 * (i % W / 90 % 2) + (pixel_hash(3, i, 0) & 31));
    ro_image from = ro_image_view(RO_GREY8, W, H, in), to = ro_image_view(RO_GREY8, W, H, want);
    static const char *const numbers[] = {"s9", "s16", "s23e8"};
    for (int i = 0; i < 3; i++) {
        ro_denoise_options options = {RO_DENOISE_DEFAULTS,     .scheme = "implicit",
                                      .number = numbers[i],    .schedule = "reference",
                                      .sigma = i == 1 ? 2 : 0, .iterations = 2};
        ro_context *context = open_threads(3);
        to.data = want;
        assert_int_equal(ro_denoise(context, &from, &to, &options, NULL), RO_OK);
        options.schedule = NULL;
        to.data = got;
        assert_int_equal(ro_denoise(context, &from, &to, &options, NULL), RO_OK);
        assert_memory_equal(want, got, sizeof want);
        ro_context_close(context);
    }
}

/* With a tolerance no number is further from the exact solution, which a much smaller one gives in
 * floats; of integers its rounding and the dither are added. */
static void tolerance_is_kept(void **state)
{
    (void)state;
    enum { W = 40, H = 31 };
    static const char *const numbers[] = {"u8", "s9", "s12", "s16", "s17", "s24", "s23e8"};
    static const double times[] = {0.5, 8, 200};
    uint8_t in[W * H];
    float exact[W * H], got[W * H], few[W * H];
    for (uint32_t i = 0; i < W * H; i++)
        in[i] = (uint8_t)(100 + 60 * (i % W / 9 % 2) + (pixel_hash(3, i, 0) & 31));
    const ro_image from = ro_image_view(RO_GREY8, W, H, in);
    ro_image to = ro_image_view(RO_GREYF, W, H, exact);
    ro_context *context = open_threads(1);
    for (int t = 0; t < 3; t++) {
        /* linear: weights do not depend on the numbers */
        ro_denoise_options options = {RO_DENOISE_DEFAULTS, .model = "linear", .scheme = "implicit",
                                      .iterations = 1,     .number = "s23e8", .tolerance = 1e-6};
        options.time_step = times[t];
        to.data = exact;
        assert_int_equal(ro_denoise(context, &from, &to, &options, NULL), RO_OK);
        for (int n = 0; n < 7; n++) {
            ro_denoise_report report = {.size = sizeof report};
            double worst = 0, of_few = 0;
            options.number = numbers[n];
            options.tolerance = 0.5;
            to.data = got;
            if (ro_denoise(context, &from, &to, &options, &report) != RO_OK)
                fail_msg("%s", ro_context_message(context));
            options.tolerance = 0;
            to.data = few;
            if (times[t] <= 32)
                assert_int_equal(ro_denoise(context, &from, &to, &options, NULL), RO_OK);
            const double unit = n == 6 ? 1.0 / 255 : 1 / report.white;
            for (int i = 0; i < W * H; i++) {
                worst = fmax(worst, fabs((double)got[i] - (double)exact[i]) / unit);
                of_few = fmax(of_few, fabs((double)few[i] - (double)exact[i]) / unit);
            }
            /* half a unit each for the tolerance and the rounding, and one of the dither; weights
             * count in 1/65536, which is felt in 24 bits */
            const double most = n == 6 ? 0.5 : 2.1 + report.white * 2e-4;
            if (worst > most)
                fail_msg("%s, time %g: %g units from the solution", numbers[n], times[t], worst);
            if (t == 1)
                assert_true(of_few > worst);
            assert_true(n == 6 || report.sum_after == report.sum_before);
            assert_true(report.min_after >= report.min_before &&
                        report.max_after <= report.max_before);
        }
    }
    ro_context_close(context);
}

/* Few and many units, more than there are pixels below the limit, and pixels at it. */
static void dither_by_threads(void **state)
{
    (void)state;
    enum { W = 61, H = 47, SIZE = W * H };
    static int32_t r[SIZE], want[SIZE], got[SIZE];
    ro_context *context = open_threads(3);
    for (int64_t defect = -3 * SIZE; defect <= 3 * SIZE; defect += SIZE / 4 + 1) {
        struct edge_balance balance = {defect, 0, 100};
        int64_t missing = defect;
        for (int i = 0; i < SIZE; i++) {
            r[i] = want[i] = pixel_hash(1, (uint32_t)i, 0) % 8
                                 ? 20 + (int)(pixel_hash(1, 1, (uint32_t)i) % 60)
                             : i % 2 ? 0
                                     : 100;
        }
        r[0] = 0;
        r[1] = 100;
        /* put the defect into x and leave r as it is: the extremes are r's */
        for (int i = 2; missing != 0; i = i + 1 < SIZE ? i + 1 : 2) {
            const int unit = missing < 0 ? 1 : -1;
            if (want[i] + unit >= 0 && want[i] + unit <= 100) {
                want[i] += unit;
                missing += unit;
            }
        }
        balance.defect = 0;
        for (int i = 0; i < SIZE; i++)
            balance.defect += r[i] - want[i];
        memcpy(got, want, sizeof got);
        assert_true(dither_defect(r, want, W, H, 77));
        assert_int_equal(dither_run(context, got, W, H, &balance, 77), RO_OK);
        assert_memory_equal(want, got, sizeof want);
    }
    ro_context_close(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_meet),
        cmocka_unit_test(tolerance_is_kept),
        cmocka_unit_test(dither_by_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
