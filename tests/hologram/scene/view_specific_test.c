/* SPDX-License-Identifier: MIT */
/* View-specific holograms: the light of whole planes through the viewing area, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hologram/fields.h"

#include <complex.h>

enum { W = 288, H = 240 };
static const double pi = 3.14159265358979323846;

static float *at(const ro_image *image, uint32_t x, uint32_t y)
{
    return (float *)((char *)image->data + (ptrdiff_t)y * image->stride) + x;
}

/* A soft spot, finer pixels than which no grid needs. */
static ro_image spot(ro_context *context, double cx, double cy)
{
    ro_image image;
    assert_int_equal(ro_image_alloc(context, RO_GREYF, W, H, 0, &image), RO_OK);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            const double a = exp(-(pow(x - cx, 2) + pow(y - cy, 2)) / 500);
            *at(&image, x, y) = a > 1e-3 ? (float)a : 0;
        }
    return image;
}

static ro_picture_scene scene_of(const ro_scene_picture *pictures, int count)
{
    return (ro_picture_scene){RO_PICTURE_SCENE_DEFAULTS, .pictures = pictures, .count = count,
                              .phase = "smooth",
                              .optics = {.wavelength = 532e-9,
                                         .pitch = 2e-6,
                                         .pitch_y = 2.5e-6,
                                         .viewer = {0.024e-3, -0.03e-3, -6e-3},
                                         .viewing_area = {0.24e-3, 0.2e-3}}};
}

static void crop(const ro_field *field, const ro_optics *o)
{
    for (uint32_t y = 0; y < field->height; y++)
        for (uint32_t x = 0; x < field->width; x++) {
            const double dx = (x + 0.5 - field->width / 2.0) * o->pitch - o->viewer[0];
            const double dy = (y + 0.5 - field->height / 2.0) * o->pitch_y - o->viewer[1];
            if (fabs(dx) > o->viewing_area[0] / 2 || fabs(dy) > o->viewing_area[1] / 2)
                row_of(field, y)[2 * x] = row_of(field, y)[2 * x + 1] = 0;
        }
}

static double difference(const ro_field *a, const ro_field *b)
{
    double error = 0, all = 0;
    for (uint32_t y = 0; y < a->height; y++)
        for (uint32_t x = 0; x < 2 * a->width; x++) {
            error += pow(row_of(a, y)[x] - row_of(b, y)[x], 2);
            all += pow(row_of(b, y)[x], 2);
        }
    return sqrt(error / all);
}

/* As whole planes sent to the viewer, cut out there and sent back. */
static void whole_planes_cut_out(void **state)
{
    ro_context *context = *state;
    ro_scene_picture pictures[2] = {{.amplitude = spot(context, 120, 110), .depth = 14e-3},
                                    {.amplitude = spot(context, 180, 140), .depth = 10e-3}};
    ro_picture_scene scene = scene_of(pictures, 2);
    ro_field seen, whole;
    ro_optics found;
    assert_int_equal(ro_field_alloc(context, W, H, &seen), RO_OK);
    assert_int_equal(ro_field_alloc(context, W, H, &whole), RO_OK);
    assert_int_equal(ro_hologram_pictures(context, &scene, &whole, &found), RO_OK);
    assert_int_equal(ro_field_propagate(context, &whole, &whole, &found, -found.viewer[2]), RO_OK);
    crop(&whole, &found);
    assert_int_equal(ro_field_propagate(context, &whole, &whole, &found, found.viewer[2]), RO_OK);
    scene.view_specific = 1;
    assert_int_equal(ro_hologram_pictures(context, &scene, &seen, &found), RO_OK);
    print_message("of whole planes: %.4f\n", difference(&seen, &whole));
    assert_true(difference(&seen, &whole) < 0.05);
    for (int i = 0; i < 2; i++)
        ro_image_free(&pictures[i].amplitude);
    ro_field_free(&seen);
    ro_field_free(&whole);
}

/* The sum over all pixels of the scene of what the viewing area gets of each: what goes through
 * it and on the line to the hologram is the Rayleigh-Sommerfeld integral of the scene itself where
 * the edges of the area are far. */
