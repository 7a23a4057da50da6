/* SPDX-License-Identifier: MIT */
/* Fields of pictures against the Rayleigh-Sommerfeld integral, layer by layer; fits and refusals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hologram/fields.h"
#include "roundoff/command.h"

#include <complex.h>

enum { W = 96, H = 80 };
static const double pi = 3.14159265358979323846;
static const ro_optics optics = {.wavelength = 532e-9, .pitch = 4e-6, .pitch_y = 5e-6};

static float *at(const ro_image *image, uint32_t x, uint32_t y)
{
    return (float *)((char *)image->data + (ptrdiff_t)y * image->stride) + x;
}

/* Soft spots on nothing, the size of the hologram: what the grid can carry. */
static ro_image spot(ro_context *context, double cx, double cy)
{
    ro_image image;
    assert_int_equal(ro_image_alloc(context, RO_GREYF, W, H, 0, &image), RO_OK);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            const double a = exp(-(pow(x - cx, 2) + pow(y - cy, 2)) / 40);
            *at(&image, x, y) = a > 1e-3 ? (float)a : 0;
        }
    return image;
}

/* The light of a pixel of the picture, of size `a` at depth z, on a pixel of the hologram. */
static double complex ray(double a, double x, double y, double u, double v, double z)
{
    const double dx = (u - x) * optics.pitch, dy = (v - y) * optics.pitch_y;
    const double r = sqrt(dx * dx + dy * dy + z * z), k = 2 * pi / optics.wavelength;
    return a * z / (2 * pi * r * r) * (1 / r - I * k) * cexp(I * k * r) * optics.pitch *
           optics.pitch_y;
}

struct difference {
    double error, all;
};

static void compare(struct difference *d, const ro_field *field, uint32_t u, uint32_t v,
                    double complex want)
{
    const float *got = row_of(field, v) + 2 * u;
    d->error += pow(cabs(want - (got[0] + I * got[1])), 2);
    d->all += pow(cabs(want), 2);
}

/* A picture placed as a target is the one that a scene sends out, 1 mm behind the hologram; larger
 * pictures shrink and keep their mean intensity. */
static void scenes_and_targets_lie_alike(void **state)
{
    static const uint32_t sizes[][2] = {{40, 20}, {20, 40}, {96, 80}, {200, 300}};
    ro_context *context = *state;
    for (int place = RO_PLACE_FIT; place <= RO_PLACE_CENTRE; place++)
        for (size_t i = 0; i < 4; i++) {
            ro_scene_picture picture = {.depth = 1e-3};
            ro_picture_scene scene = {RO_PICTURE_SCENE_DEFAULTS, .pictures = &picture, .count = 1,
                                      .phase = "constant", .optics = optics};
            ro_image target = {0};
            ro_field field;
            ro_optics taken;
            double error = 0, all = 0;
            assert_int_equal(
                ro_image_alloc(context, RO_GREYF, sizes[i][0], sizes[i][1], 0, &picture.amplitude),
                RO_OK);
            for (uint32_t y = 0; y < sizes[i][1]; y++)
                for (uint32_t x = 0; x < sizes[i][0]; x++)
                    *at(&picture.amplitude, x, y) =
                        0.6f +
                        0.4f * (float)(sin(5.0 * x / sizes[i][0]) * cos(4.0 * y / sizes[i][1]));
            assert_int_equal(
                ro_image_alloc(context, RO_GREYF, sizes[i][0], sizes[i][1], 0, &target), RO_OK);
            for (uint32_t y = 0; y < sizes[i][1]; y++)
                memcpy(at(&target, 0, y), at(&picture.amplitude, 0, y), 4 * sizes[i][0]);
            const ro_status placed =
                ro_picture_place(context, &picture.amplitude, W, H, &optics, place, &picture.width);
            assert_int_equal(placed, place == RO_PLACE_CENTRE && i == 3 ? RO_E_SIZE : RO_OK);
            assert_int_equal(ro_picture_place(context, &target, W, H, &optics, place, NULL),
                             placed);
            assert_int_equal(ro_field_alloc(context, W, H, &field), RO_OK);
            if (placed == RO_OK) {
                assert_int_equal(ro_hologram_pictures(context, &scene, &field, &taken), RO_OK);
                assert_int_equal(ro_field_propagate(context, &field, &field, &taken, -1e-3), RO_OK);
            }
            for (uint32_t y = 8; y < H - 8 && placed == RO_OK; y++)
                for (uint32_t x = 8; x < W - 8; x++) {
                    const double t = *at(&target, x, y);
                    const float *got = row_of(&field, y) + 2 * x;
                    error += pow(t - hypot(got[0], got[1]), 2);
                    all += t * t;
                }
            assert_true(placed != RO_OK || (all > 100 && error < 0.03 * all));
            ro_image_free(&picture.amplitude);
            ro_image_free(&target);
            ro_field_free(&field);
        }
}

