/* SPDX-License-Identifier: MIT */
/* Impulses: what counts as one, what is noticed, and that mending helps where diffusion cannot. */
#include "core/random.h"
#include "denoise/denoise.h"
#include "fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { W = 160, H = 120 };
static uint8_t clean[W * H], spoilt[W * H], result[W * H];
static const ro_image in = {
    .format = RO_GREY8, .width = W, .height = H, .maxval = 255, .stride = W, .data = spoilt};
static ro_image out = {
    .format = RO_GREY8, .width = W, .height = H, .maxval = 255, .stride = W, .data = result};

/* Shading and squares with a little noise; one pixel of `in_one` is black or white, 0: none. */
static void draw(uint32_t in_one, int noise)
{
    for (int i = 0; i < W * H; i++) {
        const int x = i % W, y = i / W;
        clean[i] = (uint8_t)(70 + x / 3 + (x / 40 + y / 40) % 2 * 50);
        spoilt[i] =
            (uint8_t)(clean[i] +
                      (int)(pixel_hash(1, (uint32_t)x, (uint32_t)y) % (uint32_t)(2 * noise + 1)) -
                      noise);
        const uint32_t chance = pixel_hash(2, (uint32_t)x, (uint32_t)y);
        if (in_one && chance % in_one == 0)
            spoilt[i] = chance >> 31 ? 255 : 0;
    }
}

static double psnr(void)
{
    double sum = 0;
    for (int i = 0; i < W * H; i++)
        sum += (result[i] - clean[i]) * (result[i] - clean[i]);
    return 10 * log10(255 * 255.0 * W * H / sum);
}

static void mended(void **state)
{
    (void)state;
    ro_denoise_options options = RO_DENOISE_OPTIONS;
    ro_denoise_report report = {.size = sizeof report};
    draw(12, 6);
    assert_int_equal(ro_denoise(context, &in, &out, &options, &report), RO_OK);
    const double without = psnr();
    assert_true(report.impulses > 0.04 && report.impulses < 0.12);
    options.impulse = 1;
    assert_int_equal(ro_denoise(context, &in, &out, &options, &report), RO_OK);
    print_message("%.2f dB without, %.2f dB with medians\n", without, psnr());
    assert_true(psnr() > without + 8);
    assert_true(report.impulses > 0.04 && report.impulses < 0.12);
}

static void nothing_to_mend(void **state)
{
    (void)state;
    ro_denoise_options options = {RO_DENOISE_DEFAULTS, .impulse = 1};
    ro_denoise_report report = {.size = sizeof report};
    for (int noise = 0; noise <= 60; noise += 30) {
        draw(0, noise);
        assert_int_equal(ro_denoise(context, &in, &out, &options, &report), RO_OK);
        assert_true(report.impulses < 0.002);
    }
}

/* A grain in the corner, one beside another, and a step, of which no pixel is an impulse. */
static void single_grains(void **state)
{
    (void)state;
    static uint16_t pixels[7 * 5];
    ro_image image = {.format = RO_GREY16,
                      .width = 7,
                      .height = 5,
                      .maxval = 1000,
                      .stride = 14,
                      .data = pixels},
             copy;
    double share;
    for (int i = 0; i < 35; i++)
        pixels[i] = i % 7 < 4 ? 300 : 700;
    pixels[0] = 1000;
    pixels[2 * 7 + 1] = pixels[2 * 7 + 2] = 0;
    assert_int_equal(impulses_mend(context, &image, &copy, &share), RO_OK);
    for (int i = 0; i < 35; i++)
        assert_int_equal(((uint16_t *)copy.data)[(i / 7) * copy.stride / 2 + i % 7],
                         i % 7 < 4 ? 300 : 700);
    assert_true(fabs(share - 3 / 35.0) < 1e-9);
    ro_image_free(&copy);
}

static void refused(void **state)
{
    (void)state;
    const ro_denoise_options options = {RO_DENOISE_DEFAULTS, .impulse = 1, .kappa = 4};
    ro_plan *plan;
    assert_int_equal(ro_denoise_plan(context, &in, &out, &options, &plan), RO_E_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mended),
        cmocka_unit_test(nothing_to_mend),
        cmocka_unit_test(single_grains),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