static void integral(void **state)
{
    ro_context *context = *state;
    ro_scene_picture picture = {.amplitude = spot(context, 144, 120), .depth = 12e-3};
    ro_picture_scene scene = scene_of(&picture, 1);
    scene.optics.pitch_y = 2e-6;
    scene.optics.viewer[0] = scene.optics.viewer[1] = 0;
    scene.optics.viewing_area[0] = scene.optics.viewing_area[1] = 0.4e-3;
    scene.optics.viewer[2] = -8e-3;
    scene.view_specific = 1;
    const double k = 2 * pi / 532e-9, z = picture.depth, away = z - scene.optics.viewer[2];
    ro_field field;
    double error = 0, all = 0;
    assert_int_equal(ro_field_alloc(context, W, H, &field), RO_OK);
    assert_int_equal(ro_hologram_pictures(context, &scene, &field, NULL), RO_OK);
    for (uint32_t v = H / 2 - 40; v < H / 2 + 40; v += 16)
        for (uint32_t u = W / 2 - 40; u < W / 2 + 40; u += 16) {
            double complex want = 0;
            for (uint32_t y = 0; y < H; y++)
                for (uint32_t x = 0; x < W; x++) {
                    const double a = *at(&picture.amplitude, x, y);
                    const double px = (x + 0.5 - W / 2.0) * 2e-6, py = (y + 0.5 - H / 2.0) * 2e-6;
                    const double dx = ((double)u - x) * 2e-6, dy = ((double)v - y) * 2e-6;
                    const double r = sqrt(dx * dx + dy * dy + z * z);
                    if (a > 0)
                        want += a * cexp(-I * k * (px * px + py * py) / (2 * away)) * z /
                                (2 * pi * r * r) * (1 / r - I * k) * cexp(I * k * r) * 4e-12;
                }
            const float *got = row_of(&field, v) + 2 * u;
            error += pow(cabs(want - (got[0] + I * got[1])), 2);
            all += pow(cabs(want), 2);
        }
    print_message("of the integral: %.4f\n", sqrt(error / all));
    assert_true(sqrt(error / all) < 0.05);
    ro_image_free(&picture.amplitude);
    ro_field_free(&field);
}

struct taken {
    ro_field *field;
    uint32_t rows, stop;
};

static ro_status take(void *to, uint32_t y, const float *row)
{
    struct taken *taken = to;
    assert_int_equal(y, taken->rows++);
    memcpy(row_of(taken->field, y), row, (size_t)taken->field->width * 8);
    return taken->rows == taken->stop ? RO_E_CANCELLED : RO_OK;
}

/* Rows are the field's, in order, from a field without memory; the same bits from every CPU; and
 * whoever takes them may stop it. */
static void rows_and_cpus(void **state)
{
    ro_context *context = *state, *plain = NULL;
    const ro_context_options one = {RO_CONTEXT_DEFAULTS, .device = RO_DEVICE_CPU, .threads = 1,
                                    .cpu = RO_CPU_SCALAR};
    ro_hologram_scene scene = {RO_HOLOGRAM_SCENE_DEFAULTS, .layers = 1, .view_specific = 1};
    ro_field field, rows, none = {.width = 200, .height = 150};
    ro_optics optics;
    struct taken taken = {.field = &rows};
    assert_int_equal(ro_field_alloc(context, 200, 150, &field), RO_OK);
    assert_int_equal(ro_field_alloc(context, 200, 150, &rows), RO_OK);
    assert_int_equal(ro_hologram_make(context, &scene, &field, &optics), RO_OK);
    scene.rows = take;
    scene.rows_to = &taken;
    assert_int_equal(ro_context_open(&one, &plain), RO_OK);
    assert_int_equal(ro_hologram_make(plain, &scene, &none, NULL), RO_OK);
    assert_int_equal(taken.rows, 150);
    for (uint32_t y = 0; y < 150; y++)
        assert_memory_equal(row_of(&field, y), row_of(&rows, y), 200 * 8);
    taken.rows = 0;
    taken.stop = 10;
    assert_int_equal(ro_hologram_make(context, &scene, &none, NULL), RO_E_CANCELLED);
    assert_int_equal(taken.rows, 10);
    ro_context_close(plain);
    ro_field_free(&field);
    ro_field_free(&rows);
}

/* Most of the energy lies in the hogels' windows then. */
static void windows_hold_it(void **state)
{
    enum { SIDE = 768 };
    ro_context *context = *state;
    double share[2];
    for (int seen = 0; seen < 2; seen++) {
        const ro_hologram_scene scene = {RO_HOLOGRAM_SCENE_DEFAULTS, .layers = 1,
                                         .view_specific = seen};
        ro_field field;
        ro_image out;
        ro_hologram_options o = {RO_HOLOGRAM_DEFAULTS, .algorithm = "truncate", .measure = 1};
        ro_hologram_report report = {.size = sizeof report};
        assert_int_equal(ro_field_alloc(context, SIDE, SIDE, &field), RO_OK);
        assert_int_equal(ro_image_alloc(context, RO_INDEX8, SIDE, SIDE, 255, &out), RO_OK);
        assert_int_equal(ro_hologram_make(context, &scene, &field, &o.optics), RO_OK);
        assert_int_equal(ro_hologram_quantize(context, &field, &out, &o, &report), RO_OK);
        share[seen] = report.field_in_window;
        ro_free(report.hogel);
        ro_image_free(&out);
        ro_field_free(&field);
    }
    print_message("in the windows: %.3f, %.3f\n", share[0], share[1]);
    assert_true(share[0] < 0.3 && share[1] > 0.7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_planes_cut_out),
        cmocka_unit_test(integral),
        cmocka_unit_test(rows_and_cpus),
        cmocka_unit_test(windows_hold_it),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