/* Square pixels of a picture as wide as the hologram are stretched: pitches differ, so the picture
 * is made for it, W x H pixels of one pitch each way. */
static void flat_pictures(void **state)
{
    ro_context *context = *state;
    const ro_optics square = {.wavelength = 532e-9, .pitch = 4e-6};
    ro_scene_picture pictures[2] = {{.amplitude = spot(context, 30, 40), .depth = 8e-3},
                                    {.amplitude = spot(context, 66, 36), .depth = 6.5e-3}};
    ro_picture_scene scene = {RO_PICTURE_SCENE_DEFAULTS, .pictures = pictures, .count = 2,
                              .phase = "constant", .optics = square};
    ro_field field;
    ro_optics found;
    struct difference d = {0};
    assert_int_equal(ro_field_alloc(context, W, H, &field), RO_OK);
    assert_int_equal(ro_hologram_pictures(context, &scene, &field, &found), RO_OK);
    for (uint32_t v = 4; v < H; v += 6)
        for (uint32_t u = 3; u < W; u += 5) {
            double complex want = 0;
            for (int i = 0; i < 2; i++)
                for (uint32_t y = 0; y < H; y++)
                    for (uint32_t x = 0; x < W; x++) {
                        const double a = *at(&pictures[i].amplitude, x, y);
                        const double dx = ((double)u - x) * 4e-6, dy = ((double)v - y) * 4e-6;
                        const double z = pictures[i].depth, r = sqrt(dx * dx + dy * dy + z * z);
                        const double k = 2 * pi / 532e-9;
                        if (a > 0)
                            want += a * z / (2 * pi * r * r) * (1 / r - I * k) * cexp(I * k * r) *
                                    4e-6 * 4e-6;
                    }
            compare(&d, &field, u, v, want);
        }
    assert_true(sqrt(d.error / d.all) < 0.001);
    assert_true(found.viewer[2] < 0 && found.hogel == 64);
    assert_true(found.depth == 6.5e-3);
    for (int i = 0; i < 2; i++)
        ro_image_free(&pictures[i].amplitude);
    ro_field_free(&field);
}

/* Two layers of a depth map, the left half near and the right half far; pixels that are not square.
 */
static void depth_maps(void **state)
{
    ro_context *context = *state;
    ro_image amplitude = spot(context, 26, 40), other = spot(context, 70, 40), depths;
    assert_int_equal(ro_image_alloc(context, RO_GREYF, W, H, 0, &depths), RO_OK);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            *at(&amplitude, x, y) += *at(&other, x, y);
            *at(&depths, x, y) = x < W / 2 ? 6e-3f : 10e-3f;
        }
    /* A picture's pixel is square: as high as the hologram's, it is 5/4 of its width. */
    ro_scene_picture picture = {.amplitude = amplitude, .depths = depths};
    ro_picture_scene scene = {
        RO_PICTURE_SCENE_DEFAULTS, .pictures = &picture, .count = 1, .layers = 2,
        .phase = "constant",       .optics = optics};
    ro_field field;
    struct difference d = {0};
    assert_int_equal(ro_field_alloc(context, W, H, &field), RO_OK);
    assert_int_equal(ro_hologram_pictures(context, &scene, &field, NULL), RO_OK);
    /* The picture is W pixels of 4 um wide, so its rows are 4 um too: 64 of the hologram's 80. */
    for (uint32_t v = 4; v < H; v += 8)
        for (uint32_t u = 3; u < W; u += 7) {
            double complex want = 0;
            for (uint32_t y = 0; y < H; y++)
                for (uint32_t x = 0; x < W; x++) {
                    const double row = floor((y + 0.5 - H / 2.0) * 5e-6 / 4e-6 + H / 2.0);
                    if (row < 0 || row >= H)
                        continue;
                    const double a = *at(&amplitude, x, (uint32_t)row);
                    if (a > 0)
                        want += ray(a, x, y, u, v, x < W / 2 ? 7e-3 : 9e-3);
                }
            compare(&d, &field, u, v, want);
        }
    assert_true(sqrt(d.error / d.all) < 0.005);
    ro_image_free(&amplitude);
    ro_image_free(&other);
    ro_image_free(&depths);
    ro_field_free(&field);
}

