/* SPDX-License-Identifier: MIT */
/* Views beside a reference: figures of pictures whose figures are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hologram/fields.h"
#include "roundoff/command.h"

enum { W = 64, H = 48 };

static float *at(const ro_image *image, uint32_t x, uint32_t y)
{
    return (float *)((char *)image->data + (ptrdiff_t)y * image->stride) + x;
}

static ro_image picture(ro_context *context, uint32_t width, uint32_t height)
{
    ro_image image;
    assert_int_equal(ro_image_alloc(context, RO_GREYF, width, height, 0, &image), RO_OK);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            *at(&image, x, y) = x < width / 2 ? 1.0f : 0.2f;
    return image;
}

static ro_view_figures figures_of(ro_context *context, const ro_image *view,
                                  const ro_image *reference, ro_optics optics)
{
    ro_view_figures f = {.size = sizeof f};
    assert_int_equal(ro_view_compare(context, view, reference, &optics, &f), RO_OK);
    return f;
}

/* The picture itself at any brightness; a pixel of the reference may be many of the view's. */
static void the_same(void **state)
{
    ro_context *context = *state;
    ro_image view = picture(context, W, H), reference = picture(context, W / 4, H / 4);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++)
            *at(&view, x, y) *= 7 * *at(&view, x, y);
    const ro_view_figures f = figures_of(context, &view, &reference, (ro_optics){.pitch = 8e-6});
    assert_true(f.psnr > 100 && f.amplitude_psnr > 100 && f.ssim > 0.9999);
    assert_true(f.speckle >= 0 && f.speckle < 1e-3);
    /* Rows twice as far apart: the reference covers half of them. */
    assert_true(
        figures_of(context, &view, &reference, (ro_optics){.pitch = 8e-6, .pitch_y = 16e-6}).psnr >
        100);
    ro_image_free(&view);
    ro_image_free(&reference);
}

/* Fully developed speckle has an exponential intensity, whose contrast is 1. */
static void speckle(void **state)
{
    ro_context *context = *state;
    ro_image view = picture(context, W, H), reference = picture(context, W, H);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            const double a = *at(&reference, x, y), u = (pixel_hash(5, x, y) + 0.5) * 0x1p-32;
            *at(&view, x, y) = (float)(-log(u) * a * a);
        }
    const ro_view_figures f = figures_of(context, &view, &reference, (ro_optics){.pitch = 8e-6});
    assert_true(f.speckle > 0.85 && f.speckle < 1.1);
    assert_true(f.ssim < 0.5 && f.psnr < 10);
    ro_image_free(&view);
    ro_image_free(&reference);
}

/* An error of known size: 20 dB. */
static void an_error(void **state)
{
    ro_context *context = *state;
    ro_image view = picture(context, W, H), reference = picture(context, W, H);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            const float a = *at(&reference, x, y);
            *at(&view, x, y) = a * a + ((x + y) % 2 ? 0.1f : -0.1f) * (a > 0.5f);
        }
    const ro_view_figures f = figures_of(context, &view, &reference, (ro_optics){.pitch = 8e-6});
    assert_true(fabs(f.psnr - 23) < 0.3); /* half of the pixels are off by a tenth */
    ro_image_free(&view);
    ro_image_free(&reference);
}

static void refused(void **state)
{
    ro_context *context = *state;
    ro_image view = picture(context, W, H), dark = picture(context, W, H), bytes;
    ro_view_figures f = {.size = sizeof f};
    assert_int_equal(ro_image_alloc(context, RO_GREY8, W, H, 255, &bytes), RO_OK);
    for (uint32_t y = 0; y < H; y++)
        memset(at(&dark, 0, y), 0, W * sizeof(float));
    assert_int_equal(ro_view_compare(context, &view, &bytes, &(ro_optics){0}, &f), RO_E_ARGUMENT);
    assert_int_equal(ro_view_compare(context, &view, &dark, &(ro_optics){0}, &f), RO_E_ARGUMENT);
    assert_int_equal(ro_view_compare(context, &dark, &view, &(ro_optics){0}, &f), RO_E_ARGUMENT);
    ro_image_free(&view);
    ro_image_free(&dark);
    ro_image_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same), cmocka_unit_test(speckle),
                                       cmocka_unit_test(an_error), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