/* The light of a spot across two layers, against that of one layer; the square of it. */
static double seam(ro_context *context, const char *phase)
{
    const ro_optics square = {.wavelength = 532e-9, .pitch = 4e-6};
    ro_image amplitude = spot(context, 48, 40), depths;
    ro_field field[2];
    double error = 0, all = 0;
    assert_int_equal(ro_image_alloc(context, RO_GREYF, W, H, 0, &depths), RO_OK);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++)
            *at(&depths, x, y) = x < W / 2 ? 2e-3f : 2.0217e-3f; /* layers a half turn apart */
    for (int i = 0; i < 2; i++) {
        const ro_scene_picture picture = {.amplitude = amplitude, .depths = depths};
        const ro_picture_scene scene = {
            RO_PICTURE_SCENE_DEFAULTS, .pictures = &picture, .count = 1,
            .layers = 1 + i,           .phase = phase,       .optics = square};
        assert_int_equal(ro_field_alloc(context, W, H, &field[i]), RO_OK);
        assert_int_equal(ro_hologram_pictures(context, &scene, &field[i], NULL), RO_OK);
    }
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            const float *a = row_of(&field[0], y) + 2 * x, *b = row_of(&field[1], y) + 2 * x;
            const double one = a[0] * a[0] + a[1] * a[1], two = b[0] * b[0] + b[1] * b[1];
            error += pow(one - two, 2);
            all += one * one;
        }
    for (int i = 0; i < 2; i++)
        ro_field_free(&field[i]);
    ro_image_free(&amplitude);
    ro_image_free(&depths);
    return error / all;
}

/* A wave that converges on the viewer goes through all layers. */
static void layers_fit_together(void **state)
{
    ro_context *context = *state;
    const double smooth = seam(context, "smooth"), spherical = seam(context, "spherical");
    print_message("seams: smooth %.4f, spherical %.6f\n", smooth, spherical);
    assert_true(smooth > 0.1 && spherical < 0.001);
}

/* What is in front hides what is behind it: the same light as without the picture behind. */
static void pictures_hide(void **state)
{
    ro_context *context = *state;
    ro_image front = spot(context, 48, 40), behind = spot(context, 48, 40);
    ro_scene_picture pictures[2] = {{.amplitude = behind, .depth = 0.72e-3},
                                    {.amplitude = front, .depth = 0.7e-3}};
    const ro_optics square = {.wavelength = 532e-9, .pitch = 4e-6};
    ro_picture_scene both = {RO_PICTURE_SCENE_DEFAULTS, .pictures = pictures, .count = 2,
                             .phase = "smooth", .optics = square};
    ro_picture_scene alone = both;
    ro_field a, b;
    double error = 0, all = 0;
    alone.pictures = pictures + 1;
    alone.count = 1;
    assert_int_equal(ro_field_alloc(context, W, H, &a), RO_OK);
    assert_int_equal(ro_field_alloc(context, W, H, &b), RO_OK);
    assert_int_equal(ro_hologram_pictures(context, &both, &a, NULL), RO_OK);
    assert_int_equal(ro_hologram_pictures(context, &alone, &b, NULL), RO_OK);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < 2 * W; x++) {
            error += pow(row_of(&a, y)[x] - row_of(&b, y)[x], 2);
            all += pow(row_of(&b, y)[x], 2);
        }
    assert_true(error < 0.01 * all);
    ro_image_free(&front);
    ro_image_free(&behind);
    ro_field_free(&a);
    ro_field_free(&b);
}

/* Pitches of real devices: the window of every hogel lies inside the band. */
static void devices_fit(void **state)
{
    static const struct {
        uint32_t width, height;
        double pitch;
    } devices[] = {{192, 108, 8e-6}, {192, 108, 6.4e-6}, {384, 216, 3.74e-6}, {240, 160, 10.8e-6}};
    ro_context *context = *state;
    ro_image picture = spot(context, 48, 40);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        ro_field field;
        ro_image out;
        ro_optics found;
        ro_hologram_report report = {.size = sizeof report};
        const ro_scene_picture one = {.amplitude = picture, .depth = 0.05};
        assert_int_equal(ro_field_alloc(context, devices[i].width, devices[i].height, &field),
                         RO_OK);
        assert_int_equal(ro_image_alloc(context, RO_INDEX8, field.width, field.height, 255, &out),
                         RO_OK);
        for (int dice = 0; dice < 2; dice++) {
            const ro_picture_scene scene = {
                RO_PICTURE_SCENE_DEFAULTS, .pictures = &one, .count = 1,
                .optics = {.wavelength = 532e-9, .pitch = devices[i].pitch}};
            const ro_hologram_scene other = {
                RO_HOLOGRAM_SCENE_DEFAULTS,
                .optics = {.wavelength = 532e-9, .pitch = devices[i].pitch}, .layers = 1};
            if (dice)
                assert_int_equal(ro_hologram_make(context, &other, &field, &found), RO_OK);
            else
                assert_int_equal(ro_hologram_pictures(context, &scene, &field, &found), RO_OK);
            ro_hologram_options options = {RO_HOLOGRAM_DEFAULTS, .optics = found};
            assert_int_equal(ro_hologram_quantize(context, &field, &out, &options, &report), RO_OK);
            for (uint32_t k = 0; k < report.hogels; k++) {
                const ro_window *w = &report.hogel[k].window;
                assert_true(fabs(w->xi) + w->width / 2 <= 0.5 &&
                            fabs(w->eta) + w->height / 2 <= 0.5);
            }
            ro_free(report.hogel);
        }
        ro_image_free(&out);
        ro_field_free(&field);
    }
    ro_image_free(&picture);
}

static void bad_input(void **state)
{
    ro_context *context = *state;
    ro_image picture = spot(context, 48, 40), depths = spot(context, 48, 40);
    const ro_optics near = {.wavelength = 532e-9, .pitch = 8e-6, .viewer = {0, 0, -1e-3}};
    const ro_scene_picture pictures[] = {{.amplitude = picture},
                                         {.amplitude = picture, .depth = 0.1, .width = 1},
                                         {.amplitude = picture, .depths = depths},
                                         {.amplitude = picture, .depth = 0.1}};
    const ro_picture_scene cases[] = {
        {RO_PICTURE_SCENE_DEFAULTS, .pictures = pictures, .count = 1, .optics = optics},
        {RO_PICTURE_SCENE_DEFAULTS, .pictures = pictures + 1, .count = 1, .optics = optics},
        {RO_PICTURE_SCENE_DEFAULTS, .pictures = pictures + 2, .count = 1,
         .optics = optics}, /* a depth of 0 */
        {RO_PICTURE_SCENE_DEFAULTS, .pictures = pictures + 3, .count = 1, .optics = optics,
         .phase = "loud"},
        {RO_PICTURE_SCENE_DEFAULTS, .pictures = pictures + 3, .count = 1, .optics = optics,
         .layers = 9999},
        {RO_PICTURE_SCENE_DEFAULTS, .pictures = pictures + 3, .count = 1, .optics = near},
        {RO_PICTURE_SCENE_DEFAULTS, .pictures = pictures + 3, .count = 1},
        {RO_PICTURE_SCENE_DEFAULTS, .optics = optics},
    };
    ro_field field;
    assert_int_equal(ro_field_alloc(context, W, H, &field), RO_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ro_hologram_pictures(context, &cases[i], &field, NULL), RO_E_ARGUMENT);
        assert_true(strlen(ro_context_message(context)) > 10);
    }
    ro_field_free(&field);
    ro_image_free(&picture);
    ro_image_free(&depths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_and_targets_lie_alike),
        cmocka_unit_test(flat_pictures),
        cmocka_unit_test(depth_maps),
        cmocka_unit_test(pictures_hide),
        cmocka_unit_test(devices_fit),
        cmocka_unit_test(bad_input),
        cmocka_unit_test(layers_fit_together),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
